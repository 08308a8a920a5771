/* SPDX-License-Identifier: BSD-3-Clause
 *
 * state.c - keeps a state for each communicator, from its first collective to its end. The state is
 * an attribute, whose delete function frees it. Everything is freed before MPI ends, which an
 * attribute of MPI_COMM_SELF detects. A program that has only sessions has no MPI_COMM_SELF, so
 * sessions are counted.
 */
#include "mpi/internal.h"

#include "algorithms/shared/plans.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    int keyval;                 /* of communicators; MPI_KEYVAL_INVALID: not made yet */
    anypi_state *first;         /* all states */
    int rank;                   /* in the first communicator; -1: no communicator yet */
    bool watched;               /* MPI_COMM_SELF has, or had, the attribute that detects the end */
    bool world_ended;
    void (*before_end[2])(void);        /* called before the world ends; NULL: nothing */
    int sessions;
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID, .rank = -1 };

uint64_t anypi_state_ends;

#ifdef SMPI_NO_OVERRIDE_MALLOC
anypi_near anypi_last_near;
#else
__thread anypi_near anypi_last_near;
#endif

/* ---- the end ---- */

static void free_state(anypi_state *state)
{
    pthread_mutex_lock(&all.lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    pthread_mutex_unlock(&all.lock);
    /* invalidates anypi_last_near of all threads */
    __atomic_add_fetch(&anypi_state_ends, 1, __ATOMIC_RELAXED);
    anypi_channel_free(&state->channel);
    anypi_workspace_free(&state->workspace);
    anypi_neighbors_forget(state);
    anypi_nodes_free(state);
    anypi_free(state->noted);
    anypi_free(state->logged.lines);
    anypi_free(state);
}

static int delete_state(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) extra;
    anypi_state *state = value;
    if (keyval != all.keyval)   /* end() has freed it */
        return MPI_SUCCESS;
    __atomic_store_n(&state->ended, true, __ATOMIC_RELAXED);
    /* invalidates anypi_last_near of all threads */
    __atomic_add_fetch(&anypi_state_ends, 1, __ATOMIC_RELAXED);
    anypi_state_release(state);
    return MPI_SUCCESS;
}

void anypi_state_hold(anypi_state *state)
{
    __atomic_add_fetch(&state->holders, 1, __ATOMIC_RELAXED);
}

void anypi_state_release(anypi_state *state)
{
    if (__atomic_sub_fetch(&state->holders, 1, __ATOMIC_ACQ_REL) == 0)
        free_state(state);
}

/* Lets the states of sessions forward all calls if AnyP cannot serve them when the world has
 * ended. */
static void world_ends(void)
{
    const bool unable = anypi_needs_world();
    pthread_mutex_lock(&all.lock);
    for (anypi_state *state = all.first; state; state = state->next) {
        state->unable |= unable || state->channel.shared;
        state->passes |= state->unable;
        state->lanes = NULL;
    }
    pthread_mutex_unlock(&all.lock);
}

/* Frees everything; MPI is about to end. */
static void end(void)
{
    anypi_log_finish();
    if (all.rank == 0)
        anypi_summary_write();
    while (all.first)
        free_state(all.first);
    if (all.keyval != MPI_KEYVAL_INVALID)
        anypi_mpi.Comm_free_keyval(&all.keyval);
    anypi_nodes_close();
    anypi_agree_end();
    anypi_settings_free();
    anypi_plans_free();
    anypi_cache_end();
}

static int finalize_begins(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    for (int i = 0; i < 2; i++)
        if (all.before_end[i])
            all.before_end[i]();
    pthread_mutex_lock(&all.lock);
    all.world_ended = true;
    const bool last = all.sessions == 0;        /* otherwise the last session calls end() */
    pthread_mutex_unlock(&all.lock);
    anypi_channels_close();
    anypi_node_memory_close();
    if (last)
        end();
    else
        world_ends();
    return MPI_SUCCESS;
}

/* Sets the attribute of MPI_COMM_SELF, which MPI_Finalize deletes first. The caller holds the
 * lock. */
static bool watch(void)
{
    int there = 0, keyval;
    if (all.watched || anypi_mpi.Initialized(&there) || !there)
        return true;
    if (anypi_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &keyval, NULL))
        return false;
    all.watched = !anypi_mpi.Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    if (all.watched)            /* MPI keeps the keyval as long as the attribute exists */
        anypi_mpi.Comm_free_keyval(&keyval);
    return all.watched;
}

void anypi_state_before_end(void (*function)(void))
{
    all.before_end[all.before_end[0] != NULL] = function;
}

void anypi_state_world_begins(void)
{
    pthread_mutex_lock(&all.lock);
    watch();
    pthread_mutex_unlock(&all.lock);
}

void anypi_state_session_begins(void)
{
    pthread_mutex_lock(&all.lock);
    all.sessions++;
    pthread_mutex_unlock(&all.lock);
}

void anypi_state_session_ends(void)
{
    pthread_mutex_lock(&all.lock);
    const bool last = --all.sessions == 0 && (!all.watched || all.world_ended);
    pthread_mutex_unlock(&all.lock);
    if (last)
        end();
}

/* ---- the beginning ---- */

static bool make_keyval(void)
{
    bool good = true;
    pthread_mutex_lock(&all.lock);
    if (all.keyval == MPI_KEYVAL_INVALID) {
        int keyval;
        anypi_types_load();
        good = watch() &&
            !anypi_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_state, &keyval, NULL);
        if (good)
            __atomic_store_n(&all.keyval, keyval, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&all.lock);
    return good;
}

