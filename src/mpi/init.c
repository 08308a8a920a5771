/* SPDX-License-Identifier: BSD-3-Clause
 *
 * init.c - wraps MPI_Init, and counts sessions. In MPI_Init, all ranks compare their settings, so
 * that errors in settings are reported immediately. If AnyP may run or record collectives, its
 * messages get a communicator, and the nodes are found. Then a record begins, if one is requested.
 */
#include "mpi/node_processes.h"
#include "mpi/operations.h"
#include "mpi/recorder.h"
#include "settings/variables.h"

#include <stdio.h>

/* Makes the lanes to the ranks that share memory with this one. */
static void open_node(anypi_state *world, const anypi_settings *settings)
{
    int level = MPI_THREAD_SINGLE;
    size_t bytes = 0;
    char why[128] = "";
    anypi_mpi.Query_thread(&level);
    if (level == MPI_THREAD_MULTIPLE)
        snprintf(why, sizeof why, "MPI_Init_thread provides MPI_THREAD_MULTIPLE");
    else if (!settings->shares_memory)
        snprintf(why, sizeof why, "ANYP_SHARED_MEMORY=0");
    anypi_node_open(!*why, &bytes, why, sizeof why);
    anypi_state_use_lanes(world, settings);
    if (settings->verbose && world->rank == 0 && (bytes || *why))
        anypi_log_memory(world->age, anypi_my_node.processes, bytes, why);
}

static int begin_world(void)
{
    int error = anypi_share_files();
    if (error)
        return error;
    anypi_state_world_begins();
    anypi_state *world = anypi_state_of(MPI_COMM_WORLD, &error);
    if (!world || error)
        return error;
    const anypi_settings *settings = anypi_settings_get();
    const bool records = anypi_variable_value("RECORD");
    /* this condition is the same on all ranks; ANYP_VERBOSE, and therefore world->passes, need not
     * be */
    if ((settings->asks || records) && !world->alone && !world->differ && !world->unable) {
        anypi_channels_open(&world->channel);
        anypi_nodes_open(world, settings);
        if (settings->asks) {
            open_node(world, settings);
            anypi_operations_open();
        }
    }
    if (records)
        anypi_recorder_begin(world, settings);
    return MPI_SUCCESS;
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
    if (!error)
        anypi_state_session_begins();
    return error;
}

int MPI_Session_finalize(MPI_Session *session)
{
    anypi_pmpi_load();
    anypi_state_session_ends();
    return anypi_mpi.Session_finalize(session);
}
#endif
