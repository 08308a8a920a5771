/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly - neighbouring groups of ranks join, two by two, until one group is left.
 *
 * Before round z there are floor(p / 2^z) groups of 2^z active ranks. Ranks at the same position of
 * their groups hold the same slice. In round z, groups join in pairs: each rank exchanges with the
 * rank at its position in the other group. If the number of groups is odd, the three leftmost
 * groups become one by a 3-2 elimination, and the ranks of one of them drop out. The first h rounds
 * halve the slice, so that large vectors cost little per byte. The other rounds exchange the whole
 * slice, so that small vectors need few rounds. Then the halvings are mirrored, so that all ranks,
 * or the root, receive the vector. The left operand is always that of the lower ranks.
 *
 * p = 5, both rounds halve (h = 2), A B C D are the quarters of the vector; slices of a rank:
 *
 *   time    rank 0            rank 1         rank 2         rank 3       rank 4
 *     1       .               CD 1+2         AB 1+2         AB 3+4       CD 3+4
 *     2     AB 0+(1+2)        CD 0+(1+2)     drops out        .            .
 *     3     A 0+(1+2)+(3+4)   C ...            .            B ...        D ...
 *     4     AB                CD               .            AB           CD
 *     5     ABCD                .            AB             ABCD         ABCD
 *     6       .               ABCD           ABCD             .            .
 *
 * Rank 0 is idle at time 1, and one round late from then on. The late group is always the leftmost.
 * A 3-2 elimination needs the leftmost group one round later in any case, so delays do not add up.
 * Ranks that dropped out without halving receive their slice in one round between the phases, from
 * the rank that received their vector. That rank is never in the leftmost group at the end of the
 * halving, whose mirrored rounds begin one round later.
 *
 * This is odd=overlap. With p = 2^n * odd, the other values differ after n rounds. odd=fold
 * eliminates as in fold.c, at the same cost. odd=ring joins r groups at a time, as in ring_step.c,
 * for each prime factor r <= ring_max of p, the smallest first, and then continues as overlap.
 *
 * Cost with L = floor(log2 p), p = 2^n * odd: w(z) = m / 2^min(z,h) is a slice after z rounds,
 * W = w(1) + ... + w(L), and E = w(n+1) if p is no power of two, else 0:
 *   (L + h)*alpha + (W + w(1) + ... + w(h) + 2E)*beta + (W + E)*gamma, and 2*alpha more if E > 0.
 * Reached with any one of the three for every p and h if 2^h divides the count. For odd p that is
 * q+1 rounds and q*m*gamma at h = 0, 2q rounds and 2(1.5 - 1/p')m*beta at h = L.
 * A ring of r, w being the slice after it, adds r-1 rounds and (r-1)(w*beta + w*gamma) if it halves
 * (in r parts), and as it is routed ceil(log2 r) rounds and (r-1)w*beta; else ceil(log2 r)
 * rounds and (r-1)(w*beta + w*gamma). Reached as well; for p a prime: q+p-1 rounds, 2(1 -
 * 1/p)m*beta and (1 - 1/p)m*gamma, or q rounds and (p-1)m*(beta + gamma). E is then a slice
 * after the rings. Reduce sends of this only what is on a path to the root, so the same is an
 * upper bound; it is reached for powers of two.
 * Plain copies: none if the operator commutes and the first round halves. Else the slice of a
 * rank's first round if it is the right operand there (not in place), or the last slice (in place).
 * Scratch: the slice of the first round, twice where there is no OUT, and r-2 or r-1 slices for the
 * longest ring; a reduce by a ring of five or more in its first round needs up to a vector more.
 *
 * A reduce-scatter always halves, for any threshold: slices are sets of blocks, which are adjacent
 * in scratch. A rank that drops out leaves its block to the second rank of its elimination, and
 * receives it in one last round. So there are log2 p rounds for powers of two, else q+1. With
 * blocks b of equal size, w(z) = floor(p / 2^z) * b (+ b for z > n if p is no power of two) and W
 * and E as above:
 *   (W + E + b)*beta + (W + E)*gamma, without E + b for powers of two; reached.
 * Plain copies: all blocks into scratch, and the result. Scratch: that, and a slice of the first
 * round.
 *
 * Restrictions: none but that the blocks of all operands of a ring can be numbered by an int; any p
 * and operator; all elements are bracketed alike, whatever h is.
 * Source: Rabenseifner & Träff 2004, sections 2 and 3. The paper only draws which groups eliminate,
 * and halves by the size of a rank's slice; here h is computed once, from the vector. Its rings
 * pass whole vectors on in r-1 rounds; here they are gathered in ceil(log2 r), as it recommends.
 */
#include "algorithms/butterfly/butterfly.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"

#include <limits.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    return anypi_stages_of(call, parameters).blocks;
}

