/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_tree.h - reproducible results for any number of processes: see anyp-reproducible(7).
 *
 * AnyP's reproducible reductions bracket the contributions of p processes by a tree that depends on
 * p only: T(1) = x0, T(n) = T(the first ceil(n/2)) (+) T(the other floor(n/2)). The tree of N >= p
 * contributions has that of p at its top. So if each process reduces by the tree the run of the N
 * contributions that anyp_tree_run() gives it, and MPI then reduces the p results, the bits are
 * those of T(N), whatever p is.
 *
 * All functions are inline: nothing is linked. For C99 and C++. anyp_reduce_local_tree() is defined
 * if mpi.h has been included before.
 */
#ifndef ANYP_TREE_H_INCLUDED
#define ANYP_TREE_H_INCLUDED

#include <stdint.h>

/* The run of rank 0 <= rank < p among n >= p contributions: *first .. *end - 1, never empty. The
 * runs of all ranks follow each other. If the smallest has k contributions, the largest has 2k + 2
 * at most. */
static inline void anyp_tree_run(int64_t n, int p, int rank, int64_t *first, int64_t *end)
{
    *first = 0;
    while (p > 1) {
        const int ranks = p - p / 2;
        const int64_t left = n - n / 2;
        if (rank < ranks) {
            p = ranks;
            n = left;
        } else {
            rank -= ranks;
            p -= ranks;
            *first += left;
            n -= left;
        }
    }
    *end = *first + n;
}

/* The sum of n >= 1 numbers by the tree. Its error grows with log2 n only. */
static inline double anyp_tree_sum(const double *values, int64_t n)
{
    if (n == 1)
        return values[0];
    if (n == 2)
        return values[0] + values[1];
    if (n == 3)
        return (values[0] + values[1]) + values[2];
    return anyp_tree_sum(values, n - n / 2) + anyp_tree_sum(values + (n - n / 2), n / 2);
}

#ifdef MPI_VERSION
/* Reduces n >= 1 vectors of `count` elements by the tree, with any operator that MPI_Reduce_local()
 * accepts. Vector i begins `stride` bytes after vector i - 1. All are overwritten; the result is
 * the last one. Returns an MPI error code. */
static inline int anyp_reduce_local_tree(void *vectors, int64_t n, MPI_Aint stride, int count,
                                         MPI_Datatype datatype, MPI_Op op)
{
    const int64_t left = n - n / 2;
    char *const right = (char *) vectors + left * stride;
    int error = MPI_SUCCESS;
    if (n == 1)
        return error;
    error = anyp_reduce_local_tree(vectors, left, stride, count, datatype, op);
    if (error == MPI_SUCCESS)
        error = anyp_reduce_local_tree(right, n - left, stride, count, datatype, op);
    if (error == MPI_SUCCESS)
        error = MPI_Reduce_local(right - stride, right + (n - left - 1) * stride, count, datatype,
                                 op);
    return error;
}
#endif

#endif
