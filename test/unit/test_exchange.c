/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_exchange.c - exchange: its tree and group ranks; rounds, messages and volume; one bracketing
 * for every length, threshold, root and collective.
 */
#include "unit/common.h"

#include "algorithms/exchange/tree.h"
#include "analysis/replay.h"
#include "schedule/shape.h"
#include "schedule/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static variant variant_of(anyp_collective collective, int p, int64_t count, int radix,
                          int threshold)
{
    variant v = { .algorithm = anyp_algorithm_find("exchange"),
                  .call = { .collective = collective, .p = p, .count = count, .type_size = 1 } };
    const struct {
        const char *name;
        int value;
    } given[] = { { "radix", radix }, { "threshold", threshold } };
    anyp_parameters_default(v.algorithm, v.parameters);
    for (int i = 0; i < 2; i++) {
        char text[16];
        const char *reason;
        snprintf(text, sizeof text, "%d", given[i].value);
        ck_assert_int_eq(anyp_parameter_set(v.algorithm, v.parameters, given[i].name, text,
                                            &reason), ANYP_SUCCESS);
    }
    return v;
}

/* ---- the tree ---- */

/* All groups of a height have one of two sizes, larger children come first, and the ranks of a
 * group have its group ranks. */
static void check_group(const anypi_tree *tree, int height, anypi_group group, int *ranks)
{
    assert_often(group.size == tree->smallest[height] || group.size == tree->smallest[height] + 1,
                 "p=%d: a group of %d ranks at height %d", tree->p, group.size, height);
    for (int i = 0; i < group.size; i++) {
        const int rank = anypi_tree_rank(tree, height, group, i);
        const bool inside = rank >= group.first && rank < group.first + group.size;
        assert_often(inside && ranks[rank] != height,
                     "p=%d: rank %d has group rank %d", tree->p, rank, i);
        assert_often(anypi_tree_group_rank(tree, height, group, rank) == i,
                     "p=%d: rank %d does not have group rank %d", tree->p, rank, i);
        ranks[rank] = height;
    }
    if (height == 0)
        return;
    const int k = anypi_tree_children(tree, height - 1, group.size);
    int next = group.first, size = INT_MAX;
    for (int c = 0; c < k; c++) {
        const anypi_group child = anypi_tree_child(tree, height - 1, group, c);
        assert_often(child.first == next && child.size >= 1 && child.size <= size,
                     "p=%d: child %d of a group of %d", tree->p, c, group.size);
        for (int rank = child.first; rank < child.first + child.size; rank++)
            assert_often(anypi_tree_child_of(tree, height - 1, group, rank) == c,
                         "p=%d: rank %d is in child %d", tree->p, rank, c);
        check_group(tree, height - 1, child, ranks);
        next += child.size;
        size = child.size;
    }
    ck_assert_int_eq(next, group.first + group.size);
}

START_TEST(trees)
{
    for (int p = 1; p <= max_p(200); p++)
        for (int radix = 2; radix <= 16; radix++) {
            anypi_tree tree;
            anypi_tree_make(&tree, p, radix, false);
            int *ranks = calloc((size_t) p, sizeof *ranks);
            ck_assert_ptr_nonnull(ranks);
            for (int rank = 0; rank < p; rank++)
                ranks[rank] = -1;
            ck_assert_int_eq(tree.levels, rounds_of_radix(p, radix));
            check_group(&tree, tree.levels, (anypi_group) { 0, p }, ranks);
            free(ranks);
        }
}
END_TEST

/* The fewest levels; the lowest has as many children as it may, the others as few as suffice. */
START_TEST(shapes)
{
    static const struct {
        int p, radix, children[4];
    } known[] = {
        { 100, 5, { 5, 5, 4 } }, { 100, 10, { 10, 10 } }, { 127, 8, { 8, 4, 4 } },
        { 13, 4, { 4, 4 } }, { 13, 5, { 5, 3 } }, { 13, 7, { 7, 2 } }, { 1000, 10, { 10, 10, 10 } },
        { 37, 4, { 4, 4, 3 } },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        anypi_tree tree;
        anypi_tree_make(&tree, known[i].p, known[i].radix, false);
        for (int t = 0; t < 4; t++)
            assert_often((t < tree.levels ? tree.radix[t] : 0) == known[i].children[t],
                         "p=%d, radix %d, level %d", known[i].p, known[i].radix, t);
    }
}
END_TEST

