/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_lines.c - makes lines from the kinds of records, with their sums, gains and names.
 */
#include "report/run.h"

#include "report/trials.h"
#include "schedule/shape.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns the work if it is known, otherwise the seconds. */
static double most_work(const anypi_run_time *its)
{
    return its->work >= 0 ? its->work : its->seconds;
}

static const char *nodes_of(const anypi_run_line *line)
{
    return line->calls->nodes ? line->record->shapes[line->calls->nodes] : "";
}

/* ---- gains ---- */

/* A size beyond the measured ones by more than this factor is not measured. */
static const double farthest = 2;
/* If the waiting relative to the work exceeds this, it matters whether ranks are late. */
static const double worth_saying = 0.1;

/* The time of the rule's choice divided by the library's, with the interval of both medians, and
 * the library's time. */
typedef struct share {
    double middle, low, high, library;
    bool row;                   /* they are from calls in a row, as the program makes them */
} share;

/* Sets *its from a cell. False: it has no times of the library's choice, or of this one. */
static bool share_of(const anypi_cell *cell, int choice, share *its)
{
    if (!cell || choice >= cell->candidates || !cell->trials[choice].count)
        return false;
    const anypi_interval own = anypi_trial_interval(&cell->trials[0]);
    const anypi_interval other = anypi_trial_interval(&cell->trials[choice]);
    *its = (share) { other.median / own.median, other.low / own.high, other.high / own.low,
                     own.median, anypi_cell_in_row(cell) };
    return own.median > 0;
}

/* Returns the choice of the decision file that anyp-tune makes of the times, for calls like those
 * of a cell, but with so many bytes; 0: the library's choice. */
