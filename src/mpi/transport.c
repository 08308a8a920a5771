/* SPDX-License-Identifier: BSD-3-Clause
 *
 * transport.c - the transport of execute.h over public MPI functions, on a communicator's channel.
 * After an error the program's messages continue, so that no other rank waits forever. The first
 * error is returned.
 */
#include "mpi/internal.h"

#include "schedule/memory.h"

#include <limits.h>
#include <string.h>

/* All messages have the channel's tag, because rounds follow each other, and messages between two
 * ranks do not overtake each other. A rank sends only copies to itself. */
/* The maximum count that MPI is given; a test makes it small. */
#ifndef ANYPI_MAX_COUNT
#define ANYPI_MAX_COUNT INT_MAX
#endif
/* The maximum number of messages that are waited for together. */
enum { AT_ONCE = 64 };
/* Operators have an int count, so a larger reduction is done in parts. */
enum { MAX_REDUCE = ANYPI_MAX_COUNT / 2 + 1 };

/* Elements as an int count of an MPI datatype. */
typedef struct portion {
    MPI_Datatype datatype;
    int count;
    bool made;                  /* the datatype must be freed */
} portion;

/* A message. All messages of a round are known before the first one starts: see
 * anypi_transport_wait(). */
typedef struct anypi_request {
    bool sends;
    int peer;                   /* in the channel */
    char *address;
    int64_t bytes;
    portion part;
    bool started;               /* or never will start, because it has no datatype */
    MPI_Request handle;
} anypi_request;

typedef struct anypi_transport {
    MPI_Comm comm;              /* of the channel */
    int tag;
    const anypi_channel *channel;
    MPI_Op op;
    const anypi_type *type;     /* of the vector's elements */
    bool device;                /* data to move are in device memory; MPI copies them */
    int error;                  /* the first error */
    const anypi_job *job;
    anypi_local *local;         /* of a call with local sizes */
} anypi_transport;

static inline void record(anypi_transport *transport, int error)
{
    if (error && !transport->error)
        transport->error = error;
}

/* Makes a datatype of `elements` elements, more than an int can express: pieces of MAX_REDUCE, and
 * the rest. */
static int make_large(const anypi_type *type, int64_t elements, MPI_Datatype *large)
{
    const int pieces = (int) (elements / MAX_REDUCE), rest = (int) (elements % MAX_REDUCE);
    MPI_Datatype piece = MPI_DATATYPE_NULL;
    int error = anypi_mpi.Type_contiguous(MAX_REDUCE, type->handle, &piece);
    if (error)
        return error;
    int lengths[] = { pieces, rest };
    MPI_Aint offsets[] = { 0, (MPI_Aint) pieces * MAX_REDUCE * (MPI_Aint) type->element.extent };
    MPI_Datatype types[] = { piece, type->handle };
    error = anypi_mpi.Type_create_struct(2, lengths, offsets, types, large);
    anypi_mpi.Type_free(&piece);
    return error ? error : anypi_mpi.Type_commit(large);
}

/* Makes a portion. If the datatype cannot be made, records the error and returns false. */
static inline bool make_portion(anypi_transport *transport, const anypi_type *type,
                                int64_t elements, portion *part)
{
    *part = (portion) { type->handle, (int) elements, false };
    if (elements <= ANYPI_MAX_COUNT)
        return true;
    *part = (portion) { MPI_DATATYPE_NULL, 1, false };
    const int error = make_large(type, elements, &part->datatype);
    part->made = !error;
    record(transport, error);
    return !error;
}

static inline void free_portion(portion *part)
{
    if (part->made)
        anypi_mpi.Type_free(&part->datatype);
}

