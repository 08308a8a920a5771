/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_fold.c - the paths of all ranks by the folding protocol fit together, and so do those of the
 * overlapping one; both cost the same, as Rabenseifner & Träff 2004, section 3.3, says.
 */
#include "unit/common.h"

#include "algorithms/butterfly/butterfly.h"

#include <limits.h>
#include <stdlib.h>

static bool same_range(anypi_range a, anypi_range b)
{
    return a.first == b.first && a.end == b.end;
}

/* The paths of all ranks when the first h rounds halve. */
typedef struct paths {
    int p, h;
    anypi_path *of;
} paths;

/* Which move of a path is the next from this rank, after `skip` others; -1: there is none. */
static int move_from(const anypi_path *path, int from, int skip)
{
    for (int i = 0; i < path->count; i++)
        if (path->moves[i].from == from && skip-- == 0)
            return i;
    return -1;
}

/* Every send has its receive, in the same order, of the same blocks, in the same join of the same
 * group; the operands are of neighbouring groups. */
static void assert_messages(const paths *all)
{
    int sends = 0, receives = 0;
    for (int rank = 0; rank < all->p; rank++) {
        const anypi_path *path = &all->of[rank];
        for (int i = 0; i < path->count; i++) {
            const anypi_move *move = &path->moves[i];
            const int join = path->uses[i].join;
            int before = 0;
            receives += move->from >= 0;
            if (move->to < 0)
                continue;
            sends++;
            for (int k = 0; k < i; k++)
                before += path->moves[k].to == move->to;
            const anypi_path *there = &all->of[move->to];
            const int k = move_from(there, rank, before);
            assert_often(k >= 0, "p=%d h=%d: %d never receives from %d", all->p, all->h, move->to,
                         rank);
            ck_assert(same_range(move->gives, there->moves[k].keeps));
            ck_assert_int_eq(join, there->uses[k].join);
            const anypi_join *mine = &path->joins[join], *theirs = &there->joins[join];
            ck_assert_int_eq(mine->group, theirs->group);
            ck_assert_int_eq(mine->position, theirs->position);
            ck_assert_int_eq(there->moves[k].left, theirs->role < mine->role);
        }
    }
    ck_assert_int_eq(sends, receives);
}

/* A rank that drops out is fed by one that holds its slice, one to one, or has an heir; and the
 * number of ranks that continue is the largest power of two. */
static void assert_routing(const paths *all)
{
    int dropped = 0, joined = -1;
    for (int rank = 0; rank < all->p; rank++) {
        const anypi_path *path = &all->of[rank];
        if (path->feeds >= 0)
            ck_assert_int_eq(all->of[path->feeds].fed_by, rank);
        if (path->fed_by >= 0) {
            ck_assert_int_eq(all->of[path->fed_by].feeds, rank);
            ck_assert(path->drops_out && !all->of[path->fed_by].drops_out);
        }
        if (path->drops_out) {
            dropped++;
            ck_assert(path->heir >= 0 ? path->halving > 0 : path->fed_by >= 0);
            if (path->heir < 0)
                ck_assert(same_range(path->slice, all->of[path->fed_by].slice));
        } else {
            ck_assert_int_eq(path->heir, -1);
            joined = joined < 0 ? path->joined : joined;
            ck_assert_int_eq(path->joined, joined);
            ck_assert_int_eq(path->joins[joined - 1].group, 0);
        }
    }
    ck_assert_int_eq(all->p - dropped, 1 << log2_floor(all->p));
}

/* Ranks that were one group before the first round that does not halve are fed by the ranks at the
 * same positions of one group. */
static void assert_groups_fed(const paths *all)
{
    for (int rank = 0; rank < all->p; rank++) {
        const anypi_path *path = &all->of[rank];
        if (path->fed_by < 0)
            continue;
        const int j = path->halving_joins;
        ck_assert_int_eq(path->joins[j].position, all->of[path->fed_by].joins[j].position);
        if (path->joins[j].position > 0)
            continue;
        for (int other = 0; other < all->p; other++) {
            const anypi_path *there = &all->of[other];
            if (there->joined <= j || there->fed_by < 0 ||
                there->joins[j].group != path->joins[j].group ||
                there->joins[j].role != path->joins[j].role)
                continue;
            const anypi_join *a = &all->of[path->fed_by].joins[j];
            const anypi_join *b = &all->of[there->fed_by].joins[j];
            ck_assert(a->group == b->group && a->role == b->role);
        }
    }
}

