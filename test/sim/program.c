/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - three programs in miniature, for records of their collectives:
 *
 *   solver  short allreduces; each rank computes between them, rank 0 longer, all by chance
 *   fft     alltoalls of large blocks, and a broadcast of parameters
 *   uneven  reduce-scatters of very different blocks, and allgathers, after work that is as uneven
 *
 *   program NAME STEPS
 *
 * Prints the seconds of an average rank: in all collectives; of these the waiting, which is the
 * time that it spends beyond the rank that arrives last at each call; and of the whole run. The
 * clocks of simulated ranks agree, so this is the truth.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 20000 };

static struct {
    int count;
    double begin[MOST], end[MOST];
} calls;

static void begin(void)
{
    if (calls.count == MOST)
        MPI_Abort(MPI_COMM_WORLD, 1);
    calls.begin[calls.count] = MPI_Wtime();
}

static void end(void)
{
    calls.end[calls.count++] = MPI_Wtime();
}

/* A number from 0 to n - 1, of its own on each rank. */
static unsigned draw(unsigned *state, unsigned n)
{
    *state = *state * 1103515245u + 12345u;
    return (*state >> 16) % n;
}

static void solver(int steps, int rank)
{
    double in[2] = { 1, 2 }, out[2];
    unsigned state = 7u + (unsigned) rank;
    for (int i = 0; i < steps; i++) {
        usleep(20 + draw(&state, 20) + (rank == 0 ? 30 : 0));
        begin();
        MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        end();
        usleep(5);
        begin();
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        end();
    }
}

static void fft(int steps, int rank, int p)
{
    enum { BLOCK = 512 };
    double *in = calloc((size_t) p * BLOCK, sizeof *in);
    double *out = calloc((size_t) p * BLOCK, sizeof *out);
    double parameters[16] = { 0 };
    unsigned state = 3u + (unsigned) rank;
    for (int i = 0; in && out && i < steps; i++) {
        usleep(100 + draw(&state, 100));
        begin();
        MPI_Alltoall(in, BLOCK, MPI_DOUBLE, out, BLOCK, MPI_DOUBLE, MPI_COMM_WORLD);
        end();
        usleep(50);
        begin();
        MPI_Bcast(parameters, 16, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        end();
    }
    free(in);
    free(out);
}

static void uneven(int steps, int rank, int p)
{
    int sum = 0, *counts = calloc((size_t) p, sizeof *counts);
    for (int i = 0; counts && i < p; i++)
        sum += counts[i] = 100 * (i + 1);
    double *in = calloc((size_t) sum, sizeof *in), *out = calloc((size_t) sum, sizeof *out);
    for (int i = 0; counts && in && out && i < steps; i++) {
        usleep((unsigned) (50 + 10 * rank));
        begin();
        MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        end();
        usleep((unsigned) (50 + 10 * (p - rank)));
        begin();
        MPI_Allgather(in, 32, MPI_DOUBLE, out, 32, MPI_DOUBLE, MPI_COMM_WORLD);
        end();
    }
    free(counts);
    free(in);
    free(out);
}

/* The truth of all calls, by functions that are not recorded. */
static void report(double seconds, int rank, int p)
{
    struct {
        double begin;
        int rank;
    } own, last;
    double sums[3] = { 0, 0, seconds }, all[3];
    for (int i = 0; i < calls.count; i++) {
        own.begin = calls.begin[i];
        own.rank = rank;
        PMPI_Allreduce(&own, &last, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
        sums[0] += calls.end[i] - calls.begin[i];
        sums[1] += rank == last.rank ? calls.end[i] - calls.begin[i] : 0;
    }
    PMPI_Reduce(sums, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("calls %g waiting %g run %g\n", all[0] / p, all[0] / p - all[1], all[2] / p);
}

int main(int argc, char **argv)
{
    int rank, p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const int steps = argc == 3 ? atoi(argv[2]) : 0;
    const double from = MPI_Wtime();
    if (steps > 0 && !strcmp(argv[1], "solver"))
        solver(steps, rank);
    else if (steps > 0 && !strcmp(argv[1], "fft"))
        fft(steps, rank, p);
    else if (steps > 0 && !strcmp(argv[1], "uneven"))
        uneven(steps, rank, p);
    else
        MPI_Abort(MPI_COMM_WORLD, 2);
    report(MPI_Wtime() - from, rank, p);
    MPI_Finalize();
    return 0;
}
