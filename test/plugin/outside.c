/* SPDX-License-Identifier: BSD-3-Clause
 *
 * outside - "outside before" calls every collective, in all forms that the MPI library has, before
 * MPI_Init; "outside after" does so after MPI_Finalize. Each call is one of a child process, since
 * it ends its process. A line before each names it; what follows is the library's message, which
 * must be the same with and without the plug-in.
 */
#include <mpi.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int in[1], out[1], ones[1] = { 1 }, starts[1];
static MPI_Request request;
#if MPI_VERSION >= 4
static MPI_Count large_ones[1] = { 1 };
static MPI_Aint large_starts[1];
#endif

/* Arguments by their word in collectives.def, with the counts and places of a form; what a
 * nonblocking and a persistent form has before the request. */
#define REDUCTION_COUNT(ones) in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD
#define REDUCTION_BLOCK REDUCTION_COUNT
#define REDUCTION_ROOTED(ones) in, out, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD
#define REDUCTION_COUNTS(ones) in, out, ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD
#define MOVEMENT_BUFFER(ones, starts) out, 1, MPI_INT, 0, MPI_COMM_WORLD
#define MOVEMENT_BLOCK(ones, starts) in, 1, MPI_INT, out, 1, MPI_INT, MPI_COMM_WORLD
#define MOVEMENT_ROOTED_BLOCK(ones, starts) in, 1, MPI_INT, out, 1, MPI_INT, 0, MPI_COMM_WORLD
#define MOVEMENT_COUNTS(ones, starts) in, 1, MPI_INT, out, ones, starts, MPI_INT, MPI_COMM_WORLD

/* Calls it in a child. */
#define CALL(function, ...)                                                                        \
    do {                                                                                           \
        fprintf(stderr, "MPI_" #function ":\n");                                                   \
        const pid_t child = fork();                                                                \
        if (child == 0) {                                                                          \
            MPI_##function(__VA_ARGS__);                                                           \
            _exit(0);                                                                              \
        }                                                                                          \
        waitpid(child, NULL, 0);                                                                   \
    } while (0)

static void call_all(void)
{
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    CALL(Name, REDUCTION_##arguments(ones));                                                       \
    CALL(I##name, REDUCTION_##arguments(ones), &request);
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    CALL(Name, MOVEMENT_##arguments(ones, starts));                                                \
    CALL(I##name, MOVEMENT_##arguments(ones, starts), &request);
#include "schedule/collectives.def"
#if MPI_VERSION >= 4
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
    CALL(Name##_c, REDUCTION_##arguments(large_ones));                                             \
    CALL(Name##_init, REDUCTION_##arguments(ones), MPI_INFO_NULL, &request);
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
    CALL(Name##_c, MOVEMENT_##arguments(large_ones, large_starts));                                \
    CALL(Name##_init, MOVEMENT_##arguments(ones, starts), MPI_INFO_NULL, &request);
#include "schedule/collectives.def"
#endif
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    if (!strcmp(argv[1], "after")) {
        MPI_Init(&argc, &argv);
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Finalize();
    }
    call_all();
    return 0;
}
