/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ring - each rank receives the operands of its own block: optimal volume at any p, and p-1 rounds.
 *
 * partners=all: in the reduce-scatter, for s = 1 .. p-1 (all modulo p), rank r sends block r+s to
 * rank r+s, receives its own block from rank r-s, and adds it to its sum. An allreduce then sends
 * the sums around the ring, to the next rank in each round. In a reduce, all ranks send their sums
 * to the root. With k ports, a round has k strides s, and the sums go to the next k ranks. An
 * alltoall has the messages of the reduce-scatter, of two rounds at a time (direct.h); a gather,
 * those of a reduce to its root.
 *
 * p = 5, what rank 0 sends and receives, block:rank, and its sum after that:
 *
 *   1 port                               2 ports
 *   1   1:1   0:4   0+4                  1   1:1 2:2   0:4 0:3   0+4+3
 *   2   2:2   0:3   0+4+3                2   3:3 4:4   0:2 0:1   0+4+3+2+1
 *   3   3:3   0:2   0+4+3+2              3   0:1 0:2   4:4 3:3
 *   4   4:4   0:1   0+4+3+2+1            4   3:1 3:2   2:4 1:3
 *   5   0:1   4:4
 *   6   4:1   3:4
 *   7   3:1   2:4
 *   8   2:1   1:4
 *
 * partners=neighbours: the reduce-scatter also goes around the ring. In each round, a rank sends
 * its latest partial sum to the next rank, receives the partial sum of another block from the
 * previous rank, and adds its own operand. The ring follows the machine: ranks of a node are
 * neighbours, and so are nodes at a switch. So each node, and each switch, sends one message at a
 * time to others and receives one, whatever the sizes of nodes. With k ports (8 at most), a block
 * is cut into k segments, each with rounds of its own, so that several segments travel at a time.
 *
 * Nodes {0, 2, 4} and {1, 3}, so that the ring is 0 2 4 1 3; rank 0 as above, and the sum that it
 * has after the round:
 *
 *   1   3:2   1:3   block 1: 3+0
 *   2   1:2   4:3   block 4: 1+3+0
 *   3   4:2   2:3   block 2: 4+1+3+0
 *   4   2:2   0:3   block 0: 2+4+1+3+0
 *   5   0:2   3:3   (allreduce)
 *   6   3:2   1:3
 *   7   1:2   4:3
 *   8   4:2   2:3
 *
 * Cost with k ports (p-1 at most: direct exchange), R = ceil((p-1)/k) and equal blocks:
 * reduce-scatter R*alpha + (1-1/p)m*(beta + gamma); reduce and allreduce R*alpha + (1-1/p)m*beta
 * more; alltoall and gather as the reduce-scatter. Each phase has 2(p-1) overheads. Reached for
 * every p; two rounds of an alltoall overlap. Neighbours: k(p-1) rounds per phase, of which k
 * overlap, and 2k(p-1) overheads.
 * Blocks of any sizes are served, but the cost is that of equal ones.
 * Plain copies: none; in place, a reduce-scatter copies its block; alltoall and gather copy the
 * block that stays at its rank. Scratch: k blocks, and one for the sum where OUT cannot have it
 * (reduce off the root, reduce-scatter in place); one less if there is one round only and the call
 * is not in place. With neighbours one vector at most, and nothing in an allreduce that is not in
 * place.
 * Restrictions: commutative operators only, since sums begin with the operand of any rank.
 * Source: Rabenseifner 2004, section 3.7; the ports are not in the paper. Neighbours: Patarasuk &
 * Yuan 2009, whose ring follows the switches of a cluster.
 */
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/direct.h"
#include "algorithms/shared/rooted.h"
#include "algorithms/shared/values.h"

#include "schedule/shape.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/collectives.h"

#include <limits.h>

enum { PORTS, PARTNERS };       /* indices of the parameters */

enum { ALL, NEIGHBOURS };       /* values of partners */

/* Do partial sums go around the ring? */
static bool sums_go_round(const anyp_call *call, const int *parameters)
{
    return parameters[PARTNERS] == NEIGHBOURS &&
        (call->collective == ANYP_ALLREDUCE || anypi_scatters(call));
}

/* Messages of a round: k, limited by the number of other ranks, and by an int that must number the
 * cells. */
