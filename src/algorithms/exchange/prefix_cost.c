/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/prefix.h"

#include "algorithms/cost_model.h"
#include "algorithms/fitted.h"
#include "algorithms/shared/bytes.h"

#include "schedule/ranks.h"

#include <math.h>

/* The messages of round t, with `distance` to the nearest base. */
static int messages_of(const anypi_tree *rounds, int t, double distance)
{
    return anypi_min(rounds->radix[t] - 1, (int) ceil(rounds->p / distance) - 1);
}

/* How often a rank reduces an interval in round t: what it receives, W and X. A scan whose ranks
 * are bases has the result in W. */
static int reductions(const anypi_machine *m, const anypi_tree *rounds, int t, int messages)
{
    if (m->base_height == 0 && m->call->collective == ANYP_SCAN)
        return messages;
    return messages - 1 + (t > 0) + (t + 1 < rounds->levels);
}

/* How many of them leave each group of `size` bases. */
static double leaving(int messages, double distance, double size)
{
    double all = 0;
    for (int j = 1; j <= messages; j++)
        all += anypi_fmin(size, j * distance);
    return all;
}

anyp_cost anypi_across_cost(const anypi_machine *m, const anypi_across *of_base,
                            const anyp_model *model)
{
    const anypi_tree rounds = anypi_prefix_rounds(m);
    const double group = model ? model->group / ((double) m->call->p / rounds.p) : 0;
    anyp_cost cost = { 0 };
    double distance = 1;
    for (int t = 0; t < rounds.levels; distance *= rounds.radix[t++]) {
        const int messages = messages_of(&rounds, t, distance);
        double bytes = messages * of_base->bytes;
        if (group > 0)
            bytes *= anypi_fmax(1, model->taper * leaving(messages, distance, group) /
                                (group * messages));
        cost = anypi_cost_sum(cost, (anyp_cost) {
            .latencies = 1, .bytes_sent = bytes,
            .bytes_reduced = reductions(m, &rounds, t, messages) * of_base->bytes,
            .overheads = 2 * messages * of_base->pieces });
    }
    return cost;
}

double anypi_across_waits(const anypi_machine *m, const anypi_across *of_base,
                          const anyp_model *model)
{
    const anypi_tree rounds = anypi_prefix_rounds(m);
    const double one = anypi_fmin(of_base->bytes * model->beta, 2 * model->overhead);
    double transfers = 0, distance = 1;
    int largest = 0;
    for (int t = 0; t < rounds.levels; distance *= rounds.radix[t++]) {
        const int messages = messages_of(&rounds, t, distance);
        transfers += ANYPI_SCAN_LAST + (t > 0 ? ANYPI_SCAN_LATER * messages : 0);
        largest = anypi_max(largest, messages);
    }
    return transfers * one + ANYPI_SCAN_UNEQUAL * largest * model->overhead;
}

double anypi_across_time(const anypi_machine *m, double bytes, const anyp_model *model,
                          double *busy)
{
    const anypi_tree rounds = anypi_prefix_rounds(m);
    const double slice = bytes / m->owners;
    double time = 0, distance = 1;
    for (int t = 0; t < rounds.levels; distance *= rounds.radix[t++]) {
        const int messages = messages_of(&rounds, t, distance);
        const double overheads = (messages + 1) * model->overhead;
        double transfer = messages * slice * model->beta, alpha = model->alpha;
        for (int h = 1; h < m->heights; h++) {
            const anypi_links l = anypi_links_of(m, h + 1, model);
            const double size = (double) rounds.p / m->count[h];
            const double far = leaving(messages, distance, size);
            transfer = anypi_fmax(transfer, far * bytes * l.of_group);
            alpha = anypi_fmax(alpha, l.alpha);
        }
        time += anypi_overlapped(alpha, overheads, transfer) +
            reductions(m, &rounds, t, messages) * slice * model->gamma;
        *busy += overheads;
    }
    return time;
}
