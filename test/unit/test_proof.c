/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_proof.c - every algorithm, for every collective that it claims and every p, proved.
 */
#include "unit/common.h"

#include <stdlib.h>

/* Many counts and parameters lead to the same schedules, and a proof depends on nothing else but on
 * some parts of the call. So each set is proved once for each p: a set is known by what four of its
 * ranks do. For p up to TRUSTED it is checked that the other ranks are then the same, too. */
enum { TRUSTED = 70 };

typedef struct proof {
    uint64_t some, all;         /* hashes of four ranks and of all */
} proof;

typedef struct proofs {
    proof *known;               /* for this p */
    size_t count, capacity;
    size_t proved;              /* for all p */
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

/* What a proof depends on; the two reduce-scatters differ in nothing but sizes of blocks. */
static uint64_t hash_call(const variant *v)
{
    const anyp_call *call = &v->call;
    const anyp_collective collective =
        anypi_scatters(call) ? ANYP_REDUCE_SCATTER : call->collective;
    return mix_ints(call->in_place + 2u * call->commutative, (int) collective, call->root);
}

static uint64_t hash_schedule(uint64_t hash, const anyp_schedule *s)
{
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
    return hash;
}

static uint64_t hash_some(const variant *v)
{
    const int p = v->call.p, ranks[] = { 0, p / 2, p - 2, p - 1 };
    uint64_t hash = hash_call(v);
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    for (int i = 0; i < 4; i++) {
        anyp_call call = v->call;
        call.rank = ranks[i] < 0 ? 0 : ranks[i];
        call.in_place = anypi_set_in_place(&v->call, call.rank);
        ck_assert_int_eq(anyp_generate(v->algorithm, &call, v->parameters, &schedule),
                         ANYP_SUCCESS);
        hash = hash_schedule(hash, &schedule);
    }
    anyp_schedule_free(&schedule);
    return hash;
}

static uint64_t hash_all(const variant *v, const anyp_schedule *set)
{
    uint64_t hash = hash_call(v);
    for (int rank = 0; rank < v->call.p; rank++)
        hash = hash_schedule(hash, &set[rank]);
    return hash;
}

/* The proof of that hash, or a new one with .all == 0. */
static proof *find(proofs *p, uint64_t some)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->known[i].some == some)
            return &p->known[i];
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 64;
        p->known = realloc(p->known, p->capacity * sizeof *p->known);
        ck_assert_ptr_nonnull(p->known);
    }
    p->known[p->count] = (proof) { .some = some };
    return &p->known[p->count++];
}

static void prove(const variant *v, void *state)
{
    proofs *p = state;
    proof *known = find(p, hash_some(v));
    if (known->all && v->call.p > TRUSTED)
        return;
    anyp_schedule *set = variant_set(v);
    const uint64_t all = hash_all(v, set);
    if (known->all) {
        ck_assert_msg(known->all == all, "%s: only some ranks do the same as for another call",
                      variant_text(v));
    } else {
        assert_verified(v, set);
        known->all = all;
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
