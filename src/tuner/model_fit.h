/* SPDX-License-Identifier: BSD-3-Clause
 *
 * model_fit.h - makes the model of the machine from the times of a few rounds.
 */
#ifndef ANYPI_MODEL_FIT_H_INCLUDED
#define ANYPI_MODEL_FIT_H_INCLUDED

#include "anyp.h"

/* The seconds of four kinds of rounds: each rank sends and receives one short message, `few` short
 * ones, `several` short ones, or one message of `bytes`. If `several` is not larger than `few`,
 * overheads are unknown. */
typedef struct anypi_probe_times {
    double short_message, few_messages, several_messages, long_message, bytes;
    int few, several;
} anypi_probe_times;

/* Returns the model, without gamma. */
anyp_model anypi_model_fit(const anypi_probe_times *times);

/* Returns the model of nodes, with messages that are sent before the receiver is ready. `across`:
 * one rank of each node sends to another node; `inside`: to a rank of its own node. `all_across`:
 * seconds of a round in which `ranks` ranks of each node send `across->bytes` to another node. */
anyp_model anypi_model_fit_nodes(const anypi_probe_times *across, const anypi_probe_times *inside,
                                 double all_across, int ranks);

#endif
