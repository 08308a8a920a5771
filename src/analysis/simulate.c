/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/simulate.h"

#include "analysis/eager.h"
#include "analysis/pieces.h"
#include "analysis/replay.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "schedule/ranks.h"

#include <math.h>
#include <string.h>

/* The messages of one round at one port of a rank. */
typedef struct load {
    int messages;
    int64_t bytes;
} load;

/* What a rank does in one round. */
typedef struct round_work {
    load sent, received;
    int pieces;                 /* SEND steps */
    int64_t reduced, copied;    /* bytes */
} round_work;

/* The progress of a rank under one model. */
typedef struct process {
    double ready;               /* time of entry into its current round */
    double moved;               /* time of arrival of the last message that has moved */
    double sending, receiving;  /* for how long the round's messages use each port */
} process;

typedef struct simulator {
    const anyp_schedule *set;
    anypi_layout layout;
    int64_t type_size;
    const anyp_model *models;
    int models_count;
    anypi_peer_marks peers;
    process *processes;         /* per rank, and for each rank per model */
    int *round_seen;            /* per rank: the round of sending and receiving; -1: none */
    int64_t *reduced;           /* per rank: bytes of this round */
    anypi_counts *counts;       /* per rank */
} simulator;

/* ---- counts ---- */

bool anypi_peers_begin(anypi_peer_marks *peers, int p)
{
    peers->sent = anypi_realloc(NULL, 2 * (size_t) p * sizeof *peers->sent);
    if (!peers->sent)
        return false;
    memset(peers->sent, 0, 2 * (size_t) p * sizeof *peers->sent);
    peers->p = p;
    peers->received = peers->sent + p;
    peers->mark = 0;
    return true;
}

/* Adds a message of the port, or another piece of a message. (The engine refuses peers that do not
 * exist, but only when it reaches them.) */
static void add_message(load *port, const anypi_peer_marks *peers, unsigned *seen, int peer,
                        int64_t bytes)
{
    if ((unsigned) peer >= (unsigned) peers->p)
        return;
    port->messages += seen[peer] != peers->mark;
    port->bytes += bytes;
    seen[peer] = peers->mark;
}

static round_work work_of(anypi_peer_marks *peers, const anyp_schedule *schedule, int round,
                          const anypi_layout *layout, int64_t type_size)
{
    round_work work = { 0 };
    peers->mark++;
    for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++) {
        const anyp_step *step = &schedule->steps[i];
        const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
        const int64_t bytes = anypi_slice_elements(layout, slice) * type_size;
        switch (step->kind) {
            case ANYP_SEND:
                add_message(&work.sent, peers, peers->sent, step->peer, bytes);
                work.pieces++;
                break;
            case ANYP_RECV:
                add_message(&work.received, peers, peers->received, step->peer, bytes);
                break;
            case ANYP_REDUCE_LOCAL:
                work.reduced += bytes;
                break;
            case ANYP_COPY:
                work.copied += bytes;
                break;
        }
    }
    return work;
}

static void count_work(anypi_counts *counts, const round_work *work)
{
    counts->rounds++;
    counts->messages += work->sent.messages;
    counts->pieces += work->pieces;
    counts->bytes_sent += work->sent.bytes;
    counts->bytes_received += work->received.bytes;
    counts->bytes_reduced += work->reduced;
    counts->bytes_copied += work->copied;
}

static int64_t scratch_bytes(const anyp_schedule *schedule, const anypi_layout *layout,
                             int64_t type_size)
{
    int64_t bytes = 0;
    for (int k = 0; k < schedule->scratch_count; k++)
        bytes += anypi_scratch_elements(schedule, layout, k) * type_size;
    return bytes;
}

void anypi_peers_end(anypi_peer_marks *peers)
{
    anypi_free(peers->sent);
}

anypi_counts anypi_count_with(anypi_peer_marks *peers, const anyp_schedule *schedule,
                              const anypi_layout *layout, int64_t type_size)
{
    anypi_counts counts = { .bytes_scratch = scratch_bytes(schedule, layout, type_size) };
    for (int round = 0; round < schedule->rounds; round++) {
        const round_work work = work_of(peers, schedule, round, layout, type_size);
        count_work(&counts, &work);
    }
    return counts;
}

