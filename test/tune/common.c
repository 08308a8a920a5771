/* SPDX-License-Identifier: BSD-3-Clause */
#include "common.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "tuner/decision_file.h"
#include "tuner/tuner_options.h"
#include "schedule/shape.h"
#include "select/jsonc.h"

#include <string.h>
#include <unistd.h>

const char tune_table[] =
    "{ \"cvars\": {"
    " \"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"smp\": 2,"
    "  \"recursive_doubling\": 3, \"reduce_scatter_allgather\": 4, \"anyp_butterfly\": 5,"
    "  \"anyp_gather_reduce\": 6, \"anyp_ring\": 7 },"
    " \"MPIR_CVAR_IALLREDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"sched_auto\": 1,"
    "  \"sched_naive\": 2, \"tsp_anyp_butterfly\": 3, \"tsp_anyp_ring\": 4 },"
    " \"MPIR_CVAR_REDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"binomial\": 2 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1,"
    "  \"noncommutative\": 2, \"pairwise\": 3, \"anyp_ring\": 4 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1,"
    "  \"pairwise\": 2, \"anyp_ring\": 3 },"
    " \"MPIR_CVAR_BCAST_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"binomial\": 2,"
    "  \"smp\": 3, \"anyp_ring\": 4 },"
    " \"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"brucks\": 2,"
    "  \"recursive_doubling\": 3, \"anyp_ring\": 4, \"anyp_butterfly\": 5 } } }";

static const char table_5_0[] =
    "{ \"cvars\": {"
    " \"MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"smp\": 2,"
    "  \"recursive_doubling\": 3, \"recursive_multiplying\": 4, \"reduce_scatter_allgather\": 5,"
    "  \"tree\": 6, \"recexch\": 7, \"ring\": 8, \"k_reduce_scatter_allgather\": 9, \"ccl\": 10,"
    "  \"newer_than_the_names\": 11, \"anyp_butterfly\": 12, \"anyp_gather_reduce\": 13 },"
    " \"MPIR_CVAR_REDUCE_INTRA_ALGORITHM\": { \"auto\": 0, \"binomial\": 1, \"nb\": 2, \"smp\": 3,"
    "  \"reduce_scatter_gather\": 4, \"anyp_ring\": 5 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_INTRA_ALGORITHM\": { \"auto\": 0, \"recursive_halving\": 1,"
    "  \"anyp_ring\": 2 },"
    " \"MPIR_CVAR_REDUCE_SCATTER_BLOCK_INTRA_ALGORITHM\": { \"auto\": 0, \"noncommutative\": 1,"
    "  \"pairwise\": 2, \"anyp_butterfly\": 3 },"
    " \"MPIR_CVAR_BCAST_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"binomial\": 2,"
    "  \"smp\": 3, \"anyp_butterfly\": 4 },"
    " \"MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM\": { \"auto\": 0, \"nb\": 1, \"brucks\": 2,"
    "  \"k_brucks\": 3, \"recursive_doubling\": 4, \"anyp_butterfly\": 5 } } }";

static const char *table = tune_table;

void tune_use(bool newer)
{
    char message[256] = "";
    ck_assert_msg(anypi_names_open(newer ? TUNE_TABLES "/5.0.json" : "4.0", message,
                                   sizeof message), "%s", message);
    table = newer ? table_5_0 : tune_table;
}

void tune_make_plan(anypi_plan *plan, int max, const char *procs, const char *sizes)
{
    char message[256] = "", *arguments[] = { "anyp-tune", "--sizes", (char *) sizes,
                                             procs ? "--procs" : NULL, (char *) procs, NULL };
    anypi_options options;
    memset(plan, 0, sizeof *plan);
    optind = 0;
    ck_assert_msg(anypi_options_read(procs ? 5 : 3, arguments, max, &options, plan, message,
                                     sizeof message), "%s", message);
    struct json_object *parsed = json_tokener_parse(table);
    anypi_cvars *cvars = anypi_cvars_of(parsed);
    ck_assert_ptr_nonnull(cvars);
    ck_assert_int_eq(anypi_plan_candidates(plan, cvars), ANYP_SUCCESS);
    json_object_put(parsed);
    ck_assert_int_eq(anypi_plan_cells(plan), ANYP_SUCCESS);
}

void tune_make_plugin_plan(anypi_plan *plan)
{
    *plan = (anypi_plan) { .procs_count = 0 };
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        plan->wanted[i] = true;
    ck_assert_int_eq(anypi_plan_candidates(plan, NULL), ANYP_SUCCESS);
}

void tune_add_rounds(anypi_cell *cell, const double *ratio, int rounds)
{
    for (; rounds > 0; rounds--, cell->rounds++)
        for (int c = 0; c < cell->candidates; c++) {
            anypi_trial *trial = &cell->trials[c];
            if (trial->running)
                trial->times[trial->count++] = 1e-3 * ratio[c];
        }
}

static anypi_regions regions;           /* of the last tune_choose() */

void tune_choose(anypi_plan *plan, double margin)
{
    const anypi_choosing how = { .margin = margin, .regret = margin };
    anypi_regions_free(&regions);
    ck_assert(anypi_choose_all(plan, &how, &regions));
}

char *tune_write(const char *origin)
{
    return anypi_write_decision(&regions, origin);
}

double tune_form(const anypi_plan *plan, const anypi_cell *cell, const anypi_candidate *candidate)
{
    const anyp_call call = anypi_cell_call(cell);
    int settled[ANYP_MAX_PARAMETERS];
    anyp_model model;
    ck_assert(anypi_network_read(anypi_cell_network(plan, cell), &call, &model));
    return anypi_settle_by(candidate->algorithm, &call, &model, candidate->parameters, settled);
}

double tune_noise(unsigned seed)
{
    seed = seed * 2654435761u + 12345u;
    seed ^= seed >> 15;
    seed *= 2246822519u;
    return (double) (seed >> 8 & 0xffff) / 65536;
}

int tune_candidate(const anypi_plan *plan, anyp_collective collective, const char *text)
{
    const anypi_candidates *candidates = &plan->candidates[collective];
    for (int c = 0; c < candidates->count; c++)
        if (!strcmp(anypi_candidate_text(&candidates->list[c]).text, text))
            return c;
    ck_abort_msg("no candidate %s", text);
    return 0;
}

anyp_shape *tune_read_nodes(const char *text)
{
    const char *reason;
    anyp_shape *nodes = anypi_shape_read(text, 0, &reason);
    ck_assert_msg(nodes != NULL, "%s: %s", text, reason);
    return nodes;
}
