/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_requests.c - remembers the requests of nonblocking and persistent collectives, with the
 * kinds of their calls. A program has few of them at a time, so they are a list.
 */
#include "mpi/recorder_table.h"
#include "schedule/memory.h"

typedef struct noted_request {
    MPI_Request request;
    anypi_kind_place place;
    int root;
    bool persistent;
} noted_request;

static noted_request *noted;
static int room;

int anypi_noted_requests;

static noted_request *find(MPI_Request request)
{
    for (int i = anypi_noted_requests - 1; i >= 0; i--)
        if (noted[i].request == request)
            return &noted[i];
    return NULL;
}

static void set_count(int count)
{
    __atomic_store_n(&anypi_noted_requests, count, __ATOMIC_RELAXED);
}

/* Adds a request, or replaces one whose handle is used again. */
static void remember(const noted_request *its)
{
    noted_request *known = find(its->request);
    noted_request *list = known ? noted
        : anypi_grow(noted, &room, anypi_noted_requests, sizeof *list);
    if (!list)
        return;
    noted = list;
    if (!known) {
        known = &noted[anypi_noted_requests];
        set_count(anypi_noted_requests + 1);
    }
    *known = *its;
}

static void forget(noted_request *its)
{
    *its = noted[anypi_noted_requests - 1];
    set_count(anypi_noted_requests - 1);
}

void anypi_note_form(double begin, int collective, anypi_call_form form,
                     const anypi_arguments *its, MPI_Comm comm, MPI_Request request)
{
    const double now = anypi_note_seconds();
    const anypi_state *state = anypi_state_found(comm);
    anypi_recorder_lock();
    const anypi_kind_place place = anypi_recorder_kind(collective, form, its, state, comm);
    /* a persistent call is counted when it starts */
    if (place.index >= 0 && form != ANYPI_FORM_PERSISTENT)
        anypi_recorder_add(&place, its->root, now - begin);
    if (place.index >= 0 && request != MPI_REQUEST_NULL)
        remember(&(noted_request) { request, place, its->root, form == ANYPI_FORM_PERSISTENT });
    anypi_recorder_unlock();
    anypi_recorder_look(now);
}

bool anypi_request_is_noted(MPI_Request request)
{
    anypi_recorder_lock();
    const bool is_so = find(request) != NULL;
    anypi_recorder_unlock();
    return is_so;
}

void anypi_request_started(MPI_Request request, double begin)
{
    const double now = anypi_note_seconds();
    anypi_recorder_lock();
    const noted_request *its = find(request);
    if (its)
        anypi_recorder_add(&its->place, its->root, now - begin);
    anypi_recorder_unlock();
}

void anypi_request_done(MPI_Request request, double begin, int share)
{
    const double now = anypi_note_seconds();
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its)
        anypi_recorder_all.record.kinds[its->place.index].seconds += (now - begin) / share;
    if (its && !its->persistent)
        forget(its);
    anypi_recorder_unlock();
}

void anypi_request_freed(MPI_Request request)
{
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its)
        forget(its);
    anypi_recorder_unlock();
}
