/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text.h - what several need for texts: capitals, a hash, and what was meant by a mistyped name.
 */
#ifndef ANYPI_TEXT_H_INCLUDED
#define ANYPI_TEXT_H_INCLUDED

#include <stdint.h>

/* In place, as variables are written: "allreduce" becomes "ALLREDUCE". */
void anypi_upper(char *text);

/* FNV-1a: of a text, or of a word, behind what `hash` is of; at first ANYPI_HASH. */
#define ANYPI_HASH UINT64_C(0xcbf29ce484222325)
uint64_t anypi_hash_text(uint64_t hash, const char *text);
uint64_t anypi_hash_word(uint64_t hash, uint64_t word);

/* Keeps the name that is nearest to a mistyped word: one that begins with the word, or has at most
 * a third of the word's letters (or one) inserted, deleted, replaced or swapped with their
 * neighbour. Of equally near ones the first. */
typedef struct anypi_nearest {
    const char *word;
    int distance;               /* of the nearest so far */
    char text[128];             /* the nearest so far; "" if none is near */
} anypi_nearest;

void anypi_nearest_init(anypi_nearest *nearest, const char *word);
void anypi_nearest_try(anypi_nearest *nearest, const char *name);

#endif
