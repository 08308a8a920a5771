/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_local_routes.c - calls with local sizes: proofs of their schedules, errors that proofs must
 * find, limits, and the stages that the analysis makes.
 */
#include "unit/common.h"

#include "analysis/local_check.h"
#include "analysis/local_stages.h"
#include "analysis/prove.h"

#include <limits.h>

/* All values of the parameters are tried to this p, beyond it and to the second one only the
 * defaults: a set of p = 200 takes half a second. */
enum { ALL_PARAMETERS_P = 14, LARGEST_P = 100 };

static anyp_status prove(const variant *choice, void *state)
{
    anypi_prover *prover = state;
    if (choice->call.p > ALL_PARAMETERS_P && choice->turn > 0)
        return ANYP_SUCCESS;
    const anyp_status status = anypi_prove(prover, choice);
    assert_often(status == ANYP_SUCCESS, "%s", prover->reason);
    return status;
}

START_TEST(routes_are_proved)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anypi_prover prover = { 0 };
    for (int p = 1; p <= LARGEST_P; p++)
        for (int a = 0; is_tried(p, ALL_PARAMETERS_P) && a < count; a++) {
            anypi_sweep sweep = { .collectives = ~0u, .local_sizes = true };
            ck_assert_int_eq(anypi_sweep_choices(&sweep, &algorithms[a], p, prove, &prover),
                             ANYP_SUCCESS);
        }
    ck_assert_int_gt(prover.proved, 100);
    anypi_prover_free(&prover);
}
END_TEST

/* ---- errors ---- */

static anypi_local_call local_call(anyp_collective collective, const char *name, int p,
                                   int *parameters)
{
    const anyp_algorithm *algorithm = anyp_algorithm_find(name);
    const anypi_local_call local = {
        .call = { .collective = collective, .p = p, .type_size = 1, .commutative = true },
        .algorithm = algorithm, .parameters = parameters, .kind = ANYPI_SIZES_UNIFORM, .mean = 9,
    };
    anyp_parameters_default(algorithm, parameters);
    anypi_settle(algorithm, &local.call, parameters, parameters);
    return local;
}

static int bytes_of(const void *state, int from, int to)
{
    return (int) anypi_local_bytes(state, from, to);
}

/* DIRECT with all blocks packed, and ROUTE with all blocks, are checked in the same way. */
static anyp_status check(const anypi_local_call *local, const anyp_schedule *set)
{
    char reason[256];
    anyp_call call = local->call;
    call.collective = ANYP_ALLTOALL;
    anypi_local_check it = { .call = &call, .units = bytes_of, .state = local, .reason = reason,
                             .size = sizeof reason };
    const anyp_status status = anypi_local_check_set(&it, set);
    anypi_local_check_free(&it);
    ck_assert_int_eq(*reason != '\0', status != ANYP_SUCCESS);
    return status;
}

/* Moves a slice by one. */
static void shift(anyp_slice *slice)
{
    slice->first++;
    slice->end++;
}

/* Each step of a rank is changed, one at a time: no set may be good. */
static void break_steps(const anypi_local_call *local, anyp_schedule *set)
{
    anyp_schedule *schedule = &set[3];
    ck_assert_int_eq(check(local, set), ANYP_SUCCESS);
    ck_assert_int_gt(schedule->steps_count, 5);
    for (int i = 0; i < schedule->steps_count; i++)
        for (int way = 0; way < 4; way++) {
            anyp_step *step = &schedule->steps[i];
            const anyp_step before = *step;
            if (way == 0)
                step->peer = (step->peer + 1) % local->call.p;
            else if (way == 1)
                shift(step->kind == ANYP_RECV ? &step->to : &step->from);
            else if (way == 2)
                shift(step->kind == ANYP_SEND ? &step->from : &step->to);
            else
                --*(step->kind == ANYP_RECV ? &step->to.end : &step->from.end);
            if (way > 0 || before.kind != ANYP_COPY)
                assert_often(check(local, set) == ANYP_ERR_SCHEDULE, "step %d, way %d", i, way);
            *step = before;
        }
}

