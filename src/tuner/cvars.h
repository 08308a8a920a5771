/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cvars.h - the numbers of the named values of control variables. MPI's tool interface shows these
 * variables as plain ints, so the graft writes the names into the table of the MPICH:
 * {..., "cvars": {"MPIR_CVAR_...": {"auto": 0, ...}, ...}}
 */
#ifndef ANYPI_CVARS_H_INCLUDED
#define ANYPI_CVARS_H_INCLUDED

#include <stdbool.h>

enum { ANYPI_NAME_SIZE = 64 };        /* no algorithm or variable has a longer name */

/* The member "cvars" of a table; it lives as long as the table. */
typedef struct json_object anypi_cvars;

/* The control variables of a table (anypi_mpich_table() of select/mpich.h); NULL if it has none. */
anypi_cvars *anypi_cvars_of(const struct json_object *table);
/* The i-th value of a control variable: its name (NULL if there is none) and its number. */
const char *anypi_cvars_value(const anypi_cvars *cvars, const char *variable, int i, int *value);
/* Removes all named values of a control variable but this one. */
void anypi_cvars_keep(anypi_cvars *cvars, const char *variable, const char *name);
/* The number of a value by its name; `otherwise` if the table does not have it. */
int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise);

#endif
