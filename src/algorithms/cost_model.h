/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost_model.h - the time of closed forms in a model of a machine. Algorithms estimate their times
 * with it; settle.h compares these.
 */
#ifndef ANYPI_COST_MODEL_H_INCLUDED
#define ANYPI_COST_MODEL_H_INCLUDED

#include "anyp.h"

/* Returns when a rank's work ends that begins at `before` and has two parts which overlap: the
 * overheads of its messages, and the transfer of their bytes. */
double anypi_overlapped(double before, double overheads, double transfer);

/* Returns the time of a round in which each rank sends and receives that many messages, whose
 * transfers take so long one after the other. */
double anypi_round_time(double messages, double transfer, const anyp_model *model);

/* The messages that a rank sends in one round, and the transfer of each. */
typedef struct anypi_sends {
    double messages, transfer;
} anypi_sends;

/* A rank that sends in several rounds and receives nothing between them waits for none of them if
 * its messages are short, so that they share its port. Returns by how much the messages of the
 * first `before` rounds arrive later than alone: the sum over a path of ranks, which have the last
 * `count` rounds, one less, and so on. */
double anypi_unpaced_time(const anypi_sends *rounds, int before, int count,
                          const anyp_model *model);

/* Returns the time of a closed form in a model without nodes, if all its rounds are equal. In
 * `one_way` of them each rank only sends, or only receives. */
double anypi_expected_time(anyp_cost cost, const anyp_model *model);
double anypi_one_way_time(anyp_cost cost, double one_way, const anyp_model *model);

/* Two models without nodes, for a model with nodes (if it has none, the model itself): for messages
 * inside nodes; and for messages that all ranks of all nodes, p ranks, send together, so that they
 * share the cards. The latter has the latency between the highest groups. The height whose links
 * are shared most becomes `group` and `taper`, which is at least 1. */
anyp_model anypi_inside_model(const anyp_model *model);
anyp_model anypi_shared_model(const anyp_model *model, int p);

/* As the latter, for messages between ranks anywhere, so that most of the bytes leave groups; it
 * has no groups. */
anyp_model anypi_spread_model(const anyp_model *shared, int p);

#endif
