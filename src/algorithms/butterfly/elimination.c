/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.c - the steps of odd=overlap: which ranks a rank exchanges with, and which drop out.
 *
 * All groups but the leftmost are 2^z neighbouring ranks. So, counted from the last rank, the group
 * of a rank and its position in the group are bits of its number. The leftmost group has number 0
 * or less by that count. From round to round, it keeps the ranks at its first positions, and new
 * ranks come after them.
 *
 * In a reduce-scatter, a rank that drops out leaves its block to the second rank of its
 * elimination, whose position is new in the leftmost group. So every position gets at most one
 * block of another rank.
 */
#include "algorithms/butterfly/elimination.h"

#include "schedule/ranks.h"

/* The rank at a position of the leftmost group. It joined in round z = floor(log2 position), and
 * p mod 2^z ranks left of it had dropped out by then. */
static int leftmost_rank(int p, int position)
{
    return position ? position + p % (1 << anypi_log2_floor((unsigned) position)) : 0;
}

/* The rank whose block the rank at this position of the leftmost group has besides its own: that of
 * its own 3-2 elimination; -1: none. */
static int foreign_rank(int p, int position)
{
    if (position == 0)
        return -1;
    const int size = 1 << anypi_log2_floor((unsigned) position);
    return p & size ? leftmost_rank(p, position) + size : -1;
}

/* The number of blocks of a reduce-scatter that end at a position, or, from round z on, at
 * positions that groups get after it. */
static int blocks_from(int p, int position, int z)
{
    return (p >> z) + (foreign_rank(p, position) >= 0);
}

static void overlap_path(int p, int rank, int h, bool scatters, anypi_path *path)
{
    const int rounds = anypi_log2_floor((unsigned) p);
    int position = 0;

    anypi_path_begin(path, scatters ? p : 1 << h);
    for (int z = 0; z < rounds && !path->drops_out; z++) {
        const int size = 1 << z, groups = p >> z;
        const int counted = groups - 1 - ((p - 1 - rank) >> z);
        const int group = counted > 0 ? counted : 0;
        const bool three = groups % 2 && group < 3;
        const int role = three ? group : group % 2 != groups % 2;
        const bool halves = z < h;
        const int half = scatters ? blocks_from(p, position, z + 1) : 0;
        /* the ranks at this position of the leftmost group and of the next */
        const int p0 = leftmost_rank(p, position), p1 = leftmost_rank(p, position + size);

        const anypi_join join = { (group - groups % 2) / 2, role, position };

        if (three)
            anypi_join_three(path, join, p0, p1, p1 + size, half, halves);
        else if (role == 0)
            anypi_join_pair(path, join, group == 0 ? p1 : rank + size, half, halves);
        else
            anypi_join_pair(path, join, group == 1 ? p0 : rank - size, half, halves);
        if (three && scatters) {        /* its block is sent back */
            path->feeds = role == 1 ? p1 + size : path->feeds;
            path->fed_by = role == 2 ? p1 : -1;
        }
        position += role == 0 ? 0 : size;
    }
}

const anypi_protocol anypi_overlap = {
    .path = overlap_path, .rank_at = leftmost_rank, .foreign_rank = foreign_rank,
};

void anypi_protocol_order(const anypi_protocol *protocol, int p, int *order)
{
    const int rounds = anypi_log2_floor((unsigned) p);
    int position = 0;           /* the first round halves first: the bits are reversed */
    for (int slice = 0; slice < 1 << rounds; slice++) {
        const int foreign = protocol->foreign_rank(p, position);
        *order++ = protocol->rank_at(p, position);
        if (foreign >= 0)
            *order++ = foreign;
        position = anypi_next_reversed(position, rounds);
    }
}
