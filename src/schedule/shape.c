/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/shape.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One height with its arrays, in one block of memory. */
typedef struct block {
    anyp_shape shape;
    anyp_span spans[];
} block;

/* A height that has `spans` and, of permuted ranks, room for `ranks`. NULL: no memory. */
static anyp_shape *new_height(int count, int units, const anyp_span *spans, int spans_count,
                              int ranks)
{
    const size_t of_spans = (size_t) spans_count * sizeof *spans;
    block *b = anypi_realloc(NULL, sizeof *b + of_spans + (size_t) ranks * sizeof (int));
    if (!b)
        return NULL;
    memcpy(b->spans, spans, of_spans);
    b->shape = (anyp_shape) { .count = count, .units = units, .spans_count = spans_count,
                              .spans = b->spans,
                              .rank = ranks ? (int *) (void *) (b->spans + spans_count) : NULL };
    return &b->shape;
}

void anypi_shape_free(anyp_shape *shape)
{
    if (!shape)
        return;
    anypi_shape_free((anyp_shape *) shape->above);
    anypi_shape_free((anyp_shape *) shape->runs);
    anypi_shape_free((anyp_shape *) shape->switches);
    anypi_free(shape);          /* the first member of its block */
}

/* The last of `count` increasing numbers, the first of which is 0, that is not above a limit. */
static int last_not_after(const int *numbers, int count, int limit)
{
    int low = 0, high = count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(numbers[middle] <= limit ? &low : &high) = middle;
    }
    return low;
}

/* ---- from where groups begin ---- */

/* Where groups of each height begin: counted in ranks, not in groups of the height below. */
typedef struct borders {
    int heights, count[ANYPI_SHAPE_HEIGHTS];
    int *first[ANYPI_SHAPE_HEIGHTS];
} borders;

/* Different groups that are told apart. */
enum { KINDS = 64 };

/* Spans under construction. */
typedef struct spans {
    anyp_span *all;
    int count, room;
    int kinds[KINDS], kinds_count;      /* the first span of each kind */
} spans;

/* Have two groups of as many units the same inside? `below` is the height below; NULL: ranks. */
static bool same(const anyp_shape *below, int a, int b, int size)
{
    if (!below || below->spans_count == 1)
        return true;
    for (int i = 0; i < size; i++)
        if (anypi_shape_span(below, a + i)->like != anypi_shape_span(below, b + i)->like)
            return false;
    return true;
}

/* Adds a group to the last span, or as a new one; false: no memory. Of very many kinds, those after
 * the first ones are kinds of their own, so that it takes no time. */
static bool add_group(spans *s, const anyp_shape *below, int group, int unit, int size)
{
    const anyp_span *last = s->count > 0 ? &s->all[s->count - 1] : NULL;
    if (last && last->size == size && same(below, last->unit, unit, size))
        return true;
    int like = group;
    for (int k = 0; k < s->kinds_count && like == group; k++) {
        const anyp_span *first = &s->all[s->kinds[k]];
        if (first->size == size && same(below, first->unit, unit, size))
            like = first->group;
    }
    if (like == group && s->kinds_count < KINDS)
        s->kinds[s->kinds_count++] = s->count;
    anyp_span *all = anypi_grow(s->all, &s->room, s->count, sizeof *all);
    if (!all)
        return false;
    s->all = all;
    s->all[s->count++] = (anyp_span) { group, unit, size, like };
    return true;
}

/* Gives a shape the member `switches`, which shares `rank` with it. False: no memory. */
static bool add_switches(anyp_shape *shape)
{
    const anyp_shape *above = shape->above;
    if (!above)
        return true;
    anyp_shape *one = new_height(above->count, shape->units, above->spans, above->spans_count, 0);
    if (!one)
        return false;
    anyp_span *its = (anyp_span *) one->spans;
    for (int i = 0; i < one->spans_count; i++) {
        const int unit = its[i].unit;
        its[i].unit = anypi_shape_first(shape, unit);
        its[i].size = anypi_shape_first(shape, unit + its[i].size) - its[i].unit;
    }
    one->rank = shape->rank;
    shape->switches = one;
    return true;
}

/* The height of borders b->first[h], above `below`; NULL: no memory. */
static anyp_shape *height_of(const borders *b, int h, int p, const anyp_shape *below,
                             const int *ranks_below, const int *rank)
{
    const int units = below ? below->count : p;
    spans its = { .all = NULL };
    bool good = true;
    for (int i = 0, unit = 0; i < b->count[h] && good; i++) {
        const int next = i + 1 < b->count[h] ? b->first[h][i + 1] : p;
        int end = ranks_below ? unit : next;
        while (ranks_below && end < units && ranks_below[end] < next)
            end++;
        good = add_group(&its, below, i, unit, end - unit);
        unit = end;
    }
    anyp_shape *one = good ? new_height(b->count[h], units, its.all, its.count, rank ? p : 0)
        : NULL;
    if (one && rank)
        memcpy((int *) one->rank, rank, (size_t) p * sizeof *rank);
    anypi_free(its.all);
    return one;
}

