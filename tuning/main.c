/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp-tune - measures this machine and writes the decision file for it. Rank 0 reads, decides and
 * writes; the others do as told.
 */
#include "file.h"
#include "measure.h"
#include "options.h"
#include "steer.h"

#include "select/decision.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double margin = 0.03;      /* a candidate must win by more than this */

static int say(const anypi_session *session, const char *message)
{
    if (!session->rank)
        fprintf(stderr, "anyp-tune: %s\n", message);
    return 1;
}

/* Sets up the candidates; a message if this MPI cannot be tuned. */
static bool prepare(anypi_session *session, const anypi_names *names, char *message, size_t size)
{
    anypi_plan *plan = session->plan;
    bool any = false;
    snprintf(message, size, "this MPI library has none of AnyP's algorithms for these collectives, "
             "or does not let itself be switched; use the mpiexec and anyp-tune that "
             "maint/quickstart installs, or the anyp-tune that was built for this library");
    if (anypi_candidates_make(plan, names) != ANYP_SUCCESS) {
        snprintf(message, size, "too many candidates, or no memory; name fewer collectives");
        return false;
    }
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan->candidates[i];
        any = any || plan->wanted[i];
        for (int c = 0; plan->wanted[i] && c < candidates->count; c++)
            if (!anypi_steer_select((anyp_collective) i, &candidates->list[c]))
                return false;
        if (plan->wanted[i])
            anypi_steer_select((anyp_collective) i, &candidates->list[0]);
    }
    if (!any || (anypi_steer.names_own && !anypi_probe(session)))
        return false;
    if (anypi_plan_cells(plan) == ANYP_SUCCESS)
        return true;
    snprintf(message, size, "no memory");
    return false;
}

/* Where and when, for the file's head; free() it. */
static char *origin(const anypi_session *session, const char *library, const char *alone, int most)
{
    char *text = NULL, host[256] = "", date[64];
    size_t size;
    const time_t now = time(NULL);
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    gethostname(host, sizeof host - 1);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    fprintf(file, "Measured by anyp-tune of AnyP " PACKAGE_VERSION " on %s.\n", date);
    fprintf(file, "Host %s (%ld cores), %d processes, at most %.0f s, %.0f s used.\n", host,
            sysconf(_SC_NPROCESSORS_ONLN), most, session->budget, MPI_Wtime() - session->start);
    fprintf(file, "%.*s%s\nMeasured p:", (int) strcspn(library, "\n"), library,
            anypi_steer.measured);
    for (int i = 0; i < session->plan->procs_count; i++)
        if (session->plan->complete[i])
            fprintf(file, " %d", session->plan->procs[i]);
    fprintf(file, ". Others follow the nearest; beyond the last the MPI library chooses.");
    if (alone)
        fprintf(file, "\nMeasured with %s: set it for use, too.", alone);
    fclose(file);
    return text;
}

static void print_times(const anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        if (!cell->rounds)
            continue;
        printf("p=%d %s %s %lld bytes, %d rounds\n", cell->p,
               anyp_collective_name(cell->collective), cell->commutative ? "sum" : "matrix",
               (long long) cell->bytes, cell->rounds);
        for (int c = 0; c < cell->candidates; c++) {
            char text[2 * ANYPI_NAME_SIZE];
            if (cell->same[c] == c && anypi_ratio(cell, c) < 1e9)
                printf("  %c %10.1f us %6.2f  %s\n", c == cell->choice ? '*' : ' ',
                       1e6 * anypi_time(cell, c), anypi_ratio(cell, c),
                       anypi_candidate_text(&plan->candidates[cell->collective].list[c], text,
                                            sizeof text));
        }
    }
}

/* How much was won. */
static void print_summary(const anypi_plan *plan, const char *file)
{
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
        for (int operators = 0; plan->wanted[collective] && operators < 2; operators++) {
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
            printf("%-22s %-16s AnyP %3d, ", anyp_collective_name((anyp_collective) collective),
                   operators ? "matrix product" : "sum", anyp);
            if (anypi_steer.names_own)
                printf("another of the library's %3d, ", own);
            printf("the library's choice %3d of %d cells\n", cells - anyp - own, cells);
        }
    printf("written: %s\nuse it:  %s=%s %s\n", file, anypi_steer.file, file, anypi_steer.command);
}

