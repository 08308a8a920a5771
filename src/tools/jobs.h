/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jobs.h - work in numbered items, done by several processes at once. Items are handed out in
 * order, each to the next process that is free.
 */
#ifndef ANYPI_TOOL_JOBS_H_INCLUDED
#define ANYPI_TOOL_JOBS_H_INCLUDED

#include "tools/options.h"

/* How many processors may be used; at least 1. */
int anypi_tool_processors(void);

/* Memory of zeros that processes share which are forked later; NULL if there is none. It is there
 * until the program ends. */
void *anypi_tool_shared(size_t size);

typedef struct tool_work {
    int64_t items;
    /* Does an item. Not TOOL_GOOD ends all processes; the function has complained, or left word in
     * shared memory. */
    int (*item)(void *state, int64_t item);
    /* Text about an item into text, for when its process has died. */
    void (*name)(const void *state, int64_t item, char *text, size_t size);
    /* Called once a second, and not at the end. */
    void (*tick)(void *state);
    void *state;
} tool_work;

/* Does all items in `jobs` processes, none of them this one. TOOL_GOOD, or TOOL_BAD as soon as an
 * item is not good or a process has died, which is told. SIGINT, SIGTERM and SIGHUP end all. */
int anypi_tool_jobs(const tool_options *options, int jobs, const tool_work *work);

#endif
