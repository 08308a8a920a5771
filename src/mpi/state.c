/* SPDX-License-Identifier: BSD-3-Clause
 *
 * state.c - what a communicator keeps, from its first collective to its end: an attribute, whose
 * delete function frees it.
 */
#include "mpi/internal.h"

#include "core/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    int keyval;                 /* of communicators; MPI_KEYVAL_INVALID: not made yet */
    anypi_state *first;         /* all states */
    int states;                 /* how many of them may need a communicator */
    int rank;                   /* in the first communicator; -1: none yet */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID, .rank = -1 };

/* MPI libraries have about 2000 communicators for a process; the application shall not miss those
 * that AnyP takes. The library's own collectives run on further ones. */
enum { MOST_STATES = 256 };

/* ---- the end ---- */

static void free_state(anypi_state *state)
{
    pthread_mutex_lock(&all.lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    all.states -= !state->alone;
    pthread_mutex_unlock(&all.lock);
    if (state->own != MPI_COMM_NULL)
        anypi_mpi.Comm_free(&state->own);
    anypi_workspace_free(&state->workspace);
    anypi_free(state);
}

static int delete_state(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) extra;
    if (keyval == all.keyval)   /* else anypi_state_end() has freed it */
        free_state(value);
    return MPI_SUCCESS;
}

void anypi_state_end(void)
{
    while (all.first)
        free_state(all.first);
    if (all.keyval != MPI_KEYVAL_INVALID)
        anypi_mpi.Comm_free_keyval(&all.keyval);
}
/* ---- the beginning ---- */

static bool make_keyval(void)
{
    bool good = true;
    pthread_mutex_lock(&all.lock);
    if (all.keyval == MPI_KEYVAL_INVALID) {
        int keyval;
        anypi_types_load();
        good = anypi_life_watch() &&
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
    all.states += !state->alone;
    all.rank = all.rank < 0 ? state->rank : all.rank;
    pthread_mutex_unlock(&all.lock);
}

static anypi_state *make_state(MPI_Comm comm)
{
    anypi_state *state = anypi_realloc(NULL, sizeof *state);
    if (!state)
        return NULL;
    memset(state, 0, sizeof *state);
    state->user = comm;
    state->own = MPI_COMM_NULL;
    anypi_workspace_init(&state->workspace);
    if (anypi_mpi.Comm_test_inter(comm, &state->inter) ||
        anypi_mpi.Comm_size(comm, &state->p) || anypi_mpi.Comm_rank(comm, &state->rank)) {
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

/* What follows from the settings. */
static void renew(anypi_state *state, const anypi_settings *settings)
{
    state->age = anypi_settings_age();
    state->passes = state->alone || state->differ || settings->quiet;
    memset(&state->told, 0, sizeof state->told);
    for (int i = 0; i < ANYPI_KEPT; i++)
        state->kept[i].used = false;
}

static anypi_state *begin(MPI_Comm comm, const anypi_settings *settings, int *error)
{
    anypi_agreement found = { .alike = true };
    anypi_state *state = make_keyval() ? make_state(comm) : NULL;
    if (!state)
        return NULL;
    if (!state->inter)          /* one process may have bad settings, too */
        *error = anypi_agree(comm, state->rank, state->p, settings, all.states, &found);
    state->differ = !found.alike;
    state->strict = found.strict;
    state->own_failed = found.states > MOST_STATES;
    renew(state, settings);
    return state;
}

int anypi_state_rank(void)
{
    return all.rank;
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

anypi_state *anypi_state_of(MPI_Comm comm, int *error)
{
    const anypi_settings *settings = anypi_settings_get();
    anypi_state *state = NULL;
    int there = 0;
    *error = MPI_SUCCESS;
    if (!settings)
        return NULL;
    const int keyval = __atomic_load_n(&all.keyval, __ATOMIC_ACQUIRE);
    if (keyval != MPI_KEYVAL_INVALID && anypi_mpi.Comm_get_attr(comm, keyval, &state, &there))
        return NULL;
    if (!there) {
        state = begin(comm, settings, error);
        if (!state || *error)
            return NULL;
    } else if (state->age != anypi_settings_age()) {
        renew(state, settings);
    }
    if (state->differ && state->strict)
        *error = anypi_state_fail(comm, MPI_ERR_OTHER);
    return state;
}

/* ---- what is made later ---- */

/* Between these two, errors on the application's communicator are AnyP's business only: its error
 * handler must not hear of a communicator that cannot be made. False: nothing was done. */
static bool hush(MPI_Comm comm, MPI_Errhandler *handler)
{
    if (anypi_mpi.Comm_get_errhandler(comm, handler))
        return false;
    anypi_mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return true;
}

static void unhush(MPI_Comm comm, MPI_Errhandler *handler)
{
    anypi_mpi.Comm_set_errhandler(comm, *handler);
    anypi_mpi.Errhandler_free(handler);
}

static bool create_own(anypi_state *state)
{
    MPI_Errhandler handler;
    MPI_Group group;
    bool good = false;
    if (!hush(state->user, &handler))
        return false;
    if (!anypi_mpi.Comm_group(state->user, &group)) {
        good = !anypi_mpi.Comm_create(state->user, group, &state->own);
        anypi_mpi.Group_free(&group);
    }
    unhush(state->user, &handler);
    return good && !anypi_mpi.Comm_set_errhandler(state->own, MPI_ERRORS_RETURN);
}

bool anypi_state_own(anypi_state *state)
{
    if (state->own == MPI_COMM_NULL && !state->own_failed) {
        int good = create_own(state), all_good = 0;
        state->own_failed =
            anypi_mpi.Allreduce(&good, &all_good, 1, MPI_INT, MPI_MIN, state->user) || !all_good;
    }
    return !state->own_failed;
}

void anypi_state_nodes(anypi_state *state)
{
    MPI_Comm node;
    MPI_Errhandler handler;
    int size = 1, first = state->rank;
    if (state->ppn)
        return;
    state->ppn = 1;
    int *firsts = anypi_realloc(NULL, (size_t) state->p * sizeof *firsts);
    /* every rank tells its node's first rank, so that all see the same picture */
    const bool hushed = hush(state->user, &handler);
    if (!anypi_mpi.Comm_split_type(state->user, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL,
                                   &node)) {
        anypi_mpi.Comm_size(node, &size);
        anypi_mpi.Bcast(&first, 1, MPI_INT, 0, node);
        anypi_mpi.Comm_free(&node);
    }
    if (hushed)
        unhush(state->user, &handler);
    if (!firsts)
        return;
    int nodes = 0;
    state->node_consecutive = true;
    if (!anypi_mpi.Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, state->user))
        for (int i = 0; i < state->p; i++) {
            nodes += firsts[i] == i;
            if (i > 0 && firsts[i] != firsts[i - 1] && firsts[i] != i)
                state->node_consecutive = false;
        }
    anypi_free(firsts);
    state->ppn = nodes ? (state->p + nodes - 1) / nodes : 1;
    state->one_node = nodes == 1;
}
