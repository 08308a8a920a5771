/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_sentences.c - writes sentences about the record of a run, or about the difference between
 * runs before and after a change.
 */
#include "report/run.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* If unknown work or late ranks exceed these parts of the total, a sentence mentions them. */
static const double much_unknown = 0.01, much_late = 0.1;
/* If the calls of two sides differ by more than this factor, their work is not the same. */
static const double many_more = 1.1;

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

/* Returns which part of the run seconds are: "12.3 %"; "0 %"; "less than 0.1 %". */
static anypi_run_text part_text(const anypi_run *run, double seconds)
{
    const double percent = run->sum.run > 0 ? 100 * seconds / run->sum.run : 0;
    anypi_run_text shown;
    if (percent && fabs(percent) < 0.1)
        snprintf(shown.text, sizeof shown.text, "less than 0.1 %%");
    else
        snprintf(shown.text, sizeof shown.text, "%.*f %%", percent ? 1 : 0, percent);
    return shown;
}

static void say_incomplete(FILE *file, const char *which)
{
    fprintf(file, "%s is incomplete: the program is still running, or ended before MPI_Finalize. "
            "Incomplete records contain only the calls of rank 0, without those of the last "
            "minute.\n", which);
}

/* Writes a median, and its interval if there are several runs. */
static void say_median(FILE *file, anypi_interval its, int runs)
{
    fprintf(file, "%.4g s", its.median);
    if (runs > 1)
        fprintf(file, " [%.4g to %.4g]", its.low, its.high);
}

/* Writes a median of the runs after a change, and that of the runs before it, with intervals and a
 * verdict. `offset` is that of the value in the sums of a run. */
static void say_change(FILE *file, const anypi_run *run, const char *whose, const char *where,
                       size_t offset)
{
    static const char *const verdicts[2][5] = {
        { "", "", " The intervals overlap, so this difference may be noise.",
          " This is shorter: the intervals do not overlap.",
          " This is longer: the intervals do not overlap." },
        { "", "", " It may be noise: the interval contains 0.",
          " This is shorter: the interval is below 0.",
          " This is longer: the interval is above 0." }
    };
    const anypi_difference its = anypi_run_compare_sums(run, offset);
    fprintf(file, "%s ", whose);
    say_median(file, its.after, run->runs[1].count);
    fprintf(file, " instead of ");
    say_median(file, its.before, run->runs[0].count);
    fprintf(file, "%s.", where);
    if (run->paired)
        fprintf(file, " The difference in pairs is %+.4g s [%+.4g to %+.4g].", its.pairs.median,
                its.pairs.low, its.pairs.high);
    fprintf(file, "%s\n", verdicts[run->paired][its.change]);
}

/* Writes "2 measured kinds of calls"; "3 kinds of calls (2 measured, 1 with a size near ...)". */
static void say_kinds(FILE *file, const char *which, int count, int measured)
{
    fprintf(file, "%d%s kind%s of calls%s", count, count == measured ? " measured" : "",
            count == 1 ? "" : "s", which);
    if (measured < count)
        fprintf(file, " (%d measured, %d with a size near measured ones)", measured,
                count - measured);
}

/* Writes what the timing files predict for the calls that both sides made. */
static void say_expected(FILE *file, const anypi_run *run, const char *sides)
{
    char which[32];
    snprintf(which, sizeof which, " that both %s made", sides);
    fprintf(file, "AnyP was expected to save %.4g s in ", run->expected);
    say_kinds(file, which, run->compared, run->compared_measured);
    fprintf(file, ". ");
}

/* Returns how many calls an average process makes on a side. */
static double calls_of(const anypi_run *run, int side)
{
    double sum = 0;
    for (int i = 0; i < run->count; i++) {
        const anypi_run_time *its = side ? &run->lines[i].after : &run->lines[i].before;
        if (its->calls)
            sum += its->times * fmin((double) its->calls->ranks / run->record->p, 1);
    }
    return sum;
}

/* Warns if commands or numbers of calls differ. */
static void say_unlike(FILE *file, const anypi_run *run)
{
    const char *const command = run->record->command, *other = NULL;
    const double before = calls_of(run, 0), after = calls_of(run, 1);
    const bool far = fmax(before, after) > many_more * fmin(before, after);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < run->runs[side].count && !other; i++)
            if (strcmp(run->runs[side].records[i].command, command) != 0)
                other = run->runs[side].records[i].command;
    if (!other && !far)
        return;
    fprintf(file, "Warning: if the runs did not do the same work, their times cannot be compared.");
    if (other)
        fprintf(file, " The commands are: %.200s; %.200s.", command, other);
    if (far)
        fprintf(file, " On average, a process made %.6g collective calls %s, and %.6g %s.", before,
                run->several ? "before the change" : "in the first run", after,
                run->several ? "after it" : "in the second");
    fputc('\n', file);
}

