/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - what the files of src/mpi share: a call, and what a communicator keeps.
 */
#ifndef ANYPI_MPI_INTERNAL_H_INCLUDED
#define ANYPI_MPI_INTERNAL_H_INCLUDED

#include "execute/decide.h"
#include "execute/log.h"
#include "execute/workspace.h"
#include "mpi/channel.h"
#include "mpi/pmpi.h"
#include "mpi/types.h"

#include "execute/arguments.h"
#include "schedule/collectives.h"
#include "settings/coordinates.h"
#include "settings/settings.h"

/* What a communicator keeps, as an attribute. No two collectives run on a communicator at once, so
 * it needs no lock. */
typedef struct anypi_state {
    struct anypi_state *next, **link;   /* list of all states of the process, see state.c */
    MPI_Comm user;              /* the application's communicator */
    anypi_channel channel;      /* of AnyP's messages */
    int p, rank, inter;
    bool alone;                 /* an intercommunicator, or one process: AnyP runs nothing */
    bool differ;                /* settings are bad, or not alike on all ranks */
    int error;                  /* if settings are strict: the error for that; else MPI_SUCCESS */
    bool unable;                /* the MPI library cannot reduce locally */
    bool passes;                /* all calls are forwarded: one of these, or no settings */
    unsigned age;               /* anypi_settings_age() of the settings in use */
    bool whole;                 /* it has all ranks of the job, in their order */
    bool asked_nodes, said_nodes;       /* `nodes` is set; that of ANYP_NODES is in the log */
    anyp_shape *nodes;          /* of the ranks; NULL: unknown */
    bool verbose;               /* forwarded calls are logged and counted */
    anypi_workspace workspace;
    anypi_learned learned[ANYP_COLLECTIVES];    /* of calls with local sizes */
    struct anypi_noted *noted;  /* of ANYP_RECORD, one piece of memory: see recorder.h */
    anypi_logged logged;
} anypi_state;

/* Elements of the caller's or the vector's memory. */
typedef struct anypi_place {
    const anypi_type *type;
    const char *address;
    int64_t elements;
} anypi_place;

/* The blocks of one of a call's buffers, if only their two ends know their sizes. */
typedef struct anypi_side {
    const char *buffer;
    int64_t count;              /* of the only block, or */
    anypi_integers counts, displs;      /* of p; `at` is NULL: there is one */
    const anypi_type *type;
    const MPI_Datatype *types;  /* if not NULL, each block has its own, and displs are bytes */
} anypi_side;

/* One call of one of the collectives. */
typedef struct anypi_job {
    anyp_call call;             /* .count is that of the whole vector */
    anypi_arguments its;
    MPI_Comm comm;
    anypi_state *state;
    bool builtin;               /* the operator is MPI's own */
    bool commutes;              /* the operator does, even if the call keeps the order */
    const anypi_type *type, *sends;     /* of its.datatype and its.sendtype */
    anypi_type users, users_sends;      /* what they point to if it is not MPI's own */
    anypi_side gives, gets;     /* of sendbuf and recvbuf, if the call has local sizes */
    bool device_out;            /* a reduction's output is in a device's memory */
    anypi_entry *entry;         /* the algorithm that runs; NULL: the library's own */
    int error;                  /* MPI's */
    double begin;               /* for the summary; negative: none */
} anypi_job;

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

/* The state, if the communicator has one, without a message to other ranks; else NULL. */
anypi_state *anypi_state_found(MPI_Comm comm);

/* Calls the communicator's error handler; returns the error if the handler returns. */
int anypi_state_fail(MPI_Comm comm, int error);

/* To be called when the world or a session begins, and before a session ends. AnyP frees everything
 * before the last of them ends. */
void anypi_state_world_begins(void);
/* Calls a function when the world ends, while all of MPI still works. */
void anypi_state_before_end(void (*function)(void));
void anypi_state_session_begins(void);
void anypi_state_session_ends(void);

/* ---- nodes.c ---- */

/* Finds the shape of MPI_COMM_WORLD, unless ANYP_NODES says it. All its ranks do this. */
void anypi_nodes_open(anypi_state *world, const anypi_settings *settings);
void anypi_nodes_free(anypi_state *state);
/* After the last anypi_nodes_free(). */
void anypi_nodes_close(void);

/* The shape of the ranks, the same on all; NULL: unknown. If ANYP_NODES says it, it is valid until
 * the settings change; else ranks find it once, and the first call is collective. */
const anyp_shape *anypi_state_nodes(anypi_state *state, const anypi_settings *settings);

/* ---- shared_file.c ---- */

/* Rank 0 of MPI_COMM_WORLD reads the decision file and the file of coordinates for all ranks,
 * before the settings are read. MPI error code. Collective. */
int anypi_share_files(void);
/* Where this rank of MPI_COMM_WORLD is by its line of the file, or why it is unknown; false: rank 0
 * has not read that file. */
bool anypi_shared_place(const char *file, int rank, anypi_location *levels);

/* ---- agree.c ---- */

typedef struct anypi_agreement {
    bool alike;                 /* all ranks have valid settings that decide alike */
    int code;                   /* else, if those of some rank are strict: an error code whose
                                 * text says why; MPI_SUCCESS otherwise */
    bool unable;                /* some rank cannot reduce */
    bool whole;                 /* no rank sees another order than that of MPI_COMM_WORLD; where
                                 * there is none, every order is right */
    anypi_context context;      /* the proposal of this rank, and then the maximum of all */
} anypi_agreement;

/* Compares the settings of all ranks of the communicator; rank 0 reports why they are not alike.
 * MPI error code. Collective. */
int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found);