static int choice_at(const anypi_regions *regions, const anypi_cell *cell, double bytes)
{
    for (const anypi_region *one = regions->list; one < regions->list + regions->count; one++)
        if (one->collective == cell->collective && one->commutative == cell->commutative &&
            one->last >= cell->p && !anypi_nodes_order(one->nodes, cell->nodes))
            for (int i = 0; i < one->count; i++)
                if (bytes <= (double) one->steps[i].bytes)
                    return one->steps[i].choice;
    return 0;
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

/* Was a size of these calls measured in the cell? */
static bool contains(const anypi_calls *calls, const anypi_cell *cell)
{
    return cell && cell->bytes >= calls->least && cell->bytes <= calls->largest;
}

/* Sets what AnyP saves in a line's calls, by the timing files of a machine. It is the part of their
 * work by which the choice of the decision file is faster than the library, without the set-up in
 * the first call. Between two measured sizes, this part changes in proportion to the logarithm of
 * the bytes. The work is at most the time of so many calls of the library in the timing files; if
 * they were measured as the program calls, it is equal. */
static void find_gain(const anypi_run *run, anypi_run_line *line)
{
    const anypi_calls *calls = line->calls;
    const char *nodes = nodes_of(line);
    const bool commutes = calls->op != ANYPI_OP_USERS_ORDERED;
    const double bytes = anypi_calls_bytes(calls);
    const anypi_cell *below = NULL, *above = NULL;
    for (int i = 0; i < run->plan->cells_count; i++) {
        const anypi_cell *cell = &run->plan->cells[i];
        if ((int) cell->collective != calls->collective || cell->p != calls->p ||
            cell->commutative != commutes || !same_nodes(cell, nodes) || !cell->trials[0].count)
            continue;
        if ((double) cell->bytes <= bytes && (!below || cell->bytes > below->bytes))
            below = cell;
        if ((double) cell->bytes >= bytes && (!above || cell->bytes < above->bytes))
            above = cell;
    }
    if (!(below && above) && !(below && (double) below->bytes * farthest >= bytes) &&
        !(above && (double) above->bytes <= farthest * fmax(bytes, 1)))
        return;
    const int choice = choice_at(run->regions, below ? below : above, bytes);
    share low, high;
    const bool has_low = share_of(below, choice, &low), has_high = share_of(above, choice, &high);
    if (!has_low && !has_high)
        return;
    line->known = true;
    line->measured = contains(calls, below) || contains(calls, above);
    if (!choice)
        return;
    if (!has_low)
        low = high;
    else if (!has_high)
        high = low;
    const double distance = has_low && has_high && above->bytes > below->bytes
        ? log(bytes / (double) below->bytes) /
        log((double) above->bytes / (double) below->bytes) : 0;
    const double library = low.library + distance * (high.library - low.library);
    /* of an average rank; times of calls in a row include the wait that a library's algorithm
     * causes in the next call, which is no work */
    const double calls_seconds = line->before.seconds > 0 && calls->seconds > 0
        ? (double) calls->calls * library * anypi_calls_seconds(line->record, calls) /
        calls->seconds : 0;
    const bool row = low.row && high.row;
    const double most = most_work(&line->before);
    const double work = fmin(row ? line->before.seconds : most, calls_seconds);
    const double set_up = run->plan->exact ? 0 : ANYPI_SET_UP;
    const double gain = work * (1 - low.middle - distance * (high.middle - low.middle)) - set_up;
    const double least = work * (1 - low.high - distance * (high.high - low.high)) - set_up;
    const double largest = work * (1 - low.low - distance * (high.low - low.low)) - set_up;
    line->together = line->before.work >= 0 && anypi_waits_for_all(calls->collective) &&
        line->before.seconds > (1 + worth_saying) * line->before.work && !row;
    line->capped = gain > most;
    line->gain = fmin(gain, most);
    line->least_gain = fmin(least, most);
    line->largest_gain = fmin(largest, most);
}

/* ---- lines ---- */

static int by_seconds(const void *one, const void *other)
{
    const anypi_run_line *a = one, *b = other;
    const double first = fmax(a->before.seconds, a->after.seconds);
    const double second = fmax(b->before.seconds, b->after.seconds);
    return first < second ? 1 : first > second ? -1
        : a->calls < b->calls ? -1 : a->calls > b->calls;
}

/* Returns the calls of a run that are of the same kind as those of a record. NULL: it made none. */
static const anypi_calls *calls_in(const anypi_record *run, const anypi_record *record,
                                   const anypi_calls *calls)
{
    return run == record ? calls : anypi_record_same(run, record, calls);
}

/* Returns the time of a line's calls on a side, sets the seconds in each of the side's runs, and
 * adds them to the sums. */
static anypi_run_time time_of(anypi_run *run, int side, const anypi_run_line *line, double *seconds)
{
    double times[ANYPI_MAX_RUNS], works[ANYPI_MAX_RUNS];
    int known = 0;
    bool few = false;
    anypi_run_time its = { .sampled = true };
    for (int i = 0; i < run->runs[side].count; i++) {
        const anypi_record *record = &run->runs[side].records[i];
        const anypi_calls *calls = calls_in(record, line->record, line->calls);
        anypi_run_sums *sum = &run->sums[side][i];
        seconds[i] = times[i] = 0;
        if (!calls)
            continue;
        if (!its.calls)
            its.calls = calls;
        bool sampled;
        const double work = anypi_calls_work(record, calls, &sampled);
        seconds[i] = anypi_calls_seconds(record, calls);
        times[i] = anypi_calls_of_rank(calls);
        if (work >= 0) {
            works[known++] = work;
            few |= sampled && calls->samples < ANYPI_FEW_SAMPLES;
            its.sampled &= sampled;
        }
        sum->seconds += seconds[i];
        sum->waiting += work >= 0 ? seconds[i] - work : 0;
        if (line->served) {
            sum->work += work >= 0 ? work : seconds[i];
            sum->unknown += work >= 0 ? 0 : seconds[i];
        }
    }
    if (!its.calls)
        return its;
    const anypi_interval all = anypi_values_interval(seconds, run->runs[side].count);
    its.seconds = all.median;
    its.low = all.low;
    its.high = all.high;
    its.times = anypi_values_interval(times, run->runs[side].count).median;
    its.work = known ? fmin(anypi_values_interval(works, known).median, its.seconds) : -1;
    its.mark = !known ? "" : !its.sampled ? "*" : few ? "~" : "";
    return its;
}

static void add_line(anypi_run *run, const anypi_record *record, const anypi_calls *calls)
{
    double before[ANYPI_MAX_RUNS], after[ANYPI_MAX_RUNS];
    anypi_run_line *line = &run->lines[run->count++];
    line->record = record;
    line->calls = calls;
    line->served = calls->collective < ANYP_COLLECTIVES;
    line->before = time_of(run, 0, line, before);
    line->after = time_of(run, 1, line, after);
    if (line->before.calls && line->after.calls) {
        const anypi_difference its = anypi_run_compare(run, before, after);
        line->change = its.change;
        line->difference = its.pairs.median;
    }
    if (!line->before.calls || !run->plan || !line->served)
        return;
    find_gain(run, line);
    run->known += line->known;
    run->measured += line->measured;
    run->gain += line->gain;
    run->least_gain += line->least_gain;
    run->largest_gain += line->largest_gain;
    if (!line->after.calls || !line->known)
        return;
    run->compared++;
    run->compared_measured += line->measured;
    run->expected += line->gain;
    run->saved_work += most_work(&line->before) - most_work(&line->after);
    run->saved_seconds += line->before.seconds - line->after.seconds;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < run->runs[side].count; i++) {
            const anypi_record *other = &run->runs[side].records[i];
            const anypi_calls *own = calls_in(other, record, calls);
            run->sums[side][i].compared += own ? anypi_calls_seconds(other, own) : 0;
        }
}

