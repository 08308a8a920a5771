/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times as a file (--save), and several such files as one plan (--join):
 *
 *   {"anyp-tune": 1, "measured": "...", "only-anyp": false, "exact": false, "nonblocking": false,
 *    "networks": ["1000,500,12500,0", ...],
 *    "cells": [{"collective": "allreduce", "commutative": true, "p": 13, "nodes": "2x5,3",
 *               "bytes": 1024,
 *               "times": {"auto": [seconds, ...], "anyp_butterfly threshold=0 ...": [...]},
 *               "same": {"anyp_butterfly threshold=1024 ...": "anyp_butterfly threshold=0 ..."}}]}
 *
 * Networks are the constants of the machine (algorithms/network.h) of one node, of nodes whose
 * ranks are consecutive, and of others, each for operators that commute and that do not. Files of
 * before have none; of several files, the first that has some gives them.
 * "disturbed": true is for readers: see disturbed.h.
 * A time that was not measured in a round is null. Nodes are there if they matter. Only complete
 * numbers of processes are saved, and after a signal of the last one the collectives that were
 * measured at all sizes. Files of nonblocking collectives ("iallreduce") are joined by
 * themselves.
 */
#include "plan/files.h"

#include "algorithms/network.h"
#include "algorithms/shared/lists.h"
#include "plan/disturbed.h"
#include "plan/form.h"
#include "plan/shapes.h"
#include "schedule/memory.h"
#include "schedule/nodes.h"
#include "select/jsonc.h"
#include "select/vocabulary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

static struct json_object *times_of(const anypi_cell *cell, const anypi_trial *trial)
{
    struct json_object *list = json_object_new_array();
    for (int round = 0; round < cell->rounds; round++) {
        char digits[40];
        const double time = trial->times[round];
        snprintf(digits, sizeof digits, "%.9g", time);
        json_object_array_add(list, round >= trial->count ? NULL
                              : json_object_new_double_s(time, digits));
    }
    return list;
}

static struct json_object *cell_object(const anypi_plan *plan, const anypi_cell *cell)
{
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    struct json_object *object = json_object_new_object(), *times = json_object_new_object();
    struct json_object *same = json_object_new_object();
    json_object_object_add(object, "collective",
                           json_object_new_string(anypi_form_name(cell->collective)));
    json_object_object_add(object, "commutative", json_object_new_boolean(cell->commutative));
    json_object_object_add(object, "p", json_object_new_int(cell->p));
    char *nodes = cell->nodes ? anypi_nodes_text(cell->nodes) : NULL;
    if (nodes)
        json_object_object_add(object, "nodes", json_object_new_string(nodes));
    anypi_free(nodes);
    json_object_object_add(object, "bytes", json_object_new_int64(cell->bytes));
    for (int c = 0; c < cell->candidates; c++) {
        char text[ANYPI_TEXT_SIZE], other[ANYPI_TEXT_SIZE];
        const anypi_trial *trial = &cell->trials[c];
        anypi_candidate_text(&candidates->list[c], text, sizeof text);
        if (trial->count)
            json_object_object_add(times, text, times_of(cell, trial));
        else if (cell->trials[anypi_measured_for(cell, c)].count)
            json_object_object_add(same, text, json_object_new_string(anypi_candidate_text(
                                       &candidates->list[anypi_measured_for(cell, c)], other,
                                       sizeof other)));
    }
    if (anypi_disturbed(cell))
        json_object_object_add(object, "disturbed", json_object_new_boolean(true));
    json_object_object_add(object, "times", times);
    json_object_object_add(object, "same", same);
    return object;
}

static struct json_object *networks_array(const anypi_plan *plan)
{
    struct json_object *list = json_object_new_array();
    for (int kind = 0; kind < ANYPI_NODES_KINDS; kind++)
        for (int operators = 0; operators < 2; operators++)
            json_object_array_add(list, json_object_new_string(plan->networks[kind][operators]));
    return list;
}

