/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp-tune - measures this machine and writes the decision file for it. Rank 0 reads, decides and
 * writes; the other ranks execute its commands.
 */
#include "measure/budget.h"
#include "measure/clock.h"
#include "measure/measure.h"
#include "measure/results.h"
#include "measure/session.h"
#include "measure/steer.h"
#include "measure/world.h"
#include "tuner/candidates.h"
#include "tuner/generic.h"
#include "options/text_file.h"
#include "tuner/timing_file.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/jsonc.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Prints each line of the text. */
static void complain_all(const char *lines)
{
    for (size_t length; *lines; lines += length + (lines[length] == '\n')) {
        length = strcspn(lines, "\n");
        anypi_complain("anyp-tune", "%.*s", (int) length, lines);
    }
}

/* Prints the message, on rank 0. Returns the exit status. */
static int fail(int rank, int status, const char *message)
{
    if (!rank)
        complain_all(message);
    if (!rank && status == 2)
        fprintf(stderr, "See: anyp-tune --help\n");
    return status;
}

/* Can all candidates be selected? If not, sets a message. */
static bool switchable(const anypi_plan *plan, char *message, size_t size)
{
    bool any = false;
    snprintf(message, size, "this MPI library has none of AnyP's algorithms for these collectives, "
             "or they cannot be selected; use the mpiexec and anyp-tune that maint/quickstart "
             "installs, or the anyp-tune that was built for this library");
    /* the plug-in accepts the same on all ranks; a thousand simulated ranks would be slow */
    const bool try_all = !plan->follows || anypi_steer.inside;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan->candidates[i];
        any = any || plan->wanted[i];
        for (int c = 0; plan->wanted[i] && try_all && c < candidates->count; c++)
            if (!anypi_steer_select((anyp_collective) i, &candidates->list[c]))
                return false;
        if (plan->wanted[i])
            anypi_steer_select((anyp_collective) i, &candidates->list[0]);
    }
    return any;
}

/* Sets up the candidates and cells; false and a message if this MPI cannot be tuned. */
static bool prepare(anypi_session *session, const anypi_cvars *cvars, char *message, size_t size)
{
    anypi_plan *plan = session->plan;
    const bool placed = !session->nodes ||
        anypi_plan_nodes(plan, session->nodes, !session->nodes_given) == ANYP_SUCCESS;
    const bool named = placed && anypi_plan_candidates(plan, cvars) == ANYP_SUCCESS;
    if (named && anypi_plan_cells(plan) == ANYP_SUCCESS)
        return switchable(plan, message, size);
    snprintf(message, size, placed && !named ? "too many algorithms and settings, or no memory; "
             "name fewer --collectives" : "no memory");
    return false;
}

/* Sets the plan to the calls of the records that --calls names, which rank 0 reads. False on all
 * ranks, and a message on rank 0, if they are wrong. */
static bool take_calls(anypi_session *session, anypi_wanted_calls *calls, char *message,
                       size_t size)
{
    const anypi_options *options = session->options;
    const bool good = session->rank ||
        anypi_wanted_read(calls, options->calls, options->calls_count, session->plan, session->max,
                          message, size);
    if (!anypi_all(session->world, good))
        return false;
    if (!session->rank)
        complain_all(message);
    MPI_Bcast(calls, sizeof *calls, MPI_BYTE, 0, session->world);
    anypi_wanted_plan(session->plan, calls);
    session->calls = calls->comment;
    return true;
}

/* May the file of --save be replaced? Not if its run can be continued: then sets a message. */
static bool is_replaceable(const char *save, char *message, size_t size)
{
    FILE *file = fopen(save, "r");
    char *head = NULL;
    size_t room = 0;
    const bool unfinished = file && getline(&head, &room, file) > 0 &&
        strstr(head, "\"anyp-tune\"") && !strstr(head, "\"complete\":\"yes\"");
    free(head);
    if (file)
        fclose(file);
    if (unfinished)
        snprintf(message, size, "%s is unfinished: continue with --resume %s, remove it, or give "
                 "another name with --save", save, save);
    return !unfinished;
}

/* Can the files be written? Rank 0 tests it before anything is measured. */
static bool output_writable(const anypi_session *session, char *message, size_t size)
{
    const anypi_options *options = session->options;
    const bool writable = session->rank || (options->validate && !options->mend) ||
        (anypi_file_writable(options->output, "--output", message, size) &&
         (!options->save || (anypi_file_writable(options->save, "--save", message, size) &&
                             (options->resume || is_replaceable(options->save, message, size)))));
    return anypi_all(session->world, writable);
}

