/* SPDX-License-Identifier: BSD-3-Clause
 *
 * outside - "outside before" calls every collective, in all forms that the MPI library has, before
 * MPI_Init; "outside after" does so after MPI_Finalize. Each call is one of a child process, since
 * it ends its process. A line before each names it; what follows is the library's message, which
 * must be the same with and without the plug-in.
 */
#include "schedule/argument_shapes.h"

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
static MPI_Datatype types[1];

/* The arguments of a shape, with the counts and displacements of a form. */
#define WORD(form, KIND, name, member) WORD_##KIND(form),
#define WORD_IN(form) in
#define WORD_OUT(form) out
#define WORD_BOTH(form) out
#define WORD_COUNT(form) 1
#define WORD_COUNTS(form) form##ones
#define WORD_DISPLS(form) form##starts
#define WORD_TYPE(form) MPI_INT
#define WORD_TYPES(form) types
#define WORD_OP(form) MPI_SUM
#define WORD_ROOT(form) 0

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
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    CALL(Name, ANYPI_SHAPE_##kind##_##arguments(WORD, ) MPI_COMM_WORLD);                           \
    CALL(I##name, ANYPI_SHAPE_##kind##_##arguments(WORD, ) MPI_COMM_WORLD, &request);
#include "schedule/collectives.def"
#if MPI_VERSION >= 4
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_LARGE_##kind(CALL(Name##_c, ANYPI_SHAPE_##kind##_##arguments(WORD, large_)               \
                            MPI_COMM_WORLD);)                                                      \
    CALL(Name##_init, ANYPI_SHAPE_##kind##_##arguments(WORD, ) MPI_COMM_WORLD, MPI_INFO_NULL,      \
         &request);
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
