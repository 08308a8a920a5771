/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/validation.h"

#include "plan/form.h"
#include "plan/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the points ---- */

static void extend_sizes(const anypi_grid *grid, anypi_plan *plan)
{
    int count = 0;
    plan->sizes[count++] = grid->sizes[0] > 1 ? grid->sizes[0] / 2 : 1;
    for (int i = 0; i < grid->sizes_count && count < ANYPI_MAX_LIST - 2; i++) {
        const int64_t size = grid->sizes[i];
        const double middle = i ? sqrt((double) grid->sizes[i - 1] * (double) size) : 0;
        const int64_t between = (int64_t) middle / ANYPI_MATRIX_SIZE * ANYPI_MATRIX_SIZE;
        if (between > plan->sizes[count - 1])
            plan->sizes[count++] = between;
        if (size > plan->sizes[count - 1])
            plan->sizes[count++] = size;
    }
    plan->sizes[count] = 4 * plan->sizes[count - 1];
    plan->sizes_count = count + 1;
}

static void extend_procs(const anypi_grid *grid, anypi_plan *plan)
{
    int count = 0;
    for (int i = 0; i < grid->procs_count; i++) {
        const int room = ANYPI_MAX_LIST - count - (grid->procs_count - i);
        const int between = i ? (grid->procs[i - 1] + grid->procs[i]) / 2 : 0;
        if (i && room > 0 && between > grid->procs[i - 1])
            plan->procs[count++] = between;
        plan->procs[count++] = grid->procs[i];
    }
    plan->procs_count = count;
}

anypi_grid anypi_validation_grid(anypi_plan *plan, bool sizes, bool procs)
{
    anypi_grid grid = { .sizes_count = sizes ? plan->sizes_count : 0,
                        .procs_count = procs ? plan->procs_count : 0 };
    memcpy(grid.sizes, plan->sizes, sizeof grid.sizes);
    memcpy(grid.procs, plan->procs, sizeof grid.procs);
    if (sizes)
        extend_sizes(&grid, plan);
    if (procs)
        extend_procs(&grid, plan);
    return grid;
}

/* Is the cell one of those that the tuner measures by default? */
static bool is_of_grid(const anypi_grid *grid, const anypi_cell *cell)
{
    bool size = !grid->sizes_count, procs = !grid->procs_count;
    for (int i = 0; i < grid->sizes_count; i++) {
        anypi_cell other = *cell;
        other.bytes = grid->sizes[i];
        size = size || anypi_cell_count(&other) == anypi_cell_count(cell);
    }
    for (int i = 0; i < grid->procs_count; i++)
        procs = procs || grid->procs[i] == cell->p;
    return size && procs;
}

void anypi_validation_candidates(anypi_plan *plan)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        anypi_candidates *all = &plan->candidates[i];
        int kept = 0;
        for (int c = 0; c < all->count; c++) {
            bool first = true;
            for (int k = 0; k < kept && first; k++)
                first = strcmp(all->list[k].name, all->list[c].name) != 0;
            if (first)
                all->list[kept++] = all->list[c];
        }
        all->count = kept;
    }
}

bool anypi_validation_make(anypi_validation *validation, const anypi_plan *plan,
                           const anypi_grid *grid, const anypi_decision *decision, bool names_own)
{
    *validation = (anypi_validation) { .plan = plan };
    validation->points = calloc((size_t) plan->cells_count + 1, sizeof *validation->points);
    for (int i = 0; validation->points && i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        anypi_point *point = &validation->points[validation->count];
        anypi_choice choice;
        if (!anypi_chosen(decision, cell, true, names_own, &choice, &point->candidate)) {
            validation->holes++;
            continue;
        }
        point->cell = i;
        point->index = -1;
        point->between = !is_of_grid(grid, cell);
        memcpy(point->rule, choice.path, sizeof point->rule);
        validation->count++;
    }
    return validation->points;
}

void anypi_validation_free(anypi_validation *validation)
{
    free(validation->points);
    *validation = (anypi_validation) { .count = 0 };
}

/* ---- verdicts ---- */

anypi_interval anypi_pair_speed(const anypi_plan *plan, const anypi_pair_times *pairs, double doubt)
{
    double ratios[ANYPI_MAX_PAIRS];
    for (int i = 0; i < pairs->count; i++)
        ratios[i] = pairs->library[i] / pairs->file[i];
    if (!plan->exact || !pairs->count)
        return anypi_interval_of(ratios, pairs->count, doubt);
    return (anypi_interval) { ratios[0], ratios[0], ratios[0] };
}

int anypi_validation_suspect(anypi_validation *validation)
{
    validation->suspects = 0;
    for (int i = 0; i < validation->count; i++) {
        anypi_point *point = &validation->points[i];
        point->suspect = !point->bad &&
            anypi_pair_speed(validation->plan, &point->first, ANYPI_DOUBT).high < 1;
        validation->suspects += point->suspect;
    }
    return validation->suspects;
}

