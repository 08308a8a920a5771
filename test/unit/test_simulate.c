/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_simulate.c - the engine, counts and times of hand-made schedules, computed by hand here.
 */
#include "unit/common.h"

#include "analysis/pieces.h"
#include "analysis/replay.h"
#include "analysis/simulate.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdio.h>

static const anyp_model unit_model = { .alpha = 1000, .beta = 1, .gamma = 0.5, .overhead = 10 };

/* The time of a set over n blocks of 1, 2, ..., n bytes. */
static double time_of(int p, int n, const char *const *texts, const anyp_model *model)
{
    int64_t starts[9] = { 0 };
    for (int i = 0; i < n; i++)
        starts[i + 1] = starts[i] + i + 1;
    const anypi_partition partition = { n, starts[n], starts, 1 };
    anypi_simulation simulation;
    anyp_schedule *set = set_from_text(p, n, texts);
    ck_assert_int_eq(anypi_simulate(set, p, &partition, 1, model, &simulation), ANYP_SUCCESS);
    anypi_set_free(set, p);
    return simulation.time;
}

START_TEST(counts)
{
    static const char *const texts[] = {
        ">1 I0-1 >2 I0-2 >1 I2-3 <1 A0-3 +A0-3 O0-3 =O0-1 A3-4 | >1 I0-1 <2 B4-5 =B4-5 A1-2" };
    const int64_t starts[] = { 0, 5, 5, 12 };
    const anypi_partition partition = { 3, 12, starts, 1 };
    anyp_schedule *set = set_from_text(1, 3, texts);
    set[0].p = 3;               /* it has peers 1 and 2 */
    const anypi_layout layout = anypi_layout_of(&set[0], &partition, NULL);
    const anypi_counts c = count_schedule(&set[0], &layout, 4);
    ck_assert_int_eq(c.rounds, 2);
    ck_assert_int_eq(c.messages, 3);
    ck_assert_int_eq(c.pieces, 4);
    ck_assert_int_eq(c.bytes_sent, 4 * (5 + 5 + 7 + 5));
    ck_assert_int_eq(c.bytes_received, 4 * (12 + 0));
    ck_assert_int_eq(c.bytes_reduced, 4 * 12);
    ck_assert_int_eq(c.bytes_copied, 4 * (5 + 0));
    ck_assert_int_eq(c.bytes_scratch, 4 * (12 + 5 + 0));
    anypi_set_free(set, 1);
}
END_TEST

START_TEST(most_and_total)
{
    static const char *const texts[] = { ">1 I0-1 | >2 I0-1 | >1 I0-1",
                                         "<0 A0-1 | <0 A0-1 =A0-1 O0-1", "<0 A0-1 +A0-1 O0-1" };
    const anypi_partition partition = { .blocks = 1, .count = 10 };
    anypi_simulation s;
    anyp_schedule *set = set_from_text(3, 1, texts);
    ck_assert_int_eq(anypi_simulate(set, 3, &partition, 2, &unit_model, &s), ANYP_SUCCESS);
    ck_assert_int_eq(s.most.rounds, 3);
    ck_assert_int_eq(s.most.bytes_sent, 60);
    ck_assert_int_eq(s.most.bytes_received, 40);
    ck_assert_int_eq(s.most.bytes_copied, 20);
    ck_assert_int_eq(s.total.rounds, 6);
    ck_assert_int_eq(s.total.messages, 3);
    ck_assert_int_eq(s.total.bytes_sent, 60);
    ck_assert_int_eq(s.total.bytes_received, 60);
    ck_assert_int_eq(s.total.bytes_reduced, 20);
    ck_assert_int_eq(s.total.bytes_scratch, 40);
    anypi_set_free(set, 3);
}
END_TEST

