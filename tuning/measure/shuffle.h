/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shuffle.h - the order of measurements. It must not be regular, so that no neighbour and no drift
 * of the machine favours one of them.
 */
#ifndef ANYPI_SHUFFLE_H_INCLUDED
#define ANYPI_SHUFFLE_H_INCLUDED

#include <stdint.h>

/* Returns a random number; another sequence in each run. */
uint64_t anypi_drawn(void);
/* Shuffles a list. */
void anypi_shuffle(int *list, int count);

#endif
