/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binary_blocks - ranks form blocks of powers of two, and each block runs a plain butterfly.
 *
 * The ranks form blocks of 2^e(1) > 2^e(2) > ... > 2^e(k) neighbours, the largest block first. Each
 * block runs its own reduce-scatter, by halving, with the nearest partners first. Then each rank of
 * the smallest block cuts its part into the slices of the next larger block and sends them there.
 * The larger block adds these slices as right operands, at most a round after its own halving. Then
 * it does the same with the block before it, up to the largest block. An allreduce sends the result
 * back in the reverse order.
 *
 * p = 7, blocks of 4, 2 and 1 ranks, A B C D are the quarters of the vector; what a rank has:
 *
 *   time   rank 0        rank 1        rank 2        rank 3        rank 4        rank 5      rank 6
 *     1    AB 0+1        CD 0+1        AB 2+3        CD 2+3        AB 4+5        CD 4+5
 *     2    A 0+1+(2+3)   C ...         B ...         D ...         AB 4+5+(6)    CD ...
 *     3    A ... +(4-6)  C ...         B ...         D ...
 *     4                                                            A and B       C and D
 *     5    A B           C D           A B           C D                                     A to D
 *     6    A to D        A to D        A to D        A to D        A to D        A to D
 *
 * Reduce: the largest block gathers, and each round halves the number of ranks that hold a slice.
 * If the root is outside the largest block, as rank 2^e(1) + x, it replaces rank x. It runs x's
 * last reduction: the left operand comes from x, and the right one from the second block (or is
 * there already, if the root is in that block). Compared with root 0, this takes no more time, and
 * one more message only if the root is in the third or a later block.
 * Reduce-scatter: rank 2^e(1) + x does the same for its own block, which x's slice contains. So
 * every block is at its rank after q = ceil(log2 p) rounds, for any p and any sizes of blocks.
 *
 * Cost of the reduction for k > 1 (for k = 1 that of the butterfly), s(i) = 2^-e(i):
 *   q*alpha + (1 - s(k-1) + s(2) + ... + s(k))m*beta + (1 + s(1) + ... + s(k-2))m*gamma;
 * an allreduce takes 2q*alpha and twice the beta, a reduce e(1)*alpha + (1 - s(1))m*beta more.
 * Reached with any one of the three if 2^e(1) divides the count (a reduce at p = 2^e(1) + 1 to the
 * last rank takes less). A rank sends 2^(e(i-1) - e(i)) messages in one round: they take one alpha,
 * and an overhead each.
 * If ports handle messages one at a time with an alpha each, the reduction takes T(1) of them,
 * T(k) = e(k), T(i) = max(e(i), T(i+1)) + 2^(e(i) - e(i+1)): it grows with the largest difference
 * of exponents. A reduce-scatter costs at most the reduction with the vector in p blocks.
 * Plain copies: none if the operator commutes; else half the vector (an input as right operand) or,
 * in place, a rank's last slice. A reduce-scatter copies the vector and one block of the result.
 * Scratch: half the vector in an allreduce, all in a reduce, one and a half in a reduce-scatter.
 * Restrictions: none, any p and operator; all elements are bracketed alike.
 * Source: Rabenseifner 2004, section 3.6. There no formula is given, and a root outside of the
 * largest block gets the result of rank 0 by one more message.
 */
#include "algorithms/registry.h"
#include "algorithms/shared/accumulate.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/halved.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/collectives.h"

/* A block of ranks is known by its exponent, a rank in it by its position. Ranks of one block whose
 * positions are equal mod 2^z hold the same slice after z halvings. The highest bit in which p and
 * a rank differ is the exponent of the rank's block. Halving uses the bits of positions from the
 * lowest on, so the slices of the largest block are in the bit-reversed order of positions. */
typedef struct location {
    const anyp_call *call;
    int largest;                /* the exponent of the first block */
    int own, position;          /* the exponent of the rank's block, and the position in it */
    int larger, smaller;        /* the exponents of the blocks before and after; -1: none */
} location;

/* The binary digits of n that are 1. */
static int ones_of(int n)
{
    int ones = 0;
    for (; n > 0; n &= n - 1)
        ones++;
    return ones;
}

static location location_of(const anyp_call *call)
{
    const unsigned p = (unsigned) call->p;
    const int own = anypi_log2_floor(p ^ (unsigned) call->rank);
    const unsigned before = p >> own >> 1, behind = p & ((1u << own) - 1);
    return (location) { .call = call,
                     .largest = anypi_log2_floor(p),
                     .own = own,
                     .position = call->rank & ((1 << own) - 1),
                     .larger = before ? own + 1 + anypi_log2_floor(before & -before) : -1,
                     .smaller = behind ? anypi_log2_floor(behind) : -1 };
}

/* The rank at a position of a block. */
static int rank_at(const location *here, int exponent, int position)
{
    return (here->call->p >> exponent & ~1) << exponent | position;
}

