/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ring_step.c - the steps of odd=ring: how the ranks of a ring gather slices and parts.
 *
 * They are gathered by dissemination. In a round, a rank has those of `have` digits, its own and
 * the next ones, and sends them to the rank `have` digits below. If only one rank, the goal, needs
 * them, this is a binomial tree.
 *
 * The last received operand in rank order goes to where the accumulator needs the sum. Each of the
 * others has a cell in the next scratch buffer. Cells are consecutive copies of the vector, of
 * which only the slice takes memory.
 */
#include "algorithms/butterfly/ring_step.h"

#include "schedule/schedule.h"

/* The state of one step. */
struct ring {
    const anypi_turn *turn;
    anyp_schedule *schedule;
    int at;                     /* the buffer of the own operand */
    anypi_step_buffers buffers;
    int cells;                  /* the buffer for other operands */
    anypi_range operand;        /* blocks of each */
};

static int peer(const anypi_turn *turn, int digit, const anyp_schedule *schedule)
{
    return schedule->rank + (digit - turn->digit) * turn->unit;
}

/* A digit that may be one round too high or too low. */
static int wrapped(const anypi_turn *turn, int digit)
{
    return digit < 0 ? digit + turn->radix : digit < turn->radix ? digit : digit - turn->radix;
}

static anypi_range part(const anypi_turn *turn, int digit)
{
    const int first = turn->slice.first + digit * turn->width;
    return (anypi_range) { first, first + turn->width };
}

anypi_range anypi_turn_after(const anypi_turn *turn)
{
    return turn->halves ? part(turn, turn->digit) : turn->slice;
}

static bool sums(const anypi_turn *turn)
{
    return turn->halves || turn->goal == ANYPI_ALL || turn->goal == turn->digit;
}

bool anypi_turn_must_change(const anypi_turn *turn)
{
    return sums(turn) && turn->digit < turn->radix - 1 && !turn->may_exchange;
}

/* The next round of a dissemination: how many digits a rank sends to and receives from. */
static void disseminate(const anypi_turn *turn, int have, int *sends, int *receives)
{
    const int radix = turn->radix;
    *sends = *receives = 0;
    if (turn->goal == ANYPI_ALL) {
        *sends = *receives = have < radix - have ? have : radix - have;
    } else if (turn->goal != ANYPI_NONE) {
        const int i = wrapped(turn, turn->digit - turn->goal), rest = radix - i;
        if (i & have && !(i & (have - 1)))
            *sends = have < rest ? have : rest;
        if (!(i & (2 * have - 1)) && rest > have)
            *receives = have < rest - have ? have : rest - have;
    }
}

static anyp_slice cell(const struct ring *ring, int number)
{
    const int shift = number * ring->schedule->blocks;
    return anypi_slice(ring->cells, ring->operand.first + shift, ring->operand.end + shift);
}

/* The slice of a digit's operand. */
static anyp_slice place(const struct ring *ring, int digit)
{
    const anypi_turn *turn = ring->turn;
    const int own = turn->digit, last = turn->radix - 1 - (own == turn->radix - 1);
    if (digit == own)
        return anypi_part(ring->at, ring->operand);
    if (digit == last)
        return anypi_part(ring->buffers.received, ring->operand);
    return cell(ring, digit - (digit > own));
}

/* Reduces all operands. If they may be exchanged, what is in the buffer of the sum stays there. */
static void sum_up(struct ring *ring)
{
    const anypi_turn *turn = ring->turn;
    anyp_schedule *schedule = ring->schedule;
    anyp_slice own = place(ring, turn->digit);
    if (ring->buffers.copies || (ring->at == ANYP_IN && turn->digit > 0 && !turn->may_exchange)) {
        const anyp_slice copy = ring->buffers.copies ? anypi_part(ring->buffers.sum, ring->operand)
            : cell(ring, turn->radix - 2);
        anypi_copy(schedule, own, copy);
        own = copy;
    }
    anyp_slice sum = turn->digit == 0 ? own : place(ring, 0);
    for (int digit = 1; digit < turn->radix; digit++) {
        const anyp_slice next = digit == turn->digit ? own : place(ring, digit);
        if (turn->may_exchange && (sum.buffer == ring->buffers.sum || next.buffer == ANYP_IN)) {
            anypi_reduce(schedule, next, sum);
        } else {
            anypi_reduce(schedule, sum, next);
            sum = next;
        }
    }
}

