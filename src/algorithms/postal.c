/* SPDX-License-Identifier: BSD-3-Clause
 *
 * postal - reduce by the tree that needs the fewest steps where messages overlap.
 *
 * In the model, a message takes `lag` steps, and a rank can receive one message in each step. A
 * tree of t steps has at most P(t) = P(t-1) + P(t-lag) ranks, or 1 rank if t < lag: its last
 * message comes from the leader of a tree of t - lag steps, and the messages before it form a tree
 * of t-1 steps. For p ranks, t is the minimum with P(t) >= p. The tree of t-1 steps is full, and
 * the leader of the last message has the other p - P(t-1) ranks.
 *
 * Each subtree is a range of ranks, led by the lowest. The root may be any rank: from the last
 * message to the first, a subtree is placed to the left of the root if it fits there, else to the
 * right. A subtree has at most one rank more than all following ones together. So both sides become
 * full, and any root has the sum in rank order after t steps. A rank posts all receives in one
 * round, so they overlap, in any order of the messages.
 *
 *   p = 8, root 2, lag = 3 (t = 7):   1 to 0, 7 to 6;   3, 4, 5, 6, 0 to 2 (in steps 3 to 7, in
 *                                     this order, in the model)
 *
 * Cost: D*alpha + M*m*(beta + gamma). D is the depth, floor(t/lag) if p = P(t) and else at most one
 * less; M is the number of messages to the leaders of the worst path, at most the sum of the
 * positive ones of t - i*lag + 1, i = 1, 2, ... Exact for every p and root. It is more than the t
 * steps: in the cost model a round starts when all its messages can.
 * Plain copies: none if the operator commutes. Else one of m at the root: if it is the last rank
 * and not in place (its input is the right operand then), or if it is another one and in place.
 * Scratch: m for each message to a rank, t - lag + 1 at most; one fewer at the root if not in
 * place.
 * Restrictions: none, any p, root and operator. (An allreduce that sent the result back would take
 * twice the time; others are faster.)
 * Source: Bar-Noy & Kipnis 1992 (postal model; the recurrence, for a broadcast); Karp, Sahay,
 * Santos & Schauser 1993 (LogP: the best reduction is the best broadcast backwards). Differs from
 * them in the ranges, any root, and the case that p is less than P(t).
 */
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/values.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"

enum { LAG };                   /* indices of the parameters */

/* INT_MAX ranks are reached in 478 steps if the lag is 64, the maximum. */
enum { MAXIMUM_STEPS = 480 };

/* P(0), P(1), ... up to P(steps) >= p. */
typedef struct reach {
    int lag, steps;
    int64_t ranks[MAXIMUM_STEPS];
} reach;

/* Ranks first .. end-1, and the one that sends their sum. */
typedef struct subtree {
    int first, end, leader;
} subtree;

/* One rank's part: it receives the sums of its children, and sends its own. */
typedef struct part {
    const anyp_call *call;
    int parent;                 /* -1: it is the root */
    int count;
    int direct;                 /* the child whose sum is received into OUT; -1: none */
    subtree children[MAXIMUM_STEPS];   /* the last message first */
} part;

static void begin(reach *r, int lag, int p)
{
    r->lag = lag;
    r->steps = 0;
    r->ranks[0] = 1;
    while (r->ranks[r->steps] < p) {
        const int next = ++r->steps;
        r->ranks[next] = r->ranks[next - 1] + (next < lag ? 0 : r->ranks[next - lag]);
    }
}

/* The number of steps of a tree of that many ranks. */
static int steps_of(const reach *r, int ranks)
{
    int steps = r->steps;
    while (steps > 0 && r->ranks[steps - 1] >= ranks)
        steps--;
    return steps;
}

/* The number of messages to the leader of a tree of that many steps. */
static int messages_of(const reach *r, int steps)
{
    return steps < r->lag ? 0 : steps - r->lag + 1;
}

