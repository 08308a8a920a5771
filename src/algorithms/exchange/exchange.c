/* SPDX-License-Identifier: BSD-3-Clause
 *
 * exchange - recursive multiplying (also called recursive exchange) for any number of processes.
 *
 * Groups of neighbouring ranks join as in recursive doubling, but k at a time, and groups of any
 * sizes. The groups form a tree with ceil(log_k p) levels (tree.h). There are two kinds of levels:
 * - A dividing level cuts the vector into s equal intervals, one for each of the s ranks of the
 *   joined group. A rank receives the operands of its interval from their owners, one or two in
 *   each child, and reduces them in the order of the children.
 * - In a replicating level, a rank receives the operands of the interval that it has from one rank
 *   of each other child, and reduces them.
 * The lower levels divide, and the upper levels replicate. Then the dividing levels, in reverse
 * order, gather the result. So a short vector takes one round per level, and a long one nearly the
 * least volume.
 *
 * Other forms of recursive multiplying fold surplus ranks first if p is no power of k. Here no rank
 * is folded: any p takes as many rounds as the next power of k, any operator is applied in rank
 * order, all elements have one bracketing, at any length, and the volume is nearly the least. We
 * know of no other algorithm with all these properties.
 *
 *    p = 13, k = 4, both levels divide. The children of the top are ranks 0-3, 4-6, 7-9, 10-12.
 *
 *    rank      0      1      2      3   |    4     5     6   |    7     8     9   |   10 ...
 *    owns first the whole vector, and after level 0
 *            [0,1/4)  ..2/4  ..3/4  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ..2/3  ..1 | [0,1/3) ...
 *    after level 1 interval j of 13, with j =
 *              0      4      8     12   |    1     5     9   |    2     6    10   |    3 ...
 *
 *    rank 5, level 0: sends [0,1/3) to 4 and [2/3,1) to 6, receives [1/3,2/3) from both
 *            level 1: receives interval 5 from 1, 8 and 11; sends the rest of interval 4 to 1,
 *                     intervals 6 and 7 to 8 and 11, and the beginning of interval 8 to 2
 *
 * Each interval is within the interval that the rank owned before, because larger children come
 * first. It has 1 to 8 whole blocks, of at least `threshold` bytes each: with fewer blocks there
 * are fewer messages, but the intervals of lower levels are less even.
 *
 * If upper levels replicate, the teams below them, the bases, all have the same intervals. There
 * are as many intervals as the smallest base has ranks. In a larger base, a surplus rank owns
 * nothing.
 *
 * With groups=nodes, the groups are those of the machine: the ranks of each node, the nodes of each
 * switch, and so on, as far as they are known, of any sizes. The children of each group join in a
 * tree of their own (machine.h). Every machine child has the same share of the vector, whatever its
 * size. Each owner keeps one interval, in the order of the intervals before (owners.h). So the link
 * of each of n children carries 2(1 - 1/n)m if one level joins them, which is the minimum. In
 * general it carries 2(1 - s)m, where s is the product of such shares on its way up. Some percent
 * are added, because intervals do not nest exactly. With several segments, all heights exchange at
 * the same time (repeat_segments.h). If ranks of a node are not consecutive and the operator does
 * not commute, runs of neighbours are groups.
 *
 * Cost: a level whose groups have k children, and ranks intervals of m' bytes after it, takes
 * alpha + (k-1)m'(beta + gamma), and if it divides alpha + (k-1)m'*beta again when the result is
 * gathered. If all L levels divide and all groups of each height are of one size, that is
 * 2L*alpha + (1-1/p)m(2*beta + gamma), the minimum volume; else cost.c takes the maximum of all
 * ranks in each level. p = 13, k = 4: 4 rounds; a rank sends 1.904 m at most (1.846 m is the lower
 * bound), and the critical path has 2.02 m, as different levels have different slowest ranks.
 * Messages of a rank in a round: k - 1; up to twice as many where sizes differ, and one more for
 * each surplus rank. Each rank waits for its whole group in each round, so
 * pacing has no benefit (test_exchange.c, late_ranks).
 * Plain copies: a rank of the last child copies its operand in its first level, unless the operator
 * commutes and no other rank reduces the same blocks. In place, some ranks copy their last interval
 * instead. For reproducible results, the right operand of a pair is copied if it is in IN. A
 * reduce-scatter of several levels or segments, or in place, copies all blocks into scratch, and
 * perhaps the result.
 * Scratch: the operands of one level, and an interval of the first level, twice in a reduce.
 * A reduce sends only towards the root.
 * A reduce-scatter always divides. Its intervals are whole blocks. But if the largest block has
 * more than `threshold` bytes above the average, intervals have about equal bytes, and a last round
 * sends their parts to the owners of the blocks (shared/balance.h). Then the largest block travels
 * once more, instead of k - 1 times in each level.
 *
 * Restrictions: none, except reproducible scans. The bracketing depends on p, radix and, with
 * groups=nodes, the shape and node_radix. For reproducible results it is the tree of
 * schedule/bracketing.h at any radix 2^i: the children of a team are the nodes of the tree i
 * halvings below, and operands are reduced in pairs, not from the right. The shape is ignored then.
 * Scans (prefix.h) have no such tree. Their groups are runs of neighbours, whatever the operator.
 * Source: Rabenseifner & Träff 2004, section 2. There groups are of equal size, and one of three is
 * eliminated where their number is odd. Relatives: MPICH's recexch folds; Kolmakov & Zhang 2020
 * (arXiv 2004.09362) take any p, in cyclic order. The limits of one message at a time are in
 * one-port.md.
 */
