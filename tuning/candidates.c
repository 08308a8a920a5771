/* SPDX-License-Identifier: BSD-3-Clause
 *
 * candidates.c - which settings of AnyP's algorithms are worth measuring.
 *
 * The grid over an algorithm's parameters is the same for all cells, so that a setting can win in
 * neighbouring cells and make one rule of them. In one cell many settings come to the same messages
 * (a threshold above the vector's size and one far above): their schedules are compared, and only
 * one of each kind is measured.
 */
#include "tune.h"

#include "algorithms/registry.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ANYPI_SAMPLE = 16 };     /* ranks whose schedules are compared */

/* Values of one parameter into values[], ascending; returns how many. */
static int grid(const anyp_parameter *parameter, int values[ANYPI_MAX_LIST])
{
    int count = 0;
    if (parameter->values) {
        for (int value = parameter->least; value <= parameter->most; value++)
            if (count < ANYPI_MAX_LIST)
                values[count++] = value;
        return count;
    }
    static const int bytes[] = { 1024, 8192, 65536 }, others[] = { 3, 4, 8 };
    const int *between = anypi_is_bytes(parameter) ? bytes : others;
    for (int i = 0; i < 5; i++) {
        const int value = i == 0 ? parameter->least : i == 4 ? parameter->most : between[i - 1];
        const int before = count ? values[count - 1] : -1;
        if (parameter->standard > before && parameter->standard < value &&
            (count || parameter->standard >= parameter->least))
            values[count++] = parameter->standard;
        if (value >= parameter->least && value <= parameter->most &&
            (!count || value > values[count - 1]))
            values[count++] = value;
    }
    return count;
}

anyp_status anypi_candidates_add(anypi_candidates *candidates, const anyp_algorithm *algorithm,
                                 const char *name, int value)
{
    int values[ANYP_MAX_PARAMETERS][ANYPI_MAX_LIST], counts[ANYP_MAX_PARAMETERS];
    int place[ANYP_MAX_PARAMETERS] = { 0 };
    const int parameters = algorithm ? algorithm->parameters_count : 0;

    for (int i = 0; i < parameters; i++)
        counts[i] = grid(&algorithm->parameters[i], values[i]);
    for (;;) {
        if (candidates->count == ANYPI_MAX_CANDIDATES || strlen(name) >= ANYPI_NAME_SIZE)
            return ANYP_ERR_MEMORY;
        anypi_candidate *candidate = &candidates->list[candidates->count++];
        memset(candidate, 0, sizeof *candidate);
        strcpy(candidate->name, name);
        candidate->value = value;
        candidate->algorithm = algorithm;
        for (int i = 0; i < parameters; i++)
            candidate->parameters[i] = values[i][place[i]];
        int i = parameters - 1;
        while (i >= 0 && ++place[i] == counts[i])
            place[i--] = 0;
        if (i < 0)
            return ANYP_SUCCESS;
    }
}

char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size)
{
    snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", anyp_collective_name(collective));
    for (char *c = name; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    return name;
}

/* MPICH's own algorithms that abort the program where they do not fit instead of returning an
 * error, so that they cannot be tried, nor trusted with every call of a size (4.0.2). Two of
 * reduce_scatter's: the one for operators that do not commute asserts a power of two and equal
 * blocks, which MPICH's list of restrictions does not say; and the pairwise one, in place, copies a
 * block onto itself if it is longer than what lies in front of it. The automatic choice, which is
 * MPICH's own business, may still use them. */
static bool aborts(anyp_collective collective, const char *name)
{
    return collective == ANYP_REDUCE_SCATTER &&
        (!strcmp(name, "noncommutative") || !strcmp(name, "pairwise"));
}

/* MPICH's own: all but "auto", which leads the list, and the nonblocking engine. */
static anyp_status add_own(anypi_candidates *candidates, anyp_collective collective,
                           const anypi_names *names, const char *variable)
{
    const char *name;
    int value;
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; (name = anypi_names_value(names, variable, i, &value)); i++)
        if (status == ANYP_SUCCESS && strncmp(name, "anyp_", 5) && strcmp(name, "auto") &&
            strcmp(name, "nb") && !aborts(collective, name))
            status = anypi_candidates_add(candidates, NULL, name, value);
    return status;
}

