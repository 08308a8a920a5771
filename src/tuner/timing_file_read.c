/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/timing_file.h"

#include "algorithms/network.h"
#include "algorithms/shared/lists.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"
#include "select/jsonc.h"
#include "select/vocabulary.h"
#include "tuner/candidates.h"
#include "options/text_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 3 };             /* places of damaged cells that a message names */
/* Of a vector; a larger number is damage. The bytes of all ranks together fit 64 bits. */
#define MOST_BYTES (INT64_C(1) << 38)

typedef struct joining {
    anypi_plan *plan;
    struct json_object *index[ANYP_COLLECTIVES];    /* of candidates by their texts, which are in
                                                       every cell */
    int files;
    bool mixed;                 /* different machines are allowed */
    struct json_object *heads;  /* of the files so far */
    struct json_object *run;    /* of the first file that contains one */
    const char *run_file;
    bool run_exact;
    const char *file;           /* the one that is being read */
    int good, bad;              /* number of its cells */
    char places[128];           /* of its first bad cells */
    char *message;              /* notes, in lines; at the end perhaps an error instead */
    size_t size;
} joining;

enum { FAILURE, NOTE };

/* Sets the message to a failure, and returns false; or appends a note to it, and returns true. This
 * is one line, whatever the texts from files contain. */
__attribute__((format(printf, 3, 4)))
static bool say(joining *join, int kind, const char *format, ...)
{
    va_list arguments;
    const size_t used = kind == NOTE ? strlen(join->message) : 0;
    char *line = join->message + used;
    if (used + 2 > join->size)
        return true;
    if (used)
        *line++ = '\n';
    va_start(arguments, format);
    vsnprintf(line, (size_t) (join->message + join->size - line), format, arguments);
    va_end(arguments);
    for (; *line; line++)
        *line = *line == '\n' ? ' ' : *line;
    return kind == NOTE;
}

/* Returns the candidate with a text; appends a new one. -1 and a message: it is none, or there are
 * too many. An unknown name is no damage: with another AnyP the whole file is good. */
static int candidate_of(joining *join, anyp_collective collective, const char *text)
{
    struct json_object *known;
    anypi_candidates *candidates = &join->plan->candidates[collective];
    if (json_object_object_get_ex(join->index[collective], text, &known))
        return json_object_get_int(known);
    const int c = anypi_candidates_find(candidates, text);
    if (c >= 0)
        json_object_object_add(join->index[collective], text, json_object_new_int(c));
    else if (candidates->count == ANYPI_MAX_CANDIDATES)
        say(join, FAILURE,
            "%s: too many algorithms and settings for %s; join fewer files", join->file,
            anypi_form_name(collective));
    else
        say(join, FAILURE,
            "%s: AnyP " PACKAGE_VERSION " has no \"%s\"; join it with the AnyP that has "
            "measured it, or measure again", join->file, text);
    return c;
}

bool anypi_cell_read(struct json_object *object, anypi_cell *cell)
{
    struct json_object *collective = anypi_json_member(object, "collective", json_type_string);
    struct json_object *commutative = anypi_json_member(object, "commutative", json_type_boolean);
    struct json_object *bytes = anypi_json_member(object, "bytes", json_type_int);
    if (!collective || !commutative || !bytes)
        return false;
    bool nonblocking;
    const anyp_collective found =
        anypi_collective_of(json_object_get_string(collective), &nonblocking);
    *cell = (anypi_cell) {
        .collective = nonblocking == anypi_form_nonblocking() ? found : ANYP_COLLECTIVES,
        .commutative = json_object_get_boolean(commutative),
        .bytes = json_object_get_int64(bytes),
    };
    return cell->bytes >= 0 && cell->bytes <= MOST_BYTES;
}

/* In seconds. Values beyond are damage, and may break logarithms and sums of the report. */
static const double shortest_time = 1e-12, longest_time = 1e12;

/* Are there times, and are they possible? */
static bool are_times(struct json_object *times)
{
    bool any = false;
    json_object_object_foreach(times, text, list) {
        (void) text;
        const size_t count = json_object_is_type(list, json_type_array)
            ? json_object_array_length(list) : 0;
        any = any || count;
        for (size_t i = 0; i < count; i++) {
            const double time = json_object_get_double(json_object_array_get_idx(list, i));
            if (time > longest_time || (time > 0 && time < shortest_time))
                return false;
        }
    }
    return any;
}

