/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorded_calls.c - wraps nonblocking, persistent and neighborhood collectives, and functions that
 * start or complete requests. AnyP serves some of the first two (operations.h), and some blocking
 * ones of the last (neighbors.h). The calls are noted for ANYP_RECORD.
 *
 * The requests of collectives are remembered with the kinds of their calls. A program has few of
 * them at a time, so they are a list.
 */
#include "mpi/neighbors.h"
#include "mpi/operations.h"
#include "mpi/recorder_table.h"
#include "node/lanes.h"

#include "schedule/memory.h"

/* ---- the list of requests ---- */

typedef struct noted_request {
    MPI_Request request;
    anypi_kind_place place;
    int root;
    bool persistent;
    bool paused;                /* it was started when the record was paused */
} noted_request;

static noted_request *noted;
static int noted_room;
static int noted_count;         /* if it is 0, a wait need not search for a request */

static noted_request *find(MPI_Request request)
{
    for (int i = noted_count - 1; i >= 0; i--)
        if (noted[i].request == request)
            return &noted[i];
    return NULL;
}

static void set_count(int count)
{
    __atomic_store_n(&noted_count, count, __ATOMIC_RELAXED);
}

/* Adds a request, or replaces one whose handle is used again. */
static void remember(const noted_request *its)
{
    noted_request *known = find(its->request);
    noted_request *list = known ? noted
        : anypi_grow(noted, &noted_room, noted_count, sizeof *list);
    if (!list)
        return;
    noted = list;
    if (!known) {
        known = &noted[noted_count];
        set_count(noted_count + 1);
    }
    *known = *its;
}

static void forget(noted_request *its)
{
    *its = noted[noted_count - 1];
    set_count(noted_count - 1);
}

/* Notes that a collective of `form` has returned, and has begun or made a request
 * (MPI_REQUEST_NULL: none). `collective` may be one that AnyP does not have; `its` are then the
 * arguments of the collective with the same arguments. `site` is where the call returns to. */
static void note_form(double begin, int collective, anypi_call_form form,
                      const anypi_arguments *its, MPI_Comm comm, MPI_Request request,
                      const void *site)
{
    const double now = anypi_note_seconds();
    const anypi_state *state = anypi_state_found(comm);
    anypi_recorder_lock();
    if (anypi_recorder_all.paused && form != ANYPI_FORM_PERSISTENT) {
        anypi_recorder_unlock();
        return;
    }
    anypi_kind_place place = anypi_recorder_kind(collective, form, its, state, comm);
    place.site = anypi_recorder_site(site, collective);
    /* a persistent call is counted when it starts, in the phase of that moment */
    if (place.index >= 0 && form != ANYPI_FORM_PERSISTENT)
        anypi_recorder_add(&place, its->root, now - begin);
    if (place.index >= 0 && request != MPI_REQUEST_NULL)
        remember(&(noted_request) { request, place, its->root, form == ANYPI_FORM_PERSISTENT,
                                    false });
    anypi_recorder_unlock();
    anypi_recorder_look(now);
}

/* ---- collectives ---- */

/* Defines a function that is noted, and forwarded unless serves(&its, form, &error) is true.
 * `noted` is its collective, and `like` the collective with the same arguments. `more` are its
 * arguments beyond these. `place` is the type of displacements. */
