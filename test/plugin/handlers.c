/* SPDX-License-Identifier: BSD-3-Clause
 *
 * handlers - an allreduce that fails while it runs must call the error handler of its communicator.
 * The last rank gives a longer vector, so that its message is truncated at another rank. Handlers:
 * the application's, once and with this communicator; MPI_ERRORS_RETURN; and with --fatal the one
 * that ends the program, which must not hang then. The error handler of MPI_COMM_WORLD also ends
 * the program, and must not be called: so only algorithms whose rounds have at most one message in
 * each direction are tried.
 */
#include "calls.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int rank, p, wrong, called, code;
static MPI_Comm called_on;

static void check(bool good, const char *what, int number)
{
    if (good)
        return;
    printf("handlers: rank %d: wrong: %s: %d\n", rank, what, number);
    wrong++;
}

static void handler(MPI_Comm *comm, int *error, ...)
{
    called++;
    called_on = *comm;
    code = *error;
}

static int fail(MPI_Comm comm)
{
    int in[2] = { 1, 2 }, out[2];
    return MPI_Allreduce(in, out, rank == p - 1 ? 2 : 1, MPI_INT, MPI_SUM, comm);
}

int main(int argc, char **argv)
{
    MPI_Errhandler own;
    MPI_Comm comm;
    int failed, all;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    check(!call_all(comm, 10), "at first", 0);
    if (argc > 1 && !strcmp(argv[1], "--fatal")) {
        fail(comm);
        MPI_Barrier(MPI_COMM_WORLD);
        printf("handlers: rank %d goes on\n", rank);
        MPI_Finalize();
        return 0;
    }

    MPI_Comm_set_errhandler(comm, own);
    int error = fail(comm);
    failed = error != MPI_SUCCESS;
    check(called == failed, "calls of the handler", called);
    check(!called || (called_on == comm && code == error), "its arguments", code);
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(all > 0, "ranks that noticed it", all);
    check(!call_all(comm, 10), "afterwards", 0);

    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    error = fail(comm);
    failed = error != MPI_SUCCESS;
    check(called <= 1, "a handler that is not there", called);
    MPI_Allreduce(&failed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(all > 0, "ranks that got an error", all);
    check(!call_all(comm, 10), "at last", 0);

    MPI_Errhandler_free(&own);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    if (wrong || rank == 0)
        printf("handlers: %s, %s ran\n", wrong ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    return wrong != 0;
}
