/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ranks.h - rank arithmetic of the algorithms (p >= 1 throughout), and minima and maxima of ints
 * and of reals.
 */
#ifndef ANYPI_RANKS_H_INCLUDED
#define ANYPI_RANKS_H_INCLUDED

#include <stdint.h>

/* floor(log2 p), for p >= 1 */
static inline int anypi_log2_floor(uint64_t p)
{
    int exponent = 0;
    while (p >> exponent > 1)
        exponent++;
    return exponent;
}

/* q = ceil(log2 p) */
static inline int anypi_log2_ceil(unsigned p)
{
    return p > 1 ? anypi_log2_floor(p - 1) + 1 : 0;
}

/* i mod p in 0..p-1, for any i >= -p */
static inline int anypi_mod(int i, int p)
{
    return (i + p) % p;
}

/* ceil(a / b) */
static inline int64_t anypi_divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

static inline int anypi_min(int a, int b)
{
    return a < b ? a : b;
}

static inline int anypi_max(int a, int b)
{
    return a > b ? a : b;
}

static inline double anypi_fmin(double a, double b)
{
    return a < b ? a : b;
}

static inline double anypi_fmax(double a, double b)
{
    return a > b ? a : b;
}

/* The successor of i in bit-reversed order of numbers with that many bits: 0, 4, 2, 6, 1, 5, 3, 7.
 * The successor of the last is 0. */
static inline int anypi_next_reversed(int i, int bits)
{
    int bit = 1 << bits >> 1;
    for (; i & bit; bit >>= 1)
        i ^= bit;
    return i | bit;
}

#endif
