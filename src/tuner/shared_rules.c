/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/shared_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Number of lines of a group (its condition and the closing bracket) and of a step. */
enum { GROUP_LINES = 2, STEP_LINES = 1 };

/* The choices that may be made anywhere, and the logarithms of their ratios. */
typedef struct table {
    int points, sizes, choices;
    int *original;              /* [choice] */
    float *times;               /* [point][size][choice]; INFINITY: unknown */
    float *losses;              /* the same; INFINITY: it must not be chosen */
} table;

static size_t row_of(const table *t, int point, int size)
{
    return ((size_t) point * (size_t) t->sizes + (size_t) size) * (size_t) t->choices;
}

static bool may_be_taken(const anypi_ratios *ratios, int point, int size, int choice)
{
    return anypi_ratio_at(ratios, point, size)[choice] <= ratios->limit;
}

/* Finds the used choices: most are good nowhere, and would need most of the time. */
static void find_used(const anypi_ratios *ratios, table *t)
{
    for (int c = 0; c < ratios->choices; c++) {
        bool used = false;
        for (int point = 0; point < ratios->points && !used; point++)
            for (int size = 0; size < ratios->sizes && !used; size++)
                used = may_be_taken(ratios, point, size, c);
        if (used)
            t->original[t->choices++] = c;
    }
}

static bool make_table(const anypi_ratios *ratios, table *t)
{
    *t = (table) { .points = ratios->points, .sizes = ratios->sizes };
    t->original = malloc((size_t) ratios->choices * sizeof *t->original);
    if (!t->original)
        return false;
    find_used(ratios, t);
    const size_t size = row_of(t, t->points, 0) + 1;
    t->times = malloc(size * sizeof *t->times);
    t->losses = malloc(size * sizeof *t->losses);
    if (!t->times || !t->losses)
        return false;
    for (int point = 0; point < t->points; point++)
        for (int k = 0; k < t->sizes; k++)
            for (int c = 0; c < t->choices; c++) {
                const int original = t->original[c];
                const float ratio = anypi_ratio_at(ratios, point, k)[original];
                const size_t at = row_of(t, point, k) + (size_t) c;
                t->times[at] = logf(ratio);
                t->losses[at] = may_be_taken(ratios, point, k, original) ? logf(ratio) : INFINITY;
            }
    return true;
}

/* Returns the part of the way from one place to the next at which two times cross. The first time
 * is shorter by `before` there, and longer by `after` here. */
static double cut_at(double before, double after)
{
    return before >= 0 && after > 0 && isfinite(before) && isfinite(after)
        ? before / (before + after) : 0.5;
}

/* Returns by how much longer, in logarithms, the times of choice b are than those of a, at a size,
 * over points; not finite if one is unknown. */
static double difference(const table *t, int first, int end, int size, int a, int b)
{
    double sum = 0;
    for (int point = first; point < end; point++)
        sum += t->times[row_of(t, point, size) + (size_t) b] -
            t->times[row_of(t, point, size) + (size_t) a];
    return sum;
}

/* Step i reaches as far as its choice may be made. Moves its boundary to where the next choice is
 * faster, if that may be made there, and sets its cut. sums[size][choice]: the losses of the points
 * of the group. */
static void place_boundary(const table *t, const double *sums, int first, anypi_chain *chain, int i)
{
    const int a = chain->steps[i].choice, b = chain->steps[i + 1].choice;
    const int low = i ? chain->steps[i - 1].last + 1 : 0;
    int last = chain->steps[i].last;
    while (last > low && sums[last * t->choices + b] < INFINITY &&
           difference(t, first, chain->end, last, a, b) < 0)
        last--;
    chain->steps[i].last = last;
    chain->steps[i].cut = cut_at(difference(t, first, chain->end, last, a, b),
                                 -difference(t, first, chain->end, last + 1, a, b));
}

/* Makes the chain with the fewest steps; false: none serves all points. `step` has room for the
 * choices. */
static bool make_chain(const table *t, const double *sums, double *step, anypi_chain *chain)
{
    chain->count = 0;
    for (int first = 0; first < t->sizes;) {
        int best = -1, end = first;
        for (int c = 0; c < t->choices; c++)
            step[c] = 0;
        for (; end < t->sizes; end++) {
            int next = -1;
            for (int c = 0; c < t->choices; c++) {
                step[c] += sums[end * t->choices + c];
                if (step[c] < INFINITY && (next < 0 || step[c] < step[next]))
                    next = c;
            }
            if (next < 0)
                break;
            best = next;
        }
        if (best < 0)
            return false;
        chain->steps[chain->count].last = end - 1;
        chain->steps[chain->count++].choice = best;
        first = end;
    }
    return true;
}

