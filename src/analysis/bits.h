/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bits.h - arrays of bits, 64 in a word: sets ranges of them, and finds the next one that is set.
 */
#ifndef ANYPI_BITS_H_INCLUDED
#define ANYPI_BITS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the number of words for this many bits. */
static inline size_t anypi_bits_words(size_t bits)
{
    return (bits + 63) / 64;
}

/* Returns the bits first .. end-1 that lie in the word. first / 64 <= word <= (end - 1) / 64. */
static inline uint64_t anypi_bits_mask(size_t word, size_t first, size_t end)
{
    const uint64_t from = word == first / 64 ? UINT64_MAX << first % 64 : UINT64_MAX;
    return word == (end - 1) / 64 ? from & UINT64_MAX >> (63 - (end - 1) % 64) : from;
}

/* Sets or clears the bits first .. end-1; first < end, as below. */
static inline void anypi_bits_set(uint64_t *bits, size_t first, size_t end)
{
    for (size_t word = first / 64; word <= (end - 1) / 64; word++)
        bits[word] |= anypi_bits_mask(word, first, end);
}

static inline void anypi_bits_clear(uint64_t *bits, size_t first, size_t end)
{
    for (size_t word = first / 64; word <= (end - 1) / 64; word++)
        bits[word] &= ~anypi_bits_mask(word, first, end);
}

/* Returns the first of the bits first .. end-1 that is set, or `end`; first <= end. */
static inline size_t anypi_bits_next(const uint64_t *bits, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = (i / 64 + 1) * 64) {
        const uint64_t found = bits[i / 64] & UINT64_MAX << i % 64;
        if (found) {
            const size_t next = i / 64 * 64 + (size_t) __builtin_ctzll(found);
            return next < end ? next : end;
        }
    }
    return end;
}

/* Is one of the bits first .. end-1 set? */
static inline bool anypi_bits_any(const uint64_t *bits, size_t first, size_t end)
{
    return anypi_bits_next(bits, first, end) < end;
}

/* Returns the last bit that is set, at `at` or before it; there must be one. */
static inline size_t anypi_bits_last(const uint64_t *bits, size_t at)
{
    size_t word = at / 64;
    uint64_t found = bits[word] & UINT64_MAX >> (63 - at % 64);
    while (!found)
        found = bits[--word];
    return word * 64 + 63 - (size_t) __builtin_clzll(found);
}

/* Returns `count` bits from `first` on, as the lowest bits of a word; 1 <= count <= 64. */
static inline uint64_t anypi_bits_get(const uint64_t *bits, size_t first, size_t count)
{
    uint64_t word = bits[first / 64] >> first % 64;
    if (first % 64 + count > 64)
        word |= bits[first / 64 + 1] << (64 - first % 64);
    return word & UINT64_MAX >> (64 - count);
}

#endif
