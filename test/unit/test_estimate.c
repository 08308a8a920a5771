/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_estimate.c - estimates of the algorithms that MPI libraries usually choose, all of which
 * ignore nodes, are near the simulation, also if only a smaller machine is simulated.
 */
#include "unit/common.h"

#include "algorithms/network.h"
#include "analysis/estimate.h"
#include "analysis/usual_choice.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <math.h>

static const struct {
    const char *nodes;
    double messages;            /* of a simulation */
} machines[] = {
    { "3,5,2", ANYPI_ESTIMATE_MESSAGES }, { "11x5", ANYPI_ESTIMATE_MESSAGES },
    { "24x4", ANYPI_ESTIMATE_MESSAGES }, { "16x48", ANYPI_ESTIMATE_MESSAGES },
    /* on smaller machines */
    { "24x4", 600 }, { "60x12", 8000 }, { "32x8:cyclic", 2000 }, { "4x(6x4)", 600 },
};
static const int sizes[] = { 8, 1024, 8500, 70656, 262144 };
enum { MACHINES = sizeof machines / sizeof *machines, SIZES = sizeof sizes / sizeof *sizes };

/* Simulations of more messages take too long here. */
static const double most_messages = 100000;

/* Compares one call; false: it has no usual algorithm, or too many messages. */
static bool compare(const anyp_call *call, const anyp_model *model, int machine)
{
    const anyp_algorithm *algorithm;
    variant v = { .call = *call };
    const char *name = anypi_usual_choice(call, model, &algorithm, v.parameters);
    v.algorithm = algorithm;
    if (!name || call->p *
        anypi_cost_of(algorithm, call, v.parameters).overheads / 2 > most_messages)
        return false;
    const double simulated = simulate_variant(&v, *model).time;
    const double estimated = anypi_estimate(algorithm, call, v.parameters, model,
                                            machines[machine].messages);
    assert_often(isinf(estimated) || fabs(log(estimated / simulated)) < log(1.3),
                 "%s of %d bytes by %s on %s: estimated %g, simulated %g",
                 anyp_collective_name(call->collective), (int) (call->count * call->type_size),
                 name, machines[machine].nodes, estimated, simulated);
    return true;
}

START_TEST(estimates_are_near)
{
    int compared = 0;
    const char *reason;
    anyp_shape *nodes = anypi_shape_read(machines[_i].nodes, 0, &reason);
    const int p = anypi_shape_ranks(nodes);
    for (int i = 0; i < ANYP_COLLECTIVES * SIZES; i++) {
        const anyp_collective collective = (anyp_collective) (i / SIZES);
        anyp_model model;
        anyp_call call = { .collective = collective, .p = p, .commutative = true, .nodes = nodes,
                           .type_size = anypi_moves(collective) ? 1 : 8 };
        if (anypi_has_local_sizes(collective))
            continue;
        call.count = anypi_has_no_data(collective) ? 0 : sizes[i % SIZES] / call.type_size;
        if (anypi_has_equal_blocks(&call))
            call.count = (call.count + p - 1) / p * p;
        ck_assert(anypi_network_read(ANYPI_NETWORK_DEFAULT, &call, &model));
        compared += compare(&call, &model, _i);
    }
    ck_assert_int_gt(compared, ANYP_COLLECTIVES);
    anypi_shape_free(nodes);
}
END_TEST

Suite *suite_estimate(void)
{
    TCase *tests;
    Suite *suite = suite_of("estimate", &tests);
    tcase_add_loop_test(tests, estimates_are_near, 0, MACHINES);
    return suite;
}
