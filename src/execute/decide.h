/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decide.h - decides which algorithm runs a call, given the request of a variable or a rule. For
 * every back end. An algorithm "serves" a call if it can run it.
 *
 *   The request serves the call    It runs. Closed forms may replace a rule's algorithm if the
 *                                  blocks differ much in size, or if there are switches or nodes
 *                                  of different sizes (adapt.h).
 *   A rule's request does not      AnyP's first algorithm that serves the call runs.
 *   A variable's request does not  The MPI library's algorithm runs.
 *   The result must be             In all other cases, and without a request, AnyP's first
 *   reproducible                   algorithm that serves the call runs.
 *
 * All ranks decide before the first message, from values that are the same on all ranks.
 */
#ifndef ANYPI_DECIDE_H_INCLUDED
#define ANYPI_DECIDE_H_INCLUDED

#include "execute/cache.h"
#include "schedule/collectives.h"

/* The algorithm that a variable or a rule requests. */
typedef struct anypi_asked {
    const anyp_algorithm *algorithm;    /* NULL: no algorithm of AnyP's */
    const int *parameters;
    bool forced;                /* a variable requests it; otherwise a rule does */
} anypi_asked;

/* Returns whether the decision may depend on the nodes of the ranks. */
bool anypi_asks_nodes(const anyp_call *call, const anypi_asked *asked);

/* Sets the choice of an entry: its algorithm, asked[], parameters[] and reason. Also sets
 * call->nodes of the entry if the choice may use nodes. `refusal` is why no algorithm of AnyP's can
 * run the call (static text), or NULL. */
void anypi_decide_call(anypi_cache *cache, anypi_entry *entry, const anypi_asked *asked,
                       const anyp_shape *nodes, const char *refusal);

/* Why no algorithm supports a datatype whose elements overlap, like the columns of a matrix: its
 * elements cannot be adjacent in scratch memory. */
#define ANYPI_ELEMENTS_OVERLAP "the elements of the datatype overlap"

/* Why the plug-in does not reduce: the input must be in host memory. */
#define ANYPI_INPUT_ON_DEVICE "the input is in device memory"

/* Can the memory of a call with data to move decide which rule applies? Reductions run only in host
 * memory. */
static inline bool anypi_tests_memory(anyp_collective collective)
{
    return anypi_moves(collective) && !anypi_has_no_data(collective);
}

/* Why the plug-in does not run a nonblocking call whose rules test memory: the ranks cannot agree
 * on it without waiting for each other. */
#define ANYPI_MEMORY_UNKNOWN "a nonblocking call cannot test memory"

#endif
