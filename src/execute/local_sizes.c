/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_sizes.c - runs through the stages of a call. The plan of equal calls is made in
 * local_plan.c.
 */
#include "execute/local_sizes.h"

#include "algorithms/route.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <string.h>

/* The unit of scratch, in bytes, of DIRECT in place. An index of scratch is an int, and the blocks
 * may be large. */
enum { LARGE_UNIT = 64 };

/* Number of calls without a look, that is, with DIRECT only: after the first such decision, and the
 * maximum. */
enum { FIRST_PATIENCE = 7, PATIENCE = 63 };

/* ---- heads ---- */

anypi_local_head anypi_local_head_of(const anypi_local *local, int i)
{
    const int64_t size = local->given[i];
    return (anypi_local_head) {
        .size = size <= local->plan->limits.limit ? (uint32_t) size : ANYPI_GOES_DIRECTLY,
        .totals = local->own,
    };
}

/* If the sizes of the two ends differ, the sender's size decides how the block travels: a message
 * that nobody receives would be matched by a later call. A block that arrives in another one's
 * message is not unpacked then. */
bool anypi_local_note(anypi_local *local, int i, const anypi_local_head *head)
{
    const bool direct = head->size == ANYPI_GOES_DIRECTLY;
    anypi_local_add_totals(&local->most, &head->totals);
    if (direct ? local->got[i] <= local->plan->limits.limit : local->got[i] != head->size) {
        local->disagrees = true;
        local->got[i] = direct ? INT64_MAX : 0;
    }
    return anypi_local_is_inlined(&local->plan->limits, local->got[i]);
}

/* ---- programs of a call ---- */

/* In an alltoall in place, any block that arrives overwrites another block. */
static bool packs_all(const anypi_local *local)
{
    return local->in_place && anypi_transposes(local->plan->limits.call.collective);
}

/* Returns how many sizes `masked` must hold for any route. */
static size_t masked_room(const anypi_local_plan *plan)
{
    const size_t p = (size_t) plan->limits.call.p, received = (size_t) plan->received;
    return p + (received > p ? received : p);
}

/* Makes local->made from the sizes in local->masked: p given ones, then the received ones. */
static anyp_status make_program(anypi_local *local, const anyp_schedule *route, int unit)
{
    const int p = route->p;
    const anypi_route_sizes sizes = { .all = -1, .given = local->masked,
                                      .received = local->masked + p, .unit = unit,
                                      .in_place = packs_all(local) };
    const anypi_placement vector = anypi_placement_of_blocks(p, unit);
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    anyp_status status = anypi_route_make(route, &sizes, &schedule, NULL);
    local->made = status == ANYP_SUCCESS ? anypi_program_new() : NULL;
    if (status == ANYP_SUCCESS)
        status = local->made ? anypi_program_make(local->made, &schedule, &vector)
            : ANYP_ERR_MEMORY;
    anyp_schedule_free(&schedule);
    return status;
}

/* Sets local->made as make_program() does. Blocking calls, which follow each other, reuse the last
 * program if the sizes are equal, because making it may take longer than its messages. */
static anyp_status find_program(anypi_local *local, const anyp_schedule *route, int received,
                                int unit)
{
    anypi_local_plan *plan = local->plan;
    const size_t bytes = (size_t) (route->p + received) * sizeof *local->masked;
    anypi_program_release(local->made);
    local->made = NULL;
    if (!local->learned)
        return make_program(local, route, unit);
    if (plan->last && plan->last_route == route &&
        !memcmp(plan->last_sizes, local->masked, bytes)) {
        local->made = anypi_program_hold(plan->last);
        return ANYP_SUCCESS;
    }
    const anyp_status status = make_program(local, route, unit);
    if (!plan->last_sizes)
        plan->last_sizes = anypi_realloc(NULL, masked_room(plan) * sizeof *plan->last_sizes);
    if (status != ANYP_SUCCESS || !plan->last_sizes)
        return status;
    anypi_program_release(plan->last);
    plan->last = anypi_program_hold(local->made);
    plan->last_route = route;
    memcpy(plan->last_sizes, local->masked, bytes);
    return status;
}

/* Makes the program of ROUTE from the heads in the scratch memory of SIZES. */
static anyp_status make_route(anypi_local *local, const char *scratch)
{
    const anypi_local_plan *plan = local->plan;
    int64_t *given = local->masked, *received = local->masked + plan->limits.call.p;
    for (int i = 0; i < plan->limits.call.p; i++)
        given[i] = anypi_local_is_routed(&plan->limits, local->given[i]) ? local->given[i] : 0;
    for (int k = 0; k < plan->received; k++) {
        anypi_local_head head;
        memcpy(&head, scratch + plan->places[k], sizeof head);
        received[k] = anypi_local_is_routed(&plan->limits, head.size) ? head.size : 0;
    }
    return find_program(local, &plan->route, plan->received, 1);
}

/* Makes the program of DIRECT in place, which packs the blocks before it sends them, and unpacks
 * them where they arrive. */
