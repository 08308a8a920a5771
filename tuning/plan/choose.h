/* SPDX-License-Identifier: BSD-3-Clause
 *
 * choose.h - from measured times to one choice per cell. The burden of proof is on the candidate:
 * where nothing is clearly faster, the library keeps its choice.
 */
#ifndef ANYPI_CHOOSE_H_INCLUDED
#define ANYPI_CHOOSE_H_INCLUDED

#include "plan/plan.h"

/* Sets choice in all cells of complete p. A candidate must be faster than the library's choice
 * by more than `margin`, and provably so in spite of noise (noise.h). Among those within
 * `margin` of the best, that of the next smaller size, else that of the next smaller p, else the
 * best is taken, so that noise does not tear rules apart. */
void anypi_choose_all(anypi_plan *plan, double margin);

#endif
