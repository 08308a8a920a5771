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

#include "core/check.h"
#include "core/memory.h"
#include "core/run.h"
#include "core/set.h"

#include <string.h>

typedef struct symbol {
    uint64_t once;              /* odd; 0: never written */
    uint64_t bracket;           /* the tree */
    uint64_t shape;             /* the tree but for exchanged operands */
    int first, end;             /* ranks first .. end-1; -1, -1: not neighbours or not in order */
} symbol;

/* The buffers of one rank. All input blocks are the rank's own symbol, so IN has no memory. */
typedef struct memory {
    anypi_extents extents;
    symbol *symbols[ANYP_BUFFERS];      /* of the first block index that the buffer holds */
} memory;

typedef struct verifier {
    const anyp_schedule *set;
    const anyp_call *call;
    anypi_checker checker;
    memory *memories;           /* per rank */
    symbol *symbols;            /* of all ranks */
} verifier;

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

/* ---- all ranks together ---- */

/* The symbols of a slice that is not in IN. */
static symbol *symbols_of(const verifier *v, int rank, anyp_slice slice)
{
    const memory *m = &v->memories[rank];
    return m->symbols[slice.buffer] + (slice.first - m->extents.first[slice.buffer]);
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

static anyp_status never_written(verifier *v, anypi_place at, anyp_slice slice,
                                 const symbol *symbols)
{
    int i = 0;
    while (symbols[i].once)
        i++;
    return anypi_wrong(&v->checker, at, "reads block %d of %s, which was never written",
                       slice.first + i, anypi_buffer_name(slice.buffer));
}

static anyp_status copy(verifier *v, anypi_place at, anyp_slice from, int to_rank, anyp_slice to)
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

static anyp_status reduce(verifier *v, anypi_place at, anyp_slice from, anyp_slice to)
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
    const anypi_place at = { message->from, message->from_round, message->from_step };
    const anyp_slice from = v->set[message->from].steps[message->from_step].from;
    const anyp_slice to = v->set[message->to].steps[message->to_step].to;
    if (!anypi_same_blocks(&v->checker, from, to))
        return anypi_wrong(&v->checker, at, "sends blocks %d to %d of %d, but rank %d expects "
                           "%d to %d in its round %d", from.first, from.end, v->checker.blocks,
                           message->to, to.first, to.end, message->to_round);
    return copy(v, at, from, message->to, to);
}

static anyp_status finished(void *state, int rank, int round)
{
    verifier *v = state;
    const anyp_schedule *s = &v->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        const anyp_step *step = &s->steps[i];
        const anypi_place at = { rank, round, i };
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
            next += m->extents.end[buffer] - m->extents.first[buffer];
        }
        if (m->extents.end[ANYP_IN] == 0)
            for (int block = 0; block < m->extents.end[ANYP_OUT]; block++)
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
        const int blocks = m->extents.end[ANYP_OUT] - m->extents.first[ANYP_OUT];
        if (!first && blocks > 0)
            first = results;
        for (int i = 0; i < blocks; i++) {
            const symbol same = anypi_scatters(v->call) ? results[i] : first[i];
            const char *what = fault(v, properties, results[i], all, same, first[0]);
            if (what)
                return anypi_wrong_rank(&v->checker, rank, "block %d of the result %s",
                                        m->extents.first[ANYP_OUT] + i, what);
        }
    }
    return ANYP_SUCCESS;
}

static anyp_status verify(verifier *v, unsigned properties)
{
    anypi_checker *checker = &v->checker;
    size_t all_symbols = 0, most_marks = 0;
    for (int rank = 0; rank < v->call->p; rank++) {
        const anyp_status status = anypi_check_shape(checker, &v->set[rank], rank);
        if (status != ANYP_SUCCESS)
            return status;
        const size_t symbols =
            anypi_extents_of(checker, &v->set[rank], &v->memories[rank].extents);
        all_symbols += symbols;
        most_marks = symbols > most_marks ? symbols : most_marks;
    }
    if (checker->order && most_marks < (size_t) checker->blocks)
        most_marks = (size_t) checker->blocks;
    checker->marks = anypi_realloc(NULL, most_marks * sizeof *checker->marks);
    if (!checker->marks)
        return ANYP_ERR_MEMORY;
    memset(checker->marks, 0, most_marks * sizeof *checker->marks);

    anyp_status status = anypi_check_order(checker);
    for (int rank = 0; rank < v->call->p && status == ANYP_SUCCESS; rank++)
        status = anypi_check_steps(checker, &v->set[rank], &v->memories[rank].extents);
    if (status == ANYP_SUCCESS)
        status = allocate(v, all_symbols);
    if (status == ANYP_SUCCESS) {
        const anypi_visitor visitor = { v, moved, finished };
        status = anypi_run(v->set, v->call->p, &visitor, checker->reason, checker->size);
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
    verifier v = { .set = set, .call = call };
    v.checker = (anypi_checker) { .call = call, .blocks = set[0].blocks,
                                  .order = set[0].order, .reason = reason, .size = size };
    v.memories = anypi_realloc(NULL, (size_t) call->p * sizeof *v.memories);
    const anyp_status status = v.memories ? verify(&v, properties) : ANYP_ERR_MEMORY;
    anypi_free(v.symbols);
    anypi_free(v.checker.marks);
    anypi_free(v.memories);
    return status;
}