/* Rank 0: what was measured becomes the file. Returns the exit status. */
static int finish(anypi_session *session, const anypi_options *options, char *comment)
{
    char message[1024] = "no memory";
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { .text = "no memory" };
    int complete = 0;
    for (int i = 0; i < session->plan->procs_count; i++)
        complete += session->plan->complete[i];
    if (!complete) {
        free(comment);
        return say(session, "there was no time to measure even one number of processes; give more "
                   "with --budget, or fewer --sizes or --collectives");
    }
    anypi_choose(session->plan, margin);
    char *text = comment ? anypi_write_decision(session->plan, comment) : NULL;
    bool done = text != NULL;
    if (done && anypi_decision_parse(text, strlen(text), options->output, &decision, &diagnosis)
        != ANYP_SUCCESS) {
        snprintf(message, sizeof message, "the rules came out wrong, nothing was written: %s; "
                 "please report this", diagnosis.text);
        done = false;
    }
    done = done && anypi_file_replace(options->output, text, message, sizeof message);
    if (done && options->verbose)
        print_times(session->plan);
    if (done)
        print_summary(session->plan, options->output);
    else
        say(session, message);
    if (session->wrong)
        fprintf(stderr, "anyp-tune: %d candidates were wrong, see above; the file does not use "
                "them there\n", session->wrong);
    anypi_decision_free(decision);
    free(text);
    free(comment);
    return done && !session->wrong ? 0 : 1;
}

/* Rank 0 looks whether the output can be written before anything is measured. */
static bool output_writable(const anypi_session *session, const char *output, char *message,
                            size_t size)
{
    int writable = session->rank || anypi_file_writable(output, message, size);
    MPI_Bcast(&writable, 1, MPI_INT, 0, session->world);
    return writable;
}

/* One rank that has no memory must not leave the others waiting. */
static bool all_ready(const anypi_session *session, bool ready)
{
    int own = ready, all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, session->world);
    return all;
}

static int tune(anypi_session *session, const anypi_options *options, int most)
{
    char message[1024], library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, status = 1;
    anypi_plan *plan = session->plan;
    if (!output_writable(session, options->output, message, sizeof message))
        return say(session, message);
    anypi_names *names;
    if (!anypi_steer_open(session->world, options->cvars, &names, message, sizeof message))
        return say(session, message);
    MPI_Get_library_version(library, &length);
    const char *alone = anypi_steer_alone(library);
    if (alone && !session->rank)
        fprintf(stderr, "anyp-tune: this device has collectives of its own, which are off (%s); "
                "set that too when you use the decision file\n", alone);
    snprintf(message, sizeof message, "no memory for the largest of --sizes");
    if (!all_ready(session, anypi_work_init(&session->work, plan->sizes[plan->sizes_count - 1],
                                            most)) ||
        !all_ready(session, prepare(session, names, message, sizeof message))) {
        say(session, message);
    } else {
        anypi_measure(session);
        status = session->rank ? 0
            : finish(session, options, origin(session, library, alone, most));
    }
    anypi_plan_free(plan);
    anypi_work_free(&session->work);
    anypi_names_free(names);
    anypi_steer_close();
    return status;
}

int main(int argc, char **argv)
{
    static anypi_plan plan;
    anypi_options options;
    anypi_session session = { .plan = &plan };
    char message[512];
    int most, status;

    anypi_steer_clean();
    MPI_Init(&argc, &argv);
    session.start = MPI_Wtime();
    MPI_Comm_dup(MPI_COMM_WORLD, &session.world);
    MPI_Comm_rank(session.world, &session.rank);
    MPI_Comm_size(session.world, &most);
    if (!anypi_options_read(argc, argv, most, &options, &plan, message, sizeof message)) {
        say(&session, message);
        status = 2;
    } else if (options.help) {
        if (!session.rank)
            anypi_usage(stdout);
        status = 0;
    } else if (most < 2) {
        say(&session, "there is nothing to tune for one process; run it as mpiexec -n P anyp-tune, "
            "P at least 2, best the largest number of processes of your jobs on one node");
        status = 2;
    } else {
        session.budget = options.budget;
        session.verbose = options.verbose;
        status = tune(&session, &options, most);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, session.world);
    MPI_Comm_free(&session.world);
    MPI_Finalize();
    return status;
}
