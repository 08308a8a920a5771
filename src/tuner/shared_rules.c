/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/shared_rules.h"

#include <math.h>
#include <stdlib.h>

/* Lines of a group: its condition and the closing bracket; each step has one. */
enum { GROUP_LINES = 2, STEP_LINES = 1 };

/* The sums of the logarithms of the ratios of points first .. end - 1; INFINITY where one is above
 * the limit. [size][choice] */
static void add_point(const anypi_ratios *ratios, int point, double limit, double *sums)
{
    for (int size = 0; size < ratios->sizes; size++) {
        const float *row = anypi_ratio_at(ratios, point, size);
        for (int c = 0; c < ratios->choices; c++)
            sums[size * ratios->choices + c] += row[c] <= limit ? log(row[c]) : INFINITY;
    }
}

/* The chain with the fewest steps; false: none serves all points. */
static bool make_chain(const anypi_ratios *ratios, const double *sums, double *step,
                       anypi_chain *chain)
{
    const int choices = ratios->choices;
    chain->count = 0;
    for (int first = 0; first < ratios->sizes;) {
        int best = -1, end = first;
        for (int c = 0; c < choices; c++)
            step[c] = 0;
        for (; end < ratios->sizes; end++) {
            int next = -1;
            for (int c = 0; c < choices; c++) {
                step[c] += sums[end * choices + c];
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

int anypi_share(const anypi_ratios *ratios, double limit, anypi_chain *chains)
{
    const size_t row = (size_t) ratios->sizes * (size_t) ratios->choices;
    const int points = ratios->points;
    double *sums = malloc(row * sizeof *sums), *step = malloc((size_t) ratios->choices *
                                                              sizeof *step);
    int *lines = malloc(((size_t) points + 1) * sizeof *lines);
    anypi_chain *ending = malloc(((size_t) points + 1) * sizeof *ending);
    int *from = malloc(((size_t) points + 1) * sizeof *from), count = -1;
    if (!sums || !step || !lines || !ending || !from)
        goto end;
    /* lines[j]: the fewest for the points before j; ending[j]: the chain of the last group of
     * these, which begins at from[j] */
    lines[0] = 0;
    for (int j = 1; j <= points; j++)
        lines[j] = INT32_MAX;
    for (int first = 0; first < points; first++) {
        for (size_t i = 0; i < row; i++)
            sums[i] = 0;
        for (int end = first + 1; end <= points; end++) {
            anypi_chain chain = { .end = end };
            add_point(ratios, end - 1, limit, sums);
            if (!make_chain(ratios, sums, step, &chain))
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
  end:
    free(sums);
    free(step);
    free(lines);
    free(ending);
    free(from);
    return count;
}
