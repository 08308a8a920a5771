/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/sweep.h"

#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"

#include <limits.h>
#include <stdio.h>

enum { MAX_ROOTS = 5 };

/* Beyond this number of processes, only one number at a time differs from its default. */
enum { ALL_WAYS_P = 64 };

/* Values in bytes cut blocks of different sizes into about this number of parts. Settings that make
 * many more parts are left out: proofs would need much memory. */
enum { UNEVEN_BLOCKS = 4096, MOST_UNEVEN_BLOCKS = 3 * UNEVEN_BLOCKS };

/* ---- parameters ---- */

void anypi_values_add(anypi_values *values, const anyp_parameter *parameter, int64_t value)
{
    const int room = sizeof values->list / sizeof *values->list;
    const bool good = anypi_is_automatic(parameter, (int) value) ||
        (value >= parameter->minimum && value <= parameter->maximum);
    if (!good || values->count == room)
        return;
    for (int i = 0; i < values->count; i++)
        if (values->list[i] == value)
            return;
    values->list[values->count++] = (int) value;
}

static void add_bytes(anypi_values *v, const anyp_parameter *parameter, const anyp_call *call)
{
    const int64_t bytes = call->count * call->type_size;
    const int halvings = anypi_log2_floor((unsigned) call->p);
    anypi_values_add(v, parameter, parameter->maximum);
    if (call->count <= call->p)
        anypi_values_add(v, parameter, parameter->minimum);
    for (int k = 0; k <= halvings && call->count > call->p + INT64_C(1) &&
             (!call->largest || call->p << k <= UNEVEN_BLOCKS); k++)
        anypi_values_add(v, parameter, (bytes >> k) + ((bytes >> k << k) < bytes));
}

static void values_of(anypi_values *v, const anyp_parameter *parameter, const anyp_call *call)
{
    v->count = 0;
    anypi_values_add(v, parameter, parameter->default_value);
    if ((!call->nodes && parameter->of_nodes) || parameter->of_local_sizes)
        return;
    if (parameter->values) {
        for (int value = parameter->minimum; value <= parameter->maximum; value++)
            anypi_values_add(v, parameter, value);
    } else if (parameter->bytes) {
        add_bytes(v, parameter, call);
    } else {
        const int64_t minimum = parameter->minimum, others = call->p - 1;
        const int64_t tries[] = { minimum, minimum + 1, minimum + 2, others, parameter->maximum,
                                  7, 8, 5 + call->p % 12 };
        const size_t count = parameter->maximum < INT_MAX ? 8 : 5;
        for (size_t i = 0; i < count; i++)
            anypi_values_add(v, parameter, tries[i]);
    }
}

/* Tries all combinations of parameters `index` and later, or those with one number not its
 * default. */
static anyp_status choose_from(anypi_sweep *sweep, anypi_case *one, int index,
                               anypi_case_function function, void *state)
{
    const char *reason;
    if (index == one->algorithm->parameters_count) {
        anypi_case settled = *one;
        anypi_settle(one->algorithm, &one->call, one->parameters, settled.parameters);
        if (one->call.largest && !sweep->one_vector &&
            anypi_blocks_of(one->algorithm, &one->call, settled.parameters) > MOST_UNEVEN_BLOCKS)
            return ANYP_SUCCESS;
        if (anyp_applicable(one->algorithm, &one->call, settled.parameters, &reason) ==
            ANYP_SUCCESS)
            return function(&settled, state);
        sweep->refused++;
        return ANYP_SUCCESS;
    }
    anypi_values v = { .list = { sweep->parameters[index] }, .count = 1 };
    if (!sweep->fixed[index])
        values_of(&v, &one->algorithm->parameters[index], &one->call);
    anyp_status status = ANYP_SUCCESS;
    const bool is_number = !one->algorithm->parameters[index].values;
    const int turn = one->turn;
    if (is_number && turn > 0 && (one->call.p > ALL_WAYS_P || one->call.nodes) &&
        !sweep->fixed[index])
        v.count = 1;            /* the default; a number in front of it is none */
    for (int i = 0; i < v.count && status == ANYP_SUCCESS; i++) {
        one->parameters[index] = v.list[i];
        one->turn = turn + (is_number ? i : 0);
        status = choose_from(sweep, one, index + 1, function, state);
    }
    one->turn = turn;
    return status;
}

