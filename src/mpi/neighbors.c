/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/neighbors.h"

#include "mpi/transport.h"

/* A call. */
typedef struct neighbor_call {
    anypi_transport transport;
    anypi_job job;              /* of the transport */
    anypi_neighbors *of;
    bool same;                  /* an allgather: one block for all */
} neighbor_call;

/* ---- blocks ---- */

/* Sets *block to block i that this rank gives or gets. Describes a user datatype in *users. Returns
 * false if the datatype is wrong. */
static bool find_block(const neighbor_call *call, bool gives, int i, anypi_type *users,
                       anypi_place *block)
{
    const anypi_side *side = gives ? &call->job.gives : &call->job.gets;
    if (!anypi_block_of(side, i, users, block))
        return false;
    if (!side->displs.at && !(gives && call->same))
        block->address = (const char *) ((uintptr_t) side->buffer +
                                         (uintptr_t) (i * side->count *
                                                      side->type->element.extent));
    return true;
}

/* Returns the rank at the other end of a block's edge; negative: none. */
static int neighbor_of(const anypi_neighbor_plan *plan, bool gives, int i)
{
    return gives ? plan->to[i] : plan->from[2 * i];
}

/* Sets the sizes of all blocks, and *largest to the maximum with them. Returns false if an argument
 * is wrong. */
static bool measure(const neighbor_call *call, bool gives, int64_t *largest)
{
    const anypi_neighbor_plan *plan = &call->of->plan;
    const anypi_side *side = gives ? &call->job.gives : &call->job.gets;
    int64_t *const sizes = gives ? call->of->given : call->of->got;
    const anyp_collective collective = call->job.its.collective;
    const bool arrays = collective == ANYP_ALLTOALLV || (collective == ANYP_ALLGATHERV && !gives);
    for (int i = 0; i < (gives ? plan->out : plan->in); i++) {
        anypi_type users;
        anypi_place block;
        sizes[i] = 0;
        if (neighbor_of(plan, gives, i) < 0)
            continue;
        if ((arrays && (!side->counts.at || !side->displs.at)) ||
            !find_block(call, gives, i, &users, &block) || block.elements < 0 ||
            __builtin_mul_overflow(block.elements, block.type->size, &sizes[i]) ||
            (sizes[i] > 0 && !side->buffer && block.type->kinds))
            return false;
        *largest = sizes[i] > *largest ? sizes[i] : *largest;
    }
    return true;
}

static bool goes_directly(const neighbor_call *call, int64_t bytes)
{
    return bytes > call->of->limit;
}

/* ---- messages ---- */

/* Writes a message. Returns its bytes. */
static int64_t fill(neighbor_call *call, const anypi_neighbor_message *message, char *to)
{
    const anypi_neighbors *of = call->of;
    char *data = to + (size_t) message->count * sizeof(anypi_size);
    for (int i = 0; i < message->count; i++) {
        const int slot = of->plan.order[message->first + i];
        const bool own = slot < of->plan.out;
        const anypi_size size = !own ? of->sizes[slot] : goes_directly(call, of->given[slot])
            ? ANYPI_GOES_DIRECTLY : (anypi_size) of->given[slot];
        memcpy(to + (size_t) i * sizeof size, &size, sizeof size);
        if (size == ANYPI_GOES_DIRECTLY || size == 0)
            continue;
        anypi_type users;
        anypi_place block;
        if (own)
            find_block(call, true, slot, &users, &block);
        if (!own)
            memcpy(data, of->at[slot], size);
        else if (is_plain_block(&call->transport, &block))
            memcpy(data, block.address, size);
        else
            pack(&call->transport, &block, data, true);
        data += size;
    }
    return data - to;
}

/* Finds the blocks of a message that has arrived. */
static void find_slots(neighbor_call *call, const anypi_neighbor_message *message, const char *from)
{
    const anypi_neighbors *of = call->of;
    const char *data = from + (size_t) message->count * sizeof(anypi_size);
    for (int i = 0; i < message->count; i++) {
        anypi_size size;
        memcpy(&size, from + (size_t) i * sizeof size, sizeof size);
        if (size != ANYPI_GOES_DIRECTLY && size > of->limit) {  /* the message has failed */
            record(&call->transport, MPI_ERR_TRUNCATE);
            size = 0;
        }
        of->sizes[message->first + i] = size;
        of->at[message->first + i] = data;
        data += size == ANYPI_GOES_DIRECTLY ? 0 : size;
    }
}

