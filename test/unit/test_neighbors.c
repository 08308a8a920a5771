/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_neighbors.c - neighborhood collectives that combine messages inside nodes: all ranks run
 * their plans in one process.
 */
#include "unit/common.h"

#include "algorithms/neighbor_plan.h"
#include "algorithms/network.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 96, MOST = 256 };

/* A graph, and the plans of its ranks. */
typedef struct graph {
    int p;
    int out[RANKS], in[RANKS];
    int to[RANKS][MOST], from[RANKS][2 * MOST];
    anypi_neighbor_plan plans[RANKS];
    anypi_neighbor_costs most;
} graph;

static graph all;

static int draw(int n)
{
    static unsigned state = 1;
    state = state * 1103515245 + 12345;
    return (int) (state >> 8) % n;
}

static void add_edge(int from, int to)
{
    const int number = all.out[from]++;
    all.to[from][number] = to;
    if (to < 0)
        return;
    all.from[to][2 * all.in[to]] = from;
    all.from[to][2 * all.in[to]++ + 1] = number;
}

/* Puts the blocks that a rank receives in another order, with some that have no sender. */
static void shuffle(int rank)
{
    int *const from = all.from[rank];
    if (draw(3) == 0) {
        from[2 * all.in[rank]] = -1;
        from[2 * all.in[rank]++ + 1] = -1;
    }
    for (int i = 0; i < all.in[rank]; i++) {
        const int k = draw(all.in[rank]);
        for (int part = 0; part < 2; part++) {
            const int one = from[2 * i + part];
            from[2 * i + part] = from[2 * k + part];
            from[2 * k + part] = one;
        }
    }
}

static void make_random(int p, int degree)
{
    memset(&all, 0, sizeof all);
    all.p = p;
    for (int rank = 0; rank < p; rank++)
        for (int k = draw(degree + 1); k > 0; k--)
            add_edge(rank, draw(8) == 0 ? -1 : draw(p));
    for (int rank = 0; rank < p; rank++)
        shuffle(rank);
}

/* All neighbours in a torus, with the diagonal ones. */
static void make_torus(int x, int y, int z)
{
    memset(&all, 0, sizeof all);
    all.p = x * y * z;
    for (int rank = 0; rank < all.p; rank++)
        for (int i = 0; i < 27; i++) {
            const int a = rank / (y * z), b = rank / z % y, c = rank % z;
            const int to = ((a + x + i / 9 - 1) % x * y + (b + y + i / 3 % 3 - 1) % y) * z +
                (c + z + i % 3 - 1) % z;
            if (i != 13)
                add_edge(rank, to);
        }
}

/* Raises costs to their maximum with others. */
static void raise(anypi_neighbor_costs *most, const anypi_neighbor_costs *costs)
{
    int64_t *to = (int64_t *) most;
    const int64_t *from = (const int64_t *) costs;
    for (size_t i = 0; i < sizeof *most / sizeof *to; i++)
        to[i] = from[i] > to[i] ? from[i] : to[i];
}

static void plan_all(const anyp_shape *shape, const int *positions)
{
    static anypi_neighbor_node nodes[RANKS];
    static anypi_neighbor_list lists[RANKS];
    for (int node = 0, first = 0; node < shape->count; node++) {
        const int size = anypi_shape_size(shape, node);
        for (int i = 0; i < size; i++) {
            const int rank = anypi_shape_rank(shape, first + i);
            lists[first + i] = (anypi_neighbor_list) { rank, all.out[rank], all.in[rank],
                                                       all.to[rank], all.from[rank] };
        }
        nodes[node] = (anypi_neighbor_node) { .shape = shape, .positions = positions, .node = node,
                                              .size = size, .lists = lists + first };
        ck_assert_int_eq(anypi_neighbor_partners(&nodes[node]), ANYP_SUCCESS);
        first += size;
    }
    for (int node = 0; node < shape->count; node++) {
        anypi_neighbor_node *its = &nodes[node];
        for (int i = 0; i < its->partners; i++) {
            const anypi_neighbor_node *other = &nodes[its->partner[i]];
            int k = 0;
            while (k < other->partners && other->partner[k] != node)
                k++;
            assert_often(k < other->partners, "only one of two partners knows the other");
            its->carrier[i] = other->lists[anypi_neighbor_carrier(other, k)].rank;
        }
        for (int i = 0; i < its->size; i++) {
            anypi_neighbor_plan *plan = &all.plans[its->lists[i].rank];
            ck_assert_int_eq(anypi_neighbor_plan_make(plan, its, i), ANYP_SUCCESS);
            const anypi_neighbor_costs costs = anypi_neighbor_costs_of(plan, its, i);
            raise(&all.most, &costs);
        }
    }
    for (int node = 0; node < shape->count; node++) {
        anypi_free(nodes[node].partner);
        anypi_free(nodes[node].carrier);
    }
}

