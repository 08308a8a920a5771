/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_requests.c - remembers the requests of nonblocking and persistent collectives, in a hash
 * table from a request to the kind of its call.
 */
#include "mpi/recorder_table.h"
#include "schedule/memory.h"

#include <string.h>

enum { FIRST_ROOM = 64 };

typedef struct noted_request {
    MPI_Request request;
    anypi_kind_place place;
    int root;
    bool used, persistent;
} noted_request;

static struct {
    noted_request *slots;
    int room;
} table;

int anypi_noted_requests;

/* Returns a hash of a handle, which is a small number or an address. */
static unsigned hash_of(MPI_Request request)
{
    return (unsigned) (((uint64_t) (uintptr_t) request * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Returns the request's slot, or the empty slot for it. */
static noted_request *slot_of(MPI_Request request)
{
    const unsigned mask = (unsigned) table.room - 1;
    unsigned i = hash_of(request) & mask;
    while (table.slots[i].used && table.slots[i].request != request)
        i = (i + 1) & mask;
    return &table.slots[i];
}

static noted_request *find(MPI_Request request)
{
    noted_request *slot = table.room ? slot_of(request) : NULL;
    return slot && slot->used ? slot : NULL;
}

/* Makes room for one more request. */
static bool grow(void)
{
    noted_request *const old = table.slots;
    const int room = table.room;
    if (2 * (anypi_noted_requests + 1) <= room)
        return true;
    const int more = room ? 2 * room : FIRST_ROOM;
    noted_request *slots = anypi_realloc(NULL, (size_t) more * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, (size_t) more * sizeof *slots);
    table.slots = slots;
    table.room = more;
    for (int i = 0; i < room; i++)
        if (old[i].used)
            *slot_of(old[i].request) = old[i];
    anypi_free(old);
    return true;
}

static void set_count(int count)
{
    __atomic_store_n(&anypi_noted_requests, count, __ATOMIC_RELAXED);
}

/* Empties a slot, and moves the following ones up that it had displaced. */
static void forget(noted_request *slot)
{
    const unsigned mask = (unsigned) table.room - 1;
    unsigned hole = (unsigned) (slot - table.slots);
    for (unsigned i = (hole + 1) & mask; table.slots[i].used; i = (i + 1) & mask) {
        const unsigned home = hash_of(table.slots[i].request) & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table.slots[hole] = table.slots[i];
            hole = i;
        }
    }
    table.slots[hole].used = false;
    set_count(anypi_noted_requests - 1);
}

void anypi_note_form(uint64_t begin, int collective, anypi_call_form form,
                     const anypi_arguments *its, MPI_Comm comm, MPI_Request request)
{
    const uint64_t now = anypi_ticks();
    const anypi_state *state = anypi_state_found(comm);
    anypi_recorder_lock();
    const int shape = state ? anypi_noted_shape(state->noted) : 0;
    const anypi_kind_place place = anypi_recorder_kind(collective, form, its, state, shape, comm);
    /* a persistent call is counted when it starts */
    if (place.index >= 0 && form != ANYPI_FORM_PERSISTENT)
        anypi_recorder_add(&place, its->root, (double) (now - begin));
    if (place.index >= 0 && request != MPI_REQUEST_NULL && grow()) {
        noted_request *slot = slot_of(request);
        set_count(anypi_noted_requests + !slot->used);
        *slot = (noted_request) { request, place, its->root, true,
                                  form == ANYPI_FORM_PERSISTENT };
    }
    anypi_recorder_unlock();
    if (now > anypi_recorder_all.look)
        anypi_recorder_look(now);
}

bool anypi_request_is_noted(MPI_Request request)
{
    anypi_recorder_lock();
    const bool is_so = find(request) != NULL;
    anypi_recorder_unlock();
    return is_so;
}

/* Returns whether the kind's index has changed because kinds were joined. Then the times of the
 * request are lost. */
static bool is_lost(const noted_request *its)
{
    return its->place.joins != anypi_recorder_all.joins;
}

void anypi_request_started(MPI_Request request, uint64_t begin)
{
    const uint64_t now = anypi_ticks();
    anypi_recorder_lock();
    const noted_request *its = find(request);
    if (its && !is_lost(its))
        anypi_recorder_add(&its->place, its->root, (double) (now - begin));
    anypi_recorder_unlock();
}

void anypi_request_done(MPI_Request request, uint64_t begin, int share)
{
    const uint64_t now = anypi_ticks();
    anypi_recorder_lock();
    noted_request *its = find(request);
    if (its && !is_lost(its))
        anypi_recorder_all.record.kinds[its->place.index].seconds +=
            (double) (now - begin) / (share > 1 ? share : 1);
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
