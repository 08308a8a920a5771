/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/text.h"

#include "schedule/ranks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void anypi_upper(char *text)
{
    for (; *text; text++)
        *text = (char) toupper((unsigned char) *text);
}

int anypi_character(const char *text)
{
    const unsigned char *at = (const unsigned char *) text;
    const int size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3
        : *at < 0xf5 ? 4 : 0;
    for (int i = 1; i < size; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f) ||
        (*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f))
        return 0;               /* an overlong form, a surrogate, or beyond Unicode */
    return size;
}

/* Returns the bytes of a control character at the beginning of a text; 0 if it begins with another
 * one. Some control characters have two bytes in UTF-8. */
static int control(const char *text)
{
    const unsigned char first = (unsigned char) text[0], second = (unsigned char) text[1];
    return first < 0x20 || first == 0x7f ? 1 : first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2
        : 0;
}

void anypi_append(char *text, size_t size, const char *more)
{
    size_t length = strlen(text);
    while (*more) {
        char one[9] = { *more };
        int taken = control(more);
        for (int i = 0; i < taken; i++)
            snprintf(one + 4 * i, 5, "\\x%02x", (unsigned char) more[i]);
        if (length + strlen(one) >= size)
            break;
        strcpy(text + length, one);
        length += strlen(one);
        more += taken ? taken : 1;
    }
    if (*more && size > 4)
        memcpy(text + (length < size - 4 ? length : size - 4), "...", 4);
}

uint64_t anypi_hash_word(uint64_t hash, uint64_t word)
{
    return (hash ^ word) * UINT64_C(0x100000001b3);
}

uint64_t anypi_hash_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = anypi_hash_word(hash, (unsigned char) *text);
    return hash;
}

uint64_t anypi_hash_file(const char *name)
{
    return name ? anypi_hash_text(ANYPI_HASH, name) | 1 : 0;
}

enum { LONGEST = 127 };         /* longer words are not similar to any name */

/* Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour.
 * Both texts: at most LONGEST letters. */
static int edit_distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1];   /* of the letters of a, in turn */
    const int width = (int) strlen(b);
    int i = 0;
    for (int j = 0; j <= width; j++)
        rows[0][j] = j;
    for (; a[i]; i++) {
        const int *before = rows[(i + 2) % 3], *above = rows[i % 3];
        int *row = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (int j = 0; j < width; j++) {
            const int replaced = above[j] + (a[i] != b[j]);
            row[j + 1] = anypi_min(replaced, 1 + anypi_min(row[j], above[j + 1]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = anypi_min(row[j + 1], before[j - 1] + 1);
        }
    }
    return rows[i % 3][width];
}

void anypi_nearest_init(anypi_nearest *nearest, const char *word)
{
    const int length = (int) strnlen(word, LONGEST + 1);
    nearest->word = word;
    nearest->distance = (length < 3 ? 1 : length / 3) + 1;
    nearest->text[0] = '\0';
}

void anypi_nearest_try(anypi_nearest *nearest, const char *name)
{
    const size_t length = strnlen(nearest->word, LONGEST + 1);
    if (length > LONGEST || strnlen(name, LONGEST + 1) > LONGEST)
        return;
    const int distance = length > 2 && !strncmp(nearest->word, name, length) ? 0
        : edit_distance(nearest->word, name);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        snprintf(nearest->text, sizeof nearest->text, "%s", name);
    }
}