static inline void prepare(anypi_transport *transport, bool sends, int peer,
                           const anypi_place *at, anypi_request *request)
{
    request->sends = sends;
    request->peer = anypi_channel_peer(transport->channel, peer);
    request->address = (char *) at->address;
    request->bytes = at->elements * at->type->size;
    request->started = !make_portion(transport, at->type, at->elements, &request->part);
    request->handle = MPI_REQUEST_NULL;
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    prepare(transport, true, peer, &(anypi_place) { transport->type, from, elements }, request);
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    prepare(transport, false, peer, &(anypi_place) { transport->type, to, elements }, request);
}

static inline int send_one(const anypi_transport *transport, const anypi_request *one)
{
    return anypi_mpi.Send(one->address, one->part.count, one->part.datatype, one->peer,
                          transport->tag, transport->comm);
}

static inline int receive_one(const anypi_transport *transport, const anypi_request *one)
{
    return anypi_mpi.Recv(one->address, one->part.count, one->part.datatype, one->peer,
                          transport->tag, transport->comm, MPI_STATUS_IGNORE);
}

/* Waits for messages; their statuses have the errors. Open MPI's Waitall returns after the first
 * error. A receive that it leaves under way would match a message of the next call. */
static void wait_for(anypi_transport *transport, MPI_Request *handles, int count)
{
    MPI_Status statuses[AT_ONCE];
    const int error = anypi_mpi.Waitall(count, handles, statuses);
    if (error != MPI_ERR_IN_STATUS) {
        record(transport, error);
        return;
    }
    for (int i = 0; i < count; i++)
        record(transport, statuses[i].MPI_ERROR != MPI_ERR_PENDING ? statuses[i].MPI_ERROR
               : anypi_mpi.Wait(&handles[i], MPI_STATUS_IGNORE));
}

/* Up to this many bytes, MPI_Isend and MPI_Recv are faster than MPI_Sendrecv: by 70 of 600 ns with
 * MPICH's ch4:ucx and ch3:nemesis. With Open MPI, or with more bytes, the times are equal. */
enum { SMALL = 256 };

static inline bool is_small(const anypi_request *one)
{
    return !one->part.made && one->bytes <= SMALL;
}

/* Exchanges a message in each direction, by blocking calls: see anypi_transport_wait(). */
static inline void exchange(anypi_transport *transport, const anypi_request *in,
                            const anypi_request *out)
{
    if (!is_small(in) || !is_small(out)) {
        record(transport,
               anypi_mpi.Sendrecv(out->address, out->part.count, out->part.datatype, out->peer,
                                  transport->tag, in->address, in->part.count, in->part.datatype,
                                  in->peer, transport->tag, transport->comm, MPI_STATUS_IGNORE));
        return;
    }
    MPI_Request sent = MPI_REQUEST_NULL;
    record(transport, anypi_mpi.Isend(out->address, out->part.count, out->part.datatype, out->peer,
                                      transport->tag, transport->comm, &sent));
    record(transport, receive_one(transport, in));
    wait_for(transport, &sent, 1);
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    for (int i = 0; i < count; i++) {
        anypi_request *one = &requests[i];
        if (one->started)
            continue;
        one->started = true;
        record(transport, one->sends
               ? anypi_mpi.Isend(one->address, one->part.count, one->part.datatype, one->peer,
                                 transport->tag, transport->comm, &one->handle)
               : anypi_mpi.Irecv(one->address, one->part.count, one->part.datatype, one->peer,
                                 transport->tag, transport->comm, &one->handle));
    }
}

static void all_at_once(anypi_transport *transport, anypi_request *requests, int count)
{
    MPI_Request handles[AT_ONCE];
    anypi_transport_start(transport, requests, count);
    for (int done = 0; done < count; done += AT_ONCE) {
        const int some = count - done < AT_ONCE ? count - done : AT_ONCE;
        for (int i = 0; i < some; i++)
            handles[i] = requests[done + i].handle;
        wait_for(transport, handles, some);
    }
}

/* Returns whether there was no message, or it has failed. */
static inline bool is_over(const anypi_request *one)
{
    return one->started && one->handle == MPI_REQUEST_NULL;
}

