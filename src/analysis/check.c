/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/check.h"

#include "analysis/bits.h"
#include "analysis/replay.h"
#include "schedule/memory.h"
#include "schedule/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

anyp_status anypi_wrong(const anypi_set_checker *c, anypi_step_position at, const char *format,
                        ...)
{
    char text[160], step[64] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (at.step >= 0)
        snprintf(step, sizeof step, ", round %d, step %d", at.round, at.step);
    else if (at.round >= 0)
        snprintf(step, sizeof step, ", round %d", at.round);
    snprintf(c->reason, c->size, "rank %d%s: %s", at.rank, step, text);
    return ANYP_ERR_SCHEDULE;
}

anyp_status anypi_check_shape(anypi_set_checker *c, const anyp_schedule *s, int rank)
{
    if (s->p != c->call->p || s->rank != rank)
        return anypi_wrong_rank(c, rank, "the schedule is that of rank %d of %d", s->rank, s->p);
    if (s->blocks < 1 || s->blocks != c->blocks)
        return anypi_wrong_rank(c, rank, "%d blocks, but rank 0 has %d", s->blocks, c->blocks);
    if (anypi_has_blocks(c->call->collective) &&
        (anypi_transposes(c->call->collective) ? s->blocks != s->p : s->blocks % s->p != 0))
        return anypi_wrong_rank(c, rank, "%d blocks for %d ranks that have one each", s->blocks,
                                s->p);
    if (!s->order != !c->order ||
        (s->order && memcmp(s->order, c->order, sizeof *s->order * (size_t) s->blocks)))
        return anypi_wrong_rank(c, rank, "its scratch buffers have another order than rank 0's");
    if (s->overlap < 0 || s->overlap > ANYP_MAX_OVERLAP)
        return anypi_wrong_rank(c, rank, "%d rounds overlap; the maximum is %d", s->overlap,
                                ANYP_MAX_OVERLAP);
    if (s->scratch_count < 0 || s->scratch_count > ANYP_MAX_SCRATCH)
        return anypi_wrong_rank(c, rank, "%d scratch buffers; the maximum is %d", s->scratch_count,
                                ANYP_MAX_SCRATCH);
    for (int k = 0; k < s->scratch_count; k++) {
        if (s->scratch[k].first < 0 || s->scratch[k].first > s->scratch[k].end)
            return anypi_wrong_rank(c, rank, "scratch buffer %d holds blocks %d to %d", k,
                                    s->scratch[k].first, s->scratch[k].end);
        const int window = s->scratch[k].window_first;
        const int period = s->scratch[k].period;
        if (period < 1 || s->blocks % period || window < 0 || window >= period ||
            window >= s->scratch[k].window_end || s->scratch[k].window_end - window > period)
            return anypi_wrong_rank(c, rank, "scratch buffer %d has a window of blocks %d to %d of "
                                    "each %d", k, window, s->scratch[k].window_end, period);
    }
    if (s->rounds < 0 || !s->round_start || s->round_start[0] != 0 ||
        s->round_start[s->rounds] != s->steps_count)
        return anypi_wrong_rank(c, rank, "the rounds do not hold the steps");
    for (int round = 0; round < s->rounds; round++)
        if (s->round_start[round] > s->round_start[round + 1])
            return anypi_wrong_rank(c, rank, "round %d ends before it begins", round);
    return ANYP_SUCCESS;
}

anyp_status anypi_check_order(anypi_set_checker *c)
{
    for (int i = 0; c->order && i < c->blocks; i++) {
        const int block = c->order[i];
        const bool exists = block >= 0 && block < c->blocks;
        if (!exists || anypi_bits_any(c->bits, (size_t) block, (size_t) block + 1))
            return anypi_wrong_rank(c, 0, "its order of %d blocks has block %d%s", c->blocks, block,
                                    exists ? " twice" : "");
        anypi_bits_set(c->bits, (size_t) block, (size_t) block + 1);
    }
    if (c->order)
        anypi_bits_clear(c->bits, 0, (size_t) c->blocks);
    return ANYP_SUCCESS;
}

/* Returns the block of the vector that has this block index in a buffer. */
static int block_at(const anypi_set_checker *c, int buffer, int i)
{
    return buffer < ANYP_SCRATCH ? i % c->blocks : c->order[i % c->blocks];
}

