/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonblocking_task.c - runs a program piece by piece, for nonblocking collectives.
 */
#include "mpir/transport.h"

struct anypi_mpir_task {
    anypi_transport transport;  /* first member, because each poll reads it */
    const anypi_program *program;       /* the present one; NULL: the task is done */
    anypi_parts parts;          /* without programs if transport.local has one for each stage */
    int64_t part;               /* the present one */
    anypi_mpir_job job;         /* for the caller's blocks; without members that others own */
    ANYPI_ERRFLAG_OWN errflag;
    anypi_request *requests;    /* behind this struct; then scratch, local and arrays follow */
    char *in, *out;             /* of the whole vector */
    char *areas[ANYPI_AREAS];
    int next;
    char *stage;                /* requests and scratch for the program of a stage */
};

/* Adds a part to a block of memory. Returns the offset of the part; *size is -1 if the block is too
 * large. */
static int64_t add_part(int64_t *size, int64_t part)
{
    const int64_t begin = *size, mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    if (begin < 0 || part < 0 || part > INT64_MAX - mask - begin)
        *size = -1;
    else
        *size += (part + mask) & ~mask;
    return begin;
}

/* Returns the bytes of the caller's arrays that the task needs after the call: those of local
 * sizes, or counts and displs of blocks that are packed or unpacked. */
static int64_t arrays_size(const anypi_mpir_job *job)
{
    const int64_t integers = 2 * job->call.p * (int64_t) sizeof(MPI_Aint);
    if (anypi_has_local_sizes(job->call.collective))
        return 2 * (integers + job->call.p * (int64_t) sizeof(MPI_Datatype));
    return job->its.counts.at && (job->call.gaps_in || job->call.gaps_out) ? integers : 0;
}

/* Copies an array, unless it is NULL, to `room`. Returns the end of the copy. */
static char *keep(const void **array, size_t size, char *room)
{
    if (!*array)
        return room;
    *array = memcpy(room, *array, size);
    return room + size;
}

/* Returns the job with copies of the caller's arrays, which may be gone when the task starts.
 * `room` has arrays_size() bytes. */
static anypi_mpir_job keep_job(const anypi_mpir_job *job, char *room)
{
    const size_t p = (size_t) job->call.p;
    anypi_mpir_job kept = *job;
    anypi_arguments *its = &kept.its;
    const void *types[] = { its->sendtypes, its->datatypes };
    kept.call.starts = NULL;
    kept.entry = NULL;
    kept.call.nodes = NULL;
    if (arrays_size(job) == 0) {
        its->counts.at = its->displs.at = NULL;
        return kept;
    }
    room = keep(&its->counts.at, p * sizeof(MPI_Aint), room);
    room = keep(&its->displs.at, p * sizeof(MPI_Aint), room);
    room = keep(&its->sendcounts.at, p * sizeof(MPI_Aint), room);
    room = keep(&its->senddispls.at, p * sizeof(MPI_Aint), room);
    room = keep(&types[0], p * sizeof(MPI_Datatype), room);
    keep(&types[1], p * sizeof(MPI_Datatype), room);
    its->sendtypes = types[0];
    its->datatypes = types[1];
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
    anypi_program room = { .requests = 0 };
    int64_t size = 0;
    if (anypi_my_node.lanes && !ANYPI_HAS_THREAD_COMMUNICATORS)
        anypi_mpir_enter_node(&transport);
    if (!stages && anypi_mpir_parts(job, transport.lanes, &parts) != ANYP_SUCCESS)
        return anypi_mpir_no_memory("schedule");
    if (!stages)
        room = anypi_largest_part(&parts);
    add_part(&size, sizeof **task);
    const int64_t requests = add_part(&size, room.requests * (int64_t) sizeof(anypi_request));
    const int64_t scratch = add_part(&size, room.scratch);
    const int64_t local = add_part(&size, stages ? sizeof(anypi_local) : 0);
    const int64_t arrays = add_part(&size, arrays_size(job));
    char *const block = size < 0 ? NULL : anypi_realloc(NULL, (size_t) size);
    if (!block)
        return anypi_mpir_no_memory("scratch");
    anypi_local *const its = stages ? (anypi_local *) (void *) (block + local) : NULL;
    if (its && anypi_local_open(its, job->entry->plan, job->call.in_place, NULL) != ANYP_SUCCESS) {
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
        .parts = parts,
        .job = keep_job(job, block + arrays),
        .requests = (anypi_request *) (void *) (block + requests),
        .in = anypi_input_in_out(&job->call) ? job->its.recvbuf : (char *) job->its.sendbuf,
        .out = job->its.recvbuf,
        .areas = { [ANYPI_AREA_SCRATCH] = block + scratch },
    };
    for (int i = 0; i < 2 && parts.programs[i]; i++)
        anypi_program_hold(parts.programs[i]);
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
    if (task->transport.local)
        anypi_local_close(task->transport.local);
    for (int i = 0; i < 2; i++)
        anypi_program_release(task->parts.programs[i]);
    anypi_free(task->stage);
    anypi_free(task);
    return MPI_SUCCESS;
}

/* ---- stages ---- */

/* Begins the present stage. If `status` is an error, or after the last stage, the task is done. */
static void begin_stage(anypi_mpir_task *task, anyp_status status)
{
    const anypi_local *local = task->transport.local;
    int64_t size = 0;
    anypi_free(task->stage);
    task->stage = NULL;
    task->next = 0;
    task->program = status == ANYP_SUCCESS ? anypi_local_program(local) : NULL;
    if (task->program) {
        add_part(&size, task->program->requests * (int64_t) sizeof(anypi_request));
        const int64_t scratch = add_part(&size, task->program->scratch);
        task->stage = size < 0 ? NULL : anypi_realloc(NULL, (size_t) size + 1);
        task->requests = (anypi_request *) (void *) task->stage;
        task->areas[ANYPI_AREA_SCRATCH] = task->stage + scratch;
    }
    if (status != ANYP_SUCCESS || (task->program && !task->stage)) {
        task->program = NULL;
        anypi_transport_record_local(&task->transport, anypi_mpir_no_memory("stage"));
    } else if (!task->program && local->disagrees) {
        anypi_transport_record_local(&task->transport, anypi_mpir_sizes_differ());
    }
}

/* ---- running ---- */

/* Begins the present part. After the last one, the task is done. */
static void begin_part(anypi_mpir_task *task)
{
    task->program = anypi_part(&task->parts, task->part, task->in, task->out, task->areas);
    task->next = 0;
}

int anypi_mpir_task_issue(void *data, int *done)
{
    anypi_mpir_task *task = data;
    anypi_local *local = task->transport.local;
    task->part = 0;
    begin_part(task);
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
    if (local) {
        local->disagrees = false;
        anypi_mpir_set_sizes(&task->job, local);
        begin_stage(task, anypi_local_begin(local));
    }
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
    while (task->program) {
        if (!anypi_resume(task->program, task->areas, transport, task->requests, &task->next))
            return MPI_SUCCESS;
        if (transport->local) {
            begin_stage(task, anypi_local_next(transport->local, task->areas[ANYPI_AREA_SCRATCH]));
        } else {
            task->part++;
            begin_part(task);
        }
    }
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
