/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/estimate.h"

#include "algorithms/cost_model.h"
#include "algorithms/settle.h"
#include "analysis/eager.h"
#include "schedule/collectives.h"
#include "schedule/layout.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/set.h"
#include "schedule/shape.h"

#include <math.h>
#include <stdio.h>

/* With fewer nodes, too many messages would stay inside a node. */
enum { FEW_NODES = 8 };

/* What is simulated: a call on a machine. */
typedef struct experiment {
    const anyp_algorithm *algorithm;
    const int *parameters;
    anyp_call call;
    anyp_model model;
    anyp_shape *own;            /* the nodes of a smaller machine, or NULL */
    bool sparse;                /* fewer elements than ranks: closed forms count one for each, so
                                 * that only their latencies are right */
} experiment;

anyp_status anypi_eager_call(const anyp_schedule *set, const anyp_call *call,
                             const anyp_model *model, double limit, double *time)
{
    const anypi_partition partition = anypi_partition_for(call, set[0].blocks);
    int64_t *starts = anypi_realloc(NULL, ((size_t) partition.blocks + 1) * sizeof *starts);
    if (!starts)
        return ANYP_ERR_MEMORY;
    const anypi_layout layout = anypi_layout_of(&set[0], &partition, starts);
    const anyp_status status = anypi_eager(set, call->p, &layout, call->type_size, model, limit,
                                           time);
    anypi_free(starts);
    return status;
}

/* Returns an upper bound of the messages of all ranks. */
static double messages_of(const experiment *one)
{
    return one->call.p * anypi_cost_of(one->algorithm, &one->call, one->parameters).overheads / 2;
}

static double form_of(const experiment *one)
{
    anyp_model model = one->model.nodes->count == 1 ? anypi_inside_model(&one->model) : one->model;
    if (one->sparse)
        model.beta = model.inside_beta = model.gamma = 0;
    return anypi_form_time(one->algorithm, &one->call, one->parameters, &model);
}

/* Does each rank send a message to most others? */
static bool has_many_messages(const experiment *one)
{
    return 2 * messages_of(one) >= (double) one->call.p * (one->call.p - 1);
}

/* Sets the machine to that many nodes of so many ranks. False: no memory. */
static bool shrink(experiment *one, const experiment *from, int count, int ranks)
{
    const anyp_shape *nodes = from->model.nodes;
    const char *reason;
    char text[64];
    const bool many = has_many_messages(from);
    snprintf(text, sizeof text, "%dx%d%s", count, ranks, nodes->rank ? ":cyclic" : "");
    anypi_shape_free(one->own);
    *one = *from;
    one->own = anypi_shape_read(text, count * ranks, &reason);
    one->model.nodes = one->own;
    one->model.beta *= (double) anypi_shape_mean(nodes) / ranks;
    one->call.nodes = from->call.nodes ? one->own : NULL;
    one->call.p = count * ranks;
    one->call.root = 0;
    if (many)
        one->call.count = anypi_divide_up(from->call.count * one->call.p, from->call.p);
    if (anypi_has_equal_blocks(&one->call))
        one->call.count = anypi_divide_up(one->call.count, one->call.p) * one->call.p;
    return one->own;
}

/* Makes the machine smaller until the messages are few enough. False: no memory. */
static bool make_small(experiment *one, double most_messages)
{
    const experiment from = *one;
    int count = from.model.nodes->count, ranks = anypi_shape_mean(from.model.nodes);
    while (messages_of(one) > most_messages && count * ranks > FEW_NODES) {
        if (count > FEW_NODES)
            count = anypi_max(count / 2, FEW_NODES);
        else
            ranks /= 2;
        if (!shrink(one, &from, count, ranks))
            return false;
    }
    return true;
}

/* Returns the simulated time; 0: the algorithm does not serve the call, or there is no memory. */
static double simulate(const experiment *one)
{
    anyp_schedule *set = NULL;
    double time = 0;
    if (anypi_set_generate(one->algorithm, &one->call, one->parameters, &set) != ANYP_SUCCESS ||
        anypi_eager_call(set, &one->call, &one->model, INFINITY, &time) != ANYP_SUCCESS)
        time = 0;
    anypi_set_free(set, one->call.p);
    return time;
}

double anypi_estimate(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                      const anyp_model *model, double most_messages)
{
    experiment one = { .algorithm = algorithm, .call = *call, .parameters = parameters,
                       .model = *model };
    one.sparse = anypi_has_blocks(call->collective) && call->count < call->p;
    if (!model->nodes)
        return anypi_form_time(algorithm, call, parameters, model);
    double time = form_of(&one);
    if (anypi_has_root(call) && has_many_messages(&one) && messages_of(&one) > most_messages)
        return INFINITY;
    one.call.largest = 0;       /* simulated blocks are equal */
    one.model.eager = true;
    if (anypi_moves(call->collective))
        one.model.gamma = 0;
    if (make_small(&one, most_messages)) {
        const double form = form_of(&one), simulated = simulate(&one);
        if (form > 0 && simulated > 0)
            time *= simulated / form;
    }
    anypi_shape_free(one.own);
    return time;
}
