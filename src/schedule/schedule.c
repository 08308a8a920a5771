/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/schedule.h"

#include "schedule/memory.h"

/* Kept from one schedule to the next, like the memory whose size it has. */
typedef struct anypi_builder {
    int steps_capacity, rounds_capacity, order_capacity;
    int *order;
    anyp_status status;
} anypi_builder;

void anyp_schedule_init(anyp_schedule *schedule)
{
    *schedule = (anyp_schedule) { 0 };
}

void anyp_schedule_free(anyp_schedule *schedule)
{
    anypi_free(schedule->steps);
    anypi_free(schedule->round_start);
    if (schedule->builder)
        anypi_free(schedule->builder->order);
    anypi_free(schedule->builder);
    anyp_schedule_init(schedule);
}

void anypi_schedule_fail(anyp_schedule *schedule, anyp_status error)
{
    if (schedule->builder)
        schedule->builder->status = error;
}

/* No builder: there was no memory for it. */
static anyp_status status_of(const anyp_schedule *schedule)
{
    return schedule->builder ? schedule->builder->status : ANYP_ERR_MEMORY;
}

/* Makes room for one more round start (and the closing one); false if there is no memory. */
static bool reserve_round(anyp_schedule *schedule)
{
    anypi_builder *builder = schedule->builder;
    int *starts = anypi_grow(schedule->round_start, &builder->rounds_capacity, schedule->rounds + 1,
                             sizeof *starts);
    if (starts)
        schedule->round_start = starts;
    else
        builder->status = ANYP_ERR_MEMORY;
    return starts != NULL;
}

static anyp_step *new_step(anyp_schedule *schedule)
{
    anypi_builder *builder = schedule->builder;
    if (status_of(schedule) != ANYP_SUCCESS)
        return NULL;
    anyp_step *steps = anypi_grow(schedule->steps, &builder->steps_capacity, schedule->steps_count,
                                  sizeof *steps);
    if (!steps) {
        builder->status = ANYP_ERR_MEMORY;
        return NULL;
    }
    schedule->steps = steps;
    return &steps[schedule->steps_count++];
}

/* Adds the scratch buffers up to k that do not exist; false if there cannot be that many. */
static bool add_scratch(anyp_schedule *schedule, int k)
{
    if (k >= ANYP_MAX_SCRATCH) {
        anypi_schedule_fail(schedule, ANYP_ERR_ARGUMENT);
        return false;
    }
    while (schedule->scratch_count <= k) {
        schedule->scratch[schedule->scratch_count].first = 0;
        schedule->scratch[schedule->scratch_count].end = 0;
        schedule->scratch[schedule->scratch_count].window_first = 0;
        schedule->scratch[schedule->scratch_count].window_end = schedule->blocks;
        schedule->scratch[schedule->scratch_count].period = schedule->blocks;
        schedule->scratch_count++;
    }
    return true;
}

void anypi_scratch_windows(anyp_schedule *schedule, int buffer, int first, int end, int period)
{
    if (add_scratch(schedule, buffer - ANYP_SCRATCH)) {
        schedule->scratch[buffer - ANYP_SCRATCH].window_first = first;
        schedule->scratch[buffer - ANYP_SCRATCH].window_end = end;
        schedule->scratch[buffer - ANYP_SCRATCH].period = period;
    }
}

void anypi_scratch_window(anyp_schedule *schedule, int buffer, int first, int end)
{
    anypi_scratch_windows(schedule, buffer, first, end, schedule->blocks);
}

/* A scratch buffer holds every slice that is written to it. */
static void note_written(anyp_schedule *schedule, anyp_slice slice)
{
    const int k = slice.buffer - ANYP_SCRATCH;
    if (k < 0 || !add_scratch(schedule, k))
        return;
    if (schedule->scratch[k].first == schedule->scratch[k].end)
        schedule->scratch[k].first = schedule->scratch[k].end = slice.first;
    if (slice.first < schedule->scratch[k].first)
        schedule->scratch[k].first = slice.first;
    if (slice.end > schedule->scratch[k].end)
        schedule->scratch[k].end = slice.end;
}

void anypi_schedule_begin(anyp_schedule *schedule, int p, int rank, int blocks)
{
    schedule->p = p;
    schedule->rank = rank;
    schedule->blocks = blocks;
    schedule->order = NULL;
    schedule->rounds = 0;
    schedule->steps_count = 0;
    schedule->scratch_count = 0;
    schedule->overlap = 0;
    if (!schedule->builder) {
        schedule->builder = anypi_realloc(NULL, sizeof *schedule->builder);
        if (!schedule->builder)
            return;
        *schedule->builder = (anypi_builder) { 0 };
    }
    schedule->builder->status = ANYP_SUCCESS;
    if (reserve_round(schedule))
        schedule->round_start[0] = 0;
}