/* Each rank sends its parts, and receives those of its own part. */
static void scatter_parts(const struct ring *ring)
{
    const anypi_turn *turn = ring->turn;
    for (int k = 1; k < turn->radix; k++) {
        const int to = wrapped(turn, turn->digit + k), from = wrapped(turn, turn->digit - k);
        anypi_round(ring->schedule);
        anypi_send(ring->schedule, peer(turn, to, ring->schedule),
                   anypi_part(ring->at, part(turn, to)));
        anypi_recv(ring->schedule, peer(turn, from, ring->schedule), place(ring, from));
    }
}

/* The piece of a message of `count` operands from digit `first` on that begins with its k-th;
 * advances *k past it. On any rank the own operand and the last two are separate; the others are
 * neighbours, if a slice is a whole vector. */
static anyp_slice piece(const struct ring *ring, int first, int *k, int count)
{
    const int digit = wrapped(ring->turn, first + *k), single = ring->turn->radix - 2;
    anyp_slice slice = place(ring, digit);
    int more = 1;
    const bool neighbours = slice.end - slice.first == ring->schedule->blocks;
    if (*k > 0 && neighbours && digit < single)
        more = single - digit < count - *k ? single - digit : count - *k;
    slice.end += (more - 1) * ring->schedule->blocks;
    *k += more;
    return slice;
}

static void gather_slices(const struct ring *ring)
{
    const anypi_turn *turn = ring->turn;
    const int radix = turn->radix, own = turn->digit;
    for (int have = 1; have < radix; have *= 2) {
        const int below = wrapped(turn, own - have), above = wrapped(turn, own + have);
        int sends, receives;
        disseminate(turn, have, &sends, &receives);
        anypi_round(ring->schedule);
        for (int k = 0; k < sends;)
            anypi_send(ring->schedule, peer(turn, below, ring->schedule),
                       piece(ring, own, &k, sends));
        for (int k = 0; k < receives;)
            anypi_recv(ring->schedule, peer(turn, above, ring->schedule),
                       piece(ring, above, &k, receives));
    }
}

void anypi_turn_make_room(const anypi_turn *turn, const anypi_accumulator *sum,
                          anyp_schedule *schedule)
{
    const anypi_range operand = anypi_turn_after(turn);
    anypi_scratch_window(schedule, sum->temporary + 1, operand.first, operand.end);
}

void anypi_turn_reduce(const anypi_turn *turn, anypi_accumulator *sum, anyp_schedule *schedule)
{
    struct ring ring = { .turn = turn, .schedule = schedule, .at = sum->at,
                         .cells = sum->temporary + 1, .operand = anypi_turn_after(turn) };
    ring.buffers.received = sum->at == sum->result ? sum->temporary : sum->result;
    if (sums(turn)) {
        const bool left = turn->digit < turn->radix - 1;
        ring.buffers = anypi_accumulator_next(sum, left, turn->may_exchange);
    }
    if (turn->halves)
        scatter_parts(&ring);
    else
        gather_slices(&ring);
    if (sums(turn)) {
        sum_up(&ring);
        sum->at = ring.buffers.sum;
    }
}

/* The parts of `count` digits from `first` on, as two slices if they wrap to digit 0. */
static void parts(const anypi_turn *turn, int first, int count, int buffer, anyp_slice pieces[2])
{
    const int end = first + count, top = end < turn->radix ? end : turn->radix;
    pieces[0] = anypi_slice(buffer, part(turn, first).first, part(turn, top - 1).end);
    pieces[1] = anypi_slice(buffer, turn->slice.first, part(turn, end - top).first);
}

void anypi_turn_route(const anypi_turn *turn, int buffer, anyp_schedule *schedule)
{
    const int radix = turn->radix, own = turn->digit;
    for (int have = 1; have < radix; have *= 2) {
        const int below = wrapped(turn, own - have), above = wrapped(turn, own + have);
        int sends, receives;
        disseminate(turn, have, &sends, &receives);
        anyp_slice out[2], in[2];
        parts(turn, own, sends, buffer, out);
        parts(turn, above, receives, buffer, in);
        anypi_round(schedule);
        for (int i = 0; i < 2 && sends > 0; i++)
            anypi_send(schedule, peer(turn, below, schedule), out[i]);
        for (int i = 0; i < 2 && receives > 0; i++)
            anypi_recv(schedule, peer(turn, above, schedule), in[i]);
    }
}
