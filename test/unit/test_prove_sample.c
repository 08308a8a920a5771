/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_prove_sample.c - samples of right schedules pass, and faults planted in one are found.
 */
#include "unit/common.h"

#include "analysis/prove_sample.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <stdlib.h>
#include <string.h>

/* A set in which one step of one rank is another one, or missing. */
typedef struct planted {
    const anyp_schedule *set;
    anyp_schedule wrong;        /* shares the memory of the set's, but for the steps */
    int rank;
} planted;

static const anyp_schedule *get(const void *state, int rank)
{
    const planted *p = state;
    return rank == p->rank ? &p->wrong : &p->set[rank];
}

/* Proves a sample of at most `wanted` ranks, of a planted set or of what an algorithm generates. */
static anyp_status prove(const anyp_algorithm *algorithm, const anyp_call *call,
                         const int *parameters, const planted *plant, int wanted, double seconds,
                         anypi_sample_proof *proof)
{
    anypi_rank_sample sample;
    char reason[256];
    ck_assert_int_eq(anypi_sample_begin(&sample, algorithm, call, parameters, wanted, 0, seconds),
                     ANYP_SUCCESS);
    sample.planted = plant ? get : NULL;
    sample.state = plant;
    const anyp_status status = anypi_prove_sample(&sample, proof, reason, sizeof reason);
    ck_assert((status == ANYP_ERR_SCHEDULE) == (*reason != '\0'));
    anypi_sample_free(&sample);
    return status;
}

/* The whole set is the sample, so either end of the fault is in it. */
static void assert_found(const planted *plant, const anyp_call *call, const char *fault,
                         const anyp_algorithm *algorithm)
{
    anypi_sample_proof proof;
    assert_often(prove(algorithm, call, NULL, plant, call->p, 1e9, &proof) == ANYP_ERR_SCHEDULE,
                 "%s, %s, p = %d, rank %d: %s is not found", algorithm->name,
                 anyp_collective_name(call->collective), call->p, plant->rank, fault);
}

/* Plants faults in the first and the last message of a rank. */
static int plant(const anyp_algorithm *algorithm, const anyp_call *call, const anyp_schedule *set,
                 int rank)
{
    const anyp_schedule *right = &set[rank];
    const int count = right->steps_count;
    planted p = { .set = set, .wrong = *right, .rank = rank };
    int messages[2], found = 0;
    for (int i = 0; i < count; i++)
        if (right->steps[i].kind == ANYP_SEND || right->steps[i].kind == ANYP_RECV) {
            messages[found > 0] = i;
            found++;
        }
    anyp_step *steps = malloc((size_t) (count + 1) * sizeof *steps);
    int *starts = malloc((size_t) (right->rounds + 1) * sizeof *starts);
    p.wrong.steps = steps;
    for (int k = 0; k < 2 && k < found; k++) {
        const int at = messages[k];
        anyp_step *step = &steps[at];
        memcpy(steps, right->steps, (size_t) count * sizeof *steps);
        anyp_slice *slice = step->kind == ANYP_SEND ? &step->from : &step->to;
        step->peer = (step->peer + 1) % call->p;
        assert_found(&p, call, "a changed peer", algorithm);

        if (slice->end > slice->first) {
            memcpy(steps, right->steps, (size_t) count * sizeof *steps);
            slice->end++;
            assert_found(&p, call, "a longer message", algorithm);
        }
        if (set[0].blocks > 1 && slice->end > slice->first &&
            !anypi_transposes(call->collective)) {
            memcpy(steps, right->steps, (size_t) count * sizeof *steps);
            slice->first++;
            slice->end++;
            assert_found(&p, call, "a changed block", algorithm);
        }

        memcpy(steps, right->steps, (size_t) at * sizeof *steps);
        memcpy(steps + at, right->steps + at + 1, (size_t) (count - at - 1) * sizeof *steps);
        for (int round = 0; round <= right->rounds; round++)
            starts[round] = right->round_start[round] - (right->round_start[round] > at);
        p.wrong.round_start = starts;
        p.wrong.steps_count = count - 1;
        assert_found(&p, call, "a missing step", algorithm);
        p.wrong.round_start = right->round_start;
        p.wrong.steps_count = count;
    }
    free(starts);
    free(steps);
    return found;
}