char *anypi_times_write(const anypi_plan *plan, const char *origin)
{
    struct json_object *root = json_object_new_object(), *cells = json_object_new_array();
    json_object_object_add(root, "anyp-tune", json_object_new_int(1));
    json_object_object_add(root, "measured", json_object_new_string(origin));
    json_object_object_add(root, "only-anyp", json_object_new_boolean(plan->only_anyp));
    json_object_object_add(root, "exact", json_object_new_boolean(plan->exact));
    json_object_object_add(root, "nonblocking", json_object_new_boolean(anypi_form_nonblocking()));
    json_object_object_add(root, "networks", networks_array(plan));
    for (int i = 0; i < plan->cells_count; i++)
        if (anypi_plan_saves(plan, &plan->cells[i]))
            json_object_array_add(cells, cell_object(plan, &plan->cells[i]));
    json_object_object_add(root, "cells", cells);
    const char *text = json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY);
    char *copy = text ? strdup(text) : NULL;
    json_object_put(root);
    return copy;
}

/* ---- joining ---- */

typedef struct joining {
    anypi_plan *plan;
    struct json_object *index[ANYP_COLLECTIVES];    /* of candidates by their texts, which are in
                                                       every cell */
} joining;

/* The candidate with a text; a new one is appended. -1: none, or there are too many. */
static int candidate_of(joining *join, anyp_collective collective, const char *text)
{
    struct json_object *known;
    if (json_object_object_get_ex(join->index[collective], text, &known))
        return json_object_get_int(known);
    const int c = anypi_candidates_find(&join->plan->candidates[collective], collective,
                                        text);
    if (c >= 0)
        json_object_object_add(join->index[collective], text, json_object_new_int(c));
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
    return true;
}

/* Reads the nodes of a cell, and adds its p and nodes to the plan; false if they are wrong, or
 * there are too many. */
static bool read_nodes(anypi_plan *plan, struct json_object *object, anypi_cell *cell)
{
    const char *reason = NULL;
    struct json_object *text = anypi_json_member(object, "nodes", json_type_string);
    anyp_nodes *nodes = text
        ? anypi_nodes_read(json_object_get_string(text), cell->p, &reason) : NULL;
    const int index = reason ? -1 : anypi_plan_add(plan, cell->p, nodes);
    if (index < 0)
        return false;
    plan->complete[index] = true;
    cell->nodes = plan->nodes[index];
    return true;
}

/* Reads the identity of a cell; false if it is none. */
static bool read_cell(anypi_plan *plan, struct json_object *object, anypi_cell *cell)
{
    struct json_object *p = anypi_json_member(object, "p", json_type_int);
    if (!p || !anypi_json_member(object, "times", json_type_object) ||
        !anypi_cell_read(object, cell))
        return false;
    cell->p = json_object_get_int(p);
    return cell->collective < ANYP_COLLECTIVES && cell->p >= 2 && cell->bytes >= 1 &&
        read_nodes(plan, object, cell);
}

/* Makes candidates of all names in a cell, "auto" first; false if one is none. */
static bool read_names(joining *join, struct json_object *object, anyp_collective collective)
{
    const char *const parts[] = { "times", "same" };
    if (candidate_of(join, collective, "auto") != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        struct json_object *part = anypi_json_member(object, parts[i], json_type_object);
        if (!part)
            continue;
        json_object_object_foreach(part, text, value) {
            (void) value;
            if (candidate_of(join, collective, text) < 0)
                return false;
        }
    }
    return true;
}

/* Reads the times of a candidate; those that were not measured are null. */
static void read_times(struct json_object *list, anypi_cell *cell, anypi_trial *trial)
{
    const int rounds = json_object_is_type(list, json_type_array)
        ? (int) json_object_array_length(list) : 0;
    *trial = (anypi_trial) { .state = ANYPI_RUNNING };
    for (int round = 0; round < rounds && round < ANYPI_MAX_ROUNDS; round++) {
        struct json_object *time = json_object_array_get_idx(list, (size_t) round);
        if (time && json_object_get_double(time) > 0)
            trial->times[trial->count++] = json_object_get_double(time);
        cell->rounds = round >= cell->rounds ? round + 1 : cell->rounds;
    }
}

static bool fill_cell(joining *join, struct json_object *object, anypi_cell *cell)
{
    if (!read_names(join, object, cell->collective) ||
        !anypi_cell_trials(cell, join->plan->candidates[cell->collective].count))
        return false;
    struct json_object *times = anypi_json_member(object, "times", json_type_object);
    json_object_object_foreach(times, text, list)
        read_times(list, cell, &cell->trials[candidate_of(join, cell->collective, text)]);
    struct json_object *same = anypi_json_member(object, "same", json_type_object);
    if (!same)
        return true;
    json_object_object_foreach(same, name, other) {
        const int c = candidate_of(join, cell->collective, json_object_get_string(other));
        const int own = candidate_of(join, cell->collective, name);
        if (c < 0 || c >= cell->candidates)
            return false;
        if (cell->trials[c].state == ANYPI_RUNNING)
            cell->trials[own] = (anypi_trial) { .state = ANYPI_SAME, .same = c };
    }
    return true;
}

