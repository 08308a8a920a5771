/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/node_shapes.h"

#include "schedule/memory.h"
#include "schedule/shape.h"

#include <stdio.h>

anyp_shape *anypi_nodes_part(const anyp_shape *nodes, int p)
{
    const int all = anypi_shape_ranks(nodes), heights = anypi_shape_length(nodes);
    int *places = anypi_realloc(NULL, (size_t) heights * (size_t) all * sizeof *places);
    int *positions = anypi_shape_positions(nodes), *of = places;
    anyp_shape *part = NULL;
    if (places && positions) {
        anypi_shape_places(nodes, places);
        for (int h = 0; h < heights; h++)
            for (int rank = 0; rank < all; rank++)
                if (positions[rank] < p)
                    *of++ = places[h * all + rank];
        part = anypi_shape_make(places, heights, p);
    }
    anypi_free(places);
    anypi_free(positions);
    return part;
}

anyp_shape *anypi_nodes_more(const anyp_shape *like, int count, int mean)
{
    const int p = count * mean;
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
