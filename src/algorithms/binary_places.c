/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binary_places.c - bits of p and of a rank tell all: the highest one in which they differ is the
 * exponent of the rank's block. Halving goes by the bits of positions from the lowest on, so that
 * the slices of the largest block lie in the order of positions with their bits reversed.
 */
#include "algorithms/binary.h"
#include "algorithms/halved.h"

#include "schedule/ranks.h"
#include "schedule/set.h"

anypi_binary_place anypi_binary_place_of(const anyp_call *call)
{
    const unsigned p = (unsigned) call->p;
    const int own = anypi_log2_floor(p ^ (unsigned) call->rank);
    const unsigned before = p >> own >> 1, behind = p & ((1u << own) - 1);
    return (anypi_binary_place) { .call = call,
                                  .largest = anypi_log2_floor(p),
                                  .own = own,
                                  .position = call->rank & ((1 << own) - 1),
                                  .larger = before ? own + 1 + __builtin_ctz(before) : -1,
                                  .smaller = behind ? anypi_log2_floor(behind) : -1 };
}

int anypi_binary_rank(const anypi_binary_place *here, int exponent, int position)
{
    return (here->call->p >> exponent & ~1) << exponent | position;
}

int anypi_binary_behind(const anypi_binary_place *here)
{
    return anypi_binary_rank(here, here->smaller, here->position & ((1 << here->smaller) - 1));
}

int anypi_binary_deputy(const anypi_binary_place *here, int x)
{
    const anyp_call *call = here->call;
    const int deputy = (1 << here->largest) + x;
    const bool is = anypi_scatters(call) ? deputy < call->p :
        call->collective == ANYP_REDUCE && deputy == call->root;
    return is ? deputy : -1;
}

anypi_range anypi_binary_slice(const anypi_binary_place *here, int position, int z)
{
    const int deputies = anypi_scatters(here->call) ? here->call->p - (1 << here->largest) : 0;
    return anypi_halved_slice(here->largest, deputies, position, z);
}

anypi_range anypi_binary_kept(const anypi_binary_place *here, int x)
{
    const anypi_range slice = anypi_binary_slice(here, x, here->largest);
    if (anypi_binary_deputy(here, x) < 0)
        return slice;
    return (anypi_range) { slice.first, slice.first + anypi_scatters(here->call) };
}

anypi_range anypi_binary_given(const anypi_binary_place *here, int x)
{
    return (anypi_range) { anypi_binary_kept(here, x).end,
                           anypi_binary_slice(here, x, here->largest).end };
}
