/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binary_blocks - p is a sum of powers of two, so that every rank lies in a plain butterfly.
 *
 * The ranks form blocks of 2^e(1) > 2^e(2) > ... > 2^e(k) neighbours, the largest first. Each
 * reduce-scatters for itself, by halving, with the nearest partners first. Then the smallest one
 * cuts what each of its ranks holds into the slices of the next larger one, which takes them in as
 * right operands; it is no later with that than a round after its own halving, and does the same
 * with the one before it, up to the largest. An allreduce goes the same way back.
 *
 * p = 7, blocks of 4, 2 and 1 ranks, A B C D are the quarters of the vector; what a rank gets to:
 *
 *   time   rank 0        rank 1        rank 2        rank 3        rank 4        rank 5      rank 6
 *     1    AB 0+1        CD 0+1        AB 2+3        CD 2+3        AB 4+5        CD 4+5
 *     2    A 0+1+(2+3)   C ...         B ...         D ...         AB 4+5+(6)    CD ...
 *     3    A ... +(4-6)  C ...         B ...         D ...
 *     4                                                            A and B       C and D
 *     5    A B           C D           A B           C D                                     A to D
 *     6    A to D        A to D        A to D        A to D        A to D        A to D
 *
 * Reduce: the largest block gathers, and each round halves the number of those that hold something.
 * A root outside of it, rank 2^e(1) + x, takes the place of rank x: it does x's last reduction, and
 * gets the left operand from x and the right one from the second block (or has it, if it lies in
 * there). That is no message more than for root 0, or one if it lies further on, and no time.
 * Reduce-scatter: rank 2^e(1) + x does so for its own block, which x's slice contains. So all is
 * where it should be after q = ceil(log2 p) rounds at any p and for any sizes of blocks.
 *
 * Cost of the reduction for k > 1 (for k = 1 that of the butterfly), s(i) = 2^-e(i):
 *   q*alpha + (1 - s(k-1) + s(2) + ... + s(k))m*beta + (1 + s(1) + ... + s(k-2))m*gamma;
 * an allreduce takes 2q*alpha and twice the beta, a reduce e(1)*alpha + (1 - s(1))m*beta more.
 * Reached with any one of the three if 2^e(1) divides the count (a reduce at p = 2^e(1) + 1 to the
 * last rank takes less). A rank sends 2^(e(i-1) - e(i)) messages in one round: they take one alpha,
 * and an overhead each.
 * If ports take messages one at a time with an alpha each, the reduction takes T(1) of them,
 * T(k) = e(k), T(i) = max(e(i), T(i+1)) + 2^(e(i) - e(i+1)): it grows with the largest difference
 * of exponents. A reduce-scatter costs at most the reduction with the vector in p blocks.
 * Plain copies: none if the operator commutes; else half the vector (an input as right operand) or,
 * in place, a rank's last slice. A reduce-scatter copies the vector and one block of the result.
 * Scratch: half the vector in an allreduce, all in a reduce, one and a half in a reduce-scatter.
 * Restrictions: none, any p and operator; all elements are bracketed alike.
 * Source: Rabenseifner 2004, section 3.6. There no formula is given, and a root outside of the
 * largest block gets the finished slice of rank 0 by one more message.
 */
#include "algorithms/binary.h"
#include "algorithms/halved.h"
#include "algorithms/registry.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return anypi_scatters(call) ? call->p : 1 << anypi_log2_floor((unsigned) call->p);
}

/* The most that a slice has after z halvings. */
static double most_bytes(const anyp_call *call, int z)
{
    const bool scatters = anypi_scatters(call);
    const int largest = anypi_log2_floor((unsigned) call->p);
    const int64_t parts = scatters ? call->p : (int64_t) 1 << z;
    const int64_t most = call->count / parts + (call->count % parts > 0);
    const int each = scatters ? anypi_halved_blocks(largest, call->p - (1 << largest), 0, z) : 1;
    return (double) most * (double) call->type_size * each;
}

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    anyp_cost cost = { 0 };     /* of the blocks that have been looked at, from the smallest */
    double halved = 0;          /* bytes of e halvings */
    int before = -1, e = 0;
    for (; call->p >> e; e++) {
        if (e > 0)
            halved += most_bytes(call, e);
        if (!(call->p >> e & 1))
            continue;
        cost.latencies = larger_of(cost.latencies, e);
        cost.bytes_sent = larger_of(cost.bytes_sent, halved);
        cost.bytes_reduced = larger_of(cost.bytes_reduced, halved);
        cost.overheads = larger_of(cost.overheads, 2 * e);
        if (before >= 0) {
            cost.latencies++;
            cost.bytes_sent += most_bytes(call, before);
            cost.bytes_reduced += most_bytes(call, e);
            cost.overheads += 2 << (e - before);
        }
        before = e;
    }
    if (anypi_scatters(call) && __builtin_popcount((unsigned) call->p) > 2)
        cost.overheads += 2;    /* the second block has another block of the third one's */
    if (call->collective == ANYP_ALLREDUCE) {
        cost.latencies *= 2;
        cost.bytes_sent *= 2;
        cost.overheads *= 2;
    } else if (call->collective == ANYP_REDUCE) {
        cost.latencies += before;
        cost.bytes_sent += halved;
        cost.overheads += 2 * before;
    }
    return cost;
}

