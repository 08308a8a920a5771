/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp cost --calls - estimates the calls of a program's record on a machine of another size. It
 * prints the seconds of an average process with the algorithms that MPI libraries usually choose,
 * and with AnyP's choice: simulated on nodes (analysis/estimate.h), otherwise by closed forms.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "algorithms/cost_model.h"
#include "algorithms/generate.h"
#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "analysis/estimate.h"
#include "analysis/usual_choice.h"
#include "report/run.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_bytes = 4503599627370496;      /* 2^52 */

/* Kinds with less than this part of all seconds are only counted, except in the first lines. */
static const double little = 0.001;
enum { FEW_LINES = 5 };

enum { FIXED, STRONG, WEAK, SCALINGS };
static const char *const scalings[SCALINGS] = { "fixed", "strong", "weak" };

/* A size of the machine: the size in the question, or the size in the record. */
typedef struct machine {
    const tool_options *options;
    const anypi_record *record;
    int scaling, p;
    int recorded_ranks;         /* the average per node in the record; 0: unknown */
    int ranks;                  /* the average per node here */
    anyp_shape *nodes;          /* NULL: unknown */
} machine;

/* The time of all calls of a kind. */
typedef struct estimate {
    int p;
    double bytes;
    const char *usual;          /* NULL: the time is unknown */
    const anyp_algorithm *choice;
    double usual_seconds, seconds;      /* of an average process of the program */
    bool too_many;              /* messages: the time is unknown */
} estimate;

typedef struct answer {
    const anypi_run_line *line;
    estimate here, there;       /* at the record's size, and at the size in the options */
} answer;

/* ---- the machine ---- */

/* Returns p processes on nodes of `ranks`; the last node may have fewer. */
static anyp_shape *nodes_of(int p, int ranks)
{
    const char *reason;
    char text[64];
    int length = p >= ranks ? snprintf(text, sizeof text, "%dx%d", p / ranks, ranks) : 0;
    if (p % ranks)
        snprintf(text + length, sizeof text - (size_t) length, "%s%d", length ? "," : "",
                 p % ranks);
    return anypi_shape_read(text, p, &reason);
}

/* Sets the nodes of the machine. False: no memory. */
static bool set_nodes(machine *its, const char *recorded, bool own)
{
    const anyp_shape *given = own ? NULL : its->options->nodes;
    const char *reason;
    anyp_shape *before = *recorded ? anypi_shape_read(recorded, its->record->p, &reason) : NULL;
    its->recorded_ranks = before ? anypi_shape_mean(before) : 0;
    if (given) {
        its->ranks = anypi_shape_mean(given);
    } else if (before && its->p == its->record->p) {
        its->nodes = before;
        its->ranks = its->recorded_ranks;
        return true;
    } else if (before) {
        its->ranks = its->recorded_ranks;
        its->nodes = nodes_of(its->p, its->ranks);
    }
    anypi_shape_free(before);
    return given || !its->ranks || its->nodes;
}

static const anyp_shape *nodes_in(const machine *its)
{
    return its->nodes ? its->nodes : its->ranks ? its->options->nodes : NULL;
}

static const char *network_of(const tool_options *options)
{
    const char *given = options->word[OPTION_NETWORK];
    return given ? given : ANYPI_NETWORK_DEFAULT;
}

static bool has_model(const tool_options *options)
{
    return options->given[OPTION_ALPHA] || options->given[OPTION_BETA] ||
        options->given[OPTION_GAMMA];
}

/* Returns the model for the nodes of the call, also if there is only one. */
static anyp_model model_of(const machine *its, const anyp_call *call)
{
    anyp_model model = { 0 };
    if (has_model(its->options)) {
        tool_options options = *its->options;
        options.nodes = (anyp_shape *) call->nodes;
        model = anypi_tool_model(&options, 1);
    } else {
        anypi_network_read(network_of(its->options), call, &model);
    }
    model.nodes = call->nodes;
    return model;
}

/* ---- a kind of calls ---- */

