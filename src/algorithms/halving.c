/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/halving.h"
#include "algorithms/halved.h"

#include "schedule/set.h"

anypi_halving anypi_halving_of(const anyp_call *call)
{
    const bool scatters = anypi_scatters(call);
    const int rounds = anypi_log2_floor((unsigned) call->p);
    int h = 0;
    while (h < rounds && (scatters || call->count >= (int64_t) 2 << h))
        h++;

    anypi_halving here = { .call = call, .rounds = rounds, .halvings = h };
    here.pairs = anypi_pairs_of(call->p, call->collective == ANYP_REDUCE ? call->root : -1);
    here.doubled = scatters ? here.pairs.dropped : 0;
    here.blocks = scatters ? call->p : 1 << h;
    here.partner = anypi_pairs_partner(&here.pairs, call->rank);
    here.number = anypi_pairs_number(&here.pairs, call->rank);
    here.drops_out = anypi_pairs_drops_out(&here.pairs, call->rank);
    const anypi_range lower = { 0, here.blocks - here.blocks / 2 };
    const anypi_range upper = { lower.end, here.blocks };
    const bool lower_goes_on = here.number % 2 == 0 || here.blocks == 1;
    const bool is_lower = lower_goes_on != here.drops_out;
    here.mine = is_lower ? lower : upper;
    here.others = is_lower ? upper : lower;
    return here;
}

int anypi_halving_blocks(const anypi_halving *here, int number, int z)
{
    return anypi_halved_blocks(here->halvings, here->doubled, number, z);
}

anypi_range anypi_halving_slice(const anypi_halving *here, int number, int z)
{
    return anypi_halved_slice(here->halvings, here->doubled, number, z);
}

anypi_move anypi_halving_fold(const anypi_halving *here)
{
    return (anypi_move) { .to = here->partner, .from = here->partner,
                          .gives = here->others, .keeps = here->mine,
                          .left = here->call->rank % 2 == 0,
                          .may_exchange = here->call->commutative };
}

anypi_move anypi_halving_exchange(const anypi_halving *here, int z)
{
    const int other = here->number ^ 1 << z, peer = anypi_pairs_rank(&here->pairs, other);
    const bool halves = z < here->halvings;
    const int after = halves ? z + 1 : here->halvings;
    anypi_move move = { .to = peer, .from = peer,
                        .gives = anypi_halving_slice(here, other, after),
                        .keeps = anypi_halving_slice(here, here->number, after),
                        .left = here->number < other,
                        .may_exchange = halves && here->call->commutative };
    if (here->call->collective == ANYP_REDUCE && !halves) {
        const int root = anypi_pairs_number(&here->pairs, here->call->root);
        *((root ^ here->number) >> z & 1 ? &move.from : &move.to) = -1;
    }
    return move;
}

void anypi_halving_order(const anypi_halving *here, int *order)
{
    /* the first round halved first, so numbers count with their bits the other way round */
    for (int i = 0, number = 0; i < here->blocks;
         number = anypi_next_reversed(number, here->rounds)) {
        order[i++] = anypi_pairs_rank(&here->pairs, number);
        if (number < here->doubled)
            order[i++] = anypi_pairs_rank(&here->pairs, number) + 1;
    }
}
