/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_multiport.c - multiport: how many messages its rounds have, also on nodes; short
 * parts are never cut, and long ones never copied.
 */
#include "unit/common.h"

#include "analysis/simulate.h"
#include "schedule/shape.h"

static const anyp_collective collectives[] = { ANYP_ALLREDUCE, ANYP_REDUCE_SCATTER };
static const int radices[] = { 2, 3, 4, 5, 8, 64 };

enum {
    KINDS = 4,                  /* collective, in place */
    RADICES = sizeof radices / sizeof *radices,
    LONG = 1 << 20              /* bytes of a block that is not joined with its neighbours */
};

typedef void (*call_function)(const variant *variant);

static void each_call(int64_t block, call_function function)
{
    for (int p = 1; p <= max_p(70); p++)
        for (int i = 0; i < KINDS * RADICES; i++) {
            const variant v = { .algorithm = anyp_algorithm_find("multiport"),
                                .call = { .collective = collectives[i % 2], .p = p,
                                          .in_place = i / 2 % 2, .count = p, .type_size = block,
                                          .commutative = true },
                                .parameters = { radices[i / KINDS], 0, 2 } };
            function(&v);
        }
}

/* As few rounds as the radix allows, and as few messages in them. */
START_TEST(rounds_and_messages)
{
    static const struct {
        int p, radix, messages;
    } known[] = {
        { 7, 2, 3 }, { 7, 3, 4 }, { 7, 64, 6 }, { 13, 4, 6 }, { 13, 12, 6 }, { 13, 13, 12 },
        { 24, 3, 6 }, { 24, 4, 6 }, { 100, 4, 9 }, { 100, 5, 11 }, { 100, 10, 18 },
        { 1000, 4, 15 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const variant v = { .algorithm = anyp_algorithm_find("multiport"),
                            .call = { .collective = ANYP_REDUCE_SCATTER, .p = known[i].p,
                                      .count = known[i].p, .type_size = 1, .commutative = true },
                            .parameters = { known[i].radix, 0, 2 } };
        const anypi_simulation s = simulate_variant(&v, (anyp_model) { .alpha = 1 });
        ck_assert_double_eq(s.time, rounds_of_radix(known[i].p, known[i].radix));
        assert_often(s.most.messages == known[i].messages, "%s: %d messages", variant_text(&v),
                     (int) s.most.messages);
    }
}
END_TEST

static void check_short(const variant *v)
{
    const anypi_simulation s = simulate_variant(v, (anyp_model) { .alpha = 1 });
    assert_often(s.total.pieces == s.total.messages, "%s: %lld messages in %lld pieces",
                 variant_text(v), (long long) s.total.messages, (long long) s.total.pieces);
}

static void check_long(const variant *v)
{
    const int p = v->call.p, scatters = anypi_scatters(&v->call);
    const bool copies = p == 1 ? scatters || !v->call.in_place
        : scatters && v->call.in_place && (p <= v->parameters[0] || p == 3);
    const anypi_simulation s = simulate_variant(v, (anyp_model) { .alpha = 1 });
    assert_often(s.most.bytes_copied == (copies ? LONG : 0), "%s: %lld bytes copied",
                 variant_text(v), (long long) s.most.bytes_copied);
}

START_TEST(cut_or_copied)
{
    each_call(1, check_short);
    each_call(LONG, check_long);
}
END_TEST

/* On nodes of equal size an alltoall has one message to each other rank of the node and one to each
 * other node, and each block passes the cards once; on others, ranks of small nodes send more. */
START_TEST(alltoall_on_nodes)
{
    static const struct {
        const char *shape;
        int groups, messages, card_blocks;
    } known[] = {
        { "13x8", 1, 7 + 12, 8 * 96 }, { "17x3", 1, 2 + 16, 3 * 48 },
        { "12x8:cyclic", 1, 7 + 11, 8 * 88 }, { "5x1", 1, 4, 4 }, { "1x5", 1, 4, 0 },
        { "4,3,4", 1, 3 + 2, 4 * 7 }, { "3,1,2:cyclic", 1, 5, 3 * 3 },
        /* at switches of 8 ranks; the card of a node has those of the other nodes, too */
        { "5x(4x2)", 1, 1 + 19, 2 * 38 }, { "5x(4x2)", 2, 7 + 4, 2 * (6 * 5 + 32) },
        { "5x(8x1)", 1, 7 + 4, 7 * 5 + 32 }, { "5x(8x1)", 2, 7 + 4, 7 * 5 + 32 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *reason;
        anyp_shape *nodes = anypi_shape_read(known[i].shape, 0, &reason);
        const int p = anypi_shape_ranks(nodes);
        const variant v = { .algorithm = anyp_algorithm_find("multiport"),
                            .call = { .collective = ANYP_ALLTOALL, .p = p, .count = p,
                                      .type_size = 1, .commutative = true, .nodes = nodes },
                            .parameters = { 64, known[i].groups, 64 } };
        const anypi_simulation s =
            simulate_variant(&v, (anyp_model) { .alpha = 1, .eager = true, .nodes = nodes,
                                                .cards = 1 });
        assert_often(s.most.messages == known[i].messages &&
                     s.card_bytes == known[i].card_blocks, "%s: %d messages, %d bytes",
                     known[i].shape, (int) s.most.messages, (int) s.card_bytes);
        anypi_shape_free(nodes);
    }
}
END_TEST

Suite *suite_multiport(void)
{
    TCase *tests;
    Suite *suite = suite_of("multiport", &tests);
    tcase_add_test(tests, rounds_and_messages);
    tcase_add_test(tests, cut_or_copied);
    tcase_add_test(tests, alltoall_on_nodes);
    return suite;
}
