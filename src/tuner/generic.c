/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/generic.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "tuner/cells.h"
#include "tuner/node_shapes.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Networks from fast interconnects to Ethernet: latency and overhead in ns, the rates of a link and
 * of a reduction in MB/s; inside nodes latency and rate; cards. NULL: an ordinary cluster with leaf
 * switches, as calls without constants assume. */
static const char *const family[] = {
    "500,150,50000,8000,200,20000,4", "1000,200,25000,5000,300,10000,2",
    "1000,500,12500,5000,300,10000,1", "1500,500,12500,5000,300,10000,1",
    "3000,500,12500,3000,400,8000,1", "10000,2000,5000,3000,500,5000,1",
    "30000,3000,1000,3000,500,5000,1", NULL
};

enum { NETWORKS = sizeof family / sizeof *family };

static const int procs[] = { 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096 };
static const int64_t sizes[] = { 8, 256, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20,
                                 1 << 23 };
/* Sizes, with the constants of the machine: all powers of two, since only one network is
 * compared. */
enum { LEAST_BYTES = 8, MOST_BYTES = 1 << 24 };
/* Limits for nodes with several ranks. */
enum { MOST_NODES = 256, MOST_RANKS = 1 << 16, MOST_MEAN = 128 };
#define FAR_MEAN 1.4

const anypi_choosing anypi_generic_choosing = { .regret = 0.15, .beyond = true };

/* With the constants of the machine closed forms have smaller errors. */
static const anypi_choosing own_choosing = { .regret = 0.05, .beyond = true };

const char anypi_generic_origin[] =
    "Made by anyp-tune --generic of AnyP " PACKAGE_VERSION ", for machines that were not tuned.\n"
    "By closed forms: in each region the algorithm whose largest loss in a family of networks\n"
    "(0.5 to 30 us, 1 to 50 GB/s, one to many ranks on a node) is least. Parameters are auto:\n"
    "chosen in the call by MPIR_CVAR_ANYP_NETWORK or ANYP_NETWORK, else for an ordinary cluster.";

/* Sets the networks for a cell: that of the machine if the plan contains its constants, otherwise
 * the family. Returns their number. */
static int networks_of(const anypi_plan *plan, const anypi_cell *cell, const char **networks)
{
    networks[0] = anypi_cell_network(plan, cell);
    if (*networks[0])
        return 1;
    memcpy(networks, family, sizeof family);
    return NETWORKS;
}

/* Sets the loss of each candidate in the worst of the networks. A rule contains the constants of
 * the machine if they are known; otherwise it uses those of an ordinary cluster. */
static bool set_losses(const anypi_plan *plan, anypi_cell *cell)
{
    const anypi_candidates *candidates = &plan->candidates[cell->collective];
    const anyp_call call = anypi_cell_call(cell);
    double worst[ANYPI_MAX_CANDIDATES] = { 0 };
    const char *networks[NETWORKS];
    const int count = networks_of(plan, cell, networks);
    for (int n = 0; n < count; n++) {
        double times[ANYPI_MAX_CANDIDATES], best = INFINITY;
        anyp_model model = anypi_network_ordinary(&call);
        if (networks[n] && !anypi_network_read(networks[n], &call, &model))
            return false;
        for (int c = 1; c < cell->candidates; c++) {
            const anypi_candidate *one = &candidates->list[c];
            int own[ANYP_MAX_PARAMETERS], run[ANYP_MAX_PARAMETERS];
            const char *reason;
            times[c] = INFINITY;
            if (anyp_applicable(one->algorithm, &call, one->parameters, &reason) != ANYP_SUCCESS)
                continue;
            times[c] = anypi_settle_by(one->algorithm, &call, &model, one->parameters, own);
            best = fmin(best, times[c]);
            if (count == 1)
                continue;
            anypi_settle(one->algorithm, &call, one->parameters, run);
            times[c] = anypi_form_time(one->algorithm, &call, run, &model);
        }
        for (int c = 1; c < cell->candidates; c++)
            worst[c] = fmax(worst[c], times[c] / best);
    }
    for (int c = 0; c < cell->candidates; c++) {
        const bool serves = c && worst[c] > 0 && worst[c] < INFINITY;
        cell->trials[c] = (anypi_trial) { .running = serves, .count = serves,
                                          .times = { worst[c] } };
    }
    cell->rounds = 1;
    return true;
}

