/* SPDX-License-Identifier: BSD-3-Clause
 *
 * multiport - reduce-scatter on a circulant graph with several messages at once in a round: least
 * volume in ceil(log_k p) rounds.
 *
 * Rank r keeps partial results R[0 .. s-1]. R[i] is block r + i of the vector, whose final sum rank
 * r + i needs (all modulo p); s = p at first. A round cuts the partial results into parts of t =
 * ceil(s / b). For all i > 0, it sends part i, R[i t .. (i+1)t - 1] or less, to rank r + i t,
 * receives a part from rank r - i t, and adds that part to part 0. Then s = t, until only R[0] is
 * left. An allreduce then sends part 0 back, to ranks r - i t, in the opposite order of rounds. An
 * alltoall concatenates instead of adding (concatenate.h), so that R[0] becomes p blocks. b is the
 * minimum number of parts that needs no more rounds than radix k: p = 100 with k = 4 has 4, 3, 3, 3
 * parts.
 *
 * On nodes (groups=nodes) of equal size, an alltoall has two stages. First, a rank collects from
 * the ranks of its node the blocks for its own place on other nodes. Then only ranks with the same
 * place exchange. If the radix is at least the number of nodes, each block passes a network card
 * once, in a message with the blocks of all ranks of the node. Between nodes of different sizes,
 * messages are direct (collect.h), and the radix is ignored. Switches may be the nodes (groups.h).
 *
 *   p = 13, k = 4, what rank r sends, and whose contributions its R[0] contains then:
 *
 *   round  t
 *     1    4   R[4..7] to r+4, R[8..11] to r+8, R[12] to r+12   those of r, r-4, r-8, r-12
 *     2    1   R[1] to r+1, R[2] to r+2, R[3] to r+3            all
 *     3    1   R[0] to r-1, r-2, r-3
 *     4    4   R[0..3] to r-4, r-8; R[0] to r-12
 *
 * A part that wraps around the end of the vector is two pieces in IN and OUT, and each piece is a
 * message. To avoid this, short parts are copied: in the first round each rank copies the part that
 * wraps, and continues in scratch. In the last round of an allreduce, the part that wraps is also
 * received in scratch, and copied to OUT with part 0. Long parts are sent as two messages.
 *
 * Cost with R = ceil(log_k p) rounds of n(1), n(2), ... messages, and equal blocks: R*alpha +
 * (1-1/p)m*(beta + gamma); an allreduce 2R*alpha + (1-1/p)m*(2*beta + gamma); an alltoall R*alpha +
 * R(1-1/k)m*beta or less, on nodes with both numbers of rounds; with k >= p, direct exchange, whose
 * windows (direct.h) count as rounds. Each phase has two overheads for each message. Reached for
 * every p but in alltoalls. The cost is that of equal blocks.
 * Plain copies: one short part, three in an allreduce, and a block if p is odd and k = 2; in place,
 * a reduce-scatter copies its block if it has one round (or p = 3 and k = 2).
 * Scratch: as long as the first part, for each message of a round except one that is received where
 * it is added; part 0, if that is not in OUT; the whole vector instead, if parts are short.
 * Restrictions: commutative operators only, since the sum of rank r's block begins with its own.
 * Source: Träff 2024, Algorithms 1 and 2, and section 4, for skips that shrink by more than half;
 * the several messages of a round are as in gather_reduce. On nodes: Träff & Hunold 2020.
 */
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/collect.h"
#include "algorithms/shared/concatenate.h"
#include "algorithms/shared/direct.h"
#include "algorithms/shared/groups.h"
#include "algorithms/shared/values.h"

#include "schedule/ranks.h"
#include "schedule/schedule.h"
#include "schedule/collectives.h"

#include <limits.h>

enum { RADIX, GROUPS, NODE_RADIX };     /* indices of the parameters */

/* Parts of up to this many bytes are copied rather than sent in two pieces. */
enum { SHORT_PART = 16384 };

enum { MAXIMUM_ROUNDS = 31 };

/* The rounds for all partial results, or for nodes or the ranks of one. */
typedef struct levels {
    int rounds;
    int left[MAXIMUM_ROUNDS + 1];       /* before each of them, and 1 */
} levels;

/* The minimum radix that needs no more rounds for s. */
static int minimum_radix(int s, int rounds)
{
    for (int radix = 2;; radix++) {
        int left = s;
        for (int i = 0; i < rounds; i++)
            left = (int) anypi_divide_up(left, radix);
        if (left == 1)
            return radix;
    }
}

