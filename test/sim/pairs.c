/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The byte at position k of the block from rank i to rank j is one of (i, j) plus k.
 */
#include "pairs.h"

#include "measure/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank sends, or what it receives: a block for each rank, one after the other */
typedef struct side {
    int *counts, *displs;
    int bytes;
    unsigned char *data;        /* with a byte more at the end */
} side;

static const unsigned char untouched = 0xA5;

static anyp_collective collective;
static int p, rank;
static side sent, received;

static unsigned char first_byte(int from, int to)
{
    return (unsigned char) anypi_sizes_mix((uint32_t) from * 1024 + (uint32_t) to);
}

/* Does the collective move a block from one of the ranks to the other? */
static bool moved(int from, int to)
{
    return collective == ANYP_ALLTOALLV || (collective == ANYP_GATHERV ? to : from) == 0;
}

static void *room(size_t bytes)
{
    void *made = malloc(bytes);
    if (!made) {
        fprintf(stderr, "time: no memory on rank %d\n", rank);
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    return made;
}

static void prepare(side *one, bool sends, anypi_sizes kind, int64_t mean)
{
    free(one->counts);
    free(one->displs);
    free(one->data);
    one->counts = room((size_t) p * sizeof *one->counts);
    one->displs = room((size_t) p * sizeof *one->displs);
    one->bytes = 0;
    for (int r = 0; r < p; r++) {
        const int from = sends ? rank : r, to = sends ? r : rank;
        one->displs[r] = one->bytes;
        one->counts[r] = moved(from, to) ? (int) anypi_sizes_bytes(kind, from, to, mean) : 0;
        one->bytes += one->counts[r];
    }
    one->data = room((size_t) one->bytes + 1);
}

void pairs_prepare(anyp_collective its, anypi_sizes kind, int64_t mean)
{
    PMPI_Comm_size(MPI_COMM_WORLD, &p);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    collective = its;
    prepare(&sent, true, kind, mean);
    prepare(&received, false, kind, mean);
}

void pairs_fill(void)
{
    for (int r = 0; r < p; r++) {
        unsigned char *block = sent.data + sent.displs[r];
        for (int k = 0; k < sent.counts[r]; k++)
            block[k] = (unsigned char) (first_byte(rank, r) + k);
    }
    memset(received.data, untouched, (size_t) received.bytes + 1);
}

int pairs_call(MPI_Comm comm)
{
    const bool to_all = collective == ANYP_SCATTERV;
    const anypi_mpi_call one = {
        .collective = collective, .in = sent.data, .in_counts = sent.counts,
        .in_displs = sent.displs, .in_count = sent.counts[0], .in_type = MPI_BYTE,
        .out = received.data, .counts = received.counts,
        .displs = to_all ? sent.displs : received.displs, .type = MPI_BYTE, .comm = comm };
    return anypi_call_blocking(&one);
}

bool pairs_right(void)
{
    bool same = received.data[received.bytes] == untouched;
    for (int r = 0; r < p; r++) {
        const unsigned char *block = received.data + received.displs[r];
        for (int k = 0; k < received.counts[r]; k++)
            same &= block[k] == (unsigned char) (first_byte(r, rank) + k);
    }
    return same;
}
