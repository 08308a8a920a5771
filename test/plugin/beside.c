/* SPDX-License-Identifier: BSD-3-Clause
 *
 * beside - the plug-in must not disturb what an application does beside its collectives, nor be
 * disturbed by it: attributes, messages in flight with every tag, communicators of all kinds and
 * their end. Prints a line for each error, and one at the end.
 */
#include "calls.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, p, tested, wrong;

static void check(bool good, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void check(bool good, const char *format, ...)
{
    va_list arguments;
    tested++;
    if (good)
        return;
    wrong++;
    va_start(arguments, format);
    printf("beside: rank %d: wrong: ", rank);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

static void check_calls(MPI_Comm comm, const char *what)
{
    for (int count = 1; count < 10000; count *= 30) {
        const int error = call_all(comm, count);
        check(error == MPI_SUCCESS, "%s: %d", what, error);
    }
}

/* ---- attributes ---- */

static int copies, deletions;

static int copy(MPI_Comm comm, int keyval, void *extra, void *from, void *to, int *flag)
{
    (void) comm;
    (void) keyval;
    (void) extra;
    *(void **) to = from;
    *flag = 1;
    copies++;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    deletions++;
    return MPI_SUCCESS;
}

/* Nobody but the application copies its attributes. */
static void attributes(void)
{
    MPI_Comm one, two;
    int keyval;
    MPI_Comm_create_keyval(copy, delete, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &rank);
    check_calls(MPI_COMM_WORLD, "world with an attribute");
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    check_calls(one, "copy with an attribute");
    MPI_Comm_dup(one, &two);
    check_calls(two, "copy of a copy");
    MPI_Comm_free(&two);
    MPI_Comm_disconnect(&one);
    check(copies == 2 && deletions == 2, "attributes: %d copied, %d deleted", copies, deletions);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
    MPI_Comm_free_keyval(&keyval);
}

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF while MPI is still complete. */
static int at_end(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void) comm;
    (void) keyval;
    (void) value;
    (void) extra;
    check_calls(MPI_COMM_WORLD, "in MPI_Finalize");
    return MPI_SUCCESS;
}

/* ---- messages ---- */

/* A receive of anything waits while collectives run: it gets the application's message. So does
 * one that is sent before, and received afterwards. */
static void messages(MPI_Comm comm)
{
    const int right = (rank + 1) % p, left = (rank + p - 1) % p;
    for (int tag = 0; tag < 3; tag++) {
        int got = -1, early = -1, done = 0, sent = 100 * rank + tag, there = 1;
        MPI_Request request, other;
        MPI_Status status;
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        check_calls(comm, "with a receive under way");
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        check(!done, "a receive got a message that nobody sent");
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &there, &status);
        check(!there, "a message is there that nobody sent");
        MPI_Barrier(comm);
        MPI_Send(&sent, 1, MPI_INT, right, tag, comm);
        MPI_Wait(&request, &status);
        check(got == 100 * left + tag && status.MPI_SOURCE == left && status.MPI_TAG == tag,
              "received %d from %d with tag %d", got, status.MPI_SOURCE, status.MPI_TAG);
        MPI_Isend(&sent, 1, MPI_INT, right, tag, comm, &other);
        check_calls(comm, "with a message under way");
        MPI_Recv(&early, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
        MPI_Wait(&other, MPI_STATUS_IGNORE);
        check(early == 100 * left + tag && status.MPI_TAG == tag, "late: received %d", early);
        MPI_Barrier(comm);
    }
}

/* A communicator is freed while messages on it are under way. */
static void freed_early(void)
{
    enum { SIZE = 300000 };
    char *in = malloc(SIZE), *out = malloc(SIZE);
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Comm comm;
    memset(in, 'a' + rank, SIZE);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Irecv(out, SIZE, MPI_CHAR, (rank + p - 1) % p, 1, comm, &requests[0]);
    check_calls(comm, "to be freed early");
    MPI_Isend(in, SIZE, MPI_CHAR, (rank + 1) % p, 1, comm, &requests[1]);
    MPI_Comm_free(&comm);
    check_calls(MPI_COMM_WORLD, "another freed early");
    MPI_Waitall(2, requests, statuses);
    check(out[0] == 'a' + (rank + p - 1) % p && out[SIZE - 1] == out[0], "freed early");
    free(in);
    free(out);
}

/* ---- communicators ---- */

static void intercommunicator(void)
{
    MPI_Comm half, inter, merged;
    const int low = rank < p / 2, others = low ? p - p / 2 : p / 2;
    int one = 1, sum = -1;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? p / 2 : 0, 7, &inter);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
    check(sum == others, "allreduce between groups: %d", sum);
    sum = -1;
    const int root = !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, root, inter);
    check(sum == (rank == 0 ? p - p / 2 : -1), "reduce between groups: %d", sum);
    MPI_Intercomm_merge(inter, low, &merged);
    check_calls(merged, "merged groups");
    MPI_Comm_free(&inter);
    check_calls(half, "half");
    MPI_Comm_free(&half);
    MPI_Comm_free(&merged);
}

static void other_communicators(void)
{
    const int dims[] = { p }, periods[] = { 1 };
    MPI_Group group;
    MPI_Comm comm, shared;
    MPI_Request request;
    check_calls(MPI_COMM_SELF, "self");
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &comm);
    check_calls(comm, "ring");
    MPI_Comm_free(&comm);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &comm);
    check_calls(comm, "group");
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check_calls(comm, "copy without waiting");
    MPI_Comm_free(&comm);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &shared);
    check_calls(shared, "node, in reverse");
    MPI_Comm_free(&shared);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, rank, &comm);
    if (comm != MPI_COMM_NULL) {
        check_calls(comm, "all but one");
        MPI_Comm_free(&comm);
    }
}

