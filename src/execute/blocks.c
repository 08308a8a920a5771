/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/blocks.h"

anyp_status anypi_blocks_measure(anyp_call *call, anypi_integers counts, int64_t unit,
                                 anypi_workspace *workspace)
{
    int64_t *starts = anypi_workspace_starts(workspace, call->p + 1);
    const int64_t most = unit > 0 ? INT64_MAX / unit : INT64_MAX;       /* of the sum of counts */
    bool regular = true;
    int64_t largest = 0, sum = 0;
    if (!starts)
        return ANYP_ERR_MEMORY;
    starts[0] = 0;
    for (int i = 0; i < call->p; i++) {
        const int64_t given = anypi_integer(counts, i);
        if (given < 0 || given > most - sum)
            return ANYP_ERR_ARGUMENT;
        const int64_t count = given * unit;
        sum += given;
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
