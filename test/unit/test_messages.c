/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_messages.c - the messages of a call are the same for ranks in place and others, so that a
 * call may mix them, as reduce does; and, where data are moved, for ranks whose memory has gaps.
 */
#include "unit/common.h"

#include "execute/program.h"

#include "schedule/collectives.h"

/* The next message of a schedule from step i on, or steps_count. */
static int next_message(const anyp_schedule *schedule, int i)
{
    while (i < schedule->steps_count && schedule->steps[i].kind != ANYP_SEND &&
           schedule->steps[i].kind != ANYP_RECV)
        i++;
    return i;
}

/* The block of the vector at an index of a slice's buffer. */
static int block_at(const anyp_schedule *schedule, anyp_slice slice, int i)
{
    const int n = schedule->blocks;
    return schedule->order && slice.buffer >= ANYP_SCRATCH
        ? schedule->order[(slice.first + i) % n] : (slice.first + i) % n;
}

/* Have two messages the same peer and blocks? */
static bool same_message(const anyp_schedule *one, const anyp_step *a, const anyp_schedule *other,
                         const anyp_step *b)
{
    const anyp_slice x = a->kind == ANYP_SEND ? a->from : a->to;
    const anyp_slice y = b->kind == ANYP_SEND ? b->from : b->to;
    bool same = a->kind == b->kind && a->peer == b->peer && x.end - x.first == y.end - y.first;
    if ((x.buffer < ANYP_SCRATCH) == (y.buffer < ANYP_SCRATCH) || !one->order)
        return same && (x.first - y.first) % one->blocks == 0;
    for (int i = 0; same && i < x.end - x.first; i++)
        same = block_at(one, x, i) == block_at(other, y, i);
    return same;
}

/* Two sets, each in the memory of the last one, and how many messages were compared. */
typedef struct comparison {
    kept_set plain, other;
    int compared;
} comparison;

/* Up to this p all of the following is compared, then one in turn. */
enum { ALL_P = 10 };

/* What may differ between ranks. */
static const struct {
    bool in_place, gaps_in, gaps_out;
} ways[] = { { true, false, false }, { false, true, false }, { false, false, true },
             { false, true, true }, { true, false, true } };

static void compare_way(const variant *v, const anyp_schedule *set, int way, comparison *c)
{
    variant other = *v;
    other.call.in_place = ways[way].in_place;
    other.call.gaps_in = ways[way].gaps_in;
    other.call.gaps_out = ways[way].gaps_out;
    const anyp_schedule *other_set = variant_set_again(&other, &c->other);
    for (int rank = 0; rank < v->call.p; rank++) {
        const anyp_schedule *a = &set[rank], *b = &other_set[rank];
        int i = next_message(a, 0), k = next_message(b, 0);
        assert_often(a->blocks == b->blocks, "%s: %d or %d blocks", variant_text(v), a->blocks,
                     b->blocks);
        for (; i < a->steps_count && k < b->steps_count;
             i = next_message(a, i + 1), k = next_message(b, k + 1)) {
            assert_often(same_message(a, &a->steps[i], b, &b->steps[k]),
                         "%s: rank %d's step %d is another message (step %d)",
                         variant_text(&other), rank, i, k);
            c->compared++;
        }
        assert_often(i == a->steps_count && k == b->steps_count,
                     "%s: rank %d has more messages one way", variant_text(&other), rank);
    }
}

static void compare(const variant *v, void *state)
{
    comparison *c = state;
    if (v->call.in_place || v->call.gaps_in || v->call.gaps_out)
        return;
    const anyp_schedule *set = variant_set_again(v, &c->plain);
    const int count = anypi_moves(v->call.collective) ? sizeof ways / sizeof *ways : 1;
    for (int way = 0; way < count; way++)
        if (v->call.p <= ALL_P || count == 1 || way == v->call.p % count)
            compare_way(v, set, way, c);
}

START_TEST(test_same_for_all)
{
    int count;
    comparison c = { .compared = 0 };
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= 70; p++)
        if (is_tried(p, 24))
            each_variant(algorithm, p, compare, &c);
    ck_assert_int_gt(c.compared, 0);
    kept_set_free(&c.plain);
    kept_set_free(&c.other);
}
END_TEST

/* The messages that the programs of a set start. */
static int64_t started_messages(const variant *v)
{
    anyp_schedule *set = variant_set(v);
    anypi_program program;
    int64_t count = 0;
    anypi_program_init(&program);
    for (int rank = 0; rank < v->call.p; rank++) {
        anyp_call call = v->call;
        call.rank = rank;
        const anypi_placement vector = anypi_placement_of(&call, set[rank].blocks,
                                                          (anypi_element) { 0, 1, 1 });
        ck_assert_int_eq(anypi_program_make(&program, &set[rank], &vector), ANYP_SUCCESS);
        for (int i = 0; i < program.count; i++)
            count += program.ops[i].kind == ANYPI_OP_SEND;
    }
    anypi_program_free(&program);
    anypi_set_free(set, v->call.p);
    return count;
}

/* Small pieces of a message are joined: there are no more messages than the model counts. Large
 * ones are not. */
START_TEST(test_joined_pieces)
{
    static const char *const names[] = { "exchange", "multiport", "pipelines" };
    bool cut = false;
    for (int p = 2; p <= max_p(24); p++)
        for (int i = 0; i < 6; i++) {
            const int64_t block = i / 3 ? 1 << 20 : 8;
            variant v = { .algorithm = anyp_algorithm_find(names[i % 3]),
                          .call = { .collective = ANYP_ALLGATHERV, .p = p, .count = p * block,
                                    .type_size = 1, .commutative = true } };
            anyp_parameters_default(v.algorithm, v.parameters);
            v.parameters[i % 3 == 0] = 3;       /* radix */
            if (i % 3 == 2) {                   /* three parts */
                v.call.largest = v.call.count;
                v.parameters[0] = (int) (v.call.count / 3);
            }
            const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
            const int64_t started = started_messages(&v);
            assert_often(started == (i / 3 ? s.total.pieces : s.total.messages),
                         "%s: %lld messages, %lld pieces, %lld started", variant_text(&v),
                         (long long) s.total.messages, (long long) s.total.pieces,
                         (long long) started);
            cut = cut || s.total.pieces > s.total.messages;
        }
    ck_assert(cut);
}
END_TEST

Suite *suite_messages(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("messages", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, test_same_for_all, 0, algorithms);
    tcase_add_test(tests, test_joined_pieces);
    return suite;
}
