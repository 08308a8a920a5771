/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pairs.h - reduction to a power of two of ranks: with p' = 2^floor(log2 p) and r = p - p', the
 * first 2r ranks form pairs of neighbours, and one rank of each pair drops out. The p' others,
 * numbered without gaps, form a plain butterfly. (Rabenseifner 2004, section 3.5)
 */
#ifndef ANYPI_PAIRS_H_INCLUDED
#define ANYPI_PAIRS_H_INCLUDED

#include "schedule/ranks.h"

#include <stdbool.h>

typedef struct anypi_pairs {
    int power;                  /* p' */
    int dropped;                /* r, the number of pairs */
    int swapped;                /* the odd rank that continues instead of its even partner, or -1 */
} anypi_pairs;

/* In each pair the even rank continues, except that `root` (-1: none) always continues. */
static inline anypi_pairs anypi_pairs_of(int p, int root)
{
    const int power = 1 << anypi_log2_floor((unsigned) p);
    const bool swaps = root % 2 == 1 && root < 2 * (p - power);
    return (anypi_pairs) { power, p - power, swaps ? root : -1 };
}

/* Returns the other rank of the pair; -1: none. */
static inline int anypi_pairs_partner(const anypi_pairs *pairs, int rank)
{
    return rank < 2 * pairs->dropped ? rank ^ 1 : -1;
}

/* Returns the number of a rank, or of its partner, among the ranks that continue. */
static inline int anypi_pairs_number(const anypi_pairs *pairs, int rank)
{
    return rank < 2 * pairs->dropped ? rank / 2 : rank - pairs->dropped;
}

/* Returns the rank that continues with this number. */
static inline int anypi_pairs_rank(const anypi_pairs *pairs, int number)
{
    if (number >= pairs->dropped)
        return number + pairs->dropped;
    return 2 * number + (2 * number + 1 == pairs->swapped);
}

static inline bool anypi_pairs_drops_out(const anypi_pairs *pairs, int rank)
{
    return rank < 2 * pairs->dropped &&
        anypi_pairs_rank(pairs, anypi_pairs_number(pairs, rank)) != rank;
}

#endif
