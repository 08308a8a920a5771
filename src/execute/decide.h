/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decide.h - which algorithm runs a call, if a variable or a rule requests one. For every back end.
 *
 *   The request serves the call   It runs. Where the blocks of a rule's call differ much in size,
 *                                 or nodes do, or ranks are at several switches, closed forms may
 *                                 replace it (adapt.h).
 *   It does not, a rule's         The first of AnyP's algorithms that serves the call runs.
 *   It does not, a variable's     None of AnyP's runs.
 *   Results must be reproducible  The first that serves the call runs in all other cases, also
 *                                 without a request.
 *
 * All ranks decide before the first message, from values that are the same on all of them.
 */
#ifndef ANYPI_DECIDE_H_INCLUDED
#define ANYPI_DECIDE_H_INCLUDED

#include "execute/cache.h"

/* The algorithm that a variable or a rule requests. */
typedef struct anypi_asked {
    const anyp_algorithm *algorithm;    /* NULL: none of AnyP's */
    const int *parameters;
    bool forced;                /* a variable requests it; otherwise a rule */
} anypi_asked;

/* May the decision depend on the nodes of the ranks? */
bool anypi_asks_nodes(const anyp_call *call, const anypi_asked *asked);

/* Sets the choice of an entry: its algorithm, asked[], parameters[] and reason. Gives its call the
 * nodes if the choice may use them. `refusal`, if not NULL, is why no algorithm of AnyP's can run
 * the call (static text). */
void anypi_decide_call(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                       const anyp_shape *nodes, const char *refusal);

/* Returns the first algorithm that serves the call, and sets its default parameters; NULL if none
 * does. */
const anyp_algorithm *anypi_replacement(const anyp_call *call, int *parameters);

/* Why no algorithm supports a datatype whose elements overlap, like the columns of a matrix: such
 * elements cannot be adjacent in scratch memory. */
#define ANYPI_ELEMENTS_OVERLAP "the elements of the datatype overlap"

#endif
