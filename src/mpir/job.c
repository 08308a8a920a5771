/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.c - the arguments of a collective as a job.
 */
#include "mpir/internal.h"

/* Sets what an element occupies: its data and its extent, whichever reaches further; a user
 * operator may write the gaps, too. */
static void find_element(anypi_mpir_job *job)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    if (HANDLE_IS_BUILTIN(job->datatype)) {
        MPIR_Datatype_get_extent_macro(job->datatype, extent);
        job->element = (anypi_element) { .low = 0, .high = extent, .extent = extent };
        return;
    }
    MPIR_Type_get_extent_impl(job->datatype, &lb, &extent);
    MPIR_Type_get_true_extent_impl(job->datatype, &true_lb, &true_extent);
    const MPI_Aint ub = lb + extent, true_ub = true_lb + true_extent;
    job->element = (anypi_element) { .low = lb < true_lb ? lb : true_lb,
                                     .high = ub > true_ub ? ub : true_ub, .extent = extent };
    job->overlaps = true_extent > (extent < 0 ? -extent : extent);
}

bool anypi_mpir_find_starts(anypi_mpir_job *job)
{
    bool regular = true;
    for (int i = 0; job->counts && i < job->call.p; i++)
        regular = regular && job->counts[i] == job->counts[0];
    if (regular)
        return true;
    int64_t *starts = anypi_workspace_starts(&job->comm->coll.anyp->workspace, job->call.p + 1);
    if (!starts)
        return false;
    starts[0] = 0;
    for (int i = 0; i < job->call.p; i++)
        starts[i + 1] = starts[i] + job->counts[i];
    job->starts = starts;
    return true;
}

anypi_mpir_job anypi_mpir_new_job(anyp_collective collective, const void *sendbuf, void *recvbuf,
                                  MPI_Aint count, const MPI_Aint counts[], MPI_Datatype datatype,
                                  MPI_Op op, int root, MPIR_Comm *comm)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    anypi_mpir_job job = {
        .call = {
            .collective = collective,
            .p = comm->local_size,
            .rank = comm->rank,
            .root = root,
            .count = anypi_mpir_vector_count(collective, count, counts, comm),
            .type_size = size,
            .commutative = MPIR_Op_is_commutative(op) && !MPIR_CVAR_ANYP_REPRODUCIBLE,
            .reproducible = MPIR_CVAR_ANYP_REPRODUCIBLE != 0,
            .in_place = sendbuf == MPI_IN_PLACE,
        },
        .sendbuf = sendbuf,
        .recvbuf = recvbuf,
        .count = count,
        .counts = counts,
        .datatype = datatype,
        .op = op,
        .comm = comm,
    };
    find_element(&job);
    return job;
}
