/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steer.h - switching algorithms inside one run. Two back ends, with one of which a program is
 * linked: steer_mpit.c where AnyP is inside MPICH, through MPI's tool interface; steer_plugin.c
 * where libanyp.so is in front of any MPI library, through anyp_control.h.
 */
#ifndef ANYPI_STEER_H_INCLUDED
#define ANYPI_STEER_H_INCLUDED

#include "plan/candidates.h"

#include <mpi.h>

/* In what words the back ends differ. */
typedef struct anypi_steering {
    const char *file;           /* the environment variable that names a decision file */
    const char *verbose;        /* ... that tells which algorithm runs */
    const char *use, *command;  /* what stands before and behind a decision file's name, where a
                                   program is started so that it holds */
    const char *measured;       /* how it was measured, behind the library's name; may be "" */
    bool names_own;             /* a rule can name one of the library's own algorithms; else these
                                   are one candidate: the library's choice */
} anypi_steering;

extern const anypi_steering anypi_steer;

/* Takes out of the environment whatever chooses algorithms: the library's own choice is the
 * yardstick. Before MPI_Init. */
void anypi_steer_clean(void);
/* The decision file that is in force, into path or from the environment; NULL: none. */
const char *anypi_steer_file(char *path, size_t size);

/* Starts steering, on all ranks of the world together. `table` is the file of --cvars, or NULL.
 * *cvars is for anypi_plan_candidates(). False if this library cannot be steered, on all ranks; a
 * rank that knows why has a message (one line), the others have none. */
bool anypi_steer_open(MPI_Comm world, const char *table, anypi_cvars **cvars, char *message,
                      size_t size);
void anypi_steer_close(void);

/* Switches off what would serve calls beside a decision file. Returns the variable, with its value,
 * that does so for programs; NULL: there is nothing like that. */
const char *anypi_steer_alone(const char *library);
/* Makes the library return an error where an algorithm that is selected does not fit the call.
 * False: it cannot. */
bool anypi_steer_strict(void);

/* Makes the next calls of the collective run the candidate with its parameters. Every rank that
 * takes part in the next call must do so before it. False: the library does not take it. */
bool anypi_steer_select(anyp_collective collective, const anypi_candidate *candidate);
/* Was it the candidate that ran the last call? Where the library cannot tell, yes. */
bool anypi_steer_ran(anyp_collective collective, const anypi_candidate *candidate);

/* Only inside MPICH: writes one of the library's control variables that are ints; *before becomes
 * its value until then. False: there is none such. */
bool anypi_steer_write(const char *variable, int value, int *before);

#endif