/* Begins the message of a block of the caller's. */
static void begin_block(neighbor_call *call, bool gives, int i, anypi_request *request)
{
    anypi_type users;
    anypi_place block;
    find_block(call, gives, i, &users, &block);
    prepare(&call->transport, gives, neighbor_of(&call->of->plan, gives, i), &block,
            is_plain_block(&call->transport, &block), request);
}

/* Begins to receive what ranks of the node send directly, in the order of their blocks. */
static int receive_inside(neighbor_call *call, anypi_request *requests)
{
    const anypi_neighbor_plan *plan = &call->of->plan;
    int count = 0;
    for (int i = 0; i < plan->in; i++) {
        const int k = plan->arrivals[i];
        if (plan->slot[k] == ANYPI_NEIGHBOR_INSIDE && plan->from[2 * k] != call->job.call.rank)
            begin_block(call, false, k, &requests[count++]);
    }
    return count;
}

static int send_inside(neighbor_call *call, anypi_request *requests)
{
    const anypi_neighbor_plan *plan = &call->of->plan;
    int count = 0;
    for (int k = 0; k < plan->out; k++)
        if (plan->to[k] >= 0 && !plan->leaves[k] && plan->to[k] != call->job.call.rank)
            begin_block(call, true, k, &requests[count++]);
    return count;
}

static void run_round(neighbor_call *call, int round, char **arrived)
{
    const anypi_neighbors *of = call->of;
    const anypi_neighbor_plan *plan = &of->plan;
    anypi_request *const requests = of->requests;
    char *to = *arrived, *sent = of->sent;
    int count = 0;
    for (int i = plan->receives[round]; i < plan->sends[round]; i++) {
        const anypi_neighbor_message *one = &plan->messages[i];
        const size_t room = anypi_neighbors_room(of->limit, one->count);
        anypi_transport_receive(&call->transport, one->peer, to, (int64_t) room,
                                &requests[count++]);
        to += room;
    }
    if (round == 0)
        count += receive_inside(call, &requests[count]);
    for (int i = plan->sends[round]; i < plan->ends[round]; i++) {
        const anypi_neighbor_message *one = &plan->messages[i];
        const int64_t bytes = fill(call, one, sent);
        anypi_transport_send(&call->transport, one->peer, sent, bytes, &requests[count++]);
        sent += anypi_neighbors_room(of->limit, one->count);
    }
    if (round == 0)
        count += send_inside(call, &requests[count]);
    anypi_transport_wait(&call->transport, requests, count);
    for (int i = plan->receives[round]; i < plan->sends[round]; i++) {
        find_slots(call, &plan->messages[i], *arrived);
        *arrived += anypi_neighbors_room(of->limit, plan->messages[i].count);
    }
}

/* Copies a block of this rank to itself. */
static void copy_own(neighbor_call *call, int from, int to)
{
    anypi_type users[2];
    anypi_place given, got;
    find_block(call, true, from, &users[0], &given);
    find_block(call, false, to, &users[1], &got);
    if (call->of->given[from] != call->of->got[to])
        record(&call->transport, MPI_ERR_TRUNCATE);
    else if (is_plain_block(&call->transport, &given) && is_plain_block(&call->transport, &got))
        memmove((char *) got.address, given.address, (size_t) call->of->got[to]);
    else
        copy_by_message(&call->transport, &given, &got);
}

/* Copies a block that has arrived to the caller. */
static void deliver(neighbor_call *call, int i)
{
    const int slot = call->of->plan.slot[i];
    anypi_type users;
    anypi_place block;
    find_block(call, false, i, &users, &block);
    if (call->of->sizes[slot] != call->of->got[i])
        record(&call->transport, MPI_ERR_TRUNCATE);
    else if (is_plain_block(&call->transport, &block))
        memcpy((char *) block.address, call->of->at[slot], call->of->sizes[slot]);
    else
        pack(&call->transport, &block, (char *) call->of->at[slot], false);
}

