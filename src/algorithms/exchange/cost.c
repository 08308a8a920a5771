/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.c - the closed form of `exchange`, the sum of its levels, and its expected time.
 */
#include "algorithms/exchange/cost.h"

#include "algorithms/cost_model.h"
#include "algorithms/exchange/height.h"
#include "algorithms/exchange/levels.h"
#include "algorithms/exchange/prefix.h"
#include "algorithms/fitted.h"
#include "algorithms/shared/bytes.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"

#include <math.h>

/* Below the first height. */
static const anypi_below ranks = { .even = true, .owners = 1, .most = 1, .least = 1, .ranks = 1,
                                   .fewest = 1, .mean = 1 };

/* ---- a scan across bases ---- */

/* Of bases with those intervals; `e` is of their height. */
static void widen(anypi_across *i, const anypi_height *e)
{
    const bool divides = e->dividing > 0;       /* else it is a rank */
    i->widest = anypi_max(i->widest, divides ? anypi_height_widest(e, e->dividing, 1) : e->blocks);
    i->narrowest = anypi_min(i->narrowest,
                             divides ? anypi_height_narrowest(e, e->dividing) : e->blocks);
    i->bytes = anypi_fmax(i->bytes, anypi_height_bytes(e, i->widest));
}

/* Adds the levels of all heights. */
static anyp_cost of_machine(anypi_machine *m)
{
    anyp_cost cost = { 0 };
    anypi_across across = { .pieces = 1, .narrowest = INT_MAX };
    anypi_below b = ranks;
    for (int h = 1; h <= m->heights; anypi_height_up(&b, m, h++)) {
        anyp_cost levels[ANYPI_TREE_LEVELS] = { 0 };
        for (int more = 0; more <= m->most[h] - m->least[h]; more++) {
            anypi_height e;
            anypi_height_set(&e, m, h, m->least[h] + more, &b);
            if (h == m->base_height)
                widen(&across, &e);
            for (int t = 0; t < anypi_height_levels(&e); t++) {
                /* counted from the top, as those of the same round */
                anyp_cost *most = &levels[m->trees[h].levels - e.tree->levels + t];
                const anyp_cost one = anypi_height_level(&e, t);
                *most = (anyp_cost) { anypi_fmax(most->latencies, one.latencies),
                                      anypi_fmax(most->bytes_sent, one.bytes_sent),
                                      anypi_fmax(most->bytes_reduced, one.bytes_reduced),
                                      anypi_fmax(most->overheads, one.overheads) };
            }
        }
        for (int t = 0; t < m->trees[h].levels; t++)
            cost = anypi_cost_sum(cost, levels[t]);
        if (h == m->base_height && (!b.even || m->most[h] > m->least[h]))
            across.pieces = anypi_height_overlaps(across.widest, across.narrowest);
    }
    if (m->base_height == 0)    /* a base is a rank, which has the whole segment */
        across.bytes = (double) anypi_divide_up(m->call->count, m->segments) *
            (double) m->call->type_size;
    return anypi_is_prefix(m->call->collective)
        ? anypi_cost_sum(cost, anypi_across_cost(m, &across, NULL)) : cost;
}

/* ---- the whole ---- */

bool anypi_exchange_balances(const anyp_call *call, const int *parameters)
{
    return anypi_scatters(call) && call->p > 1 &&
        anypi_excess_bytes(call) > parameters[ANYPI_EXCHANGE_THRESHOLD];
}

/* What blocks of different sizes add to the cost of equal ones (nothing if all are equal): the rank
 * with the largest block receives it from each of the others in its group; or, with intervals of
 * equal bytes, only once, in a last round, but in a message from each rank that has a part of it;
 * at most from all, with overheads at both ends. */
static anyp_cost of_excess(const anyp_call *call, const int *parameters, anyp_cost even,
                           bool at_most)
{
    const double excess = (double) anypi_excess_bytes(call), messages = even.overheads / 2;
    if (anypi_exchange_balances(call, parameters)) {
        const double parts = (double) call->largest / (double) call->count * call->p;
        const double others = call->p - 1.0;
        return (anyp_cost) { 1, excess, 0, at_most ? 2 * others : 1 + anypi_fmin(others, parts) };
    }
    return (anyp_cost) { 0, messages * excess, messages * excess, 0 };
}

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters)
{
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    const anyp_cost one = of_machine(&m);
    /* at worst, one segment after the other */
    const anyp_cost all = { m.segments * one.latencies, m.segments * one.bytes_sent,
                            m.segments * one.bytes_reduced, m.segments * one.overheads };
    return anypi_cost_sum(all, of_excess(call, parameters, all, true));
}