static int nearest(double number, int least, int most)
{
    return number < least ? least : number > most ? most : (int) (number + 0.5);
}

/* Sets p and the nodes of the kind's communicator: all processes, if it had all; if it was on one
 * of several nodes, the same part of a node; otherwise the same part of the machine. Free *own
 * later. False: no memory. */
static bool place(const machine *its, const anypi_calls *kind, anyp_call *call, anyp_shape **own)
{
    const anypi_record *record = its->record;
    const char *reason;
    *own = NULL;
    if (kind->p == record->p) {
        call->p = its->p;
        call->nodes = nodes_in(its);
        return true;
    }
    const double growth = (double) its->p / record->p;
    const double fuller = its->ranks && its->recorded_ranks
        ? (double) its->ranks / its->recorded_ranks : 1;
    anyp_shape *before = kind->nodes
        ? anypi_shape_read(record->shapes[kind->nodes], kind->p, &reason) : NULL;
    const int ranks = before ? nearest(fuller * anypi_shape_mean(before), 1, its->ranks)
        : its->ranks;
    const bool inside = before && before->count == 1 && its->recorded_ranks &&
        its->recorded_ranks < record->p;
    anypi_shape_free(before);
    call->p = inside && its->ranks ? ranks : nearest(growth * kind->p, 1, its->p);
    if (its->ranks) {
        *own = nodes_of(call->p, ranks);
        call->nodes = *own;
    }
    return !its->ranks || *own;
}

static void set_vector(const machine *its, const anypi_calls *kind, anyp_call *call)
{
    const double growth = (double) call->p / kind->p;
    const double size = anypi_moves(call->collective) || kind->type_size < 1 ? 1 : kind->type_size;
    double bytes = anypi_calls_bytes(kind);
    if (anypi_has_no_data(call->collective))
        return;
    if (its->scaling == STRONG)
        bytes /= growth;
    else if (its->scaling == WEAK && anypi_has_blocks(call->collective))
        bytes *= growth;
    call->type_size = (int64_t) size;
    call->count = (int64_t) ceil(fmin(bytes, most_bytes) / size);
    if (anypi_has_equal_blocks(call) && call->count % call->p)
        call->count += call->p - call->count % call->p;
    if (anypi_has_counts(call) && kind->uneven > 1)     /* from half of this to all of it */
        call->largest = (int64_t) fmin(0.75 * kind->uneven * (double) call->count / call->p,
                                       (double) call->count);
}

/* Sets AnyP's choice, which has the shortest closed form, and its parameters. */
static void choose(const anyp_call *call, const anyp_model *model, const anyp_algorithm **choice,
                   int *chosen)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    double least = INFINITY;
    for (int i = 0; i < count; i++) {
        const anypi_settled_call one = anypi_settled_call_of(&all[i], call, NULL);
        int parameters[ANYP_MAX_PARAMETERS];
        anyp_parameters_default(&all[i], parameters);
        if (all[i].properties & ANYP_REFERENCE || anypi_unfit_call(&one, parameters) ||
            anypi_settle_by(&all[i], call, model, parameters, parameters) == INFINITY)
            continue;
        const double time = anypi_form_time(&all[i], call, parameters, model);
        if (time < least) {
            least = time;
            *choice = &all[i];
            memcpy(chosen, parameters, sizeof parameters);
        }
    }
}

/* Sets the algorithms of the call and their times. */
static void compare(anyp_call *call, const anyp_model *model, double calls, estimate *result)
{
    const bool several = model->nodes && model->nodes->count > 1;
    const anyp_model forms = several ? *model : anypi_inside_model(model);
    const anyp_algorithm *usual;
    int usual_parameters[ANYP_MAX_PARAMETERS], parameters[ANYP_MAX_PARAMETERS];
    call->nodes = forms.nodes;
    result->usual = anypi_usual_choice(call, &forms, &usual, usual_parameters);
    choose(call, &forms, &result->choice, parameters);
    if (!result->usual || !result->choice || call->p == 1)
        return;
    const double old = anypi_estimate(usual, call, usual_parameters, model,
                                      ANYPI_ESTIMATE_MESSAGES);
    const double new = anypi_estimate(result->choice, call, parameters, model,
                                      ANYPI_ESTIMATE_MESSAGES);
    if (isfinite(old) && isfinite(new)) {
        result->usual_seconds = calls * old;
        result->seconds = calls * new;
    } else {
        result->usual = NULL;
        result->too_many = true;
    }
}