static void link_state(anypi_state *state)
{
    pthread_mutex_lock(&all.lock);
    state->next = all.first;
    state->link = &all.first;
    if (all.first)
        all.first->link = &state->next;
    all.first = state;
    all.rank = all.rank < 0 ? state->rank : all.rank;
    pthread_mutex_unlock(&all.lock);
}

static anypi_state *make_state(MPI_Comm comm)
{
    anypi_state *state = anypi_realloc(NULL, sizeof *state);
    if (!state)
        return NULL;
    *state = (anypi_state) { .user = comm, .channel.comm = MPI_COMM_NULL, .holders = 1 };
    /* a later allocation would fail on this rank alone */
    if (!anypi_cache_open(&state->workspace.cache) ||
        anypi_mpi.Comm_test_inter(comm, &state->inter) ||
        anypi_mpi.Comm_size(comm, &state->p) || anypi_mpi.Comm_rank(comm, &state->rank)) {
        anypi_workspace_free(&state->workspace);
        anypi_free(state);
        return NULL;
    }
    state->alone = state->inter || state->p == 1;
    link_state(state);
    if (anypi_mpi.Comm_set_attr(comm, all.keyval, state)) {
        free_state(state);
        return NULL;
    }
    return state;
}

void anypi_state_use_lanes(anypi_state *state, const anypi_settings *settings)
{
    state->lanes = state->channel.shared && settings->shares_memory ? anypi_my_node.lanes : NULL;
    state->workspace.cache.holds = state->lanes;
}

/* Sets the members that follow from the settings. */
static void renew(anypi_state *state, const anypi_settings *settings)
{
    state->age = anypi_settings_age();
    state->passes = state->alone || state->differ || state->unable || settings->quiet;
    state->verbose = settings->verbose > 0;
    anypi_state_use_lanes(state, settings);
    anypi_cache_forget(&state->workspace.cache);
    anypi_neighbors_forget(state);
}

static anypi_state *begin(MPI_Comm comm, const anypi_settings *settings, int *error)
{
    anypi_agreement found = { .alike = true, .code = MPI_SUCCESS };
    anypi_state *state = make_keyval() ? make_state(comm) : NULL;
    if (!state)
        return NULL;
    if (!state->inter) {        /* settings may also be wrong with one process */
        pthread_mutex_lock(&all.lock);
        const bool shared = !state->alone && all.sessions == 0;
        pthread_mutex_unlock(&all.lock);
        anypi_channel_propose(&state->channel, comm, state->rank, shared, &found.context);
        *error = anypi_agree(comm, state->rank, state->p, settings, &found);
        if (!*error && found.alike)
            *error = anypi_channel_take(&state->channel, comm, state->p, &found.context);
    }
    state->differ = !found.alike;
    state->error = found.code;
    state->unable = found.unable;
    state->whole = found.whole;
    renew(state, settings);
    return state;
}

int anypi_state_fail(MPI_Comm comm, int error)
{
    MPI_Errhandler handler;
    if (anypi_mpi.Comm_get_errhandler(comm, &handler))
        return error;
    if (handler != MPI_ERRORS_RETURN)
        anypi_mpi.Comm_call_errhandler(comm, error);
    anypi_mpi.Errhandler_free(&handler);
    return error;
}

/* Returns whether MPI can be called now: there is a world or a session. */
static bool mpi_is_there(void)
{
    pthread_mutex_lock(&all.lock);
    const bool sessions = all.sessions > 0;
    pthread_mutex_unlock(&all.lock);
    return sessions || anypi_has_world();
}

anypi_state *anypi_state_of(MPI_Comm comm, int *error)
{
    anypi_state *state = anypi_state_near(comm);
    int there = 0;
    *error = MPI_SUCCESS;
    if (state)
        return state;
    const anypi_settings *settings = anypi_settings_get();
    if (!settings)
        goto no_memory;
    const int keyval = __atomic_load_n(&all.keyval, __ATOMIC_ACQUIRE);
    /* the library reports this error, with the name of the function that the program has called */
    if (keyval == MPI_KEYVAL_INVALID && !mpi_is_there())
        return NULL;
    if (keyval != MPI_KEYVAL_INVALID && anypi_mpi.Comm_get_attr(comm, keyval, &state, &there))
        return NULL;
    if (!there) {
        state = begin(comm, settings, error);
        if (!state)
            goto no_memory;
        if (*error)
            return NULL;
    } else if (state->age != anypi_settings_age()) {
        renew(state, settings);
    }
    if (state->error)
        *error = anypi_state_fail(comm, state->error);
    else
        anypi_last_near = (anypi_near) {
            .comm = comm, .state = state, .age = state->age,
            .ends = __atomic_load_n(&anypi_state_ends, __ATOMIC_RELAXED),
        };
    return state;

  no_memory:                    /* do not forward the call: other ranks may be in another
                                 * collective */
    *error = anypi_state_fail(comm, MPI_ERR_NO_MEM);
    return NULL;
}

anypi_state *anypi_state_found(MPI_Comm comm)
{
    anypi_state *state = anypi_state_near(comm);
    int there = 0;
    const int keyval = __atomic_load_n(&all.keyval, __ATOMIC_ACQUIRE);
    if (!state && keyval != MPI_KEYVAL_INVALID &&
        (anypi_mpi.Comm_get_attr(comm, keyval, &state, &there) || !there))
        return NULL;
    return state;
}
