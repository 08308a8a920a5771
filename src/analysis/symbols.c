/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/symbols.h"

#include "schedule/memory.h"

#include <string.h>

/* Returns the i-th number of a fixed random sequence (splitmix64). */
static uint64_t random_number(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static anypi_symbol contribution(int rank)
{
    const uint64_t leaf = random_number(2 * (uint64_t) rank);
    const uint64_t once = random_number(2 * (uint64_t) rank + 1) | 1;
    return (anypi_symbol) { once, leaf, leaf, rank, rank + 1, 0, 0 };
}

static inline uint64_t mix(uint64_t x)
{
    return (x ^ x >> 32) * 0x94d049bb133111ebu;
}

static inline anypi_symbol sum_of(const anypi_symbols *s, int a, int b)
{
    const anypi_symbol *left = &s->all[a], *right = &s->all[b];
    anypi_symbol both = { .left = a, .right = b };
    both.once = left->once * right->once;
    both.bracket = mix(left->bracket * 0x9e3779b97f4a7c15u + right->bracket * 0xc2b2ae3d27d4eb4fu);
    both.shape = mix(mix(left->shape) + mix(right->shape));
    if (left->end == right->first) {
        both.first = left->first;
        both.end = right->end;
    } else if (s->commutes && right->end == left->first) {
        both.first = right->first;
        both.end = left->end;
    } else {
        both.first = both.end = -1;
    }
    return both;
}

anyp_status anypi_symbols_begin(anypi_symbols *s, int p, bool commutes)
{
    if (!s->recent)
        s->recent = anypi_realloc(NULL, ANYPI_RECENT_SUMS * sizeof *s->recent);
    anypi_symbol *all = anypi_reserve(s->all, &s->capacity, p + INT64_C(1), sizeof *all);
    if (!s->recent || !all)
        return ANYP_ERR_MEMORY;
    s->all = all;
    memset(s->recent, 0, ANYPI_RECENT_SUMS * sizeof *s->recent);
    s->all[0] = (anypi_symbol) { 0 };
    for (int rank = 0; rank < p; rank++)
        s->all[rank + 1] = contribution(rank);
    s->count = p + 1;
    s->commutes = commutes;
    return ANYP_SUCCESS;
}

void anypi_symbols_free(anypi_symbols *s)
{
    anypi_free(s->all);
    anypi_free(s->recent);
    *s = (anypi_symbols) { 0 };
}

uint64_t anypi_symbols_once(const anypi_symbols *s, int first, int end)
{
    uint64_t product = 1;
    for (int rank = first; rank < end; rank++)
        product *= s->all[rank + 1].once;
    return product;
}

int anypi_symbols_sum(anypi_symbols *s, int left, int right)
{
    const uint64_t hash = ((uint64_t) left << 32 | (uint64_t) right) * 0x9e3779b97f4a7c15u;
    anypi_recent_sum *recent = &s->recent[hash >> 40 & (ANYPI_RECENT_SUMS - 1)];
    if (recent->left == left && recent->right == right)
        return recent->sum;
    anypi_symbol *all = anypi_grow(s->all, &s->capacity, s->count, sizeof *all);
    if (!all)
        return 0;
    s->all = all;
    const int sum = s->count++;
    s->all[sum] = sum_of(s, left, right);
    *recent = (anypi_recent_sum) { left, right, sum };
    return sum;
}
