/* SPDX-License-Identifier: BSD-3-Clause
 *
 * heap.h - numbered items in the order of time: the events of a simulation.
 */
#ifndef ANYPI_HEAP_H_INCLUDED
#define ANYPI_HEAP_H_INCLUDED

#include "anyp.h"

/* The item with the smallest `time` is first, of these the one with the smallest `since`, of these
 * the lowest. */
typedef struct anypi_when {
    double time, since;
} anypi_when;

/* Those of items 0 .. n-1 that have been put into it and not been taken yet. */
typedef struct anypi_heap {
    size_t count;
    size_t *items;              /* the heap; items[0] is the first */
    size_t *positions;          /* per item: its index in `items` */
    anypi_when *when;           /* per item */
} anypi_heap;

/* An empty heap for n items. ANYP_SUCCESS or ANYP_ERR_MEMORY; to be freed in both cases. */
anyp_status anypi_heap_init(anypi_heap *heap, size_t n);
void anypi_heap_free(anypi_heap *heap);

/* Puts an item into the heap, or moves it if it is there already. O(log n). */
void anypi_heap_put(anypi_heap *heap, size_t item, anypi_when when);

/* Takes the first item out; there is one. O(log n). */
size_t anypi_heap_take(anypi_heap *heap);

#endif
