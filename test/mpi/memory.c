/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory - each allocation that AnyP makes for a call fails in its turn, on one rank: the last one,
 * which is the root, or the first one, where the datatype has gaps. One of two things must happen:
 * - The call returns an error on this rank that says so, before the rank has sent anything. Then
 *   the same call once more, on this rank only, is the one for which the others wait.
 * - AnyP does without this memory, and the call is right immediately.
 * Calls after it must be right, and with the communicator all memory must be freed.
 *
 *   mpiexec -n P memory ADDRESS FORM [TABLE]
 *
 * with every algorithm of the registry, and all its collectives, each time on a new communicator.
 * ADDRESS is that of the function anypi_use_allocator in the library that contains AnyP; it is
 * hidden there, but nm shows it. FORM is blocking, nonblocking or persistent. TABLE is for
 * control_open().
 */
#include "call.h"
#include "control.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, MOST = 500 };

static long until = -1;                 /* allocations before the one that fails; -1: none does */
static long kept;                       /* blocks that AnyP has not freed */
static bool has_failed;
static long errors;                     /* calls that returned one */

static void *resize(void *pointer, size_t size)
{
    if (until >= 0 && until-- == 0) {
        has_failed = true;
        return NULL;
    }
    kept += !pointer;
    return realloc(pointer, size);
}

static void release(void *pointer)
{
    kept -= pointer != NULL;
    free(pointer);
}

/* From now on all of AnyP's memory comes from here. Its library is the one whose MPI_Allreduce this
 * program calls. */
static void take_over(const char *address)
{
    Dl_info library;
    void (*use_allocator)(anypi_allocator);
    if (!dladdr(dlsym(RTLD_DEFAULT, "MPI_Allreduce"), &library))
        control_fail("MPI is not in a shared library");
    *(void **) &use_allocator = (char *) library.dli_fbase + strtoul(address, NULL, 16);
    use_allocator((anypi_allocator) { resize, release });
}

static bool says_so(int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length, class;
    MPI_Error_class(error, &class);
    MPI_Error_string(error, text, &length);
    return class == MPI_ERR_NO_MEM || strstr(text, "memory");
}

static bool again_without_memory(int error)
{
    errors += has_failed && says_so(error);
    return has_failed && says_so(error);
}

/* The calls of a new communicator, with the n-th allocation on the victim failing (-1: none);
 * false: there is no n-th one. */
static bool try_one(test_call *t, int victim, long n)
{
    const long before = kept, errors_before = errors;
    MPI_Comm_dup(MPI_COMM_WORLD, &t->comm);
    has_failed = false;
    until = t->rank == victim ? n : -1;
    run_call(t);
    until = -1;
    run_call(t);
    MPI_Comm_free(&t->comm);
    /* MPICH does not release the communicator of a persistent request that it cannot make */
    if (kept != before && n >= 0 && !(t->form == PERSISTENT && errors > errors_before))
        failed(t, "allocation %ld fails on rank %d: %ld blocks are not freed", n, victim,
               kept - before);
    int reached = has_failed;
    MPI_Bcast(&reached, 1, MPI_INT, victim, MPI_COMM_WORLD);
    return reached;
}

/* Every allocation of a call on the victim; returns how many there are. */
static long try_all(test_call *t, int victim)
{
    const anyp_call of = { .collective = t->collective };
    int counts[COUNT], displs[COUNT], place = 0;
    long tried = 0;
    t->count = COUNT;
    t->root = t->p - 1;
    t->shape = "";
    t->counts = t->displs = NULL;
    if (anypi_has_blocks(t->collective)) {
        for (int i = 0; i < t->p; i++) {
            counts[i] = COUNT / t->p + (anypi_has_equal_blocks(&of) ? 0 : 2 * i);
            displs[i] = place;
            place += counts[i];
        }
        t->counts = counts;
        t->count = place;
        t->displs = anypi_moves(t->collective) && anypi_has_counts(&of) ? displs : NULL;
    }
    uint32_t *expected = anypi_moves(t->collective) ? NULL : expected_of(t, t->count);
    t->expected = expected;
    try_one(t, victim, -1);             /* plans are made once in a process, and kept */
    while (tried < MOST && try_one(t, victim, tried))
        tried++;
    free(expected);
    return tried;
}

/* Kinds of a built-in type and operator, and of types with gaps and a user's operator. */
static bool is_used(const kind *k)
{
    return !strcmp(k->name, "int-sum") || (k->exact && k->low < 0);
}

int main(int argc, char **argv)
{
    int count;
    long tried = 0, mine[2], all[2];
    test_call t = { .form = BLOCKING };
    if (argc != 3 + control_needs_file) {
        fputs("usage: mpiexec -n P memory ADDRESS FORM [PREFIX/share/anyp/mpich.json]\n"
              "(the file if AnyP is inside MPICH)\n", stderr);
        return 2;
    }
    while (t.form < PERSISTENT && strcmp(argv[2], form_names[t.form]) != 0)
        t.form++;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &t.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t.p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    take_over(argv[1]);
    control_open(argv[3]);
    if (!control_nonblocking(t.form != BLOCKING))
        control_fail("AnyP's algorithms are only for blocking calls here");
    kinds_open();
    call_again = again_without_memory;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (const kind *k = kinds; k < kinds + kinds_count; k++)
        for (anyp_collective c = 0; c < ANYP_COLLECTIVES && is_used(k); c++) {
            /* a call whose sizes are local cannot go on, nor begin again, once it has sent */
            if (anypi_has_local_sizes(c))
                continue;
            /* MPICH has 2048 communicators, and keeps those of try_one() */
            if (t.form == PERSISTENT && anypi_moves(c) && k->low < 0)
                continue;
            for (int a = 0; a < count; a++) {
                candidate forced = { .algorithm = &algorithms[a] };
                if (!(algorithms[a].collectives & ANYP_IN_SET(c)))
                    continue;
                anyp_parameters_default(&algorithms[a], forced.parameters);
                t.collective = c;
                t.candidate = &forced;
                t.kind = t.in_kind = t.moved = k;
                control_algorithm(c, &algorithms[a]);
                tried += try_all(&t, k->low < 0 ? 0 : t.p - 1);
            }
            control_algorithm(c, NULL);
        }
    kinds_close();
    control_close();
    mine[0] = tally.failures;
    mine[1] = errors;
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (t.rank == 0)
        printf("memory: p=%d, %s: %ld allocations failed, with %ld errors: %s\n", t.p,
               form_names[t.form], tried, all[1], all[0] || !all[1] ? "FAILED" : "passed");
    MPI_Finalize();
    return all[0] || !all[1];
}
