/* SPDX-License-Identifier: BSD-3-Clause
 *
 * errors - an allreduce or reduce that fails while it runs must end on all ranks, with an error
 * where it should, and the next one must be right. Every algorithm of the registry is forced in
 * turn, with two errors:
 * - The operator is not defined for the datatype: ranks that reduce must receive MPI_ERR_OP, if the
 *   MPI library can report it.
 * - One rank gives a longer vector: messages are truncated. Some ranks notice it, others are
 *   notified, none waits forever. Each rank in turn is late, so that messages are truncated while
 *   others are in flight.
 * The root of a reduce is not rank 0. Nonblocking and persistent calls are also tested, persistent
 * ones since MPI 4; MPICH turns their errors into MPI_ERR_OTHER. With MPIR_CVAR_ERROR_CHECKING=0 an
 * MPICH with AnyP begins these calls. A datatype whose elements overlap must also be refused, even
 * if a call with a similar one has just been served; MPIR_CVAR_COLLECTIVE_FALLBACK=error shows it.
 */
#include "control.h"
#include "library.h"

#include "measure/calls.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1000 };

static int in[2 * COUNT], out[2 * COUNT];

enum form { BLOCKING, NONBLOCKING, PERSISTENT };
static const enum form last_form = MPI_VERSION < 4 ? NONBLOCKING : PERSISTENT;
static enum form form;

/* Makes a call, up to its end. */
static int complete(anyp_collective collective, int root, int count, MPI_Datatype type, MPI_Op op)
{
    const anypi_mpi_call call = { .collective = collective, .in = in, .out = out, .count = count,
                                  .type = type, .op = op, .root = root, .comm = MPI_COMM_WORLD };
    MPI_Request request = MPI_REQUEST_NULL;
    int error = form == BLOCKING ? anypi_call_blocking(&call) : MPI_SUCCESS;
    if (form == NONBLOCKING)
        error = anypi_call_nonblocking(&call, &request);
#if MPI_VERSION >= 4
    if (form == PERSISTENT) {
        error = anypi_call_persistent(&call, &request);
        if (!error)
            error = MPI_Start(&request);
    }
#endif
    if (!error)             /* of a blocking call there is no request */
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (form == PERSISTENT && request != MPI_REQUEST_NULL)
        MPI_Request_free(&request);
    return error;
}

/* The error class of a call. */
static int reduce(anyp_collective collective, int root, int count, MPI_Datatype type)
{
    int class;
    MPI_Error_class(complete(collective, root, count, type, MPI_SUM), &class);
    return class;
}

static int in_order(anyp_collective collective, int root, int rank, int p)
{
    const anyp_call of = { .collective = collective, .p = p, .root = root };
    const int ranks = anypi_has_result(&of, rank) ? anypi_prefix_end(&of, rank) : 0;
    memset(out, 0, sizeof out);
    if (reduce(collective, root, COUNT, MPI_INT) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < COUNT; i++)
        if (out[i] != ranks * in[i])
            return 0;
    return 1;
}

/* Forces the algorithm, with numbers: by "auto", ranks with different counts could choose different
 * ones, and would wait for messages that nobody sends. */
static void force(anyp_collective collective, const anyp_algorithm *algorithm)
{
    enum { SOME = 4 };
    control_algorithm(collective, algorithm);
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        if (one->default_value == one->automatic)
            control_parameter(collective, one, one->values ? one->minimum : one->bytes ||
                              one->maximum < SOME ? one->maximum
                              : one->minimum > SOME ? one->minimum : SOME);
    }
}

/* Leaves the choice to the library, and the parameters to closed forms, again. */
static void release(anyp_collective collective, const anyp_algorithm *algorithm)
{
    for (int i = 0; i < algorithm->parameters_count; i++)
        control_parameter(collective, &algorithm->parameters[i],
                          algorithm->parameters[i].default_value);
    control_algorithm(collective, NULL);
}

/* The number of an algorithm's errors, on all ranks together. Sets *inside if the operator failed
 * during the call: some algorithms have ranks that only send and get no error, but all get one if
 * the call was refused before it began. */
