/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workspace.h - what a communicator keeps from one call to the next: the cache of its calls, and
 * memory, so that small calls allocate nothing. It needs no lock, because collectives on one
 * communicator do not run at the same time.
 */
#ifndef ANYPI_WORKSPACE_H_INCLUDED
#define ANYPI_WORKSPACE_H_INCLUDED

#include "anyp.h"
#include "execute/cache.h"
#include "schedule/memory.h"

typedef struct anypi_workspace {
    anypi_cache cache;
    int64_t *starts;            /* where the blocks of a call with several counts begin, and their
                                 * end */
    int starts_room;
    char *memory;               /* scratch and requests of small calls */
    size_t memory_size;
} anypi_workspace;

/* Frees what a workspace keeps; it is zero again, as at first. */
void anypi_workspace_free(anypi_workspace *workspace);

/* Makes room for n numbers and returns workspace->starts, or NULL if there is no memory. */
int64_t *anypi_workspace_starts(anypi_workspace *workspace, int n);

/* Larger allocations are freed after the call. */
enum { ANYPI_MEMORY_KEPT = 64 * 1024 };

/* Does the work of anypi_workspace_memory() if the kept memory does not suffice. */
char *anypi_workspace_other_memory(anypi_workspace *workspace, size_t size);

/* Returns memory for a call, valid until anypi_workspace_done(), or NULL if there is not enough.
 * For size 0 the result is not NULL. */
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
