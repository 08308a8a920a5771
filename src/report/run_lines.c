/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_lines.c - makes lines from the kinds of a record, with their sums, gains and names.
 */
#include "report/run.h"

#include "report/trials.h"
#include "schedule/shape.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If unknown work or late ranks exceed these parts of the total, a sentence mentions them. */
static const double much_unknown = 0.01, much_late = 0.1;

/* Returns the work if it is known, otherwise the seconds. */
static double most_work(const anypi_run_time *its)
{
    return its->work >= 0 ? its->work : its->seconds;
}

/* ---- gains ---- */

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
    const anypi_interval own = anypi_trial_interval(&cell->trials[0]);
    const anypi_interval other = anypi_trial_interval(&cell->trials[choice]);
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

/* Sets what AnyP saves in a line's calls, by the timing files of a machine. It is the part of their
 * work by which the choice is faster than the library. Between two measured sizes, this part
 * changes in proportion to the logarithm of the bytes. The work is at most the time of so many
 * calls of the library in the timing files; if they were measured as the program calls, it is
 * equal. */
static void find_gain(const anypi_run *run, anypi_run_line *line)
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
    const double work = fmin(row ? line->before.seconds : most_work(&line->before),
                             calls_seconds);
    line->measured = true;
    line->together = line->before.work >= 0 && anypi_waits_for_all(calls->collective) &&
        line->before.seconds > (1 + worth_saying) * line->before.work && !row;
    line->gain = work * (1 - low.middle - distance * (high.middle - low.middle));
    line->least_gain = work * (1 - low.high - distance * (high.high - low.high));
    line->largest_gain = work * (1 - low.low - distance * (high.low - low.low));
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

/* Returns the time of a run's calls (NULL if it made none) and adds it to the sums of the run. */
static anypi_run_time time_of(const anypi_record *record, const anypi_calls *calls,
                              anypi_run_sums *sum)
{
    anypi_run_time its = { .calls = calls };
    if (!calls)
        return its;
    its.seconds = anypi_calls_seconds(record, calls);
    its.work = anypi_calls_work(record, calls, &its.sampled);
    its.mark = its.work < 0 ? "" : !its.sampled ? "*"
        : calls->samples < ANYPI_FEW_SAMPLES ? "~" : "";
    sum->seconds += its.seconds;
    sum->waiting += its.seconds - most_work(&its);
    if (calls->collective < ANYP_COLLECTIVES) {
        sum->work += most_work(&its);
        sum->unknown += its.work < 0 ? its.seconds : 0;
    }
    return its;
}

static void add_line(anypi_run *run, const anypi_calls *before, const anypi_calls *after)
{
    anypi_run_line *line = &run->lines[run->count++];
    line->calls = before ? before : after;
    line->before = time_of(run->record, before, &run->sum);
    line->after = time_of(run->after, after, &run->sum_after);
    line->served = line->calls->collective < ANYP_COLLECTIVES;
    if (!before || !run->plan || !line->served)
        return;
    find_gain(run, line);
    run->measured += line->measured;
    run->gain += line->gain;
    run->least_gain += line->least_gain;
    run->largest_gain += line->largest_gain;
    if (after && line->measured) {
        run->compared++;
        run->expected += line->gain;
        run->saved_work += most_work(&line->before) - most_work(&line->after);
        run->saved_seconds += line->before.seconds - line->after.seconds;
    }
}

bool anypi_run_make(anypi_run *run, const anypi_record *record, const anypi_record *after,
                    const anypi_plan *plan)
{
    const int others = after ? after->count : 0;
    *run = (anypi_run) { .record = record, .after = after, .plan = plan };
    run->lines = calloc((size_t) record->count + (size_t) others + 1, sizeof *run->lines);
    if (!run->lines)
        return false;
    for (int i = 0; i < record->count; i++)
        add_line(run, &record->kinds[i],
                 after ? anypi_record_same(after, record, &record->kinds[i]) : NULL);
    for (int i = 0; i < others; i++)
        if (!anypi_record_same(record, after, &after->kinds[i]))
            add_line(run, NULL, &after->kinds[i]);
    qsort(run->lines, (size_t) run->count, sizeof *run->lines, by_seconds);
    return true;
}

void anypi_run_free(anypi_run *run)
{
    free(run->lines);
    run->lines = NULL;
}

/* ---- names ---- */

anypi_run_text anypi_run_name(const anypi_run *run, const anypi_run_line *line)
{
    const anypi_calls *calls = line->calls;
    anypi_run_text name;
    char more[96] = "";
    if (calls->p != run->record->p)
        snprintf(more, sizeof more, ", p=%d", calls->p);
    snprintf(name.text, sizeof name.text, "%s%s%s%s%s%s%s", anypi_recorded_name(calls->collective),
             calls->op == ANYPI_OP_NONE ? "" : ", ",
             calls->op == ANYPI_OP_NONE ? "" : anypi_operator_name(calls->op),
             calls->form == ANYPI_FORM_BLOCKING ? "" : ", ",
             calls->form == ANYPI_FORM_BLOCKING ? "" : anypi_call_form_name(calls->form),
             more, calls->uneven > 1 ? ", uneven" : "");
    return name;
}