/* Allreduce: the largest block has the result in slices; each block feeds the next smaller one and
 * gathers. */
static void spread(const anypi_binary_place *here, anyp_schedule *schedule)
{
    anypi_round(schedule);
    if (here->larger >= 0)
        for (int x = here->position; x < 1 << here->larger; x += 1 << here->own)
            anypi_recv(schedule, anypi_binary_rank(here, here->larger, x),
                       anypi_part(ANYP_OUT, anypi_binary_slice(here, x, here->larger)));
    anypi_round(schedule);
    if (here->smaller >= 0)
        anypi_send(schedule, anypi_binary_behind(here),
                   anypi_part(ANYP_OUT, anypi_binary_slice(here, here->position, here->own)));
    for (int z = here->own - 1; z >= 0; z--) {
        const int partner = here->position ^ 1 << z;
        const int peer = anypi_binary_rank(here, here->own, partner);
        const anypi_range own = anypi_binary_slice(here, here->position, z + 1);
        anypi_round(schedule);
        anypi_send(schedule, peer, anypi_part(ANYP_OUT, own));
        anypi_recv(schedule, peer, anypi_part(ANYP_OUT, anypi_binary_slice(here, partner, z + 1)));
    }
}

/* Reduce: the largest block, with the root in the place of the rank whose deputy it is, gathers. */
static void gather(const anypi_binary_place *here, int buffer, anyp_schedule *schedule)
{
    const int root = here->call->root, power = 1 << here->largest;
    const int goal = root & (power - 1), rank = here->call->rank;
    if (rank != root && (rank >= power || rank == goal))
        return;
    const int position = rank & (power - 1);
    for (int z = here->largest - 1; z >= 0; z--) {
        const int partner = position ^ 1 << z, peer = partner == goal ? root : partner;
        const anypi_range own = anypi_binary_slice(here, position, z + 1);
        anypi_round(schedule);
        if ((position ^ goal) >> z) {
            anypi_send(schedule, peer, anypi_part(buffer, own));
            return;
        }
        anypi_recv(schedule, peer, anypi_part(buffer, anypi_binary_slice(here, partner, z + 1)));
    }
}

/* The vector goes to scratch, slice by slice. */
static void scatter(const anypi_binary_place *here, anypi_accumulator *sum,
                    anyp_schedule *schedule)
{
    int *order = anypi_schedule_order(schedule);
    if (!order)
        return;
    for (int i = 0, x = 0; i < here->call->p; x = anypi_next_reversed(x, here->largest)) {
        order[i++] = x;
        if (anypi_binary_deputy(here, x) >= 0)
            order[i++] = anypi_binary_deputy(here, x);
    }
    anypi_accumulator_pack(sum, schedule);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    (void) parameters;
    const anypi_binary_place here = anypi_binary_place_of(call);
    const int lefts = here.own - __builtin_popcount((unsigned) here.position);
    anypi_accumulator sum =
        anypi_accumulator_begin(call, call->commutative ? 0 : lefts + (here.smaller >= 0));
    if (anypi_scatters(call) && call->p > 1)
        scatter(&here, &sum, schedule);
    anypi_binary_reduce(&here, &sum, schedule);

    /* the slice of the rank of the largest block that it is, or that it is deputy of */
    const int x = call->rank & ((1 << here.largest) - 1);
    const anypi_range last =
        here.larger < 0 ? anypi_binary_kept(&here, x) : anypi_binary_given(&here, x);
    if (anypi_scatters(call)) {
        if (sum.at != ANYP_OUT)
            anypi_copy(schedule, anypi_part(sum.at, last),
                       anypi_slice(ANYP_OUT, call->rank, call->rank + 1));
    } else if (call->collective == ANYP_ALLREDUCE) {
        if (here.larger < 0)
            anypi_accumulator_end(&sum, last, schedule);
        spread(&here, schedule);
    } else {
        if (call->rank == call->root)
            anypi_accumulator_end(&sum, last, schedule);
        gather(&here, sum.at, schedule);
    }
}

const anyp_algorithm_code anypi_binary_blocks_code = {
    .summary = "large vectors where p is a sum of few powers of two, near to each other",
    .source = "Rabenseifner 2004, section 3.6",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
