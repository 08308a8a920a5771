/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/internal.h"

#include "schedule/memory.h"

#include <limits.h>
#include <pthread.h>

/* The maximum number of contexts; a test makes it small. Every MPI library permits tags up to at
 * least 32767. */
#ifndef ANYPI_MAX_CONTEXTS
#define ANYPI_MAX_CONTEXTS (1 << 18)
#endif

/* The maximum number of AnyP's communicators, beside the duplicate of MPI_COMM_WORLD. A process can
 * have about 2000 communicators, and AnyP leaves most of them to the application. On further
 * communicators the MPI library's algorithms run. */
enum { MAX_OWNS = 256 };

/* The maximum number of tries until ranks agree. More than one is needed only if threads, or
 * communicators that were freed, leave gaps in the numbers. */
enum { MAX_TRIES = 64 };

enum { MAX_TURNS = 2 * ANYPI_PLACES };  /* those of nonblocking and of persistent calls */

enum { PIECE = 256 };           /* number of ranks that are translated together */

static const uint64_t none = UINT64_MAX;

static struct {
    pthread_mutex_t lock;
    MPI_Comm comm;              /* the duplicate; MPI_COMM_NULL: none */
    MPI_Group group;            /* of MPI_COMM_WORLD */
    int rank;                   /* in MPI_COMM_WORLD */
    uint64_t limit;             /* contexts are below this number, which is a tag, too */
    int turns;                  /* anypi_channels_turns() */
    uint64_t next;              /* contexts from this number on were never taken in this process */
    unsigned char used[(ANYPI_MAX_CONTEXTS + CHAR_BIT - 1) / CHAR_BIT];
    int owns;                   /* number of channels with a communicator of their own */
} all = { .lock = PTHREAD_MUTEX_INITIALIZER, .comm = MPI_COMM_NULL };

/* ---- communicators of AnyP's ---- */

bool anypi_all_ranks(MPI_Comm comm, bool is_so)
{
    int own = is_so, all_of_them = 0;
    return !anypi_mpi.Allreduce(&own, &all_of_them, 1, MPI_INT, MPI_MIN, comm) && all_of_them;
}

bool anypi_silence_errors(MPI_Comm comm, MPI_Errhandler *handler)
{
    if (anypi_mpi.Comm_get_errhandler(comm, handler))
        return false;
    anypi_mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return true;
}

void anypi_restore_errors(MPI_Comm comm, MPI_Errhandler *handler)
{
    anypi_mpi.Comm_set_errhandler(comm, *handler);
    anypi_mpi.Errhandler_free(handler);
}

/* Makes a communicator of the same group, without the application's attributes. */
static bool create(MPI_Comm user, MPI_Comm *comm)
{
    MPI_Errhandler handler;
    MPI_Group group;
    bool good = false;
    if (!anypi_silence_errors(user, &handler))
        return false;
    if (!anypi_mpi.Comm_group(user, &group)) {
        good = !anypi_mpi.Comm_create(user, group, comm);
        anypi_mpi.Group_free(&group);
    }
    anypi_restore_errors(user, &handler);
    return good && !anypi_mpi.Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

void anypi_channel_need(anypi_channel *channel, MPI_Comm comm)
{
    if (channel->comm != MPI_COMM_NULL || channel->missing)
        return;
    pthread_mutex_lock(&all.lock);
    const bool room = all.owns < MAX_OWNS;
    pthread_mutex_unlock(&all.lock);
    if (!anypi_all_ranks(comm, room)) {
        channel->missing = "AnyP already has 256 communicators of its own, its limit";
        return;
    }
    anypi_free(channel->ranks);
    *channel = (anypi_channel) { .comm = MPI_COMM_NULL, .stride = 1 };
    const bool good = create(comm, &channel->comm) &&
        !anypi_mpi.Comm_rank(channel->comm, &channel->rank);
    pthread_mutex_lock(&all.lock);
    all.owns += channel->comm != MPI_COMM_NULL;
    pthread_mutex_unlock(&all.lock);
    if (!anypi_all_ranks(comm, good))
        channel->missing = "the MPI library has no communicator left for AnyP's messages";
}

_Static_assert(MAX_OWNS == 256, "as the message says");

/* ---- contexts ---- */

static bool is_used(uint64_t number)
{
    return all.used[number / CHAR_BIT] & 1 << number % CHAR_BIT;
}

/* Returns the lowest number, at least `from`, that is free on this rank, or `none`. The caller
 * holds the lock. */
static uint64_t lowest_free(uint64_t from)
{
    uint64_t number = from;
    while (number < all.next && is_used(number))
        number += all.used[number / CHAR_BIT] == UCHAR_MAX ? CHAR_BIT - number % CHAR_BIT : 1;
    return number < all.limit ? number : none;
}

/* Takes a number. Returns false if it is not free on this rank. The caller holds the lock. */
static bool claim(uint64_t number)
{
    if (is_used(number))
        return false;
    all.used[number / CHAR_BIT] |= (unsigned char) (1 << number % CHAR_BIT);
    all.next = number < all.next ? all.next : number + 1;
    return true;
}

static void release(uint64_t number)
{
    pthread_mutex_lock(&all.lock);
    all.used[number / CHAR_BIT] &= (unsigned char) ~(1 << number % CHAR_BIT);
    pthread_mutex_unlock(&all.lock);
}

/* Sets ranks[] to the ranks in MPI_COMM_WORLD of ranks first .. first + count - 1 of a group.
 * Returns false if one of these is not in MPI_COMM_WORLD. */
static bool translate(MPI_Group group, int first, int count, int *ranks)
{
    int here[PIECE];
    for (int done = 0; done < count; done += PIECE) {
        const int some = count - done < PIECE ? count - done : PIECE;
        for (int i = 0; i < some; i++)
            here[i] = first + done + i;
        if (anypi_mpi.Group_translate_ranks(group, some, here, all.group, ranks + done))
            return false;
        for (int i = 0; i < some; i++)
            if (ranks[done + i] == MPI_UNDEFINED)
                return false;
    }
    return true;
}

/* Sets channel->ranks, for a communicator whose ranks have no constant stride. Returns false on
 * errors. Open MPI's time for this is proportional to p times the size of the world. */
static bool make_table(anypi_channel *channel, MPI_Comm comm, int p)
{
    MPI_Group group;
    channel->ranks = anypi_realloc(NULL, (size_t) p * sizeof *channel->ranks);
    if (!channel->ranks || anypi_mpi.Comm_group(comm, &group))
        return false;
    const bool good = translate(group, 0, p, channel->ranks);
    anypi_mpi.Group_free(&group);
    return good;
}

void anypi_channel_propose(anypi_channel *channel, MPI_Comm comm, int rank, bool shared,
                           anypi_context *proposal)
{
    int level = MPI_THREAD_SINGLE, ends[2] = { 0, 1 };
    MPI_Group group;
    *channel = (anypi_channel) { .comm = MPI_COMM_NULL };
    *proposal = (anypi_context) { .number = none };
    if (!shared || all.comm == MPI_COMM_NULL || anypi_mpi.Comm_group(comm, &group))
        return;
    const bool good = translate(group, 0, 2, ends);
    anypi_mpi.Group_free(&group);
    if (!good)
        return;
    channel->first = ends[0];
    channel->stride = ends[1] - ends[0];
    proposal->odd = all.rank != anypi_channel_peer(channel, rank);
    anypi_mpi.Query_thread(&level);
    pthread_mutex_lock(&all.lock);
    proposal->number = lowest_free(all.next < all.limit ? all.next : 0);
    proposal->unsure = level == MPI_THREAD_MULTIPLE || all.next == all.limit;
    pthread_mutex_unlock(&all.lock);
}

/* Takes `number`, the maximum of the last proposals, if it is free on this rank. Returns the next
 * proposal: this number, or the next one that is free. */
static anypi_context claim_or_propose(uint64_t number)
{
    pthread_mutex_lock(&all.lock);
    const bool claimed = claim(number);
    const anypi_context next = { .number = claimed ? number : lowest_free(number + 1),
                                 .unsure = !claimed };
    pthread_mutex_unlock(&all.lock);
    return next;
}

int anypi_channel_take(anypi_channel *channel, MPI_Comm comm, int p, anypi_context *maximum)
{
    const bool mapped = !maximum->odd || maximum->number == none || make_table(channel, comm, p);
    /* true if all ranks can take the highest proposal; without threads they can, because no rank
     * has ever taken this number or a higher one */
    bool agreed = !maximum->unsure && !maximum->odd;
    int error = MPI_SUCCESS;
    for (int tries = 0; tries < MAX_TRIES && maximum->number != none && !error; tries++) {
        const uint64_t number = maximum->number;
        anypi_context own = claim_or_propose(number);
        const bool claimed = !own.unsure;
        if (!mapped)
            own = (anypi_context) { .number = none, .unsure = true };
        if (!agreed) {
            error = anypi_mpi.Allreduce(&own, maximum, sizeof own / sizeof own.number,
                                        MPI_UINT64_T, MPI_MAX, comm);
            agreed = !error && !maximum->unsure;
        }
        if (agreed) {
            channel->comm = all.comm;
            channel->tag = (int) number;
            channel->rank = all.rank;
            channel->shared = true;
            return MPI_SUCCESS;
        }
        if (claimed)
            release(number);
    }
    anypi_free(channel->ranks);
    channel->ranks = NULL;
    return error;
}

/* ---- the world ---- */

void anypi_channels_open(anypi_channel *of_world)
{
    MPI_Comm comm = MPI_COMM_NULL;
    int there = 0, *tag_ub = NULL;
    const bool good = !anypi_mpi.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &there) &&
        there && !anypi_mpi.Comm_rank(MPI_COMM_WORLD, &all.rank) &&
        !anypi_mpi.Comm_group(MPI_COMM_WORLD, &all.group) && create(MPI_COMM_WORLD, &comm);
    if (!anypi_all_ranks(MPI_COMM_WORLD, good))
        return;                 /* freeing the communicator would require all ranks */
    all.comm = comm;
    all.limit = (uint64_t) *tag_ub < ANYPI_MAX_CONTEXTS ? (uint64_t) *tag_ub : ANYPI_MAX_CONTEXTS;
    all.turns = (int) ((uint64_t) *tag_ub / (all.limit + 1));
    all.turns -= all.turns > 0;         /* the last one may not be complete */
    all.turns = all.turns < MAX_TURNS ? all.turns : MAX_TURNS;
    claim(0);
    *of_world = (anypi_channel) { .comm = comm, .rank = all.rank, .stride = 1, .shared = true };
}

int anypi_channels_turns(void)
{
    return all.turns;
}

int anypi_channel_tag(const anypi_channel *channel, int turn)
{
    return channel->tag + turn * (int) (all.limit + 1);
}

void anypi_channels_poll(void)
{
    int flag;
    anypi_mpi.Iprobe(MPI_ANY_SOURCE, (int) all.limit, all.comm, &flag, MPI_STATUS_IGNORE);
}

void anypi_channel_free(anypi_channel *channel)
{
    anypi_free(channel->ranks);
    if (channel->comm == MPI_COMM_NULL)
        return;
    if (channel->shared) {
        if (!channel->failed)
            release((uint64_t) channel->tag);
        return;
    }
    pthread_mutex_lock(&all.lock);
    all.owns--;
    pthread_mutex_unlock(&all.lock);
    anypi_mpi.Comm_free(&channel->comm);
}

void anypi_channels_close(void)
{
    if (all.comm == MPI_COMM_NULL)
        return;
    anypi_mpi.Comm_free(&all.comm);
    anypi_mpi.Group_free(&all.group);
}
