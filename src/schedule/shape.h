/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shape.h - the shape of the machine: making anyp_shape from places of ranks, or from text.
 *
 * A shape is a list of heights: ranks in nodes, nodes in switches, switches in groups of switches.
 * A height is left out if it has a single group, or if each group has one member. Unless ranks are
 * permuted, only spans take memory: a few words for a regular machine of any size.
 */
#ifndef ANYPI_SHAPE_H_INCLUDED
#define ANYPI_SHAPE_H_INCLUDED

#include "anyp.h"

/* Heights of a shape, at most: the nodes, and those above. */
enum { ANYPI_SHAPE_HEIGHTS = 1 + ANYP_MODEL_HEIGHTS };

/* From the places of p ranks at each height: places[h * p + rank] is any number that is the same
 * for ranks of one node (h = 0), of one switch (h = 1), and so on. Ranks of one node at different
 * switches are on different nodes. Nodes are ordered by their lowest ranks. 1 <= heights <=
 * ANYPI_SHAPE_HEIGHTS. A new struct, to be freed with anypi_shape_free(); NULL: no memory. */
anyp_shape *anypi_shape_make(const int *places, int heights, int p);

/* Nodes of `size` consecutive ranks each, with nothing above. */
anyp_shape *anypi_shape_make_regular(int count, int size);

/* From text: "13x8" is 13 nodes of 8 ranks, "8,8,5" nodes of these sizes; parentheses are switches,
 * and groups of them: "5x(8x4),(5x4)" is 5 switches of 8 nodes of 4 ranks, and one of 5 nodes. A
 * node beside switches is alone at one. ":cyclic" after it deals the ranks round robin instead of
 * one node after the other. NULL, with *reason (static text, until the next call), if
 * the text is wrong or its ranks are not p; p = 0 accepts any number of ranks up to 2^24. */
anyp_shape *anypi_shape_read(const char *text, int p, const char **reason);

/* The shortest text that anypi_shape_read() reads as this shape, to be freed with anypi_free().
 * NULL: ranks are neither consecutive nor dealt round robin, or there is no memory. */
char *anypi_shape_text(const anyp_shape *shape);

/* NULL is allowed. */
void anypi_shape_free(anyp_shape *shape);

/* Are they the same, at all heights? NULL is one, too. */
bool anypi_shape_equal(const anyp_shape *a, const anyp_shape *b);

/* The number of heights at which it joins several, but not all: 0 for NULL, or for one node, or
 * if each rank is a node and nothing is above. */
int anypi_shape_heights(const anyp_shape *shape);

/* The number of heights in the list: the nodes, and those above. */
int anypi_shape_length(const anyp_shape *shape);

/* Sets places[h * p + rank] to the group of each of p ranks at each height of the list. */
void anypi_shape_places(const anyp_shape *shape, int *places);

/* The lowest groups that join ranks, as nodes with nothing above: the nodes, or the lowest switches
 * if each rank is a node. `switches`: the latter in any case, if there are any. */
const anyp_shape *anypi_shape_lowest(const anyp_shape *shape, bool switches);

/* The position of a rank; takes up to O(p) time. */
int anypi_shape_position(const anyp_shape *shape, int rank);

/* The position of each rank, to be freed with anypi_free(); NULL: no memory. */
int *anypi_shape_positions(const anyp_shape *shape);

/* The node of the rank at a position. */
int anypi_shape_at(const anyp_shape *shape, int position);

/* The ranks of the largest node. */
int anypi_shape_largest(const anyp_shape *shape);

/* The span of a node. */
static inline const anyp_span *anypi_shape_span(const anyp_shape *shape, int node)
{
    int low = 0, high = shape->spans_count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(shape->spans[middle].group <= node ? &low : &high) = middle;
    }
    return &shape->spans[low];
}

/* The position of a node's first rank; of node number `count`, the number of ranks. */
static inline int anypi_shape_first(const anyp_shape *shape, int node)
{
    const anyp_span *span = anypi_shape_span(shape, node);
    return span->unit + (node - span->group) * span->size;
}

/* The position at which a group of a height begins; height 0 is that of nodes. */
static inline int anypi_shape_begin(const anyp_shape *shape, int height, int group)
{
    return anypi_shape_first(shape, height > 0 ? anypi_shape_begin(shape->above, height - 1, group)
                             : group);
}

/* The rank at a position. */
static inline int anypi_shape_rank(const anyp_shape *shape, int position)
{
    return shape->rank ? shape->rank[position] : position;
}

/* The ranks of a node. */
static inline int anypi_shape_size(const anyp_shape *shape, int node)
{
    return anypi_shape_span(shape, node)->size;
}

/* The mean ranks of a node, rounded up. */
static inline int anypi_shape_mean(const anyp_shape *shape)
{
    return (shape->units + shape->count - 1) / shape->count;
}

/* The number of ranks. */
static inline int anypi_shape_ranks(const anyp_shape *shape)
{
    return shape->units;
}

#endif
