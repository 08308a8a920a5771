/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jobs.h - a pool of processes that executes numbered items of work. Items are assigned in order,
 * each to the next free process.
 */
#ifndef ANYPI_TOOL_JOBS_H_INCLUDED
#define ANYPI_TOOL_JOBS_H_INCLUDED

#include "tools/tool_options.h"

/* Returns the number of processors that may be used, at least 1. */
int anypi_tool_processors(void);

/* Returns zeroed memory, shared with processes that are forked later, until the program ends. NULL:
 * there is none. */
void *anypi_tool_shared(size_t size);

typedef struct tool_work {
    int64_t items;
    /* Executes an item. Any status but TOOL_GOOD ends all processes; the function must have
     * reported the reason, or recorded it in shared memory. */
    int (*item)(void *state, int64_t item);
    /* Names an item, for the message that the process working on it has died. */
    void (*name)(const void *state, int64_t item, char *text, size_t size);
    /* Is called once a second, but not at the end. */
    void (*tick)(void *state);
    void *state;
} tool_work;

/* Executes all items in `jobs` new processes. Returns TOOL_GOOD; or TOOL_BAD as soon as an item
 * fails or a process dies, which is reported. SIGINT, SIGTERM and SIGHUP end all processes. */
int anypi_tool_jobs(const tool_options *options, int jobs, const tool_work *work);

#endif
