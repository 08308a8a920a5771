/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/wanted_calls.h"

#include "record/record.h"
#include "schedule/collectives.h"
#include "select/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least_share = 0.005;
enum { MOST_BYTES = 1 << 30 };
/* Limits of the time from the first rank to the last one, relative to the work. If it is less,
 * ranks arrive together. More changes nothing, since each rank finds the messages of those before
 * it, and would only cost time. */
static const double least_spread = 0.2, most_spread = 20;

/* Reasons why calls are not measured; measured calls whose work is uncertain. */
enum { PROCESSES, LOCAL_SIZES, NEIGHBORS, BLOCKING, LONG, REASONS, UNCERTAIN = REASONS, NOTES };

/* Calls that are not measured, or not as the program makes them. */
typedef struct left_out {
    struct {
        double seconds;
        bool of[ANYPI_RECORDED];
    } list[NOTES];
    int most_processes;
    double small;
} left_out;

static int by_stake(const void *one, const void *other)
{
    const anypi_cell *a = one, *b = other;
    return (a->stake < b->stake) - (a->stake > b->stake);
}

/* Returns how the ranks arrive at such calls, as far as the record tells. */
static anypi_arrivals arrivals_of(const anypi_record *record, const anypi_calls *calls)
{
    static const anypi_arrivals together = { .latest = -1 };
    const double each = anypi_calls_of_rank(calls);
    if (!record->complete || !anypi_waits_for_all(calls->collective) || !(each > 0) ||
        calls->form != ANYPI_FORM_BLOCKING)
        return together;
    const double work = calls->samples ? calls->work : calls->least_seconds / each;
    const double mean = calls->gap / calls->ranks;
    const double range = (calls->largest_gap - calls->least_gap) / each;
    const double spread = fmax(calls->samples ? calls->spread : 0, range);
    if (spread <= least_spread * work)
        return together;
    const double scale = fmin(most_spread * work / spread, 1);
    return anypi_arrivals_fit(scale * (calls->largest_gap - mean) / each,
                              scale * (mean - calls->least_gap) / each, scale * spread,
                              calls->latest, calls->p);
}

/* Returns the shape of blocks whose largest is about so many times the mean. If few ranks have
 * data, a rank need not wait for all others. */
static anypi_uneven blocks_of(const anypi_calls *calls)
{
    const double ramp = 2, half = fmax(calls->p / 2.0, ramp), one = calls->p;
    if (anypi_collectives[calls->collective].arguments != ANYPI_TAKES_COUNTS || calls->uneven < 2)
        return ANYPI_EVEN;
    return calls->uneven < sqrt(ramp * half) ? ANYPI_RAMP
        : calls->uneven < sqrt(half * one) ? ANYPI_HALF : ANYPI_ONE;
}

/* Adds a cell, or its seconds to an equal one. If the list is full, the cell with the least is
 * dropped. */
static double add(anypi_wanted_calls *calls, const anypi_cell *cell)
{
    for (int i = 0; i < calls->count; i++) {
        anypi_cell *its = &calls->list[i];
        if (!anypi_cell_order(its, cell)) {
            if (cell->stake > its->stake) {
                its->arrivals = cell->arrivals;
                its->blocks = cell->blocks;
            }
            its->stake += cell->stake;
            its->uncertain += cell->uncertain;
            its->program_calls += cell->program_calls;
            return 0;
        }
    }
    if (calls->count < ANYPI_MAX_WANTED) {
        calls->list[calls->count++] = *cell;
        return 0;
    }
    qsort(calls->list, (size_t) calls->count, sizeof *calls->list, by_stake);
    anypi_cell *last = &calls->list[calls->count - 1];
    const double lost = last->stake < cell->stake ? last->stake : cell->stake;
    if (last->stake < cell->stake)
        *last = *cell;
    return lost;
}

/* Returns why the calls are not measured; REASONS: they are measured. Nonblocking and persistent
 * forms count for the blocking form, except with --nonblocking, which measures only them. */
