/* SPDX-License-Identifier: BSD-3-Clause
 *
 * perform.h - one call on real data, for every back end: where the buffers of its schedule lie,
 * memory for scratch and requests, and the loop of execute.h. A back end defines its transport, as
 * execute.h says, and includes this file instead.
 */
#ifndef ANYPI_PERFORM_H_INCLUDED
#define ANYPI_PERFORM_H_INCLUDED

#include "core/execute.h"
#include "core/memory.h"
#include "core/workspace.h"

/* Requests and bytes of scratch that small calls keep on the stack. */
enum { ANYPI_STACK_REQUESTS = 64, ANYPI_STACK_SCRATCH = 4096 };

typedef struct anypi_task {
    const anyp_call *call;
    const void *in;             /* the caller's input; not looked at in place */
    void *out;                  /* and output */
    const int64_t *starts;      /* p + 1, where blocks begin; NULL: they are balanced */
    anypi_element element;
} anypi_task;

/* The caller's buffers. */
static inline anypi_buffers anypi_task_buffers(const anypi_task *task,
                                               const anypi_partition *partition)
{
    const anyp_call *call = task->call;
    anypi_buffers buffers = { .extent = task->element.extent };
    buffers.base[ANYP_IN] = call->in_place ? task->out : (char *) task->in;
    buffers.base[ANYP_OUT] = task->out;
    if (call->collective == ANYP_REDUCE_SCATTER || call->collective == ANYP_REDUCE_SCATTER_BLOCK) {
        buffers.origin[ANYP_OUT] = anypi_block_start(partition, call->rank);
        buffers.overlaid = call->in_place;
    }
    return buffers;
}

/* Carries out workspace->schedule. NULL, or what there is no memory for (static text); nothing was
 * sent then. What fails on the way is the transport's to remember. */
static inline const char *anypi_perform(const anypi_task *task, anypi_workspace *workspace,
                                        anypi_transport *transport)
{
    anypi_request stack_requests[ANYPI_STACK_REQUESTS], *requests = stack_requests;
    char stack_scratch[ANYPI_STACK_SCRATCH], *scratch = stack_scratch;
    const anyp_schedule *schedule = &workspace->schedule;
    const anypi_partition partition = { .blocks = schedule->blocks, .count = task->call->count,
                                        .starts = task->starts };
    const char *missing = NULL;
    int64_t *starts = NULL;
    if (anypi_layout_needs_starts(schedule, &partition)) {
        starts = anypi_workspace_room(&workspace->scratch_starts, &workspace->scratch_starts_room,
                                      schedule->blocks + 1);
        if (!starts)
            return "block starts";
    }
    const anypi_layout layout = anypi_layout_of(schedule, &partition, starts);
    anypi_buffers buffers = anypi_task_buffers(task, &partition);

    const int most = anypi_requests_room(schedule);
    if (most > ANYPI_STACK_REQUESTS) {
        requests = anypi_realloc(NULL, (size_t) most * sizeof *requests);
        if (!requests) {
            missing = "requests";
            goto end;
        }
    }
    const int64_t scratch_size = anypi_scratch_size(schedule, &layout, &task->element);
    if (scratch_size < 0 || scratch_size > ANYPI_STACK_SCRATCH) {
        scratch = scratch_size < 0 ? NULL : anypi_realloc(NULL, (size_t) scratch_size);
        if (!scratch) {
            missing = "scratch";
            goto end;
        }
    }
    anypi_scratch_place(schedule, &layout, &task->element, scratch, &buffers);
    anypi_execute(schedule, &layout, &buffers, transport, requests);

  end:
    if (scratch != stack_scratch)
        anypi_free(scratch);
    if (requests != stack_requests)
        anypi_free(requests);
    return missing;
}

#endif
