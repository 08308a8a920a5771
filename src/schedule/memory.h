/* SPDX-License-Identifier: BSD-3-Clause
 *
 * memory.h - the allocator of src/schedule, execute, algorithms and select. A test can make the
 * n-th allocation from now on fail, so that every error path runs.
 */
#ifndef ANYPI_MEMORY_H_INCLUDED
#define ANYPI_MEMORY_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* Where memory comes from: realloc and free, unless a program has its own allocator and names both
 * before the first allocation. (SMPI has macros of the names realloc and free.) */
typedef struct anypi_allocator {
    void *(*resize)(void *pointer, size_t size);
    void (*release)(void *pointer);
} anypi_allocator;
void anypi_use_allocator(anypi_allocator allocator);

/* As realloc(pointer, size); NULL when there is no memory (pointer stays valid). */
void *anypi_realloc(void *pointer, size_t size);
/* Grows an array to n members of `size` bytes if *room is less, and sets *room then. Returns the
 * array; NULL when there is no memory (array stays valid). */
void *anypi_reserve(void *array, int *room, int64_t n, size_t size);
/* The same for one more member than the `used` ones; doubles an array that is full. */
void *anypi_grow(void *array, int *room, int used, size_t size);
/* As free(). */
void anypi_free(void *pointer);
/* The allocation after the next `after` ones fails, once; negative: none fails. For tests only: not
 * thread-safe. */
void anypi_fail_allocation(long after);

#endif
