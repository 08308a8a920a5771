/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/node_memory.h"

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

/* What each process tells the others of its node: after it has made its segment, and after it has
 * opened theirs. */
typedef struct introduction {
    anypi_segment_name segment;
    int rank;
    cpu_set_t cores;
    char failure[128];          /* why this process has no lanes; "": it has */
} introduction;

/* All that a process learns from the others. */
typedef struct summary {
    bool consecutive;           /* the ranks of the node are */
    cpu_set_t cores;
    int failed;                 /* the first process with a failure */
    char failure[128];          /* its failure; "": none has one */
} summary;

/* Returns the number of processors that the processes of the node may use together. If it is
 * unknown, as with more than 1024 of them, each process has one. */
static int cores_of(const summary *all)
{
    return CPU_COUNT(&all->cores) == CPU_SETSIZE ? anypi_my_node.processes
        : CPU_COUNT(&all->cores);
}

/* Takes in the introduction of process i, which may be this one. */
static void take(const anypi_node *node, const introduction *its, int i, summary *all)
{
    if (*its->failure && (!*all->failure || i < all->failed)) {
        all->failed = i;
        snprintf(all->failure, sizeof all->failure, "%s", its->failure);
    }
    all->consecutive &= its->rank - node->rank == i - node->number;
    CPU_OR(&all->cores, &all->cores, &its->cores);
    if (anypi_my_node.numbers)
        anypi_my_node.numbers[its->rank] = i;
    if (memory.segments && !memory.segments[i] && !*its->failure)
        memory.segments[i] = anypi_segment_open(&its->segment, memory.size);
}

/* Exchanges introductions with all processes of the node. */
static summary tell(const anypi_node *node, introduction *mine)
{
    const int n = node->processes;
    summary all = { .consecutive = true };
    for (int distance = 1; distance < n; distance++) {
        const int from = (node->number + n - distance) % n;
        introduction its = { .rank = 0 };
        if (node->exchange(node->context, mine, (node->number + distance) % n, &its, from,
                           sizeof its))
            take(node, &its, from, &all);
        else
            snprintf(mine->failure, sizeof mine->failure, "a message failed");
    }
    take(node, mine, node->number, &all);
    return all;
}

static bool has_all_segments(void)
{
    bool all = memory.segments;
    for (int i = 0; i < anypi_my_node.processes && all; i++)
        all = memory.segments[i];
    return all;
}

/* Makes the lanes. Sets failure[] to "", or to why there are none: the same on all processes. */
static void open_node(const anypi_node *node, bool wanted, char failure[128])
{
    introduction mine = { .rank = node->rank };
    const char *reason = "no memory";
    char **const segments = memory.segments, *made = NULL;
    anypi_node_memory *its = &anypi_my_node;
    CPU_ZERO(&mine.cores);
    if (sched_getaffinity(0, sizeof mine.cores, &mine.cores))
        memset(&mine.cores, 0xff, sizeof mine.cores);
    if (wanted && segments && its->numbers)
        made = segments[node->number] = anypi_segment_make(memory.size, &mine.segment, &reason);
    if (!made)
        snprintf(mine.failure, sizeof mine.failure, "%s",
                 wanted ? reason : "another process of the node shares none");
    summary all = tell(node, &mine);
    if (!*all.failure && node->per_core > 0 &&
        node->processes > node->per_core * cores_of(&all))
        snprintf(all.failure, sizeof all.failure, "more than %d processes for each core",
                 node->per_core);
    if (!*all.failure) {
        if (!has_all_segments())
            snprintf(mine.failure, sizeof mine.failure, "the processes do not see each other's "
                     "memory, as in different containers");
        else if (!(its->lanes = anypi_lanes_open(node->processes, node->number, segments,
                                                 cores_of(&all), node->poll)))
            snprintf(mine.failure, sizeof mine.failure, "no memory");
        all = tell(node, &mine);
    }
    if (made)                   /* now no other process opens it */
        anypi_segment_hide(&mine.segment);
    its->first = node->rank - node->number;
    if (all.consecutive) {
        anypi_free(its->numbers);
        its->numbers = NULL;
    }
    memcpy(failure, all.failure, sizeof all.failure);
}

void anypi_node_memory_open(const anypi_node *node, bool wanted, size_t *bytes, char *text,
                            size_t size)
{
    const size_t n = (size_t) node->processes;
    char failure[128] = "";
    anypi_my_node.processes = node->processes;
    if (n > 1) {
        memory.size = anypi_lanes_size(node->processes);
        memory.segments = anypi_realloc(NULL, n * sizeof *memory.segments);
        anypi_my_node.numbers = anypi_realloc(NULL, (size_t) node->p *
                                              sizeof *anypi_my_node.numbers);
        for (size_t i = 0; memory.segments && i < n; i++)
            memory.segments[i] = NULL;
        for (int i = 0; anypi_my_node.numbers && i < node->p; i++)
            anypi_my_node.numbers[i] = -1;
        open_node(node, wanted, failure);
    }
    *bytes = anypi_my_node.lanes && !*failure ? memory.size : 0;
    if (wanted)
        snprintf(text, size, "%s", failure);
    if (*failure)
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
