/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parameter_values.c - which values of a parameter are worth a try if it is "auto". Many values
 * have the same tree: the radix determines only the number of levels, and the threshold only how
 * many of them divide.
 */
#include "algorithms/exchange/cost.h"
#include "algorithms/exchange/machine.h"
#include "algorithms/shared/values.h"

#include "schedule/ranks.h"
#include "schedule/collectives.h"

#include <limits.h>
#include <string.h>

enum { MAX_RADIX = 64, MAX_LANES = 1024, SHORT = 1 << 12 };

/* The smallest radix for each number of levels, the fewest first, and some larger ones: the lowest
 * level has as many children as the radix says, if there are as many ranks. */
static int try_radices(const anyp_call *call, int ranks, int *list)
{
    enum { MORE = 2 };
    int count = 0, levels = 1, radix = ranks < MAX_RADIX ? ranks : MAX_RADIX;
    while (radix >= 2 && !anypi_tree_enough(ranks, radix, levels))
        levels++;
    for (; radix >= 2; levels++) {
        int least = 2;
        while (!anypi_tree_enough(ranks, least, levels))
            least++;
        for (int k = least; k <= least + MORE && k <= radix; k++)
            anypi_try(list, &count, k);
        if (2 * least < radix && call->collective == ANYP_REDUCE)
            anypi_try(list, &count, 2 * least);
        anypi_try(list, &count, (least + radix) / 2);
        anypi_try(list, &count, radix);
        radix = least - 1;
    }
    return count;
}

/* For each number of dividing levels a threshold between the slices of two heights, so that all
 * sizes of a class divide alike. If all levels divide, for several numbers of blocks. */
static int try_thresholds(const anyp_call *call, const anypi_machine *m, int *list)
{
    static const double blocks[] = { 0.75, 0.22 };              /* one and four */
    const double bytes = (double) call->count * (double) call->type_size;
    int count = 0;
    if (anypi_scatters(call)) { /* intervals of equal bytes, or the blocks */
        anypi_try(list, &count, 0);
        if (call->largest > 0)
            anypi_try(list, &count, INT_MAX);
        return count;
    }
    anypi_try(list, &count, INT_MAX);
    double above = bytes, owners = 1;
    for (int h = 1; h <= m->heights; owners *= m->most[h++])
        for (int t = 1; t <= m->trees[h].levels && above >= 1; t++) {
            if (m->trees[h].smallest[t] < 2)
                continue;
            const double slice = bytes / owners / m->trees[h].smallest[t];
            if (h < m->heights || t < m->trees[h].levels)
                anypi_try(list, &count, (int64_t) ((slice + above) / 2));
            above = slice;
        }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && above >= 1; i++)
        anypi_try(list, &count, (int64_t) (blocks[i] * above));
    anypi_try(list, &count, 0);
    return count;
}

/* Radices that suit one of the heights from `lowest` on. */
static int try_heights(const anypi_machine *m, int lowest, int *list)
{
    int count = 0, one[ANYPI_TRIES];
    for (int h = m->heights; h >= lowest; h--) {
        const int some = try_radices(m->call, m->most[h], one);
        for (int i = 0; i < some; i++)
            anypi_try(list, &count, one[i]);
    }
    return count;
}

static int try_lanes(const anyp_call *call, const anypi_machine *m, int *list)
{
    int count = 0;
    anypi_try(list, &count, 0);
    if (anypi_scatters(call))
        return count;
    if (m->least[1] < m->most[1] && m->least[1] <= MAX_LANES)   /* as many in each node */
        anypi_try(list, &count, m->least[1]);
    for (int lanes = 1; lanes < m->most[1] && lanes <= MAX_LANES; lanes *= 2)
        anypi_try(list, &count, lanes);
    return count;
}

static int try_segments(const anyp_call *call, const anypi_machine *m, int *list)
{
    static const int tried[] = { 2, 3, 4, 6, 8, 12, 16 };
    const int64_t bytes = call->count * call->type_size;
    int count = 0;
    anypi_try(list, &count, 1);
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (bytes >= (int64_t) SHORT * tried[i] * m->most[m->heights])
            anypi_try(list, &count, tried[i]);
    return count;
}

int anypi_exchange_tries(const anyp_call *call, const anyp_model *model, const int *parameters,
                         int index, int *list)
{
    int settled[ANYP_MAX_PARAMETERS], count = 0;
    anypi_machine m;
    (void) model;
    memcpy(settled, parameters, sizeof settled);
    settled[ANYPI_EXCHANGE_THRESHOLD] = settled[ANYPI_EXCHANGE_LANES] = 0;
    settled[ANYPI_EXCHANGE_SEGMENTS] = 1;
    if (index >= ANYPI_EXCHANGE_RADIX)          /* not chosen yet */
        settled[ANYPI_EXCHANGE_RADIX] = 2;
    if (index >= ANYPI_EXCHANGE_GROUPS)
        settled[ANYPI_EXCHANGE_NODE_RADIX] = 2;
    if (index == ANYPI_EXCHANGE_GROUPS)
        settled[ANYPI_EXCHANGE_GROUPS] = 1;
    anypi_machine_make(&m, call, settled);
    const bool by_shape = m.heights > 1;
    switch (index) {
    case ANYPI_EXCHANGE_THRESHOLD:
        return try_thresholds(call, &m, list);
    case ANYPI_EXCHANGE_RADIX:
        return try_heights(&m, by_shape ? 2 : 1, list);
    case ANYPI_EXCHANGE_GROUPS:
        if (by_shape)
            anypi_try(list, &count, 1);
        anypi_try(list, &count, 0);
        return count;
    case ANYPI_EXCHANGE_NODE_RADIX:
        return by_shape ? try_radices(call, m.most[1], list) : 0;
    case ANYPI_EXCHANGE_LANES:
        return by_shape ? try_lanes(call, &m, list) : 0;
    case ANYPI_EXCHANGE_SEGMENTS:
        return by_shape ? try_segments(call, &m, list) : 0;
    default:
        return 0;
    }
}
