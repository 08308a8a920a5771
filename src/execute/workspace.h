/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workspace.h - memory that a communicator keeps from one call to the next, so that small calls
 * allocate nothing, and the cache of its calls. Collectives on one communicator do not run at the
 * same time, so it needs no lock.
 */
#ifndef ANYPI_WORKSPACE_H_INCLUDED
#define ANYPI_WORKSPACE_H_INCLUDED

#include "anyp.h"
#include "execute/cache.h"
#include "schedule/memory.h"

typedef struct anypi_workspace {
    anypi_cache cache;
    int64_t *starts;            /* where blocks with counts of their own begin, and the end */
    int starts_room;
    char *memory;               /* scratch and requests of small calls */
    size_t memory_size;
} anypi_workspace;

void anypi_workspace_init(anypi_workspace *workspace);
void anypi_workspace_free(anypi_workspace *workspace);

/* Makes room for n numbers and returns workspace->starts; NULL if there is no memory. */
int64_t *anypi_workspace_starts(anypi_workspace *workspace, int n);

/* A larger allocation is not kept. */
enum { ANYPI_MEMORY_KEPT = 64 * 1024 };

/* As anypi_workspace_memory(), where the kept memory does not suffice. */
char *anypi_workspace_other_memory(anypi_workspace *workspace, size_t size);

/* Memory for a call, until anypi_workspace_done(); not NULL if the size is 0. NULL if there is not
 * enough memory. */
static inline char *anypi_workspace_memory(anypi_workspace *workspace, size_t size)
{
    return workspace->memory && size <= workspace->memory_size ? workspace->memory
        : anypi_workspace_other_memory(workspace, size);
}

static inline void anypi_workspace_done(const anypi_workspace *workspace, char *memory)
{
    if (memory != workspace->memory)
        anypi_free(memory);
}

#endif
