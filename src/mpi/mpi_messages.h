/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpi_messages.h - the state of the plug-in's transport, and its messages by public MPI functions.
 * For transport.c.
 */
#ifndef ANYPI_MPI_MESSAGES_H_INCLUDED
#define ANYPI_MPI_MESSAGES_H_INCLUDED

#include "mpi/operations.h"
#include "node/choose_loop.h"
#include "node/lanes.h"

#include "schedule/memory.h"

#include <limits.h>
#include <string.h>

/* All messages have the channel's tag, because rounds follow each other, and messages between two
 * ranks do not overtake each other. A rank sends only copies to itself.
 *
 * The maximum count that MPI is given; a test makes it small. */
#ifndef ANYPI_MAX_COUNT
#define ANYPI_MAX_COUNT INT_MAX
#endif
/* The maximum number of messages that are waited for together. */
enum { AT_ONCE = 256 };
/* Operators have an int count, so a larger reduction is done in parts. */
enum { MAX_REDUCE = ANYPI_MAX_COUNT / 2 + 1 };

/* A copy of data that MPI must pack, beside its bytes. */
typedef struct anypi_staged {
    anypi_type type;
    anypi_place place;          /* of the data */
    bool allocated;             /* for this message; otherwise it is a part of transport->room */
    char bytes[];
} anypi_staged;

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
    anypi_lane *lane;           /* to a rank that shares memory; NULL: the message is MPI's */
    anypi_parcel parcel;        /* on this lane */
    anypi_staged *staged;       /* NULL: the lane has the data themselves */
} anypi_request;

typedef struct anypi_transport {
    MPI_Comm comm;              /* of the channel */
    int tag;
    const anypi_channel *channel;
    MPI_Op op;
    const anypi_type *type;     /* of the vector's elements */
    bool device;                /* data to move are in device memory; MPI copies them */
    int error;                  /* the first error */
    bool failed;                /* of messages over lanes one failed, or found no memory */
    const anypi_job *job;
    anypi_local *local;         /* of a call with local sizes */
    anypi_lanes *lanes;         /* to ranks that share memory; NULL: all messages are MPI's */
    uint64_t context;           /* of messages over lanes */
    int64_t unit;               /* bytes of an element that is reduced */
    anypi_loop loop;            /* of the operator; NULL: MPI_Reduce_local */
    int loop_numbers;           /* of an element, for the loop */
    char *room, *room_end;      /* for staged blocks of a call with local sizes */
    bool polls;                 /* it does not wait for messages */
    MPI_Request *missing;       /* if it polls: the message that the program waits for, or NULL */
    const anypi_parcel *missing_parcel;         /* the same of a lane */
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
    part->made = false;
}

/* Prepares a message to or from a rank of the channel. */
static inline void prepare_mpi(anypi_transport *transport, bool sends, int peer,
                               const anypi_place *at, anypi_request *request)
{
    request->sends = sends;
    request->peer = peer;
    request->address = (char *) at->address;
    request->bytes = at->elements * at->type->size;
    request->started = !make_portion(transport, at->type, at->elements, &request->part);
    request->handle = MPI_REQUEST_NULL;
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

static inline void start_mpi(anypi_transport *transport, anypi_request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        anypi_request *one = &requests[i];
        if (one->started || one->lane)
            continue;
        one->started = true;
        record(transport, one->sends
               ? anypi_mpi.Isend(one->address, one->part.count, one->part.datatype, one->peer,
                                 transport->tag, transport->comm, &one->handle)
               : anypi_mpi.Irecv(one->address, one->part.count, one->part.datatype, one->peer,
                                 transport->tag, transport->comm, &one->handle));
    }
}

/* Completes messages without waiting. Returns false if one is missing. */
static inline bool complete_mpi(anypi_transport *transport, anypi_request *requests, int count)
{
    start_mpi(transport, requests, count);
    for (int i = 0; i < count; i++) {
        int flag = 1;
        if (requests[i].handle != MPI_REQUEST_NULL)
            record(transport, anypi_mpi.Test(&requests[i].handle, &flag, MPI_STATUS_IGNORE));
        if (!flag) {
            transport->missing = &requests[i].handle;
            return false;
        }
        free_portion(&requests[i].part);
    }
    return true;
}

static void all_at_once(anypi_transport *transport, anypi_request *requests, int count)
{
    MPI_Request handles[AT_ONCE];
    start_mpi(transport, requests, count);
    while (anypi_operations_need_help() && !complete_mpi(transport, requests, count))
        anypi_operations_move();
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
static inline void wait_for_mpi(anypi_transport *transport, anypi_request *all, int number)
{
    anypi_request *requests = all;
    int count = number;
    for (; count > 0 && is_over(&requests[0]); count--)
        requests++;
    while (count > 0 && is_over(&requests[count - 1]))
        count--;
    if (anypi_operations_need_help())
        all_at_once(transport, requests, count);
    else if (count == 1 && !requests[0].started)
        record(transport, requests[0].sends ? send_one(transport, &requests[0])
               : receive_one(transport, &requests[0]));
    else if (count == 2 && !requests[0].sends && requests[1].sends && !requests[0].started &&
             !requests[1].started)
        exchange(transport, &requests[0], &requests[1]);
    else
        all_at_once(transport, requests, count);
    for (int i = 0; i < number; i++) {
        free_portion(&all[i].part);
        all[i].started = true;
        all[i].handle = MPI_REQUEST_NULL;
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

/* Copies between elements of the caller and their bytes. MPI's packed data are these bytes only.
 * (MPICH 4.0 cannot receive bytes as one of its pairs, such as MPI_DOUBLE_INT.) */
static void pack(anypi_transport *transport, const anypi_place *caller, char *bytes, bool packs)
{
    const int64_t size = caller->type->size, most = ANYPI_MAX_COUNT / size;
    /* an element has more bytes than an int can express; MPICH's MPI_Pack refuses MPI_BOTTOM */
    if (most == 0 || !caller->address) {
        const anypi_place packed = { anypi_type_find(MPI_BYTE), bytes, caller->elements * size };
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

#endif