/* May a chain serve a point? */
static bool may_serve(const table *t, int point, const anypi_chain *chain)
{
    bool may = true;
    for (int size = 0, i = 0; size < t->sizes; size++) {
        i += chain->steps[i].last < size;
        may = may && t->losses[row_of(t, point, size) + (size_t) chain->steps[i].choice] < INFINITY;
    }
    return may;
}

/* Returns by how much longer, in logarithms, the times of chain b's choices are at a point than
 * those of a, at the sizes where both are known; NAN: nowhere. */
static double difference_of_chains(const table *t, int point, const anypi_chain *a,
                                   const anypi_chain *b)
{
    double sum = 0;
    bool known = false;
    for (int size = 0, i = 0, k = 0; size < t->sizes; size++) {
        i += a->steps[i].last < size;
        k += b->steps[k].last < size;
        const float *times = &t->times[row_of(t, point, size)];
        const double more = times[b->steps[k].choice] - times[a->steps[i].choice];
        sum += isfinite(more) ? more : 0;
        known = known || isfinite(more);
    }
    return known ? sum : NAN;
}

/* Moves the boundary between two chains to where the second is faster, and sets its cut. The first
 * one begins at point `first`. */
static void place_end(const table *t, int first, anypi_chain *a, const anypi_chain *b)
{
    while (a->end - 1 > first && may_serve(t, a->end - 1, b) &&
           difference_of_chains(t, a->end - 1, a, b) < 0)
        a->end--;
    while (a->end < b->end - 1 && may_serve(t, a->end, a) &&
           difference_of_chains(t, a->end, a, b) > 0)
        a->end++;
    a->cut = cut_at(difference_of_chains(t, a->end - 1, a, b),
                    -difference_of_chains(t, a->end, a, b));
}

/* Sets the boundaries of the chains, and the choices as the caller numbers them. */
static void finish(const table *t, double *sums, anypi_chain *chains, int count)
{
    const size_t row = row_of(t, 1, 0);
    for (int n = 0, first = 0; n < count; first = chains[n++].end) {
        memset(sums, 0, row * sizeof *sums);
        for (int point = first; point < chains[n].end; point++)
            for (size_t i = 0; i < row; i++)
                sums[i] += t->losses[row_of(t, point, 0) + i];
        for (int i = chains[n].count - 2; i >= 0; i--)
            place_boundary(t, sums, first, &chains[n], i);
    }
    for (int n = count - 2; n >= 0; n--)
        place_end(t, n ? chains[n - 1].end : 0, &chains[n], &chains[n + 1]);
    for (int n = 0; n < count; n++)
        for (int i = 0; i < chains[n].count; i++)
            chains[n].steps[i].choice = t->original[chains[n].steps[i].choice];
}

int anypi_share(const anypi_ratios *ratios, anypi_chain *chains)
{
    const int points = ratios->points;
    table t;
    const bool made = make_table(ratios, &t);
    const size_t row = row_of(&t, 1, 0);
    double *sums = malloc((row + 1) * sizeof *sums);
    double *step = malloc(((size_t) t.choices + 1) * sizeof *step);
    int *lines = malloc(((size_t) points + 1) * sizeof *lines);
    anypi_chain *ending = malloc(((size_t) points + 1) * sizeof *ending);
    int *from = malloc(((size_t) points + 1) * sizeof *from), count = -1;
    if (!made || !sums || !step || !lines || !ending || !from)
        goto end;
    /* lines[j]: the fewest for the points before j; ending[j]: the chain of the last group of
     * these, which begins at from[j] */
    lines[0] = 0;
    for (int j = 1; j <= points; j++)
        lines[j] = INT32_MAX;
    for (int first = 0; first < points; first++) {
        memset(sums, 0, row * sizeof *sums);
        for (int end = first + 1; end <= points; end++) {
            anypi_chain chain = { .end = end };
            for (size_t i = 0; i < row; i++)
                sums[i] += t.losses[row_of(&t, end - 1, 0) + i];
            if (!make_chain(&t, sums, step, &chain))
                break;
            const int all = lines[first] + GROUP_LINES + STEP_LINES * chain.count;
            if (all < lines[end]) {
                lines[end] = all;
                ending[end] = chain;
                from[end] = first;
            }
        }
    }
    count = 0;
    for (int at = points; at > 0; at = from[at])
        count++;
    for (int at = points, i = count - 1; at > 0; at = from[at], i--)
        chains[i] = ending[at];
    finish(&t, sums, chains, count);
  end:
    free(t.original);
    free(t.times);
    free(t.losses);
    free(sums);
    free(step);
    free(lines);
    free(ending);
    free(from);
    return count;
}
