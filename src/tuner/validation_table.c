/* SPDX-License-Identifier: BSD-3-Clause
 *
 * validation_table.c - prints the verdicts of a validation for people.
 */
#include "tuner/validation.h"

#include "tuner/candidates.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {
    [ANYPI_UNTIMED] = "no time", [ANYPI_FASTER] = "faster", [ANYPI_UNCLEAR] = "unclear",
    [ANYPI_SUSPECT] = "suspect", [ANYPI_SLOWER] = "SLOWER", [ANYPI_BAD] = "WRONG",
    [ANYPI_LIBRARY_BAD] = "library"
};

/* Returns the pairs that count for the verdict. */
static const anypi_pair_times *pairs_of(const anypi_point *point)
{
    return point->again.count ? &point->again : &point->first;
}

static double median(const double *times, int count)
{
    return anypi_interval_of(times, count, ANYPI_DOUBT).median;
}

static void print_row(const anypi_validation *validation, const anypi_point *point, FILE *file)
{
    const anypi_cell *cell = &validation->plan->cells[point->cell];
    const anypi_pair_times *pairs = pairs_of(point);
    anypi_text algorithm = anypi_candidate_text(&point->candidate);
    char interval[40] = "-";
    fprintf(file, "%-7s  %-20s  %-14s  %8lld  %-8s",
            anypi_procs_text(cell->p, cell->nodes).text + strlen("p="),
            anypi_form_name(cell->collective), anypi_operator(cell->collective, cell->commutative),
            (long long) cell->bytes, words[anypi_validation_verdict(validation, point)]);
    if (pairs->count) {
        const anypi_interval speed = anypi_pair_speed(validation->plan, pairs,
                                                      anypi_validation_doubt(validation, point));
        if (!isinf(speed.high))
            snprintf(interval, sizeof interval, "%.3f..%.3f%s", speed.low, speed.high,
                     point->suspect ? "*" : "");
        fprintf(file, "  %10.1f  %10.1f  %6.3f  %-14s", 1e6 * median(pairs->library, pairs->count),
                1e6 * median(pairs->file, pairs->count), speed.median, interval);
    } else {
        fprintf(file, "  %10s  %10s  %6s  %-14s", "-", "-", "-", "-");
    }
    anypi_candidate_shorten(algorithm.text);
    char *network = strstr(algorithm.text, " network=");   /* the last one, the same in all rows */
    if (network)
        *network = '\0';
    fprintf(file, "  %s\n", algorithm.text);
}

static void print_head(FILE *file)
{
    fprintf(file, "%-7s  %-20s  %-14s  %8s  %-8s  %10s  %10s  %6s  %-14s  %s\n", "p",
            "collective", "operator", "bytes", "verdict", "library us", "file us", "ratio",
            "95 %", "algorithm, parameters that are not auto");
}

static void print_all(const anypi_validation *validation, anypi_verdict verdict, FILE *file)
{
    for (int i = 0; i < validation->count; i++)
        if (anypi_validation_verdict(validation, &validation->points[i]) == verdict)
            print_row(validation, &validation->points[i], file);
}

static void print_mean(const anypi_validation *validation, FILE *file)
{
    double logarithms = 0, least = INFINITY, most = 0;
    int count = 0;
    for (int i = 0; i < validation->count; i++) {
        const anypi_point *point = &validation->points[i];
        /* the first pairs of all points, since only those that seemed slow have others */
        if (!point->first.count)
            continue;
        const double ratio = anypi_pair_speed(validation->plan, &point->first, ANYPI_DOUBT).median;
        logarithms += log(ratio);
        least = fmin(least, ratio);
        most = fmax(most, ratio);
        count++;
    }
    if (count)
        fprintf(file, "%d points, %.2f times as fast as the library (geometric mean), "
                "%.2f to %.2f\n", count, exp(logarithms / count), least, most);
}

/* Prints the loss that unclear points may hide. */
static void print_unclear(const anypi_validation *validation, FILE *file)
{
    double lowest = 1;
    int low = 0;
    for (int i = 0; i < validation->count; i++) {
        const anypi_point *point = &validation->points[i];
        if (anypi_validation_verdict(validation, point) != ANYPI_UNCLEAR)
            continue;
        const anypi_interval its = anypi_pair_speed(validation->plan, pairs_of(point),
                                                    anypi_validation_doubt(validation, point));
        low += its.low < 0.95;
        lowest = fmin(lowest, its.low);
    }
    if (low)
        fprintf(file, "the intervals of %d unclear points begin below 0.95, the lowest at %.2f; "
                "measure longer with --budget\n", low, lowest);
}

void anypi_validation_print(const anypi_validation *validation, FILE *file)
{
    int least = ANYPI_MAX_PAIRS, most = 0;
    fprintf(file, "ratio = library / file, above 1 is faster; medians, and the interval of the "
            "median ratio\n");
    print_head(file);
    for (int i = 0; i < validation->count; i++) {
        const anypi_point *point = &validation->points[i];
        if (point->first.count || point->bad)
            print_row(validation, point, file);
        if (point->first.count) {
            least = point->first.count < least ? point->first.count : least;
            most = point->first.count > most ? point->first.count : most;
        }
    }
    fprintf(file, "\n");
    print_mean(validation, file);
    fprintf(file, "%d points have a rule, %d are left to the library", validation->count,
            validation->holes);
    if (validation->others)
        fprintf(file, ", %d have one that cannot be measured", validation->others);
    fprintf(file, "; ");
    if (validation->plan->exact)
        fprintf(file, "times are exact\n");
    else
        fprintf(file, "%d to %d pairs each\n", most ? least : 0, most);
    if (anypi_validation_of(validation, ANYPI_UNTIMED))
        fprintf(file, "points with the verdict \"no time\" were left out at random: increase "
                "--budget, or validate fewer --collectives at a time\n");
    print_unclear(validation, file);
    const char *space = "";
    for (anypi_verdict verdict = ANYPI_UNTIMED; verdict <= ANYPI_LIBRARY_BAD; verdict++)
        if (anypi_validation_of(validation, verdict)) {
            fprintf(file, "%s%s %d", space, words[verdict],
                    anypi_validation_of(validation, verdict));
            space = ", ";
        }
    fprintf(file, "\n");
    if (validation->suspects && !validation->plan->exact)
        fprintf(file, "%d points seemed slower and were measured again: only their new times "
                "count, and their intervals (*) are right with 95 %% for all of them together\n",
                validation->suspects);
    for (anypi_verdict verdict = ANYPI_SUSPECT; verdict <= ANYPI_LIBRARY_BAD; verdict++)
        print_all(validation, verdict, file);
}
