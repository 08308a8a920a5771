/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_execute.c - programs and the loop of the back ends.
 */
#include "unit/transport.h"

#include "execute/workspace.h"

/* What a schedule is carried out on. */
typedef struct buffers {
    anypi_placement vector;
    void *in, *out, *scratch;
} buffers;

/* The program of one rank's schedule of text. */
static void make(const char *text, int overlap, const anypi_placement *vector,
                 anypi_program *program)
{
    anyp_schedule *set = set_from_text(1, vector->partition.blocks, &text);
    set->overlap = overlap;
    anypi_program_init(program);
    ck_assert_int_eq(anypi_program_make(program, set, vector), ANYP_SUCCESS);
    anypi_set_free(set, 1);
}

/* Runs one rank's schedule of text over buffers. */
static void run(const char *text, const buffers *on, anypi_transport *transport)
{
    anypi_request requests[64] = { 0 };
    anypi_program program;
    char *const areas[ANYPI_AREAS] = { on->in, on->out, on->scratch };
    make(text, transport->overlap, &on->vector, &program);
    ck_assert_int_le(program.requests, 64);
    transport->said[0] = '\0';
    transport->extent = on->vector.element.extent;
    anypi_execute(&program, areas, transport, requests);
    for (int i = 0; i < program.requests; i++)
        ck_assert(requests[i] != SENDS && requests[i] != RECEIVES);
    anypi_program_free(&program);
}

/* Of 32-bit numbers. */
static anypi_placement vector_of(int blocks, int64_t count, const int64_t *starts)
{
    return (anypi_placement) { .partition = { .blocks = blocks, .count = count, .starts = starts },
                           .element = { 0, 4, 4 } };
}

START_TEST(receives_then_sends_then_local)
{
    int32_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[8] = { 10, 20, 30, 40, 50, 60, 70, 80 };
    const buffers on = { .vector = vector_of(4, 8, NULL), .in = in, .out = out };
    anypi_transport transport = { .origin = (char *) out };
    run(">1 O0-1 <2 O1-3 <9 O3-4 | +I0-2 O0-2 =O0-1 O3-4", &on, &transport);
    ck_assert_str_eq(transport.said, "<2@2:4 <9@6:2 >1@0:2 wait3 +0@0:4 ");
    const int32_t expected[8] = { 11, 22, 33, 44, 50, 60, 11, 22 };
    ck_assert_mem_eq(out, expected, sizeof out);
}
END_TEST

START_TEST(nothing_without_elements)
{
    int32_t out[2] = { 0 };
    const int64_t starts[] = { 0, 0, 2, 2, 2 };
    const buffers on = { .vector = vector_of(4, 2, starts), .in = out, .out = out };
    anypi_transport transport = { .origin = (char *) out };
    run(">1 I0-1 <2 O2-4 | >1 I0-2 +I2-4 O2-4", &on, &transport);
    ck_assert_str_eq(transport.said, ">1@0:2 wait1 ");
}
END_TEST

/* The next round's receives begin before the local steps, but not where these read or write. */
START_TEST(receives_begin_early)
{
    static int32_t memory[3 * 4096];
    buffers on = { .vector = vector_of(4, 4096, NULL), .in = memory, .out = memory + 4096,
                   .scratch = memory + 8192 };
    anypi_transport transport = { .origin = (char *) memory };
    run(">1 I0-1 <1 A0-1 +I0-1 A0-1 | >2 A0-1 <2 A1-2 +A1-2 O0-1", &on, &transport);
    ck_assert_str_eq(transport.said, "<1@8192:1024 >1@0:1024 wait2 <2@9216:1024 start1 "
                     "+0@8192:1024 >2@8192:1024 wait2 +0@4096:1024 ");
    const char *const in_turn[] = {
        ">1 I0-1 <1 A0-1 +A0-1 O0-1 | >2 I0-1 <2 A0-1",     /* still read */
        ">1 I0-1 <1 A0-1 +I0-1 A0-1 | >2 A0-1 <2 A0-1",     /* still written */
    };
    for (int i = 0; i < 2; i++) {
        run(in_turn[i], &on, &transport);
        ck_assert_ptr_null(strstr(transport.said, "start"));
    }
    /* a reduce-scatter in place, where OUT may be anywhere in IN */
    on.vector.overlaid = true;
    run(">1 I2-3 <1 A1-2 +I1-2 A1-2 | <2 O1-2", &on, &transport);
    ck_assert_ptr_null(strstr(transport.said, "start"));
    on.vector.overlaid = false;
    run(">1 I2-3 <1 A1-2 +I1-2 A1-2 | <2 O1-2", &on, &transport);
    ck_assert_ptr_nonnull(strstr(transport.said, "start"));
    on.vector.partition.count = 4092;               /* it would not save enough time */
    run(">1 I2-3 <1 A1-2 +I1-2 A1-2 | <2 O1-2", &on, &transport);
    ck_assert_ptr_null(strstr(transport.said, "start"));
}
END_TEST