bool anypi_same_blocks(const anypi_set_checker *c, anyp_slice a, anyp_slice b)
{
    if (a.end - a.first != b.end - b.first)
        return false;
    if (anypi_transposes(c->call->collective))
        return true;            /* they are places */
    if (!c->order || (a.buffer < ANYP_SCRATCH) == (b.buffer < ANYP_SCRATCH))
        return a.first == b.first || (a.first - b.first) % c->blocks == 0;
    int same = 0;
    while (same < a.end - a.first &&
           block_at(c, a.buffer, a.first + same) == block_at(c, b.buffer, b.first + same))
        same++;
    return same == a.end - a.first;
}

size_t anypi_extents_of(const anypi_set_checker *c, const anyp_schedule *s, anypi_extents *e)
{
    const anyp_call *call = c->call;
    const int rank = s->rank, n = s->blocks;
    const bool only_out = anypi_set_in_place(call, rank) && !anypi_scatters(call);
    const anyp_slice in = anypi_input_of(call, rank, n), out = anypi_output_of(call, rank, n);

    *e = (anypi_extents) { .blocks = n };
    e->first[ANYP_IN] = only_out ? 0 : in.first;
    e->end[ANYP_IN] = only_out ? 0 : in.end;
    const bool only_input = only_out && out.first == out.end;   /* of an exscan's rank 0 */
    e->first[ANYP_OUT] = only_input ? in.first : out.first;
    e->end[ANYP_OUT] = only_input ? in.end : out.end;
    for (int k = 0; k < s->scratch_count; k++) {
        e->first[ANYP_SCRATCH + k] = s->scratch[k].first;
        e->end[ANYP_SCRATCH + k] = s->scratch[k].end;
        e->gap[ANYP_SCRATCH + k] = s->scratch[k].period -
            (s->scratch[k].window_end - s->scratch[k].window_first);
        e->period[ANYP_SCRATCH + k] = s->scratch[k].period;
        e->window[ANYP_SCRATCH + k] = s->scratch[k].window_first;
    }
    size_t room = 0;
    for (int buffer = ANYP_OUT; buffer < ANYP_BUFFERS; buffer++)
        room += anypi_size_of(e, buffer);
    return room;
}

const char *anypi_buffer_name(int buffer)
{
    return buffer == ANYP_IN ? "IN" : buffer == ANYP_OUT ? "OUT" : "scratch";
}

static anyp_status check_slice(anypi_set_checker *c, anypi_step_position at, const anyp_schedule *s,
                               const anypi_extents *e, anyp_slice slice)
{
    if (slice.buffer < 0 || slice.buffer >= ANYP_BUFFERS)
        return anypi_wrong(c, at, "there is no buffer %d", slice.buffer);
    if (slice.first >= slice.end)
        return anypi_wrong(c, at, "the slice %d to %d is empty", slice.first, slice.end);
    if (slice.first < e->first[slice.buffer] || slice.end > e->end[slice.buffer])
        return anypi_wrong(c, at, "blocks %d to %d of %s, which has %d to %d", slice.first,
                           slice.end, anypi_buffer_name(slice.buffer), e->first[slice.buffer],
                           e->end[slice.buffer]);
    if (e->gap[slice.buffer] > 0) {
        const int k = slice.buffer - ANYP_SCRATCH, window = s->scratch[k].window_first;
        if (slice.first < window || (slice.first - window) % s->scratch[k].period +
            (slice.end - slice.first) > s->scratch[k].window_end - window)
            return anypi_wrong(c, at, "blocks %d to %d of scratch, which has %d to %d of each %d",
                               slice.first, slice.end, s->scratch[k].window_first,
                               s->scratch[k].window_end, s->scratch[k].period);
    }
    return ANYP_SUCCESS;
}

/* May a step read (or write) this slice? If the slice has gaps, only a copy may: a copy of the
 * whole input, the whole output, or blocks that belong to ranks. */
static bool passes_gaps(const anypi_set_checker *c, const anyp_step *step, int rank, bool reads)
{
    const anyp_call *call = c->call;
    const anyp_slice slice = reads ? step->from : step->to;
    if (!(slice.buffer == ANYP_IN && call->gaps_in) &&
        !(slice.buffer == ANYP_OUT && call->gaps_out))
        return true;
    const anyp_slice all = reads ? anypi_input_of(call, rank, c->blocks)
        : anypi_output_of(call, rank, c->blocks);
    return step->kind == ANYP_COPY && ((slice.first == all.first && slice.end == all.end) ||
                                       (!reads && anypi_gathers(call)));
}