#include "algorithms/exchange/cost.h"
#include "algorithms/exchange/levels.h"
#include "algorithms/exchange/prefix.h"
#include "algorithms/exchange/repeat_segments.h"
#include "algorithms/registry.h"
#include "algorithms/shared/balance.h"

#include "schedule/collectives.h"
#include "schedule/schedule.h"

#include <string.h>

static int blocks(const anyp_call *call, const int *parameters)
{
    if (anypi_exchange_balances(call, parameters))
        return call->p * anypi_balance_parts(call);
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    return m.segments * m.blocks;
}

/* ---- rounds ---- */

/* The levels, upwards. */
static void reduce_phase(anypi_levels *s, anypi_segment_rounds *rounds)
{
    for (int i = s->m->depth - 1; i >= 0; i--) {
        anypi_exchange_round(rounds, s->schedule);
        if (i < s->count)
            anypi_levels_reduce(s, i);
    }
}

/* The dividing levels, downwards. */
static void gather_phase(anypi_levels *s, anypi_segment_rounds *rounds)
{
    for (int i = 0; i < s->m->depth; i++) {
        anypi_exchange_round(rounds, s->schedule);
        if (i < s->count && s->level[i].divides)
            anypi_levels_gather(s, i);
    }
}

/* Copies what the rank has reduced to `buffer`, if it is not there. */
static void finish(anypi_levels *s, int buffer)
{
    if (s->sum.at != buffer && !anypi_range_empty(s->own))
        anypi_copy(s->schedule, anypi_levels_part(s, (anypi_vector) { s->sum.at, 0 }, s->own),
                   anypi_levels_part(s, (anypi_vector) { buffer, 0 }, s->own));
    s->sum.at = buffer;
}

/* ---- the whole ---- */

static bool is_natural(const int *order, int blocks)
{
    int i = 0;
    while (i < blocks && order[i] == i)
        i++;
    return i == blocks;
}

/* Each rank gets its own block: first, copies make the blocks of each interval adjacent, unless
 * they are in IN, and OUT does not overwrite it. */
static void scatter(anypi_levels *s, anypi_segment_rounds *rounds)
{
    anyp_schedule *schedule = s->schedule;
    if (s->call->p == 1) {
        finish(s, ANYP_OUT);
        return;
    }
    int *order = anypi_schedule_order(schedule);
    if (!order)
        return;
    const anypi_team all = anypi_team_all(s->m);
    const anypi_owners owners = anypi_owners_of(&s->lists, &all);
    if (s->lists.failed)
        return;
    for (int i = 0; i < owners.count; i++)
        order[i] = anypi_machine_rank(s->m, anypi_owner_at(&owners, i));
    if (!s->call->in_place && s->m->segments == 1 && is_natural(order, schedule->blocks))
        schedule->order = NULL; /* intervals are where they are in IN */
    if (s->m->segments > 1)
        s->sum.at = s->sum.result;      /* repeat_segments.c copies them */
    else if (schedule->order)
        anypi_accumulator_pack(&s->sum, schedule);
    reduce_phase(s, rounds);
    finish(s, ANYP_OUT);
}

_Static_assert((int) ANYPI_EXCHANGE_MAX_ROUNDS >= 3 * (int) ANYPI_EXCHANGE_LEVELS,
               "twice all levels, and the rounds of a scan across bases");

static void exchange(anypi_levels *s)
{
    anypi_segment_rounds rounds = { .count = 0, .packed = s->sum.result };
    if (anypi_is_prefix(s->call->collective)) {
        anypi_exchange_prefix(s, &rounds);
    } else if (s->scatters) {
        anypi_levels_window(s, 0, s->count, s->receive_buffer);
        scatter(s, &rounds);
    } else {
        anypi_levels_window(s, 0, s->count, s->receive_buffer);
        reduce_phase(s, &rounds);
        if (!s->reduces || s->position == s->root)
            finish(s, s->sum.result);
        gather_phase(s, &rounds);
    }
    if (s->m->segments > 1) {
        rounds.first[rounds.count] = s->schedule->steps_count;
        anypi_exchange_repeat(s->schedule, &rounds, s->m->segments);
    }
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    if (anypi_exchange_balances(call, parameters)) {
        const anyp_call even = anypi_balance_call(call);
        int once[ANYP_MAX_PARAMETERS];
        anyp_schedule intervals;
        memcpy(once, parameters, sizeof once);
        once[ANYPI_EXCHANGE_SEGMENTS] = 1;
        anyp_schedule_init(&intervals);
        anypi_schedule_begin(&intervals, call->p, call->rank, call->p);
        generate(&even, once, &intervals);
        const anyp_status status = anypi_schedule_end(&intervals);
        if (status == ANYP_SUCCESS)
            anypi_balance(call, &intervals, schedule);
        else
            anypi_schedule_fail(schedule, status);
        anyp_schedule_free(&intervals);
        return;
    }
    anypi_machine m;
    anypi_levels s;
    anypi_machine_make(&m, call, parameters);
    s.schedule = schedule;
    if (m.segments > 1)         /* first only one */
        anypi_schedule_begin(schedule, call->p, call->rank, m.blocks);
    if (anypi_levels_begin(&s, call, &m))
        exchange(&s);
    if (s.lists.failed)
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
    anypi_owner_lists_free(&s.lists);
}

const anyp_algorithm_code anypi_exchange_code = {
    .summary = "recursive multiplying for any p, operator and length: nearly the least volume",
    .source = "Rabenseifner & Träff 2004, section 2, with groups of any size that exchange "
              "directly",
    .blocks = blocks,
    .cost = anypi_exchange_cost,
    .time = anypi_exchange_time,
    .unpaced_time = anypi_exchange_unpaced_time,
    .tries = anypi_exchange_tries,
    .generate = generate,
};