/* With a radix that is limited so that an int can number the copies of the vector in scratch. */
static levels levels_of(const anyp_call *call, int units, int radix)
{
    levels at = { .left = { units } };
    radix = anypi_min(radix, anypi_max(INT_MAX / call->p, 2));
    for (int s = units; s > 1; s = (int) anypi_divide_up(s, radix))
        at.rounds++;
    for (int i = 0; i < at.rounds; i++)
        at.left[i + 1] =
            (int) anypi_divide_up(at.left[i], minimum_radix(at.left[i], at.rounds - i));
    return at;
}

/* The nodes that an alltoall uses, or NULL. */
static const anyp_shape *nodes_of(const anyp_call *call, const int *parameters)
{
    return anypi_transposes(call->collective) ? anypi_groups_of(call, parameters[GROUPS]) : NULL;
}

/* Constants of all rounds. */
typedef struct plan {
    const anyp_call *call;
    levels levels;
    int part;                   /* t of the first round */
    bool joined;                /* parts are joined by copies */
    bool odd;                   /* of two parts in the first round the second is shorter, so that
                                 * nothing is added to the last block of the first */
    int operands;               /* the buffer that has the rank's operands */
    int sums;                   /* and that of its partial results */
    int cells;                  /* and that of what has to be added to them */
    int result;                 /* and that of the last sum */
} plan;

static plan plan_of(const anyp_call *call, const int *parameters)
{
    const int p = call->p;
    const bool scatters = anypi_scatters(call);
    plan at = { .call = call, .levels = levels_of(call, p, parameters[RADIX]) };
    const int rounds = at.levels.rounds;
    at.part = at.levels.left[rounds > 0];
    at.joined = at.part > 1 && anypi_blocks_bytes(call, at.part, p) <= SHORT_PART;
    at.odd = at.part > p - at.part && p > 1;
    at.operands = call->in_place && !scatters ? ANYP_OUT : ANYP_IN;
    at.sums = scatters || at.joined ? ANYP_SCRATCH : ANYP_OUT;
    at.cells = at.sums == ANYP_OUT ? ANYP_SCRATCH : ANYP_SCRATCH + 1;
    /* in place, the last round may write to OUT if it needs no more operands */
    const int needing = at.odd && !at.joined ? 2 : 1;
    at.result = scatters && (!call->in_place || rounds > needing) ? ANYP_OUT : at.sums;
    return at;
}

/* The buffer of part 0 before a round with s partial results, and after it, when t are left. */
static int before(const plan *at, int s)
{
    return s == at->call->p ? at->operands : at->sums;
}

static int after(const plan *at, int t)
{
    return t == 1 ? at->result : at->sums;
}

/* Is there one round of an alltoall, in which each rank sends to all others? */
static bool is_direct(const anyp_call *call, const levels *at)
{
    return anypi_transposes(call->collective) && at->rounds == 1 && at->left[0] == call->p;
}

/* Of a round, and of the one that sends the results back. The windows of a direct exchange are
 * rounds. */
static anyp_cost round_cost(const anyp_call *call, const levels *at, int round)
{
    const bool transposes = anypi_transposes(call->collective);
    const double phases = anypi_scatters(call) || transposes ? 1 : 2;
    const int s = at->left[round], t = at->left[round + 1], others = (s - 1) / t;
    const double bytes = transposes
        ? anypi_concatenated(call->p, t, s) * anypi_block_bytes(call, call->p)
        : (others - 1) * anypi_blocks_bytes(call, t, call->p) +
        anypi_blocks_bytes(call, s - others * t, call->p);
    const double rounds = is_direct(call, at)
        ? (double) anypi_divide_up(others, anypi_direct_ports(call)) : phases;
    return (anyp_cost) { .latencies = rounds, .bytes_sent = phases * bytes,
                         .bytes_reduced = bytes, .overheads = 2 * phases * others };
}

/* The levels of an alltoall: those inside nodes, and those of nodes, or of all ranks. */
typedef struct phases {
    const anyp_shape *nodes;    /* or NULL */
    int width;                  /* ranks of each node, or 1 */
    levels inside, across;
    bool collects;              /* nodes have different sizes: see collect.h */
} phases;

static phases phases_of(const anyp_call *call, const int *parameters)
{
    const anyp_shape *nodes = nodes_of(call, parameters);
    const int width = anypi_groups_width(nodes);
    return (phases) { nodes, width, levels_of(call, width, parameters[NODE_RADIX]),
                      levels_of(call, call->p / width, parameters[RADIX]), width == 1 && nodes };
}

/* Adds the rounds whose messages stay inside nodes, or the others, and their times to *time. */
static anyp_cost add_up(const anyp_call *call, const int *parameters, bool inside,
                        const anyp_model *model, double *time)
{
    const phases both = phases_of(call, parameters);
    const levels *at = inside ? &both.inside : &both.across;
    anyp_cost all = { 0 };
    if (both.collects)
        all = anypi_collect_cost(call, both.nodes, inside);
    *time += anypi_expected_time(all, model);
    for (int i = 0; i < at->rounds && !both.collects; i++) {
        const anyp_cost one = round_cost(call, at, i);
        all = anypi_cost_sum(all, one);
        *time += is_direct(call, at) ? anypi_direct_time(one, model)
            : anypi_expected_time(one, model);
    }
    return all;
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const anyp_model none = { 0 };
    double time = 0;
    return anypi_cost_sum(add_up(call, parameters, true, &none, &time),
                          add_up(call, parameters, false, &none, &time));
}

