/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verify.c - first each rank's schedule by itself, then all of them played with symbols for data.
 *
 * A partial result's symbol tells which contributions are in it (a product of random odd numbers,
 * one per rank, that is the same in any order), whether they are those of neighbouring ranks, and
 * how they were added (a hash of the sum's tree). A sum is in rank order exactly if all its partial
 * sums are of neighbouring ranks, the lower ranks on the left. If the operator commutes, an
 * algorithm may exchange operands: then the lower ranks may be on the right, and `shape` says how a
 * sum is bracketed, as a hash of the tree that does not tell left from right.
 */
#include "core/verify.h"

#include "core/memory.h"
#include "core/run.h"
#include "core/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct symbol {
    uint64_t once;              /* odd; 0: never written */
    uint64_t bracket;           /* the tree */
    uint64_t shape;             /* the tree but for exchanged operands */
    int first, end;             /* ranks first .. end-1; -1, -1: not neighbours or not in order */
} symbol;

/* The buffers of one rank. All input blocks are the rank's own symbol, so IN has no memory. */
typedef struct memory {
    int first[ANYP_BUFFERS], end[ANYP_BUFFERS];
    symbol *symbols[ANYP_BUFFERS];      /* of block index first[buffer] */
} memory;

typedef struct verifier {
    const anyp_schedule *set;
    const anyp_call *call;
    int blocks;
    memory *memories;           /* per rank */
    symbol *symbols;            /* of all ranks */
    unsigned *marks;            /* per block of a rank's OUT and scratch: which round receives it */
    unsigned mark;              /* of the present round */
    char *reason;
    size_t size;
} verifier;

/* Where a step is, for reasons. */
typedef struct place {
    int rank, round, step;
} place;

__attribute__ ((format(printf, 3, 4)))
static anyp_status wrong(verifier *v, place at, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(v->reason, v->size, "rank %d, round %d, step %d: %s", at.rank, at.round, at.step,
             text);
    return ANYP_ERR_SCHEDULE;
}

__attribute__ ((format(printf, 3, 4)))
static anyp_status wrong_rank(verifier *v, int rank, const char *format, ...)
{
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(v->reason, v->size, "rank %d: %s", rank, text);
    return ANYP_ERR_SCHEDULE;
}

/* ---- symbols ---- */

