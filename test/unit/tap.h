/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tap.h - runs suites of Check and writes their results in TAP, as each suite ends.
 */
#ifndef ANYPI_TEST_TAP_H_INCLUDED
#define ANYPI_TEST_TAP_H_INCLUDED

#include <check.h>

/* Runs the suites, on all processors at once (one after the other if CK_FORK=no). Returns the exit
 * status. */
int tap_run(Suite *(*const *suites)(void), int count);

#endif
