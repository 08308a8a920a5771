/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_early.c - a part of a round that begins early changes no data that is still needed, and
 * needs no later result: checked step by step for the schedules of all algorithms.
 */
#include "unit/common.h"

#include "schedule/early.h"
#include "schedule/set.h"

/* Do they name the same memory? `overlaid` as in early.h. */
static bool meet(anyp_slice a, anyp_slice b, bool overlaid)
{
    if (overlaid && a.buffer <= ANYP_OUT && b.buffer <= ANYP_OUT && a.buffer != b.buffer)
        return true;
    return a.buffer == b.buffer && a.first < b.end && b.first < a.end;
}

/* Must `message` wait for the end of `step`, which comes first? */
static bool must_wait(const anyp_step *step, const anyp_step *message, bool overlaid)
{
    const bool reads = step->kind != ANYP_RECV, writes = step->kind != ANYP_SEND;
    if (message->kind == ANYP_SEND)
        return writes && meet(step->to, message->from, overlaid);
    return (writes && meet(step->to, message->to, overlaid)) ||
        (reads && meet(step->from, message->to, overlaid));
}

/* Of a round and a later one: must messages of the later one (all, or the receives only) wait for
 * steps of the round (all, or the local ones only)? */
static bool depends(const anyp_schedule *s, int round, int later, bool receives_and_local,
                    bool overlaid)
{
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        if (receives_and_local && anypi_is_message(&s->steps[i]))
            continue;
        for (int k = s->round_start[later]; k < s->round_start[later + 1]; k++)
            if (s->steps[k].kind == ANYP_RECV ||
                (s->steps[k].kind == ANYP_SEND && !receives_and_local))
                if (must_wait(&s->steps[i], &s->steps[k], overlaid))
                    return true;
    }
    return false;
}

typedef struct tally {
    kept_set set;
    int receives, messages;     /* rounds that begin early */
} tally;

static void look(const variant *v, void *state)
{
    tally *t = state;
    const bool overlaid = v->call.in_place && anypi_scatters(&v->call);
    const anyp_schedule *set = variant_set_again(v, &t->set);
    for (int rank = 0; rank < v->call.p; rank++) {
        const anyp_schedule *s = &set[rank];
        for (int round = 0; round + 1 < s->rounds; round++) {
            if (anypi_begins_early(s, round, round + 1, true, overlaid)) {
                t->receives++;
                assert_often(!depends(s, round, round + 1, true, overlaid),
                             "%s: rank %d, round %d: receives of the next one begin too early",
                             variant_text(v), rank, round);
            }
            for (int later = round + 1; later < s->rounds && later <= round + s->overlap; later++)
                if (anypi_begins_early(s, round, later, false, overlaid)) {
                    t->messages++;
                    assert_often(!depends(s, round, later, false, overlaid),
                                 "%s: rank %d, round %d: round %d begins too early",
                                 variant_text(v), rank, round, later);
                }
        }
    }
}

START_TEST(test_nothing_is_disturbed)
{
    int count;
    tally t = { .receives = 0 };
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    for (int p = 1; p <= 20; p++)
        if (is_tried(p, 20))
            each_variant(algorithm, p, look, &t);
    kept_set_free(&t.set);
}
END_TEST

/* It does happen: with several lanes, a round of another one begins. */
START_TEST(test_lanes_overlap)
{
    tally t = { .receives = 0 };
    variant v = { .algorithm = anyp_algorithm_find("bi_greedy"),
                  .call = { .collective = ANYP_REDUCE, .p = 13, .count = 64, .type_size = 1,
                            .commutative = true },
                  .parameters = { 1, 1 } };
    look(&v, &t);
    ck_assert_int_gt(t.receives, 0);
    ck_assert_int_eq(t.messages, 0);
    v.parameters[1] = 2;
    look(&v, &t);
    ck_assert_int_gt(t.messages, 13 * 64 / 2);
    kept_set_free(&t.set);
}
END_TEST

Suite *suite_early(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("early", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, test_nothing_is_disturbed, 0, algorithms);
    tcase_add_test(tests, test_lanes_overlap);
    return suite;
}
