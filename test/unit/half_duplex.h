/* SPDX-License-Identifier: BSD-3-Clause
 *
 * half_duplex.h - a clock for processes that send or receive, not both at a time: the model of
 * Lowery & Langou 2013 for unidirectional systems.
 */
#ifndef HALF_DUPLEX_H_INCLUDED
#define HALF_DUPLEX_H_INCLUDED

#include "unit/common.h"

/* The time of set[0 .. p-1], a set that anypi_verify() accepts; arguments as for anypi_simulate().
 *
 * A process has one port for both directions, and one message at a time: a message waits until both
 * ends are in their rounds and both ports are free, and then keeps both for alpha + 2*overhead +
 * beta*bytes (all its pieces). Of messages that could start at the same time and need the same
 * port, the first is the one whose ends have been in their rounds for longer, then that of the
 * lower sender, then that to the lower receiver. Once all messages of its round have arrived, a
 * rank does its local reductions, which take gamma*bytes and do not overlap with messages. */
double half_duplex_time(const anyp_schedule *set, int p, const anypi_partition *partition,
                        int64_t type_size, const anyp_model *model);

/* The same for a variant whose blocks are balanced. */
double half_duplex_variant(const variant *variant, anyp_model model);

#endif
