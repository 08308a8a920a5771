/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/results.h"

#include "measure/budget.h"
#include "measure/clock.h"
#include "measure/steer.h"
#include "tuner/regions.h"
#include "tuner/decision_file.h"
#include "tuner/candidates.h"
#include "tuner/generic.h"
#include "tuner/noise.h"
#include "tuner/node_shapes.h"
#include "options/text_file.h"
#include "tuner/timing_file.h"

#include "select/decision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double last;             /* anypi_seconds() of the last progress line */

void anypi_progress(const anypi_session *session, const anypi_cell *cell)
{
    const bool terminal = isatty(STDERR_FILENO);
    const double now = anypi_seconds(), used = now - session->start;
    const double budget = session->options->budget;
    if (last > 0 && now - last < (terminal ? 0.2 : 5))  /* seconds: on a terminal, in a log */
        return;
    last = now;
    const double part = used < budget ? used / budget : 1;
    fprintf(stderr, "%sanyp-tune: %3.0f %%  %s; %.0f s, at most %.0f s left%s",
            terminal ? "\r" : "", 100 * part, anypi_cell_text(cell).text, used,
            budget > used ? budget - used : 0, terminal ? "\033[K" : "\n");
    fflush(stderr);
}

void anypi_progress_shared(anypi_session *session)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (session->plan->exact || session->node_ranks <= processors)
        return;
    fprintf(stderr, "anyp-tune: %d processes share %ld processors: the results hold only for such "
            "jobs, and an MPI library that spins while it waits needs much time%s\n",
            session->node_ranks, processors, session->plan->only ? ""
            : "; with fewer processes (mpiexec -n) it is faster");
    session->node_ranks = 0;            /* warns only once */
}

void anypi_progress_end(const anypi_session *session)
{
    const bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%sanyp-tune: %s %.0f s%s\n", terminal ? "\r" : "",
            session->decided ? "all decided after" : "measured for", anypi_elapsed(session),
            terminal ? "\033[K" : "");
}

/* ---- files, and the end ---- */

static void print_times(const anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        if (!cell->rounds)
            continue;
        printf("%s, %d round%s\n", anypi_cell_text(cell).text, cell->rounds,
               cell->rounds == 1 ? "" : "s");
        const double reference = anypi_time(cell, plan->only_anyp ? cell->choice : 0);
        for (int c = 0; c < cell->candidates; c++) {
            const double time = anypi_time(cell, c);
            if (cell->trials[c].count)
                printf("  %c %10.2f us %6.2f  %s\n", c == cell->choice ? '*' : ' ', 1e6 * time,
                       time / reference,
                       anypi_candidate_text(anypi_candidate_of(plan, cell, c)).text);
        }
    }
}

/* Returns in how many cells noise may hide that AnyP is faster, and prints their number. */
static int print_noise(const anypi_plan *plan)
{
    int noisy = 0;
    for (int i = 0; i < plan->cells_count; i++)
        noisy += !plan->cells[i].choice && anypi_noisy(&plan->cells[i]);
    if (noisy)
        fprintf(stderr, "anyp-tune: in %d of %d cells, the MPI library's times vary by more than "
                "half, so AnyP may be faster and is not chosen; tune again on an idle machine, "
                "with at most one process per core\n", noisy, plan->cells_count);
    return noisy;
}

/* Returns in how many cells AnyP seems to be faster but has too few rounds for a rule, and prints
 * their number. */
static int print_unconfirmed(const anypi_plan *plan)
{
    int count = 0;
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        bool faster = false;
        for (int c = 1; c < cell->candidates; c++)
            faster |= anypi_ratio(cell, c) < 1;
        count += faster && !cell->choice && cell->trials[0].count < ANYPI_SURE_ROUNDS;
    }
    if (count)
        fprintf(stderr, "anyp-tune: in %d of %d cells, AnyP seems to be faster, but there are too "
                "few measurements for a rule; increase --budget\n", count, plan->cells_count);
    return count;
}