/* ---- rounds, messages, volume ---- */

/* Rounds, the most bytes of the vector that a rank sends, and its messages. */
START_TEST(volume)
{
    static const struct {
        int p, radix;
        double volume;
        int messages;
    } known[] = {
        { 7, 3, 1.822, 10 }, { 13, 4, 1.904, 15 }, { 23, 5, 1.935, 19 }, { 37, 4, 2.011, 22 },
        { 64, 4, 1.969, 18 }, { 100, 5, 1.981, 22 }, { 127, 8, 1.989, 33 },
    };
    const int64_t m = 1 << 20;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const variant v = variant_of(ANYP_ALLREDUCE, known[i].p, m, known[i].radix, 0);
        const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
        ck_assert_double_eq(s.time, 2 * rounds_of_radix(known[i].p, known[i].radix));
        assert_often(s.most.messages <= known[i].messages, "%s: %d messages", variant_text(&v),
                     (int) s.most.messages);
        assert_often((double) s.most.bytes_sent <= known[i].volume * (double) m, "%s: %g m",
                     variant_text(&v), (double) s.most.bytes_sent / (double) m);
    }
}
END_TEST

/* Groups of equal size: the least volume, k - 1 messages a round, and no copy if the operator
 * commutes. */
START_TEST(equal_groups)
{
    static const struct {
        int p, radix, messages;
    } known[] = { { 6, 3, 3 }, { 9, 3, 4 }, { 64, 4, 9 }, { 100, 5, 11 },
                  { 100, 10, 18 }, { 13, 13, 12 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int p = known[i].p;
        variant v = variant_of(ANYP_ALLREDUCE, p, 64 * p, known[i].radix, 0);
        v.call.commutative = true;
        const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
        ck_assert_int_eq(s.most.bytes_sent, 2 * 64 * (p - 1));
        ck_assert_int_eq(s.most.bytes_reduced, 64 * (p - 1));
        ck_assert_int_eq(s.most.messages, 2 * known[i].messages);
        ck_assert_int_eq(s.total.bytes_copied, 0);
    }
}
END_TEST

/* The closed form is near what is simulated: at most this much above it. */
START_TEST(closed_form)
{
    static const anyp_model models[] = { { .beta = 1 }, { .gamma = 1 },
                                         { .alpha = 1e-6, .beta = 8e-11, .overhead = 5e-7 } };
    static const double most[] = { 1.02, 1.19, 1.24 };
    for (int p = 2; p <= 64; p++)
        for (int radix = 2; radix <= 16; radix++)
            for (int i = 0; i < 3; i++) {
                const variant v = variant_of(ANYP_ALLREDUCE, p, 4096 * p, radix, 0);
                const double form =
                    anyp_cost_time(anypi_cost_of(v.algorithm, &v.call, v.parameters),
                                                   &models[i]);
                const double time = simulate_variant(&v, models[i]).time;
                assert_often(form <= most[i] * time, "%s, model %d: %g, but %g are simulated",
                             variant_text(&v), i, form, time);
            }
}
END_TEST

/* What is copied if the operator does not commute: in the last child of its first level, a rank's
 * operand, if the rank reduces at all; nothing else, as sums begin in the buffer where they end. */
START_TEST(copies)
{
    static const int thresholds[] = { 0, 300, INT_MAX };
    for (int p = 2; p <= max_p(40); p++)
        for (int i = 0; i < 15; i++) {
            const int radix = 2 + i / 3;
            const variant v = variant_of(ANYP_ALLREDUCE, p, 64 * p, radix, thresholds[i % 3]);
            anyp_schedule *set = variant_set(&v);
            anypi_tree tree;
            anypi_tree_make(&tree, p, radix, false);
            for (int rank = 0; rank < p; rank++) {
                anypi_group group = { 0, p };
                bool last = false;
                for (int t = tree.levels - 1; t >= 0 && group.size > 1; t--) {
                    const int c = anypi_tree_child_of(&tree, t, group, rank);
                    last = c == anypi_tree_children(&tree, t, group.size) - 1;
                    group = anypi_tree_child(&tree, t, group, c);
                }
                int copied = 0, reduced = 0;
                for (int k = 0; k < set[rank].steps_count; k++) {
                    copied += set[rank].steps[k].kind == ANYP_COPY;
                    reduced += set[rank].steps[k].kind == ANYP_REDUCE_LOCAL;
                }
                assert_often(copied == (last && reduced > 0), "%s: rank %d copies %d times",
                             variant_text(&v), rank, copied);
            }
            anypi_set_free(set, p);
        }
}
END_TEST

/* Which levels divide, and into how many blocks. */
/* A reduce-scatter of one level finds the blocks of each interval in IN; in place, it must copy. */
START_TEST(scatter_copies)
{
    for (int p = 2; p <= max_p(40); p++) {
        variant v = variant_of(ANYP_REDUCE_SCATTER, p, 64 * p, p, 0);
        v.call.commutative = true;
        for (int in_place = 0; in_place < 2; in_place++) {
            v.call.in_place = in_place;
            const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
            ck_assert_int_eq(s.most.rounds, 1 + in_place);
            ck_assert(in_place == (s.total.bytes_copied > 0));
        }
    }
}
END_TEST

START_TEST(thresholds)
{
    static const struct {
        int p, radix, threshold;
        int64_t count;
        int blocks;
    } known[] = {
        { 13, 4, 1000, 1000, 1 }, { 13, 4, 999, 1000, 3 }, { 13, 4, 333, 999, 3 },
        { 13, 4, 332, 999, 13 }, { 13, 4, 0, 12, 12 }, { 13, 4, 0, 13, 13 }, { 13, 4, 0, 25, 13 },
        { 13, 4, 0, 26, 26 }, { 13, 4, 0, 1 << 20, 104 }, { 13, 4, 100, 1300, 13 },
        { 13, 4, 100, 2599, 13 }, { 13, 4, 100, 2600, 26 }, { 13, 5, 99, 100, 4 },
        { 5, 2, 0, 1, 1 }, { 5, 2, 0, 2, 2 }, { 5, 2, 0, 4, 4 },
        { 1000000, 64, 0, INT64_C(1) << 40, 8000000 },
        { 20000000, 64, 0, INT64_C(1) << 40, 20000000 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const variant v = variant_of(ANYP_ALLREDUCE, known[i].p, known[i].count, known[i].radix,
                                     known[i].threshold);
        const int blocks = anypi_blocks_of(v.algorithm, &v.call, v.parameters);
        assert_often(blocks == known[i].blocks, "%s: %d blocks", variant_text(&v), blocks);
    }
}
END_TEST

/* Numbers of processes up to the largest int: nothing overflows, and a rank's schedule is made. */
START_TEST(huge)
{
    static const int procs[] = { 1 << 20, 40000000, INT_MAX - 1, INT_MAX };
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    for (int i = 0; i < 12; i++) {
        variant v = variant_of(i % 2 ? ANYP_REDUCE : ANYP_ALLREDUCE, procs[i / 3], INT64_C(1) << 40,
                               i % 3 == 0 ? 2 : i % 3 == 1 ? 4 : 64, i % 2 ? 0 : 8192);
        const anyp_cost cost = anypi_cost_of(v.algorithm, &v.call, v.parameters);
        v.call.rank = v.call.p - 1;
        v.call.root = v.call.p / 2 * (i % 2);
        ck_assert(cost.latencies >= 4 && cost.bytes_sent >= 0);
        ck_assert_int_eq(anyp_generate(v.algorithm, &v.call, v.parameters, &schedule),
                         ANYP_SUCCESS);
        for (int k = 0; k < schedule.steps_count; k++)
            assert_often(schedule.steps[k].to.end >= 0 && schedule.steps[k].from.end >= 0,
                         "%s: step %d", variant_text(&v), k);
    }
    anyp_schedule_free(&schedule);
}
END_TEST

/* Where bases differ by a rank, it owns nothing, so that each rank sends to one of every other
 * base: bases of 8, 8 and 7 ranks. */
START_TEST(surplus_ranks)
{
    const variant v = variant_of(ANYP_ALLREDUCE, 23, 65536, 8, 32768);
    anyp_schedule *set = variant_set(&v);
    for (int rank = 0; rank < 23; rank++) {
        int sends = 0;
        for (int i = set[rank].round_start[1]; i < set[rank].round_start[2]; i++)
            sends += set[rank].steps[i].kind == ANYP_SEND;
        ck_assert_int_le(sends, 2);
    }
    anypi_set_free(set, 23);
}
END_TEST

/* Radix 2, no level divides: ceil(log2 p) rounds, and each rank sends twice in one round of them at
 * most (one-port.md). */
START_TEST(short_vectors)
{
    for (int p = 1; p <= max_p(300); p++) {
        const variant v = variant_of(ANYP_ALLREDUCE, p, 8, 2, INT_MAX);
        anyp_schedule *set = variant_set(&v);
        for (int rank = 0; rank < p; rank++) {
            const anyp_schedule *s = &set[rank];
            int twice = 0;
            assert_often(s->rounds <= anypi_log2_ceil((unsigned) p) + (p == 1), "p=%d: %d rounds",
                         p, s->rounds);
            for (int round = 0; round < s->rounds; round++) {
                int sends = 0;
                for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++)
                    sends += s->steps[i].kind == ANYP_SEND;
                assert_often(sends <= 2, "p=%d: %d messages in a round", p, sends);
                twice += sends == 2;
            }
            assert_often(twice <= 1, "p=%d: rank %d sends twice %d times", p, rank, twice);
        }
        anypi_set_free(set, p);
        /* two overheads in each round, and one message more */
        const anyp_model eager = { .overhead = 1, .eager = true };
        const double time = simulate_variant(&v, eager).time;
        assert_often(p == 1 || time <= 2 * anypi_log2_ceil((unsigned) p) + 1, "p=%d: %g overheads",
                     p, time);
    }
}
END_TEST

/* Messages of a round leave in an order in which no rank has to wait for all of another's. */
START_TEST(order_of_messages)
{
    static const struct {
        int p, radix, threshold;
        int64_t bytes;
        double time;
    } known[] = {
        { 13, 4, INT_MAX, 8, 6.01 }, { 64, 4, INT_MAX, 8, 9.01 }, { 100, 5, INT_MAX, 8, 11.01 },
        { 13, 7, 32768, 65536, 18.61 }, { 24, 8, 32768, 65536, 17.5 },
        { 13, 13, 0, 1 << 20, 162.1 },
    };
    const anyp_model model = { .alpha = 1, .beta = 8e-5, .overhead = 0.5, .eager = true };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const variant v = variant_of(ANYP_ALLREDUCE, known[i].p, known[i].bytes, known[i].radix,
                                     known[i].threshold);
        const double time = simulate_variant(&v, model).time;
        assert_often(time <= known[i].time, "%s: %g", variant_text(&v), time);
    }
}
END_TEST

