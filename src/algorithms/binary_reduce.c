/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/binary.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/set.h"

/* The rank's own block reduce-scatters. */
static void halve(const anypi_binary_place *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    for (int z = 0; z < here->own; z++) {
        const int partner = here->position ^ 1 << z;
        const int peer = anypi_binary_rank(here, here->own, partner);
        const anypi_move move = { .to = peer, .from = peer,
                                  .gives = anypi_binary_slice(here, partner, z + 1),
                                  .keeps = anypi_binary_slice(here, here->position, z + 1),
                                  .left = partner > here->position,
                                  .may_exchange = here->call->commutative };
        anypi_accumulate(sum, &move, schedule);
    }
}

/* What the smaller block has comes in; a deputy gets its left operand. */
static void take_in(const anypi_binary_place *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    anypi_move move = { .to = -1,
                        .from = anypi_binary_behind(here),
                        .keeps = anypi_binary_slice(here, here->position, here->own),
                        .left = true,
                        .may_exchange = here->call->commutative };
    if (here->own == here->largest) {
        move.to = anypi_binary_deputy(here, here->position);
        move.gives = anypi_binary_given(here, here->position);
        move.keeps = anypi_binary_kept(here, here->position);
    }
    anypi_accumulate(sum, &move, schedule);
}

/* What the rank has goes to the larger block. */
static void hand_on(const anypi_binary_place *here, anypi_accumulator *sum, anyp_schedule *schedule)
{
    const int rank = here->call->rank, x = rank - (1 << here->largest);
    const bool last = here->larger == here->largest;
    anypi_round(schedule);
    for (int to = here->position; to < 1 << here->larger; to += 1 << here->own) {
        const int deputy = last ? anypi_binary_deputy(here, to) : -1;
        const anypi_range slice = last ? anypi_binary_kept(here, to) :
            anypi_binary_slice(here, to, here->larger);
        anypi_send(schedule, anypi_binary_rank(here, here->larger, to),
                   anypi_part(sum->at, slice));
        if (deputy >= 0 && deputy != rank)
            anypi_send(schedule, deputy, anypi_part(sum->at, anypi_binary_given(here, to)));
    }
    if (anypi_binary_deputy(here, x) != rank)
        return;
    const anypi_range part = anypi_binary_given(here, x);
    if (last) {
        const anypi_move move = { .to = -1, .from = x, .keeps = part, .left = false,
                                  .may_exchange = here->call->commutative };
        anypi_accumulate_here(sum, &move, schedule);
        return;
    }
    /* the right operand comes from the block before the largest */
    const int second = anypi_log2_floor((unsigned) here->call->p ^ (1u << here->largest));
    const anyp_slice result = anypi_scatters(here->call) ? anypi_slice(ANYP_OUT, rank, rank + 1) :
        anypi_part(ANYP_OUT, part);
    anypi_round(schedule);
    anypi_recv(schedule, x, anypi_part(sum->spare, part));
    anypi_recv(schedule, anypi_binary_rank(here, second, x & ((1 << second) - 1)), result);
    anypi_reduce(schedule, anypi_part(sum->spare, part), result);
    sum->at = ANYP_OUT;
}

void anypi_binary_reduce(const anypi_binary_place *here, anypi_accumulator *sum,
                         anyp_schedule *schedule)
{
    halve(here, sum, schedule);
    if (here->smaller >= 0)
        take_in(here, sum, schedule);
    if (here->larger >= 0)
        hand_on(here, sum, schedule);
}