/* Finds session->nodes, node_ranks and position. On all ranks; false on all: no memory. */
static bool find_nodes(anypi_session *session)
{
    anyp_shape *nodes = anypi_world_nodes(session->world, &session->nodes_given);
    session->position = session->rank;
    if (!nodes)
        return false;
    session->node_ranks = anypi_shape_size(nodes, 0);
    char *text = anypi_shape_text(nodes);
    const bool named = anypi_all(session->world, text != NULL);
    anypi_free(text);
    if (!named && !session->rank)
        fprintf(stderr, "anyp-tune: ranks are placed neither node by node nor round robin, which "
                "rules cannot describe; nodes are ignored\n");
    if (!named || nodes->count == 1 || anypi_shape_mean(nodes) == 1) {
        anypi_shape_free(nodes);
        return true;
    }
    session->position = anypi_shape_position(nodes, session->rank);
    session->nodes = nodes;
    return true;
}

/* Describes this run, and reads the one that it continues. On all ranks; on rank 0, false and a
 * message on failure. */
static bool begin_times(anypi_session *session, char *message, size_t size)
{
    const anypi_options *options = session->options;
    session->run = anypi_describe_run(session);
    if (session->rank || !options->resume)
        return true;
    if (!anypi_times_resume(&session->earlier, options->save, session->run, message, size))
        return false;
    complain_all(message);
    return true;
}

/* Validates the decision file of the options. */
static int validate(anypi_session *session, const anypi_cvars *cvars)
{
    char message[1024] = "no memory";
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { .text = "" };
    anypi_validation validation = { .count = 0 };
    if (!session->rank && anypi_decision_read(session->options->validate, &decision, &diagnosis)
        != ANYP_SUCCESS)
        snprintf(message, sizeof message, "%s", diagnosis.text);
    bool good = anypi_all(session->world, session->rank || decision);
    if (good) {
        good = prepare(session, cvars, message, sizeof message) &&
            (session->rank || anypi_validation_make(&validation, session->plan, decision));
        good = anypi_all(session->world, good) && anypi_validate(session, &validation);
    }
    int status = good ? 0 : fail(session->rank, 1, message);
    if (good && !session->rank)
        status = anypi_validated(session, &validation, decision);
    anypi_validation_free(&validation);
    anypi_decision_free(decision);
    return status;
}

/* Tunes, and writes the files. */
static int tune(anypi_session *session, const anypi_cvars *cvars)
{
    char message[1024];
    anypi_plan *plan = session->plan;
    int status = 0;
    /* all ranks measure, or none */
    const bool ready = anypi_all(session->world, prepare(session, cvars, message, sizeof message));
    if (!ready ||
        (session->options->save &&
         !anypi_all(session->world, begin_times(session, message, sizeof message))))
        return fail(session->rank, 1, message);
    anypi_measure(session);
    if (session->run && !session->interrupt && !session->left_out)
        json_object_object_add(session->run, "complete", json_object_new_string("yes"));
    if (!session->rank && session->interrupt)
        status = anypi_finish_interrupted(session);
    else if (!session->rank)
        status = anypi_finish(plan, session->options, session->wrong, session->run,
                              anypi_origin(session));
    return status ? status : session->wrong > 0;
}

static int run(anypi_session *session)
{
    char message[1024], library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length, status = 1;
    anypi_plan *plan = session->plan;
    const anypi_options *options = session->options;
    anypi_cvars *cvars;
    if (!output_writable(session, message, sizeof message))
        return fail(session->rank, 1, message);
    anypi_interrupt_watch();
    if (!anypi_steer_open(session->world, &cvars, message, sizeof message))
        return fail(session->rank, 1, message);
    MPI_Get_library_version(library, &length);
    session->library = library;
    session->alone = anypi_steer_alone(library);
    if (session->alone && !session->rank)
        fprintf(stderr, "anyp-tune: this MPICH device has collectives of its own, which are "
                "switched off while measuring; set %s also when you use the decision file\n",
                session->alone);
    const bool found = find_nodes(session);
    if (session->nodes && !options->procs)
        plan->procs_count = 0;          /* the numbers of the nodes replace them */
    if (options->validate)
        anypi_validation_extend(plan, !options->sizes, !options->procs && !session->nodes);
    if (!found ||
        !anypi_all(session->world, anypi_work_init(&session->work,
                                                   plan->sizes[plan->sizes_count - 1],
                                                   session->max)))
        fail(session->rank, 1, "no memory for the largest of --sizes");
    else
        status = options->validate ? validate(session, cvars) : tune(session, cvars);
    anypi_plan_free(plan);
    anypi_plan_free(&session->earlier);
    json_object_put(session->run);
    anypi_shape_free(session->nodes);
    anypi_work_free(&session->work);
    anypi_steer_close();
    return status;
}

