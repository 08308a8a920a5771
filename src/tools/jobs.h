/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jobs.h - a pool of processes that does numbered items of work. Items are assigned in order, each
 * to the next process that is free.
 */
#ifndef ANYPI_TOOL_JOBS_H_INCLUDED
#define ANYPI_TOOL_JOBS_H_INCLUDED

#include "tools/tool_options.h"

/* The number of processors that may be used, 1 or more. */
int anypi_tool_processors(void);

/* Zeroed memory that is shared with processes forked later, until the program ends. NULL: none. */
void *anypi_tool_shared(size_t size);

typedef struct tool_work {
    int64_t items;
    /* Does an item. Any status but TOOL_GOOD ends all processes; the function has reported why, or
     * recorded it in shared memory. */
    int (*item)(void *state, int64_t item);
    /* Names an item, for the message that its process has died. */
    void (*name)(const void *state, int64_t item, char *text, size_t size);
    /* Called once a second, and not at the end. */
    void (*tick)(void *state);
    void *state;
} tool_work;

/* Does all items in `jobs` processes, none of them this one. TOOL_GOOD; TOOL_BAD as soon as an item
 * fails or a process dies, which is reported. SIGINT, SIGTERM and SIGHUP end all. */
int anypi_tool_jobs(const tool_options *options, int jobs, const tool_work *work);

#endif
