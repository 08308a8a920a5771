/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operations.c - runs operations until their ends, and finds those of requests and handles.
 */
#include "mpi/operation.h"

anypi_operations anypi_all_operations = {
    .comm = MPI_COMM_NULL, .newest = &anypi_all_operations.oldest
};
static anypi_operations *const all = &anypi_all_operations;

int anypi_operations_active;
int anypi_operations_count;
bool anypi_operations_hooked;

/* ---- the end of an operation ---- */

static void unlink_active(anypi_operation *it)
{
    anypi_operation **link = &all->oldest;
    while (*link != it)
        link = &(*link)->later;
    *link = it->later;
    if (!*link)
        all->newest = link;
    it->later = NULL;
}

static bool uses_type(const anypi_operation *it, MPI_Datatype type)
{
    const anypi_arguments *its = &it->job.its;
    bool uses = its->datatype == type || its->sendtype == type;
    for (int i = 0; i < it->job.call.p && !uses; i++)
        uses = (its->datatypes && its->datatypes[i] == type) ||
            (its->sendtypes && its->sendtypes[i] == type);
    return uses;
}

static bool uses_op(const anypi_operation *it, MPI_Op op)
{
    return !anypi_moves(it->job.call.collective) && it->job.its.op == op;
}

bool anypi_operations_use_op(MPI_Op op)
{
    const anypi_operation *it = all->first;
    while (it && !uses_op(it, op))
        it = it->next;
    return it;
}

bool anypi_operations_use_type(MPI_Datatype type)
{
    const anypi_operation *it = all->first;
    while (it && !uses_type(it, type))
        it = it->next;
    return it;
}

void anypi_operation_end(anypi_operation *it)
{
    anypi_state *const state = it->job.state;
    *it->link = it->next;
    if (it->next)
        it->next->link = it->link;
    anypi_operations_count--;
    anypi_reason_add(-1);
    if (it->job.mode == ANYPI_PERSISTENT)
        state->places[it->turn / 64] &= ~(UINT64_C(1) << it->turn % 64);
    anypi_free_handles(anypi_operations_use_op, anypi_operations_use_type);
    anypi_task_close(&it->run, &it->transport);
    anypi_free(it->host);
    anypi_free(it->sizes);
    anypi_free(it);
    state->operations--;
    anypi_state_release(state);
}

void anypi_operation_oldest(anypi_state *state)
{
    const anypi_operation *it = all->oldest;
    while (it && (it->job.state != state || it->job.mode == ANYPI_PERSISTENT))
        it = it->later;
    state->oldest = it ? it->turn : state->begun;
}

/* An error handler may wait for other operations, so it is called when this is possible. */
static void remember_failure(MPI_Comm comm, int error)
{
    anypi_failure *more = anypi_grow(all->failures, &all->failures_room, all->failures_count,
                                     sizeof *more);
    if (!more)
        return;
    all->failures = more;
    all->failures[all->failures_count++] = (anypi_failure) { comm, error };
}

static void call_handlers(void)
{
    while (all->failures_count > 0) {
        const anypi_failure one = all->failures[--all->failures_count];
        if (anypi_state_found(one.comm))
            anypi_state_fail(one.comm, one.error);
    }
}

/* Completes the request. A message that is too long lets it fail. */
static void complete(anypi_operation *it)
{
    const char nothing[1] = { 0 };
    anypi_state *const state = it->job.state;
    anypi_transport *transport = &it->transport;
    const bool persistent = it->job.mode == ANYPI_PERSISTENT;
    if (it->run.no_memory)
        record(transport, MPI_ERR_NO_MEM);
    else if (transport->local && transport->local->disagrees)
        record(transport, MPI_ERR_TRUNCATE);
    unlink_active(it);
    it->active = false;
    anypi_operations_active--;
    if (!persistent && it->turn == state->oldest)
        anypi_operation_oldest(state);
    if (it->host && !transport->error)
        anypi_mpi_to_device(transport, it->run.out);
    if (transport->error) {
        state->channel.failed = true;
        if (!state->ended)
            remember_failure(it->job.comm, transport->error);
    }
    anypi_mpi.Send(nothing, transport->error != MPI_SUCCESS, MPI_BYTE, 0, it->slot, all->comm);
    if (!persistent || it->freed)
        anypi_operation_end(it);
}

/* ---- running ---- */

/* Returns whether an earlier call of the communicator may still be under way with the same tag. */
static bool must_wait(const anypi_operation *it)
{
    return it->job.mode == ANYPI_NONBLOCKING &&
        it->turn >= it->job.state->oldest + (unsigned) all->turns;
}

static void begin(anypi_operation *it)
{
    anypi_transport *transport = &it->transport;
    it->begun = true;
    transport->error = MPI_SUCCESS;
    transport->failed = false;
    transport->missing = NULL;
    transport->missing_parcel = NULL;
    if (transport->lanes) {
        anypi_lanes_changed(transport->lanes);
        if (anypi_operations_active > 1)
            anypi_lanes_release(transport->lanes);
    }
    if (transport->local)       /* got[] follows given[] */
        memcpy(transport->local->given, it->sizes, 2 * (size_t) it->job.call.p * sizeof *it->sizes);
    anypi_task_begin(&it->run, transport);
}