static double time_of(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    const anyp_shape *nodes = nodes_of(call, parameters);
    const bool at_switches = nodes && nodes == call->nodes->switches;
    anyp_model inside = anypi_inside_model(model), across = anypi_shared_model(model, call->p);
    if (at_switches && model->nodes) {
        inside = across;
        inside.alpha = model->alpha;
        across.beta *= across.taper;    /* all of it leaves switches */
    } else if (model->nodes) {
        across = anypi_spread_model(&across, call->p);
    }
    double time = 0;
    add_up(call, parameters, true, &inside, &time);
    add_up(call, parameters, false, &across, &time);
    return time;
}

static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    int count = 0;
    (void) model;
    if (index == GROUPS && anypi_transposes(call->collective))
        return anypi_groups_tries(call, list);
    if (index == GROUPS)
        anypi_try(list, &count, ANYPI_GROUPS_RANKS);
    if (index == NODE_RADIX) {
        const int most = anypi_max(anypi_groups_width(nodes_of(call, parameters)), 2);
        for (int radix = 2; radix < most; radix += 1 + radix / 8)
            anypi_try(list, &count, radix);
        anypi_try(list, &count, most);
    }
    return count;
}

/* R[begin .. end-1] in a buffer; in scratch, in the given copy of the vector. In the caller's
 * buffers indices wrap at the vector's end. */
static anyp_slice results(const plan *at, int buffer, int copy, int begin, int end)
{
    const int p = at->call->p, first = at->call->rank + begin;
    const int index = buffer < ANYP_SCRATCH ? first % p : copy * p + first;
    return anypi_slice(buffer, index, index + end - begin);
}

/* The index where R[begin .. end-1] are cut: at the vector's end, or at `end`. */
static int cut_of(const plan *at, int begin, int end)
{
    const int cut = at->call->p - at->call->rank;
    return begin < cut && cut < end ? cut : end;
}

/* A message that is cut at the vector's end if `cuts`. */
static void send(const plan *at, int to, int buffer, int begin, int end, bool cuts,
                 anyp_schedule *schedule)
{
    const int cut = cuts ? cut_of(at, begin, end) : end;
    anypi_send(schedule, to, results(at, buffer, 0, begin, cut));
    anypi_send(schedule, to, results(at, buffer, 0, cut, end));
}

static void receive(const plan *at, int from, int buffer, int copy, int begin, int end, bool cuts,
                    anyp_schedule *schedule)
{
    const int cut = cuts ? cut_of(at, begin, end) : end;
    anypi_recv(schedule, from, results(at, buffer, copy, begin, cut));
    anypi_recv(schedule, from, results(at, buffer, copy, cut, end));
}

static void add(const plan *at, int from, int copy, int to, int end, anyp_schedule *schedule)
{
    const bool wraps = from < ANYP_SCRATCH || to < ANYP_SCRATCH;
    const int cut = wraps ? cut_of(at, 0, end) : end;
    anypi_reduce(schedule, results(at, from, copy, 0, cut), results(at, to, 0, 0, cut));
    anypi_reduce(schedule, results(at, from, copy, cut, end), results(at, to, 0, cut, end));
}

static void copy(const plan *at, int from, int to, int begin, int end, anyp_schedule *schedule)
{
    const int cut = cut_of(at, begin, end);
    anypi_copy(schedule, results(at, from, 0, begin, cut), results(at, to, 0, begin, cut));
    anypi_copy(schedule, results(at, from, 0, cut, end), results(at, to, 0, cut, end));
}

