/* SPDX-License-Identifier: BSD-3-Clause
 *
 * halved.h - slices of a vector that ranks halve repeatedly by the bits of their numbers, from the
 * lowest bit on. With bit 0 a rank keeps the lower half. Numbers that are equal mod 2^z hold the
 * same slice after z halvings. After all `halvings`, the slices of numbers below `doubled` have two
 * blocks, the others one.
 */
#ifndef ANYPI_HALVED_H_INCLUDED
#define ANYPI_HALVED_H_INCLUDED

#include "algorithms/shared/accumulate.h"

/* Returns the number of blocks of a number's slice after z halvings. */
static inline int anypi_halved_blocks(int halvings, int doubled, int number, int z)
{
    const int more = doubled - (number & ((1 << z) - 1));
    return (1 << (halvings - z)) + (more > 0 ? ((more - 1) >> z) + 1 : 0);
}

/* Returns the slice itself. */
static inline anypi_range anypi_halved_slice(int halvings, int doubled, int number, int z)
{
    int first = 0;
    for (int i = 0; i < z; i++)
        if (number >> i & 1)
            first += anypi_halved_blocks(halvings, doubled, number ^ 1 << i, i + 1);
    return (anypi_range) { first, first + anypi_halved_blocks(halvings, doubled, number, z) };
}

#endif