/* Reads how a cell was called; false: this is damaged. */
static bool read_calls(struct json_object *object, anypi_cell *cell)
{
    struct json_object *list, *shape, *stake, *calls;
    double parts[3] = { 0 };
    if (json_object_object_get_ex(object, "arrivals", &list)) {
        if (!json_object_is_type(list, json_type_array))
            return false;
        for (int i = 0; i < 3; i++) {
            parts[i] = json_object_get_double(json_object_array_get_idx(list, (size_t) i));
            if (!(parts[i] >= 0 && parts[i] < longest_time))
                return false;
        }
        cell->arrivals = (anypi_arrivals) {
            parts[0], parts[1], parts[2],
            json_object_get_int(json_object_array_get_idx(list, 3))
        };
    }
    if (json_object_object_get_ex(object, "uneven", &shape)) {
        const char *name = json_object_get_string(shape);
        cell->blocks = anypi_uneven_find(name ? name : "");
    }
    if (json_object_object_get_ex(object, "stake", &stake)) {
        cell->stake = json_object_get_double(stake);
        if (!(cell->stake >= 0 && cell->stake < longest_time))
            return false;
    }
    if (json_object_object_get_ex(object, "program calls", &calls)) {
        cell->program_calls = json_object_get_double(calls);
        if (!(cell->program_calls >= 0 && cell->program_calls < INFINITY))
            return false;
    }
    return cell->blocks < ANYPI_UNEVENS;
}

/* Reads the identity of a cell, whose nodes must then be freed; false if it is none. */
static bool read_cell(struct json_object *object, anypi_cell *cell, anyp_shape **nodes)
{
    const char *reason = NULL;
    struct json_object *p = anypi_json_member(object, "p", json_type_int);
    struct json_object *text = anypi_json_member(object, "nodes", json_type_string);
    struct json_object *times = anypi_json_member(object, "times", json_type_object);
    *nodes = NULL;
    if (!p || !times || !are_times(times) || !anypi_cell_read(object, cell) ||
        !read_calls(object, cell))
        return false;
    cell->p = json_object_get_int(p);
    if (cell->collective >= ANYP_COLLECTIVES || cell->p < 2 ||
        cell->p > ANYPI_MOST_RANKS || cell->bytes < !anypi_has_no_size(cell->collective))
        return false;
    if (text)
        *nodes = anypi_shape_read(json_object_get_string(text), cell->p, &reason);
    return !text || *nodes;
}

/* Reads the times of a candidate; those that were not measured are null. */
static void read_times(struct json_object *list, anypi_cell *cell, anypi_trial *trial)
{
    const int rounds = json_object_is_type(list, json_type_array)
        ? (int) json_object_array_length(list) : 0;
    *trial = (anypi_trial) { .running = true };
    for (int round = 0; round < rounds && round < ANYPI_MAX_ROUNDS; round++) {
        struct json_object *time = json_object_array_get_idx(list, (size_t) round);
        if (time && json_object_get_double(time) > 0)
            trial->times[trial->count++] = json_object_get_double(time);
        cell->rounds = round >= cell->rounds ? round + 1 : cell->rounds;
    }
}

/* Is it the name of one of the MPI library's algorithms? Earlier versions measured them. */
static bool is_others(const char *text)
{
    return strcmp(text, "auto") != 0 &&
        strncmp(text, anypi_form_prefix(), strlen(anypi_form_prefix())) != 0;
}

/* Reads the times of a cell, and makes candidates of all its names, "auto" first. False and a
 * message if that fails. */
static bool fill_cell(joining *join, struct json_object *object, anypi_cell *cell)
{
    const anypi_candidates *candidates = &join->plan->candidates[cell->collective];
    if (candidate_of(join, cell->collective, "auto") != 0)
        return false;
    struct json_object *times = anypi_json_member(object, "times", json_type_object);
    json_object_object_foreach(times, text, list) {
        if (is_others(text))
            continue;
        const int c = candidate_of(join, cell->collective, text);
        if (c < 0)
            return false;
        if (!anypi_cell_trials(cell, candidates->count))
            return say(join, FAILURE, "no memory");
        read_times(list, cell, &cell->trials[c]);
    }
    return true;
}

/* Adds a cell, or replaces an equal one of an earlier file; false: no memory. */
static bool put_cell(anypi_plan *plan, anypi_cell cell)
{
    int i = 0;
    while (i < plan->cells_count && anypi_cell_order(&plan->cells[i], &cell))
        i++;
    if (i == plan->cells_count) {
        anypi_cell *cells = realloc(plan->cells, ((size_t) i + 1) * sizeof *cells);
        if (!cells)
            return false;
        plan->cells = cells;
        plan->cells_count++;
    } else {
        free(plan->cells[i].trials);
    }
    plan->cells[i] = cell;
    return true;
}