/* The rank and the size of MPI_COMM_WORLD, and how the communicator compares with it; false: there
 * is none, as in a session. */
bool anypi_find_world(MPI_Comm comm, int *rank, int *p, int *same);

/* MPI ends: its error codes are no longer valid. */
void anypi_agree_end(void);

/* Can the MPI library reduce locally only between MPI_Init and MPI_Finalize? Open MPI 6.0.0rc2
 * crashes elsewhere, where a program may have sessions. */
bool anypi_needs_world(void);

/* ---- choice.c ---- */

/* Sets the algorithm and the parameters of a new entry, from what is the same on all ranks. */
void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry);
/* A call is forwarded, for a reason that no setting can change: logs it, and warns if results must
 * be reproducible. */
void anypi_report_forwarded(const anypi_job *job, const anypi_settings *settings,
                            const char *reason);

/* ---- transport.c ---- */

/* Carries out job->entry on job->state->channel. MPI error code, before the error handler. */
int anypi_mpi_execute(const anypi_job *job);

/* ---- sides.c: calls with local sizes ---- */

/* Is an array null that an alltoallv or alltoallw needs on all ranks? */
bool anypi_lacks_arrays(const anypi_arguments *its);
/* Sets job->gives and job->gets, and the p + p sizes of their blocks in bytes, in the workspace;
 * 0 is that of a block which stays in place. ANYP_ERR_ARGUMENT: they are wrong. ANYP_ERR_MEMORY. */
anyp_status anypi_measure_sides(anypi_job *job);
/* Block i. What is not known of its datatype is set in *users. False: the datatype is wrong. */
bool anypi_block_of(const anypi_side *side, int i, anypi_type *users, anypi_place *block);

/* ---- summary.c ---- */

/* Counts a call that has ended. */
void anypi_summary_add(const anypi_job *job);
/* Writes what was counted to stderr. */
void anypi_summary_write(void);

/* ---- device.c ---- */

enum { ANYPI_DEVICE_IN = 1, ANYPI_DEVICE_OUT = 2 };

/* Which of the buffers (NULL: none) are in a device's memory, where the processor cannot reduce. */
unsigned anypi_device_buffers(const void *in, const void *out);

/* ---- intercept.c ---- */

/* The algorithm of the last call; NULL: the library's own. */
extern const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

/* The key of a call, if its arguments identify it: see anypi_recall(). */
static inline anypi_call_key anypi_key_of_arguments(const anypi_arguments *its)
{
    return (anypi_call_key) {
        .count = its->count, .datatype = (uint64_t) its->datatype, .op = (uint64_t) its->op,
        .collective = (int) its->collective, .root = its->root, .in_place = its->in_place,
        .simple = true,
    };
}

/* Does a simple key match these arguments? As anypi_key_of_arguments() makes it. */
static inline bool anypi_has_arguments(const anypi_call_key *key, const anypi_arguments *its)
{
    return key->count == its->count && key->datatype == (uint64_t) its->datatype &&
        key->op == (uint64_t) its->op && key->collective == (int) its->collective &&
        key->root == its->root && key->in_place == its->in_place;
}

/* Even in twenty functions: then the compiler knows the collective. */
#define ANYPI_INLINE static inline __attribute__((always_inline))

/* The key of a call with local sizes, which identify no call. */
static inline anypi_call_key anypi_key_of_local(const anypi_arguments *its)
{
    return (anypi_call_key) {
        .collective = (int) its->collective, .root = its->root, .in_place = its->in_place,
        .simple = true,
    };
}

/* The entry of an equal earlier call on the communicator; NULL: none, or the arguments do not
 * identify the call. They do if there are no arrays of counts, and the input is in place or like
 * (a block of) the output, or if sizes are local. Datatypes and operators of the user, whose
 * handles may be reused, are in no key. */
ANYPI_INLINE anypi_entry *anypi_recall(anypi_state *state, anypi_arguments *its,
                                       const anypi_collective *of)
{
    if (!state || state->passes)
        return NULL;
    anypi_find_significant(its, of, state->rank == its->root);
    anypi_cache *cache = &state->workspace.cache;
    if (anypi_takes_local_sizes(of->arguments)) {
        const anypi_call_key key = anypi_key_of_local(its);
        return anypi_cache_find(cache, &key);
    }
    if (its->counts.at ||
        !(its->in_place || (its->sendcount == its->count && its->sendtype == its->datatype)))
        return NULL;
    anypi_entry *last = cache->last;
    if (last && last->key.simple && anypi_has_arguments(&last->key, its))
        return last;
    const anypi_call_key key = anypi_key_of_arguments(its);
    return anypi_cache_search(cache, &key);
}

/* Is a call forwarded to the MPI library, as an equal one was? `state` is that of the thread's last
 * call (NULL: another communicator's). Fast, since every call that is not for AnyP takes this
 * path. */
static inline bool anypi_forwards(const anypi_state *state, const anypi_entry *entry,
                                  anyp_collective collective)
{
    if (!state || !(state->passes || (entry && !entry->algorithm && !state->verbose)))
        return false;
    __atomic_store_n(&anypi_last_ran[collective], NULL, __ATOMIC_RELAXED);
    return true;
}

/* Makes the job of any other call; `entry` is what was recalled for it. True: AnyP has run it, with
 * the result job->error. False: the call is to be forwarded. */
bool anypi_intercept(anypi_job *job, const anypi_arguments *its, MPI_Comm comm,
                     anypi_state *state, anypi_entry *entry);

/* To be called after a call of anypi_intercept() that was forwarded; returns its error code. */
int anypi_forwarded(const anypi_job *job, int error);

#endif