/* Waits for messages; receives come first. Most rounds of short vectors have one message in each
 * direction, and use blocking calls. These are faster, and call the communicator's error handler;
 * MPICH reports errors of requests to the handler of MPI_COMM_WORLD. Long messages need requests,
 * to be received during a reduction: compile.c has the limit. */
static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *all, int number)
{
    anypi_request *requests = all;
    int count = number;
    for (; count > 0 && is_over(&requests[0]); count--)
        requests++;
    while (count > 0 && is_over(&requests[count - 1]))
        count--;
    if (count == 1 && !requests[0].started)
        record(transport, requests[0].sends ? send_one(transport, &requests[0])
               : receive_one(transport, &requests[0]));
    else if (count == 2 && !requests[0].sends && requests[1].sends && !requests[0].started &&
             !requests[1].started)
        exchange(transport, &requests[0], &requests[1]);
    else
        all_at_once(transport, requests, count);
    for (int i = 0; i < number; i++)
        free_portion(&all[i].part);
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    if (transport->job->call.reproducible &&
        anypi_reduce_extremes(transport->type, transport->op, from, to, elements))
        return;
    /* after an error the result is undefined; an error of the local reduction would call another
     * error handler than the caller's */
    for (int64_t done = 0; done < elements && !transport->error; done += MAX_REDUCE) {
        const int64_t rest = elements - done, bytes = done * transport->type->element.extent;
        record(transport,
               anypi_mpi.Reduce_local(from + bytes, to + bytes,
                                      rest < MAX_REDUCE ? (int) rest : MAX_REDUCE,
                                      transport->type->handle, transport->op));
    }
}

/* Copies by a message to this rank itself, MPI's only local copy. */
static void copy_by_message(anypi_transport *transport, const anypi_place *from,
                            const anypi_place *to)
{
    const int rank = transport->channel->rank;
    portion out, in = { .made = false };
    if (make_portion(transport, from->type, from->elements, &out) &&
        make_portion(transport, to->type, to->elements, &in))
        record(transport,
               anypi_mpi.Sendrecv(from->address, out.count, out.datatype, rank, transport->tag,
                                  (char *) to->address, in.count, in.datatype, rank,
                                  transport->tag, transport->comm, MPI_STATUS_IGNORE));
    free_portion(&out);
    free_portion(&in);
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    if (transport->type->dense && !transport->device) {
        memcpy(to, from, (size_t) (elements * transport->type->size));
        return;
    }
    copy_by_message(transport, &(anypi_place) { transport->type, from, elements },
                    &(anypi_place) { transport->type, to, elements });
}

/* Returns the elements of this rank's output that belong to rank i, or all elements if the output
 * has no ranks' blocks. */
static anypi_place output_of(const anypi_job *job, int i)
{
    const anyp_call *call = &job->call;
    const int64_t extent = job->type->element.extent;
    int64_t first = 0, elements = job->its.count;
    if (anypi_has_counts(call)) {
        first = anypi_integer(job->its.displs, i);
        elements = anypi_integer(job->its.counts, i);
    } else if (anypi_has_equal_blocks(call)) {
        first = i * elements;
    }
    return (anypi_place) { job->type, (char *) job->its.recvbuf + first * extent, elements };
}

/* Copies between elements of the caller and their bytes. MPI's packed data are these bytes only.
 * (MPICH 4.0 cannot receive bytes as one of its pairs, such as MPI_DOUBLE_INT.) */