/* Adds all numbers of processes on one node, or of nodes like these with `mean` ranks each. */
static bool add_procs(anypi_plan *plan, const anyp_shape *like, int mean)
{
    bool good = true;
    for (size_t i = 0; i < sizeof procs / sizeof *procs && good; i++) {
        if (mean > 1 && (procs[i] > MOST_NODES || procs[i] > MOST_RANKS / mean))
            continue;
        anyp_shape *nodes = like ? anypi_nodes_more(like, procs[i], mean) : NULL;
        good = (!like || nodes) &&
            anypi_plan_add(plan, like ? anypi_shape_ranks(nodes) : procs[i], nodes) >= 0;
    }
    return good;
}

static void add_sizes(anypi_plan *plan, bool generic)
{
    if (generic) {
        memcpy(plan->sizes, sizes, sizeof sizes);
        plan->sizes_count = sizeof sizes / sizeof *sizes;
    } else {
        for (int bytes = LEAST_BYTES; bytes <= MOST_BYTES; bytes *= 2)
            plan->sizes[plan->sizes_count++] = bytes;
    }
}

/* Keeps only the candidates with parameters that are "auto", and the MPI library's choice. */
static void keep_automatic(anypi_candidates *candidates)
{
    int kept = 1;
    for (int c = 1; c < candidates->count; c++)
        if (anypi_candidate_automatic(&candidates->list[c]))
            candidates->list[kept++] = candidates->list[c];
    candidates->count = kept;
}

/* Makes the cells and their losses; numbers of processes, collectives, operators and constants must
 * be set. `generic` takes seconds, so it shows its progress on a terminal. */
static bool fill(anypi_plan *plan, bool generic)
{
    const bool progress = generic && isatty(STDERR_FILENO);
    plan->forms = plan->only_anyp = plan->exact = true;
    add_sizes(plan, generic);
    if (anypi_plan_candidates(plan, NULL) != ANYP_SUCCESS)
        return false;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (plan->wanted[i]) {
            keep_automatic(&plan->candidates[i]);
            plan->wanted[i] = plan->candidates[i].count > 1;
        }
    if (anypi_plan_cells(plan) != ANYP_SUCCESS)
        return false;
    for (int i = 0; i < plan->procs_count; i++)
        plan->measured[i] = true;
    for (int i = 0; i < plan->cells_count; i++) {
        if (progress && i % 64 == 0)
            fprintf(stderr, "\ranyp-tune: %3d %% of the closed forms", 100 * i / plan->cells_count);
        if (!set_losses(plan, &plan->cells[i]))
            return false;
    }
    if (progress)
        fputc('\n', stderr);
    return true;
}

bool anypi_generic_plan(anypi_plan *plan)
{
    static const char *const shapes[] = { "2x1", "2x16", "2x16:cyclic" };
    bool good = add_procs(plan, NULL, 1);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && good; i++) {
        const char *reason;
        anyp_shape *like = anypi_shape_read(shapes[i], 0, &reason);
        good = like && add_procs(plan, like, anypi_shape_mean(like));
        anypi_shape_free(like);
    }
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        plan->wanted[i] = true;
    return good && fill(plan, true);
}

/* ---- what was not measured ---- */

/* Adds the regions of the wanted collectives, for one operator kind and nodes like these with
 * `mean` ranks each. Unknown constants are taken from the other kind. */
static bool add_forms(const anypi_plan *measured, const anyp_shape *like, int mean, int operators,
                      const bool *wanted, anypi_regions *regions)
{
    anypi_plan *plan = anypi_regions_plan(regions);
    if (!plan)
        return false;
    memcpy(plan->wanted, wanted, sizeof plan->wanted);
    plan->unwanted[!operators] = true;
    for (int kind = 0; kind < ANYPI_NODES_KINDS; kind++) {
        const char *own = measured->networks[kind][operators];
        strcpy(plan->networks[kind][operators], *own ? own : measured->networks[kind][!operators]);
    }
    return add_procs(plan, like, mean) && fill(plan, false) &&
        anypi_choose_all(plan, &own_choosing, regions);
}

