/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_schedule.c - the builder.
 */
#include "unit/common.h"

#include "schedule/memory.h"

START_TEST(steps_and_rounds)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    anypi_schedule_begin(&s, 5, 2, 10);
    anypi_send(&s, 1, anypi_slice(ANYP_IN, 0, 4));
    anypi_recv(&s, 3, anypi_slice(ANYP_OUT, 4, 10));
    anypi_round(&s);
    anypi_reduce(&s, anypi_slice(ANYP_IN, 0, 2), anypi_slice(ANYP_OUT, 0, 2));
    anypi_copy(&s, anypi_slice(ANYP_OUT, 3, 4), anypi_slice(ANYP_SCRATCH, 3, 4));
    ck_assert_int_eq(anypi_schedule_end(&s), ANYP_SUCCESS);

    ck_assert_int_eq(s.p, 5);
    ck_assert_int_eq(s.rank, 2);
    ck_assert_int_eq(s.blocks, 10);
    ck_assert_int_eq(s.rounds, 2);
    ck_assert_int_eq(s.steps_count, 4);
    ck_assert_int_eq(s.round_start[0], 0);
    ck_assert_int_eq(s.round_start[1], 2);
    ck_assert_int_eq(s.round_start[2], 4);
    ck_assert_int_eq(s.steps[0].kind, ANYP_SEND);
    ck_assert_int_eq(s.steps[0].peer, 1);
    ck_assert_int_eq(s.steps[0].from.end, 4);
    ck_assert_int_eq(s.steps[1].kind, ANYP_RECV);
    ck_assert_int_eq(s.steps[1].to.first, 4);
    ck_assert_int_eq(s.steps[2].kind, ANYP_REDUCE_LOCAL);
    ck_assert_int_eq(s.steps[2].peer, -1);
    ck_assert_int_eq(s.steps[3].kind, ANYP_COPY);
    ck_assert_int_eq(s.steps[3].to.buffer, ANYP_SCRATCH);
    anyp_schedule_free(&s);
    ck_assert_ptr_null(s.steps);
}
END_TEST

START_TEST(nothing_empty)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    anypi_schedule_begin(&s, 2, 0, 4);
    anypi_round(&s);
    anypi_round(&s);
    anypi_send(&s, 1, anypi_slice(ANYP_IN, 2, 2));
    anypi_recv(&s, 1, anypi_slice(ANYP_SCRATCH, 3, 2));
    anypi_reduce(&s, anypi_slice(ANYP_IN, 0, 0), anypi_slice(ANYP_OUT, 0, 0));
    anypi_copy(&s, anypi_slice(ANYP_IN, 0, 0), anypi_slice(ANYP_OUT, 0, 0));
    anypi_round(&s);
    ck_assert_int_eq(anypi_schedule_end(&s), ANYP_SUCCESS);
    ck_assert_int_eq(s.rounds, 0);
    ck_assert_int_eq(s.steps_count, 0);
    ck_assert_int_eq(s.scratch_count, 0);
    anyp_schedule_free(&s);
}
END_TEST

START_TEST(scratch_grows)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    anypi_schedule_begin(&s, 2, 0, 4);
    anypi_recv(&s, 1, anypi_slice(ANYP_SCRATCH + 1, 5, 7));
    anypi_round(&s);
    anypi_recv(&s, 1, anypi_slice(ANYP_SCRATCH + 1, 2, 3));
    anypi_copy(&s, anypi_slice(ANYP_SCRATCH + 1, 5, 6), anypi_slice(ANYP_SCRATCH, 9, 10));
    ck_assert_int_eq(anypi_schedule_end(&s), ANYP_SUCCESS);
    ck_assert_int_eq(s.scratch_count, 2);
    ck_assert_int_eq(s.scratch[0].first, 9);
    ck_assert_int_eq(s.scratch[0].end, 10);
    ck_assert_int_eq(s.scratch[1].first, 2);
    ck_assert_int_eq(s.scratch[1].end, 7);
    anyp_schedule_free(&s);
}
END_TEST

START_TEST(too_many_scratch_buffers)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    anypi_schedule_begin(&s, 2, 0, 4);
    anypi_recv(&s, 1, anypi_slice(ANYP_SCRATCH + ANYP_MAX_SCRATCH, 0, 1));
    ck_assert_int_eq(anypi_schedule_end(&s), ANYP_ERR_ARGUMENT);
    anyp_schedule_free(&s);
}
END_TEST

static void add_rounds(anyp_schedule *s, int rounds)
{
    anypi_schedule_begin(s, 2, 0, 1);
    for (int i = 0; i < rounds; i++) {
        anypi_send(s, 1, anypi_slice(ANYP_IN, 0, 1));
        anypi_round(s);
    }
}

START_TEST(long_ones_and_again)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    for (int rounds = 5000; rounds > 0; rounds /= 3) {
        add_rounds(&s, rounds);
        ck_assert_int_eq(anypi_schedule_end(&s), ANYP_SUCCESS);
        ck_assert_int_eq(s.rounds, rounds);
        ck_assert_int_eq(s.steps_count, rounds);
        ck_assert_int_eq(s.round_start[rounds], rounds);
    }
    const anyp_step *steps = s.steps;
    add_rounds(&s, 100);
    ck_assert_ptr_eq(s.steps, steps);   /* its memory is used again */
    anyp_schedule_free(&s);
}
END_TEST

START_TEST(order_of_scratch)
{
    anyp_schedule s;
    anyp_schedule_init(&s);
    anypi_schedule_begin(&s, 2, 0, 4);
    ck_assert_ptr_null(s.order);
    int *order = anypi_schedule_order(&s);
    ck_assert_ptr_eq(order, s.order);
    anypi_schedule_begin(&s, 2, 0, 3);
    ck_assert_ptr_null(s.order);        /* it was that of the schedule before */
    ck_assert_ptr_eq(anypi_schedule_order(&s), order);  /* its memory is used again */
    anypi_schedule_begin(&s, 2, 0, 1000);
    anypi_fail_allocation(0);
    ck_assert_ptr_null(anypi_schedule_order(&s));
    anypi_fail_allocation(-1);
    ck_assert_int_eq(anypi_schedule_end(&s), ANYP_ERR_MEMORY);
    anyp_schedule_free(&s);
    ck_assert_ptr_null(s.order);
}
END_TEST

START_TEST(errors_stick)
{
    for (long after = 0; after < 4; after++) {
        anyp_schedule s;
        anyp_schedule_init(&s);
        anypi_fail_allocation(after);
        add_rounds(&s, 200);
        anypi_fail_allocation(-1);
        const int steps = s.steps_count;
        anypi_send(&s, 1, anypi_slice(ANYP_IN, 0, 1));
        ck_assert_int_eq(s.steps_count, steps);
        ck_assert_int_eq(anypi_schedule_end(&s), ANYP_ERR_MEMORY);
        add_rounds(&s, 200);    /* a new begin forgets the error */
        ck_assert_int_eq(anypi_schedule_end(&s), ANYP_SUCCESS);
        anyp_schedule_free(&s);
    }
}
END_TEST

Suite *suite_schedule(void)
{
    TCase *tests;
    Suite *suite = suite_of("schedule", &tests);
    tcase_add_test(tests, steps_and_rounds);
    tcase_add_test(tests, nothing_empty);
    tcase_add_test(tests, scratch_grows);
    tcase_add_test(tests, too_many_scratch_buffers);
    tcase_add_test(tests, long_ones_and_again);
    tcase_add_test(tests, order_of_scratch);
    tcase_add_test(tests, errors_stick);
    return suite;
}
