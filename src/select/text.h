/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text.h - functions on texts: upper case, UTF-8, what a terminal may show, a hash, and suggestions
 * for mistyped names.
 */
#ifndef ANYPI_TEXT_H_INCLUDED
#define ANYPI_TEXT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* Converts to upper case in place. */
void anypi_upper(char *text);

/* The number of bytes of the UTF-8 character at `text`, 0 if it is none. */
int anypi_character(const char *text);

/* Appends to text; "..." at its end marks what does not fit. Control characters become \xNN, so
 * that messages with words of a file, an argument or a variable are one line and do nothing else to
 * a terminal. */
void anypi_append(char *text, size_t size, const char *more);

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
