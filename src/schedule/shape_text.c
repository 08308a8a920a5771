/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/shape.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

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
    int length, room;
    const anyp_shape *heights[ANYPI_SHAPE_HEIGHTS];
} writer;

/* Appends a word; false: no memory. */
static bool append(writer *w, const char *word)
{
    const size_t more = strlen(word);
    const int64_t needed = w->length + (int64_t) more + 1;
    char *text = anypi_reserve(w->text, &w->room,
                               needed > w->room ? 2 * needed + 64 : w->room, 1);
    if (!text)
        return false;
    w->text = text;
    memcpy(text + w->length, word, more + 1);
    w->length += (int) more;
    return true;
}

static bool write_list(writer *w, int h, int begin, int end);

/* A node as its ranks, also where it is alone at a switch; a switch as a list in parentheses. */
static bool write_group(writer *w, int h, int group)
{
    const int begin = h > 0 ? anypi_shape_begin(w->heights[1], h - 1, group) : group;
    const int end = h > 0 ? anypi_shape_begin(w->heights[1], h - 1, group + 1) : group + 1;
    const int first = anypi_shape_first(w->heights[h], group);
    const int size = anypi_shape_size(w->heights[h], group);
    char number[16];
    snprintf(number, sizeof number, "%d", anypi_shape_size(w->heights[0], begin));
    return end - begin == 1 ? append(w, number)
        : append(w, "(") && write_list(w, h - 1, first, first + size) && append(w, ")");
}

/* Groups of a height; of equal ones that follow each other (a span), one and their number. */
static bool write_list(writer *w, int h, int begin, int end)
{
    const anyp_shape *shape = w->heights[h];
    bool good = true;
    for (int group = begin, next; group < end && good; group = next) {
        const anyp_span *span = anypi_shape_span(shape, group);
        const bool last = span == &shape->spans[shape->spans_count - 1];
        char times[16];
        next = last ? end : anypi_min(span[1].group, end);
        snprintf(times, sizeof times, "%dx", next - group);
        good = (group == begin || append(w, ",")) && (next - group == 1 || append(w, times)) &&
            write_group(w, h, group);
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
