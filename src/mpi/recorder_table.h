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
    anypi_record record;
    double begin, last_end;     /* seconds: of the record, and of a blocking collective */
    double next_file;           /* when to write the file again */
    double meeting;             /* seconds that ranks need to meet before a sample */
    double spent;               /* seconds spent on samples */
    int phase;                  /* in which calls are recorded (record.h) */
    bool paused;                /* calls are not recorded, but take part in samples */
    int64_t stretch;            /* between two calls of MPI_Pcontrol; the first is 1 */
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

/* The kind to which calls are added. */
typedef struct anypi_kind_place {
    int index;                  /* index in the record; -1: no memory, or paused */
    int site;                   /* index in the record of the place in the program; -1: no memory */
    int64_t bytes;              /* of this call */
} anypi_kind_place;

/* What the recorder keeps of a collective on a communicator. */
typedef struct anypi_noted_calls {
    int64_t calls, next, stride;        /* `next`: the call that is the next sample */
    uint64_t drawn;             /* state of a random sequence, the same on all ranks */
    /* the last call, if its arguments determine its kind */
    int64_t stretch;            /* 0: its arguments do not determine its kind */
    bool in_place, at_root;
    int64_t count, sendcount;
    MPI_Datatype datatype, sendtype;
    MPI_Op op;
    anypi_kind_place place;
} anypi_noted_calls;

/* What it keeps of a communicator, in its state. */
struct anypi_noted {
    int shape;                  /* index in the record; 0: unknown */
    anypi_noted_calls of[ANYP_COLLECTIVES];
};

/* Finds or makes the kind of a call. The caller holds the lock. */
anypi_kind_place anypi_recorder_kind(int collective, anypi_call_form form,
                                     const anypi_arguments *its, const anypi_state *state,
                                     MPI_Comm comm);
/* Returns the place of calls of the same kind in the current phase. The caller holds the lock. */
anypi_kind_place anypi_recorder_in_phase(anypi_kind_place place);
/* Adds a call to a kind and a place in the program. The caller holds the lock. */
void anypi_recorder_add(const anypi_kind_place *place, int root, double seconds);
/* Adds seconds of a call that was added before. The caller holds the lock. */
void anypi_recorder_add_seconds(const anypi_kind_place *place, double seconds);

/* Finds or makes the place in the program to which a collective returns. -1: no memory. The caller
 * holds the lock. */
int anypi_recorder_site(const void *address, int collective);

/* Writes the table of rank 0 if the last file is a minute old. */
void anypi_recorder_look(double now);
/* On rank 0, begins the file that the settings name. */
void anypi_recorder_open(const anypi_settings *settings);
/* On all ranks, adds up the tables; rank 0 writes the sum. */
void anypi_recorder_finish(void);

#endif
