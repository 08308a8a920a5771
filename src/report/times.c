/* SPDX-License-Identifier: BSD-3-Clause
 *
 * times.c - writes measurements as data of the page: groups of cells that share a map (a
 * collective, a kind of operator and a kind of nodes), in them rows of cells that differ only in
 * their sizes, and in each cell the times of its candidates.
 */
#include "report/times.h"

#include "algorithms/settle.h"
#include "algorithms/network.h"
#include "schedule/collectives.h"
#include "select/jsonc.h"
#include "tuner/node_shapes.h"
#include "tuner/noise.h"
#include "tuner/timing_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { GROUPS = ANYP_COLLECTIVES * 2 * ANYPI_NODES_KINDS };

static int group_of(const anypi_cell *cell)
{
    return (2 * (int) cell->collective + !cell->commutative) * ANYPI_NODES_KINDS +
        anypi_nodes_kind(cell->nodes);
}

/* Returns the prediction for a candidate, in seconds; INFINITY if there is none. */
static double predicted(const anypi_plan *plan, const anypi_cell *cell, int c)
{
    const anypi_candidate *candidate = anypi_candidate_of(plan, cell, c);
    const anyp_call call = anypi_cell_call(cell);
    anyp_model model;
    const char *reason;
    int settled[ANYP_MAX_PARAMETERS];
    if (!anypi_network_read(anypi_cell_network(plan, cell), &call, &model) ||
        anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason) !=
        ANYP_SUCCESS)
        return INFINITY;
    return anypi_settle_by(candidate->algorithm, &call, &model, candidate->parameters, settled);
}

/* Writes a candidate's time and the interval of its median, and a prediction for the fastest one of
 * an algorithm. "algorithm" is its place in the registry, which gives its letter, colour and
 * shape. */
static void write_candidate(anypi_json *json, const anypi_plan *plan, const anypi_cell *cell, int c)
{
    int count;
    const anypi_candidate *candidate = anypi_candidate_of(plan, cell, c);
    const anyp_algorithm *algorithm = c ? candidate->algorithm : NULL;
    anypi_json_write(json, "{ number:%d name:%s time:%g rounds:%d", c,
                     c ? anypi_candidate_text(candidate).text : "MPI library's choice",
                     anypi_time(cell, c), cell->trials[c].count);
    if (cell->trials[c].count) {
        const anypi_interval interval = anypi_trial_interval(cell, c);
        anypi_json_write(json, "median:%g low:%g high:%g shortest:%g", interval.median,
                         interval.low, interval.high, anypi_shortest(cell, c));
    }
    if (algorithm)
        anypi_json_write(json, "algorithm:%d", (int) (algorithm - anyp_algorithms(&count)));
    if (algorithm && cell->trials[c].count && c == anypi_fastest_of(plan, cell, algorithm)) {
        const double time = predicted(plan, cell, c);
        if (time > 0 && time < INFINITY)
            anypi_json_write(json, "predicted:%g", time);
    }
    anypi_json_write(json, "}");
}

/* Writes a cell. "best" is the choice or, if the library's is chosen, AnyP's best (0: none);
 * "gain", the library's time divided by the time of "best", is missing without both. */
static void write_cell(anypi_json *json, const anypi_plan *plan, const anypi_cell *cell,
                       double margin)
{
    const int best = cell->choice ? cell->choice : anypi_fastest_of(plan, cell, NULL);
    anypi_json_write(json, "{ bytes:%" PRId64 " rounds:%d choice:%d best:%d anyp:%hhd",
                     cell->bytes, cell->rounds, cell->choice, best,
                     anypi_is_anyp(plan, cell, cell->choice));
    if (best && anypi_time(cell, 0) < INFINITY && anypi_time(cell, best) < INFINITY) {
        const double ratio = anypi_ratio(cell, best);
        const bool faster = plan->exact ? ratio < 1
            : anypi_significantly_faster(cell, best, margin);
        const bool slower = plan->exact ? ratio > 1
            : anypi_significantly_slower(cell, best, margin);
        anypi_json_write(json, "gain:%g faster:%hhd slower:%hhd", 1 / ratio, faster, slower);
    }
    anypi_json_write(json, "candidates:[");
    for (int c = 0; c < cell->candidates; c++)
        if (anypi_time(cell, c) < INFINITY)
            write_candidate(json, plan, cell, c);
    anypi_json_write(json, "] }");
}

/* Writes what a file says about its run: the text of its origin, and each value of "run". */
static void write_origin(anypi_json *json, const char *file, const char *text)
{
    struct json_object *root = json_tokener_parse(text);
    struct json_object *run = anypi_json_member(root, "run", json_type_object);
    char *origin = anypi_times_origin(text);
    anypi_json_write(json, "{ name:%s origin:%s run:[", file, origin ? origin : "");
    if (run) {
        json_object_object_foreach(run, name, value) {
            const char *shown = value ? json_object_get_string(value) : NULL;
            anypi_json_write(json, "[ %s %s ]", name, shown ? shown : "");
        }
    }
    anypi_json_write(json, "] }");
    free(origin);
    json_object_put(root);
}

void anypi_times_data(anypi_json *json, const anypi_plan *plan, const anypi_choosing *how,
                      const char *const *files, char *const *texts, int count)
{
    static const char *const kinds[] = { ", one node", ", several nodes, consecutive ranks",
                                         ", several nodes, ranks in other orders" };
    int algorithms;
    const anyp_algorithm *list = anyp_algorithms(&algorithms);
    bool nodes = false;
    for (int i = 0; i < plan->procs_count; i++)
        nodes |= plan->nodes[i] != NULL;
    anypi_json_write(json, "exact:%hhd margin:%g files:[", plan->exact, how->margin);
    for (int i = 0; i < count; i++)
        write_origin(json, files[i], texts[i]);
    anypi_json_write(json, "] algorithms:[");
    for (int i = 0; i < algorithms; i++)
        anypi_json_write(json, "%s", list[i].name);
    anypi_json_write(json, "] groups:[");
    for (int group = 0; group < GROUPS; group++) {
        const anypi_cell *before = NULL;
        for (int i = 0; i < plan->cells_count; i++) {
            const anypi_cell *cell = &plan->cells[i];
            if (!cell->rounds || group_of(cell) != group)
                continue;
            if (!before)
                anypi_json_write(json, "{ collective:%s operator:%s moves:%hhd nodes:%s sizes:%hhd "
                                 "network:%s rows:[", anypi_form_name(cell->collective),
                                 anypi_operator(cell->collective, cell->commutative),
                                 anypi_moves(cell->collective),
                                 nodes ? kinds[anypi_nodes_kind(cell->nodes)] : "",
                                 (bool) !anypi_has_no_data(cell->collective),
                                 anypi_cell_network(plan, cell));
            if (!before || !anypi_cell_alike(before, cell))
                anypi_json_write(json, before ? "] } { p:%d at:%s cells:[" : "{ p:%d at:%s cells:[",
                                 cell->p, anypi_procs_text(cell->p, cell->nodes).text);
            write_cell(json, plan, cell, how->margin);
            before = cell;
        }
        if (before)
            anypi_json_write(json, "] } ] }");
    }
    anypi_json_write(json, "]");
}
