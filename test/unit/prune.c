/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune.c - replays the set, records the order of events, and goes through them backwards.
 */
#include "unit/prune.h"

#include "unit/common.h"

#include "analysis/replay.h"

#include <stdlib.h>
#include <string.h>

/* A message or a local step. */
typedef struct event {
    anyp_step_kind kind;        /* SEND: a message */
    int from_rank, to_rank;
    anyp_slice from, to;
} event;

typedef struct history {
    const anyp_schedule *set;
    event *events;
    int count;
} history;

static anyp_status moved(void *state, const anypi_message *message)
{
    history *h = state;
    h->events[h->count++] = (event) { ANYP_SEND, message->from, message->to,
                                      h->set[message->from].steps[message->from_step].from,
                                      h->set[message->to].steps[message->to_step].to };
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    history *h = state;
    const anyp_schedule *s = &h->set[rank];
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        const anyp_step *step = &s->steps[i];
        if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
            h->events[h->count++] = (event) { step->kind, rank, rank, step->from, step->to };
    }
    return ANYP_SUCCESS;
}

/* Which blocks of all ranks' buffers are needed from the present event on: those of copies after
 * the first one, too. */
typedef struct needs {
    bool *needed;
    int blocks, copies;
} needs;

static bool *need(const needs *n, int rank, int buffer, int index)
{
    return &n->needed[((size_t) rank * ANYP_BUFFERS + (size_t) buffer) *
                      (size_t) (n->blocks * n->copies) + (size_t) index];
}

/* Goes back over an event. Is it needed? */
static bool go_back(const needs *n, const event *e)
{
    bool kept = false;
    for (int i = 0; i < e->to.end - e->to.first; i++) {
        bool *to = need(n, e->to_rank, e->to.buffer, e->to.first + i);
        if (!*to)
            continue;
        kept = true;
        *to = e->kind == ANYP_REDUCE_LOCAL;
        *need(n, e->from_rank, e->from.buffer, e->from.first + i) = true;
    }
    return kept;
}

static int compare(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(traffic));
}

traffic *messages_of(const anyp_schedule *set, int p, int root, int *count)
{
    char reason[300];
    int steps = 0, copies = 1;
    for (int rank = 0; rank < p; rank++) {
        steps += set[rank].steps_count;
        for (int k = 0; k < set[rank].scratch_count; k++)
            while (copies * set[rank].blocks < set[rank].scratch[k].end)
                copies++;
    }
    history h = { .set = set, .events = malloc(((size_t) steps + 1) * sizeof(event)) };
    traffic *messages = malloc(((size_t) steps + 1) * sizeof *messages);
    const anypi_visitor visitor = { &h, moved, finished };
    const needs n = { .needed = calloc((size_t) p * ANYP_BUFFERS * (size_t) copies *
                                       (size_t) set[0].blocks, sizeof(bool)),
                      .blocks = set[0].blocks, .copies = copies };
    ck_assert(h.events && messages && n.needed);
    ck_assert_int_eq(anypi_replay(set, p, &visitor, reason, sizeof reason), ANYP_SUCCESS);

    *count = 0;
    for (int block = 0; root >= 0 && block < n.blocks; block++)
        *need(&n, root, ANYP_OUT, block) = true;
    for (int i = h.count - 1; i >= 0; i--) {
        const event *e = &h.events[i];
        if ((root < 0 || go_back(&n, e)) && e->kind == ANYP_SEND) {
            const int first = e->from.first % n.blocks;
            messages[(*count)++] = (traffic) { e->from_rank, e->to_rank, first,
                                               first + e->from.end - e->from.first };
        }
    }
    qsort(messages, (size_t) *count, sizeof *messages, compare);
    free(h.events);
    free(n.needed);
    return messages;
}