/* AnyP's, as far as the library has them too; the plug-in has all. */
static anyp_status add_anyp(anypi_candidates *candidates, anyp_collective collective,
                            const anypi_names *names, const char *variable)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < count && status == ANYP_SUCCESS; i++) {
        char name[ANYPI_NAME_SIZE];
        snprintf(name, sizeof name, "anyp_%s", algorithms[i].name);
        const int value = names ? anypi_names_find(names, variable, name, -1) : 0;
        if (algorithms[i].collectives & ANYP_IN_SET(collective) && value >= 0)
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
        if (status == ANYP_SUCCESS && names)
            status = add_own(candidates, collective, names, variable);
        const int own = candidates->count;
        if (status == ANYP_SUCCESS)
            status = add_anyp(candidates, collective, names, variable);
        if (status != ANYP_SUCCESS)
            return status;
        plan->wanted[i] = candidates->count > own;
    }
    return ANYP_SUCCESS;
}

static bool equal_slices(anyp_slice one, anyp_slice other)
{
    return one.buffer == other.buffer && one.first == other.first && one.end == other.end;
}

static bool equal_schedules(const anyp_schedule *one, const anyp_schedule *other)
{
    if (one->blocks != other->blocks || one->rounds != other->rounds ||
        one->steps_count != other->steps_count)
        return false;
    for (int i = 0; i <= one->rounds && one->rounds; i++)
        if (one->round_start[i] != other->round_start[i])
            return false;
    for (int i = 0; i < one->steps_count; i++) {
        const anyp_step *a = &one->steps[i], *b = &other->steps[i];
        if (a->kind != b->kind || a->peer != b->peer)
            return false;
        if (a->kind != ANYP_RECV && !equal_slices(a->from, b->from))
            return false;
        if (a->kind != ANYP_SEND && !equal_slices(a->to, b->to))
            return false;
    }
    return true;
}

/* The schedules of the ranks that are compared: all, or some of very many. */
typedef struct sample {
    anyp_schedule schedules[ANYPI_SAMPLE];
    int count;
} sample;

static void free_sample(sample *ranks)
{
    for (int i = 0; ranks && i < ANYPI_SAMPLE; i++)
        anyp_schedule_free(&ranks->schedules[i]);
    free(ranks);
}

static anyp_status make_sample(const anypi_candidate *candidate, anyp_call call, sample **ranks)
{
    *ranks = malloc(sizeof **ranks);
    if (!*ranks)
        return ANYP_ERR_MEMORY;
    (*ranks)->count = call.p < ANYPI_SAMPLE ? call.p : ANYPI_SAMPLE;
    for (int i = 0; i < ANYPI_SAMPLE; i++)
        anyp_schedule_init(&(*ranks)->schedules[i]);
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < (*ranks)->count && status == ANYP_SUCCESS; i++) {
        call.rank = (int) ((int64_t) i * call.p / (*ranks)->count);
        status = anyp_generate(candidate->algorithm, &call, candidate->parameters,
                               &(*ranks)->schedules[i]);
    }
    return status;
}

static bool equal_samples(const sample *one, const sample *other)
{
    for (int i = 0; i < one->count; i++)
        if (!equal_schedules(&one->schedules[i], &other->schedules[i]))
            return false;
    return true;
}

anyp_status anypi_cell_candidates(anypi_cell *cell, const anypi_candidates *candidates)
{
    const anyp_call call = anypi_cell_call(cell);
    anyp_status status = ANYP_SUCCESS;
    sample **samples = calloc((size_t) cell->candidates, sizeof(sample *));
    if (!samples)
        return ANYP_ERR_MEMORY;

    for (int c = 0; c < cell->candidates && status == ANYP_SUCCESS; c++) {
        const anypi_candidate *candidate = &candidates->list[c];
        cell->same[c] = c;
        if (candidate->refused[!cell->commutative])
            cell->same[c] = -1;
        if (cell->same[c] < 0 || !candidate->algorithm)
            continue;
        status = make_sample(candidate, call, &samples[c]);
        if (status == ANYP_ERR_NOT_APPLICABLE) {
            cell->same[c] = -1;
            status = ANYP_SUCCESS;
            continue;
        }
        for (int other = 0; other < c && status == ANYP_SUCCESS && cell->same[c] == c; other++)
            if (candidates->list[other].algorithm == candidate->algorithm &&
                cell->same[other] == other && equal_samples(samples[other], samples[c]))
                cell->same[c] = other;
    }
    for (int c = 0; c < cell->candidates; c++) {
        cell->alive[c] = cell->same[c] == c;
        free_sample(samples[c]);
    }
    free(samples);
    return status;
}