static int test(anyp_collective collective, const anyp_algorithm *algorithm, int rank, int p,
                bool *inside)
{
    /* no operator; right afterwards; noticed; right afterwards */
    int mine[4], all[4];
    const int root = p / 3, longer = p / 2;
    /* Open MPI 4.1 itself returns success; in MPICH 5.0 a local reduction cannot fail: it adds
     * bytes up; in some allreduces there are ranks that only hear of the result */
    const int reducing = !is_open_mpi() && mpich_major() < 5;
    force(collective, algorithm);
    const int class = reduce(collective, root, COUNT, MPI_BYTE);
    mine[0] = form == BLOCKING ? class == MPI_ERR_OP : class != MPI_SUCCESS;
    mine[1] = in_order(collective, root, rank, p);
    mine[2] = 0;
    mine[3] = 1;
    for (int late = 0; late < p; late++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late)
            nanosleep(&(struct timespec) { .tv_nsec = 1000000 }, NULL);
        mine[2] |= reduce(collective, root, rank == longer ? 2 * COUNT : COUNT, MPI_INT) !=
            MPI_SUCCESS;
        mine[3] &= in_order(collective, root, rank, p);
    }
    release(collective, algorithm);
    MPI_Allreduce(mine, all, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int wrong = (all[0] < reducing) + (p - all[1]) + (all[2] == 0) + (p - all[3]);
    *inside |= !control_needs_file || all[0] < p;
    if (wrong && rank == 0)
        printf("errors: %s%s %s: %d of %d ranks get MPI_ERR_OP, %d are right afterwards, %d notice "
               "cut messages, %d are right afterwards\n", form == BLOCKING ? "" : "nonblocking or "
               "persistent ", anyp_collective_name(collective), algorithm->name, all[0], p, all[1],
               all[2], all[3]);
    return wrong;
}

/* Two datatypes of the same size, extent and bounds; the elements of the second one overlap. */
enum { DISJOINT, OVERLAPPING, TYPES };
static const int places[TYPES][2] = { { 2, 3 }, { 0, 3 } }, extent = 2;        /* ints */
static MPI_Datatype types[TYPES];
static MPI_Op op;

static void sum(void *left, void *right, int *length, MPI_Datatype *type)
{
    const int *place = places[*type == types[DISJOINT] ? DISJOINT : OVERLAPPING];
    for (int i = 0; i < *length; i++)
        for (int k = 0; k < 2; k++)
            ((int *) right)[i * extent + place[k]] += ((int *) left)[i * extent + place[k]];
}

static void make_types(void)
{
    for (int i = 0; i < TYPES; i++) {
        MPI_Datatype indexed;
        MPI_Type_create_indexed_block(2, 1, places[i], MPI_INT, &indexed);
        MPI_Type_create_resized(indexed, 0, extent * (MPI_Aint) sizeof(int), &types[i]);
        MPI_Type_commit(&types[i]);
        MPI_Type_free(&indexed);
    }
    MPI_Op_create(sum, 1, &op);
}

static void free_types(void)
{
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    MPI_Op_free(&op);
}

/* Does the forced algorithm serve an allreduce of such elements? */
static bool serves(MPI_Datatype type)
{
    const char *ran;
    const int error = complete(ANYP_ALLREDUCE, 0, COUNT / extent, type, op);
    return control_needs_file ? error == MPI_SUCCESS :
        control_last(ANYP_ALLREDUCE, &ran) && ran != NULL;
}

/* Whether an algorithm takes one of the two types for the other on this rank. */
static bool confuses_types(const anyp_algorithm *algorithm, int rank)
{
    control_algorithm(ANYP_ALLREDUCE, algorithm);
    const bool first = serves(types[DISJOINT]), overlapping = serves(types[OVERLAPPING]),
        again = serves(types[DISJOINT]);
    control_algorithm(ANYP_ALLREDUCE, NULL);
    if (first && !overlapping && again)
        return false;
    printf("errors: rank %d: allreduce %s %s a datatype, %s one whose elements overlap, %s the "
           "first one again\n", rank, algorithm->name, first ? "serves" : "refuses",
           overlapping ? "serves" : "refuses", again ? "serves" : "refuses");
    return true;
}

int main(int argc, char **argv)
{
    int rank, p, count, tested = 0, wrong = 0;
    bool inside = false;
    if (argc != 1 + control_needs_file) {
        fputs("usage: mpiexec -n P errors [PREFIX/share/anyp/mpich.json]\n"
              "(the file if AnyP is inside MPICH)\n", stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    control_open(argv[1]);
    make_types();
    for (int i = 0; i < 2 * COUNT; i++)
        in[i] = i;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (form = BLOCKING; form <= last_form && control_nonblocking(form != BLOCKING); form++)
        for (int i = 0; i < count; i++)
            for (anyp_collective c = 0; c < ANYP_REDUCTIONS; c++) {
                if (!(algorithms[i].collectives & ANYP_IN_SET(c)) || anypi_has_blocks(c))
                    continue;
                wrong += test(c, &algorithms[i], rank, p, &inside);
                if (c == ANYP_ALLREDUCE)
                    wrong += confuses_types(&algorithms[i], rank);
                tested++;
            }
    free_types();
    control_close();
    if (!inside) {
        wrong++;
        if (rank == 0)
            puts("errors: every call was refused before it began: build MPICH with "
                 "--enable-error-checking=runtime");
    }
    if (rank == 0)
        printf("errors: p=%d, %d times an algorithm: %s\n", p, tested, wrong ? "FAILED" : "passed");
    MPI_Finalize();
    return wrong != 0;
}
