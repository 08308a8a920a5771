/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/described_calls.h"

#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "select/text.h"
#include "select/vocabulary.h"
#include "tools/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int anypi_tool_collective(const tool_options *options, const char *name,
                          anyp_collective *collective)
{
    *collective = anyp_collective_find(name);
    if (*collective != ANYP_COLLECTIVES)
        return TOOL_GOOD;
    bool nonblocking;
    const anyp_collective its = anypi_collective_of(name, &nonblocking);
    if (its != ANYP_COLLECTIVES)
        return anypi_tool_misuse(options, "%s is the nonblocking form of %s; use %s, which has "
                                 "the same schedules", name, anyp_collective_name(its),
                                 anyp_collective_name(its));
    anypi_nearest nearest;
    anypi_nearest_init(&nearest, name);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        anypi_nearest_try(&nearest, anyp_collective_name((anyp_collective) i));
    if (*nearest.text)
        return anypi_tool_misuse(options, "unknown collective '%s'; did you mean %s?", name,
                                 nearest.text);
    char list[256] = "";
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 i == 0 ? "" : i == ANYP_COLLECTIVES - 1 ? " and " : ", ",
                 anyp_collective_name((anyp_collective) i));
    return anypi_tool_misuse(options, "unknown collective '%s'; expected one of %s", name, list);
}

int anypi_tool_algorithm(const tool_options *options, const char *name,
                         const anyp_algorithm **algorithm)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    *algorithm = anyp_algorithm_find(name);
    if (*algorithm)
        return TOOL_GOOD;
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        if (!strcmp(alias->name, name))
            return anypi_tool_misuse(options, "'%s' is a name in decision files; use %s with the "
                                     "parameter %s=%s", name, all[alias->algorithm].name,
                                     alias->parameter, alias->value);
    const char *own = strstr(name, "anyp_");
    if (own && anyp_algorithm_find(own + 5))
        return anypi_tool_misuse(options, "'%s' is a name in MPICH; use %s", name,
                                 own + 5);
    anypi_nearest nearest;
    anypi_nearest_init(&nearest, name);
    for (int i = 0; i < count; i++)
        anypi_nearest_try(&nearest, all[i].name);
    return anypi_tool_misuse(options, *nearest.text ? "unknown algorithm '%s'; did you mean %s?"
                             : "unknown algorithm '%s'; 'anyp list' shows all", name, nearest.text);
}

static int unknown_parameter(const tool_options *options, const char *option,
                             const anyp_algorithm *algorithm, const char *name)
{
    anypi_nearest nearest;
    anypi_nearest_init(&nearest, name);
    if (!algorithm->parameters_count)
        return anypi_tool_misuse(options, "%s %s: %s has no parameters", option, name,
                                 algorithm->name);
    for (int i = 0; i < algorithm->parameters_count; i++)
        anypi_nearest_try(&nearest, algorithm->parameters[i].name);
    const bool near = *nearest.text;
    return anypi_tool_misuse(options, "%s %s: %s has no such parameter%s%s%s", option, name,
                             algorithm->name, near ? "; did you mean " : "; see 'anyp list'",
                             nearest.text, near ? "?" : "");
}

int anypi_tool_parameter(const tool_options *options, const char *option, const char *text,
                         const anyp_algorithm *algorithm, int *parameters, int *index)
{
    char name[64];
    const size_t length = strcspn(text, "=");
    if (!text[length] || !length || length >= sizeof name)
        return anypi_tool_misuse(options, "%s '%s': expected NAME=VALUE", option, text);
    snprintf(name, sizeof name, "%.*s", (int) length, text);

    *index = anypi_parameter_find(algorithm, name, length);
    if (*index < 0)
        return unknown_parameter(options, option, algorithm, name);
    const char *reason;
    if (anyp_parameter_set(algorithm, parameters, name, text + length + 1, &reason) ==
        ANYP_SUCCESS)
        return TOOL_GOOD;
    char range[512];
    return anypi_tool_misuse(options, "%s %s: %s; expected %s", option, text, reason,
                             anyp_parameter_range(&algorithm->parameters[*index], range,
                                                  sizeof range));
}

int anypi_tool_parameters(const tool_options *options, const anyp_algorithm *algorithm,
                          int *parameters, bool *given)
{
    anyp_parameters_default(algorithm, parameters);
    for (int i = 0; i < algorithm->parameters_count; i++)
        given[i] = false;
    for (int i = 0; i < options->params_count; i++) {
        int index;
        const int status = anypi_tool_parameter(options, "--param", options->params[i], algorithm,
                                                parameters, &index);
        if (status != TOOL_GOOD)
            return status;
        given[index] = true;
    }
    return TOOL_GOOD;
}

