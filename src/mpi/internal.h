/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - what the files of src/mpi share: a call on its way, and what a communicator keeps.
 */
#ifndef ANYPI_MPI_INTERNAL_H_INCLUDED
#define ANYPI_MPI_INTERNAL_H_INCLUDED

#include "execute/log.h"
#include "execute/fallback.h"
#include "execute/workspace.h"
#include "mpi/pmpi.h"
#include "mpi/types.h"
#include "settings/settings.h"

/* Calls, bytes and seconds of a collective by one algorithm. */
typedef struct anypi_sum {
    int64_t calls, bytes;
    double seconds;
} anypi_sum;

/* What a communicator keeps, as an attribute. No two collectives run on a communicator at once, so
 * it needs no lock. */
typedef struct anypi_state {
    struct anypi_state *next, **link;   /* all of the process, see state.c */
    MPI_Comm user;              /* the application's communicator */
    MPI_Comm own;               /* AnyP's messages go here: the same group; null until needed */
    const char *own_failed;     /* why there is none, and will be none; NULL: nothing is wrong */
    int p, rank, inter;
    bool alone;                 /* an intercommunicator, or one process: nothing to do here */
    bool differ;                /* settings are bad, or not alike on all ranks */
    int error;                  /* which is an error; MPI_SUCCESS: it is none */
    bool unable;                /* the MPI library cannot reduce locally */
    bool passes;                /* therefore, or since nothing is asked for, all is passed on */
    unsigned age;               /* of the settings that the rest is from */
    int ppn;                    /* processes per node; 0: not known yet */
    bool one_node, node_consecutive;
    bool verbose;               /* calls that are passed on are logged and counted */
    anypi_workspace workspace;
    anypi_logged told;
} anypi_state;

/* One call of one of the four collectives. */
typedef struct anypi_job {
    anyp_call call;             /* .count is that of the whole vector */
    const void *sendbuf;
    void *recvbuf;
    int64_t count;              /* the collective's argument; not of reduce_scatter, which has */
    const int *counts;          /* one of these */
    const MPI_Count *large_counts;
    MPI_Datatype datatype;
    MPI_Op op;
    MPI_Comm comm;
    anypi_state *state;         /* the rest is found out on the way */
    bool builtin;               /* the operator is MPI's own */
    bool regular;               /* blocks have the same size */
    const anypi_type *type;
    anypi_type users;           /* it, if it is not MPI's own */
    anypi_entry *entry;         /* the algorithm that runs; NULL: the library's own */
    int error;                  /* MPI's */
    double begin;               /* for the summary; negative: none */
} anypi_job;

/* ---- state.c ---- */

/* The communicator of this thread's last call: asking for an attribute takes as long as deciding a
 * small call. Handles are used again; but when a communicator ends, so does its state. */
typedef struct anypi_near {
    MPI_Comm comm;
    anypi_state *state;         /* NULL: none */
    uint64_t ends;              /* anypi_state_ends then */
    unsigned age;               /* and anypi_settings_age() */
} anypi_near;

#ifdef SMPI_NO_OVERRIDE_MALLOC  /* SMPI's ranks are no threads, and have each their own copy */
extern anypi_near anypi_last_near;
#else
extern __thread anypi_near anypi_last_near;
#endif

/* How many states have ended. */
extern uint64_t anypi_state_ends;

/* The state, if the communicator is that of the last call, and nothing has changed since; else
 * NULL. */
static inline anypi_state *anypi_state_near(MPI_Comm comm)
{
    const anypi_near *near = &anypi_last_near;
    return near->comm == comm && near->age == anypi_settings_age() &&
        near->ends == __atomic_load_n(&anypi_state_ends, __ATOMIC_RELAXED) ? near->state : NULL;
}

/* The state of a communicator, made in its first collective by all of its ranks. NULL: the call
 * goes to the MPI library, or (*error is not MPI_SUCCESS) fails. */
anypi_state *anypi_state_of(MPI_Comm comm, int *error);

