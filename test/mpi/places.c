/* SPDX-License-Identifier: BSD-3-Clause
 *
 * places - bcast, allgather and allgatherv where buffers are at unusual places, as MPI allows:
 * sendbuf and recvbuf begin at one address on some ranks only, data are at absolute addresses, and
 * a datatype is made of one of Fortran's kinds; and a reduce whose output, which MPI ignores off
 * the root, is MPI_IN_PLACE there. The algorithms are those of the variables.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 10, MOST = 16 };

static int rank, p, failures;
static int own[COUNT], both[(MOST + 1) * COUNT];

static int value(int of, int i)
{
    return 1000 * of + i + 1;
}

/* Sets this rank's input, also at the beginning of the buffer that is input and output. */
static void prepare(void)
{
    memset(both, 0, sizeof both);
    for (int i = 0; i < COUNT; i++)
        own[i] = both[i] = value(rank, i);
}

/* Are the blocks of the first ranks right? */
static void check(const char *what, const int *blocks, int ranks)
{
    int wrong = 0;
    for (int i = 0; i < ranks * COUNT; i++)
        wrong += blocks[i] != value(i / COUNT, i % COUNT);
    if (wrong)
        fprintf(stderr, "FAILED rank %d of %d: %s: %d elements\n", rank, p, what, wrong);
    failures += wrong > 0;
}

static void set_blocks(int counts[MOST], int displs[MOST], int first, int empty)
{
    for (int i = 0; i < p; i++) {
        counts[i] = i == empty ? 0 : COUNT;
        displs[i] = first + i * COUNT;
    }
}

static void test_one_address(void)
{
    int counts[MOST], displs[MOST], last = p - 1;
    MPI_Datatype behind, block;
    prepare();
    set_blocks(counts, displs, 0, last);
    MPI_Allgatherv(rank == last ? both : own, counts[rank], MPI_INT, both, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    check("one address, no input", both, last);

    prepare();
    set_blocks(counts, displs, COUNT, -1);
    MPI_Allgatherv(rank == 0 ? both : own, COUNT, MPI_INT, both, counts, displs, MPI_INT,
                   MPI_COMM_WORLD);
    check("one address, displacements", both + COUNT, p);

    prepare();
    MPI_Type_create_indexed_block(1, COUNT, &counts[0], MPI_INT, &behind);     /* COUNT behind */
    MPI_Type_create_resized(behind, 0, sizeof own, &block);
    MPI_Type_commit(&block);
    MPI_Allgather(rank == 0 ? both : own, COUNT, MPI_INT, both, 1, block, MPI_COMM_WORLD);
    check("one address, a datatype", both + COUNT, p);
    MPI_Type_free(&behind);
    MPI_Type_free(&block);
}

/* A datatype of COUNT integers at an address; the next one follows them. */
static MPI_Datatype type_at(void *address)
{
    const int length = COUNT;
    MPI_Aint place;
    MPI_Datatype there, type;
    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed(1, &length, &place, MPI_INT, &there);
    MPI_Type_create_resized(there, 0, sizeof own, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&there);
    return type;
}

static void test_absolute(void)
{
    MPI_Datatype in = type_at(own), out = type_at(both);
    prepare();
    MPI_Allgather(MPI_BOTTOM, 1, in, MPI_BOTTOM, 1, out, MPI_COMM_WORLD);
    check("absolute addresses, allgather", both, p);
    prepare();
    MPI_Bcast(MPI_BOTTOM, 1, out, 0, MPI_COMM_WORLD);
    check("absolute addresses, bcast", both, 1);
    MPI_Type_free(&in);
    MPI_Type_free(&out);
}

/* A library without Fortran has no such datatypes, or not the function. */
static void test_kind(void)
{
    int (*make)(int, MPI_Datatype *);
    MPI_Datatype kind = MPI_DATATYPE_NULL, row;
    int size = 0;
    *(void **) &make = dlsym(RTLD_DEFAULT, "MPI_Type_create_f90_integer");
    if (make && make(9, &kind) == MPI_SUCCESS && kind != MPI_DATATYPE_NULL)
        MPI_Type_size(kind, &size);
    if (size != sizeof(int))
        return;
    prepare();
    MPI_Type_contiguous(COUNT, kind, &row);
    MPI_Type_commit(&row);
    MPI_Bcast(both, 1, row, 0, MPI_COMM_WORLD);
    check("a kind of Fortran's", both, 1);
    MPI_Type_free(&row);
}

static void test_ignored(void)
{
    int sum = 0;
    MPI_Reduce(&rank, rank == 0 ? (void *) &sum : MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, 0,
               MPI_COMM_WORLD);
    if (rank == 0 && sum != p * (p - 1) / 2) {
        fprintf(stderr, "FAILED: a reduce with an ignored output: %d\n", sum);
        failures++;
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (p > MOST) {
        fputs("places: too many processes\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    test_one_address();
    test_absolute();
    test_kind();
    test_ignored();
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("places: p=%d: %s\n", p, all ? "FAILED" : "passed");
    MPI_Finalize();
    return all > 0;
}