/* Eager messages and late ranks cost exchange little: an early rank waits for all ranks of its
 * group in each round. Circulant takes 1.4 times as long then. */
START_TEST(late_ranks)
{
    static const anyp_model prompt = { .alpha = 2e-3, .beta = 1e-7 };
    static const int procs[] = { 7, 12, 13, 24, 37 }, radices[] = { 2, 4, 5, 7, 64 };
    const anyp_model late = { .alpha = prompt.alpha, .beta = prompt.beta, .eager = true,
                              .skew = 5e-3 };
    for (int i = 0; i < 25; i++)
        for (int64_t m = 1 << 10; m <= 1 << 20; m <<= 5) {
            const variant v = variant_of(ANYP_ALLREDUCE, procs[i / 5], m, radices[i % 5], 8192);
            const double time = simulate_variant(&v, prompt).time;
            assert_often(simulate_variant(&v, late).time <= 1.2 * time, "%s: %g times as long",
                         variant_text(&v), simulate_variant(&v, late).time / time);
        }
}
END_TEST

/* ---- one bracketing ---- */

/* A vector of numbers, one for each block, in each buffer of each rank. */
typedef struct player {
    const anyp_schedule *set;
    double *values;             /* per rank: room for `room` blocks of each buffer */
    size_t room;
} player;

