/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/route.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"

#include <limits.h>
#include <string.h>

anyp_call anypi_route_call(const anyp_call *call)
{
    if (!anypi_has_local_sizes(call->collective))
        return *call;
    return (anyp_call) {
        .collective = anypi_collectives[call->collective].forward,
        .p = call->p, .rank = call->rank, .root = call->root, .nodes = call->nodes,
        .count = (int64_t) call->p * ANYPI_NOMINAL_BYTES, .type_size = 1, .commutative = true,
    };
}

enum { NOWHERE = -1 };

/* Memory in scratch: of a message, or of input that was packed. */
typedef struct region {
    int first, end;             /* units */
    int blocks;                 /* that are still there; none: it is free */
} region;

/* A block where the route has it. */
typedef struct block {
    int units;                  /* 0: it is not on the way */
    int own;                    /* if it is not yet packed, its index in the caller's input; else
                                 * NOWHERE, and */
    int at, region;             /* its first unit, and its region */
} block;

typedef struct walk {
    const anyp_schedule *route;
    const anypi_route_sizes *sizes;
    anyp_schedule *schedule;
    block *blocks[ANYP_BUFFERS];        /* of the indices of the route's buffers, from */
    int first[ANYP_BUFFERS];            /* these on */
    region *regions;
    int regions_count, regions_room;
    int received;               /* blocks so far */
    int *places;
    anyp_status status;
} walk;

static block *block_of(walk *w, anyp_slice slice, int i)
{
    return &w->blocks[slice.buffer][slice.first + i - w->first[slice.buffer]];
}

static int length_of(anyp_slice slice)
{
    return slice.end - slice.first;
}

static void fail(walk *w)
{
    w->status = ANYP_ERR_MEMORY;
}

static int units_of(walk *w, int64_t bytes)
{
    const int64_t units = bytes / w->sizes->unit + (bytes % w->sizes->unit > 0);
    if (units > INT_MAX)
        fail(w);
    return units > INT_MAX ? 0 : (int) units;
}

/* ---- memory ---- */

/* A region that is in the way of `units` from `first` on, or NULL. There are few at a time. */
static const region *in_the_way(const walk *w, int64_t first, int64_t units)
{
    for (int i = 0; i < w->regions_count; i++)
        if (w->regions[i].blocks > 0 && w->regions[i].first < first + units &&
            w->regions[i].end > first)
            return &w->regions[i];
    return NULL;
}

/* Finds the lowest free memory for some blocks; returns the number of its region, or NOWHERE. */
static int allocate(walk *w, int64_t units, int blocks)
{
    int64_t first = 0;
    int free = 0;
    for (const region *other; (other = in_the_way(w, first, units)); )
        first = other->end;
    while (free < w->regions_count && w->regions[free].blocks > 0)
        free++;
    if (free == w->regions_count) {
        region *regions = anypi_grow(w->regions, &w->regions_room, free, sizeof *regions);
        if (!regions) {
            fail(w);
            return NOWHERE;
        }
        w->regions = regions;
        w->regions_count++;
    }
    w->regions[free] = (region) { (int) first, (int) (first + units), blocks };
    if (first + units > INT_MAX) {
        w->regions[free].blocks = 0;
        fail(w);
        return NOWHERE;
    }
    return free;
}

/* The block leaves. */
static void leave(walk *w, block *one)
{
    if (one->units > 0 && one->own == NOWHERE)
        w->regions[one->region].blocks--;
    one->units = 0;
}

/* ---- messages ---- */

/* The blocks of a slice that are on the way. */
typedef struct content {
    int blocks;
    int64_t units;              /* of all */
    bool is_run;                /* they follow each other in scratch, */
    anyp_slice run;             /* and this is where */
} content;

static content content_of(walk *w, anyp_slice slice)
{
    content all = { .is_run = true, .run = { ANYP_SCRATCH, 0, 0 } };
    for (int i = 0; i < length_of(slice); i++) {
        const block *one = block_of(w, slice, i);
        if (one->units == 0)
            continue;
        if (one->own != NOWHERE || (all.blocks > 0 && one->at != all.run.end))
            all.is_run = false;
        if (all.blocks++ == 0)
            all.run.first = one->at;
        all.run.end = one->at + one->units;
        all.units += one->units;
    }
    return all;
}

/* Copies the blocks of a slice one after the other to a new region, if they are not a run. */
static void stage(walk *w, anyp_slice slice)
{
    const content all = content_of(w, slice);
    if (all.is_run)
        return;
    const int number = allocate(w, all.units, all.blocks);
    if (number == NOWHERE)
        return;
    int at = w->regions[number].first;
    for (int i = 0; i < length_of(slice); i++) {
        block *one = block_of(w, slice, i), here = { one->units, NOWHERE, at, number };
        if (one->units == 0)
            continue;
        anypi_copy(w->schedule, one->own == NOWHERE
                   ? anypi_slice(ANYP_SCRATCH, one->at, one->at + one->units)
                   : anypi_block(ANYP_IN, one->own),
                   anypi_slice(ANYP_SCRATCH, at, at + one->units));
        at += one->units;
        leave(w, one);
        *one = here;
    }
}