static void free_all(void)
{
    for (int rank = 0; rank < all.p; rank++)
        anypi_neighbor_plan_free(&all.plans[rank]);
}

/* ---- delivery ---- */

/* The number of a block: of its sender and the number there. */
static int *slots[RANKS];

/* Returns the message of a round to `rank` from `peer`. */
static const anypi_neighbor_message *sent(int peer, int rank, int round)
{
    const anypi_neighbor_plan *plan = &all.plans[peer];
    const anypi_neighbor_message *found = NULL;
    for (int i = plan->sends[round]; i < plan->ends[round]; i++)
        if (plan->messages[i].peer == rank) {
            assert_often(!found, "two messages in a round from %d to %d", peer, rank);
            found = &plan->messages[i];
        }
    return found;
}

static void run_round(int round)
{
    int receives = 0, sends = 0;
    for (int rank = 0; rank < all.p; rank++) {
        const anypi_neighbor_plan *plan = &all.plans[rank];
        sends += plan->ends[round] - plan->sends[round];
        receives += plan->sends[round] - plan->receives[round];
        for (int i = plan->receives[round]; i < plan->sends[round]; i++) {
            const anypi_neighbor_message *to = &plan->messages[i];
            const anypi_neighbor_message *from = sent(to->peer, rank, round);
            assert_often(from && from->count == to->count, "round %d: from %d to %d", round,
                         to->peer, rank);
            for (int k = 0; k < to->count; k++) {
                const int slot = all.plans[to->peer].order[from->first + k];
                assert_often(slots[to->peer][slot] >= 0, "an unknown block is sent");
                slots[rank][to->first + k] = slots[to->peer][slot];
            }
        }
    }
    assert_often(receives == sends, "round %d: %d receives, %d sends", round, receives, sends);
}

static void run_all(const anyp_shape *shape)
{
    for (int rank = 0; rank < all.p; rank++) {
        const anypi_neighbor_plan *plan = &all.plans[rank];
        slots[rank] = anypi_realloc(NULL, (size_t) (plan->slots + 1) * sizeof **slots);
        for (int k = 0; k < plan->slots; k++)
            slots[rank][k] = k < plan->out ? MOST * rank + k : -1;
    }
    for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS; round++)
        run_round(round);
    for (int rank = 0; rank < all.p; rank++) {
        const anypi_neighbor_plan *plan = &all.plans[rank];
        const int node = anypi_shape_at(shape, anypi_shape_position(shape, rank));
        for (int k = 0; k < plan->in; k++) {
            const int from = all.from[rank][2 * k], number = all.from[rank][2 * k + 1];
            const bool inside = from >= 0 &&
                anypi_shape_at(shape, anypi_shape_position(shape, from)) == node;
            if (from < 0 || inside)
                assert_often(plan->slot[k] == (inside ? ANYPI_NEIGHBOR_INSIDE
                                               : ANYPI_NEIGHBOR_NONE), "rank %d: %d", rank, k);
            else
                assert_often(plan->slot[k] >= 0 &&
                             slots[rank][plan->slot[k]] == MOST * from + number,
                             "rank %d has a wrong block %d", rank, k);
        }
        anypi_free(slots[rank]);
    }
}

START_TEST(every_block_arrives)
{
    static const char *const shapes[] = {
        "2x2", "3,1,2", "2x2:cyclic", "4x1", "1,7,2,2", "5x3", "8", "(2x3),(3x2)", "9x4:cyclic",
        "24x4",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const char *reason;
        anyp_shape *shape = anypi_shape_read(shapes[i], 0, &reason);
        ck_assert_msg(shape != NULL, "%s: %s", shapes[i], reason);
        int *positions = anypi_shape_positions(shape);
        for (int degree = 0; degree < 40; degree += 1 + degree / 4) {
            make_random(anypi_shape_ranks(shape), degree);
            plan_all(shape, positions);
            run_all(shape);
            free_all();
        }
        anypi_free(positions);
        anypi_shape_free(shape);
    }
}
END_TEST

/* If there is no memory, the plan is not made, and nothing leaks. */
START_TEST(plan_without_memory)
{
    const char *reason;
    anyp_shape *shape = anypi_shape_read("2x2", 0, &reason);
    static const int to[] = { 1, 2, 3, 3 }, from[] = { 2, 0, 3, 1, 2, 1 };
    static const anypi_neighbor_list lists[] = { { 0, 4, 3, to, from }, { 1, 0, 0, NULL, NULL } };
    anyp_status status = ANYP_ERR_MEMORY;
    for (int after = 0; status == ANYP_ERR_MEMORY; after++) {
        anypi_neighbor_node node = { .shape = shape, .size = 2, .lists = lists };
        anypi_neighbor_plan plan = { .out = 0 };
        anypi_fail_allocation(after);
        status = anypi_neighbor_partners(&node);
        if (status == ANYP_SUCCESS) {
            node.carrier[0] = 2;
            status = anypi_neighbor_plan_make(&plan, &node, 0);
        }
        anypi_fail_allocation(-1);
        anypi_neighbor_plan_free(&plan);
        anypi_free(node.partner);
        anypi_free(node.carrier);
        ck_assert_int_lt(after, 100);
    }
    anypi_shape_free(shape);
}
END_TEST

