/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tries.c - which values of a parameter are worth a try if it is "auto". Many values have equal
 * trees: a radix decides only the number of levels, a threshold only how many of them divide.
 */
#include "algorithms/automatic.h"
#include "algorithms/exchange/cost.h"
#include "algorithms/exchange/machine.h"

#include "schedule/ranks.h"
#include "schedule/collectives.h"

#include <limits.h>
#include <string.h>

enum { MAX_RADIX = 64, MAX_LANES = 1024, SHORT = 1 << 12 };

/* The smallest radix for each number of levels, the fewest first, and some larger ones: the lowest
 * level has as many children as the radix says, if there are as many ranks. */
static int try_radices(int ranks, int *list)
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
        anypi_try(list, &count, (least + radix) / 2);
        anypi_try(list, &count, radix);
        radix = least - 1;
    }
    return count;
}

/* For each number of dividing levels a threshold between the slices of two heights, so that all
 * sizes of a class divide alike. If all levels divide, for several numbers of blocks. */
static int try_thresholds(const anyp_call *call, const int *parameters, int *list)
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
    anypi_machine m;
    int settled[ANYP_MAX_PARAMETERS];
    memcpy(settled, parameters, sizeof settled);
    settled[ANYPI_EXCHANGE_THRESHOLD] = 0;
    anypi_machine_make(&m, call, settled);
    double above = bytes, owners = 1;
    for (int h = 1; h <= m.heights && above >= 1; owners *= m.most[h++])
        for (int t = 1; t <= m.trees[h].levels && above >= 1; t++) {
            if (m.trees[h].smallest[t] < 2)
                continue;
            const double slice = bytes / owners / m.trees[h].smallest[t];
            if (h < m.heights || t < m.trees[h].levels)
                anypi_try(list, &count, (int64_t) ((slice + above) / 2));
            above = slice;
        }
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks && above >= 1; i++)
        anypi_try(list, &count, (int64_t) (blocks[i] * above));
    anypi_try(list, &count, 0);
    return count;
}

/* The sizes of groups above the nodes: radices that fit any of them. */
static int try_shape_radices(const anyp_call *call, const int *parameters, int *list)
{
    anypi_machine m;
    int settled[ANYP_MAX_PARAMETERS];
    memcpy(settled, parameters, sizeof settled);
    settled[ANYPI_EXCHANGE_THRESHOLD] = 0;
    settled[ANYPI_EXCHANGE_RADIX] = settled[ANYPI_EXCHANGE_NODE_RADIX] = 2;
    settled[ANYPI_EXCHANGE_LANES] = 0;
    settled[ANYPI_EXCHANGE_SEGMENTS] = 1;
    anypi_machine_make(&m, call, settled);
    int count = 0, one[ANYPI_TRIES];
    for (int h = m.heights; h > 1; h--) {
        const int some = try_radices(m.most[h], one);
        for (int i = 0; i < some; i++)
            anypi_try(list, &count, one[i]);
    }
    return count;
}

static int try_lanes(const anyp_call *call, int *list)
{
    const int largest = anypi_shape_largest(call->nodes);
    int count = 0;
    anypi_try(list, &count, 0);
    for (int lanes = 1; lanes < largest && lanes <= MAX_LANES && !anypi_scatters(call); lanes *= 2)
        anypi_try(list, &count, lanes);
    return count;
}

static int try_segments(const anyp_call *call, int *list)
{
    int count = 0;
    anypi_try(list, &count, 1);
    for (int k = 2; k <= 16 && !anypi_scatters(call) &&
         call->count * call->type_size >= (int64_t) SHORT * k * call->nodes->count; k *= 2)
        anypi_try(list, &count, k);
    return count;
}

int anypi_exchange_tries(const anyp_call *call, const anyp_model *model, const int *parameters,
                         int index, int *list)
{
    (void) model;
    const bool has_shape = call->nodes && !call->reproducible &&
        anypi_shape_heights(call->commutative || !call->nodes->rank ? call->nodes
                            : call->nodes->runs) > 0;
    const bool by_shape = has_shape && parameters[ANYPI_EXCHANGE_GROUPS];
    int count = 0;
    switch (index) {
    case ANYPI_EXCHANGE_THRESHOLD:
        return try_thresholds(call, parameters, list);
    case ANYPI_EXCHANGE_RADIX:
        return by_shape ? try_shape_radices(call, parameters, list) : try_radices(call->p, list);
    case ANYPI_EXCHANGE_GROUPS:
        if (has_shape)
            anypi_try(list, &count, 1);
        anypi_try(list, &count, 0);
        return count;
    case ANYPI_EXCHANGE_NODE_RADIX:
        return by_shape ? try_radices(anypi_shape_largest(call->nodes), list) : 0;
    case ANYPI_EXCHANGE_LANES:
        return by_shape ? try_lanes(call, list) : 0;
    case ANYPI_EXCHANGE_SEGMENTS:
        return by_shape ? try_segments(call, list) : 0;
    default:
        return 0;
    }
}
