/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - what the files of src/mpi share: a call, and what a communicator keeps.
 */
#ifndef ANYPI_MPI_INTERNAL_H_INCLUDED
#define ANYPI_MPI_INTERNAL_H_INCLUDED

#include "execute/decide.h"
#include "execute/log.h"
#include "execute/workspace.h"
#include "mpi/pmpi.h"
#include "mpi/types.h"
#include "schedule/collectives.h"
#include "settings/settings.h"

/* What a communicator keeps, as an attribute. No two collectives run on a communicator at once, so
 * it needs no lock. */
typedef struct anypi_state {
    struct anypi_state *next, **link;   /* list of all states of the process, see state.c */
    MPI_Comm user;              /* the application's communicator */
    MPI_Comm own;               /* AnyP's messages go here: the same group; null until needed */
    const char *own_failed;     /* why it cannot be made; NULL: no failure */
    int p, rank, inter;
    bool alone;                 /* an intercommunicator, or one process: AnyP runs nothing */
    bool differ;                /* settings are bad, or not alike on all ranks */
    int error;                  /* if settings are strict: the error for that; else MPI_SUCCESS */
    bool unable;                /* the MPI library cannot reduce locally */
    bool passes;                /* all calls are passed on: one of these, or no settings */
    unsigned age;               /* anypi_settings_age() of the settings in use */
    bool asked_nodes;           /* `nodes` is set, ... */
    anyp_nodes *nodes;          /* of the ranks; NULL: unknown */
    bool verbose;               /* calls that are passed on are logged and counted */
    anypi_workspace workspace;
    anypi_logged logged;
} anypi_state;

/* One call of one of the collectives. */
typedef struct anypi_job {
    anyp_call call;             /* .count is that of the whole vector */
    const void *sendbuf;
    void *recvbuf;
    int64_t count;              /* the collective's argument, of the output; -1 if it has */
    const int *counts;          /* one of these */
    const MPI_Count *large_counts;
    MPI_Datatype datatype;
    MPI_Op op;                  /* null where data are moved; then there are */
    int64_t sendcount;          /* what sendbuf has, */
    MPI_Datatype sendtype;
    const int *displs;          /* and with `counts` where the blocks of the output begin: one of */
    const MPI_Aint *large_displs;
    MPI_Comm comm;
    anypi_state *state;         /* anypi_intercept() sets this and the rest */
    bool builtin;               /* the operator is MPI's own */
    bool commutes;              /* the operator does, even if the call keeps the order */
    bool regular;               /* blocks have the same size */
    const anypi_type *type, *sends;     /* of datatype and sendtype */
    anypi_type users, users_sends;      /* what they point to if it is not MPI's own */
    anypi_entry *entry;         /* the algorithm that runs; NULL: the library's own */
    int error;                  /* MPI's */
    double begin;               /* for the summary; negative: none */
} anypi_job;

/* The elements of block i of a call with counts. */
static inline int64_t anypi_count_of(const anypi_job *job, int i)
{
    return job->counts ? job->counts[i] : (int64_t) job->large_counts[i];
}

/* Where it begins, in elements from the output's address. */
static inline int64_t anypi_displ_of(const anypi_job *job, int i)
{
    return job->displs ? job->displs[i] : (int64_t) job->large_displs[i];
}

/* ---- state.c ---- */

/* The communicator of this thread's last call: getting an attribute takes as long as deciding a
 * small call. MPI reuses handles, but the state ends with its communicator. */
typedef struct anypi_near {
    MPI_Comm comm;
    anypi_state *state;         /* NULL: none */
    uint64_t ends;              /* anypi_state_ends at that call */
    unsigned age;               /* anypi_settings_age() at that call */
} anypi_near;

#ifdef SMPI_NO_OVERRIDE_MALLOC  /* SMPI's ranks are not threads; each has its own copy */
extern anypi_near anypi_last_near;
#else
extern __thread anypi_near anypi_last_near;
#endif

/* How many states have ended. */
extern uint64_t anypi_state_ends;

/* The state, if the communicator is that of the last call and nothing has changed; else NULL. */
static inline anypi_state *anypi_state_near(MPI_Comm comm)
{
    const anypi_near *near = &anypi_last_near;
    return near->comm == comm && near->age == anypi_settings_age() &&
        near->ends == __atomic_load_n(&anypi_state_ends, __ATOMIC_RELAXED) ? near->state : NULL;
}

