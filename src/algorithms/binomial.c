/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binomial - reduce by a tree whose order is that of the ranks; an allreduce sends the result back.
 *
 * Before round j, groups of k^j neighbours (k is the radix) have reduced their vectors at their
 * leader: the root if it is among them, else the lowest rank. In the round the leaders of k
 * neighbouring groups send their sums to the one that will lead all of them. It adds its own sum
 * between those of lower and of higher groups, so any root gets the sum in rank order, in as few
 * rounds as rank 0 does. The allreduce reduces to rank 0 and uses the same tree downwards.
 *
 *   p = 5, root 2, k = 2:   round 1: 1 to 0, 3 to 2    round 2: 0 to 2    round 3: 4 to 2
 *                           rank 2 has ((0+1) + (2+3)) + 4
 *
 * Cost with R = ceil(log_k p) rounds, in all of which M = (k-1)(R-1) + ceil(p / k^(R-1)) - 1
 * messages come to a leader: R*alpha + M*m*(beta + gamma); allreduce 2R*alpha + M*m*(2*beta +
 * gamma). Reached for every p and root. The vector is not cut into segments: this is for short
 * vectors.
 * Plain copies: none if the operator commutes. Else one of m at the root, if its first partners are
 * all lower (not in place; its input is the right operand then) or if the number of rounds in which
 * it has higher partners is odd (in place; for k > 2 only if it is one). Scratch: k m at most.
 * Restrictions: none, any p, root and operator.
 * Source: Lowery & Langou 2013, section IV (binomial), for k = 2; there the root is rank 0. With
 * the usual tree, an operator that does not commute reduces to rank 0, which sends the result on.
 */
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/radix.h"

#include "schedule/schedule.h"

enum { RADIX };                 /* indices of the parameters */

enum { MAXIMUM_RADIX = 64, INPUT = -1 };

/* The groups of `width` ranks that join: first .. end-1, `own` that of the call's rank. */
typedef struct family {
    int64_t width;
    int first, end, own;
    int leader;                 /* the rank that receives the sums of all */
} family;

/* A rank's sum. Cells are buffers of one vector; the first is OUT if the rank has one. */
typedef struct sum {
    const anyp_call *call;
    int radix;
    int at;                     /* its cell, or INPUT */
    int changes;                /* coming rounds in which it must change the cell */
} sum;

static int leader_of(const anyp_call *call, int64_t width, int64_t group)
{
    return (int) (call->root / width == group ? call->root : group * width);
}

static family family_of(const anyp_call *call, int radix, int64_t width)
{
    const int64_t own = call->rank / width, parent = own / radix;
    const int64_t groups = (call->p + width - 1) / width;
    const int64_t end = (parent + 1) * radix < groups ? (parent + 1) * radix : groups;
    return (family) { .width = width, .first = (int) (parent * radix), .end = (int) end,
                      .own = (int) own, .leader = leader_of(call, width * radix, parent) };
}

/* Its own sum is the left operand of higher ones: their buffers get the result. */
static sum begin_sum(const anyp_call *call, int radix)
{
    sum s = { .call = call, .radix = radix, .at = call->in_place ? 0 : INPUT };
    bool input = s.at == INPUT;
    for (int64_t width = 1; width < call->p; width *= radix) {
        const family f = family_of(call, radix, width);
        if (f.leader != call->rank)
            break;
        s.changes += f.own < f.end - 1 || (input && f.first < f.own);
        input = input && f.end - f.first == 1;
    }
    return s;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int radix = parameters[RADIX];
    const double bytes = anypi_block_bytes(call, 1);
    const double phases = call->collective == ANYP_ALLREDUCE ? 2 : 1;
    int messages;
    const int rounds = anypi_radix_rounds(call->p, radix, &messages);
    return (anyp_cost) { .latencies = phases * rounds,
                         .bytes_sent = phases * messages * bytes,
                         .bytes_reduced = messages * bytes,
                         .overheads = 2 * phases * messages };
}

static anyp_slice cell(const sum *s, int index)
{
    const anyp_call *call = s->call;
    const int outs = call->collective == ANYP_ALLREDUCE || call->rank == call->root;
    if (index == INPUT)
        return anypi_slice(ANYP_IN, 0, 1);
    if (index < outs)
        return anypi_slice(ANYP_OUT, 0, 1);
    return anypi_slice(ANYP_SCRATCH, index - outs, index - outs + 1);
}

/* The sums of the other groups of a family are received and added. */
static void take_in(sum *s, const family *f, anyp_schedule *schedule)
{
    const bool commutative = s->call->commutative, input = s->at == INPUT;
    const bool higher = f->own < f->end - 1, lower_only = input && !higher;
    int goal = s->at, cells[MAXIMUM_RADIX];
    if (f->end - f->first == 1)
        return;
    if (higher || input) {
        goal = --s->changes % 2;        /* so that the last change leads to OUT */
        if (goal == s->at && !commutative)
            goal = s->radix > 2 ? 2 : 1 - goal;
    }
    const int into_goal = goal == s->at ? -1 : higher ? f->end - 1
        : commutative ? f->own - 1 : -1;

    anypi_round(schedule);
    for (int group = f->first, next = 0; group < f->end; group++) {
        if (group == f->own)
            continue;
        while (next == s->at || next == goal)
            next++;
        cells[group - f->first] = group == into_goal ? goal : next++;
        anypi_recv(schedule, leader_of(s->call, f->width, group),
                   cell(s, cells[group - f->first]));
    }

    if (lower_only)
        (commutative ? anypi_reduce : anypi_copy)(schedule, cell(s, INPUT), cell(s, goal));
    for (int group = f->own + 1, at = s->at; group < f->end; group++) {
        const int other = cells[group - f->first];
        if (goal == s->at) {    /* operands are exchanged */
            anypi_reduce(schedule, cell(s, other), cell(s, goal));
        } else {
            anypi_reduce(schedule, cell(s, at), cell(s, other));
            at = other;
        }
    }
    for (int group = f->own - 1; group >= f->first; group--)
        if (group != into_goal)
            anypi_reduce(schedule, cell(s, cells[group - f->first]), cell(s, goal));
    s->at = goal;
}

/* Sends the result down the same tree. */
static void send_back(const sum *s, int64_t width, anyp_schedule *schedule)
{
    for (; width > 0; width /= s->radix) {
        const family f = family_of(s->call, s->radix, width);
        anypi_round(schedule);
        if (f.leader != s->call->rank)
            anypi_recv(schedule, f.leader, cell(s, 0));
        for (int group = f.first; group < f.end && f.leader == s->call->rank; group++)
            if (group != f.own)
                anypi_send(schedule, leader_of(s->call, width, group), cell(s, 0));
    }
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int radix = parameters[RADIX];
    sum s = begin_sum(call, radix);
    int64_t width = 1;
    for (; width < call->p; width *= radix) {
        const family f = family_of(call, radix, width);
        if (f.leader != call->rank) {
            anypi_round(schedule);
            anypi_send(schedule, f.leader, cell(&s, s.at));
            break;
        }
        take_in(&s, &f, schedule);
    }
    if (call->rank == call->root && s.at != 0)
        anypi_copy(schedule, cell(&s, s.at), cell(&s, 0));
    if (call->collective == ANYP_ALLREDUCE)
        send_back(&s, width, schedule);
}

const anyp_algorithm_code anypi_binomial_code = {
    .summary = "short vectors, any operator and root: few rounds, and little to send in all",
    .source = "Lowery & Langou 2013, section IV",
    .blocks = anypi_one_block,
    .cost = cost,
    .generate = generate,
};
