/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/prune.h"

#include <stdlib.h>

/* Ranks whose schedules are compared: differences occur on many ranks. */
enum { RANKS = 16 };

static bool equal_slices(anyp_slice one, anyp_slice other)
{
    return one.buffer == other.buffer && one.first == other.first && one.end == other.end;
}

static bool equal_schedules(const anyp_schedule *one, const anyp_schedule *other)
{
    if (one->blocks != other->blocks || one->rounds != other->rounds ||
        one->overlap != other->overlap || one->steps_count != other->steps_count)
        return false;
    for (int i = 0; i <= one->rounds && one->rounds; i++)
        if (one->round_start[i] != other->round_start[i])
            return false;
    for (int i = 0; i < one->steps_count; i++) {
        const anyp_step *a = &one->steps[i], *b = &other->steps[i];
        if (a->kind != b->kind || a->peer != b->peer)
            return false;
        if (a->kind != ANYP_RECV && !equal_slices(a->from, b->from))
            return false;
        if (a->kind != ANYP_SEND && !equal_slices(a->to, b->to))
            return false;
    }
    return true;
}

struct anypi_sample {
    anyp_schedule schedules[RANKS];
    int count;
};

void anypi_sample_free(anypi_sample *ranks)
{
    for (int i = 0; ranks && i < RANKS; i++)
        anyp_schedule_free(&ranks->schedules[i]);
    free(ranks);
}

anypi_sample *anypi_sample_make(const anypi_candidate *candidate, anyp_call call)
{
    anypi_sample *ranks = malloc(sizeof *ranks);
    if (!ranks)
        return NULL;
    ranks->count = call.p < RANKS ? call.p : RANKS;
    for (int i = 0; i < RANKS; i++)
        anyp_schedule_init(&ranks->schedules[i]);
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < ranks->count && status == ANYP_SUCCESS; i++) {
        call.rank = (int) ((int64_t) i * call.p / ranks->count);
        status = anyp_generate(candidate->algorithm, &call, candidate->parameters,
                               &ranks->schedules[i]);
    }
    if (status == ANYP_SUCCESS)
        return ranks;
    anypi_sample_free(ranks);
    return NULL;
}

bool anypi_sample_equal(const anypi_sample *one, const anypi_sample *other)
{
    for (int i = 0; i < one->count; i++)
        if (!equal_schedules(&one->schedules[i], &other->schedules[i]))
            return false;
    return true;
}

bool anypi_trial_same(anypi_cell *cell, const anypi_candidates *candidates, int c,
                      anypi_sample **samples)
{
    for (int other = 0; other < cell->candidates; other++) {
        const anypi_trial_state state = cell->trials[other].state;
        if ((state != ANYPI_RUNNING && state != ANYPI_FAILED) ||
            candidates->list[other].algorithm != candidates->list[c].algorithm)
            continue;
        for (int i = 0; i < 2; i++) {
            const int at = i ? c : other;
            if (!samples[at])
                samples[at] = anypi_sample_make(&candidates->list[at], anypi_cell_call(cell));
        }
        if (samples[c] && samples[other] && anypi_sample_equal(samples[c], samples[other])) {
            cell->trials[c].state = ANYPI_SAME;
            cell->trials[c].same = other;
            return true;
        }
    }
    return false;
}
