/* SPDX-License-Identifier: BSD-3-Clause
 *
 * proof.c - does this network take the time that it claims to? A shift by d: all ranks send S bytes
 * to rank + d and receive as many, for several d and S. On every rank that must take latency +
 * S / rate, within a tenth.
 *
 * The time of a rank is from when the rank that sends to it has begun, so that the skew of the
 * beginning does not count, until it has received and sent. Of several repeats the median counts,
 * and a cell that does not hold is tried again: other work on the machine that keeps a rank waiting
 * goes by, a network that is not what it claims to be stays.
 */
#include "together.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 15, MOST_TRIES = 3, LARGEST = 1 << 20 };

static const int sizes[] = { 8, 1024, 8192, 65536, 262144, LARGEST };

typedef struct network {
    double latency, rate, tolerance;
} network;

static int ascending(const void *one, const void *other)
{
    const double a = *(const double *) one, b = *(const double *) other;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t) count, sizeof *values, ascending);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* One shift; begin and end of all ranks into begins[], ends[] of rank 0. */
static void shift(const network *n, int d, int bytes, char *buffers, double *begins, double *ends)
{
    int rank, p;
    double late;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    netlab_together(MPI_COMM_WORLD, n->latency, &late);
    const double begin = netlab_clock();
    MPI_Sendrecv(buffers, bytes, MPI_BYTE, (rank + d) % p, 0, buffers + LARGEST, bytes, MPI_BYTE,
                 (rank + p - d) % p, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double end = netlab_clock();
    MPI_Gather(&begin, 1, MPI_DOUBLE, begins, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&end, 1, MPI_DOUBLE, ends, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* One cell of the proof; true, on all ranks, if it holds. `last`: it is not tried again. */
static int cell(const network *n, int d, int bytes, char *buffers, bool last)
{
    static double times[64][MOST_REPEATS];
    double begins[64], ends[64];
    const double ideal = n->latency + bytes / n->rate;
    const int repeats = ideal > 0.05 ? 3 : ideal > 0.02 ? 7 : MOST_REPEATS;
    int rank, p, good = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    for (int i = 0; i < repeats; i++) {
        shift(n, d, bytes, buffers, begins, ends);
        for (int r = 0; !rank && r < p; r++)
            times[r][i] = ends[r] - begins[(r + p - d) % p];
    }
    if (!rank) {
        double least = INFINITY, most = 0;
        int slowest = 0;
        for (int r = 0; r < p; r++) {
            const double time = median(times[r], repeats);
            least = fmin(least, time);
            slowest = time > most ? r : slowest;
            most = fmax(most, time);
        }
        good = least >= ideal * (1 - n->tolerance) && most <= ideal * (1 + n->tolerance);
        printf("%s d=%d %d bytes: %.0f us, ranks took %.0f to %.0f, %+.1f %% to %+.1f %% (rank "
               "%d)\n", good ? "holds:" : last ? "FAILED:" : "again:", d, bytes, 1e6 * ideal, 1e6 * least,
               1e6 * most, 100 * (least / ideal - 1), 100 * (most / ideal - 1), slowest);
        fflush(stdout);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, p, good = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    const network n = { .latency = argc > 2 ? 1e-6 * atof(argv[1]) : 0,
                        .rate = argc > 2 ? atof(argv[2]) : 0,
                        .tolerance = argc > 3 ? atof(argv[3]) : 0.1 };
    if (!(n.latency > 0) || !(n.rate > 0) || p > 64) {
        if (!rank)
            fputs("usage: mpiexec -n P netlab enter proof LATENCY_US BYTES_PER_SECOND [TOLERANCE]\n"
                  "P at most 64. Exit status: 0 if the proof holds, 1 if not.\n", stderr);
        MPI_Finalize();
        return 2;
    }
    char *buffers = calloc(2, LARGEST);
    if (!buffers)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const int distances[] = { 1, 5, p / 2 };
    double begins[64], ends[64];
    for (int i = 0; i < 3; i++)         /* connections are made on first use */
        shift(&n, distances[i] % p, 8, buffers, begins, ends);
    for (size_t size = 0; good && size < sizeof sizes / sizeof *sizes; size++)
        for (int i = 0; good && i < 3; i++) {
            good = 0;
            for (int try = 1; !good && try <= MOST_TRIES; try++)
                good = cell(&n, distances[i] % p, sizes[size], buffers, try == MOST_TRIES);
        }
    free(buffers);
    MPI_Finalize();
    return !good;
}