static int ports_of(const anyp_call *call, const int *parameters)
{
    const int others = call->p > 1 && !sums_go_round(call, parameters) ? call->p - 1 : 1;
    const int maximum = others < INT_MAX / call->p ? others : INT_MAX / call->p;
    return parameters[PORTS] < maximum ? parameters[PORTS] : maximum;
}

/* Segments of a block that follow each other around the ring: the ports of neighbours. */
static int segments_of(const anyp_call *call, const int *parameters)
{
    const int most = anypi_min(ANYP_MAX_OVERLAP + 1, INT_MAX / call->p);
    return sums_go_round(call, parameters) ? anypi_min(parameters[PORTS], most) : 1;
}

static int blocks(const anyp_call *call, const int *parameters)
{
    return call->p * segments_of(call, parameters);
}

/* Is the rank's operand in OUT? */
static bool operand_in_out(const anyp_call *call)
{
    return call->in_place && !anypi_scatters(call);
}

/* Can OUT hold the rank's sum from the beginning? */
static bool sum_in_out(const anyp_call *call)
{
    return call->collective == ANYP_REDUCE ? call->rank == call->root
        : !(anypi_scatters(call) && call->in_place);
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, ports = ports_of(call, parameters);
    const int rounds = (p - 1) / ports + ((p - 1) % ports > 0);
    const double block = anypi_block_bytes(call, p);
    const bool two = call->collective == ANYP_REDUCE || call->collective == ANYP_ALLREDUCE;
    const double phases = two ? 2 : 1, others = p - 1;
    const double segments = segments_of(call, parameters);
    return (anyp_cost) { .latencies = phases * rounds * segments,
                         .bytes_sent = phases * others * block,
                         .bytes_reduced = others * block,
                         .overheads = 2 * phases * others * segments };
}

/* The closed form of neighbours. A sum passes nearly every boundary of nodes and switches once, so
 * it has their mean latency in a round; the slowest link, which no other message uses, limits the
 * rate. While a segment travels, others do, and the processor works. */
static double neighbours_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    anyp_model mean = *model;
    const anyp_shape *nodes = model->nodes;
    if (nodes) {
        const int between = nodes->count > 1 ? nodes->count : 0;
        double latencies = (call->p - between) * model->inside_alpha + between * model->alpha;
        mean.beta = anypi_fmax(nodes->count < call->p ? model->inside_beta : 0,
                               between > 0 ? model->beta : 0);
        double below = model->alpha;
        int h = 0;
        for (const anyp_shape *above = nodes->above; above; above = above->above, h++) {
            latencies += above->count * (model->above[h].alpha - below);
            below = model->above[h].alpha;
            mean.beta = anypi_fmax(mean.beta, model->above[h].beta);
        }
        mean.alpha = latencies / call->p;
    }
    const anyp_cost all = cost(call, parameters);
    const double segments = segments_of(call, parameters), bytes = all.bytes_sent * mean.beta;
    const double reduction = all.bytes_reduced * mean.gamma, work = all.overheads * mean.overhead;
    const double one = (all.latencies * mean.alpha + bytes + reduction + work) / segments;
    return anypi_fmax(one, anypi_overlapped(0, reduction + work, bytes));
}

static double time_of(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const int ports = ports_of(call, parameters), others = call->p - 1;
    if (sums_go_round(call, parameters))
        return neighbours_time(call, parameters, model);
    if (call->collective != ANYP_GATHER && call->collective != ANYP_SCATTER) {
        const anyp_cost all = cost(call, parameters);
        anyp_model spread = *model;
        if (model->nodes) {     /* neighbours were asked for, but the collective has none */
            spread = anypi_shared_model(model, call->p);
            spread = anypi_spread_model(&spread, call->p);
        }
        return call->collective == ANYP_ALLTOALL ? anypi_direct_time(all, &spread)
            : anypi_expected_time(all, &spread);
    }
    const double block = anypi_block_bytes(call, call->p);
    const double inside = model->nodes ? (anypi_shape_mean(model->nodes) - 1) * block : 0;
    const double rounds = (double) anypi_divide_up(others, ports);
    const anypi_fan fan = { others, others * block - inside, inside, block };
    return anypi_fmax(rounds - 1, 0) * model->alpha + anypi_fan_time(call, model, fan);
}