/* Makes room for the blocks of a RECV. */
static void expect(walk *w, anyp_slice slice)
{
    const anypi_route_sizes *sizes = w->sizes;
    for (int i = 0; i < length_of(slice); i++) {
        const int64_t bytes = sizes->all >= 0 ? sizes->all : sizes->received[w->received + i];
        *block_of(w, slice, i) = (block) { units_of(w, bytes), NOWHERE, 0, NOWHERE };
    }
    const content all = content_of(w, slice);
    const int number = all.blocks > 0 ? allocate(w, all.units, all.blocks + sizes->keeps) : NOWHERE;
    int at = number == NOWHERE ? 0 : w->regions[number].first;
    for (int i = 0; i < length_of(slice); i++) {
        block *one = block_of(w, slice, i);
        one->units = number == NOWHERE ? 0 : one->units;
        one->at = at;
        one->region = number;
        if (w->places)
            w->places[w->received + i] = at;
        at += one->units;
    }
    w->received += length_of(slice);
}

/* ---- local steps ---- */

/* Unpacks a block, unless it is the rank's own, which stays. */
static void deliver(walk *w, block *one, int to)
{
    if (one->units > 0 && one->own == NOWHERE)
        anypi_copy(w->schedule, anypi_slice(ANYP_SCRATCH, one->at, one->at + one->units),
                   anypi_block(ANYP_OUT, to));
    leave(w, one);
}

static void move(walk *w, const anyp_step *copy)
{
    for (int i = 0; i < length_of(copy->to); i++) {
        block *from = block_of(w, copy->from, i);
        if (copy->to.buffer == ANYP_OUT) {
            deliver(w, from, copy->to.first + i);
        } else {
            *block_of(w, copy->to, i) = *from;
            from->units = 0;
        }
    }
}

/* ---- rounds ---- */

static void add_messages(walk *w, const anyp_step *steps, int count)
{
    for (int i = 0; i < count; i++)
        if (steps[i].kind == ANYP_SEND)
            stage(w, steps[i].from);    /* in the local steps of the round before */
    anypi_round(w->schedule);
    for (int i = 0; i < count; i++)
        if (steps[i].kind == ANYP_RECV) {
            expect(w, steps[i].to);
            anypi_recv(w->schedule, steps[i].peer, content_of(w, steps[i].to).run);
        } else if (steps[i].kind == ANYP_SEND) {
            anypi_send(w->schedule, steps[i].peer, content_of(w, steps[i].from).run);
        }
}

static void walk_round(walk *w, const anyp_step *steps, int count)
{
    add_messages(w, steps, count);
    for (int i = 0; i < count; i++) {
        const anyp_step *step = &steps[i];
        if (step->kind == ANYP_SEND)
            for (int k = 0; k < length_of(step->from); k++)
                leave(w, block_of(w, step->from, k));
        if (step->kind == ANYP_RECV && step->to.buffer == ANYP_OUT)
            for (int k = 0; k < length_of(step->to); k++)
                deliver(w, block_of(w, step->to, k), step->to.first + k);
    }
    for (int i = 0; i < count; i++)
        if (steps[i].kind == ANYP_COPY)
            move(w, &steps[i]);
}

/* In place, the output overwrites blocks of the input before they leave. */
static void pack_all(walk *w)
{
    const int p = w->route->p;
    block *const own = &w->blocks[ANYP_IN][w->route->rank];
    const block stays = *own;
    own->units = 0;
    stage(w, anypi_slice(ANYP_IN, 0, p));
    *own = stays;
}

/* ---- begin and end ---- */

/* Makes the tables of blocks: IN and OUT have p, scratch buffers what the route needs. False: no
 * memory. */
static bool open_tables(walk *w)
{
    const anyp_schedule *route = w->route;
    int64_t count[ANYP_BUFFERS] = { [ANYP_IN] = route->p, [ANYP_OUT] = route->p }, all = 0;
    for (int k = 0; k < route->scratch_count; k++) {
        w->first[ANYP_SCRATCH + k] = route->scratch[k].first;
        count[ANYP_SCRATCH + k] = route->scratch[k].end - route->scratch[k].first;
    }
    for (int b = 0; b < ANYP_BUFFERS; b++)
        all += count[b];
    block *blocks = anypi_realloc(NULL, (size_t) all * sizeof *blocks);
    w->blocks[ANYP_IN] = blocks;
    if (!blocks)
        return false;
    memset(blocks, 0, (size_t) all * sizeof *blocks);
    for (int b = 1; b < ANYP_BUFFERS; b++)
        w->blocks[b] = w->blocks[b - 1] + count[b - 1];
    for (int i = 0; i < route->p; i++) {
        const int64_t bytes = w->sizes->all >= 0 ? w->sizes->all : w->sizes->given[i];
        blocks[i] = (block) { units_of(w, bytes), i, 0, NOWHERE };
    }
    return true;
}

int anypi_route_received(const anyp_schedule *route)
{
    int count = 0;
    for (int i = 0; i < route->steps_count; i++)
        if (route->steps[i].kind == ANYP_RECV)
            count += length_of(route->steps[i].to);
    return count;
}

anyp_status anypi_route_make(const anyp_schedule *route, const anypi_route_sizes *sizes,
                             anyp_schedule *schedule, int *places)
{
    walk w = { .route = route, .sizes = sizes, .schedule = schedule, .places = places };
    anypi_schedule_begin(schedule, route->p, route->rank, route->p);
    if (!open_tables(&w))
        fail(&w);
    if (w.status == ANYP_SUCCESS && sizes->in_place)
        pack_all(&w);
    for (int round = 0; round < route->rounds && w.status == ANYP_SUCCESS; round++)
        walk_round(&w, &route->steps[route->round_start[round]],
                   route->round_start[round + 1] - route->round_start[round]);
    anypi_free(w.blocks[ANYP_IN]);
    anypi_free(w.regions);
    if (w.status != ANYP_SUCCESS)
        anypi_schedule_fail(schedule, w.status);
    return anypi_schedule_end(schedule);
}
