/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorded_calls.c - wraps functions for ANYP_RECORD only: nonblocking, persistent and neighborhood
 * collectives, and functions that start or complete requests. All calls are forwarded.
 */
#include "mpi/recorder.h"

#include "schedule/memory.h"

/* Defines a function that is forwarded and noted. `noted` is its collective, and `like` the
 * collective with the same arguments. `more` are its arguments beyond these. `place` is the type of
 * displacements. */
#define FORWARD(noted, like, form, function, shape, place, parameters, more, request)              \
    int MPI_##function(shape(ANYPI_DECLARE, place) MPI_Comm comm parameters)                       \
    {                                                                                              \
        anypi_pmpi_load();                                                                         \
        const double begin = anypi_recording ? anypi_note_seconds() : 0;                           \
        const int error = anypi_mpi.function(shape(ANYPI_GIVE, ) comm more);                       \
        if (begin > 0 && !error) {                                                                 \
            const anypi_arguments its = { .collective = ANYP_##like, shape(ANYPI_STORE, ) };       \
            anypi_note_form(begin, noted, ANYPI_FORM_##form, &its, comm, request);                 \
        }                                                                                          \
        return error;                                                                              \
    }

#define NO_PARAMETERS
#define REQUEST_PARAMETER , MPI_Request *request
#define INFO_PARAMETER , MPI_Info info, MPI_Request *request
#define REQUEST , request
#define INFO , info, request

#define NONBLOCKING(noted, like, function, shape, place)                                           \
    FORWARD(noted, like, NONBLOCKING, function, shape, place, REQUEST_PARAMETER, REQUEST, *request)
#define PERSISTENT(noted, like, function, shape, place)                                            \
    FORWARD(noted, like, PERSISTENT, function, shape, place, INFO_PARAMETER, INFO, *request)
#define BLOCKING(noted, like, function, shape, place)                                              \
    FORWARD(noted, like, BLOCKING, function, shape, place, , , MPI_REQUEST_NULL)

#define INTEGER int
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    NONBLOCKING(ANYP_##NAME, NAME, I##name, ANYPI_SHAPE_##kind##_##arguments, int)
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    BLOCKING(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name, ANYPI_SHAPE_MOVEMENT_##shape, place)    \
    NONBLOCKING(ANYPI_NEIGHBOR_##NAME, like, Ineighbor_##name, ANYPI_SHAPE_MOVEMENT_##shape, place)
#include "mpi/neighbors.def"

#ifdef ANYPI_HAVE_LARGE
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    PERSISTENT(ANYP_##NAME, NAME, Name##_init, ANYPI_SHAPE_##kind##_##arguments, int)
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    PERSISTENT(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_init,                                \
               ANYPI_SHAPE_MOVEMENT_##shape, place)
#include "mpi/neighbors.def"
#undef INTEGER
#define INTEGER MPI_Count
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_LARGE_##arguments(                                                                       \
        NONBLOCKING(ANYP_##NAME, NAME, I##name##_c, ANYPI_SHAPE_##kind##_##arguments, MPI_Aint)    \
        PERSISTENT(ANYP_##NAME, NAME, Name##_init_c, ANYPI_SHAPE_##kind##_##arguments, MPI_Aint))
#include "schedule/collectives.def"
#define ANYPI_NEIGHBOR(NAME, like, name, shape, place)                                             \
    BLOCKING(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_c, ANYPI_SHAPE_MOVEMENT_##shape,       \
             MPI_Aint)                                                                             \
    NONBLOCKING(ANYPI_NEIGHBOR_##NAME, like, Ineighbor_##name##_c, ANYPI_SHAPE_MOVEMENT_##shape,   \
                MPI_Aint)                                                                          \
    PERSISTENT(ANYPI_NEIGHBOR_##NAME, like, Neighbor_##name##_init_c,                              \
               ANYPI_SHAPE_MOVEMENT_##shape, MPI_Aint)
#include "mpi/neighbors.def"
#endif

/* ---- requests ---- */

/* The requests of collectives among n requests, before a call that may complete them. */
typedef struct known {
    double begin;
    int count;                  /* 0: there are no such requests */
    MPI_Request *requests;      /* valid until the thread makes another such call */
    int *places;
} known;

static known look(const MPI_Request *requests, int n)
{
    static __thread MPI_Request *kept;
    static __thread int *kept_places, room, places_room;
    known its = { 0 };
    anypi_pmpi_load();
    if (!anypi_recording || !__atomic_load_n(&anypi_noted_requests, __ATOMIC_RELAXED))
        return its;
    for (int i = 0; i < n; i++) {
        if (requests[i] == MPI_REQUEST_NULL || !anypi_request_is_noted(requests[i]))
            continue;
        MPI_Request *const more = anypi_grow(kept, &room, its.count, sizeof *more);
        int *const places = anypi_grow(kept_places, &places_room, its.count, sizeof *places);
        kept = more ? more : kept;
        kept_places = places ? places : kept_places;
        if (!more || !places)
            break;
        kept[its.count] = requests[i];
        kept_places[its.count++] = i;
    }
    its.begin = its.count ? anypi_note_seconds() : 0;
    its.requests = kept;
    its.places = kept_places;
    return its;
}

/* Notes that all requests are complete. */
static int all_done(const known *its, int error)
{
    for (int i = 0; !error && i < its->count; i++)
        anypi_request_done(its->requests[i], its->begin, its->count);
    return error;
}

/* Notes that the requests at `count` indices are complete. */
static int some_done(const known *its, const int *indices, int count, int error)
{
    if (error || count == MPI_UNDEFINED)
        return error;
    for (int i = 0; i < its->count; i++)
        for (int k = 0; k < count; k++)
            if (indices[k] == its->places[i])
                anypi_request_done(its->requests[i], its->begin, 1);
    return error;
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    const known its = look(request, 1);
    return all_done(&its, anypi_mpi.Wait(request, status));
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
    const known its = look(requests, count);
    return all_done(&its, anypi_mpi.Waitall(count, requests, statuses));
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Waitany(count, requests, index, status);
    return some_done(&its, index, 1, error);
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Waitsome(count, requests, done, indices, statuses);
    return some_done(&its, indices, *done, error);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    const known its = look(request, 1);
    const int error = anypi_mpi.Test(request, flag, status);
    return *flag ? all_done(&its, error) : error;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Testall(count, requests, flag, statuses);
    return *flag ? all_done(&its, error) : error;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Testany(count, requests, index, flag, status);
    return *flag ? some_done(&its, index, 1, error) : error;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Testsome(count, requests, done, indices, statuses);
    return some_done(&its, indices, *done, error);
}

int MPI_Start(MPI_Request *request)
{
    const known its = look(request, 1);
    const int error = anypi_mpi.Start(request);
    if (its.count && !error)
        anypi_request_started(*request, its.begin);
    return error;
}

int MPI_Startall(int count, MPI_Request requests[])
{
    const known its = look(requests, count);
    const int error = anypi_mpi.Startall(count, requests);
    for (int i = 0; !error && i < its.count; i++)
        anypi_request_started(its.requests[i], its.begin);
    return error;
}

int MPI_Request_free(MPI_Request *request)
{
    const known its = look(request, 1);
    const int error = anypi_mpi.Request_free(request);
    if (its.count && !error)
        anypi_request_freed(its.requests[0]);
    return error;
}
