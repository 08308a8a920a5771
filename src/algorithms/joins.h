/* SPDX-License-Identifier: BSD-3-Clause
 *
 * joins.h - one rank's moves when groups join, for the files that say which groups do. They belong
 * to the last join of the path. (Rabenseifner & Träff 2004, sections 3.1 and 3.3)
 */
#ifndef ANYPI_JOINS_H_INCLUDED
#define ANYPI_JOINS_H_INCLUDED

#include "algorithms/elimination.h"

/* Two groups exchange halves, or if nothing halves (lower and upper are the same) whole slices. */
void anypi_join_pair(anypi_path *path, int role, int peer, anypi_range lower, anypi_range upper,
                     bool halves);

/* A 3-2 elimination; p0, p1 and p2 are at the rank's position of the three groups. */
void anypi_join_three(anypi_path *path, int role, int p0, int p1, int p2, anypi_range lower,
                      anypi_range upper, bool halves);

/* A 2-1 elimination: the right one gives what it holds to the left one and drops out. It is
 * mirrored if a round that halves follows; if not, the left one feeds the other. */
void anypi_join_absorb(anypi_path *path, int role, int peer, bool mirrored);

#endif
