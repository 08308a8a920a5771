/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/recorder.h"

#include "mpi/recorder_table.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <math.h>
#include <string.h>

/* The first sample on a communicator is the second call of a collective. Afterwards it is one call
 * in FIRST_STRIDE, drawn at random, because calls of several kinds may alternate. The stride
 * doubles if samples take more than `dear` of the time, and halves below `cheap`. */
enum { FIRST_SAMPLE = 2, FIRST_STRIDE = 4, LEAST_STRIDE = 2 };
static const int64_t largest_stride = INT64_C(1) << 30;
static const double dear = 0.005, cheap = 0.003;
/* The weight of the last sample in the mean time that ranks need to meet. */
static const double learning = 0.1;

bool anypi_recording;

/* ---- the beginning and the end ---- */

/* Sets the maxima of the ranks' values. Returns the seconds that this took. */
static double find_most(const double *own, double *most, int n, const anypi_state *state)
{
    const double begin = anypi_note_seconds();
    anypi_mpi.Allreduce(own, most, n, MPI_DOUBLE, MPI_MAX, state->user);
    return anypi_note_seconds() - begin;
}

/* Returns the seconds that ranks need to meet, the minimum of some measurements, the same on all
 * ranks. */
static double time_meetings(const anypi_state *world)
{
    double least = 1, most = 0;
    for (int i = 0; i < 4 && !world->alone; i++)
        least = fmin(find_most(&least, &most, 1, world), least);
    if (!world->alone)
        find_most(&least, &most, 1, world);
    return most;
}

static void end_record(void)
{
    anypi_reason_add(anypi_recording ? -1 : 0);
    anypi_recording = false;
    anypi_recorder_finish();
    anypi_record_free(&anypi_recorder_all.record);
}

void anypi_recorder_begin(anypi_state *world, const anypi_settings *settings)
{
    anypi_recorder *all = &anypi_recorder_all;
    int level = MPI_THREAD_SINGLE;
    if (world->inter || world->differ)
        return;
    anypi_mpi.Query_thread(&level);
    all->threads = level == MPI_THREAD_MULTIPLE;
    all->world = world;
    all->meeting = time_meetings(world);
    all->begin = all->last_end = anypi_note_seconds();
    all->next_file = INFINITY;
    all->record.p = world->p;
    if (world->rank == 0)
        anypi_recorder_open(settings);
    anypi_state_before_end(end_record);
    anypi_recording = true;
    anypi_reason_add(1);
}

/* ---- phases ---- */

int MPI_Pcontrol(const int level, ...)
{
    anypi_recorder *all = &anypi_recorder_all;
    anypi_pmpi_load();
    anypi_recorder_lock();
    if (level >= 0)
        all->paused = level == 0;
    if (level > 0)
        all->phase = level == 1 ? 0 : level;
    all->stretch++;
    anypi_recorder_unlock();
    /* nothing tells whether there are more arguments; MPI libraries ignore them */
    return anypi_mpi.Pcontrol(level);
}

/* ---- what a communicator keeps ---- */

/* Returns the index in the record of the shape of a communicator. Collective. */
static int shape_of(anypi_state *state)
{
    const anyp_shape *nodes = state->alone ? NULL
        : anypi_state_nodes(state, anypi_settings_get());
    char *text = nodes ? anypi_shape_text(nodes) : NULL;
    anypi_recorder_lock();
    const int shape = text ? anypi_record_shape(&anypi_recorder_all.record, text) : 0;
    if (state == anypi_recorder_all.world)
        anypi_recorder_all.record.nodes = shape;
    anypi_recorder_unlock();
    anypi_free(text);
    return shape;
}

/* Returns what the recorder keeps of a communicator. NULL: no memory. Collective in its first
 * call. */
static struct anypi_noted *noted_of(anypi_state *state)
{
    if (state->noted)
        return state->noted;
    const int shape = shape_of(state);
    struct anypi_noted *noted = anypi_realloc(NULL, sizeof *noted);
    if (!noted)
        return NULL;
    memset(noted, 0, sizeof *noted);
    noted->shape = shape;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        noted->of[i].next = FIRST_SAMPLE;
        noted->of[i].stride = FIRST_STRIDE;
    }
    return state->noted = noted;
}

/* ---- blocking collectives ---- */

/* The result of a sample. */
typedef struct agreed {
    double least;               /* the least time of a rank in the call */
    double spread;              /* of the gaps before the call */
} agreed;