/* The rank of the smaller block whose part contains this rank's slice. */
static int rank_behind(const location *here)
{
    return rank_at(here, here->smaller, here->position & ((1 << here->smaller) - 1));
}

/* The deputy of rank x of the largest block, which does the last reduction of a part of x's slice
 * in its place; or -1. In a reduce-scatter all ranks outside of that block are deputies, in a
 * reduce only a root is. */
static int deputy_of(const location *here, int x)
{
    const anyp_call *call = here->call;
    const int deputy = (1 << here->largest) + x;
    const bool is = anypi_scatters(call) ? deputy < call->p :
        call->collective == ANYP_REDUCE && deputy == call->root;
    return is ? deputy : -1;
}

/* The slice of a position after z halvings. The vector has 2^largest blocks; but in a reduce-
 * scatter it has p, and each last slice is the rank's own and then its deputy's, if it has one. */
static anypi_range slice_of(const location *here, int position, int z)
{
    const int deputies = anypi_scatters(here->call) ? here->call->p - (1 << here->largest) : 0;
    return anypi_halved_slice(here->largest, deputies, position, z);
}

/* The blocks that rank x of the largest block reduces last; those of its deputy follow. */
static anypi_range kept_by(const location *here, int x)
{
    const anypi_range slice = slice_of(here, x, here->largest);
    if (deputy_of(here, x) < 0)
        return slice;
    return (anypi_range) { slice.first, slice.first + anypi_scatters(here->call) };
}

static anypi_range given_by(const location *here, int x)
{
    return (anypi_range) { kept_by(here, x).end, slice_of(here, x, here->largest).end };
}

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return anypi_scatters(call) ? call->p : 1 << anypi_log2_floor((unsigned) call->p);
}