/* Minimum bytes of the long vector for each process. With this, exchange has as many blocks of its
 * default threshold as a process may have. */
enum { LONG = 8 * 8192 };

/* Sets the long vector. If its parts are not equal, it grows to a multiple of the blocks. */
static void long_vector(tool_call *call)
{
    const int64_t p = call->call.p;
    const int64_t unit = p << anypi_log2_ceil((unsigned) p);
    call->call.count = unit * (LONG / (p * call->call.type_size) + 1);
    for (int tries = 0; tries < 3; tries++) {
        const int blocks = anypi_blocks_of(call->algorithm, &call->call, call->parameters);
        const int64_t uneven = call->call.count % blocks;
        if (!uneven)
            return;
        call->call.count += blocks - uneven;
    }
}

/* Maximum mean bytes of blocks whose sizes only sender and receiver know. */
enum { MAX_MEAN = 1 << 20 };

int anypi_tool_vector(const tool_options *options, tool_call *call)
{
    const int64_t type_size = options->number[OPTION_TYPE_SIZE];
    const int64_t bytes = options->number[OPTION_BYTES];
    if (anypi_has_no_data(call->call.collective))
        return options->given[OPTION_COUNT] || options->given[OPTION_BYTES] ||
            options->given[OPTION_TYPE_SIZE] || options->given[OPTION_IN_PLACE] ||
            options->given[OPTION_GAPS]
            ? anypi_tool_misuse(options, "--count, --bytes, --type-size, --in-place and --gaps: "
                                "%s has no data", anyp_collective_name(call->call.collective))
            : TOOL_GOOD;
    call->call.type_size = type_size;
    call->long_vector = !options->given[OPTION_COUNT] && !options->given[OPTION_BYTES];
    if (options->given[OPTION_COUNT] && options->given[OPTION_BYTES])
        return anypi_tool_misuse(options, "give either --count or --bytes, not both");
    if (options->given[OPTION_BYTES] && bytes % type_size)
        return anypi_tool_misuse(options, "--bytes is not a multiple of --type-size");
    call->call.count = options->given[OPTION_BYTES] ? bytes / type_size
        : options->number[OPTION_COUNT];
    if (call->long_vector && !anypi_has_local_sizes(call->call.collective))
        long_vector(call);
    if (anypi_has_local_sizes(call->call.collective)) {
        call->mean = call->call.count * type_size;
        call->call.count = 0;
        return call->mean <= MAX_MEAN ? TOOL_GOOD
            : anypi_tool_misuse(options, "blocks of %lld bytes are too long; at most %d",
                                (long long) call->mean, MAX_MEAN);
    }
    const int64_t rest = call->call.count % call->call.p;
    if (anypi_has_equal_blocks(&call->call) && options->given[OPTION_BYTES] && rest)
        call->call.count += call->call.p - rest;
    if (call->call.count > (INT64_C(1) << 53) / type_size)
        return anypi_tool_misuse(options, "the vector is too long");
    if (anypi_has_equal_blocks(&call->call) && call->call.count % call->call.p)
        return anypi_tool_misuse(options, "%s needs a vector of p equal blocks: "
                                 "%lld elements do not divide by %d, %lld would",
                                 anyp_collective_name(call->call.collective),
                                 (long long) call->call.count, call->call.p,
                                 (long long) (call->call.count / call->call.p + 1) * call->call.p);
    return TOOL_GOOD;
}

int anypi_tool_shape(const tool_options *options, tool_call *call)
{
    const char *name = options->word[OPTION_UNEVEN];
    if (!name)
        return TOOL_GOOD;
    if (anypi_has_local_sizes(call->call.collective)) {
        call->sizes = anypi_sizes_find(name);
        return call->sizes != ANYPI_SIZES_KINDS ? TOOL_GOOD
            : anypi_tool_misuse(options, "--uneven '%s': expected even, uniform, powers or sparse",
                                name);
    }
    call->shape = anypi_uneven_find(name);
    if (call->shape == ANYPI_UNEVENS || call->shape == ANYPI_EVEN)
        return anypi_tool_misuse(options, "--uneven '%s': expected half, linear, powers, one or "
                                 "ramp", name);
    if (!anypi_has_counts(&call->call))
        return anypi_tool_misuse(options, "--uneven requires a collective whose blocks have "
                                 "counts, such as reduce_scatter or allgatherv; %s has none",
                                 anyp_collective_name(call->call.collective));
    return TOOL_GOOD;
}

