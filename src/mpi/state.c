/* SPDX-License-Identifier: BSD-3-Clause
 *
 * state.c - what a communicator keeps, from its first collective to its end: an attribute, whose
 * delete function frees it. An attribute of MPI_COMM_SELF, which MPI deletes first of all in
 * MPI_Finalize, frees what is left then. A process with sessions alone has no MPI_COMM_SELF: there
 * the last communicator takes the attributes' key along, since a later session needs a new one.
 */
#include "mpi/internal.h"

#include "algorithms/plans.h"
#include "core/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    int keyval;                 /* of communicators; MPI_KEYVAL_INVALID: not made yet */
    int end_keyval;             /* of MPI_COMM_SELF */
    bool world;                 /* which has its attribute */
    anypi_state *first;         /* all states */
    bool world_told;            /* what is wrong in the world was told at its start */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .keyval = MPI_KEYVAL_INVALID,
          .end_keyval = MPI_KEYVAL_INVALID };

/* ---- the end ---- */

static void free_state(anypi_state *state)
{
    pthread_mutex_lock(&all.lock);
    *state->link = state->next;
    if (state->next)
        state->next->link = state->link;
    pthread_mutex_unlock(&all.lock);
    if (state->own != MPI_COMM_NULL)
        anypi_mpi.Comm_free(&state->own);
    anypi_workspace_free(&state->workspace);
    anypi_free(state);
}

static int delete_state(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) extra;
    free_state(value);
    pthread_mutex_lock(&all.lock);
    if (!all.world && !all.first)
        anypi_mpi.Comm_free_keyval(&all.keyval);
    pthread_mutex_unlock(&all.lock);
    return MPI_SUCCESS;
}

/* MPI_Finalize has begun. */
static int end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    while (all.first)
        if (anypi_mpi.Comm_delete_attr(all.first->user, all.keyval) != MPI_SUCCESS)
            free_state(all.first);
    anypi_mpi.Comm_free_keyval(&all.keyval);
    anypi_summary_write();
    anypi_settings_free();
    anypi_plans_free();
    return MPI_SUCCESS;
}

/* ---- the beginning ---- */

/* The lock is held. */
static bool make_keyvals(void)
{
    int world = 0;
    if (all.keyval == MPI_KEYVAL_INVALID) {
        int keyval;
        if (anypi_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_state, &keyval, NULL))
            return false;
        anypi_types_load();
        __atomic_store_n(&all.keyval, keyval, __ATOMIC_RELEASE);
    }
    if (all.world || anypi_mpi.Initialized(&world) || !world)
        return true;
    if (anypi_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end, &all.end_keyval, NULL) ||
        anypi_mpi.Comm_set_attr(MPI_COMM_SELF, all.end_keyval, NULL))
        return false;
    all.world = true;
    /* MPI keeps it as long as the attribute is there */
    anypi_mpi.Comm_free_keyval(&all.end_keyval);
    return true;
}

static void link_state(anypi_state *state)
{
    pthread_mutex_lock(&all.lock);
    state->next = all.first;
    state->link = &all.first;
    if (all.first)
        all.first->link = &state->next;
    all.first = state;
    pthread_mutex_unlock(&all.lock);
}

static anypi_state *make_state(MPI_Comm comm)
{
    int inter = 0;
    anypi_state *state = anypi_realloc(NULL, sizeof *state);
    if (!state)
        return NULL;
    memset(state, 0, sizeof *state);
    state->user = comm;
    state->own = MPI_COMM_NULL;
    anypi_workspace_init(&state->workspace);
    if (anypi_mpi.Comm_test_inter(comm, &inter) || anypi_mpi.Comm_size(comm, &state->p) ||
        anypi_mpi.Comm_rank(comm, &state->rank)) {
        anypi_free(state);
        return NULL;
    }
    state->alone = inter || state->p == 1;
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

static anypi_state *begin(MPI_Comm comm, const anypi_settings *settings, bool tell, int *error)
{
    bool alike = true;
    pthread_mutex_lock(&all.lock);
    const bool good = make_keyvals();
    pthread_mutex_unlock(&all.lock);
    anypi_state *state = good ? make_state(comm) : NULL;
    if (!state)
        return NULL;
    if (!state->alone)
        *error = anypi_agree(comm, state->rank, state->p, settings, tell, &alike);
    state->differ = !alike;
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
        state = begin(comm, settings, !all.world_told || !*settings->wrong, error);
        if (!state || *error)
            return NULL;
    } else if (state->age != anypi_settings_age()) {
        renew(state, settings);
    }
    if (state->differ && settings->strict)
        *error = anypi_state_fail(comm, MPI_ERR_OTHER);
    return state;
}

int anypi_state_world(void)
{
    int error;
    anypi_state_of(MPI_COMM_WORLD, &error);
    all.world_told = true;
    return error;
}

/* ---- what is made later ---- */

/* MPI_Comm_create, whose failure is not the application's business: its error handler must not
 * hear of it. */
static bool create_own(anypi_state *state)
{
    MPI_Errhandler handler;
    MPI_Group group;
    bool good = false;
    if (anypi_mpi.Comm_get_errhandler(state->user, &handler))
        return false;
    anypi_mpi.Comm_set_errhandler(state->user, MPI_ERRORS_RETURN);
    if (!anypi_mpi.Comm_group(state->user, &group)) {
        good = !anypi_mpi.Comm_create(state->user, group, &state->own);
        anypi_mpi.Group_free(&group);
    }
    anypi_mpi.Comm_set_errhandler(state->user, handler);
    anypi_mpi.Errhandler_free(&handler);
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
    int size = 1, first = state->rank;
    if (state->ppn)
        return;
    state->ppn = 1;
    int *firsts = anypi_realloc(NULL, (size_t) state->p * sizeof *firsts);
    /* every rank tells its node's first rank, so that all see the same picture */
    if (!anypi_mpi.Comm_split_type(state->user, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL,
                                   &node)) {
        anypi_mpi.Comm_size(node, &size);
        anypi_mpi.Bcast(&first, 1, MPI_INT, 0, node);
        anypi_mpi.Comm_free(&node);
    }
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