/* ---- buffers ---- */

static void add_two(void *from, void *to, int *count, MPI_Datatype *type)
{
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Type_get_extent(*type, &lb, &extent);
    MPI_Type_get_true_extent(*type, &true_lb, &true_extent);
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < 2; k++) {
            const MPI_Aint place =
                true_lb + i * extent + k * (true_extent - (MPI_Aint) sizeof(int));
            *(int *) ((char *) to + place) += *(int *) ((char *) from + place);
        }
}

/* Addresses within the datatype, in place at MPI_BOTTOM; and a null input at the same. */
static void bottom(void)
{
    static int data[2][3], out[2][3];
    int lengths[] = { 1, 1 };
    MPI_Aint places[2];
    MPI_Datatype type;
    MPI_Op op;
    MPI_Get_address(&data[0][0], &places[0]);
    MPI_Get_address(&data[0][2], &places[1]);
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add_two, 1, &op);
    data[0][0] = rank;
    data[0][1] = -5;
    data[0][2] = 1;
    MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, MPI_COMM_WORLD);
    check(data[0][0] == p * (p - 1) / 2 && data[0][1] == -5 && data[0][2] == p, "bottom, in place");
    out[0][1] = -6;
    MPI_Allreduce(MPI_BOTTOM, (char *) out - (MPI_Aint) (char *) data, 1, type, op,
                  MPI_COMM_WORLD);
    check(out[0][0] == p * data[0][0] && out[0][1] == -6 && out[0][2] == p * p, "bottom");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

/* A rank that gets nothing of a reduce_scatter may have no buffer for it. */
static void empty_block(void)
{
    int counts[64] = { 0 }, in[64], out[64] = { 0 };
    for (int i = 0; i < p; i++)
        counts[i] = i == p / 2 ? 0 : 1;
    for (int i = 0; i < p; i++)
        in[i] = rank + i;
    MPI_Reduce_scatter(in, counts[rank] ? out : NULL, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const int place = rank - (rank > p / 2);
    check(!counts[rank] || out[0] == p * (p - 1) / 2 + p * place, "empty block: %d", out[0]);
}

/* Does the library itself get the calls? */
static bool is_forwarded(void)
{
    return p == 1 || !strcmp(what_ran(ANYP_ALLREDUCE), "none");
}

/* In one buffer, an exscan is in place; some libraries refuse it. */
static void one_buffer(void)
{
    int sum = rank + 1, other = sum;
    MPI_Exscan(is_forwarded() ? &other : &sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sum == (rank ? rank * (rank + 1) / 2 : 1), "one buffer: %d", sum);
}

/* In place on some ranks only; rank 0's output of an exscan may be anything, and stays as it is.
 * (MPICH refuses null, and its input.) */
static void prefixes(void)
{
    enum { COUNT = 700 };
    static int in[COUNT], out[COUNT];
    int *const ignored[] = { out, is_forwarded() ? out : in, is_forwarded() ? out : NULL };
    for (int i = 0; i < 4 * 3 * 2; i++) {
        const bool here = i >> (rank == 0) & 1, inclusive = i >> 2 & 1;
        const int ranks = inclusive ? rank + 1 : rank, count = i % 5 ? COUNT : 1;
        for (int j = 0; j < COUNT; j++) {
            in[j] = rank + j;
            out[j] = here ? in[j] : -1;
        }
        const void *const from = here ? MPI_IN_PLACE : in;
        int *const to = here || ranks > 0 ? out : ignored[i / 8];
        if (inclusive)
            MPI_Scan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        else
            MPI_Exscan(from, to, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        bool good = true;
        for (int j = 0; j < COUNT; j++)
            good = good && in[j] == rank + j &&
                out[j] == (ranks > 0 && j < count ? ranks * j + ranks * (ranks - 1) / 2
                           : here ? in[j] : -1);
        check(good, "prefixes: %d", i);
    }
}

/* No rank leaves before the last one enters; all see one clock. */
static void barriers(MPI_Comm comm)
{
    for (int late = 0; late < p; late++) {
        struct timespec now;
        if (rank == late)
            usleep(1000);
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double before = (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
        MPI_Barrier(comm);
        const bool ran = strcmp(what_ran(ANYP_BARRIER), "own");
        clock_gettime(CLOCK_MONOTONIC, &now);
        const double after = (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
        double last = before;
        MPI_Allreduce(&before, &last, 1, MPI_DOUBLE, MPI_MAX, comm);
        check(after >= last, "barrier, rank %d is late: %g s", late, last - after);
        check(ran || is_forwarded(), "barrier: %s ran", what_ran(ANYP_BARRIER));
    }
}

int main(int argc, char **argv)
{
    int keyval;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &keyval, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
    attributes();
    messages(MPI_COMM_WORLD);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    messages(comm);
    MPI_Comm_free(&comm);
    freed_early();
    if (p > 1)
        intercommunicator();
    other_communicators();
    bottom();
    empty_block();
    prefixes();
    one_buffer();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    barriers(comm);             /* the first collective on it */
    barriers(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
    const char *ran = what_ran(ANYP_ALLREDUCE);
    MPI_Finalize();
    if (wrong || rank == 0)
        printf("beside: %s, %s ran\n", wrong ? "wrong" : "right", ran);
    return wrong != 0;
}
