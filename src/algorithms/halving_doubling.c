/* SPDX-License-Identifier: BSD-3-Clause
 *
 * halving_doubling - a power of two of ranks halve the vector repeatedly, then double it: large
 * vectors, optimal volume at powers of two.
 *
 * If p is no power of two, the first 2r ranks, r = p - p', form pairs. Both ranks of a pair
 * exchange halves of the vector and reduce. Then one of them, the odd one unless it is the root,
 * returns its half and drops out. The other p' ranks are numbered without gaps. In round z, the
 * ranks whose numbers differ in bit z exchange halves of their slices. Nearest neighbours are
 * first, so that the left operand is always that of the lower ranks. An allreduce doubles in the
 * reverse order, and sends the result to the ranks that dropped out. A reduce sends only towards
 * the root.
 *
 * p = 5, A B C D are quarters; slices of a rank after a round; ranks 0, 2, 3, 4 continue:
 *
 *   round  rank 0           rank 1    rank 2           rank 3           rank 4
 *     1    AB 0+1           CD 0+1
 *     2    CD 0+1           drops out
 *     3    AB 0+1+2                   CD 0+1+2         AB 3+4           CD 3+4
 *     4    A 0+1+2+(3+4)              C 0+1+2+(3+4)    B 0+1+2+(3+4)    D 0+1+2+(3+4)
 *     5    AB                         CD               AB               CD
 *     6    ABCD                       ABCD             ABCD             ABCD
 *     7                     ABCD
 *
 * A slice has at least one element: if count < p', only h = floor(log2 count) rounds halve, and the
 * other rounds exchange whole slices. In a reduce-scatter, the last slice of a rank is its own
 * block, and perhaps that of a rank that dropped out. So a rank first copies the vector to scratch,
 * block by block, in the order of the last slices.
 *
 * Cost with L = log2 p' and h = L, if p is no power of two:
 *   allreduce (2L + 3)*alpha + (4 - 2/p')m*beta + (1.5 - 1/p')m*gamma, a reduce alpha + m*beta
 *   less; at powers of two 2L*alpha + 2m(1-1/p)*beta + m(1-1/p)*gamma for both. Reached for every p
 *   if p' divides the count.
 *   reduce-scatter with n(z) = 2^(L-z) + ceil(r/2^z) blocks after z rounds, N = n(1) + ... + n(L):
 *   (L + 3)*alpha + (2n(1) + 1 + N)m/p*beta + (n(1) + N)m/p*gamma, with p for 2n(1) if r = 1; at
 *   powers of two L*alpha + N*m/p*(beta + gamma). Reached for every p if p divides the count.
 * Plain copies: none in an allreduce or reduce if the operator commutes (and h > 0); else half the
 * vector, where a rank's input is the right operand, or in place a last slice. A reduce-scatter
 * copies the vector and a block. Scratch: half the vector, or all of it if p is no power of two and
 * the operator does not commute or h < L; that and the vector where OUT cannot have it (reduce,
 * reduce-scatter).
 * Restrictions: none, any p and operator; all elements are bracketed alike.
 * Source: Rabenseifner 2004, section 3.5. There the even rank of a pair always has the first half;
 * here, if its number is odd, the second, which it keeps in round 0. The paper has no
 * reduce-scatter.
 */
#include "algorithms/registry.h"
#include "algorithms/shared/accumulate.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/halved.h"
#include "algorithms/shared/pairs.h"

#include "schedule/schedule.h"
#include "schedule/collectives.h"

/* One rank's part. */
typedef struct halving {
    const anyp_call *call;
    anypi_pairs pairs;
    int rounds;                 /* of the ranks that continue */
    int halvings;               /* the first rounds that halve; the others exchange whole
                                 * slices */
    int doubled;                /* number of last slices with two blocks: the rank's and its
                                 * partner's */
    int blocks;                 /* of the vector: all last slices together */
    int partner;                /* in the rank's pair, or -1 */
    int number;                 /* the rank's, or its partner's */
    bool drops_out;
    anypi_range mine, others;   /* the halves that the two ranks of a pair reduce: the one that
                                 * continues has the half that its number keeps in round 0, which
                                 * saves scratch */
} halving;

