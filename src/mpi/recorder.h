/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder.h - ANYP_RECORD: what the program's collectives take (record/record.h). Every wrapper
 * of a collective opens a note before the call and closes it after. Times are in ticks of the
 * processor until they are written. When the world ends, rank 0 gets the sum of all ranks' tables
 * along a binomial tree, and writes the file; until then it writes its own table once a minute.
 *
 * Waiting is told from work by samples, which all ranks of a communicator take in the same calls.
 * Where all ranks wait for all others, they agree on the least time that one of them spent in the
 * call: that of the rank that came last. In other collectives a rank that comes late may be done at
 * once, so there all ranks meet first, and the call is timed after that. Either is one allreduce.
 * They also agree on how far apart they came, by the largest and the least gap since a rank's last
 * collective, and on the largest share of its time that a rank has spent for samples: above 0.5 %
 * they become rarer.
 */
#ifndef ANYPI_RECORDER_H_INCLUDED
#define ANYPI_RECORDER_H_INCLUDED

#include "mpi/internal.h"
#include "record/record.h"

/* Are calls recorded? From the beginning to the end of the world. */
extern bool anypi_recording;

/* A call that is timed. */
typedef struct anypi_note {
    uint64_t begin;             /* ticks; 0: it is not recorded */
    uint64_t gap;               /* ticks from the end of the last call */
    uint64_t met;               /* when all ranks had met; 0: they have not */
    anypi_state *state;         /* NULL: there is none */
    bool sampled;
} anypi_note;

/* What the recorder keeps of a communicator, in its state. */
struct anypi_noted;
/* The shape of its ranks in the record; 0: unknown. */
int anypi_noted_shape(const struct anypi_noted *noted);

/* Ticks of a clock, never 0; their rate is known when the record is written. */
uint64_t anypi_ticks(void);

/* To be called after MPI_Init on all ranks; the end comes by itself. `world` is its state. */
void anypi_recorder_begin(anypi_state *world, const anypi_settings *settings);

/* ---- blocking collectives ---- */

void anypi_note_begin(anypi_note *note, anyp_collective collective, MPI_Comm comm);
void anypi_note_end(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm);

ANYPI_INLINE anypi_note anypi_note_open(anyp_collective collective, MPI_Comm comm)
{
    anypi_note note = { 0 };
    if (__builtin_expect(anypi_recording, 0))
        anypi_note_begin(&note, collective, comm);
    return note;
}

/* Returns the call's error. */
ANYPI_INLINE int anypi_note_close(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm,
                                  int error)
{
    if (__builtin_expect(note->begin != 0, 0) && !error)
        anypi_note_end(note, its, comm);
    return error;
}

/* ---- all others: recorded_calls.c ---- */

/* A collective of `form` has returned, and begun or made a request (MPI_REQUEST_NULL: none).
 * `collective` may be one of those that AnyP does not have; `its` are the arguments of the one that
 * has the same. */
void anypi_note_form(uint64_t begin, int collective, anypi_call_form form,
                     const anypi_arguments *its, MPI_Comm comm, MPI_Request request);

/* How many requests of collectives are known; 0: no wait need look for one. */
extern int anypi_noted_requests;

/* Does the request belong to a collective that is recorded? */
bool anypi_request_is_noted(MPI_Request request);
/* A persistent request was started, a request has been completed, or freed. `begin` is when the
 * call began that did so; the time of one that completes is divided among `share` requests. */
void anypi_request_started(MPI_Request request, uint64_t begin);
void anypi_request_done(MPI_Request request, uint64_t begin, int share);
void anypi_request_freed(MPI_Request request);

#endif
