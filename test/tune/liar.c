/* SPDX-License-Identifier: BSD-3-Clause
 *
 * liar.c - to be preloaded: falsifies what MPI_Allreduce returns on rank 1 where
 * anyp_gather_reduce is forced, by one bit of the last double. The tuner must notice.
 */
#include <mpi.h>
#include <stddef.h>

/* The number of anyp_gather_reduce in cvars.json. */
#ifndef LIE_ABOUT
#error "compile with -DLIE_ABOUT=NUMBER"
#endif

static int algorithm(void)
{
    static MPI_T_cvar_handle handle;
    static int open;
    int index, count, value = -1;
    if (!open && MPI_T_cvar_get_index("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", &index) == MPI_SUCCESS)
        open = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS;
    if (open)
        MPI_T_cvar_read(handle, &value);
    return value;
}

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    int rank;
    const int status = PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm);
    PMPI_Comm_rank(comm, &rank);
    if (datatype == MPI_DOUBLE && rank == 1 && count && algorithm() == LIE_ABOUT)
        ((unsigned char *) recvbuf)[sizeof(double) * (size_t) count - 1] ^= 1;
    return status;
}
