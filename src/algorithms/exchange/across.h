/* SPDX-License-Identifier: BSD-3-Clause
 *
 * across.h - what the rounds of a scan across bases cost (prefix.h).
 */
#ifndef ANYPI_EXCHANGE_ACROSS_H_INCLUDED
#define ANYPI_EXCHANGE_ACROSS_H_INCLUDED

#include "algorithms/exchange/prefix.h"

/* What a rank exchanges with a base: at most so many bytes in so many pieces. */
typedef struct anypi_across {
    double bytes, pieces;
    int widest, narrowest;      /* intervals of bases, in blocks */
} anypi_across;

/* Messages of round t with that distance to the nearest base. */
int anypi_across_messages(const anypi_tree *rounds, int t, double distance);

/* How many of them leave each group of `size` bases. */
double anypi_across_leaving(int messages, double distance, double size);

/* The closed form of all rounds. With a model, groups of neighbouring ranks share links. */
anyp_cost anypi_across_cost(const anypi_machine *m, const anypi_across *of_base,
                            const anyp_model *model);

/* What the rounds take longer than anypi_expected_time() says, without nodes: no overhead hides the
 * transfer of the last message of a round, in later rounds ranks begin at different times, and
 * rounds of different sizes fit worse. The shares were found in the simulator, with 8 bytes to
 * 16 KiB. */
double anypi_across_waits(const anypi_machine *m, const anypi_across *of_base,
                          const anyp_model *model);

/* The time of all rounds of a segment of `bytes`, over nodes; adds the overheads of the rank. */
double anypi_across_time(const anypi_machine *m, double bytes, const anyp_model *model,
                         double *busy);

#endif
