/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder.h - records the time of the program's collectives for ANYP_RECORD (record/record.h).
 * Every wrapper of a collective opens a note before the call and closes it afterwards. When the
 * world ends, rank 0 receives the sum of all ranks' tables along a binomial tree, and writes the
 * file. Until then it writes its own table once a minute.
 *
 * Samples separate waiting from work. All ranks of a communicator sample the same calls. If all
 * ranks wait for all others in a call, they agree on the least time that one of them spent in it:
 * the time of the rank that came last. In other collectives a late rank may return immediately. So
 * all ranks meet first, and the call is timed afterwards. Either kind of sample costs one
 * allreduce.
 *
 * In it, ranks also agree on two more values. The first is the difference between the largest and
 * the least gap since a rank's last collective: this is how far apart the ranks came. The second is
 * the largest share of its time that a rank has spent on samples. If it exceeds 0.5 %, samples
 * become rarer.
 */
#ifndef ANYPI_RECORDER_H_INCLUDED
#define ANYPI_RECORDER_H_INCLUDED

#include "mpi/internal.h"
#include "record/record.h"

#include <time.h>

/* Whether calls are recorded: from the beginning to the end of the world. */
extern bool anypi_recording;

/* A call that is timed. */
typedef struct anypi_note {
    double begin;               /* seconds; 0: the call is not recorded */
    double gap;                 /* from the end of the last call */
    double met;                 /* when all ranks had met; 0: they have not */
    anypi_state *state;         /* NULL: no state */
    const void *site;           /* to which the call returns */
    bool sampled;
} anypi_note;

/* Returns the seconds of a clock, never 0. */
ANYPI_INLINE double anypi_note_seconds(void)
{
#ifdef SMPI_NO_OVERRIDE_MALLOC
    return anypi_mpi.Wtime() + 1;               /* simulated */
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);       /* MPI_Wtime() may be less precise */
    return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
#endif
}

/* Begins a record. Call this after MPI_Init on all ranks; the record ends by itself. `world` is the
 * state of MPI_COMM_WORLD. */
void anypi_recorder_begin(anypi_state *world, const anypi_settings *settings);

/* ---- blocking collectives; recorded_calls.c has all others ---- */

void anypi_note_begin(anypi_note *note, anyp_collective collective, MPI_Comm comm);
void anypi_note_end(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm);

ANYPI_INLINE anypi_note anypi_note_open(anyp_collective collective, MPI_Comm comm,
                                        const void *site)
{
    anypi_note note = { .site = site };
    if (__builtin_expect(anypi_recording, 0))
        anypi_note_begin(&note, collective, comm);
    return note;
}

/* Records the call, and returns its error. */
ANYPI_INLINE int anypi_note_close(const anypi_note *note, const anypi_arguments *its, MPI_Comm comm,
                                  int error)
{
    if (__builtin_expect(note->begin > 0, 0) && !error)
        anypi_note_end(note, its, comm);
    return error;
}

#endif