/* Sets the medians of the sums of both sides. */
static void set_sums(anypi_run *run)
{
    for (size_t at = 0; at < sizeof run->sum; at += sizeof(double)) {
        const anypi_difference its = anypi_run_compare_sums(run, at);
        memcpy((char *) &run->sum + at, &its.before.median, sizeof(double));
        memcpy((char *) &run->sum_after + at, &its.after.median, sizeof(double));
    }
}

/* Returns whether a record before this one, on this side or on the first one, has the kind. */
static bool is_known(const anypi_run *run, int side, int record, const anypi_calls *calls)
{
    const anypi_record *its = &run->runs[side].records[record];
    for (int i = 0; i <= side; i++)
        for (int k = 0; k < (i < side ? run->runs[i].count : record); k++)
            if (anypi_record_same(&run->runs[i].records[k], its, calls))
                return true;
    return false;
}

bool anypi_run_make(anypi_run *run, anypi_run_side before, anypi_run_side after,
                    const anypi_plan *plan, const anypi_regions *regions)
{
    size_t most = 1;
    *run = (anypi_run) { .runs = { before, after }, .record = before.records, .plan = plan,
                         .regions = regions,
                         .after = after.count ? after.records : NULL,
                         .several = before.count > 1 || after.count > 1 };
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < run->runs[side].count; i++) {
            most += (size_t) run->runs[side].records[i].count;
            run->sums[side][i].run = run->runs[side].records[i].seconds;
        }
    run->paired = anypi_run_took_turns(run);
    run->lines = calloc(most, sizeof *run->lines);
    if (!run->lines)
        return false;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < run->runs[side].count; i++) {
            const anypi_record *record = &run->runs[side].records[i];
            for (int k = 0; k < record->count; k++)
                if (!is_known(run, side, i, &record->kinds[k]))
                    add_line(run, record, &record->kinds[k]);
        }
    set_sums(run);
    /* the sum of medians may exceed the median of sums */
    run->gain = fmin(run->gain, run->sum.work);
    run->least_gain = fmin(run->least_gain, run->sum.work);
    run->largest_gain = fmin(run->largest_gain, run->sum.work);
    qsort(run->lines, (size_t) run->count, sizeof *run->lines, by_seconds);
    return true;
}