static void pack(anypi_transport *transport, const anypi_place *caller, char *bytes, bool packs)
{
    const int64_t size = caller->type->size, most = ANYPI_MAX_COUNT / size;
    /* an element has more bytes than an int can express; MPICH's MPI_Pack refuses MPI_BOTTOM */
    if (most == 0 || !caller->address) {
        const anypi_place packed = { transport->type, bytes, caller->elements * size };
        copy_by_message(transport, packs ? caller : &packed, packs ? &packed : caller);
        return;
    }
    for (int64_t done = 0; done < caller->elements; done += most) {
        const int64_t rest = caller->elements - done;
        const int count = (int) (rest < most ? rest : most), full = (int) (count * size);
        char *const elements = (char *) caller->address + done * caller->type->element.extent;
        char *const piece = bytes + done * size;
        int position = 0;
        record(transport, packs
               ? anypi_mpi.Pack(elements, count, caller->type->handle, piece, full, &position,
                                transport->comm)
               : anypi_mpi.Unpack(piece, full, &position, elements, count, caller->type->handle,
                                  transport->comm));
        record(transport, position == full ? MPI_SUCCESS : MPI_ERR_INTERN);
    }
}

static void anypi_transport_pack(anypi_transport *transport, char *to)
{
    const anypi_job *job = transport->job;
    const anyp_call *call = &job->call;
    const bool out = anypi_input_in_out(call), all = anypi_has_blocks(call->collective) &&
        !anypi_gathers(call);   /* MPI's counts are those of one block */
    anypi_place from = out ? output_of(job, all ? 0 : call->rank)
        : (anypi_place) { job->sends, job->its.sendbuf, job->its.sendcount };
    from.elements *= all ? call->p : 1;
    if (from.elements > 0)
        pack(transport, &from, to, true);
}

static void anypi_transport_unpack(anypi_transport *transport, const char *from, int first, int end)
{
    const anypi_job *job = transport->job;
    const anyp_call *call = &job->call;
    const bool ranks = anypi_gathers(call) || anypi_transposes(call->collective);
    for (int i = ranks ? first : 0; i < (ranks ? end : 1); i++) {
        const anypi_place to = output_of(job, i);
        if (to.elements > 0)
            pack(transport, &to, (char *) from, false);
        from += to.elements * to.type->size;
    }
}

/* ---- calls with local sizes ---- */

static inline void anypi_no_message(anypi_request *request)
{
    *request = (anypi_request) { .started = true, .handle = MPI_REQUEST_NULL };
}

static inline void anypi_caller_send(anypi_transport *transport, int peer, int i,
                                     anypi_request *request)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gives, i, &users, &block);
    prepare(transport, true, peer, &block, request);
}

static inline void anypi_caller_receive(anypi_transport *transport, int peer, int i,
                                        anypi_request *request)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gets, i, &users, &block);
    prepare(transport, false, peer, &block, request);
}

/* Returns whether a block has the same layout in memory as in a message. */
static inline bool is_plain(const anypi_transport *transport, const anypi_place *block)
{
    return block->type->dense && block->type->kinds && !transport->device;
}

static inline void anypi_caller_pack(anypi_transport *transport, int i, char *to)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gives, i, &users, &block);
    if (is_plain(transport, &block))
        memcpy(to, block.address, (size_t) transport->local->given[i]);
    else
        pack(transport, &block, to, true);
}

static inline void anypi_caller_unpack(anypi_transport *transport, const char *from, int i)
{
    anypi_type users;
    anypi_place block;
    anypi_block_of(&transport->job->gets, i, &users, &block);
    if (is_plain(transport, &block))
        memcpy((char *) block.address, from, (size_t) transport->local->got[i]);
    else
        pack(transport, &block, (char *) from, false);
}

static inline void anypi_caller_copy(anypi_transport *transport, int i)
{
    const int64_t bytes = transport->local->given[i];
    anypi_type users_from, users_to;
    anypi_place from, to;
    anypi_block_of(&transport->job->gives, i, &users_from, &from);
    anypi_block_of(&transport->job->gets, i, &users_to, &to);
    if (transport->local->got[i] != bytes)
        record(transport, MPI_ERR_TRUNCATE);
    else if (is_plain(transport, &from) && is_plain(transport, &to))
        memmove((char *) to.address, from.address, (size_t) bytes);
    else
        copy_by_message(transport, &from, &to);
}

