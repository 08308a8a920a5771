/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uni_greedy - the best pipeline for processes that send or receive, not both at a time.
 *
 * The plan goes through the segments in order. Of the processes that still hold a segment, the two
 * that become free first form a pair: one sends, the other receives and reduces. The root never
 * sends. A process that has sent a segment continues with the next one. All processes follow one
 * plan, which is computed once for p processes and k segments (see plans.h).
 *
 *   p = 5, k = 2 segments A and B, a message takes 2 and a reduction 1; what begins when:
 *
 *     time    0      2      3      5      6      8      11       14
 *     A      1>0           4>0           3>0
 *            2>3
 *     B             1>2           4>2           3>2    2>0      done
 *
 * The plan depends slightly on the ratio of the times of a message and a reduction, alpha + beta*s
 * : gamma*s; the plan here is for 2 : 1, as in the paper's Figure 3. (For p up to 1000 and k up to
 * 256 it is at most 12 % slower than the plan for reductions that take no time, 7 % than that for 1
 * : 1, and 1 % on average.) With the best segments for each, it is never slower than binomial,
 * chain and binary_tree at all 1350 points of the paper's comparison; the points with tiny alpha
 * and many processes need more segments than are allowed here.
 *
 * Cost with k segments of s bytes, p > 2, the same half and full duplex: no formula is known.
 * cost() says x(alpha + beta*s) + y*gamma*s, for at most x messages and y reductions in a row:
 *   x = min(p-1 + 2(k-1), 1.75q + 2.5(k-1)),  y = q + k-1 + min(k-1 + q/3 + 1, 2.5p),
 * and q for k = 1 (then it is a binomial tree), k for p = 2. It is not proved that these are
 * bounds, and less than twice the time, but tested for every p to 1025 and nine larger ones to
 * 131072, with 14 values of k from 1 to 1000 (`make check-long`).
 * Plain copies: none. Scratch: up to two vectors.
 * Restrictions: operators that commute. At most max(1, 2^18 / p) segments.
 * Source: Lowery & Langou 2013, Algorithm 1 (section V), proven to be optimal for given segments
 * that every process handles in order. There the plan is made for the given alpha, beta and gamma.
 */
#include "algorithms/uni_greedy.h"

#include "algorithms/registry.h"
#include "algorithms/shared/plans.h"
#include "algorithms/shared/segments.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"

/* The times of a message and of a reduction in plans. */
enum { COMM = 2, COMP = 1 };

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, k = anypi_plan_blocks(call, parameters);
    const double q = anypi_log2_ceil((unsigned) p), more = k - 1;
    double messages = q, reductions = q;
    if (p == 2)
        messages = reductions = k;
    else if (k > 1) {
        messages = anypi_fmin(p - 1 + 2 * more, 1.75 * q + 2.5 * more);
        reductions = q + more + anypi_fmin(more + q / 3 + 1, 2.5 * p);
    }
    return anypi_blocks_cost(call, k, messages, reductions);
}

void anypi_uni_greedy_segment(anypi_waiting *waiting, anypi_waiting *room, int p, double comm,
                              double comp, anypi_pairing pairing, void *state)
{
    /* Receivers become free in the order of pairing, and so do senders: two sorted queues. Senders
     * take the space of those that no longer wait. */
    int next = 0, received = 0, receivers = 0;
    for (int pairs = 0; pairs < p - 1; pairs++) {
        anypi_waiting two[2];
        for (int i = 0; i < 2; i++)
            two[i] = received == receivers ||
                (next < p && waiting[next].free <= room[received].free) ? waiting[next++] :
                room[received++];
        const int sender = two[0].process == 0;
        const double start = two[1].free;
        const anypi_waiting from = { start + comm, two[sender].process };
        const anypi_waiting to = { start + comm + comp, two[1 - sender].process };
        waiting[pairs] = from;
        room[receivers++] = to;
        if (pairing)
            pairing(state, from.process, to.process);
    }
    waiting[p - 1] = next < p ? waiting[next] : room[received];
}

typedef struct writer {
    anypi_planned *next;
    int segment, round;
} writer;

static void write_message(void *state, int from, int to)
{
    writer *w = state;
    *w->next++ = (anypi_planned) { from, to, w->segment, w->round++ };
}

anyp_status anypi_uni_greedy_plan(int p, int k, anypi_planned *messages)
{
    writer w = { messages, 0, 0 };
    anypi_waiting *waiting = anypi_realloc(NULL, 2 * (size_t) p * sizeof *waiting);
    if (!waiting)
        return ANYP_ERR_MEMORY;
    for (int process = 0; process < p; process++)
        waiting[process] = (anypi_waiting) { 0, process };
    for (; w.segment < k; w.segment++)
        anypi_uni_greedy_segment(waiting, waiting + p, p, COMM, COMP, write_message, &w);
    anypi_free(waiting);
    return ANYP_SUCCESS;
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    anypi_plan_generate(anypi_uni_greedy_plan, call, anypi_plan_blocks(call, parameters), 1,
                        schedule);
}

const anyp_algorithm_code anypi_uni_greedy_code = {
    .summary = "operators that commute: the best pipeline for half-duplex ports",
    .source = "Lowery & Langou 2013, Algorithm 1",
    .blocks = anypi_plan_blocks,
    .cost = cost,
    .generate = generate,
};