/* From s partial results to t. */
static void reduce_round(const plan *at, int s, int t, anyp_schedule *schedule)
{
    const anyp_call *call = at->call;
    const int p = call->p, rank = call->rank, own = before(at, s), sums = after(at, t);
    const bool lands = own != sums;     /* the first message is received where it is added */
    const bool cuts = !at->joined && (s == p || at->sums == ANYP_OUT);
    /* R[s-1] is still where the operands are */
    const int kept = at->odd && !at->joined && s == at->part;

    anypi_round(schedule);
    for (int i = 1; i * (int64_t) t < s; i++) {
        const int begin = i * t, end = t < s - begin ? begin + t : s;
        const int to = anypi_mod(rank - p + begin, p), from = anypi_mod(rank - begin, p);
        const bool staged = at->joined && s == p && cut_of(at, begin, end) < end;
        const int buffer = lands && i == 1 ? sums : at->cells, cell = i - 1 - lands;
        send(at, to, staged ? at->sums : own, begin, end - kept, cuts, schedule);
        receive(at, from, buffer, buffer == sums ? 0 : cell, 0, end - begin - kept, cuts, schedule);
        if (kept) {
            send(at, to, at->operands, end - 1, end, false, schedule);
            receive(at, from, buffer, buffer == sums ? 0 : cell, end - begin - 1, end - begin,
                    false, schedule);
        }
    }
    for (int i = 1; i * (int64_t) t < s; i++) {
        const int length = t < s - i * t ? t : s - i * t;
        if (lands && i == 1)
            add(at, own, 0, sums, length, schedule);
        else
            add(at, at->cells, i - 1 - lands, sums, length, schedule);
    }
}

/* Short parts: joins the one that wraps in the buffer of later sums. */
static void join(const plan *at, anyp_schedule *schedule)
{
    const int p = at->call->p, wraps = p - at->call->rank, begin = wraps / at->part * at->part;
    const int end = at->part < p - begin ? begin + at->part : p;
    if (begin > 0 && begin < wraps && wraps < end)
        copy(at, at->operands, at->sums, begin, end, schedule);
    if (at->odd)
        copy(at, at->operands, at->sums, at->part - 1, at->part, schedule);
}

/* Back from t results to s. Joined parts are received in OUT in the last round, except the own part
 * and the one that wraps, which are copied. */
static void gather_round(const plan *at, int s, int t, anyp_schedule *schedule)
{
    const int p = at->call->p, rank = at->call->rank;
    int wrapped = 0, wrapped_end = 0;
    anypi_round(schedule);
    for (int i = 1; i * (int64_t) t < s; i++) {
        const int begin = i * t, end = t < s - begin ? begin + t : s;
        const bool wraps = cut_of(at, begin, end) < end;
        send(at, anypi_mod(rank - begin, p), at->sums, 0, end - begin, !at->joined, schedule);
        receive(at, anypi_mod(rank - p + begin, p), s < p || wraps ? at->sums : ANYP_OUT, 0, begin,
                end, !at->joined, schedule);
        if (wraps) {
            wrapped = begin;
            wrapped_end = end;
        }
    }
    if (s == p && at->joined) {
        copy(at, at->sums, ANYP_OUT, 0, t, schedule);
        copy(at, at->sums, ANYP_OUT, wrapped, wrapped_end, schedule);
    }
}

/* Part i of a round is what its hop i - 1 sends. */
static anypi_hop hop(const void *state, int k)
{
    const phases *both = state;
    for (int round = 0; round < both->inside.rounds + both->across.rounds; round++) {
        const bool inside = round < both->inside.rounds;
        const int *left = inside ? &both->inside.left[round]
            : &both->across.left[round - both->inside.rounds];
        const int s = left[0], t = left[1], others = (s - 1) / t;
        if (k < others)
            return (anypi_hop) { round, (k + 1) * t, anypi_min(s, (k + 2) * t), inside };
        k -= others;
    }
    return (anypi_hop) { 0 };
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    if (anypi_transposes(call->collective)) {
        const phases both = phases_of(call, parameters);
        if (is_direct(call, &both.across) && !both.nodes)
            anypi_direct_exchange(call, anypi_direct_ports(call), schedule);
        else if (!both.collects)
            anypi_concatenate(call, both.nodes, hop, &both, schedule);
        else
            anypi_collect(call, both.nodes, schedule);
        return;
    }
    const plan at = plan_of(call, parameters);
    const int rounds = at.levels.rounds, *left = at.levels.left;
    if (rounds == 0) {
        if (at.operands != ANYP_OUT)
            copy(&at, at.operands, ANYP_OUT, 0, 1, schedule);
        return;
    }
    anypi_scratch_window(schedule, at.cells, call->rank, call->rank + at.part);
    if (at.joined)
        join(&at, schedule);
    for (int i = 0; i < rounds; i++)
        reduce_round(&at, left[i], left[i + 1], schedule);
    if (!anypi_scatters(call))
        for (int i = rounds; i > 0; i--)
            gather_round(&at, left[i - 1], left[i], schedule);
    else if (at.result != ANYP_OUT)
        copy(&at, at.result, ANYP_OUT, 0, 1, schedule);
}

const anyp_algorithm_code anypi_multiport_code = {
    .summary = "operators that commute: the least volume at any p, in fewer rounds with several "
                "messages each",
    .source = "Träff 2024, Algorithms 1 and 2; the radix is not in the paper",
    .blocks = anypi_block_per_rank,
    .cost = cost,
    .time = time_of,
    .tries = tries,
    .generate = generate,
};