bool anypi_countable(const anyp_call *call, const anyp_schedule *set, int ranks)
{
    const double type_size = (double) call->type_size;
    double blocks = 0;
    for (int rank = 0; rank < ranks; rank++)
        for (int i = 0; i < set[rank].steps_count; i++) {
            const anyp_step *step = &set[rank].steps[i];
            const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
            blocks += slice.end - slice.first;
        }
    const double elements = call->largest > 0 ? (double) call->p * (double) call->largest
        : (double) call->count;
    /* a block may be one element larger than the average, also among parts of the largest one */
    const double block = elements * type_size / set[0].blocks + type_size;
    return blocks * block < (double) INT64_MAX / 2;
}

void anypi_counts_add(const anypi_counts *more, anypi_counts *most, anypi_counts *total)
{
#define COLLECT(member)                      \
    do {                                     \
        total->member += more->member;       \
        if (most->member < more->member)     \
            most->member = more->member;     \
    } while (0)
    COLLECT(rounds);
    COLLECT(messages);
    COLLECT(pieces);
    COLLECT(bytes_sent);
    COLLECT(bytes_received);
    COLLECT(bytes_reduced);
    COLLECT(bytes_copied);
    COLLECT(bytes_scratch);
#undef COLLECT
}

/* ---- times ---- */

static double port_time(load port, const anyp_model *model)
{
    return model->alpha + 2 * port.messages * model->overhead + model->beta * (double) port.bytes;
}

/* Returns the rank's clocks, which contain how long the messages of its round use its ports. */
static process *clocks_of_round(simulator *s, int rank, int round)
{
    process *here = &s->processes[(size_t) rank * (size_t) s->models_count];
    if (s->round_seen[rank] == round)
        return here;
    const round_work work = work_of(&s->peers, &s->set[rank], round, &s->layout, s->type_size);
    s->round_seen[rank] = round;
    s->reduced[rank] = work.reduced;
    count_work(&s->counts[rank], &work);
    for (int i = 0; i < s->models_count; i++) {
        here[i].sending = port_time(work.sent, &s->models[i]);
        here[i].receiving = port_time(work.received, &s->models[i]);
    }
    return here;
}

static anyp_status moved(void *state, const anypi_message *message)
{
    simulator *s = state;
    process *from = clocks_of_round(s, message->from, message->from_round);
    process *to = clocks_of_round(s, message->to, message->to_round);
    for (int i = 0; i < s->models_count; i++) {
        const double there = anypi_fmax(from[i].ready, to[i].ready) +
            anypi_fmax(from[i].sending, to[i].receiving);
        from[i].moved = anypi_fmax(from[i].moved, there);
        to[i].moved = anypi_fmax(to[i].moved, there);
    }
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    simulator *s = state;
    process *here = clocks_of_round(s, rank, round);
    for (int i = 0; i < s->models_count; i++)
        here[i].ready = anypi_fmax(here[i].ready, here[i].moved) +
            s->models[i].gamma * (double) s->reduced[rank];
    return ANYP_SUCCESS;
}

static anyp_status allocate(simulator *s, int p)
{
    const size_t ranks = (size_t) p, clocks = ranks * (size_t) s->models_count;
    s->processes = anypi_realloc(NULL, clocks * sizeof *s->processes);
    s->round_seen = anypi_realloc(NULL, ranks * sizeof *s->round_seen);
    s->reduced = anypi_realloc(NULL, ranks * sizeof *s->reduced);
    s->counts = anypi_realloc(NULL, ranks * sizeof *s->counts);
    if (!anypi_peers_begin(&s->peers, p) || !s->processes || !s->round_seen || !s->reduced ||
        !s->counts)
        return ANYP_ERR_MEMORY;
    for (size_t i = 0; i < clocks; i++)
        s->processes[i] = (process) {
            .ready = anypi_entry(&s->models[i % (size_t) s->models_count],
                                 (int) (i / (size_t) s->models_count)) };
    for (int rank = 0; rank < p; rank++) {
        s->round_seen[rank] = -1;
        s->counts[rank] = (anypi_counts) {
            .bytes_scratch = scratch_bytes(&s->set[rank], &s->layout, s->type_size) };
    }
    return ANYP_SUCCESS;
}

/* Returns the maximum, over all groups of a height, of the bytes that a group sends to others or
 * receives from them. `moved` has room for two numbers for each group. */
