/* SPDX-License-Identifier: BSD-3-Clause
 *
 * version.h - hides the differences between MPICH versions from src/mpir, one block for each
 * difference. Known are 4.0 to 5.1.0a1. (maint/graft_places.py has the differences in the text
 * that the graft searches for in an MPICH tree.)
 */
#ifndef ANYPI_VERSION_H_INCLUDED
#define ANYPI_VERSION_H_INCLUDED

#include "mpiimpl.h"
#include "tsp_impl.h"
#include "gentran_types.h"

#if MPICH_NUMVERSION < 40000000 || MPICH_NUMVERSION >= 50200000
#error "AnyP does not know this version of MPICH: see src/mpir/version.h"
#endif

/* ---- errors of a collective ----
 *
 * ANYPI_ERRFLAG             the type of a collective's last argument, which carries earlier errors
 * ANYPI_ERRFLAG_OWN, _NONE  a new, clear flag, for a collective that gets none from its caller
 * ANYPI_ERRFLAG_PASS(own)   the argument for this flag
 * ANYPI_ERRFLAG_IS_SET      whether an error is recorded
 * ANYPI_ERRFLAG_IS_SENT     whether messages carry an error
 * ANYPI_ERRFLAG_TO_CODE     the error code of a collective whose flag is set although all its own
 *                           messages succeeded
 * ANYPI_ERRFLAG_RECORD      records the communication error `code` in the flag and in `all`, the
 *                           collective's error code. The class of the error stays if a process
 *                           has failed
 */
#define ANYPI_ERRFLAG_KIND(code)                                                                 \
    (MPIR_ERR_GET_CLASS(code) == MPIX_ERR_PROC_FAILED ? MPIR_ERR_PROC_FAILED : MPIR_ERR_OTHER)

#if MPICH_NUMVERSION < 40200000
/* By pointer: the caller also sees the recorded errors. */
#define ANYPI_ERRFLAG MPIR_Errflag_t *
#define ANYPI_ERRFLAG_OWN MPIR_Errflag_t
#define ANYPI_ERRFLAG_NONE MPIR_ERR_NONE
#define ANYPI_ERRFLAG_PASS(own) (&(own))
#define ANYPI_ERRFLAG_IS_SET(errflag) (*(errflag) != MPIR_ERR_NONE)
#define ANYPI_ERRFLAG_IS_SENT(errflag) ANYPI_ERRFLAG_IS_SET(errflag)
#define ANYPI_ERRFLAG_TO_CODE(errflag, code) MPIR_ERR_SET(code, *errflag, "**coll_fail")
#define ANYPI_ERRFLAG_RECORD(errflag, code, all)                                                 \
    do {                                                                                         \
        *(errflag) = ANYPI_ERRFLAG_KIND(code);                                                   \
        MPIR_ERR_SET(code, *errflag, "**fail");                                                \
        MPIR_ERR_ADD(all, code);                                                                 \
    } while (0)
#else
/* By value: only messages carry the flag; the caller gets the error code. */
#if MPICH_NUMVERSION < 50000000
#define ANYPI_ERRFLAG MPIR_Errflag_t
#define ANYPI_ERRFLAG_NONE MPIR_ERR_NONE
#else
/* One bit among the attributes of a collective. */
#define ANYPI_ERRFLAG int
#define ANYPI_ERRFLAG_NONE 0
#endif
#define ANYPI_ERRFLAG_OWN ANYPI_ERRFLAG
#define ANYPI_ERRFLAG_PASS(own) (own)
/* The caller reports the errors that it gives to the collective. */
#define ANYPI_ERRFLAG_IS_SET(errflag) ((void) (errflag), false)
#define ANYPI_ERRFLAG_IS_SENT(errflag) (((errflag) & (MPIR_ERR_PROC_FAILED | MPIR_ERR_OTHER)) != 0)
#define ANYPI_ERRFLAG_TO_CODE(errflag, code) ((void) (errflag), (void) (code))
#define ANYPI_ERRFLAG_RECORD(errflag, code, all)                                                 \
    do {                                                                                         \
        (errflag) |= ANYPI_ERRFLAG_KIND(code);                                                   \
        MPIR_ERR_ADD(all, code);                                                                 \
    } while (0)
#endif

/* ---- messages ---- */

/* From 4.2 on, functions that wait do not set the flag. */
#if MPICH_NUMVERSION < 40200000
#define ANYPI_WAIT(request, errflag) MPIC_Wait(request, errflag)
#else
#define ANYPI_WAIT(request, errflag) ((void) (errflag), MPIC_Wait(request))
#endif