/* Hands an error to the communicator's error handler; returns it, if the handler does. */
int anypi_state_fail(MPI_Comm comm, int error);

/* Makes the communicator for AnyP's messages, in the first call that needs it. NULL, or why there
 * is none (static text): all ranks get the same answer. */
const char *anypi_state_own(anypi_state *state);

/* Finds out about nodes, once: all ranks together. */
void anypi_state_nodes(anypi_state *state);

/* The world or a session begins, a session ends: what AnyP keeps is freed before the last of them
 * ends. */
void anypi_state_world_begins(void);
void anypi_state_session_begins(void);
void anypi_state_session_ends(void);

/* ---- agree.c ---- */

typedef struct anypi_agreement {
    bool alike;                 /* all ranks have good settings that decide alike */
    int code;                   /* else, with ANYP_STRICT on some rank, the error that says why;
                                 * MPI_SUCCESS: it is none */
    bool unable;                /* some rank cannot reduce */
} anypi_agreement;

/* Compares the settings of all ranks of the communicator; rank 0 tells why they are not alike. MPI
 * error code. */
int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found);

/* Can the MPI library reduce locally only while there is a world? Open MPI 6.0.0rc2 crashes before
 * MPI_Init and after MPI_Finalize, where a program may have sessions. */
bool anypi_needs_world(void);

/* ---- choice.c ---- */

/* Sets the algorithm and the parameters of a new entry. Looks only at what is the same on all
 * ranks. */
void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry);
/* Tells that a call is passed on, for a reason that no setting can change. */
void anypi_tell_passed(const anypi_job *job, const char *reason);

/* ---- run.c ---- */

/* Carries out job->entry on job->state->own. MPI error code, before the error handler. */
int anypi_carry_out(const anypi_job *job);

/* ---- summary.c ---- */

/* Counts a call that is done. */
void anypi_summary_add(const anypi_job *job);
/* Writes what was counted to stderr. */
void anypi_summary_write(void);

/* ---- device.c ---- */

/* Does one of the buffers (NULL: none) lie in a device's memory, where no processor may reduce? */
bool anypi_is_device(const void *in, const void *out);

/* ---- intercept.c ---- */

/* What ran last; NULL: the library's own. */
extern const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

/* The key of a call by its arguments, if datatype and operator are MPI's own. */
static inline anypi_call_key anypi_key_of_arguments(anyp_collective collective,
                                                    const void *sendbuf, int64_t count,
                                                    MPI_Datatype datatype, MPI_Op op, int root)
{
    return (anypi_call_key) {
        .count = count, .datatype = (uint64_t) datatype, .op = (uint64_t) op,
        .collective = (int) collective, .root = root, .in_place = sendbuf == MPI_IN_PLACE,
    };
}

/* Is the call certainly one to pass on, as one like it was? Quick: all that an application does not
 * use AnyP for comes here. (Arguments do not identify a reduce_scatter: `count` is negative.) */
static inline bool anypi_passes_through(anyp_collective collective, const void *sendbuf,
                                        int64_t count, MPI_Datatype datatype, MPI_Op op, int root,
                                        MPI_Comm comm)
{
    anypi_state *state = anypi_state_near(comm);
    if (!state)
        return false;
    if (!state->passes) {
        const anypi_call_key key =
            anypi_key_of_arguments(collective, sendbuf, count, datatype, op, root);
        const anypi_entry *entry = state->verbose ? NULL
            : anypi_cache_find(&state->workspace.cache, &key);
        if (!entry || entry->algorithm)
            return false;
    }
    __atomic_store_n(&anypi_last_ran[collective], NULL, __ATOMIC_RELAXED);
    return true;
}

/* Runs the call if AnyP does: true, with job->error. False: it is the MPI library's. */
bool anypi_intercept(anypi_job *job);

/* A call that was passed on is done; returns its error code. */
int anypi_passed(anypi_job *job, int error);

#endif
