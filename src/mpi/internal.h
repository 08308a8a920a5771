/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - definitions that the files of src/mpi share: a call, and what a communicator keeps.
 */
#ifndef ANYPI_MPI_INTERNAL_H_INCLUDED
#define ANYPI_MPI_INTERNAL_H_INCLUDED

#include "execute/decide.h"
#include "execute/log.h"
#include "execute/workspace.h"
#include "mpi/channel.h"
#include "node/node_memory.h"
#include "mpi/pmpi.h"
#include "mpi/types.h"

#include "execute/arguments.h"
#include "schedule/collectives.h"
#include "settings/coordinates.h"
#include "settings/settings.h"

/* The maximum number of persistent requests of a communicator that AnyP serves. */
enum { ANYPI_PLACES = 512 };

/* What a communicator keeps, as an attribute. It needs no lock, because collectives on one
 * communicator do not run at the same time. */
typedef struct anypi_state {
    struct anypi_state *next, **link;   /* list of all states of the process (state.c) */
    MPI_Comm user;              /* the application's communicator */
    anypi_channel channel;      /* for AnyP's messages */
    int p, rank, inter;
    bool alone;                 /* an intercommunicator, or one process: AnyP runs nothing */
    bool differ;                /* settings are wrong, or differ between ranks */
    int error;                  /* the error for this if settings are strict; otherwise
                                 * MPI_SUCCESS */
    bool unable;                /* the MPI library cannot reduce locally */
    bool passes;                /* all calls are forwarded: for one of these reasons, or because no
                                 * settings are set */
    unsigned age;               /* anypi_settings_age() of the settings in use */
    bool whole;                 /* it has all ranks of the job, in the same order */
    bool asked_nodes, said_nodes;       /* `nodes` is set; the shape of ANYP_NODES is in the log */
    anyp_shape *nodes;          /* of the ranks; NULL: unknown */
    bool verbose;               /* forwarded calls are logged and counted */
    int holders;                /* the communicator, and its operations (operations.h) */
    uint64_t begun, oldest;     /* number of nonblocking calls so far; the oldest under way */
    uint64_t places[ANYPI_PLACES / 64];         /* bits of those that persistent requests have */
    bool ended;                 /* the communicator has ended */
    anypi_lanes *lanes;         /* to ranks that share memory; NULL: all messages are MPI's */
    anypi_workspace workspace;
    anypi_learned learned[ANYP_COLLECTIVES];    /* of calls with local sizes */
    struct anypi_noted *noted;  /* for ANYP_RECORD, one piece of memory (recorder.h) */
    bool asked_neighbors;       /* `neighbors` is set */
    struct anypi_neighbors *neighbors;  /* of neighborhood collectives (neighbors.h); NULL: they
                                         * are forwarded */
    anypi_logged logged;
} anypi_state;

/* Elements in the memory of the caller or of the vector. */
typedef struct anypi_place {
    const anypi_type *type;
    const char *address;
    int64_t elements;
} anypi_place;

/* The blocks of one of a call's buffers, if only their sender and receiver know their sizes. */
typedef struct anypi_side {
    const char *buffer;
    int64_t count;              /* of the only block, or */
    anypi_integers counts, displs;      /* of p blocks; if `at` is NULL there is one block */
    const anypi_type *type;
    const MPI_Datatype *types;  /* if not NULL, the datatype of each block, and displs are bytes */
} anypi_side;

/* One call of a collective. */
typedef struct anypi_job {
    anyp_call call;             /* .count is the whole vector's */
    anypi_arguments its;
    MPI_Comm comm;
    anypi_state *state;
    bool builtin;               /* the operator is predefined by MPI */
    bool commutes;              /* the operator commutes, even if the call keeps the order */
    const anypi_type *type, *sends;     /* of its.datatype and its.sendtype */
    anypi_type users, users_sends;      /* their memory, unless the datatype is predefined by MPI */
    anypi_side gives, gets;     /* of sendbuf and recvbuf, if the call has local sizes */
    anypi_memory memory;        /* of a call that moves data, if the rules test it */
    bool device_out;            /* the output of a reduction is in device memory */
    anypi_entry *entry;         /* with the algorithm that runs; NULL: the MPI library's algorithm
                                 * runs */
    int error;                  /* MPI error code */
    anypi_mode mode;
    double begin;               /* seconds, for the summary; negative: not set */
} anypi_job;

