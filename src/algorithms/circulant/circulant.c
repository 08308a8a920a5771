/* SPDX-License-Identifier: BSD-3-Clause
 *
 * circulant - reduce-scatter on a circulant graph: the fewest rounds and the least volume at any p.
 *
 * Rank r keeps partial results R[0 .. s(k)-1]. R[i] is block r + i of the vector, whose final sum
 * rank r + i needs (all modulo p). In round k, rank r sends the last partial results, R[s(k+1) ..
 * s(k)-1], to rank r + s(k+1). It receives as many from rank r - s(k+1), and adds them to its first
 * ones. In the end only R[0] is left. An allreduce then sends the blocks back in the opposite
 * order. Blocks are at their final position from the start, so a range that wraps around the end of
 * the vector is two pieces.
 *
 * p = 5, skips 3, 2, 1; R of rank r, "+a" is the contribution of rank r - a:
 *
 *   round   sends to     R[0]                  R[1]        R[2]    R[3], R[4]
 *     1     r+3          own +3                own +3      own     sent
 *     2     r+2          own +3 +2             own +3      sent
 *     3     r+1          own +3 +2 +(1 +4)     sent
 *   4 5 6   r-1 r-2 r-3  the same backwards: R[0] is the result, R[1], R[2], ... come from above
 *
 * In a reduce, all blocks but the root's are empty, so rank r has only R[i] with r + i = root. It
 * adds the operands that it receives to R[i], and sends R[i] in the round of i.
 *
 * An alltoall has the messages of the reduce-scatter, with concatenation as the operator:
 * shared/concatenate.h.
 *
 * Cost with q skips, q = ceil(log2 p) if they are `halving` or `pow2`, and equal blocks:
 * q*alpha + (p-1)/p*m*(beta + gamma); an allreduce 2q*alpha + (p-1)/p*m*(2*beta + gamma); a
 * reduce q*(alpha + m*beta + m*gamma); an alltoall q*(alpha + m/2*beta) or less, with linear skips
 * q*alpha + (p-1)/p*m*beta. Reached for every p but in alltoalls. Blocks of any sizes are served,
 * but the cost is that of equal ones.
 * Plain copies: none; in place, a reduce-scatter copies its block. Scratch with `halving`: half the
 * vector for an allreduce, three quarters for a reduce-scatter, if blocks are equal (if only one is
 * not empty: all of it, and twice all of it); at most two vectors for a reduce.
 * Restrictions: commutative operators only, since the sum of rank r's block begins with its own. A
 * list of skips serves p only if it decreases from p by no more than half: s(k) <= 2*s(k+1).
 * Source: Träff 2024, Algorithms 1 and 2, and section 2.1 for other skips. There the vector is
 * rotated before and after; here it is not, and a block without a received operand comes from the
 * input. Corollary 2 there requires less of a list, but with 3, 2, 1 at p = 7 contributions are
 * lost.
 */
#include "algorithms/circulant/scatter.h"
#include "algorithms/circulant/skips.h"
#include "algorithms/registry.h"
#include "algorithms/shared/accumulate.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/concatenate.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { SKIPS };                 /* indices of the parameters */

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return call->collective == ANYP_REDUCE ? 1 : call->p;
}

static const char *refusal(const anyp_call *call, const int *parameters)
{
    return anypi_skips_refusal(call->p, parameters[SKIPS]);
}

/* An alltoall's blocks, at most, that a rank sends. R[i] has one block until a round of more than i
 * partial results has come to it. */
static double concatenated_blocks(int p, int skips)
{
    const int rounds = anypi_skips_count(p, skips);
    int longest = 0;
    double blocks = 0;
    for (int k = 1; k <= rounds; k++) {
        const int above = anypi_skip(p, skips, k - 1), skip = anypi_skip(p, skips, k);
        blocks += skip >= longest ? above - skip : anypi_concatenated(p, skip, above);
        longest = anypi_max(longest, above - skip);
    }
    return blocks;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, skips = parameters[SKIPS], rounds = anypi_skips_count(p, skips);
    const double phases = call->collective == ANYP_ALLREDUCE ? 2 : 1;
    double bytes = rounds * anypi_block_bytes(call, p);
    if (call->collective == ANYP_REDUCE)
        return anypi_blocks_cost(call, 1, rounds, rounds);
    if (anypi_transposes(call->collective))
        return (anyp_cost) { .latencies = rounds, .overheads = 2 * rounds,
                             .bytes_sent = concatenated_blocks(p, skips) *
                                 anypi_block_bytes(call, p) };
    if (skips != ANYPI_SKIPS_LINEAR) {
        bytes = 0;
        for (int k = 0; k < rounds; k++)
            bytes += anypi_blocks_bytes(call, anypi_skip(p, skips, k) - anypi_skip(p, skips, k + 1),
                                        p);
    }
    return (anyp_cost) { .latencies = phases * rounds,
                         .bytes_sent = phases * bytes,
                         .bytes_reduced = bytes,
                         .overheads = 2 * phases * rounds };
}

