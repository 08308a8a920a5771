/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prune.c - which candidates are worth a measurement. There are many more settings than can be
 * measured in the time of a coffee break, and closed forms tell most losers in advance: what they
 * say is hopelessly slow is never run. They say nothing of the library's own algorithms.
 */
#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>

static const double clear = 0.03;       /* what less is the model does not know */

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
    int candidate, place;               /* place: 0 for the best of its algorithm that is not
                                           superfluous, 1 */
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

/* A fine point that does not promise more than a coarse one of its algorithm. */
static bool superfluous(const promise *list, int count, int i, const anypi_candidates *candidates)
{
    if (!candidates->list[list[i].candidate].fine)
        return false;
    for (int k = 0; k < count; k++)
        if (list[k].algorithm == list[i].algorithm &&
            !candidates->list[list[k].candidate].fine && list[k].time <= list[i].time * (1 + clear))
            return true;
    return false;
}

/* Sorts the candidates that have a closed form; returns how many. `fine`: none is superfluous. */
static int sort(const anypi_cell *cell, const anypi_candidates *candidates,
                const anyp_model *model, bool fine, promise list[ANYPI_MAX_CANDIDATES])
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
    for (int i = 0; i < count; i++) {
        list[i].place = !fine && superfluous(list, count, i, candidates);
        for (int k = 0; k < i; k++)
            if (list[k].algorithm == list[i].algorithm && !list[k].place)
                list[i].place = 1;
    }
    if (count)
        qsort(list + 1, (size_t) count - 1, sizeof *list, by_promise);
    return count;
}

/* Is it the same as one that is kept? Then that one is measured for it. */
static bool duplicate(anypi_cell *cell, const anypi_candidates *candidates,
                      const promise *list, int i, anypi_sample **samples)
{
    const int c = list[i].candidate;
    const anyp_call call = anypi_cell_call(cell);
    for (int k = 0; k < i; k++) {
        const int other = list[k].candidate;
        if (list[k].algorithm != list[i].algorithm || !cell->alive[other] || cell->skipped[other])
            continue;
        for (int n = 0; n < 2; n++) {
            const int at = n ? c : other;
            if (!samples[at])
                samples[at] = anypi_sample_make(&candidates->list[at], call);
        }
        if (samples[c] && samples[other] && anypi_sample_equal(samples[c], samples[other])) {
            cell->same[c] = other;
            return true;
        }
    }
    return false;
}

int anypi_cell_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                     anypi_selection selection)
{
    promise list[ANYPI_MAX_CANDIDATES];
    anypi_sample *samples[ANYPI_MAX_CANDIDATES] = { NULL };
    const int count = sort(cell, candidates, model, selection.fine, list);
    double seconds = 0;
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const int c = list[i].candidate;
        const double limit = list[i].place ? selection.close : selection.hopeless;
        const bool wanted = list[i].time <= limit * list[0].time &&
            (selection.fine || !superfluous(list, count, i, candidates));
        const bool same = wanted && duplicate(cell, candidates, list, i, samples);
        const bool keep = wanted && !same && kept < selection.most &&
            (kept < selection.least || selection.seconds == 0 ||
             seconds + list[i].time <= selection.seconds);
        seconds += keep ? list[i].time : 0;
        cell->skipped[c] = !keep && !same;
        cell->alive[c] = keep;
        kept += keep;
    }
    for (int c = 0; c < cell->candidates; c++)
        anypi_sample_free(samples[c]);
    return kept;
}

double anypi_cell_promise(const anypi_cell *cell, const anypi_candidates *candidates,
                          const anyp_model *model)
{
    promise list[ANYPI_MAX_CANDIDATES];
    return sort(cell, candidates, model, true, list) ? list[0].time : 0;
}