/* The state of a communicator; all its ranks make it in their first collective. NULL: the call goes
 * to the MPI library, or fails (*error is not MPI_SUCCESS). */
anypi_state *anypi_state_of(MPI_Comm comm, int *error);

/* Calls the communicator's error handler; returns the error if the handler returns. */
int anypi_state_fail(MPI_Comm comm, int error);

/* Makes the communicator for AnyP's messages, in the first call that needs it. NULL, or why it
 * cannot be made (static text). Collective; the result is the same on all ranks. */
const char *anypi_state_own(anypi_state *state);

/* The nodes of the ranks, the same on all; NULL: unknown. They are those of the settings, and valid
 * until these change; or MPI is asked once, and then the first call is collective. */
const anyp_nodes *anypi_state_nodes(anypi_state *state, const anypi_settings *settings);

/* To be called when the world or a session begins, and before a session ends. AnyP frees everything
 * before the last of them ends. */
void anypi_state_world_begins(void);
void anypi_state_session_begins(void);
void anypi_state_session_ends(void);

/* ---- agree.c ---- */

typedef struct anypi_agreement {
    bool alike;                 /* all ranks have valid settings that decide alike */
    int code;                   /* else, if those of some rank are strict: an error code whose
                                 * text says why; MPI_SUCCESS otherwise */
    bool unable;                /* some rank cannot reduce */
} anypi_agreement;

/* Compares the settings of all ranks of the communicator; rank 0 reports why they are not alike.
 * MPI error code. Collective. */
int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found);

/* MPI ends: its error codes are no longer valid. */
void anypi_agree_end(void);

/* Can the MPI library reduce locally only between MPI_Init and MPI_Finalize? Open MPI 6.0.0rc2
 * crashes elsewhere, where a program may have sessions. */
bool anypi_needs_world(void);

/* ---- choice.c ---- */

/* Sets the algorithm and the parameters of a new entry, from what is the same on all ranks. */
void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry);
/* A call is passed on, for a reason that no setting can change: logs it, and warns if results must
 * be reproducible. */
void anypi_report_passed(const anypi_job *job, const anypi_settings *settings,
                         const char *reason);

/* ---- transport.c ---- */

/* Carries out job->entry on job->state->own. MPI error code, before the error handler. */
int anypi_mpi_execute(const anypi_job *job);

/* ---- summary.c ---- */

/* Counts a call that has ended. */
void anypi_summary_add(const anypi_job *job);
/* Writes what was counted to stderr. */
void anypi_summary_write(void);

/* ---- device.c ---- */

/* Is one of the buffers (NULL: none) in a device's memory, where the processor cannot reduce? */
bool anypi_is_device(const void *in, const void *out);

/* ---- intercept.c ---- */

/* The algorithm of the last call; NULL: the library's own. */
extern const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

/* The key of a call by its arguments, if datatype and operator (0: none) are MPI's own. */
static inline anypi_call_key anypi_key_of_arguments(anyp_collective collective,
                                                    const void *sendbuf, int64_t count,
                                                    MPI_Datatype datatype, uint64_t op, int root)
{
    return (anypi_call_key) {
        .count = count, .datatype = (uint64_t) datatype, .op = op,
        .collective = (int) collective, .root = root, .in_place = sendbuf == MPI_IN_PLACE,
    };
}

/* The count by which arguments identify a call that moves blocks: if its input is like a block of
 * its output, or in place, that of the output; else -1, and only bytes identify it. */
static inline int64_t anypi_same_input(const void *sendbuf, int64_t sendcount,
                                       MPI_Datatype sendtype, int64_t count,
                                       MPI_Datatype datatype)
{
    return sendbuf == MPI_IN_PLACE || (sendcount == count && sendtype == datatype) ? count : -1;
}

/* Was a call like this one passed on? Then so is this one. Fast, since every call that is not for
 * AnyP takes this path. (Arguments do not identify a call whose blocks have counts: `count` is
 * -1.) */
static inline bool anypi_passes_through(anyp_collective collective, const void *sendbuf,
                                        int64_t count, MPI_Datatype datatype, uint64_t op,
                                        int root, MPI_Comm comm)
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

/* True: AnyP has run the call, with the result job->error. False: pass it on. */
bool anypi_intercept(anypi_job *job);

/* To be called after a call that was passed on; returns its error code. */
int anypi_passed(anypi_job *job, int error);

#endif
