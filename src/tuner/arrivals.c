/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/arrivals.h"

#include "schedule/schedule.h"

#include <math.h>
#include <stdlib.h>

/* To find `chance`: the number of draws that are averaged, and of halvings of an interval. */
enum { DRAWS = 32, STEPS = 20 };

/* If late and early are a larger part of the spread, chance is set to 0. */
static const double most_static = 0.95;

/* Returns a number from 0 to below 1. */
static double random_part(int one, int other)
{
    const uint64_t hash = anypi_hash_ints(anypi_hash_ints(0, one, other), 0, 0);
    return (double) (hash >> 11) * 0x1p-53;
}

static int common_divisor(int a, int b)
{
    while (b) {
        const int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Returns the rank's place in the order of lateness, 0 .. p - 1. */
static int place_of(int latest, int p, int rank, int draw)
{
    if (latest >= 0 && latest < p) {
        /* ranks at the same distance on both sides, the left one first */
        const int distance = abs(rank - latest), beyond = latest < p - 1 - latest ? latest
            : p - 1 - latest;
        const int nearer = distance <= beyond ? 2 * distance - (rank < latest) : distance + beyond;
        return p - 1 - nearer;
    }
    int step = 1 + (int) (random_part(draw, -1) * (p - 1));
    while (common_divisor(step, p) > 1)
        step++;
    return (int) (((long long) rank * step + (int) (random_part(draw, -2) * p)) % p);
}

double anypi_arrival(const anypi_arrivals *arrivals, int p, int rank, int draw)
{
    double seconds = arrivals->chance * random_part(draw, rank);
    /* from -early to late around the mean: a line if both are equal; if early is small, almost all
     * ranks arrive at the same time */
    if (arrivals->late > 0)
        seconds += (arrivals->late + arrivals->early) *
            pow((double) place_of(arrivals->latest, p, rank, draw) / (p - 1),
                arrivals->late / arrivals->early);
    return seconds;
}

double anypi_arrival_last(const anypi_arrivals *arrivals, int p, int draw)
{
    double last = 0;
    for (int rank = 0; rank < p; rank++)
        last = fmax(last, anypi_arrival(arrivals, p, rank, draw));
    return last;
}

static double mean_spread(const anypi_arrivals *arrivals, int p)
{
    double sum = 0;
    for (int draw = 0; draw < DRAWS; draw++) {
        const double last = anypi_arrival_last(arrivals, p, draw);
        double first = last;
        for (int rank = 0; rank < p; rank++)
            first = fmin(first, anypi_arrival(arrivals, p, rank, draw));
        sum += last - first;
    }
    return sum / DRAWS;
}

anypi_arrivals anypi_arrivals_fit(double late, double early, double spread, int latest, int p)
{
    anypi_arrivals arrivals = { .latest = latest };
    double low = 0, high = 4 * spread;          /* of two ranks, the spread is a third of chance */
    if (late > 0 || early > 0) {                /* one rank cannot be late without the others */
        arrivals.late = fmax(late, early / (p - 1));
        arrivals.early = fmax(early, late / (p - 1));
    }
    const bool more = arrivals.late + arrivals.early < most_static * spread;
    for (int step = 0; more && step < STEPS; step++) {
        arrivals.chance = (low + high) / 2;
        if (mean_spread(&arrivals, p) < spread)
            low = arrivals.chance;
        else
            high = arrivals.chance;
    }
    return arrivals;
}
