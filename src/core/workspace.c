/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/workspace.h"

#include "core/memory.h"

void anypi_workspace_init(anypi_workspace *workspace)
{
    *workspace = (anypi_workspace) { .starts = NULL };
    anyp_schedule_init(&workspace->schedule);
}

void anypi_workspace_free(anypi_workspace *workspace)
{
    anyp_schedule_free(&workspace->schedule);
    anypi_free(workspace->starts);
    anypi_free(workspace->scratch_starts);
    anypi_workspace_init(workspace);
}

int64_t *anypi_workspace_room(int64_t **starts, int *room, int n)
{
    if (n <= *room)
        return *starts;
    int64_t *larger = anypi_realloc(*starts, (size_t) n * sizeof *larger);
    if (larger) {
        *starts = larger;
        *room = n;
    }
    return larger;
}