/* Cuts the call's vector by its shape. */
static int cut(const tool_options *options, tool_call *call)
{
    if (call->shape == ANYPI_EVEN)
        return TOOL_GOOD;
    call->starts = anypi_realloc(NULL, ((size_t) call->call.p + 1) * sizeof *call->starts);
    if (!call->starts)
        return anypi_tool_status(options, ANYP_ERR_MEMORY);
    anypi_uneven_cut(&call->call, call->shape, call->starts);
    return TOOL_GOOD;
}

void anypi_tool_call_free(tool_call *call)
{
    anypi_free(call->starts);
    call->starts = NULL;
    call->call.starts = NULL;
}

const char *anypi_tool_title(const tool_call *call)
{
    static char text[512];
    char parameters[256];
    anypi_parameters_text(call->algorithm, call->parameters, " ", parameters, sizeof parameters);
    snprintf(text, sizeof text, "%s by %s, p = %d%s%s",
             anyp_collective_name(call->call.collective), call->algorithm->name, call->call.p,
             *parameters ? ", " : "", parameters);
    return text;
}

const char *anypi_tool_shape_text(const tool_call *call)
{
    static char text[32];
    snprintf(text, sizeof text, "%s%s", call->shape == ANYPI_EVEN ? "" : ", uneven: ",
             call->shape == ANYPI_EVEN ? "" : anypi_uneven_name(call->shape));
    return text;
}

/* Does the algorithm serve the call? */
static int check_applicable(const tool_options *options, const tool_call *call)
{
    const char *reason;
    if (anyp_applicable(call->algorithm, &call->call, call->parameters, &reason) == ANYP_SUCCESS)
        return TOOL_GOOD;
    const bool has = call->algorithm->collectives & ANYP_IN_SET(call->call.collective);
    return anypi_tool_complain(options, TOOL_BAD, "%s does not serve this %s: %s%s",
                               call->algorithm->name, anyp_collective_name(call->call.collective),
                               reason, has ? "" : "; 'anyp list' shows which algorithms do");
}

/* Replaces "auto" by the choice of the closed form. A parameter `network` sets the model; without
 * it, the options do, if they contain a model. */
static void settle(const tool_options *options, tool_call *call)
{
    const double bytes = (double) call->call.count * (double) call->call.type_size;
    const anyp_model model = anypi_tool_model(options, call->long_vector ? bytes : 1);
    const int last = call->algorithm->parameters_count - 1;
    memcpy(call->asked, call->parameters, sizeof call->asked);
    const bool network = last >= 0 &&
        call->parameters[last] != call->algorithm->parameters[last].default_value &&
        anypi_parameter_is_network(&call->algorithm->parameters[last]);
    if (!network &&
        (model.alpha > 0 || model.overhead > 0 || model.beta > 0 || model.gamma > 0))
        anypi_settle_by(call->algorithm, &call->call, &model, call->parameters, call->parameters);
    else
        anypi_settle(call->algorithm, &call->call, call->parameters, call->parameters);
}

int anypi_tool_call_read(const tool_options *options, tool_call *call)
{
    bool given[ANYP_MAX_PARAMETERS];
    *call = (tool_call) { 0 };
    call->call.p = (int) options->number[OPTION_PROCESSES];
    call->call.rank = (int) options->number[OPTION_RANK];
    call->call.root = (int) options->number[OPTION_ROOT];
    call->call.reproducible = options->given[OPTION_REPRODUCIBLE];
    call->call.commutative =
        !options->given[OPTION_NON_COMMUTATIVE] && !call->call.reproducible;
    call->call.in_place = options->given[OPTION_IN_PLACE];
    call->call.gaps_in = call->call.gaps_out = options->given[OPTION_GAPS];
    call->call.nodes = options->nodes;

    int status = anypi_tool_collective(options, options->operands[0], &call->call.collective);
    if (status == TOOL_GOOD && options->operands_count > 1)
        status = anypi_tool_algorithm(options, options->operands[1], &call->algorithm);
    if (status == TOOL_GOOD && call->algorithm)
        status = anypi_tool_parameters(options, call->algorithm, call->parameters, given);
    if (status != TOOL_GOOD)
        return status;
    if (call->call.rank >= call->call.p)
        return anypi_tool_misuse(options, "--rank %d: ranks are 0 to %d", call->call.rank,
                                 call->call.p - 1);
    if (options->given[OPTION_ROOT] && !anypi_has_root(&call->call))
        return anypi_tool_misuse(options, "--root: %s has no root",
                                 anyp_collective_name(call->call.collective));
    if (options->given[OPTION_GAPS] && !anypi_moves(call->call.collective))
        return anypi_tool_misuse(options, "--gaps requires a collective that moves data, not %s",
                                 anyp_collective_name(call->call.collective));
    if (call->call.root >= call->call.p)
        return anypi_tool_misuse(options, "--root %d: ranks are 0 to %d", call->call.root,
                                 call->call.p - 1);
    status = anypi_tool_shape(options, call);
    if (status == TOOL_GOOD)
        status = anypi_tool_vector(options, call);
    if (status == TOOL_GOOD)
        status = cut(options, call);
    if (status == TOOL_GOOD && call->algorithm)
        status = check_applicable(options, call);
    if (status != TOOL_GOOD)
        anypi_tool_call_free(call);
    else if (call->algorithm)
        settle(options, call);
    return status;
}