/* The i-th number of a fixed random sequence (splitmix64). */
static uint64_t random_number(uint64_t i)
{
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static symbol contribution(int rank)
{
    const uint64_t leaf = random_number(2 * (uint64_t) rank);
    return (symbol) { random_number(2 * (uint64_t) rank + 1) | 1, leaf, leaf, rank, rank + 1 };
}

static inline uint64_t mix(uint64_t x)
{
    return (x ^ x >> 32) * 0x94d049bb133111ebu;
}

static inline symbol sum(symbol left, symbol right, bool commutes)
{
    symbol both;
    both.once = left.once * right.once;
    both.bracket = mix(left.bracket * 0x9e3779b97f4a7c15u + right.bracket * 0xc2b2ae3d27d4eb4fu);
    both.shape = mix(mix(left.shape) + mix(right.shape));
    if (left.end == right.first) {
        both.first = left.first;
        both.end = right.end;
    } else if (commutes && right.end == left.first) {
        both.first = right.first;
        both.end = left.end;
    } else {
        both.first = both.end = -1;
    }
    return both;
}

/* ---- each rank by itself ---- */

/* OUT overlays IN. */
static bool overlaid(const verifier *v)
{
    return v->call->in_place && anypi_scatters(v->call);
}

static anyp_status check_shape(verifier *v, int rank)
{
    const anyp_schedule *s = &v->set[rank];
    if (s->p != v->call->p || s->rank != rank)
        return wrong_rank(v, rank, "the schedule is that of rank %d of %d", s->rank, s->p);
    if (s->blocks < 1 || s->blocks != v->blocks)
        return wrong_rank(v, rank, "%d blocks, but rank 0 has %d", s->blocks, v->blocks);
    if (anypi_scatters(v->call) && s->blocks != s->p)
        return wrong_rank(v, rank, "%d blocks for %d ranks that get one each", s->blocks, s->p);
    if (s->scratch_count < 0 || s->scratch_count > ANYP_MAX_SCRATCH)
        return wrong_rank(v, rank, "%d scratch buffers; %d is the most", s->scratch_count,
                          ANYP_MAX_SCRATCH);
    for (int k = 0; k < s->scratch_count; k++)
        if (s->scratch[k].first < 0 || s->scratch[k].first > s->scratch[k].end)
            return wrong_rank(v, rank, "scratch buffer %d holds blocks %d to %d", k,
                              s->scratch[k].first, s->scratch[k].end);
    if (s->rounds < 0 || !s->round_start || s->round_start[0] != 0 ||
        s->round_start[s->rounds] != s->steps_count)
        return wrong_rank(v, rank, "the rounds do not hold the steps");
    for (int round = 0; round < s->rounds; round++)
        if (s->round_start[round] > s->round_start[round + 1])
            return wrong_rank(v, rank, "round %d ends before it begins", round);
    return ANYP_SUCCESS;
}

/* What the rank's buffers hold; returns how many symbols that takes. */
static size_t lay_out(const verifier *v, int rank, memory *m)
{
    const anyp_call *call = v->call;
    const anyp_schedule *s = &v->set[rank];
    const bool only_out = anypi_set_in_place(call, rank) && !anypi_scatters(v->call);
    const bool has_out = call->collective != ANYP_REDUCE || rank == call->root;

    *m = (memory) { 0 };
    m->end[ANYP_IN] = only_out ? 0 : v->blocks;
    m->first[ANYP_OUT] = anypi_scatters(v->call) ? rank : 0;
    m->end[ANYP_OUT] = anypi_scatters(v->call) ? rank + 1 : has_out ? v->blocks : 0;
    for (int k = 0; k < s->scratch_count; k++) {
        m->first[ANYP_SCRATCH + k] = s->scratch[k].first;
        m->end[ANYP_SCRATCH + k] = s->scratch[k].end;
    }
    size_t symbols = 0;
    for (int buffer = ANYP_OUT; buffer < ANYP_BUFFERS; buffer++)
        symbols += (size_t) (m->end[buffer] - m->first[buffer]);
    return symbols;
}

static const char *buffer_name(int buffer)
{
    return buffer == ANYP_IN ? "IN" : buffer == ANYP_OUT ? "OUT" : "scratch";
}

static anyp_status check_slice(verifier *v, place at, anyp_slice slice)
{
    const memory *m = &v->memories[at.rank];
    if (slice.buffer < 0 || slice.buffer >= ANYP_BUFFERS)
        return wrong(v, at, "there is no buffer %d", slice.buffer);
    if (slice.first >= slice.end)
        return wrong(v, at, "the slice %d to %d is empty", slice.first, slice.end);
    if (slice.first < m->first[slice.buffer] || slice.end > m->end[slice.buffer])
        return wrong(v, at, "blocks %d to %d of %s, which has %d to %d", slice.first, slice.end,
                     buffer_name(slice.buffer), m->first[slice.buffer], m->end[slice.buffer]);
    return ANYP_SUCCESS;
}

static bool same_blocks(const verifier *v, anyp_slice a, anyp_slice b)
{
    return a.end - a.first == b.end - b.first && (a.first - b.first) % v->blocks == 0;
}

static anyp_status check_step(verifier *v, place at, const anyp_step *step)
{
    anyp_status status = ANYP_SUCCESS;
    if ((unsigned) step->kind > ANYP_COPY)
        return wrong(v, at, "there is no step of kind %d", (int) step->kind);
    if (step->kind != ANYP_RECV)
        status = check_slice(v, at, step->from);
    if (step->kind != ANYP_SEND && status == ANYP_SUCCESS) {
        status = check_slice(v, at, step->to);
        if (status == ANYP_SUCCESS && step->to.buffer == ANYP_IN)
            return wrong(v, at, "writes IN, which is read only");
    }
    if (status != ANYP_SUCCESS || step->kind == ANYP_SEND || step->kind == ANYP_RECV)
        return status;
    if (!same_blocks(v, step->from, step->to))
        return wrong(v, at, "blocks %d to %d onto %d to %d of %d: not the same blocks",
                     step->from.first, step->from.end, step->to.first, step->to.end, v->blocks);
    if (step->from.buffer == step->to.buffer && step->from.first < step->to.end &&
        step->to.first < step->from.end)
        return wrong(v, at, "source and destination overlap");
    return ANYP_SUCCESS;
}

/* The marks of a slice that is not in IN. */
static unsigned *marks_of(const verifier *v, int rank, anyp_slice slice)
{
    const memory *m = &v->memories[rank];
    size_t before = 0;
    for (int buffer = ANYP_OUT; buffer < slice.buffer; buffer++)
        before += (size_t) (m->end[buffer] - m->first[buffer]);
    return v->marks + before + (slice.first - m->first[slice.buffer]);
}

/* What a round receives must be none of what its other messages read or write. */
static anyp_status check_overlaps(verifier *v, int rank, int round)
{
    const anyp_schedule *s = &v->set[rank];
    const int first = s->round_start[round], end = s->round_start[round + 1];
    int receives = 0;
    v->mark++;
    for (int i = first; i < end; i++) {
        if (s->steps[i].kind != ANYP_RECV)
            continue;
        const anyp_slice to = s->steps[i].to;
        unsigned *marks = marks_of(v, rank, to);
        receives++;
        for (int block = 0; block < to.end - to.first; block++) {
            if (marks[block] == v->mark)
                return wrong(v, (place) { rank, round, i },
                             "receives onto another message of its round");
            marks[block] = v->mark;
        }
    }
    for (int i = first; i < end && receives > 0; i++) {
        if (s->steps[i].kind != ANYP_SEND || s->steps[i].from.buffer == ANYP_IN)
            continue;
        const anyp_slice from = s->steps[i].from;
        const unsigned *marks = marks_of(v, rank, from);
        for (int block = 0; block < from.end - from.first; block++)
            if (marks[block] == v->mark)
                return wrong(v, (place) { rank, round, i },
                             "sends what its round receives onto");
    }
    return ANYP_SUCCESS;
}

static bool reads_in(const anyp_step *step)
{
    return step->kind != ANYP_RECV && step->from.buffer == ANYP_IN;
}

static bool writes_out(const anyp_step *step)
{
    return step->kind != ANYP_SEND && step->to.buffer == ANYP_OUT;
}

/* OUT overlays IN: nothing reads IN in or after the round of messages, or the local step, that
 * first writes OUT. But rank 0's block lies where OUT begins: copying it there leaves it where it
 * is. */
static anyp_status check_overlay(verifier *v, int rank)
{
    const anyp_schedule *s = &v->set[rank];
    bool written = false;
    for (int round = 0; round < s->rounds; round++) {
        const int first = s->round_start[round], end = s->round_start[round + 1];
        for (int i = first; i < end; i++)
            written |= s->steps[i].kind == ANYP_RECV && writes_out(&s->steps[i]);
        for (int i = first; i < end; i++) {
            const anyp_step *step = &s->steps[i];
            const bool stays = rank == 0 && step->kind == ANYP_COPY;
            if (reads_in(step) && (written || (writes_out(step) && !stays)))
                return wrong(v, (place) { rank, round, i },
                             "reads IN, where OUT has been written in place");
            written |= writes_out(step);
        }
    }
    return ANYP_SUCCESS;
}

static anyp_status check_rank(verifier *v, int rank)
{
    const anyp_schedule *s = &v->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int round = 0; round < s->rounds; round++) {
        bool local = false;
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
            const place at = { rank, round, i };
            status = check_step(v, at, &s->steps[i]);
            if (status != ANYP_SUCCESS)
                return status;
            const bool message = s->steps[i].kind == ANYP_SEND || s->steps[i].kind == ANYP_RECV;
            if (message && local)
                return wrong(v, at, "a message behind a local step of its round");
            local |= !message;
        }
        status = check_overlaps(v, rank, round);
        if (status != ANYP_SUCCESS)
            return status;
    }
    return overlaid(v) ? check_overlay(v, rank) : ANYP_SUCCESS;
}

