/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bi_greedy - pipelined reduce in the fewest rounds, for processes that send and receive at a time.
 *
 * In each round, a process can send one segment and receive another. The plan goes through the
 * segments in order. The processes that still hold a segment form as many pairs of a sender and a
 * receiver as their free ports allow. A process with both ports free takes the role that is needed;
 * the root never sends. All processes follow one plan, which is computed once for p processes and k
 * segments (see plans.h).
 *
 * The plan prefers pairs of near neighbours, so that most messages stay at one switch or on one
 * node. If eight ranks share a link of two ports, a reduce of 1 MiB on 45 ranks takes half the time
 * of a plan that pairs the lower half with the upper half.
 *
 *   p = 5, k = 2 segments A and B; what a rank gets:
 *
 *     round   rank 0     rank 1     rank 2     rank 3
 *       1     A from 1   B from 2   A from 3   B from 4
 *       2     A from 2   B from 3
 *       3     A from 4
 *       4     B from 1
 *
 * A round needs the results of the previous round, so it waits for the latency of a message. With
 * two lanes, every other segment belongs to a second plan, and the rounds of both plans alternate:
 * while a message of one plan travels, one of the other is sent and reduced (schedule/early.h).
 *
 * Cost with k segments of s bytes: (q+k-1)(alpha + s*beta + s*gamma); alpha and beta are reached
 * for every p and k tested if segments are equal, and no algorithm can have fewer rounds. The paper
 * conjectures this for all p and k. A test shows it for p <= 128 and k <= 64, and `make check-long`
 * for larger ones. If a plan had more rounds, cost() would be too low. With two lanes and an even
 * k, the maximum is (2q+k-2)(alpha + s*beta + s*gamma) if rounds follow each other; but they
 * overlap, so that not every round waits for alpha.
 * Plain copies: none. Scratch: up to two vectors, since several segments are under way.
 * Restrictions: operators that commute. At most max(1, 2^18 / p) segments.
 * Source: Lowery & Langou 2013, Algorithm 2 (section VI). There a process that has only sent may
 * begin before others have reduced what they received; here all go in rounds, so that the plan does
 * not depend on alpha, beta and gamma. The printed algorithm does not say how it keeps the root
 * from sending; here its sending port is never free. Near pairs and lanes are not in the paper.
 */
#include "algorithms/cost_model.h"
#include "algorithms/fitted.h"
#include "algorithms/registry.h"
#include "algorithms/shared/plans.h"
#include "algorithms/shared/segments.h"
#include "algorithms/shared/values.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

enum { LANES = 1 };             /* index of the parameter */

static int lanes_of(const int *parameters, int k)
{
    return parameters[LANES] < k ? parameters[LANES] : k;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, k = anypi_plan_blocks(call, parameters);
    const int lanes = lanes_of(parameters, k), longest = (k + lanes - 1) / lanes;
    const double rounds = (double) lanes * (anypi_log2_ceil((unsigned) p) + longest - 2) +
        k - lanes * (longest - 1);
    return anypi_blocks_cost(call, k, rounds, rounds);
}

/* Returns the cube root of a^3 + b^3 + c^3, by Newton's iteration from above: the longest of the
 * three times, and somewhat more if others are nearly as long. */
static double about_longest(double a, double b, double c)
{
    const double longest = anypi_fmax(a, anypi_fmax(b, c));
    const double sum = a * a * a + b * b * b + c * c * c;
    double root = 1.5 * longest;
    for (int i = 0; i < 8 && root > 0; i++)
        root = (2 * root + sum / (root * root)) / 3;
    return root;
}

/* A round takes as long as the slowest of three: the port; the processor, which often has both
 * overheads of the round; and a message of a lane with its reduction, for which the lane has the
 * rounds of all. As none of them is steady, a round is longer if two take about the same time.
 * Messages that do not wait for their receiver, and are longer than the processor needs for a
 * round, share ports, so that some are late. */
static double time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const anyp_cost form = cost(call, parameters);
    const double rounds = form.latencies > 0 ? form.latencies : 1;
    const double transfer = form.bytes_sent * model->beta / rounds;
    const double reduction = form.bytes_reduced * model->gamma / rounds;
    const double message = model->alpha + 2 * model->overhead + transfer + reduction;
    const int k = anypi_plan_blocks(call, parameters);
    const bool unpaced = k > 1 && anypi_block_bytes(call, k) <= ANYPI_UNPACED_BYTES;
    const double late = unpaced ? anypi_fmax(transfer - 2 * model->overhead - reduction, 0) : 0;
    return form.latencies * (about_longest(transfer, 1.25 * model->overhead + reduction,
                                           message / lanes_of(parameters, k)) + late / 10);
}

/* In a bcast, a rank sends a segment to several others in as many rounds of a lane. Of each message
 * a part is still in the port when the next one begins; so is a part of this one. */
static double unpaced_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const int k = anypi_plan_blocks(call, parameters);
    const double bytes = anypi_block_bytes(call, k), transfer = bytes * model->beta;
    const double levels = anypi_log2_ceil((unsigned) call->p);
    if (k == 1 || transfer <= model->overhead || bytes > ANYPI_UNPACED_BYTES)
        return 0;
    const double left = 1 - model->overhead / transfer;
    return lanes_of(parameters, k) * levels * (levels - 1) / 3 * left * left * transfer;
}

