/* SPDX-License-Identifier: BSD-3-Clause
 *
 * estimate.h - the time of a call on nodes, for any number of processes in about a second.
 *
 * A closed form cannot tell which messages of an algorithm that ignores nodes stay inside a node,
 * nor which ones share a card. It assumes that all leave at the same time, so it can be twenty
 * times too long. So the call is simulated. A call with too many messages is simulated on a smaller
 * machine, and the closed form only gives the growth from there:
 *
 *   time = closed form * (simulation / closed form on the smaller machine)
 *
 * The smaller machine has fewer nodes, and only then fewer ranks on each, with cards that are
 * slower in proportion. The vector stays the same; if each rank sends a message to most others, the
 * blocks do.
 *
 * In a call with a root, the root's messages to all ranks compete with those between the others.
 * Their time does not grow like the closed form, so the smaller machine says nothing about it.
 */
#ifndef ANYPI_ESTIMATE_H_INCLUDED
#define ANYPI_ESTIMATE_H_INCLUDED

#include "anyp.h"

/* Maximum number of messages of a simulation, all ranks together, for an estimate. */
#define ANYPI_ESTIMATE_MESSAGES 60000

/* Returns the time of a call that the algorithm serves with these parameters, none of which is
 * "auto". INFINITY: unknown, a call with a root and too many messages. Without model->nodes the
 * time is the closed form's (anypi_form_time()), also if there is no memory. The call's nodes may
 * be NULL on one node. */
double anypi_estimate(const anyp_algorithm *algorithm, const anyp_call *call, const int *parameters,
                      const anyp_model *model, double most_messages);

/* Simulates a set of schedules of the call by the rules for model->eager (simulate.h). Statuses and
 * `limit` as anypi_eager(). */
anyp_status anypi_eager_call(const anyp_schedule *set, const anyp_call *call,
                             const anyp_model *model, double limit, double *time);

#endif
