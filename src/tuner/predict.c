/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/predict.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "tuner/noise.h"

#include <math.h>
#include <stdlib.h>

/* An "auto" candidate may be used if its ratio to the best is at most this at one of the measured
 * cells around. Closed forms cannot tell how a candidate that is far behind would do elsewhere. */
static const double trusted = 1.25;
/* Numbers that are good here may be bad at the next p or size. They are kept if all measured cells
 * around agree. The limits: the largest ratio to the best; the largest ratio of two errors of the
 * closed form; and the factor by which such a time is taken to be longer. */
static const double agreed = 1.15, spread = 1.1, unsure = 1.05;

bool anypi_measured_row_make(const anypi_plan *plan, anypi_measured_row *row)
{
    const int candidates = plan->candidates[row->cells->collective].count;
    row->errors = calloc((size_t) row->count * (size_t) candidates, sizeof *row->errors);
    return row->errors;
}

/* Returns a time. A cell may have fewer candidates than its collective: later cells have added
 * some. */
static double time_of(const anypi_cell *cell, int c)
{
    return c < cell->candidates ? anypi_time(cell, c) : INFINITY;
}

anypi_size_place anypi_size_place_of(const anypi_measured_row *row, int64_t bytes)
{
    anypi_size_place at = { .low = 0 };
    while (at.low + 1 < row->count && row->cells[at.low + 1].bytes <= bytes)
        at.low++;
    const int64_t low = row->cells[at.low].bytes;
    at.high = at.low + (low < bytes && at.low + 1 < row->count);
    if (at.high > at.low)
        at.part = log((double) bytes / (double) low) /
            log((double) row->cells[at.high].bytes / (double) low);
    return at;
}

/* Returns the closed form of a candidate of AnyP in a cell; INFINITY: it does not serve the
 * cell. */
static double form_of(const anypi_plan *plan, const anypi_cell *cell,
                      const anypi_candidate *candidate)
{
    const anyp_call call = anypi_cell_call(cell);
    anypi_candidate settled = *candidate;
    anyp_model model;
    double time;
    const char *reason;
    if (anypi_candidate_automatic(candidate)) {
        if (!anypi_automatic_settle(plan, cell, candidate, &settled, &time))
            return INFINITY;
    } else if (anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason) !=
               ANYP_SUCCESS) {
        return INFINITY;
    }
    return anypi_network_read(anypi_cell_network(plan, cell), &call, &model)
        ? anypi_form_time(candidate->algorithm, &call, settled.parameters, &model) : INFINITY;
}

/* Returns the ratio of time and closed form in a measured cell; INFINITY: it was not measured
 * there. */
static double error_of(const anypi_plan *plan, const anypi_measured_row *row, int index, int c)
{
    const anypi_cell *cell = &row->cells[index];
    double *error = &row->errors[index * plan->candidates[cell->collective].count + c];
    if (*error == 0) {
        const double time = time_of(cell, c);
        const double form = time < INFINITY
            ? form_of(plan, cell, anypi_candidate_of(plan, cell, c)) : INFINITY;
        *error = form < INFINITY ? time / form : INFINITY;
    }
    return *error;
}

/* The measured cells around a cell: at most two sizes at each of two numbers of processes. Their
 * weights are those of a bilinear interpolation, and add up to 1. */
typedef struct anchor {
    const anypi_measured_row *row;
    int index;                  /* of the cell in the row */
    double weight;
} anchor;

enum { ANCHORS = 4 };

static int find_anchors(const anypi_near_rows *rows, int64_t bytes, anchor list[ANCHORS])
{
    int count = 0;
    for (int i = 0; i < 2; i++) {
        const anypi_measured_row *row = i ? rows->high : rows->low;
        const double part = i ? rows->part : 1 - rows->part;
        const anypi_size_place at = anypi_size_place_of(row, bytes);
        if (part > 0)
            list[count++] = (anchor) { row, at.low, part * (1 - at.part) };
        if (part > 0 && at.part > 0)
            list[count++] = (anchor) { row, at.high, part * at.part };
    }
    return count;
}

static double time_at(const anchor *one, int c)
{
    return time_of(&one->row->cells[one->index], c);
}

/* Returns the mean of logarithms, over the anchors where the value is known; INFINITY: nowhere. */
static double mean(const anchor *list, int count, const double *values)
{
    double sum = 0, known = 0;
    for (int i = 0; i < count; i++)
        if (values[i] < INFINITY) {
            sum += list[i].weight * log(values[i]);
            known += list[i].weight;
        }
    return known > 0 ? exp(sum / known) : INFINITY;
}

