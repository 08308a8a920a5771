/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_proof.c - the calls of a sweep, and errors that the prover must find. The proofs of all
 * algorithms are anyp verify's: test/tools/proofs.sh.
 */
#include "unit/common.h"

#include "analysis/prove.h"

#include <string.h>

static anyp_status prove(const variant *choice, void *state)
{
    return anypi_prove(state, choice);
}

/* ---- what is swept ---- */

/* Numbers of blocks that are seen, as bits: a butterfly has one for each round that halves. */
typedef struct seen {
    int odd;
    bool blocks[128];
} seen;

static anyp_status see(const variant *choice, void *state)
{
    seen *s = state;
    const int blocks = anypi_blocks_of(choice->algorithm, &choice->call, choice->parameters);
    if (choice->parameters[1] == s->odd && blocks < 128)
        s->blocks[blocks] = true;
    return ANYP_SUCCESS;
}

START_TEST(all_thresholds_are_swept)
{
    static const int rings_of_45[] = { 1, 3, 9, 45 };
    const anyp_algorithm *butterfly = anyp_algorithm_find("butterfly");
    ck_assert_str_eq(butterfly->parameters[1].name, "odd");
    for (int p = 1; p < 128; p++) {
        for (int odd = 0; odd < 2; odd++) {
            anypi_sweep sweep = { .collectives = ANYP_IN_SET(ANYP_ALLREDUCE) };
            seen s = { .odd = odd };
            ck_assert_int_eq(anypi_sweep_choices(&sweep, butterfly, p, see, &s), ANYP_SUCCESS);
            for (int blocks = 1; blocks <= p; blocks *= 2)
                ck_assert_msg(s.blocks[blocks], "p=%d: no threshold for %d blocks", p, blocks);
        }
    }
    anypi_sweep sweep = { .collectives = ANYP_IN_SET(ANYP_ALLREDUCE) };
    seen s = { .odd = 2 };
    ck_assert_int_eq(anypi_sweep_choices(&sweep, butterfly, 45, see, &s), ANYP_SUCCESS);
    for (int i = 0; i < 4; i++)
        ck_assert(s.blocks[rings_of_45[i]]);
}
END_TEST

/* ---- an algorithm that can be wrong, to show that proofs detect it ---- */

enum { RIGHT, FORGETS, HIDES };

static int star_blocks(const anyp_call *call, const int *parameters)
{
    (void) call;
    (void) parameters;
    return 1;
}

/* All ranks send to the root. It may forget the last one; or rank 3, which the prover does not look
 * at before it decides whether a set is new, does something more. */
static void star_generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const anyp_slice in = anypi_slice(ANYP_IN, 0, 1), out = anypi_slice(ANYP_OUT, 0, 1);
    const anyp_slice scratch = anypi_slice(ANYP_SCRATCH, 0, 1);
    const int root = call->root, last = root == call->p - 1 ? root - 1 : call->p - 1;
    if (call->rank != root) {
        anypi_send(schedule, root, in);
        if (parameters[0] == HIDES && call->rank == 3)
            anypi_copy(schedule, in, scratch);
        return;
    }
    if (!call->in_place)
        anypi_copy(schedule, in, out);
    for (int peer = 0; peer < call->p; peer++) {
        if (peer == root)
            continue;
        anypi_round(schedule);
        anypi_recv(schedule, peer, scratch);
        if (parameters[0] != FORGETS || peer != last)
            anypi_reduce(schedule, scratch, out);
    }
}

static const anyp_algorithm_code star_code = { .blocks = star_blocks, .generate = star_generate };
static const anyp_parameter star_parameter = { .name = "wrong", .maximum = 2, .bytes = true,
                                               .automatic = ANYP_AUTO, .help = "bytes" };
static const anyp_algorithm star = { "star", ANYP_IN_SET(ANYP_REDUCE), 0, &star_parameter, 1,
                                     &star_code };

static anyp_status prove_star(anypi_prover *prover, int wrong)
{
    const anypi_case one = { .algorithm = &star, .parameters = { wrong },
                             .call = { .collective = ANYP_REDUCE, .p = 10, .count = 5,
                                       .type_size = 8 } };
    return anypi_prove(prover, &one);
}

START_TEST(wrong_ones_are_found)
{
    anypi_prover prover = { 0 };
    ck_assert_int_eq(prove_star(&prover, RIGHT), ANYP_SUCCESS);
    ck_assert_int_eq(prover.proved, 10);        /* roots 0, 1, 4, 5, 9, in place or not */
    ck_assert_int_eq(prove_star(&prover, RIGHT), ANYP_SUCCESS);
    ck_assert_int_eq(prover.proved, 10);
    ck_assert_int_eq(prove_star(&prover, FORGETS), ANYP_ERR_SCHEDULE);
    ck_assert_ptr_nonnull(strstr(prover.reason, "star reduce p=10 root=0 count=5 wrong=1: "));
    ck_assert_int_eq(prove_star(&prover, HIDES), ANYP_ERR_SCHEDULE);
    ck_assert_ptr_nonnull(strstr(prover.reason, "the same as for another call, others do not"));
    prover.most_bytes = 100;
    ck_assert_int_eq(prove_star(&prover, RIGHT), ANYP_ERR_MEMORY);
    ck_assert_int_eq(prover.proved, 10);
    anypi_prover_free(&prover);
}
END_TEST

/* Ring-like schedules have p^2 steps: at p = 301 and more, in place and not are in turn. */
START_TEST(large_ones_are_in_turn)
{
    static const int all[] = { 2, 1, 1, 1 };
    const anyp_algorithm *circulant = anyp_algorithm_find("circulant");
    anypi_prover prover = { 0 };
    for (int i = 0; i < 4; i++) {
        const int p = i > 0 ? 300 + i : ANYPI_ALL_KINDS_P;
        const anyp_call call = { .collective = ANYP_REDUCE_SCATTER, .p = p, .count = p,
                                 .type_size = 8, .commutative = true };
        anypi_sweep sweep = { .fixed = { true } };
        const char *reason;
        ck_assert_int_eq(anyp_parameter_set(circulant, sweep.parameters, "skips", "linear",
                                            &reason), ANYP_SUCCESS);
        const int64_t before = prover.proved;
        ck_assert_int_eq(anypi_sweep_parameters(&sweep, circulant, &call, prove, &prover),
                         ANYP_SUCCESS);
        ck_assert_int_eq(prover.proved - before, all[i]);
    }
    ck_assert_int_eq(prover.in_turn, 3);
    anypi_prover_free(&prover);
}
END_TEST

Suite *suite_proof(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("proof", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_test(tests, all_thresholds_are_swept);
    tcase_add_test(tests, wrong_ones_are_found);
    tcase_add_test(tests, large_ones_are_in_turn);
    return suite;
}