/* Delivers all blocks, and exchanges those that are too large for combined messages. */
static void finish_blocks(neighbor_call *call)
{
    const anypi_neighbors *of = call->of;
    const anypi_neighbor_plan *plan = &of->plan;
    anypi_request *const requests = of->requests;
    int count = 0;
    for (int i = 0; i < plan->in; i++) {
        const int k = plan->arrivals[i], slot = plan->slot[k];
        if (slot == ANYPI_NEIGHBOR_INSIDE && plan->from[2 * k] == call->job.call.rank)
            copy_own(call, plan->from[2 * k + 1], k);
        else if (slot >= 0 && of->sizes[slot] == ANYPI_GOES_DIRECTLY)
            begin_block(call, false, k, &requests[count++]);
        else if (slot >= 0 && of->got[k] > 0)
            deliver(call, k);
        else if (slot >= 0 && of->sizes[slot] > 0)
            record(&call->transport, MPI_ERR_TRUNCATE);
    }
    for (int k = 0; k < plan->out; k++)
        if (plan->leaves[k] && goes_directly(call, of->given[k]))
            begin_block(call, true, k, &requests[count++]);
    if (count > 0)
        anypi_transport_wait(&call->transport, requests, count);
}

static int run(neighbor_call *call)
{
    char *arrived = call->of->arrived;
    const int error = anypi_mpi_open(&call->job, &call->transport);
    if (error)
        return error;
    for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS; round++)
        run_round(call, round, &arrived);
    finish_blocks(call);
    return call->transport.error;
}

/* ---- which calls ---- */

/* Returns whether an argument is wrong that can be seen without the plan. */
static bool is_wrong(const anypi_arguments *its)
{
    return its->sendbuf == MPI_IN_PLACE || its->recvbuf == MPI_IN_PLACE || its->sendcount < 0 ||
        its->count < 0 || its->sendtype == MPI_DATATYPE_NULL || its->datatype == MPI_DATATYPE_NULL;
}

/* Makes the job of a call. Returns false if its datatypes are wrong. */
static bool open_call(neighbor_call *call, const anypi_arguments *its, MPI_Comm comm,
                      anypi_state *state)
{
    anypi_job *job = &call->job;
    *job = (anypi_job) {
        .its = *its, .comm = comm, .state = state, .builtin = true, .commutes = true,
        .call = { .collective = its->collective, .p = state->p, .rank = state->rank,
                  .type_size = 1 },
    };
    call->of = state->neighbors;
    call->same = its->collective == ANYP_ALLGATHER || its->collective == ANYP_ALLGATHERV;
    job->type = anypi_type_know(its->datatype, &job->users);
    job->sends = its->sendtype == its->datatype ? job->type
        : anypi_type_know(its->sendtype, &job->users_sends);
    job->gets = (anypi_side) { its->recvbuf, its->count, its->counts, its->displs, job->type,
                               NULL };
    job->gives = (anypi_side) { its->sendbuf, its->sendcount, its->sendcounts, its->senddispls,
                                job->sends, NULL };
    return job->type && job->sends;
}

/* Returns whether the call is combined; in some calls, all ranks decide it by their blocks. */
static bool is_combined(anypi_neighbors *of, const neighbor_call *call, int64_t largest)
{
    const anyp_collective collective = call->job.its.collective;
    const uint64_t calls = ++of->of[collective].calls;
    if (of->of[collective].never)
        return false;
    if ((calls & (calls - 1)) == 0) {
        anypi_operations_finish();
        of->of[collective].combined = anypi_all_ranks(call->job.state->user,
                                                      !goes_directly(call, largest));
    }
    return of->of[collective].combined;
}

/* Returns the state of a communicator with a plan, or NULL. */
static anypi_state *state_with_plan(MPI_Comm comm, int *error)
{
    anypi_state *state = anypi_state_near(comm);
    if (!state) {
        anypi_operations_finish();
        state = anypi_state_of(comm, error);
    }
    if (!state || *error || state->passes)
        return NULL;
    if (!state->asked_neighbors) {
        anypi_operations_finish();
        anypi_neighbors_learn(state, anypi_settings_get(), sizeof(anypi_request));
    }
    return state->neighbors ? state : NULL;
}

bool anypi_neighbors_run(const anypi_arguments *its, MPI_Comm comm, int *error)
{
    neighbor_call call;
    int64_t largest = 0;
    *error = MPI_SUCCESS;
    if (comm == MPI_COMM_NULL || its->collective == ANYP_ALLTOALLW || is_wrong(its))
        return false;
    anypi_state *state = state_with_plan(comm, error);
    if (*error)
        return true;
    if (!state || !open_call(&call, its, comm, state) || !measure(&call, true, &largest) ||
        !measure(&call, false, &largest) || !is_combined(state->neighbors, &call, largest))
        return false;
    *error = run(&call);
    if (*error) {
        state->channel.failed = true;
        *error = anypi_state_fail(comm, *error);
    }
    return true;
}
