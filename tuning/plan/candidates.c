/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.c - which settings of AnyP's algorithms are worth measuring.
 *
 * The grid over an algorithm's parameters is the same for all cells, so that a setting can win in
 * neighbouring cells and make one rule of them. It is fine, because closed forms tell which of its
 * points are worth a look in a cell (prune.c).
 */
#include "plan/plan.h"

#include "algorithms/registry.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 512 };     /* of one algorithm's grid; else it is sparse */

/* A value of a parameter; the coarse ones are tried on any machine. */
typedef struct point {
    int value;
    bool coarse;
} point;

/* What lies between the ends of a number's range. */
static const int bytes_grid[] = {
    256, 512, 1024, 1448, 2048, 2896, 4096, 5792, 8192, 11585, 16384, 23170, 32768, 46341, 65536,
    92682, 131072, 185364, 262144, 370728, 524288, 1048576
};
static const int bytes_coarse[] = { 1024, 8192, 65536 };
static const int numbers_grid[] = {
    2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 24, 32, 48, 64, 128
};
static const int numbers_coarse[] = { 3, 4, 8 };

static int add_point(point *list, int count, point one)
{
    if (count && list[count - 1].value >= one.value) {
        if (list[count - 1].value == one.value)
            list[count - 1].coarse |= one.coarse;
        return count;
    }
    list[count] = one;
    return count + 1;
}

/* Values of one parameter into list[], ascending; returns how many. `sparse`: only the powers of two
 * of bytes. */
static int grid(const anyp_parameter *parameter, bool sparse, point list[ANYPI_MAX_LIST])
{
    int count = 0;
    if (parameter->values) {
        for (int value = parameter->minimum; value <= parameter->maximum; value++)
            if (count < ANYPI_MAX_LIST)
                list[count++] = (point) { value, true };
        return count;
    }
    const bool bytes = parameter->bytes;
    const int *between = bytes ? bytes_grid : numbers_grid;
    const int *coarse = bytes ? bytes_coarse : numbers_coarse;
    const int points = bytes ? sizeof bytes_grid / sizeof *bytes_grid
        : sizeof numbers_grid / sizeof *numbers_grid;
    int standard = parameter->default_value;
    count = add_point(list, count, (point) { parameter->minimum, true });
    for (int i = 0; i <= points; i++) {
        if (bytes && sparse && i < points && between[i] & (between[i] - 1))
            continue;
        const int value = i < points && between[i] < parameter->maximum ? between[i] : parameter->maximum;
        if (standard <= value)
            count = add_point(list, count, (point) { standard, true });
        const bool end = value == parameter->maximum;
        count = add_point(list, count, (point) { value, end || value == coarse[0] ||
                                                 value == coarse[1] || value == coarse[2] });
    }
    return count;
}

/* Room for one candidate more, all zero but its name; NULL if there is none. */
static anypi_candidate *append(anypi_candidates *candidates, const char *name)
{
    if (candidates->count == ANYPI_MAX_CANDIDATES || strlen(name) >= ANYPI_NAME_SIZE)
        return NULL;
    if (candidates->count == candidates->room) {
        const int room = candidates->room ? 2 * candidates->room : 16;
        anypi_candidate *list = realloc(candidates->list, (size_t) room * sizeof *list);
        if (!list)
            return NULL;
        candidates->list = list;
        candidates->room = room;
    }
    anypi_candidate *candidate = &candidates->list[candidates->count++];
    memset(candidate, 0, sizeof *candidate);
    strcpy(candidate->name, name);
    return candidate;
}

anyp_status anypi_candidates_add(anypi_candidates *candidates, const anyp_algorithm *algorithm,
                                 const char *name, int value)
{
    point values[ANYP_MAX_PARAMETERS][ANYPI_MAX_LIST];
    int counts[ANYP_MAX_PARAMETERS];
    int place[ANYP_MAX_PARAMETERS] = { 0 };
    const int parameters = algorithm ? algorithm->parameters_count : 0;

    double points = 1;
    for (int i = 0; i < parameters; i++)
        points *= counts[i] = grid(&algorithm->parameters[i], false, values[i]);
    const bool sparse = points > MOST_POINTS;
    for (int i = 0; i < parameters && sparse; i++)
        counts[i] = grid(&algorithm->parameters[i], true, values[i]);
    for (;;) {
        int fine = 0;
        for (int i = 0; i < parameters; i++)
            fine += !values[i][place[i]].coarse;
        if (fine <= 1 || !sparse) {
            anypi_candidate *candidate = append(candidates, name);
            if (!candidate)
                return ANYP_ERR_MEMORY;
            candidate->value = value;
            candidate->algorithm = algorithm;
            candidate->fine = fine;
            for (int i = 0; i < parameters; i++)
                candidate->parameters[i] = values[i][place[i]].value;
        }
        int i = parameters - 1;
        while (i >= 0 && ++place[i] == counts[i])
            place[i--] = 0;
        if (i < 0)
            return ANYP_SUCCESS;
    }
}

