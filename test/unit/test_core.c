/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_core.c - names, partitions, rank arithmetic, bits and runs of symbols.
 */
#include "unit/common.h"

#include "analysis/runs.h"
#include "schedule/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

START_TEST(collectives_have_names)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        ck_assert_int_eq(anyp_collective_find(anyp_collective_name((anyp_collective) i)), i);
    ck_assert_str_eq(anyp_collective_name(ANYP_REDUCE_SCATTER_BLOCK), "reduce_scatter_block");
    ck_assert_int_eq(anyp_collective_find("sendrecv"), ANYP_COLLECTIVES);
    ck_assert_ptr_null(anyp_collective_name(ANYP_COLLECTIVES));
}
END_TEST

START_TEST(statuses_have_texts)
{
    for (int i = ANYP_SUCCESS; i <= ANYP_ERR_FILE + 1; i++)
        ck_assert_ptr_nonnull(anyp_status_text((anyp_status) i));
    ck_assert_str_ne(anyp_status_text(ANYP_ERR_FILE), anyp_status_text(ANYP_ERR_MEMORY));
}
END_TEST

START_TEST(balanced_blocks)
{
    const int64_t counts[] = { 0, 1, 5, 22, 1000, INT64_C(3000000000000) };
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (int n = 1; n <= 130; n++) {
            const anypi_partition whole = { .blocks = n, .count = counts[c] };
            const int64_t least = counts[c] / n, most = (counts[c] + n - 1) / n;
            ck_assert_int_eq(anypi_block_start(&whole, 0), 0);
            ck_assert_int_eq(anypi_block_start(&whole, n), counts[c]);
            for (int i = 0; i < 2 * n; i++) {
                const int64_t size = anypi_blocks_elements(&whole, i, i + 1);
                ck_assert(size == least || size == most);
                ck_assert_int_eq(anypi_block_start(&whole, i + n),
                                 anypi_block_start(&whole, i) + counts[c]);
            }
            if (n % 2 == 0) {
                const int64_t half = anypi_block_start(&whole, n / 2);
                ck_assert(half == counts[c] / 2 || half == (counts[c] + 1) / 2);
            }
        }
    }
}
END_TEST

START_TEST(blocks_of_any_size)
{
    const int64_t starts[] = { 0, 0, 7, 7, 10 };
    const anypi_partition given = { 4, 10, starts, 1 };
    ck_assert_int_eq(anypi_blocks_elements(&given, 0, 1), 0);
    ck_assert_int_eq(anypi_blocks_elements(&given, 1, 2), 7);
    ck_assert_int_eq(anypi_blocks_elements(&given, 3, 6), 10);
    ck_assert_int_eq(anypi_block_start(&given, 9), 20);
}
END_TEST

START_TEST(logarithms)
{
    for (int p = 1; p <= 5000; p++) {
        const int down = anypi_log2_floor((unsigned) p), up = anypi_log2_ceil((unsigned) p);
        ck_assert(1 << down <= p && p < 2 << down);
        ck_assert(p <= 1 << up && (up == 0 || p > 1 << (up - 1)));
        ck_assert_int_eq(anypi_mod(-1, p), p - 1);
        ck_assert_int_eq(anypi_mod(p, p), 0);
    }
}
END_TEST

/* The runs of two buffers do what arrays of symbols do, whatever is filled and copied. */
START_TEST(runs_are_arrays)
{
    enum { SIZE = 300, BUFFERS = 2, SYMBOLS = 3 };
    int plain[BUFFERS][SIZE] = { { 0 } }, symbols[BUFFERS][SIZE];
    uint64_t starts[BUFFERS][SIZE / 64 + 1] = { { 1 }, { 1 } };
    const size_t size = (size_t) (_i + 1) * 50;
    anypi_runs runs[BUFFERS];
    for (int b = 0; b < BUFFERS; b++) {
        symbols[b][0] = 0;
        runs[b] = (anypi_runs) { starts[b], symbols[b], size };
    }
    srand((unsigned) _i + 1);
    for (int change = 0; change < 3000; change++) {
        const size_t a = (size_t) rand() % size, b = (size_t) rand() % size;
        const size_t first = a < b ? a : b, end = (a < b ? b : a) + 1;
        const int from = rand() % BUFFERS, to = rand() % BUFFERS, symbol = rand() % SYMBOLS;
        if (change % 2) {
            anypi_runs_fill(runs[to], first, end, symbol);
            for (size_t i = first; i < end; i++)
                plain[to][i] = symbol;
        } else {
            const size_t count = end - first, place = (size_t) rand() % (size - count + 1);
            const bool apart = place + count <= first || end <= place;
            bool written = true;
            if (from == to && !apart)
                continue;
            for (size_t i = 0; i < count; i++)
                written &= plain[from][first + i] != 0;
            ck_assert(anypi_runs_copy(runs[from], first, runs[to], place, count) == written);
            memmove(&plain[to][place], &plain[from][first], count * sizeof plain[0][0]);
        }
        for (size_t i = 0; i < size; i++) {
            assert_often(anypi_runs_at(runs[to], i) == plain[to][i], "symbol %zu", i);
            const bool starts_here = anypi_bits_any(starts[to], i, i + 1);
            assert_often(starts_here || (i > 0 && plain[to][i] == plain[to][i - 1]), "run %zu", i);
            const size_t next = anypi_bits_next(starts[to], i + 1, size);
            assert_often(next == size || next > i, "the run after %zu", i);
        }
        if (size % 64)
            ck_assert(!anypi_bits_any(starts[to], size, (size + 63) / 64 * 64));
    }
}
END_TEST

