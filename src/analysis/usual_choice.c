/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/usual_choice.h"

#include "algorithms/settle.h"
#include "schedule/collectives.h"

enum { KIB = 1024 };

/* A row of the table of usual choices. The first row of a collective whose size is large enough and
 * whose algorithm serves the call is chosen. */
typedef struct usual_row {
    unsigned collectives;       /* a set */
    int64_t most;               /* bytes of the vector; of an alltoall, of a block */
    const char *algorithm;
    const char *settings[3][2]; /* parameters; the others are settled */
    const char *name;
} usual_row;

#define IGNORE_NODES { "groups", "ranks" }
#define IN(collective) ANYP_IN_SET(ANYP_##collective)

static const usual_row rows[] = {
    { IN(ALLREDUCE), 2 * KIB, "recursive_doubling", { { NULL } }, "recursive doubling" },
    { IN(ALLREDUCE), INT64_MAX, "halving_doubling", { { NULL } }, "Rabenseifner" },
    { IN(REDUCE), 2 * KIB, "binomial", { { "radix", "2" }, IGNORE_NODES }, "binomial" },
    { IN(REDUCE), INT64_MAX, "halving_doubling", { { NULL } }, "Rabenseifner" },
    { IN(REDUCE_SCATTER) | IN(REDUCE_SCATTER_BLOCK), 512 * KIB, "halving_doubling", { { NULL } },
      "recursive halving" },
    { IN(REDUCE_SCATTER) | IN(REDUCE_SCATTER_BLOCK), INT64_MAX, "ring",
      { { "ports", "1" }, { "partners", "all" } }, "pairwise" },
    { IN(REDUCE_SCATTER) | IN(REDUCE_SCATTER_BLOCK), INT64_MAX, "halving_doubling", { { NULL } },
      "recursive halving" },
    { IN(SCAN) | IN(EXSCAN), INT64_MAX, "exchange",
      { { "radix", "2" }, { "threshold", "2147483647" }, IGNORE_NODES }, "recursive doubling" },
    { IN(BCAST), 12 * KIB, "binomial", { { "radix", "2" }, IGNORE_NODES }, "binomial" },
    { IN(BCAST), 512 * KIB, "halving_doubling", { { NULL } }, "scatter, allgather" },
    { IN(BCAST), INT64_MAX, "ring", { { "ports", "1" } }, "scatter, ring" },
    { IN(ALLGATHER) | IN(ALLGATHERV), 80 * KIB, "circulant", { { "skips", "pow2" } }, "Bruck" },
    { IN(ALLGATHER) | IN(ALLGATHERV), INT64_MAX, "ring",
      { { "ports", "1" }, { "partners", "neighbours" } }, "ring" },
    { IN(GATHER) | IN(SCATTER), INT64_MAX, "binomial", { { "radix", "2" }, IGNORE_NODES },
      "binomial" },
    { IN(ALLTOALL), 256, "circulant", { { "skips", "pow2" } }, "Bruck" },
    { IN(ALLTOALL), 32 * KIB, "ring", { { "ports", "2147483647" } }, "linear" },
    { IN(ALLTOALL), INT64_MAX, "ring", { { "ports", "1" } }, "pairwise" },
    { IN(BARRIER), INT64_MAX, "gather_reduce", { { "radix", "2" } }, "dissemination" },
};

const char *anypi_usual_choice(const anyp_call *call, const anyp_model *model,
                               const anyp_algorithm **algorithm, int *parameters)
{
    const int64_t bytes = call->count * call->type_size /
        (call->collective == ANYP_ALLTOALL ? call->p : 1);
    const char *reason;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const usual_row *row = &rows[i];
        if (!(row->collectives & ANYP_IN_SET(call->collective)) || bytes > row->most)
            continue;
        *algorithm = anyp_algorithm_find(row->algorithm);
        anyp_parameters_default(*algorithm, parameters);
        for (int k = 0; k < 3 && row->settings[k][0]; k++)
            anyp_parameter_set(*algorithm, parameters, row->settings[k][0], row->settings[k][1],
                               &reason);
        if (anyp_applicable(*algorithm, call, parameters, &reason) != ANYP_SUCCESS)
            continue;
        anypi_settle_by(*algorithm, call, model, parameters, parameters);
        return row->name;
    }
    return NULL;
}
