/* SPDX-License-Identifier: BSD-3-Clause
 *
 * job.c - makes a job from the arguments of a collective.
 */
#include "mpir/internal.h"

/* Sets the bytes that an element occupies: its data or its extent, whichever reaches further. A
 * user operator may also write the gaps. */
static void find_element(anypi_mpir_job *job)
{
    MPI_Aint lb, true_lb, true_extent;
    if (HANDLE_IS_BUILTIN(job->its.datatype)) {
        job->element = (anypi_element) { .low = 0, .high = job->extent, .extent = job->extent };
        return;
    }
    MPIR_Type_get_extent_impl(job->its.datatype, &lb, &job->extent);
    MPIR_Type_get_true_extent_impl(job->its.datatype, &true_lb, &true_extent);
    const MPI_Aint extent = job->extent, ub = lb + extent, true_ub = true_lb + true_extent;
    job->element = (anypi_element) { .low = lb < true_lb ? lb : true_lb,
                                     .high = ub > true_ub ? ub : true_ub, .extent = extent };
    job->overlaps = true_extent > (extent < 0 ? -extent : extent);
}

/* Describes a reduction: its elements are those of the datatype. */
static void take_operands(anypi_mpir_job *job, int64_t elements)
{
    anyp_call *call = &job->call;
    call->count = elements;
    call->type_size = job->size;
    call->commutative = MPIR_Op_is_commutative(job->its.op) && !MPIR_CVAR_ANYP_REPRODUCIBLE;
    call->reproducible = MPIR_CVAR_ANYP_REPRODUCIBLE != 0;
    job->type = job->its.datatype;
    find_element(job);
}

bool anypi_mpir_has_gaps(MPI_Datatype datatype)
{
    MPI_Aint true_lb, true_extent;
    int contiguous;
    if (HANDLE_IS_BUILTIN(datatype))
        return false;
    MPIR_Datatype_is_contig(datatype, &contiguous);
    MPIR_Type_get_true_extent_impl(datatype, &true_lb, &true_extent);
    return !contiguous || true_lb != 0;
}

/* Returns whether the input is as long as this rank's part of the vector. Otherwise the caller has
 * made an error. */
static bool input_fits(const anypi_mpir_job *job)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(job->its.sendtype, size);
    return job->its.sendcount * size * anypi_mpir_input_blocks(&job->call) ==
        anypi_mpir_input_bytes(job);
}

/* Describes a call that moves data. Its elements are bytes, and only this rank knows their layout
 * in its memory. An input of wrong length is packed, because packing reads only what exists. With
 * local sizes, nothing is known of the vector that all ranks know. */
static void take_data(anypi_mpir_job *job, int64_t elements)
{
    anyp_call *call = &job->call;
    call->count = elements * job->size;
    call->type_size = 1;
    call->commutative = true;
    job->type = ANYPI_TYPE_BYTE;
    job->element = (anypi_element) { .low = 0, .high = 1, .extent = 1 };
    if (anypi_has_local_sizes(call->collective))
        return;
    call->gaps_out = anypi_has_result(call, call->rank) &&
        (anypi_mpir_has_gaps(job->its.datatype) ||
         (job->its.counts.at &&
          !anypi_blocks_in_order(call->p, job->its.counts, job->its.displs)));
    if (anypi_input_in_out(call))       /* MPI ignores the other type, which may be invalid */
        job->its.sendtype = job->its.datatype;
    else if (anypi_input_of(call, call->rank, call->p).end > 0)
        call->gaps_in = anypi_mpir_has_gaps(job->its.sendtype) || !input_fits(job);
}

/* Replaces the arguments that MPI ignores in a call with local sizes: in place, the input is like
 * recvbuf. */
static void find_significant_blocks(anypi_arguments *its)
{
    if (its->in_place && anypi_collectives[its->collective].input != ANYPI_AT_ROOT) {
        its->sendbuf = its->recvbuf;
        its->sendcounts = its->counts;
        its->senddispls = its->displs;
        its->sendtype = its->datatype;
        its->sendtypes = its->datatypes;
    }
    if (its->datatypes)
        its->datatype = its->sendtype = ANYPI_TYPE_BYTE;
}

anypi_arguments anypi_mpir_significant(const anypi_arguments *arguments, const MPIR_Comm *comm)
{
    anypi_arguments its = *arguments;
    if (comm->comm_kind == MPIR_COMM_KIND__INTERCOMM && its.root == MPI_PROC_NULL) {
        its.count = its.sendcount = 0;  /* MPI ignores all of it */
        its.datatype = its.sendtype = ANYPI_TYPE_BYTE;
        return its;
    }
    anypi_find_significant(&its, &anypi_collectives[its.collective],
                           comm->comm_kind == MPIR_COMM_KIND__INTERCOMM
                           ? its.root == MPI_ROOT : comm->rank == its.root);
    if (anypi_has_local_sizes(its.collective))
        find_significant_blocks(&its);
    return its;
}

anypi_mpir_job anypi_mpir_new_job(const anypi_arguments *arguments, MPIR_Comm *comm)
{
    anypi_mpir_job job = {
        .call = {
            .collective = arguments->collective,
            .p = comm->local_size,
            .rank = comm->rank,
            .root = arguments->root,
        },
        .its = anypi_mpir_significant(arguments, comm),
        .comm = comm,
    };
    job.call.in_place = job.its.in_place;
    const int64_t elements = anypi_mpir_vector_count(&job.its, comm);
    MPIR_Datatype_get_size_macro(job.its.datatype, job.size);
    MPIR_Datatype_get_extent_macro(job.its.datatype, job.extent);
    if (anypi_moves(arguments->collective))
        take_data(&job, elements);
    else
        take_operands(&job, elements);
    return job;
}
