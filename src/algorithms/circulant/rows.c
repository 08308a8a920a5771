/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/circulant/rows.h"

#include "algorithms/circulant/skips.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROOM = ANYPI_MAXIMUM_ROW + 2, END = -1 };

/* The indices q, q-1, ..., 0 that are not in the row yet: `next` leads downwards to END. That of an
 * index that was removed stays valid. */
typedef struct indices {
    int next[ROOM], before[ROOM];
} indices;

static void fill(indices *left, int q)
{
    for (int e = 0; e <= q; e++) {
        left->next[e] = e - 1;
        left->before[e] = e + 1;
    }
}

static void take_out(indices *left, int q, int e)
{
    if (left->before[e] <= q)
        left->next[left->before[e]] = left->next[e];
    if (left->next[e] != END)
        left->before[left->next[e]] = left->before[e];
}

/* The index of the last summand if a rank is written as a sum of skips, the largest possible one
 * first; q for the root. */
static int base_of(const int64_t *skips, int q, int rank)
{
    if (rank == 0)
        return q;
    for (int k = q - 1;; k--) {
        if (rank == skips[k])
            return k;
        if (rank > skips[k])
            rank -= (int) skips[k];
    }
}

int anypi_row_length(int p)
{
    return anypi_skips_count(p, ANYPI_SKIPS_HALVING);
}

/* A depth-first search among sums of skips, all of whose positions are below 2p. For index k it
 * finds the largest sum between p + rank - skip(k+1) and p + rank - skip(k) whose last summand is
 * not in the row; the row's entry is the index of this summand. */
void anypi_row_make(int p, int rank, int row[ANYPI_MAXIMUM_ROW])
{
    const int q = anypi_row_length(p);
    int64_t skips[ROOM] = { 0 };
    int stack[ROOM + 1], depth = 0;
    indices left;
    for (int k = 0; k <= q; k++)
        skips[k] = anypi_skip(p, ANYPI_SKIPS_HALVING, q - k);
    const int base = base_of(skips, q, rank);
    const int64_t target = (int64_t) p + rank;
    fill(&left, q);
    take_out(&left, q, base);

    int e = q;
    int64_t at = skips[q], last = 2 * (int64_t) p;
    stack[depth++] = q;
    for (int k = 0; k < q;) {
        const int64_t low = target - skips[k + 1], high = target - skips[k];
        const int top = depth > 0 ? stack[depth - 1] : q;
        if (at < low || (at == low && left.next[e] != END)) {
            e = left.next[e];
            at += skips[e];
            stack[depth++] = e;
            continue;
        }
        if (at <= high && at < last && at - skips[top] <= low) {
            e = top;
            last = at;
            row[k++] = e;
            take_out(&left, q, e);
        }
        at -= skips[top];
        depth--;
    }
    for (int k = 0; k < q; k++)
        row[k] = row[k] == q ? base : row[k] - q;
}
