/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly_cost.c - the butterfly's closed form: a term for each stage, one for each round of the
 * eliminations, and what the late group adds.
 */
#include "algorithms/butterfly.h"

#include "schedule/ranks.h"

/* The most bytes of a slice that is one of `parts` of the vector. */
static double slice(const anyp_call *call, int parts)
{
    const int64_t most = call->count / parts + (call->count % parts > 0);
    return (double) most * (double) call->type_size;
}

/* Of so many blocks of a reduce-scatter, which may be any: the largest ones may be together. */
static double set_of(const anyp_call *call, int blocks)
{
    const double bytes = blocks * slice(call, call->p), whole = slice(call, 1);
    return bytes < whole ? bytes : whole;
}

/* Of a slice behind stages that left one of `parts`. */
static double staged(const anyp_call *call, const anypi_stages *stages, int parts)
{
    return stages->scatters ? set_of(call, call->p / parts) : slice(call, parts);
}

/* Counts a step of `radix` ranks, each of which gets so many bytes from every other. */
static void add_step(anyp_cost *cost, int radix, double bytes, bool halves, bool routes)
{
    const int gather = anypi_log2_ceil((unsigned) radix), others = radix - 1;
    cost->latencies += (halves ? others : gather) + (routes ? gather : 0);
    cost->bytes_sent += others * bytes * (routes ? 2 : 1);
    cost->bytes_reduced += others * bytes;
}

/* The most bytes that a rank of a reduce-scatter has behind round z of the eliminations: half of
 * the groups' blocks, and one of a rank that dropped out. */
static double scattered(const anyp_call *call, const anypi_stages *stages, int z)
{
    return set_of(call, (stages->groups >> (z + 1)) + 1);
}

static void add_rounds(anyp_cost *cost, const anyp_call *call, const anypi_stages *stages)
{
    const int eliminating = anypi_log2_floor((unsigned) stages->groups);
    const bool scatters = stages->scatters;
    int parts = 1;
    for (int z = 0; z < stages->count; z++) {
        const bool halves = z < stages->halving;
        parts *= halves ? stages->radix[z] : 1;
        add_step(cost, stages->radix[z], staged(call, stages, parts), halves, halves && !scatters);
    }
    for (int z = 0; z < eliminating; z++) {
        const bool halves = z < stages->halving_groups;
        parts *= halves && !scatters ? 2 : 1;
        const double bytes = scatters ? scattered(call, stages, z) : slice(call, parts);
        add_step(cost, 2, bytes, halves, halves && !scatters);
        if (z == 0) {           /* who is late, and what those that dropped out get at the end */
            cost->latencies += 2;
            cost->bytes_sent += bytes + (scatters ? slice(call, call->p) : bytes);
            cost->bytes_reduced += bytes;
        }
    }
}

anyp_cost anypi_butterfly_cost(const anyp_call *call, const int *parameters)
{
    const anypi_stages stages = anypi_stages_of(call, parameters);
    anyp_cost cost = { .latencies = 0 };
    add_rounds(&cost, call, &stages);
    cost.overheads = 2 * cost.latencies;
    return cost;
}
