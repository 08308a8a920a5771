/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gather_reduce - each rank that needs the result gathers all p vectors and reduces them in rank
 * order.
 *
 * Cell i of a scratch buffer is the vector of rank r + i mod p. An allreduce gathers the cells by
 * dissemination. In a round that starts with `have` cells, rank r sends its first cells to k - 1
 * partners (k is the radix): r - have, r - 2 have, ... It receives as many cells from r + have, r +
 * 2 have, ... A reduce has the same messages, but a rank stops as soon as its cells have been sent
 * towards the root: this is a tree of radix k.
 *
 *   p = 5, k = 2, allreduce, rank 0:   from 1: {1}    from 2: {2,3}    from 4: {4}
 *                 reduce, root 0:      1 to 0, 3 to 2: one cell each   2 to 0: {2,3}   4 to 0: {4}
 *
 * Cost with R = ceil(log_k p) rounds: R*alpha + (p-1)m*beta + (p-1)m*gamma; reached for every p and
 * root. Messages of a round: k-1, in the last one only as many as are needed.
 * Plain copies, up to 2m per rank, also if the operator commutes. A rank copies its own vector if
 * it sends it together with others, or if it is in IN and not the first operand. It copies the sum
 * if the last vector is in a cell. Scratch: p*m, or (p-1)*m if the own vector needs no cell (at the
 * root of a reduce).
 * Restrictions: none, any p, root and operator; all elements are bracketed from the left, or by the
 * tree of reproducible results.
 * Source: Rabenseifner & Träff 2004, section 1 (the repair for small p), with the allgather of
 * Bruck et al. that it names; the tree and the radix are not there.
 */
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/radix.h"

#include "schedule/bracketing.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { RADIX };                 /* indices of the parameters */

static anyp_slice cells(int first, int end)
{
    return anypi_slice(ANYP_SCRATCH, first, end);
}

/* The rank's distance from the root. */
static int distance_from_root(const anyp_call *call)
{
    return anypi_mod(call->rank - call->root, call->p);
}

/* Does the rank send its own vector together with others, so that it must be adjacent to them? */
static bool sends_together(const anyp_call *call, int radix)
{
    const int distance = distance_from_root(call);
    if (call->collective == ANYP_ALLREDUCE)
        return call->p > radix + 1;
    return distance > 0 && distance % radix == 0 && distance < call->p - 1;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p;
    const double bytes = anypi_block_bytes(call, 1);
    int messages;
    const int rounds = anypi_radix_rounds(p, parameters[RADIX], &messages);
    return (anyp_cost) { .latencies = rounds,
                         .bytes_sent = (p - 1) * bytes,
                         .bytes_reduced = (p - 1) * bytes,
                         .overheads = 2.0 * messages };
}

/* Each round has more bytes than the one before. */
static double time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const int p = call->p, radix = parameters[RADIX];
    const double bytes = anypi_block_bytes(call, 1);
    double sum = (p - 1) * bytes * model->gamma;
    for (int64_t have = 1; have < p; have *= radix) {
        const int64_t end = have * radix < p ? have * radix : p;
        sum += anypi_round_time((double) ((end - 1) / have),
                                (double) (end - have) * bytes * model->beta, model);
    }
    return sum;
}

/* Gathers all cells at all ranks. */
static void gather_all(const anyp_call *call, int radix, anyp_slice own, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank;
    for (int64_t have = 1; have < p; have *= radix) {
        anypi_round(schedule);
        for (int64_t first = have; first < have * radix && first < p; first += have) {
            const int begin = (int) first, more = (int) (have < p - first ? have : p - first);
            anypi_send(schedule, anypi_mod(rank - begin, p), more == 1 ? own : cells(0, more));
            anypi_recv(schedule, anypi_mod(rank + begin, p), cells(begin, begin + more));
        }
    }
}

/* Gathers all cells at the root: a rank that has those of `have` ranks, itself first, sends them to
 * the first of radix such groups. */
static void gather_to_root(const anyp_call *call, int radix, anyp_slice own,
                           anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank, left = p - distance_from_root(call);
    for (int64_t have = 1; have < p; have *= radix) {
        const int behind = (int) (distance_from_root(call) % (have * radix));
        anypi_round(schedule);
        if (behind > 0) {
            const int all = (int) (have < left ? have : left);
            anypi_send(schedule, anypi_mod(rank - behind, p), all == 1 ? own : cells(0, all));
            return;
        }
        for (int64_t first = have; first < have * radix && first < left; first += have) {
            const int begin = (int) first, more = (int) (have < left - first ? have : left - first);
            anypi_recv(schedule, anypi_mod(rank + begin, p), cells(begin, begin + more));
        }
    }
}

/* The operand of a rank. The right one of a sum is written. */
static anyp_slice operand(const anyp_call *call, int rank, anyp_slice own, bool right,
                          anyp_schedule *schedule)
{
    const int cell = anypi_mod(rank - call->rank, call->p);
    if (cell > 0)
        return cells(cell, cell + 1);
    if (!right || own.buffer != ANYP_IN)
        return own;
    const anyp_slice out = anypi_block(ANYP_OUT, 0);
    anypi_copy(schedule, own, out);
    return out;
}

/* Reduces the operands of `count` ranks from `first` on by the tree of reproducible results. The
 * sum is where the last one was. */
static anyp_slice add_by_halves(const anyp_call *call, int first, int count, anyp_slice own,
                                bool right, anyp_schedule *schedule)
{
    if (count == 1)
        return operand(call, first, own, right, schedule);
    const int left = anypi_bracketing_left(count);
    const anyp_slice a = add_by_halves(call, first, left, own, false, schedule);
    const anyp_slice b = add_by_halves(call, first + left, count - left, own, true, schedule);
    anypi_reduce(schedule, a, b);
    return b;
}

/* Reduces all operands, from the left, into OUT. */
static void add_up(const anyp_call *call, anyp_slice own, anyp_schedule *schedule)
{
    const anyp_slice out = anypi_block(ANYP_OUT, 0);
    anyp_slice sum = out;
    if (call->reproducible)
        sum = add_by_halves(call, 0, call->p, own, false, schedule);
    for (int rank = 0; rank < call->p && !call->reproducible; rank++) {
        const anyp_slice next = operand(call, rank, own, rank > 0, schedule);
        if (rank > 0)
            anypi_reduce(schedule, sum, next);
        sum = next;
    }
    if (sum.buffer != ANYP_OUT)
        anypi_copy(schedule, sum, out);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int radix = parameters[RADIX];
    const bool all = call->collective == ANYP_ALLREDUCE;
    anyp_slice own = anypi_block(call->in_place ? ANYP_OUT : ANYP_IN, 0);
    if (sends_together(call, radix)) {
        anypi_copy(schedule, own, cells(0, 1));
        own = cells(0, 1);
    }
    (all ? gather_all : gather_to_root)(call, radix, own, schedule);
    if (all || call->rank == call->root)
        add_up(call, own, schedule);
}

const anyp_algorithm_code anypi_gather_reduce_code = {
    .summary = "tiny vectors at any p: the fewest rounds, any operator",
    .source = "Rabenseifner & Träff 2004, section 1",
    .blocks = anypi_one_block,
    .cost = cost,
    .time = time,
    .generate = generate,
};
