/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/recorder.h"

#include "mpi/recorder_table.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

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

/* The arguments of the last call of a collective, if they determine its kind, and the kind. */
typedef struct memo {
    int64_t count, sendcount;
    MPI_Datatype datatype, sendtype;
    MPI_Op op;
    bool in_place, at_root, known;
    anypi_kind_place place;
} memo;

/* The calls of a collective that are sampled. */
typedef struct sampling {
    int64_t calls, next, stride;
    uint64_t drawn;             /* state of a random sequence, the same on all ranks */
} sampling;

struct anypi_noted {
    int shape;                  /* index in the record */
    sampling samples[ANYP_COLLECTIVES];
    memo memos[ANYP_COLLECTIVES];
};

/* ---- the beginning and the end ---- */

/* Returns the seconds that ranks need to meet, the minimum of some measurements, the same on all
 * ranks. */
static double time_meetings(const anypi_state *world)
{
    double least = 1, most = 0, none = 0;
    for (int i = 0; i < 4 && !world->alone; i++) {
        const double begin = anypi_mpi.Wtime();
        anypi_mpi.Allreduce(&none, &most, 1, MPI_DOUBLE, MPI_MAX, world->user);
        const double took = anypi_mpi.Wtime() - begin;
        least = took < least ? took : least;
    }
    if (!world->alone)
        anypi_mpi.Allreduce(&least, &most, 1, MPI_DOUBLE, MPI_MAX, world->user);
    return most;
}

static void end_record(void)
{
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
    all->begun = anypi_mpi.Wtime();
    all->begin = all->last_end = anypi_ticks();
    all->record.p = world->p;
    if (world->rank == 0)
        anypi_recorder_open(settings);
    anypi_state_before_end(end_record);
    anypi_recording = true;
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
        noted->samples[i].next = FIRST_SAMPLE;
        noted->samples[i].stride = FIRST_STRIDE;
    }
    return state->noted = noted;
}

int anypi_noted_shape(const struct anypi_noted *noted)
{
    return noted ? noted->shape : 0;
}

/* ---- blocking collectives ---- */

/* The result of a sample, in each rank's own ticks. */
typedef struct agreed {
    double least;               /* the least time of a rank in the call */
    double spread;              /* of the gaps before the call */
} agreed;

/* Agrees with all ranks on the result of a sample, and on when the next sample is. */
static agreed agree(anypi_state *state, anyp_collective collective, uint64_t ticks, uint64_t gap)
{
    anypi_recorder *all = &anypi_recorder_all;
    sampling *its = &state->noted->samples[collective];
    const double elapsed = anypi_mpi.Wtime() - all->begun;
    const double tick = elapsed / (double) (anypi_ticks() - all->begin + 1);
    double own[] = { -(double) ticks * tick, 1, (double) gap * tick, -(double) gap * tick };
    double most[] = { 0, 1, 0, 0 };
    if (elapsed > 0)
        own[1] = (all->spent + all->meeting) / elapsed;
    const double begin = anypi_mpi.Wtime();
    anypi_mpi.Allreduce(own, most, 4, MPI_DOUBLE, MPI_MAX, state->user);
    const double took = anypi_mpi.Wtime() - begin;
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
    return tick > 0 ? (agreed) { -most[0] / tick, (most[2] + most[3]) / tick }
        : (agreed) { (double) ticks, 0 };
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
        ++state->noted->samples[collective].calls == state->noted->samples[collective].next;
    note->state = state;
    note->begin = anypi_ticks();
    /* another thread's call may have ended in the meantime */
    const uint64_t last = anypi_recorder_all.last_end;
    note->gap = note->begin > last ? note->begin - last : 0;
    if (note->sampled && !anypi_waits_for_all((int) collective)) {
        agree(state, collective, 0, 0);
        note->met = anypi_ticks();
    }
}

/* Returns whether the call is of the same kind as the last one. */
static bool is_same(const memo *last, const anypi_arguments *its, bool at_root)
{
    return last->known && last->place.joins == anypi_recorder_all.joins &&
        last->count == its->count && last->sendcount == its->sendcount &&
        last->datatype == its->datatype && last->sendtype == its->sendtype &&
        last->op == its->op && last->at_root == at_root &&
        last->in_place == (its->sendbuf == MPI_IN_PLACE);
}

static anypi_kind_place place_of(const anypi_arguments *its, const anypi_state *state,
                                 MPI_Comm comm)
{
    struct anypi_noted *noted = state ? state->noted : NULL;
    memo *last = noted ? &noted->memos[its->collective] : NULL;
    const bool at_root = state && its->root == state->rank;
    const bool simple = last && !its->counts.at && !its->sendcounts.at;
    if (simple && is_same(last, its, at_root))
        return last->place;
    const anypi_kind_place place = anypi_recorder_kind((int) its->collective, ANYPI_FORM_BLOCKING,
                                                       its, state, anypi_noted_shape(noted), comm);
    const anypi_calls *kind = place.index < 0 ? NULL
        : &anypi_recorder_all.record.kinds[place.index];
    /* handles of user datatypes and operators may be reused */
    if (simple && kind && !kind->derived && kind->op < ANYPI_OP_USERS)
        *last = (memo) { its->count, its->sendcount, its->datatype, its->sendtype, its->op,
                         its->sendbuf == MPI_IN_PLACE, at_root, true, place };
    return place;
}

void anypi_note_end(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm)
{
    const uint64_t now = anypi_ticks();
    agreed sample = { (double) (now - note->met), 0 };
    if (note->sampled && !note->met)
        sample = agree(note->state, its->collective, now - note->begin, note->gap);
    anypi_recorder_lock();
    const anypi_kind_place place = place_of(its, note->state, comm);
    if (place.index >= 0) {
        anypi_calls *kind = &anypi_recorder_all.record.kinds[place.index];
        anypi_recorder_add(&place, its->root, (double) (now - note->begin));
        kind->gap += (double) note->gap;
        if (note->sampled) {
            kind->samples++;
            kind->work += (sample.least - kind->work) / (double) kind->samples;
            kind->spread += (sample.spread - kind->spread) / (double) kind->samples;
        }
    }
    anypi_recorder_all.last_end = note->sampled ? anypi_ticks() : now;
    anypi_recorder_unlock();
    if (now > anypi_recorder_all.look)
        anypi_recorder_look(now);
}