/* ---- communicators whose collectives other threads call, also without MPI_THREAD_MULTIPLE: those
 * of streams and of threads ---- */

#if MPICH_NUMVERSION < 40100000
#define ANYPI_IS_OF_THREADS(comm) ((void) (comm), false)
#elif MPICH_NUMVERSION < 40200000
#define ANYPI_IS_OF_THREADS(comm) ((comm)->stream_comm_type != MPIR_STREAM_COMM_NONE)
#else
#define ANYPI_IS_OF_THREADS(comm)                                                                \
    ((comm)->stream_comm_type != MPIR_STREAM_COMM_NONE || (comm)->threadcomm)
#endif

/* May several threads make progress at a time, although MPI_Init_thread does not provide
 * MPI_THREAD_MULTIPLE? */
#ifdef ENABLE_THREADCOMM
#define ANYPI_HAS_THREAD_COMMUNICATORS true
#else
#define ANYPI_HAS_THREAD_COMMUNICATORS false
#endif

/* ---- schedules of nonblocking collectives ---- */

/* Adds a vertex that calls function(comm, tag, data) after vertex `after`. Returns an MPI error
 * code. From 4.1 on, MPICH writes the id of the new vertex before it reads `after`. */
#if MPICH_NUMVERSION < 40100000
#define ANYPI_SCHED_CALL(function, data, sched, after)                                           \
    (MPIR_TSP_sched_cb(function, data, sched, 1, &(after)), MPI_SUCCESS)
#else
#define ANYPI_SCHED_CALL(function, data, sched, after)                                           \
    MPIR_TSP_sched_cb(function, data, sched, 1, &(after), &(int) { 0 })
#endif

/* A function that MPICH calls whenever it makes progress. From 4.3 on there are some for one
 * interface (VCI); these are for all. */
#if MPICH_NUMVERSION < 40300000
#define ANYPI_HOOK(name) name(int *made_progress)
#define ANYPI_HOOK_REGISTER(hook, id) MPIR_Progress_hook_register(hook, id)
#else
#define ANYPI_HOOK(name) name(int vci __attribute__((unused)), int *made_progress)
#define ANYPI_HOOK_REGISTER(hook, id) MPIR_Progress_hook_register(-1, hook, id)
#endif

/* Does a process that waits sleep until a message of the network arrives, unless a hook has made
 * progress? If one has, sockets are not read. */
#ifdef MPIDI_CH3_USES_SOCK
#define ANYPI_PROGRESS_SLEEPS true
#else
#define ANYPI_PROGRESS_SLEEPS false
#endif

/* Returns whether the schedule is that of a persistent request. */
#define ANYPI_SCHED_IS_PERSISTENT(sched) (((MPII_Genutil_sched_t *) (sched))->is_persistent)

/* MPICH's internal types: from 5.0 on, MPI's names are only for callers of the bindings. */
#if MPICH_NUMVERSION < 50000000
#define ANYPI_TYPE_BYTE MPI_BYTE
#else
#define ANYPI_TYPE_BYTE MPIR_BYTE_INTERNAL
#endif

/* ---- coordinates: the place of each rank of MPI_COMM_WORLD in the network, from 4.2 on ----
 *
 * ANYPI_COORDINATES         ANYPI_DIMENSIONS numbers for each rank of this process's world; NULL:
 *                           no file has been read
 * ANYPI_COORDINATES_FILE    the file, for messages
 */
enum { ANYPI_PORT, ANYPI_SWITCH, ANYPI_GROUP, ANYPI_DIMENSIONS };

#if MPICH_NUMVERSION < 40200000
#define ANYPI_COORDINATES ((const int *) NULL)
#define ANYPI_COORDINATES_FILE ""
#else
#define ANYPI_COORDINATES                                                                        \
    ((const int *) (MPIR_Process.coords_dims == ANYPI_DIMENSIONS ? MPIR_Process.coords : NULL))
#define ANYPI_COORDINATES_FILE MPIR_CVAR_COORDINATES_FILE
#endif

/* Returns the rank in this process's world. A result that is negative, or at least the world's
 * size, means another world. */
static inline int64_t anypi_world_rank(MPIR_Comm *comm, int rank)
{
#if MPICH_NUMVERSION < 50000000
    uint64_t process = UINT64_MAX;
    return MPID_Comm_get_lpid(comm, rank, &process, false) == MPI_SUCCESS ? (int64_t) process : -1;
#else
    const MPIR_Lpid process = MPIR_comm_rank_to_lpid(comm, rank);
    return MPIR_LPID_WORLD_INDEX(process) == 0 ? (int64_t) MPIR_LPID_WORLD_RANK(process) : -1;
#endif
}

#endif