/* ---- state.c ---- */

/* The communicator of this thread's last call, because getting an attribute takes as long as
 * deciding a small call. MPI reuses handles, but a state ends with its communicator. */
typedef struct anypi_near {
    MPI_Comm comm;
    anypi_state *state;         /* NULL: none */
    uint64_t ends;              /* anypi_state_ends during that call */
    unsigned age;               /* anypi_settings_age() during that call */
} anypi_near;

#ifdef SMPI_NO_OVERRIDE_MALLOC  /* SMPI's ranks are not threads; each has its own copy */
extern anypi_near anypi_last_near;
#else
extern __thread anypi_near anypi_last_near;
#endif

/* The number of states that have ended. */
extern uint64_t anypi_state_ends;

/* Returns the state of the last call if the communicator is the same and nothing has changed, or
 * NULL. */
static inline anypi_state *anypi_state_near(MPI_Comm comm)
{
    const anypi_near *near = &anypi_last_near;
    return near->comm == comm && near->age == anypi_settings_age() &&
        near->ends == __atomic_load_n(&anypi_state_ends, __ATOMIC_RELAXED) ? near->state : NULL;
}

/* Returns the state of a communicator; all ranks make it in their first collective. NULL: the call
 * is forwarded, or fails if *error is not MPI_SUCCESS. */
anypi_state *anypi_state_of(MPI_Comm comm, int *error);

/* Returns the state if the communicator has one, or NULL; sends no messages. */
anypi_state *anypi_state_found(MPI_Comm comm);

/* Adds or removes a holder of the state. The last one frees it. */
void anypi_state_hold(anypi_state *state);
void anypi_state_release(anypi_state *state);

/* Calls the communicator's error handler. Returns the error if the handler returns. */
int anypi_state_fail(MPI_Comm comm, int error);

/* Lets messages on the communicator take lanes, if there are any and the settings permit it. */
void anypi_state_use_lanes(anypi_state *state, const anypi_settings *settings);

/* Call these when the world or a session begins, and before a session ends. AnyP frees everything
 * before the last world or session ends. */
void anypi_state_world_begins(void);
/* Adds a function, one of at most two, that is called when the world ends, while all MPI functions
 * still work. */
void anypi_state_before_end(void (*function)(void));
void anypi_state_session_begins(void);
void anypi_state_session_ends(void);

/* ---- nodes.c ---- */

/* Finds the shape of MPI_COMM_WORLD, unless ANYP_NODES describes it. Collective over
 * MPI_COMM_WORLD. */
void anypi_nodes_open(anypi_state *world, const anypi_settings *settings);
void anypi_nodes_free(anypi_state *state);
/* Frees the shape of MPI_COMM_WORLD. Call this after the last anypi_nodes_free(). */
void anypi_nodes_close(void);

/* Returns the shape of the communicator, the same on all ranks, or NULL if it is unknown. A shape
 * of ANYP_NODES is valid until the settings end. Otherwise ranks find the shape in the first
 * call, which is collective. */
const anyp_shape *anypi_state_nodes(anypi_state *state, const anypi_settings *settings);

/* ---- neighbor_setup.c ---- */

/* Frees state->neighbors. The next call makes it again. */
void anypi_neighbors_forget(anypi_state *state);

/* ---- shared_file.c ---- */

/* Lets rank 0 of MPI_COMM_WORLD read the decision file and the file of coordinates for all ranks,
 * before the settings are read. Returns an MPI error code. Collective. */
