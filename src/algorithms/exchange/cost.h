/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cost.h - the predicted time of `exchange`, a closed form: an upper bound; how near it is, see
 * exchange.c.
 */
#ifndef ANYPI_EXCHANGE_COST_H_INCLUDED
#define ANYPI_EXCHANGE_COST_H_INCLUDED

#include "anyp.h"

anyp_cost anypi_exchange_cost(const anyp_call *call, const int *parameters);

#endif
