/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/route.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"

#include <string.h>

anyp_call anypi_route_call(const anyp_call *call)
{
    if (!anypi_has_local_sizes(call->collective))
        return *call;
    return (anyp_call) {
        .collective = anypi_collectives[call->collective].forward,
        .p = call->p, .rank = call->rank, .root = call->root, .nodes = call->nodes,
        .count = call->count > 0 ? call->count : (int64_t) call->p * ANYPI_NOMINAL_BYTES,
        .type_size = 1, .commutative = true,
    };
}

static int length_of(anyp_slice slice)
{
    return slice.end - slice.first;
}

/* ---- scratch ---- */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

anypi_route_counts anypi_route_count(const anyp_schedule *route)
{
    anypi_route_counts counts = { 0 };
    for (int round = 0; round < route->rounds; round++) {
        int64_t blocks = 0, sent = 0, messages = 0;
        for (int i = route->round_start[round]; i < route->round_start[round + 1]; i++) {
            const anyp_step *step = &route->steps[i];
            if (step->kind == ANYP_RECV) {
                counts.received_blocks += length_of(step->to);
                counts.received_messages++;
            } else if (step->kind == ANYP_SEND) {
                blocks += length_of(step->from);
                sent++;
            }
            messages += step->kind == ANYP_RECV || step->kind == ANYP_SEND;
        }
        counts.sent_blocks = larger(counts.sent_blocks, blocks);
        counts.sent_messages = larger(counts.sent_messages, sent);
        counts.messages = larger(counts.messages, messages);
    }
    return counts;
}

static int64_t room_of(const anypi_route_sizes *sizes, int64_t messages, int64_t blocks)
{
    return messages * sizes->head + blocks * ((int64_t) sizes->each + sizes->limit);
}

int64_t anypi_route_scratch(const anypi_route_counts *counts, const anypi_route_sizes *sizes,
                            int p)
{
    return room_of(sizes, counts->sent_messages, counts->sent_blocks) +
        room_of(sizes, counts->received_messages, counts->received_blocks) +
        (sizes->in_place ? (int64_t) p * sizes->limit : 0);
}

/* ---- the walk ---- */

enum { OWN = -1 };

/* A block where the route has it. */
typedef struct block {
    int64_t at;                 /* its bytes in scratch, or OWN: in the caller's input, */
    int index;                  /* where it has this index */
    anypi_size size;
} block;

struct anypi_walk {
    const anyp_schedule *route;
    anypi_route_sizes sizes;
    const anypi_walker *walker;
    void *state;
    block *blocks[ANYP_BUFFERS];        /* of the indices of the route's buffers, from */
    int first[ANYP_BUFFERS];            /* these on */
    int round;                  /* the next one */
    int64_t top;                /* scratch that is used */
    anypi_route_message *sent, *received;
    anypi_size *sent_sizes;
};

static block *block_of(anypi_walk *w, anyp_slice slice, int i)
{
    return &w->blocks[slice.buffer][slice.first + i - w->first[slice.buffer]];
}

static int bytes_of(const block *one)
{
    return one->size == ANYPI_GOES_DIRECTLY ? 0 : one->size;
}

/* The indices of IN and OUT are p, those of scratch buffers what the route needs. */
static size_t count_blocks(const anyp_schedule *route, int64_t count[ANYP_BUFFERS])
{
    size_t all = 2 * (size_t) route->p;
    count[ANYP_IN] = count[ANYP_OUT] = route->p;
    for (int k = 0; k < route->scratch_count; k++) {
        count[ANYP_SCRATCH + k] = route->scratch[k].end - route->scratch[k].first;
        all += (size_t) count[ANYP_SCRATCH + k];
    }
    return all;
}

/* In place, the output overwrites blocks of the input before they leave. */
static void pack_all(anypi_walk *w)
{
    for (int i = 0; i < w->route->p; i++) {
        block *one = &w->blocks[ANYP_IN][i];
        if (i == w->route->rank || bytes_of(one) == 0)
            continue;
        one->at = w->top;
        w->walker->pack(w->state, i, one->at, one->size);
        w->top += one->size;
    }
}

