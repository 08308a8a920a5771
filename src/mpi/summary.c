/* SPDX-License-Identifier: BSD-3-Clause
 *
 * summary.c - counts calls, bytes and time per collective and algorithm for ANYP_VERBOSE=2. When
 * MPI ends, rank 0 writes the counts of its own calls on all communicators.
 */
#include "mpi/internal.h"

#include "algorithms/registry.h"

#include <pthread.h>
#include <stdio.h>

/* The MPI library's algorithms have one row, after AnyP's. */
enum { OWN = ANYPI_ALGORITHMS };

/* The sums over the calls of a collective by one algorithm. */
typedef struct sum {
    int64_t calls, bytes;
    double seconds;
} sum;

static struct {
    pthread_mutex_t lock;
    sum sums[ANYP_COLLECTIVES][ANYPI_ALGORITHMS + 1];
} counted = { .lock = PTHREAD_MUTEX_INITIALIZER };

void anypi_summary_add(const anypi_job *job)
{
    const double seconds = anypi_mpi.Wtime() - job->begin;
    int count;
    const ptrdiff_t ran = job->entry ? job->entry->algorithm - anyp_algorithms(&count) : OWN;
    pthread_mutex_lock(&counted.lock);
    sum *to = &counted.sums[job->call.collective][ran];
    to->calls++;
    to->bytes += job->call.count * job->call.type_size;
    to->seconds += seconds;
    pthread_mutex_unlock(&counted.lock);
}

void anypi_summary_write(void)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    bool begun = false;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        for (int k = 0; k <= OWN; k++) {
            const sum *from = &counted.sums[i][k];
            if (!from->calls)
                continue;
            if (!begun)
                fprintf(stderr, "anyp: calls of rank 0\nanyp: %-20s %-24s %10s "
                        "%16s %12s\n", "collective", "algorithm", "calls", "bytes", "seconds");
            begun = true;
            fprintf(stderr, "anyp: %-20s %s%-*s %10lld %16lld %12.6f\n",
                    anyp_collective_name((anyp_collective) i), k == OWN ? "" : "anyp_",
                    k == OWN ? 24 : 19, k == OWN ? "the MPI library's" : algorithms[k].name,
                    (long long) from->calls, (long long) from->bytes, from->seconds);
        }
}
