/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/lanes.h"

#include "schedule/collectives.h"

#include <limits.h>

/* The node of a rank of the call, and its rank in the node. */
static void find(const anypi_lanes *l, int rank, int *node, int *local)
{
    int position = rank;
    *node = rank;
    *local = 0;
    if (!l->nodes)
        return;
    if (l->nodes->rank)
        for (position = 0; l->nodes->rank[position] != rank;)
            position++;
    *node = anypi_shape_at(l->nodes, position);
    *local = position - l->nodes->first[*node];
}

/* How many segments each lane has. */
static int segments_of(const anypi_lanes *l, const anyp_call *call, int wanted)
{
    if (!l->nodes || l->count == 1 || wanted == 1 || l->replicas || anypi_scatters(call))
        return 1;
    /* each has elements, and an int numbers its blocks: see plan.c */
    const int64_t elements = call->count / l->lanes;
    const int64_t numbered = ANYPI_EXCHANGE_MAX_BLOCKS / ((int64_t) l->lanes * l->count);
    const int64_t most = elements < numbered ? elements : numbered;
    return wanted < most ? wanted : most > 1 ? (int) most : 1;
}

void anypi_lanes_make(anypi_lanes *l, const anyp_call *call, const int *parameters,
                      anypi_exchange *across)
{
    const bool scatters = anypi_scatters(call);
    const int threshold = parameters[ANYPI_EXCHANGE_THRESHOLD];
    const int wanted = scatters ? 0 : parameters[ANYPI_EXCHANGE_LANES];
    const bool uses_nodes = parameters[ANYPI_EXCHANGE_GROUPS] && !call->reproducible;
    l->nodes = uses_nodes ? call->nodes : NULL;
    l->node_radix = parameters[ANYPI_EXCHANGE_NODE_RADIX];
    l->reduces = call->collective == ANYP_REDUCE;
    l->first = l->end = 0;
    l->tree.p = 0;              /* none yet */
    l->count = l->nodes ? l->nodes->count : call->p;
    find(l, call->rank, &l->node, &l->local);
    find(l, call->root, &l->root_node, &l->root_local);
    const int largest = l->nodes ? anypi_shape_largest(l->nodes) : 1;
    const int64_t bytes = call->count * call->type_size;
    l->lanes = wanted > 0 && wanted < largest ? wanted : largest;
    if (wanted > 0 && l->lanes > call->count)
        l->lanes = call->count > 1 ? (int) call->count : 1;
    l->replicas = !scatters && wanted == 0 && (bytes <= threshold || call->count < largest);
    if (l->replicas)
        l->lanes = 1;
    l->segments = segments_of(l, call, parameters[ANYPI_EXCHANGE_SEGMENTS]);

    anyp_call of_lane = *call;
    of_lane.p = l->count;
    of_lane.rank = l->node;
    of_lane.root = l->root_node;
    of_lane.count = call->count / l->lanes / l->segments;
    anypi_exchange_make(across, &of_lane, l->lanes * l->segments, parameters[ANYPI_EXCHANGE_RADIX],
                        l->replicas && largest > 1 ? INT_MAX : threshold);
    l->width = across->blocks;
    if (l->nodes)
        anypi_tree_make(&l->tree, largest, l->node_radix, false);
    l->levels = l->nodes ? l->tree.levels : 0;
}

void anypi_lanes_inside(const anypi_lanes *l, const anyp_call *call, int node, int local,
                        anypi_exchange *inside)
{
    anyp_call of_node = *call;
    of_node.p = anypi_lanes_size(l, node);
    of_node.rank = local;
    of_node.root = l->root_local % of_node.p;
    of_node.count = call->count / l->segments;
    anypi_exchange_make_inside(inside, &of_node, l->node_radix, l->lanes, l->width, !l->replicas);
}

void anypi_lanes_choose(anypi_lanes *l, const anyp_call *call, anypi_member *inside)
{
    if (!l->nodes) {            /* nothing is done inside */
        inside->e.tree.levels = inside->e.dividing = 0;
        l->end = 1;
        return;
    }
    anypi_lanes_inside(l, call, l->node, l->local, &inside->e);
    anypi_member_make(inside);
    const int size = inside->e.call.p, group_rank = inside->group_ranks[inside->e.tree.levels];
    if (l->replicas) {
        l->end = !l->reduces || inside->e.call.root == l->local;
    } else if (group_rank != ANYPI_NOBODY) {
        l->first = anypi_lanes_first(l, size, group_rank);
        l->end = anypi_lanes_first(l, size, group_rank + 1);
    }
}

static void make_tree(anypi_lanes *l, int size)
{
    if (l->tree.p != size)
        anypi_tree_make(&l->tree, size, l->node_radix, false);
    l->tree.limit = l->lanes < size ? l->lanes : size;
}

int anypi_lanes_owner(anypi_lanes *l, int node, int lane)
{
    const int size = anypi_lanes_size(l, node);
    if (size == 1)
        return 0;
    make_tree(l, size);
    const int owners = l->tree.limit;
    int group_rank = (int) ((int64_t) lane * owners / l->lanes);
    while (anypi_lanes_first(l, size, group_rank) > lane)
        group_rank--;
    while (anypi_lanes_first(l, size, group_rank + 1) <= lane)
        group_rank++;
    return anypi_tree_rank(&l->tree, l->tree.levels, anypi_tree_all(&l->tree), group_rank);
}

int anypi_lanes_source(const anypi_lanes *l, int node)
{
    return (l->reduces ? l->root_local : l->local) % anypi_lanes_size(l, node);
}

bool anypi_lanes_even(const anypi_lanes *l)
{
    for (int i = 0; l->nodes && i < l->count; i++)
        if (anypi_lanes_size(l, i) != l->lanes)
            return false;
    return true;
}

void anypi_lanes_order(anypi_lanes *l, const anypi_tree *across, int *order, int *starts)
{
    const int packed = l->lanes * l->count;
    if (!l->nodes) {
        anypi_tree_ranks(across, order);
        return;
    }
    for (int i = 0; starts && i <= packed; i++)
        starts[i] = 0;
    for (int filling = starts == NULL; filling < 2; filling++) {
        for (int node = 0; node < l->count; node++) {
            const int size = anypi_lanes_size(l, node);
            const int at =
                anypi_tree_group_rank(across, across->levels, anypi_tree_all(across), node);
            make_tree(l, size);
            for (int group_rank = 0; group_rank < size; group_rank++) {
                const int i = anypi_lanes_first(l, size, group_rank) * l->count + at;
                const int local = anypi_tree_rank(&l->tree, l->tree.levels,
                                                  anypi_tree_all(&l->tree), group_rank);
                if (filling)
                    order[starts ? starts[i] : i] = anypi_lanes_rank(l, node, local);
                else
                    starts[i + 1]++;
            }
        }
        for (int i = 0; !filling && i < packed; i++)
            starts[i + 1] += starts[i];
    }
}
