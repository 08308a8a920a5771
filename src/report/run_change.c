/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_change.c - compares the runs before a change with those after it. The load of a machine
 * drifts, and then the times of both sides spread more than they differ. If runs of both sides took
 * turns, the two runs of a pair had about the same load: so the differences in pairs are compared
 * with zero. Otherwise the intervals of the two sides are compared.
 */
#include "report/run.h"

#include "report/trials.h"

#include <string.h>

/* Sets the times at which the two runs of a pair began, in whole seconds. Such times are texts that
 * are in the order of time. */
static void times_of(const anypi_run *run, int pair, const char **first, const char **second)
{
    const char *before = run->runs[0].records[pair].begun;
    const char *after = run->runs[1].records[pair].begun;
    *first = strcmp(before, after) < 0 ? before : after;
    *second = *first == before ? after : before;
}

/* Returns whether both runs of a pair began before those of another pair. If all four began in the
 * same second, this is unknown. */
static bool precedes(const anypi_run *run, int pair, int other)
{
    const char *first, *second, *other_first, *other_second;
    times_of(run, pair, &first, &second);
    times_of(run, other, &other_first, &other_second);
    return strcmp(second, other_first) <= 0 && strcmp(first, other_second) < 0;
}

bool anypi_run_took_turns(const anypi_run *run)
{
    const int count = run->runs[0].count;
    if (count != run->runs[1].count || count < ANYPI_SURE_PAIRS)
        return false;
    for (int pair = 0; pair < count; pair++)
        for (int other = 0; other < pair; other++)
            if (!precedes(run, other, pair) && !precedes(run, pair, other))
                return false;
    return true;
}

anypi_difference anypi_run_compare(const anypi_run *run, const double *before, const double *after)
{
    const int count = run->runs[0].count, count_after = run->runs[1].count;
    double differences[ANYPI_MAX_RUNS];
    anypi_difference its = { .before = anypi_values_interval(before, count) };
    if (!count_after)
        return its;
    its.after = anypi_values_interval(after, count_after);
    if (run->paired) {
        for (int i = 0; i < count; i++)
            differences[i] = after[i] - before[i];
        its.pairs = anypi_values_interval(differences, count);
        its.change = its.pairs.high < 0 ? ANYPI_LESS : its.pairs.low > 0 ? ANYPI_MORE : ANYPI_NOISE;
    } else if (run->several) {
        its.pairs.median = its.after.median - its.before.median;
        its.change = count < ANYPI_SURE_RUNS || count_after < ANYPI_SURE_RUNS ? ANYPI_TOO_FEW_RUNS
            : its.after.high < its.before.low ? ANYPI_LESS
            : its.after.low > its.before.high ? ANYPI_MORE : ANYPI_NOISE;
    }
    return its;
}

anypi_difference anypi_run_compare_sums(const anypi_run *run, size_t offset)
{
    double values[2][ANYPI_MAX_RUNS];
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < run->runs[side].count; i++)
            memcpy(&values[side][i], (const char *) &run->sums[side][i] + offset, sizeof(double));
    return anypi_run_compare(run, values[0], values[1]);
}

anypi_run_text anypi_run_change(const anypi_run_line *line)
{
    static const char *const texts[] = { "-", "?", "noise" };
    const double before = line->before.seconds;
    anypi_run_text shown;
    if (line->change < ANYPI_LESS)
        snprintf(shown.text, sizeof shown.text, "%s", texts[line->change]);
    else if (before > 0)
        snprintf(shown.text, sizeof shown.text, "%+.1f %%", 100 * line->difference / before);
    else                        /* most runs before the change made no such calls */
        snprintf(shown.text, sizeof shown.text, "more");
    return shown;
}