static const char *refusal(const anyp_call *call, const int *parameters)
{
    if (parameters[ANYPI_BUTTERFLY_ODD] != ANYPI_ODD_RING)
        return NULL;
    const anypi_stages stages = anypi_stages_of(call, parameters);
    const int longest = stages.count > 0 ? stages.radix[stages.count - 1] : 1;
    return longest > INT_MAX / stages.blocks ? "too many ranks for so long a ring" : NULL;
}

/* The maximum bytes of `count` blocks of a reduce-scatter, which may be any: all large ones
 * together. */
static double set_of(const anyp_call *call, int blocks)
{
    const double bytes = blocks * anypi_block_bytes(call, call->p);
    const double whole = anypi_block_bytes(call, 1);
    return bytes < whole ? bytes : whole;
}

/* The maximum bytes of a slice, one of `parts`, after stages. */
static double staged(const anyp_call *call, const anypi_stages *stages, int parts)
{
    return stages->scatters ? set_of(call, call->p / parts) : anypi_block_bytes(call, parts);
}

/* Adds the cost of a step of `radix` ranks, each of which gets this number of bytes from every
 * other. */
static void add_step(anyp_cost *sum, int radix, double bytes, bool halves, bool routes)
{
    const int gather = anypi_log2_ceil((unsigned) radix), others = radix - 1;
    sum->latencies += (halves ? others : gather) + (routes ? gather : 0);
    sum->bytes_sent += others * bytes * (routes ? 2 : 1);
    sum->bytes_reduced += others * bytes;
}

/* The maximum bytes of a rank of a reduce-scatter after round z of the eliminations: half of the
 * groups' blocks, and one of a rank that dropped out. */
static double scattered(const anyp_call *call, const anypi_stages *stages, int z)
{
    return set_of(call, (stages->groups >> (z + 1)) + 1);
}

static void add_rounds(anyp_cost *sum, const anyp_call *call, const anypi_stages *stages)
{
    const int eliminating = anypi_log2_floor((unsigned) stages->groups);
    const bool scatters = stages->scatters;
    int parts = 1;
    for (int z = 0; z < stages->count; z++) {
        const bool halves = z < stages->halving;
        parts *= halves ? stages->radix[z] : 1;
        add_step(sum, stages->radix[z], staged(call, stages, parts), halves, halves && !scatters);
    }
    for (int z = 0; z < eliminating; z++) {
        const bool halves = z < stages->halving_groups;
        parts *= halves && !scatters ? 2 : 1;
        const double bytes = scatters ? scattered(call, stages, z) : anypi_block_bytes(call, parts);
        add_step(sum, 2, bytes, halves, halves && !scatters);
        if (z == 0) {           /* the late group, and the result for ranks that dropped out */
            sum->latencies += 2;
            sum->bytes_sent += bytes + (scatters ? anypi_block_bytes(call, call->p) : bytes);
            sum->bytes_reduced += bytes;
        }
    }
}

/* A term for each stage, one for each round of the eliminations, and what the late group adds. */
static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const anypi_stages stages = anypi_stages_of(call, parameters);
    anyp_cost sum = { .latencies = 0 };
    add_rounds(&sum, call, &stages);
    sum.overheads = 2 * sum.latencies;
    return sum;
}

