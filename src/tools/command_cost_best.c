/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp cost --best - lists the algorithms that serve a call, each with its best parameters by the
 * closed form, the fastest first. With nodes, or if blocks are uneven, times are simulated.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "analysis/best.h"
#include "analysis/estimate.h"
#include "analysis/usual_choice.h"
#include "schedule/collectives.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* With nodes and above this p, closed forms that know nodes choose parameters, and a smaller
 * machine is simulated, with at most so many messages, unless --exact is given. */
enum { MOST_SIMULATED_P = 1024, MOST_MESSAGES = 20000 };

static bool is_estimated(const tool_options *options, const tool_call *call)
{
    return call->call.nodes && call->call.p > MOST_SIMULATED_P && !options->given[OPTION_EXACT];
}

/* Are the times simulated? */
static bool is_simulated(const tool_options *options, const tool_call *call)
{
    return (call->call.nodes || call->starts) && !is_estimated(options, call);
}

/* Settles "auto" in each algorithm that serves the call (or in the named one), sorts them by their
 * estimated times, and returns their number. */
static int estimate(const tool_call *call, const anyp_model *model, anypi_best *list)
{
    int all, count = 0;
    const char *reason;
    const anyp_algorithm *algorithms = anyp_algorithms(&all);
    for (int i = 0; i < all; i++) {
        anypi_best one = { .algorithm = &algorithms[i] };
        if (call->algorithm && call->algorithm != one.algorithm)
            continue;
        anyp_parameters_default(one.algorithm, one.parameters);
        if (anyp_applicable(one.algorithm, &call->call, one.parameters, &reason) != ANYP_SUCCESS)
            continue;
        anypi_settle_by(one.algorithm, &call->call, model, one.parameters, one.parameters);
        /* closed forms of algorithms that ignore nodes can be far too long */
        one.time = anypi_estimate(one.algorithm, &call->call, one.parameters, model,
                                  MOST_MESSAGES);
        one.form = isinf(one.time);
        if (one.form)
            one.time = anypi_form_time(one.algorithm, &call->call, one.parameters, model);
        anypi_best_insert(list, count++, one);
    }
    return count;
}

/* Simulates the points that the closed forms of equal blocks have found, and sorts them. */
static int simulate(const tool_options *options, const tool_call *call, const anyp_model *model,
                    anypi_best *list, int count)
{
    int status = TOOL_GOOD;
    for (int i = 0; i < count && status == TOOL_GOOD; i++) {
        tool_call point = *call;
        anypi_simulation simulation;
        anypi_best one = list[i];
        point.algorithm = one.algorithm;
        memcpy(point.parameters, one.parameters, sizeof point.parameters);
        status = anypi_tool_simulate(options, &point, model, &simulation);
        if (status == TOOL_GOOD) {
            one.time = simulation.time;
            anypi_best_insert(list, i, one);
        }
    }
    return status;
}

static void print(const tool_options *options, const tool_call *call, const anypi_best *list,
                  int count)
{
    char parameters[256];
    printf("%s, p = %d", anyp_collective_name(call->call.collective), call->call.p);
    if (anypi_has_root(&call->call))
        printf(", root = %d", call->call.root);
    if (!anypi_has_no_data(call->call.collective))
        printf(", m = %" PRId64 " bytes%s, %s", call->call.count * call->call.type_size,
               anypi_tool_shape_text(call), call->call.reproducible ? "reproducible"
               : call->call.commutative ? "commutative" : "any operator");
    printf(": %s", is_estimated(options, call) ? "best parameters by closed forms that know nodes, "
           "times by simulation of fewer nodes"
           : call->call.nodes ? "best parameters, simulated" : call->starts
           ? "best parameters by closed form, then simulated" : "best parameters by closed form");
    if (options->word[OPTION_NETWORK])
        printf(", seconds with --network %s", options->word[OPTION_NETWORK]);
    putchar('\n');
    for (int i = 0; i < count; i++) {
        anypi_parameters_text(list[i].algorithm, list[i].parameters, " ", parameters,
                              sizeof parameters);
        printf("%-20s %-*.6g%s%s\n", list[i].algorithm->name,
               *parameters || list[i].form ? 13 : 0, list[i].time, parameters,
               !list[i].form ? "" : *parameters ? " (closed form)" : "(closed form)");
    }
}

