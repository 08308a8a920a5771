/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heap.h - numbered items, sorted by time: the events of a simulation.
 */
#ifndef ANYPI_HEAP_H_INCLUDED
#define ANYPI_HEAP_H_INCLUDED

#include "anyp.h"

/* The key of an item. The item with the smallest `time` comes first; of equal times, the smallest
 * `since`; then the lowest number. */
typedef struct anypi_when {
    double time, since;
} anypi_when;

/* A set of items out of 0 .. n-1. */
typedef struct anypi_heap {
    size_t count;
    size_t *items;              /* the heap; items[0] is the first */
    size_t *positions;          /* per item: its index in `items` */
    anypi_when *when;           /* per item */
} anypi_heap;

/* Makes an empty heap for n items. ANYP_SUCCESS or ANYP_ERR_MEMORY; free it in both cases. */
anyp_status anypi_heap_init(anypi_heap *heap, size_t n);
void anypi_heap_free(anypi_heap *heap);

/* Puts an item into the heap, or moves it if it is there already. O(log n). */
void anypi_heap_put(anypi_heap *heap, size_t item, anypi_when when);

/* Removes the first item and returns it; there must be one. O(log n). */
size_t anypi_heap_take(anypi_heap *heap);

#endif