/* Returns whether a message is still missing for which the task waits. */
static bool is_missing(anypi_transport *transport)
{
    int flag = 1;
    if (transport->missing_parcel && !transport->missing_parcel->over)
        return true;
    if (transport->missing)
        record(transport, anypi_mpi.Test(transport->missing, &flag, MPI_STATUS_IGNORE));
    return !flag;
}

/* Continues an operation. Returns whether it has ended. */
static bool move(anypi_operation *it)
{
    anypi_transport *transport = &it->transport;
    if (!it->begun) {
        if (must_wait(it))
            return false;
        begin(it);
    }
    if (is_missing(transport))
        return false;
    transport->missing = NULL;
    transport->missing_parcel = NULL;
    if (!anypi_task_run(&it->run, transport))
        return false;
    if (transport->lanes)
        anypi_lanes_changed(transport->lanes);
    complete(it);
    return true;
}

bool anypi_operations_move(void)
{
    bool ended = false;
    if (all->moving)
        return false;
    all->moving = true;
    if (anypi_my_node.lanes)
        anypi_lanes_move(anypi_my_node.lanes);
    for (anypi_operation *it = all->oldest, *next; it; it = next) {
        next = it->later;
        ended |= move(it);
    }
    all->moving = false;
    call_handlers();
    return ended;
}

void anypi_operations_complete(void)
{
    int turns = 0;
    while (anypi_operations_need_help())
        if (anypi_operations_move())
            turns = 0;
        else if (anypi_my_node.lanes)
            anypi_lanes_idle(anypi_my_node.lanes, &turns, false);
}

void anypi_operation_run(anypi_operation *it)
{
    const bool moving = all->moving;
    it->active = true;
    it->begun = false;
    *all->newest = it;
    all->newest = &it->later;
    anypi_operations_active++;
    all->moving = true;          /* messages may let the library call anypi_operations_move() */
    move(it);
    all->moving = moving;
    if (!moving)
        call_handlers();
}

/* ---- requests ---- */

static anypi_operation *find(MPI_Request request)
{
    anypi_operation *it = all->first;
    while (it && (it->freed || it->request != request))
        it = it->next;
    return it;
}

bool anypi_operation_owns(MPI_Request request)
{
    return anypi_operations_count && request != MPI_REQUEST_NULL && find(request);
}

void anypi_operation_start(MPI_Request request)
{
    anypi_operation *it = anypi_operations_count ? find(request) : NULL;
    if (it)
        anypi_operation_run(it);
}

void anypi_operation_free(MPI_Request request)
{
    anypi_operation *it = anypi_operations_count ? find(request) : NULL;
    if (!it)
        return;
    it->freed = true;
    if (!it->active)
        anypi_operation_end(it);
}

/* ---- the beginning and the end ---- */

/* For Open MPI's progress engine. */
static int hook(void)
{
    return anypi_operations_active > 0 && anypi_operations_move();
}

static bool set_hook(const char *function)
{
    int (*const call)(int (*callback)(void)) = (int (*)(int (*)(void))) anypi_symbol(function);
    return call && call(hook) == 0;
}

static bool open_requests(void)
{
    int *tag_ub = NULL, there = 0;
    MPI_Group group;
    if (anypi_mpi.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &there) || !there ||
        anypi_mpi.Comm_group(MPI_COMM_SELF, &group))
        return false;
    all->slots = *tag_ub;
    const bool good = !anypi_mpi.Comm_create(MPI_COMM_SELF, group, &all->comm) &&
        !anypi_mpi.Comm_set_errhandler(all->comm, MPI_ERRORS_RETURN);
    anypi_mpi.Group_free(&group);
    return good;
}

static void close_operations(void)
{
    if (anypi_operations_hooked)
        set_hook("opal_progress_unregister");
    anypi_operations_hooked = false;
    if (all->comm != MPI_COMM_NULL)
        anypi_mpi.Comm_free(&all->comm);
    anypi_free(all->failures);
    all->failures = NULL;
    all->failures_count = all->failures_room = 0;
    anypi_free_handles(NULL, NULL);
}

void anypi_operations_open(void)
{
#ifdef SMPI_NO_OVERRIDE_MALLOC
    const bool simulated = true;        /* a test takes simulated time */
#else
    const bool simulated = false;
#endif
    int level = MPI_THREAD_MULTIPLE;
    anypi_mpi.Query_thread(&level);
    all->turns = anypi_channels_turns() / 2;
    const bool good = !simulated && anypi_settings_get()->nonblocking &&
        level != MPI_THREAD_MULTIPLE && all->turns > 0 && open_requests();
    anypi_state_before_end(close_operations);
    if (!anypi_all_ranks(MPI_COMM_WORLD, good))
        close_operations();
    else
        anypi_operations_hooked = set_hook("opal_progress_register");
}
