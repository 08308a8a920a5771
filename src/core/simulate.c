/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/simulate.h"

#include "core/half_duplex.h"
#include "core/memory.h"
#include "core/run.h"

/* What the messages of one round mean for one port of a rank. */
typedef struct load {
    int messages;
    int64_t bytes;
} load;

/* A rank on its way. */
typedef struct process {
    double ready;               /* since when it is in its present round */
    double moved;               /* when the last of the messages that have moved was there */
    int looked_at;              /* the round that sending and receiving are of; -1: none yet */
    double sending, receiving;  /* how long the round's messages keep each port */
} process;

typedef struct simulator {
    const anyp_schedule *set;
    anypi_layout layout;
    int64_t type_size;
    const anyp_model *model;
    process *processes;
} simulator;

static int64_t slice_bytes(anyp_slice slice, const anypi_layout *layout, int64_t type_size)
{
    return anypi_slice_elements(layout, slice) * type_size;
}

/* Does step i, a message, continue an earlier one of its round, which begins at step `first`? */
static bool is_further_piece(const anyp_schedule *schedule, int first, int i)
{
    const anyp_step *step = &schedule->steps[i];
    for (int k = i - 1; k >= first; k--)
        if (schedule->steps[k].kind == step->kind && schedule->steps[k].peer == step->peer)
            return true;
    return false;
}

void anypi_count(const anyp_schedule *schedule, const anypi_layout *layout, int64_t type_size,
                 anypi_counts *counts)
{
    *counts = (anypi_counts) { .rounds = schedule->rounds };
    for (int round = 0; round < schedule->rounds; round++) {
        const int first = schedule->round_start[round], end = schedule->round_start[round + 1];
        for (int i = first; i < end; i++) {
            const anyp_step *step = &schedule->steps[i];
            const anyp_slice slice = step->kind == ANYP_SEND ? step->from : step->to;
            const int64_t bytes = slice_bytes(slice, layout, type_size);
            switch (step->kind) {
                case ANYP_SEND:
                    counts->messages += !is_further_piece(schedule, first, i);
                    counts->pieces++;
                    counts->bytes_sent += bytes;
                    break;
                case ANYP_RECV:
                    counts->bytes_received += bytes;
                    break;
                case ANYP_REDUCE_LOCAL:
                    counts->bytes_reduced += bytes;
                    break;
                case ANYP_COPY:
                    counts->bytes_copied += bytes;
                    break;
            }
        }
    }
    for (int k = 0; k < schedule->scratch_count; k++)
        counts->bytes_scratch += anypi_scratch_elements(schedule, layout, k) * type_size;
}

/* Adds `more` to *total and lets *most be at least it, member by member. */
static void collect(const anypi_counts *more, anypi_counts *most, anypi_counts *total)
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

static double port_time(load port, const anyp_model *model)
{
    return model->alpha + 2 * port.messages * model->overhead + model->beta * (double) port.bytes;
}

/* How long the messages of the rank's round keep its ports busy. */
static process *look_at_round(simulator *s, int rank, int round)
{
    process *here = &s->processes[rank];
    if (here->looked_at == round)
        return here;
    const anyp_schedule *schedule = &s->set[rank];
    const int first = schedule->round_start[round], end = schedule->round_start[round + 1];
    load sent = { 0 }, received = { 0 };
    for (int i = first; i < end; i++) {
        const anyp_step *step = &schedule->steps[i];
        if (step->kind == ANYP_SEND) {
            sent.messages += !is_further_piece(schedule, first, i);
            sent.bytes += slice_bytes(step->from, &s->layout, s->type_size);
        } else if (step->kind == ANYP_RECV) {
            received.messages += !is_further_piece(schedule, first, i);
            received.bytes += slice_bytes(step->to, &s->layout, s->type_size);
        }
    }
    here->sending = port_time(sent, s->model);
    here->receiving = port_time(received, s->model);
    here->looked_at = round;
    return here;
}

static double later(double a, double b)
{
    return a > b ? a : b;
}

static anyp_status moved(void *state, const anypi_message *message)
{
    simulator *s = state;
    process *from = look_at_round(s, message->from, message->from_round);
    process *to = look_at_round(s, message->to, message->to_round);
    const double there = later(from->ready, to->ready) + later(from->sending, to->receiving);
    from->moved = later(from->moved, there);
    to->moved = later(to->moved, there);
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    simulator *s = state;
    const anyp_schedule *schedule = &s->set[rank];
    process *here = &s->processes[rank];
    int64_t reduced = 0;
    for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
        if (schedule->steps[i].kind == ANYP_REDUCE_LOCAL)
            reduced += slice_bytes(schedule->steps[i].to, &s->layout, s->type_size);
    here->ready = later(here->ready, here->moved) + s->model->gamma * (double) reduced;
    return ANYP_SUCCESS;
}

anyp_status anypi_simulate(const anyp_schedule *set, int p, const anypi_partition *partition,
                           int64_t type_size, const anyp_model *model,
                           anypi_simulation *simulation)
{
    simulator s = { .set = set, .type_size = type_size, .model = model };
    const anypi_visitor visitor = { &s, moved, finished };
    char reason[1];
    anyp_status status = ANYP_ERR_MEMORY;
    double time = 0;
    int64_t *starts = anypi_realloc(NULL, ((size_t) partition->blocks + 1) * sizeof *starts);
    s.processes = anypi_realloc(NULL, (size_t) p * sizeof *s.processes);
    if (!starts || !s.processes)
        goto done;
    s.layout = anypi_layout_of(&set[0], partition, starts);
    for (int rank = 0; rank < p; rank++)
        s.processes[rank] = (process) { .looked_at = -1 };

    status = model->half_duplex ? anypi_half_duplex(set, p, &s.layout, type_size, model, &time) :
        anypi_run(set, p, &visitor, reason, sizeof reason);
    *simulation = (anypi_simulation) { .time = time };
    for (int rank = 0; rank < p && status == ANYP_SUCCESS; rank++) {
        anypi_counts counts;
        anypi_count(&set[rank], &s.layout, type_size, &counts);
        collect(&counts, &simulation->most, &simulation->total);
        simulation->time = later(simulation->time, s.processes[rank].ready);
    }

  done:
    anypi_free(s.processes);
    anypi_free(starts);
    return status;
}
