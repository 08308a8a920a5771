/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_execute.c - the loop of the back ends, with a transport that writes down what it is told and
 * moves 32-bit numbers for the local steps.
 */
#include "unit/common.h"

#include <stdio.h>
#include <string.h>

typedef int anypi_request;

typedef struct anypi_transport {
    const char *origin;         /* addresses are noted relative to it */
    int64_t extent;
    int overlap;                /* of the schedule */
    char said[512];
} anypi_transport;

static void say(anypi_transport *transport, const char *what, int peer, const char *address,
                int64_t elements)
{
    const size_t length = strlen(transport->said);
    snprintf(transport->said + length, sizeof transport->said - length, "%s%d@%td:%lld ", what,
             peer, (address - transport->origin) / 4, (long long) elements);
}

static inline bool anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    *request = 1;
    say(transport, ">", peer, from, elements);
    return true;
}

static inline bool anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    *request = 2;
    say(transport, "<", peer, to, elements);
    return peer != 9;           /* 9: done at once */
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    const size_t length = strlen(transport->said);
    for (int i = 0; i < count; i++)
        ck_assert_int_ne(requests[i], 0);
    snprintf(transport->said + length, sizeof transport->said - length, "start%d ", count);
}

static inline void anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    const size_t length = strlen(transport->said);
    for (int i = 0; i < count; i++)
        ck_assert_int_ne(requests[i], 0);
    snprintf(transport->said + length, sizeof transport->said - length, "wait%d ", count);
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    say(transport, "+", 0, to, elements);
    for (int64_t i = 0; i < elements; i++) {
        int32_t left, right;
        memcpy(&left, from + i * transport->extent, sizeof left);
        memcpy(&right, to + i * transport->extent, sizeof right);
        right += left;
        memcpy(to + i * transport->extent, &right, sizeof right);
    }
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    const ptrdiff_t distance = from > to ? from - to : to - from;
    if (distance % transport->extent == 0)
        ck_assert(distance >= elements * transport->extent);    /* no overlap */
    for (int64_t i = 0; i < elements; i++)
        memcpy(to + i * transport->extent, from + i * transport->extent, 4);
}

#include "core/execute.h"

/* Runs one rank's schedule of text over buffers. */
static void run(const char *text, const anypi_partition *partition, anypi_buffers *buffers,
                anypi_transport *transport)
{
    anypi_request requests[64] = { 0 };
    int64_t starts[16];
    anyp_schedule *set = set_from_text(1, partition->blocks, &text);
    set->overlap = transport->overlap;
    ck_assert_int_le(anypi_requests_room(set), 64);
    transport->said[0] = '\0';
    transport->extent = buffers->extent;
    const anypi_layout layout = anypi_layout_of(set, partition, starts);
    anypi_execute(set, &layout, buffers, transport, requests);
    anypi_set_free(set, 1);
}

START_TEST(receives_then_sends_then_local)
{
    int32_t in[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, out[8] = { 10, 20, 30, 40, 50, 60, 70, 80 };
    const anypi_partition partition = { .blocks = 4, .count = 8 };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) out };
    buffers.base[ANYP_IN] = (char *) in;
    buffers.base[ANYP_OUT] = (char *) out;
    run(">1 O0-1 <2 O1-3 <9 O3-4 | +I0-2 O0-2 =O0-1 O3-4", &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<2@2:4 <9@6:2 >1@0:2 wait2 +0@0:4 ");
    const int32_t expected[8] = { 11, 22, 33, 44, 50, 60, 11, 22 };
    ck_assert_mem_eq(out, expected, sizeof out);
}
END_TEST

START_TEST(nothing_without_elements)
{
    int32_t out[2] = { 0 };
    const int64_t starts[] = { 0, 0, 2, 2, 2 };
    const anypi_partition partition = { .blocks = 4, .count = 2, .starts = starts };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) out };
    buffers.base[ANYP_IN] = buffers.base[ANYP_OUT] = (char *) out;
    run(">1 I0-1 <2 O2-4 | >1 I0-2 +I2-4 O2-4", &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, ">1@0:2 wait1 ");
}
END_TEST

