/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose.h - from measured times to one choice per cell.
 */
#ifndef ANYPI_CHOOSE_H_INCLUDED
#define ANYPI_CHOOSE_H_INCLUDED

#include "plan/plan.h"

/* Sets choice in all cells of complete p. The library keeps its choice unless a candidate is faster
 * by more than `margin`, and significantly so. Among the candidates within `margin` of the best,
 * takes the choice at the next smaller size, else that at the next smaller p, else the best, so
 * that noise does not split rules. */
void anypi_choose_all(anypi_plan *plan, double margin);

#endif