START_TEST(ranges_of_bits)
{
    for (size_t first = 0; first < 200; first++) {
        for (size_t end = first + 1; end <= 200; end++) {
            uint64_t bits[5] = { 0 };
            anypi_bits_set(bits, first, end);
            size_t count = 0;
            for (int word = 0; word < 5; word++)
                count += (size_t) __builtin_popcountll(bits[word]);
            ck_assert_uint_eq(count, end - first);
            ck_assert_uint_eq(anypi_bits_next(bits, 0, 200), first);
            ck_assert_uint_eq(anypi_bits_last(bits, 255), end - 1);
            ck_assert(first == 0 || !anypi_bits_any(bits, 0, first));
            ck_assert(!anypi_bits_any(bits, end, 256));
            anypi_bits_clear(bits, first, end);
            ck_assert(!anypi_bits_any(bits, 0, 256));
        }
    }
}
END_TEST

START_TEST(algorithms_have_rows)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    ck_assert_int_gt(count, 0);
    for (int i = 0; i < count; i++) {
        ck_assert_ptr_eq(anyp_algorithm_find(all[i].name), &all[i]);
        ck_assert(all[i].collectives != 0);
        ck_assert_int_le(all[i].parameters_count, ANYP_MAX_PARAMETERS);
        ck_assert(all[i].code->summary[0] != '\0' && all[i].code->source[0] != '\0');
        int values[ANYP_MAX_PARAMETERS];
        anyp_parameters_default(&all[i], values);
        for (int k = 0; k < all[i].parameters_count; k++) {
            const anyp_parameter *parameter = &all[i].parameters[k];
            char text[64];
            const char *reason;
            ck_assert(parameter->help[0] != '\0');
            ck_assert_int_eq(values[k], parameter->default_value);
            const int ends[] = { parameter->minimum, parameter->maximum };
            for (int end = 0; end < 2; end++) {
                anyp_parameter_text(parameter, ends[end], text, sizeof text);
                ck_assert_int_eq(anyp_parameter_set(&all[i], values, parameter->name, text,
                                                    &reason), ANYP_SUCCESS);
                ck_assert_int_eq(values[k], ends[end]);
            }
            const char *const wrong[] = { "", "nonsense", "1x", "-1", "99999999999999999999" };
            for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
                ck_assert_int_eq(anyp_parameter_set(&all[i], values, parameter->name, wrong[w],
                                                    &reason), ANYP_ERR_ARGUMENT);
        }
    }
    ck_assert_ptr_null(anyp_algorithm_find("butter"));
}
END_TEST

START_TEST(refusals)
{
    int count, parameters[ANYP_MAX_PARAMETERS];
    const char *reason;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
            anyp_call call = { .collective = (anyp_collective) collective, .p = 5, .count = 10,
                               .type_size = 8, .commutative = true };
            anyp_schedule schedule;
            anyp_schedule_init(&schedule);
            anyp_parameters_default(&all[i], parameters);
            if (!(all[i].collectives & ANYP_IN_SET(collective))) {
                ck_assert_int_eq(anyp_generate(&all[i], &call, parameters, &schedule),
                                 ANYP_ERR_NOT_APPLICABLE);
                anyp_applicable(&all[i], &call, parameters, &reason);
                ck_assert_ptr_nonnull(reason);
                continue;
            }
            call.commutative = false;
            ck_assert_int_eq(anyp_applicable(&all[i], &call, parameters, &reason),
                             all[i].properties & ANYP_CANONICAL ||
                             anypi_moves((anyp_collective) collective)
                             ? ANYP_SUCCESS : ANYP_ERR_NOT_APPLICABLE);
            call.commutative = true;
            for (int k = 0; k < all[i].parameters_count; k++) {
                parameters[k] = INT_MIN;     /* minimum - 1 may be "auto" */
                ck_assert_int_eq(anyp_applicable(&all[i], &call, parameters, &reason),
                                 ANYP_ERR_NOT_APPLICABLE);
                ck_assert_ptr_nonnull(reason);
                parameters[k] = all[i].parameters[k].default_value;
            }
            anyp_schedule_free(&schedule);
        }
    }
}
END_TEST

START_TEST(reversed_numbers)
{
    const int order[] = { 0, 4, 2, 6, 1, 5, 3, 7, 0 };
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(anypi_next_reversed(order[i], 3), order[i + 1]);
    ck_assert_int_eq(anypi_next_reversed(0, 0), 0);
}
END_TEST

Suite *suite_core(void)
{
    TCase *tests;
    Suite *suite = suite_of("core", &tests);
    tcase_add_test(tests, collectives_have_names);
    tcase_add_test(tests, statuses_have_texts);
    tcase_add_test(tests, balanced_blocks);
    tcase_add_test(tests, blocks_of_any_size);
    tcase_add_test(tests, logarithms);
    tcase_add_loop_test(tests, runs_are_arrays, 0, 6);
    tcase_add_test(tests, ranges_of_bits);
    tcase_add_test(tests, algorithms_have_rows);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, reversed_numbers);
    return suite;
}
