/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prefix_cost.h - the cost of the rounds of a scan across bases (prefix.h).
 */
#ifndef ANYPI_EXCHANGE_PREFIX_COST_H_INCLUDED
#define ANYPI_EXCHANGE_PREFIX_COST_H_INCLUDED

#include "algorithms/exchange/prefix.h"

/* The maximum that a rank exchanges with a base: bytes and pieces. */
typedef struct anypi_across {
    double bytes, pieces;
    int widest, narrowest;      /* intervals of bases, in blocks */
} anypi_across;

/* Returns the closed form of all rounds. With a model, groups of neighbouring ranks share links. */
anyp_cost anypi_across_cost(const anypi_machine *m, const anypi_across *of_base,
                            const anyp_model *model);

/* Returns how much longer the rounds take than anypi_expected_time(), without nodes: fitted.h has
 * the three reasons (ANYPI_SCAN_...). */
double anypi_across_waits(const anypi_machine *m, const anypi_across *of_base,
                          const anyp_model *model);

/* Returns the time of all rounds of a segment of `bytes`, over nodes; adds the rank's overheads. */
double anypi_across_time(const anypi_machine *m, double bytes, const anyp_model *model,
                         double *busy);

#endif
