/* SPDX-License-Identifier: BSD-3-Clause
 *
 * progress - long messages must arrive while their sender is only in collectives, with three ranks:
 * 1. while a message waits that the program has not received yet;
 * 2. while all collectives are so short that none of them waits.
 * Without progress it hangs.
 */
#include "calls.h"

#include <stdio.h>
#include <stdlib.h>

enum { LONG = 1 << 22 };

static int rank;
static char *buffer;

/* Rank 1 joins the collective after it has received from rank 0. */
static void with_a_message_that_waits(void)
{
    MPI_Request request;
    int in = 1, out = 0, early = 7;
    if (rank == 2)
        MPI_Send(&early, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Isend(buffer, LONG, MPI_CHAR, 1, 2, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Recv(buffer, LONG, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(&early, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Ranks 0 and 2 call allreduce until rank 2 has heard that rank 1 has received. */
static void with_short_calls(void)
{
    MPI_Comm pair;
    MPI_Request sent, told;
    int done = 0, all = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1, rank, &pair);
    if (rank == 0)
        MPI_Isend(buffer, LONG, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &sent);
    if (rank == 1) {
        MPI_Recv(buffer, LONG, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&rank, 1, MPI_INT, 2, 4, MPI_COMM_WORLD);
    } else {
        if (rank == 2)
            MPI_Irecv(&all, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, &told);
        for (int any = 0; !any; ) {
            if (rank == 2 && !done)
                MPI_Test(&told, &done, MPI_STATUS_IGNORE);
            MPI_Allreduce(&done, &any, 1, MPI_INT, MPI_MAX, pair);
        }
    }
    if (rank == 0)
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    MPI_Comm_free(&pair);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    buffer = calloc(1, LONG);
    with_a_message_that_waits();
    with_short_calls();
    if (rank == 0)
        printf("progress: %s ran\n", what_ran(ANYP_ALLREDUCE));
    free(buffer);
    return MPI_Finalize();
}