anypi_walk *anypi_walk_new(const anyp_schedule *route, const anypi_route_sizes *sizes,
                           const anypi_walker *walker, void *state)
{
    int64_t count[ANYP_BUFFERS] = { 0 };
    const size_t blocks = count_blocks(route, count);
    const anypi_route_counts counts = anypi_route_count(route);
    const size_t messages = (size_t) counts.messages, sent = (size_t) counts.sent_blocks;
    anypi_walk *w = anypi_realloc(NULL, sizeof *w + blocks * sizeof(block) +
                                  2 * messages * sizeof *w->sent + sent * sizeof *w->sent_sizes);
    if (!w)
        return NULL;
    *w = (anypi_walk) { .route = route, .sizes = *sizes, .walker = walker, .state = state,
                        .top = room_of(sizes, counts.sent_messages, counts.sent_blocks) };
    block *const at = (block *) (void *) (w + 1);
    memset(at, 0, blocks * sizeof *at);
    w->blocks[0] = at;
    for (int b = 1; b < ANYP_BUFFERS; b++)
        w->blocks[b] = w->blocks[b - 1] + count[b - 1];
    for (int k = 0; k < route->scratch_count; k++)
        w->first[ANYP_SCRATCH + k] = route->scratch[k].first;
    w->sent = (anypi_route_message *) (void *) (at + blocks);
    w->received = w->sent + messages;
    w->sent_sizes = (anypi_size *) (void *) (w->received + messages);
    for (int i = 0; i < route->p; i++)
        w->blocks[ANYP_IN][i] = (block) {
            OWN, i, sizes->given[i] > sizes->limit ? ANYPI_GOES_DIRECTLY
            : (anypi_size) sizes->given[i],
        };
    if (sizes->in_place)
        pack_all(w);
    return w;
}

void anypi_walk_free(anypi_walk *walk)
{
    anypi_free(walk);
}

/* Copies the blocks of a message to scratch at *end, behind their sizes. */
static void fill(anypi_walk *w, anyp_slice slice, anypi_size *sizes, int64_t *end)
{
    *end += w->sizes.head + (int64_t) w->sizes.each * length_of(slice);
    for (int i = 0; i < length_of(slice); i++) {
        const block *one = block_of(w, slice, i);
        const int bytes = bytes_of(one);
        sizes[i] = one->size;
        if (bytes > 0 && one->at == OWN)
            w->walker->pack(w->state, one->index, *end, bytes);
        else if (bytes > 0)
            w->walker->copy(w->state, one->at, *end, bytes);
        *end += bytes;
    }
}

bool anypi_walk_round(anypi_walk *w, const anypi_route_message **received, int *count)
{
    *count = 0;
    *received = w->received;
    if (w->round == w->route->rounds)
        return false;
    for (int i = w->route->round_start[w->round]; i < w->route->round_start[w->round + 1]; i++) {
        const anyp_step *step = &w->route->steps[i];
        if (step->kind != ANYP_RECV)
            continue;
        anypi_route_message *one = &w->received[(*count)++];
        *one = (anypi_route_message) { .peer = step->peer, .first = w->top,
                                       .blocks = length_of(step->to), .step = i };
        w->top += room_of(&w->sizes, 1, one->blocks);
        one->end = w->top;
    }
    w->round++;
    return true;
}

const anypi_route_message *anypi_walk_fill(anypi_walk *w, int *count)
{
    const int round = w->round - 1;
    int64_t end = 0;
    anypi_size *sizes = w->sent_sizes;
    *count = 0;
    for (int i = w->route->round_start[round]; i < w->route->round_start[round + 1]; i++) {
        const anyp_step *step = &w->route->steps[i];
        if (step->kind != ANYP_SEND)
            continue;
        anypi_route_message *one = &w->sent[(*count)++];
        *one = (anypi_route_message) { .peer = step->peer, .first = end, .sizes = sizes,
                                       .blocks = length_of(step->from), .step = i };
        fill(w, step->from, sizes, &end);
        sizes += one->blocks;
        one->end = end;
    }
    return w->sent;
}

static void deliver(anypi_walk *w, const block *one, int to)
{
    if (to != w->route->rank || one->at != OWN)
        w->walker->deliver(w->state, to, one->at, one->size);
}

void anypi_walk_arrived(anypi_walk *w, int k, const void *sizes)
{
    const anypi_route_message *message = &w->received[k];
    const anyp_slice to = w->route->steps[message->step].to;
    int64_t at = message->first + w->sizes.head + (int64_t) w->sizes.each * message->blocks;
    for (int i = 0; i < message->blocks; i++) {
        block *one = block_of(w, to, i);
        *one = (block) { .at = at };
        memcpy(&one->size, (const char *) sizes + (size_t) i * sizeof one->size,
               sizeof one->size);
        if (one->size > w->sizes.limit)
            one->size = ANYPI_GOES_DIRECTLY;    /* also if the sender is out of its mind */
        at += bytes_of(one);
        if (to.buffer == ANYP_OUT)
            deliver(w, one, to.first + i);
    }
    if (message->end == w->top)
        w->top = at;            /* the room that it did not need */
}

void anypi_walk_end_round(anypi_walk *w)
{
    const int round = w->round - 1;
    for (int i = w->route->round_start[round]; i < w->route->round_start[round + 1]; i++) {
        const anyp_step *step = &w->route->steps[i];
        for (int k = 0; step->kind == ANYP_COPY && k < length_of(step->to); k++) {
            block *from = block_of(w, step->from, k);
            if (step->to.buffer == ANYP_OUT)
                deliver(w, from, step->to.first + k);
            else
                *block_of(w, step->to, k) = *from;
        }
    }
}