void anypi_run_free(anypi_run *run)
{
    free(run->lines);
    run->lines = NULL;
}

/* ---- names ---- */

/* Sets the members of a line's calls by which they differ from those of another line that would
 * have the same name and bytes. */
static void tell_apart(const anypi_run_line *line, const anypi_run_line *other, anypi_calls *differ)
{
    const anypi_calls *its = line->calls, *others = other->calls;
    if (its->collective != others->collective || its->op != others->op ||
        its->form != others->form || its->phase != others->phase || its->p != others->p ||
        its->least != others->least || its->largest != others->largest)
        return;
    if (its->type_size != others->type_size)
        differ->type_size = its->type_size;
    if (strcmp(nodes_of(line), nodes_of(other)) != 0)
        differ->nodes = its->nodes;
    if (its->uneven != others->uneven)
        differ->uneven = its->uneven;
    differ->derived |= its->derived && !others->derived;
    differ->in_place |= its->in_place && !others->in_place;
}

anypi_run_text anypi_run_name(const anypi_run *run, const anypi_run_line *line)
{
    const anypi_calls *calls = line->calls;
    anypi_calls differ = { 0 };
    anypi_run_text name;
    char p[16] = "", type[32] = "", uneven[16] = "";
    for (int i = 0; i < run->count; i++)
        tell_apart(line, &run->lines[i], &differ);
    if (calls->p != run->record->p)
        snprintf(p, sizeof p, ", p=%d", calls->p);
    if (differ.type_size)
        snprintf(type, sizeof type, ", elements of %d B", differ.type_size);
    if (differ.uneven > 1)
        snprintf(uneven, sizeof uneven, " %d", calls->uneven);
    snprintf(name.text, sizeof name.text, "%s%s%s%s%s%s%.30s%s%s%.30s%s%s%s%s%s",
             anypi_recorded_name(calls->collective),
             calls->op == ANYPI_OP_NONE ? "" : ", ",
             calls->op == ANYPI_OP_NONE ? "" : anypi_operator_name(calls->op),
             calls->form == ANYPI_FORM_BLOCKING ? "" : ", ",
             calls->form == ANYPI_FORM_BLOCKING ? "" : anypi_call_form_name(calls->form),
             calls->phase ? ", " : "", calls->phase ? anypi_run_phase(calls->phase).text : "", p,
             differ.nodes ? " on " : "", differ.nodes ? nodes_of(line) : "", type,
             calls->uneven > 1 ? ", uneven" : "", uneven, differ.derived ? ", derived" : "",
             differ.in_place ? ", in place" : "");
    return name;
}

anypi_run_text anypi_run_size(int64_t bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    double number = (double) bytes;
    anypi_run_text shown;
    int unit = 0;
    for (; unit < 3 && number >= 1024; unit++)
        number /= 1024;
    snprintf(shown.text, sizeof shown.text, "%.*f %s",
             number < 9.995 && number > floor(number) ? 1 : 0, number, units[unit]);
    return shown;
}

anypi_run_text anypi_run_bytes(const anypi_run_line *line)
{
    const anypi_calls *calls = line->calls;
    const anypi_run_text least = anypi_run_size(calls->least);
    const anypi_run_text largest = anypi_run_size(calls->largest);
    anypi_run_text bytes;
    if (calls->collective == ANYP_BARRIER)
        snprintf(bytes.text, sizeof bytes.text, "-");
    else if (!strcmp(least.text, largest.text))
        snprintf(bytes.text, sizeof bytes.text, "%s", least.text);
    else
        snprintf(bytes.text, sizeof bytes.text, "%.70s to %.70s", least.text, largest.text);
    return bytes;
}
