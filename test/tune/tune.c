/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - runs the tests of the tuner without MPI.
 */
#include "common.h"
#include "unit/tap.h"

static Suite *suite_tune(void)
{
    Suite *suite = suite_create("tune");
    suite_add_tcase(suite, tune_options());
    suite_add_tcase(suite, tune_plan());
    suite_add_tcase(suite, tune_contenders());
    suite_add_tcase(suite, tune_boundaries());
    suite_add_tcase(suite, tune_calls());
    suite_add_tcase(suite, tune_choice());
    suite_add_tcase(suite, tune_files());
    suite_add_tcase(suite, tune_forms());
    suite_add_tcase(suite, tune_noise_tests());
    suite_add_tcase(suite, tune_nodes());
    suite_add_tcase(suite, tune_validation());
    return suite;
}

int main(void)
{
    static Suite *(*const suites[])(void) = { suite_tune };
    return tap_run(suites, 1);
}
