/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/node_shapes.h"

#include "schedule/memory.h"
#include "schedule/shape.h"

#include <stdio.h>
#include <string.h>

/* Are ranks where they would be if dealt round robin? */
static bool are_dealt(const anyp_shape *nodes)
{
    for (int i = 0, next = 0; next < anypi_shape_ranks(nodes); i++)
        for (int k = 0; k < nodes->count; k++)
            if (nodes->first[k] + i < nodes->first[k + 1] &&
                nodes->rank[nodes->first[k] + i] != next++)
                return false;
    return true;
}

char *anypi_nodes_text(const anyp_shape *nodes)
{
    enum { ROOM = 24 };         /* for "NUMBERxNUMBER," */
    static const char cyclic[] = ":cyclic";
    if (nodes->rank && !are_dealt(nodes))
        return NULL;
    const size_t size = (size_t) nodes->count * ROOM + sizeof cyclic;
    char *text = anypi_realloc(NULL, size), *end = text;
    for (int i = 0, times; text && i < nodes->count; i += times) {
        const int ranks = nodes->first[i + 1] - nodes->first[i];
        for (times = 1; i + times < nodes->count; times++)
            if (nodes->first[i + times + 1] - nodes->first[i + times] != ranks)
                break;
        const size_t left = size - (size_t) (end - text);
        end += times > 1 ? snprintf(end, left, "%s%dx%d", i ? "," : "", times, ranks)
            : snprintf(end, left, "%s%d", i ? "," : "", ranks);
    }
    if (text && nodes->rank)
        memcpy(end, cyclic, sizeof cyclic);
    return text;
}

anyp_shape *anypi_nodes_part(const anyp_shape *nodes, int p)
{
    const int all = anypi_shape_ranks(nodes);
    int *node_of_rank = anypi_realloc(NULL, (size_t) all * sizeof *node_of_rank), members = 0;
    if (!node_of_rank)
        return NULL;
    for (int rank = 0; rank < all; rank++)
        node_of_rank[rank] = -1;
    for (int node = 0; node < nodes->count; node++)
        for (int i = nodes->first[node]; i < nodes->first[node + 1] && i < p; i++)
            node_of_rank[nodes->rank ? nodes->rank[i] : i] = node;
    for (int rank = 0; rank < all; rank++)
        if (node_of_rank[rank] >= 0)
            node_of_rank[members++] = node_of_rank[rank];
    anyp_shape *part = anypi_shape_make(node_of_rank, members);
    anypi_free(node_of_rank);
    return part;
}

anyp_shape *anypi_nodes_more(const anyp_shape *like, int count)
{
    char text[64];
    const char *reason;
    snprintf(text, sizeof text, "%dx%d%s", count, anypi_shape_mean(like),
             like->rank ? ":cyclic" : "");
    return anypi_shape_read(text, 0, &reason);
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

anypi_place anypi_procs_text(int p, const anyp_shape *nodes)
{
    anypi_place place;
    char *shape = nodes ? anypi_nodes_text(nodes) : NULL;
    snprintf(place.text, sizeof place.text, "p=%d%s%s%s", p, shape ? " (" : "",
             shape ? shape : "", shape ? ")" : "");
    anypi_free(shape);
    return place;
}