/* Estimates a kind at one size of the machine. False: no memory. */
static bool estimate_of(const machine *its, const anypi_calls *kind, estimate *result)
{
    const anypi_record *record = its->record;
    anyp_call call = { .commutative = kind->op != ANYPI_OP_USERS_ORDERED };
    anyp_shape *own = NULL;
    *result = (estimate) { .p = kind->p, .bytes = anypi_calls_bytes(kind) };
    if (kind->collective >= ANYP_COLLECTIVES ||
        anypi_has_local_sizes((anyp_collective) kind->collective))
        return true;
    call.collective = (anyp_collective) kind->collective;
    if (!place(its, kind, &call, &own))
        return false;
    set_vector(its, kind, &call);
    result->p = call.p;
    result->bytes = (double) call.count * (double) call.type_size;
    const anyp_model model = model_of(its, &call);
    const double calls = anypi_calls_of_rank(kind) *
        (record->complete ? (double) kind->ranks / record->p : 1);
    compare(&call, &model, calls, result);
    anypi_shape_free(own);
    return true;
}

static int by_seconds(const void *one, const void *other)
{
    const answer *a = one, *b = other;
    const double first = fmax(a->there.usual_seconds, a->there.seconds);
    const double second = fmax(b->there.usual_seconds, b->there.seconds);
    return first < second ? 1 : first > second ? -1 : a->line < b->line ? -1 : a->line > b->line;
}

/* ---- output ---- */

static void write_model(const tool_options *options, char *text, size_t size)
{
    if (has_model(options))
        snprintf(text, size, "alpha %g, beta %g, gamma %g", options->real[OPTION_ALPHA],
                 options->real[OPTION_BETA], options->real[OPTION_GAMMA]);
    else
        snprintf(text, size, "network %s", network_of(options));
}

static void print_line(const anypi_run *run, const answer *one)
{
    const estimate *there = &one->there;
    char p[16] = "-";
    if (there->usual)
        snprintf(p, sizeof p, "%d", there->p);
    printf("%-42s %7s %10s %8.6g", anypi_run_name(run, one->line).text, p,
           one->line->calls->collective == ANYP_BARRIER ? "-"
           : anypi_run_size((int64_t) there->bytes).text,
           anypi_calls_of_rank(one->line->calls));
    if (there->usual)
        printf(" %10.4g %-18s %10.4g %s\n", there->usual_seconds, there->usual, there->seconds,
               there->choice->name);
    else
        printf(" %10s %-18s %10s\n", "-", "", "-");
}

/* If the estimate is far from the recorded work, says what that means. */
static void print_difference(const anypi_run *run, const estimate *here)
{
    static const double far = 2;
    const double work = run->sum.work, estimated = here->usual_seconds;
    if (estimated > 0 && work > far * estimated)
        printf("The record has %.4g s of work, the estimate only %.4g s. In the rest, processes "
               "waited for others or for a\ncore, or the machine is slower than the model. "
               "Do not multiply recorded seconds by the ratio of the columns.\n", work,
               estimated);
    else if (work > 0 && estimated > far * work)
        printf("The record has only %.4g s of work, the estimate %.4g s. The machine is faster "
               "than the model, or its\nMPI library chooses other algorithms. Give the constants "
               "of the machine by --network.\n", work, estimated);
}

