/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_file.h - the choices as a decision file: collective, intracommunicator, number of
 * processes, operator, size, what one of MPICH's own algorithms needs, algorithm. Only what is the
 * same on all ranks is asked.
 */
#ifndef ANYPI_DECISION_FILE_H_INCLUDED
#define ANYPI_DECISION_FILE_H_INCLUDED

#include "plan/plan.h"

/* The decision file's text; `origin` (where and when; lines) becomes a comment at its head. Free it
 * with free(); NULL if there is no memory. A p between two that were measured follows the nearer
 * one (the smaller if both are as near), a size likewise by ratio. Beyond the largest p, below half
 * of the smallest, and where the library's choice was best, the file says nothing. */
char *anypi_write_decision(const anypi_plan *plan, const char *origin);

#endif