/* The maximum bytes of a slice after z halvings. */
static double maximum_bytes(const anyp_call *call, int z)
{
    const bool scatters = anypi_scatters(call);
    const int largest = anypi_log2_floor((unsigned) call->p);
    const int each = scatters ? anypi_halved_blocks(largest, call->p - (1 << largest), 0, z) : 1;
    return each * anypi_block_bytes(call, scatters ? call->p : 1 << z);
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    anyp_cost cost = { 0 };     /* of the blocks so far, from the smallest */
    double halved = 0;          /* bytes of e halvings */
    int before = -1, e = 0;
    for (; call->p >> e; e++) {
        if (e > 0)
            halved += maximum_bytes(call, e);
        if (!(call->p >> e & 1))
            continue;
        cost.latencies = anypi_fmax(cost.latencies, e);
        cost.bytes_sent = anypi_fmax(cost.bytes_sent, halved);
        cost.bytes_reduced = anypi_fmax(cost.bytes_reduced, halved);
        cost.overheads = anypi_fmax(cost.overheads, 2 * e);
        if (before >= 0) {
            cost.latencies++;
            cost.bytes_sent += maximum_bytes(call, before);
            cost.bytes_reduced += maximum_bytes(call, e);
            cost.overheads += 2 << (e - before);
        }
        before = e;
    }
    if (anypi_scatters(call) && ones_of(call->p) > 2)
        cost.overheads += 2;    /* the second block has one more block of the third's */
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

/* The rank's own block reduce-scatters. */
static void halve(const location *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    for (int z = 0; z < here->own; z++) {
        const int partner = here->position ^ 1 << z;
        const int peer = rank_at(here, here->own, partner);
        const anypi_move move = { .to = peer, .from = peer,
                                  .gives = slice_of(here, partner, z + 1),
                                  .keeps = slice_of(here, here->position, z + 1),
                                  .left = partner > here->position,
                                  .may_exchange = here->call->commutative };
        anypi_accumulate(sum, &move, schedule);
    }
}

/* Adds the part of the smaller block; a deputy gets its left operand. */
static void take_in(const location *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    anypi_move move = { .to = -1,
                        .from = rank_behind(here),
                        .keeps = slice_of(here, here->position, here->own),
                        .left = true,
                        .may_exchange = here->call->commutative };
    if (here->own == here->largest) {
        move.to = deputy_of(here, here->position);
        move.gives = given_by(here, here->position);
        move.keeps = kept_by(here, here->position);
    }
    anypi_accumulate(sum, &move, schedule);
}

/* Sends the rank's part to the larger block. */
static void hand_on(const location *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    const int rank = here->call->rank, x = rank - (1 << here->largest);
    const bool last = here->larger == here->largest;
    anypi_round(schedule);
    for (int to = here->position; to < 1 << here->larger; to += 1 << here->own) {
        const int deputy = last ? deputy_of(here, to) : -1;
        const anypi_range slice = last ? kept_by(here, to) : slice_of(here, to, here->larger);
        anypi_send(schedule, rank_at(here, here->larger, to), anypi_part(sum->at, slice));
        if (deputy >= 0 && deputy != rank)
            anypi_send(schedule, deputy, anypi_part(sum->at, given_by(here, to)));
    }
    if (deputy_of(here, x) != rank)
        return;
    const anypi_range part = given_by(here, x);
    if (last) {
        const anypi_move move = { .to = -1, .from = x, .keeps = part, .left = false,
                                  .may_exchange = here->call->commutative };
        anypi_accumulate_here(sum, &move, schedule);
        return;
    }
    /* the right operand comes from the block before the largest */
    const int second = anypi_log2_floor((unsigned) here->call->p ^ (1u << here->largest));
    const anyp_slice result = anypi_scatters(here->call) ? anypi_block(ANYP_OUT, rank) :
        anypi_part(ANYP_OUT, part);
    anypi_round(schedule);
    anypi_recv(schedule, x, anypi_part(sum->temporary, part));
    anypi_recv(schedule, rank_at(here, second, x & ((1 << second) - 1)), result);
    anypi_reduce(schedule, anypi_part(sum->temporary, part), result);
    sum->at = ANYP_OUT;
}

/* Reduces, until ranks of the largest block and deputies have their parts of the result: kept_by()
 * and given_by(). */
static void reduce(const location *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    halve(here, sum, schedule);
    if (here->smaller >= 0)
        take_in(here, sum, schedule);
    if (here->larger >= 0)
        hand_on(here, sum, schedule);
}

/* Allreduce: the largest block has the result in slices; each block sends it to the next smaller
 * one and gathers. */
static void spread(const location *here, anyp_schedule *schedule)
{
    anypi_round(schedule);
    if (here->larger >= 0)
        for (int x = here->position; x < 1 << here->larger; x += 1 << here->own)
            anypi_recv(schedule, rank_at(here, here->larger, x),
                       anypi_part(ANYP_OUT, slice_of(here, x, here->larger)));
    anypi_round(schedule);
    if (here->smaller >= 0)
        anypi_send(schedule, rank_behind(here),
                   anypi_part(ANYP_OUT, slice_of(here, here->position, here->own)));
    for (int z = here->own - 1; z >= 0; z--) {
        const int partner = here->position ^ 1 << z;
        const int peer = rank_at(here, here->own, partner);
        const anypi_range own = slice_of(here, here->position, z + 1);
        anypi_round(schedule);
        anypi_send(schedule, peer, anypi_part(ANYP_OUT, own));
        anypi_recv(schedule, peer, anypi_part(ANYP_OUT, slice_of(here, partner, z + 1)));
    }
}

/* Reduce: the largest block gathers, where the root replaces the rank whose deputy it is. */
static void gather(const location *here, int buffer, anyp_schedule *schedule)
{
    const int root = here->call->root, power = 1 << here->largest;
    const int goal = root & (power - 1), rank = here->call->rank;
    if (rank != root && (rank >= power || rank == goal))
        return;
    const int position = rank & (power - 1);
    for (int z = here->largest - 1; z >= 0; z--) {
        const int partner = position ^ 1 << z, peer = partner == goal ? root : partner;
        const anypi_range own = slice_of(here, position, z + 1);
        anypi_round(schedule);
        if ((position ^ goal) >> z) {
            anypi_send(schedule, peer, anypi_part(buffer, own));
            return;
        }
        anypi_recv(schedule, peer, anypi_part(buffer, slice_of(here, partner, z + 1)));
    }
}

/* Copies the vector to scratch, slice by slice. */
static void scatter(const location *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    int *order = anypi_schedule_order(schedule);
    if (!order)
        return;
    for (int i = 0, x = 0; i < here->call->p; x = anypi_next_reversed(x, here->largest)) {
        order[i++] = x;
        if (deputy_of(here, x) >= 0)
            order[i++] = deputy_of(here, x);
    }
    anypi_accumulator_pack(sum, schedule);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    (void) parameters;
    const location here = location_of(call);
    const int lefts = here.own - ones_of(here.position);
    anypi_accumulator sum =
        anypi_accumulator_begin(call, call->commutative ? 0 : lefts + (here.smaller >= 0));
    if (anypi_scatters(call) && call->p > 1)
        scatter(&here, &sum, schedule);
    reduce(&here, &sum, schedule);

    /* the rank of the largest block that this rank is, or is the deputy of */
    const int x = call->rank & ((1 << here.largest) - 1);
    const anypi_range last = here.larger < 0 ? kept_by(&here, x) : given_by(&here, x);
    if (anypi_scatters(call)) {
        if (sum.at != ANYP_OUT)
            anypi_copy(schedule, anypi_part(sum.at, last), anypi_block(ANYP_OUT, call->rank));
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
    .summary = "large vectors if p is a sum of few powers of two that differ little",
    .source = "Rabenseifner 2004, section 3.6",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