static double *at(const player *p, int rank, anyp_slice slice)
{
    const size_t buffer = (size_t) rank * ANYP_BUFFERS + (size_t) slice.buffer;
    return &p->values[buffer * p->room + (size_t) slice.first];
}

static anyp_status moved(void *state, const anypi_message *message)
{
    const player *p = state;
    for (int i = 0; i < message->sent.end - message->sent.first; i++)
        at(p, message->to, message->received)[i] = at(p, message->from, message->sent)[i];
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    const player *p = state;
    const anyp_schedule *s = &p->set[rank];
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        const anyp_step *step = &s->steps[i];
        for (int k = 0; k < step->to.end - step->to.first; k++) {
            double *const to = at(p, rank, step->to) + k;
            if (step->kind == ANYP_COPY)
                *to = at(p, rank, step->from)[k];
            else if (step->kind == ANYP_REDUCE_LOCAL)
                *to = at(p, rank, step->from)[k] + *to;
        }
    }
    return ANYP_SUCCESS;
}

/* Numbers of both signs over 60 orders of magnitude, so that any other bracketing shows. */
static double contribution(int rank)
{
    static const double powers[] = { 1e-30, 1e-20, 1e-9, 1e-3, 1, 1e4, 1e11, 1e19, 1e30 };
    const unsigned hash = ((unsigned) rank + 1) * 2654435761u;
    return (hash & 1024 ? -1 : 1) * powers[(hash >> 13) % 9] * (1 + (hash >> 16) / 65536.0);
}