static int64_t busiest(const simulator *s, int p, const int *places, int groups, int64_t *moved)
{
    int64_t *received = moved + groups, most = 0;
    memset(moved, 0, 2 * (size_t) groups * sizeof *moved);
    for (int rank = 0; rank < p; rank++)
        for (int i = 0; i < s->set[rank].steps_count; i++) {
            const anyp_step *step = &s->set[rank].steps[i];
            if (step->kind != ANYP_SEND || places[step->peer] == places[rank])
                continue;
            const int64_t bytes = anypi_slice_elements(&s->layout, step->from) * s->type_size;
            moved[places[rank]] += bytes;
            received[places[step->peer]] += bytes;
        }
    for (int i = 0; i < 2 * groups; i++)
        if (most < moved[i])
            most = moved[i];
    return most;
}

/* Sets card_bytes and link_bytes. */
static anyp_status count_links(const simulator *s, int p, const anyp_shape *nodes,
                               anypi_simulation *simulation)
{
    const size_t numbers = (size_t) anypi_shape_length(nodes) * (size_t) p;
    int64_t *moved = anypi_realloc(NULL, 2 * (size_t) nodes->count * sizeof *moved);
    int *places = anypi_realloc(NULL, numbers * sizeof *places);
    const int *its = places;
    if (places && moved) {
        anypi_shape_places(nodes, places);
        simulation->card_bytes = busiest(s, p, its, nodes->count, moved);
        for (int h = 0; (nodes = nodes->above); h++)
            simulation->link_bytes[h] = busiest(s, p, its += p, nodes->count, moved);
    }
    const anyp_status status = places && moved ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    anypi_free(moved);
    anypi_free(places);
    return status;
}

/* The maximum of all ranks' clocks for each model, and their counts. */
static anyp_status sum_up(const simulator *s, int p, anypi_simulation *simulation, double *times)
{
    anyp_status status = ANYP_SUCCESS;
    *simulation = (anypi_simulation) { 0 };
    for (int rank = 0; rank < p; rank++)
        anypi_counts_add(&s->counts[rank], &simulation->most, &simulation->total);
    for (int i = 0; i < s->models_count && status == ANYP_SUCCESS; i++) {
        double last_entry = 0;
        times[i] = 0;
        for (int rank = 0; rank < p; rank++) {
            times[i] = anypi_fmax(times[i], s->processes[(size_t) rank * (size_t) s->models_count +
                                                         (size_t) i].ready);
            last_entry = anypi_fmax(last_entry, anypi_entry(&s->models[i], rank));
        }
        if (s->models[i].nodes && simulation->card_bytes == 0)
            status = count_links(s, p, s->models[i].nodes, simulation);
        if (s->models[i].eager && status == ANYP_SUCCESS)
            status = anypi_eager(s->set, p, &s->layout, s->type_size, &s->models[i], INFINITY,
                                 &times[i]);
        times[i] -= last_entry;
    }
    simulation->time = times[0];
    return status;
}

anyp_status anypi_simulate_models(const anyp_schedule *set, int p, const anypi_partition *partition,
                                  int64_t type_size, const anyp_model *models, int count,
                                  anypi_simulation *simulation, double *times)
{
    simulator s = { .set = set, .type_size = type_size, .models = models, .models_count = count };
    const anypi_visitor visitor = { &s, moved, finished };
    char reason[1];
    anyp_status status = ANYP_ERR_MEMORY;
    int64_t *starts = anypi_realloc(NULL, ((size_t) partition->blocks + 1) * sizeof *starts);
    if (starts) {
        s.layout = anypi_layout_of(&set[0], partition, starts);
        status = allocate(&s, p);
    }
    if (status == ANYP_SUCCESS)
        status = anypi_replay(set, p, &visitor, reason, sizeof reason);
    if (status == ANYP_SUCCESS)
        status = sum_up(&s, p, simulation, times);
    anypi_free(s.counts);
    anypi_free(s.reduced);
    anypi_free(s.round_seen);
    anypi_free(s.processes);
    anypi_peers_end(&s.peers);
    anypi_free(starts);
    return status;
}

anyp_status anypi_simulate(const anyp_schedule *set, int p, const anypi_partition *partition,
                           int64_t type_size, const anyp_model *model,
                           anypi_simulation *simulation)
{
    double time;
    return anypi_simulate_models(set, p, partition, type_size, model, 1, simulation, &time);
}
