/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_choices.c - closed forms choose well: the algorithm and the parameters that they choose take
 * hardly longer, by simulation, than the best of all algorithms, of their usual parameters and of
 * neighbouring ones.
 */
#include "unit/common.h"

#include "algorithms/network.h"
#include "analysis/simulate.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <math.h>
#include <string.h>

/* A choice that is simulated. */
typedef struct choice {
    const anyp_call *call;
    const anyp_model *model;
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
} choice;

/* Returns the simulated time, INFINITY if the algorithm refuses the call. */
static double simulated(const choice *one)
{
    const char *reason;
    variant v = { .algorithm = one->algorithm, .call = *one->call };
    memcpy(v.parameters, one->parameters, sizeof v.parameters);
    return anyp_applicable(v.algorithm, &v.call, v.parameters, &reason) == ANYP_SUCCESS
        ? simulate_variant(&v, *one->model).time : INFINITY;
}

/* Returns the shortest time if one number differs from the chosen one: the half, the double, one
 * more or less. */
static double best_neighbour(const choice *one, const int *defaults)
{
    double best = INFINITY;
    for (int i = 0; i < one->algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &one->algorithm->parameters[i];
        const int value = one->parameters[i];
        const int twice = value < 1 << 30 ? 2 * value : value;
        const int tried[] = { value / 2, twice, value - 1, value + 1 };
        if (parameter->values || !anypi_is_automatic(parameter, defaults[i]))
            continue;
        for (int k = 0; k < (parameter->bytes ? 2 : 4); k++) {
            choice other = *one;
            other.parameters[i] = tried[k];
            if (tried[k] >= parameter->minimum && tried[k] <= parameter->maximum &&
                tried[k] != value)
                best = fmin(best, simulated(&other));
        }
    }
    return best;
}

/* Returns the time of the choice of closed forms, divided by the shortest one. Sets *name to the
 * algorithm of the choice, and *better to that of the shortest time. */
static double loss_of(const anyp_call *call, const anyp_model *model, const char **name,
                      const char **better)
{
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    double shortest = INFINITY, chosen = 0, best = INFINITY;
    for (int i = 0; i < count; i++) {
        choice one = { .call = call, .model = model, .algorithm = &all[i] };
        int defaults[ANYP_MAX_PARAMETERS];
        if (!(all[i].collectives & ANYP_IN_SET(call->collective)) ||
            all[i].properties & ANYP_REFERENCE)
            continue;
        anyp_parameters_default(&all[i], defaults);
        const double form = anypi_settle_by(&all[i], call, model, defaults, one.parameters);
        const double time = form < INFINITY ? simulated(&one) : INFINITY;
        if (time == INFINITY)
            continue;
        const double least = fmin(time, best_neighbour(&one, defaults));
        if (form < shortest) {
            shortest = form;
            chosen = time;
            *name = all[i].name;
        }
        if (least < best) {
            best = least;
            *better = all[i].name;
        }
    }
    return chosen / best;
}

/* A machine; its shape, or only numbers of ranks. The links of its switches have a quarter of the
 * rate of the cards below. Most messages are of lengths that networks send without waiting for the
 * receiver, as the simulator sends all. */
typedef struct machine {
    const char *shape;
    anyp_model model;
} machine;

static const double taper = 4;

static const machine machines[] = {
    { "7x1", { .alpha = 1, .overhead = 0.5, .beta = 8e-5 } },
    { "13x1", { .alpha = 1, .overhead = 0.2, .beta = 8e-5 } },
    { "24x1", { .alpha = 10, .overhead = 0.5, .beta = 8e-5, .gamma = 1e-4 } },
    { "36x1", { .alpha = 1, .overhead = 0.5, .beta = 8e-5, .gamma = 1e-4 } },
    { "39x1", { .alpha = 1, .overhead = 0.2, .beta = 8e-5 } },
    { "5x4", { .alpha = 1, .overhead = 0.2, .beta = 8e-5, .inside_alpha = 0.2,
               .inside_beta = 1e-4, .cards = 1 } },
    { "7x8", { .alpha = 1, .overhead = 0.2, .beta = 8e-5, .inside_alpha = 0.3,
               .inside_beta = 1e-4, .cards = 1 } },
    { "13,2,7,5", { .alpha = 1, .overhead = 0.2, .beta = 8e-5, .inside_alpha = 0.2,
                    .inside_beta = 1e-4, .cards = 1 } },
    { "4x(8x1)", { .alpha = 1, .overhead = 0.5, .beta = 8e-5, .inside_alpha = 0.2,
                   .inside_beta = 1e-4, .cards = 1 } },
};
static const int bytes[] = { 8, 1024, 8192, 65536, 1 << 18 };
/* A collective, and the largest mean loss of its choices. */
static const struct {
    anyp_collective collective;
    double loss;
} collectives[] = {
    { ANYP_ALLREDUCE, 1.01 }, { ANYP_REDUCE, 1.045 }, { ANYP_REDUCE_SCATTER_BLOCK, 1.005 },
    { ANYP_SCAN, 1.021 }, { ANYP_BCAST, 1.04 }, { ANYP_ALLGATHER, 1.005 }, { ANYP_GATHER, 1.032 },
    { ANYP_SCATTER, 1.017 }, { ANYP_ALLTOALL, 1.005 }
};
enum { MACHINES = sizeof machines / sizeof *machines, SIZES = sizeof bytes / sizeof *bytes,
       KINDS = sizeof collectives / sizeof *collectives };

/* One collective on all machines; with few processes on the small ones, without the mean. */
START_TEST(choices_are_good)
{
    const anyp_collective collective = collectives[_i].collective;
    const char *const its_name = anyp_collective_name(collective);
    double sum = 0;
    for (int i = 0; i < MACHINES * SIZES; i++) {
        const char *reason, *name = "", *better = "";
        const machine *its = &machines[i / SIZES];
        anyp_shape *nodes = anypi_shape_read(its->shape, 0, &reason);
        const int p = anypi_shape_ranks(nodes);
        const bool flat = nodes->count == p && !nodes->above;
        if (is_fast() && p > 20) {
            anypi_shape_free(nodes);
            continue;
        }
        anyp_model model = its->model;
        model.eager = true;
        model.nodes = flat ? NULL : nodes;
        anypi_network_taper(&model, 0, taper);
        const int size = bytes[i % SIZES] / (collective == ANYP_ALLTOALL ? p : 1);
        const anyp_call call = { .collective = collective, .p = p, .count = (size / p + 1) * p,
                                 .type_size = 1, .commutative = i % 2, .nodes = model.nodes };
        const double loss = loss_of(&call, &model, &name, &better);
        assert_often(loss <= 1.5, "%s of %d bytes on %s: %s takes %g of the best time, by %s",
                     its_name, size, its->shape, name, loss, better);
        sum += log(loss);
        anypi_shape_free(nodes);
    }
    const double mean = exp(sum / (MACHINES * SIZES));
    ck_assert_msg(is_fast() || mean <= collectives[_i].loss, "%s: %g of the best time", its_name,
                  mean);
}
END_TEST

Suite *suite_choices(void)
{
    TCase *tests;
    Suite *suite = suite_of("choices", &tests);
    tcase_add_loop_test(tests, choices_are_good, 0, KINDS);
    return suite;
}
