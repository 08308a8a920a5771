/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/prune_candidates.h"

#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "analysis/rank_sample.h"

#include <math.h>
#include <stdlib.h>

static const double clear = 0.03;       /* smaller differences are below the model's accuracy */

anyp_model anypi_model_fit(const anypi_probe_times *times)
{
    const double sent = times->long_message - times->short_message;
    const double max = times->short_message / 4;       /* two of them are half of it */
    /* a few messages fit into the latency; of more messages, each costs an overhead to send and one
     * to receive */
    const double more = times->several > times->few
        ? (times->several_messages - times->few_messages) / (2 * (times->several - times->few))
        : max / 2;
    const double overhead = fmax(0, fmin(more, max));
    return (anyp_model) { .alpha = times->short_message - 2 * overhead,
                          .beta = fmax(sent, 0) / times->bytes,
                          .overhead = overhead };
}

anyp_cost anypi_closed_form(const anypi_cell *cell, const anypi_candidate *candidate)
{
    const anyp_call call = anypi_cell_call(cell);
    return anypi_cost_of(candidate->algorithm, &call, candidate->parameters);
}

static double expected_time(const anypi_cell *cell, const anypi_candidate *candidate,
                            const anyp_model *model)
{
    const anyp_call call = anypi_cell_call(cell);
    return anypi_form_time(candidate->algorithm, &call, candidate->parameters, model);
}

/* Algorithms of several ports have as many messages of one rank in flight; without them, no
 * candidate might be left for very many ranks. */
static const double few_of_a_rank = 8;

void anypi_prune_messages(anypi_cell *cell, const anypi_candidates *candidates, int64_t max)
{
    for (int c = 0; c < cell->candidates && max; c++) {
        const anypi_candidate *one = &candidates->list[c];
        if (!one->algorithm || cell->trials[c].state == ANYPI_NOT_APPLICABLE ||
            (cell->nodes && anypi_uses_nodes(one->algorithm, one->parameters)))
            continue;           /* few messages are between two nodes: the rest costs little */
        const anyp_cost cost = anypi_closed_form(cell, one);
        const double of_a_rank = cost.overheads / 2 / fmax(cost.latencies, 1);
        if (of_a_rank > few_of_a_rank && cell->p * of_a_rank > (double) max)
            cell->trials[c].state = ANYPI_NOT_APPLICABLE;
    }
}

bool anypi_trial_same(anypi_cell *cell, const anypi_candidates *candidates, int c,
                      uint64_t *hashes)
{
    for (int other = 0; other < cell->candidates; other++) {
        const anypi_trial_state state = cell->trials[other].state;
        const int both[] = { c, other };
        if ((state != ANYPI_RUNNING && state != ANYPI_FAILED) ||
            candidates->list[other].algorithm != candidates->list[c].algorithm)
            continue;
        for (int i = 0; i < 2; i++)
            if (!hashes[both[i]])
                hashes[both[i]] = anypi_sample_hash(candidates->list[both[i]].algorithm,
                                                    anypi_cell_call(cell),
                                                    candidates->list[both[i]].parameters);
        if (hashes[c] && hashes[c] == hashes[other]) {
            cell->trials[c].state = ANYPI_SAME;
            cell->trials[c].same = other;
            return true;
        }
    }
    return false;
}

/* A candidate in the order of expected time. First come the setting of each algorithm that "auto"
 * becomes, or its best one that is not superfluous; then the others. */
typedef struct promise {
    const anyp_algorithm *algorithm;
    int candidate;
    bool automatic;                     /* "auto" becomes this setting in the cell */
    bool second;                        /* not the best of its algorithm, or superfluous */
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
    return a->second != b->second ? a->second - b->second : by_time(one, other);
}

/* Is it a fine point that is not expected to be better than a coarse one of its algorithm? */
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

/* Does an "auto" candidate become this one in the cell? */
static bool becomes_automatic(const anypi_cell *cell, const anypi_candidates *candidates, int c)
{
    for (int i = 0; i < cell->candidates; i++)
        if (cell->trials[i].state == ANYPI_SAME && cell->trials[i].same == c &&
            anypi_candidate_automatic(&candidates->list[i]))
            return true;
    return false;
}

/* Sorts the candidates with a closed form; returns their number. `fine`: none is superfluous. */
static int sort(const anypi_cell *cell, const anypi_candidates *candidates,
                const anyp_model *model, bool fine, promise list[ANYPI_MAX_CANDIDATES])
{
    int count = 0;
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *one = &candidates->list[c];
        if (cell->trials[c].state == ANYPI_RUNNING && one->algorithm)
            list[count++] = (promise) {
                one->algorithm, c, becomes_automatic(cell, candidates, c), false,
                expected_time(cell, one, model)
            };
    }
    qsort(list, (size_t) count, sizeof *list, by_time);
    for (int i = 0; i < count; i++) {
        list[i].second = !list[i].automatic && !fine && superfluous(list, count, i, candidates);
        for (int k = 0; k < count && !list[i].automatic; k++)
            if (list[k].algorithm == list[i].algorithm && (k < i || list[k].automatic) &&
                !list[k].second)
                list[i].second = true;
    }
    if (count)
        qsort(list + 1, (size_t) count - 1, sizeof *list, by_promise);
    return count;
}

int anypi_prune(anypi_cell *cell, const anypi_candidates *candidates, const anyp_model *model,
                anypi_selection selection)
{
    promise list[ANYPI_MAX_CANDIDATES];
    uint64_t hashes[ANYPI_MAX_CANDIDATES] = { 0 };
    const int count = sort(cell, candidates, model, selection.fine, list);
    double seconds = 0;
    int kept = 0;
    for (int i = 0; i < count; i++)
        cell->trials[list[i].candidate].state = ANYPI_LEFT_OUT;
    for (int i = 0; i < count; i++) {
        const int c = list[i].candidate;
        const double limit = list[i].second ? selection.close : selection.hopeless;
        const bool wanted = list[i].time <= limit * list[0].time &&
            (selection.fine || list[i].automatic || !superfluous(list, count, i, candidates));
        if (!wanted || anypi_trial_same(cell, candidates, c, hashes) || kept == selection.max ||
            (kept >= selection.min && selection.seconds > 0 &&
             seconds + list[i].time > selection.seconds))
            continue;
        seconds += list[i].time;
        cell->trials[c].state = ANYPI_RUNNING;
        kept++;
    }
    return kept;
}

double anypi_promise(const anypi_cell *cell, const anypi_candidates *candidates,
                     const anyp_model *model)
{
    promise list[ANYPI_MAX_CANDIDATES];
    return sort(cell, candidates, model, true, list) ? list[0].time : 0;
}