/* The next round's receives begin before the local steps, but not where these read or write. */
START_TEST(receives_begin_early)
{
    int32_t memory[40] = { 0 };
    const anypi_partition partition = { .blocks = 4, .count = 4 };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) memory };
    for (int b = 0; b < 4; b++)
        buffers.base[b] = (char *) (memory + 10 * b);
    run(">1 I0-1 <1 A0-1 +I0-1 A0-1 | >2 A0-1 <2 A1-2 +A1-2 O0-1", &partition, &buffers,
        &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 >1@0:1 wait2 <2@21:1 start1 +0@20:1 "
                     ">2@20:1 wait2 +0@10:1 ");
    const char *const in_turn[] = {
        ">1 I0-1 <1 A0-1 +A0-1 O0-1 | >2 I0-1 <2 A0-1",     /* still read */
        ">1 I0-1 <1 A0-1 +I0-1 A0-1 | >2 A0-1 <2 A0-1",     /* still written */
    };
    for (int i = 0; i < 2; i++) {
        run(in_turn[i], &partition, &buffers, &transport);
        ck_assert_ptr_null(strstr(transport.said, "start"));
    }
    /* a reduce-scatter in place, where OUT may be anywhere in IN */
    buffers.overlaid = true;
    run(">1 I2-3 <1 A1-2 +I1-2 A1-2 | <2 O1-2", &partition, &buffers, &transport);
    ck_assert_ptr_null(strstr(transport.said, "start"));
    buffers.overlaid = false;
    run(">1 I2-3 <1 A1-2 +I1-2 A1-2 | <2 O1-2", &partition, &buffers, &transport);
    ck_assert_ptr_nonnull(strstr(transport.said, "start"));
}
END_TEST

/* Whole rounds begin early if the schedule says so, as far as they need nothing of those before. */
START_TEST(rounds_overlap)
{
    int32_t memory[40] = { 0 };
    const char *two_lanes = "<1 A0-1 +I0-1 A0-1 | <1 A1-2 +I1-2 A1-2 | >2 A0-1 | >2 A1-2";
    const anypi_partition partition = { .blocks = 4, .count = 4 };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) memory };
    for (int b = 0; b < 4; b++)
        buffers.base[b] = (char *) (memory + 10 * b);
    run(two_lanes, &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 wait1 <1@21:1 start1 +0@20:1 wait1 +0@21:1 "
                     ">2@20:1 wait1 >2@21:1 wait1 ");
    transport.overlap = 1;
    run(two_lanes, &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 start1 <1@21:1 start1 wait1 +0@20:1 "
                     "start1 >2@20:1 start1 wait1 +0@21:1 start1 >2@21:1 start1 wait1 wait1 ");
    transport.overlap = ANYP_MAX_OVERLAP;       /* the sends need what is received */
    run(two_lanes, &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<1@20:1 start1 <1@21:1 start1 wait1 +0@20:1 "
                     "start1 >2@20:1 start1 wait1 +0@21:1 start1 >2@21:1 start1 wait1 wait1 ");
}
END_TEST

/* Buffers start where their first block does, and hold copies of the vector one after the other. */
START_TEST(addresses)
{
    int32_t memory[32];
    const int64_t starts[] = { 0, 1, 4, 5 };
    const anypi_partition partition = { .blocks = 3, .count = 5, .starts = starts };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) memory };
    buffers.base[ANYP_OUT] = (char *) memory;
    buffers.origin[ANYP_OUT] = 1;       /* block 1 alone */
    buffers.base[ANYP_SCRATCH] = (char *) (memory + 8);
    buffers.origin[ANYP_SCRATCH] = 4;   /* from block 2 on */
    run(">1 O1-2 <1 A2-4 <2 A4-7", &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<1@8:2 <2@10:5 >1@0:3 wait3 ");
}
END_TEST