/* Sets *depth and *messages to the maximum of all paths to the root. Those of a tree are its last
 * child's, or those of the full tree before, whose last messages come from full trees too. */
static void longest_path(const reach *r, int p, int *depth, int *messages)
{
    int hops = 0, received = 0;
    *depth = *messages = 0;
    for (int ranks = p, steps; ranks > 1; ranks -= (int) r->ranks[steps - 1]) {
        steps = steps_of(r, ranks);
        received += messages_of(r, steps);
        hops++;
        int d = hops, m = received;
        for (int full = steps - 1 - r->lag; full >= r->lag; full -= r->lag) {
            m += messages_of(r, full);
            d++;
        }
        *depth = d > *depth ? d : *depth;
        *messages = m > *messages ? m : *messages;
    }
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const double bytes = anypi_block_bytes(call, 1);
    reach r;
    int depth, messages;
    begin(&r, parameters[LAG], call->p);
    longest_path(&r, call->p, &depth, &messages);
    return (anyp_cost) { .latencies = depth,
                         .bytes_sent = messages * bytes,
                         .bytes_reduced = messages * bytes,
                         .overheads = 2 * messages };
}

/* A step is what a message occupies of the receiver's port and processor, or the share of a
 * message's time for which it is a step; `message` becomes that time. */
static double step_time(double bytes, int lag, const anyp_model *model, double *message)
{
    const double port = bytes * model->beta;
    *message = model->alpha + 2 * model->overhead + port;
    return anypi_fmax(anypi_overlapped(0, model->overhead, port), *message / lag);
}

/* The time in the postal model. On nodes, where subtrees begin and end anywhere, the steps that a
 * tree of two leaders a node needs have messages between nodes. A rank reduces after its last
 * message. */
static double paced_time(const anyp_call *call, const int *parameters, const anyp_model *model,
                         double *unpaced)
{
    const anyp_model inside = anypi_inside_model(model);
    const double bytes = anypi_block_bytes(call, 1), port = bytes * model->beta;
    const int lag = parameters[LAG];
    const int leaders = model->nodes ? anypi_min(2 * model->nodes->count, call->p) : call->p;
    reach r;
    int depth, messages;
    double far, near;
    begin(&r, lag, call->p);
    longest_path(&r, call->p, &depth, &messages);
    const int steps = steps_of(&r, call->p), far_steps = steps_of(&r, leaders);
    const double paced = far_steps * step_time(bytes, lag, model, &far) +
        (steps - far_steps) * step_time(bytes, lag, &inside, &near) +
        messages * bytes * model->gamma;
    /* the first message of a rank goes to one that sends `lag` messages fewer */
    double all = steps > 0 ? depth * (far_steps * far + (steps - far_steps) * near) / steps : 0;
    for (int others = far_steps - lag; others > 0; others -= lag) {
        const anypi_sends rounds[] = { { 1, port }, { others, port } };
        all += anypi_unpaced_time(rounds, 2, 2, model);
    }
    *unpaced = anypi_fmax(all - paced, 0);
    return paced;
}

static double time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    double unpaced;
    return paced_time(call, parameters, model, &unpaced);
}

static double unpaced_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    double unpaced;
    paced_time(call, parameters, model, &unpaced);
    return unpaced;
}

/* All small lags, then some. */
static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    enum { MOST = 64 };
    int count = 0;
    (void) call;
    (void) model;
    (void) parameters;
    (void) index;
    for (int lag = 1; lag <= MOST; lag += lag < 12 ? 1 : lag / 8)
        anypi_try(list, &count, lag);
    return count;
}

/* The children of a tree's leader. */
static void split(part *mine, const reach *r, subtree tree)
{
    const int ranks = tree.end - tree.first, steps = steps_of(r, ranks);
    mine->count = 0;
    for (int i = steps - r->lag; i >= 0; i--) {
        const int size = (int) (i < steps - r->lag ? r->ranks[i] : ranks - r->ranks[steps - 1]);
        const bool left = size <= tree.leader - tree.first;
        const int first = left ? tree.first : tree.end - size;
        mine->children[mine->count++] = (subtree) { first, first + size, first };
        tree.first += left ? size : 0;
        tree.end -= left ? 0 : size;
    }
}

