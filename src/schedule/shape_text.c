/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/shape.h"

#include "schedule/memory.h"

#include <stdio.h>
#include <string.h>

/* Are ranks where they would be if dealt round robin? */
static bool are_dealt(const anyp_shape *nodes)
{
    for (int i = 0, next = 0; next < anypi_shape_ranks(nodes); i++)
        for (int k = 0; k < nodes->count; k++)
            if (i < anypi_shape_size(nodes, k) &&
                nodes->rank[anypi_shape_first(nodes, k) + i] != next++)
                return false;
    return true;
}

typedef struct writer {
    char *text;
    size_t length, room;
    const anyp_shape *heights[ANYPI_SHAPE_HEIGHTS];
} writer;

/* Inserts a word; false: no memory. */
static bool insert(writer *w, size_t at, const char *word)
{
    const size_t more = strlen(word);
    if (w->length + more >= w->room) {
        char *text = anypi_realloc(w->text, 2 * (w->length + more) + 64);
        if (!text)
            return false;
        w->text = text;
        w->room = 2 * (w->length + more) + 64;
    }
    memmove(w->text + at + more, w->text + at, w->length - at);
    memcpy(w->text + at, word, more);
    w->length += more;
    w->text[w->length] = '\0';
    return true;
}

static bool append(writer *w, const char *word)
{
    return insert(w, w->length, word);
}

static bool write_list(writer *w, int h, int begin, int end);

/* A node as its ranks, also where it is alone at a switch; a switch as a list in parentheses. */
static bool write_group(writer *w, int h, int group)
{
    int begin = group, end = group + 1;
    for (int k = h; k > 0; k--) {
        begin = anypi_shape_first(w->heights[k], begin);
        end = anypi_shape_first(w->heights[k], end);
    }
    const int first = anypi_shape_first(w->heights[h], group);
    const int size = anypi_shape_size(w->heights[h], group);
    char number[16];
    snprintf(number, sizeof number, "%d", anypi_shape_size(w->heights[0], begin));
    return end - begin == 1 ? append(w, number)
        : append(w, "(") && write_list(w, h - 1, first, first + size) && append(w, ")");
}

/* Groups of a height; of equal ones that follow each other, one and their number. */
static bool write_list(writer *w, int h, int begin, int end)
{
    size_t last = w->length;    /* where the text of the previous ones begins, and their number */
    int times = 0;
    bool good = true;
    for (int group = begin; group <= end && good; group++) {
        const size_t start = w->length;
        if (group < end)
            good = write_group(w, h, group);
        const size_t length = w->length - start;
        if (good && times > 0 && length == start - last &&
            !memcmp(w->text + last, w->text + start, length)) {
            w->length = start;
            times++;
            continue;
        }
        char number[16];
        snprintf(number, sizeof number, "%dx", times);
        size_t at = start;      /* of the new text, before which the previous one is completed */
        if (good && times > 1) {
            good = insert(w, last, number);
            at += strlen(number);
        }
        if (good && times > 0 && group < end) {
            good = insert(w, at, ",");
            at++;
        }
        last = at;
        times = 1;
    }
    return good;
}

char *anypi_shape_text(const anyp_shape *shape)
{
    writer w = { .text = NULL };
    int heights = 0;
    if (shape->rank && !are_dealt(shape))
        return NULL;
    for (const anyp_shape *one = shape; one; one = one->above)
        w.heights[heights++] = one;
    if (append(&w, "") && write_list(&w, heights - 1, 0, w.heights[heights - 1]->count) &&
        (!shape->rank || append(&w, ":cyclic")))
        return w.text;
    anypi_free(w.text);
    return NULL;
}