/* Blocks of 1, 2 and 3 bytes; scratch begins with the last. */
START_TEST(order_of_scratch)
{
    static const char *const texts[] = { "@2 0 1 >1 I2-3 >1 I0-1",
                                         "@2 0 1 <0 A0-1 <0 A1-2 =A0-1 O2-3" };
    const int64_t starts[] = { 0, 1, 3, 6 };
    const anypi_partition given = { 3, 6, starts, 1 }, balanced = { .blocks = 3, .count = 5 };
    anypi_simulation s;
    anyp_schedule *set = set_from_text(2, 3, texts);
    ck_assert_int_eq(anypi_simulate(set, 2, &given, 1, &unit_model, &s), ANYP_SUCCESS);
    ck_assert_int_eq(s.total.bytes_sent, 4);
    ck_assert_int_eq(s.total.bytes_received, 4);
    ck_assert_int_eq(s.total.bytes_copied, 3);
    ck_assert_int_eq(s.total.bytes_scratch, 4);
    ck_assert_int_eq(anypi_simulate(set, 2, &balanced, 1, &unit_model, &s), ANYP_SUCCESS);
    ck_assert_int_eq(s.total.bytes_received, 2 + 1);
    anypi_set_free(set, 2);
}
END_TEST

static void assert_time(int p, int n, const char *const *texts, double expected)
{
    ck_assert_double_eq_tol(time_of(p, n, texts, &unit_model), expected, 1e-9);
}

START_TEST(times)
{
    /* one message of 3 bytes and its reduction */
    assert_time(2, 2, (const char *const[]) { ">1 I0-2", "<0 A0-2 +A0-2 O0-2" },
                1000 + 2 * 10 + 3 + 0.5 * 3);
    /* both directions at once */
    assert_time(2, 2, (const char *const[]) { ">1 I0-2 <1 A0-1", "<0 A0-2 >0 I0-1" }, 1023);
    /* one after the other: the second waits for the first */
    assert_time(3, 1, (const char *const[]) { ">1 I0-1", "<0 A0-1 | >2 I0-1", "<1 A0-1" }, 2042);
    /* two messages into one rank share its port, and hold up both senders */
    assert_time(3, 2, (const char *const[]) { "<1 A0-1 <2 A1-2", ">0 I0-1 | <2 A0-1",
                                              ">0 I1-2 | >1 I0-1" }, 1043 + 1021);
    /* two pieces of one message: one latency, one overhead */
    assert_time(2, 2, (const char *const[]) { "<1 A0-1 <1 A1-2", ">0 I0-1 >0 I1-2" }, 1023);
    /* a late rank holds up only those who wait for it: its reduction, a message, another one */
    assert_time(3, 3, (const char *const[]) {
                "+I0-3 O0-3 | >1 I0-1", "<2 A0-1 | <0 A3-4", ">1 I0-1" }, 1021 + 1021);
    assert_time(3, 3, (const char *const[]) {
                "+I0-3 O0-3 | >1 I0-1", "<0 A0-1 | <2 A3-4", ">1 I0-1" }, 3 + 1021 + 1021);
    /* copies take no time, no ranks neither */
    assert_time(1, 3, (const char *const[]) { "=I0-3 O0-3" }, 0);
    assert_time(1, 3, (const char *const[]) { "" }, 0);
}
END_TEST

/* All messages at once, and ports are shared. Alone, a message takes 2.5 and its bytes. */
START_TEST(eager_times)
{
    static const anyp_model eager = { .alpha = 2, .beta = 1, .gamma = 0.5, .overhead = 0.25,
                                      .eager = true };
    static const struct {
        int p, n;
        const char *texts[5];
        double expected;
    } examples[] = {
        { 1, 3, { "+I0-3 O0-3 | +I0-1 O0-1" }, 3.5 },
        { 2, 2, { ">1 I0-2", "<0 A0-2 +A0-2 O0-2" }, 5.5 + 1.5 },
        /* both directions do not hinder each other; a chain */
        { 2, 2, { ">1 I0-2 <1 A0-1", "<0 A0-2 >0 I0-1" }, 5.5 },
        { 3, 2, { ">1 I0-2", "<0 A0-2 | >2 A0-2", "<1 A0-2" }, 5.5 + 5.5 },
        /* two into one port: both are there at 4.25, and are received one after the other */
        { 3, 1, { "<1 A0-1 <2 A1-2", ">0 I0-1", ">0 I0-1" }, 4.25 + 2 * 0.25 },
        /* two out of one port, from 2.25 and from 2.5 on: 2 bytes are there at 6, 5 bytes at 9.25;
         * rank 1 has time to reduce 12 bytes more */
        { 3, 3, { ">1 I1-2 >2 I1-3", "<0 A0-1", "<0 A0-2" }, 9.25 + 0.25 },
        { 3, 3, { ">1 I1-2 >2 I1-3", "<0 A0-1 +I0-3 O0-3 +I0-3 O0-3", "<0 A0-2" }, 6.25 + 6 },
        /* pieces are messages of their own */
        { 2, 2, { ">1 I0-1 >1 I1-2", "<0 A0-1 <0 A1-2" }, 5.25 + 0.25 },
        /* a rank that only sends runs ahead: its messages flow together */
        { 2, 2, { "<1 A0-1 +A0-1 O0-1 | <1 A1-2", ">0 I0-1 | >0 I1-2" }, 5.25 + 0.25 },
        /* the receiver is late: the message is there */
        { 2, 3, { "+I0-3 O0-3 +I0-3 O0-3 | <1 A0-1", ">0 I0-1" }, 6 + 0.25 },
        /* a fast rank's message for round 1 (from 2.25 on) shares the port with a slow one's for
         * round 0 (from 3.75 on, there at 8.25), which rank 2 then reduces */
        { 3, 2, { ">2 I0-2", "+I0-2 O0-2 | >2 I0-2", "<1 A0-2 +A0-2 O0-2 | <0 A0-2" },
          8.25 + 0.25 + 1.5 + 0.25 },
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const double time = time_of(examples[i].p, examples[i].n, examples[i].texts, &eager);
        ck_assert_msg(time == examples[i].expected, "example %d: %g, not %g", (int) i, time,
                      examples[i].expected);
    }
}
END_TEST

