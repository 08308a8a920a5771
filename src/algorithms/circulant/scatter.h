/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scatter.h - the reduce-scatter on a circulant graph; see circulant.c.
 */
#ifndef ANYPI_CIRCULANT_SCATTER_H_INCLUDED
#define ANYPI_CIRCULANT_SCATTER_H_INCLUDED

#include "anyp.h"

/* Adds the rounds that write block r of the sum to rank r's OUT, for a reduce-scatter (IN is a
 * vector, OUT a block) or the first half of an allreduce (both are vectors), with these skips
 * (skips.h). Time is proportional to the rounds times the different lengths that rounds have (from
 * skip to skip). */
void anypi_circulant_scatter(const anyp_call *call, int skips, anyp_schedule *schedule);

#endif