/* Every block of every result is the same number, bit by bit, and it is returned. */
static double sum_of(const variant *v)
{
    const anyp_call *call = &v->call;
    const int p = call->p;
    anyp_schedule *set = variant_set(v);
    player here = { .set = set, .room = (size_t) set[0].blocks };
    char reason[200];
    for (int rank = 0; rank < p; rank++)
        for (int k = 0; k < set[rank].scratch_count; k++)
            if (here.room < (size_t) set[rank].scratch[k].end)
                here.room = (size_t) set[rank].scratch[k].end;
    here.values = malloc((size_t) p * ANYP_BUFFERS * here.room * sizeof *here.values);
    ck_assert_ptr_nonnull(here.values);
    for (int rank = 0; rank < p; rank++)
        for (int i = 0; i < set[0].blocks; i++)
            *at(&here, rank, anypi_slice(ANYP_IN, i, i + 1)) = contribution(rank);
    const anypi_visitor visitor = { &here, moved, finished };
    ck_assert_int_eq(anypi_replay(set, p, &visitor, reason, sizeof reason), ANYP_SUCCESS);

    const bool reduces = call->collective == ANYP_REDUCE, scatters = anypi_scatters(call);
    const double sum = *at(&here, reduces ? call->root : 0, anypi_slice(ANYP_OUT, 0, 1));
    for (int rank = 0; rank < p; rank++) {
        const int first = scatters ? rank : 0, end = scatters ? rank + 1 : set[0].blocks;
        for (int i = first; i < end && (!reduces || rank == call->root); i++)
            assert_often(*at(&here, rank, anypi_slice(ANYP_OUT, i, i + 1)) == sum,
                         "%s: block %d on rank %d", variant_text(v), i, rank);
    }
    free(here.values);
    anypi_set_free(set, p);
    return sum;
}

