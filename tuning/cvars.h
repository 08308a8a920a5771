/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cvars.h - switching algorithms inside one run, through MPI's tool interface. Every rank that
 * takes part in the next call must write the same values before it.
 */
#ifndef ANYPI_CVARS_H_INCLUDED
#define ANYPI_CVARS_H_INCLUDED

#include "tune.h"

/* Starts the tool interface; false if there is none. After MPI_Init. */
bool anypi_cvars_open(void);
void anypi_cvars_close(void);
/* Does the library have a control variable of that name? */
bool anypi_cvars_have(const char *name);
/* Writes an int variable; false if there is none or it does not take the value. */
bool anypi_cvars_write(const char *name, int value);
/* Makes the next calls of the collective run the candidate with its parameters. */
bool anypi_cvars_select(anyp_collective collective, const anypi_candidate *candidate);

#endif
