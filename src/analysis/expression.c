/* SPDX-License-Identifier: BSD-3-Clause
 *
 * expression.c - replays the set with terms as data, for only one block of the vector.
 */
#include "analysis/expression.h"

#include "analysis/replay.h"
#include "schedule/memory.h"
#include "schedule/set.h"

#include <limits.h>
#include <stdio.h>

/* Terms 0 .. p-1 are the ranks' contributions, the others are sums. */
enum { NEVER_WRITTEN = -1 };

typedef struct sum {
    int left, right;            /* terms */
    int leaves;                 /* number of contributions in it, at most p */
} sum;

/* Where copies of the block begin in evaluation.terms. Copy k is block index block + k*n. */
typedef struct memory {
    size_t first[ANYP_BUFFERS];
} memory;

typedef struct evaluation {
    const anyp_schedule *set;
    int p;
    int block;                  /* of the vector */
    int scratch_block;          /* its block index < n in scratch buffers */
    sum *sums;
    int sums_count, sums_capacity;
    memory *memories;           /* per rank */
    int *terms;                 /* of all ranks */
} evaluation;

static int leaves(const evaluation *d, int term)
{
    return term < d->p ? 1 : d->sums[term - d->p].leaves;
}

/* Adds the sum of two terms as a new term. */
static anyp_status add(evaluation *d, int left, int right, int *term)
{
    if (leaves(d, left) > d->p - leaves(d, right) || d->sums_count >= INT_MAX / 2 - d->p)
        return ANYP_ERR_SCHEDULE;       /* something is contributed twice */
    sum *sums = anypi_grow(d->sums, &d->sums_capacity, d->sums_count, sizeof *sums);
    if (!sums)
        return ANYP_ERR_MEMORY;
    d->sums = sums;
    d->sums[d->sums_count] = (sum) { left, right, leaves(d, left) + leaves(d, right) };
    *term = d->p + d->sums_count++;
    return ANYP_SUCCESS;
}

/* Returns the first block index >= first of a buffer that holds the block. */
static int next_copy(const evaluation *d, int buffer, int first)
{
    const int n = d->set[0].blocks;
    const int block = buffer < ANYP_SCRATCH ? d->block : d->scratch_block;
    return first + ((block - first) % n + n) % n;
}

static int *term_at(const evaluation *d, int rank, int buffer, int index)
{
    return &d->terms[d->memories[rank].first[buffer] + (size_t) (index / d->set[0].blocks)];
}

/* Executes to = from, or to = from + to, for the copies of the block in these slices. */
static anyp_status apply(evaluation *d, int from_rank, anyp_slice from, int to_rank, anyp_slice to,
                         bool reduce)
{
    for (int i = next_copy(d, to.buffer, to.first); i < to.end; i += d->set[0].blocks) {
        const int left = from.buffer == ANYP_IN ? from_rank :
            *term_at(d, from_rank, from.buffer, i - to.first + from.first);
        int *right = term_at(d, to_rank, to.buffer, i);
        if (left == NEVER_WRITTEN || (reduce && *right == NEVER_WRITTEN))
            return ANYP_ERR_SCHEDULE;
        const anyp_status status = reduce ? add(d, left, *right, right) : ANYP_SUCCESS;
        if (status != ANYP_SUCCESS)
            return status;
        if (!reduce)
            *right = left;
    }
    return ANYP_SUCCESS;
}

static anyp_status moved(void *state, const anypi_message *message)
{
    evaluation *d = state;
    return apply(d, message->from, d->set[message->from].steps[message->from_step].from,
                 message->to, d->set[message->to].steps[message->to_step].to, false);
}

static anyp_status finished(void *state, int rank, int round)
{
    evaluation *d = state;
    const anyp_schedule *schedule = &d->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int i = schedule->round_start[round];
         i < schedule->round_start[round + 1] && status == ANYP_SUCCESS; i++) {
        const anyp_step *step = &schedule->steps[i];
        if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
            status = apply(d, rank, step->from, rank, step->to, step->kind == ANYP_REDUCE_LOCAL);
    }
    return status;
}

