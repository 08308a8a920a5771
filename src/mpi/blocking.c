/* SPDX-License-Identifier: BSD-3-Clause
 *
 * blocking.c - wraps functions that wait for other ranks, so that AnyP's operations progress
 * (operations.h). Without operations they cost one load.
 */
#include "mpi/operations.h"

#include "schedule/memory.h"

/* ---- collective functions ---- */

/* A new communicator gets its state now, because a nonblocking call could not make it. */
#define ANYPI_MAKES(name, parameters, arguments)                                                   \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        anypi_pmpi_load();                                                                         \
        anypi_operations_finish();                                                                 \
        const int error = anypi_mpi.name arguments;                                                \
        return error ? error : anypi_operations_expect(old, *comm);                                \
    }
#define ANYPI_WAITS(name, parameters, arguments)                                                   \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        anypi_pmpi_load();                                                                         \
        anypi_operations_finish();                                                                 \
        return anypi_mpi.name arguments;                                                           \
    }
#define ANYPI_FILES(name, parameters, arguments)                                                   \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        anypi_pmpi_load();                                                                         \
        anypi_operations_finish();                                                                 \
        return anypi_mpi.name ? anypi_mpi.name arguments : MPI_ERR_UNSUPPORTED_OPERATION;          \
    }
#include "mpi/blocking.def"
#undef ANYPI_MAKES
#undef ANYPI_WAITS
#undef ANYPI_FILES

/* ---- messages: while operations need help, by functions that do not block ---- */

static bool must_help(void)
{
    anypi_pmpi_load();
    return anypi_operations_need_help();
}

static void move(void)
{
    anypi_pmpi_load();
    if (anypi_operations_running())
        anypi_operations_move();
}

/* Waits for a request that a call has made. */
static int finish(int error, MPI_Request *request, MPI_Status *status)
{
    return error ? error : MPI_Wait(request, status);
}

#define SENDS(name, nonblocking, integer)                                                          \
    ANYPI_FORWARDED(name, (const void *data, integer count, MPI_Datatype type, int to, int tag,    \
                           MPI_Comm comm), (data, count, type, to, tag, comm))                     \
    {                                                                                              \
        MPI_Request request;                                                                       \
        if (!must_help())                                                                          \
            return anypi_mpi.name(data, count, type, to, tag, comm);                               \
        return finish(anypi_mpi.nonblocking(data, count, type, to, tag, comm, &request), &request, \
                      MPI_STATUS_IGNORE);                                                          \
    }
SENDS(Send, Isend, int)
SENDS(Ssend, Issend, int)
SENDS(Rsend, Irsend, int)

#define RECEIVES(name, nonblocking, integer)                                                       \
    ANYPI_FORWARDED(name, (void *data, integer count, MPI_Datatype type, int from, int tag,        \
                           MPI_Comm comm, MPI_Status *status),                                     \
                    (data, count, type, from, tag, comm, status))                                  \
    {                                                                                              \
        MPI_Request request;                                                                       \
        /* MPICH's MPI_Irecv sets another status if the source is MPI_PROC_NULL */                 \
        if (from == MPI_PROC_NULL || !must_help())                                                 \
            return anypi_mpi.name(data, count, type, from, tag, comm, status);                     \
        return finish(anypi_mpi.nonblocking(data, count, type, from, tag, comm, &request),         \
                      &request, status);                                                           \
    }
RECEIVES(Recv, Irecv, int)

/* Waits for the receive and the send of a call. `error` is that of the send. */
static int exchange(int error, MPI_Request requests[2], int from, MPI_Status *status)
{
    if (error) {
        anypi_mpi.Cancel(&requests[0]);
        anypi_mpi.Wait(&requests[0], MPI_STATUS_IGNORE);
        return error;
    }
    error = MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    const int received = MPI_Wait(&requests[0], status);
    if (from == MPI_PROC_NULL && status != MPI_STATUS_IGNORE) {
        status->MPI_SOURCE = MPI_PROC_NULL;
        status->MPI_TAG = MPI_ANY_TAG;
    }
    return error ? error : received;
}

#define EXCHANGES(name, receive, send, integer)                                                    \
    ANYPI_FORWARDED(name, (const void *sent, integer sends, MPI_Datatype send_type, int to,        \
                           int send_tag, void *received, integer receives, MPI_Datatype type,      \
                           int from, int tag, MPI_Comm comm, MPI_Status *status),                  \
                    (sent, sends, send_type, to, send_tag, received, receives, type, from, tag,    \
                     comm, status))                                                                \
    {                                                                                              \
        MPI_Request requests[2];                                                                   \
        if (!must_help())                                                                          \
            return anypi_mpi.name(sent, sends, send_type, to, send_tag, received, receives, type,  \
                                  from, tag, comm, status);                                        \
        int error = anypi_mpi.receive(received, receives, type, from, tag, comm, &requests[0]);    \
        return exchange(error ? error : anypi_mpi.send(sent, sends, send_type, to, send_tag, comm, \
                                                       &requests[1]), requests, from, status);     \
    }
