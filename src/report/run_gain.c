/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_gain.c - what AnyP saves in calls of a kind, by the timing files of a machine. It is the part
 * of their work by which the choice is faster than the library. Between two measured sizes, this
 * part changes in proportion to the logarithm of the bytes. The work is at most the time of so many
 * calls of the library in the timing files; if they were measured as the program calls, it is
 * equal.
 */
#include "report/run.h"

#include "schedule/shape.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"

#include <math.h>

double anypi_run_most_work(const anypi_run_time *its)
{
    return its->work >= 0 ? its->work : its->seconds;
}

/* A size beyond the measured ones by more than this factor is not measured. */
static const double farthest = 2;
/* If the waiting relative to the work exceeds this, it matters whether ranks are late. */
static const double worth_saying = 0.1;

/* The choice's time divided by the library's, with the interval of both medians, and the library's
 * time. */
typedef struct share {
    double middle, low, high, library;
    bool row;                   /* they are from calls in a row, as the program makes them */
} share;

/* Sets *its from a cell. False: the cell has no times of the library's choice, or of AnyP's. */
static bool share_of(const anypi_cell *cell, share *its)
{
    const int choice = cell->choice;
    if (!cell->trials[0].count || !cell->trials[choice].count)
        return false;
    const anypi_interval own = anypi_trial_interval(cell, 0);
    const anypi_interval other = anypi_trial_interval(cell, choice);
    *its = (share) { other.median / own.median, other.low / own.high, other.high / own.low,
                     own.median, anypi_cell_in_row(cell) };
    if (choice == 0)
        its->middle = its->low = its->high = 1;
    return own.median > 0;
}

/* Are the cell's nodes those that a record's text names? One node, or one rank on each, count as no
 * nodes. */
static bool same_nodes(const anypi_cell *cell, const char *text)
{
    const char *reason;
    anyp_shape *nodes = *text ? anypi_shape_read(text, cell->p, &reason) : NULL;
    const bool several = nodes && nodes->count > 1 && anypi_shape_mean(nodes) > 1;
    const bool same = !several ? !cell->nodes
        : cell->nodes && !anypi_nodes_order(cell->nodes, nodes);
    anypi_shape_free(nodes);
    return same;
}

void anypi_run_gain(const anypi_run *run, anypi_run_line *line)
{
    const anypi_calls *calls = line->calls;
    const char *nodes = calls->nodes ? run->record->shapes[calls->nodes] : "";
    const bool commutes = calls->op != ANYPI_OP_USERS_ORDERED;
    const double bytes = anypi_calls_bytes(calls);
    const anypi_cell *below = NULL, *above = NULL;
    share low = { 1, 1, 1, 0, false }, high = low;
    for (int i = 0; i < run->plan->cells_count; i++) {
        const anypi_cell *cell = &run->plan->cells[i];
        share its;
        if ((int) cell->collective != calls->collective || cell->p != calls->p ||
            cell->commutative != commutes || !same_nodes(cell, nodes) || !share_of(cell, &its))
            continue;
        if ((double) cell->bytes <= bytes && (!below || cell->bytes > below->bytes)) {
            below = cell;
            low = its;
        }
        if ((double) cell->bytes >= bytes && (!above || cell->bytes < above->bytes)) {
            above = cell;
            high = its;
        }
    }
    if (below && !above && (double) below->bytes * farthest >= bytes)
        high = low;
    else if (above && !below && (double) above->bytes <= farthest * fmax(bytes, 1))
        low = high;
    else if (!above || !below)
        return;
    const double distance = below && above && above->bytes > below->bytes
        ? log(bytes / (double) below->bytes) /
        log((double) above->bytes / (double) below->bytes) : 0;
    const double library = low.library + distance * (high.library - low.library);
    /* of an average rank; times of calls in a row include the wait that a library's algorithm
     * causes in the next call, which is no work */
    const double calls_seconds = line->before.seconds > 0 && calls->seconds > 0
        ? (double) calls->calls * library * line->before.seconds / calls->seconds : 0;
    const bool row = low.row && high.row;
    const double work = fmin(row ? line->before.seconds : anypi_run_most_work(&line->before),
                             calls_seconds);
    line->measured = true;
    line->together = line->before.work >= 0 && anypi_waits_for_all(calls->collective) &&
        line->before.seconds > (1 + worth_saying) * line->before.work && !row;
    line->gain = work * (1 - low.middle - distance * (high.middle - low.middle));
    line->least_gain = work * (1 - low.high - distance * (high.high - low.high));
    line->largest_gain = work * (1 - low.low - distance * (high.low - low.low));
}