/* Scratch buffers in another order: the blocks of IN and OUT stay where they are. */
START_TEST(order_of_scratch)
{
    int32_t in[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, out[10] = { 0 }, scratch[20] = { 0 };
    const int64_t starts[] = { 0, 1, 1, 4, 10 };
    const anypi_partition partition = { .blocks = 4, .count = 10, .starts = starts };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) scratch };
    buffers.base[ANYP_IN] = (char *) in;
    buffers.base[ANYP_OUT] = (char *) out;
    buffers.base[ANYP_SCRATCH] = (char *) scratch;
    run("@2 3 0 1 =I2-4 A0-2 =I0-2 A2-4 =I2-3 A4-5 | >1 A0-1 >2 A1-2 >3 A2-4 <4 A4-6 | "
        "+I2-3 A4-5 =A4-5 O2-3 =A2-4 O0-2", &partition, &buffers, &transport);
    ck_assert_str_eq(transport.said, "<4@10:9 >1@0:3 >2@3:6 >3@9:1 wait4 +0@10:3 ");
    const int32_t permuted[13] = { 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 4, 6, 8 };
    const int32_t expected[10] = { 1, 4, 6, 8 };
    ck_assert_mem_eq(scratch, permuted, sizeof permuted);
    ck_assert_mem_eq(out, expected, sizeof expected);
}
END_TEST

/* Copies of a few blocks lie one behind the other, without what is between them in the vector. */
START_TEST(window_of_scratch)
{
    char memory[256];
    const char *text = "#B1-3 <1 B1-3 <2 B5-7 <3 B10-11";
    const int64_t starts[] = { 0, 1, 4, 5, 7 };
    const anypi_partition partition = { .blocks = 4, .count = 7, .starts = starts };
    const anypi_element element = { 0, 4, 4 };
    anypi_buffers buffers = { .extent = 4 };
    anyp_schedule *set = set_from_text(1, 4, &text);
    const anypi_layout layout = anypi_layout_of(set, &partition, NULL);
    anypi_request requests[8];
    ck_assert_int_eq(anypi_scratch_elements(set, &layout, 0), 0);
    ck_assert_int_eq(anypi_scratch_elements(set, &layout, 1), 12);
    ck_assert_int_le(anypi_scratch_size(set, &layout, &element), (int64_t) sizeof memory);
    anypi_scratch_place(set, &layout, &element, memory, &buffers);
    anypi_transport transport = { .origin = buffers.base[ANYP_SCRATCH + 1], .extent = 4 };
    anypi_execute(set, &layout, &buffers, &transport, requests);
    ck_assert_str_eq(transport.said, "<1@0:4 <2@4:4 <3@11:1 wait3 ");
    anypi_set_free(set, 1);
}
END_TEST

