/* SPDX-License-Identifier: BSD-3-Clause
 *
 * model.c - which candidates are worth a measurement. There are many more settings than can be
 * measured in the time of a coffee break, and closed forms tell most losers in advance: what they
 * say is hopelessly slow is never run. They say nothing of the library's own algorithms.
 */
#include "tune.h"

#include <math.h>
#include <stdlib.h>

/* A closed form may be twice the true time, and the fit of the model is rough. */
static const double hopeless = 3;

anyp_model anypi_model_fit(const anypi_probe_times *times)
{
    const double sent = times->long_message - times->short_message;
    const double most = times->short_message / 4;       /* two of them are half of it */
    const double more = times->several > 1
        ? (times->short_messages - times->short_message) / (2 * (times->several - 1)) : most / 2;
    const double overhead = fmax(0, fmin(more, most));
    return (anyp_model) { .alpha = times->short_message - 2 * overhead,
                          .beta = fmax(sent, 0) / times->bytes,
                          .gamma = times->reduction / times->bytes,
                          .overhead = overhead };
}

/* A candidate in the order of promise: first the best setting of each algorithm, then others. */
typedef struct promise {
    const anyp_algorithm *algorithm;
    int candidate, place;               /* place: 0 for the best of its algorithm, 1 */
    double time;
} promise;

static int by_time(const void *one, const void *other)
{
    const promise *a = one, *b = other;
    const int order = (a->time > b->time) - (a->time < b->time);
    return order ? order : a->candidate - b->candidate;
}

static int by_promise(const void *one, const void *other)
{
    const promise *a = one, *b = other;
    return a->place != b->place ? a->place - b->place : by_time(one, other);
}

/* Sorts the candidates that have a closed form; returns how many. */
static int sort(const anypi_cell *cell, const anypi_candidates *candidates,
                const anyp_model *model, promise list[ANYPI_MAX_CANDIDATES])
{
    const anyp_call call = anypi_cell_call(cell);
    int count = 0;
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate = &candidates->list[c];
        if (!cell->alive[c] || !candidate->algorithm)
            continue;
        const anyp_cost cost = candidate->algorithm->code->cost(&call, candidate->parameters);
        list[count++] = (promise) { candidate->algorithm, c, 0, anyp_cost_time(cost, model) };
    }
    qsort(list, (size_t) count, sizeof *list, by_time);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (list[k].algorithm == list[i].algorithm)
                list[i].place = 1;
    if (count)
        qsort(list + 1, (size_t) count - 1, sizeof *list, by_promise);
    return count;
}

int anypi_cell_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                     int most)
{
    promise list[ANYPI_MAX_CANDIDATES];
    const int count = sort(cell, candidates, model, list);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const bool keep = kept < most && list[i].time <= hopeless * list[0].time;
        cell->skipped[list[i].candidate] = !keep;
        cell->alive[list[i].candidate] = keep;
        kept += keep;
    }
    return kept;
}
