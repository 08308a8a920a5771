/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp cost - for a call whose ranks know only the sizes of their own blocks: prints the simulated
 * time of its stages, in the first calls on a communicator and in later ones.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "algorithms/registry.h"
#include "analysis/local_stages.h"

#include <inttypes.h>

/* The stages of a call; a stage that does not run has no rounds. */
typedef struct local_cost {
    anypi_local_stages stages;
    anypi_simulation simulations[ANYPI_STAGES];
    double time;
    int64_t scratch;            /* bytes, the maximum over all ranks and stages */
} local_cost;

static int simulate(const tool_options *options, const anypi_local_call *local,
                    anypi_which_call which, local_cost *cost)
{
    char reason[256];
    anyp_model model = anypi_tool_model(options, 1);
    model.eager = true;         /* otherwise each message would wait for its turn at both ends */
    const bool has_model = model.alpha > 0 || model.overhead > 0 || model.beta > 0;
    *cost = (local_cost) { .time = 0 };
    anyp_status status = anypi_local_stages_make(&cost->stages, local, has_model ? &model : NULL,
                                                 which, reason, sizeof reason);
    for (int i = 0; i < ANYPI_STAGES && status == ANYP_SUCCESS; i++) {
        anypi_simulation *one = &cost->simulations[i];
        if (!cost->stages.sets[i])
            continue;
        status = anypi_local_simulate(&cost->stages, (anypi_stage) i, &model, one);
        cost->time += one->time;
        if (cost->scratch < one->most.bytes_scratch)
            cost->scratch = one->most.bytes_scratch;
    }
    anypi_local_stages_free(&cost->stages);
    return anypi_tool_status(options, status);
}

static void print_cost(const char *name, const local_cost *cost)
{
    char parameters[512];
    const anypi_local_limits *limits = &cost->stages.limits;
    if (cost->stages.limit > 0)
        printf("%s: blocks of up to %d bytes travel together (%s), larger ones directly\n", name,
               cost->stages.limit,
               anypi_parameters_text(limits->algorithm, limits->parameters, " ", parameters,
                                     sizeof parameters));
    else
        printf("%s: all blocks go directly\n", name);
    if (cost->time > 0)
        printf("  %-12s time %.10g, scratch %" PRId64 " bytes\n", "all", cost->time,
               cost->scratch);
    else
        printf("  %-12s time unknown without --alpha, --beta or --overhead, scratch %" PRId64
               " bytes\n", "all", cost->scratch);
    for (int i = 0; i < ANYPI_STAGES; i++) {
        const anypi_simulation *one = &cost->simulations[i];
        if (one->most.rounds > 0)
            printf("  %-12s time %.10g, messages %" PRId64 ", bytes sent %" PRId64 ", received %"
                   PRId64 "\n", anypi_stage_name((anypi_stage) i), one->time, one->most.messages,
                   one->most.bytes_sent, one->most.bytes_received);
    }
}

static const char *const turns[ANYPI_WHICH_CALLS][2] = {
    { "first call", "first" }, { "second call", "second" }, { "later calls", "later" },
};

static void print(const tool_call *call, const local_cost costs[ANYPI_WHICH_CALLS])
{
    printf("%s, %s blocks of %" PRId64 " bytes on average\n", anypi_tool_title(call),
           anypi_sizes_name(call->sizes), call->mean);
    for (int which = 0; which < ANYPI_WHICH_CALLS; which++)
        print_cost(turns[which][0], &costs[which]);
}

static void write_cost(anypi_json *json, const char *key, const local_cost *cost)
{
    anypi_json_write(json, "%s:{ limit:%d time:%g bytes_scratch:%" PRId64 " stages:[", key,
                     cost->stages.limit, cost->time, cost->scratch);
    for (int i = 0; i < ANYPI_STAGES; i++) {
        const anypi_simulation *one = &cost->simulations[i];
        if (one->most.rounds > 0)
            anypi_json_write(json, "{ name:%s time:%g rounds:%d messages:%" PRId64 " bytes_sent:%"
                             PRId64 " bytes_received:%" PRId64 " bytes_scratch:%" PRId64 " }",
                             anypi_stage_name((anypi_stage) i), one->time, one->most.rounds,
                             one->most.messages, one->most.bytes_sent, one->most.bytes_received,
                             one->most.bytes_scratch);
    }
    anypi_json_write(json, "] }");
}

static void write_json(const tool_call *call, const local_cost costs[ANYPI_WHICH_CALLS])
{
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{");
    anypi_tool_call_json(&json, call);
    anypi_json_write(&json, "sizes:%s mean:%" PRId64, anypi_sizes_name(call->sizes), call->mean);
    for (int which = 0; which < ANYPI_WHICH_CALLS; which++)
        write_cost(&json, turns[which][1], &costs[which]);
    anypi_json_write(&json, "}");
}

int anypi_tool_cost_local(const tool_options *options, const tool_call *call)
{
    local_cost costs[ANYPI_WHICH_CALLS];
    const anypi_local_call local = { call->call, call->algorithm, call->parameters, call->asked,
                                     call->sizes, call->mean };
    if (call->long_vector)
        return anypi_tool_misuse(options, "%s needs --bytes, the mean of a block",
                                 anyp_collective_name(call->call.collective));
    if (call->call.p > TOOL_MAX_P_OF_SETS)
        return anypi_tool_complain(options, TOOL_BAD, "%d processes have too many blocks to "
                                   "simulate; use at most %d processes",
                                   call->call.p, TOOL_MAX_P_OF_SETS);
    int status = TOOL_GOOD;
    for (int which = 0; which < ANYPI_WHICH_CALLS && status == TOOL_GOOD; which++)
        status = simulate(options, &local, (anypi_which_call) which, &costs[which]);
    if (status == TOOL_GOOD && options->given[OPTION_JSON])
        write_json(call, costs);
    else if (status == TOOL_GOOD)
        print(call, costs);
    return status;
}
