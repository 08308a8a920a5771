/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text.h - functions on texts: upper case, a hash, and suggestions for mistyped names.
 */
#ifndef ANYPI_TEXT_H_INCLUDED
#define ANYPI_TEXT_H_INCLUDED

#include <stdint.h>

/* Converts to upper case in place. */
void anypi_upper(char *text);

/* FNV-1a: adds a text or a word to a hash, which begins as ANYPI_HASH. */
#define ANYPI_HASH UINT64_C(0xcbf29ce484222325)
uint64_t anypi_hash_text(uint64_t hash, const char *text);
uint64_t anypi_hash_word(uint64_t hash, uint64_t word);

/* Finds the name nearest to a mistyped word: one that begins with the word, or has at most a third
 * of the word's letters (or one) inserted, deleted, replaced or swapped with their neighbour. The
 * first of several. */
typedef struct anypi_nearest {
    const char *word;
    int distance;               /* of the nearest so far */
    char text[128];             /* the nearest so far; "" if none is near */
} anypi_nearest;

void anypi_nearest_init(anypi_nearest *nearest, const char *word);
void anypi_nearest_try(anypi_nearest *nearest, const char *name);

#endif
