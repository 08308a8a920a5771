/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/workload.h"

#include "measure/clock.h"
#include "tuner/candidates.h"

#include <stdlib.h>
#include <string.h>

enum {
    PERIOD = 61,                /* inputs repeat after this many elements */
    GUARD = 64                  /* bytes after a result that must not change */
};

typedef union element {
    double number;
    uint32_t matrix[4];
} element;

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void) type;
    const uint32_t *left = in;
    uint32_t *right = inout;
    for (int i = 0; i < *count; i++, left += 4, right += 4) {
        const uint32_t r[4] = { right[0], right[1], right[2], right[3] };
        right[0] = left[0] * r[0] + left[1] * r[2];
        right[1] = left[0] * r[1] + left[1] * r[3];
        right[2] = left[2] * r[0] + left[3] * r[2];
        right[3] = left[2] * r[1] + left[3] * r[3];
    }
}

bool anypi_work_init(anypi_work *work, int64_t max_bytes, int p)
{
    /* the smallest cells may have one element per process, whatever their size */
    const size_t bytes = (size_t) (max_bytes > ANYPI_LONG_BYTES ? max_bytes : ANYPI_LONG_BYTES) +
        (size_t) p * ANYPI_MATRIX_SIZE + GUARD;
    work->root = 0;
    work->send = malloc(bytes);
    work->receive = malloc(bytes);
    work->counts = malloc((size_t) p * sizeof *work->counts);
    work->displs = malloc((size_t) p * sizeof *work->displs);
    MPI_Type_contiguous(4, MPI_UINT32_T, &work->matrix);
    MPI_Type_commit(&work->matrix);
    MPI_Op_create(multiply, 0, &work->product);
    return work->send && work->receive && work->counts && work->displs;
}

void anypi_work_free(anypi_work *work)
{
    free(work->send);
    free(work->receive);
    free(work->counts);
    free(work->displs);
    MPI_Type_free(&work->matrix);
    MPI_Op_free(&work->product);
}

/* Returns element i of a rank's input; if operators commute only its first bytes count. */
static element input(bool commutative, int rank, int64_t i)
{
    element value = { .number = 0 };
    const uint32_t key = (uint32_t) (i % PERIOD);
    if (commutative) {
        value.number = (double) ((rank * 7 + (int) key * 13) % 101 - 50);
        return value;
    }
    for (uint32_t entry = 0; entry < 4; entry++)
        value.matrix[entry] = (key * 40503u + (uint32_t) rank * 65599u + entry * 9973u) >> 3 | 1u;
    return value;
}

static size_t element_size(const anypi_cell *cell)
{
    return cell->commutative ? ANYPI_SUM_SIZE : ANYPI_MATRIX_SIZE;
}

/* Sets the blocks: equal or of the shape; or alternately small and large, some of them empty, if
 * this is allowed. */
static void set_counts(anypi_work *work, const anypi_cell *cell, int p, bool equal)
{
    const int64_t count = anypi_cell_count(cell);
    const int each = (int) (count / p);
    const bool any = anypi_collectives[cell->collective].arguments == ANYPI_TAKES_COUNTS;
    const bool shaped = any && equal && cell->blocks != ANYPI_EVEN;
    const int shift = equal || !any ? 0 : (each + 1) / 2;
    for (int rank = 0; rank < p; rank++) {
        const int start = rank ? work->displs[rank - 1] + work->counts[rank - 1] : 0;
        const bool single = rank == p - 1 && p % 2;
        work->displs[rank] = start;
        work->counts[rank] = shaped
            ? (int) anypi_uneven_start(cell->blocks, p, rank + 1, count) - start
            : single ? each : rank % 2 ? each + shift : each - shift;
    }
}

void anypi_work_fill(anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    int rank, p;
    const size_t size = element_size(cell);
    const int64_t count = anypi_cell_count(cell);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    set_counts(work, cell, p, true);
    for (int64_t i = 0; i < count; i++) {
        const element value = input(cell->commutative, rank, i);
        memcpy(work->send + (size_t) i * size, &value, size);
    }
}

anypi_mpi_call anypi_work_arguments(const anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    const bool own = anypi_collectives[cell->collective].input == ANYPI_HAS_OWN;
    const MPI_Datatype type = cell->commutative ? MPI_DOUBLE : work->matrix;
    return (anypi_mpi_call) {
        .collective = cell->collective, .out = work->receive,
        .in = work->send + (own ? (size_t) work->displs[rank] * element_size(cell) : 0),
        .count = (int) anypi_cell_count(cell), .counts = work->counts, .type = type,
        .in_count = work->counts[rank], .in_type = type, .displs = work->displs,
        .op = cell->commutative ? MPI_SUM : work->product, .root = work->root, .comm = comm,
    };
}

int anypi_work_call(anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    const anypi_mpi_call one = anypi_work_arguments(work, cell, comm);
    MPI_Request request;
    if (!anypi_form_nonblocking())
        return anypi_call_blocking(&one);
    const int error = anypi_call_nonblocking(&one, &request);
    return error ? error : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double anypi_work_row(anypi_work *work, const anypi_cell *cell, int calls, double moment,
                      MPI_Comm comm, int *error)
{
    const anypi_arrivals *arrivals = &cell->arrivals;
    const bool apart = anypi_arrivals_apart(arrivals);
    const int roots[2] = { 0, cell->p - 1 };
    double own[ANYPI_MAX_CALLS + 1], last = 0, next = 0;
    double (*const wait)(double) = moment > 0 ? anypi_wait_until : anypi_wait_busy;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; apart && i <= calls; i++) {     /* computing this takes time as well */
        own[i] = anypi_arrival(arrivals, cell->p, rank, i);
        last += anypi_arrival_last(arrivals, cell->p, i);
        next = own[i];          /* of the call that would follow */
    }
    if (moment <= 0)
        MPI_Barrier(comm);
    const double begin = moment > 0 ? anypi_wait_until(moment) : MPI_Wtime();
    for (int i = 0; i < calls; i++) {
        if (apart)
            wait(MPI_Wtime() + own[i]);
        work->root = roots[i % 2];
        const int its = anypi_work_call(work, cell, comm);
        *error = its ? its : *error;
    }
    work->root = 0;
    return (MPI_Wtime() - begin - last + next) / calls;
}

