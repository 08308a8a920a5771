/* SPDX-License-Identifier: BSD-3-Clause
 *
 * control.h - makes the MPI library run a certain algorithm, and finds out whether it did. Two back
 * ends: control_mpir.c for an MPICH with AnyP inside, control_plugin.c for the plug-in. Failures of
 * these functions end the program with a message.
 */
#ifndef ANYPI_TEST_CONTROL_H_INCLUDED
#define ANYPI_TEST_CONTROL_H_INCLUDED

#include "anyp.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether control_open() needs a file: share/anyp/mpich.json of MPICH's prefix, which has the names
 * of its variables' values. */
extern const bool control_needs_file;

void control_open(const char *table_file);
void control_close(void);

/* Whether the next three functions are about the nonblocking forms, to which the persistent ones
 * belong; false: the library has no such forms of AnyP's. */
bool control_nonblocking(bool on);
/* Forces the algorithm from now on; NULL: leaves the choice to the library. */
void control_algorithm(anyp_collective collective, const anyp_algorithm *algorithm);
/* The value of a forced algorithm's parameter. */
void control_parameter(anyp_collective collective, const anyp_parameter *parameter, int value);
/* Whether rank 0 reports, once per communicator and size class, what runs. */
void control_verbose(bool on);

/* The name of what the last call of the collective ran, NULL for the library's own, into *name;
 * false if the library cannot report it. */
bool control_last(anyp_collective collective, const char **name);

/* Between these two, what the process writes to stderr is stored in text. False, without effect:
 * other ranks have the same stderr (under SMPI; test/sim/run says so). */
bool control_listen(void);
void control_heard(char *text, size_t size);

/* For back ends: says what went wrong and ends the program. */
void control_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif
