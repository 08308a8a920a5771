/* SPDX-License-Identifier: BSD-3-Clause
 *
 * node_processes.c - makes the lanes between the processes of this node (node/node_memory.h), and
 * moves their messages while nonblocking calls wait for them. MPICH knows the node of each rank of
 * MPI_COMM_WORLD.
 */
#include "mpir/internal.h"

#include "node/node_memory.h"

#include <time.h>

/* An allreduce of up to 64 KiB over lanes, compared with MPICH's over ch3:sock: with 13 processes
 * on 2 cores, it is 2 to 5 times as fast; 0.6 to 1.3 times if another program computes there. */
enum { PER_CORE = 8 };

static struct {
    MPIR_Comm *world;
    int id;                     /* of this node */
    int count, own;             /* its processes; this process's number among them */
    int *ranks;                 /* of the processes; NULL: there is no memory */
} node;

static bool is_on_node(int rank)
{
    int id = -1;
    return MPID_Get_node_id(node.world, rank, &id) == MPI_SUCCESS && id == node.id;
}

/* Finds the ranks of the node. Returns false if nodes are unknown. */
static bool find_ranks(void)
{
    const int p = node.world->local_size;
    if (MPID_Get_node_id(node.world, node.world->rank, &node.id) != MPI_SUCCESS || node.id < 0)
        return false;
    node.ranks = anypi_realloc(NULL, (size_t) p * sizeof *node.ranks);
    for (int rank = 0; rank < p; rank++) {
        if (rank == node.world->rank)
            node.own = node.count;
        if (is_on_node(rank)) {
            if (node.ranks)
                node.ranks[node.count] = rank;
            node.count++;
        }
    }
    return true;
}

/* Returns the rank of process i. Other processes wait for this one, also if it has no memory. */
static int rank_of(int i)
{
    int rank = 0;
    if (node.ranks)
        return node.ranks[i];
    while (!is_on_node(rank) || i-- > 0)
        rank++;
    return rank;
}

static bool exchange(void *context, const void *out, int to, void *in, int from, size_t size)
{
    (void) context;
    return anypi_mpir_exchange(out, rank_of(to), in, rank_of(from), (MPI_Aint) size, node.world,
                               NULL) == MPI_SUCCESS;
}

/* ---- progress ---- */

/* Nanoseconds after which the hook reads sockets. A read takes one microsecond. */
enum { SOCKETS = 5000 };

static struct {
    int hook;                   /* its number; only if `registered` */
    bool registered;
    bool polling;               /* in anypi_mpir_poll() */
    int tasks;                  /* that wait for lanes */
    int turns;                  /* see anypi_lanes_idle() */
    int64_t read;               /* when sockets were read last, in nanoseconds */
} progress;

void anypi_mpir_poll(void)
{
    const bool polling = progress.polling;
    progress.polling = true;
    MPID_Progress_test(NULL);
    progress.polling = polling;
}

/* Reads sockets now and then: MPICH does not if the hook has made progress. */
static void read_sockets(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t time = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
    if (time - progress.read >= SOCKETS) {
        anypi_mpir_poll();
        progress.read = time;
    }
}

/* MPICH's hook: moves the messages of all tasks. MPI_Test calls it, too, so it does not wait. */
static int ANYPI_HOOK(move)
{
    if (progress.polling)
        return MPI_SUCCESS;     /* the caller moves them */
    if (anypi_lanes_move(anypi_my_node.lanes))
        progress.turns = 0;
    else
        anypi_lanes_idle(anypi_my_node.lanes, &progress.turns, false);
    anypi_lanes_changed(anypi_my_node.lanes);
    if (ANYPI_PROGRESS_SLEEPS) {
        read_sockets();
        *made_progress = true;
    }
    return MPI_SUCCESS;
}

bool anypi_mpir_holds(void)
{
    return progress.tasks == 1;
}

void anypi_mpir_task_waits(bool waits)
{
    progress.tasks += waits ? 1 : -1;
    if (waits && !anypi_mpir_holds())
        anypi_lanes_release(anypi_my_node.lanes);
    if (waits && progress.tasks == 1)
        MPIR_Progress_hook_activate(progress.hook);
    else if (progress.tasks == 0)
        MPIR_Progress_hook_deactivate(progress.hook);
}

/* ---- the beginning and the end ---- */

void anypi_mpir_node_open(MPIR_Comm *world)
{
    size_t bytes = 0;
    char why[128] = "";
    if (MPIR_ThreadInfo.thread_provided == MPI_THREAD_MULTIPLE)
        snprintf(why, sizeof why, "MPI_Init_thread provides MPI_THREAD_MULTIPLE");
    else if (!MPIR_CVAR_ANYP_SHARED_MEMORY)
        snprintf(why, sizeof why, "MPIR_CVAR_ANYP_SHARED_MEMORY=0");
    else if (ANYPI_HOOK_REGISTER(move, &progress.hook) != MPI_SUCCESS)
        snprintf(why, sizeof why, "MPICH has no room for another progress hook");
    else
        progress.registered = true;
    node.world = world;
    node.count = 0;
    if (find_ranks())
        anypi_node_memory_open(&(anypi_node) {
            .processes = node.count, .number = node.own, .rank = world->rank,
            .p = world->local_size, .per_core = PER_CORE, .exchange = exchange,
            .poll = anypi_mpir_poll
        }, !*why && node.ranks, &bytes, why, sizeof why);
    if (MPIR_CVAR_ANYP_VERBOSE && world->rank == 0 && (bytes || *why))
        anypi_log_memory((unsigned) MPIR_CVAR_ANYP_VERBOSE, node.count, bytes, why);
    anypi_free(node.ranks);
    node.ranks = NULL;
    if (!anypi_my_node.lanes)
        anypi_mpir_node_close();
}

void anypi_mpir_node_close(void)
{
    anypi_node_memory_close();
    if (progress.registered)
        MPIR_Progress_hook_deregister(progress.hook);
    progress.registered = false;
}
