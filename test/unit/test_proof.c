/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_proof.c - every algorithm, for every collective that it claims and every p, proved.
 */
#include "unit/common.h"

#include <stdlib.h>

/* Hashes of the sets that have been proved for this p: many counts and parameters lead to the same
 * schedules, and a proof depends on nothing else but on the parts of the call that are hashed too. */
typedef struct proofs {
    uint64_t *known;
    size_t count, capacity;
    size_t proved;
} proofs;

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t mix_ints(uint64_t hash, int a, int b)
{
    return mix(hash, (uint64_t) (uint32_t) a << 32 | (uint32_t) b);
}

static uint64_t hash_of(const variant *v, const anyp_schedule *set)
{
    const anyp_call *call = &v->call;
    uint64_t hash = mix_ints(call->in_place + 2u * call->commutative, (int) call->collective,
                             call->root);
    for (int rank = 0; rank < call->p; rank++) {
        const anyp_schedule *s = &set[rank];
        hash = mix_ints(hash, s->blocks, s->rounds);
        for (int round = 0; round <= s->rounds; round++)
            hash = mix_ints(hash, s->round_start[round], 0);
        for (int i = 0; i < s->steps_count; i++) {
            const anyp_step *step = &s->steps[i];
            hash = mix_ints(hash, (int) step->kind, step->peer);
            hash = mix_ints(hash, step->from.buffer, step->to.buffer);
            hash = mix_ints(hash, step->from.first, step->from.end);
            hash = mix_ints(hash, step->to.first, step->to.end);
        }
        for (int k = 0; k < s->scratch_count; k++)
            hash = mix_ints(hash, s->scratch[k].first, s->scratch[k].end);
    }
    return hash;
}

/* Is it new? Then it is noted. */
static bool note(proofs *p, uint64_t hash)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->known[i] == hash)
            return false;
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->known = realloc(p->known, p->capacity * sizeof *p->known);
        ck_assert_ptr_nonnull(p->known);
    }
    p->known[p->count++] = hash;
    return true;
}

static void prove(const variant *v, void *state)
{
    proofs *p = state;
    anyp_schedule *set = variant_set(v);
    if (note(p, hash_of(v, set))) {
        assert_verified(v, set);
        p->proved++;
    }
    anypi_set_free(set, v->call.p);
}

START_TEST(all_is_proved)
{
    int count;
    const anyp_algorithm *algorithm = &anyp_algorithms(&count)[_i];
    proofs known = { 0 };
    const int most = max_p(300);
    for (int p = 1; p <= most; p++) {
        known.count = 0;
        each_variant(algorithm, p, prove, &known);
    }
    ck_assert_uint_ge(known.proved, (size_t) most);
    free(known.known);
}
END_TEST

Suite *suite_proof(void)
{
    int algorithms;
    TCase *tests;
    Suite *suite = suite_of("proof", &tests);
    anyp_algorithms(&algorithms);
    tcase_add_loop_test(tests, all_is_proved, 0, algorithms);
    return suite;
}