/* Whole rounds begin early if the schedule says so, as far as they need nothing of those before. */
START_TEST(rounds_overlap)
{
    int32_t memory[40] = { 0 };
    const char *two_lanes = "<1 A0-1 +I0-1 A0-1 | <1 A1-2 +I1-2 A1-2 | >2 A0-1 | >2 A1-2";
    const buffers on = { .vector = vector_of(4, 4, NULL), .in = memory, .out = memory + 10,
                         .scratch = memory + 20 };
    anypi_transport transport = { .origin = (char *) memory };
    run(two_lanes, &on, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 wait1 +0@20:1 <1@21:1 wait1 +0@21:1 "
                     ">2@20:1 wait1 >2@21:1 wait1 ");
    transport.overlap = 1;
    run(two_lanes, &on, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 start1 <1@21:1 start1 wait1 +0@20:1 "
                     ">2@20:1 start1 wait1 +0@21:1 >2@21:1 start1 wait1 wait1 ");
    transport.overlap = ANYP_MAX_OVERLAP;       /* the sends need what is received */
    run(two_lanes, &on, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 start1 <1@21:1 start1 wait1 +0@20:1 "
                     ">2@20:1 start1 wait1 +0@21:1 >2@21:1 start1 wait1 wait1 ");
}
END_TEST

/* Buffers start where their first block does, and hold copies of the vector one after the other. */
START_TEST(addresses)
{
    int32_t memory[32];
    const int64_t starts[] = { 0, 1, 4, 5 };
    buffers on = { .vector = vector_of(3, 5, starts), .out = memory, .scratch = memory + 8 };
    anypi_transport transport = { .origin = (char *) memory };
    on.vector.out = 1;           /* block 1 alone */
    run(">1 O1-2 <1 A2-4 <2 A4-7", &on, &transport);    /* scratch: from block 2 on */
    ck_assert_str_eq(transport.said, "<1@8:2 <2@10:5 >1@0:3 wait3 ");
}
END_TEST

/* Scratch buffers in another order: the blocks of IN and OUT stay where they are. */
START_TEST(order_of_scratch)
{
    int32_t in[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, out[10] = { 0 }, scratch[20] = { 0 };
    const int64_t starts[] = { 0, 1, 1, 4, 10 };
    const buffers on = { .vector = vector_of(4, 10, starts), .in = in, .out = out,
                         .scratch = scratch };
    anypi_transport transport = { .origin = (char *) scratch };
    run("@2 3 0 1 =I2-4 A0-2 =I0-2 A2-4 =I2-3 A4-5 | >1 A0-1 >2 A1-2 >3 A2-4 <4 A4-6 | "
        "+I2-3 A4-5 =A4-5 O2-3 =A2-4 O0-2", &on, &transport);
    ck_assert_str_eq(transport.said, "<4@10:9 >1@0:3 >2@3:6 >3@9:1 wait4 +0@10:3 ");
    const int32_t permuted[13] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 4, 6, 8 };
    const int32_t expected[10] = { 1, 4, 6, 8 };
    ck_assert_mem_eq(scratch, permuted, sizeof permuted);
    ck_assert_mem_eq(out, expected, sizeof expected);
}
END_TEST

/* Copies of a few blocks are stored one after the other, without what is between them in the
 * vector. */
START_TEST(window_of_scratch)
{
    int32_t memory[16];
    const int64_t starts[] = { 0, 1, 4, 5, 7 };
    const buffers on = { .vector = vector_of(4, 7, starts), .scratch = memory };
    anypi_transport transport = { .origin = (char *) memory };
    anypi_program program;
    const char *text = "#B1-3 <1 B1-3 <2 B5-7 <3 B10-11";
    make(text, 0, &on.vector, &program);
    ck_assert_int_eq(program.scratch, 12 * 4);
    anypi_program_free(&program);
    run(text, &on, &transport);
    ck_assert_str_eq(transport.said, "<1@0:4 <2@4:4 <3@11:1 wait3 ");
}
END_TEST

/* The same if the few blocks begin at the vector's end. */
START_TEST(window_that_wraps)
{
    int32_t memory[16];
    const int64_t starts[] = { 0, 1, 4, 5, 7 };
    const buffers on = { .vector = vector_of(4, 7, starts), .scratch = memory };
    anypi_transport transport = { .origin = (char *) memory };
    anypi_program program;
    const char *text = "#A3-5 <1 A3-5 <2 A7-9 <3 A12-13";
    make(text, 0, &on.vector, &program);
    ck_assert_int_eq(program.scratch, 9 * 4);
    anypi_program_free(&program);
    run(text, &on, &transport);
    ck_assert_str_eq(transport.said, "<1@0:3 <2@3:3 <3@8:1 wait3 ");
}
END_TEST

