/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_plan.c - makes the plan of calls with local sizes: the programs that equal calls share.
 */
#include "execute/local_sizes.h"

#include "algorithms/route.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

/* ---- programs ---- */

static anyp_status make_direct(anypi_local_plan *plan, bool few)
{
    const anypi_local_limits *limits = &plan->limits;
    const anyp_status status =
        anypi_local_direct(limits, limits->call.rank, few, &plan->ring[few]);
    const anypi_placement vector = anypi_placement_of_blocks(limits->call.p, 1);
    return status != ANYP_SUCCESS ? status
        : anypi_program_make(&plan->direct[few], &plan->ring[few], &vector);
}

static anyp_status make_sizes(anypi_local_plan *plan, bool in_place)
{
    anyp_schedule schedule;
    const anypi_local_limits *limits = &plan->limits;
    anyp_status status =
        anyp_generate(limits->algorithm, &limits->call, limits->parameters, &plan->route);
    if (status != ANYP_SUCCESS)
        return status;
    plan->received = anypi_route_received(&plan->route);
    plan->places = anypi_realloc(NULL, ((size_t) plan->received + 1) * sizeof *plan->places);
    if (!plan->places)
        return ANYP_ERR_MEMORY;
    anyp_schedule_init(&schedule);
    status = anypi_route_make(&plan->route,
                              &(anypi_route_sizes) { .all = anypi_local_slot(limits), .unit = 1,
                                                     .in_place = in_place, .keeps = true },
                              &schedule, plan->places);
    const anypi_placement vector = anypi_placement_of_blocks(limits->call.p, 1);
    if (status == ANYP_SUCCESS)
        status = anypi_program_make(&plan->sizes, &schedule, &vector);
    anyp_schedule_free(&schedule);
    return status;
}

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
    anypi_program_free(&plan->sizes);
    anypi_program_free(&plan->tell);
    for (int few = 0; few < 2; few++) {
        anyp_schedule_free(&plan->ring[few]);
        anypi_program_free(&plan->direct[few]);
    }
    anypi_program_release(plan->last);
    anypi_free(plan->last_sizes);
    anypi_free(plan->places);
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
    anyp_schedule_init(&plan->route);
    anypi_program_init(&plan->sizes);
    anypi_program_init(&plan->tell);
    for (int few = 0; few < 2; few++) {
        anyp_schedule_init(&plan->ring[few]);
        anypi_program_init(&plan->direct[few]);
    }
    const anypi_local_limits *limits = &plan->limits;
    anyp_status status = make_direct(plan, false);
    if (status == ANYP_SUCCESS)
        status = make_direct(plan, true);
    if (status == ANYP_SUCCESS && limits->limit > 0)
        status = make_sizes(plan, call->in_place && anypi_transposes(limits->call.collective));
    if (status == ANYP_SUCCESS && limits->limit > 0 && limits->call.collective == ANYP_GATHER)
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

static size_t schedule_size(const anyp_schedule *schedule)
{
    return (size_t) schedule->steps_count * sizeof *schedule->steps +
        (size_t) schedule->rounds * sizeof *schedule->round_start;
}

size_t anypi_local_plan_size(const anypi_local_plan *plan)
{
    size_t bytes = anypi_program_size(&plan->sizes) + anypi_program_size(&plan->tell) +
        schedule_size(&plan->route) + (size_t) plan->received * sizeof *plan->places;
    for (int few = 0; few < 2; few++)
        bytes += anypi_program_size(&plan->direct[few]) + schedule_size(&plan->ring[few]);
    return bytes;
}