/* Writes what changed from the runs before a change to those after it. */
static void compare_several(FILE *file, const anypi_run *run)
{
    const int before = run->runs[0].count, after = run->runs[1].count;
    const bool medians = before >= ANYPI_SURE_PAIRS || after >= ANYPI_SURE_PAIRS;
    const bool ranges = (before > 1 && before < ANYPI_SURE_PAIRS) ||
        (after > 1 && after < ANYPI_SURE_PAIRS);
    fprintf(file, "Compared: %d run%s before the change, %d after it. Numbers are medians.%s%s%s",
            before, before > 1 ? "s" : "", after,
            medians ? " Brackets contain the 95 % interval of the median." : "",
            medians && ranges ? " With fewer than 6 runs, they" : ranges ? " Brackets" : "",
            ranges ? " contain the least and the largest value." : "");
    if (before < ANYPI_SURE_RUNS || after < ANYPI_SURE_RUNS)
        fprintf(file, " To tell a difference from noise, record at least %d runs on each side.",
                ANYPI_SURE_RUNS);
    if (run->paired)
        fprintf(file, " The runs took turns, so they are compared in pairs, in the order of the "
                "files.");
    else
        fprintf(file, " If the runs take turns (before1, after1, before2, ...), at least %d on "
                "each side, pairs are compared. This shows smaller differences.",
                ANYPI_SURE_PAIRS);
    fputc('\n', file);
    if (run->compared) {
        say_expected(file, run, "sides");
        say_change(file, run, "These calls took", "", offsetof(anypi_run_sums, compared));
    } else if (run->known) {
        fprintf(file, "The timing files contain none of the calls that both sides made.\n");
    }
    say_change(file, run, "The run took", "", offsetof(anypi_run_sums, run));
    say_change(file, run, "An average process spent", " in collectives",
               offsetof(anypi_run_sums, seconds));
    say_change(file, run, "The work in collectives was at most", "",
               offsetof(anypi_run_sums, work));
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
    if (run->compared) {
        say_expected(file, run, "runs");
        fprintf(file, "These calls took %.4g s %s in the second run, with %.4g s %s work. To tell "
                "this from noise, give several records: before... -- after...\n",
                fabs(run->saved_seconds), run->saved_seconds < 0 ? "more" : "less",
                fabs(run->saved_work), run->saved_work < 0 ? "more" : "less");
    } else if (run->known) {
        fprintf(file, "The timing files contain none of the calls that both runs made.\n");
    }
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
    if (longest == run->count || !run->record->complete || run->several)
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
    if (run->known) {
        const bool loses = run->largest_gain < 0;
        if (run->least_gain == 0 && run->largest_gain == 0)
            fprintf(file, "By the timing files, the decision file leaves the calls to the MPI "
                    "library, in ");
        else
            fprintf(file, "By the timing files, AnyP %s %.4g s%s (%s of the run), between %.4g s "
                    "and %.4g s, in ", loses ? "takes" : "saves", fabs(run->gain),
                    loses ? " more" : "", part_text(run, run->gain).text,
                    loses ? -run->largest_gain : run->least_gain,
                    loses ? -run->least_gain : run->largest_gain);
        say_kinds(file, "", run->known, run->measured);
        fprintf(file, ".%s\n", together ? " If processes come late, it saves less: measure "
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
    static const char *const whose[3][2] = {
        { "Rank 0", "The average" },
        { "In the first run, rank 0", "In the first run, the average" },
        { "", "Before the change, the average" },
    };
    const int which = run->several ? 2 : run->after ? 1 : 0;
    const anypi_record *record = run->record;
    bool others = false;
    for (int i = 0; i < run->count; i++)
        others |= !run->lines[i].served;
    if (run->after && record->complete && run->after->complete)
        say_unlike(file, run);
    if (run->several)
        compare_several(file, run);
    else if (run->after)
        compare(file, run);
    if (!record->complete)
        say_incomplete(file, run->after ? "The first record" : "The record");
    fprintf(file, "%s of %d processes spends %.4g s of %.4g s (%s) in collectives.\n",
            whose[which][record->complete], record->p, run->sum.seconds, run->sum.run,
            part_text(run, run->sum.seconds).text);
    fprintf(file, "At least %.4g s of these are waiting for late processes. So a faster algorithm "
            "can save at most %.4g s (%s of the run), unless the collectives themselves make "
            "processes late.", run->sum.waiting, run->sum.work, part_text(run, run->sum.work).text);
    if (run->sum.unknown > much_unknown * run->sum.work)
        fprintf(file, " This includes %.4g s in calls whose work is unknown: they may be waiting.",
                run->sum.unknown);
    fputc('\n', file);
    say_latest(file, run);
    if (others)
        fprintf(file, "AnyP does not predict the collectives of neighborhoods.\n");
    if (run->plan)
        say_gain(file, run);
}
