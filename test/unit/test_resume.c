/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_resume.c - programs of all ranks in one process, of which each stops where its messages are
 * not complete and continues later: world.h.
 */
#include "unit/common.h"
#include "unit/world.h"

enum { MOST_RANKS = 13, MOST_ELEMENTS = 160 };

static void run(const variant *v, void *state)
{
    const int p = v->call.p;
    anyp_call calls[MOST_RANKS];
    char fault[128];
    if (v->call.count > MOST_ELEMENTS)
        return;
    anyp_schedule *set = variant_set(v);
    for (int rank = 0; rank < p; rank++) {
        anyp_call *call = &calls[rank];
        *call = world_call(&v->call, rank);
        if (!anypi_moves(call->collective))
            continue;           /* some ranks have other gaps than the others */
        call->gaps_in = call->gaps_in != (rank % 3 == 1) && !anypi_input_in_out(call);
        call->gaps_out = call->gaps_out != (rank % 2 == 1);
        ck_assert_int_eq(anyp_generate(v->algorithm, call, v->parameters, &set[rank]),
                         ANYP_SUCCESS);
    }
    assert_often(world_run(set, calls, v->algorithm->properties, state, fault, sizeof fault),
                 "%s: %s", variant_text(v), fault);
    anypi_set_free(set, p);
}

/* Every algorithm, by the registry. */
START_TEST(random_turns)
{
    int count;
    uint64_t random = 1;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int p = 1; p <= MOST_RANKS; p++)
        if (p < 10 || p == MOST_RANKS)
            each_variant(&algorithms[_i], p, run, &random);
}
END_TEST

Suite *suite_resume(void)
{
    TCase *tests;
    Suite *suite = suite_of("resume", &tests);
    int count;
    anyp_algorithms(&count);
    tcase_add_loop_test(tests, random_turns, 0, count);
    return suite;
}
