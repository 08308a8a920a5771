/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tune.c - runs the tests of the tuner without MPI.
 */
#include "common.h"

#include <stdlib.h>

int main(void)
{
    Suite *suite = suite_create("tune");
    suite_add_tcase(suite, tune_plan());
    suite_add_tcase(suite, tune_choice());
    suite_add_tcase(suite, tune_files());
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
