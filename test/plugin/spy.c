/* SPDX-License-Identifier: BSD-3-Clause
 *
 * spy - another tool, preloaded in front of the plug-in: counts the calls of MPI's functions that
 * it sees, and forwards each to the next library. Rank 0 writes the counts after MPI_Finalize. With
 * and without the plug-in they must be those of the application.
 */
#include <mpi.h>

#include <dlfcn.h>
#include <stdio.h>

static int rank = -1;

typedef struct count {
    struct count *next;
    const char *name;
    long calls;
} count;

static count *counts;

static void *next(count *seen, const char *name)
{
    if (!seen->name) {
        seen->name = name;
        seen->next = counts;
        counts = seen;
    }
    seen->calls++;
    return dlsym(RTLD_NEXT, name);
}

#define SPY(name, parameters, arguments)                                                           \
    int MPI_##name parameters                                                                      \
    {                                                                                              \
        static count seen;                                                                         \
        int(*function) parameters;                                                                 \
        *(void **) &function = next(&seen, "MPI_" #name);                                          \
        return function arguments;                                                                 \
    }

SPY(Init, (int *argc, char ***argv), (argc, argv))
SPY(Send, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
    (b, n, t, to, tag, c))
SPY(Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s),
    (b, n, t, from, tag, c, s))
SPY(Isend, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request *r),
    (b, n, t, to, tag, c, r))
SPY(Irecv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request *r),
    (b, n, t, from, tag, c, r))
SPY(Sendrecv, (const void *b, int n, MPI_Datatype t, int to, int tag, void *b2, int n2,
               MPI_Datatype t2, int from, int tag2, MPI_Comm c, MPI_Status *s),
    (b, n, t, to, tag, b2, n2, t2, from, tag2, c, s))
SPY(Wait, (MPI_Request *r, MPI_Status *s), (r, s))
SPY(Waitall, (int n, MPI_Request *r, MPI_Status *s), (n, r, s))
SPY(Test, (MPI_Request *r, int *flag, MPI_Status *s), (r, flag, s))
SPY(Iprobe, (int from, int tag, MPI_Comm c, int *flag, MPI_Status *s), (from, tag, c, flag, s))
SPY(Barrier, (MPI_Comm c), (c))
SPY(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))
SPY(Allgather,
    (const void *b, int n, MPI_Datatype t, void *b2, int n2, MPI_Datatype t2, MPI_Comm c),
    (b, n, t, b2, n2, t2, c))
SPY(Allreduce, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
    (in, out, n, t, op, c))
SPY(Reduce, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Comm c),
    (in, out, n, t, op, root, c))
SPY(Reduce_scatter,
    (const void *in, void *out, const int *n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
    (in, out, n, t, op, c))
SPY(Reduce_scatter_block,
    (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
    (in, out, n, t, op, c))
SPY(Scan, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
    (in, out, n, t, op, c))
SPY(Exscan, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c),
    (in, out, n, t, op, c))
SPY(Reduce_local, (const void *in, void *out, int n, MPI_Datatype t, MPI_Op op),
    (in, out, n, t, op))
SPY(Op_commutative, (MPI_Op op, int *flag), (op, flag))
SPY(Comm_dup, (MPI_Comm c, MPI_Comm *new), (c, new))
SPY(Comm_create, (MPI_Comm c, MPI_Group g, MPI_Comm *new), (c, g, new))
SPY(Comm_split, (MPI_Comm c, int colour, int key, MPI_Comm *new), (c, colour, key, new))
SPY(Comm_split_type, (MPI_Comm c, int type, int key, MPI_Info info, MPI_Comm *new),
    (c, type, key, info, new))
SPY(Comm_free, (MPI_Comm *c), (c))
SPY(Comm_disconnect, (MPI_Comm *c), (c))
SPY(Comm_group, (MPI_Comm c, MPI_Group *g), (c, g))
SPY(Group_free, (MPI_Group *g), (g))
SPY(Comm_size, (MPI_Comm c, int *n), (c, n))
SPY(Comm_rank, (MPI_Comm c, int *n), (c, n))
SPY(Comm_test_inter, (MPI_Comm c, int *flag), (c, flag))
SPY(Comm_create_keyval, (MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete,
                         int *key, void *extra),
    (copy, delete, key, extra))
SPY(Comm_free_keyval, (int *key), (key))
SPY(Comm_set_attr, (MPI_Comm c, int key, void *value), (c, key, value))
SPY(Comm_get_attr, (MPI_Comm c, int key, void *value, int *flag), (c, key, value, flag))
SPY(Comm_delete_attr, (MPI_Comm c, int key), (c, key))
SPY(Comm_set_errhandler, (MPI_Comm c, MPI_Errhandler e), (c, e))
SPY(Comm_get_errhandler, (MPI_Comm c, MPI_Errhandler *e), (c, e))
SPY(Type_commit, (MPI_Datatype *t), (t))
SPY(Type_free, (MPI_Datatype *t), (t))

int MPI_Finalize(void)
{
    int (*function)(void);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *(void **) &function = dlsym(RTLD_NEXT, "MPI_Finalize");
    const int error = function();
    for (const count *seen = counts; seen && rank == 0; seen = seen->next)
        printf("spy: %s: %ld\n", seen->name, seen->calls);
    return error;
}
