/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/session.h"

#include "measure/steer.h"
#include "plan/choose.h"
#include "plan/files.h"
#include "plan/form.h"
#include "plan/generic.h"
#include "plan/race.h"
#include "plan/shapes.h"

#include "select/decision.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_times(const anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        char where[256];
        if (!cell->rounds)
            continue;
        printf("%s %s %s %lld bytes, %d rounds\n",
               anypi_procs_text(cell->p, cell->nodes, where, sizeof where),
               anypi_form_name(cell->collective),
               anypi_operator(cell->collective, cell->commutative),
               (long long) cell->bytes, cell->rounds);
        const double reference = anypi_time(cell, plan->only_anyp ? cell->choice : 0);
        for (int c = 0; c < cell->candidates; c++) {
            char text[ANYPI_TEXT_SIZE];
            const double time = anypi_time(cell, c);
            if (cell->trials[c].count)
                printf("  %c %10.2f us %6.2f  %s\n", c == cell->choice ? '*' : ' ', 1e6 * time,
                       time / reference,
                       anypi_candidate_text(&plan->candidates[cell->collective].list[c], text,
                                            sizeof text));
        }
    }
}

/* Prints how many cells each choice has, and how to use the file. */
static void print_summary(const anypi_plan *plan, const char *file)
{
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
        for (int operators = 0; operators < 2; operators++) {
            if (!anypi_plan_has(plan, collective, operators))
                continue;
            int cells = 0, own = 0, anyp = 0;
            for (int i = 0; i < plan->cells_count; i++) {
                const anypi_cell *cell = &plan->cells[i];
                if ((int) cell->collective != collective || cell->commutative == operators ||
                    !cell->rounds)
                    continue;
                cells++;
                if (cell->choice && plan->candidates[collective].list[cell->choice].algorithm)
                    anyp++;
                else
                    own += cell->choice > 0;
            }
            printf("%-22s %-16s AnyP %3d, ", anypi_form_name((anyp_collective) collective),
                   anypi_operator((anyp_collective) collective, !operators), anyp);
            if (anypi_steer.names_own)
                printf("another of the library's %3d, ", own);
            printf("the library's choice %3d of %d cells\n", cells - anyp - own, cells);
        }
    printf("written: %s\nuse it:  %s%s %s\n", file, anypi_steer.use, file, anypi_steer.command);
}

static int fail(const char *message)
{
    anypi_complain("anyp-tune", "%s", message);
    return 1;
}

/* The comment at the head of the file, to be freed with free(). */
static char *head(const anypi_plan *plan, const anypi_options *options, const char *origin)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    if (options->join && options->join_count > 1)
        fprintf(file, "Joined of the times of %d runs; of the first:\n", options->join_count);
    if (options->generic) {
        fputs(origin, file);
        fclose(file);
        return text;
    }
    fprintf(file, "%s\nMeasured p:", origin);
    for (int i = 0; i < plan->procs_count; i++) {
        char where[256];
        if (plan->complete[i])
            fprintf(file, " %s", anypi_procs_text(plan->procs[i], plan->nodes[i], where,
                                                  sizeof where) + strlen("p="));
    }
    fprintf(file, options->measured_only
            ? ".\nOthers follow the nearest; beyond the last the MPI library chooses."
            : ".\nOthers follow closed forms, corrected by their errors at the nearest.");
    fclose(file);
    return text;
}

/* Writes the times; false and a message if that fails. */
static bool save_times(const anypi_plan *plan, const anypi_options *options,
                       struct json_object *run, const char *origin, char *message, size_t size)
{
    char *times = origin ? anypi_times_write(plan, run, origin) : NULL;
    snprintf(message, size, "no memory");
    const bool saved = times && anypi_file_replace(options->save, "--save", times, message, size);
    free(times);
    return saved;
}

int anypi_finish_interrupted(anypi_plan *plan, const anypi_options *options, int number,
                             struct json_object *run, char *origin)
{
    char message[1024];
    int cells = 0, status = 128 + number;       /* as shells have it */
    plan->interrupted = true;
    for (int i = 0; i < plan->cells_count; i++)
        cells += anypi_plan_saves(plan, &plan->cells[i]);
    fprintf(stderr, "anyp-tune: interrupted by signal %d; ", number);
    if (!options->save) {
        fprintf(stderr, "nothing was written: --save would have saved the times\n");
    } else if (!cells) {
        fprintf(stderr, "no collective has been measured at all sizes; --resume %s goes on\n",
                options->save);
    } else if (save_times(plan, options, run, origin, message, sizeof message)) {
        fprintf(stderr, "the times so far are in %s: --join makes a decision file of them, "
                "--resume goes on\n", options->save);
    } else {
        fprintf(stderr, "%s\n", message);
        status = 1;
    }
    free(origin);
    return status;
}

int anypi_finish(anypi_plan *plan, const anypi_options *options, int wrong,
                 struct json_object *run, char *origin)
{
    char message[1024] = "no memory";
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { .text = "no memory" };
    int complete = 0;
    for (int i = 0; i < plan->procs_count; i++)
        complete += plan->complete[i];
    if (!complete) {
        free(origin);
        return fail("there was no time to measure even one number of processes; give more "
                    "with --budget, or fewer --sizes, --collectives or processes");
    }
    char *comment = origin ? head(plan, options, origin) : NULL;
    anypi_regions regions = { .list = NULL };
    anypi_choosing how = options->generic ? anypi_generic_choosing : anypi_usual_choosing(plan);
    how.measured_only = options->measured_only;
    char *text = comment && anypi_choose_all(plan, &how, &regions)
        ? anypi_write_decision(plan, &regions, comment) : NULL;
    anypi_regions_free(&regions);
    bool done = text != NULL;
    if (done && anypi_decision_parse(text, strlen(text), options->output, &decision, &diagnosis)
        != ANYP_SUCCESS) {
        snprintf(message, sizeof message, "the rules came out wrong, nothing was written: %s; "
                 "please report this", diagnosis.text);
        done = false;
    }
    done = done && anypi_file_replace(options->output, "--output", text, message,
                                      sizeof message);
    if (!done)
        fail(message);
    /* each of the two files is written even if the other cannot be */
    bool saved = true;
    if (options->save && !options->join) {
        saved = save_times(plan, options, run, origin, message, sizeof message);
        if (!saved)
            fail(message);
        else if (!done)
            anypi_complain("anyp-tune", "the times are in %s: --join makes the decision file of "
                           "them", options->save);
    }
    if (done && options->verbose)
        print_times(plan);
    if (done)
        print_summary(plan, options->output);
    if (wrong)
        fprintf(stderr, "anyp-tune: %d candidates were wrong, see above; the file does not use "
                "them there\n", wrong);
    anypi_decision_free(decision);
    free(text);
    free(comment);
    free(origin);
    return done && saved && !wrong ? 0 : 1;
}
