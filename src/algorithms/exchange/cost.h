/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - predicts the time of `exchange` by a closed form, which is an upper bound. exchange.c
 * says how near it is.
 */
#ifndef ANYPI_EXCHANGE_COST_H_INCLUDED
#define ANYPI_EXCHANGE_COST_H_INCLUDED

#include "anyp.h"

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters);

/* Is it a reduce-scatter whose blocks differ so much that it uses intervals of about equal bytes
 * instead (shared/balance.h)? */
bool anypi_exchange_balances(const anyp_call *call, const int *parameters);

/* Returns an estimate of the time. Over nodes, ranks of a node share its network cards; messages
 * inside it share nothing. The vector's segments follow each other as in a pipeline. */
double anypi_exchange_time(const anyp_call *call, const int *parameters, const anyp_model *model);

/* Returns what it adds that messages of a bcast share ports; see anyp_algorithm_code. */
double anypi_exchange_unpaced_time(const anyp_call *call, const int *parameters,
                                   const anyp_model *model);

/* Lists the values of a parameter that lead to different trees, numbers of dividing levels or
 * lanes; see anyp_algorithm_code. */
int anypi_exchange_tries(const anyp_call *call, const anyp_model *model, const int *parameters,
                         int index, int *list);

#endif
