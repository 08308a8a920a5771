/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fold.c - p is odd: after the first round, a number of groups is absorbed, so that a power of two
 * of groups is left.
 *
 * After the first round there are (p-1)/2 = 2^(L-1) + E groups of two ranks, where L = floor(log2
 * p). The leftmost group is made of three ranks and takes one step more. At the same time, the E
 * groups with odd numbers up to 2E-1 absorb the next ones. From then on it is a plain butterfly. In
 * it, bit 0 of a rank's position is its index in its group of two. The other bits are the number of
 * this group, 0 .. 2^(L-1)-1.
 *
 *   p = 7, E = 1:   0 1 2   3 4   5 6     3-2 elimination, and pairs
 *                   0 1     3 4 < 5 6     its second step, and 2-1 eliminations
 *                   0 1     3 4           pairs of 0 and 3, 1 and 4
 *
 * If nothing halves, a rank that drops out receives the result from the rank that absorbed it: rank
 * 2 from rank 1, the others from the rank at the same index of the group before. So no rank sends
 * two results. If only the first round halves, no rank of the leftmost group, which is also a step
 * late in the second phase, sends one. The time is that of odd=overlap, and there are no more
 * messages and bytes in total.
 * In a reduce-scatter, a rank that drops out leaves its block to the same rank. So numbers 0 (at
 * index 1 only) to E have two blocks, and any slice, which has every 2^i-th number, is cut into
 * nearly equal halves.
 */
#include "algorithms/butterfly/elimination.h"

#include "schedule/ranks.h"

/* E */
static int absorptions(int p)
{
    return p > 1 ? (p - 1) / 2 - (1 << (anypi_log2_floor((unsigned) p) - 1)) : 0;
}

/* The first of the two groups, as numbered after the first round, that formed this number. */
static int group_of(int p, int number)
{
    const int absorbed = absorptions(p);
    return number == 0 ? 0 : number <= absorbed ? 2 * number - 1 : number + absorbed;
}

/* The rank at an index of a group of two, as numbered after the first round. */
static int rank_in(int group, int index)
{
    return group == 0 ? index : 2 * group + 1 + index;
}

static int rank_at(int p, int position)
{
    return rank_in(group_of(p, position >> 1), position & 1);
}

/* The rank that drops out and leaves its block to the rank at this position; -1: none. */
static int foreign_rank(int p, int position)
{
    const int number = position >> 1;
    if (number == 0)
        return position == 1 ? 2 : -1;
    return number <= absorptions(p) ? rank_in(group_of(p, number) + 1, position & 1) : -1;
}

/* Blocks of a reduce-scatter that end at positions that are equal mod 2^z, z > 0. */
static int blocks_of(int p, int position, int z)
{
    const int number = position >> 1, absorbed = absorptions(p);
    int foreign = number <= absorbed ? ((absorbed - number) >> (z - 1)) + 1 : 0;
    foreign -= position == 0;
    return (1 << (anypi_log2_floor((unsigned) p) - z)) + foreign;
}

static void first_round(int p, int rank, int h, bool scatters, anypi_path *path)
{
    const int half = scatters ? blocks_of(p, 0, 1) : 0;
    const anypi_join join = { .group = rank < 3 ? 0 : (rank - 1) / 2,
                              .role = rank < 3 ? rank : (rank + 1) % 2 };
    if (rank < 3)
        anypi_join_three(path, join, 0, 1, 2, half, h > 0);
    else
        anypi_join_pair(path, join, join.role == 0 ? rank + 1 : rank - 1, half, h > 0);
    if (scatters && rank == 1)
        path->feeds = 2;
    if (scatters && rank == 2)
        path->fed_by = 1;
}

/* The 2-1 eliminations; returns the number of the rank's group afterwards. */
static int absorb(int p, int index, int h, bool scatters, anypi_path *path)
{
    const int group = path->joins[0].group, absorbed = absorptions(p);
    const bool joins = group > 0 && group <= 2 * absorbed, right = joins && group % 2 == 0;
    const int number = !joins ? group - (group > 0 ? absorbed : 0) : (group + 1) / 2;
    if (absorbed == 0)
        return number;
    const anypi_join join = { .group = number, .role = right, .position = index };
    const int peer = joins ? rank_in(right ? group - 1 : group + 1, index) : -1;
    anypi_join_absorb(path, join, peer, h > 1);
    if (joins && scatters)
        *(right ? &path->fed_by : &path->feeds) = peer;
    return number;
}

static void fold_path(int p, int rank, int h, bool scatters, anypi_path *path)
{
    const int rounds = anypi_log2_floor((unsigned) p);
    anypi_path_begin(path, scatters ? p : 1 << h);
    if (p == 1)
        return;
    first_round(p, rank, h, scatters, path);
    if (path->drops_out)
        return;
    const int index = path->joins[0].role;
    const int number = absorb(p, index, h, scatters, path);
    if (path->drops_out)
        return;

    for (int z = 1; z < rounds; z++) {
        const int bit = 1 << (z - 1), role = (number & bit) != 0;
        const int position = index + 2 * (number & (bit - 1));
        const anypi_join join = { number >> z, role, position };
        anypi_join_pair(path, join, rank_at(p, index + 2 * (number ^ bit)),
                        scatters ? blocks_of(p, position, z + 1) : 0, z < h);
    }
}

const anypi_protocol anypi_fold = {
    .path = fold_path, .rank_at = rank_at, .foreign_rank = foreign_rank,
};
