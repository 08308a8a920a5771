/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.h - the links that messages use in a machine with known nodes, and the time of a level on
 * them.
 */
#ifndef ANYPI_EXCHANGE_LINKS_H_INCLUDED
#define ANYPI_EXCHANGE_LINKS_H_INCLUDED

#include "algorithms/exchange/machine.h"

/* The links that a message of a height uses. */
typedef struct anypi_links {
    double alpha;
    double beta;                /* of a rank's message alone; if it shares, of its port */
    bool shares;                /* the messages of a rank follow each other */
    double of_group;            /* time per byte of the link of each child, which all its ranks
                                 * share; 0: there are enough links */
} anypi_links;

/* Returns the links between children of groups of height h. */
anypi_links anypi_links_of(const anypi_machine *m, int h, const anyp_model *model);

/* Returns the time of one level. A rank's messages cost it `overheads`, and use a port or a link
 * for `transfer`. Both overlap; so do most overheads of messages that are sent and received. The
 * shares were found in the simulator, on nodes of equal and of different sizes, with 8 bytes to 8
 * MiB. */
double anypi_links_level(double alpha, double overheads, double transfer);

#endif
