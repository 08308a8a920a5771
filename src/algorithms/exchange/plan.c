/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/plan.h"

#include "core/set.h"

#include <limits.h>

/* A position's interval is cut into at most so many blocks. With one, intervals of lower levels are
 * whole intervals of upper ones, so that messages are few and intervals uneven; with FINEST they
 * are even within some percent. */
enum { FINEST = 8 };

/* So many copies of the vector may lie in a row in scratch, the largest radix. */
enum { COPIES = 64 };

static bool in_one_level(const anypi_tree *tree)
{
    return tree->levels <= 1;
}

/* Blocks for each position: as many as have `threshold` bytes. */
static int fineness(const anyp_call *call, const anypi_tree *tree, int positions, int threshold)
{
    const int64_t elements = call->count / positions;
    const int64_t bytes = elements * call->type_size;
    int64_t most = INT_MAX / COPIES / positions;
    if (in_one_level(tree))
        return 1;
    if (most > FINEST)
        most = FINEST;
    if (most > elements)
        most = elements;
    if (threshold > 0 && most > bytes / threshold)
        most = bytes / threshold;
    return most > 1 ? (int) most : 1;
}

anypi_exchange anypi_exchange_of(const anyp_call *call, const int *parameters)
{
    anypi_exchange e = { .call = call, .positions = 1, .blocks = 1,
                         .tree = anypi_tree_of(call->p, parameters[ANYPI_EXCHANGE_RADIX]) };
    const int threshold = parameters[ANYPI_EXCHANGE_THRESHOLD];
    const int64_t bytes = call->count * call->type_size;
    if (anypi_scatters(call)) {
        e.dividing = e.tree.levels;
        e.positions = e.blocks = call->p;
        return e;
    }
    for (int t = 0; t < e.tree.levels; t++) {
        const int least = e.tree.least[t + 1];
        if (bytes / e.positions <= threshold || call->count < least)
            break;
        if (least > 1) {
            e.dividing = t + 1;
            e.positions = least;
        }
    }
    if (e.dividing == 0)
        return e;
    /* the extra rank is the last one of its child, and the child one of the largest */
    e.shareable = e.positions / (e.positions / e.tree.radix[e.dividing - 1] + 1);
    e.blocks = e.positions * fineness(call, &e.tree, e.positions, threshold);
    return e;
}

int anypi_exchange_owner(const anypi_exchange *e, int block, int owners)
{
    int i = (int) ((int64_t) block * owners / e->blocks);
    while (i > 0 && anypi_exchange_border(e, i, owners) > block)
        i--;
    while (anypi_exchange_border(e, i + 1, owners) <= block)
        i++;
    return i;
}