static void print(const machine *its, const anypi_run *run, const answer *answers,
                  const estimate *here, const estimate *there, double unknown)
{
    const anyp_shape *nodes = nodes_in(its);
    char *shape = nodes ? anypi_shape_text(nodes) : NULL, model[256];
    int others = 0;
    write_model(its->options, model, sizeof model);
    printf("record: %.4g s of %.4g s in collectives, at most %.4g s of them working\n"
           "%s for %d processes%s%s, scaling %s, %s\n%s\n", run->sum.seconds,
           run->record->seconds, run->sum.work, nodes ? "simulated" : "closed forms", its->p,
           !nodes ? "" : nodes->count > 1 ? " on " : " on 1 node of ",
           shape ? shape : "", scalings[its->scaling], model,
           has_model(its->options) || its->options->given[OPTION_NETWORK] ? ""
           : "These constants are AnyP's defaults. Give those of your machine by --network: they "
           "follow \"network=\" in a\ndecision file of anyp-tune.\n");
    anypi_free(shape);
    printf("%-34s %12s %12s\n", "seconds of a mean process", "usual", "AnyP");
    printf("%6d %-27s %12.4g %12.4g\n", run->record->p, "processes, as recorded",
           here->usual_seconds, here->seconds);
    if (its->p != run->record->p || its->options->nodes)
        printf("%6d %-27s %12.4g %12.4g\n", its->p, "processes", there->usual_seconds,
               there->seconds);
    print_difference(run, here);
    if (unknown > 0)
        printf("%.4g s of the record are left out, since their time is unknown: neighborhoods; "
               "blocks whose sizes only\ntheir processes know%s.\n", unknown, !there->too_many
               ? "" : "; a long bcast by scatter and ring, with too many messages to simulate");
    printf("\n%-42s %7s %10s %8s %10s %-18s %10s\n", "collective", "p", "bytes", "calls", "usual",
           "", "AnyP");
    for (int i = 0; i < run->count; i++) {
        const estimate *its_cost = &answers[i].there;
        if (its_cost->usual && i >= FEW_LINES &&
            fmax(its_cost->usual_seconds, its_cost->seconds) < little * there->usual_seconds)
            others++;
        else
            print_line(run, &answers[i]);
    }
    if (others)
        printf("%d more kinds with less than %g %% each\n", others, 100 * little);
}

static void write_estimate(anypi_json *json, const char *key, const estimate *one)
{
    anypi_json_write(json, "%s:{ p:%d bytes:%g usual:{ algorithm:%s seconds:%g } "
                     "anyp:{ algorithm:%s seconds:%g } }", key, one->p, one->bytes, one->usual,
                     one->usual_seconds, one->choice->name, one->seconds);
}

static void write_json(const machine *its, const anypi_run *run, const answer *answers,
                       const estimate *here, const estimate *there, double unknown)
{
    anypi_json json = { .file = stdout };
    char model[256];
    write_model(its->options, model, sizeof model);
    anypi_json_write(&json, "{ p:%d scaling:%s model:%s recorded:{ p:%d seconds:%g working:%g "
                     "unknown:%g usual:%g anyp:%g } usual:%g anyp:%g kinds:[", its->p,
                     scalings[its->scaling], model, run->record->p, run->sum.seconds, run->sum.work,
                     unknown, here->usual_seconds, here->seconds, there->usual_seconds,
                     there->seconds);
    for (int i = 0; i < run->count; i++) {
        const answer *one = &answers[i];
        anypi_json_write(&json, "{ name:%s calls:%g", anypi_run_name(run, one->line).text,
                         anypi_calls_of_rank(one->line->calls));
        if (one->there.usual) {
            write_estimate(&json, "recorded", &one->here);
            write_estimate(&json, "there", &one->there);
        }
        anypi_json_write(&json, "}");
    }
    anypi_json_write(&json, "] }");
}

/* ---- the command ---- */

