/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/plan.h"

#include "schedule/ranks.h"
#include "schedule/collectives.h"

#include <limits.h>

/* The maximum number of blocks of an interval in an owner group. With one, intervals of lower
 * levels are whole intervals of upper ones, so that messages are few and intervals uneven; with
 * this many they are even within some percent. */
enum { BLOCKS_OF_INTERVAL = 8 };

/* The number of blocks of each interval: such that a block has `threshold` bytes. */
static int blocks_of_interval(const anyp_call *call, int lanes, int intervals, int threshold)
{
    const int64_t elements = call->count / intervals;
    const int64_t bytes = elements * call->type_size;
    int64_t maximum = ANYPI_EXCHANGE_MAX_BLOCKS / lanes / intervals;
    if (maximum > BLOCKS_OF_INTERVAL)
        maximum = BLOCKS_OF_INTERVAL;
    if (maximum > elements)
        maximum = elements;
    if (threshold > 0 && maximum > bytes / threshold)
        maximum = bytes / threshold;
    return maximum > 1 ? (int) maximum : 1;
}

/* Sets how many levels divide, and what depends on it. */
static void divide(anypi_exchange *e, int lanes, int threshold)
{
    const anyp_call *call = &e->call;
    const anypi_tree *tree = &e->tree;
    const int64_t bytes = call->count * call->type_size;
    if (anypi_scatters(call)) {
        e->dividing = tree->levels;
        e->intervals = e->blocks = call->p;
        return;
    }
    for (int t = 0; t < tree->levels; t++) {
        const int smallest = tree->smallest[t + 1];
        if (bytes / e->intervals <= threshold || call->count < smallest)
            break;
        if (smallest > 1) {
            e->dividing = t + 1;
            e->intervals = smallest;
        }
    }
    if (e->dividing == 0)
        return;
    /* the surplus rank is the last one of its child, and the child one of the largest */
    e->shareable = e->intervals / (e->intervals / tree->radix[e->dividing - 1] + 1);
    e->blocks = e->intervals * blocks_of_interval(call, lanes, e->intervals, threshold);
}

/* The radix that is used: an int must number the blocks of all operands of a level. For
 * reproducible results the next power of two, so that there are not more levels. */
static int radix_of(const anyp_call *call, int radix)
{
    const int maximum = INT_MAX / call->p > 2 ? INT_MAX / call->p : 2;
    if (call->reproducible)
        radix = 1 << anypi_log2_ceil((unsigned) radix);
    while (call->reproducible && radix > maximum)
        radix /= 2;
    return radix < maximum ? radix : maximum;
}

static void begin(anypi_exchange *e, const anyp_call *call, int radix)
{
    e->call = *call;
    e->dividing = 0;
    e->intervals = e->blocks = e->shareable = e->alignment = 1;
    anypi_tree_make(&e->tree, call->p, radix_of(call, radix), call->reproducible);
}

static void set_widths(anypi_exchange *e)
{
    for (int height = 0; height <= e->dividing; height++)
        for (int i = 0; i < 2; i++) {
            const int size = anypi_tree_size(&e->tree, height, i);
            const anypi_division division = anypi_exchange_division(e, height, size);
            const int owners = division.owners;
            const bool equal = owners > 0 && e->blocks / division.alignment % owners == 0;
            e->widths[height][i] = equal ? e->blocks / owners : 0;
        }
}

void anypi_exchange_make(anypi_exchange *e, const anyp_call *call, int lanes, int radix,
                         int threshold)
{
    begin(e, call, radix);
    divide(e, lanes, threshold);
    set_widths(e);
}

void anypi_exchange_make_inside(anypi_exchange *e, const anyp_call *call, int radix, int lanes,
                                int width, bool divides)
{
    begin(e, call, radix);
    e->blocks = lanes * width;
    if (divides) {
        e->tree.limit = lanes < call->p ? lanes : call->p;
        e->dividing = e->tree.levels;
        e->intervals = e->tree.limit;
        e->alignment = width;
    }
    set_widths(e);
}
