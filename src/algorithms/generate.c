/* SPDX-License-Identifier: BSD-3-Clause
 *
 * generate.c - why an algorithm does not serve a call, and the schedule of one that it serves. Also
 * defines anyp_applicable() and anyp_generate().
 */
#include "algorithms/generate.h"

#include "algorithms/backwards.h"
#include "algorithms/gaps.h"
#include "algorithms/registry.h"
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

const char *anypi_unfit_call(const anypi_settled_call *one, const int *asked)
{
    const anyp_algorithm *algorithm = one->algorithm;
    const anyp_call *call = &one->call, *forward = &one->forward;
    if (!(algorithm->collectives & ANYP_IN_SET(call->collective)))
        return "the algorithm does not do this collective";
    if (forward->reproducible && !anypi_reproduces(algorithm, call->collective, call->p))
        return "reproducible results have another bracketing";
    if (!forward->commutative && !(algorithm->properties & ANYP_CANONICAL))
        return "the operator does not commute";
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (!is_value(&algorithm->parameters[i], asked[i]))
            return "a parameter is out of range, see 'anyp list'";
    return NULL;
}

const char *anypi_refusal(const anypi_settled_call *one)
{
    const anyp_algorithm_code *code = one->algorithm->code;
    return code->refusal ? code->refusal(&one->forward, one->parameters) : NULL;
}

/* Settles the call, if it passes the checks. */
static anyp_status settle(anypi_settled_call *one, const int *asked, const char **reason)
{
    *reason = anypi_unfit_call(one, asked);
    if (!*reason) {
        anypi_settle_call(one, asked);
        *reason = anypi_refusal(one);
    }
    return *reason ? ANYP_ERR_NOT_APPLICABLE : ANYP_SUCCESS;
}

anyp_status anyp_applicable(const anyp_algorithm *algorithm, const anyp_call *call,
                            const int *parameters, const char **reason)
{
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    return settle(&one, parameters, reason);
}

anyp_status anyp_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                          const int *parameters, anyp_schedule *schedule)
{
    const char *reason;
    anypi_settled_call one = anypi_settled_call_of(algorithm, call, NULL);
    const anyp_status status = settle(&one, parameters, &reason);
    return status == ANYP_SUCCESS ? anypi_generate(&one, schedule) : status;
}

/* The schedule that the algorithm writes. */
static anyp_status write(const anypi_settled_call *one, const anyp_call *call,
                         anyp_schedule *schedule)
{
    const anyp_algorithm_code *code = one->algorithm->code;
    anypi_schedule_begin(schedule, call->p, call->rank, code->blocks(call, one->parameters));
    code->generate(call, one->parameters, schedule);
    return anypi_schedule_end(schedule);
}

anyp_status anypi_generate(const anypi_settled_call *one, anyp_schedule *schedule)
{
    const anyp_call *call = &one->call, *forward = &one->forward;
    const anyp_call plain = anypi_call_without_gaps(forward);
    const bool backwards = forward->collective != call->collective;
    const bool gaps = plain.gaps_in != forward->gaps_in || plain.gaps_out != forward->gaps_out ||
        plain.in_place != forward->in_place;
    if (!backwards && !gaps)
        return write(one, &plain, schedule);
    anyp_schedule way;
    anyp_schedule_init(&way);
    anyp_status status = write(one, &plain, &way);
    if (status == ANYP_SUCCESS)
        status = anypi_has_no_data(call->collective) ? anypi_barrier_make(&way, schedule)
            : backwards ? anypi_run_backwards(call, &way, schedule)
            : anypi_add_gaps(call, &way, schedule);
    anyp_schedule_free(&way);
    return status;
}
