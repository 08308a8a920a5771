/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uneven.h - how a vector is cut into blocks of different sizes, in measurements.
 */
#ifndef ANYPI_UNEVEN_H_INCLUDED
#define ANYPI_UNEVEN_H_INCLUDED

#include "anyp.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef enum anypi_uneven {
    ANYPI_EVEN,                 /* equal blocks, if p divides the vector */
    ANYPI_HALF,                 /* half the vector at rank p/2, the rest even */
    ANYPI_LINEAR,               /* rank i has about i times as much as rank 1; rank 0 nothing */
    ANYPI_POWERS,               /* rank i has 2^-(i+1) of the vector, the last rank the rest */
    ANYPI_ONE,                  /* rank p/2 has the whole vector */
    ANYPI_RAMP,                 /* rank i has about i + 1 times as much as rank 0 */
    ANYPI_UNEVENS
} anypi_uneven;

/* "even", "half", ...; NULL for none. */
static inline const char *anypi_uneven_name(anypi_uneven shape)
{
    static const char *const names[] = { "even", "half", "linear", "powers", "one", "ramp" };
    return (unsigned) shape < ANYPI_UNEVENS ? names[shape] : NULL;
}

/* Returns the shape of this name, or ANYPI_UNEVENS. */
static inline anypi_uneven anypi_uneven_find(const char *name)
{
    int shape = 0;
    while (shape < ANYPI_UNEVENS && strcmp(anypi_uneven_name((anypi_uneven) shape), name))
        shape++;
    return (anypi_uneven) shape;
}

/* Returns the first element of rank i's block, 0 <= i <= p, of a vector of `count` elements. */
static inline int64_t anypi_uneven_start(anypi_uneven shape, int p, int i, int64_t count)
{
    const int large = p / 2;
    double part = 0;            /* the part of the vector before rank i */
    if (i == 0 || i == p)
        return i == 0 ? 0 : count;
    switch (shape) {
        case ANYPI_HALF:
            part = i <= large ? 0.5 * i / (p - 1) : 0.5 + 0.5 * (i - 1) / (p - 1);
            break;
        case ANYPI_LINEAR:
            part = (double) i * (i - 1) / ((double) p * (p - 1));
            break;
        case ANYPI_RAMP:
            part = (double) i * (i + 1) / ((double) p * (p + 1));
            break;
        case ANYPI_POWERS:
            part = 1 - ldexp(1, -i);
            break;
        case ANYPI_ONE:
            part = i > large;
            break;
        default:
            return i * (count / p) + i * (count % p) / p;
    }
    return (int64_t) (part * (double) count);
}

/* Cuts the vector of a call into such blocks. starts[] has room for call->p + 1 numbers and must
 * outlive the call. If all blocks are equal, the call has no starts. */
static inline void anypi_uneven_cut(anyp_call *call, anypi_uneven shape, int64_t *starts)
{
    call->starts = starts;
    call->largest = starts[0] = 0;
    for (int i = 1; i <= call->p; i++) {
        starts[i] = anypi_uneven_start(shape, call->p, i, call->count);
        if (starts[i] - starts[i - 1] > call->largest)
            call->largest = starts[i] - starts[i - 1];
    }
    if (call->count % call->p == 0 && call->largest == call->count / call->p) {
        call->starts = NULL;
        call->largest = 0;
    }
}

#endif
