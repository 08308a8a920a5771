/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/circulant/skips.h"

#include "algorithms/shared/lists.h"
#include "schedule/ranks.h"

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

/* The number of skips that are ceil(sqrt p) less than the previous one, and not below ceil(sqrt
 * p). */
static int steps_of_root(int p)
{
    return p > 1 ? p / root_above(p) - 1 : 0;
}

const char *anypi_skips_fault(const int *skips, int count)
{
    for (int k = 1; k < count; k++) {
        if (skips[k] >= skips[k - 1])
            return "skips must decrease";
        if (skips[k - 1] - skips[k] > skips[k])
            return "a skip is more than twice the next one, so that contributions would be lost";
    }
    return count < 1 || skips[count - 1] != 1 ? "the last skip must be 1" : NULL;
}

const char *anypi_skips_refusal(int p, int skips)
{
    int count;
    if (skips < ANYPI_SKIPS_LISTS)
        return NULL;
    const int first = *anypi_list_at(skips - ANYPI_SKIPS_LISTS, &count);
    if (p <= first)
        return "the first skip of the list is not less than p";
    return p - first > first ? "p is more than twice the first skip of the list" : NULL;
}

int anypi_skip(int p, int skips, int k)
{
    int count;
    switch (skips) {
        case ANYPI_SKIPS_HALVING:
            return halved(p, k);
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
            return k == 0 ? p : anypi_list_at(skips - ANYPI_SKIPS_LISTS, &count)[k - 1];
    }
}

int anypi_skips_count(int p, int skips)
{
    int count = 0;
    switch (skips) {
        case ANYPI_SKIPS_HALVING:
        case ANYPI_SKIPS_POW2:
            return anypi_log2_ceil((unsigned) p);
        case ANYPI_SKIPS_SQRT: {
            const int steps = steps_of_root(p);
            return steps + anypi_log2_ceil((unsigned) (p - steps * root_above(p)));
        }
        case ANYPI_SKIPS_LINEAR:
            return p - 1;
        default:
            anypi_list_at(skips - ANYPI_SKIPS_LISTS, &count);
            return count;
    }
}
