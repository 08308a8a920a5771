/* SPDX-License-Identifier: BSD-3-Clause
 *
 * steer.h - switches algorithms inside one run. A program is linked with one of two back ends:
 * steer_mpit.c if AnyP is inside MPICH, through MPI's tool interface; steer_plugin.c if the plug-in
 * is in front of any MPI library, through anyp_control.h.
 */
#ifndef ANYPI_STEER_H_INCLUDED
#define ANYPI_STEER_H_INCLUDED

#include "tuner/candidates.h"

#include <mpi.h>

/* Names and texts of a back end. */
typedef struct anypi_steering {
    const char *file;           /* the environment variable that names a decision file */
    const char *verbose;        /* ... that logs which algorithm runs */
    const char *use, *command;  /* the command line before and after the name of a decision file, to
                                   start a program with it */
    const char *nodes;          /* the variable that says where ranks are; NULL: none */
    const char *measured;       /* appended to the library's name in origins; may be "" */
    bool inside;                /* AnyP is inside MPICH */
} anypi_steering;

extern const anypi_steering anypi_steer;

/* Removes all variables that choose algorithms from the environment: the baseline is the library's
 * own choice. Before MPI_Init. */
void anypi_steer_clean(void);
/* Returns the decision file in force, in `path` or from the environment; NULL: none. */
const char *anypi_steer_file(char *path, size_t size);

/* Starts steering, on all ranks of the world together, with the names in force (select/mpich.h).
 * *cvars is for anypi_plan_candidates(). False on all ranks, and a message (one line), if this
 * library cannot be steered. */
bool anypi_steer_open(MPI_Comm world, anypi_cvars **cvars, char *message, size_t size);
void anypi_steer_close(void);

/* Switches off other code of the library that would serve calls instead of a decision file. Returns
 * the setting "VARIABLE=VALUE" that does so for programs; NULL: there is no such code. */
const char *anypi_steer_alone(const char *library);

/* Selects a candidate with its parameters for the next calls of the collective, on every rank that
 * takes part in them. False: the library does not accept it. */
bool anypi_steer_select(anyp_collective collective, const anypi_candidate *candidate);
/* Did the candidate run the last call? True if the library cannot report it. */
bool anypi_steer_ran(anyp_collective collective, const anypi_candidate *candidate);

/* Only inside MPICH: writes an int control variable of the library; *before becomes its old value.
 * False: there is no such variable. */
bool anypi_steer_write(const char *variable, int value, int *before);

#endif
