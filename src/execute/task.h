/* SPDX-License-Identifier: BSD-3-Clause
 *
 * task.h - runs a call piece by piece, for the nonblocking and persistent calls of every back end.
 * A back end whose transport does not wait for messages includes this file after execute.h. It
 * makes the memory of a task as one block, in which its own data come first.
 */
#ifndef ANYPI_TASK_H_INCLUDED
#define ANYPI_TASK_H_INCLUDED

#include "execute/arguments.h"
#include "execute/execute.h"

typedef struct anypi_task {
    const anypi_program *program;       /* the present one; NULL: the task is done */
    anypi_parts parts;          /* held; without programs if transport->local has one for each
                                 * stage */
    int64_t part;               /* the present one */
    anypi_request *requests;
    char *in, *out;             /* of the whole vector */
    char *areas[ANYPI_AREAS];
    int next;                   /* operation of the program */
    char *stage;                /* requests and scratch of a call with local sizes */
    bool no_memory;             /* there was none for these, so the task has ended */
} anypi_task;

/* The offsets of what a task's block contains behind the data of the back end. */
typedef struct anypi_task_layout {
    int64_t requests, scratch;
    int64_t local;              /* an anypi_local, if the call has local sizes */
    int64_t arrays;             /* copies of the caller's */
    int64_t size;               /* of the block; -1: it is too large */
} anypi_task_layout;

/* Adds a part to a block. Returns its offset. */
static inline int64_t anypi_task_add(int64_t *size, int64_t part)
{
    const int64_t begin = *size, mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    if (begin < 0 || part < 0 || part > INT64_MAX - mask - begin)
        *size = -1;
    else
        *size += (part + mask) & ~mask;
    return begin;
}

/* Does the task need the caller's arrays after the call: those of local sizes, or counts and displs
 * of blocks that are packed or unpacked? */
static inline bool anypi_task_needs_arrays(const anyp_call *call, const anypi_arguments *its)
{
    return anypi_has_local_sizes(call->collective) ||
        (its->counts.at && (call->gaps_in || call->gaps_out));
}

/* Returns the layout of a task whose own data have `head` bytes. `parts` are ignored if the call
 * has local sizes. */
static inline anypi_task_layout anypi_task_lay_out(size_t head, const anypi_parts *parts,
                                                   const anyp_call *call,
                                                   const anypi_arguments *its)
{
    const bool stages = anypi_has_local_sizes(call->collective);
    const int64_t integers = 4 * (int64_t) sizeof(int64_t), types = 2 * sizeof(MPI_Datatype);
    anypi_program room = { .requests = 0 };
    anypi_task_layout its_layout = { .size = 0 };
    int64_t *const size = &its_layout.size;
    if (!stages)
        room = anypi_largest_part(parts);
    anypi_task_add(size, (int64_t) head);
    its_layout.requests = anypi_task_add(size, room.requests * (int64_t) sizeof(anypi_request));
    its_layout.scratch = anypi_task_add(size, room.scratch);
    its_layout.local = anypi_task_add(size, stages ? sizeof(anypi_local) : 0);
    its_layout.arrays = anypi_task_add(size, anypi_task_needs_arrays(call, its)
                                       ? call->p * (integers + types) : 0);
    return its_layout;
}

/* Replaces the caller's arrays, which may be gone when the task runs, by copies in `room`, or by
 * NULL if the task does not need them. */
static inline void anypi_task_keep_arrays(const anyp_call *call, anypi_arguments *its, char *room)
{
    const size_t p = (size_t) call->p;
    if (!anypi_task_needs_arrays(call, its)) {
        its->counts.at = its->displs.at = NULL;
        return;
    }
    anypi_integers *const integers[] = { &its->counts, &its->displs, &its->sendcounts,
                                         &its->senddispls };
    const MPI_Datatype **const types[] = { &its->sendtypes, &its->datatypes };
    for (int i = 0; i < 4; i++, room += p * sizeof(int64_t))
        if (integers[i]->at)
            integers[i]->at = memcpy(room, integers[i]->at, p * integers[i]->size);
    for (int i = 0; i < 2; i++, room += p * sizeof(MPI_Datatype))
        if (*types[i])
            *types[i] = memcpy(room, *types[i], p * sizeof(MPI_Datatype));
}

/* Returns a task in a block with this layout, and holds the programs of its parts. */
static inline anypi_task anypi_task_make(char *block, const anypi_task_layout *layout,
                                         const anypi_parts *parts, char *in, char *out)
{
    for (int i = 0; i < 2 && parts->programs[i]; i++)
        anypi_program_hold(parts->programs[i]);
    return (anypi_task) {
        .parts = *parts, .requests = (anypi_request *) (void *) (block + layout->requests),
        .in = in, .out = out, .areas = { [ANYPI_AREA_SCRATCH] = block + layout->scratch },
    };
}

/* Frees what the task has allocated, but not its block. */
static inline void anypi_task_close(anypi_task *task, const anypi_transport *transport)
{
    if (transport->local)
        anypi_local_close(transport->local);
    for (int i = 0; i < 2; i++)
        anypi_program_release(task->parts.programs[i]);
    anypi_free(task->stage);
}

/* Begins the present part. After the last one, the task is done. */
static inline void anypi_task_begin_part(anypi_task *task)
{
    task->program = anypi_part(&task->parts, task->part, task->in, task->out, task->areas);
    task->next = 0;
}

/* Makes the first program of a call with local sizes, or the next one. Without memory, and after
 * the last program, the task is done. */
static inline void anypi_task_next_program(anypi_task *task, anypi_local *local)
{
    const anyp_status status = task->stage
        ? anypi_local_next(local, task->areas[ANYPI_AREA_SCRATCH]) : ANYP_ERR_MEMORY;
    task->next = 0;
    task->no_memory = status != ANYP_SUCCESS;
    task->program = task->no_memory ? NULL : anypi_local_program(local);
}

/* Begins a call with local sizes. */
static inline void anypi_task_begin_local(anypi_task *task, anypi_local *local)
{
    int64_t size = 0;
    anypi_local_begin(local);
    anypi_task_add(&size, local->requests * (int64_t) sizeof(anypi_request));
    const int64_t scratch = anypi_task_add(&size, local->scratch);
    anypi_free(task->stage);
    task->stage = size < 0 ? NULL : anypi_realloc(NULL, (size_t) size + 1);
    task->requests = (anypi_request *) (void *) task->stage;
    task->areas[ANYPI_AREA_SCRATCH] = task->stage ? task->stage + scratch : NULL;
    anypi_task_next_program(task, local);
}

/* Begins a task, for the first time or again. If the call has local sizes, they are set. */
static inline void anypi_task_begin(anypi_task *task, anypi_transport *transport)
{
    task->part = 0;
    task->no_memory = false;
    if (transport->local) {
        anypi_task_begin_local(task, transport->local);
    } else {
        anypi_task_begin_part(task);
    }
}

/* Runs the task until a message is missing. Returns true if it is done. */
static inline bool anypi_task_run(anypi_task *task, anypi_transport *transport)
{
    while (task->program) {
        if (!anypi_resume(task->program, task->areas, transport, task->requests, &task->next))
            return false;
        if (transport->local) {
            anypi_task_next_program(task, transport->local);
        } else {
            task->part++;
            anypi_task_begin_part(task);
        }
    }
    return true;
}

#endif