static bool has_option(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], option))
            return true;
    return false;
}

/* Runs --join and --generic, which need no other process and no MPI. */
static int run_alone(int argc, char **argv, anypi_plan *plan)
{
    char message[4096] = "no memory", *origin = NULL;
    anypi_options options;
    if (!anypi_options_read(argc, argv, INT_MAX, &options, plan, message, sizeof message) ||
        (!options.help && !anypi_options_apart(&options, message, sizeof message)))
        return fail(0, 2, message);
    if (options.help) {
        anypi_help_write(&anypi_tuner_help, stdout);
        return 0;
    }
    if (!anypi_names_open(options.mpich, message, sizeof message))
        return fail(0, options.mpich ? 2 : 1, message);
    *plan = (anypi_plan) { .only_anyp = false };
    bool good = anypi_file_writable(options.output, "--output", message, sizeof message);
    if (good && options.join) {
        struct json_object *heads = NULL;
        good = anypi_times_join(plan, NULL, (const char *const *) options.join,
                                options.join_count, options.mixed, &heads, message,
                                sizeof message);
        if (good) {
            complain_all(message);
            origin = strdup(anypi_times_origin(json_object_array_get_idx(heads, 0)));
        }
        json_object_put(heads);
    } else if (good) {
        good = anypi_generic_plan(plan);
        origin = strdup(anypi_generic_origin);
    }
    const int status = good ? anypi_finish(plan, &options, 0, NULL, origin) : fail(0, 1, message);
    anypi_plan_free(plan);
    return status;
}

/* Waits until the launcher has forwarded what this rank wrote, if the status makes the launcher end
 * the job. Open MPI's ends it when the first rank exits: its message would stand in the middle of a
 * table, or the rest of the table would be lost. */
static void flush_output(int rank, int status)
{
    static const double seconds = 0.2;
    fflush(stdout);
    if (!rank && status)
        anypi_wait_until(MPI_Wtime() + seconds);
}

int main(int argc, char **argv)
{
    static anypi_plan plan;
    static anypi_wanted_calls calls;
    anypi_options options;
    anypi_session session = { .plan = &plan, .options = &options };
    char message[4096] = "not all ranks can read share/anyp/mpich.json";
    int status;

    if (has_option(argc, argv, "--join") || has_option(argc, argv, "--generic"))
        return run_alone(argc, argv, &plan);
    anypi_steer_clean();
    MPI_Init(&argc, &argv);
    session.start = anypi_seconds();
    MPI_Comm_dup(MPI_COMM_WORLD, &session.world);
    MPI_Comm_rank(session.world, &session.rank);
    MPI_Comm_size(session.world, &session.max);
    if (!anypi_options_read(argc, argv, session.max, &options, &plan, message, sizeof message)) {
        status = fail(session.rank, 2, message);
    } else if (options.help) {
        if (!session.rank)
            anypi_help_write(&anypi_tuner_help, stdout);
        status = 0;
    } else if (!anypi_all(session.world, session.rank ||
                          anypi_options_apart(&options, message, sizeof message))) {
        status = fail(session.rank, 2, message);
    } else if (!anypi_all(session.world,
                          anypi_names_open(options.mpich, message, sizeof message))) {
        status = fail(session.rank, options.mpich ? 2 : 1, message);
    } else if (session.max < 2) {
        status = fail(session.rank, 2, "there is nothing to tune for one process; start mpiexec -n "
                      "P anyp-tune, where P is the number of processes of your largest jobs. If "
                      "mpiexec has started several processes, it belongs to another MPI library "
                      "than this program (Debian has mpiexec.mpich and mpiexec.openmpi)");
    } else if (options.calls_count &&
               !take_calls(&session, &calls, message, sizeof message)) {
        status = fail(session.rank, 1, message);
    } else {
        options.procs |= options.calls_count > 0;
        plan.exact = true;              /* until measure_network.c has measured it */
        plan.follows = session.rank;
        status = run(&session);
    }
    flush_output(session.rank, status);
    MPI_Bcast(&status, 1, MPI_INT, 0, session.world);
    MPI_Comm_free(&session.world);
    MPI_Finalize();
    return status;
}
