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

enum { LONGEST = 127 };         /* longer words are not similar to any name */

/* Letters to insert, delete, replace or swap with their neighbour. Both texts: at most LONGEST. */
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