/* Allocates the terms of all ranks: never written, except OUT with MPI_IN_PLACE. */
static anyp_status allocate(evaluation *d, const anyp_call *call)
{
    const int n = d->set[0].blocks;
    size_t count = 0;
    d->memories = anypi_realloc(NULL, (size_t) d->p * sizeof *d->memories);
    if (!d->memories)
        return ANYP_ERR_MEMORY;
    for (int rank = 0; rank < d->p; rank++) {
        const anyp_schedule *schedule = &d->set[rank];
        d->memories[rank].first[ANYP_OUT] = count++;
        for (int k = 0; k < schedule->scratch_count; k++) {
            d->memories[rank].first[ANYP_SCRATCH + k] = count;
            count += (size_t) schedule->scratch[k].end / (size_t) n + 1;
        }
    }
    d->terms = anypi_realloc(NULL, count * sizeof *d->terms);
    if (!d->terms)
        return ANYP_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        d->terms[i] = NEVER_WRITTEN;
    for (int rank = 0; rank < d->p; rank++)
        if (anypi_set_in_place(call, rank) && !anypi_scatters(call))
            d->terms[d->memories[rank].first[ANYP_OUT]] = rank;
    return ANYP_SUCCESS;
}

/* Writes a term. A stack contains what is not written yet, signs as negative numbers. */
static anyp_status write_term(const evaluation *d, int term, char **text)
{
    const size_t size = (size_t) leaves(d, term);
    char *out = anypi_realloc(NULL, size * sizeof "(+x2147483647)" + 1);
    int *stack = anypi_realloc(NULL, (4 * size + 1) * sizeof *stack);
    if (!out || !stack) {
        anypi_free(out);
        anypi_free(stack);
        return ANYP_ERR_MEMORY;
    }
    *text = out;
    int *top = stack;
    *top++ = term;
    while (top > stack) {
        const int next = *--top;
        if (next < 0) {
            *out++ = (char) -next;
        } else if (next < d->p) {
            out += sprintf(out, "x%d", next);
        } else {
            const sum *s = &d->sums[next - d->p];
            const bool brackets = s->right >= d->p;
            if (brackets)
                *top++ = -')';
            *top++ = s->right;
            if (brackets)
                *top++ = -'(';
            *top++ = -'+';
            *top++ = s->left;
        }
    }
    *out = '\0';
    anypi_free(stack);
    return ANYP_SUCCESS;
}

static bool has_block(anyp_slice slice, int block)
{
    return block >= slice.first && block < slice.end;
}

anyp_status anypi_expression(const anyp_schedule *set, const anyp_call *call, int rank, int block,
                             char **text)
{
    *text = NULL;
    if (call->p < 1 || rank < 0 || rank >= call->p || block < 0 || block >= set[0].blocks ||
        !has_block(anypi_output_of(call, rank, set[0].blocks), block))
        return ANYP_ERR_ARGUMENT;

    evaluation d = { .set = set, .p = call->p, .block = block, .scratch_block = block };
    if (set[0].order)
        for (d.scratch_block = 0; set[0].order[d.scratch_block] != block; d.scratch_block++)
            continue;
    const anypi_visitor visitor = { &d, moved, finished };
    char reason[1];
    anyp_status status = allocate(&d, call);
    if (status == ANYP_SUCCESS)
        status = anypi_replay(set, call->p, &visitor, reason, sizeof reason);
    if (status == ANYP_SUCCESS) {
        const int result = d.terms[d.memories[rank].first[ANYP_OUT]];
        status = result == NEVER_WRITTEN ? ANYP_ERR_SCHEDULE : write_term(&d, result, text);
    }
    anypi_free(d.terms);
    anypi_free(d.memories);
    anypi_free(d.sums);
    return status;
}
