/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/pieces.h"

#include "analysis/replay.h"
#include "schedule/memory.h"

#include <stdlib.h>

typedef struct collection {
    const anyp_schedule *set;
    const anypi_layout *layout;
    int64_t type_size;
    anypi_piece *pieces;
    size_t count;
    int capacity;
    bool several;               /* a message has several pieces */
} collection;

static anyp_status moved(void *state, const anypi_message *piece)
{
    collection *c = state;
    anypi_piece *pieces = anypi_grow(c->pieces, &c->capacity, (int) c->count, sizeof *pieces);
    if (!pieces)
        return ANYP_ERR_MEMORY;
    c->pieces = pieces;
    c->several = c->several || piece->piece > 0;
    const anyp_slice slice = c->set[piece->from].steps[piece->from_step].from;
    c->pieces[c->count++] = (anypi_piece) {
        .from = piece->from, .from_round = piece->from_round, .from_step = piece->from_step,
        .to = piece->to, .to_round = piece->to_round,
        /* without data, the time of the shortest message */
        .bytes = slice.first == slice.end ? 1
            : anypi_slice_elements(c->layout, slice) * c->type_size };
    return ANYP_SUCCESS;
}

/* Sorts the pieces of a message together, in the order of their steps. */
static int by_message(const void *one, const void *other)
{
    const anypi_piece *a = one, *b = other;
    return a->from != b->from ? a->from - b->from
        : a->from_round != b->from_round ? a->from_round - b->from_round
        : a->to != b->to ? a->to - b->to : a->from_step - b->from_step;
}

/* Joins the small pieces of each message. */
static void join(collection *c)
{
    size_t count = 0;
    anypi_piece *small = NULL;  /* the first small one of the current message */
    qsort(c->pieces, c->count, sizeof *c->pieces, by_message);
    for (size_t i = 0; i < c->count; i++) {
        const anypi_piece *one = &c->pieces[i];
        if (small && (small->from != one->from || small->from_round != one->from_round ||
                      small->to != one->to))
            small = NULL;
        const bool is_small = one->bytes > 0 && one->bytes <= ANYPI_JOINED_BYTES;
        if (is_small && small) {
            small->bytes += one->bytes;
            continue;
        }
        c->pieces[count] = *one;
        if (is_small)
            small = &c->pieces[count];
        count++;
    }
    c->count = count;
}

anyp_status anypi_pieces_of(const anyp_schedule *set, int p, const anypi_layout *layout,
                            int64_t type_size, anypi_piece **pieces, size_t *count)
{
    collection c = { .set = set, .layout = layout, .type_size = type_size };
    const anypi_visitor visitor = { &c, moved, NULL };
    char reason[1];
    const anyp_status status = anypi_replay(set, p, &visitor, reason, sizeof reason);
    if (status == ANYP_SUCCESS && c.several)
        join(&c);
    *pieces = c.pieces;
    *count = c.count;
    return status;
}