/* ---- time ---- */

/* Bytes of a block, and of its size in a message. */
enum { BLOCK = 64, SIZE = 2 };

/* Adds the messages of a rank inside its node, or to all neighbours. */
static void add_direct(anyp_schedule *schedule, const anypi_neighbor_plan *plan, bool inside)
{
    for (int k = 0; k < plan->in; k++)
        if (!inside || plan->slot[k] == ANYPI_NEIGHBOR_INSIDE)
            anypi_recv(schedule, plan->from[2 * k], anypi_block(ANYP_SCRATCH, 0));
    for (int k = 0; k < plan->out; k++)
        if (!inside || !plan->leaves[k])
            anypi_send(schedule, plan->to[k], anypi_block(ANYP_SCRATCH, 0));
}

/* Returns the time of the messages, combined or directly; a schedule's blocks are equal. */
static anypi_simulation simulate(const anyp_model *model, bool combined)
{
    static anyp_schedule set[RANKS];
    memset(set, 0, sizeof set);
    for (int rank = 0; rank < all.p; rank++) {
        const anypi_neighbor_plan *plan = &all.plans[rank];
        anypi_schedule_begin(&set[rank], all.p, rank, 1);
        anypi_round(&set[rank]);
        add_direct(&set[rank], plan, combined);
        for (int round = 0; round < ANYPI_NEIGHBOR_ROUNDS && combined; round++) {
            if (round > 0)
                anypi_round(&set[rank]);
            for (int i = plan->receives[round]; i < plan->ends[round]; i++) {
                const anypi_neighbor_message *one = &plan->messages[i];
                const anyp_slice slice = anypi_slice(ANYP_SCRATCH, 0, one->count);
                if (i < plan->sends[round])
                    anypi_recv(&set[rank], one->peer, slice);
                else
                    anypi_send(&set[rank], one->peer, slice);
            }
        }
        ck_assert_int_eq(anypi_schedule_end(&set[rank]), ANYP_SUCCESS);
    }
    const anypi_partition partition = { .blocks = 1, .count = BLOCK + (combined ? SIZE : 0),
                                        .parts = 1 };
    anypi_simulation result;
    ck_assert_int_eq(anypi_simulate(set, all.p, &partition, 1, model, &result), ANYP_SUCCESS);
    for (int rank = 0; rank < all.p; rank++)
        anyp_schedule_free(&set[rank]);
    return result;
}

/* In the network of an ordinary cluster, blocks to all 26 neighbours of a torus are faster in
 * combined messages. Those to only 6 neighbours are sent directly. */
START_TEST(combined_messages_are_faster)
{
    const char *reason;
    anyp_shape *shape = anypi_shape_read("24x4", 0, &reason);
    const anyp_call call = { .collective = ANYP_ALLTOALL, .p = RANKS, .nodes = shape };
    const anyp_model model = anypi_network_ordinary(&call);
    make_torus(6, 4, 4);
    plan_all(shape, NULL);
    run_all(shape);
    const anypi_simulation direct = simulate(&model, false), combined = simulate(&model, true);
    printf("# torus 6x4x4 on 24x4, 26 neighbours, %d bytes: direct %.1f us, %d messages of a rank; "
           "combined %.1f us, %d messages; ratio %.2f; up to %d bytes\n", BLOCK, 1e6 * direct.time,
           (int) direct.most.messages, 1e6 * combined.time, (int) combined.most.messages,
           direct.time / combined.time, anypi_neighbor_limit(&model, &all.most, false));
    ck_assert(direct.time >= 1.5 * combined.time);
    ck_assert_int_ge(anypi_neighbor_limit(&model, &all.most, false), 256);
    free_all();
    memset(&all, 0, sizeof all);
    all.p = RANKS;
    for (int rank = 0; rank < RANKS; rank++)
        for (int step = 1; step <= 16; step *= 4) {
            add_edge(rank, (rank + step) % RANKS);
            add_edge(rank, (rank - step + RANKS) % RANKS);
        }
    plan_all(shape, NULL);
    ck_assert_int_eq(anypi_neighbor_limit(&model, &all.most, false), 0);
    free_all();
    anypi_shape_free(shape);
}
END_TEST

Suite *suite_neighbors(void)
{
    TCase *tests;
    Suite *suite = suite_of("neighbors", &tests);
    tcase_add_test(tests, every_block_arrives);
    tcase_add_test(tests, plan_without_memory);
    tcase_add_test(tests, combined_messages_are_faster);
    return suite;
}
