/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/transport.h"

#include "execute/task.h"

typedef struct operation {
    anypi_transport transport;  /* first member, because each poll reads it */
    anypi_task run;
    anypi_job job;              /* with copies of the caller's arrays */
    struct operation *next, **link;     /* list of all operations */
    struct operation *later;    /* list of those under way */
    MPI_Request request;
    int slot;                   /* the tag of the message that completes the request */
    uint64_t turn;              /* nonblocking: its number on the communicator; persistent: its
                                 * place */
    bool active, begun;         /* under way; messages have been sent */
    bool freed;                 /* the program has freed the request */
} operation;

int anypi_operations_active;
int anypi_operations_count;
bool anypi_operations_hooked;

static struct {
    MPI_Comm comm;              /* for the requests; MPI_COMM_NULL: calls are forwarded */
    int turns;                  /* half of anypi_channels_turns(): for nonblocking calls; the other
                                 * half is for persistent ones */
    int slots, next_slot;
    operation *first;           /* all operations */
    operation *oldest, **newest;        /* those under way, in the order of their starts */
    bool moving;                /* in anypi_operations_move() */
} all = { .comm = MPI_COMM_NULL, .newest = &all.oldest };

/* ---- the end of an operation ---- */

static void unlink_active(operation *it)
{
    operation **link = &all.oldest;
    while (*link != it)
        link = &(*link)->later;
    *link = it->later;
    if (!*link)
        all.newest = link;
    it->later = NULL;
}

static bool uses_type(const operation *it, MPI_Datatype type)
{
    const anypi_arguments *its = &it->job.its;
    bool uses = its->datatype == type || its->sendtype == type;
    for (int i = 0; i < it->job.call.p && !uses; i++)
        uses = (its->datatypes && its->datatypes[i] == type) ||
            (its->sendtypes && its->sendtypes[i] == type);
    return uses;
}

static bool uses_op(const operation *it, MPI_Op op)
{
    return !anypi_moves(it->job.call.collective) && it->job.its.op == op;
}

bool anypi_operations_use_op(MPI_Op op)
{
    const operation *it = all.first;
    while (it && !uses_op(it, op))
        it = it->next;
    return it;
}

bool anypi_operations_use_type(MPI_Datatype type)
{
    const operation *it = all.first;
    while (it && !uses_type(it, type))
        it = it->next;
    return it;
}

static void free_operation(operation *it)
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
    anypi_free(it);
    state->operations--;
    anypi_state_release(state);
}

/* Finds the oldest nonblocking call of a communicator that is under way. */
static void find_oldest(anypi_state *state)
{
    const operation *it = all.oldest;
    while (it && (it->job.state != state || it->job.mode == ANYPI_PERSISTENT))
        it = it->later;
    state->oldest = it ? it->turn : state->begun;
}

/* Completes the request. A message that is too long lets it fail. */
static void complete(operation *it)
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
        find_oldest(state);
    if (transport->error) {
        state->channel.failed = true;
        if (!state->ended)
            anypi_state_fail(it->job.comm, transport->error);
    }
    anypi_mpi.Send(nothing, transport->error != MPI_SUCCESS, MPI_BYTE, 0, it->slot, all.comm);
    if (!persistent || it->freed)
        free_operation(it);
}

/* ---- running ---- */

/* Returns whether an earlier call of the communicator may still be under way with the same tag. */
static bool must_wait(const operation *it)
{
    return it->job.mode == ANYPI_NONBLOCKING &&
        it->turn >= it->job.state->oldest + (unsigned) all.turns;
}

static void begin(operation *it)
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
    if (transport->local) {
        const size_t p = (size_t) it->job.call.p;
        if (anypi_measure_sides(&it->job) != ANYP_SUCCESS)
            record(transport, MPI_ERR_NO_MEM);
        const int64_t *sizes = it->job.state->workspace.starts;
        memcpy(transport->local->given, sizes, p * sizeof *sizes);
        memcpy(transport->local->got, sizes + p, p * sizeof *sizes);
    }
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
static bool move(operation *it)
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
    if (all.moving)
        return false;
    all.moving = true;
    if (anypi_my_node.lanes)
        anypi_lanes_move(anypi_my_node.lanes);
    for (operation *it = all.oldest, *next; it; it = next) {
        next = it->later;
        ended |= move(it);
    }
    all.moving = false;
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

