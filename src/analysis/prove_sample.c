/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/prove_sample.h"

#include "analysis/bits.h"
#include "analysis/check.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"

#include <string.h>

typedef struct prover {
    anypi_rank_sample *sample;
    anypi_set_checker checker;
    int *order;                 /* memory for that of the checker */
    int bits_words;
    uint64_t *is_partner;       /* a bit per rank, 0 between ranks */
    int *partners;              /* to compare with */
    int partners_count, partners_room;
    anypi_sample_proof *proof;
} prover;

/* ---- a rank by itself ---- */

/* The first schedule sets the blocks and the order that all others must have. */
static anyp_status take_first(prover *v, const anyp_schedule *schedule)
{
    v->checker.blocks = schedule->blocks;
    v->checker.order = schedule->order;
    if (!schedule->order || schedule->blocks < 1)
        return ANYP_SUCCESS;
    const size_t bytes = (size_t) schedule->blocks * sizeof *v->order;
    v->checker.order = v->order = anypi_realloc(NULL, bytes);
    if (!v->order)
        return ANYP_ERR_MEMORY;
    memcpy(v->order, schedule->order, bytes);
    return ANYP_SUCCESS;
}

/* Makes room for bits, which are 0. */
static anyp_status reserve_bits(prover *v, size_t bits)
{
    const int before = v->bits_words;
    uint64_t *all = anypi_reserve(v->checker.bits, &v->bits_words,
                                  (int64_t) anypi_bits_words(bits), sizeof *all);
    if (!all)
        return ANYP_ERR_MEMORY;
    v->checker.bits = all;
    memset(all + before, 0, (size_t) (v->bits_words - before) * sizeof *all);
    return ANYP_SUCCESS;
}

static anyp_status check_peers(prover *v, const anyp_schedule *s)
{
    for (int round = 0; round < s->rounds; round++)
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++)
            if (anypi_is_message(&s->steps[i]) && ((unsigned) s->steps[i].peer >= (unsigned) s->p ||
                                                   s->steps[i].peer == s->rank))
                return anypi_wrong(&v->checker, (anypi_step_position) { s->rank, round, i },
                                   "rank %d is no other rank", s->steps[i].peer);
    return ANYP_SUCCESS;
}

static anyp_status check_alone(prover *v, const anyp_schedule *schedule, int rank)
{
    const bool is_first = v->proof->ranks == 0;
    anypi_extents extents;
    anyp_status status = is_first ? take_first(v, schedule) : ANYP_SUCCESS;
    if (status == ANYP_SUCCESS)
        status = anypi_check_shape(&v->checker, schedule, rank);
    if (status != ANYP_SUCCESS)
        return status;
    const size_t blocks = anypi_extents_of(&v->checker, schedule, &extents);
    const size_t all = (size_t) schedule->blocks;
    status = reserve_bits(v, blocks > all ? blocks : all);
    if (status == ANYP_SUCCESS && is_first)
        status = anypi_check_order(&v->checker);
    if (status == ANYP_SUCCESS)
        status = anypi_check_steps(&v->checker, schedule, &extents);
    return status == ANYP_SUCCESS ? check_peers(v, schedule) : status;
}

/* ---- its messages ---- */

static void shuffle(prover *v)
{
    for (int i = v->partners_count - 1; i > 0; i--) {
        const int other = anypi_sample_draw(v->sample, i + 1), one = v->partners[i];
        v->partners[i] = v->partners[other];
        v->partners[other] = one;
    }
}

/* Chooses the partners to compare the rank with. ANYP_ERR_MEMORY. */
static anyp_status choose_partners(prover *v, const anyp_schedule *schedule)
{
    v->partners_count = 0;
    for (int i = 0; i < schedule->steps_count; i++) {
        const size_t peer = (size_t) schedule->steps[i].peer;
        if (!anypi_is_message(&schedule->steps[i]) || anypi_bits_any(v->is_partner, peer, peer + 1))
            continue;
        int *partners = anypi_grow(v->partners, &v->partners_room, v->partners_count,
                                   sizeof *partners);
        if (!partners)
            return ANYP_ERR_MEMORY;
        v->partners = partners;
        v->partners[v->partners_count++] = (int) peer;
        anypi_bits_set(v->is_partner, peer, peer + 1);
    }
    for (int i = 0; i < v->partners_count; i++)
        v->is_partner[v->partners[i] / 64] = 0;
    v->proof->partners += v->partners_count;
    shuffle(v);
    if (v->partners_count > ANYPI_ALL_PARTNERS)
        v->partners_count = ANYPI_FEW_PARTNERS;
    return ANYP_SUCCESS;
}

