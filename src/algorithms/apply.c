/* SPDX-License-Identifier: BSD-3-Clause
 *
 * apply.c - an algorithm applied to a call: the checks that all share, and its schedule.
 */
#include "algorithms/automatic.h"
#include "algorithms/backwards.h"
#include "algorithms/barrier.h"
#include "algorithms/gaps.h"
#include "algorithms/registry.h"
#include "algorithms/route.h"
#include "algorithms/shared/lists.h"
#include "schedule/collectives.h"
#include "schedule/schedule.h"

/* Is the value "auto", in the range, or a list? */
static bool is_value(const anyp_parameter *parameter, int value)
{
    int count;
    if (anypi_is_automatic(parameter, value))
        return true;
    return value >= parameter->minimum &&
        (value <= parameter->maximum ||
         (parameter->list && anypi_list_at(value - parameter->maximum - 1, &count)));
}

const char *anypi_unfit(const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *parameters)
{
    const anyp_call forward = anypi_forward_call(call);
    if (!(algorithm->collectives & ANYP_IN_SET(call->collective)))
        return "the algorithm does not do this collective";
    if (forward.reproducible && !anypi_reproduces(algorithm, call->collective, call->p))
        return "reproducible results have another bracketing";
    if (!forward.commutative && !(algorithm->properties & ANYP_CANONICAL))
        return "the operator does not commute";
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (!is_value(&algorithm->parameters[i], parameters[i]))
            return "a parameter is out of range, see 'anyp list'";
    return NULL;
}

/* As anyp_applicable(); then settled[] has the parameters without "auto". */
static anyp_status apply(const anyp_algorithm *algorithm, const anyp_call *call,
                         const int *parameters, int *settled, const char **reason)
{
    const anyp_call forward = anypi_forward_call(call);
    *reason = anypi_unfit(algorithm, call, parameters);
    if (!*reason)
        anypi_settle(algorithm, call, parameters, settled);
    if (!*reason && algorithm->code->refusal)
        *reason = algorithm->code->refusal(&forward, settled);
    return *reason ? ANYP_ERR_NOT_APPLICABLE : ANYP_SUCCESS;
}

anyp_status anyp_applicable(const anyp_algorithm *algorithm, const anyp_call *call,
                            const int *parameters, const char **reason)
{
    int settled[ANYP_MAX_PARAMETERS];
    return apply(algorithm, call, parameters, settled, reason);
}

/* The schedule of what runs forwards. */
static anyp_status generate(const anyp_algorithm *algorithm, const anyp_call *call,
                            const int *settled, anyp_schedule *schedule)
{
    anypi_schedule_begin(schedule, call->p, call->rank, algorithm->code->blocks(call, settled));
    algorithm->code->generate(call, settled, schedule);
    return anypi_schedule_end(schedule);
}

anyp_status anyp_generate(const anyp_algorithm *algorithm, const anyp_call *any,
                          const int *parameters, anyp_schedule *schedule)
{
    const char *reason;
    int settled[ANYP_MAX_PARAMETERS];
    const anyp_call route = anypi_route_call(any), *const call = &route;
    anyp_status status = apply(algorithm, any, parameters, settled, &reason);
    const anyp_call forward = anypi_forward_call(call), plain = anypi_call_without_gaps(&forward);
    const bool backwards = forward.collective != call->collective;
    const bool gaps = plain.gaps_in != forward.gaps_in || plain.gaps_out != forward.gaps_out ||
        plain.in_place != forward.in_place;
    if (status != ANYP_SUCCESS)
        return status;
    if (!backwards && !gaps)
        return generate(algorithm, &plain, settled, schedule);
    anyp_schedule way;
    anyp_schedule_init(&way);
    status = generate(algorithm, &plain, settled, &way);
    if (status == ANYP_SUCCESS)
        status = anypi_has_no_data(call->collective) ? anypi_barrier_make(&way, schedule)
            : backwards ? anypi_run_backwards(call, &way, schedule)
            : anypi_add_gaps(call, &way, schedule);
    anyp_schedule_free(&way);
    return status;
}