/* Two to four lanes, and four sizes of segments per octave. */
static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    enum { LEAST_LANES = 2, MOST_LANES = 4 };
    int count = 0;
    (void) model;
    (void) parameters;
    if (index == LANES)
        for (int lanes = LEAST_LANES; lanes <= MOST_LANES && (call->p > 2 || count == 0); lanes++)
            anypi_try(list, &count, call->p > 2 ? lanes : 1);
    else
        anypi_try_segments(call, list, &count);
    return count;
}

/* The state of making a plan. Processes are listed in ascending order. */
typedef struct state {
    int round;
    int *sent, *received;       /* per process: the last round in which the port was used */
    int senders, receivers;     /* processes whose port is free in this round */
    int *waiting;               /* of one segment: senders, or receivers, without a peer yet */
    anypi_planned *next;
} state;

/* The numbers of holders of a segment with only the sending port free, only the receiving one, or
 * both. */
typedef struct ports {
    int send, recv, both;
} ports;

static bool may_send(const state *s, int process)
{
    return s->sent[process] != s->round && process > 0;
}

static bool may_receive(const state *s, int process)
{
    return s->received[process] != s->round;
}

/* Divides those with both ports free: as many as possible join the smaller side. Returns how many
 * of them send, and how many receive. */
static ports divide(const state *s, const int *holders, int count)
{
    ports free = { 0 };
    for (int i = 0; i < count; i++) {
        const bool send = may_send(s, holders[i]), recv = may_receive(s, holders[i]);
        free.both += send && recv;
        free.send += send && !recv;
        free.recv += recv && !send;
    }
    const int lack = free.recv - free.send, size = lack < 0 ? -lack : lack;
    const int filled = size < free.both ? size : free.both, half = (free.both - filled) / 2;
    return (ports) { .recv = half + (lack < 0 ? filled : 0),
                     .send = half + (lack < 0 ? 0 : filled) };
}

/* Pairs holders of a segment as far as ports are free, each with the nearest below it that has no
 * peer yet; returns how many still hold it. */
static int pair_holders(state *s, int segment, int *holders, int count)
{
    ports both = divide(s, holders, count);
    int waiting = 0, pairs = 0, left = 0;
    bool they_send = false;
    for (int i = 0; i < count; i++) {
        const int process = holders[i];
        bool send = may_send(s, process), recv = may_receive(s, process);
        if (send && recv) {
            recv = both.recv > 0 && !(waiting > 0 && !they_send && both.send > 0);
            send = !recv && both.send > 0;
            both.recv -= recv;
            both.send -= send;
        }
        if (!send && !recv)
            continue;
        if (waiting == 0 || they_send == send) {
            they_send = send;
            s->waiting[waiting++] = process;
            continue;
        }
        const int other = s->waiting[--waiting], from = send ? process : other;
        const int to = send ? other : process;
        *s->next++ = (anypi_planned) { from, to, segment, s->round };
        s->sent[from] = -s->round;      /* a temporary mark */
        s->received[to] = s->round;
        pairs++;
    }
    s->senders -= pairs;
    s->receivers -= pairs;
    for (int i = 0; i < count; i++) {
        if (s->sent[holders[i]] < 0)
            s->sent[holders[i]] = s->round;
        else
            holders[left++] = holders[i];
    }
    return left;
}

anyp_status anypi_bi_greedy_plan(int p, int k, anypi_planned *messages)
{
    const size_t processes = (size_t) p, segments = (size_t) k;
    int *memory = anypi_realloc(NULL, ((3 + segments) * processes + segments) * sizeof *memory);
    if (!memory)
        return ANYP_ERR_MEMORY;
    int *left = memory + 3 * processes, *holders = left + segments;
    state s = { .sent = memory, .received = memory + processes, .waiting = memory + 2 * processes,
                .next = messages };
    for (int process = 0; process < p; process++)
        s.sent[process] = s.received[process] = 0;
    for (size_t i = 0; i < processes * segments; i++)
        holders[i] = (int) (i % processes);
    for (int j = 0; j < k; j++)
        left[j] = p;

    for (int begin = 0; begin < k;) {
        s.round++;
        s.senders = p - 1;
        s.receivers = p;
        for (int j = begin; j < k && s.senders > 0 && s.receivers > 0; j++)
            if (left[j] > 1)
                left[j] = pair_holders(&s, j, &holders[processes * (size_t) j], left[j]);
        while (begin < k && left[begin] == 1)
            begin++;
    }
    anypi_free(memory);
    return ANYP_SUCCESS;
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int k = anypi_plan_blocks(call, parameters);
    anypi_plan_generate(anypi_bi_greedy_plan, call, k, lanes_of(parameters, k), schedule);
}

const anyp_algorithm_code anypi_bi_greedy_code = {
    .summary = "operators that commute, medium vectors at any p: "
                "a pipeline with the fewest rounds",
    .source = "Lowery & Langou 2013, Algorithm 2",
    .blocks = anypi_plan_blocks,
    .cost = cost,
    .time = time,
    .unpaced_time = unpaced_time,
    .tries = tries,
    .generate = generate,
};