double anypi_work_time(anypi_work *work, const anypi_cell *cell, int calls, bool warms,
                       MPI_Comm comm)
{
    int error = MPI_SUCCESS;
    for (int i = 0; warms && i < 2; i++) {
        work->root = i ? cell->p - 1 : 0;
        anypi_work_call(work, cell, comm);
    }
    return anypi_work_row(work, cell, calls, 0, comm, &error);
}

/* Sets the elements of the vector in the result of a rank. */
static void result_range(const anypi_work *work, const anypi_cell *cell, int rank, int64_t *first,
                         int64_t *end)
{
    const anyp_call of_rank = { .collective = cell->collective, .p = cell->p };
    *first = 0;
    *end = anypi_has_result(&of_rank, rank) ? anypi_cell_count(cell) : 0;
    if (anypi_scatters(&of_rank)) {
        *first = work->displs[rank];
        *end = *first + work->counts[rank];
    }
}

/* Is the result of moved data right? It is elements first .. end-1 of the vector, all of one rank
 * or, in blocks, of each. The root is rank 0. */
static bool moved_right(const anypi_work *work, const anypi_cell *cell, int rank, int64_t first,
                        int64_t end)
{
    const anyp_call call = { .collective = cell->collective };
    const bool transposes = anypi_transposes(cell->collective);
    const bool blocks = anypi_gathers(&call) || transposes;
    const char *got = work->receive;
    int owner = 0;
    for (int64_t i = first; i < end; i++, got += element_size(cell)) {
        while (blocks && i >= work->displs[owner] + work->counts[owner])
            owner++;
        const int64_t index = i + (transposes ? work->displs[rank] - work->displs[owner] : 0);
        const element right = input(true, owner, index);
        if (memcmp(got, &right, element_size(cell)))
            return false;
    }
    return true;
}

/* Returns the correct element i of a reduction of the ranks before `end`. */
static element expected(const anypi_cell *cell, int end, int64_t i)
{
    element value = input(cell->commutative, 0, i);
    for (int rank = 1; rank < end; rank++) {
        int one = 1;
        element left = value;
        value = input(cell->commutative, rank, i);
        if (cell->commutative)
            value.number += left.number;
        else
            multiply(&left, &value, &one, NULL);
    }
    return value;
}

static bool guard_holds(const char *bytes)
{
    for (int i = 0; i < GUARD; i++)
        if (bytes[i] != 0x5a)
            return false;
    return true;
}

/* Fills the result buffer with a pattern, and that of a bcast's root with the data that it sends.
 * The counts must be set. */
static void put_pattern(anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    int64_t first, end;
    int rank;
    MPI_Comm_rank(comm, &rank);
    result_range(work, cell, rank, &first, &end);
    memset(work->receive, 0x5a, (size_t) (end - first) * element_size(cell) + GUARD);
    if (anypi_has_one_buffer(&(anyp_call) { .collective = cell->collective }) && rank == 0)
        memcpy(work->receive, work->send, (size_t) end * element_size(cell));
}

void anypi_work_prepare(anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    anypi_work_fill(work, cell, comm);
    put_pattern(work, cell, comm);
}

anypi_outcome anypi_work_verify(anypi_work *work, const anypi_cell *cell, MPI_Comm comm)
{
    const size_t size = element_size(cell);
    const int64_t count = anypi_cell_count(cell);
    int64_t first, end;
    int rank;
    element answers[PERIOD];
    const bool moves = anypi_moves(cell->collective);
    const anyp_call call = { .collective = cell->collective, .p = cell->p };

    MPI_Comm_rank(comm, &rank);
    result_range(work, cell, rank, &first, &end);
    const int ranks = anypi_prefix_end(&call, rank);
    for (int i = 0; i < PERIOD && !moves; i++)
        answers[i] = expected(cell, ranks, i);
    for (int64_t i = first; i < end && !moves; i++)
        if (memcmp(work->receive + (size_t) (i - first) * size, &answers[i % PERIOD], size))
            return ANYPI_WRONG;
    if (moves && !moved_right(work, cell, rank, first, end))
        return ANYPI_WRONG;
    for (int64_t i = 0; i < count; i++) {
        const element value = input(cell->commutative, rank, i);
        if (memcmp(work->send + (size_t) i * size, &value, size))
            return ANYPI_WRONG;
    }
    return guard_holds(work->receive + (size_t) (end - first) * size) ? ANYPI_RIGHT : ANYPI_WRONG;
}

anypi_outcome anypi_work_check(anypi_work *work, const anypi_cell *cell, MPI_Comm comm,
                               bool equal)
{
    anypi_work_fill(work, cell, comm);
    set_counts(work, cell, cell->p, equal);
    put_pattern(work, cell, comm);
    if (anypi_work_call(work, cell, comm) != MPI_SUCCESS)
        return ANYPI_REFUSED;
    return anypi_work_verify(work, cell, comm);
}