/* The last slices are in the order, and every round cuts evenly. */
static void assert_scattered(const paths *all, const anypi_protocol *protocol)
{
    int *order = malloc((size_t) all->p * sizeof *order);
    anypi_protocol_order(protocol, all->p, order);
    for (int rank = 0; rank < all->p; rank++) {
        const anypi_path *path = &all->of[rank];
        if (path->drops_out)
            continue;
        const int length = path->slice.end - path->slice.first;
        ck_assert_int_eq(length, path->feeds >= 0 ? 2 : 1);
        ck_assert_int_eq(order[path->slice.first], rank);
        if (path->feeds >= 0)
            ck_assert_int_eq(order[path->slice.first + 1], path->feeds);
        for (int i = 0; i < path->count; i++) {
            const anypi_move *move = &path->moves[i];
            if (move->to < 0 || move->from < 0)
                continue;
            const int given = move->gives.end - move->gives.first;
            const int kept = move->keeps.end - move->keeps.first;
            ck_assert_int_le(abs(given - kept), 1);
        }
    }
    free(order);
}

static void check(const anypi_protocol *protocol, int p, int h, bool scatters)
{
    const paths all = { p, h, malloc((size_t) p * sizeof *all.of) };
    ck_assert_ptr_nonnull(all.of);
    for (int rank = 0; rank < p; rank++)
        protocol->path(p, rank, h, scatters, &all.of[rank]);
    assert_messages(&all);
    assert_routing(&all);
    if (scatters)
        assert_scattered(&all, protocol);
    else
        assert_groups_fed(&all);
    free(all.of);
}

START_TEST(test_paths)
{
    const anypi_protocol *protocol = _i == 0 ? &anypi_fold : &anypi_overlap;
    const int most = max_p(300) < 130 ? max_p(300) : 130;
    for (int p = 3; p <= most; p += 2) {
        for (int h = 0; h <= log2_floor(p); h++)
            check(protocol, p, h, false);
        check(protocol, p, log2_floor(p), true);
    }
}
END_TEST

enum { VECTOR = 1 << 20 };      /* bytes; one element each, so that all slices are equal */

/* An allreduce of VECTOR bytes whose first h rounds halve. */
static variant halving(int p, int h, int odd)
{
    return (variant) { .algorithm = anyp_algorithm_find("butterfly"),
                       .call = { .collective = ANYP_ALLREDUCE, .p = p, .count = VECTOR,
                                 .type_size = 1, .commutative = true },
                       .parameters = { h == 0 ? INT_MAX : (VECTOR >> (h - 1)) - 1, odd, 3 } };
}

/* The same time as the overlapping protocol and the closed form, with each part of it alone and
 * with all; of all ranks together no more messages or bytes than there. If p is no power of two,
 * q + 1 + h rounds. */
START_TEST(test_costs)
{
    const anyp_model model = { .alpha = 1e6, .beta = 3, .gamma = 2, .overhead = 1e3 };
    const int most = max_p(300);
    for (int p = 2; p <= most; p++) {
        for (int h = 0; h <= log2_floor(p); h++) {
            const variant fold = halving(p, h, ANYPI_ODD_FOLD);
            const variant overlap = halving(p, h, ANYPI_ODD_OVERLAP);
            const anyp_cost cost = anypi_cost_of(fold.algorithm, &fold.call, fold.parameters);
            const bool power = p == 1 << log2_floor(p);
            ck_assert(cost.latencies == log2_floor(p) + h + (power ? 0 : 2));
            const anypi_simulation s = simulate_variant(&fold, model);
            const anypi_simulation other = simulate_variant(&overlap, model);
            ck_assert(s.time == other.time);
            assert_often(s.total.messages <= other.total.messages &&
                         s.total.bytes_sent <= other.total.bytes_sent,
                         "%s: %d messages, %lld bytes; overlapping: %d, %lld",
                         variant_text(&fold), (int) s.total.messages,
                         (long long) s.total.bytes_sent, (int) other.total.messages,
                         (long long) other.total.bytes_sent);
        }
    }
}
END_TEST

START_TEST(test_bracketing)
{
    static const struct {
        int p;
        const char *sum;
    } rows[] = {
        { 3, "x0+(x1+x2)" },
        { 5, "x0+(x1+x2)+(x3+x4)" },
        { 6, "x0+x1+(x2+x3+(x4+x5))" },
        { 7, "x0+(x1+x2)+(x3+x4+(x5+x6))" },
        { 13, "x0+(x1+x2)+(x3+x4+(x5+x6))+(x7+x8+(x9+x10)+(x11+x12))" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        for (int h = 0; h <= log2_floor(rows[i].p); h++) {
            variant v = halving(rows[i].p, h, ANYPI_ODD_FOLD);
            v.call.commutative = false;
            assert_sum_is(&v, rows[i].p - 1, 0, rows[i].sum);
        }
    }
}
END_TEST

Suite *suite_fold(void)
{
    TCase *tests;
    Suite *suite = suite_of("fold", &tests);
    tcase_add_loop_test(tests, test_paths, 0, 2);
    tcase_add_test(tests, test_costs);
    tcase_add_test(tests, test_bracketing);
    return suite;
}
