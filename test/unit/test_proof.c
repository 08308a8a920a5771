/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_proof.c - every algorithm, for every collective that it claims and every p, proved.
 */
#include "unit/common.h"

#include "proof/prove.h"

static anyp_status prove(const variant *choice, void *state)
{
    return anypi_prove(state, choice);
}

START_TEST(all_is_proved)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    anypi_prover prover = { 0 };
    const int most = max_p(300);
    for (int p = 1; p <= most; p++) {
        anypi_sweep sweep = { .collectives = ~0u };
        const int64_t before = prover.proved;
        ck_assert_msg(anypi_sweep_choices(&sweep, algorithm, p, prove, &prover) == ANYP_SUCCESS,
                      "%s", prover.reason);
        ck_assert_int_gt(prover.proved, before);
    }
    anypi_prover_free(&prover);
}
END_TEST

Suite *suite_proof(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("proof", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, all_is_proved, 0, algorithms);
    return suite;
}
