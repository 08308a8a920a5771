/* SPDX-License-Identifier: BSD-3-Clause
 *
 * groups.h - the parameter `groups` of algorithms that know one height of the machine's shape: the
 * nodes, or the lowest switches. If each rank is a node, both values mean the switches.
 */
#ifndef ANYPI_GROUPS_H_INCLUDED
#define ANYPI_GROUPS_H_INCLUDED

#include "algorithms/shared/values.h"
#include "schedule/shape.h"

enum { ANYPI_GROUPS_RANKS, ANYPI_GROUPS_NODES, ANYPI_GROUPS_SWITCHES };

/* Returns the groups that a value names: several, some of several ranks; NULL: there are none. */
static inline const anyp_shape *anypi_groups_of(const anyp_call *call, int value)
{
    if (value == ANYPI_GROUPS_RANKS || !call->nodes)
        return NULL;
    const anyp_shape *groups =
        anypi_shape_lowest(call->nodes, value == ANYPI_GROUPS_SWITCHES);
    return groups->count > 1 && groups->count < call->p ? groups : NULL;
}

/* Returns the number of ranks of each group if they have equal sizes; otherwise 1. */
static inline int anypi_groups_width(const anyp_shape *groups)
{
    const int most = groups ? anypi_shape_largest(groups) : 1;
    return groups && most * (int64_t) groups->count == anypi_shape_ranks(groups) ? most : 1;
}

/* Writes the values that name different groups into list[]; returns their number. */
static inline int anypi_groups_tries(const anyp_call *call, int *list)
{
    const anyp_shape *nodes = anypi_groups_of(call, ANYPI_GROUPS_NODES);
    const anyp_shape *switches = anypi_groups_of(call, ANYPI_GROUPS_SWITCHES);
    int count = 0;
    if (switches && switches != nodes)
        anypi_try(list, &count, ANYPI_GROUPS_SWITCHES);
    if (nodes)
        anypi_try(list, &count, ANYPI_GROUPS_NODES);
    anypi_try(list, &count, ANYPI_GROUPS_RANKS);
    return count;
}

#endif