int *anypi_schedule_order(anyp_schedule *schedule)
{
    anypi_builder *builder = schedule->builder;
    if (status_of(schedule) != ANYP_SUCCESS)
        return NULL;
    int *order = anypi_reserve(builder->order, &builder->order_capacity, schedule->blocks,
                               sizeof *order);
    if (order)
        schedule->order = builder->order = order;
    else
        builder->status = ANYP_ERR_MEMORY;
    return order;
}

void anypi_schedule_overlap(anyp_schedule *schedule, int rounds)
{
    schedule->overlap = rounds < ANYP_MAX_OVERLAP ? rounds : ANYP_MAX_OVERLAP;
}

void anypi_round(anyp_schedule *schedule)
{
    if (status_of(schedule) != ANYP_SUCCESS)
        return;
    if (schedule->steps_count == schedule->round_start[schedule->rounds])
        return;                 /* the open round is still empty */
    if (reserve_round(schedule))
        schedule->round_start[++schedule->rounds] = schedule->steps_count;
}

/* Inline, since algorithms spend their time here. */
static inline void add(anyp_schedule *schedule, anyp_step step)
{
    const anyp_slice slice = step.kind == ANYP_SEND ? step.from : step.to;
    anyp_step *added = slice.first < slice.end ? new_step(schedule) : NULL;
    if (!added)
        return;
    *added = step;
    if (step.kind == ANYP_RECV || step.kind == ANYP_COPY)
        note_written(schedule, step.to);
}

void anypi_add_moved(anyp_schedule *schedule, anyp_step step,
                     anyp_slice (*moved)(const void *state, anyp_slice slice), const void *state)
{
    if (step.kind != ANYP_RECV)
        step.from = moved(state, step.from);
    if (step.kind != ANYP_SEND)
        step.to = moved(state, step.to);
    add(schedule, step);
}

void anypi_send(anyp_schedule *schedule, int peer, anyp_slice from)
{
    add(schedule, (anyp_step) { .kind = ANYP_SEND, .peer = peer, .from = from });
}

void anypi_recv(anyp_schedule *schedule, int peer, anyp_slice to)
{
    add(schedule, (anyp_step) { .kind = ANYP_RECV, .peer = peer, .to = to });
}

void anypi_signal(anyp_schedule *schedule, anyp_step_kind kind, int peer)
{
    anyp_step *added = new_step(schedule);
    if (added)
        *added = (anyp_step) { .kind = kind, .peer = peer };
}

void anypi_reduce(anyp_schedule *schedule, anyp_slice from, anyp_slice to)
{
    add(schedule, (anyp_step) { ANYP_REDUCE_LOCAL, -1, from, to });
}

void anypi_copy(anyp_schedule *schedule, anyp_slice from, anyp_slice to)
{
    add(schedule, (anyp_step) { ANYP_COPY, -1, from, to });
}

anyp_status anypi_schedule_end(anyp_schedule *schedule)
{
    anypi_round(schedule);
    return status_of(schedule);
}

static uint64_t both(int a, int b)
{
    return (uint64_t) (uint32_t) a << 32 | (uint32_t) b;
}

uint64_t anypi_hash_ints(uint64_t hash, int a, int b)
{
    hash = (hash ^ both(a, b)) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* The products of a step do not wait for each other, nor for the hash: proofs spend much of their
 * time here. */
static uint64_t hash_step(uint64_t hash, const anyp_step *step)
{
    const uint64_t all = both((int) step->kind, step->peer) * 0xbf58476d1ce4e5b9u +
        both(step->from.buffer, step->to.buffer) * 0x94d049bb133111ebu +
        both(step->from.first, step->from.end) * 0xc2b2ae3d27d4eb4fu +
        both(step->to.first, step->to.end) * 0xd6e8feb86659fd93u;
    return anypi_hash_ints(hash, (int) (all >> 32), (int) all);
}

uint64_t anypi_schedule_hash(uint64_t hash, const anyp_schedule *s)
{
    hash = anypi_hash_ints(anypi_hash_ints(hash, s->blocks, s->rounds), s->overlap, 0);
    for (int round = 0; round <= s->rounds; round++)
        hash = anypi_hash_ints(hash, s->round_start[round], 0);
    for (int i = 0; i < s->steps_count; i++)
        hash = hash_step(hash, &s->steps[i]);
    for (int i = 0; s->order && i < s->blocks; i++)
        hash = anypi_hash_ints(hash, i, s->order[i]);
    for (int k = 0; k < s->scratch_count; k++) {
        hash = anypi_hash_ints(hash, s->scratch[k].first, s->scratch[k].end);
        hash = anypi_hash_ints(hash, s->scratch[k].window_first, s->scratch[k].window_end);
        hash = anypi_hash_ints(hash, s->scratch[k].period, 0);
    }
    return hash;
}

size_t anypi_schedule_bytes(const anyp_schedule *schedule)
{
    const anypi_builder *builder = schedule->builder;
    return sizeof *schedule + (!builder ? 0 : sizeof *builder +
                               (size_t) builder->steps_capacity * sizeof *schedule->steps +
                               (size_t) builder->rounds_capacity * sizeof *schedule->round_start +
                               (size_t) builder->order_capacity * sizeof *builder->order);
}