#include "execute/local_steps.h"

#include "execute/execute.h"

static int execute_local(anypi_transport *transport)
{
    const anypi_job *job = transport->job;
    anypi_workspace *workspace = &job->state->workspace;
    const size_t p = (size_t) job->call.p;
    anypi_local local;
    if (anypi_cache_plan(&workspace->cache, job->entry) != ANYP_SUCCESS ||
        anypi_local_open(&local, job->entry->plan, job->call.in_place,
                         &job->state->learned[job->call.collective]) != ANYP_SUCCESS)
        return MPI_ERR_NO_MEM;
    memcpy(local.given, workspace->starts, p * sizeof *local.given);
    memcpy(local.got, workspace->starts + p, p * sizeof *local.got);
    transport->local = &local;
    const char *missing = anypi_execute_local(workspace, &local, transport);
    const bool disagrees = local.disagrees;
    anypi_local_close(&local);
    return missing ? MPI_ERR_NO_MEM : transport->error ? transport->error
        : disagrees ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

/* Runs a reduction whose output is in device memory: reduces in the processor's memory and then
 * copies the result. */
static int execute_to_device(anypi_workspace *workspace, anypi_transport *transport)
{
    const anypi_job *job = transport->job;
    const anypi_element *element = &job->type->element;
    const int64_t elements = anypi_has_counts(&job->call)
        ? anypi_integer(job->its.counts, job->call.rank) : job->its.count;
    const int64_t last = (elements - 1) * element->extent;
    const int64_t first = (last < 0 ? last : 0) + element->low;
    const int64_t end = (last > 0 ? last : 0) + element->high;
    char *const memory = anypi_realloc(NULL, (size_t) (end - first));
    if (!memory)
        return MPI_ERR_NO_MEM;
    char *const out = memory - first;
    const char *missing = anypi_execute_call(workspace, job->entry->program, false,
                                             job->its.sendbuf, out, transport);
    if (!missing)
        copy_by_message(transport, &(anypi_place) { job->type, out, elements },
                        &(anypi_place) { job->type, job->its.recvbuf, elements });
    anypi_free(memory);
    return missing ? MPI_ERR_NO_MEM : transport->error;
}

/* Returns whether an alltoallw's blocks may be at addresses that no buffer tells. */
static bool is_anywhere(const anypi_job *job)
{
    return job->its.datatypes && (job->its.sendbuf == MPI_BOTTOM || job->its.recvbuf == MPI_BOTTOM);
}

int anypi_mpi_execute(const anypi_job *job)
{
    anypi_workspace *workspace = &job->state->workspace;
    const anypi_type *type = anypi_moves(job->call.collective) ? anypi_type_find(MPI_BYTE)
        : job->type;
    const anypi_channel *channel = &job->state->channel;
    anypi_transport transport = { .comm = channel->comm, .tag = channel->tag,
                                  .channel = channel, .op = job->its.op, .type = type,
                                  .error = MPI_SUCCESS, .job = job };
    const bool in_out = anypi_input_in_out(&job->call);
    transport.device = anypi_moves(job->call.collective) &&
        (is_anywhere(job) ||
         anypi_device_buffers(in_out ? NULL : job->its.sendbuf, job->its.recvbuf));
    if (anypi_has_local_sizes(job->call.collective))
        return execute_local(&transport);
    if (anypi_cache_program(&workspace->cache, job->entry, type->element) != ANYP_SUCCESS)
        return MPI_ERR_NO_MEM;
    if (job->device_out)
        return execute_to_device(workspace, &transport);
    return anypi_execute_call(workspace, job->entry->program, in_out, job->its.sendbuf,
                              job->its.recvbuf, &transport) ? MPI_ERR_NO_MEM : transport.error;
}
