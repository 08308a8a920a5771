/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skips.h - the distances of the circulant algorithm's rounds: families, which have skips for every
 * p, and users' lists. A valid list decreases strictly from s(0) = p down to 1, and never by more
 * than half: s(k) <= 2*s(k+1).
 */
#ifndef ANYPI_SKIPS_H_INCLUDED
#define ANYPI_SKIPS_H_INCLUDED

/* In the order of the parameter's values in algorithms.def. */
enum {
    ANYPI_SKIPS_HALVING,        /* half the previous one, rounded up: ceil(log2 p) rounds */
    ANYPI_SKIPS_POW2,           /* the largest power of two below the previous one */
    ANYPI_SKIPS_SQRT,           /* in steps of ceil(sqrt p), as long as possible; then halving */
    ANYPI_SKIPS_LINEAR,         /* p-1, ..., 1 */
    ANYPI_SKIPS_LISTS           /* and above: this plus the index of a list in lists.h */
};

/* Returns NULL if the list is valid for some p (from its first skip + 1 to twice its first skip);
 * otherwise what is wrong with it (static text). */
const char *anypi_skips_fault(const int *skips, int count);

/* Returns NULL if the skips are valid for p, otherwise why not (static text). Families always
 * are. */
const char *anypi_skips_refusal(int p, int skips);

/* Returns the number of skips for p: the rounds of a reduce-scatter. For a family 0 if p = 1. */
int anypi_skips_count(int p, int skips);

/* Returns s(k), 0 <= k <= anypi_skips_count(): s(0) = p. */
int anypi_skip(int p, int skips, int k);

#endif
