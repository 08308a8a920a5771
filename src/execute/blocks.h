/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocks.h - reads the counts and displacements that callers of MPI give for each block.
 */
#ifndef ANYPI_BLOCKS_H_INCLUDED
#define ANYPI_BLOCKS_H_INCLUDED

#include "execute/workspace.h"

#include <string.h>

/* An array of int, MPI_Count or MPI_Aint. */
typedef struct anypi_integers {
    const void *at;             /* NULL: none */
    size_t size;                /* bytes of an element: those of int32_t or int64_t */
} anypi_integers;

static inline int64_t anypi_integer(anypi_integers of, int i)
{
    const char *at = (const char *) of.at + (size_t) i * of.size;
    int32_t small;
    int64_t large;
    if (of.size == sizeof large) {
        memcpy(&large, at, sizeof large);
        return large;
    }
    memcpy(&small, at, sizeof small);
    return small;
}

/* Sets call->count to the sum of the p counts times `unit`. If the blocks differ in size, also sets
 * call->starts (memory of the workspace) and call->largest. ANYP_ERR_ARGUMENT: a count is negative,
 * or the sum is too large. ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_blocks_measure(anyp_call *call, anypi_integers counts, int64_t unit,
                                 anypi_workspace *workspace);

/* Returns whether the p blocks follow each other in memory, in their order. */
bool anypi_blocks_in_order(int p, anypi_integers counts, anypi_integers displs);

#endif