/* The part of call->rank. A slice has at least one element, or in a reduce-scatter one block. */
static halving halving_of(const anyp_call *call)
{
    const bool scatters = anypi_scatters(call);
    const int rounds = anypi_log2_floor((unsigned) call->p);
    int h = 0;
    while (h < rounds && (scatters || call->count >= (int64_t) 2 << h))
        h++;

    halving here = { .call = call, .rounds = rounds, .halvings = h };
    here.pairs = anypi_pairs_of(call->p, call->collective == ANYP_REDUCE ? call->root : -1);
    here.doubled = scatters ? here.pairs.dropped : 0;
    here.blocks = scatters ? call->p : 1 << h;
    here.partner = anypi_pairs_partner(&here.pairs, call->rank);
    here.number = anypi_pairs_number(&here.pairs, call->rank);
    here.drops_out = anypi_pairs_drops_out(&here.pairs, call->rank);
    const anypi_range lower = { 0, here.blocks - here.blocks / 2 };
    const anypi_range upper = { lower.end, here.blocks };
    const bool lower_goes_on = here.number % 2 == 0 || here.blocks == 1;
    const bool is_lower = lower_goes_on != here.drops_out;
    here.mine = is_lower ? lower : upper;
    here.others = is_lower ? upper : lower;
    return here;
}

/* The slice of a number when z rounds have halved. */
static anypi_range slice_of(const halving *here, int number, int z)
{
    return anypi_halved_slice(here->halvings, here->doubled, number, z);
}

/* The round in which a pair exchanges its halves. */
static anypi_move fold_move(const halving *here)
{
    return (anypi_move) { .to = here->partner, .from = here->partner,
                          .gives = here->others, .keeps = here->mine,
                          .left = here->call->rank % 2 == 0,
                          .may_exchange = here->call->commutative };
}

/* Round z of a rank that continues. Where whole slices are exchanged in a reduce, only the root's
 * half of the ranks receives. */
static anypi_move exchange_move(const halving *here, int z)
{
    const int other = here->number ^ 1 << z, peer = anypi_pairs_rank(&here->pairs, other);
    const bool halves = z < here->halvings;
    const int after = halves ? z + 1 : here->halvings;
    anypi_move move = { .to = peer, .from = peer,
                        .gives = slice_of(here, other, after),
                        .keeps = slice_of(here, here->number, after),
                        .left = here->number < other,
                        .may_exchange = halves && here->call->commutative };
    if (here->call->collective == ANYP_REDUCE && !halves) {
        const int root = anypi_pairs_number(&here->pairs, here->call->root);
        *((root ^ here->number) >> z & 1 ? &move.from : &move.to) = -1;
    }
    return move;
}

/* A reduce-scatter's blocks in the order of the last slices: order[k] is the rank that gets the
 * k-th of them. */
static void order_blocks(const halving *here, int *order)
{
    /* the first round halved first: numbers in bit-reversed order */
    for (int i = 0, number = 0; i < here->blocks;
         number = anypi_next_reversed(number, here->rounds)) {
        order[i++] = anypi_pairs_rank(&here->pairs, number);
        if (number < here->doubled)
            order[i++] = anypi_pairs_rank(&here->pairs, number) + 1;
    }
}

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return halving_of(call).blocks;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    const halving here = halving_of(call);
    const bool scatters = anypi_scatters(call), reduces = call->collective == ANYP_REDUCE;
    const bool folds = here.pairs.dropped > 0;
    const double whole = anypi_block_bytes(call, 1), block = anypi_block_bytes(call, call->p);
    const double half = scatters ? (call->p - call->p / 2) * block
        : anypi_block_bytes(call, here.halvings > 0 ? 2 : 1);
    double reduced = 0, doubled = 0;
    for (int z = 1; z <= here.rounds; z++) {
        const double slice = scatters ?
            anypi_halved_blocks(here.halvings, here.doubled, 0, z) * block
            : anypi_block_bytes(call, 1 << (z < here.halvings ? z : here.halvings));
        reduced += slice;
        doubled += z <= here.halvings && !scatters ? slice : 0;
    }
    anyp_cost cost = { .latencies = here.rounds + (scatters ? 0 : here.halvings),
                       .bytes_sent = reduced + doubled,
                       .bytes_reduced = reduced };
    if (folds) {
        const bool returns = here.halvings > 0;
        /* the second pair, of number 1, returns the lower half */
        const double returned = !scatters || here.pairs.dropped > 1 ? half : call->p / 2 * block;
        cost.latencies += 1 + returns + !reduces;
        cost.bytes_sent += half + returns * returned;
        cost.bytes_sent += reduces ? 0 : scatters ? block : whole;
        cost.bytes_reduced += half;
    }
    cost.overheads = 2 * cost.latencies;
    return cost;
}