static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    (void) model;
    int count = 0;
    if (index == PARTNERS) {
        const int neighbours[] = { [PARTNERS] = NEIGHBOURS };
        const anyp_shape *nodes = call->nodes;
        anypi_try(list, &count, ALL);
        /* where all nodes are the same, exchange is as fast, and in fewer rounds */
        if (nodes && (nodes->spans_count > 1 || nodes->above) && sums_go_round(call, neighbours))
            anypi_try(list, &count, NEIGHBOURS);
    } else if (index == PORTS && sums_go_round(call, parameters)) {
        for (int segments = 3; segments >= 1; segments--)   /* of equal times, the first */
            anypi_try(list, &count, segments);
    } else if (index == PORTS && call->collective == ANYP_ALLTOALL) {
        anypi_try(list, &count, anypi_direct_ports(call));
    }
    return count;
}

/* The destination of message i of a round: the rank's own block in copy i of the vector. */
static anyp_slice cell(const anyp_call *call, int i)
{
    const int buffer = sum_in_out(call) ? ANYP_SCRATCH : ANYP_SCRATCH + 1;
    return anypi_block(buffer, i * call->p + call->rank);
}

/* Scratch has the sum, if OUT cannot hold it, and cells of one block each. */
static void reduce_scatter(const anyp_call *call, int ports, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank;
    const int operands = operand_in_out(call) ? ANYP_OUT : ANYP_IN;
    const anyp_slice sum = anypi_block(sum_in_out(call) ? ANYP_OUT : ANYP_SCRATCH, rank);

    if (p > 1)
        anypi_scratch_window(schedule, cell(call, 0).buffer, rank, rank + 1);
    for (int first = 1, strides; first < p; first += strides) {
        strides = ports < p - first ? ports : p - first;
        /* the first operand is received into the sum, and the own one is added to it */
        const bool begins = first == 1 && operands != ANYP_OUT;
        anypi_round(schedule);
        for (int i = 0; i < strides; i++) {
            const int to = anypi_mod(rank + first + i - p, p);
            const int from = anypi_mod(rank - first - i, p);
            anypi_send(schedule, to, anypi_block(operands, to));
            anypi_recv(schedule, from, begins && i == 0 ? sum : cell(call, i));
        }
        for (int i = 0; i < strides; i++)
            anypi_reduce(schedule,
                         begins && i == 0 ? anypi_block(operands, rank) : cell(call, i), sum);
    }
    if (p == 1 && operands != ANYP_OUT)
        anypi_copy(schedule, anypi_block(operands, rank), anypi_block(ANYP_OUT, rank));
    else if (p > 1 && anypi_scatters(call) && !sum_in_out(call))
        anypi_copy(schedule, sum, anypi_block(ANYP_OUT, rank));
}

/* The root receives the blocks of the others, which they have in `own`. */
static void gather_to_root(const anyp_call *call, int ports, int own, anyp_schedule *schedule)
{
    const int p = call->p;
    anypi_round(schedule);
    if (call->rank != call->root) {
        anypi_send(schedule, call->root, anypi_block(own, call->rank));
        return;
    }
    for (int i = 1; i < p; i++) {
        const int from = anypi_mod(call->root + i - p, p);
        if (i % ports == 1 % ports)
            anypi_round(schedule);
        anypi_recv(schedule, from, anypi_block(ANYP_OUT, from));
    }
}

/* The next ranks get the sum that came last from the farthest of the previous ranks. */
static void gather_everywhere(const anyp_call *call, int ports, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank;
    for (int done = 0, strides; done < p - 1; done += strides) {
        strides = ports < p - 1 - done ? ports : p - 1 - done;
        const int block = anypi_mod(rank - done, p);
        anypi_round(schedule);
        for (int stride = 1; stride <= strides; stride++) {
            const int from = anypi_mod(rank - stride, p);
            anypi_send(schedule, anypi_mod(rank + stride - p, p), anypi_block(ANYP_OUT, block));
            anypi_recv(schedule, from, anypi_block(ANYP_OUT, anypi_mod(from - done, p)));
        }
    }
}

/* The rank at a position of the ring, modulo p; position >= -p. */
static int rank_at(const anyp_call *call, int position)
{
    const int at = anypi_mod(position, call->p);
    return call->nodes ? anypi_shape_rank(call->nodes, at) : at;
}

/* One rank's view of the ring. */
typedef struct neighbours {
    const anyp_call *call;
    int segments;
    int position;               /* of the rank */
    int next, previous;
} neighbours;

