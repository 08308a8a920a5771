/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/memory.h"

#include <stdlib.h>

static long allocations_until_failure = -1;

void anypi_fail_allocation(long after)
{
    allocations_until_failure = after;
}

void *anypi_realloc(void *pointer, size_t size)
{
    if (allocations_until_failure >= 0 && allocations_until_failure-- == 0)
        return NULL;
    return realloc(pointer, size > 0 ? size : 1);
}

void anypi_free(void *pointer)
{
    free(pointer);
}
