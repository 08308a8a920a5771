/* SPDX-License-Identifier: BSD-3-Clause
 *
 * liar.c - to be preloaded: flips one bit of the last double of MPI_Allreduce's result on rank 1 if
 * gather_reduce ran. The tuner must notice. Inside MPICH, compile it with -DLIE_ABOUT=NUMBER, the
 * number of anyp_gather_reduce in mpich.json; otherwise it is for the plug-in.
 */
#ifndef LIE_ABOUT
#define _GNU_SOURCE
#include "anyp_control.h"
#include <dlfcn.h>
#include <string.h>
#endif
#include <mpi.h>
#include <stddef.h>

typedef int allreduce(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

#ifdef LIE_ABOUT
static int lies(void)
{
    static MPI_T_cvar_handle handle;
    static int open;
    int index, count, value = -1;
    if (!open && MPI_T_cvar_get_index("MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM", &index) == MPI_SUCCESS)
        open = MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) == MPI_SUCCESS;
    if (open)
        MPI_T_cvar_read(handle, &value);
    return value == LIE_ABOUT;
}

static allreduce *next(void)
{
    return PMPI_Allreduce;
}
#else
static int lies(void)
{
    const char *last = anyp_control_last("allreduce");
    return last && !strcmp(last, "gather_reduce");
}

static allreduce *next(void)
{
    return (allreduce *) dlsym(RTLD_NEXT, "MPI_Allreduce");
}
#endif

int MPI_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
                  MPI_Comm comm)
{
    int rank;
    const int status = next()(sendbuf, recvbuf, count, datatype, op, comm);
    PMPI_Comm_rank(comm, &rank);
    if (datatype == MPI_DOUBLE && rank == 1 && count && lies())
        ((unsigned char *) recvbuf)[sizeof(double) * (size_t) count - 1] ^= 1;
    return status;
}
