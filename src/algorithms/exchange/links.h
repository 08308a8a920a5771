/* SPDX-License-Identifier: BSD-3-Clause
 *
 * links.h - the links that messages use in a machine with known nodes.
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

#endif