/* Balanced blocks need a table of starts only if some are an element larger. */
START_TEST(order_of_balanced_blocks)
{
    const char *text = "@1 2 0 =I1-3 A0-2 =I0-1 A2-3";
    const anypi_partition uneven = { .blocks = 3, .count = 8 };     /* 2, 3, 3 elements */
    const anypi_partition even = { .blocks = 3, .count = 9 };
    int64_t starts[4];
    anyp_schedule *set = set_from_text(1, 3, &text);
    ck_assert(anypi_layout_needs_starts(set, &uneven));
    ck_assert(!anypi_layout_needs_starts(set, &even));
    for (int i = 0; i < 2; i++) {
        const anypi_layout layout = anypi_layout_of(set, i ? &even : &uneven, i ? NULL : starts);
        ck_assert_int_eq(anypi_slice_elements(&layout, anypi_slice(ANYP_SCRATCH, 0, 2)), 6);
        ck_assert_int_eq(anypi_slice_elements(&layout, anypi_slice(ANYP_SCRATCH, 2, 3)), 2 + i);
        ck_assert_int_eq(anypi_slice_elements(&layout, anypi_slice(ANYP_OUT, 0, 1)), 2 + i);
        ck_assert_int_eq(anypi_scratch_elements(set, &layout, 0), 8 + i);
    }
    anypi_set_free(set, 1);
}
END_TEST

/* In place, OUT is at the start of IN's memory: the copy of a long block must not overlap. */
START_TEST(copies_in_place)
{
    int32_t memory[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const int64_t starts[] = { 0, 2, 8, 8 };
    buffers on = { .vector = vector_of(3, 8, starts), .in = memory, .out = memory };
    anypi_transport transport = { .origin = (char *) memory };
    on.vector.out = 2;
    run("=I1-2 O1-2", &on, &transport);
    const int32_t expected[8] = { 2, 3, 4, 5, 6, 7, 6, 7 };
    ck_assert_mem_eq(memory, expected, sizeof memory);

    on.vector.out = 0;           /* to itself: nothing to do */
    run("=I0-1 O0-1", &on, &transport);
    ck_assert_mem_eq(memory, expected, sizeof memory);
}
END_TEST

/* Buffers in each other's gaps are no overlap. */
START_TEST(copies_between_gaps)
{
    int32_t memory[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    buffers on = { .vector = vector_of(1, 4, NULL), .in = memory + 1, .out = memory };
    anypi_transport transport = { .origin = (char *) memory };
    on.vector.element = (anypi_element) { 0, 4, 8 };
    run("=I0-1 O0-1", &on, &transport);
    const int32_t expected[8] = { 1, 1, 3, 3, 5, 5, 7, 7 };
    ck_assert_mem_eq(memory, expected, sizeof memory);
}
END_TEST

/* Scratch buffers lie inside their memory, aligned, without overlap. Messages show the
 * addresses. */
START_TEST(scratch)
{
    const anypi_element element = elements[_i];
    anypi_placement vector = vector_of(4, 9, NULL);
    anypi_program program;
    static const int64_t sizes[] = { 6, 13, 2 };        /* elements */
    vector.element = element;
    make("<0 A0-3 <0 B1-7 <0 D2-2 | <0 C5-6", 0, &vector, &program);
    int64_t end = 0;
    int k = 0;
    for (const anypi_op *op = program.ops; op < program.ops + program.count; op++) {
        if (op->kind != ANYPI_OP_RECEIVE)
            continue;
        const int64_t last = (sizes[k] - 1) * element.extent;
        ck_assert_int_eq(op->elements, sizes[k++]);
        ck_assert_int_eq(op->to_area, ANYPI_AREA_SCRATCH);
        ck_assert_int_eq(op->to % ANYPI_SCRATCH_ALIGNMENT, 0);
        ck_assert_int_ge(op->to + (last < 0 ? last : 0) + element.low, end);
        end = op->to + (last > 0 ? last : 0) + element.high;
    }
    ck_assert_int_eq(k, 3);
    ck_assert_int_le(end, program.scratch);
    anypi_program_free(&program);
}
END_TEST

START_TEST(scratch_beyond_memory)
{
    const anypi_placement vector = vector_of(1, INT64_MAX / 4, NULL);
    anypi_workspace workspace = { .starts = NULL };
    anypi_program program;
    anypi_transport transport = { .extent = 4 };
    make("<0 A0-1 <0 B0-1", 0, &vector, &program);
    ck_assert_int_eq(program.scratch, -1);
    ck_assert_str_eq(anypi_execute_call(&workspace, anypi_one_part(&program), false, NULL, NULL,
                                        &transport), "scratch");
    ck_assert_str_eq(transport.said, "");
    anypi_program_free(&program);
    anypi_workspace_free(&workspace);
}
END_TEST

Suite *suite_execute(void)
{
    TCase *tests;
    Suite *suite = suite_of("execute", &tests);
    tcase_add_test(tests, receives_then_sends_then_local);
    tcase_add_test(tests, nothing_without_elements);
    tcase_add_test(tests, receives_begin_early);
    tcase_add_test(tests, rounds_overlap);
    tcase_add_test(tests, addresses);
    tcase_add_test(tests, order_of_scratch);
    tcase_add_test(tests, order_of_balanced_blocks);
    tcase_add_test(tests, window_of_scratch);
    tcase_add_test(tests, window_that_wraps);
    tcase_add_test(tests, copies_in_place);
    tcase_add_test(tests, copies_between_gaps);
    tcase_add_loop_test(tests, scratch, 0, sizeof elements / sizeof elements[0]);
    tcase_add_test(tests, scratch_beyond_memory);
    return suite;
}