/* Prints how many cells have each choice, and how to use the file if it contains a rule. */
static void print_summary(const anypi_plan *plan, const anypi_options *options)
{
    const char *file = options->output;
    int rules = options->closed_forms;          /* these are for other calls */
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
        for (int operators = 0; operators < 2; operators++) {
            if (!anypi_plan_has(plan, collective, operators))
                continue;
            int cells = 0, anyp = 0;
            for (int i = 0; i < plan->cells_count; i++) {
                const anypi_cell *cell = &plan->cells[i];
                if ((int) cell->collective != collective || cell->commutative == operators ||
                    !cell->rounds)
                    continue;
                cells++;
                anyp += cell->choice > 0;
            }
            printf("%-22s %-16s AnyP %3d, the library's choice %3d of %d cells\n",
                   anypi_form_name((anyp_collective) collective),
                   anypi_operator((anyp_collective) collective, !operators), anyp, cells - anyp,
                   cells);
            rules += anyp;
        }
    printf("written: %s\n", file);
    const int noisy = print_noise(plan), unconfirmed = plan->exact ? 0 : print_unconfirmed(plan);
    if (rules)
        printf("use it:  %s%s %s\n", anypi_steer.use, file, anypi_steer.command);
    else if (!noisy && !unconfirmed)
        printf("AnyP saves no time in the measured calls: nothing needs to be set.\n");
}

const char *anypi_date(void)
{
    static char date[64];
    const time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return date;
}

/* Prints what was measured with --calls, and for which programs. */
static void print_calls(const anypi_session *session, FILE *file)
{
    const anypi_plan *plan = session->plan;
    int kinds = 0;
    double stake = 0;
    for (int i = 0; i < plan->cells_count; i++)
        if (plan->cells[i].passed) {
            kinds++;
            stake += plan->cells[i].stake;
        }
    fprintf(file, "\nFor %d kinds of calls, with %.3g s at stake, of:\n%.*s", kinds, stake,
            (int) strlen(session->calls) - 1, session->calls);
}

char *anypi_origin(const anypi_session *session)
{
    char *text = NULL, host[256] = "";
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    gethostname(host, sizeof host - 1);
    fprintf(file, "Measured by anyp-tune of AnyP " PACKAGE_VERSION " on %s.\n", anypi_date());
    if (session->plan->exact)
        fprintf(file, "Simulated: times are exact. %d processes.\n", session->max);
    else
        fprintf(file, "Host %s (%ld cores), %d processes, at most %.0f s, %.0f s used.\n", host,
                sysconf(_SC_NPROCESSORS_ONLN), session->max, session->options->budget,
                anypi_seconds() - session->start);
    fprintf(file, "%.*s%s", (int) strcspn(session->library, "\n"), session->library,
            anypi_steer.measured);
    if (session->calls)
        print_calls(session, file);
    if (session->alone)
        fprintf(file, "\nMeasured with %s: also set it for your jobs.", session->alone);
    return anypi_text_end(file, &text);
}

/* Returns the comment at the head of the file, to be freed with free(). `forms`: the line of
 * anypi_forms_line(). `unfinished`: the reason why the file is unfinished; NULL: it is complete.
 * `beyond`: there are rules of closed forms. */
static char *head(const anypi_plan *plan, const anypi_options *options, const char *origin,
                  const char *forms, const char *unfinished, bool beyond)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (unfinished)
        fprintf(file, "Unfinished: %s. The rules use what was measured so far.\n", unfinished);
    if (options->join && options->join_count > 1)
        fprintf(file, "Joined of the times of %d runs; of the first:\n", options->join_count);
    fputs(origin, file);
    if (!options->generic) {
        fputs("\nMeasured p:", file);
        for (int i = 0; i < plan->procs_count; i++)
            if (plan->measured[i])
                fprintf(file, " %s",
                        anypi_procs_text(plan->procs[i], plan->nodes[i]).text + strlen("p="));
        fputs(beyond
              ? ".\nOthers follow the nearest; far from all of them closed forms choose, if AnyP "
              "was faster."
              : ".\nOthers follow the nearest; beyond the last the MPI library chooses.", file);
    }
    if (*forms)
        fprintf(file, "\n%s", forms);
    return anypi_text_end(file, &text);
}

/* Writes the timing file; false and a message on failure. */
static bool save_times(const anypi_plan *plan, const anypi_options *options,
                       struct json_object *run, const char *origin, char *message, size_t size)
{
    char *times = origin ? anypi_times_write(plan, run, origin) : NULL;
    snprintf(message, size, "no memory");
    const bool saved = times && anypi_file_replace(options->save, "--save", times, message, size);
    free(times);
    return saved;
}