/* Sets a candidate's parameters from "name=value name=value"; false if there is no such thing. */
static bool set_parameters(anypi_candidate *candidate, char *settings)
{
    const char *reason;
    anyp_parameters_default(candidate->algorithm, candidate->parameters);
    for (char *rest, *word = strtok_r(settings, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            return false;
        *value++ = '\0';
        if (anyp_parameter_set(candidate->algorithm, candidate->parameters, word, value, &reason)
            != ANYP_SUCCESS)
            return false;
    }
    return true;
}

/* The first candidate that is told so; -1: none. */
static int find_text(const anypi_candidates *candidates, const char *text)
{
    char known[2 * ANYPI_NAME_SIZE + ANYP_VALUE_SIZE];
    for (int c = 0; c < candidates->count; c++)
        if (!strcmp(anypi_candidate_text(&candidates->list[c], known, sizeof known), text))
            return c;
    return -1;
}

int anypi_candidates_text(anypi_candidates *candidates, anyp_collective collective,
                          const char *text)
{
    char word[2 * ANYPI_NAME_SIZE + ANYP_VALUE_SIZE];
    const int known = find_text(candidates, text);
    if (known >= 0)
        return known;
    const size_t length = strcspn(text, " ");
    if (strlen(text) >= sizeof word)
        return -1;
    snprintf(word, sizeof word, "%.*s", (int) length, text);
    anypi_candidate *candidate = append(candidates, word);
    if (!candidate)
        return -1;
    bool good = !strcmp(text, "auto");
    if (!strncmp(word, "anyp_", 5))
        candidate->algorithm = anyp_algorithm_find(word + 5);
    else
        candidate->own = anypi_own_find(collective, word);
    snprintf(word, sizeof word, "%s", text + length);
    if (candidate->algorithm)
        good = set_parameters(candidate, word);
    else if (candidate->own)
        good = anypi_own_nameable(candidate->own) && anypi_own_set(candidate, word);
    if (!good) {
        candidates->count--;
        return -1;
    }
    /* it may have been told with other words, as without a parameter that has its default */
    const int first = find_text(candidates, anypi_candidate_text(candidate, word, sizeof word));
    if (first < candidates->count - 1)
        candidates->count--;
    return first;
}

char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size)
{
    snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", anyp_collective_name(collective));
    for (char *c = name; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    return name;
}

/* One of MPICH's own with every point of its grid. */
static anyp_status add_grid(anypi_candidates *candidates, const anypi_mpich_algorithm *own,
                            const anypi_names *names, const char *name, int value)
{
    int points[ANYPI_MAX_LIST][ANYP_MAX_PARAMETERS];
    const int count = anypi_own_grid(own, names, points, ANYPI_MAX_LIST);
    for (int i = 0; i < count; i++) {
        anypi_candidate *candidate = append(candidates, name);
        if (!candidate)
            return ANYP_ERR_MEMORY;
        candidate->value = value;
        candidate->own = own;
        candidate->fine = i;
        memcpy(candidate->parameters, points[i], sizeof points[i]);
    }
    return ANYP_SUCCESS;
}

/* MPICH's own, as far as rules can name them: not "auto", which leads the list, nor the nonblocking
 * engine. */
static anyp_status add_own(anypi_candidates *candidates, anyp_collective collective,
                           const anypi_names *names, const char *variable)
{
    const char *name;
    int value;
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; (name = anypi_names_value(names, variable, i, &value)); i++) {
        const anypi_mpich_algorithm *own = anypi_own_find(collective, name);
        if (status == ANYP_SUCCESS && own && anypi_own_nameable(own))
            status = add_grid(candidates, own, names, name, value);
    }
    return status;
}

/* AnyP's, as far as the library has them too; the plug-in has all. */
static anyp_status add_anyp(const anypi_plan *plan, anypi_candidates *candidates,
                            anyp_collective collective, const anypi_names *names,
                            const char *variable)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < count && status == ANYP_SUCCESS; i++) {
        char name[ANYPI_NAME_SIZE];
        snprintf(name, sizeof name, "anyp_%s", algorithms[i].name);
        const int value = names ? anypi_names_find(names, variable, name, -1) : 0;
        const bool asked = plan->reference || !(algorithms[i].properties & ANYP_REFERENCE);
        if (algorithms[i].collectives & ANYP_IN_SET(collective) && value >= 0 && asked)
            status = anypi_candidates_add(candidates, &algorithms[i], name, value);
    }
    return status;
}

anyp_status anypi_candidates_make(anypi_plan *plan, const anypi_names *names)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anyp_collective collective = (anyp_collective) i;
        anypi_candidates *candidates = &plan->candidates[i];
        char variable[ANYPI_NAME_SIZE];
        candidates->count = 0;
        if (!plan->wanted[i])
            continue;
        anypi_algorithm_variable(collective, variable, sizeof variable);
        const int automatic = names ? anypi_names_find(names, variable, "auto", 0) : 0;
        anyp_status status = anypi_candidates_add(candidates, NULL, "auto", automatic);
        if (status == ANYP_SUCCESS && names && !plan->only_anyp)
            status = add_own(candidates, collective, names, variable);
        const int own = candidates->count;
        if (status == ANYP_SUCCESS)
            status = add_anyp(plan, candidates, collective, names, variable);
        if (status != ANYP_SUCCESS)
            return status;
        plan->wanted[i] = candidates->count > own;
    }
    return ANYP_SUCCESS;
}

anyp_status anypi_cell_candidates(anypi_cell *cell, const anypi_candidates *candidates)
{
    const anyp_call call = anypi_cell_call(cell);
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate = &candidates->list[c];
        const char *reason;
        const anyp_status status = candidate->algorithm
            ? anyp_applicable(candidate->algorithm, &call, candidate->parameters, &reason)
            : ANYP_SUCCESS;
        if (status != ANYP_SUCCESS && status != ANYP_ERR_NOT_APPLICABLE)
            return status;
        const bool serves = status == ANYP_SUCCESS && !candidate->refused[!cell->commutative] &&
            (!candidate->own || (anypi_own_serves(candidate->own, &call, cell->commutative) &&
                                 anypi_own_worthwhile(candidate, call.p)));
        cell->same[c] = !serves ? -1 : candidate->own ? anypi_own_same(candidates, c, &call) : c;
        cell->alive[c] = cell->same[c] == c;
    }
    return ANYP_SUCCESS;
}
