/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/skips.h"

#include "core/ranks.h"

#include <stdint.h>

/* ceil(n / 2^k) */
static int halved(int n, int k)
{
    return (int) (((unsigned) n + (1u << k) - 1) >> k);
}

/* ceil(sqrt p) */
static int root_above(int p)
{
    int high = 1 << (anypi_log2_ceil((unsigned) p) + 1) / 2, low = 0;
    while (high - low > 1) {    /* low^2 < p <= high^2 */
        const int middle = (low + high) / 2;
        if ((int64_t) middle * middle < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* How many skips are less by ceil(sqrt p) than the one before, and no less than that. */
static int steps_of_root(int p)
{
    return p > 1 ? p / root_above(p) - 1 : 0;
}

int anypi_skip(int p, int family, int k)
{
    switch (family) {
        case ANYPI_SKIPS_POW2:
            return k == 0 ? p : 1 << (anypi_log2_ceil((unsigned) p) - k);
        case ANYPI_SKIPS_SQRT: {
            const int steps = steps_of_root(p);
            return k <= steps ? p - k * root_above(p)
                : halved(p - steps * root_above(p), k - steps);
        }
        case ANYPI_SKIPS_LINEAR:
            return p - k;
        default:
            return halved(p, k);
    }
}

int anypi_skips_count(int p, int family)
{
    switch (family) {
        case ANYPI_SKIPS_SQRT: {
            const int steps = steps_of_root(p);
            return steps + anypi_log2_ceil((unsigned) (p - steps * root_above(p)));
        }
        case ANYPI_SKIPS_LINEAR:
            return p - 1;
        default:
            return anypi_log2_ceil((unsigned) p);
    }
}

int anypi_skips(int p, int family, int *skips)
{
    const int count = anypi_skips_count(p, family);
    for (int k = 1; k <= count; k++)
        skips[k - 1] = anypi_skip(p, family, k);
    return count;
}
