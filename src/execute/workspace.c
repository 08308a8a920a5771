/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/workspace.h"

void anypi_workspace_free(anypi_workspace *workspace)
{
    anypi_cache_free(&workspace->cache);
    anypi_free(workspace->starts);
    anypi_free(workspace->memory);
    *workspace = (anypi_workspace) { .starts = NULL };
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
    size_t rounded = 64;
    if (size > ANYPI_MEMORY_KEPT)
        return anypi_realloc(NULL, size);
    while (rounded < size)
        rounded *= 2;
    char *larger = anypi_realloc(NULL, rounded);
    if (larger) {
        anypi_free(workspace->memory);
        workspace->memory = larger;
        workspace->memory_size = rounded;
    }
    return larger;
}