/* ---- all ranks together ---- */

/* The symbols of a slice that is not in IN. */
static symbol *symbols_of(const verifier *v, int rank, anyp_slice slice)
{
    const memory *m = &v->memories[rank];
    return m->symbols[slice.buffer] + (slice.first - m->first[slice.buffer]);
}

/* The symbols that a slice holds: *distance from each other, which is 0 in IN, where all blocks are
 * the rank's own contribution; room is given for that. */
static const symbol *read_symbols(const verifier *v, int rank, anyp_slice slice, symbol *room,
                                  size_t *distance)
{
    *distance = slice.buffer != ANYP_IN;
    if (*distance)
        return symbols_of(v, rank, slice);
    *room = contribution(rank);
    return room;
}

static anyp_status never_written(verifier *v, place at, anyp_slice slice, const symbol *symbols)
{
    int i = 0;
    while (symbols[i].once)
        i++;
    return wrong(v, at, "reads block %d of %s, which was never written", slice.first + i,
                 buffer_name(slice.buffer));
}

static anyp_status copy(verifier *v, place at, anyp_slice from, int to_rank, anyp_slice to)
{
    size_t distance;
    symbol own;
    const symbol *source = read_symbols(v, at.rank, from, &own, &distance);
    symbol *symbols = symbols_of(v, to_rank, to);
    bool all = true;
    for (size_t i = 0; i < (size_t) (to.end - to.first); i++) {
        symbols[i] = source[i * distance];
        all &= symbols[i].once != 0;
    }
    return all ? ANYP_SUCCESS : never_written(v, at, from, symbols);
}

