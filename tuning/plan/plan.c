/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plan.c - which numbers of processes and sizes are measured, and in which order.
 */
#include "plan/plan.h"

#include "select/vocabulary.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_power(int p)
{
    return !(p & (p - 1));
}

static int add(int *list, int count, int number, int most)
{
    if (number > most || count == ANYPI_MAX_LIST || (count && list[count - 1] >= number))
        return count;
    list[count] = number;
    return count + 1;
}

int anypi_default_procs(int most, int procs[ANYPI_MAX_LIST])
{
    int count = 0;
    for (int p = 2; p <= 8; p++)
        count = add(procs, count, p, most);
    for (int base = 8; base < most && base < 1 << 24; base *= 2) {
        const int places[] = { base + 1, base + base / 4, base + base / 2,
                               base + base / 2 + base / 8, 2 * base - 1, 2 * base };
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
            count = add(procs, count < ANYPI_MAX_LIST ? count : count - 1, places[i], most);
    }
    if (most > 1 && procs[count - 1] != most)
        count = add(procs, count < ANYPI_MAX_LIST ? count : count - 1, most, most);
    return count;
}

/* 0: first of all ... */
static int urgency(const int *procs, int count, int i)
{
    if (i == count - 1)
        return 0;
    if (procs[i] <= 8)
        return 1;
    return is_power(procs[i]) ? 3 : 2;
}

void anypi_procs_order(const int *procs, int count, int *order)
{
    int placed = 0;
    for (int level = 0; level <= 3; level++)
        for (int i = 0; i < count; i++)
            if (urgency(procs, count, i) == level)
                order[placed++] = i;
}

/* A number with an optional K, M, G; -1 if it is none. */
static int64_t parse_number(const char **text)
{
    char *rest;
    if (!isdigit((unsigned char) **text))
        return -1;
    errno = 0;
    long long number = strtoll(*text, &rest, 10);
    const char *unit = *rest ? strchr("KMG", toupper((unsigned char) *rest)) : NULL;
    for (int power = unit ? (int) (unit - "KMG") + 1 : 0; unit && power > 0; power--)
        number = number > INT64_MAX / 1024 ? INT64_MAX : number * 1024;
    *text = unit ? rest + 1 : rest;
    return errno ? INT64_MAX : number;
}

/* Puts a number into an ascending list; false if the list is full. */
static bool insert(int64_t *list, int *count, int64_t number)
{
    int place = 0;
    while (place < *count && list[place] < number)
        place++;
    if (place < *count && list[place] == number)
        return true;
    if (*count == ANYPI_MAX_LIST)
        return false;
    memmove(&list[place + 1], &list[place], (size_t) (*count - place) * sizeof *list);
    list[place] = number;
    (*count)++;
    return true;
}

int anypi_parse_list(const char *text, int64_t least, int64_t most, int64_t list[ANYPI_MAX_LIST],
                     const char **reason)
{
    int count = 0;
    for (;;) {
        const int64_t first = parse_number(&text);
        int64_t last = first;
        if (first >= 0 && *text == '-') {
            text++;
            last = parse_number(&text);
        }
        if (first < 0 || last < first || (*text && *text != ',')) {
            *reason = "not numbers and ranges with commas between them, like 2,3,5-8";
            return 0;
        }
        if (first < least || last > most) {
            *reason = "a number is out of range";
            return 0;
        }
        for (int64_t number = first; number <= last; number++)
            if (!insert(list, &count, number)) {
                *reason = "more than 64 numbers";
                return 0;
            }
        if (!*text)
            return count;
        text++;
    }
}

static bool scatters(anyp_collective collective)
{
    return collective == ANYP_REDUCE_SCATTER || collective == ANYP_REDUCE_SCATTER_BLOCK;
}

static int64_t element_size(const anypi_cell *cell)
{
    return cell->commutative ? ANYPI_SUM_SIZE : ANYPI_MATRIX_SIZE;
}

int64_t anypi_cell_count(const anypi_cell *cell)
{
    const int64_t parts = scatters(cell->collective) ? cell->p : 1;
    const int64_t each = cell->bytes / (element_size(cell) * parts);
    return parts * (each > 0 ? each : 1);
}

anyp_call anypi_cell_call(const anypi_cell *cell)
{
    return (anyp_call) { .collective = cell->collective, .p = cell->p,
                         .count = anypi_cell_count(cell), .type_size = element_size(cell),
                         .commutative = cell->commutative };
}