/* How much longer the bytes of level t take because they share links: of neighbours with d ranks
 * between them, anywhere, the part d / group is in different groups. In a reduce, one base of each
 * child sends. */
static double sharing(const anypi_height *e, int t, const anyp_model *model)
{
    const int children = anypi_tree_children(e->tree, t, anypi_height_largest(e, t + 1));
    const double distance = anypi_height_largest(e, t);      /* of neighbouring children */
    double far = 0;
    for (int d = 1; d < children; d++)
        far += (children - d) * anypi_fmin(1, d * distance / model->group);
    const bool few = t >= e->dividing && e->call->collective == ANYP_REDUCE;
    const double senders = few ? anypi_height_largest(e, e->dividing) / distance : 1;
    return anypi_fmax(1, model->taper * senders * far * 2 / (children * (children - 1.0)));
}

/* Among ranks that have ports of their own. */
static double flat_time(const anyp_call *call, const int *parameters, anypi_machine *m,
                        const anyp_model *model)
{
    anypi_height e;
    anypi_height_set(&e, m, 1, call->p, &ranks);
    const bool balances = anypi_exchange_balances(call, parameters);
    double time = 0;
    for (int t = 0; t < anypi_height_levels(&e); t++) {
        anyp_cost level = anypi_height_level(&e, t);
        /* bases wait for those with surplus ranks */
        if (t >= e.dividing && anypi_height_surplus(&e) && call->collective != ANYP_REDUCE) {
            level.overheads += 2;
            level.bytes_sent += anypi_height_bytes(&e, anypi_height_widest(&e, e.dividing, 1));
        }
        if (model->group > 0)
            level.bytes_sent *= sharing(&e, t, model);
        if (!balances)
            level = anypi_cost_sum(level, of_excess(call, parameters, level, false));
        /* in a reduce, all but the rounds of its reduce-scatter */
        const double one_way = call->collective != ANYP_REDUCE ? 0
            : t < e.dividing ? level.latencies / 2 : level.latencies;
        time += anypi_one_way_time(level, one_way, model);
    }
    if (balances)
        time += anypi_expected_time(of_excess(call, parameters, (anyp_cost) { 0 }, false), model);
    if (anypi_is_prefix(call->collective)) {
        anypi_across across = { .pieces = 1, .narrowest = INT_MAX };
        widen(&across, &e);
        time += anypi_across_waits(m, &across, model) +
            anypi_expected_time(anypi_across_cost(m, &across, model), model);
    }
    return time;
}

/* How much longer transfers take among children of different sizes. Blocks of a reduce-scatter: the
 * largest child has the most. Else links give equal parts to messages, but those of a small child's
 * owners are larger. */
static double unfairness(const anyp_call *call, const anypi_below *b)
{
    return b->even ? 1 : anypi_scatters(call) ? b->ranks / b->mean
        : 1 + ANYPI_UNFAIR * (b->most / b->least - 1);
}

/* The messages of a rank in one level of a height. */
typedef struct level_sends {
    int others;                 /* children, each of which gets one */
    double piece;               /* the bytes of one */
    double transfer;            /* of all, one after the other */
} level_sends;

/* In a call of `bytes`. */
static level_sends sends_of(const anypi_height *e, int t, const anypi_below *b, anypi_links l,
                            double bytes)
{
    const bool divides = t < e->dividing;
    const int others = anypi_tree_children(e->tree, t, anypi_height_largest(e, t + 1)) - 1;
    const int at = divides ? t + 1 : e->dividing;
    const double of_child = bytes / anypi_height_intervals(e, at, anypi_height_largest(e, at));
    const double piece = of_child / b->most;
    /* what leaves a child: a piece from each owner; where bases replicate, from each of them, in a
     * reduce from one */
    const bool one = divides || e->call->collective == ANYP_REDUCE;
    const double bases = one ? 1 : b->ranks / b->most;
    const double own = piece * l.beta * (l.shares ? others : 1);
    return (level_sends) { others, piece, (divides ? unfairness(e->call, b) : 1) *
                           anypi_fmax(own, others * of_child * bases * l.of_group) };
}