static int reason_of(const anypi_calls *calls, int max)
{
    if (calls->collective >= ANYP_COLLECTIVES)
        return NEIGHBORS;
    if (anypi_has_local_sizes((anyp_collective) calls->collective))
        return LOCAL_SIZES;
    if (anypi_form_nonblocking() && calls->form == ANYPI_FORM_BLOCKING)
        return BLOCKING;
    return calls->p > max ? PROCESSES : anypi_calls_bytes(calls) > MOST_BYTES ? LONG : REASONS;
}

static void add_kind(anypi_wanted_calls *calls, const anypi_record *record, const anypi_calls *its,
                     int max, left_out *left)
{
    bool sampled;
    const double work = anypi_calls_work(record, its, &sampled);
    const double stake = work >= 0 ? work : anypi_calls_seconds(record, its);
    const int reason = reason_of(its, max);
    if (reason < REASONS) {
        left->list[reason].seconds += stake;
        left->list[reason].of[its->collective] = true;
        if (reason == PROCESSES && its->p > left->most_processes)
            left->most_processes = its->p;
        return;
    }
    const bool few = work < 0 || (sampled && its->samples < ANYPI_FEW_SAMPLES);
    const bool sized = !anypi_has_no_size((anyp_collective) its->collective);
    const anypi_cell cell = {
        .collective = (anyp_collective) its->collective, .p = its->p,
        .commutative = its->op != ANYPI_OP_USERS_ORDERED,
        .bytes = sized ? (int64_t) (anypi_calls_bytes(its) + 0.5) : 0, .stake = stake,
        .uncertain = few ? stake : 0, .program_calls = anypi_calls_of_rank(its),
        .arrivals = arrivals_of(record, its), .blocks = blocks_of(its)
    };
    if (sized && cell.bytes < 1)
        return;                         /* they send nothing */
    left->small += add(calls, &cell);
}

static void add_record(anypi_wanted_calls *calls, const anypi_record *record,
                       const anypi_plan *plan, int max, left_out *left)
{
    bool all = true;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        all = all && plan->wanted[i];
    for (int i = 0; i < record->count; i++) {
        const anypi_calls *its = &record->kinds[i];
        const bool asked = its->collective < ANYP_COLLECTIVES
            ? anypi_plan_has(plan, its->collective, its->op == ANYPI_OP_USERS_ORDERED) : all;
        if (asked && its->p > 1)
            add_kind(calls, record, its, max, left);
    }
}

/* Leaves out cells with little at stake, and those beyond the room of a plan. */
static void cut(anypi_wanted_calls *calls, left_out *left)
{
    int64_t sizes[ANYPI_MAX_LIST], procs[ANYPI_MAX_LIST];
    int sizes_count = 0, procs_count = 0, kept = 0;
    double all = 0;
    qsort(calls->list, (size_t) calls->count, sizeof *calls->list, by_stake);
    for (int i = 0; i < calls->count; i++)
        all += calls->list[i].stake;
    for (int i = 0; i < calls->count; i++) {
        const anypi_cell *cell = &calls->list[i];
        if (cell->stake < least_share * all ||
            !anypi_list_insert(sizes, &sizes_count, cell->bytes) ||
            !anypi_list_insert(procs, &procs_count, cell->p))
            left->small += cell->stake;
        else
            calls->list[kept++] = *cell;
    }
    for (int i = 0; i < kept; i++) {
        left->list[UNCERTAIN].seconds += calls->list[i].uncertain;
        left->list[UNCERTAIN].of[calls->list[i].collective] |= calls->list[i].uncertain > 0;
    }
    if (left->list[UNCERTAIN].seconds < least_share * all)
        left->list[UNCERTAIN].seconds = 0;
    calls->count = kept;
}

/* Appends a line about seconds in calls of some collectives, unless there are none. */
static void note(char *message, size_t size, double seconds, const bool *of, const char *what)
{
    char names[512] = "";
    if (seconds <= 0)
        return;
    for (int i = 0; of && i < ANYPI_RECORDED; i++)
        if (of[i]) {
            anypi_append(names, sizeof names, *names ? ", " : " of ");
            anypi_append(names, sizeof names, anypi_recorded_name(i));
        }
    const size_t used = strlen(message);
    snprintf(message + used, size - used, "%s--calls: %.3g s%s %s", used ? "\n" : "", seconds,
             names, what);
}

