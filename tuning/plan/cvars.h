/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cvars.h - the numbers of the names that control variables take. An MPI library's tool interface
 * shows these variables as plain ints, so the graft writes the names into share/anyp/cvars.json:
 * {"mpich": "4.0.2", "cvars": {"MPIR_CVAR_...": {"auto": 0, ...}, ...}}
 */
#ifndef ANYPI_CVARS_H_INCLUDED
#define ANYPI_CVARS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

enum { ANYPI_NAME_SIZE = 64 };        /* longer names of algorithms and variables are not known */

typedef struct anypi_cvars anypi_cvars;

/* Reads the text of cvars.json; NULL and a message (one line) if it is not what it should be. */
anypi_cvars *anypi_cvars_parse(const char *text, const char *file, char *message, size_t size);
void anypi_cvars_free(anypi_cvars *cvars);
/* The i-th value of a control variable: its name (NULL: there is no such one) and its number. */
const char *anypi_cvars_value(const anypi_cvars *cvars, const char *variable, int i, int *value);
/* Of a control variable whose values have names this one is left. */
void anypi_cvars_keep(anypi_cvars *cvars, const char *variable, const char *name);
/* The number of a value by its name; `otherwise` if the file does not say. */
int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise);
/* Is the table of the same release of MPICH as the names in force (select/mpich.h), as far as names
 * go? Else false and a message (one line). `file` is the table. */
bool anypi_cvars_agree(const anypi_cvars *cvars, const char *file, char *message, size_t size);

#endif
