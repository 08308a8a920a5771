/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/heap.h"

#include "schedule/memory.h"

static const size_t nowhere = SIZE_MAX;

anyp_status anypi_heap_init(anypi_heap *heap, size_t n)
{
    heap->count = 0;
    heap->items = anypi_realloc(NULL, n * sizeof *heap->items);
    heap->places = anypi_realloc(NULL, n * sizeof *heap->places);
    heap->when = anypi_realloc(NULL, n * sizeof *heap->when);
    if (!heap->items || !heap->places || !heap->when)
        return ANYP_ERR_MEMORY;
    for (size_t item = 0; item < n; item++)
        heap->places[item] = nowhere;
    return ANYP_SUCCESS;
}

void anypi_heap_free(anypi_heap *heap)
{
    anypi_free(heap->items);
    anypi_free(heap->places);
    anypi_free(heap->when);
}

static bool is_before(const anypi_heap *heap, size_t a, size_t b)
{
    const anypi_when x = heap->when[a], y = heap->when[b];
    if (x.time != y.time)
        return x.time < y.time;
    return x.since != y.since ? x.since < y.since : a < b;
}

static void set(anypi_heap *heap, size_t place, size_t item)
{
    heap->items[place] = item;
    heap->places[item] = place;
}

/* Finds the place of an item from a place on that is free, upwards and then downwards. */
static void settle(anypi_heap *heap, size_t place, size_t item)
{
    for (; place > 0 && is_before(heap, item, heap->items[(place - 1) / 2]);
         place = (place - 1) / 2)
        set(heap, place, heap->items[(place - 1) / 2]);
    for (size_t child = 2 * place + 1; child < heap->count; child = 2 * place + 1) {
        child += child + 1 < heap->count &&
            is_before(heap, heap->items[child + 1], heap->items[child]);
        if (!is_before(heap, heap->items[child], item))
            break;
        set(heap, place, heap->items[child]);
        place = child;
    }
    set(heap, place, item);
}

void anypi_heap_put(anypi_heap *heap, size_t item, anypi_when when)
{
    heap->when[item] = when;
    settle(heap, heap->places[item] == nowhere ? heap->count++ : heap->places[item], item);
}

size_t anypi_heap_take(anypi_heap *heap)
{
    const size_t first = heap->items[0], last = heap->items[--heap->count];
    if (heap->count > 0)
        settle(heap, 0, last);
    heap->places[first] = nowhere;
    return first;
}