#define FORWARD(noted, like, form, function, shape, place, parameters, more, request, serves)      \
    int MPI_##function(shape(ANYPI_DECLARE, place) MPI_Comm comm parameters)                       \
    {                                                                                              \
        int error;                                                                                 \
        const anypi_arguments its = { .collective = ANYP_##like, shape(ANYPI_STORE, )              \
                                      .nonblocking = true };                                       \
        anypi_pmpi_load();                                                                         \
        const double begin = anypi_recording ? anypi_note_seconds() : 0;                           \
        if (!serves(&its, ANYPI_##form, &error))                                                   \
            error = anypi_mpi.function(shape(ANYPI_GIVE, ) comm more);                             \
        if (begin > 0 && !error) {                                                                 \
            note_form(begin, noted, ANYPI_FORM_##form, &its, comm, request,                        \
                      __builtin_return_address(0));                                                \
        }                                                                                          \
        return error;                                                                              \
    }

#define REQUEST_PARAMETER , MPI_Request *request
#define INFO_PARAMETER , MPI_Info info, MPI_Request *request
#define REQUEST , request
#define INFO , info, request

#define NONBLOCKING(noted, like, function, shape, place, serves)                                   \
    FORWARD(noted, like, NONBLOCKING, function, shape, place, REQUEST_PARAMETER, REQUEST,          \
            *request, serves)
#define PERSISTENT(noted, like, function, shape, place, serves)                                    \
    FORWARD(noted, like, PERSISTENT, function, shape, place, INFO_PARAMETER, INFO, *request, serves)
#define BLOCKING(noted, like, function, shape, place)                                              \
    FORWARD(noted, like, BLOCKING, function, shape, place, , , MPI_REQUEST_NULL, COMBINES)
#define SERVES(its, mode, error) anypi_operation_new(its, comm, mode, request, error)
/* AnyP serves only blocking calls among neighbors. */
#define SERVES_NOT(its, mode, error) false
#define COMBINES(its, mode, error)                                                                 \
    (anypi_neighbors_run(its, comm, error) || (anypi_operations_finish(), false))

#define INTEGER int
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    NONBLOCKING(ANYP_##NAME, NAME, I##name, ANYPI_SHAPE_##kind##_##arguments, int, SERVES)
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    BLOCKING(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name, ANYPI_SHAPE_MOVEMENT_##shape, place)    \
    NONBLOCKING(ANYPI_NEIGHBOR_##NAME, like, Ineighbor_##name, ANYPI_SHAPE_MOVEMENT_##shape,       \
                place, SERVES_NOT)
#include "mpi/neighbors.def"

#ifdef ANYPI_HAVE_LARGE
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    PERSISTENT(ANYP_##NAME, NAME, Name##_init, ANYPI_SHAPE_##kind##_##arguments, int, SERVES)
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    PERSISTENT(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_init,                                \
               ANYPI_SHAPE_MOVEMENT_##shape, place, SERVES_NOT)
#include "mpi/neighbors.def"
#undef INTEGER
#define INTEGER MPI_Count
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_LARGE_##kind(                                                                            \
        NONBLOCKING(ANYP_##NAME, NAME, I##name##_c, ANYPI_SHAPE_##kind##_##arguments,             \
                    MPI_Aint, SERVES)    \
        PERSISTENT(ANYP_##NAME, NAME, Name##_init_c, ANYPI_SHAPE_##kind##_##arguments,             \
                    MPI_Aint, SERVES))
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    BLOCKING(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_c, ANYPI_SHAPE_MOVEMENT_##shape,       \
             MPI_Aint)                                                                             \
    NONBLOCKING(ANYPI_NEIGHBOR_##NAME, like, Ineighbor_##name##_c, ANYPI_SHAPE_MOVEMENT_##shape,   \
                MPI_Aint, SERVES_NOT)                                                              \
    PERSISTENT(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_init_c,                              \
               ANYPI_SHAPE_MOVEMENT_##shape, MPI_Aint, SERVES_NOT)
#include "mpi/neighbors.def"
#endif

/* ---- progress of operations ---- */

/* Lets AnyP's operations progress until test(&flag) is true or returns an error, or no operation is
 * under way; then waits by a function of the library. `count` requests must all be complete; 0: any
 * of them. */
#define COMPLETE(requests, count, test, wait)                                                      \
    do {                                                                                           \
        int flag = 0, error = MPI_SUCCESS, turns = 0;                                              \
        while (anypi_operations_running() && !flag && !error) {                                    \
            if (anypi_operations_move())                                                           \
                turns = 0;                                                                         \
            error = test;                                                                          \
            if (!flag && !error)                                                                   \
                anypi_operations_idle(requests, count, &turns);                                    \
        }                                                                                          \
        return flag || error ? error : wait;                                                       \
    } while (0)

static int wait_for(MPI_Request *request, MPI_Status *status)
{
    COMPLETE(request, 1, anypi_mpi.Test(request, &flag, status), anypi_mpi.Wait(request, status));
}

static int wait_for_all(int count, MPI_Request requests[], MPI_Status *statuses)
{
    COMPLETE(requests, count, anypi_mpi.Testall(count, requests, &flag, statuses),
             anypi_mpi.Waitall(count, requests, statuses));
}

static int wait_for_any(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    COMPLETE(requests, 0, anypi_mpi.Testany(count, requests, index, &flag, status),
             anypi_mpi.Waitany(count, requests, index, status));
}

static int test_some(int count, MPI_Request requests[], int *done, int indices[],
                     MPI_Status *statuses, int *flag)
{
    const int error = anypi_mpi.Testsome(count, requests, done, indices, statuses);
    *flag = *done != 0;
    return error;
}

static int wait_for_some(int count, MPI_Request requests[], int *done, int indices[],
                         MPI_Status *statuses)
{
    COMPLETE(requests, 0, test_some(count, requests, done, indices, statuses, &flag),
             anypi_mpi.Waitsome(count, requests, done, indices, statuses));
}

static inline void move_operations(void)
{
    if (anypi_operations_running())
        anypi_operations_move();
}

/* ---- requests ---- */

static bool is_noted(MPI_Request request)
{
    anypi_recorder_lock();
    const bool is_so = find(request) != NULL;
    anypi_recorder_unlock();
    return is_so;
}

/* Notes that a persistent request was started by a call that began at `begin`. */
static void note_started(MPI_Request request, double begin)
{
    const double now = anypi_note_seconds();
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its)
        its->paused = anypi_recorder_all.paused;
    if (its && !its->paused) {
        its->place = anypi_recorder_in_phase(its->place);
        anypi_recorder_add(&its->place, its->root, now - begin);
    }
    anypi_recorder_unlock();
}

/* Notes that a request was completed. The time of a call that completes requests is divided among
 * `share` requests. */
static void note_done(MPI_Request request, double begin, int share)
{
    const double now = anypi_note_seconds();
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its && !its->paused)
        anypi_recorder_add_seconds(&its->place, (now - begin) / share);
    if (its && !its->persistent)
        forget(its);
    anypi_recorder_unlock();
}

static void note_freed(MPI_Request request)
{
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its)
        forget(its);
    anypi_recorder_unlock();
}

/* A request of a collective, and its index in the caller's array. */
typedef struct placed {
    MPI_Request request;
    int index;
} placed;

/* The requests of collectives among n requests, before a call that may complete them. */
typedef struct known {
    double begin;
    int count;                  /* 0: there are no such requests */
    const placed *list;         /* valid until the thread makes another such call */
} known;

static known look(const MPI_Request *requests, int n)
{
    static __thread placed *kept;
    static __thread int room;
    known its = { 0 };
    anypi_pmpi_load();
    if (!anypi_recording || !__atomic_load_n(&noted_count, __ATOMIC_RELAXED))
        return its;
    for (int i = 0; i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL || !is_noted(requests[i]))
            continue;
        placed *const more = anypi_grow(kept, &room, its.count, sizeof *more);
        if (!more)
            break;
        kept = more;
        kept[its.count++] = (placed) { requests[i], i };
    }
    its.begin = its.count ? anypi_note_seconds() : 0;
    its.list = kept;
    return its;
}

/* Notes that all requests are complete. */
static int all_done(const known *its, int error)
{
    anypi_operations_running();         /* other threads may have written their results */
    for (int i = 0; !error && i < its->count; i++)
        note_done(its->list[i].request, its->begin, its->count);
    return error;
}

/* Notes that the requests at `count` indices are complete. */
static int some_done(const known *its, const int *indices, int count, int error)
{
    anypi_operations_running();
    if (error || count == MPI_UNDEFINED)
        return error;
    for (int i = 0; i < its->count; i++)
        for (int k = 0; k < count; k++)
            if (indices[k] == its->list[i].index)
                note_done(its->list[i].request, its->begin, 1);
    return error;
}

ANYPI_FORWARDED(Wait, (MPI_Request *request, MPI_Status *status), (request, status))
{
    const known its = look(request, 1);
    return all_done(&its, wait_for(request, status));
}

ANYPI_FORWARDED(Waitall, (int count, MPI_Request requests[], MPI_Status *statuses),
                (count, requests, statuses))
{
    const known its = look(requests, count);
    return all_done(&its, wait_for_all(count, requests, statuses));
}

ANYPI_FORWARDED(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
                (count, requests, index, status))
{
    const known its = look(requests, count);
    const int error = wait_for_any(count, requests, index, status);
    return some_done(&its, index, 1, error);
}

ANYPI_FORWARDED(Waitsome, (int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status *statuses),
                (count, requests, done, indices, statuses))
{
    const known its = look(requests, count);
    const int error = wait_for_some(count, requests, done, indices, statuses);
    return some_done(&its, indices, *done, error);
}

ANYPI_FORWARDED(Test, (MPI_Request *request, int *flag, MPI_Status *status),
                (request, flag, status))
{
    const known its = look(request, 1);
    move_operations();
    const int error = anypi_mpi.Test(request, flag, status);
    return *flag ? all_done(&its, error) : error;
}

ANYPI_FORWARDED(Testall, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses),
                (count, requests, flag, statuses))
{
    const known its = look(requests, count);
    move_operations();
    const int error = anypi_mpi.Testall(count, requests, flag, statuses);
    return *flag ? all_done(&its, error) : error;
}

ANYPI_FORWARDED(Testany, (int count, MPI_Request requests[], int *index, int *flag,
                          MPI_Status *status),
                (count, requests, index, flag, status))
{
    const known its = look(requests, count);
    move_operations();
    const int error = anypi_mpi.Testany(count, requests, index, flag, status);
    return *flag ? some_done(&its, index, 1, error) : error;
}

ANYPI_FORWARDED(Testsome, (int count, MPI_Request requests[], int *done, int indices[],
                           MPI_Status *statuses),
                (count, requests, done, indices, statuses))
{
    const known its = look(requests, count);
    move_operations();
    const int error = anypi_mpi.Testsome(count, requests, done, indices, statuses);
    return some_done(&its, indices, *done, error);
}

ANYPI_FORWARDED(Start, (MPI_Request *request), (request))
{
    const known its = look(request, 1);
    const int error = anypi_mpi.Start(request);
    if (!error)
        anypi_operation_start(*request);
    if (its.count && !error)
        note_started(*request, its.begin);
    return error;
}

ANYPI_FORWARDED(Startall, (int count, MPI_Request requests[]), (count, requests))
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Startall(count, requests);
    for (int i = 0; !error && i < count; i++)
        anypi_operation_start(requests[i]);
    for (int i = 0; !error && i < its.count; i++)
        note_started(its.list[i].request, its.begin);
    return error;
}

ANYPI_FORWARDED(Request_free, (MPI_Request *request), (request))
{
    const known its = look(request, 1);
    const int error = anypi_operation_free(request);
    if (its.count && !error)
        note_freed(its.list[0].request);
    return error;
}