/* Reads the networks. Those of an earlier file stay. False: one is no network. */
static bool read_networks(anypi_plan *plan, struct json_object *list)
{
    for (int i = 0; list && i < 2 * ANYPI_NODES_KINDS; i++) {
        char *network = plan->networks[i / 2][i % 2];
        const char *text = json_object_get_string(json_object_array_get_idx(list, (size_t) i));
        int numbers[ANYPI_MAXIMUM_LIST], count;
        if (text && *text &&
            (anypi_list_read(text, numbers, &count) || anypi_network_fault(numbers, count)))
            return false;
        if (text && !*network)
            snprintf(network, ANYPI_NETWORK_SIZE, "%s", text);
    }
    return true;
}

/* Reads the cell of a line and adds it, its p and its nodes to the plan, or counts it as bad. False
 * and a message if the whole cannot be joined. */
static bool take_cell(joining *join, struct json_object *object, int line)
{
    anypi_plan *plan = join->plan;
    anypi_cell cell;
    anyp_shape *nodes;
    if (!read_cell(object, &cell, &nodes)) {
        const size_t used = strlen(join->places);
        if (join->bad++ < SHOWN)
            snprintf(join->places + used, sizeof join->places - used, "%sline %d",
                     used ? ", " : "", line);
        anypi_shape_free(nodes);
        return true;
    }
    if (!fill_cell(join, object, &cell)) {
        free(cell.trials);
        anypi_shape_free(nodes);
        return false;
    }
    bool any = false;           /* there may be only times of the library's algorithms */
    for (int c = 0; cell.trials && c < plan->candidates[cell.collective].count; c++)
        any = any || cell.trials[c].count > 0;
    if (!any) {
        free(cell.trials);
        anypi_shape_free(nodes);
        return true;
    }
    const int index = anypi_plan_add(plan, cell.p, nodes);
    if (index >= 0) {
        plan->measured[index] = plan->wanted[cell.collective] = true;
        cell.nodes = plan->nodes[index];
    }
    if (index < 0 || !put_cell(plan, cell)) {
        free(cell.trials);
        return say(join, FAILURE, index < 0 ? "%s: too many numbers of processes; join fewer files"
                   : "no memory", join->file);
    }
    join->good++;
    return true;
}

/* Reads the lines after the head, which it changes. */
static bool take_lines(joining *join, char *text)
{
    bool good = true;
    strsep(&text, "\n");
    for (int number = 2; good && text && *text; number++) {
        struct json_object *object = json_tokener_parse(strsep(&text, "\n"));
        good = take_cell(join, object, number);
        json_object_put(object);
    }
    return good;
}

/* Does the file belong to the same kind of machine as the others? */
static bool compare_run(joining *join, struct json_object *run, bool exact)
{
    char text[1024] = "";
    if (!run) {
        if (join->files > 1)
            say(join, NOTE, "%s does not say on which machine it was measured; it is joined "
                "nevertheless",
                join->file);
        return true;
    }
    if (!join->run) {
        join->run = run;
        join->run_file = join->file;
        join->run_exact = exact;
        return true;
    }
    const bool same = anypi_same_machine(join->run, join->run_exact, run, exact, text, sizeof text);
    if (!same && !join->mixed)
        return say(join, FAILURE, "%s and %s are from different machines: %s; tune each machine "
                   "separately, or join the times nevertheless with --join --mixed",
                   join->run_file, join->file, text);
    if (!same || *text)
        say(join, NOTE, "%s and %s: %s", join->run_file, join->file, text);
    return true;
}

