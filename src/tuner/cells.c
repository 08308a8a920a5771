/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/cells.h"

#include "tuner/candidates.h"
#include "tuner/node_shapes.h"
#include "record/record.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "algorithms/network.h"
#include "algorithms/settle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool anypi_list_insert(int64_t list[ANYPI_MAX_LIST], int *count, int64_t number)
{
    int index = 0;
    while (index < *count && list[index] < number)
        index++;
    if (index < *count && list[index] == number)
        return true;
    if (*count == ANYPI_MAX_LIST)
        return false;
    memmove(&list[index + 1], &list[index], (size_t) (*count - index) * sizeof *list);
    list[index] = number;
    (*count)++;
    return true;
}

int anypi_default_procs(int max, int procs[ANYPI_MAX_LIST])
{
    int count = 0, p = 2;
    while (p < max && p <= 1 << 24) {
        const bool power = (p & (p - 1)) == 0;
        procs[count++] = p;
        p = p < 4 ? p + 1 : power ? p + p / 2 : p / 3 * 4;
    }
    if (max > 1)
        procs[count++] = max;
    return count;
}

/* ---- nodes ---- */

int anypi_plan_add(anypi_plan *plan, int p, anyp_shape *nodes)
{
    int index = plan->procs_count, order = -1;
    while (index > 0) {
        order = anypi_nodes_order(plan->nodes[index - 1], nodes);
        order = order ? order : plan->procs[index - 1] - p;
        if (order <= 0)
            break;
        index--;
    }
    if (index > 0 && !order) {
        anypi_shape_free(nodes);
        return index - 1;
    }
    if (plan->procs_count == ANYPI_MAX_LIST) {
        anypi_shape_free(nodes);
        return -1;
    }
    for (int i = plan->procs_count++; i > index; i--) {
        plan->procs[i] = plan->procs[i - 1];
        plan->nodes[i] = plan->nodes[i - 1];
        plan->measured[i] = plan->measured[i - 1];
    }
    plan->procs[index] = p;
    plan->nodes[index] = nodes;
    plan->measured[index] = false;
    return index;
}

/* Adds the first p ranks of the world. */
static anyp_status add_part(anypi_plan *plan, const anyp_shape *world, bool parts, int p)
{
    const bool known = parts || p == anypi_shape_ranks(world);
    anyp_shape *nodes = known ? anypi_nodes_part(world, p) : NULL;
    if (known && !nodes)
        return ANYP_ERR_MEMORY;
    if (known && (nodes->count == 1 || anypi_shape_mean(nodes) == 1)) {
        anypi_shape_free(nodes);
        nodes = NULL;
    }
    anypi_plan_add(plan, p, nodes);
    return ANYP_SUCCESS;
}

anyp_status anypi_plan_nodes(anypi_plan *plan, const anyp_shape *world, bool parts)
{
    int procs[ANYPI_MAX_LIST], on_one[ANYPI_MAX_LIST], whole[ANYPI_MAX_LIST];
    const int asked = plan->procs_count;
    anyp_status status = ANYP_SUCCESS;
    memcpy(procs, plan->procs, sizeof procs);
    plan->procs_count = 0;
    for (int i = 0; i < asked && status == ANYP_SUCCESS; i++)
        status = add_part(plan, world, parts, procs[i]);
    if (asked || !parts)
        return asked ? status : add_part(plan, world, parts, anypi_shape_ranks(world));
    /* first those with most ranks, in case there are too many */
    const int nodes = anypi_default_procs(world->count, whole);
    for (int i = nodes - 1; i >= 0 && status == ANYP_SUCCESS; i--)
        status = add_part(plan, world, true, anypi_shape_first(world, whole[i]));
    const int few = anypi_default_procs(anypi_shape_size(world, 0), on_one);
    for (int i = few - 1; i >= 0 && status == ANYP_SUCCESS; i--)
        status = add_part(plan, world, true, on_one[i]);
    return status;
}

int anypi_plan_measured(const anypi_plan *plan)
{
    int measured = 0;
    for (int i = 0; i < plan->procs_count; i++)
        measured += plan->measured[i];
    return measured;
}

/* ---- cells ---- */

const char *anypi_operator(anyp_collective collective, bool commutative)
{
    return anypi_has_no_data(collective) ? "no data" : anypi_moves(collective) ? "data"
        : commutative ? "sum" : "matrix product";
}