static anyp_status check_step(anypi_set_checker *c, anypi_step_position at, const anyp_schedule *s,
                              const anypi_extents *e, const anyp_step *step)
{
    anyp_status status = ANYP_SUCCESS;
    if ((unsigned) step->kind > ANYP_COPY)
        return anypi_wrong(c, at, "there is no step of kind %d", (int) step->kind);
    if (step->kind == ANYP_REDUCE_LOCAL && anypi_moves(c->call->collective))
        return anypi_wrong(c, at, "reduces, in a collective that has no operator");
    if (step->kind != ANYP_RECV)
        status = check_slice(c, at, s, e, step->from);
    if (step->kind != ANYP_SEND && status == ANYP_SUCCESS) {
        status = check_slice(c, at, s, e, step->to);
        if (status == ANYP_SUCCESS && step->to.buffer == ANYP_IN)
            return anypi_wrong(c, at, "writes IN, which is read only");
    }
    if (status == ANYP_SUCCESS &&
        ((step->kind != ANYP_RECV && !passes_gaps(c, step, at.rank, true)) ||
         (step->kind != ANYP_SEND && !passes_gaps(c, step, at.rank, false))))
        return anypi_wrong(c, at, "is no copy of all blocks of a buffer with gaps");
    if (status != ANYP_SUCCESS || step->kind == ANYP_SEND || step->kind == ANYP_RECV)
        return status;
    if (!anypi_same_blocks(c, step->from, step->to))
        return anypi_wrong(c, at, "blocks %d to %d onto %d to %d of %d: not the same blocks",
                           step->from.first, step->from.end, step->to.first, step->to.end,
                           c->blocks);
    if (step->from.buffer == step->to.buffer && step->from.first < step->to.end &&
        step->to.first < step->from.end)
        return anypi_wrong(c, at, "source and destination overlap");
    return ANYP_SUCCESS;
}

/* Returns the bit of a slice's first block; the slice is not in IN. */
static size_t bit_of(const anypi_extents *e, anyp_slice slice)
{
    size_t before = 0;
    for (int buffer = ANYP_OUT; buffer < slice.buffer; buffer++)
        before += anypi_size_of(e, buffer);
    return before + anypi_index_in(e, slice.buffer, slice.first);
}

/* The memory that a round receives into must not overlap what its other messages read or write. */
static anyp_status check_overlaps(anypi_set_checker *c, const anyp_schedule *s,
                                  const anypi_extents *e, int round)
{
    const int first = s->round_start[round], end = s->round_start[round + 1];
    int receives = 0;
    for (int i = first; i < end; i++) {
        if (s->steps[i].kind != ANYP_RECV)
            continue;
        const anyp_slice to = s->steps[i].to;
        const size_t bit = bit_of(e, to), behind = bit + (size_t) (to.end - to.first);
        if (receives++ > 0 && anypi_bits_any(c->bits, bit, behind))
            return anypi_wrong(c, (anypi_step_position) { s->rank, round, i },
                               "receives onto another message of its round");
        anypi_bits_set(c->bits, bit, behind);
    }
    for (int i = first; i < end && receives > 0; i++) {
        if (s->steps[i].kind != ANYP_SEND || s->steps[i].from.buffer == ANYP_IN)
            continue;
        const anyp_slice from = s->steps[i].from;
        const size_t bit = bit_of(e, from);
        if (anypi_bits_any(c->bits, bit, bit + (size_t) (from.end - from.first)))
            return anypi_wrong(c, (anypi_step_position) { s->rank, round, i },
                               "sends what its round receives onto");
    }
    for (int i = first; i < end && receives > 0; i++) {
        const anyp_slice to = s->steps[i].to;
        if (s->steps[i].kind == ANYP_RECV)
            anypi_bits_clear(c->bits, bit_of(e, to), bit_of(e, to) + (size_t) (to.end - to.first));
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

/* OUT overlays IN. So from the round of messages, or the local step, that first writes OUT, nothing
 * may read IN. One exception: rank 0's block is at the beginning of OUT, and a copy of it to OUT
 * does not move it. */
static anyp_status check_overlay(anypi_set_checker *c, const anyp_schedule *s)
{
    bool written = false;
    for (int round = 0; round < s->rounds; round++) {
        const int first = s->round_start[round], end = s->round_start[round + 1];
        for (int i = first; i < end; i++)
            written |= s->steps[i].kind == ANYP_RECV && writes_out(&s->steps[i]);
        for (int i = first; i < end; i++) {
            const anyp_step *step = &s->steps[i];
            const bool stays = s->rank == 0 && step->kind == ANYP_COPY;
            if (reads_in(step) && (written || (writes_out(step) && !stays)))
                return anypi_wrong(c, (anypi_step_position) { s->rank, round, i },
                                   "reads IN, where OUT has been written in place");
            written |= writes_out(step);
        }
    }
    return ANYP_SUCCESS;
}

/* Does a step name no blocks and no buffer? */
static bool is_nothing(anyp_slice slice)
{
    return slice.buffer == 0 && slice.first == 0 && slice.end == 0;
}

/* A schedule without data contains only messages, which name no blocks. Its rounds must not
 * overlap, since none would wait for the messages of an earlier one. */
static anyp_status check_signals(anypi_set_checker *c, const anyp_schedule *s)
{
    if (s->overlap > 0)
        return anypi_wrong_rank(c, s->rank, "%d rounds overlap, but each needs the one before",
                                s->overlap);
    for (int round = 0; round < s->rounds; round++)
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
            const anyp_step *step = &s->steps[i];
            if ((step->kind != ANYP_SEND && step->kind != ANYP_RECV) ||
                !is_nothing(step->from) || !is_nothing(step->to))
                return anypi_wrong(c, (anypi_step_position) { s->rank, round, i },
                                   "is no message without data");
        }
    return ANYP_SUCCESS;
}

anyp_status anypi_check_steps(anypi_set_checker *c, const anyp_schedule *s, const anypi_extents *e)
{
    anyp_status status = ANYP_SUCCESS;
    if (anypi_has_no_data(c->call->collective))
        return check_signals(c, s);
    for (int round = 0; round < s->rounds; round++) {
        bool local = false;
        for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
            const anypi_step_position at = { s->rank, round, i };
            status = check_step(c, at, s, e, &s->steps[i]);
            if (status != ANYP_SUCCESS)
                return status;
            const bool message = s->steps[i].kind == ANYP_SEND || s->steps[i].kind == ANYP_RECV;
            if (message && local)
                return anypi_wrong(c, at, "a message after a local step of its round");
            local |= !message;
        }
        status = check_overlaps(c, s, e, round);
        if (status != ANYP_SUCCESS)
            return status;
    }
    return anypi_overlays(c->call) ? check_overlay(c, s) : ANYP_SUCCESS;
}