/* Follows the tree from the root to the call's rank. */
static void find_part(part *mine, const anyp_call *call, int lag)
{
    reach r;
    subtree tree = { 0, call->p, call->root };
    mine->call = call;
    mine->parent = mine->direct = -1;
    begin(&r, lag, call->p);
    split(mine, &r, tree);
    while (tree.leader != call->rank) {
        int i = 0;
        while (call->rank < mine->children[i].first || call->rank >= mine->children[i].end)
            i++;
        mine->parent = tree.leader;
        tree = mine->children[i];
        split(mine, &r, tree);
    }
    if (call->rank != call->root || call->in_place)
        return;
    /* the last right operand: the farthest of the higher ranks, else the nearest */
    for (int i = mine->count - 1; i >= 0; i--)
        if (mine->children[i].first > call->rank || (mine->direct < 0 && call->commutative))
            mine->direct = i;
}

/* The slice where child i's sum is received. */
static anyp_slice cell(const part *mine, int i)
{
    return i == mine->direct ? anypi_block(ANYP_OUT, 0)
        : anypi_block(ANYP_SCRATCH, i - (mine->direct >= 0 && i > mine->direct));
}

/* Adds the children's sums to the rank's input: the higher ones, then the lower ones, always the
 * nearest first. Returns where the sum is. */
static anyp_slice add_up(const part *mine, anyp_slice sum, anyp_schedule *schedule)
{
    const bool commutative = mine->call->commutative;
    for (int i = mine->count - 1; i >= 0; i--) {
        const anyp_slice other = cell(mine, i);
        if (mine->children[i].first < mine->call->rank)
            continue;
        if (commutative && sum.buffer == ANYP_OUT) {
            anypi_reduce(schedule, other, sum);     /* operands are exchanged */
        } else {
            anypi_reduce(schedule, sum, other);
            sum = other;
        }
    }
    for (int i = mine->count - 1; i >= 0; i--) {
        const anyp_slice other = cell(mine, i), out = anypi_block(ANYP_OUT, 0);
        if (mine->children[i].first > mine->call->rank)
            continue;
        if (sum.buffer == ANYP_IN && commutative) {
            anypi_reduce(schedule, sum, other);
            sum = other;
            continue;
        }
        if (sum.buffer == ANYP_IN) {
            anypi_copy(schedule, sum, out);
            sum = out;
        }
        anypi_reduce(schedule, other, sum);
    }
    return sum;
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const bool starts_out = call->in_place && call->rank == call->root;
    part mine;
    find_part(&mine, call, parameters[LAG]);
    anypi_round(schedule);
    for (int i = mine.count - 1; i >= 0; i--)
        anypi_recv(schedule, mine.children[i].leader, cell(&mine, i));
    const anyp_slice input = anypi_block(starts_out ? ANYP_OUT : ANYP_IN, 0);
    const anyp_slice sum = add_up(&mine, input, schedule);
    if (mine.parent >= 0) {
        anypi_round(schedule);
        anypi_send(schedule, mine.parent, sum);
    } else if (sum.buffer != ANYP_OUT) {
        anypi_copy(schedule, sum, anypi_block(ANYP_OUT, 0));
    }
}

const anyp_algorithm_code anypi_postal_code = {
    .summary = "short vectors, any operator and root: the fewest steps if messages overlap",
    .source = "Bar-Noy & Kipnis 1992; Karp, Sahay, Santos & Schauser 1993",
    .blocks = anypi_one_block,
    .cost = cost,
    .time = time,
    .unpaced_time = unpaced_time,
    .tries = tries,
    .generate = generate,
};
