/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonblocking_task.c - runs a program piece by piece, for nonblocking collectives.
 */
#include "mpir/transport.h"

#include "execute/task.h"

struct anypi_mpir_task {
    anypi_transport transport;  /* first member, because each poll reads it */
    anypi_task run;
    anypi_mpir_job job;         /* for the caller's blocks; without members that others own */
    ANYPI_ERRFLAG_OWN errflag;
};

/* Returns the job with copies of the caller's arrays in `room`. */
static anypi_mpir_job keep_job(const anypi_mpir_job *job, char *room)
{
    anypi_mpir_job kept = *job;
    kept.call.starts = NULL;
    kept.entry = NULL;
    kept.call.nodes = NULL;
    anypi_task_keep_arrays(&job->call, &kept.its, room);
    return kept;
}

/* Calls a function for each of the job's datatypes that is used. (The function is a macro.) */
#define ANYPI_FOR_DATATYPES(job, function)                                                       \
    do {                                                                                         \
        const anypi_arguments *its = &(job)->its;                                                \
        function(its->datatype);                                                                 \
        function(its->sendtype);                                                                 \
        for (int i = 0; its->sendtypes && i < (job)->call.p; i++)                                \
            function(anypi_mpir_input_block(its, i).datatype);                                   \
        for (int i = 0; its->datatypes && i < (job)->call.p; i++)                                \
            function(anypi_mpir_output_block(its, i).datatype);                                  \
    } while (0)

int anypi_mpir_task_new(const anypi_mpir_job *job, anypi_mpir_task **task)
{
    const bool stages = anypi_has_local_sizes(job->call.collective);
    anypi_transport transport = { .comm = job->comm, .datatype = job->type, .op = job->its.op,
                                  .polls = true, .job = job };
    anypi_parts parts = { .whole = 0 };
    if (anypi_my_node.lanes && !ANYPI_HAS_THREAD_COMMUNICATORS)
        anypi_mpir_enter_node(&transport);
    if (!stages && anypi_mpir_parts(job, transport.lanes, &parts) != ANYP_SUCCESS)
        return anypi_mpir_no_memory("schedule");
    const anypi_task_layout layout = anypi_task_lay_out(sizeof **task, &parts, &job->call,
                                                        &job->its);
    char *const block = layout.size < 0 ? NULL : anypi_realloc(NULL, (size_t) layout.size);
    if (!block)
        return anypi_mpir_no_memory("scratch");
    anypi_local *const its = stages ? (anypi_local *) (void *) (block + layout.local) : NULL;
    if (its && anypi_local_open(its, job->entry->plan, job->call.in_place,
                                &job->comm->coll.anyp->learned[job->call.collective], false) !=
        ANYP_SUCCESS) {
        anypi_free(block);
        return anypi_mpir_no_memory("sizes");
    }
    /* last: if this rank alone fails for lack of memory and the call is repeated, it must use the
     * same tag as the other ranks */
    int tag;
    const int error = MPIR_Sched_next_tag(job->comm, &tag);
    if (error) {
        if (its)
            anypi_local_close(its);
        anypi_free(block);
        return error;
    }
    *task = (anypi_mpir_task *) (void *) block;
    **task = (anypi_mpir_task) {
        .transport = transport,
        .run = anypi_task_make(block, &layout, &parts, anypi_input_in_out(&job->call)
                               ? job->its.recvbuf : (char *) job->its.sendbuf, job->its.recvbuf),
        .job = keep_job(job, block + layout.arrays),
    };
    (*task)->transport.job = &(*task)->job;
    (*task)->transport.local = its;
    (*task)->transport.tag = tag;
    (*task)->transport.context |= anypi_task_context(tag);
    MPIR_Comm_add_ref(job->comm);
    ANYPI_FOR_DATATYPES(&(*task)->job, MPIR_Datatype_add_ref_if_not_builtin);
    if (!anypi_moves(job->call.collective))
        MPIR_Op_add_ref_if_not_builtin(job->its.op);
    return MPI_SUCCESS;
}

int anypi_mpir_task_free(void *data)
{
    anypi_mpir_task *task = data;
    const anypi_mpir_job *job = &task->job;
    if (!anypi_moves(job->call.collective))
        MPIR_Op_release_if_not_builtin(job->its.op);
    ANYPI_FOR_DATATYPES(job, MPIR_Datatype_release_if_not_builtin);
    MPIR_Comm_release(job->comm);
    anypi_task_close(&task->run, &task->transport);
    anypi_free(task);
    return MPI_SUCCESS;
}

/* ---- running ---- */

int anypi_mpir_task_issue(void *data, int *done)
{
    anypi_mpir_task *task = data;
    anypi_local *local = task->transport.local;
    task->errflag = ANYPI_ERRFLAG_NONE;
    task->transport.errflag = ANYPI_ERRFLAG_PASS(task->errflag);
    task->transport.error = MPI_SUCCESS;
    task->transport.failed = false;
    task->transport.missing = NULL;
    task->transport.missing_parcel = NULL;
    if (task->transport.lanes) {
        anypi_lanes_changed(task->transport.lanes);
        anypi_mpir_task_waits(true);
    }
    if (local)
        anypi_mpir_set_sizes(&task->job, local);
    anypi_task_begin(&task->run, &task->transport);
    return anypi_mpir_task_continue(task, done);
}

/* MPICH polls all tasks each time that it makes progress, and a program may have thousands of calls
 * under way. So a poll usually reads only two places in memory if the message has not arrived. */
int anypi_mpir_task_continue(void *data, int *done)
{
    anypi_mpir_task *task = data;
    anypi_transport *transport = &task->transport;
    *done = false;
    if (transport->missing && !MPIR_Request_is_complete(transport->missing))
        return MPI_SUCCESS;
    if (transport->missing_parcel && !transport->missing_parcel->over)
        return MPI_SUCCESS;
    transport->missing = NULL;
    transport->missing_parcel = NULL;
    if (!anypi_task_run(&task->run, transport))
        return MPI_SUCCESS;
    if (task->run.no_memory)
        anypi_transport_record_local(transport, anypi_mpir_no_memory("stage"));
    else if (transport->local && transport->local->disagrees)
        anypi_transport_record_local(transport, anypi_mpir_sizes_differ());
    if (transport->lanes) {
        anypi_lanes_changed(transport->lanes);
        anypi_mpir_task_waits(false);
    }
    *done = true;
    return MPI_SUCCESS;
}

int anypi_mpir_task_error(MPIR_Comm *comm, int tag, void *task)
{
    (void) comm;
    (void) tag;
    return ((const anypi_mpir_task *) task)->transport.error;
}
