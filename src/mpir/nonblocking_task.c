/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonblocking_task.c - a program that runs piece by piece, for nonblocking collectives.
 */
#include "mpir/transport.h"

struct anypi_mpir_task {
    anypi_transport transport;  /* first, since each poll reads its first member */
    anypi_program *program;     /* held */
    anypi_mpir_job job;         /* for data in memory with gaps; without what others own */
    ANYPI_ERRFLAG_OWN errflag;
    anypi_request *requests;    /* they follow this struct, and then scratch, counts and displs */
    char *areas[ANYPI_AREAS];
    int next;
};

/* Adds a part to a block: returns where it begins; *size is -1 if the block is too large. */
static int64_t add_part(int64_t *size, int64_t part)
{
    const int64_t begin = *size, mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    if (begin < 0 || part < 0 || part > INT64_MAX - mask - begin)
        *size = -1;
    else
        *size += (part + mask) & ~mask;
    return begin;
}

/* Does the program pack or unpack blocks that have counts? */
static bool keeps_arrays(const anypi_mpir_job *job)
{
    return job->its.counts.at && (job->call.gaps_in || job->call.gaps_out);
}

/* The job as the task keeps it, whose caller's arrays are gone when it starts: `arrays` has room
 * for those that packing needs. */
static anypi_mpir_job keep_job(const anypi_mpir_job *job, MPI_Aint *arrays)
{
    const anypi_arguments *its = &job->its;
    anypi_mpir_job kept = *job;
    kept.its.counts.at = kept.its.displs.at = NULL;
    kept.call.starts = NULL;
    kept.entry = NULL;
    kept.call.nodes = NULL;
    if (keeps_arrays(job)) {
        const size_t size = (size_t) job->call.p * sizeof *arrays;
        kept.its.counts.at = memcpy(arrays, its->counts.at, size);
        kept.its.displs.at = memcpy(arrays + job->call.p, its->displs.at, size);
    }
    return kept;
}

int anypi_mpir_task_new(const anypi_mpir_job *job, anypi_mpir_task **task)
{
    anypi_program *program = job->entry->program;
    int64_t size = 0;
    add_part(&size, sizeof **task);
    const int64_t requests = add_part(&size, program->requests * (int64_t) sizeof(anypi_request));
    const int64_t scratch = add_part(&size, program->scratch);
    const int64_t arrays = add_part(&size, keeps_arrays(job) ? 2 * job->call.p *
                                    (int64_t) sizeof(MPI_Aint) : 0);
    char *const block = size < 0 ? NULL : anypi_realloc(NULL, (size_t) size);
    if (!block)
        return anypi_mpir_no_memory("scratch");
    /* last: a call that fails on this rank alone, for want of memory, and is made again has the tag
     * of the others */
    int tag;
    const int error = MPIR_Sched_next_tag(job->comm, &tag);
    if (error) {
        anypi_free(block);
        return error;
    }
    *task = (anypi_mpir_task *) (void *) block;
    **task = (anypi_mpir_task) {
        .program = anypi_program_hold(program),
        .job = keep_job(job, (MPI_Aint *) (void *) (block + arrays)),
        .transport = { .comm = job->comm, .datatype = job->type, .op = job->its.op, .tag = tag,
                       .polls = true, .job = &(*task)->job },
        .requests = (anypi_request *) (void *) (block + requests),
        .areas = {
            [ANYPI_AREA_IN] = anypi_input_in_out(&job->call) ? job->its.recvbuf
                : (char *) job->its.sendbuf,
            [ANYPI_AREA_OUT] = job->its.recvbuf,
            [ANYPI_AREA_SCRATCH] = block + scratch,
        },
    };
    MPIR_Comm_add_ref(job->comm);
    MPIR_Datatype_add_ref_if_not_builtin(job->its.datatype);
    MPIR_Datatype_add_ref_if_not_builtin(job->its.sendtype);
    if (!anypi_moves(job->call.collective))
        MPIR_Op_add_ref_if_not_builtin(job->its.op);
    return MPI_SUCCESS;
}

void anypi_mpir_task_free(anypi_mpir_task *task)
{
    const anypi_mpir_job *job = &task->job;
    if (!anypi_moves(job->call.collective))
        MPIR_Op_release_if_not_builtin(job->its.op);
    MPIR_Datatype_release_if_not_builtin(job->its.sendtype);
    MPIR_Datatype_release_if_not_builtin(job->its.datatype);
    MPIR_Comm_release(job->comm);
    anypi_program_release(task->program);
    anypi_free(task);
}

void anypi_mpir_task_start(anypi_mpir_task *task)
{
    task->next = 0;
    task->errflag = ANYPI_ERRFLAG_NONE;
    task->transport.errflag = ANYPI_ERRFLAG_PASS(task->errflag);
    task->transport.error = MPI_SUCCESS;
    task->transport.missing = NULL;
}

/* MPICH polls every task under way each time that it makes progress, thousands if the program
 * started thousands of calls. So a poll reads two places in memory if the message has not come. */
bool anypi_mpir_task_continue(anypi_mpir_task *task)
{
    anypi_transport *transport = &task->transport;
    if (transport->missing && !MPIR_Request_is_complete(transport->missing))
        return false;
    transport->missing = NULL;
    return anypi_resume(task->program, task->areas, &task->transport, task->requests, &task->next);
}

int anypi_mpir_task_error(const anypi_mpir_task *task)
{
    return task->transport.error;
}