static anyp_status make_direct(anypi_local *local)
{
    const anypi_local_plan *plan = local->plan;
    const anyp_schedule *ring = &plan->ring[local->few];
    int64_t *given = local->masked, *received = local->masked + plan->limits.call.p;
    for (int i = 0; i < plan->limits.call.p; i++)
        given[i] = local->given[i] > local->above ? local->given[i] : 0;
    int count = 0;
    for (int i = 0; i < ring->steps_count; i++)
        if (ring->steps[i].kind == ANYP_RECV) {
            const int64_t bytes = local->got[ring->steps[i].to.first];
            received[count++] = bytes > local->above ? bytes : 0;
        }
    return find_program(local, ring, count, LARGE_UNIT);
}

/* ---- decisions ---- */

/* Sets how many of the next calls run only DIRECT. */
static void learn(anypi_learned *learned, bool directly)
{
    const int more = learned->patience ? 2 * learned->patience + 1 : FIRST_PATIENCE;
    learned->patience = (unsigned char) (!directly ? 0 : more < PATIENCE ? more : PATIENCE);
    learned->direct = learned->patience;
}

/* Returns whether the root of a gatherv tells its decision in this call: always after calls that
 * ran only DIRECT, otherwise at some of the looks, which all ranks count. */
static bool tells(const anypi_local *local)
{
    const anypi_learned *learned = local->learned;
    return learned && (learned->patience > 0 || (learned->looks & (learned->looks - 1)) == 0 ||
                       learned->looks % (PATIENCE + 1) == 0);
}

static anyp_status go_directly(anypi_local *local, int64_t above)
{
    int given = 0, got = 0;
    for (int i = 0; i < local->plan->limits.call.p; i++) {
        given += local->given[i] > above;
        got += local->got[i] > above;
    }
    local->stage = ANYPI_LOCAL_DIRECT;
    local->above = above;
    local->few = given <= ANYPI_LOCAL_IN_FLIGHT && got <= ANYPI_LOCAL_IN_FLIGHT;
    return packs_all(local) ? make_direct(local) : ANYP_SUCCESS;
}

/* Decides, after SIZES, how the other blocks travel. */
static anyp_status decide(anypi_local *local, const char *scratch)
{
    const anypi_local_plan *plan = local->plan;
    const bool gathers = anypi_gathers(&plan->limits.call);
    const anypi_local_choice choice = anypi_local_choose(&plan->limits, &local->most);
    local->told = choice.directly;
    if (local->learned && !gathers)
        learn(local->learned, choice.directly);
    if (!gathers && !choice.combines)
        return go_directly(local, plan->limits.inlined);
    local->stage = ANYPI_LOCAL_ROUTE;
    local->above = plan->limits.limit;
    return make_route(local, scratch);
}

/* ---- stages ---- */

anyp_status anypi_local_open(anypi_local *local, anypi_local_plan *plan, bool in_place,
                             anypi_learned *learned)
{
    const size_t p = (size_t) plan->limits.call.p;
    *local = (anypi_local) { .learned = learned, .in_place = in_place };
    local->given = anypi_realloc(NULL, (2 * p + masked_room(plan)) * sizeof *local->given);
    if (!local->given)
        return ANYP_ERR_MEMORY;
    memset(local->given, 0, 2 * p * sizeof *local->given);
    local->got = local->given + p;
    local->masked = local->got + p;
    local->plan = anypi_local_plan_hold(plan);
    return ANYP_SUCCESS;
}

anyp_status anypi_local_begin(anypi_local *local)
{
    const anypi_local_limits *limits = &local->plan->limits;
    const anypi_local_totals got =
        anypi_local_totals_of(limits, local->got, limits->call.rank);
    local->own = anypi_local_totals_of(limits, local->given, limits->call.rank);
    anypi_local_add_totals(&local->own, &got);
    local->most = local->own;
    if (limits->limit == 0)
        return go_directly(local, 0);
    if (local->learned && local->learned->direct > 0) {
        local->learned->direct--;
        return go_directly(local, 0);
    }
    if (local->learned)
        local->learned->looks++;
    local->stage = ANYPI_LOCAL_SIZES;
    return ANYP_SUCCESS;
}

const anypi_program *anypi_local_program(const anypi_local *local)
{
    switch (local->stage) {
        case ANYPI_LOCAL_SIZES:
            return &local->plan->sizes;
        case ANYPI_LOCAL_TELL:
            return &local->plan->tell;
        case ANYPI_LOCAL_ROUTE:
            return local->made;
        case ANYPI_LOCAL_DIRECT:
            return packs_all(local) ? local->made : &local->plan->direct[local->few];
        case ANYPI_LOCAL_END:
            break;
    }
    return NULL;
}

anyp_status anypi_local_next(anypi_local *local, const char *scratch)
{
    switch (local->stage) {
        case ANYPI_LOCAL_SIZES:
            return decide(local, scratch);
        case ANYPI_LOCAL_ROUTE:
            if (!anypi_gathers(&local->plan->limits.call) || !tells(local))
                return go_directly(local, local->above);
            local->stage = ANYPI_LOCAL_TELL;
            return ANYP_SUCCESS;
        case ANYPI_LOCAL_TELL:
            learn(local->learned, local->told);
            return go_directly(local, local->above);
        case ANYPI_LOCAL_DIRECT:
        case ANYPI_LOCAL_END:
            local->stage = ANYPI_LOCAL_END;
            break;
    }
    return ANYP_SUCCESS;
}

void anypi_local_close(anypi_local *local)
{
    anypi_local_plan_release(local->plan);
    anypi_program_release(local->made);
    anypi_free(local->given);
}
