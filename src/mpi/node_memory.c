/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/node_memory.h"

#include "mpi/channel.h"
#include "mpi/internal.h"
#include "node/segment.h"
#include "schedule/memory.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

anypi_node_memory anypi_my_node;

static struct {
    char **segments;            /* of all processes of the node */
    size_t size;                /* of each */
} memory;

/* What each process tells the others of its node. */
typedef struct introduction {
    anypi_segment_name segment;
    int rank;
} introduction;

/* Returns the number of processors that the processes of the node may use together. If it is
 * unknown, as with more than 1024 of them, each process has one. */
static int cores_of(MPI_Comm comm)
{
    cpu_set_t own, all;
    CPU_ZERO(&own);
    if (sched_getaffinity(0, sizeof own, &own))
        memset(&own, 0xff, sizeof own);
    if (anypi_mpi.Allreduce(&own, &all, sizeof own, MPI_BYTE, MPI_BOR, comm))
        return anypi_my_node.processes;
    return CPU_COUNT(&all) == CPU_SETSIZE ? anypi_my_node.processes : CPU_COUNT(&all);
}

/* Sets anypi_my_node.numbers, unless the ranks of the node are consecutive. */
static bool number_ranks(const introduction *all, int p)
{
    anypi_node_memory *node = &anypi_my_node;
    bool consecutive = true;
    node->first = all[0].rank;
    for (int i = 0; i < node->processes; i++)
        consecutive = consecutive && all[i].rank == node->first + i;
    if (consecutive)
        return true;
    node->numbers = anypi_realloc(NULL, (size_t) p * sizeof *node->numbers);
    for (int i = 0; node->numbers && i < p; i++)
        node->numbers[i] = -1;
    for (int i = 0; node->numbers && i < node->processes; i++)
        node->numbers[all[i].rank] = i;
    return node->numbers;
}

/* Opens the segments of all processes of the node. */
static bool open_segments(const introduction *all, int own, const char **reason)
{
    bool good = true;
    *reason = "the processes do not see each other's memory, as in different containers";
    for (int i = 0; i < anypi_my_node.processes; i++)
        if (i != own && good) {
            memory.segments[i] = anypi_segment_open(&all[i].segment, memory.size);
            good = memory.segments[i];
        }
    return good;
}

/* Makes the lanes of a node. Returns NULL, or why there are none: the same on all its processes. */
static const char *open_node(MPI_Comm comm, int own, int p, introduction *all)
{
    static char text[128];
    anypi_node_memory *node = &anypi_my_node;
    const char *reason = "no memory";
    introduction mine = { .rank = node->own };
    const int cores = cores_of(comm);
    if (all && memory.segments)
        memory.segments[own] = anypi_segment_make(memory.size, &mine.segment, &reason);
    const bool made = all && memory.segments && memory.segments[own];
    bool own_part = made, good = anypi_all_ranks(comm, made);
    if (good) {
        good = !anypi_mpi.Allgather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, comm)
            && open_segments(all, own, &reason);
        if (good) {
            reason = "no memory";
            if (number_ranks(all, p))
                node->lanes = anypi_lanes_open(node->processes, own, memory.segments, cores,
                                               anypi_channels_poll);
        }
        own_part = node->lanes;
        good = anypi_all_ranks(comm, own_part);
    }
    if (made)                   /* now no other process opens it */
        anypi_segment_hide(&mine.segment);
    if (good)
        return NULL;
    int error = MPI_SUCCESS;
    snprintf(text, sizeof text, "%s", reason);
    anypi_first_text(comm, own, node->processes, !own_part, text, sizeof text, &error);
    return error ? reason : text;
}

void anypi_node_memory_open(bool wanted, size_t *bytes, char *text, size_t size)
{
    anypi_node_memory *node = &anypi_my_node;
    const char *reason = NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler handler;
    int own = 0, p = 0;
    anypi_mpi.Comm_rank(MPI_COMM_WORLD, &node->own);
    anypi_mpi.Comm_size(MPI_COMM_WORLD, &p);
    const bool silenced = anypi_silence_errors(MPI_COMM_WORLD, &handler);
    const int error = anypi_mpi.Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, node->own,
                                                MPI_INFO_NULL, &comm);
    if (silenced)
        anypi_restore_errors(MPI_COMM_WORLD, &handler);
    if (error) {
        snprintf(text, size, "MPI_Comm_split_type failed");
        return;
    }
    anypi_mpi.Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    anypi_mpi.Comm_rank(comm, &own);
    anypi_mpi.Comm_size(comm, &node->processes);
    const bool all_want = anypi_all_ranks(comm, wanted);
    if (node->processes > 1 && !all_want)
        reason = "another process of the node shares none";
    else if (node->processes > 1) {
        const size_t n = (size_t) node->processes;
        introduction *all = anypi_realloc(NULL, n * sizeof *all);
        memory.size = anypi_lanes_size(node->processes);
        memory.segments = anypi_realloc(NULL, n * sizeof *memory.segments);
        for (size_t i = 0; memory.segments && i < n; i++)
            memory.segments[i] = NULL;
        reason = open_node(comm, own, p, all);
        anypi_free(all);
    }
    anypi_mpi.Comm_free(&comm);
    *bytes = node->lanes ? memory.size : 0;
    if (wanted)
        snprintf(text, size, "%s", reason ? reason : "");
    if (reason)
        anypi_node_memory_close();
}

void anypi_node_memory_close(void)
{
    for (int i = 0; memory.segments && i < anypi_my_node.processes; i++)
        anypi_segment_close(memory.segments[i], memory.size);
    anypi_free(memory.segments);
    memory.segments = NULL;
    anypi_lanes_close(anypi_my_node.lanes);
    anypi_free(anypi_my_node.numbers);
    anypi_my_node = (anypi_node_memory) { .lanes = NULL };
}
