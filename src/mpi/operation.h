/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operation.h - an operation, and the process's list of them: for operations.c and
 * new_operation.c.
 */
#ifndef ANYPI_MPI_OPERATION_H_INCLUDED
#define ANYPI_MPI_OPERATION_H_INCLUDED

#include "mpi/transport.h"

#include "execute/task.h"

typedef struct anypi_operation {
    anypi_transport transport;  /* first member, because each poll reads it */
    anypi_task run;
    anypi_job job;              /* with copies of the caller's arrays */
    struct anypi_operation *next, **link;     /* list of all operations */
    struct anypi_operation *later;    /* list of those under way, or of those that have failed */
    MPI_Request request;
    int slot;                   /* the tag of the message that completes the request */
    uint64_t turn;              /* nonblocking: its number on the communicator; persistent: its
                                 * place */
    bool active, begun;         /* under way; messages have been sent */
    bool freed;                 /* the program has freed the request */
    int64_t *sizes;             /* of a call with local sizes: those of local->given and got, which
                                 * a run changes; otherwise NULL */
    char *host;                 /* memory of the output, if that is in device memory; or NULL */
} anypi_operation;

typedef struct anypi_operations {
    MPI_Comm comm;              /* for the requests; MPI_COMM_NULL: calls are forwarded */
    int turns;                  /* half of anypi_channels_turns(): for nonblocking calls; the other
                                 * half is for persistent ones */
    int slots, next_slot;
    anypi_operation *first;           /* all operations */
    anypi_operation *oldest, **newest;        /* those under way, in the order of their starts */
    bool moving;                /* in anypi_operations_move() */
    bool wrapped;               /* slots are used again */
    bool threads;               /* threads may call MPI at the same time, so the lock is needed */
    anypi_operation *failed;    /* those whose error handlers are not called yet */
} anypi_operations;

extern anypi_operations anypi_all_operations;

/* operation_threads.c: with MPI_THREAD_MULTIPLE. Returns false if there is no lock. */
bool anypi_operations_threads_open(void);
void anypi_operations_take_lock(void);
bool anypi_operations_try_lock(void);
void anypi_operations_drop_lock(void);
/* operation_threads.c: begins the thread, which calls move(); false: there is none. */
bool anypi_operations_thread_begin(bool (*move)(void));
/* operation_threads.c: ends the thread, if there is one. */
void anypi_operations_thread_end(void);
/* operation_threads.c: tells the thread that there are operations. The caller holds the lock. */
void anypi_operations_wake(void);

/* Calls the error handlers of operations that have failed, and completes these; frees handles that
 * are not used any more. The caller does not hold the lock. */
void anypi_operations_call_handlers(void);

/* The functions below require the lock. */

/* Returns the operation of a request; NULL: it has another owner. */
anypi_operation *anypi_operation_of(MPI_Request request);
/* Starts an operation that is not under way. */
void anypi_operation_run(anypi_operation *it);
/* Adds an operation to the list. */
void anypi_operation_link(anypi_operation *it);
/* Frees an operation that is not under way. */
void anypi_operation_end(anypi_operation *it);
/* Finds the oldest nonblocking call of a communicator that is under way. */
void anypi_operation_oldest(anypi_state *state);

#endif
