/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arrivals.h - when the ranks of a program come to its calls: some are always later than others,
 * since they have more to do, and all vary by chance. A record (record/record.h) has the gaps in
 * front of the calls: the least and the largest mean of a rank, and the range in front of one call.
 * Arrivals are drawn that agree with these. If the record names the latest rank, the nearer another
 * one is to it, the later it comes; else other ranks are late in each draw.
 */
#ifndef ANYPI_ARRIVALS_H_INCLUDED
#define ANYPI_ARRIVALS_H_INCLUDED

#include <stdbool.h>

/* Seconds. All zero: the ranks come together. */
typedef struct anypi_arrivals {
    double late, early;         /* how long after the mean of the ranks the last one comes, and how
                                   long before it the first, on average over all calls */
    double chance;              /* each rank comes later by 0 to this, with equal chances */
    int latest;                 /* rank; -1: unknown */
} anypi_arrivals;

static inline bool anypi_arrivals_apart(const anypi_arrivals *arrivals)
{
    return arrivals->late > 0 || arrivals->chance > 0;
}

/* The arrivals of p >= 2 ranks: `late` and `early` as above; sets `chance` so that the last rank of
 * a draw comes so long after the first, `spread` on average, if late and early are not more. */
anypi_arrivals anypi_arrivals_fit(double late, double early, double spread, int latest, int p);

/* When a rank comes in a draw, 0, 1, ...: seconds, at least 0. */
double anypi_arrival(const anypi_arrivals *arrivals, int p, int rank, int draw);
/* When the last rank comes. */
double anypi_arrival_last(const anypi_arrivals *arrivals, int p, int draw);

#endif