static void add_notes(char *message, size_t size, const left_out *left, int max)
{
    char processes[160];
    snprintf(processes, sizeof processes, "are not measured: their communicators have up to %d "
             "processes, this run has %d; the MPI library chooses", left->most_processes, max);
    const char *const reasons[NOTES] = {
        [PROCESSES] = processes,
        [LOCAL_SIZES] = "are not measured, because only the program knows the sizes of their "
            "blocks; the MPI library chooses",
        [NEIGHBORS] = "are not measured: AnyP has no algorithms for neighborhood collectives",
        [BLOCKING] = "are not measured: they are blocking; leave out --nonblocking for them",
        [LONG] = "are not measured: they have more than 1 GiB; the MPI library chooses",
        [UNCERTAIN] = "at stake are uncertain, since few of these calls were sampled: they may "
            "be waiting; record a longer run, on an idle machine",
    };
    for (int i = 0; i < NOTES; i++)
        note(message, size, left->list[i].seconds, left->list[i].of, reasons[i]);
    note(message, size, left->small, NULL, "are not measured: each of these kinds of calls has "
         "less than 0.5 % of the time at stake; the MPI library chooses");
}

/* Writes the comment: a line for each record. */
static void describe(anypi_wanted_calls *calls, const char *const *files,
                     const anypi_record *records, int count)
{
    const size_t size = sizeof calls->comment, reserve = sizeof "  and 99999 more\n";
    *calls->comment = '\0';
    for (int i = 0; i < count; i++) {
        char line[512] = "  ";
        const size_t used = strlen(calls->comment);
        anypi_append(line, sizeof line / 2, files[i]);
        anypi_append(line, sizeof line, ": ");
        anypi_append(line, sizeof line - 32, records[i].command);
        snprintf(line + strlen(line), sizeof line - strlen(line), " (%d processes)\n",
                 records[i].p);
        if (used + strlen(line) + reserve > size) {
            snprintf(calls->comment + used, size - used, "  and %d more\n", count - i);
            return;
        }
        strcat(calls->comment, line);
    }
}

bool anypi_wanted_read(anypi_wanted_calls *calls, const char *const *files, int count,
                       const anypi_plan *plan, int max, char *message, size_t size)
{
    anypi_record *records = calloc((size_t) count, sizeof *records);
    left_out left = { .small = 0 };
    bool good = records;
    calls->count = 0;
    snprintf(message, size, "no memory");
    for (int i = 0; i < count && good; i++) {
        good = anypi_record_read(&records[i], files[i], message, size) == ANYP_SUCCESS;
        if (good)
            add_record(calls, &records[i], plan, max, &left);
    }
    if (good) {
        *message = '\0';
        cut(calls, &left);
        describe(calls, files, records, count);
        add_notes(message, size, &left, max);
    }
    if (good && !calls->count) {
        const size_t used = strlen(message);
        snprintf(message + used, size - used, "%s--calls: %s", used ? "\n" : "",
                 left.list[PROCESSES].seconds > 0
                 ? "nothing is left to measure; start as many processes as the program has"
                 : "nothing is left to measure; anyp report prints what the records have");
        good = false;
    }
    for (int i = 0; i < count && records; i++)
        anypi_record_free(&records[i]);
    free(records);
    return good;
}

void anypi_wanted_plan(anypi_plan *plan, const anypi_wanted_calls *calls)
{
    memset(plan->wanted, 0, sizeof plan->wanted);
    plan->sizes_count = plan->procs_count = 0;
    plan->unwanted[0] = plan->unwanted[1] = true;
    for (int i = 0; i < calls->count; i++) {
        const anypi_cell *cell = &calls->list[i];
        /* a barrier has a cell at any size */
        const int64_t bytes = cell->bytes ? cell->bytes : calls->list[0].bytes;
        plan->wanted[cell->collective] = true;
        plan->unwanted[!cell->commutative] = false;
        anypi_list_insert(plan->sizes, &plan->sizes_count, bytes ? bytes : 8);
        anypi_plan_add(plan, cell->p, NULL);
    }
    plan->only = calls->list;
    plan->only_count = calls->count;
}
