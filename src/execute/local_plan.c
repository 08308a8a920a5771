/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_plan.c - makes the plan of calls with local sizes: the route that equal calls share.
 */
#include "execute/local_sizes.h"

#include "algorithms/route.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

/* ---- programs ---- */

static anyp_status make_tell(anypi_local_plan *plan)
{
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    const anyp_call call = anypi_local_tell_call(&plan->limits);
    anyp_status status = anypi_local_tell(&plan->limits, call.rank, &schedule);
    if (status == ANYP_SUCCESS) {
        const anypi_placement vector =
            anypi_placement_of(&call, schedule.blocks, (anypi_element) { 0, 1, 1 });
        status = anypi_program_make(&plan->tell, &schedule, &vector);
    }
    anyp_schedule_free(&schedule);
    return status;
}

/* ---- plans ---- */

static void free_plan(anypi_local_plan *plan)
{
    anyp_schedule_free(&plan->route);
    anypi_program_free(&plan->tell);
    anypi_free(plan);
}

anypi_local_plan *anypi_local_plan_new(const anyp_algorithm *algorithm, const anyp_call *call,
                                       const int *parameters)
{
    anypi_local_plan *plan = anypi_realloc(NULL, sizeof *plan);
    if (!plan)
        return NULL;
    *plan = (anypi_local_plan) {
        .holders = ANYPI_ATOMIC(1),
        .limits = anypi_local_limits_of(algorithm, call, parameters, NULL),
    };
    const anypi_local_limits *limits = &plan->limits;
    anyp_status status = ANYP_SUCCESS;
    anyp_schedule_init(&plan->route);
    anypi_program_init(&plan->tell);
    if (limits->limit > 0)
        status = anyp_generate(algorithm, &limits->call, limits->parameters, &plan->route);
    if (status == ANYP_SUCCESS && limits->limit > 0)
        plan->counts = anypi_route_count(&plan->route);
    if (status == ANYP_SUCCESS && limits->limit > 0 && anypi_gathers(&limits->call))
        status = make_tell(plan);
    if (status == ANYP_SUCCESS)
        return plan;
    free_plan(plan);
    return NULL;
}

anypi_local_plan *anypi_local_plan_hold(anypi_local_plan *plan)
{
    anypi_atomic_add(&plan->holders, 1);
    return plan;
}

void anypi_local_plan_release(anypi_local_plan *plan)
{
    if (plan && anypi_atomic_add(&plan->holders, -1) == 1)
        free_plan(plan);
}

size_t anypi_local_plan_size(const anypi_local_plan *plan)
{
    return anypi_program_size(&plan->tell) +
        (size_t) plan->route.steps_count * sizeof *plan->route.steps +
        (size_t) plan->route.rounds * sizeof *plan->route.round_start;
}