/* Of each suspect. */
static double doubt(const anypi_validation *validation)
{
    return ANYPI_DOUBT / (validation->suspects ? validation->suspects : 1);
}

int anypi_validation_needed(const anypi_validation *validation)
{
    return validation->plan->exact ? 1 : 1 + (int) ceil(-log2(doubt(validation)));
}

anypi_verdict anypi_validation_verdict(const anypi_validation *validation, const anypi_point *point)
{
    const anypi_plan *plan = validation->plan;
    const anypi_interval first = anypi_pair_speed(plan, &point->first, ANYPI_DOUBT);
    if (point->bad)
        return ANYPI_BAD;
    if (!point->suspect)
        return isinf(first.high) ? ANYPI_UNTIMED : first.low > 1 ? ANYPI_FASTER : ANYPI_ALIKE;
    if (plan->exact)
        return ANYPI_SLOWER;
    if (point->again.count < anypi_validation_needed(validation))
        return ANYPI_SUSPECT;
    return anypi_pair_speed(plan, &point->again, doubt(validation)).high < 1
        ? ANYPI_SLOWER : ANYPI_ALIKE;
}

int anypi_validation_of(const anypi_validation *validation, anypi_verdict verdict)
{
    int points = 0;
    for (int i = 0; i < validation->count; i++)
        points += anypi_validation_verdict(validation, &validation->points[i]) == verdict;
    return points;
}

/* ---- the table ---- */

static const char *const words[] = {
    [ANYPI_UNTIMED] = "no time", [ANYPI_FASTER] = "faster", [ANYPI_ALIKE] = "alike",
    [ANYPI_SUSPECT] = "suspect", [ANYPI_SLOWER] = "SLOWER", [ANYPI_BAD] = "WRONG"
};

/* What counts for the verdict. */
static const anypi_pair_times *pairs_of(const anypi_point *point)
{
    return point->again.count ? &point->again : &point->first;
}

static double median(const double *times, int count)
{
    double copy[ANYPI_MAX_PAIRS];
    memcpy(copy, times, (size_t) count * sizeof *copy);
    return anypi_interval_of(copy, count, ANYPI_DOUBT).median;
}

static void print_row(const anypi_validation *validation, const anypi_point *point, FILE *file)
{
    const anypi_cell *cell = &validation->plan->cells[point->cell];
    const anypi_pair_times *pairs = pairs_of(point);
    char where[256], text[ANYPI_TEXT_SIZE], interval[40] = "-";
    fprintf(file, "%-7s  %-20s  %-14s  %8lld%c  %-8s",
            anypi_procs_text(cell->p, cell->nodes, where, sizeof where) + strlen("p="),
            anypi_form_name(cell->collective), anypi_operator(cell->collective, cell->commutative),
            (long long) cell->bytes, point->between ? '+' : ' ',
            words[anypi_validation_verdict(validation, point)]);
    if (pairs->count) {
        const anypi_interval speed = anypi_pair_speed(
            validation->plan, pairs, point->suspect ? doubt(validation) : ANYPI_DOUBT);
        if (!isinf(speed.high))
            snprintf(interval, sizeof interval, "%.3f..%.3f", speed.low, speed.high);
        fprintf(file, "  %10.1f  %10.1f  %6.3f  %-14s", 1e6 * median(pairs->library, pairs->count),
                1e6 * median(pairs->file, pairs->count), speed.median, interval);
    } else {
        fprintf(file, "  %10s  %10s  %6s  %-14s", "-", "-", "-", "-");
    }
    anypi_candidate_shorten(anypi_candidate_text(&point->candidate, text, sizeof text));
    char *network = strstr(text, " network=");          /* the same in all rows, and the last */
    if (network)
        *network = '\0';
    fprintf(file, "  %s\n", text);
}

static void print_head(FILE *file)
{
    fprintf(file, "%-7s  %-20s  %-14s  %8s   %-8s  %10s  %10s  %6s  %-14s  %s\n", "p",
            "collective", "operator", "bytes", "verdict", "library us", "file us", "ratio",
            "95 %", "algorithm, parameters that are not auto");
}

static void print_all(const anypi_validation *validation, anypi_verdict verdict, FILE *file)
{
    for (int i = 0; i < validation->count; i++)
        if (anypi_validation_verdict(validation, &validation->points[i]) == verdict)
            print_row(validation, &validation->points[i], file);
}