anyp_model anypi_tool_model(const tool_options *options, double unit)
{
    const double alpha = options->real[OPTION_ALPHA];
    const bool together = options->given[OPTION_OVERHEAD];
    const double inside_alpha = options->given[OPTION_INSIDE_ALPHA]
        ? options->real[OPTION_INSIDE_ALPHA] : alpha;
    const double inside_beta = options->given[OPTION_INSIDE_BETA]
        ? options->real[OPTION_INSIDE_BETA] : options->real[OPTION_BETA];
    const double taper = options->real[OPTION_TAPER];
    anyp_model model = { .alpha = together ? alpha : 0,
                         .beta = options->real[OPTION_BETA] / unit,
                         .gamma = options->real[OPTION_GAMMA] / unit,
                         .overhead = together ? options->real[OPTION_OVERHEAD] : alpha / 2,
                         .eager = options->given[OPTION_EAGER] || options->nodes ||
                             options->given[OPTION_LEAF],
                         .skew = options->real[OPTION_SKEW],
                         .nodes = options->nodes,
                         .inside_alpha = together ? inside_alpha : 0,
                         .inside_beta = inside_beta / unit,
                         .cards = (int) options->number[OPTION_CARDS],
                         .group = (int) options->number[OPTION_LEAF],
                         .taper = taper > 0 ? taper : 1 };
    for (int h = 0; h < options->above_count; h++) {
        const double longer = anypi_fmax(0, options->above[h][0] - alpha);
        model.above[h].alpha = together ? options->above[h][0] : longer;
        model.above[h].beta = options->above[h][1] / unit;
    }
    anypi_network_taper(&model, options->above_count, model.taper);
    return model;
}

void anypi_tool_parameters_json(anypi_json *json, const anyp_algorithm *algorithm,
                                const int *parameters)
{
    anypi_json_write(json, "parameters:{");
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &algorithm->parameters[i];
        char value[ANYP_VALUE_SIZE];
        if (parameter->values)
            anypi_json_write(json, "%s:%s", parameter->name,
                             anyp_parameter_text(parameter, parameters[i], value, sizeof value));
        else
            anypi_json_write(json, "%s:%d", parameter->name, parameters[i]);
    }
    anypi_json_write(json, "}");
}

void anypi_tool_vector_json(anypi_json *json, const tool_call *its)
{
    const anyp_call *call = &its->call;
    anypi_json_write(json, "p:%d", call->p);
    if (anypi_has_root(call))
        anypi_json_write(json, "root:%d", call->root);
    anypi_json_write(json, "count:%" PRId64 " type_size:%" PRId64 " commutative:%hhd in_place:%hhd",
                     call->count, call->type_size, call->commutative, call->in_place);
    if (anypi_moves(call->collective))
        anypi_json_write(json, "gaps:%hhd", call->gaps_out);
    if (its->shape != ANYPI_EVEN)
        anypi_json_write(json, "uneven:%s", anypi_uneven_name(its->shape));
}

void anypi_tool_call_json(anypi_json *json, const tool_call *call)
{
    anypi_json_write(json, "collective:%s algorithm:%s",
                     anyp_collective_name(call->call.collective), call->algorithm->name);
    anypi_tool_parameters_json(json, call->algorithm, call->parameters);
    anypi_tool_vector_json(json, call);
}
