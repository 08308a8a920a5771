/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Before the cells of each p, measures alpha, beta, gamma and overhead. Candidates that are
 * hopeless in a cell by their closed forms are not run there.
 */
#include "measure/measure.h"

#include "measure/budget.h"
#include "measure/command.h"
#include "measure/results.h"
#include "measure/search.h"

#include "algorithms/network.h"
#include "tuner/cells.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>

static const anypi_selection everything = { .max = ANYPI_MAX_CANDIDATES, .hopeless = INFINITY,
                                            .close = INFINITY, .fine = true };

/* Returns the strategy, which is known once a communicator is open. */
static const anypi_search *search_of(const anypi_session *session)
{
    return session->plan->exact ? &anypi_search_climb : &anypi_search_race;
}

/* Adds a candidate to the race. */
static bool take(void *context, anypi_cell *cell, const anypi_candidate *candidate)
{
    anypi_session *session = context;
    const int c = anypi_command_add(session, cell, candidate);
    if (c >= 0)
        cell->trials[c].state = ANYPI_RUNNING;
    else if (!session->full)
        fprintf(stderr, "anyp-tune: too many algorithms and settings, or no memory; some are not "
                "measured; name fewer --sizes or --procs\n");
    session->full = session->full || c < 0;
    return c >= 0;
}

/* Adds the setting that an "auto" candidate becomes. */
static int add(void *context, anypi_cell *cell, const anypi_candidate *candidate)
{
    anypi_session *session = context;
    const int c = anypi_command_add(session, cell, candidate);
    /* over nodes, simulations have chosen among the algorithms that do not use them */
    if (c >= 0 && cell->trials[c].state != ANYPI_FAILED && cell->trials[c].state != ANYPI_SAME &&
        (!cell->nodes || anypi_candidate_uses_nodes(candidate->algorithm)))
        cell->trials[c].state = ANYPI_RUNNING;
    return c >= 0 && cell->trials[c].state == ANYPI_SAME ? cell->trials[c].same : c;
}

static bool search_ends(const void *context)
{
    const anypi_session *session = context;
    return anypi_interrupted(session) || anypi_elapsed(session) > session->search_end;
}

/* Finds AnyP's candidates of a cell with nodes. */
static void search_nodes(anypi_session *session, anypi_cell *cell, anypi_selection selection)
{
    const anypi_taking taking = { take, search_ends, session };
    const double begin = anypi_elapsed(session);
    anypi_budget_search(session, cell);
    anypi_prune_nodes(cell, &session->plan->candidates[cell->collective],
                      &session->models[!cell->commutative], selection, &taking);
    session->search_seconds += anypi_elapsed(session) - begin;
}

/* The first pass over a cell; false: out of time. */
static bool first_pass(anypi_session *session, anypi_cell *cell)
{
    anypi_plan *plan = session->plan;
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    const anypi_search *search = search_of(session);
    anypi_prune_hopeless(plan, cell, ANYPI_MIN_SECONDS);
    if (!session->options->all)          /* half of the time is for AnyP */
        anypi_prune_library(plan, cell, anypi_affordable(session, cell) / 2);
    const anyp_model *model = &session->models[!cell->commutative];
    const anypi_selection selection = session->options->all ? everything
        : search->selection(session, cell);
    if (cell->nodes)
        search_nodes(session, cell, selection);
    anypi_automatic_take(plan, cell, add, session);
    anypi_prune_messages(cell, candidates, plan->max_messages);
    if (!cell->nodes)
        anypi_prune(cell, candidates, model, selection);
    return !anypi_out_of_time(session) && search->first_pass(session, cell);
}

/* Sets the constants for parameters that are "auto". The first p of a kind of nodes, which is the
 * largest, sets them for all others. */
static void set_networks(anypi_session *session, const anyp_shape *nodes)
{
    for (int operators = 0; operators < 2; operators++) {
        char *text = session->plan->networks[anypi_nodes_kind(nodes)][operators];
        if (!*text)
            anypi_network_of_model(&session->models[operators], text, ANYPI_NETWORK_SIZE);
    }
}

/* The first pass over all cells of a p; false: out of time. */
static bool first_passes(anypi_session *session, int index)
{
    const anypi_plan *plan = session->plan;
    anypi_command_open(session, index);
    anypi_progress_shared(session);
    set_networks(session, session->plan->nodes[index]);
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        if (anypi_budget_is_of(plan, cell, index))
            cell->promise = anypi_promise(cell, &plan->candidates[cell->collective],
                                          &session->models[!cell->commutative]);
    }
    for (anypi_cell *cell; (cell = anypi_budget_next(plan, index));) {
        const double begin = anypi_elapsed(session), searched = session->search_seconds;
        if (!first_pass(session, cell))
            return false;
        cell->passed = true;
        session->pass_seconds += anypi_elapsed(session) - begin -
            (session->search_seconds - searched);
        for (int c = 0; c < cell->candidates; c++)
            session->pass_candidates += cell->trials[c].count > 0;
    }
    return true;
}

/* With --calls: removes the cells for which there was no time, so that closed forms choose there.
 * The measured cells need no others. */
static void leave_out(anypi_session *session)
{
    anypi_plan *plan = session->plan;
    const char *const save = session->options->save;
    const int all = plan->cells_count;
    double stake = 0;
    for (int i = 0; i < all; i++)
        stake += plan->cells[i].passed ? 0 : plan->cells[i].stake;
    session->left_out = anypi_plan_drop(plan);
    if (session->left_out)
        fprintf(stderr, "anyp-tune: there was time for %d of %d kinds of calls; closed forms "
                "choose for the others, with %.3g s at stake; %s%s\n", all - session->left_out,
                all, stake, save ? "continue with a larger --budget and --resume "
                : "increase --budget", save ? save : "");
    for (int i = 0; i < plan->cells_count; i++)
        for (int k = 0; k < plan->procs_count; k++)
            plan->complete[k] |= anypi_budget_is_of(plan, &plan->cells[i], k);
}

/* Leads the measurement on rank 0. */
static bool lead(anypi_session *session, void *context)
{
    (void) context;
    anypi_plan *plan = session->plan;
    int order[ANYPI_MAX_LIST];
    bool time_left = true, all = true;
    anypi_budget_procs(plan, order);
    for (int i = 0; time_left && i < plan->procs_count; i++) {
        if (!anypi_budget_share(session, order, i))
            break;
        plan->complete[order[i]] = time_left = first_passes(session, order[i]);
        if (time_left && (i + 1 < plan->procs_count || search_of(session)->next_pass))
            anypi_keep(session, true);
    }
    const anypi_search *search = search_of(session);
    for (int i = 0; i < plan->procs_count; i++)
        all = all && plan->complete[i];
    session->decided = !search->next_pass;
    while (search->next_pass && search->next_pass(session))
        anypi_keep(session, false);
    session->decided = session->decided && all;
    if (plan->only)
        leave_out(session);
    return true;
}

void anypi_measure(anypi_session *session)
{
    anypi_command_all(session, lead, NULL);
}
