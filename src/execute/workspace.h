/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workspace.h - memory that a communicator keeps from one call to the next, so that small calls
 * allocate nothing, and the cache of its calls. No two collectives run on a communicator at once,
 * so it needs no lock.
 */
#ifndef ANYPI_WORKSPACE_H_INCLUDED
#define ANYPI_WORKSPACE_H_INCLUDED

#include "anyp.h"
#include "execute/cache.h"

typedef struct anypi_workspace {
    anyp_schedule schedule;     /* memory to work in */
    anypi_cache cache;
    int64_t *starts;            /* where the blocks of a reduce_scatter begin, and the end */
    int starts_room;
    char *memory;               /* scratch and requests of small calls */
    size_t memory_size;
} anypi_workspace;

void anypi_workspace_init(anypi_workspace *workspace);
void anypi_workspace_free(anypi_workspace *workspace);

/* Room for n numbers in workspace->starts; NULL if there is none. */
int64_t *anypi_workspace_starts(anypi_workspace *workspace, int n);

/* More than this is not kept. */
enum { ANYPI_MEMORY_KEPT = 64 * 1024 };

/* The part of the following that small calls seldom need. */
char *anypi_workspace_other_memory(anypi_workspace *workspace, size_t size);

/* Memory of a call, until anypi_workspace_done(), also if it needs none; NULL if there is none. */
static inline char *anypi_workspace_memory(anypi_workspace *workspace, size_t size)
{
    return workspace->memory && size <= workspace->memory_size ? workspace->memory
        : anypi_workspace_other_memory(workspace, size);
}

void anypi_workspace_give_back(char *memory);

static inline void anypi_workspace_done(const anypi_workspace *workspace, char *memory)
{
    if (memory != workspace->memory)
        anypi_workspace_give_back(memory);
}

#endif