static void start(operation *it)
{
    const bool moving = all.moving;
    it->active = true;
    it->begun = false;
    *all.newest = it;
    all.newest = &it->later;
    anypi_operations_active++;
    all.moving = true;          /* messages may let the library call anypi_operations_move() */
    move(it);
    all.moving = moving;
}

/* ---- a new operation ---- */

/* Returns the job with copies of the caller's arrays in `room`. */
static anypi_job keep_job(const anypi_job *job, operation *it, char *room)
{
    anypi_job kept = *job;
    kept.call.starts = NULL;
    kept.call.nodes = NULL;
    kept.entry = NULL;
    if (job->type == &job->users)
        kept.type = &it->job.users;
    if (job->sends == &job->users || job->sends == &job->users_sends)
        kept.sends = job->sends == &job->users ? &it->job.users : &it->job.users_sends;
    anypi_task_keep_arrays(&job->call, &kept.its, room);
    return kept;
}

/* Finds a place for a persistent request that is free on all ranks. Returns -1 if there is none.
 * Collective, as MPI permits for the function that makes the request. */
static int free_place(const anypi_state *state)
{
    uint64_t used[ANYPI_PLACES / 64];
    anypi_operations_finish();
    if (anypi_mpi.Allreduce(state->places, used, ANYPI_PLACES / 64, MPI_UINT64_T, MPI_BOR,
                            state->user))
        return -1;
    for (int i = 0; i < all.turns; i++)
        if (!(used[i / 64] >> i % 64 & 1))
            return i;
    return -1;
}

/* Gives an operation a tag, the same on all ranks. `place`: of a persistent request. */
static void take_turn(operation *it, int place)
{
    anypi_state *state = it->job.state;
    const bool persistent = it->job.mode == ANYPI_PERSISTENT;
    it->turn = persistent ? (uint64_t) place : state->begun++;
    if (persistent)
        state->places[place / 64] |= UINT64_C(1) << place % 64;
    const int turn = 1 + (persistent ? all.turns + place : (int) (it->turn % (unsigned) all.turns));
    it->transport.tag = anypi_channel_tag(&state->channel, turn);
    it->transport.context |= (uint64_t) turn << 32;
}

/* Makes the memory of an operation. NULL: there is none. */
static operation *allocate(const anypi_job *job, const anypi_transport *transport)
{
    const bool stages = anypi_has_local_sizes(job->call.collective);
    anypi_cache *cache = &job->state->workspace.cache;
    anypi_parts parts = { .whole = 0 };
    if (stages ? anypi_cache_plan(cache, job->entry) != ANYP_SUCCESS
        : anypi_mpi_parts(transport, &parts) != ANYP_SUCCESS)
        return NULL;
    const anypi_task_layout layout = anypi_task_lay_out(sizeof(operation), &parts, &job->call,
                                                        &job->its);
    char *const block = layout.size < 0 ? NULL : anypi_realloc(NULL, (size_t) layout.size);
    if (!block)
        return NULL;
    operation *const it = (operation *) (void *) block;
    anypi_local *const local = stages ? (anypi_local *) (void *) (block + layout.local) : NULL;
    if (local && anypi_local_open(local, job->entry->plan, job->call.in_place, NULL) !=
        ANYP_SUCCESS) {
        anypi_free(block);
        return NULL;
    }
    *it = (operation) {
        .transport = *transport,
        .run = anypi_task_make(block, &layout, &parts, anypi_input_in_out(&job->call)
                               ? job->its.recvbuf : (char *) job->its.sendbuf, job->its.recvbuf),
        .request = MPI_REQUEST_NULL,
    };
    it->job = keep_job(job, it, block + layout.arrays);
    it->transport.job = &it->job;
    it->transport.local = local;
    if (job->type == &job->users && transport->type == job->type)
        it->transport.type = it->job.type;
    return it;
}

