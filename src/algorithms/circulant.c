/* SPDX-License-Identifier: BSD-3-Clause
 *
 * circulant - reduce-scatter on a circulant graph: the fewest rounds and the least volume at any p.
 *
 * Rank r keeps partial results R[0 .. s(k)-1], R[i] being block r + i of the vector, which rank
 * r + i sums up (all modulo p). In round k it sends the last of them, R[s(k+1) .. s(k)-1], to rank
 * r + s(k+1), and adds as many from rank r - s(k+1) to its first ones, until only R[0] is left. An
 * allreduce then sends the blocks back in the opposite order; they lie where they belong from the
 * start, so that a range that wraps around the end of the vector is two pieces.
 *
 * p = 5, skips 3, 2, 1; R of rank r, "+a" being what rank r - a had contributed:
 *
 *   round   sends to     R[0]                  R[1]        R[2]    R[3], R[4]
 *     1     r+3          own +3                own +3      own     sent
 *     2     r+2          own +3 +2             own +3      sent
 *     3     r+1          own +3 +2 +(1 +4)     sent
 *   4 5 6   r-1 r-2 r-3  the same backwards: R[0] is the result, R[1], R[2], ... come from above
 *
 * Cost with q skips, q = ceil(log2 p) if they are `halving` or `pow2`, and equal blocks:
 * q*alpha + (p-1)/p*m*(beta + gamma); an allreduce 2q*alpha + (p-1)/p*m*(2*beta + gamma). Reached
 * for every p. Blocks of any sizes are served, but the cost is that of equal ones.
 * Plain copies: none; in place, a reduce-scatter copies its block. Scratch with `halving`: half the
 * vector for an allreduce, three quarters for a reduce-scatter, if blocks are equal (if only one is
 * not empty: all of it, and twice all of it).
 * Restrictions: commutative operators only, since the sum of rank r's block begins with its own.
 * Source: Träff 2024, Algorithms 1 and 2, and section 2.1 for other skips. There the vector is
 * rotated before and after; here it is not, and what was never received onto comes from the input.
 */
#include "algorithms/registry.h"
#include "algorithms/skips.h"

#include "core/ranks.h"
#include "core/schedule.h"

enum { SKIPS };                 /* places of the parameters */

/* The state before a round that goes from skip `above` to skip `skip`. How often R[i] has been
 * received onto falls with i, and with every family it falls once at most: at `border`. (Of the
 * blocks that a round leaves, halving has received onto all or all but the last; powers of two onto
 * all, but for the first round; steps of one length always onto the same ones.) */
struct state {
    const anyp_call *call;
    int rounds;                 /* of the reduce-scatter */
    int above, skip;
    int all;                    /* how often all of R[0 .. above-1] were received onto */
    int border, more;           /* R[0 .. border-1] were so `more` times more; border < above */
};

static int blocks(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return call->p;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, family = parameters[SKIPS], rounds = anypi_skips_count(p, family);
    const double phases = call->collective == ANYP_ALLREDUCE ? 2 : 1;
    double bytes = 0;
    for (int k = 0; k < rounds; k++) {
        const int64_t length = anypi_skip(p, family, k) - anypi_skip(p, family, k + 1);
        const int64_t most = length * (call->count / p) + (length * (call->count % p) + p - 1) / p;
        bytes += (double) most * (double) call->type_size;
    }
    return (anyp_cost) { .latencies = phases * rounds,
                         .bytes_sent = phases * bytes,
                         .bytes_reduced = bytes,
                         .overheads = 2 * phases * rounds };
}

static int received(const struct state *state, int i)
{
    return state->all + (i < state->border ? state->more : 0);
}

/* The buffer that has a block after it was received onto so many times. The result of a reduction
 * lies where its right operand was, and that is what came last: the buffers alternate. */
static int place(const struct state *state, int times)
{
    const anyp_call *call = state->call;
    if (call->collective == ANYP_ALLREDUCE) {
        if (times == 0)
            return call->in_place ? ANYP_OUT : ANYP_IN;
        return (state->rounds - times) % 2 ? ANYP_SCRATCH : ANYP_OUT;
    }
    if (times == 0)
        return ANYP_IN;
    return times == state->rounds && !call->in_place ? ANYP_OUT : ANYP_SCRATCH + (times - 1) % 2;
}

