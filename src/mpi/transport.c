/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.c - makes transports, and runs blocking calls on them.
 */
#include "mpi/transport.h"

/* Returns the memory to stage all blocks of one of a call's sides that are not plain; sizes[] are
 * their bytes. */
static size_t room_of(const anypi_transport *transport, const anypi_side *side,
                      const int64_t *sizes)
{
    size_t room = 0;
    for (int i = 0; i < transport->job->call.p && transport->lanes; i++) {
        anypi_type users;
        anypi_place block;
        if (sizes[i] > 0 && anypi_block_of(side, i, &users, &block) &&
            !is_plain_block(transport, &block))
            room += anypi_staged_size(sizes[i]);
    }
    return room;
}

static int execute_local(anypi_transport *transport)
{
    const anypi_job *job = transport->job;
    anypi_workspace *workspace = &job->state->workspace;
    const size_t p = (size_t) job->call.p;
    /* before the first message, since an error must not come after it */
    const size_t size = room_of(transport, &job->gives, workspace->starts) +
        room_of(transport, &job->gets, workspace->starts + p);
    char *const room = size ? anypi_realloc(NULL, size) : NULL;
    anypi_local local;
    if ((size && !room) || anypi_cache_plan(&workspace->cache, job->entry) != ANYP_SUCCESS ||
        anypi_local_open(&local, job->entry->plan, job->call.in_place,
                         &job->state->learned[job->call.collective], true) != ANYP_SUCCESS) {
        anypi_free(room);
        return MPI_ERR_NO_MEM;
    }
    memcpy(local.given, workspace->starts, p * sizeof *local.given);
    memcpy(local.got, workspace->starts + p, p * sizeof *local.got);
    transport->local = &local;
    transport->room = room;
    transport->room_end = room + size;
    const char *missing = anypi_execute_local(workspace, &local, transport);
    const bool disagrees = local.disagrees;
    anypi_local_close(&local);
    anypi_free(room);
    return missing ? MPI_ERR_NO_MEM : transport->error ? transport->error
        : disagrees ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

/* Returns whether all ranks of a communicator share memory. */
static bool is_inside(anypi_channel *channel, int p)
{
    if (channel->inside)
        return channel->inside > 0;
    channel->inside = p <= anypi_my_node.processes ? 1 : -1;
    for (int i = 0; i < p && channel->inside > 0; i++) {
        const int rank = anypi_channel_peer(channel, i);
        if (rank != channel->rank && !anypi_lane_to(rank))
            channel->inside = -1;
    }
    return channel->inside > 0;
}

anyp_status anypi_mpi_parts(const anypi_transport *transport, anypi_parts *parts)
{
    const anypi_job *job = transport->job;
    const bool inside = transport->lanes && is_inside(&job->state->channel, job->call.p);
    return anypi_cache_parts(&job->state->workspace.cache, job->entry, transport->type->element,
                             inside, parts);
}

/* Runs the programs of a call. */
static int execute_program(anypi_transport *transport, const char *in, char *out)
{
    const anypi_job *job = transport->job;
    anypi_workspace *workspace = &job->state->workspace;
    anypi_parts parts;
    return anypi_mpi_parts(transport, &parts) != ANYP_SUCCESS ||
        anypi_execute_call(workspace, parts, anypi_input_in_out(&job->call), in, out, transport)
        ? MPI_ERR_NO_MEM : transport->error;
}

char *anypi_mpi_host_output(const anypi_job *job, char **memory)
{
    const anypi_element *element = &job->type->element;
    const int64_t last = (anypi_mpi_output_elements(job) - 1) * element->extent;
    const int64_t first = (last < 0 ? last : 0) + element->low;
    const int64_t end = (last > 0 ? last : 0) + element->high;
    *memory = anypi_realloc(NULL, (size_t) (end - first));
    return *memory ? *memory - first : NULL;
}

void anypi_mpi_to_device(anypi_transport *transport, char *out)
{
    const anypi_job *job = transport->job;
    const int64_t elements = anypi_mpi_output_elements(job);
    copy_by_message(transport, &(anypi_place) { job->type, out, elements },
                    &(anypi_place) { job->type, job->its.recvbuf, elements });
}

/* Runs a reduction whose output is in device memory: reduces in the processor's memory and then
 * copies the result. */
static int execute_to_device(anypi_transport *transport)
{
    char *memory, *const out = anypi_mpi_host_output(transport->job, &memory);
    if (!memory)
        return MPI_ERR_NO_MEM;
    const int error = execute_program(transport, transport->job->its.sendbuf, out);
    if (!error)
        anypi_mpi_to_device(transport, out);
    anypi_free(memory);
    return error ? error : transport->error;
}

/* Returns whether an alltoallw's blocks may be at addresses that no buffer tells. */
static bool is_anywhere(const anypi_job *job)
{
    return job->its.datatypes && (job->its.sendbuf == MPI_BOTTOM || job->its.recvbuf == MPI_BOTTOM);
}

static bool reduce_local(const void *handles, const char *left, char *right, int elements)
{
    const anypi_transport *transport = handles;
    return !anypi_mpi.Reduce_local(left, right, elements, transport->type->handle, transport->op);
}

/* Finds AnyP's loop for the elements and the operator of a transport. */
static anypi_own_loop loop_of(const anypi_transport *transport)
{
    const anypi_type *type = transport->type;
    const bool served = type->dense && type->kinds & anypi_operator_kinds(transport->op);
    return anypi_own_loop_of(&(anypi_reduction) {
        .type = (uint64_t) (uintptr_t) type->handle,
        .operator = (uint64_t) (uintptr_t) transport->op,
        .loops = served ? ANYPI_LOOP_OPERATOR_OF(transport->op) : ANYPI_LOOP_OPERATORS,
        .size = type->size, .handles = transport, .reduce = reduce_local
    });
}

/* Lets a program's messages take lanes: finds the loop of its operator. Returns an MPI error code
 * if the datatype is not committed, which messages by MPI would find out. */
static int enter_node(anypi_transport *transport)
{
    const anypi_job *job = transport->job;
    if (anypi_moves(job->call.collective))
        return MPI_SUCCESS;
    if (!transport->type->dense) {
        transport->lanes = NULL;
        return MPI_SUCCESS;
    }
    if (job->type == &job->users) {
        char nothing[1] = { 0 };
        int position = 0;
        return anypi_mpi.Pack(nothing, 0, job->type->handle, nothing, 0, &position,
                              transport->comm);
    }
    if (job->builtin && !job->call.reproducible) {
        const anypi_own_loop own = loop_of(transport);
        transport->loop = own.loop;
        transport->loop_numbers = own.numbers;
    }
    return MPI_SUCCESS;
}

/* Calls over lanes, of which one polls the MPI library. */
enum { POLLED_CALLS = 64 };

int anypi_mpi_open(const anypi_job *job, anypi_transport *transport)
{
    const anypi_type *type = anypi_moves(job->call.collective) ? anypi_type_find(MPI_BYTE)
        : job->type;
    const anypi_channel *channel = &job->state->channel;
    const bool in_out = anypi_input_in_out(&job->call);
    *transport = (anypi_transport) {
        .comm = channel->comm, .tag = channel->tag, .channel = channel, .op = job->its.op,
        .type = type, .error = MPI_SUCCESS, .job = job, .lanes = job->state->lanes,
        .context = (uint32_t) channel->tag, .unit = type->size,
    };
    transport->device = anypi_moves(job->call.collective) &&
        (is_anywhere(job) ||
         anypi_device_buffers(in_out ? NULL : job->its.sendbuf, job->its.recvbuf));
    /* calls that never wait must not stop the program's messages */
    if (transport->lanes && ++anypi_my_node.calls % POLLED_CALLS == 0)
        anypi_channels_poll();
    return transport->lanes ? enter_node(transport) : MPI_SUCCESS;
}

int anypi_mpi_execute(const anypi_job *job)
{
    anypi_transport transport;
    const int error = anypi_mpi_open(job, &transport);
    if (error)
        return error;
    if (anypi_has_local_sizes(job->call.collective))
        return execute_local(&transport);
    return job->device_out ? execute_to_device(&transport)
        : execute_program(&transport, job->its.sendbuf, job->its.recvbuf);
}
