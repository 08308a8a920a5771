/* SPDX-License-Identifier: BSD-3-Clause
 *
 * text.h - functions on texts: upper case, UTF-8, safe output on terminals, a hash, and suggestions
 * for mistyped names.
 */
#ifndef ANYPI_TEXT_H_INCLUDED
#define ANYPI_TEXT_H_INCLUDED

#include <stddef.h>
#include <stdint.h>

/* Converts to upper case in place. */
void anypi_upper(char *text);

/* Returns the number of bytes of the UTF-8 character at `text`; 0 if it is none. */
int anypi_character(const char *text);

/* Appends to text. If not all fits, the text ends in "...". Control characters become \xNN: a
 * message with words of a file, an argument or a variable stays one line and cannot control the
 * terminal. */
void anypi_append(char *text, size_t size, const char *more);

/* FNV-1a: adds a text or a word to a hash, which starts as ANYPI_HASH. */
#define ANYPI_HASH UINT64_C(0xcbf29ce484222325)
uint64_t anypi_hash_text(uint64_t hash, const char *text);
uint64_t anypi_hash_word(uint64_t hash, uint64_t word);
/* Returns a hash of a file's name, never 0; NULL (no file): 0. */
uint64_t anypi_hash_file(const char *name);

/* Finds the name nearest to a mistyped word. Near is a name that begins with the word; or one that
 * differs in at most a third of the word's letters (at least one), inserted, deleted, replaced or
 * swapped with their neighbour. Of equally near names the first is taken. */
typedef struct anypi_nearest {
    const char *word;
    int distance;               /* of the nearest so far */
    char text[128];             /* the nearest so far; "" if none is near */
} anypi_nearest;

void anypi_nearest_init(anypi_nearest *nearest, const char *word);
void anypi_nearest_try(anypi_nearest *nearest, const char *name);

#endif
