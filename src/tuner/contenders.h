/* SPDX-License-Identifier: BSD-3-Clause
 *
 * contenders.h - selects the algorithms of AnyP that are measured in a cell: those whose closed
 * forms, by the constants of the machine, are nearly as short as the shortest.
 */
#ifndef ANYPI_CONTENDERS_H_INCLUDED
#define ANYPI_CONTENDERS_H_INCLUDED

#include "tuner/cells.h"

typedef struct anypi_contender {
    anypi_candidate candidate;  /* its parameters name the constants of the machine */
    double time;                /* by its closed form, in seconds */
    bool floods;                /* it has too many messages in flight */
} anypi_contender;

/* Writes the algorithms whose closed forms take at most `within` times the shortest into list[],
 * the fastest first. Returns their number, at most `max`; 0 if the plan has no constants. If all
 * ranks together have more than plan->max_messages in flight, an algorithm is left out unless no
 * other serves: a simulator may need minutes of real time for such a call. */
int anypi_contenders(const anypi_plan *plan, const anypi_cell *cell, double within, int max,
                     anypi_contender *list);

#endif
