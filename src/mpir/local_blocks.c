/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_blocks.c - finds the blocks of calls with local sizes (alltoallv, alltoallw, gatherv and
 * scatterv) in MPI's arguments. It reads no argument that MPI ignores on this rank.
 */
#include "mpir/internal.h"

/* Returns block i of a buffer with a count for each rank. Displacements of an alltoallw are in
 * bytes. */
static anypi_mpir_block block_at(const void *buffer, anypi_integers counts, anypi_integers displs,
                                 MPI_Datatype datatype, const MPI_Datatype *types, int i)
{
    const MPI_Aint count = anypi_integer(counts, i), place = anypi_integer(displs, i);
    MPI_Aint extent = 1;
    if (count == 0)             /* the datatype may be invalid */
        return (anypi_mpir_block) { NULL, 0, ANYPI_TYPE_BYTE };
    if (!types)
        MPIR_Datatype_get_extent_macro(datatype, extent);
    /* the buffer may be MPI_BOTTOM; C forbids adding to a null pointer */
    char *const at = (char *) ((uintptr_t) buffer + (uintptr_t) (place * extent));
    return (anypi_mpir_block) { at, count, types ? types[i] : datatype };
}

anypi_mpir_block anypi_mpir_input_block(const anypi_arguments *its, int i)
{
    if (!its->sendcounts.at)
        return (anypi_mpir_block) { (char *) its->sendbuf, its->sendcount, its->sendtype };
    return block_at(its->sendbuf, its->sendcounts, its->senddispls, its->sendtype, its->sendtypes,
                    i);
}

anypi_mpir_block anypi_mpir_output_block(const anypi_arguments *its, int i)
{
    if (!its->counts.at)
        return (anypi_mpir_block) { its->recvbuf, its->count, its->datatype };
    return block_at(its->recvbuf, its->counts, its->displs, its->datatype, its->datatypes, i);
}

static int64_t bytes_of(anypi_mpir_block block)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(block.datatype, size);
    return block.count * size;
}

void anypi_mpir_set_sizes(const anypi_mpir_job *job, anypi_local *local)
{
    const anyp_call *call = &job->call;
    const anyp_slice in = anypi_input_of(call, call->rank, call->p);
    const anyp_slice out = anypi_output_of(call, call->rank, call->p);
    for (int i = in.first; i < in.end; i++)
        local->given[i] = bytes_of(anypi_mpir_input_block(&job->its, i));
    for (int i = out.first; i < out.end; i++)
        local->got[i] = bytes_of(anypi_mpir_output_block(&job->its, i));
}