/* R[i .. i+length-1] in a buffer. The caller's begin anew at the vector's end, scratch goes on. */
static anyp_slice part(const struct state *state, int buffer, int i, int length)
{
    const int first = state->call->rank + i;
    const int begin = buffer < ANYP_SCRATCH ? first % state->call->p : first;
    return anypi_slice(buffer, begin, begin + length);
}

/* The end of the piece of a round's message that begins at its block `begin`. Sender and receiver
 * `to` cut alike: where what either has received onto begins or ends, and where the vector does. */
static int piece_end(const struct state *state, int to, int begin)
{
    const int length = state->above - state->skip;
    const bool wraps = state->call->collective == ANYP_ALLREDUCE ||
        received(state, state->skip + begin) == 0;  /* IN wraps, scratch does not */
    const int cuts[] = { state->border - state->skip, state->border,
                         wraps ? state->call->p - to : length };
    int end = length;
    for (int i = 0; i < 3; i++)
        if (cuts[i] > begin && cuts[i] < end)
            end = cuts[i];
    return end;
}

static void reduce_round(const struct state *state, anyp_schedule *schedule)
{
    const anyp_call *call = state->call;
    const int p = call->p, rank = call->rank, skip = state->skip, length = state->above - skip;
    const int to = (rank + skip) % p, from = anypi_mod(rank - skip, p);

    anypi_round(schedule);
    for (int begin = 0, end; begin < length; begin = end) {
        end = piece_end(state, to, begin);
        anypi_send(schedule, to, part(state, place(state, received(state, skip + begin)),
                                      skip + begin, end - begin));
    }
    for (int pass = 0; pass < 2; pass++) {
        for (int begin = 0, end; begin < length; begin = end) {
            end = piece_end(state, rank, begin);
            const int times = received(state, begin);
            const int before = place(state, times), after = place(state, times + 1);
            /* in place, the first may have to stay where it is */
            const int lands = before == after ? ANYP_SCRATCH : after;
            const anyp_slice operand = part(state, lands, begin, end - begin);
            if (pass == 0)
                anypi_recv(schedule, from, operand);
            else if (before == after)
                anypi_reduce(schedule, operand, part(state, after, begin, end - begin));
            else
                anypi_reduce(schedule, part(state, before, begin, end - begin), operand);
        }
    }
}

/* What the round has changed, for the next one. */
static void pass_round(struct state *state)
{
    const int length = state->above - state->skip;
    if (state->border >= state->skip) {
        state->all += state->more;
        state->border = state->more = 0;
    }
    if (length == state->skip) {
        state->all++;
    } else {
        state->border = length;
        state->more++;
    }
    state->above = state->skip;
}

/* The round that goes back from `skip` to `above`. */
static void gather_round(const anyp_call *call, int above, int skip, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank, length = above - skip;
    const int to = anypi_mod(rank - skip, p), from = (rank + skip) % p;
    const int own = length < p - rank ? length : p - rank;
    const int others = length < p - from ? length : p - from;

    anypi_round(schedule);
    anypi_send(schedule, to, anypi_slice(ANYP_OUT, rank, rank + own));
    anypi_send(schedule, to, anypi_slice(ANYP_OUT, 0, length - own));
    anypi_recv(schedule, from, anypi_slice(ANYP_OUT, from, from + others));
    anypi_recv(schedule, from, anypi_slice(ANYP_OUT, 0, length - others));
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int p = call->p, family = parameters[SKIPS];
    const int rounds = anypi_skips_count(p, family);
    struct state state = { .call = call, .rounds = rounds, .above = p };

    for (int k = 1; k <= rounds; k++) {
        state.skip = anypi_skip(p, family, k);
        reduce_round(&state, schedule);
        pass_round(&state);
    }
    const int last = place(&state, rounds);
    if (last != ANYP_OUT)
        anypi_copy(schedule, part(&state, last, 0, 1), part(&state, ANYP_OUT, 0, 1));

    if (call->collective == ANYP_ALLREDUCE)
        for (int k = rounds; k > 0; k--)
            gather_round(call, anypi_skip(p, family, k - 1), anypi_skip(p, family, k), schedule);
}

const anyp_algorithm_code anypi_circulant_code = {
    .sentence = "operators that commute: the fewest rounds and the least volume at any p",
    .source = "Träff 2024, Algorithms 1 and 2",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
