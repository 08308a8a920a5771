/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorded.c - a program whose record is known: test/plugin/record compares it.
 *
 *   recorded [abort | threads | phases]   end by MPI_Abort; call from two threads at once, in
 *                                         phases; call in phases, and when the record is paused
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64, LENGTH = 4096 };

static int p, rank;
static double in[MOST * LENGTH], out[MOST * LENGTH];

static void add(void *a, void *b, int *length, MPI_Datatype *type)
{
    (void) type;
    for (int i = 0; i < *length; i++)
        ((double *) b)[i] += ((double *) a)[i];
}

static void blocking(MPI_Comm comm)
{
    MPI_Op ordered;
    MPI_Datatype pair;
    int counts[MOST], displs[MOST];
    MPI_Op_create(add, 0, &ordered);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    for (int i = 0; i < p; i++) {
        counts[i] = i == 0 ? p : 0;
        displs[i] = i * LENGTH;
    }
    for (int i = 0; i < 10; i++) {
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Allreduce(MPI_IN_PLACE, out, 8, MPI_DOUBLE, ordered, comm);
        MPI_Bcast(in, 3, pair, i % p, comm);
        MPI_Reduce(in, out, 2, MPI_INT, MPI_MAX, p - 1, comm);
        MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
        MPI_Gather(in, 5, MPI_INT, out, 5, MPI_INT, 0, comm);
        MPI_Alltoall(in, 2, MPI_DOUBLE, out, 2, MPI_DOUBLE, comm);
        MPI_Alltoallv(in, counts, displs, MPI_INT, out, counts, displs, MPI_INT, MPI_COMM_SELF);
        MPI_Barrier(comm);
    }
    for (int i = 0; i < 3000; i++)      /* more sizes than a file has kinds */
        MPI_Scan(in, out, 1 + i, MPI_BYTE, MPI_BOR, MPI_COMM_SELF);
    MPI_Type_free(&pair);
    MPI_Op_free(&ordered);
}

static void nonblocking(MPI_Comm comm)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    int index, flag = 0, indices[3], done = 0;
    for (int i = 0; i < 4; i++) {
        MPI_Iallreduce(in, out, 4, MPI_DOUBLE, MPI_SUM, comm, &requests[0]);
        MPI_Ibarrier(comm, &requests[1]);
        MPI_Irecv(out + LENGTH, 1, MPI_INT, (rank + p - 1) % p, 0, comm, &requests[2]);
        MPI_Send(in, 1, MPI_INT, (rank + 1) % p, 0, comm);
        if (i == 0)
            MPI_Waitall(3, requests, statuses);
        else if (i == 1)
            for (int k = 0; k < 3; k++)
                MPI_Waitany(3, requests, &index, statuses);
        else if (i == 2)
            for (int all = 0; all < 3; all += done)
                MPI_Waitsome(3, requests, &done, indices, statuses);
        else
            for (flag = 0; !flag; )
                MPI_Testall(3, requests, &flag, statuses);
    }
#if MPI_VERSION >= 4
    MPI_Allreduce_init(in, out, 16, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &requests[0]);
    for (int i = 0; i < 6; i++) {
        MPI_Start(&requests[0]);
        MPI_Wait(&requests[0], statuses);
    }
    MPI_Request_free(&requests[0]);
#endif
}

static void neighbors(void)
{
    MPI_Comm ring;
    const int sizes[] = { p }, periodic[] = { 1 };
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periodic, 0, &ring);
    for (int i = 0; i < 7; i++)
        MPI_Neighbor_alltoall(in, 3, MPI_DOUBLE, out, 3, MPI_DOUBLE, ring);
    MPI_Comm_free(&ring);
}

static void *call(void *comm)
{
    double own = 1, sum;
    for (int i = 0; i < 1000; i++) {
        MPI_Pcontrol(2 + i % 2);
        MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, *(MPI_Comm *) comm);
    }
    return NULL;
}

static void threads(void)
{
    pthread_t other;
    MPI_Comm comms[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    pthread_create(&other, NULL, call, &comms[1]);
    call(&comms[0]);
    pthread_join(other, NULL);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

static void allreduces(int count)
{
    for (int i = 0; i < count; i++)
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void phases(void)
{
    MPI_Request request;
    MPI_Pcontrol(0);
    allreduces(5);
    MPI_Pcontrol(-1);           /* changes nothing */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    allreduces(4);
    MPI_Pcontrol(2, "a name that is ignored");
    allreduces(30);
    MPI_Pcontrol(-1);
    allreduces(1);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    /* some of these calls are samples, of which rank 0 is also a part */
    MPI_Pcontrol(rank ? 3 : 0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    allreduces(1000);
    MPI_Pcontrol(3);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(0);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#if MPI_VERSION >= 4
    MPI_Allreduce_init(in, out, 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    for (int i = 0; i < 9; i++) {
        MPI_Pcontrol(i < 2 ? 0 : i < 5 ? 2 : 3);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&request);
#endif
    for (int i = 0; i < 40; i++) {      /* more than a record has */
        MPI_Pcontrol(1000 + i);
        MPI_Bcast(in, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int level;
    const char *what = argc > 1 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, strcmp(what, "threads") ? MPI_THREAD_SINGLE :
                    MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!strcmp(what, "threads")) {
        threads();
    } else if (!strcmp(what, "phases")) {
        phases();
    } else {
        blocking(MPI_COMM_WORLD);
        nonblocking(MPI_COMM_WORLD);
        neighbors();
    }
    if (!strcmp(what, "abort"))
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    if (rank == 0)
        printf("MPI %d\n", MPI_VERSION);
    return 0;
}
