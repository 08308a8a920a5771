/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/validation.h"

#include "tuner/candidates.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the points ---- */

static void extend_sizes(anypi_plan *plan)
{
    const int old_count = plan->sizes_count;
    int64_t old[ANYPI_MAX_LIST];
    int count = 0;
    memcpy(old, plan->sizes, sizeof old);
    plan->sizes[count++] = old[0] > 1 ? old[0] / 2 : 1;
    for (int i = 0; i < old_count && count < ANYPI_MAX_LIST - 2; i++) {
        const double middle = i ? sqrt((double) old[i - 1] * (double) old[i]) : 0;
        const int64_t between = (int64_t) middle / ANYPI_MATRIX_SIZE * ANYPI_MATRIX_SIZE;
        if (between > plan->sizes[count - 1])
            plan->sizes[count++] = between;
        if (old[i] > plan->sizes[count - 1])
            plan->sizes[count++] = old[i];
    }
    plan->sizes[count] = 4 * plan->sizes[count - 1];
    plan->sizes_count = count + 1;
}

static void extend_procs(anypi_plan *plan)
{
    const int old_count = plan->procs_count;
    int old[ANYPI_MAX_LIST], count = 0;
    memcpy(old, plan->procs, sizeof old);
    for (int i = 0; i < old_count; i++) {
        const int room = ANYPI_MAX_LIST - count - (old_count - i);
        const int between = i ? (old[i - 1] + old[i]) / 2 : 0;
        if (i && room > 0 && between > old[i - 1])
            plan->procs[count++] = between;
        plan->procs[count++] = old[i];
    }
    plan->procs_count = count;
}

void anypi_validation_extend(anypi_plan *plan, bool sizes, bool procs)
{
    if (sizes)
        extend_sizes(plan);
    if (procs)
        extend_procs(plan);
}

/* Can the effect of the rule be measured? Not if the algorithm does not serve the call, since
 * another one then replaces it. */
static bool measurable(const anypi_cell *cell, const anypi_candidate *candidate)
{
    const anyp_call call = anypi_cell_call(cell);
    const char *reason;
    return anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason)
        == ANYP_SUCCESS;
}

bool anypi_validation_make(anypi_validation *validation, const anypi_plan *plan,
                           const anypi_decision *decision)
{
    *validation = (anypi_validation) { .plan = plan };
    validation->points = calloc((size_t) plan->cells_count + 1, sizeof *validation->points);
    for (int i = 0; validation->points && i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        anypi_point *point = &validation->points[validation->count];
        anypi_choice choice;
        if (!anypi_chosen(decision, cell, true, &choice, &point->candidate)) {
            validation->holes++;
            continue;
        }
        if (!measurable(cell, &point->candidate)) {
            validation->others++;
            continue;
        }
        point->cell = i;
        point->index = -1;
        memcpy(point->rule, choice.path, sizeof point->rule);
        validation->count++;
    }
    return validation->points;
}

void anypi_validation_free(anypi_validation *validation)
{
    free(validation->points);
    *validation = (anypi_validation) { .count = 0 };
}

/* ---- verdicts ---- */

anypi_interval anypi_pair_speed(const anypi_plan *plan, const anypi_pair_times *pairs, double doubt)
{
    double ratios[ANYPI_MAX_PAIRS];
    for (int i = 0; i < pairs->count; i++)
        ratios[i] = pairs->library[i] / pairs->file[i];
    if (!plan->exact || !pairs->count)
        return anypi_interval_of(ratios, pairs->count, doubt);
    return (anypi_interval) { ratios[0], ratios[0], ratios[0] };
}

int anypi_validation_suspect(anypi_validation *validation)
{
    validation->suspects = 0;
    for (int i = 0; i < validation->count; i++) {
        anypi_point *point = &validation->points[i];
        point->suspect = !point->bad && !point->library_bad &&
            anypi_pair_speed(validation->plan, &point->first, ANYPI_DOUBT).high < 1;
        validation->suspects += point->suspect;
    }
    return validation->suspects;
}

double anypi_validation_doubt(const anypi_validation *validation, const anypi_point *point)
{
    return point->suspect && validation->suspects ? ANYPI_DOUBT / validation->suspects
        : ANYPI_DOUBT;
}

int anypi_validation_needed(const anypi_validation *validation)
{
    const double doubt = ANYPI_DOUBT / (validation->suspects ? validation->suspects : 1);
    return validation->plan->exact ? 1 : anypi_interval_count(doubt, 2);
}

anypi_verdict anypi_validation_verdict(const anypi_validation *validation, const anypi_point *point)
{
    const anypi_plan *plan = validation->plan;
    const anypi_interval first = anypi_pair_speed(plan, &point->first, ANYPI_DOUBT);
    if (point->bad || point->library_bad)
        return point->bad ? ANYPI_BAD : ANYPI_LIBRARY_BAD;
    if (!point->suspect)
        return isinf(first.high) ? ANYPI_UNTIMED : first.low > 1 ? ANYPI_FASTER : ANYPI_UNCLEAR;
    if (plan->exact)
        return ANYPI_SLOWER;
    const anypi_interval again =
        anypi_pair_speed(plan, &point->again, anypi_validation_doubt(validation, point));
    return isinf(again.high) ? ANYPI_SUSPECT : again.high < 1 ? ANYPI_SLOWER : ANYPI_UNCLEAR;
}

int anypi_validation_of(const anypi_validation *validation, anypi_verdict verdict)
{
    int points = 0;
    for (int i = 0; i < validation->count; i++)
        points += anypi_validation_verdict(validation, &validation->points[i]) == verdict;
    return points;
}
