/* SPDX-License-Identifier: BSD-3-Clause
 *
 * chain - large vectors on few ranks: segments pass from rank to rank, and each rank adds its own.
 *
 * If the root is rank 0, segments flow from rank p-1 down to it. A rank receives the sum of all
 * higher ranks, and its own input is the left operand. Any other root sends its input around a
 * cycle: down to rank 0, then from root+1 up to p-1, and back to the root. The sum is always one of
 * neighbouring ranks, so the order is canonical. No rank sends or receives a segment twice, and
 * there is only one more round. In a round, a rank receives a segment and sends the previous one.
 *
 *   p = 4, root 1, k = 2 segments A and B; what a rank receives:
 *
 *     round   rank 0     rank 2           rank 3               rank 1
 *       1     A 0+1
 *       2     B 0+1      A (0+1)+2
 *       3                B (0+1)+2        A ((0+1)+2)+3
 *       4                                 B ((0+1)+2)+3        A
 *       5                                                      B
 *
 * In a scan or exscan, segments flow from rank 0 up to p-1. A rank receives the sum of all lower
 * ranks, which is the result of an exscan. It adds its own input, which gives the result of a scan,
 * and sends this sum. So any operator is applied from the left, for any size. With many segments, a
 * rank sends a segment `lag` rounds after it has received it. Then `lag` rounds overlap, so that a
 * port is not idle during the latency of each message. A larger lag would delay the first segment.
 *
 * Cost with k segments of s bytes and h = p-1 hops if the root is 0, else h = p:
 * (h+k-1)(alpha + s*beta) + (p+k-2)*s*gamma, reached for every p, k and root if segments are equal.
 * Scans with lag l and r = (p-2)l + k: r(alpha + s*beta) + r*s*gamma; of an exscan (r-l)*s*gamma.
 * Half duplex, root 0: (p-1)(alpha + s*beta + s*gamma) + (k-1)(2(alpha + s*beta) + s*gamma).
 * Plain copies: none if the operator commutes. Else ranks above a root other than 0 copy their
 * input (they are right operands there), and so does a root 0 in place with the result.
 * Scratch: the vector; twice that for ranks that copy. In scans both are one vector at most.
 * Restrictions: none.
 * Source: Lowery & Langou 2013, section IV (their pipeline), Tables I and III; there the root is 0.
 */
#include "algorithms/cost_model.h"
#include "algorithms/fitted.h"
#include "algorithms/registry.h"
#include "algorithms/shared/segments.h"
#include "algorithms/shared/values.h"

#include "schedule/collectives.h"

/* ---- scans ---- */

enum { MANY = 16, LAG = 3 };

/* Rounds from the one in which a rank receives a segment to that in which it sends the sum. */
static int lag_of(int k)
{
    return k < MANY ? 1 : LAG;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, k = anypi_segment_blocks(call, parameters);
    if (anypi_is_prefix(call->collective) && p > 1) {
        const double rounds = (p - 2.0) * lag_of(k) + k;
        return anypi_blocks_cost(call, k, rounds, call->collective == ANYP_SCAN ? rounds
                                 : p > 2 ? rounds - lag_of(k) : 0);
    }
    const int hops = call->root > 0 ? p : p - 1;
    return anypi_blocks_cost(call, k, hops + k - 1, p + k - 2);
}

/* Of a scan. After the first segment, the others follow as fast as the slowest of three: the port;
 * the processor, with both overheads and the reduction; and the messages of one receiver, of which
 * at most `lag` are under way. With a lag of 1, a message travels while the receiver reduces the
 * previous one, unless its sender must wait for the receiver. If the port is the slowest, segments
 * queue there, and each hop takes longer. */
static double time_of(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const int k = anypi_segment_blocks(call, parameters), lag = lag_of(k);
    const anyp_cost all = cost(call, parameters);
    if (!anypi_is_prefix(call->collective) || call->p == 1)
        return anypi_expected_time(all, model);
    const double bytes = anypi_block_bytes(call, k), transfer = bytes * model->beta;
    const double reduction = all.bytes_reduced > 0 ? bytes * model->gamma : 0;
    /* of two ranks, one sends and one receives */
    const double processor = (call->p > 2 ? 2 : 1) * model->overhead + reduction;
    const double alone = model->alpha + 2 * model->overhead + transfer + reduction;
    const double busy = anypi_fmax(transfer, processor);
    double first = (call->p - 1) * alone, message = alone / lag;
    if (call->collective == ANYP_EXSCAN)
        first -= reduction;     /* the last rank adds nothing */
    if (lag == 1 && bytes <= ANYPI_UNPACED_BYTES)
        message -= model->overhead + reduction;
    if (lag > 1)
        first += (call->p - 2) * ANYPI_CHAIN_DELAY *
            anypi_fmax(lag * transfer - anypi_fmax(alone, lag * processor), 0);
    return first + (k - 1) * anypi_fmax(busy, message);
}

/* In scans, also the segment that neither overheads nor the latency of the lag delay. */
static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    int count = 0;
    (void) parameters;
    if (!anypi_is_prefix(call->collective) || index > 0)
        return 0;
    const double overheads = 2 * model->overhead, most = (double) INT32_MAX;
    const double transfer = anypi_fmax(overheads, (model->alpha + overheads) / (LAG - 1));
    if (transfer >= model->beta && transfer <= most * model->beta && model->beta > 0)
        anypi_try(list, &count, (int64_t) (transfer / model->beta));
    anypi_try_segments(call, list, &count);
    return count;
}