static void print_means(const anypi_validation *validation, FILE *file)
{
    for (int between = 0; between < 2; between++) {
        double logarithms = 0, least = INFINITY, most = 0;
        int count = 0;
        for (int i = 0; i < validation->count; i++) {
            const anypi_point *point = &validation->points[i];
            if (!pairs_of(point)->count || point->bad || point->between != between)
                continue;
            const double ratio = anypi_pair_speed(validation->plan, pairs_of(point),
                                                   ANYPI_DOUBT).median;
            logarithms += log(ratio);
            least = fmin(least, ratio);
            most = fmax(most, ratio);
            count++;
        }
        if (count)
            fprintf(file, "%s: %d points, %.2f times as fast as the library (geometric mean), "
                    "%.2f to %.2f\n",
                    between ? "between those, marked +" : "sizes and processes of the tuner", count,
                    exp(logarithms / count), least, most);
    }
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
        if (!point->bad && point->first.count) {
            least = point->first.count < least ? point->first.count : least;
            most = point->first.count > most ? point->first.count : most;
        }
    }
    fprintf(file, "\n");
    print_means(validation, file);
    fprintf(file, "%d points have a rule, %d are left to the library; ", validation->count,
            validation->holes);
    if (validation->plan->exact)
        fprintf(file, "times are exact\n");
    else
        fprintf(file, "%d to %d pairs each\n", most ? least : 0, most);
    if (anypi_validation_of(validation, ANYPI_UNTIMED))
        fprintf(file, "points with the verdict \"no time\" were left out at random: give a longer "
                "--budget, or validate some --collectives at a time\n");
    for (anypi_verdict verdict = ANYPI_UNTIMED; verdict <= ANYPI_BAD; verdict++)
        if (anypi_validation_of(validation, verdict))
            fprintf(file, "%s%s %d", verdict == ANYPI_UNTIMED ? "" : " ", words[verdict],
                    anypi_validation_of(validation, verdict));
    fprintf(file, "\n");
    if (validation->suspects && !validation->plan->exact)
        fprintf(file, "%d seemed slower and were measured again; only the new times count "
                "for them, and all verdicts \"slower\" together are right with a probability of "
                "95 %%\n",
                validation->suspects);
    for (anypi_verdict verdict = ANYPI_SUSPECT; verdict <= ANYPI_BAD; verdict++)
        print_all(validation, verdict, file);
}

/* ---- mending ---- */

/* The nearest point of the same rule with smaller (step -1) or larger vectors (1), of the same
 * processes and operators, that is not slower; NULL: none. */
static const anypi_point *neighbour(const anypi_validation *validation, const anypi_point *point,
                                    int step)
{
    const anypi_cell *cells = validation->plan->cells;
    for (const anypi_point *other = point + step; other >= validation->points &&
         other < validation->points + validation->count; other += step) {
        const anypi_verdict verdict = anypi_validation_verdict(validation, other);
        if (!anypi_cell_alike(&cells[other->cell], &cells[point->cell]) ||
            strcmp(other->rule, point->rule) != 0)
            return NULL;
        if (verdict == ANYPI_FASTER || verdict == ANYPI_ALIKE)
            return other;
    }
    return NULL;
}

static anypi_signature signature_of(const anypi_validation *validation, const anypi_point *point)
{
    return anypi_cell_signature(&validation->plan->cells[point->cell], true);
}

int anypi_validation_remove(const anypi_validation *validation, anypi_decision *decision)
{
    int removed = 0;
    /* of wrong results first, whose rules do not stay for other sizes */
    for (int i = 0; i < 2 * validation->count; i++) {
        const anypi_point *point = &validation->points[i % validation->count];
        if (anypi_validation_verdict(validation, point) !=
            (i < validation->count ? ANYPI_BAD : ANYPI_SLOWER))
            continue;
        const anypi_signature at = signature_of(validation, point);
        const anypi_point *ends[2] = { NULL, NULL };
        anypi_signature sizes[2];
        for (int k = 0; k < 2 && !point->bad; k++) {
            ends[k] = neighbour(validation, point, k ? 1 : -1);
            if (ends[k])
                sizes[k] = signature_of(validation, ends[k]);
        }
        removed += anypi_decision_remove(decision, &at, ends[0] ? &sizes[0] : NULL,
                                         ends[1] ? &sizes[1] : NULL);
    }
    return removed;
}

/* The length of the comments, and blanks, at the head of a decision file. */
static size_t comments(const char *text)
{
    size_t length = 0;
    for (;;) {
        length += strspn(text + length, " \t\r\n");
        const char *end = strncmp(text + length, "/*", 2) ? NULL : strstr(text + length + 2, "*/");
        if (!end)
            return length;
        length = (size_t) (end + strlen("*/") - text);
    }
}

char *anypi_validation_text(const anypi_decision *decision, const char *before, const char *comment)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "%.*s/* %s */\n", (int) comments(before), before, comment);
    anypi_decision_write(decision, true, file);
    fprintf(file, "\n");
    if (!(ferror(file) | fclose(file)))
        return text;
    free(text);
    return NULL;
}