static void link_operation(operation *it)
{
    it->next = all.first;
    it->link = &all.first;
    if (all.first)
        all.first->link = &it->next;
    all.first = it;
    anypi_operations_count++;
    anypi_reason_add(1);
    it->job.state->operations++;
}

/* Makes the request, and starts the operation if it is not persistent. */
static int make(const anypi_job *job, int place, MPI_Request *request)
{
    anypi_transport transport;
    int error = anypi_mpi_open(job, &transport);
    if (error)
        return error;
    transport.polls = true;
    operation *const it = allocate(job, &transport);
    if (!it)
        return MPI_ERR_NO_MEM;
    link_operation(it);
    take_turn(it, place);
    it->slot = all.next_slot;
    all.next_slot = (all.next_slot + 1) % all.slots;
    const bool persistent = job->mode == ANYPI_PERSISTENT;
    error = (persistent ? anypi_mpi.Recv_init : anypi_mpi.Irecv)
        (NULL, 0, MPI_BYTE, 0, it->slot, all.comm, request);
    if (error) {
        free_operation(it);
        return error;
    }
    it->request = *request;
    if (!persistent)
        start(it);
    return MPI_SUCCESS;
}

bool anypi_operation_new(const anypi_arguments *its, MPI_Comm comm, anypi_mode mode,
                         MPI_Request *request, int *error)
{
    anypi_job job;
    if (all.comm == MPI_COMM_NULL || !request || !anypi_serves(&job, its, comm, mode))
        return false;
    const int place = mode == ANYPI_PERSISTENT && !job.error ? free_place(job.state) : 0;
    if (place < 0) {
        __atomic_store_n(&anypi_last_ran[its->collective], NULL, __ATOMIC_RELAXED);
        return false;
    }
    if (!job.error) {
        job.error = make(&job, place, request);
        if (job.error) {
            job.state->channel.failed = true;
            anypi_state_fail(comm, job.error);
        }
    }
    *error = job.error;
    return true;
}

int anypi_operations_expect(MPI_Comm comm)
{
    int error = MPI_SUCCESS;
    if (all.comm == MPI_COMM_NULL || comm == MPI_COMM_NULL)
        return MPI_SUCCESS;
    anypi_state *state = anypi_state_of(comm, &error);
    if (state && !error && !state->passes)
        anypi_state_nodes(state, anypi_settings_get());
    return error;
}

/* ---- requests ---- */

static operation *find(MPI_Request request)
{
    operation *it = all.first;
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
    operation *it = anypi_operations_count ? find(request) : NULL;
    if (it)
        start(it);
}

void anypi_operation_free(MPI_Request request)
{
    operation *it = anypi_operations_count ? find(request) : NULL;
    if (!it)
        return;
    it->freed = true;
    if (!it->active)
        free_operation(it);
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
    all.slots = *tag_ub;
    const bool good = !anypi_mpi.Comm_create(MPI_COMM_SELF, group, &all.comm) &&
        !anypi_mpi.Comm_set_errhandler(all.comm, MPI_ERRORS_RETURN);
    anypi_mpi.Group_free(&group);
    return good;
}

static void close_operations(void)
{
    if (anypi_operations_hooked)
        set_hook("opal_progress_unregister");
    anypi_operations_hooked = false;
    if (all.comm != MPI_COMM_NULL)
        anypi_mpi.Comm_free(&all.comm);
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
    all.turns = anypi_channels_turns() / 2;
    const bool good = !simulated && anypi_settings_get()->nonblocking &&
        level != MPI_THREAD_MULTIPLE && all.turns > 0 && open_requests();
    anypi_state_before_end(close_operations);
    if (!anypi_all_ranks(MPI_COMM_WORLD, good))
        close_operations();
    else
        anypi_operations_hooked = set_hook("opal_progress_register");
}