/* Agrees with all ranks on the result of a sample, and on when the next sample is. */
static agreed agree(anypi_state *state, anyp_collective collective, double seconds, double gap)
{
    anypi_recorder *all = &anypi_recorder_all;
    anypi_noted_calls *its = &state->noted->of[collective];
    const double elapsed = anypi_note_seconds() - all->begin;
    const double own[] = { -seconds, elapsed > 0 ? (all->spent + all->meeting) / elapsed : 1, gap,
                           -gap };
    double most[] = { 0, 1, 0, 0 };
    const double took = find_most(own, most, 4, state);
    if (most[1] > dear && its->stride < largest_stride)
        its->stride *= 2;
    else if (most[1] < cheap && its->stride > LEAST_STRIDE)
        its->stride /= 2;
    its->drawn = its->drawn * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    its->next += 1 + (int64_t) ((its->drawn >> 33) % (2 * (uint64_t) its->stride - 1));
    anypi_recorder_lock();
    /* an allreduce before the call includes waiting for late ranks, which would otherwise happen in
     * the call */
    all->spent += anypi_waits_for_all((int) collective) ? took : all->meeting;
    if (anypi_waits_for_all((int) collective))
        all->meeting += (took - all->meeting) * learning;
    anypi_recorder_unlock();
    return (agreed) { -most[0], most[2] + most[3] };
}

void anypi_note_begin(anypi_note *note, anyp_collective collective, MPI_Comm comm)
{
    int error = MPI_SUCCESS;
    anypi_state *state = anypi_state_near(comm);
    if (!state && comm != MPI_COMM_NULL)
        state = anypi_state_of(comm, &error);
    /* a rank without memory for its state fails in the call, while other ranks wait for it */
    const bool known = state && !error && noted_of(state);
    note->sampled = known && !state->alone && !state->differ &&
        ++state->noted->of[collective].calls == state->noted->of[collective].next;
    note->state = state;
    note->begin = anypi_note_seconds();
    /* another thread's call may have ended in the meantime */
    note->gap = fmax(note->begin - anypi_recorder_all.last_end, 0);
    if (note->sampled && !anypi_waits_for_all((int) collective)) {
        agree(state, collective, 0, 0);
        note->met = anypi_note_seconds();
    }
}

/* Returns the kind of a call, which is that of the last one if the arguments are the same. If the
 * record is paused, there is none. */
static anypi_kind_place place_of(const anypi_arguments *its, const anypi_state *state,
                                 MPI_Comm comm)
{
    anypi_noted_calls *last = state && state->noted && !its->counts.at && !its->sendcounts.at
        ? &state->noted->of[its->collective] : NULL;
    const bool in_place = its->sendbuf == MPI_IN_PLACE, at_root = state && its->root == state->rank;
    if (last && last->stretch == anypi_recorder_all.stretch && last->count == its->count &&
        last->sendcount == its->sendcount && last->datatype == its->datatype &&
        last->sendtype == its->sendtype && last->op == its->op && last->in_place == in_place &&
        last->at_root == at_root)
        return last->place;
    if (anypi_recorder_all.paused)
        return (anypi_kind_place) { .index = -1 };
    const anypi_kind_place place = anypi_recorder_kind((int) its->collective, ANYPI_FORM_BLOCKING,
                                                       its, state, comm);
    const anypi_calls *kind = place.index < 0 ? NULL
        : &anypi_recorder_all.record.kinds[place.index];
    /* handles of user datatypes and operators may be reused */
    if (last && kind && !kind->derived && kind->op < ANYPI_OP_USERS)
        *last = (anypi_noted_calls) { last->calls, last->next, last->stride, last->drawn,
                                      anypi_recorder_all.stretch, in_place, at_root, its->count,
                                      its->sendcount, its->datatype, its->sendtype, its->op,
                                      place };
    return place;
}

void anypi_note_end(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm)
{
    const double now = anypi_note_seconds();
    agreed sample = { now - note->met, 0 };
    if (note->sampled && !(note->met > 0))
        sample = agree(note->state, its->collective, now - note->begin, note->gap);
    anypi_recorder_lock();
    anypi_kind_place place = place_of(its, note->state, comm);
    if (place.index >= 0) {
        place.site = anypi_recorder_site(note->site, (int) its->collective);
        anypi_calls *kind = &anypi_recorder_all.record.kinds[place.index];
        anypi_recorder_add(&place, its->root, now - note->begin);
        kind->gap += note->gap;
        if (note->sampled) {
            kind->samples++;
            kind->work += (sample.least - kind->work) / (double) kind->samples;
            kind->spread += (sample.spread - kind->spread) / (double) kind->samples;
        }
    }
    anypi_recorder_all.last_end = note->sampled ? anypi_note_seconds() : now;
    anypi_recorder_unlock();
    anypi_recorder_look(now);
}