/* Chooses, and writes the decision file, with rules of closed forms if `beyond`. False and a
 * message on failure. */
static bool write_decision(anypi_plan *plan, const anypi_options *options, const char *origin,
                           const char *unfinished, bool beyond, char *message, size_t size)
{
    anypi_decision *decision = NULL;
    anypi_regions regions = { .list = NULL };
    anypi_choosing how = options->generic ? anypi_generic_choosing : anypi_usual_choosing(plan);
    how.beyond = how.beyond || beyond;
    const bool chosen = origin && anypi_choose_all(plan, &how, &regions) &&
        (!beyond || anypi_forms_add(plan, &regions));
    char *forms = chosen ? anypi_forms_line(&regions) : NULL;
    char *comment = forms ? head(plan, options, origin, forms, unfinished, beyond)
        : NULL;
    char *text = comment ? anypi_write_decision(&regions, comment) : NULL;
    anypi_regions_free(&regions);
    const bool done = anypi_decision_save(text, options->output, &decision, message, size);
    anypi_decision_free(decision);
    free(text);
    free(comment);
    free(forms);
    return done;
}

/* Writes the timing file, if asked for, and the decision file, each even if the other cannot be.
 * Returns whether the decision file is written, and sets *saved for the other. */
static bool write_files(anypi_plan *plan, const anypi_options *options, struct json_object *run,
                        const char *origin, const char *unfinished, bool beyond, bool *saved)
{
    char message[1024];
    /* first the file that cannot be made from the other */
    *saved = !options->save || options->join ||
        save_times(plan, options, run, origin, message, sizeof message);
    if (!*saved)
        anypi_complain("anyp-tune", "%s", message);
    const bool done = write_decision(plan, options, origin, unfinished, beyond, message,
                                     sizeof message);
    if (!done)
        anypi_complain("anyp-tune", "%s", message);
    return done;
}

void anypi_keep(anypi_session *session)
{
    char why[128], *origin = anypi_origin(session);
    bool saved;
    snprintf(why, sizeof why, "the run has not ended, %d of %d numbers of processes are measured",
             anypi_plan_measured(session->plan), session->plan->procs_count);
    /* closed forms would take long each time */
    write_files(session->plan, session->options, session->run, origin, why, false, &saved);
    free(origin);
}

int anypi_finish_interrupted(anypi_session *session)
{
    anypi_plan *plan = session->plan;
    const anypi_options *options = session->options;
    char why[64];
    const int status = 128 + session->interrupt;        /* as in shells */
    bool saved;
    snprintf(why, sizeof why, "signal %d ended the run", session->interrupt);
    if (!anypi_plan_measured(plan)) {
        fprintf(stderr, "anyp-tune: %s; nothing has been measured, so no file is written\n", why);
        return status;
    }
    fprintf(stderr, "anyp-tune: %s%s\n", why,
            options->save ? "" : "; the times are lost: --save would have saved them");
    char *origin = anypi_origin(session);
    const bool done = write_files(plan, options, session->run, origin, why, options->closed_forms,
                                  &saved);
    free(origin);
    if (options->save && saved)
        fprintf(stderr, "anyp-tune: the times so far are in %s: make a decision file with --join, "
                "or continue with --resume\n", options->save);
    if (done)
        fprintf(stderr, "anyp-tune: the decision file %s contains what was confirmed so far\n",
                options->output);
    return done && saved ? status : 1;
}

int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong,
                 struct json_object *run, char *origin)
{
    bool saved;
    if (!anypi_plan_measured(plan)) {
        free(origin);
        anypi_complain("anyp-tune", "there was no time to measure anything; increase --budget%s",
                       plan->only ? "" : ", or fewer --sizes, --collectives or processes");
        return 4;
    }
    const bool done = write_files(plan, options, run, origin, NULL, options->closed_forms, &saved);
    free(origin);
    if (!done && saved && options->save && !options->join)
        anypi_complain("anyp-tune", "the times are in %s: make the decision file with --join",
                       options->save);
    if (done && options->verbose)
        print_times(plan);
    if (done)
        print_summary(plan, options);
    if (wrong)
        fprintf(stderr, "anyp-tune: %d algorithms or settings were wrong, see above; the file does "
                "not use them there\n", wrong);
    return done && saved ? 0 : 1;
}
