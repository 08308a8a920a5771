/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bracketing.h - the bracketing of reproducible results: one tree for each number of operands.
 *
 *   T(1) = x0
 *   T(n) = T(the first ceil(n/2) operands) (+) T(the other floor(n/2))
 *
 *   T(6) = ((x0 + x1) + x2) + ((x3 + x4) + x5)
 *
 * The tree depends only on n. Its depth is ceil(log2 n), so the error of a floating-point sum grows
 * with log2 n. All nodes of one depth have one of two sizes, which differ by one. So a level of any
 * radix 2^k can join the nodes k below (exchange.c). If n is a power of two, this is the tree of
 * recursive doubling.
 */
#ifndef ANYPI_BRACKETING_H_INCLUDED
#define ANYPI_BRACKETING_H_INCLUDED

#include <stdbool.h>

/* Of n >= 2 operands, how many are on the left. */
static inline int anypi_bracketing_left(int n)
{
    return n - n / 2;
}

/* Is operand i of n the right one of the first sum that it is in? */
static inline bool anypi_bracketing_is_right(int n, int i)
{
    bool right = false;
    while (n > 1) {
        const int left = anypi_bracketing_left(n);
        right = i >= left;
        i -= right ? left : 0;
        n = right ? n - left : left;
    }
    return right;
}

#endif