EXCHANGES(Sendrecv, Irecv, Isend, int)

#ifdef ANYPI_HAVE_LARGE
SENDS(Send_c, Isend_c, MPI_Count)
SENDS(Ssend_c, Issend_c, MPI_Count)
SENDS(Rsend_c, Irsend_c, MPI_Count)
RECEIVES(Recv_c, Irecv_c, MPI_Count)
EXCHANGES(Sendrecv_c, Irecv_c, Isend_c, MPI_Count)
#endif

ANYPI_FORWARDED(Sendrecv_replace, (void *data, int count, MPI_Datatype type, int to, int send_tag,
                                   int from, int tag, MPI_Comm comm, MPI_Status *status),
                (data, count, type, to, send_tag, from, tag, comm, status))
{
    MPI_Request requests[2];
    int size = 0, packed = 0;
    if (!must_help())
        return anypi_mpi.Sendrecv_replace(data, count, type, to, send_tag, from, tag, comm, status);
    int error = anypi_mpi.Pack_size(count, type, comm, &size);
    char *const copy = error ? NULL : anypi_realloc(NULL, (size_t) size + 1);
    if (error || !copy)
        return error ? error : anypi_state_fail(comm, MPI_ERR_NO_MEM);
    error = anypi_mpi.Pack(data, count, type, copy, size, &packed, comm);
    if (!error)
        error = anypi_mpi.Irecv(data, count, type, from, tag, comm, &requests[0]);
    if (!error)
        error = exchange(anypi_mpi.Isend(copy, packed, MPI_PACKED, to, send_tag, comm,
                                         &requests[1]), requests, from, status);
    anypi_free(copy);
    return error;
}

ANYPI_FORWARDED(Mrecv, (void *data, int count, MPI_Datatype type, MPI_Message *message,
                        MPI_Status *status), (data, count, type, message, status))
{
    MPI_Request request;
    if (!must_help())
        return anypi_mpi.Mrecv(data, count, type, message, status);
    return finish(anypi_mpi.Imrecv(data, count, type, message, &request), &request, status);
}

ANYPI_FORWARDED(Probe, (int from, int tag, MPI_Comm comm, MPI_Status *status),
                (from, tag, comm, status))
{
    for (int flag = 0, error; must_help();) {
        anypi_operations_move();
        error = anypi_mpi.Iprobe(from, tag, comm, &flag, status);
        if (flag || error)
            return error;
    }
    return anypi_mpi.Probe(from, tag, comm, status);
}

ANYPI_FORWARDED(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message,
                         MPI_Status *status), (from, tag, comm, message, status))
{
    for (int flag = 0, error; must_help();) {
        anypi_operations_move();
        error = anypi_mpi.Improbe(from, tag, comm, &flag, message, status);
        if (flag || error)
            return error;
    }
    return anypi_mpi.Mprobe(from, tag, comm, message, status);
}

/* Programs may poll with these for as long as they like. */
ANYPI_FORWARDED(Iprobe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
                (from, tag, comm, flag, status))
{
    move();
    return anypi_mpi.Iprobe(from, tag, comm, flag, status);
}

ANYPI_FORWARDED(Improbe, (int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                          MPI_Status *status), (from, tag, comm, flag, message, status))
{
    move();
    return anypi_mpi.Improbe(from, tag, comm, flag, message, status);
}

ANYPI_FORWARDED(Win_test, (MPI_Win window, int *flag), (window, flag))
{
    move();
    return anypi_mpi.Win_test(window, flag);
}

ANYPI_FORWARDED(Request_get_status, (MPI_Request request, int *flag, MPI_Status *status),
                (request, flag, status))
{
    move();
    return anypi_mpi.Request_get_status(request, flag, status);
}

/* ---- handles that operations use ---- */

ANYPI_FORWARDED(Cancel, (MPI_Request *request), (request))
{
    anypi_pmpi_load();
    if (!request || !anypi_operation_owns(*request))
        return anypi_mpi.Cancel(request);
    return anypi_state_fail(MPI_COMM_WORLD, MPI_ERR_REQUEST);
}

ANYPI_FORWARDED(Op_free, (MPI_Op *op), (op))
{
    anypi_pmpi_load();
    if (!op || !anypi_operations_keep_op(*op))
        return anypi_mpi.Op_free(op);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

ANYPI_FORWARDED(Type_free, (MPI_Datatype *type), (type))
{
    anypi_pmpi_load();
    if (!type || !anypi_operations_keep_type(*type))
        return anypi_mpi.Type_free(type);
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}