/* The time of all levels of the largest groups of height h, of one segment of `bytes`; adds the
 * overheads of the rank. */
static double height_time(anypi_machine *m, int h, const anypi_below *b, double bytes,
                          const anyp_model *model, double *busy)
{
    anypi_height e;
    anypi_height_set(&e, m, h, m->most[h], b);
    const anypi_links l = anypi_links_of(m, h, model);
    double time = 0;
    for (int t = 0; t < anypi_height_levels(&e); t++) {
        const int phases = t < e.dividing && !anypi_scatters(e.call) ? 2 : 1;
        const level_sends sends = sends_of(&e, t, b, l, bytes);
        const double messages = sends.others * (b->even ? 1 : 1 + b->most / b->least / 4);
        const double overheads = (ANYPI_EACH_MESSAGE * messages + 1) * model->overhead;
        const int children = sends.others + 1;
        const int sums = anypi_height_reductions(&e, t, children) +
            anypi_height_additions(&e, t, children);
        time += phases * anypi_overlapped(l.alpha, overheads, sends.transfer) +
            sums * sends.piece * model->gamma;
        *busy += phases * overheads;
    }
    return time;
}

double anypi_exchange_time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    if (m.heights == 1)
        return flat_time(call, parameters, &m, model);
    if (!model->nodes)
        return anypi_expected_time(anypi_exchange_cost(call, parameters), model);
    const double bytes = (double) call->count * (double) call->type_size / m.segments;
    double sum = 0, longest = 0, busy = 0;
    anypi_below b = ranks;
    for (int h = 1; h <= m.heights; anypi_height_up(&b, &m, h++)) {
        const double time = height_time(&m, h, &b, bytes, model, &busy);
        sum += time;
        longest = anypi_fmax(longest, time);
    }
    if (anypi_is_prefix(call->collective)) {
        const double time = anypi_across_time(&m, bytes, model, &busy);
        sum += time;
        longest = anypi_fmax(longest, time);
    }
    /* segments follow one another when the slowest height, and the rank, are done with one */
    const double time = sum + (m.segments - 1) * anypi_fmax(longest, busy);
    return time + anypi_expected_time(of_excess(call, parameters, (anyp_cost) {
                                          .overheads = 2.0 * m.depth }, false), model);
}

/* From the root of a bcast, its parts go down the levels that divide; then each part goes to other
 * bases, down the other levels; then the allgather begins with the parts of the lowest level that
 * divides. Messages inside nodes share no port. */
double anypi_exchange_unpaced_time(const anyp_call *call, const int *parameters,
                                   const anyp_model *model)
{
    anypi_machine m;
    anypi_machine_make(&m, call, parameters);
    if (m.segments > 1)
        return 0;
    anypi_sends way[ANYPI_EXCHANGE_LEVELS + 1], others[ANYPI_EXCHANGE_LEVELS] = { { 0, 0 } };
    int count = 0, others_count = 0;
    const double bytes = (double) call->count * (double) call->type_size;
    anypi_below b = ranks;
    for (int h = 1; h <= m.heights; anypi_height_up(&b, &m, h++)) {
        anypi_height e;
        anypi_height_set(&e, &m, h, m.most[h], &b);
        const anypi_links l = anypi_links_of(&m, h, model);
        for (int t = 0; t < anypi_height_levels(&e) && l.shares; t++) {
            const level_sends sends = sends_of(&e, t, &b, l, bytes);
            const anypi_sends one = { sends.others, sends.transfer / sends.others };
            if (t < e.dividing)
                way[count++] = one;
            else
                others[others_count++] = one;
        }
    }
    const anypi_sends first = count > 0 ? way[count - 1] : (anypi_sends) { 0, 0 };
    while (others_count > 0)
        way[count++] = others[--others_count];
    way[count] = first;
    return anypi_unpaced_time(way, count, count + 1, model);
}