/* A rank that dropped out gets its result from its partner. */
static void feed(const halving *here, anyp_slice from, anyp_slice to, anyp_schedule *schedule)
{
    anypi_round(schedule);
    if (here->drops_out)
        anypi_recv(schedule, here->partner, to);
    else if (here->partner >= 0)
        anypi_send(schedule, here->partner, from);
}

/* Reduce-scatter: the blocks of a last slice are the rank's and that of the partner that dropped
 * out. */
static void deliver(const halving *here, int buffer, anyp_schedule *schedule)
{
    const int rank = here->call->rank;
    const anyp_slice result = anypi_block(ANYP_OUT, rank);
    const anypi_range last = slice_of(here, here->number, here->rounds);
    if (!here->drops_out)
        anypi_copy(schedule, anypi_block(buffer, last.first), result);
    feed(here, anypi_slice(buffer, last.first + 1, last.end), result, schedule);
}

/* The rounds that halved in reverse order, with the result; in a reduce only towards the root. */
static void double_back(const halving *here, int buffer, anyp_schedule *schedule)
{
    const int root = anypi_pairs_number(&here->pairs, here->call->root);
    const bool all = here->call->collective == ANYP_ALLREDUCE;
    const int way = all ? 0 : here->number ^ root;
    if (way >> here->halvings)
        return;                 /* another rank has the same slice */
    for (int z = here->halvings - 1; z >= 0; z--) {
        const anypi_move move = exchange_move(here, z);
        anypi_round(schedule);
        if (all || way >> z)
            anypi_send(schedule, move.to, anypi_part(buffer, move.keeps));
        if (way >> z)
            return;
        anypi_recv(schedule, move.from, anypi_part(buffer, move.gives));
    }
}

/* All moves, and after the first one, if it is that of a pair, the return of the partner's half. */
static void reduce(const halving *here, anypi_accumulator *sum,
                   const anypi_move *moves, int count, anyp_schedule *schedule)
{
    for (int i = 0; i < count; i++) {
        anypi_accumulate(sum, &moves[i], schedule);
        if (i > 0 || here->partner < 0)
            continue;
        anypi_round(schedule);
        if (here->drops_out)
            anypi_send(schedule, here->partner, anypi_part(sum->at, here->mine));
        else
            anypi_recv(schedule, here->partner, anypi_part(sum->at, here->others));
    }
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    (void) parameters;
    const halving here = halving_of(call);
    if (anypi_scatters(call) && call->p == 1) {
        anypi_copy(schedule, anypi_block(ANYP_IN, 0), anypi_block(ANYP_OUT, 0));
        return;
    }
    anypi_move moves[32];
    int count = 0, changes = 0;
    if (here.partner >= 0)
        moves[count++] = fold_move(&here);
    for (int z = 0; z < here.rounds && !here.drops_out; z++) {
        moves[count++] = exchange_move(&here, z);
        if (moves[count - 1].from < 0)
            break;              /* the root is on the other side */
    }
    for (int i = 0; i < count; i++)
        changes += anypi_must_change(&moves[i]);

    anypi_accumulator sum = anypi_accumulator_begin(call, changes);
    if (anypi_scatters(call)) {
        int *order = anypi_schedule_order(schedule);
        if (!order)
            return;
        order_blocks(&here, order);
        anypi_accumulator_pack(&sum, schedule);
    }
    reduce(&here, &sum, moves, count, schedule);
    if (anypi_scatters(call)) {
        deliver(&here, sum.at, schedule);
        return;
    }
    if (!here.drops_out) {
        if (sum.result == ANYP_OUT)
            anypi_accumulator_end(&sum, slice_of(&here, here.number, here.halvings),
                                  schedule);
        double_back(&here, sum.at, schedule);
    }
    const anyp_slice whole = anypi_slice(ANYP_OUT, 0, here.blocks);
    if (call->collective == ANYP_ALLREDUCE)
        feed(&here, whole, whole, schedule);
}

const anyp_algorithm_code anypi_halving_doubling_code = {
    .summary = "large vectors: the least volume at powers of two, any operator",
    .source = "Rabenseifner 2004, section 3.5",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
