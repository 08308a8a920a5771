/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

/* What rank has as element i. */
static int value(int rank, int i)
{
    return 3 * rank + i % 1000 + 1;
}

/* Are the elements from `first` on the sums of the first `ranks` ranks? */
static bool is_right(const int *got, int first, int count, int ranks)
{
    for (int i = 0; i < count; i++)
        if (got[i] != ranks * value(0, first + i) + 3 * (ranks * (ranks - 1) / 2))
            return false;
    return true;
}

int call_all(MPI_Comm comm, int count)
{
    int rank, p, errors[ANYP_REDUCTIONS];
    bool right = true;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    const int all = count * p, root = p / 2;
    int *in = malloc(sizeof *in * (size_t) (all + 1));
    int *out = malloc(sizeof *out * (size_t) (all + 1));
    int *counts = malloc(sizeof *counts * (size_t) p);
    for (int i = 0; i < all; i++)
        in[i] = value(rank, i);
    for (int i = 0; i < p; i++)
        counts[i] = count;

    errors[ANYP_ALLREDUCE] = MPI_Allreduce(in, out, all, MPI_INT, MPI_SUM, comm);
    right = right && is_right(out, 0, all, p);
    out[0] = 0;
    errors[ANYP_REDUCE] =
        MPI_Reduce(in, rank == root ? out : NULL, all, MPI_INT, MPI_SUM, root, comm);
    right = right && (rank != root || is_right(out, 0, all, p));
    out[0] = 0;
    errors[ANYP_REDUCE_SCATTER] = MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, comm);
    right = right && is_right(out, rank * count, count, p);
    out[0] = 0;
    errors[ANYP_REDUCE_SCATTER_BLOCK] =
        MPI_Reduce_scatter_block(in, out, count, MPI_INT, MPI_SUM, comm);
    right = right && is_right(out, rank * count, count, p);
    out[0] = 0;
    errors[ANYP_SCAN] = MPI_Scan(in, out, all, MPI_INT, MPI_SUM, comm);
    right = right && is_right(out, 0, all, rank + 1);
    out[0] = 0;
    errors[ANYP_EXSCAN] = MPI_Exscan(in, out, all, MPI_INT, MPI_SUM, comm);
    right = right && (rank ? is_right(out, 0, all, rank) : out[0] == 0);

    free(in);
    free(out);
    free(counts);
    for (int i = 0; i < ANYP_REDUCTIONS; i++)
        if (errors[i])
            return errors[i];
    return right ? MPI_SUCCESS : -1;
}

const char *what_ran(anyp_collective collective)
{
    static const char *const names[ANYP_COLLECTIVES] = {
#define ANYP_COLLECTIVE(NAME, Name, name, ...) [ANYP_##NAME] = #name,
#include "schedule/collectives.def"
    };
    const char *(*last)(const char *);
    *(void **) &last = dlsym(RTLD_DEFAULT, "anyp_control_last");
    if (!last)
        return "none";
    const char *algorithm = last(names[collective]);
    return algorithm ? algorithm : "own";
}