/* Returns a cell in the place of a region. */
static anypi_cell cell_of(const anypi_region *one)
{
    return (anypi_cell) { .collective = one->collective, .commutative = one->commutative,
                          .nodes = one->nodes, .bytes = one->last };
}

static int by_place(const void *one, const void *other)
{
    const anypi_cell a = cell_of(one), b = cell_of(other);
    return anypi_cell_order(&a, &b);
}

/* Are there measured regions of a collective, for one operator kind and kind of nodes, none of
 * which leaves a size to the MPI library? */
static bool are_chosen(const anypi_regions *regions, int collective, int operators, int kind)
{
    bool any = false;
    for (const anypi_region *one = regions->list; one < regions->list + regions->count; one++)
        for (int i = 0; i < one->count; i++) {
            if ((int) one->collective != collective || one->commutative == operators ||
                anypi_nodes_kind(one->nodes) != kind || one->plan->forms)
                continue;
            if (!one->steps[i].choice)
                return false;
            any = true;
        }
    return any;
}

/* Adds regions for nodes like these with `mean` ranks each: of the collectives that were not
 * measured on this kind of nodes (`others`), or of those for which AnyP was always the fastest. */
static bool add_kind(const anypi_plan *measured, const anyp_shape *like, int mean, bool others,
                     anypi_regions *regions)
{
    const int kind = anypi_nodes_kind(like);
    bool good = true;
    for (int operators = 0; operators < 2 && good; operators++) {
        bool wanted[ANYP_COLLECTIVES], any = false;
        for (int c = 0; c < ANYP_COLLECTIVES; c++) {
            const anyp_collective its = (anyp_collective) c;
            wanted[c] = others ? !(operators && anypi_moves(its)) &&
                !anypi_regions_have(regions, its, measured->forms, operators, kind)
                : are_chosen(regions, c, operators, kind);
            any = any || wanted[c];
        }
        good = !any || add_forms(measured, like, mean, operators, wanted, regions);
    }
    return good;
}

/* Adds regions for the means of ranks on a node that differ from all measured ones of this kind by
 * more than a factor of FAR_MEAN. */
static bool add_means(const anypi_plan *measured, const anyp_shape *like, anypi_regions *regions)
{
    bool good = true;
    for (int mean = 2; mean <= MOST_MEAN && good; mean *= 4) {
        bool far = true;
        for (int i = 0; i < measured->procs_count; i++) {
            const anyp_shape *its = measured->nodes[i];
            if (measured->measured[i] && anypi_nodes_kind(its) == anypi_nodes_kind(like))
                far = far && (mean > FAR_MEAN * anypi_shape_mean(its) ||
                              anypi_shape_mean(its) > FAR_MEAN * mean);
        }
        good = !far || add_kind(measured, like, mean, false, regions);
    }
    return good;
}

bool anypi_forms_add(const anypi_plan *measured, anypi_regions *regions)
{
    for (int i = 0; i < measured->procs_count; i++) {
        const anyp_shape *nodes = measured->nodes[i];
        bool known = !measured->measured[i], seen = known;
        for (int k = 0; k < i; k++)
            if (measured->measured[k]) {
                known = known || !anypi_nodes_order(measured->nodes[k], nodes);
                seen = seen || anypi_nodes_kind(measured->nodes[k]) == anypi_nodes_kind(nodes);
            }
        if (!known &&
            !add_kind(measured, nodes, nodes ? anypi_shape_mean(nodes) : 1, true, regions))
            return false;
        if (!seen && nodes && !add_means(measured, nodes, regions))
            return false;
    }
    if (regions->count)
        qsort(regions->list, (size_t) regions->count, sizeof *regions->list, by_place);
    return true;
}
