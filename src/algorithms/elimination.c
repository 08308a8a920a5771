/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elimination.c - all groups but the leftmost are 2^z ranks in a row, so that, counted from the
 * last rank, a rank's group and its position there are bits of its number. The leftmost group, 0 or
 * less by that reckoning, has the same ranks at its first positions from round to round and gets new
 * ones behind them.
 */
#include "algorithms/elimination.h"

#include "core/ranks.h"

/* The rank at a position of the leftmost group. It came in round z = floor(log2 position), and
 * p mod 2^z ranks left of it had dropped out by then. */
static int leftmost_rank(int p, int position)
{
    return position ? position + p % (1 << anypi_log2_floor((unsigned) position)) : 0;
}

static void add(anypi_path *path, int to, anypi_range gives, int from, anypi_range keeps, bool left)
{
    path->moves[path->count++] = (anypi_move) { .to = to, .from = from, .gives = gives,
                                                   .keeps = keeps, .left = left };
}

/* One rank's part in a 3-2 elimination; p0, p1, p2 are at one position of the three groups. When
 * halving, p1 and p2 swap halves, and then p0 gives its upper one to p1 and gets the sum of their
 * lower ones from p2; else p2 gives all to p1, and then p0 and p1 exchange. */
static void eliminate(anypi_path *path, int group, int p0, int p1, int p2, anypi_range lower,
                      anypi_range upper, bool halves)
{
    if (group == 0) {
        add(path, p1, upper, halves ? p2 : p1, lower, true);
    } else if (group == 1) {
        add(path, halves ? p2 : -1, lower, p2, upper, true);
        add(path, halves ? -1 : p0, upper, p0, upper, false);
        path->feeds = halves ? -1 : p2;
    } else {
        add(path, p1, upper, halves ? p1 : -1, lower, false);
        if (halves)
            add(path, p0, lower, -1, lower, false);
        path->fed_by = halves ? -1 : p1;
        path->drops_out = true;
    }
}

void anypi_elimination_path(int p, int rank, int h, bool commutative, anypi_path *path)
{
    const int rounds = anypi_log2_floor((unsigned) p);
    int position = 0;

    path->count = path->halving = 0;
    path->slice = (anypi_range) { 0, 1 << h };
    path->drops_out = false;
    path->feeds = path->fed_by = -1;
    for (int z = 0; z < rounds && !path->drops_out; z++) {
        const int size = 1 << z, groups = p >> z;
        const int counted = groups - 1 - ((p - 1 - rank) >> z);
        const int group = counted > 0 ? counted : 0;
        const bool three = groups % 2 && group < 3;
        const bool stays_lower = three ? group == 0 : group % 2 == groups % 2;
        const bool halves = z < h;
        const int half = (path->slice.end - path->slice.first) / 2;
        const anypi_range lower = { path->slice.first, path->slice.end - (halves ? half : 0) };
        const anypi_range upper = { path->slice.first + (halves ? half : 0), path->slice.end };
        /* who is at this position of the leftmost group and of the next */
        const int p0 = leftmost_rank(p, position), p1 = leftmost_rank(p, position + size);

        if (three) {
            eliminate(path, group, p0, p1, p1 + size, lower, upper, halves);
        } else if (stays_lower) {
            const int peer = group == 0 ? p1 : rank + size;
            add(path, peer, upper, peer, lower, true);
        } else {
            const int peer = group == 1 ? p0 : rank - size;
            add(path, peer, lower, peer, upper, false);
        }
        path->slice = stays_lower ? lower : upper;
        position += stays_lower ? 0 : size;
        if (halves)
            path->halving = path->count;
    }
    for (int i = 0; i < path->halving; i++)
        path->moves[i].may_exchange = commutative;
}
