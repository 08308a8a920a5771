/* SPDX-License-Identifier: BSD-3-Clause
 *
 * common.h - shared by the unit tests: the suites, sets of schedules written as text, and the loops
 * over everything that the algorithms claim to do.
 */
#ifndef ANYPI_TEST_COMMON_H_INCLUDED
#define ANYPI_TEST_COMMON_H_INCLUDED

#include "algorithms/settle.h"
#include "analysis/simulate.h"
#include "analysis/sweep.h"
#include "anyp.h"
#include "schedule/partition.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

#include <check.h>

/* test_<name>.c defines suite_<name>(). */
#define SUITE(name) Suite *suite_##name(void);
#include "unit/suites.def"
#undef SUITE

/* A suite of one test case without time limit; add tests to it with tcase_add_test(). */
Suite *suite_of(const char *name, TCase **tests);

/* ck_assert_msg() for frequent checks: Check writes to a pipe whenever an assertion holds. */
#define assert_often(condition, ...) \
    do { \
        if (!(condition)) \
            ck_abort_msg(__VA_ARGS__); \
    } while (0)

/* The environment's ANYP_MAX_P, or `standard`: the largest p that a test looks at. */
int max_p(int standard);

/* The number in the environment's ANYP_SLICE, which chooses samples; 0 if there is none. */
int slice_number(void);

enum { ALWAYS_P = 12 };

/* Does a test look at this p: is it at most max_p(standard)? If ANYP_SLICE in the environment is a
 * number, one in 3 of those above ALWAYS_P is in turn, and also one in 59 of larger ones. */
bool is_tried(int p, int standard);

/* Is ANYP_MAX_P so small that tests without p leave most of their work out? */
bool is_fast(void);

/* ---- sets of schedules as text ---- */

/* Makes a set of p schedules over n blocks, one text per rank. Steps are separated by blanks,
 * rounds by "|". A slice is a buffer (I: IN, O: OUT, A, B, C, D: scratch 0 to 3), the first and the
 * end block: "O0-4".
 *   >2 I0-2      send to rank 2         <1 A0-2      receive from rank 1
 *   +A0-2 O0-2   OUT = scratch 0 (+) OUT   =I0-2 O0-2   OUT = IN
 *   @2 0 1       first of all: the order of scratch buffers
 *   #A0-2        first of all: the window of a scratch buffer
 * To be freed with anypi_set_free(). */
anyp_schedule *set_from_text(int p, int blocks, const char *const *texts);

/* ---- all that the algorithms claim ---- */

/* An algorithm, a call, parameters: the algorithm serves the call with them. */
typedef anypi_case variant;

typedef void (*variant_function)(const variant *variant, void *state);

/* Calls the function for every choice of parameters in analysis/sweep.h that the algorithm serves
 * the call with. Returns for how many. */
int each_parameters(const anyp_algorithm *algorithm, const anyp_call *call,
                    variant_function function, void *state);

/* The same for every choice and kind in analysis/sweep.h. Fails the test if the algorithm serves
 * none of a collective that it claims. Returns for how many. */
int each_variant(const anyp_algorithm *algorithm, int p, variant_function function, void *state);

/* anypi_case_text() into a static buffer. */
const char *variant_text(const variant *variant);

/* The set of a variant; fails the test if it cannot be generated. */
anyp_schedule *variant_set(const variant *variant);

/* A set whose memory the next one gets; { NULL } at first. */
typedef struct kept_set {
    anyp_schedule *set;
    int capacity;
} kept_set;

/* The same as variant_set() in the memory of the last one. */
anyp_schedule *variant_set_again(const variant *variant, kept_set *kept);
void kept_set_free(kept_set *kept);

/* Verifies a variant's set; fails the test with the verifier's reason. */
void assert_verified(const variant *variant, const anyp_schedule *set);

/* Simulates a variant whose blocks are balanced. */
anypi_simulation simulate_variant(const variant *variant, anyp_model model);

/* Counts one schedule. The layout must be the schedule's; type_size is the bytes of one element. */
anypi_counts count_schedule(const anyp_schedule *schedule, const anypi_layout *layout,
                            int64_t type_size);

/* As anypi_expression_of() (analysis/expression.h): replays the schedules of a call, whose rank is
 * ignored. */
anyp_status set_expression(const anyp_schedule *set, const anyp_call *call, int rank, int block,
                           char **text);

/* Fails the test unless that block of that rank's result is this sum. */
void assert_sum_is(const variant *variant, int rank, int block, const char *sum);

int log2_floor(int p);
bool is_power(int p);           /* of two */

/* ceil(log_k p) for radix k, by counting. */
int rounds_of_radix(int p, int radix);

#endif