/* ---- reduce and allreduce ---- */

/* The only block is the root's: R[distance] here. */
static void reduce(const anyp_call *call, int skips, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank, distance = anypi_mod(call->root - rank, p);
    int sends = 1, receives = 0;        /* the round that sends it; operands before */
    for (; sends <= anypi_skips_count(p, skips); sends++) {
        const int above = anypi_skip(p, skips, sends - 1), skip = anypi_skip(p, skips, sends);
        if (distance >= skip)
            break;
        receives += distance < above - skip;
    }
    /* in place at the root, the first may have to keep its buffer */
    bool stays = call->in_place && receives % 2 == 1;
    anypi_accumulator sum = anypi_accumulator_begin(call, receives - stays);
    for (int k = 1; k <= anypi_skips_count(p, skips) && k <= sends; k++) {
        const int above = anypi_skip(p, skips, k - 1), skip = anypi_skip(p, skips, k);
        anypi_move move = { .to = -1, .from = -1, .gives = { 0, 1 }, .keeps = { 0, 1 },
                            .left = true, .may_exchange = stays };
        if (k == sends)
            move.to = (rank + skip) % p;
        else if (distance < above - skip)
            move.from = anypi_mod(rank - skip, p);
        else
            continue;
        anypi_accumulate(&sum, &move, schedule);
        stays = false;
    }
    if (distance == 0)
        anypi_accumulator_end(&sum, (anypi_range) { 0, 1 }, schedule);
}

/* The round that goes back from `skip` to `above`. */
static void gather_round(const anyp_call *call, int above, int skip, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank, length = above - skip;
    const int to = anypi_mod(rank - skip, p), from = (rank + skip) % p;
    const int own = anypi_min(length, p - rank);
    const int others = anypi_min(length, p - from);

    anypi_round(schedule);
    anypi_send(schedule, to, anypi_slice(ANYP_OUT, rank, rank + own));
    anypi_send(schedule, to, anypi_slice(ANYP_OUT, 0, length - own));
    anypi_recv(schedule, from, anypi_slice(ANYP_OUT, from, from + others));
    anypi_recv(schedule, from, anypi_slice(ANYP_OUT, 0, length - others));
}

/* ---- alltoall ---- */

typedef struct distances {
    int p, skips;
} distances;

static anypi_hop hop(const void *at, int k)
{
    const distances *its = at;
    if (k >= anypi_skips_count(its->p, its->skips))
        return (anypi_hop) { 0 };
    return (anypi_hop) { .round = k, .first = anypi_skip(its->p, its->skips, k + 1),
                         .end = anypi_skip(its->p, its->skips, k) };
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int p = call->p, skips = parameters[SKIPS];
    if (anypi_transposes(call->collective)) {
        anypi_concatenate(call, NULL, hop, &(distances) { p, skips }, schedule);
        return;
    }
    if (call->collective == ANYP_REDUCE) {
        reduce(call, skips, schedule);
        return;
    }
    anypi_circulant_scatter(call, skips, schedule);
    if (call->collective == ANYP_ALLREDUCE)
        for (int k = anypi_skips_count(p, skips); k > 0; k--)
            gather_round(call, anypi_skip(p, skips, k - 1), anypi_skip(p, skips, k), schedule);
}

const anyp_algorithm_code anypi_circulant_code = {
    .summary = "operators that commute: the fewest rounds and the least volume at any p",
    .source = "Träff 2024, Algorithms 1 and 2",
    .list_fault = anypi_skips_fault,
    .blocks = blocks,
    .refusal = refusal,
    .cost = cost,
    .generate = generate,
};
