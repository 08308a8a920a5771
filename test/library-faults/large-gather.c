/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: MPI_Igather of large blocks fails, or writes beyond its buffer, because the size of the
 * buffer that a process inside the binomial tree allocates is an int.
 *
 * The process has room for the blocks of all processes below it. Here rank 4 of 8 receives three
 * blocks of 716 million bytes each: 2,148 million bytes are more than an int holds.
 *
 * Releases: 4.0.2, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   LIBRARY_FAULT_LARGE=1 mpiexec -n 8 ./large-gather
 *
 * The root needs 6 GB of memory, rank 4 needs 2 GB. The program forces the algorithm with
 * MPIR_CVAR_IGATHER_INTRA_ALGORITHM=sched_binomial.
 */
#include "fault.h"

enum { CHUNK = 1000000, CHUNKS = 716 };

int main(void)
{
    static char chunk[CHUNK];
    const size_t block = (size_t) CHUNK * CHUNKS;
    int wrong;
    char *all = NULL;
    MPI_Datatype same;          /* the same memory many times, so that senders need little */
    MPI_Request request;
    if (!getenv("LIBRARY_FAULT_LARGE"))
        cannot_run("it needs 9 GB of memory; set LIBRARY_FAULT_LARGE=1");
    set_variable("MPIR_CVAR_IGATHER_INTRA_ALGORITHM", "sched_binomial");
    begin(8);
    if (rank == 0 && !(all = malloc((size_t) size * block)))
        cannot_run("too little memory");
    expect_crash();
    alarm(100);                 /* 6 GB take their time */
    memset(chunk, 'a' + rank, CHUNK);
    MPI_Type_create_hvector(CHUNKS, CHUNK, 0, MPI_CHAR, &same);
    MPI_Type_commit(&same);
    wrong = MPI_Igather(chunk, 1, same, all, (int) block, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
    if (!wrong)
        wrong = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (wrong) {                /* the other processes would wait for this one */
        puts("shows: MPI_Igather returns an error");
        fflush(stdout);
        decided = 1;
        MPI_Abort(MPI_COMM_WORLD, SHOWS);
    }
    for (int i = 0; rank == 0 && i < size; i++)
        wrong |= all[i * block] != 'a' + i || all[(i + 1) * block - 1] != 'a' + i;
    verdict(wrong != 0, "MPI_Igather: wrong data");
}