anypi_text anypi_cell_text(const anypi_cell *cell)
{
    anypi_text all;
    const anypi_text procs = anypi_procs_text(cell->p, cell->nodes);
    const char *name = anypi_form_name(cell->collective);
    if (anypi_has_no_size(cell->collective))
        snprintf(all.text, sizeof all.text, "%.255s, %s", procs.text, name);
    else
        snprintf(all.text, sizeof all.text, "%.255s, %s, %s, %lld bytes", procs.text, name,
                 anypi_operator(cell->collective, cell->commutative), (long long) cell->bytes);
    return all;
}

bool anypi_plan_has(const anypi_plan *plan, int collective, int operators)
{
    return plan->wanted[collective] && (anypi_moves((anyp_collective) collective)
                                        ? operators == 0 : !plan->unwanted[operators]);
}

static int64_t element_size(const anypi_cell *cell)
{
    return cell->commutative ? ANYPI_SUM_SIZE : ANYPI_MATRIX_SIZE;
}

int64_t anypi_cell_count(const anypi_cell *cell)
{
    const int64_t parts = anypi_has_blocks(cell->collective) ? cell->p : 1;
    const int64_t each = cell->bytes / (element_size(cell) * parts);
    return anypi_has_no_size(cell->collective) ? 0 : parts * (each > 0 ? each : 1);
}

bool anypi_cell_in_row(const anypi_cell *cell)
{
    return cell->stake > 0 && anypi_waits_for_all((int) cell->collective);
}

anyp_call anypi_cell_call(const anypi_cell *cell)
{
    const int64_t size = element_size(cell);
    const bool moves = anypi_moves(cell->collective);   /* bytes */
    return (anyp_call) { .collective = cell->collective, .p = cell->p,
                         .count = anypi_cell_count(cell) * (moves ? size : 1),
                         .type_size = moves ? 1 : size,
                         .commutative = cell->commutative, .nodes = cell->nodes };
}

void anypi_candidate_settle(const anypi_cell *cell, anypi_candidate *candidate)
{
    const anyp_call call = anypi_cell_call(cell);
    int settled[ANYP_MAX_PARAMETERS];
    const char *reason;
    if (!anypi_candidate_automatic(candidate))
        return;
    anypi_settle(candidate->algorithm, &call, candidate->parameters, settled);
    anyp_parameter_set(candidate->algorithm, settled, "network", "default", &reason);
    memcpy(candidate->parameters, settled, sizeof settled);
}

int anypi_cell_order(const void *one, const void *other)
{
    const anypi_cell *a = one, *b = other;
    const int nodes = anypi_nodes_order(a->nodes, b->nodes);
    if (nodes)
        return nodes;
    if (a->p != b->p)
        return a->p - b->p;
    if (a->collective != b->collective)
        return (int) a->collective - (int) b->collective;
    if (a->commutative != b->commutative)
        return b->commutative - a->commutative;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

bool anypi_cell_alike(const anypi_cell *one, const anypi_cell *other)
{
    return one->p == other->p && one->collective == other->collective &&
        one->commutative == other->commutative && !anypi_nodes_order(one->nodes, other->nodes);
}

bool anypi_cell_trials(anypi_cell *cell, int candidates)
{
    anypi_trial *trials = realloc(cell->trials, (size_t) candidates * sizeof *trials);
    if (!trials)
        return false;
    cell->trials = trials;
    if (candidates > cell->candidates)
        memset(trials + cell->candidates, 0,
               (size_t) (candidates - cell->candidates) * sizeof *trials);
    cell->candidates = candidates;
    return true;
}

int anypi_cell_running(const anypi_cell *cell)
{
    int running = 0;
    for (int c = 0; c < cell->candidates; c++)
        running += cell->trials[c].running;
    return running;
}

/* Makes a cell's trials: the candidates that serve the cell are running. */
static anyp_status make_trials(const anypi_plan *plan, anypi_cell *cell)
{
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    const anyp_call call = anypi_cell_call(cell);
    if (!anypi_cell_trials(cell, candidates->count))
        return ANYP_ERR_MEMORY;
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate = &candidates->list[c];
        const char *reason;
        const anyp_status status = candidate->algorithm
            ? anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason)
            : ANYP_SUCCESS;
        if (status != ANYP_SUCCESS && status != ANYP_ERR_NOT_APPLICABLE)
            return status;
        cell->trials[c].running = status == ANYP_SUCCESS && (c || !plan->only_anyp);
    }
    return ANYP_SUCCESS;
}

