/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gather_reduce - every rank gathers all p vectors, then reduces them itself in rank order.
 *
 * The gathering is a dissemination: cell i of the scratch buffer is the vector of rank r + i mod p.
 * In a round with `have` cells, rank r sends its first cells to r - have and gets as many from
 * r + have, so that ceil(log2 p) rounds do for any p, the fewest possible.
 *
 *   p = 5, rank 0:  round 1 from 1: {1}    round 2 from 2: {2,3}    round 3 from 4: {4}
 *
 * Cost: q*alpha + (p-1)m*beta + (p-1)m*gamma, q = ceil(log2 p); reached for every p. Two plain
 * copies of m per rank (the own vector into its cell, the result out of one).
 * Source: Rabenseifner & Träff 2004, section 1 (the repair for small p), with the allgather of
 * Bruck et al. that it names.
 */
#include "algorithms/registry.h"

#include "core/ranks.h"
#include "core/schedule.h"

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) call;
    (void) parameters;
    return 1;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    const double bytes = (double) call->count * (double) call->type_size;
    const double others = call->p - 1;
    return (anyp_cost) { .latencies = anypi_log2_ceil((unsigned) call->p),
                         .bytes_sent = others * bytes,
                         .bytes_reduced = others * bytes,
                         .overheads = 2.0 * anypi_log2_ceil((unsigned) call->p) };
}

static anyp_slice cells(int first, int end)
{
    return anypi_slice(ANYP_SCRATCH, first, end);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    (void) parameters;
    const int p = call->p, rank = call->rank;
    const anyp_slice result = anypi_slice(ANYP_OUT, 0, 1);
    const anyp_slice own = anypi_slice(call->in_place ? ANYP_OUT : ANYP_IN, 0, 1);

    if (p == 1) {
        if (!call->in_place)
            anypi_copy(schedule, own, result);
        return;
    }

    anypi_copy(schedule, own, cells(0, 1));
    for (int have = 1; have < p; have *= 2) {
        const int more = have < p - have ? have : p - have;
        anypi_round(schedule);
        anypi_send(schedule, anypi_mod(rank - have, p), cells(0, more));
        anypi_recv(schedule, anypi_mod(rank + have, p), cells(have, have + more));
    }

    int sum = anypi_mod(-rank, p);      /* rank 0's cell */
    for (int i = 1; i < p; i++) {
        const int next = (sum + 1) % p;
        anypi_reduce(schedule, cells(sum, sum + 1), cells(next, next + 1));
        sum = next;
    }
    anypi_copy(schedule, cells(sum, sum + 1), result);
}

const anyp_algorithm_code anypi_gather_reduce_code = {
    .sentence = "tiny vectors at any p: the fewest rounds, any operator",
    .source = "Rabenseifner & Träff 2004, section 1",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
