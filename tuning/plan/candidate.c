/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/candidate.h"

#include "select/vocabulary.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

anypi_candidate *anypi_candidates_append(anypi_candidates *candidates, const char *name)
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

char *anypi_upper_case(char *text)
{
    for (char *c = text; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    return text;
}

char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size)
{
    snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", anyp_collective_name(collective));
    return anypi_upper_case(name);
}