/* Three into rank 0, a third of its port each; rank 3 has two thirds left for rank 4, and later all
 * or a half. */
START_TEST(eager_rates)
{
    static const anyp_model eager = { .alpha = 2, .beta = 1, .gamma = 0.5, .eager = true };
    /* after 3 all three have ended, and 3 of 5 bytes are left for rank 4 */
    ck_assert_double_eq_tol(time_of(5, 3, (const char *const[]) {
        "<1 A0-1 <2 A1-2 <3 A2-3", ">0 I0-1", ">0 I0-1", ">0 I0-1 >4 I1-3", "<3 A1-3" },
        &eager), 2 + 3 + 3, 1e-9);
    /* after 3 two have ended; 2 more bytes of the third take 4, and rank 0 reduces 6 bytes */
    ck_assert_double_eq_tol(time_of(5, 3, (const char *const[]) {
        "<1 A0-1 <2 A1-2 <3 A2-3 +I0-3 O0-3", ">0 I0-1", ">0 I0-1", ">0 I2-3 >4 I1-3",
        "<3 A1-3" }, &eager), 2 + 3 + 4 + 3, 1e-9);
}
END_TEST

/* Ranks 0 and 1, and 2 and 3, share a link to the others, which has the rate of 2 / taper ports. */
START_TEST(eager_groups)
{
    static const struct {
        double taper;
        const char *texts[4];
        double expected;
    } examples[] = {
        /* nothing leaves a group */
        { 4, { ">1 I0-2", "<0 A0-2", ">3 I0-1", "<2 A0-1" }, 2 + 3 },
        /* one message alone, by a wide link and by one of half a port */
        { 1, { ">2 I0-2", "", "<0 A0-2", "" }, 2 + 3 },
        { 4, { ">2 I0-2", "", "<0 A0-2", "" }, 2 + 6 },
        /* half of a link each: 1 byte at 4; then rank 0 has the link alone for 2 more */
        { 2, { ">2 I0-2", ">3 I0-1", "<0 A0-2", "<1 A0-1" }, 4 + 2 },
        /* the other direction is another link */
        { 2, { ">2 I0-2", "<3 A0-1", "<0 A0-2", ">1 I0-1" }, 2 + 3 },
        /* a sixth of a port each until 8; meanwhile rank 0 sends inside its group at 5/6: of 5
         * bytes there is nothing left either */
        { 6, { ">2 I0-1 >1 I1-3", ">3 I0-1 <0 A1-3", "<0 A0-1", "<1 A0-1" }, 2 + 6 },
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const anyp_model model = { .alpha = 2, .beta = 1, .eager = true, .group = 2,
                                   .taper = examples[i].taper };
        const double time = time_of(4, 5, examples[i].texts, &model);
        ck_assert_msg(fabs(time - examples[i].expected) < 1e-9, "example %d: %g, not %g", (int) i,
                      time, examples[i].expected);
    }
}
END_TEST