static void try_one(const anyp_algorithm *algorithm, const anyp_call *call)
{
    int parameters[ANYP_MAX_PARAMETERS], planted_in = 0;
    const char *why;
    anypi_sample_proof proof;
    anyp_schedule *set;
    anyp_parameters_default(algorithm, parameters);
    if (anyp_applicable(algorithm, call, parameters, &why) != ANYP_SUCCESS)
        return;
    anypi_settle(algorithm, call, parameters, parameters);
    ck_assert_int_eq(prove(algorithm, call, parameters, NULL, call->p, 1e9, &proof), ANYP_SUCCESS);
    ck_assert_int_eq(proof.ranks, call->p);
    ck_assert_int_eq(proof.compared_partners, proof.partners);
    ck_assert_int_eq(anypi_set_generate(algorithm, call, parameters, &set), ANYP_SUCCESS);
    int64_t messages = 0;
    for (int rank = 0; rank < call->p; rank++)
        for (int i = 0; i < set[rank].steps_count; i++)
            messages += set[rank].steps[i].kind == ANYP_SEND;
    ck_assert_int_eq(proof.messages, 2 * messages);
    for (int rank = 0; rank < call->p; rank++)
        planted_in += plant(algorithm, call, set, rank) > 0;
    ck_assert_msg(planted_in > 0, "%s has no messages", algorithm->name);
    anypi_set_free(set, call->p);
}

static void try_all(const char *shape, int p, int64_t count)
{
    int algorithms_count;
    const char *why;
    const anyp_algorithm *algorithms = anyp_algorithms(&algorithms_count);
    anyp_shape *nodes = shape ? anypi_shape_read(shape, p, &why) : NULL;
    for (int i = 0; i < algorithms_count; i++)
        for (int c = 0; c < ANYP_COLLECTIVES; c++) {
            const bool data = !anypi_has_no_data((anyp_collective) c);
            const anyp_call call = {
                .collective = (anyp_collective) c, .p = p, .commutative = true,
                .count = data ? count * p : 0, .type_size = data ? 8 : 0, .nodes = nodes };
            if ((algorithms[i].collectives & ANYP_IN_SET(c)) && !anypi_has_local_sizes(c))
                try_one(&algorithms[i], &call);
        }
    anypi_shape_free(nodes);
}

START_TEST(planted_faults)
{
    static const int sizes[] = { 3, 5, 8, 13 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        try_all(NULL, sizes[i], 1);
        try_all(NULL, sizes[i], 10000);
    }
    try_all("3,2x4", 11, 3000);
}
END_TEST

/* A rank with very many partners is compared with a few, but all its messages with these; the
 * sample has the ranks that are asked for. */
START_TEST(bounds)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anypi_sample_proof proof;
    const anyp_algorithm *ring = anyp_algorithm_find("ring");
    anyp_call call = { .collective = ANYP_ALLTOALL, .p = 1000, .commutative = true,
                       .count = 1000, .type_size = 8 };
    anyp_parameters_default(ring, parameters);
    anypi_settle(ring, &call, parameters, parameters);
    ck_assert_int_eq(prove(ring, &call, parameters, NULL, 5, 1e9, &proof), ANYP_SUCCESS);
    ck_assert_int_eq(proof.ranks, 5);
    ck_assert_int_eq(proof.partners, 5 * 999);
    ck_assert_int_eq(proof.compared_partners, 5 * ANYPI_FEW_PARTNERS);
    ck_assert_int_eq(proof.messages, 2 * 5 * ANYPI_FEW_PARTNERS);

    call = (anyp_call) { .collective = ANYP_ALLGATHER, .p = 200001, .commutative = true,
                         .count = 200001, .type_size = 8 };
    const char *why;
    anyp_parameters_default(ring, parameters);
    anyp_parameter_set(ring, parameters, "ports", "1", &why);
    anyp_parameter_set(ring, parameters, "partners", "neighbours", &why);
    ck_assert_int_eq(prove(ring, &call, parameters, NULL, 2, 1e9, &proof), ANYP_SUCCESS);
    ck_assert_int_eq(proof.messages, 2 * 2 * 200000);
    ck_assert_int_eq(proof.compared_partners, 4);

    ck_assert_int_eq(prove(ring, &call, parameters, NULL, 9, 0, &proof), ANYP_SUCCESS);
    ck_assert_int_eq(proof.ranks, 1);
}
END_TEST

Suite *suite_prove_sample(void)
{
    TCase *tests;
    Suite *suite = suite_of("prove_sample", &tests);
    tcase_add_test(tests, planted_faults);
    tcase_add_test(tests, bounds);
    return suite;
}
