/* SPDX-License-Identifier: BSD-3-Clause
 *
 * waits - nonblocking collectives of AnyP while the program is in other functions of MPI. In each
 * case rank 0 begins an allreduce and then waits elsewhere, for something that the other ranks do
 * only after the allreduce, which needs rank 0. So a case ends only if operations progress there.
 * Then what a program may do with requests and handles. Rank 0 prints "waits: right".
 *
 *   usage: mpiexec -n P waits       P > 1, with an algorithm of several rounds for allreduce
 */
#include <mpi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 30000, MANY = 1500, TAG = 3 };

static int rank, p, in[COUNT], out[COUNT], moved[COUNT];
static MPI_Comm comm, other;
static const char *name = "";

static void fail(const char *what)
{
    fprintf(stderr, "waits: rank %d: %s: %s\n", rank, name, what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void check_sum(const int *sum, int count, int times)
{
    for (int i = 0; i < count; i++)
        if (sum[i] != times * (p * (p - 1) / 2 + p * i))
            fail("a wrong sum");
}

static MPI_Request begin(void)
{
    MPI_Request request;
    memset(out, 0, sizeof out);
    MPI_Iallreduce(in, out, COUNT, MPI_INT, MPI_SUM, comm, &request);
    return request;
}

static void end(MPI_Request *request)
{
    if (MPI_Wait(request, MPI_STATUS_IGNORE) || *request != MPI_REQUEST_NULL)
        fail("MPI_Wait");
    check_sum(out, COUNT, 1);
}

/* ---- functions that wait. The others do the same after the allreduce; rank 1 has the messages. */

static void wait_recv(void)
{
    if (rank == 0)
        MPI_Recv(moved, COUNT, MPI_INT, 1, TAG, comm, MPI_STATUS_IGNORE);
    else if (rank == 1)
        MPI_Send(in, COUNT, MPI_INT, 0, TAG, comm);
}

static void wait_send(void)
{
    if (rank == 0)
        MPI_Send(in, COUNT, MPI_INT, 1, TAG, comm);
    else if (rank == 1)
        MPI_Recv(moved, COUNT, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
}

static void wait_ssend(void)
{
    if (rank == 0)
        MPI_Ssend(in, 1, MPI_INT, 1, TAG, comm);
    else if (rank == 1)
        MPI_Recv(moved, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
}

static void wait_sendrecv(void)
{
    if (rank < 2)
        MPI_Sendrecv(in, COUNT, MPI_INT, 1 - rank, TAG, moved, COUNT, MPI_INT, 1 - rank, TAG, comm,
                     MPI_STATUS_IGNORE);
}

static void wait_replace(void)
{
    memcpy(moved, in, sizeof moved);
    if (rank < 2)
        MPI_Sendrecv_replace(moved, COUNT, MPI_INT, 1 - rank, TAG, 1 - rank, TAG, comm,
                             MPI_STATUS_IGNORE);
    if (rank < 2 && moved[0] != 1 - rank)
        fail("wrong data");
}

static void wait_probe(void)
{
    MPI_Status status;
    if (rank == 0)
        MPI_Probe(1, TAG, comm, &status);
    wait_recv();
}

static void wait_mprobe(void)
{
    MPI_Message message;
    if (rank == 0) {
        MPI_Mprobe(1, TAG, comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(moved, COUNT, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        wait_recv();
    }
}

static void wait_iprobe(void)
{
    int flag = 0;
    while (rank == 0 && !flag)
        MPI_Iprobe(1, TAG, comm, &flag, MPI_STATUS_IGNORE);
    wait_recv();
}

static void wait_waitany(void)
{
    MPI_Request requests[2] = { MPI_REQUEST_NULL, MPI_REQUEST_NULL };
    int index;
    if (rank == 0) {
        MPI_Irecv(moved, COUNT, MPI_INT, 1, TAG, comm, &requests[1]);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        if (index != 1)
            fail("MPI_Waitany");
    } else {
        wait_recv();
    }
}

static void wait_barrier(void)
{
    MPI_Barrier(comm);          /* the library's */
}

static void wait_bcast(void)
{
    MPI_Bcast(moved, COUNT, MPI_INT, p - 1, comm);      /* the library's */
}

static void wait_allreduce(void)
{
    MPI_Allreduce(in, moved, COUNT, MPI_INT, MPI_SUM, other);   /* AnyP's */
    check_sum(moved, COUNT, 1);
}

static void wait_dup(void)
{
    MPI_Comm made;
    MPI_Comm_dup(other, &made);
    MPI_Comm_free(&made);
}

static void wait_split(void)
{
    MPI_Comm made;
    MPI_Comm_split(comm, 0, -rank, &made);
    MPI_Comm_free(&made);
}

static void wait_window(void)
{
    MPI_Win window;
    MPI_Win_create(moved, sizeof moved, 1, MPI_INFO_NULL, comm, &window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
}

static const struct {
    const char *name;
    void (*run)(void);
} waits[] = {
    { "MPI_Recv", wait_recv }, { "MPI_Send", wait_send }, { "MPI_Ssend", wait_ssend },
    { "MPI_Sendrecv", wait_sendrecv }, { "MPI_Sendrecv_replace", wait_replace },
    { "MPI_Probe", wait_probe }, { "MPI_Mprobe", wait_mprobe },
    { "MPI_Iprobe", wait_iprobe }, { "MPI_Waitany", wait_waitany }, { "MPI_Barrier", wait_barrier },
    { "MPI_Bcast", wait_bcast }, { "MPI_Allreduce", wait_allreduce }, { "MPI_Comm_dup", wait_dup },
    { "MPI_Comm_split", wait_split }, { "MPI_Win_create", wait_window },
};

/* ---- requests ---- */

static void many_at_once(void)
{
    static int one[MANY], sums[MANY];
    static MPI_Request requests[MANY];
    static MPI_Status statuses[MANY];
    for (int i = 0; i < MANY; i++) {
        one[i] = rank + i;
        MPI_Iallreduce(&one[i], &sums[i], 1, MPI_INT, MPI_SUM, comm, &requests[i]);
    }
    MPI_Waitall(MANY, requests, statuses);
    check_sum(sums, MANY, 1);
}

static void get_status(void)
{
    MPI_Request request = begin();
    int flag = 0;
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    end(&request);
}

static void cancel(void)
{
    MPI_Request request;
    MPI_Errhandler before;
    if (rank)                   /* rank 0's operation is not complete */
        MPI_Recv(moved, 1, MPI_INT, 0, TAG, comm, MPI_STATUS_IGNORE);
    request = begin();
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!rank && MPI_Cancel(&request) == MPI_SUCCESS)
        fail("MPI_Cancel accepts a collective");
    for (int i = 1; !rank && i < p; i++)
        MPI_Send(moved, 1, MPI_INT, i, TAG, comm);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before);
    MPI_Errhandler_free(&before);
    end(&request);
}

static void add(void *from, void *to, int *count, MPI_Datatype *type)
{
    int length;
    MPI_Type_size(*type, &length);
    for (int i = 0; i < *count * length / (int) sizeof(int); i++)
        ((int *) to)[i] += ((int *) from)[i];
}

static void freed_handles(void)
{
    MPI_Request request;
    MPI_Comm made;
    MPI_Datatype pair;
    MPI_Op op;
    MPI_Comm_dup(comm, &made);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add, 1, &op);
    memset(out, 0, sizeof out);
    MPI_Iallreduce(in, out, COUNT / 2, pair, op, made, &request);
    MPI_Type_free(&pair);
    MPI_Op_free(&op);
    MPI_Comm_free(&made);
    if (pair != MPI_DATATYPE_NULL || op != MPI_OP_NULL || made != MPI_COMM_NULL)
        fail("freed handles are not null");
    end(&request);
}

#if MPI_VERSION >= 4
/* Ranks start them in different orders; one is freed while it is under way. */
static void persistent(void)
{
    enum { N = 3 };
    static int result[N][COUNT];
    MPI_Request requests[N], turned[N];
    MPI_Status statuses[N];
    for (int i = 0; i < N; i++)
        MPI_Allreduce_init(in, result[i], COUNT, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL,
                           &requests[i]);
    for (int turn = 0; turn < 3; turn++) {
        memset(result, 0, sizeof result);
        if (turn == 1) {
            MPI_Startall(N, requests);
        } else {
            for (int i = 0; i < N; i++)
                MPI_Start(&requests[(i + rank) % N]);
        }
        MPI_Waitall(N, requests, statuses);
        for (int i = 0; i < N; i++)
            check_sum(result[i], COUNT, 1);
    }
    for (int i = 0; i < N; i++) {
        MPI_Start(&requests[i]);
        turned[i] = requests[i];
        if (i > 0)
            MPI_Wait(&turned[i], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < N; i++)
        MPI_Request_free(&requests[i]);
    MPI_Barrier(comm);
    for (int i = 0; i < 600; i++) {     /* tags are used again */
        MPI_Allreduce_init(in, out, 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
        MPI_Request_free(&requests[0]);
    }
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < COUNT; i++)
        in[i] = rank + i;
    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < sizeof waits / sizeof waits[0]; i++) {
            name = waits[i].name;
            MPI_Request request = begin();
            if (rank)
                end(&request);
            waits[i].run();
            if (!rank)
                end(&request);
        }
    name = "many at once";
    many_at_once();
    name = "MPI_Request_get_status";
    get_status();
    name = "MPI_Cancel";
    cancel();
    name = "freed handles";
    freed_handles();
#if MPI_VERSION >= 4
    name = "persistent";
    persistent();
#endif
    MPI_Comm_free(&other);
    MPI_Comm_free(&comm);
    if (!rank)
        puts("waits: right");
    MPI_Finalize();
    return 0;
}
