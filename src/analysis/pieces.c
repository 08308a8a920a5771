/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/pieces.h"

#include "analysis/replay.h"
#include "schedule/memory.h"

typedef struct collection {
    const anyp_schedule *set;
    const anypi_layout *layout;
    int64_t type_size;
    anypi_piece *pieces;
    size_t count;
    int capacity;
} collection;

static anyp_status moved(void *state, const anypi_message *piece)
{
    collection *c = state;
    const int64_t capacity = (int64_t) c->count < c->capacity ? c->capacity
        : 2 * (int64_t) c->capacity + 256;
    anypi_piece *pieces = anypi_reserve(c->pieces, &c->capacity, capacity, sizeof *pieces);
    if (!pieces)
        return ANYP_ERR_MEMORY;
    c->pieces = pieces;
    const anyp_slice slice = c->set[piece->from].steps[piece->from_step].from;
    c->pieces[c->count++] = (anypi_piece) {
        .from = piece->from, .from_round = piece->from_round, .from_step = piece->from_step,
        .to = piece->to, .to_round = piece->to_round,
        .bytes = anypi_slice_elements(c->layout, slice) * c->type_size };
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    (void) state;
    (void) rank;
    (void) round;
    return ANYP_SUCCESS;
}

anyp_status anypi_pieces_of(const anyp_schedule *set, int p, const anypi_layout *layout,
                            int64_t type_size, anypi_piece **pieces, size_t *count)
{
    collection c = { .set = set, .layout = layout, .type_size = type_size };
    const anypi_visitor visitor = { &c, moved, finished };
    char reason[1];
    const anyp_status status = anypi_replay(set, p, &visitor, reason, sizeof reason);
    *pieces = c.pieces;
    *count = c.count;
    return status;
}
