/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picks.h - the ranks of a sample: a list without duplicates, and random ranks with a fixed seed.
 */
#ifndef ANYPI_PICKS_H_INCLUDED
#define ANYPI_PICKS_H_INCLUDED

#include "anyp.h"

typedef struct anypi_picks {
    int p;
    int *list;                  /* the ranks, in the order in which they were added */
    int count;
    uint64_t *listed;           /* a bit per rank */
    uint64_t random;
} anypi_picks;

/* Makes an empty list with room for `capacity` of p ranks. ANYP_SUCCESS or ANYP_ERR_MEMORY; free it
 * in both cases. */
anyp_status anypi_picks_begin(anypi_picks *picks, int p, int capacity);
void anypi_picks_free(anypi_picks *picks);

/* Adds a rank if it exists, is new, and the list has fewer than `limit` (not above the capacity).
 */
void anypi_picks_add(anypi_picks *picks, int64_t rank, int limit);

/* Adds the root, the first and last ranks and those in the middle; then the ranks at and beside
 * powers of two, counted from either end. */
void anypi_picks_add_ends(anypi_picks *picks, int root, int limit);
void anypi_picks_add_powers(anypi_picks *picks, int limit);

/* Returns a random number from 0 to end - 1. */
int anypi_picks_draw(anypi_picks *picks, int end);

#endif
