/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/memory.h"

#include <stdlib.h>

static anypi_allocator allocator = { realloc, free };
static long allocations_until_failure = -1;

void anypi_use_allocator(anypi_allocator other)
{
    allocator = other;
}

void anypi_fail_allocation(long after)
{
    allocations_until_failure = after;
}

void *anypi_realloc(void *pointer, size_t size)
{
    if (allocations_until_failure >= 0 && allocations_until_failure-- == 0)
        return NULL;
    return allocator.resize(pointer, size > 0 ? size : 1);
}

void *anypi_reserve(void *array, int *room, int64_t n, size_t size)
{
    if (array && n <= *room)
        return array;
    if (n < 0 || n > INT32_MAX || (n > 0 && size > SIZE_MAX / (size_t) n))
        return NULL;
    void *larger = anypi_realloc(array, (size_t) n * size);
    if (larger)
        *room = (int) n;
    return larger;
}

void *anypi_grow(void *array, int *room, int used, size_t size)
{
    enum { FIRST = 64 };
    if (used < *room)
        return array;
    return anypi_reserve(array, room, *room ? 2 * (int64_t) *room : FIRST, size);
}

void anypi_free(void *pointer)
{
    allocator.release(pointer);
}