/* The shape of p ranks; `rank` may be NULL. Borders of a height are borders of those below. */
static anyp_shape *shape_of(const borders *b, int p, const int *rank)
{
    anyp_shape *lowest = NULL, *below = NULL;
    const int *ranks_below = NULL;              /* where the groups of the height below begin */
    for (int h = 0; h < b->heights; h++) {
        const int count = b->count[h];
        if (h > 0 && (count == 1 || count == below->count))
            continue;
        anyp_shape *one = height_of(b, h, p, below, ranks_below, h == 0 ? rank : NULL);
        if (!one) {
            anypi_shape_free(lowest);
            return NULL;
        }
        if (below)
            below->above = one;
        else
            lowest = one;
        below = one;
        ranks_below = b->first[h];
    }
    if (lowest && !add_switches(lowest)) {
        anypi_shape_free(lowest);
        return NULL;
    }
    return lowest;
}

/* ---- from the places of ranks ---- */

/* A rank and the numbers by which ranks are sorted. */
typedef struct keyed {
    int key, second, rank;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
        : x->second != y->second ? (x->second > y->second) - (x->second < y->second)
        : x->rank - y->rank;
}

/* Sets the lowest rank with the same place, and with the same lowest rank at the height above. */
static void find_lowest(const int *places, const int *above, int p, keyed *list, int *lowest)
{
    for (int i = 0; i < p; i++)
        list[i] = (keyed) { .key = places[i], .second = above ? above[i] : 0, .rank = i };
    qsort(list, (size_t) p, sizeof *list, compare);
    for (int i = 0; i < p; i++)
        lowest[list[i].rank] = i > 0 && list[i].key == list[i - 1].key &&
            list[i].second == list[i - 1].second ? lowest[list[i - 1].rank] : list[i].rank;
}

/* Sorts the ranks by these, after the order in which they are. */
static void sort(keyed *list, const int *lowest, int p)
{
    for (int i = 0; i < p; i++) {
        list[i].key = lowest[list[i].rank];
        list[i].second = i;
    }
    qsort(list, (size_t) p, sizeof *list, compare);
}

/* Sets where groups begin, for ranks in that order. */
static void set_borders(borders *b, const int *places, int p, const int *rank)
{
    for (int h = 0; h < b->heights; h++)
        b->count[h] = 0;
    for (int i = 0; i < p; i++) {
        bool begins = i == 0;
        for (int h = b->heights - 1; h >= 0; h--) {
            const int *of = places + (size_t) h * (size_t) p;
            begins = begins || of[rank ? rank[i] : i] != of[rank ? rank[i - 1] : i - 1];
            if (begins)
                b->first[h][b->count[h]++] = i;
        }
    }
}

anyp_shape *anypi_shape_make(const int *places, int heights, int p)
{
    const size_t n = (size_t) p;
    keyed *list = anypi_realloc(NULL, n * sizeof *list);
    int *numbers = anypi_realloc(NULL, ((size_t) heights + 1) * n * sizeof *numbers);
    borders b = { .heights = heights };
    anyp_shape *shape = NULL;
    if (list && numbers) {
        int *rank = numbers + (size_t) heights * n;
        bool consecutive = true;
        for (int h = 0; h < heights; h++)
            b.first[h] = numbers + (size_t) h * n;
        for (int h = heights - 1; h >= 0; h--)
            find_lowest(places + (size_t) h * n, h + 1 < heights ? b.first[h + 1] : NULL, p, list,
                        b.first[h]);
        for (int i = 0; i < p; i++)
            list[i].rank = i;
        for (int h = 0; h < heights; h++)
            sort(list, b.first[h], p);
        for (int i = 0; i < p; i++) {
            rank[i] = list[i].rank;
            consecutive = consecutive && rank[i] == i;
        }
        set_borders(&b, places, p, rank);
        shape = shape_of(&b, p, consecutive ? NULL : rank);
        if (shape && !consecutive) {
            set_borders(&b, places, p, NULL);
            shape->runs = shape_of(&b, p, NULL);
            if (!shape->runs) {
                anypi_shape_free(shape);
                shape = NULL;
            }
        }
    }
    anypi_free(list);
    anypi_free(numbers);
    return shape;
}

anyp_shape *anypi_shape_make_regular(int count, int size)
{
    const anyp_span all = { .size = size };
    return new_height(count, count * size, &all, 1, 0);
}

/* ---- from text ---- */

/* A whole number from 1 on; 0: there is none. */
static int read_number(const char **text)
{
    char *end;
    const long value = isdigit((unsigned char) **text) ? strtol(*text, &end, 10) : 0;
    if (value < 1 || value > INT_MAX)
        return 0;
    *text = end;
    return (int) value;
}

enum { MOST_RANKS = 1 << 24 };  /* a mistyped number must not take all memory */

typedef struct reader {
    const char *at;             /* what is not read yet */
    int parentheses, deepest;   /* open ones, and the maximum so far */
    int64_t ranks;
    bool fills;                 /* else it only counts; heights are those of the first reading */
    borders *b;
    const char *fault;
} reader;

