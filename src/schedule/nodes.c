/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/nodes.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

#include <ctype.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The struct and its arrays, in one block of memory. */
typedef struct block {
    anyp_nodes nodes;
    int numbers[];
} block;

static block *new_block(int numbers)
{
    return anypi_realloc(NULL, sizeof(block) + (size_t) numbers * sizeof(int));
}

void anypi_nodes_free(anyp_nodes *nodes)
{
    anypi_free(nodes);          /* the first member of its block */
}

/* A rank and a number by which ranks are sorted. */
typedef struct keyed {
    int key, rank;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    const int by_key = (x->key > y->key) - (x->key < y->key);
    return by_key ? by_key : (x->rank > y->rank) - (x->rank < y->rank);
}

static anyp_nodes *finish(block *b, int count, int *first, int *rank)
{
    bool consecutive = true;
    for (int i = 0; rank && i < first[count]; i++)
        consecutive = consecutive && rank[i] == i;
    b->nodes = (anyp_nodes) { .count = count, .first = first, .rank = consecutive ? NULL : rank };
    return &b->nodes;
}

/* Sorts the ranks by node, and then by the lowest rank of their node. */
anyp_nodes *anypi_nodes_make(const int *node_of_rank, int p)
{
    block *b = new_block(2 * p + 1);
    keyed *sorted = anypi_realloc(NULL, (size_t) p * sizeof *sorted);
    if (!b || !sorted) {
        anypi_free(b);
        anypi_free(sorted);
        return NULL;
    }
    int *const first = b->numbers, *const rank = first + p + 1;
    int count = 0;
    for (int i = 0; i < p; i++)
        sorted[i] = (keyed) { node_of_rank[i], i };
    qsort(sorted, (size_t) p, sizeof *sorted, compare);
    for (int i = 0, lowest = 0; i < p; i++) {
        if (i == 0 || node_of_rank[sorted[i].rank] != node_of_rank[sorted[i - 1].rank])
            lowest = sorted[i].rank;
        sorted[i].key = lowest;
    }
    qsort(sorted, (size_t) p, sizeof *sorted, compare);
    for (int i = 0; i < p; i++) {
        if (i == 0 || sorted[i].key != sorted[i - 1].key)
            first[count++] = i;
        rank[i] = sorted[i].rank;
    }
    first[count] = p;
    anypi_free(sorted);
    return finish(b, count, first, rank);
}

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

/* Reads the sizes of nodes, with their sum and number; sets first[] if it is not NULL. */
static const char *read_sizes(const char *text, int *first, int *count, int64_t *sum, bool *cyclic)
{
    static const char wrong[] = "it should be a number of nodes and of ranks on each, like 13x8, "
        "or the ranks of each node, like 8,8,5; :cyclic may follow";
    *count = 0;
    *sum = 0;
    for (bool more = true; more;) {
        int times = 1, size = read_number(&text);
        if (*text == 'x') {
            text++;
            times = size;
            size = read_number(&text);
        }
        if (size == 0 || times == 0)
            return wrong;
        if (*sum + (int64_t) times * size > MOST_RANKS)
            return "it has more than 16777216 ranks";
        for (int i = 0; i < times; i++, *sum += size, (*count)++)
            if (first)
                first[*count] = (int) *sum;
        more = *text == ',';
        text += more;
    }
    *cyclic = strcmp(text, ":cyclic") == 0;
    return *text && !*cyclic ? wrong : NULL;
}

anyp_nodes *anypi_nodes_read(const char *text, int p, const char **reason)
{
    int count;
    int64_t sum;
    bool cyclic;
    *reason = read_sizes(text, NULL, &count, &sum, &cyclic);
    if (!*reason && p > 0 && sum != p)
        *reason = "its ranks are not as many as there are processes";
    if (*reason)
        return NULL;
    block *b = new_block(count + 1 + (cyclic ? (int) sum : 0));
    if (!b) {
        *reason = "there is no memory for it";
        return NULL;
    }
    int *const first = b->numbers, *const rank = cyclic ? first + count + 1 : NULL;
    read_sizes(text, first, &count, &sum, &cyclic);
    first[count] = (int) sum;
    /* round robin: the i-th ranks of all nodes that have that many, then the next */
    for (int next = 0, i = 0; cyclic && next < sum; i++)
        for (int k = 0; k < count; k++)
            if (first[k] + i < first[k + 1])
                rank[first[k] + i] = next++;
    return finish(b, count, first, rank);
}

int anypi_nodes_at(const anyp_nodes *nodes, int position)
{
    int low = 0, high = nodes->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(nodes->first[middle] <= position ? &low : &high) = middle;
    }
    return low;
}

int anypi_nodes_largest(const anyp_nodes *nodes)
{
    int largest = 0;
    for (int node = 0; node < nodes->count; node++)
        largest = anypi_max(largest, anypi_nodes_size(nodes, node));
    return largest;
}