/* Writes the algorithm that MPI libraries usually choose, with the time of its closed form. */
static void write_usual(anypi_json *json, const tool_call *call, const anyp_model *model)
{
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    const char *name = anypi_usual_choice(&call->call, model, &algorithm, parameters);
    if (!name) {
        anypi_json_write(json, "usual:null");
        return;
    }
    anypi_json_write(json, "usual:{ name:%s algorithm:%s", name, algorithm->name);
    anypi_tool_parameters_json(json, algorithm, parameters);
    anypi_json_write(json, "closed_form:%g }", model->nodes
                     ? anypi_form_time(algorithm, &call->call, parameters, model)
                     : anyp_cost_time(anypi_cost_of(algorithm, &call->call, parameters), model));
}

static void write_json(const tool_options *options, const tool_call *call, const anyp_model *model,
                       const anypi_best *list, int count)
{
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{ collective:%s", anyp_collective_name(call->call.collective));
    anypi_tool_vector_json(&json, call);
    anypi_json_write(&json, "best:[");
    for (int i = 0; i < count; i++) {
        anypi_json_write(&json, "{ algorithm:%s", list[i].algorithm->name);
        anypi_tool_parameters_json(&json, list[i].algorithm, list[i].parameters);
        anypi_json_write(&json, "%s:%g evaluations:%d }",
                         is_simulated(options, call) || (is_estimated(options, call) &&
                         !list[i].form) ? "time" : "closed_form", list[i].time,
                         list[i].evaluations);
    }
    anypi_json_write(&json, "]");
    write_usual(&json, call, model);
    anypi_json_write(&json, "}");
}

int anypi_tool_best(const tool_options *options)
{
    tool_call call;
    int count;
    if (options->params_count)
        return anypi_tool_misuse(options, "--param cannot be combined with --best, which chooses "
                                 "all parameters");
    if (options->given[OPTION_EAGER] || options->given[OPTION_SKEW] ||
        options->given[OPTION_LEAF])
        return anypi_tool_misuse(options, "--eager, --skew and --leaf cannot be combined with "
                                 "--best, whose closed forms do not model them");
    const anyp_collective its = anyp_collective_find(options->operands[0]);
    const bool has_data = its == ANYP_COLLECTIVES || !anypi_has_no_data(its);
    if (its != ANYP_COLLECTIVES && anypi_has_local_sizes(its))
        return anypi_tool_misuse(options, "--best needs the sizes of all blocks, which no rank "
                                 "of %s knows; name an algorithm", anyp_collective_name(its));
    if (!options->given[OPTION_BYTES] && !options->given[OPTION_COUNT] && has_data)
        return anypi_tool_misuse(options, "--best needs --bytes or --count");
    if (!options->given[OPTION_ALPHA] && !options->given[OPTION_BETA] &&
        !options->given[OPTION_GAMMA])
        return anypi_tool_misuse(options, "--best needs --alpha, --beta or --gamma beside other "
                                 "constants, such as --alpha 2e-6 --beta 1e-10 --gamma 3e-11 "
                                 "(seconds)");
    int status = anypi_tool_call_read(options, &call);
    if (status != TOOL_GOOD)
        return status;

    const anyp_model model = anypi_tool_model(options, 1);
    anyp_algorithms(&count);
    anypi_best *list = malloc((size_t) count * sizeof *list);
    if (!list) {
        anypi_tool_call_free(&call);
        return anypi_tool_status(options, ANYP_ERR_MEMORY);
    }
    count = is_estimated(options, &call) ? estimate(&call, &model, list)
        : call.algorithm ? anypi_best_of(call.algorithm, &call.call, &model, list)
        : anypi_best_of_all(&call.call, &model, list);
    if (count == 0)
        status = anypi_tool_complain(options, TOOL_BAD, "no algorithm serves this %s",
                                     anyp_collective_name(call.call.collective));
    else if (call.starts && !call.call.nodes)
        status = simulate(options, &call, &model, list, count);
    if (status == TOOL_GOOD && options->given[OPTION_JSON])
        write_json(options, &call, &model, list, count);
    else if (status == TOOL_GOOD)
        print(options, &call, list, count);
    free(list);
    anypi_tool_call_free(&call);
    return status;
}