/* Is it the MPI library's choice, or one of its algorithms that serves the cell? */
static bool is_of_library(const anypi_candidate *candidate, const anypi_cell *cell)
{
    const anyp_call call = anypi_cell_call(cell);
    return !candidate->algorithm &&
        (!candidate->own || anypi_own_serves(candidate->own, &call, cell->commutative));
}

/* Is the cell at or between measured numbers of processes, and at or between measured sizes? */
static bool is_inside(const anypi_near_rows *rows, const anypi_cell *cell)
{
    bool inside = rows->part > 0 || rows->low->cells->p == cell->p;
    for (int i = 0; i < 2; i++) {
        const anypi_measured_row *row = i ? rows->high : rows->low;
        inside = inside && row->cells[0].bytes <= cell->bytes &&
            cell->bytes <= row->cells[row->count - 1].bytes;
    }
    return inside;
}

/* Is a parameter in bytes, such as a threshold, between the sizes of the anchors? If so, schedules
 * differ on its two sides. */
static bool has_step(const anypi_candidate *candidate, const anchor *anchors, int near)
{
    int64_t smallest = INT64_MAX, largest = 0;
    for (int i = 0; i < near; i++) {
        const int64_t bytes = anchors[i].row->cells[anchors[i].index].bytes;
        smallest = bytes < smallest ? bytes : smallest;
        largest = bytes > largest ? bytes : largest;
    }
    for (int i = 0; i < candidate->algorithm->parameters_count; i++) {
        const int value = candidate->parameters[i];
        if (candidate->algorithm->parameters[i].bytes && value >= smallest && value < largest)
            return true;
    }
    return false;
}

/* Returns the error of candidate c's closed form around a cell. INFINITY: it is unknown, or (if
 * `trust`) it cannot be trusted. `numbers`: candidates with numbers may have an error. */
static double error_around(const anypi_plan *plan, const anchor *anchors, int near,
                           const double *leads, int c, bool trust, bool numbers)
{
    const anypi_candidate *candidate =
        anypi_candidate_of(plan, &anchors->row->cells[anchors->index], c);
    const bool automatic = anypi_candidate_automatic(candidate);
    double errors[ANCHORS], least = INFINITY, most = 0;
    bool any = false, all = true;
    for (int i = 0; i < near; i++) {
        const double ratio = time_at(&anchors[i], c) / leads[i];
        any = any || ratio <= trusted;
        all = all && ratio <= agreed;
    }
    if (automatic ? trust && !any
        : !all || !numbers || has_step(candidate, anchors, near))
        return INFINITY;
    for (int i = 0; i < near; i++) {
        errors[i] = error_of(plan, anchors[i].row, anchors[i].index, c);
        least = fmin(least, errors[i]);
        most = fmax(most, errors[i]);
    }
    if (!automatic && most > spread * least)
        return INFINITY;
    return mean(anchors, near, errors) * (automatic ? 1 : unsure);
}

void anypi_predict(const anypi_plan *plan, const anypi_near_rows *rows, const anypi_cell *cell,
                   double *times)
{
    const anypi_candidate *list = plan->candidates[cell->collective].list;
    const int count = plan->candidates[cell->collective].count;
    anchor anchors[ANCHORS];
    const int near = find_anchors(rows, cell->bytes, anchors);
    const bool numbers = is_inside(rows, cell);
    double leads[ANCHORS], library[ANCHORS], best = INFINITY;
    for (int i = 0; i < near; i++) {
        leads[i] = INFINITY;
        for (int c = 0; c < count; c++)
            if (list[c].algorithm)
                leads[i] = fmin(leads[i], time_at(&anchors[i], c));
    }
    /* if none can be trusted, use any */
    for (int trust = 1; trust >= 0 && best == INFINITY; trust--)
        for (int c = 0; c < count; c++) {
            const double error = list[c].algorithm
                ? error_around(plan, anchors, near, leads, c, trust, numbers)
                : INFINITY;
            times[c] = error < INFINITY ? form_of(plan, cell, &list[c]) * error : INFINITY;
            best = fmin(best, times[c]);
        }
    /* the library's grow as AnyP's best does; some were measured in only some of the cells */
    for (int c = 0; c < count && !plan->only_anyp; c++)
        if (is_of_library(&list[c], cell)) {
            for (int i = 0; i < near; i++)
                library[i] = best == INFINITY ? time_at(&anchors[i], c)
                    : leads[i] < INFINITY ? time_at(&anchors[i], c) / leads[i] : INFINITY;
            times[c] = mean(anchors, near, library) * (best < INFINITY ? best : 1);
        }
}
