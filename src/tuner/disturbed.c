/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/disturbed.h"

#include "tuner/interval.h"

#include <math.h>
#include <string.h>

/* With fewer rounds, two candidates may agree by chance. */
enum { MIN_ROUNDS = 6 };
static const double deviations = 3, large = 1.2;

/* The rank of a round among the times of a trial, from 0; of equal ones the mean. */
static double rank_of(const anypi_trial *trial, int round)
{
    double rank = -0.5;         /* it equals itself */
    for (int i = 0; i < trial->count; i++)
        rank += trial->times[i] < trial->times[round] ? 1
            : trial->times[i] == trial->times[round] ? 0.5 : 0;
    return rank;
}

bool anypi_disturbed(const anypi_cell *cell)
{
    const int n = cell->rounds;
    double ranks[ANYPI_MAX_ROUNDS] = { 0 }, logs[ANYPI_MAX_ROUNDS] = { 0 };
    double ascending[ANYPI_MAX_ROUNDS], squares = 0;
    int m = 0;                  /* candidates */
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_trial *trial = &cell->trials[c];
        if (trial->state != ANYPI_RUNNING || trial->count != n)
            continue;
        for (int round = 0; round < n; round++) {
            ranks[round] += rank_of(trial, round);
            logs[round] += log(trial->times[round]);
        }
        m++;
    }
    if (n < MIN_ROUNDS || m < 2)
        return false;
    for (int round = 0; round < n; round++)
        squares += pow(ranks[round] - m * (n - 1) / 2.0, 2);
    /* if ranks are independent, the sum of squares is m times that of one candidate */
    const double ratio = squares / (m * n * (n * n - 1.0) / 12);
    memcpy(ascending, logs, sizeof ascending);
    const double lower = anypi_quartile(ascending, n), upper = ascending[n - 1 - n / 4];
    return (ratio - 1) * sqrt(m * (n - 1) / (2.0 * (m - 1))) > deviations &&
        upper - lower > m * log(large);
}

void anypi_forget(anypi_cell *cell)
{
    const int half = cell->rounds / 2;
    for (int c = 0; c < cell->candidates; c++) {
        anypi_trial *trial = &cell->trials[c];
        if (trial->count <= half)
            continue;
        trial->count -= half;
        memmove(trial->times, trial->times + half, (size_t) trial->count * sizeof *trial->times);
    }
    cell->rounds -= half;
}
