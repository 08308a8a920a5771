/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_table.h - definitions that the files of the recorder share: the table of this rank, and
 * how a call is assigned to a kind.
 */
#ifndef ANYPI_RECORDER_TABLE_H_INCLUDED
#define ANYPI_RECORDER_TABLE_H_INCLUDED

#include "mpi/recorder.h"

#include <pthread.h>

typedef struct anypi_recorder {
    pthread_mutex_t lock;
    bool threads;               /* the lock is needed */
    anypi_state *world;
    anypi_record record;        /* times are ticks */
    int joins;                  /* how often kinds were joined, which changes indices */
    uint64_t begin, look;       /* ticks; when to look at the clock next */
    uint64_t last_end;          /* ticks, of a blocking collective */
    double begun;               /* MPI_Wtime() */
    double meeting;             /* seconds that ranks need to meet before a sample */
    double spent;               /* seconds spent on samples */
} anypi_recorder;

extern anypi_recorder anypi_recorder_all;

static inline void anypi_recorder_lock(void)
{
    if (anypi_recorder_all.threads)
        pthread_mutex_lock(&anypi_recorder_all.lock);
}

static inline void anypi_recorder_unlock(void)
{
    if (anypi_recorder_all.threads)
        pthread_mutex_unlock(&anypi_recorder_all.lock);
}

/* The kind to which calls are added; valid until kinds are joined. */
typedef struct anypi_kind_place {
    int index;                  /* index in the record; -1: no memory */
    int joins;                  /* number of joins at that time */
    int64_t bytes;              /* of this call */
} anypi_kind_place;

/* Finds or makes the kind of a call. `shape` is the index in the record of the communicator's
 * shape. The caller holds the lock. */
anypi_kind_place anypi_recorder_kind(int collective, anypi_call_form form,
                                     const anypi_arguments *its, const anypi_state *state,
                                     int shape, MPI_Comm comm);
/* Adds a call to a kind. The caller holds the lock. */
void anypi_recorder_add(const anypi_kind_place *place, int root, double ticks);

/* On rank 0, writes its own table if the last file is a minute old. */
void anypi_recorder_look(uint64_t now);
/* On rank 0, begins the file that the settings name. */
void anypi_recorder_open(const anypi_settings *settings);
/* On all ranks, adds up the tables; rank 0 writes the sum. */
void anypi_recorder_finish(void);

#endif