/* ---- barriers ---- */

/* For each rank, the ranks of which it has not heard: bits, `words` words per rank. */
typedef struct ears {
    size_t words;
    uint64_t *unknown, *coming; /* before its round; and what the messages of the round leave */
} ears;

/* Removes from `to` what is known by `from`. */
static void hear(const ears *e, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < e->words; i++)
        to[i] &= from[i];
}

static anyp_status moved(void *state, const anypi_message *message)
{
    const ears *e = state;
    hear(e, e->coming + (size_t) message->to * e->words,
         e->unknown + (size_t) message->from * e->words);
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    const ears *e = state;
    const size_t first = (size_t) rank * e->words;
    (void) round;
    hear(e, e->unknown + first, e->coming + first);
    return ANYP_SUCCESS;
}

static anyp_status listen(anypi_set_checker *c, const anyp_schedule *set, ears *e)
{
    const anypi_visitor visitor = { e, moved, finished };
    const int p = c->call->p;
    const anyp_status status = anypi_replay(set, p, &visitor, c->reason, c->size);
    for (int rank = 0; rank < p && status == ANYP_SUCCESS; rank++) {
        const uint64_t *unknown = e->unknown + (size_t) rank * e->words;
        const size_t other = anypi_bits_next(unknown, 0, (size_t) p);
        if (other < (size_t) p)
            return anypi_wrong_rank(c, rank, "may end before rank %d has begun", (int) other);
    }
    return status;
}

anyp_status anypi_check_barrier(anypi_set_checker *c, const anyp_schedule *set)
{
    const size_t p = (size_t) c->call->p;
    ears e = { .words = anypi_bits_words(p) };
    const size_t bytes = p * e.words * sizeof *e.unknown;
    e.unknown = anypi_realloc(NULL, 2 * bytes);
    if (!e.unknown)
        return ANYP_ERR_MEMORY;
    memset(e.unknown, 0xff, 2 * bytes);
    e.coming = e.unknown + p * e.words;
    for (size_t rank = 0; rank < p; rank++)
        anypi_bits_clear(e.unknown + rank * e.words, rank, rank + 1);
    const anyp_status status = listen(c, set, &e);
    anypi_free(e.unknown);
    return status;
}
