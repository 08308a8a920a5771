/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/blocks.h"

anyp_status anypi_blocks_measure(anyp_call *call, anypi_integers counts, int64_t unit,
                                 anypi_workspace *workspace)
{
    int64_t *starts = anypi_workspace_starts(workspace, call->p + 1);
    bool regular = true;
    int64_t largest = 0;
    if (!starts)
        return ANYP_ERR_MEMORY;
    starts[0] = 0;
    for (int i = 0; i < call->p; i++) {
        int64_t count = anypi_integer(counts, i);
        if (count < 0 || (unit > 0 && count > (INT64_MAX - starts[i]) / unit))
            return ANYP_ERR_ARGUMENT;
        count *= unit;
        starts[i + 1] = starts[i] + count;
        regular = regular && count == starts[1];
        largest = count > largest ? count : largest;
    }
    call->count = starts[call->p];
    if (!regular) {
        call->starts = starts;
        call->largest = largest;
    }
    return ANYP_SUCCESS;
}

bool anypi_blocks_in_order(int p, anypi_integers counts, anypi_integers displs)
{
    int64_t start = 0;
    for (int i = 0; i < p; i++) {
        const int64_t count = anypi_integer(counts, i);
        if (count > 0 && anypi_integer(displs, i) != start)
            return false;
        start += count;
    }
    return true;
}
