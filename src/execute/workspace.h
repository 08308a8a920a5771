/* SPDX-License-Identifier: BSD-3-Clause
 *
 * workspace.h - memory that a communicator keeps from one call to the next, so that small calls
 * allocate nothing, and the program of its last call. No two collectives run on a communicator at
 * once, so it needs no lock.
 */
#ifndef ANYPI_WORKSPACE_H_INCLUDED
#define ANYPI_WORKSPACE_H_INCLUDED

#include "anyp.h"
#include "execute/program.h"

/* All that a program depends on, if blocks are balanced: see execute/prepare.h. */
typedef struct anypi_prepared {
    const anyp_algorithm *algorithm;    /* NULL: none */
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_call call;
    anypi_element element;
} anypi_prepared;

typedef struct anypi_workspace {
    anyp_schedule schedule;     /* memory to work in */
    anypi_program program;      /* of the last call */
    anypi_prepared prepared;    /* what it is for */
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
