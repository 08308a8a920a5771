/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/prove_sample.h"

#include "analysis/bits.h"
#include "analysis/check.h"
#include "analysis/picks.h"
#include "schedule/memory.h"
#include "schedule/set.h"
#include "schedule/shape.h"

#include <string.h>
#include <time.h>

/* A SEND or RECV of the current rank of the sample. */
typedef struct end {
    int flow;                   /* an index into prover.flows */
    int round, step, piece;
    anyp_slice slice;
} end;

/* The messages in one direction between the current rank and a partner. */
typedef struct flow {
    int64_t messages;
    int round, pieces;          /* the last round with a message; its last piece, from 0 */
} flow;

enum { SENDS = 1 };             /* a flow is 2 * partner, or that + SENDS */

typedef struct prover {
    anypi_schedule_source source;
    void *state;
    const anyp_call *call;
    anypi_set_checker checker;
    anypi_picks picks;
    int *order;                 /* memory for that of the checker */
    size_t bits_words;
    uint64_t *is_partner;       /* a bit per rank, 0 between ranks */
    int partners[ANYPI_ALL_PARTNERS];   /* to compare with */
    int partners_count;
    flow flows[2 * ANYPI_ALL_PARTNERS];
    end *ends;
    int ends_count, ends_capacity;
    anypi_sample_proof *proof;
} prover;

static bool is_message(const anyp_step *step)
{
    return step->kind == ANYP_SEND || step->kind == ANYP_RECV;
}

/* ---- the sample ---- */

/* Picks the ranks. The first is rank 0, with which the checker compares the others. */
static void pick(prover *v, int wanted)
{
    anypi_picks *picks = &v->picks;
    const anyp_shape *nodes = v->call->nodes;
    anypi_picks_add(picks, 0, wanted);
    anypi_picks_add_ends(picks, v->call->root, wanted);
    if (nodes) {
        const int some[] = { 0, nodes->count - 1, nodes->count / 2 };
        for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
            const int first = anypi_shape_first(nodes, some[i]);
            const int last = anypi_shape_first(nodes, some[i] + 1) - 1;
            anypi_picks_add(picks, anypi_shape_rank(nodes, first), wanted);
            anypi_picks_add(picks, anypi_shape_rank(nodes, last), wanted);
        }
    }
    anypi_picks_add_powers(picks, wanted / 2);
    for (int i = 0; i < 2 * wanted; i++)
        anypi_picks_add(picks, anypi_picks_draw(picks, v->call->p), wanted);
    for (int rank = 0; rank < v->call->p; rank++)
        anypi_picks_add(picks, rank, wanted);
}

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
    const size_t words = anypi_bits_words(bits);
    if (words <= v->bits_words)
        return ANYP_SUCCESS;
    uint64_t *all = anypi_realloc(v->checker.bits, words * sizeof *all);
    if (!all)
        return ANYP_ERR_MEMORY;
    memset(all, 0, words * sizeof *all);
    v->checker.bits = all;
    v->bits_words = words;
    return ANYP_SUCCESS;
}

