/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.h - the candidates of a cell: the algorithms and parameters that it can run.
 *
 * Of AnyP each algorithm is one candidate; its parameters are "auto", which closed forms settle in
 * each call by the constants of the machine. Closed forms also select the algorithms that are
 * measured in a cell (contenders.h). The MPI library is one candidate: its own choice.
 */
#ifndef ANYPI_CANDIDATES_H_INCLUDED
#define ANYPI_CANDIDATES_H_INCLUDED

#include "anyp.h"
#include "algorithms/registry.h"

#include <stdbool.h>

enum {
    ANYPI_NAME_SIZE = 64,               /* no algorithm or variable has a longer name */
    ANYPI_MAX_CANDIDATES = 256          /* of one collective; most are in joined files */
};

/* ---- library_names.c: the form of the collectives, blocking or nonblocking; persistent requests
 * belong to the nonblocking form. A program measures and writes rules for one form at a time. The
 * command line or a timing file sets it. ---- */

void anypi_form_set(bool nonblocking);
bool anypi_form_nonblocking(void);

/* Returns the name of a collective in this form: "allreduce", "iallreduce". */
const char *anypi_form_name(anyp_collective collective);
/* Returns the prefix of AnyP's algorithms in this form: "anyp_", "tsp_anyp_". */
const char *anypi_form_prefix(void);

/* The numbers of the named values of control variables. MPI's tool interface shows these variables
 * as plain ints, so the graft writes the names into the table of the MPICH:
 * {..., "cvars": {"MPIR_CVAR_...": {"auto": 0, ...}, ...}}. This type is the member "cvars" of a
 * table; it lives as long as the table. */
typedef struct json_object anypi_cvars;

/* Returns the control variables of a table (anypi_mpich_table() of select/mpich.h), or NULL. */
anypi_cvars *anypi_cvars_of(const struct json_object *table);
/* Returns the number of a value by its name; `otherwise` if the table does not contain it. */
int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise);

/* ---- candidates.c ---- */

typedef struct anypi_candidate {
    char name[ANYPI_NAME_SIZE];         /* as in variables: "anyp_circulant" */
    int value;                          /* the number of this name in a control variable */
    const anyp_algorithm *algorithm;    /* NULL: the MPI library's choice */
    int parameters[ANYP_MAX_PARAMETERS];
} anypi_candidate;

/* The candidates of one collective. Candidate 0 is the MPI library's choice. */
typedef struct anypi_candidates {
    anypi_candidate *list;
    int count, room;
} anypi_candidates;

/* "anyp_butterfly threshold=0 ..." */
typedef struct anypi_text {
    char text[2 * ANYPI_NAME_SIZE + ANYP_VALUE_SIZE];
} anypi_text;
anypi_text anypi_candidate_text(const anypi_candidate *candidate);
/* Makes such a text shorter for people: removes the parameters that are "auto", as most are; the
 * largest threshold becomes "never". */
void anypi_candidate_shorten(char *text);
/* Writes the next parameter of the candidate that matters, from *i on, into text: "threshold=0".
 * Moves *i behind it. False: there is none. */
bool anypi_candidate_parameter(const anypi_candidate *candidate, int *i, char *text, size_t size);
/* Writes the control variable for the algorithm of a collective into name; returns name. */
char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size);

/* Can the algorithm use nodes? */
bool anypi_candidate_uses_nodes(const anyp_algorithm *algorithm);
/* Is a parameter of the candidate "auto"? */
bool anypi_candidate_automatic(const anypi_candidate *candidate);

/* Returns the index of the candidate with this anypi_candidate_text(); appends it if it is missing.
 * -1: no such algorithm or parameter, or no room. */
int anypi_candidates_find(anypi_candidates *candidates, const char *text);
/* Makes the candidates of a collective: the MPI library's choice, and AnyP's algorithms, of which
 * `cvars` has the numbers (NULL: they need none). Reference algorithms are added only if
 * `reference`. */
anyp_status anypi_candidates_make(anypi_candidates *candidates, anyp_collective collective,
                                  const anypi_cvars *cvars, bool reference);

#endif