int anypi_share_files(void);
/* Sets *levels from this rank's line of the file of coordinates, or to why the levels are unknown.
 * Returns false if rank 0 has not read that file. */
bool anypi_shared_place(const char *file, int rank, anypi_location *levels);

/* ---- agree.c ---- */

typedef struct anypi_agreement {
    bool alike;                 /* all ranks have valid settings that lead to the same decisions */
    int code;                   /* if not, and settings of some rank are strict: an error code whose
                                 * text is the reason; otherwise MPI_SUCCESS */
    bool unable;                /* some rank cannot reduce */
    bool whole;                 /* all ranks have the order of MPI_COMM_WORLD; also true without
                                 * MPI_COMM_WORLD */
    anypi_context context;      /* this rank's proposal; afterwards the maximum over all ranks */
} anypi_agreement;

/* Compares the settings of all ranks of the communicator. If they differ, rank 0 writes why.
 * Returns an MPI error code. Collective. */
int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found);

/* Returns the lowest rank on which is_so is true, or p if there is none. Sets text[], of `size`
 * bytes, to that of this rank, and *error to an MPI error code. Collective. */
int anypi_first_text(MPI_Comm comm, int rank, int p, bool is_so, char *text, int size, int *error);

/* Returns whether there is an MPI_COMM_WORLD: MPI_Init was called, and MPI_Finalize was not. */
bool anypi_has_world(void);
/* Sets this process's rank in MPI_COMM_WORLD, the size of MPI_COMM_WORLD, and the result of
 * comparing it with the communicator. Returns false if there is no MPI_COMM_WORLD, as in a
 * session. */
bool anypi_find_world(MPI_Comm comm, int *rank, int *p, int *same);

/* Forgets MPI's error codes, which are invalid when MPI has ended. */
void anypi_agree_end(void);

/* Returns whether the MPI library can reduce locally only between MPI_Init and MPI_Finalize. Open
 * MPI 6.0.0rc2 crashes at other times, when a program may have sessions. */
bool anypi_needs_world(void);

/* ---- choice.c ---- */

/* Sets the algorithm and the parameters of a new entry. They depend only on values that are the
 * same on all ranks. */
void anypi_choose(const anypi_job *job, const anypi_settings *settings, anypi_entry *entry);
/* Logs that a call is forwarded for a reason that no setting can change. Warns if results must be
 * reproducible. */
void anypi_report_forwarded(const anypi_job *job, const anypi_settings *settings,
                            const char *reason);

/* ---- transport.c ---- */

/* Runs job->entry on job->state->channel. Returns an MPI error code; does not call the error
 * handler. */
int anypi_mpi_execute(const anypi_job *job);

/* ---- local_blocks.c: calls with local sizes ---- */

/* Returns whether an array is null that an alltoallv or alltoallw needs on all ranks. */
bool anypi_lacks_arrays(const anypi_arguments *its);
/* Sets job->gives and job->gets, and in the workspace the sizes in bytes of their p + p blocks. The
 * size of a block that stays in place is 0. ANYP_ERR_ARGUMENT: the arguments are wrong.
 * ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_measure_sides(anypi_job *job);
/* Sets *block to block i. Describes a user datatype in *users. Returns false if the datatype is
 * wrong. */
bool anypi_block_of(const anypi_side *side, int i, anypi_type *users, anypi_place *block);

/* ---- summary.c ---- */

/* Counts a call that has ended. */
void anypi_summary_add(const anypi_job *job);
/* Writes the counts to stderr. */
void anypi_summary_write(void);

/* ---- device.c ---- */

enum { ANYPI_DEVICE_IN = 1, ANYPI_DEVICE_OUT = 2 };

/* Returns which of the buffers (NULL: none) are in device memory, where the processor cannot
 * reduce. */
unsigned anypi_device_buffers(const void *in, const void *out);

/* ---- intercept.c ---- */

/* The algorithm of the last call of each collective; NULL: the MPI library's. */
extern const anyp_algorithm *anypi_last_ran[ANYP_COLLECTIVES];

