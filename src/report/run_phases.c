/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_phases.c - shows the phases that the program marks by MPI_Pcontrol, if it marks any.
 */
#include "report/run.h"

#include <math.h>
#include <stdlib.h>

/* The seconds of an average process in all calls of a phase. */
typedef struct times {
    double seconds, work;       /* at most */
    double unknown;             /* the part of the work for which not even a bound is known */
} times;

typedef struct phase {
    int number;                 /* as in a kind */
    double calls;
    times before, after;
} phase;

static int by_number(const void *one, const void *other)
{
    const phase *a = one, *b = other;
    const unsigned first = (unsigned) a->number, second = (unsigned) b->number;  /* -1: the last */
    return first < second ? -1 : first > second;
}

static void add(times *sum, const anypi_run_time *its)
{
    sum->seconds += its->seconds;
    sum->work += its->work >= 0 ? its->work : its->seconds;
    sum->unknown += its->work >= 0 ? 0 : its->seconds;
}

/* Returns the phases in ascending order; to be freed with free(). NULL: there is only the default,
 * or there is no memory. */
static phase *make(const anypi_run *run, int *count)
{
    phase *list = calloc((size_t) run->count + 1, sizeof *list);
    bool marked = false;
    *count = 0;
    for (int i = 0; list && i < run->count; i++) {
        const anypi_run_line *line = &run->lines[i];
        const anypi_calls *calls = line->before.calls;
        int k = 0;
        marked |= line->calls->phase != 0;
        while (k < *count && list[k].number != line->calls->phase)
            k++;
        *count += k == *count;
        list[k].number = line->calls->phase;
        list[k].calls += !calls ? 0 : line->before.times *
            (run->record->complete ? fmin((double) calls->ranks / run->record->p, 1) : 1);
        add(&list[k].before, &line->before);
        add(&list[k].after, &line->after);
    }
    if (marked)
        qsort(list, (size_t) *count, sizeof *list, by_number);
    else
        *count = 0;
    return list;
}

anypi_run_text anypi_run_phase(int number)
{
    anypi_run_text text;
    if (number > 0)
        snprintf(text.text, sizeof text.text, "phase %d", number);
    else
        snprintf(text.text, sizeof text.text, number ? "further phases" : "phase 1 (default)");
    return text;
}

void anypi_run_phases_table(FILE *file, const anypi_run *run)
{
    int count;
    bool unknown = false;
    phase *list = make(run, &count);
    if (count)
        fprintf(file, "\n%-20s %10s %10s %10s %10s %10s%s\n", run->several ? "phase (before)"
                : run->after ? "phase (first run)" : "phase", "calls", "seconds", "working",
                "waiting", "% of run", run->after ? "    seconds    working (after)" : "");
    for (int i = 0; i < count; i++) {
        const times *its = &list[i].before, *after = &list[i].after;
        unknown |= its->unknown > 0 || after->unknown > 0;
        fprintf(file, "%-20s %10.6g %10.4g %10.4g %10.4g %10.1f",
                anypi_run_phase(list[i].number).text, list[i].calls, its->seconds, its->work,
                its->seconds - its->work,
                run->sum.run > 0 ? 100 * its->seconds / run->sum.run : 0);
        if (run->after)
            fprintf(file, " %10.4g %10.4g", after->seconds, after->work);
        fputc('\n', file);
    }
    if (unknown)
        fprintf(file, "unknown seconds of a phase count as working\n");
    free(list);
}

static void write_times(anypi_json *json, const char *key, const times *its)
{
    anypi_json_write(json, "%s:{ seconds:%g work:%g unknown:%g }", key, its->seconds, its->work,
                     its->unknown);
}

void anypi_run_phases_data(anypi_json *json, const anypi_run *run)
{
    int count;
    phase *list = make(run, &count);
    anypi_json_write(json, "phases:[");
    for (int i = 0; i < count; i++) {
        anypi_json_write(json, "{ phase:%s calls:%g", anypi_run_phase(list[i].number).text,
                         list[i].calls);
        write_times(json, "before", &list[i].before);
        write_times(json, "after", &list[i].after);
        anypi_json_write(json, "}");
    }
    anypi_json_write(json, "]");
    free(list);
}