START_TEST(wrong_routes_are_found)
{
    int parameters[ANYP_MAX_PARAMETERS];
    char reason[256];
    anypi_local_call local = local_call(ANYP_ALLTOALLV, "multiport", 7, parameters);
    const char *why;
    anypi_local_stages stages;
    ck_assert_int_eq(anyp_parameter_set(local.algorithm, parameters, "radix", "2", &why),
                     ANYP_SUCCESS);
    ck_assert_int_eq(anypi_local_make_all(&stages, &local, reason, sizeof reason), ANYP_SUCCESS);
    break_steps(&local, stages.sets[ANYPI_STAGE_ROUTE]);
    break_steps(&local, stages.sets[ANYPI_STAGE_DIRECT]);
    anypi_local_stages_free(&stages);
}
END_TEST

/* ---- limits ---- */

/* Many ranks combine, too, although room for their blocks is limited. */
START_TEST(many_ranks)
{
    int before = INT_MAX;
    for (int p = 64; p <= 1 << 16; p *= 4) {
        int parameters[ANYP_MAX_PARAMETERS];
        const anypi_local_call local = local_call(ANYP_ALLTOALLV, "multiport", p, parameters);
        const anypi_local_limits limits =
            anypi_local_limits_of(local.algorithm, &local.call, parameters, NULL);
        ck_assert_int_ge(limits.limit, 256);
        ck_assert_int_le(limits.limit, limits.most);
        ck_assert_int_le(limits.most, before);
        before = limits.most;
    }
    ck_assert_int_lt(before, 1024);
}
END_TEST

/* ---- stages ---- */

START_TEST(stages_are_those_of_calls)
{
    int parameters[ANYP_MAX_PARAMETERS];
    char reason[256];
    anypi_local_call local = local_call(ANYP_ALLTOALLV, "multiport", 45, parameters);
    const anyp_model model = { .alpha = 1, .beta = 8e-5, .overhead = 0.5, .eager = true };
    anypi_local_stages stages;
    anypi_simulation simulation;
    local.kind = ANYPI_SIZES_EVEN;
    local.mean = 8;             /* blocks that travel together */
    ck_assert_int_eq(anypi_local_stages_make(&stages, &local, &model, ANYPI_CALL_SECOND, reason,
                                             sizeof reason), ANYP_SUCCESS);
    ck_assert_int_ge(stages.limit, 8);
    ck_assert_int_eq(anypi_local_simulate(&stages, ANYPI_STAGE_ROUTE, &model, &simulation),
                     ANYP_SUCCESS);
    ck_assert_int_gt(simulation.total.messages, 0);
    ck_assert_int_eq(anypi_local_simulate(&stages, ANYPI_STAGE_DIRECT, &model, &simulation),
                     ANYP_SUCCESS);
    ck_assert_int_eq(simulation.total.messages, 0);
    anypi_local_stages_free(&stages);

    local.mean = 65536;         /* blocks that go directly */
    for (int turn = 0; turn < ANYPI_WHICH_CALLS; turn++) {
        ck_assert_int_eq(anypi_local_stages_make(&stages, &local, &model, (anypi_which_call) turn,
                                                 reason, sizeof reason), ANYP_SUCCESS);
        ck_assert_int_eq(!!stages.sets[ANYPI_STAGE_ROUTE], turn == ANYPI_CALL_SECOND);
        ck_assert_int_eq(anypi_local_simulate(&stages, ANYPI_STAGE_DIRECT, &model, &simulation),
                         ANYP_SUCCESS);
        ck_assert_int_eq(simulation.total.messages, 45 * 44);
        ck_assert_int_eq(simulation.most.bytes_sent, 44 * 65536);
        anypi_local_stages_free(&stages);
    }
}
END_TEST

Suite *suite_local_routes(void)
{
    TCase *tests;
    Suite *suite = suite_of("local_routes", &tests);
    tcase_add_test(tests, routes_are_proved);
    tcase_add_test(tests, wrong_routes_are_found);
    tcase_add_test(tests, many_ranks);
    tcase_add_test(tests, stages_are_those_of_calls);
    return suite;
}