/* Returns the key of a call whose arguments identify it: see anypi_recall(). Where sizes are local,
 * all ranks have only some of its arguments in common, and what the communicator has learned. */
static inline anypi_call_key anypi_key_of_arguments(const anypi_state *state,
                                                    const anypi_arguments *its)
{
    anypi_call_key key = { .collective = (int) its->collective, .root = its->root,
                           .in_place = its->in_place, .nonblocking = its->nonblocking,
                           .simple = true };
    if (anypi_has_local_sizes(its->collective)) {
        key.count = anypi_local_count(&state->learned[its->collective], state->p);
        return key;
    }
    key.count = its->count;
    key.datatype = (uintptr_t) its->datatype;
    key.op = (uintptr_t) its->op;
    return key;
}

/* Returns whether a simple key, made by anypi_key_of_arguments(), matches these arguments. */
static inline bool anypi_has_arguments(const anypi_call_key *key, const anypi_arguments *its)
{
    return key->count == its->count && key->datatype == (uintptr_t) its->datatype &&
        key->op == (uintptr_t) its->op && key->collective == (int) its->collective &&
        key->root == its->root && key->in_place == its->in_place &&
        key->nonblocking == its->nonblocking;
}

/* Always inline, even in twenty functions, so that the compiler knows the collective. */
#define ANYPI_INLINE static inline __attribute__((always_inline))

/* Returns the entry of an equal earlier call on the communicator. NULL: there is none, or the
 * arguments do not identify the call. They identify it if there are no arrays of counts, and the
 * input is in place or like (a block of) the output; or if sizes are local. User datatypes and
 * operators are in no key, because their handles may be reused. */
ANYPI_INLINE anypi_entry *anypi_recall(anypi_state *state, anypi_arguments *its,
                                       const anypi_collective *of)
{
    if (!state || state->passes)
        return NULL;
    anypi_find_significant(its, of, state->rank == its->root);
    anypi_cache *cache = &state->workspace.cache;
    const bool local = anypi_takes_local_sizes(of->arguments);
    if (!local && (its->counts.at ||
                   !(its->in_place || (its->sendcount == its->count &&
                                       its->sendtype == its->datatype))))
        return NULL;
    anypi_entry *last = cache->last;
    if (!local && last && last->key.simple && anypi_has_arguments(&last->key, its))
        return last;
    const anypi_call_key key = anypi_key_of_arguments(state, its);
    return anypi_cache_search(cache, &key);
}

/* Returns whether a call is forwarded to the MPI library, like an equal earlier call. `state` is
 * that of the thread's last call; NULL: it had another communicator. This is fast, because every
 * call that AnyP does not run takes this path. */
static inline bool anypi_forwards(const anypi_state *state, const anypi_entry *entry,
                                  anyp_collective collective)
{
    if (!state || !(state->passes ||
                    (entry && !entry->algorithm && !entry->by_memory && !state->verbose)))
        return false;
    __atomic_store_n(&anypi_last_ran[collective], NULL, __ATOMIC_RELAXED);
    return true;
}

/* Makes the job of any other call; `entry` is the one that was recalled, or NULL. Returns true if
 * AnyP has run the call or refused it; job->error is the result. Returns false if the caller must
 * forward the call. */
bool anypi_handles(anypi_job *job, const anypi_arguments *its, MPI_Comm comm, anypi_state *state,
                   anypi_entry *entry);

/* Makes the job of a call that does not block, as its `mode` says. Returns true if AnyP serves it;
 * job->error is not MPI_SUCCESS if it is refused. Sends no message, so the communicator must have
 * a state. */
bool anypi_serves(anypi_job *job, const anypi_arguments *its, MPI_Comm comm, anypi_mode mode);

/* Call this after a call that anypi_handles() left has been forwarded. Returns the call's
 * error code. */
int anypi_forwarded(const anypi_job *job, int error);

#endif
