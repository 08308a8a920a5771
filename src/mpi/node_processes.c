/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/node_processes.h"

#include "mpi/channel.h"
#include "mpi/operations.h"

#include <stdio.h>

/* Exchanges messages on the communicator of the node. */
static bool exchange(void *context, const void *out, int to, void *in, int from, size_t size)
{
    return !anypi_mpi.Sendrecv(out, (int) size, MPI_BYTE, to, 0, in, (int) size, MPI_BYTE, from, 0,
                               *(MPI_Comm *) context, MPI_STATUS_IGNORE);
}

static void poll(void)
{
    anypi_channels_poll();
    anypi_operations_move();
}

void anypi_node_open(bool wanted, size_t *bytes, char *text, size_t size)
{
    MPI_Comm comm = MPI_COMM_NULL;
    anypi_node node = { .exchange = exchange, .context = &comm, .poll = poll };
    MPI_Errhandler handler;
    anypi_mpi.Comm_rank(MPI_COMM_WORLD, &node.rank);
    anypi_mpi.Comm_size(MPI_COMM_WORLD, &node.p);
    const bool silenced = anypi_silence_errors(MPI_COMM_WORLD, &handler);
    const int error = anypi_mpi.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, node.rank,
                                                MPI_INFO_NULL, &comm);
    if (silenced)
        anypi_restore_errors(MPI_COMM_WORLD, &handler);
    if (error) {
        snprintf(text, size, "MPI_Comm_split_type failed");
        return;
    }
    anypi_mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    anypi_mpi.Comm_rank(comm, &node.number);
    anypi_mpi.Comm_size(comm, &node.processes);
    anypi_node_memory_open(&node, wanted, bytes, text, size);
    anypi_mpi.Comm_free(&comm);
}
