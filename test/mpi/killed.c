/* SPDX-License-Identifier: BSD-3-Clause
 *
 * killed - a rank is killed (SIGKILL) while all are in an allreduce: then mpiexec must end the job.
 *
 *   killed FILE ALGORITHM operator|call COUNT blocking|nonblocking [TABLE]
 *   killed --list
 *
 * The algorithm is AnyP's, or `own`: the library's. After two correct calls, a rank is killed: rank
 * 0 where it first reduces in the third call, or the last rank where it would begin the third call.
 * It first writes a line to FILE, and so does each rank that survives all calls. TABLE is for
 * control_open(). --list prints the algorithms of allreduce.
 */
#include "control.h"

#include "anyp.h"

#include <mpi.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GOOD = 2, CALLS = 20 };          /* the victim dies after the good ones */

static const char *file;
static bool dies;                       /* the next time that it reduces */

/* Output may be lost when mpiexec ends the job; files are not. */
static void note(const char *text)
{
    const int to = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (to < 0 || write(to, text, strlen(text)) != (ssize_t) strlen(text))
        control_fail("cannot write %s", file);
    close(to);
}

static void be_killed(const char *where)
{
    note(where);
    raise(SIGKILL);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void) type;
    if (dies)
        be_killed("killed in an operator\n");
    for (int i = 0; i < *count; i++)
        ((int *) inout)[i] += ((int *) in)[i];
}

static int list(void)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        if (all[i].collectives & ANYP_IN_SET(ANYP_ALLREDUCE))
            puts(all[i].name);
    return 0;
}

static void check_good(const int *result, int count, int p, const anyp_algorithm *algorithm)
{
    const char *ran;
    for (int i = 0; i < count; i++)
        if (result[i] != p * (p - 1) / 2 + p * i)
            control_fail("element %d is %d", i, result[i]);
    if (control_last(ANYP_ALLREDUCE, &ran) &&
        (!ran != !algorithm || (ran && strcmp(ran, algorithm->name) != 0)))
        control_fail("%s ran", ran ? ran : "the library's own");
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "--list"))
        return list();
    if (argc < 6)
        return 2;
    file = argv[1];
    const bool in_operator = !strcmp(argv[3], "operator");
    const bool nonblocking = !strcmp(argv[5], "nonblocking");
    const anyp_algorithm *algorithm = anyp_algorithm_find(argv[2]);
    const int count = atoi(argv[4]);
    int *in = malloc((size_t) count * sizeof *in), *out = malloc((size_t) count * sizeof *out);
    int rank, p;
    MPI_Op op;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!in || !out || (!algorithm && strcmp(argv[2], "own") != 0))
        control_fail("no memory, or no algorithm %s", argv[2]);
    control_open(argv[6]);
    if (!control_nonblocking(nonblocking))
        control_fail("the nonblocking forms are not AnyP's");
    control_algorithm(ANYP_ALLREDUCE, algorithm);
    MPI_Op_create(add, 1, &op);
    for (int i = 0; i < count; i++)
        in[i] = rank + i;
    for (int call = 0; call < CALLS; call++) {
        MPI_Request request;
        if (call == GOOD && in_operator)
            dies = rank == 0;
        else if (call == GOOD && rank == p - 1)
            be_killed("killed before a call\n");
        if (nonblocking) {
            MPI_Iallreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            MPI_Allreduce(in, out, count, MPI_INT, op, MPI_COMM_WORLD);
        }
        if (call < GOOD)
            check_good(out, count, p, algorithm);
    }
    note("a rank survives\n");
    MPI_Op_free(&op);
    control_close();
    MPI_Finalize();
    free(in);
    free(out);
    return 0;
}