/* Returns "12.0 µs". */
static anypi_run_text time_text(double seconds)
{
    static const char *const units[] = { "ns", "\xc2\xb5s", "ms", "s" };
    anypi_run_text shown;
    int unit = 0;
    seconds *= 1e9;
    for (; unit < 3 && seconds >= 999.5; unit++)
        seconds /= 1000;
    snprintf(shown.text, sizeof shown.text, "%.*f %s", seconds >= 99.95 ? 0 : seconds >= 9.995 ? 1
             : 2, fmin(seconds, 1e15), units[unit]);
    return shown;
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

/* ---- sentences ---- */

static double percent(const anypi_run *run, double seconds)
{
    return run->record->seconds > 0 ? 100 * seconds / run->record->seconds : 0;
}

static void say_incomplete(FILE *file, const char *which)
{
    fprintf(file, "%s is incomplete, since the program did not reach MPI_Finalize. It contains "
            "only the calls of rank 0, up to a minute before the end.\n", which);
}

/* Writes what changed from the first run to the second. */
static void compare(FILE *file, const anypi_run *run)
{
    const anypi_record *record = run->record, *after = run->after;
    if (!after->complete)
        say_incomplete(file, "The second record");
    if (!record->complete || !after->complete) {
        fprintf(file, "Incomplete records cannot show what was saved: they may end at any time, "
                "and rank 0 is not an average process.\n");
        return;
    }
    if (run->compared)
        fprintf(file, "In %d of %d measured kinds of calls, those that both runs made, AnyP was "
                "expected to save %.4g s. The second run saved %.4g s (%.4g s of work). To tell "
                "this from noise, run the program several times with each.\n", run->compared,
                run->measured, run->expected, run->saved_seconds, run->saved_work);
    else if (run->measured)
        fprintf(file, "The timing files contain none of the calls that both runs made.\n");
    fprintf(file, "The second run took %.4g s instead of %.4g s. An average process spent %.4g s "
            "instead of %.4g s in collectives. At most %.4g s instead of %.4g s of this were "
            "work.\n", after->seconds, record->seconds, run->sum_after.seconds, run->sum.seconds,
            run->sum_after.work, run->sum.work);
}

/* Writes which rank is late in the calls that take longest, if one is. */
static void say_latest(FILE *file, const anypi_run *run)
{
    int longest = 0;
    while (longest < run->count && !run->lines[longest].before.calls)
        longest++;
    if (longest == run->count || !run->record->complete)
        return;
    const anypi_run_line *line = &run->lines[longest];
    const anypi_calls *calls = line->calls;
    const double late = calls->largest_gap - calls->gap / calls->ranks;
    if (calls->p != run->record->p || calls->latest < 0 || !calls->calls ||
        late < much_late * line->before.seconds)
        return;
    fprintf(file, "In the longest kind of calls (%s, %s) rank %d is the latest: before each call, "
            "it spends %s more outside collectives than an average process.\n",
            anypi_run_name(run, line).text, anypi_run_bytes(line).text, calls->latest,
            time_text(late / anypi_calls_of_rank(calls)).text);
}

/* Writes what the timing files tell. */
static void say_gain(FILE *file, const anypi_run *run)
{
    const anypi_cell *const cells = run->plan->cells;
    bool together = false;
    for (int i = 0; i < run->count; i++)
        together |= run->lines[i].together;
    if (run->measured) {
        fprintf(file, "By the timing files, AnyP saves %.4g s (%.1f %% of the run), between %.4g "
                "s and %.4g s.%s\n", run->gain, percent(run, run->gain), run->least_gain,
                run->largest_gain, together ? " If processes come late, it saves less: measure "
                "this with anyp-tune --calls." : "");
        return;
    }
    fprintf(file, "The timing files contain none of the record's calls. The record is of p=%d, "
            "the times are of p=", run->record->p);
    for (int i = 0; i < run->plan->cells_count; i++) {
        int same = 0;
        while (cells[same].p != cells[i].p)
            same++;
        if (same == i)
            fprintf(file, "%s%d", i ? ", " : "", cells[i].p);
    }
    fprintf(file, ".\n");
}

void anypi_run_headline(FILE *file, const anypi_run *run)
{
    static const char *const whose[2][2] = {
        { "Rank 0", "The average" },
        { "In the first run, rank 0", "In the first run, the average" },
    };
    const anypi_record *record = run->record;
    bool others = false;
    for (int i = 0; i < run->count; i++)
        others |= !run->lines[i].served;
    if (run->after)
        compare(file, run);
    if (!record->complete)
        say_incomplete(file, run->after ? "The first record" : "The record");
    fprintf(file, "%s of %d processes spends %.4g s of %.4g s (%.1f %%) in collectives.\n",
            whose[run->after != NULL][record->complete], record->p, run->sum.seconds,
            record->seconds, percent(run, run->sum.seconds));
    fprintf(file, "At least %.4g s of these are waiting for late processes. So a faster algorithm "
            "can save at most %.4g s (%.1f %% of the run), unless the collectives themselves make "
            "processes late.", run->sum.waiting, run->sum.work, percent(run, run->sum.work));
    if (run->sum.unknown > much_unknown * run->sum.work)
        fprintf(file, " This includes %.4g s in calls whose work is unknown: they may be waiting.",
                run->sum.unknown);
    fputc('\n', file);
    say_latest(file, run);
    if (others)
        fprintf(file, "AnyP does not serve the collectives of neighborhoods.\n");
    if (run->plan)
        say_gain(file, run);
}
