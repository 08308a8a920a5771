/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choices.h - which values of an algorithm's parameters are run inside MPICH: the defaults, every
 * combination of enums, and with each of these one number varied at a time: the two smallest
 * values, 64, 4096 and the maximum. (The schedules of all other values are proved without MPI:
 * analysis/sweep.h.) choices.py tries the same.
 */
#ifndef ANYPI_TEST_CHOICES_H_INCLUDED
#define ANYPI_TEST_CHOICES_H_INCLUDED

#include "anyp.h"

/* The choice number i >= 0 of an algorithm into parameters[]; 0 has the defaults. False: no
 * more. */
bool choice_get(const anyp_algorithm *algorithm, int i, int *parameters);

#endif
