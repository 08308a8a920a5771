/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidate.h - a candidate: what a cell can run, an algorithm with its parameters.
 */
#ifndef ANYPI_CANDIDATE_H_INCLUDED
#define ANYPI_CANDIDATE_H_INCLUDED

#include "anyp.h"
#include "select/mpich.h"

enum {
    ANYPI_MAX_CANDIDATES = 2048,        /* of one collective; with --all there are @@ALL@@ */
    ANYPI_NAME_SIZE = 64,               /* the names of MPICH's control variables are shorter */
    ANYPI_TEXT_SIZE = 2 * ANYPI_NAME_SIZE + ANYP_VALUE_SIZE     /* of anypi_candidate_text() */
};

typedef struct anypi_candidate {
    char name[ANYPI_NAME_SIZE];         /* as variables take it: "anyp_circulant" */
    int value;                          /* a control variable's number for that name */
    const anyp_algorithm *algorithm;    /* NULL: the library's own */
    const anypi_mpich_algorithm *own;   /* the library's own, by name; NULL: AnyP's, or "auto" */
    int parameters[ANYP_MAX_PARAMETERS];        /* of the library's own as rules keep them */
    bool fine;                          /* a point between the coarse ones of the grid: tried where
                                           the model promises something of it; of the library's own
                                           all but the first */
} anypi_candidate;

/* Of one collective. Candidate 0 is the MPI library's own choice. */
typedef struct anypi_candidates {
    anypi_candidate *list;
    int count, room;
} anypi_candidates;

/* Room for one candidate more, all zero but its name; NULL if there is none. */
anypi_candidate *anypi_candidates_append(anypi_candidates *candidates, const char *name);
/* "anyp_butterfly threshold=0" and so on into text; returns text. */
char *anypi_candidate_text(const anypi_candidate *candidate, char *text, size_t size);
/* A parameter of it: "threshold=0"; false behind the last. */
bool anypi_candidate_parameter(const anypi_candidate *candidate, int i, char *text, size_t size);
/* Capitals in place of small letters; returns text. */
char *anypi_upper_case(char *text);
/* The control variable that chooses the algorithm of a collective, into name; returns name. */
char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size);

#endif
