/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arrivals.h - when the ranks of a program arrive at its calls. Some are always later than others,
 * since they have more to do, and all vary by chance. A record (record/record.h) contains the gaps
 * before the calls: the least and the largest mean of a rank, and the range before one call.
 * Arrivals are drawn such that they agree with these. If the record names the latest rank, a rank
 * arrives the later the nearer it is to this one. Otherwise other ranks are late in each draw.
 */
#ifndef ANYPI_ARRIVALS_H_INCLUDED
#define ANYPI_ARRIVALS_H_INCLUDED

#include <stdbool.h>

/* In seconds. All zero: the ranks arrive together. */
typedef struct anypi_arrivals {
    double late, early;         /* on average over all calls: how long after the mean of the ranks
                                   the last one arrives, and how long before it the first */
    double chance;              /* each rank arrives later by 0 to this, uniformly distributed */
    int latest;                 /* rank; -1: unknown */
} anypi_arrivals;

static inline bool anypi_arrivals_apart(const anypi_arrivals *arrivals)
{
    return arrivals->late > 0 || arrivals->chance > 0;
}

/* Returns the arrivals of p >= 2 ranks, with `late` and `early` as above. `spread` is the average
 * time from the first rank of a draw to the last. Sets `chance` to reach it, if late and early are
 * not already more. */
anypi_arrivals anypi_arrivals_fit(double late, double early, double spread, int latest, int p);

/* Returns when a rank arrives in draw 0, 1, ...: seconds, at least 0. */
double anypi_arrival(const anypi_arrivals *arrivals, int p, int rank, int draw);
/* Returns when the last rank arrives. */
double anypi_arrival_last(const anypi_arrivals *arrivals, int p, int draw);

#endif
