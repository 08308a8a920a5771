/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/node_shapes.h"

#include "schedule/memory.h"
#include "schedule/shape.h"

#include <stdio.h>

anyp_shape *anypi_nodes_part(const anyp_shape *nodes, int p)
{
    const int all = anypi_shape_ranks(nodes), heights = anypi_shape_length(nodes);
    const size_t size = (size_t) heights * (size_t) all;
    int *places = anypi_realloc(NULL, size * sizeof *places), members = 0;
    anyp_shape *part = NULL;
    if (!places)
        return NULL;
    for (int rank = 0; rank < all; rank++)
        places[rank] = -1;
    for (int position = 0; position < p; position++)
        places[anypi_shape_rank(nodes, position)] = anypi_shape_at(nodes, position);
    for (int rank = 0; rank < all; rank++)
        if (places[rank] >= 0)
            places[members++] = places[rank];
    int *of = places;
    for (const anyp_shape *one = nodes->above; one; one = one->above, of += members)
        for (int i = 0; i < members; i++)
            of[members + i] = anypi_shape_at(one, of[i]);
    part = anypi_shape_make(places, heights, members);
    anypi_free(places);
    return part;
}

anyp_shape *anypi_nodes_more(const anyp_shape *like, int count)
{
    const int mean = anypi_shape_mean(like), p = count * mean;
    const int heights = anypi_shape_length(like);
    int *places = anypi_realloc(NULL, (size_t) heights * (size_t) p * sizeof *places), *of = places;
    if (!places)
        return NULL;
    for (int rank = 0; rank < p; rank++)
        places[rank] = like->rank ? rank % count : rank / mean;
    for (const anyp_shape *one = like->above; one; one = one->above, of += p)
        for (int rank = 0; rank < p; rank++)
            of[p + rank] = of[rank] / anypi_shape_mean(one);
    anyp_shape *more = anypi_shape_make(places, heights, p);
    anypi_free(places);
    return more;
}

const char *const anypi_nodes_conditions[] = {
    "comm_size=node_comm_size", "is_node_consecutive=yes", "is_node_consecutive=no"
};

int anypi_nodes_kind(const anyp_shape *nodes)
{
    return !nodes ? 0 : nodes->rank ? 2 : 1;
}

int anypi_nodes_order(const anyp_shape *one, const anyp_shape *other)
{
    const int kind = anypi_nodes_kind(one) - anypi_nodes_kind(other);
    return kind || !one ? kind : anypi_shape_mean(one) - anypi_shape_mean(other);
}

anypi_text anypi_procs_text(int p, const anyp_shape *nodes)
{
    anypi_text place;
    char *shape = nodes ? anypi_shape_text(nodes) : NULL;
    snprintf(place.text, sizeof place.text, "p=%d%s%s%s", p, shape ? " (" : "",
             shape ? shape : "", shape ? ")" : "");
    anypi_free(shape);
    return place;
}
