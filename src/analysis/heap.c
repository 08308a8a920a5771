/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/heap.h"

#include "schedule/memory.h"

static const size_t nowhere = SIZE_MAX;

anyp_status anypi_heap_init(anypi_heap *heap, size_t n)
{
    heap->count = 0;
    heap->items = anypi_realloc(NULL, n * sizeof *heap->items);
    heap->positions = anypi_realloc(NULL, n * sizeof *heap->positions);
    heap->when = anypi_realloc(NULL, n * sizeof *heap->when);
    if (!heap->items || !heap->positions || !heap->when)
        return ANYP_ERR_MEMORY;
    for (size_t item = 0; item < n; item++)
        heap->positions[item] = nowhere;
    return ANYP_SUCCESS;
}

void anypi_heap_free(anypi_heap *heap)
{
    anypi_free(heap->items);
    anypi_free(heap->positions);
    anypi_free(heap->when);
}

static bool is_before(const anypi_heap *heap, size_t a, size_t b)
{
    const anypi_when x = heap->when[a], y = heap->when[b];
    if (x.time != y.time)
        return x.time < y.time;
    return x.since != y.since ? x.since < y.since : a < b;
}

static void set(anypi_heap *heap, size_t position, size_t item)
{
    heap->items[position] = item;
    heap->positions[item] = position;
}

/* Finds the position of an item, from a free position on, first upwards and then downwards. */
static void settle(anypi_heap *heap, size_t position, size_t item)
{
    for (; position > 0 && is_before(heap, item, heap->items[(position - 1) / 2]);
         position = (position - 1) / 2)
        set(heap, position, heap->items[(position - 1) / 2]);
    for (size_t child = 2 * position + 1; child < heap->count; child = 2 * position + 1) {
        child += child + 1 < heap->count &&
            is_before(heap, heap->items[child + 1], heap->items[child]);
        if (!is_before(heap, heap->items[child], item))
            break;
        set(heap, position, heap->items[child]);
        position = child;
    }
    set(heap, position, item);
}

void anypi_heap_put(anypi_heap *heap, size_t item, anypi_when when)
{
    heap->when[item] = when;
    settle(heap, heap->positions[item] == nowhere ? heap->count++ : heap->positions[item], item);
}

size_t anypi_heap_take(anypi_heap *heap)
{
    const size_t first = heap->items[0], last = heap->items[--heap->count];
    if (heap->count > 0)
        settle(heap, 0, last);
    heap->positions[first] = nowhere;
    return first;
}
