/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operations.h - runs nonblocking and persistent collectives with AnyP's programs.
 *
 * The request that the program gets is one of the MPI library: a receive of nothing from this
 * process, on a communicator of AnyP's. When the operation is complete, AnyP sends the message. So
 * every function of MPI accepts the request, together with others.
 *
 * Operations progress whenever the program waits for requests or tests them, and while AnyP waits
 * in a blocking collective. With Open MPI they progress in every function of the library, by a
 * callback of its progress engine. Other libraries have no such callback:
 *
 * - While operations are under way, point-to-point functions that block are replaced by those that
 *   do not, and by tests.
 * - Before a blocking collective of the library, or another function that waits for all ranks, AnyP
 *   completes its operations. If ranks call such functions of different communicators in another
 *   order than their nonblocking collectives, they may wait for each other forever.
 * - In some functions of windows, and in those that spawn or connect worlds, operations do not
 *   progress (libanyp(7)).
 *
 * With MPI_THREAD_MULTIPLE, a lock guards all operations. A thread of AnyP's moves them if the
 * library has no callback, so no function must be replaced (operation_threads.c).
 */
#ifndef ANYPI_MPI_OPERATIONS_H_INCLUDED
#define ANYPI_MPI_OPERATIONS_H_INCLUDED

#include "mpi/internal.h"

/* The number of operations under way. It changes under the lock. */
extern int anypi_operations_active;
/* The number of operations: under way, or persistent. It changes under the lock. */
extern int anypi_operations_count;

/* Returns whether operations are under way. What other threads have written for those that have
 * ended is then visible. */
static inline bool anypi_operations_running(void)
{
    return __atomic_load_n(&anypi_operations_active, __ATOMIC_ACQUIRE) > 0;
}

/* Between these two calls, no other thread starts or moves operations. */
void anypi_operations_lock(void);
void anypi_operations_unlock(void);

/* Prepares for operations, on all ranks or on none, until the world ends. Collective over
 * MPI_COMM_WORLD, after anypi_channels_open(). */
void anypi_operations_open(void);

/* Begins a nonblocking collective, or makes a persistent one, and sets *request. Returns false if
 * the call must be forwarded; otherwise sets *error to an MPI error code. */
bool anypi_operation_new(const anypi_arguments *its, MPI_Comm comm, anypi_mode mode,
                         MPI_Request *request, int *error);

/* Starts the persistent operation of a request that the MPI library has just started. Does nothing
 * if the request has another owner. */
void anypi_operation_start(MPI_Request request);
/* Frees a request by the library's function, and lets its operation end if it has one. Returns the
 * function's error code. */
int anypi_operation_free(MPI_Request *request);
/* Returns whether a request is that of an operation under way, which MPI_Cancel cannot cancel. */
bool anypi_operation_owns(MPI_Request request);

/* Moves all operations as far as possible. Returns whether any has ended. */
bool anypi_operations_move(void);

/* Waits a moment after anypi_operations_move() has moved nothing, so that this process does not
 * take the processor's time from others. The program waits for all of these requests; count 0: for
 * any of them. If it waits for an operation, waits until a message for an operation arrives. *turns
 * is 0 at first, and when something has moved. */
void anypi_operations_idle(const MPI_Request *requests, int count, int *turns);

/* Whether the library calls anypi_operations_move() in all its functions, or a thread does it. */
extern bool anypi_operations_hooked;

/* Returns whether functions of the library that block must be replaced now. */
static inline bool anypi_operations_need_help(void)
{
    return __builtin_expect(anypi_operations_running(), 0) && !anypi_operations_hooked;
}

/* Does the work of anypi_operations_finish(). */
void anypi_operations_complete(void);

/* Completes all operations, if the library does not move them in its own functions. Call this
 * before a function of the library that waits for other ranks. */
static inline void anypi_operations_finish(void)
{
    if (anypi_operations_need_help())
        anypi_operations_complete();
}

/* Makes the state of a new communicator of ranks of `parent`, unless its calls are forwarded
 * anyway. Returns an MPI error code. Collective over the new communicator. */
int anypi_operations_expect(MPI_Comm parent, MPI_Comm comm);
/* Completes all operations if a blocking collective of AnyP's may call collectives of the library
 * first: if the communicator has no state yet, or no shape. */
void anypi_operations_before(MPI_Comm comm);

/* If an operation uses a handle that the program frees, keeps it until no operation does. Returns
 * false if the handle must be freed now, also if there is no memory. */
bool anypi_operations_keep_op(MPI_Op op);
bool anypi_operations_keep_type(MPI_Datatype type);

/* freed_handles.c: the handles that are kept. Keeps one; returns false if there is no memory. */
bool anypi_keep_op(MPI_Op op);
bool anypi_keep_type(MPI_Datatype type);
/* freed_handles.c: returns whether any handle is kept. */
bool anypi_any_kept(void);
/* freed_handles.c: finds a handle that is not used any more, which is kept no longer, and sets *op
 * or *type. Returns false if there is none. */
bool anypi_unused_handle(bool (*uses_op)(MPI_Op), bool (*uses_type)(MPI_Datatype), MPI_Op *op,
                         MPI_Datatype *type);
/* freed_handles.c: frees one of the two, by the library's function. */
void anypi_free_handle(MPI_Op *op, MPI_Datatype *type);
/* freed_handles.c: frees all. */
void anypi_free_kept(void);

#endif