static anyp_status reduce(verifier *v, place at, anyp_slice from, anyp_slice to)
{
    size_t distance;
    symbol own;
    const symbol *left = read_symbols(v, at.rank, from, &own, &distance);
    symbol *right = symbols_of(v, at.rank, to);
    for (size_t i = 0; i < (size_t) (to.end - to.first); i++) {
        if (left[i * distance].once == 0)
            return never_written(v, at, from, left);
        if (right[i].once == 0)
            return never_written(v, at, to, right);
        right[i] = sum(left[i * distance], right[i], v->call->commutative);
    }
    return ANYP_SUCCESS;
}

static anyp_status moved(void *state, const anypi_message *message)
{
    verifier *v = state;
    const place at = { message->from, message->from_round, message->from_step };
    const anyp_slice from = v->set[message->from].steps[message->from_step].from;
    const anyp_slice to = v->set[message->to].steps[message->to_step].to;
    if (!same_blocks(v, from, to))
        return wrong(v, at, "sends blocks %d to %d of %d, but rank %d expects %d to %d in its "
                     "round %d", from.first, from.end, v->blocks, message->to, to.first, to.end,
                     message->to_round);
    return copy(v, at, from, message->to, to);
}

static anyp_status finished(void *state, int rank, int round)
{
    verifier *v = state;
    const anyp_schedule *s = &v->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        const anyp_step *step = &s->steps[i];
        const place at = { rank, round, i };
        if (step->kind == ANYP_REDUCE_LOCAL)
            status = reduce(v, at, step->from, step->to);
        else if (step->kind == ANYP_COPY)
            status = copy(v, at, step->from, rank, step->to);
        if (status != ANYP_SUCCESS)
            return status;
    }
    return ANYP_SUCCESS;
}

/* Gives all ranks their symbols: unwritten, but for what in place puts into OUT. */
static anyp_status allocate(verifier *v, size_t symbols)
{
    v->symbols = anypi_realloc(NULL, symbols * sizeof *v->symbols);
    if (!v->symbols)
        return ANYP_ERR_MEMORY;
    memset(v->symbols, 0, symbols * sizeof *v->symbols);
    symbol *next = v->symbols;
    for (int rank = 0; rank < v->call->p; rank++) {
        memory *m = &v->memories[rank];
        for (int buffer = ANYP_OUT; buffer < ANYP_BUFFERS; buffer++) {
            m->symbols[buffer] = next;
            next += m->end[buffer] - m->first[buffer];
        }
        if (m->end[ANYP_IN] == 0)
            for (int block = 0; block < m->end[ANYP_OUT]; block++)
                m->symbols[ANYP_OUT][block] = contribution(rank);
    }
    return ANYP_SUCCESS;
}

