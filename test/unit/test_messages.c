/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_messages.c - the messages of a call are the same for ranks in place and others, so that a
 * call may mix them, as reduce does.
 */
#include "unit/common.h"

/* The next message of a schedule from step i on, or steps_count. */
static int next_message(const anyp_schedule *schedule, int i)
{
    while (i < schedule->steps_count && schedule->steps[i].kind != ANYP_SEND &&
           schedule->steps[i].kind != ANYP_RECV)
        i++;
    return i;
}

static bool same_message(const anyp_step *a, const anyp_step *b, int blocks)
{
    const anyp_slice x = a->kind == ANYP_SEND ? a->from : a->to;
    const anyp_slice y = b->kind == ANYP_SEND ? b->from : b->to;
    return a->kind == b->kind && a->peer == b->peer && x.end - x.first == y.end - y.first &&
        (x.first - y.first) % blocks == 0;
}

/* Two sets, each in the memory of the last one, and how many messages were compared. */
typedef struct comparison {
    kept_set plain, in_place;
    int compared;
} comparison;

static void compare(const variant *v, void *state)
{
    variant other = *v;
    comparison *c = state;
    if (v->call.in_place)
        return;
    other.call.in_place = true;
    const anyp_schedule *set = variant_set_again(v, &c->plain);
    const anyp_schedule *other_set = variant_set_again(&other, &c->in_place);
    for (int rank = 0; rank < v->call.p; rank++) {
        const anyp_schedule *a = &set[rank], *b = &other_set[rank];
        int i = next_message(a, 0), k = next_message(b, 0);
        assert_often(a->blocks == b->blocks, "%s: %d or %d blocks", variant_text(v), a->blocks,
                     b->blocks);
        for (; i < a->steps_count && k < b->steps_count;
             i = next_message(a, i + 1), k = next_message(b, k + 1)) {
            assert_often(same_message(&a->steps[i], &b->steps[k], a->blocks),
                         "%s: rank %d's step %d is another message in place (step %d)",
                         variant_text(v), rank, i, k);
            c->compared++;
        }
        assert_often(i == a->steps_count && k == b->steps_count,
                     "%s: rank %d has more messages one way", variant_text(v), rank);
    }
}

START_TEST(test_in_place)
{
    int count;
    comparison c = { .compared = 0 };
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= 70; p++)
        if (is_tried(p, 33))
            each_variant(algorithm, p, compare, &c);
    ck_assert_int_gt(c.compared, 0);
    kept_set_free(&c.plain);
    kept_set_free(&c.in_place);
}
END_TEST

Suite *suite_messages(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("messages", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, test_in_place, 0, algorithms);
    return suite;
}