/* Where the collective scatters, the smallest vector has one element for each process. Is it there
 * already? */
static bool repeats(const anypi_plan *plan, const anypi_cell *cell)
{
    const anypi_cell *before = plan->cells_count ? &plan->cells[plan->cells_count - 1] : NULL;
    return scatters(cell->collective) && before && before->p == cell->p &&
        before->collective == cell->collective && before->commutative == cell->commutative &&
        anypi_cell_count(before) == anypi_cell_count(cell);
}

static anyp_status make_cell(anypi_plan *plan, anypi_cell cell)
{
    const anypi_candidates *candidates = &plan->candidates[cell.collective];
    const size_t count = (size_t) candidates->count;
    if (scatters(cell.collective) && cell.bytes < element_size(&cell) * cell.p)
        cell.bytes = element_size(&cell) * cell.p;
    if (repeats(plan, &cell))
        return ANYP_SUCCESS;
    cell.candidates = candidates->count;
    if (plan->follows) {
        plan->cells[plan->cells_count++] = cell;
        return ANYP_SUCCESS;
    }
    cell.same = calloc(count, sizeof *cell.same);
    cell.alive = calloc(count, sizeof *cell.alive);
    cell.skipped = calloc(count, sizeof *cell.skipped);
    cell.times = calloc(count * ANYPI_MAX_ROUNDS, sizeof *cell.times);
    plan->cells[plan->cells_count++] = cell;
    if (!cell.same || !cell.alive || !cell.skipped || !cell.times)
        return ANYP_ERR_MEMORY;
    const anyp_status status = anypi_cell_candidates(&plan->cells[plan->cells_count - 1],
                                                     candidates);
    cell.alive[0] = !plan->only_anyp;
    return status;
}

anyp_status anypi_plan_cells(anypi_plan *plan)
{
    const size_t most = (size_t) plan->procs_count * ANYP_COLLECTIVES * 2 *
        (size_t) plan->sizes_count;
    plan->cells = calloc(most, sizeof *plan->cells);
    plan->cells_count = 0;
    anyp_status status = plan->cells ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int i = 0; i < plan->procs_count; i++)
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
            for (int operators = 0; plan->wanted[collective] && operators < 2; operators++)
                for (int size = 0; status == ANYP_SUCCESS && !plan->unwanted[operators] &&
                     size < plan->sizes_count; size++)
                    status = make_cell(plan, (anypi_cell) {
                                           .collective = (anyp_collective) collective,
                                           .commutative = !operators, .p = plan->procs[i],
                                           .bytes = plan->sizes[size] });
    return status;
}

void anypi_plan_free(anypi_plan *plan)
{
    for (int i = 0; i < plan->cells_count; i++) {
        free(plan->cells[i].same);
        free(plan->cells[i].alive);
        free(plan->cells[i].skipped);
        free(plan->cells[i].times);
    }
    free(plan->cells);
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        free(plan->candidates[i].list);
        plan->candidates[i] = (anypi_candidates) { .list = NULL };
    }
    plan->cells = NULL;
    plan->cells_count = 0;
}

bool anypi_candidate_parameter(const anypi_candidate *candidate, int i, char *text, size_t size)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    const int value = candidate->parameters[i < ANYP_MAX_PARAMETERS ? i : 0];
    char word[ANYP_VALUE_SIZE];
    if (algorithm && i < algorithm->parameters_count) {
        anyp_parameter_text(&algorithm->parameters[i], value, word, sizeof word);
        snprintf(text, size, "%s=%s", algorithm->parameters[i].name, word);
        return true;
    }
    return candidate->own && i < anypi_list_count(candidate->own->parameters) &&
        anypi_own_setting(candidate->own, i, value, text, size);
}

char *anypi_candidate_text(const anypi_candidate *candidate, char *text, size_t size)
{
    char parameter[ANYPI_NAME_SIZE + ANYP_VALUE_SIZE];
    int length = snprintf(text, size, "%s", candidate->name);
    for (int i = 0; anypi_candidate_parameter(candidate, i, parameter, sizeof parameter); i++)
        if (length >= 0 && (size_t) length < size)
            length += snprintf(text + length, size - (size_t) length, " %s", parameter);
    return text;
}