/* Adds a cell, or replaces an equal one of an earlier file. */
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

/* Those of an earlier file stay. False: one is no network. */
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

static bool read_head(anypi_plan *plan, struct json_object *root, bool first)
{
    struct json_object *version = anypi_json_member(root, "anyp-tune", json_type_int);
    struct json_object *only = anypi_json_member(root, "only-anyp", json_type_boolean);
    struct json_object *exact = anypi_json_member(root, "exact", json_type_boolean);
    if (!version || json_object_get_int(version) != 1 || !only || !exact)
        return false;
    struct json_object *form = anypi_json_member(root, "nonblocking", json_type_boolean);
    const bool nonblocking = form && json_object_get_boolean(form);
    if (!first && nonblocking != anypi_form_nonblocking())
        return false;
    anypi_form_set(nonblocking);
    if (!read_networks(plan, anypi_json_member(root, "networks", json_type_array)))
        return false;
    plan->only_anyp = (first || plan->only_anyp) && json_object_get_boolean(only);
    plan->exact = (first || plan->exact) && json_object_get_boolean(exact);
    return true;
}

static bool read_file(joining *join, struct json_object *root, bool first)
{
    struct json_object *list = anypi_json_member(root, "cells", json_type_array);
    if (!list || !read_head(join->plan, root, first))
        return false;
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        struct json_object *object = json_object_array_get_idx(list, i);
        anypi_cell cell;
        if (!read_cell(join->plan, object, &cell))
            return false;
        join->plan->wanted[cell.collective] = true;
        if (!fill_cell(join, object, &cell) || !put_cell(join->plan, cell)) {
            free(cell.trials);
            return false;
        }
    }
    return true;
}

bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, char *message, size_t size)
{
    int bad = -1;
    bool good = true;
    joining join = { .plan = plan };
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        join.index[i] = json_object_new_object();
    while (good && ++bad < count) {
        struct json_object *root = json_tokener_parse(texts[bad]);
        good = read_file(&join, root, !bad);
        json_object_put(root);
    }
    if (plan->cells_count)
        qsort(plan->cells, (size_t) plan->cells_count, sizeof *plan->cells, anypi_cell_order);
    if (!good)
        snprintf(message, size, "%s is not what anyp-tune --save writes, or names what MPICH %s "
                 "lacks (--mpich says whose names are meant), or is nonblocking and others are "
                 "not, or there are too many candidates or numbers of processes; measure "
                 "there again",
                 files[bad < count ? bad : 0],
                 anypi_mpich_now()->release);
    plan->unwanted[0] = plan->unwanted[1] = true;
    for (int i = 0; i < plan->cells_count; i++)
        plan->unwanted[!plan->cells[i].commutative] = false;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        json_object_put(join.index[i]);
    return good;
}

void anypi_times_free(char **texts, int count)
{
    for (int i = 0; texts && i < count; i++)
        free(texts[i]);
    free(texts);
}

char **anypi_times_read(anypi_plan *plan, const char *const *files, int count, char *message,
                        size_t size)
{
    char **texts = calloc((size_t) count, sizeof *texts);
    bool good = texts;
    if (!good)
        snprintf(message, size, "no memory");
    for (int i = 0; good && i < count; i++) {
        const char *reason;
        texts[i] = anypi_file_read(files[i], &reason);
        good = texts[i];
        if (!good)
            snprintf(message, size, "cannot read %s: %s", files[i], reason);
    }
    if (good && anypi_times_join(plan, (const char *const *) texts, files, count, message, size))
        return texts;
    anypi_times_free(texts, count);
    return NULL;
}

char *anypi_times_origin(const char *text)
{
    struct json_object *root = json_tokener_parse(text);
    struct json_object *origin = anypi_json_member(root, "measured", json_type_string);
    char *copy = strdup(origin ? json_object_get_string(origin) : "");
    json_object_put(root);
    return copy;
}
