/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shape_query.c - what can be asked of a shape.
 */
#include "schedule/shape.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

#include <string.h>

bool anypi_shape_equal(const anyp_shape *a, const anyp_shape *b)
{
    if (a == b || !a || !b)
        return a == b;
    return a->count == b->count && a->units == b->units && a->spans_count == b->spans_count &&
        !memcmp(a->spans, b->spans, sizeof *a->spans * (size_t) a->spans_count) &&
        !a->rank == !b->rank &&
        (!a->rank || !memcmp(a->rank, b->rank, sizeof *a->rank * (size_t) a->units)) &&
        anypi_shape_equal(a->above, b->above);
}

int anypi_shape_heights(const anyp_shape *shape)
{
    int heights = shape && shape->count > 1 && shape->count < anypi_shape_ranks(shape);
    for (; shape && shape->above; shape = shape->above)
        heights++;
    return heights;
}

int anypi_shape_length(const anyp_shape *shape)
{
    int length = 0;
    for (; shape; shape = shape->above)
        length++;
    return length;
}

void anypi_shape_places(const anyp_shape *shape, int *places)
{
    const int p = anypi_shape_ranks(shape);
    for (int node = 0; node < shape->count; node++)
        for (int i = anypi_shape_first(shape, node); i < anypi_shape_first(shape, node + 1); i++)
            places[anypi_shape_rank(shape, i)] = node;
    for (const anyp_shape *above = shape->above; above; above = above->above, places += p)
        for (int rank = 0; rank < p; rank++)
            places[p + rank] = anypi_shape_at(above, places[rank]);
}

const anyp_shape *anypi_shape_lowest(const anyp_shape *shape, bool switches)
{
    return shape->switches && (switches || shape->count == anypi_shape_ranks(shape))
        ? shape->switches : shape;
}

int anypi_shape_at(const anyp_shape *shape, int position)
{
    int low = 0, high = shape->spans_count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(shape->spans[middle].unit <= position ? &low : &high) = middle;
    }
    const anyp_span *span = &shape->spans[low];
    return span->group + (position - span->unit) / span->size;
}

int anypi_shape_position(const anyp_shape *shape, int rank)
{
    int position = rank;
    if (shape->rank)
        for (position = 0; shape->rank[position] != rank;)
            position++;
    return position;
}

int *anypi_shape_positions(const anyp_shape *shape)
{
    const int p = anypi_shape_ranks(shape);
    int *positions = anypi_realloc(NULL, (size_t) p * sizeof *positions);
    for (int i = 0; positions && i < p; i++)
        positions[anypi_shape_rank(shape, i)] = i;
    return positions;
}

int anypi_shape_largest(const anyp_shape *shape)
{
    int largest = 0;
    for (int i = 0; i < shape->spans_count; i++)
        largest = anypi_max(largest, shape->spans[i].size);
    return largest;
}
