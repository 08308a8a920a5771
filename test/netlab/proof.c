/* SPDX-License-Identifier: BSD-3-Clause
 *
 * proof.c - are the network's times as specified? Within a tenth:
 *
 * - A shift by d: all ranks send S bytes to rank + d and receive as many, for several d and S. On
 *   every rank that must take latency + S / rate, from the time when the rank that sends to it has
 *   begun (so that the skew of the beginning does not count) until it has received and sent.
 * - All ranks send to one, and one to all: latency + (p - 1) S / rate until the last is done, as a
 *   port has one rate however many peers it has.
 *
 * If n ranks are a node and share a port, d is a multiple of n, so that no message stays inside a
 * node: a shift must take latency + n S / rate until the last rank of a node is done; and only the
 * p - n ranks of other nodes send to one, or get from it.
 *
 * Of several repeats the median counts, and a cell that fails is tried again: delays by other work
 * on the machine pass, errors of the network do not.
 */
#include "together.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, MOST_REPEATS = 15, MOST_TRIES = 3, LARGEST = 1 << 20, EACH = 1 << 16 };

static const int sizes[] = { 8, 1024, 8192, 65536, 262144, LARGEST };

/* What is sent: d >= 1 is a shift by d. */
enum { TO_ONE = 0, FROM_ONE = -1 };

typedef struct network {
    double latency, rate, tolerance;
    int rank, p, node_ranks;
    int smallest;               /* bytes of a message that is tried */
    char *send, *receive;
} network;

/* Of the ranks, on rank 0. */
static double begins[MOST_RANKS], ends[MOST_RANKS], times[MOST_RANKS][MOST_REPEATS];

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

/* Posts this rank's messages, and waits for them. */
static void exchange(const network *n, int d, int bytes)
{
    MPI_Request requests[2 * MOST_RANKS];
    MPI_Status statuses[2 * MOST_RANKS];
    int count = 0;
    for (int other = 0; other < n->p; other++) {
        const bool one = n->rank == 0 && other >= n->node_ranks,
            many = n->rank >= n->node_ranks && other == 0;
        if (d > 0 ? other == (n->rank + n->p - d) % n->p : d == TO_ONE ? one : many)
            MPI_Irecv(n->receive + (d > 0 ? 0 : other * EACH), bytes, MPI_BYTE, other, 0,
                      MPI_COMM_WORLD, &requests[count++]);
    }
    for (int other = 0; other < n->p; other++) {
        const bool one = n->rank == 0 && other >= n->node_ranks,
            many = n->rank >= n->node_ranks && other == 0;
        if (d > 0 ? other == (n->rank + d) % n->p : d == TO_ONE ? many : one)
            MPI_Isend(n->send, bytes, MPI_BYTE, other, 0, MPI_COMM_WORLD, &requests[count++]);
    }
    MPI_Waitall(count, requests, statuses);
}

