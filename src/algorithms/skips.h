/* SPDX-License-Identifier: BSD-3-Clause
 *
 * skips.h - the distances of the circulant algorithm's rounds. A list serves if it decreases
 * strictly from s(0) = p down to 1, and never by more than half: s(k) <= 2*s(k+1).
 */
#ifndef ANYPI_SKIPS_H_INCLUDED
#define ANYPI_SKIPS_H_INCLUDED

/* In the order of the parameter's values in algorithms.def. */
enum {
    ANYPI_SKIPS_HALVING,        /* half the one before, rounded up: ceil(log2 p) rounds */
    ANYPI_SKIPS_POW2,           /* the largest power of two below the one before */
    ANYPI_SKIPS_SQRT,           /* in steps of ceil(sqrt p) down to no less, then halving */
    ANYPI_SKIPS_LINEAR          /* p-1, ..., 1 */
};

/* How many skips the family has for p: the rounds of a reduce-scatter; 0 for p = 1. */
int anypi_skips_count(int p, int family);

/* s(k), 0 <= k <= anypi_skips_count(): s(0) = p. */
int anypi_skip(int p, int family, int k);

/* s(1), s(2), ..., 1 into skips, which has room for p of them; returns how many. */
int anypi_skips(int p, int family, int *skips);

#endif