static bool read_head(joining *join, struct json_object *root, bool first)
{
    anypi_plan *plan = join->plan;
    struct json_object *version = anypi_json_member(root, "anyp-tune", json_type_int);
    struct json_object *only = anypi_json_member(root, "only-anyp", json_type_boolean);
    struct json_object *exact = anypi_json_member(root, "exact", json_type_boolean);
    const int number = version ? json_object_get_int(version) : 0;
    if (number > ANYPI_TIMES_VERSION)
        return say(join, FAILURE,
                   "%s is of a newer AnyP (version %d of the file); join it with the "
                   "anyp-tune of that AnyP", join->file, number);
    if (number < ANYPI_TIMES_VERSION || !only || !exact ||
        !anypi_json_member(root, "cells", json_type_int) ||
        !read_networks(plan, anypi_json_member(root, "networks", json_type_array)))
        return say(join, FAILURE,
                   "%s is not what anyp-tune --save writes, or its first line is damaged; "
                   "measure again", join->file);
    struct json_object *form = anypi_json_member(root, "nonblocking", json_type_boolean);
    const bool nonblocking = form && json_object_get_boolean(form);
    if (!first && nonblocking != anypi_form_nonblocking())
        return say(join, FAILURE,
                   "%s is not of the same forms as the others: join times of nonblocking "
                   "collectives only with each other", join->file);
    anypi_form_set(nonblocking);
    if (!compare_run(join, anypi_json_member(root, "run", json_type_object),
                     json_object_get_boolean(exact)))
        return false;
    plan->only_anyp = (first || plan->only_anyp) && json_object_get_boolean(only);
    plan->exact = (first || plan->exact) && json_object_get_boolean(exact);
    return true;
}

/* Notes what part of the file was left out; false and a message if it is everything. */
static bool report_bad(joining *join, struct json_object *root)
{
    struct json_object *count = anypi_json_member(root, "cells", json_type_int);
    const int missing = count ? json_object_get_int(count) - join->good - join->bad : 0;
    if (!join->good)
        return say(join, FAILURE, "%s has no times that can be read%s%s; measure again", join->file,
                   *join->places ? ", damaged from " : "", join->places);
    if (join->bad)
        say(join, NOTE, "%s: %d of %d cells are damaged and left out: %s%s", join->file, join->bad,
            join->bad + join->good, join->places, join->bad > SHOWN ? " and others" : "");
    if (missing > 0)
        say(join, NOTE, "%s is cut off: %d of its %d cells are missing", join->file, missing,
            json_object_get_int(count));
    return true;
}

/* Reads a file from a text, and keeps its head. */
static bool read_text(joining *join, const char *text, const char *file)
{
    const bool first = !json_object_array_length(join->heads);
    struct json_object *head = json_tokener_parse(text);
    char *lines = strdup(text);
    join->file = file;
    join->good = join->bad = 0;
    *join->places = '\0';
    json_object_array_add(join->heads, head);
    const bool good = lines ? read_head(join, head, first) && take_lines(join, lines) &&
        report_bad(join, head) : say(join, FAILURE, "no memory");
    free(lines);
    return good;
}

bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, bool mixed, struct json_object **heads, char *message,
                      size_t size)
{
    joining join = { .plan = plan, .files = count, .mixed = mixed, .message = message,
                     .size = size, .heads = json_object_new_array() };
    bool good = true;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        join.index[i] = json_object_new_object();
    *message = '\0';
    for (int i = 0; good && i < count; i++) {
        const char *reason;
        char *own = texts ? NULL : anypi_file_read(files[i], &reason);
        if (texts || own)
            good = read_text(&join, texts ? texts[i] : own, files[i]);
        else
            good = say(&join, FAILURE, "cannot read %s: %s", files[i], reason);
        free(own);
    }
    if (plan->cells_count)
        qsort(plan->cells, (size_t) plan->cells_count, sizeof *plan->cells, anypi_cell_order);
    plan->unwanted[0] = plan->unwanted[1] = true;
    for (int i = 0; i < plan->cells_count; i++)
        plan->unwanted[!plan->cells[i].commutative] = false;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        json_object_put(join.index[i]);
    if (heads && good)
        *heads = join.heads;
    else
        json_object_put(join.heads);
    return good;
}

bool anypi_times_resume(anypi_plan *plan, const char *file, struct json_object *run, char *message,
                        size_t size)
{
    char difference[4096];
    struct json_object *heads;
    if (!anypi_times_join(plan, NULL, &file, 1, false, &heads, message, size))
        return false;
    struct json_object *head = json_object_array_get_idx(heads, 0);
    const bool good = anypi_same_run(anypi_json_member(head, "run", json_type_object), run,
                                     difference, sizeof difference);
    if (!good)
        snprintf(message, size, "%s is of another run: %s; repeat the first command, or remove the "
                 "file", file, difference);
    json_object_put(heads);
    return good;
}

const char *anypi_times_origin(struct json_object *head)
{
    struct json_object *origin = anypi_json_member(head, "measured", json_type_string);
    return origin ? json_object_get_string(origin) : "";
}
