/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cvars.h - the numbers of the named values of control variables. MPI's tool interface shows these
 * variables as plain ints, so the graft writes the names into share/anyp/cvars.json:
 * {"mpich": "4.0.2", "cvars": {"MPIR_CVAR_...": {"auto": 0, ...}, ...}}
 */
#ifndef ANYPI_CVARS_H_INCLUDED
#define ANYPI_CVARS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

enum { ANYPI_NAME_SIZE = 64 };        /* no algorithm or variable has a longer name */

typedef struct anypi_cvars anypi_cvars;

/* Reads the text of cvars.json; NULL and a message (one line) if it is something else. */
anypi_cvars *anypi_cvars_parse(const char *text, const char *file, char *message, size_t size);
void anypi_cvars_free(anypi_cvars *cvars);
/* The i-th value of a control variable: its name (NULL if there is none) and its number. */
const char *anypi_cvars_value(const anypi_cvars *cvars, const char *variable, int i, int *value);
/* Removes all named values of a control variable but this one. */
void anypi_cvars_keep(anypi_cvars *cvars, const char *variable, const char *name);
/* The number of a value by its name; `otherwise` if the file does not have it. */
int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise);
/* Does the table belong to a release of MPICH with the same names as those in force
 * (select/mpich.h)? Else false and a message (one line) about the table `file`. */
bool anypi_cvars_agree(const anypi_cvars *cvars, const char *file, char *message, size_t size);

#endif
