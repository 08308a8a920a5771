/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rooted.h - the expected time of gathers and scatters, whose directions differ in their overheads.
 *
 * If a rank sends k messages, the first ones flow while it prepares the others, and each receiver
 * has one overhead. If a rank receives k messages, they share its port and all end at about the
 * same time; then its k overheads follow each other.
 */
#ifndef ANYPI_ROOTED_H_INCLUDED
#define ANYPI_ROOTED_H_INCLUDED

#include "anyp.h"

#include "schedule/ranks.h"

/* Messages of one rank in a round, all in one direction. */
typedef struct anypi_fan {
    int messages;
    double bytes, inside;       /* between nodes, and inside one */
    double last;                /* bytes of the last message */
} anypi_fan;

/* Returns the time of a fan of a gather or scatter. */
static inline double anypi_fan_time(const anyp_call *call, const anyp_model *model, anypi_fan fan)
{
    const double alpha = fan.bytes > 0 || !model->nodes ? model->alpha : model->inside_alpha;
    const double overheads = fan.messages * model->overhead;
    const double flow = anypi_fmax(fan.bytes * model->beta, fan.inside * model->inside_beta);
    const double busy = call->collective == ANYP_GATHER ? overheads + flow
        : anypi_fmax(overheads + fan.last * model->beta, model->overhead + flow);
    return fan.messages > 0 ? alpha + model->overhead + busy : 0;
}

#endif
