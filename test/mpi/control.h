/* SPDX-License-Identifier: BSD-3-Clause
 *
 * control.h - makes the MPI library run a certain algorithm, and finds out whether it did.
 */
#ifndef ANYPI_TEST_CONTROL_H_INCLUDED
#define ANYPI_TEST_CONTROL_H_INCLUDED

#include "anyp.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads the names of values (share/anyp/cvars.json) and starts MPI's tool interface. Failures of
 * these functions end the program with a message. */
void control_open(const char *cvars_file);
void control_close(void);

/* MPIR_CVAR_<collective>_INTRA_ALGORITHM = name ("auto", "anyp_butterfly") from now on */
void control_algorithm(anyp_collective collective, const char *name);
/* MPIR_CVAR_<collective>_ANYP_<parameter> = value */
void control_parameter(anyp_collective collective, const char *parameter, int value);
/* Any int variable by its full name. */
void control_variable(const char *name, int value);

/* Between these two, what the process writes to stderr goes into text. */
void control_listen(void);
void control_heard(char *text, size_t size);

#endif
