/* SPDX-License-Identifier: BSD-3-Clause
 *
 * init.c - MPI's beginning, after which settings are compared, and its end, before which all is
 * freed. An attribute of MPI_COMM_SELF, which MPI deletes first of all in MPI_Finalize, tells of
 * it; a program that has only sessions has no MPI_COMM_SELF, so its sessions are counted.
 */
#include "mpi/internal.h"

#include "algorithms/plans.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    bool watched;               /* MPI_COMM_SELF has, or had, the attribute */
    bool world_ended;
    int sessions;
} life = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void end(void)
{
    if (anypi_state_rank() == 0)
        anypi_summary_write();
    anypi_state_end();
    anypi_settings_free();
    anypi_plans_free();
}

static int finalize_begins(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    pthread_mutex_lock(&life.lock);
    life.world_ended = true;
    const bool last = life.sessions == 0;       /* else the last session ends it */
    pthread_mutex_unlock(&life.lock);
    if (last)
        end();
    else
        anypi_state_world_ends();
    return MPI_SUCCESS;
}

bool anypi_init_watch(void)
{
    int there = 0, keyval;
    bool good = true;
    pthread_mutex_lock(&life.lock);
    if (!life.watched && !anypi_mpi.Initialized(&there) && there) {
        good = !anypi_mpi.Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_begins, &keyval, NULL);
        life.watched = good && !anypi_mpi.Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
        good = life.watched;
        if (good)               /* MPI keeps it as long as the attribute is there */
            anypi_mpi.Comm_free_keyval(&keyval);
    }
    pthread_mutex_unlock(&life.lock);
    return good;
}

/* What is wrong with the settings is told at once. */
static int begin_world(void)
{
    int error;
    anypi_init_watch();
    anypi_state_of(MPI_COMM_WORLD, &error);
    return error;
}

int MPI_Init(int *argc, char ***argv)
{
    anypi_pmpi_load();
    const int error = anypi_mpi.Init(argc, argv);
    return error ? error : begin_world();
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    anypi_pmpi_load();
    const int error = anypi_mpi.Init_thread(argc, argv, required, provided);
    return error ? error : begin_world();
}

#ifdef ANYPI_HAVE_LARGE
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    anypi_pmpi_load();
    const int error = anypi_mpi.Session_init(info, handler, session);
    pthread_mutex_lock(&life.lock);
    life.sessions += !error;
    pthread_mutex_unlock(&life.lock);
    return error;
}

int MPI_Session_finalize(MPI_Session *session)
{
    anypi_pmpi_load();
    pthread_mutex_lock(&life.lock);
    const bool last = --life.sessions == 0 && (!life.watched || life.world_ended);
    pthread_mutex_unlock(&life.lock);
    if (last)
        end();
    return anypi_mpi.Session_finalize(session);
}
#endif
