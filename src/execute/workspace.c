/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/workspace.h"

void anypi_workspace_init(anypi_workspace *workspace)
{
    *workspace = (anypi_workspace) { .starts = NULL };
    anyp_schedule_init(&workspace->schedule);
}

void anypi_workspace_free(anypi_workspace *workspace)
{
    anyp_schedule_free(&workspace->schedule);
    anypi_cache_free(&workspace->cache);
    anypi_free(workspace->starts);
    anypi_free(workspace->memory);
    anypi_workspace_init(workspace);
}

int64_t *anypi_workspace_starts(anypi_workspace *workspace, int n)
{
    int64_t *starts = anypi_reserve(workspace->starts, &workspace->starts_room, n, sizeof *starts);
    if (starts)
        workspace->starts = starts;
    return starts;
}

char *anypi_workspace_other_memory(anypi_workspace *workspace, size_t size)
{
    enum { MINIMUM = 4096 };
    if (size > ANYPI_MEMORY_KEPT)
        return anypi_realloc(NULL, size);
    const size_t rounded = size < MINIMUM ? MINIMUM : size;
    char *larger = anypi_realloc(NULL, rounded);
    if (larger) {
        anypi_free(workspace->memory);
        workspace->memory = larger;
        workspace->memory_size = rounded;
    }
    return larger;
}
