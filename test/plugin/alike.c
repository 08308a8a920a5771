/* SPDX-License-Identifier: BSD-3-Clause
 *
 * alike - calls that are nearly equal to the call before: data kept of one call must not be used
 * for another. Between the calls, types and operators of the application are freed and made again
 * with another meaning, so that their handles are reused; and communicators, with the ranks in
 * another order.
 */
#include "calls.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { CALLS = 3000, MOST = 6, RANKS = 8 };

static int rank, p;
static uint32_t state = 1;

static unsigned draw(unsigned n)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % n;
}

static void add_twice(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *count * size / (int) sizeof(int); i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static void largest(void *in, void *inout, int *count, MPI_Datatype *type)
{
    int size;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *count * size / (int) sizeof(int); i++)
        if (((int *) in)[i] > ((int *) inout)[i])
            ((int *) inout)[i] = ((int *) in)[i];
}

/* What the rank has at place i. */
static int value(int of, int i)
{
    return (of * 7 + i * 3) % 11;
}

/* Of the first `ranks` ranks. */
static int expected(int ranks, int i, int sum)
{
    int result = sum ? 0 : value(0, i);
    for (int r = 0; r < ranks; r++)
        result = sum ? result + value(r, i) : value(r, i) > result ? value(r, i) : result;
    return result;
}

/* One random call, the same on all ranks. Returns whether it was wrong. */
static int call(MPI_Comm comm)
{
    int in[MOST], out[MOST] = { 0 }, own, place;
    const int per_element = 1 + (int) draw(3), count = 1 + (int) draw(2);
    const int users_type = per_element > 1 || draw(2), users_op = users_type || draw(2);
    const int sum = (int) draw(2), in_place = (int) draw(2), kind = (int) draw(4);
    const int root = (int) draw((unsigned) p);
    MPI_Datatype type = MPI_INT;
    MPI_Op op = sum ? MPI_SUM : MPI_MAX;
    if (users_type) {
        MPI_Type_contiguous(per_element, MPI_INT, &type);
        MPI_Type_commit(&type);
    }
    if (users_op)
        MPI_Op_create(sum ? add_twice : largest, (int) draw(2), &op);
    MPI_Comm_rank(comm, &place);
    own = kind != 1 || place == root;
    for (int i = 0; i < MOST; i++)
        in[i] = out[i] = value(place, i);
    const void *from = in_place && own ? MPI_IN_PLACE : in;
    if (kind == 0)
        MPI_Allreduce(from, out, count, type, op, comm);
    else if (kind == 1)
        MPI_Reduce(from, out, count, type, op, root, comm);
    else if (kind == 2)
        MPI_Scan(from, out, count, type, op, comm);
    else
        MPI_Exscan(from, out, count, type, op, comm);
    const int ranks = kind == 2 ? place + 1 : kind == 3 ? place : p;
    int wrong = 0;
    for (int i = 0; own && i < count * per_element; i++)
        wrong = wrong || out[i] != (ranks ? expected(ranks, i, sum) : in[i]);
    if (users_op)
        MPI_Op_free(&op);
    if (users_type)
        MPI_Type_free(&type);
    return wrong;
}

/* The same with a call that moves blocks: what is sent and received may have different types. */
static int move(MPI_Comm comm)
{
    int in[MOST * RANKS], out[MOST * RANKS], place, wrong = 0;
    const int per_element = 1 + (int) draw(3), count = 1 + (int) draw(2), n = per_element * count;
    const int kind = (int) draw(4), root = (int) draw((unsigned) p), in_place = (int) draw(2);
    int sends = count, blocks = p;
    MPI_Datatype type, sent;
    MPI_Type_contiguous(per_element, MPI_INT, &type);
    MPI_Type_commit(&type);
    sent = type;
    if (draw(2)) {
        sends = n;
        sent = MPI_INT;
    }
    MPI_Comm_rank(comm, &place);
    for (int i = 0; i < n * p; i++) {
        in[i] = value(place, i);
        out[i] = kind == 3 ? in[i] : i / n == place ? value(place, i % n) : -1;
    }
    const void *from = in_place && (kind != 1 || place == root) ? MPI_IN_PLACE : in;
    if (kind == 0)
        MPI_Allgather(from, sends, sent, out, count, type, comm);
    else if (kind == 1)
        MPI_Gather(from, sends, sent, out, count, type, root, comm);
    else if (kind == 2)
        MPI_Scatter(in, sends, sent, in_place && place == root ? MPI_IN_PLACE : out, count, type,
                    root, comm);
    else
        MPI_Alltoall(from, sends, sent, out, count, type, comm);
    if (kind == 1)
        blocks = place == root ? p : 0;
    else if (kind == 2)
        blocks = in_place && place == root ? 0 : 1;
    for (int i = 0; i < n * blocks; i++)
        wrong = wrong || out[i] != (kind == 2 ? value(root, place * n + i)
                                    : value(i / n, kind == 3 ? place * n + i % n : i % n));
    MPI_Type_free(&type);
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong = 0, all;
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < CALLS; i++) {
        if (draw(20) == 0) {
            MPI_Comm_free(&comm);
            MPI_Comm_split(MPI_COMM_WORLD, 0, draw(2) ? rank : -rank, &comm);
        }
        const MPI_Comm where = draw(4) ? comm : MPI_COMM_WORLD;
        wrong += draw(2) ? call(where) : move(where);
    }
    MPI_Comm_free(&comm);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("alike: %s, %s ran\n", all ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    MPI_Finalize();
    return all != 0;
}
