/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly - neighbouring groups of ranks join, two by two, until one group is left.
 *
 * Before round z there are floor(p / 2^z) groups of 2^z active ranks, neighbours in rank order, and
 * the ranks at one position hold the same slice in every group. In round z the groups join in pairs,
 * each rank with the one at its position; if their number is odd, the three leftmost groups make one
 * of two by a 3-2 elimination, whose third group drops out. The first h rounds halve the slice, so
 * that large vectors cost little per byte, the others exchange it whole, and then the halvings are
 * mirrored, so that all ranks get the vector; the left operand is always the lower ranks'.
 *
 * p = 5, both rounds halve (h = 2), A B C D are the quarters of the vector; what a rank has then:
 *
 *   time    rank 0         rank 1         rank 2      rank 3      rank 4
 *     1       .            CD 1+2         AB 1+2      AB 3+4      CD 3+4
 *     2     AB 0+(1+2)     CD 0+(1+2)     drops out     .           .
 *     3     A 0+(1+2)+(3+4)  C              .         B           D
 *     4     AB             CD               .         AB          CD
 *     5     ABCD             .            AB          ABCD        ABCD
 *     6       .            ABCD           ABCD          .           .
 *
 * Rank 0 has nothing to do at time 1 and is late by one from then on. The late group is always the
 * leftmost, which a 3-2 elimination needs one later anyhow, so lateness does not add up. Ranks that
 * dropped out without halving get their slice at one time between the phases, each from the rank
 * that took its vector in: those are as many pairs, none in the group that is late when mirroring.
 *
 * Cost with L = floor(log2 p), p = 2^n * odd: w(z) = m / 2^min(z,h) bytes are a slice after z rounds,
 * W = w(1) + ... + w(L), and E = w(n+1) if p is no power of two, else 0:
 *   (L + h)*alpha + (W + w(1) + ... + w(h) + 2E)*beta + (W + E)*gamma, and 2*alpha more if E is not 0.
 * Reached with any one of the three for every p and h if 2^h divides the count. For odd p that is
 * q+1 rounds and q*m*gamma at h = 0, 2q rounds and 2(1.5 - 1/p')m*beta at h = L.
 * Plain copies: none if the operator commutes and the first round halves; else at most a rank's slice
 * of its first round if it is the right operand there, and in place the last slice.
 * Restrictions: none, any p and operator; all elements are bracketed alike, whatever h is.
 * Source: Rabenseifner & Träff 2004, sections 2, 3.1 and 3.2. The paper draws which groups eliminate;
 * here it is the leftmost three. h is computed once, from the whole vector.
 */
#include "algorithms/registry.h"

#include "core/ranks.h"
#include "core/schedule.h"

#include <limits.h>

enum { THRESHOLD };             /* places of the parameters */

struct range {
    int first, end;             /* blocks */
};

/* What a rank does in one round of the reduction phase; the peers are -1 where there is none. */
struct move {
    int to, from;
    struct range gives, keeps;         /* sent to `to`; received from `from` and reduced */
    bool left;                  /* this rank's operand is the left one */
};

struct plan {
    struct move moves[32];             /* one in each of at most 30 rounds, two in one 3-2 elimination */
    int count;
    int mirrored;               /* the first so many come back in the routing phase */
    struct range slice;                /* what the rank holds when the halving is over */
    int feeds, fed_by;          /* whom this rank gives its slice between the phases, or -1 */
    bool drops_out;
};

/* h: round z halves while a slice is larger than the threshold and has an element for either half. */
static int halvings(const anyp_call *call, const int *parameters)
{
    const int rounds = anypi_log2_floor((unsigned) call->p);
    const int64_t threshold = parameters[THRESHOLD];
    int h = 0;
    if (threshold == INT_MAX || call->type_size == 0)
        return 0;
    while (h < rounds && call->count > (threshold << h) / call->type_size &&
           call->count >= (int64_t) 2 << h)
        h++;
    return h;
}

static int blocks(const anyp_call *call, const int *parameters)
{
    return 1 << halvings(call, parameters);
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int rounds = anypi_log2_floor((unsigned) call->p), h = halvings(call, parameters);
    const int plain = __builtin_ctz((unsigned) call->p);
    double reduced = 0, routed = 0, extra = 0;
    for (int z = 1; z <= rounds; z++) {
        const int64_t parts = (int64_t) 1 << (z < h ? z : h);
        const int64_t most = call->count / parts + (call->count % parts > 0);
        const double slice = (double) most * (double) call->type_size;
        reduced += slice;
        if (z <= h)
            routed += slice;
        if (z == plain + 1)     /* never, if p is a power of two */
            extra = slice;
    }
    const double latencies = rounds + h + (plain < rounds ? 2 : 0);
    return (anyp_cost) { .latencies = latencies,
                         .bytes_sent = reduced + routed + 2 * extra,
                         .bytes_reduced = reduced + extra,
                         .overheads = 2 * latencies };
}

/* The rank at a position of the leftmost group. Positions from 2^z up joined it in round z, from the
 * ranks behind the 2^z + p mod 2^z that it had come from by then. */
static int leftmost_rank(int p, int position)
{
    return position ? position + p % (1 << anypi_log2_floor((unsigned) position)) : 0;
}

static void add(struct plan *plan, int to, struct range gives, int from, struct range keeps, bool left)
{
    plan->moves[plan->count++] = (struct move) { to, from, gives, keeps, left };
}

/* One rank's part in a 3-2 elimination; p0, p1, p2 hold a position of the three groups. */
static void eliminate(struct plan *plan, int group, int p0, int p1, int p2, struct range lower,
                      struct range upper, bool halves)
{
    if (group == 0) {
        add(plan, p1, upper, halves ? p2 : p1, lower, true);
    } else if (group == 1) {
        add(plan, halves ? p2 : -1, lower, p2, upper, true);
        add(plan, halves ? -1 : p0, upper, p0, upper, false);
        plan->feeds = halves ? -1 : p2;
    } else {
        add(plan, p1, upper, halves ? p1 : -1, lower, false);
        if (halves)
            add(plan, p0, lower, -1, lower, false);
        plan->fed_by = halves ? -1 : p1;
        plan->drops_out = true;
    }
}

/* All that a rank does in the reduction phase. Groups but the leftmost are 2^z ranks in a row, so
 * that, counted from the last rank, group and position are bits of a rank's number. */
static void make_plan(int p, int rank, int h, struct plan *plan)
{
    const int rounds = anypi_log2_floor((unsigned) p);
    int position = 0;
    bool leftmost = rank == 0;

    *plan = (struct plan) { .slice = { 0, 1 << h }, .feeds = -1, .fed_by = -1 };
    for (int z = 0; z < rounds && !plan->drops_out; z++) {
        const int size = 1 << z, groups = p >> z;
        const int group = leftmost ? 0 : groups - 1 - ((p - 1 - rank) >> z);
        const bool three = groups % 2 && group < 3;
        const bool stays_lower = three ? group == 0 : group % 2 == groups % 2;
        const bool halves = z < h;
        const int middle = (plan->slice.first + plan->slice.end) / 2;
        const struct range lower = { plan->slice.first, halves ? middle : plan->slice.end };
        const struct range upper = { halves ? middle : plan->slice.first, plan->slice.end };
        /* who is at this position in the leftmost group and in the next */
        const int p0 = leftmost_rank(p, position), p1 = leftmost_rank(p, position + size);

        if (three) {
            eliminate(plan, group, p0, p1, p1 + size, lower, upper, halves);
        } else if (stays_lower) {
            const int peer = group == 0 ? p1 : rank + size;
            add(plan, peer, upper, peer, lower, true);
        } else {
            const int peer = group == 1 ? p0 : rank - size;
            add(plan, peer, lower, peer, upper, false);
        }
        plan->slice = stays_lower ? lower : upper;
        position += stays_lower ? 0 : size;
        leftmost = group < 2;
        if (halves)
            plan->mirrored = plan->count;
    }
}

/* May the operands of a move change places? Not where several ranks compute the same blocks. */
static bool is_free(const anyp_call *call, const struct plan *plan, int i)
{
    return call->commutative && i < plan->mirrored;
}

/* A reduction leaves the result where its right operand was. So what a rank has accumulated changes
 * between OUT and a scratch buffer each time that it is the left operand; where the operands may be
 * exchanged, it goes to where the changes to come will lead to OUT. */
static void reduce(const anyp_call *call, const struct plan *plan, anyp_schedule *schedule)
{
    int at = call->in_place ? ANYP_OUT : ANYP_IN;
    int changes = 0;
    for (int i = 0; i < plan->count; i++)
        changes += plan->moves[i].from >= 0 && plan->moves[i].left && !is_free(call, plan, i);

    for (int i = 0; i < plan->count; i++) {
        const struct move *move = &plan->moves[i];
        const struct range gives = move->gives, keeps = move->keeps;
        anypi_round(schedule);
        if (move->to >= 0)
            anypi_send(schedule, move->to, anypi_slice(at, gives.first, gives.end));
        if (move->from < 0)
            continue;

        const bool may_choose = is_free(call, plan, i);
        changes -= move->left && !may_choose;
        const int wanted = changes % 2 ? ANYP_SCRATCH : ANYP_OUT;
        const int other = at == ANYP_OUT ? ANYP_SCRATCH : ANYP_OUT;
        const int goal = may_choose || at == ANYP_IN ? wanted : move->left ? other : at;
        const bool copies = at == ANYP_IN && !move->left && !may_choose;
        const bool stays = copies || goal == at;
        const int lands = !stays ? goal : goal == ANYP_OUT ? ANYP_SCRATCH : ANYP_OUT;
        const anyp_slice received = anypi_slice(lands, keeps.first, keeps.end);
        const anyp_slice result = anypi_slice(goal, keeps.first, keeps.end);

        anypi_recv(schedule, move->from, received);
        if (copies)
            anypi_copy(schedule, anypi_slice(at, keeps.first, keeps.end), result);
        if (stays)
            anypi_reduce(schedule, received, result);
        else
            anypi_reduce(schedule, anypi_slice(at, keeps.first, keeps.end), received);
        at = goal;
    }

    const struct range slice = plan->slice;
    if (at != ANYP_OUT && !plan->drops_out)
        anypi_copy(schedule, anypi_slice(at, slice.first, slice.end),
                   anypi_slice(ANYP_OUT, slice.first, slice.end));
}

/* Everything of the result is in OUT now. */
static void route(const struct plan *plan, anyp_schedule *schedule)
{
    const anyp_slice slice = anypi_slice(ANYP_OUT, plan->slice.first, plan->slice.end);
    anypi_round(schedule);
    if (plan->feeds >= 0)
        anypi_send(schedule, plan->feeds, slice);
    if (plan->fed_by >= 0)
        anypi_recv(schedule, plan->fed_by, slice);

    for (int i = plan->mirrored - 1; i >= 0; i--) {
        const struct move *move = &plan->moves[i];
        anypi_round(schedule);
        if (move->from >= 0)
            anypi_send(schedule, move->from,
                       anypi_slice(ANYP_OUT, move->keeps.first, move->keeps.end));
        if (move->to >= 0)
            anypi_recv(schedule, move->to, anypi_slice(ANYP_OUT, move->gives.first, move->gives.end));
    }
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    struct plan plan;
    make_plan(call->p, call->rank, halvings(call, parameters), &plan);
    reduce(call, &plan, schedule);
    route(&plan, schedule);
}

const anyp_algorithm_code anypi_butterfly_code = {
    .sentence = "any operator at any p; few rounds for small vectors, little volume for large ones",
    .source = "Rabenseifner & Träff 2004, sections 2, 3.1 and 3.2",
    .blocks = blocks,
    .cost = cost,
    .generate = generate,
};