/* Two groups of two switches of two nodes of one rank. Four blocks have ten bytes. */
START_TEST(eager_heights)
{
    static const struct {
        const char *texts[8];
        double expected;
    } examples[] = {
        { { ">1 I0-4", "<0 A0-4" }, 1 + 10 },
        /* between switches, at the rate of a port; between groups, at a quarter of it */
        { { ">3 I0-4", "", "", "<0 A0-4" }, 2 + 10 },
        { { ">7 I0-4", "", "", "", "", "", "", "<0 A0-4" }, 4 + 40 },
        /* both of a switch to the other: half of a link each; so do those of the other way */
        { { ">2 I0-4", ">3 I0-4", "<0 A0-4", "<1 A0-4" }, 2 + 20 },
        { { ">2 I0-4", "<3 A0-4", "<0 A0-4", ">1 I0-4" }, 2 + 10 },
        /* one each across the top: a sixteenth of a port each */
        { { ">4 I0-4", ">5 I0-4", ">6 I0-4", ">7 I0-4", "<0 A0-4", "<1 A0-4", "<2 A0-4",
            "<3 A0-4" }, 4 + 160 },
        /* rank 0's message has sent 2 at 4, then 3/4 of the switch's link until 8 */
        { { ">2 I0-4", ">4 I0-1", "<0 A0-4", "", "<1 A0-1" }, 8 + 5 },
    };
    const char *reason;
    anyp_shape *shape = anypi_shape_read("2x(2x(2x1))", 8, &reason);
    const anyp_model model = { .alpha = 1, .beta = 1, .eager = true, .nodes = shape, .cards = 1,
                               .above = { { .alpha = 2, .beta = 1 }, { .alpha = 4, .beta = 4 } } };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *texts[8];
        for (int rank = 0; rank < 8; rank++)
            texts[rank] = examples[i].texts[rank] ? examples[i].texts[rank] : "";
        const double time = time_of(8, 4, texts, &model);
        ck_assert_msg(fabs(time - examples[i].expected) < 1e-9, "example %d: %g, not %g", (int) i,
                      time, examples[i].expected);
    }
    anypi_shape_free(shape);
}
END_TEST

/* Empty messages are not sent, since the other end also knows the sizes. */
START_TEST(eager_empty_messages)
{
    static const anyp_model eager = { .alpha = 2, .beta = 1, .overhead = 0.25, .eager = true };
    static const char *const texts[] = { ">1 I0-1 | >1 I1-2", "<0 A0-1 | <0 A1-2" };
    const anypi_partition partition = { .blocks = 2, .count = 1 };
    anypi_simulation s;
    anyp_schedule *set = set_from_text(2, 2, texts);
    ck_assert_int_eq(anypi_simulate(set, 2, &partition, 1, &eager, &s), ANYP_SUCCESS);
    ck_assert_double_eq(s.time, 0.25 + 2 + 1 + 0.25);
    anypi_set_free(set, 2);
}
END_TEST

/* Rank 1 enters last. What it sends takes as long as ever; what it receives eagerly is there. */
START_TEST(late_ranks)
{
    static const char *const from_late[] = { "<1 A0-2", ">0 I0-2" };
    static const char *const to_late[] = { ">1 I0-2", "<0 A0-2" };
    const anyp_model plain = { .alpha = 2, .beta = 1, .overhead = 0.25, .skew = 100 };
    anyp_model eager = plain;
    eager.eager = true;
    ck_assert_double_eq(anypi_entry(&plain, 0), 0);
    ck_assert_double_eq_tol(anypi_entry(&plain, 1), 61.8, 0.1);
    ck_assert_double_eq_tol(time_of(2, 2, from_late, &plain), 5.5, 1e-9);
    ck_assert_double_eq_tol(time_of(2, 2, from_late, &eager), 5.5, 1e-9);
    ck_assert_double_eq_tol(time_of(2, 2, to_late, &plain), 5.5, 1e-9);
    ck_assert_double_eq_tol(time_of(2, 2, to_late, &eager), 0.25, 1e-9);
}
END_TEST