/* A group of height h begins, and at least one in it at each height below it. */
static void begin(reader *r, int h)
{
    if (h < 0)
        return;
    if (r->fills)
        r->b->first[h][r->b->count[h]] = (int) r->ranks;
    r->b->count[h]++;
}

static void read_list(reader *r);

/* A node of some ranks, or a switch: a list in parentheses. */
static void read_unit(reader *r)
{
    if (*r->at == '(') {
        r->at++;
        begin(r, r->b->heights - 1 - r->parentheses);
        r->parentheses++;
        r->deepest = anypi_max(r->deepest, r->parentheses);
        if (r->parentheses >= ANYPI_SHAPE_HEIGHTS)
            r->fault = "more than 7 nested parentheses";
        else
            read_list(r);
        if (!r->fault && *r->at != ')')
            r->fault = "a parenthesis is not closed";
        r->at += !r->fault;
        r->parentheses--;
        return;
    }
    const int size = read_number(&r->at);
    if (size == 0)
        r->fault = "expected a number of ranks, 1 or more, or a parenthesis";
    else if (r->ranks + size > MOST_RANKS)
        r->fault = "more than 16777216 ranks";
    for (int h = r->b->heights - 1 - r->parentheses; h >= 0 && !r->fault; h--)
        begin(r, h);            /* alone at its switch, if it is beside one */
    r->ranks += size;
}

static void read_list(reader *r)
{
    for (bool more = true; more && !r->fault;) {
        const char *start = r->at;
        int times = read_number(&r->at);
        if (times > 0 && *r->at == 'x') {
            r->at++;
        } else {
            times = 1;
            r->at = start;
        }
        start = r->at;
        for (int i = 0; i < times && !r->fault; i++) {
            r->at = start;
            read_unit(r);
        }
        more = *r->at == ',';
        r->at += more;
    }
}

/* Reads the text; of the first reading, b->heights is 0. */
static const char *read_text(reader *r, const char *text, borders *b, bool fills, bool *cyclic)
{
    *r = (reader) { .at = text, .fills = fills, .b = b };
    memset(b->count, 0, sizeof b->count);
    read_list(r);
    *cyclic = !r->fault && !strcmp(r->at, ":cyclic");
    if (!r->fault && *r->at && !*cyclic)
        r->fault = *r->at == ')' ? "unexpected parenthesis"
            : "expected a comma, the end, or :cyclic";
    return r->fault;
}

/* The ranks of nodes in turn: the i-th ranks of all nodes that have that many, then the next. Sets
 * the node of each rank. */
static void deal(const int *first, int nodes, int p, int *node_of)
{
    for (int next = 0, i = 0; next < p; i++)
        for (int k = 0; k < nodes; k++)
            if (i < (k + 1 < nodes ? first[k + 1] : p) - first[k])
                node_of[next++] = k;
}

/* The shape of p ranks that are dealt to these nodes. */
static anyp_shape *cyclic_shape(const borders *b, int p)
{
    int *places = anypi_realloc(NULL, (size_t) b->heights * (size_t) p * sizeof *places);
    if (!places)
        return NULL;
    deal(b->first[0], b->count[0], p, places);
    for (int h = 1; h < b->heights; h++)
        for (int rank = 0; rank < p; rank++) {
            const int at = b->first[0][places[rank]];
            places[h * p + rank] = last_not_after(b->first[h], b->count[h], at);
        }
    anyp_shape *shape = anypi_shape_make(places, b->heights, p);
    anypi_free(places);
    return shape;
}

anyp_shape *anypi_shape_read(const char *text, int p, const char **reason)
{
    static char message[200];
    borders b = { .heights = 0 };
    reader r;
    bool cyclic;
    *reason = read_text(&r, text, &b, false, &cyclic);
    if (*reason) {
        snprintf(message, sizeof message, "at character %d: %s; shapes are like 13x8 (nodes x "
                 "ranks), 8,8,5 (the ranks of each node) or 2x(8x4),(5x4) (switches)",
                 (int) (r.at - text) + 1, r.fault);
        *reason = message;
        return NULL;
    }
    if (p > 0 && r.ranks != p) {
        snprintf(message, sizeof message, "it has %d ranks, but there are %d processes",
                 (int) r.ranks, p);
        *reason = message;
        return NULL;
    }
    p = (int) r.ranks;
    b.heights = r.deepest + 1;
    anyp_shape *shape = NULL;
    int *numbers = anypi_realloc(NULL, (size_t) b.heights * (size_t) p * sizeof *numbers);
    if (numbers) {
        for (int h = 0; h < b.heights; h++)
            b.first[h] = numbers + (size_t) h * (size_t) p;
        read_text(&r, text, &b, true, &cyclic);
        shape = cyclic ? cyclic_shape(&b, p) : shape_of(&b, p, NULL);
    }
    anypi_free(numbers);
    if (!shape)
        *reason = "there is no memory for it";
    return shape;
}