START_TEST(same_bits)
{
    static const int radices[] = { 2, 3, 4, 5, 8, 16 };
    int different = 0;
    for (int p = 2; p <= max_p(64); p++) {
        double before = 0;
        for (size_t i = 0; i < sizeof radices / sizeof *radices; i++) {
            const int radix = radices[i];
            const variant whole = variant_of(ANYP_ALLREDUCE, p, 1, radix, INT_MAX);
            const double sum = sum_of(&whole);
            for (int64_t count = 1; count <= 1 << 16; count *= 16)
                for (int threshold = 0; threshold <= 1 << 14; threshold = 4 * threshold + 1) {
                    variant v = variant_of(ANYP_ALLREDUCE, p, count, radix, threshold);
                    v.call.commutative = threshold % 3;
                    assert_often(sum_of(&v) == sum, "%s", variant_text(&v));
                    v.call.collective = ANYP_REDUCE;
                    v.call.root = (int) (count * 7 + threshold) % p;
                    assert_often(sum_of(&v) == sum, "%s", variant_text(&v));
                }
            const variant scatters = variant_of(ANYP_REDUCE_SCATTER_BLOCK, p, p, radix, 0);
            assert_often(sum_of(&scatters) == sum, "%s", variant_text(&scatters));
            different += i > 0 && sum != before;
            before = sum;
        }
    }
    ck_assert_int_gt(different, max_p(64)); /* the numbers do show it */
}
END_TEST

static void set(variant *v, const char *name, const char *value)
{
    const char *reason;
    ck_assert_int_eq(anyp_parameter_set(v->algorithm, v->parameters, name, value, &reason),
                     ANYP_SUCCESS);
}

/* On nodes, any number of lanes gives the same bits, too. */
START_TEST(same_bits_on_nodes)
{
    static const char *const texts[] = { "4x3", "5,1,3", "8,8,5", "3x9", "1,7,2,9,4",
                                          "4x3:cyclic" };
    static const char *const lanes[] = { "0", "1", "2", "3", "7" }, *const radices[] = { "2", "8" };
    static const char *const segments[] = { "1", "2", "3", "64" };
    static const anyp_collective collectives[] = { ANYP_ALLREDUCE, ANYP_REDUCE,
                                                   ANYP_REDUCE_SCATTER };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *reason;
        anyp_shape *nodes = anypi_shape_read(texts[i], 0, &reason);
        ck_assert_ptr_nonnull(nodes);
        const int p = anypi_shape_ranks(nodes);
        for (int k = 0; k < 8; k++) {
            double sum = 0;
            for (int one = 0; one < 3 * 5 * 3 * 4; one++) {
                const int limits[] = { INT_MAX, 0, 64 }, counts[] = { p, 1, 37, 5000 };
                const int collective = one % 3, threshold = one / 15 % 3;
                const int count = collective == 2 ? p : counts[one / 45];
                variant v = variant_of(collectives[collective], p, count, 2 + k / 2,
                                       limits[threshold]);
                v.call.nodes = nodes;
                v.call.commutative = nodes->rank || one % 2;
                v.call.root = collective == 1 ? one * 5 % p : 0;
                set(&v, "groups", "nodes");
                set(&v, "node_radix", radices[k % 2]);
                set(&v, "node_lanes", lanes[one / 3 % 5]);
                set(&v, "node_segments", segments[one % 4]);
                const double here = sum_of(&v);
                assert_often(one == 0 || here == sum, "%s: %s", texts[i], variant_text(&v));
                sum = here;
            }
        }
        anypi_shape_free(nodes);
    }
}
END_TEST

Suite *suite_exchange(void)
{
    TCase *tests;
    Suite *suite = suite_of("exchange", &tests);
    tcase_add_test(tests, trees);
    tcase_add_test(tests, shapes);
    tcase_add_test(tests, volume);
    tcase_add_test(tests, equal_groups);
    tcase_add_test(tests, closed_form);
    tcase_add_test(tests, copies);
    tcase_add_test(tests, scatter_copies);
    tcase_add_test(tests, thresholds);
    tcase_add_test(tests, huge);
    tcase_add_test(tests, surplus_ranks);
    tcase_add_test(tests, short_vectors);
    tcase_add_test(tests, order_of_messages);
    tcase_add_test(tests, late_ranks);
    tcase_add_test(tests, same_bits);
    tcase_add_test(tests, same_bits_on_nodes);
    return suite;
}