anyp_status anypi_sweep_parameters(anypi_sweep *sweep, const anyp_algorithm *algorithm,
                                   const anyp_call *call, anypi_case_function function,
                                   void *state)
{
    anypi_case one = { .algorithm = algorithm, .call = *call };
    return choose_from(sweep, &one, 0, function, state);
}

/* ---- vectors and collectives ---- */

static anyp_status sweep_vectors(anypi_sweep *sweep, const anyp_algorithm *algorithm,
                                 anyp_call call, anypi_case_function function, void *state)
{
    const int64_t p = call.p, uneven = p > ALL_WAYS_P ? 4097 : 65537;
    const struct {
        int64_t count, type_size;
        anypi_uneven shape;
    } vectors[] = { { 0, 8, ANYPI_EVEN }, { 1, 8, ANYPI_EVEN }, { p - 1, 8, ANYPI_EVEN },
                    { p, 8, ANYPI_EVEN }, { p + 1, 8, ANYPI_EVEN }, { p + 1, 0, ANYPI_EVEN },
                    { 65537, 8, ANYPI_EVEN }, { p - 1, 8, ANYPI_LINEAR },
                    { uneven, 8, ANYPI_ONE },
                    { uneven, 8, p > ALL_WAYS_P || p % 3 == 1 ? ANYPI_LINEAR
                      : p % 3 == 0 ? ANYPI_HALF : ANYPI_POWERS } };
    int64_t *starts = anypi_has_counts(&call)
        ? anypi_realloc(NULL, ((size_t) p + 1) * sizeof *starts) : NULL;
    anyp_status status = starts || !anypi_has_counts(&call) ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    if (anypi_has_no_data(call.collective) || sweep->local_sizes) {
        call.count = 0;
        call.type_size = 1;
        return anypi_sweep_parameters(sweep, algorithm, &call, function, state);
    }
    if (sweep->one_vector && status == ANYP_SUCCESS) {
        if (sweep->shape != ANYPI_EVEN && starts)
            anypi_uneven_cut(&call, sweep->shape, starts);
        status = anypi_sweep_parameters(sweep, algorithm, &call, function, state);
        anypi_free(starts);
        return status;
    }
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors && status == ANYP_SUCCESS; i++) {
        call.count = vectors[i].count;
        call.type_size = vectors[i].type_size;
        if (vectors[i].shape != ANYPI_EVEN && !starts)
            break;
        if (vectors[i].shape != ANYPI_EVEN)
            anypi_uneven_cut(&call, vectors[i].shape, starts);
        if (anypi_has_equal_blocks(&call))
            call.count = (call.count + p - 1) / p * p;
        status = anypi_sweep_parameters(sweep, algorithm, &call, function, state);
    }
    anypi_free(starts);
    return status;
}

anyp_status anypi_sweep_choices(anypi_sweep *sweep, const anyp_algorithm *algorithm, int p,
                                anypi_case_function function, void *state)
{
    anyp_status status = ANYP_SUCCESS;
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
        anyp_call call = { .collective = (anyp_collective) collective, .p = p,
                           .count = sweep->count, .type_size = sweep->type_size,
                           .commutative = true, .nodes = sweep->nodes };
        if (status != ANYP_SUCCESS ||
            anypi_has_local_sizes(call.collective) != sweep->local_sizes ||
            !(sweep->collectives & algorithm->collectives & ANYP_IN_SET(collective)))
            continue;
        if (sweep->one_vector && anypi_has_equal_blocks(&call) && sweep->count % p) {
            sweep->refused++;   /* no p equal blocks */
            continue;
        }
        if (!sweep->reproducible)
            status = sweep_vectors(sweep, algorithm, call, function, state);
        call.reproducible = true;
        if (status == ANYP_SUCCESS && !anypi_moves(call.collective) &&
            anypi_reproduces(algorithm, call.collective, p))
            status = sweep_vectors(sweep, algorithm, call, function, state);
    }
    return status;
}