/* ---- plans ---- */

anyp_status anypi_plan_candidates(anypi_plan *plan, const anypi_cvars *cvars)
{
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const bool unknown = anypi_has_local_sizes((anyp_collective) i) && !plan->forms;
        const bool makes = plan->wanted[i] && !unknown && status == ANYP_SUCCESS;
        if (makes)
            status = anypi_candidates_make(&plan->candidates[i], (anyp_collective) i, cvars,
                                           plan->reference);
        plan->wanted[i] = makes && plan->candidates[i].count > 1;
    }
    return status;
}

/* Does the plan want the cell? If so, sets its stake, arrivals and blocks. */
static bool is_wanted(const anypi_plan *plan, anypi_cell *cell)
{
    for (int i = 0; i < plan->only_count; i++) {
        const anypi_cell *its = &plan->only[i];
        if (its->collective == cell->collective && its->p == cell->p &&
            its->commutative == cell->commutative &&
            (its->bytes == cell->bytes || anypi_has_no_size(cell->collective))) {
            cell->stake = its->stake;
            cell->program_calls = its->program_calls;
            cell->arrivals = its->arrivals;
            cell->blocks = its->blocks;
            return true;
        }
    }
    return !plan->only;
}

/* Is it the same call as the cell before? */
static bool is_same(const anypi_cell *before, const anypi_cell *cell)
{
    return anypi_cell_alike(before, cell) &&
        (anypi_has_no_size(cell->collective) ||
         (anypi_has_blocks(cell->collective) &&
          anypi_cell_count(before) == anypi_cell_count(cell)));
}

static anyp_status make_cell(anypi_plan *plan, anypi_cell cell)
{
    anypi_cell *before = plan->cells_count ? &plan->cells[plan->cells_count - 1] : NULL;
    anyp_status status = ANYP_SUCCESS;
    if (!is_wanted(plan, &cell))
        return ANYP_SUCCESS;
    if (anypi_has_no_size(cell.collective))
        cell.bytes = 0;
    else if (anypi_has_blocks(cell.collective) && cell.bytes < element_size(&cell) * cell.p)
        cell.bytes = element_size(&cell) * cell.p;
    if (before && is_same(before, &cell)) {
        if (!anypi_has_no_size(cell.collective)) {
            before->stake += cell.stake;
            before->program_calls += cell.program_calls;
        }
        return ANYP_SUCCESS;
    }
    if (plan->follows)
        cell.candidates = plan->candidates[cell.collective].count;
    else
        status = make_trials(plan, &cell);
    plan->cells[plan->cells_count++] = cell;
    return status;
}

anyp_status anypi_plan_cells(anypi_plan *plan)
{
    const size_t max = (size_t) plan->procs_count * ANYP_COLLECTIVES * 2 *
        (size_t) plan->sizes_count;
    plan->cells = calloc(max, sizeof *plan->cells);
    plan->cells_count = 0;
    anyp_status status = plan->cells ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int i = 0; i < plan->procs_count; i++)
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
            for (int operators = 0; operators < 2; operators++)
                for (int size = 0; status == ANYP_SUCCESS && size < plan->sizes_count &&
                     anypi_plan_has(plan, collective, operators); size++)
                    status = make_cell(plan, (anypi_cell) {
                                           .collective = (anyp_collective) collective,
                                           .commutative = !operators, .p = plan->procs[i],
                                           .nodes = plan->nodes[i], .procs = i,
                                           .bytes = plan->sizes[size] });
    return status;
}

int anypi_plan_drop(anypi_plan *plan)
{
    const int count = plan->cells_count;
    plan->cells_count = 0;
    for (int i = 0; i < count; i++)
        if (plan->cells[i].passed)
            plan->cells[plan->cells_count++] = plan->cells[i];
        else
            free(plan->cells[i].trials);
    return count - plan->cells_count;
}

void anypi_plan_free(anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++)
        free(plan->cells[i].trials);
    free(plan->cells);
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        free(plan->candidates[i].list);
        plan->candidates[i] = (anypi_candidates) { .list = NULL };
    }
    for (int i = 0; i < plan->procs_count; i++)
        anypi_shape_free(plan->nodes[i]);
    plan->cells = NULL;
    plan->cells_count = plan->procs_count = 0;
}

const char *anypi_cell_network(const anypi_plan *plan, const anypi_cell *cell)
{
    return plan->networks[anypi_nodes_kind(cell->nodes)][!cell->commutative];
}
