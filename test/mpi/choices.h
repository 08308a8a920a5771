/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choices.h - the values of an algorithm's parameters that are run inside MPICH: the defaults and
 * every combination of enums. With each of these, one number at a time varies: the two smallest
 * values, 64, 4096 and the maximum. (The schedules of all other values are proved without MPI:
 * analysis/sweep.h.) choices.py tries the same values.
 */
#ifndef ANYPI_TEST_CHOICES_H_INCLUDED
#define ANYPI_TEST_CHOICES_H_INCLUDED

#include "anyp.h"

/* The choice number i >= 0 of an algorithm into parameters[]; 0 has the defaults. False: no
 * more. */
bool choice_get(const anyp_algorithm *algorithm, int i, int *parameters);

#endif
