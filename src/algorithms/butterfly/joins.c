/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/butterfly/elimination.h"

/* Adds a move of the last join; the sets of roles are those of anypi_use. */
static void add(anypi_path *path, int to, anypi_range gives, unsigned gives_for, int from,
                anypi_range keeps, unsigned keeps_for, bool left)
{
    path->moves[path->count] = (anypi_move) { .to = to, .from = from, .gives = gives,
                                              .keeps = keeps, .left = left };
    path->uses[path->count++] = (anypi_use) { path->joined - 1, gives_for, keeps_for };
}

enum { A = 1, B = 2, C = 4 };   /* sets of roles */

/* Records a join, and sets the slices of the left group and of the others after it. */
static void begin(anypi_path *path, anypi_join join, int half, bool halves, anypi_range *lower,
                  anypi_range *upper)
{
    const anypi_range slice = path->slice;
    const int cut = slice.first + (half > 0 ? half : (slice.end - slice.first) / 2);
    path->joins[path->joined++] = join;
    *lower = (anypi_range) { slice.first, halves ? cut : slice.end };
    *upper = (anypi_range) { halves ? cut : slice.first, slice.end };
    path->slice = join.role == 0 ? *lower : *upper;
}

static void end(anypi_path *path, bool halves)
{
    if (!halves)
        return;
    path->halving = path->count;
    path->halving_joins = path->joined;
}

/* One rank's part in a 3-2 elimination that halves; p0, p1, p2 are at one position of the three
 * groups. p1 and p2 swap halves; then p0 gives its upper one to p1 and gets the sum of their lower
 * ones from p2. */
static void eliminate_halving(anypi_path *path, int role, int p0, int p1, int p2,
                              anypi_range lower, anypi_range upper)
{
    if (role == 0) {
        add(path, p1, upper, A, p2, lower, B | C, true);
    } else if (role == 1) {
        add(path, p2, lower, B, p2, upper, C, true);
        add(path, -1, upper, 0, p0, upper, A, false);
    } else {
        add(path, p1, upper, C, p1, lower, B, false);
        add(path, p0, lower, B | C, -1, lower, 0, false);
        path->drops_out = true;
        path->heir = p0;
    }
}

/* The same if whole slices are exchanged: p2 gives its slice to p1, and then p0 and p1 exchange. */
static void eliminate_whole(anypi_path *path, int role, int p0, int p1, int p2, anypi_range slice)
{
    if (role == 0) {
        add(path, p1, slice, B, p1, slice, A, true);
    } else if (role == 1) {
        add(path, -1, slice, 0, p2, slice, A | B, true);
        add(path, p0, slice, A, p0, slice, B, false);
        path->feeds = p2;
    } else {
        add(path, p1, slice, A | B, -1, slice, 0, false);
        path->drops_out = true;
        path->fed_by = p1;
    }
}

void anypi_join_pair(anypi_path *path, anypi_join join, int peer, int half, bool halves)
{
    anypi_range lower, upper;
    begin(path, join, half, halves, &lower, &upper);
    if (join.role == 0)
        add(path, peer, upper, halves ? A : B, peer, lower, halves ? B : A, true);
    else
        add(path, peer, lower, halves ? B : A, peer, upper, halves ? A : B, false);
    end(path, halves);
}

void anypi_join_three(anypi_path *path, anypi_join join, int p0, int p1, int p2, int half,
                      bool halves)
{
    anypi_range lower, upper;
    begin(path, join, half, halves, &lower, &upper);
    if (halves)
        eliminate_halving(path, join.role, p0, p1, p2, lower, upper);
    else
        eliminate_whole(path, join.role, p0, p1, p2, lower);
    end(path, halves);
}

void anypi_join_absorb(anypi_path *path, anypi_join join, int peer, bool mirrored)
{
    const unsigned needed = mirrored ? B : A;
    path->joins[path->joined++] = join;
    if (peer >= 0 && join.role == 0) {
        add(path, -1, path->slice, 0, peer, path->slice, needed, true);
        path->feeds = mirrored ? -1 : peer;
    } else if (peer >= 0) {
        add(path, peer, path->slice, needed, -1, path->slice, 0, false);
        path->drops_out = true;
        path->heir = mirrored ? peer : -1;
        path->fed_by = mirrored ? -1 : peer;
    }
    end(path, mirrored);
}