/* A segment of the block of the rank that is `distance` positions before this one. */
static anyp_slice segment_of(const neighbours *n, int buffer, int distance, int segment)
{
    return anypi_block(buffer, rank_at(n->call, n->position - distance) * n->segments + segment);
}

static anyp_slice own_block(const neighbours *n, int buffer)
{
    const int first = n->call->rank * n->segments;
    return anypi_slice(buffer, first, first + n->segments);
}

/* Sums of blocks are in OUT in an allreduce, and in scratch in a reduce-scatter, but the last one
 * in OUT if it can be. */
static void reduce_around(const neighbours *n, int round, int segment, anyp_schedule *schedule)
{
    const anyp_call *call = n->call;
    const bool begins_in_out = operand_in_out(call);
    const int operands = begins_in_out ? ANYP_OUT : ANYP_IN;
    const int sums = anypi_scatters(call) ? ANYP_SCRATCH : ANYP_OUT;
    const bool ends = round == call->p - 1 && sum_in_out(call);
    const anyp_slice operand = segment_of(n, operands, round + 1, segment);
    const anyp_slice received = segment_of(n, begins_in_out ? ANYP_SCRATCH : ends ? ANYP_OUT : sums,
                                           round + 1, segment);
    anypi_round(schedule);
    anypi_send(schedule, n->next, segment_of(n, round == 1 ? operands : sums, round, segment));
    anypi_recv(schedule, n->previous, received);
    if (begins_in_out)
        anypi_reduce(schedule, received, operand);
    else
        anypi_reduce(schedule, operand, received);
}

/* Each rank passes on the result that it received last. */
static void gather_around(const neighbours *n, int round, int segment, anyp_schedule *schedule)
{
    anypi_round(schedule);
    anypi_send(schedule, n->next, segment_of(n, ANYP_OUT, round - 1, segment));
    anypi_recv(schedule, n->previous, segment_of(n, ANYP_OUT, round, segment));
}

static void all_around(const anyp_call *call, int segments, anyp_schedule *schedule)
{
    const int p = call->p, phases = call->collective == ANYP_ALLREDUCE ? 2 : 1;
    neighbours n = {
        .call = call, .segments = segments,
        .position = call->nodes ? anypi_shape_position(call->nodes, call->rank) : call->rank,
    };
    n.next = rank_at(call, n.position + 1 - p);
    n.previous = rank_at(call, n.position - 1);

    anypi_schedule_overlap(schedule, segments - 1);
    for (int phase = 0; phase < phases; phase++)
        for (int round = 1; round < p; round++)
            for (int segment = 0; segment < segments; segment++)
                (phase == 0 ? reduce_around : gather_around)(&n, round, segment, schedule);
    if (p == 1 && !operand_in_out(call))
        anypi_copy(schedule, own_block(&n, ANYP_IN), own_block(&n, ANYP_OUT));
    else if (p > 1 && !sum_in_out(call))
        anypi_copy(schedule, own_block(&n, ANYP_SCRATCH), own_block(&n, ANYP_OUT));
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int ports = ports_of(call, parameters), rank = call->rank;
    if (call->collective == ANYP_GATHER) {
        gather_to_root(call, ports, ANYP_IN, schedule);
        if (rank == call->root && !call->in_place)
            anypi_copy(schedule, anypi_block(ANYP_IN, rank), anypi_block(ANYP_OUT, rank));
        return;
    }
    if (call->collective == ANYP_ALLTOALL) {
        anypi_direct_exchange(call, ports, schedule);
        return;
    }
    if (sums_go_round(call, parameters)) {
        all_around(call, segments_of(call, parameters), schedule);
        return;
    }
    reduce_scatter(call, ports, schedule);
    if (call->collective == ANYP_REDUCE)
        gather_to_root(call, ports, ANYP_SCRATCH, schedule);
    else if (call->collective == ANYP_ALLREDUCE)
        gather_everywhere(call, ports, schedule);
}

const anyp_algorithm_code anypi_ring_code = {
    .summary = "operators that commute: the least volume at any p, for few ranks or many ports",
    .source = "Rabenseifner 2004, section 3.7; Patarasuk & Yuan 2009",
    .blocks = blocks,
    .cost = cost,
    .time = time_of,
    .tries = tries,
    .generate = generate,
};
