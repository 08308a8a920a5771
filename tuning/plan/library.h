/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library.h - what the tuner must know of the library's own algorithms: their parameters, and which
 * calls they serve. Closed forms say nothing of them, so their grids are small.
 */
#ifndef ANYPI_LIBRARY_H_INCLUDED
#define ANYPI_LIBRARY_H_INCLUDED

#include "plan/candidate.h"
#include "plan/cvars.h"

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
/* May it be chosen for p processes? Its rule may hold for fewer as well, which none has measured. */
bool anypi_own_worthwhile(const anypi_candidate *candidate, int p);
/* The points of its parameters' grid; returns how many. One without parameters has one. */
int anypi_own_grid(const anypi_mpich_algorithm *own, const anypi_cvars *cvars,
                   int points[][ANYP_MAX_PARAMETERS], int room);
/* The candidate whose call is the same as that of candidate c, one of the library's own: all numbers
 * of partners above p are one, and a vector shorter than a chunk is not cut. */
int anypi_own_same(const anypi_candidates *candidates, int c, const anyp_call *call);
/* The value of a parameter of the library's own algorithms, as rules keep it; -1: there is no such
 * value. */
int anypi_own_value(const char *parameter, const char *text);

#endif