static anyp_status check_peers(prover *v, const anyp_schedule *s)
{
    for (int round = 0; round < s->rounds; round++)
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++)
            if (is_message(&s->steps[i]) && ((unsigned) s->steps[i].peer >= (unsigned) s->p ||
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

static void add_partner(prover *v, int rank)
{
    int i = 0;
    while (i < v->partners_count && v->partners[i] != rank)
        i++;
    if (i == v->partners_count)
        v->partners[v->partners_count++] = rank;
}

static void shuffle(prover *v)
{
    for (int i = v->partners_count - 1; i > 0; i--) {
        const int other = anypi_picks_draw(&v->picks, i + 1), one = v->partners[i];
        v->partners[i] = v->partners[other];
        v->partners[other] = one;
    }
}

/* Chooses the partners to compare the rank with. */
static void choose_partners(prover *v, const anyp_schedule *schedule)
{
    enum { TRIES = 1000 };
    int count = 0;
    v->partners_count = 0;
    for (int i = 0; i < schedule->steps_count; i++) {
        const size_t peer = (size_t) schedule->steps[i].peer;
        if (!is_message(&schedule->steps[i]) || anypi_bits_any(v->is_partner, peer, peer + 1))
            continue;
        anypi_bits_set(v->is_partner, peer, peer + 1);
        if (count++ < ANYPI_ALL_PARTNERS)
            v->partners[v->partners_count++] = (int) peer;
    }
    for (int i = 0; i < schedule->steps_count; i++)
        if (is_message(&schedule->steps[i]))
            v->is_partner[schedule->steps[i].peer / 64] = 0;
    v->proof->partners += count;
    if (count <= ANYPI_ALL_PARTNERS) {
        shuffle(v);
        return;
    }
    v->partners_count = 0;
    for (int tries = 0; tries < TRIES && v->partners_count < ANYPI_FEW_PARTNERS; tries++) {
        const anyp_step *step =
            &schedule->steps[anypi_picks_draw(&v->picks, schedule->steps_count)];
        if (is_message(step))
            add_partner(v, step->peer);
    }
}

/* Returns the index of the flow's next message in this round: which piece of a message it is. */
static int next_piece(flow *l, int round)
{
    l->pieces = l->messages > 0 && l->round == round ? l->pieces + 1 : 0;
    l->round = round;
    l->messages++;
    return l->pieces;
}

/* Keeps the messages of the rank and these partners. */
static anyp_status keep_ends(prover *v, const anyp_schedule *s)
{
    v->ends_count = 0;
    memset(v->flows, 0, sizeof v->flows);
    for (int round = 0, partner = 0; round < s->rounds; round++)
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
            const anyp_step *step = &s->steps[i];
            if (!is_message(step))
                continue;
            for (int tries = 0; tries < v->partners_count && v->partners[partner] != step->peer;
                 tries++)
                partner = (partner + 1) % v->partners_count;
            if (v->partners[partner] != step->peer)
                continue;
            const bool sends = step->kind == ANYP_SEND;
            const int index = 2 * partner + (sends ? SENDS : 0);
            const int piece = next_piece(&v->flows[index], round);
            if (v->ends_count == ANYPI_COMPARED_MESSAGES)
                continue;
            end *ends = anypi_grow(v->ends, &v->ends_capacity, v->ends_count, sizeof *ends);
            if (!ends)
                return ANYP_ERR_MEMORY;
            v->ends = ends;
            v->ends[v->ends_count++] =
                (end) { index, round, i, piece, sends ? step->from : step->to };
        }
    return ANYP_SUCCESS;
}

/* Returns the next end of the flow from index `at` on; NULL: there is none. */
static const end *next_end(const prover *v, int flow_index, int at)
{
    while (at < v->ends_count && v->ends[at].flow != flow_index)
        at++;
    return at < v->ends_count ? &v->ends[at] : NULL;
}

static anyp_status compare_ends(prover *v, int rank, const end *here, int partner,
                                const end *there)
{
    const bool sends = here->flow & SENDS;
    const end *from = sends ? here : there, *to = sends ? there : here;
    const anypi_step_position at = { sends ? rank : partner, from->round, from->step };
    const int receiver = sends ? partner : rank;
    if (here->piece != there->piece)
        return anypi_wrong(&v->checker, at, "is piece %d of its message to rank %d, which expects "
                           "piece %d", from->piece, receiver, to->piece);
    if (!anypi_same_blocks(&v->checker, from->slice, to->slice))
        return anypi_wrong(&v->checker, at, "sends blocks %d to %d of %d, but rank %d expects "
                           "%d to %d in its round %d", from->slice.first, from->slice.end,
                           v->checker.blocks, receiver, to->slice.first, to->slice.end, to->round);
    v->proof->compared_messages++;
    return ANYP_SUCCESS;
}

/* Compares the messages of the current rank with those of its partner number `index`. */
static anyp_status compare(prover *v, int rank, int index, const anyp_schedule *s)
{
    const int partner = v->partners[index];
    const end *next[2] = { next_end(v, 2 * index, 0), next_end(v, 2 * index + SENDS, 0) };
    flow flows[2] = { { 0 } };
    anyp_status status = anypi_check_shape(&v->checker, s, partner);
    for (int round = 0; round < s->rounds && status == ANYP_SUCCESS; round++)
        for (int i = s->round_start[round];
             i < s->round_start[round + 1] && status == ANYP_SUCCESS; i++) {
            const anyp_step *step = &s->steps[i];
            if (!is_message(step) || step->peer != rank)
                continue;
            const bool sends = step->kind == ANYP_RECV;     /* the current rank sends */
            const int piece = next_piece(&flows[sends], round);
            const end *here = next[sends];
            if (!here)
                continue;
            const end there = { here->flow, round, i, piece, sends ? step->to : step->from };
            status = compare_ends(v, rank, here, partner, &there);
            next[sends] = next_end(v, here->flow, (int) (here - v->ends) + 1);
        }
    for (int sends = 0; sends < 2 && status == ANYP_SUCCESS; sends++) {
        const int64_t here = v->flows[2 * index + sends].messages, there = flows[sends].messages;
        if (here != there)
            return anypi_wrong_rank(&v->checker, rank, sends ? "sends %d messages to rank %d, "
                                    "which receives %d" : "receives %d messages from rank %d, "
                                    "which sends %d", (int) here, partner, (int) there);
        v->proof->messages += here;
    }
    return status;
}

/* ---- all of them ---- */

static double seconds_since(clock_t first)
{
    return (double) (clock() - first) / CLOCKS_PER_SEC;
}

/* Compares the rank with all its partners, or with as many as `seconds` after the first allow. */
static anyp_status prove_rank(prover *v, int rank, clock_t first, double until)
{
    anyp_status status;
    const anyp_schedule *schedule = v->source(v->state, rank, &status);
    if (schedule)
        status = check_alone(v, schedule, rank);
    if (schedule && status == ANYP_SUCCESS) {
        choose_partners(v, schedule);
        status = keep_ends(v, schedule);
    }
    for (int i = 0; i < v->partners_count && schedule && status == ANYP_SUCCESS; i++) {
        if (i >= ANYPI_FEW_PARTNERS && seconds_since(first) > until)
            break;
        schedule = v->source(v->state, v->partners[i], &status);
        if (schedule)
            status = compare(v, rank, i, schedule);
        v->proof->compared_partners += schedule && status == ANYP_SUCCESS;
    }
    v->proof->ranks += status == ANYP_SUCCESS;
    return status;
}

anyp_status anypi_prove_sample_of(anypi_schedule_source source, void *state, const anyp_call *call,
                                  int wanted, double seconds, anypi_sample_proof *proof,
                                  char *reason, size_t size)
{
    const size_t words = anypi_bits_words((size_t) call->p);
    const clock_t first = clock();
    prover v = { .source = source, .state = state, .call = call, .proof = proof,
                 .checker = { .call = call, .reason = reason, .size = size } };
    *proof = (anypi_sample_proof) { 0 };
    if (size > 0)
        *reason = '\0';
    wanted = wanted < call->p ? wanted : call->p;
    anyp_status status = anypi_picks_begin(&v.picks, call->p, wanted);
    v.is_partner = anypi_realloc(NULL, words * sizeof *v.is_partner);
    if (status == ANYP_SUCCESS && v.is_partner) {
        memset(v.is_partner, 0, words * sizeof *v.is_partner);
        pick(&v, wanted);
    } else {
        status = ANYP_ERR_MEMORY;
    }
    for (int i = 0; i < v.picks.count && status == ANYP_SUCCESS; i++) {
        if (i > 0 && seconds_since(first) > seconds)
            break;
        const double part = 0.1 + 0.9 * (i + 1) / wanted;      /* the first may make tables */
        status = prove_rank(&v, v.picks.list[i], first, seconds * part);
    }
    anypi_free(v.ends);
    anypi_free(v.is_partner);
    anypi_free(v.checker.bits);
    anypi_free(v.order);
    anypi_picks_free(&v.picks);
    return status;
}

typedef struct generator {
    const anyp_algorithm *algorithm;
    const anyp_call *call;
    const int *parameters;
    anyp_schedule schedule;
} generator;

static const anyp_schedule *generate(void *state, int rank, anyp_status *status)
{
    generator *g = state;
    anyp_call own = *g->call;
    own.rank = rank;
    own.in_place = anypi_set_in_place(g->call, rank);
    *status = anyp_generate(g->algorithm, &own, g->parameters, &g->schedule);
    return *status == ANYP_SUCCESS ? &g->schedule : NULL;
}

anyp_status anypi_prove_sample(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, int wanted, double seconds,
                               anypi_sample_proof *proof, char *reason, size_t size)
{
    generator g = { .algorithm = algorithm, .call = call, .parameters = parameters };
    anyp_schedule_init(&g.schedule);
    const anyp_status status =
        anypi_prove_sample_of(generate, &g, call, wanted, seconds, proof, reason, size);
    anyp_schedule_free(&g.schedule);
    return status;
}