START_TEST(several_models_at_once)
{
    static const char *const texts[] = { ">1 I0-1 <2 A0-1 | +A0-1 O0-1", "<0 A0-1 >2 I1-2",
                                         ">0 I0-1 <1 A1-2 +A1-2 A1-2" };
    const anyp_model models[] = { { .alpha = 1 }, { .beta = 3 },
                                  { .alpha = 1, .beta = 3, .eager = true, .skew = 9 }, unit_model };
    const anypi_partition partition = { .blocks = 2, .count = 10 };
    anypi_simulation one, all;
    double clocks[4];
    anyp_schedule *set = set_from_text(3, 2, texts);
    ck_assert_int_eq(anypi_simulate_models(set, 3, &partition, 2, models, 4, &all, clocks),
                     ANYP_SUCCESS);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(anypi_simulate(set, 3, &partition, 2, &models[i], &one), ANYP_SUCCESS);
        ck_assert_double_eq(clocks[i], one.time);
        ck_assert_int_eq(all.total.bytes_sent, one.total.bytes_sent);
    }
    ck_assert_double_eq(all.time, 1);
    ck_assert_double_eq(clocks[1], 3 * 10);
    ck_assert_int_eq(all.total.messages, 3);
    anypi_set_free(set, 3);
}
END_TEST

START_TEST(wrong_sets)
{
    const anypi_partition partition = { .blocks = 1, .count = 10 };
    anypi_simulation s;
    const char *const sets[][2] = { { ">1 I0-1", "" }, { "", "<0 A0-1" }, { ">0 I0-1", "" },
                                    { ">1 I0-1 | <1 A0-1", ">0 I0-1 | <0 A0-1" } };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        anyp_schedule *set = set_from_text(2, 1, sets[i]);
        ck_assert_int_eq(anypi_simulate(set, 2, &partition, 1, &unit_model, &s),
                         ANYP_ERR_SCHEDULE);
        anypi_set_free(set, 2);
    }
}
END_TEST

/* Records the engine's calls. */
typedef struct story {
    char text[200];
    size_t used;
    int left;                   /* events until the visitor ends the run */
} story;

static anyp_status tell_moved(void *state, const anypi_message *m)
{
    story *s = state;
    s->used += (size_t) snprintf(s->text + s->used, sizeof s->text - s->used,
                                 "%d.%d.%d>%d.%d.%d/%d ", m->from, m->from_round, m->from_step,
                                 m->to, m->to_round, m->to_step, m->piece);
    return --s->left ? ANYP_SUCCESS : ANYP_ERR_FILE;
}

static anyp_status tell_finished(void *state, int rank, int round)
{
    story *s = state;
    s->used += (size_t) snprintf(s->text + s->used, sizeof s->text - s->used, "%d.%d ", rank,
                                 round);
    return --s->left ? ANYP_SUCCESS : ANYP_ERR_FILE;
}

START_TEST(engine)
{
    static const char *const texts[] = { ">1 I0-1 >1 I1-2 | >1 I0-1", "<0 A0-1 <0 A1-2 | <0 A0-1" };
    static const char whole[] = "0.0.0>1.0.0/0 0.0.1>1.0.1/1 ";
    char reason[100];
    anyp_schedule *set = set_from_text(2, 2, texts);
    story s = { .left = 100 };
    const anypi_visitor visitor = { &s, tell_moved, tell_finished };
    ck_assert_int_eq(anypi_replay(set, 2, &visitor, reason, sizeof reason), ANYP_SUCCESS);
    ck_assert_mem_eq(s.text, whole, sizeof whole - 1);
    ck_assert_int_eq(100 - s.left, 3 + 4);
    for (int events = 1; events <= 7; events++) {
        s = (story) { .left = events };
        ck_assert_int_eq(anypi_replay(set, 2, &visitor, reason, sizeof reason), ANYP_ERR_FILE);
        ck_assert_int_eq(s.left, 0);
    }
    anypi_set_free(set, 2);
}
END_TEST

Suite *suite_simulate(void)
{
    TCase *tests;
    Suite *suite = suite_of("simulate", &tests);
    tcase_add_test(tests, engine);
    tcase_add_test(tests, counts);
    tcase_add_test(tests, most_and_total);
    tcase_add_test(tests, order_of_scratch);
    tcase_add_test(tests, times);
    tcase_add_test(tests, eager_times);
    tcase_add_test(tests, eager_rates);
    tcase_add_test(tests, eager_groups);
    tcase_add_test(tests, eager_heights);
    tcase_add_test(tests, eager_empty_messages);
    tcase_add_test(tests, late_ranks);
    tcase_add_test(tests, several_models_at_once);
    tcase_add_test(tests, wrong_sets);
    return suite;
}