static void reduce(const anypi_butterfly *b, anypi_accumulator *sum, anyp_schedule *schedule)
{
    bool has_room = false;
    for (int z = 0; z < b->stages.count; z++) {
        const anypi_turn *turn = &b->turns[z];
        if (turn->radix > 2 && !has_room)
            anypi_turn_make_room(turn, sum, schedule);
        has_room = has_room || turn->radix > 2;
        anypi_turn_reduce(turn, sum, schedule);
    }
    for (int i = 0; i < b->path.count; i++)
        anypi_accumulate(sum, &b->path.moves[i], schedule);
}

/* The number of times that a sum must change its buffer. */
static int changes(const anypi_butterfly *b)
{
    int count = 0;
    for (int z = 0; z < b->stages.count; z++)
        count += anypi_turn_must_change(&b->turns[z]);
    for (int i = 0; i < b->path.count; i++)
        count += anypi_must_change(&b->path.moves[i]);
    return count;
}

/* Each rank's slice of the result is in the buffer; ranks that dropped out have none. */
static void route(const anypi_butterfly *b, int buffer, anyp_schedule *schedule)
{
    const anypi_path *path = &b->path;
    anypi_round(schedule);
    if (path->feeds >= 0)
        anypi_send(schedule, path->feeds, anypi_part(buffer, path->slice));
    if (path->fed_by >= 0)
        anypi_recv(schedule, path->fed_by, anypi_part(buffer, path->slice));

    for (int i = path->halving - 1; i >= 0; i--) {
        const anypi_move *move = &path->moves[i];
        anypi_round(schedule);
        if (path->uses[i].keeps_for)
            anypi_send(schedule, move->from, anypi_part(buffer, move->keeps));
        if (path->uses[i].gives_for)
            anypi_recv(schedule, move->to, anypi_part(buffer, move->gives));
    }
    for (int z = b->stages.count - 1; z >= 0; z--)
        if (b->turns[z].halves)
            anypi_turn_route(&b->turns[z], buffer, schedule);
}

static void gather(const anypi_butterfly *b, anyp_schedule *schedule)
{
    anypi_accumulator sum = anypi_accumulator_begin(b->call, changes(b));
    reduce(b, &sum, schedule);
    const bool has_out = sum.result == ANYP_OUT;
    if (has_out && !b->path.drops_out)
        anypi_accumulator_end(&sum, b->path.slice, schedule);
    route(b, has_out ? ANYP_OUT : sum.at, schedule);
}

/* A reduce-scatter: all blocks of the input are copied to scratch, those of a slice adjacent. At
 * the end a rank has its own block and perhaps that of a rank that dropped out. */
static void scatter(const anypi_butterfly *b, anyp_schedule *schedule)
{
    const anypi_path *path = &b->path;
    const int own = path->slice.first;
    const anyp_slice result = anypi_block(ANYP_OUT, b->call->rank);
    anypi_accumulator sum = { .at = ANYP_SCRATCH, .result = ANYP_SCRATCH,
                              .temporary = ANYP_SCRATCH + 1 };
    int *order = anypi_schedule_order(schedule);
    if (!order)
        return;
    anypi_stages_order(&b->stages, order);
    anypi_accumulator_pack(&sum, schedule);
    reduce(b, &sum, schedule);
    anypi_round(schedule);
    if (path->feeds >= 0)
        anypi_send(schedule, path->feeds, anypi_slice(sum.at, own + 1, own + 2));
    if (path->fed_by >= 0)
        anypi_recv(schedule, path->fed_by, result);
    if (!path->drops_out)
        anypi_copy(schedule, anypi_block(sum.at, own), result);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    anypi_butterfly b;
    anypi_butterfly_of(call, parameters, &b);
    if (!b.stages.scatters)
        gather(&b, schedule);
    else if (call->p > 1)
        scatter(&b, schedule);
    else
        anypi_copy(schedule, anypi_block(ANYP_IN, 0), anypi_block(ANYP_OUT, 0));
}

const anyp_algorithm_code anypi_butterfly_code = {
    .summary = "any operator at any p: few rounds for small vectors, little volume for large ones",
    .source = "Rabenseifner & Träff 2004, sections 2 and 3",
    .blocks = blocks,
    .refusal = refusal,
    .cost = cost,
    .generate = generate,
};
