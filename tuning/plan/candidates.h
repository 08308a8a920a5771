/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.h - what a cell can run: an algorithm with its parameters, and which settings are
 * candidates.
 *
 * The grid over an algorithm's parameters is the same for all cells, so that a setting can win in
 * neighbouring cells and make one rule of them. It is fine, because closed forms tell which of its
 * points are worth a measurement in a cell (prune.h).
 */
#ifndef ANYPI_CANDIDATES_H_INCLUDED
#define ANYPI_CANDIDATES_H_INCLUDED

#include "plan/cvars.h"

#include "anyp.h"
#include "select/mpich.h"

enum {
    ANYPI_MAX_CANDIDATES = 2048,        /* of one collective; reduce has 1141 of AnyP's */
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

/* "anyp_butterfly threshold=0" and so on into text; returns text. */
char *anypi_candidate_text(const anypi_candidate *candidate, char *text, size_t size);
/* A parameter of it: "threshold=0"; false behind the last. */
bool anypi_candidate_parameter(const anypi_candidate *candidate, int i, char *text, size_t size);
/* Capitals in place of small letters; returns text. */
char *anypi_upper_case(char *text);
/* The control variable that chooses the algorithm of a collective, into name; returns name. */
char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size);

/* The index of the collective's candidate that anypi_candidate_text() calls so, appended if it is
 * not there; -1: there is no such algorithm or parameter, or no room. */
int anypi_candidates_find(anypi_candidates *candidates, anyp_collective collective,
                          const char *text);
/* The candidates of a collective: the library's choice, its own algorithms (none if `only_anyp`, or
 * if `cvars` is NULL: they cannot be forced), and AnyP's, those that are kept as reference only if
 * asked. *anyp becomes the number of AnyP's. */
anyp_status anypi_candidates_make(anypi_candidates *candidates, anyp_collective collective,
                                  const anypi_cvars *cvars, bool only_anyp, bool reference,
                                  int *anyp);

/* ---- library.c: the library's own algorithms ---- */

/* The library's own algorithm of that name; NULL: there is none. */
const anypi_mpich_algorithm *anypi_own_find(anyp_collective collective, const char *name);
/* Is it a candidate: can a rule name it, and keep it from calls that it does not serve? */
bool anypi_own_nameable(const anypi_mpich_algorithm *own);
/* What it needs of a call: the row of anypi_keys that asks for it (-1: none does), and whether that
 * must hold. False behind the last. */
bool anypi_own_need(const anypi_mpich_algorithm *own, int i, int *key, bool *holds);
/* Does it serve only reduce_scatters whose blocks are equal? NULL: no. */
bool anypi_own_equal(const anypi_mpich_algorithm *own);
/* Does it serve the call, with equal blocks, and with a built-in operator or another? */
bool anypi_own_serves(const anypi_mpich_algorithm *own, const anyp_call *call, bool builtin);
/* May it be chosen for p processes? Its rule may hold for fewer as well, which none has
 * measured. */
bool anypi_own_worthwhile(const anypi_candidate *candidate, int p);
/* The points of its parameters' grid; returns how many. One without parameters has one. */
int anypi_own_grid(const anypi_mpich_algorithm *own, const anypi_cvars *cvars,
                   int points[][ANYP_MAX_PARAMETERS], int room);
/* The candidate with the least parameters whose call is the same as that of candidate c, one of the
 * library's own. */
int anypi_own_same(const anypi_candidates *candidates, int c, const anyp_call *call);
/* The value of a parameter of the library's own algorithms, as rules keep it; -1: there is no such
 * value. */
int anypi_own_value(const char *parameter, const char *text);

#endif