static int check_options(const tool_options *options, machine *its)
{
    static const tool_option others[] = {
        OPTION_ROOT, OPTION_PARAM, OPTION_COUNT, OPTION_TYPE_SIZE, OPTION_BYTES, OPTION_UNEVEN,
        OPTION_IN_PLACE, OPTION_GAPS, OPTION_NON_COMMUTATIVE, OPTION_REPRODUCIBLE, OPTION_BEST,
        OPTION_EAGER, OPTION_SKEW, OPTION_LEAF,
    };
    const anyp_call call = { .p = 1 };
    anyp_model model;
    const char *scaling = options->word[OPTION_SCALING];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (options->given[others[i]])
            return anypi_tool_misuse(options, "--%s cannot be combined with --calls: the record "
                                     "describes the calls",
                                     anypi_tool_options[others[i]].name);
    if (options->operands_count)
        return anypi_tool_misuse(options, "unexpected argument '%s': --calls estimates all calls "
                                 "of one record; estimate further records one by one",
                                 options->operands[0]);
    if (options->given[OPTION_NETWORK] && has_model(options))
        return anypi_tool_misuse(options, "give either --network or --alpha, --beta and --gamma, "
                                 "not both");
    if (!anypi_network_read(network_of(options), &call, &model))
        return anypi_tool_misuse(options, "--network %s: expected a list such as %s; see "
                                 "anyp-variables(7)", network_of(options), ANYPI_NETWORK_DEFAULT);
    while (scaling && its->scaling < SCALINGS && strcmp(scaling, scalings[its->scaling]))
        its->scaling++;
    return its->scaling < SCALINGS ? TOOL_GOOD
        : anypi_tool_misuse(options, "--scaling %s: expected fixed, strong or weak", scaling);
}

static bool answer_all(const machine *its, const machine *own, const anypi_run *run)
{
    estimate here = { .p = own->p }, there = { .p = its->p };
    double unknown = 0;
    answer *answers = calloc((size_t) run->count, sizeof *answers);
    bool good = answers;
    for (int i = 0; i < run->count && good; i++) {
        answer *one = &answers[i];
        one->line = &run->lines[i];
        good = estimate_of(own, one->line->calls, &one->here) &&
            estimate_of(its, one->line->calls, &one->there);
        if (!one->here.usual || !one->there.usual)      /* the same calls at both sizes */
            one->here.usual = one->there.usual = NULL;
        there.too_many = there.too_many || one->here.too_many || one->there.too_many;
        unknown += one->there.usual ? 0 : one->line->before.seconds;
        if (!one->there.usual)
            continue;
        here.usual_seconds += one->here.usual_seconds;
        here.seconds += one->here.seconds;
        there.usual_seconds += one->there.usual_seconds;
        there.seconds += one->there.seconds;
    }
    if (good) {
        qsort(answers, (size_t) run->count, sizeof *answers, by_seconds);
        (its->options->given[OPTION_JSON] ? write_json : print)(its, run, answers, &here, &there,
                                                                unknown);
    }
    free(answers);
    return good;
}

int anypi_tool_cost_calls(const tool_options *options)
{
    anypi_record record = { 0 };
    anypi_run run = { 0 };
    char message[1024];
    machine its = { .options = options, .record = &record,
                    .p = (int) options->number[OPTION_PROCESSES] };
    machine own = its;
    int status = check_options(options, &its);
    if (status != TOOL_GOOD)
        return status;
    const anyp_status read = anypi_record_read(&record, options->word[OPTION_CALLS], message,
                                               sizeof message);
    if (read == ANYP_ERR_FILE)
        return anypi_tool_complain(options, TOOL_BAD, "%s", message);
    own.p = record.p;
    if (!options->given[OPTION_PROCESSES])
        its.p = record.p;
    const char *nodes = record.nodes ? record.shapes[record.nodes] : "";
    if (read != ANYP_SUCCESS || anypi_record_join_phases(&record) != ANYP_SUCCESS ||
             !set_nodes(&its, nodes, false) || !set_nodes(&own, nodes, true) ||
             !anypi_run_make(&run, (anypi_run_side) { &record, 1 }, (anypi_run_side) { 0 }, NULL,
                             NULL) ||
             !answer_all(&its, &own, &run))
        status = anypi_tool_status(options, ANYP_ERR_MEMORY);
    anypi_run_free(&run);
    anypi_shape_free(its.nodes);
    anypi_shape_free(own.nodes);
    anypi_record_free(&record);
    return status;
}
