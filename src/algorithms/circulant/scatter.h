/* SPDX-License-Identifier: BSD-3-Clause
 *
 * scatter.h - the reduce-scatter on a circulant graph; circulant.c explains it.
 */
#ifndef ANYPI_CIRCULANT_SCATTER_H_INCLUDED
#define ANYPI_CIRCULANT_SCATTER_H_INCLUDED

#include "anyp.h"

/* Adds the rounds that write block r of the sum to rank r's OUT, with these skips (skips.h). They
 * are a reduce-scatter (IN is a vector, OUT a block), or the first half of an allreduce (both are
 * vectors). Time is proportional to the rounds times the different lengths that rounds have (from
 * skip to skip). */
void anypi_circulant_scatter(const anyp_call *call, int skips, anyp_schedule *schedule);

#endif
