/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_tree.h - reductions whose bits do not depend on the number of processes. A program has N
 * contributions, such as the elements of an array, on p <= N processes:
 *
 *   1. Each process reduces the run of contributions that anyp_tree_run() gives it, with
 *      anyp_tree_sum() or anyp_reduce_local_tree().
 *   2. A reproducible reduction of AnyP's (ANYP_REPRODUCIBLE=1, see anyp-reproducible(7)) reduces
 *      the p results.
 *
 * The result then has the same bits for every p. Both steps bracket by one tree: T(1) = x0, and
 * T(n) = T(the first ceil(n/2)) (+) T(the other floor(n/2)). The top of the tree of N contributions
 * is the tree of p.
 *
 * All functions are inline, for C99 and C++: nothing is linked. Include mpi.h first to define
 * anyp_reduce_local_tree(). Arguments are not checked.
 */
#ifndef ANYP_TREE_H_INCLUDED
#define ANYP_TREE_H_INCLUDED

#include <stdint.h>

/* Sets the run of a rank, 0 <= rank < p, among n >= p contributions: *first to *end - 1, counted
 * from 0. No run is empty, and the runs of all ranks follow each other. If the smallest run has k
 * contributions, the largest has at most 2k + 2. */
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

/* Returns the sum of n >= 1 numbers by the tree. Its rounding error grows only with log2 n. */
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
 * accepts. Vector i begins i * stride bytes after `vectors`. The result replaces the last vector;
 * the others are overwritten. Returns MPI_SUCCESS, or the error code of MPI_Reduce_local(). */
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