/* A place in the messages of a rank with a peer, in one direction. */
typedef struct walk {
    const anyp_schedule *schedule;
    int peer;
    anyp_step_kind kind;
    int round, step;
    int piece;                  /* of a message of several pieces */
} walk;

/* Goes to the next message. False: there is none. */
static bool advance(walk *w)
{
    const anyp_schedule *s = w->schedule;
    while (++w->step < s->steps_count) {
        for (; w->step == s->round_start[w->round + 1]; w->round++)
            w->piece = -1;
        if (s->steps[w->step].kind == w->kind && s->steps[w->step].peer == w->peer) {
            w->piece++;
            return true;
        }
    }
    return false;
}

/* Compares the messages of one direction. */
static anyp_status compare(prover *v, const anyp_schedule *sender, const anyp_schedule *receiver)
{
    walk from = { sender, receiver->rank, ANYP_SEND, .step = -1, .piece = -1 };
    walk to = { receiver, sender->rank, ANYP_RECV, .step = -1, .piece = -1 };
    for (;; v->proof->messages++) {
        const bool sent = advance(&from), received = advance(&to);
        const walk *one = sent ? &from : &to;
        const anypi_step_position at = { one->schedule->rank, one->round, one->step };
        if (!sent && !received)
            return ANYP_SUCCESS;
        if (sent != received)
            return anypi_wrong(&v->checker, at, "rank %d never %s this message", one->peer,
                               sent ? "receives" : "sends");
        const anyp_slice here = sender->steps[from.step].from, there = receiver->steps[to.step].to;
        if (from.piece != to.piece)
            return anypi_wrong(&v->checker, at, "is piece %d of its message to rank %d, which "
                               "expects piece %d", from.piece, receiver->rank, to.piece);
        if (!anypi_same_blocks(&v->checker, here, there))
            return anypi_wrong(&v->checker, at, "sends blocks %d to %d of %d, but rank %d expects "
                               "%d to %d in its round %d", here.first, here.end, v->checker.blocks,
                               receiver->rank, there.first, there.end, to.round);
    }
}

/* ---- all of them ---- */

/* Compares the rank with all its partners, or with as many as this part of the time allows. */
static anyp_status prove_rank(prover *v, const anyp_schedule *schedule, double part)
{
    anyp_status status = check_alone(v, schedule, v->sample->ranks[v->sample->taken - 1]);
    if (status == ANYP_SUCCESS)
        status = choose_partners(v, schedule);
    for (int i = 0; i < v->partners_count && status == ANYP_SUCCESS; i++) {
        if (i >= ANYPI_FEW_PARTNERS && anypi_sample_used(v->sample, part))
            break;
        const int rank = v->partners[i];
        const anyp_schedule *other = anypi_sample_other(v->sample, rank, &status);
        if (other)
            status = anypi_check_shape(&v->checker, other, rank);
        if (status == ANYP_SUCCESS)
            status = compare(v, schedule, other);
        if (status == ANYP_SUCCESS)
            status = compare(v, other, schedule);
        v->proof->compared_partners += status == ANYP_SUCCESS;
    }
    v->proof->ranks += status == ANYP_SUCCESS;
    return status;
}

anyp_status anypi_prove_sample(anypi_rank_sample *sample, anypi_sample_proof *proof, char *reason,
                               size_t size)
{
    const size_t words = anypi_bits_words((size_t) sample->call->p);
    prover v = { .sample = sample, .proof = proof,
                 .checker = { .call = sample->call, .reason = reason, .size = size } };
    const anyp_schedule *schedule;
    *proof = (anypi_sample_proof) { 0 };
    if (size > 0)
        *reason = '\0';
    v.is_partner = anypi_realloc(NULL, words * sizeof *v.is_partner);
    anyp_status status = v.is_partner ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    if (v.is_partner)
        memset(v.is_partner, 0, words * sizeof *v.is_partner);
    while (status == ANYP_SUCCESS && (schedule = anypi_sample_next(sample, &status))) {
        /* the first rank may make tables */
        const double part = 0.1 + 0.9 * sample->taken / sample->wanted;
        status = prove_rank(&v, schedule, part);
    }
    anypi_free(v.is_partner);
    anypi_free(v.partners);
    anypi_free(v.checker.bits);
    anypi_free(v.order);
    return status;
}