/* What is wrong with a block of a result, or NULL. `all` is the product of all contributions,
 * `same` this block on another rank, `other` another block. */
static const char *fault(const verifier *v, unsigned properties, symbol result, uint64_t all,
                         symbol same, symbol other)
{
    const bool commutes = v->call->commutative;
    if (result.once == 0)
        return "is never written";
    if (result.once != all)
        return "has not every contribution exactly once";
    if ((!commutes || (properties & ANYP_CANONICAL)) &&
        (result.first != 0 || result.end != v->call->p))
        return "is not in rank order";
    if (result.bracket != same.bracket)
        return "is not the same sum as on the other ranks";
    if ((properties & ANYP_SAME_BRACKETING) &&
        (commutes ? result.shape != other.shape : result.bracket != other.bracket))
        return "is not bracketed as the other blocks";
    return NULL;
}

static anyp_status check_results(verifier *v, unsigned properties)
{
    uint64_t all = 1;
    for (int rank = 0; rank < v->call->p; rank++)
        all *= contribution(rank).once;

    const symbol *first = NULL; /* result of the first rank that has one */
    for (int rank = 0; rank < v->call->p; rank++) {
        const memory *m = &v->memories[rank];
        const symbol *results = m->symbols[ANYP_OUT];
        const int blocks = m->end[ANYP_OUT] - m->first[ANYP_OUT];
        if (!first && blocks > 0)
            first = results;
        for (int i = 0; i < blocks; i++) {
            const symbol same = anypi_scatters(v->call) ? results[i] : first[i];
            const char *what = fault(v, properties, results[i], all, same, first[0]);
            if (what)
                return wrong_rank(v, rank, "block %d of the result %s", m->first[ANYP_OUT] + i,
                                  what);
        }
    }
    return ANYP_SUCCESS;
}

static anyp_status verify(verifier *v, unsigned properties)
{
    size_t all_symbols = 0, most_symbols = 0;
    for (int rank = 0; rank < v->call->p; rank++) {
        const anyp_status status = check_shape(v, rank);
        if (status != ANYP_SUCCESS)
            return status;
        const size_t symbols = lay_out(v, rank, &v->memories[rank]);
        all_symbols += symbols;
        most_symbols = symbols > most_symbols ? symbols : most_symbols;
    }
    v->marks = anypi_realloc(NULL, most_symbols * sizeof *v->marks);
    if (!v->marks)
        return ANYP_ERR_MEMORY;
    memset(v->marks, 0, most_symbols * sizeof *v->marks);

    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < v->call->p && status == ANYP_SUCCESS; rank++)
        status = check_rank(v, rank);
    if (status == ANYP_SUCCESS)
        status = allocate(v, all_symbols);
    if (status == ANYP_SUCCESS) {
        const anypi_visitor visitor = { v, moved, finished };
        status = anypi_run(v->set, v->call->p, &visitor, v->reason, v->size);
    }
    return status == ANYP_SUCCESS ? check_results(v, properties) : status;
}

anyp_status anypi_verify(const anyp_schedule *set, const anyp_call *call, unsigned properties,
                         char *reason, size_t size)
{
    if (size > 0)
        *reason = '\0';
    if (call->p < 1 || call->root < 0 || call->root >= call->p ||
        (unsigned) call->collective >= ANYP_COLLECTIVES)
        return ANYP_ERR_ARGUMENT;
    verifier v = { .set = set, .call = call, .blocks = set[0].blocks, .reason = reason,
                   .size = size };
    v.memories = anypi_realloc(NULL, (size_t) call->p * sizeof *v.memories);
    const anyp_status status = v.memories ? verify(&v, properties) : ANYP_ERR_MEMORY;
    anypi_free(v.symbols);
    anypi_free(v.marks);
    anypi_free(v.memories);
    return status;
}