/* Once: fills begins[] and ends[]. */
static void run(const network *n, int d, int bytes)
{
    double late;
    netlab_together(MPI_COMM_WORLD, n->latency, &late);
    const double begin = netlab_clock();
    exchange(n, d, bytes);
    const double end = netlab_clock();
    MPI_Gather(&begin, 1, MPI_DOUBLE, begins, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Gather(&end, 1, MPI_DOUBLE, ends, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* When a port would have begun to send without a break, whose ranks, from this one on, have each
 * begun to send that many seconds of data. */
static double port_begin(const network *n, int first, double each)
{
    double sent = 0;
    qsort(begins + first, (size_t) n->node_ranks, sizeof *begins, ascending);
    for (int r = first; r < first + n->node_ranks; r++)
        sent = fmax(sent, begins[r]) + each;
    return sent - n->node_ranks * each;
}

/* The times of a run, which must all be equal to the ideal one: of each node, or until the last is
 * done. */
static int judge(const network *n, int d, int bytes, int repeat)
{
    const int nodes = n->p / n->node_ranks;
    for (int node = 0; d > 0 && node < nodes; node++) {
        const int first = node * n->node_ranks;
        const double begin = port_begin(n, (first + n->p - d) % n->p, bytes / n->rate);
        double end = ends[first];
        for (int r = first; r < first + n->node_ranks; r++)
            end = fmax(end, ends[r]);
        times[node][repeat] = end - begin;
    }
    if (d > 0)
        return nodes;
    double begin = begins[d == TO_ONE ? n->node_ranks : 0], end = ends[0];
    for (int r = 1; r < n->p; r++) {
        if (d == TO_ONE && r >= n->node_ranks)
            begin = fmin(begin, begins[r]);
        end = fmax(end, ends[r]);
    }
    times[0][repeat] = end - begin;
    return 1;
}

/* One cell of the proof; true, on all ranks, if it holds. `last`: it is not tried again. */
static int cell(const network *n, int d, int bytes, bool last)
{
    const int messages = d > 0 ? n->node_ranks : n->p - n->node_ranks;
    const double ideal = n->latency + messages * bytes / n->rate;
    const int repeats = ideal > 0.05 ? 3 : ideal > 0.02 ? 7 : MOST_REPEATS;
    int good = 1, judged = 0;
    for (int i = 0; i < repeats; i++) {
        run(n, d, bytes);
        if (n->rank == 0)
            judged = judge(n, d, bytes, i);
    }
    if (n->rank == 0) {
        double least = INFINITY, most = 0;
        char shift[32];
        snprintf(shift, sizeof shift, "d=%d", d);
        const char *what = d == TO_ONE ? "to one" : d == FROM_ONE ? "from one" : shift;
        for (int r = 0; r < judged; r++) {
            const double time = median(times[r], repeats);
            least = fmin(least, time);
            most = fmax(most, time);
        }
        good = least >= ideal * (1 - n->tolerance) && most <= ideal * (1 + n->tolerance);
        printf("%s %s %d bytes: %.0f us; measured %.0f to %.0f; %+.1f %% to %+.1f %%\n",
               good ? "holds:" : last ? "FAILED:" : "again:", what, bytes, 1e6 * ideal, 1e6 * least,
               1e6 * most, 100 * (least / ideal - 1), 100 * (most / ideal - 1));
        fflush(stdout);
    }
    MPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return good;
}

static int holds(const network *n, int d, int bytes)
{
    for (int try = 1; try <= MOST_TRIES; try++)
        if (cell(n, d, bytes, try == MOST_TRIES))
            return 1;
    return 0;
}

static int prove(const network *n)
{
    const int nodes = n->p / n->node_ranks;
    const int distances[] = { n->node_ranks, 5 % nodes * n->node_ranks, nodes / 2 * n->node_ranks };
    int good = 1;
    for (int i = 0; i < 3; i++)         /* connections are made on first use */
        run(n, distances[i], 8);
    run(n, TO_ONE, 8);
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++)
        for (int i = 0; good && i < 3; i++)
            good = !distances[i] || (i && distances[i] == distances[0]) ||
                sizes[size] < n->smallest || holds(n, distances[i], sizes[size]);
    return good && holds(n, TO_ONE, EACH) && holds(n, FROM_ONE, EACH);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    network n = { .latency = argc > 2 ? 1e-6 * atof(argv[1]) : 0,
                  .rate = argc > 2 ? atof(argv[2]) : 0,
                  .tolerance = argc > 3 ? atof(argv[3]) : 0.1,
                  .node_ranks = argc > 4 ? atoi(argv[4]) : 1,
                  .smallest = argc > 5 ? atoi(argv[5]) : 0 };
    MPI_Comm_rank(MPI_COMM_WORLD, &n.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n.p);
    if (!(n.latency > 0) || !(n.rate > 0) || n.p < 2 || n.p > MOST_RANKS || n.node_ranks < 1 ||
        n.p % n.node_ranks || n.p == n.node_ranks) {
        if (n.rank == 0)
            fputs("usage: mpiexec -n P netlab enter proof LATENCY_US BYTES_PER_SECOND [TOLERANCE\n"
                  "                                       [RANKS_OF_A_NODE [SMALLEST_BYTES]]]\n"
                  "P from 2 to 64, on two nodes or more. Exit status: 0 if the proof holds, 1 if\n"
                  "not.\n", stderr);
        MPI_Finalize();
        return 2;
    }
    n.send = calloc(1, LARGEST);
    n.receive = malloc(MOST_RANKS * EACH);
    if (!n.send || !n.receive)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const int good = prove(&n);
    free(n.send);
    free(n.receive);
    MPI_Finalize();
    return !good;
}