/* A round of a rank whose input is the right operand and must not be written. */
static void reduce_right(const anyp_call *call, int j, anyp_schedule *schedule)
{
    const anyp_slice sum = anypi_block(ANYP_SCRATCH, j);
    if (call->commutative) {
        anypi_segment_reduce(call, j, false, schedule);
        return;
    }
    anypi_copy(schedule, anypi_block(ANYP_IN, j), sum);
    anypi_reduce(schedule, anypi_block(ANYP_SCRATCH + 1, j), sum);
}

/* A rank between two others of the path, or root 0 at its end. */
static void pass_on(const anyp_call *call, int from, int to, int k, anyp_schedule *schedule)
{
    const bool right = call->root > 0 && call->rank > call->root;
    for (int j = 0; j <= k; j++) {
        anypi_round(schedule);
        if (j > 0 && to >= 0)
            anypi_segment_send(call, to, j - 1, true, schedule);
        if (j == k)
            break;
        anypi_segment_recv(call, from, j, right && !call->commutative, schedule);
        if (right)
            reduce_right(call, j, schedule);
        else
            anypi_segment_reduce(call, j, false, schedule);
    }
}

/* The rank that sends its input first, and, if it is the root, receives the result. */
static void begin(const anyp_call *call, int to, int last, int k, anyp_schedule *schedule)
{
    const int rounds = last >= 0 ? call->p + k - 1 : k;
    for (int j = 0; j < rounds; j++) {
        const int back = j - (call->p - 1);
        anypi_round(schedule);
        if (j < k)
            anypi_segment_send(call, to, j, false, schedule);
        if (last >= 0 && back >= 0)
            anypi_recv(schedule, last, anypi_block(ANYP_OUT, back));
    }
}

/* Where a rank other than 0 has things. */
typedef struct places {
    int received, sum;          /* buffers of the sum of lower ranks, and of that with its own */
    bool adds, copies;          /* it makes the latter; the input is copied there first */
} places;

static places places_of(const anyp_call *call)
{
    const bool last = call->rank == call->p - 1;
    if (call->collective == ANYP_SCAN) {
        const bool in_out = call->commutative && !call->in_place;
        return (places) { .received = in_out ? ANYP_OUT : ANYP_SCRATCH, .sum = ANYP_OUT,
                          .adds = true, .copies = !in_out && !call->in_place };
    }
    const bool both = call->in_place && !last;  /* OUT has the input, too */
    return (places) { .received = both ? ANYP_SCRATCH : ANYP_OUT,
                      .sum = both ? ANYP_OUT : ANYP_SCRATCH, .adds = !last, .copies = !both };
}

/* The sum of the lower ranks of segment j is there. */
static void add_own(const places *at, int j, anyp_schedule *schedule)
{
    const anyp_slice received = anypi_block(at->received, j), sum = anypi_block(at->sum, j);
    if (at->copies)
        anypi_copy(schedule, anypi_block(ANYP_IN, j), sum);
    if (received.buffer == sum.buffer)
        anypi_reduce(schedule, anypi_block(ANYP_IN, j), sum);
    else
        anypi_reduce(schedule, received, sum);
}

static void scan(const anyp_call *call, int k, anyp_schedule *schedule)
{
    const bool first = call->rank == 0, last = call->rank == call->p - 1;
    const places at = places_of(call);
    const bool keeps = call->collective == ANYP_EXSCAN && at.received != ANYP_OUT && !first;
    const int sent = first ? anypi_segment_input(call) : at.sum;
    const int lag = first ? 0 : lag_of(k);
    anypi_schedule_overlap(schedule, lag_of(k) - 1);
    for (int j = 0; j < k + lag; j++) {
        const int behind = j - lag;
        anypi_round(schedule);
        if (behind >= 0 && !last)
            anypi_send(schedule, call->rank + 1, anypi_block(sent, behind));
        if (j < k && !first)
            anypi_recv(schedule, call->rank - 1, anypi_block(at.received, j));
        if (behind >= 0 && keeps)       /* what was in OUT is sent */
            anypi_copy(schedule, anypi_block(at.received, behind),
                       anypi_block(ANYP_OUT, behind));
        if (j < k && !first && at.adds)
            add_own(&at, j, schedule);
    }
    if (first && call->collective == ANYP_SCAN)
        anypi_segment_alone(call, k, schedule);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int p = call->p, rank = call->rank, root = call->root;
    const int k = anypi_segment_blocks(call, parameters);
    if (anypi_is_prefix(call->collective)) {
        scan(call, k, schedule);
        return;
    }
    const int last = root < p - 1 ? p - 1 : 0;  /* the last rank of the cycle, before the root */
    if (p == 1)
        anypi_segment_alone(call, k, schedule);
    else if (root == 0 && rank == p - 1)
        begin(call, rank - 1, -1, k, schedule);
    else if (root == 0)
        pass_on(call, rank + 1, rank - 1, k, schedule);
    else if (rank == root)
        begin(call, rank - 1, last, k, schedule);
    else
        pass_on(call, rank < root ? rank + 1 : rank == root + 1 ? 0 : rank - 1,
                rank == last ? root : rank > root ? rank + 1 : rank > 0 ? rank - 1 : root + 1,
                k, schedule);
}

const anyp_algorithm_code anypi_chain_code = {
    .summary = "large vectors on few ranks: every byte passes each rank once",
    .source = "Lowery & Langou 2013, section IV",
    .blocks = anypi_segment_blocks,
    .cost = cost,
    .time = time_of,
    .tries = tries,
    .generate = generate,
};