/* ---- kinds ---- */

static int roots_of(const anyp_call *call, int roots[MAX_ROOTS])
{
    const int p = call->p;
    const int64_t third_group = INT64_C(2) << __builtin_ctz((unsigned) p);
    const int64_t tries[MAX_ROOTS] = { 0, 1, p / 2, p - 1, third_group };
    int count = 0;
    if (!anypi_has_root(call)) {
        roots[0] = 0;
        return 1;
    }
    for (int i = 0; i < MAX_ROOTS; i++) {
        bool known = tries[i] >= p;
        for (int k = 0; k < count; k++)
            known = known || roots[k] == tries[i];
        if (!known)
            roots[count++] = (int) tries[i];
    }
    return count;
}

/* Collectives that move data: is the input in place, and which buffers have gaps? Messages do not
 * depend on it, so from ALL_WAYS_P on the first two suffice. */
static const struct {
    bool in_place, gaps_in, gaps_out;
} places[] = { { false, false, false }, { true, false, true }, { true, false, false },
               { false, true, false }, { false, false, true }, { false, true, true } };

static int places_of(const anyp_call *call)
{
    if (anypi_has_no_data(call->collective))
        return 1;
    if (anypi_has_local_sizes(call->collective))
        return anypi_transposes(call->collective) ? 2 : 1;
    return anypi_has_one_buffer(call) || call->p > ALL_WAYS_P ? 2 : sizeof places / sizeof *places;
}

int anypi_kinds(const anyp_algorithm *algorithm, const anyp_call *call)
{
    int roots[MAX_ROOTS];
    const bool both = algorithm->properties & ANYP_CANONICAL && !call->reproducible;
    const int ways = anypi_moves(call->collective) ? places_of(call) : both ? 4 : 2;
    return roots_of(call, roots) * ways;
}

void anypi_set_kind(const anyp_algorithm *algorithm, anyp_call *call, int kind)
{
    int roots[MAX_ROOTS];
    const int count = roots_of(call, roots);
    call->root = roots[kind % count];
    call->gaps_in = call->gaps_out = false;
    if (anypi_moves(call->collective)) {
        const int way = kind / count;
        call->in_place = places[way].in_place && !anypi_has_one_buffer(call);
        call->gaps_in = places[way].gaps_in && !anypi_has_local_sizes(call->collective);
        call->gaps_out = places[way].gaps_out && !anypi_has_local_sizes(call->collective);
        call->commutative = true;
        return;
    }
    call->in_place = kind / count % 2;
    call->commutative = !call->reproducible &&
        (!(algorithm->properties & ANYP_CANONICAL) || kind / count / 2 == 0);
}

char *anypi_case_text(const anypi_case *one, char *text, size_t size)
{
    const anyp_call *call = &one->call;
    char parameters[512], largest[40] = "";
    if (call->largest)
        snprintf(largest, sizeof largest, " largest=%lld", (long long) call->largest);
    anypi_parameters_text(one->algorithm, one->parameters, " ", parameters, sizeof parameters);
    snprintf(text, size, "%s %s p=%d root=%d count=%lld%s%s%s%s%s%s%s%s", one->algorithm->name,
             anyp_collective_name(call->collective), call->p, call->root, (long long) call->count,
             largest,
             call->type_size ? "" : " of no bytes", call->in_place ? " in place" : "",
             call->gaps_in ? " gaps in" : "", call->gaps_out ? " gaps out" : "",
             call->reproducible ? " reproducible" : call->commutative ? "" : " not commutative",
             *parameters ? " " : "", parameters);
    return text;
}