/* The same if the few blocks begin at the vector's end. */
START_TEST(window_that_wraps)
{
    char memory[256];
    const char *text = "#A3-5 <1 A3-5 <2 A7-9 <3 A12-13";
    const int64_t starts[] = { 0, 1, 4, 5, 7 };
    const anypi_partition partition = { .blocks = 4, .count = 7, .starts = starts };
    const anypi_element element = { 0, 4, 4 };
    anypi_buffers buffers = { .extent = 4 };
    anyp_schedule *set = set_from_text(1, 4, &text);
    const anypi_layout layout = anypi_layout_of(set, &partition, NULL);
    anypi_request requests[4];
    ck_assert_int_eq(anypi_scratch_elements(set, &layout, 0), 9);
    anypi_scratch_place(set, &layout, &element, memory, &buffers);
    anypi_transport transport = { .origin = buffers.base[ANYP_SCRATCH], .extent = 4 };
    anypi_execute(set, &layout, &buffers, &transport, requests);
    ck_assert_str_eq(transport.said, "<1@0:3 <2@3:3 <3@8:1 wait3 ");
    anypi_set_free(set, 1);
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

/* In place, OUT lies at the start of IN's memory: the copy of a long block must not overlap. */
START_TEST(copies_in_place)
{
    int32_t memory[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const int64_t starts[] = { 0, 2, 8, 8 };
    const anypi_partition partition = { .blocks = 3, .count = 8, .starts = starts };
    anypi_buffers buffers = { .extent = 4 };
    anypi_transport transport = { .origin = (char *) memory };
    buffers.base[ANYP_IN] = buffers.base[ANYP_OUT] = (char *) memory;
    buffers.origin[ANYP_OUT] = 2;
    run("=I1-2 O1-2", &partition, &buffers, &transport);
    const int32_t expected[8] = { 2, 3, 4, 5, 6, 7, 6, 7 };
    ck_assert_mem_eq(memory, expected, sizeof memory);

    buffers.origin[ANYP_OUT] = 0;       /* to itself: nothing to do */
    run("=I0-1 O0-1", &partition, &buffers, &transport);
    ck_assert_mem_eq(memory, expected, sizeof memory);
}
END_TEST

/* Buffers in each other's gaps are no overlap. */
START_TEST(copies_between_gaps)
{
    int32_t memory[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const anypi_partition partition = { .blocks = 1, .count = 4 };
    anypi_buffers buffers = { .extent = 8 };
    anypi_transport transport = { .origin = (char *) memory };
    buffers.base[ANYP_IN] = (char *) (memory + 1);
    buffers.base[ANYP_OUT] = (char *) memory;
    run("=I0-1 O0-1", &partition, &buffers, &transport);
    const int32_t expected[8] = { 1, 1, 3, 3, 5, 5, 7, 7 };
    ck_assert_mem_eq(memory, expected, sizeof memory);
}
END_TEST

static const anypi_element elements[] = {
    { 0, 4, 4 }, { 4, 28, 28 }, { -8, 12, 20 }, { 0, 400, 4 }, { 0, 4, -4 }, { -3, 5, -16 },
};

/* Scratch buffers lie inside their memory, aligned, without overlap. */
START_TEST(scratch)
{
    static char memory[8192];
    const char *text = "<0 A0-3 <0 B1-7 <0 D2-2 | <0 C5-6";
    const anypi_element element = elements[_i];
    const anypi_partition partition = { .blocks = 4, .count = 9 };
    anyp_schedule *set = set_from_text(1, 4, &text);
    const anypi_layout layout = anypi_layout_of(set, &partition, NULL);
    anypi_buffers buffers = { .extent = element.extent };
    const int64_t size = anypi_scratch_size(set, &layout, &element);
    ck_assert_int_gt(size, 0);
    ck_assert_int_lt(size, (int64_t) sizeof memory - 7);
    char *const begin = memory + _i + 1;        /* not aligned */
    anypi_scratch_place(set, &layout, &element, begin, &buffers);
    const char *end = begin;
    ck_assert_int_eq(set->scratch_count, 3);
    for (int k = 0; k < set->scratch_count; k++) {
        const char *base = buffers.base[ANYP_SCRATCH + k];
        const int64_t last = (anypi_scratch_elements(set, &layout, k) - 1) * element.extent;
        ck_assert_int_eq((uintptr_t) base % ANYPI_SCRATCH_ALIGNMENT, 0);
        ck_assert(base + (last < 0 ? last : 0) + element.low >= end);
        end = base + (last > 0 ? last : 0) + element.high;
        ck_assert_int_eq(buffers.origin[ANYP_SCRATCH + k],
                         anypi_block_start(&partition, set->scratch[k].first));
    }
    ck_assert(end <= begin + size);
    anypi_set_free(set, 1);
}
END_TEST

START_TEST(scratch_beyond_memory)
{
    const char *text = "<0 A0-3";
    const anypi_partition partition = { .blocks = 1, .count = INT64_MAX / 4 };
    anyp_schedule *set = set_from_text(1, 1, &text);
    const anypi_layout layout = anypi_layout_of(set, &partition, NULL);
    ck_assert_int_eq(anypi_scratch_size(set, &layout, &elements[0]), -1);
    anypi_set_free(set, 1);
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
