/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sizes.h - how many bytes each rank has for each other rank, in measurements of alltoallv,
 * alltoallw, gatherv and scatterv. All ranks compute the same numbers.
 */
#ifndef ANYPI_SIZES_H_INCLUDED
#define ANYPI_SIZES_H_INCLUDED

#include <stdint.h>
#include <string.h>

typedef enum anypi_sizes {
    ANYPI_SIZES_EVEN,           /* every block has the mean size */
    ANYPI_SIZES_UNIFORM,        /* from 0 to twice the mean, all sizes equally likely */
    ANYPI_SIZES_POWERS,         /* half of the blocks: a quarter of the mean; then again and again
                                 * half as many blocks of twice the size, up to 16 times the mean */
    ANYPI_SIZES_SPARSE,         /* each 20th pair, drawn at random, `mean`; the others nothing */
    ANYPI_SIZES_KINDS
} anypi_sizes;

/* "even", "uniform", ...; NULL for none. */
static inline const char *anypi_sizes_name(anypi_sizes kind)
{
    static const char *const names[] = { "even", "uniform", "powers", "sparse" };
    return (unsigned) kind < ANYPI_SIZES_KINDS ? names[kind] : NULL;
}

/* Returns the kind of this name, or ANYPI_SIZES_KINDS. */
static inline anypi_sizes anypi_sizes_find(const char *name)
{
    int kind = 0;
    while (kind < ANYPI_SIZES_KINDS && strcmp(anypi_sizes_name((anypi_sizes) kind), name))
        kind++;
    return (anypi_sizes) kind;
}

static inline uint32_t anypi_sizes_mix(uint32_t number)
{
    number = (number ^ number >> 16) * UINT32_C(2246822519);
    number = (number ^ number >> 13) * UINT32_C(3266489917);
    return number ^ number >> 16;
}

/* Returns the bytes that a rank has for another rank, given the mean. */
static inline int64_t anypi_sizes_bytes(anypi_sizes kind, int from, int to, int64_t mean)
{
    const uint32_t drawn = anypi_sizes_mix(anypi_sizes_mix((uint32_t) from + 1) + (uint32_t) to);
    int doublings = 0;
    switch (kind) {
        case ANYPI_SIZES_UNIFORM:
            return drawn % (2 * mean + 1);
        case ANYPI_SIZES_POWERS:
            while (doublings < 6 && !(drawn >> doublings & 1))
                doublings++;
            return (mean << doublings) / 4;
        case ANYPI_SIZES_SPARSE:
            return drawn % 20 == 0 ? mean : 0;
        default:
            return mean;
    }
}

#endif
