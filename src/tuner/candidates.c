/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/candidates.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "schedule/memory.h"
#include "select/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* May a text omit parameter i of the candidate? If so, its value changes nothing. */
static bool omitted(const anypi_candidate *candidate, int i)
{
    const anyp_parameter *parameter = &candidate->algorithm->parameters[i];
    return (parameter->of_nodes &&
            !anypi_uses_nodes(candidate->algorithm, candidate->parameters)) ||
        ((parameter->of_local_sizes || anypi_parameter_is_network(parameter)) &&
         candidate->parameters[i] == parameter->default_value);
}

bool anypi_candidate_parameter(const anypi_candidate *candidate, int *i, char *text, size_t size)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    while (algorithm && *i < algorithm->parameters_count && omitted(candidate, *i))
        (*i)++;
    const int at = (*i)++;
    if (!algorithm || at >= algorithm->parameters_count)
        return false;
    char word[ANYP_VALUE_SIZE];
    anyp_parameter_text(&algorithm->parameters[at], candidate->parameters[at], word, sizeof word);
    snprintf(text, size, "%s=%s", algorithm->parameters[at].name, word);
    return true;
}

bool anypi_candidate_uses_nodes(const anyp_algorithm *algorithm)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_parameters_default(algorithm, parameters);
    return anypi_uses_nodes(algorithm, parameters);
}

bool anypi_candidate_automatic(const anypi_candidate *candidate)
{
    return candidate->algorithm &&
        anypi_any_automatic(candidate->algorithm, candidate->parameters);
}

anypi_text anypi_candidate_text(const anypi_candidate *candidate)
{
    anypi_text all;
    char parameter[ANYPI_NAME_SIZE + ANYP_VALUE_SIZE];
    size_t length = (size_t) snprintf(all.text, sizeof all.text, "%s", candidate->name);
    for (int i = 0; length < sizeof all.text &&
         anypi_candidate_parameter(candidate, &i, parameter, sizeof parameter);)
        length += (size_t) snprintf(all.text + length, sizeof all.text - length, " %s", parameter);
    return all;
}

void anypi_candidate_shorten(char *text)
{
    static const char largest[] = "threshold=2147483647", never[] = "threshold=never";
    char *to = text;
    for (const char *word = text; *word;) {
        const size_t length = strcspn(word, " ");
        const size_t all = length + (word[length] == ' ');
        if (length == strlen(largest) && !strncmp(word, largest, length)) {
            memmove(to, never, strlen(never));
            to += strlen(never);
            if (all > length)
                *to++ = ' ';
        } else if (length < 5 || strncmp(word + length - 5, "=auto", 5)) {
            memmove(to, word, all);
            to += all;
        }
        word += all;
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

char *anypi_algorithm_variable(anyp_collective collective, char *name, size_t size)
{
    snprintf(name, size, "MPIR_CVAR_%s_INTRA_ALGORITHM", anypi_form_name(collective));
    anypi_upper(name);
    return name;
}

/* Appends a candidate, all zero except its name; NULL if there is no room. */
static anypi_candidate *append(anypi_candidates *candidates, const char *name)
{
    if (candidates->count == ANYPI_MAX_CANDIDATES || strlen(name) >= ANYPI_NAME_SIZE)
        return NULL;
    const int room = candidates->count < candidates->room ? candidates->room
        : 2 * candidates->room + 16;
    anypi_candidate *list = anypi_reserve(candidates->list, &candidates->room, room, sizeof *list);
    if (!list)
        return NULL;
    candidates->list = list;
    anypi_candidate *candidate = &candidates->list[candidates->count++];
    memset(candidate, 0, sizeof *candidate);
    strcpy(candidate->name, name);
    return candidate;
}

/* Appends the algorithm, or "auto" of the MPI library, with its default parameters. */
static anyp_status add_algorithm(anypi_candidates *candidates, const anyp_algorithm *algorithm,
                                 const char *name, int value)
{
    anypi_candidate *candidate = append(candidates, name);
    if (!candidate)
        return ANYP_ERR_MEMORY;
    candidate->value = value;
    candidate->algorithm = algorithm;
    if (algorithm)
        anyp_parameters_default(algorithm, candidate->parameters);
    return ANYP_SUCCESS;
}

/* Sets the parameters that a text omits: to "auto", but without nodes. */
static void set_defaults(anypi_candidate *candidate)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    anyp_parameters_default(algorithm, candidate->parameters);
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (algorithm->parameters[i].of_nodes)
            candidate->parameters[i] = algorithm->parameters[i].minimum;
}

/* Sets a candidate's parameters from "name=value name=value", and modifies this text. False if a
 * parameter does not exist. */
static bool set_parameters(anypi_candidate *candidate, char *settings)
{
    const char *reason;
    set_defaults(candidate);
    for (char *rest, *word = strtok_r(settings, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        if (!value)
            return false;
        *value++ = '\0';
        if (anyp_parameter_set(candidate->algorithm, candidate->parameters, word, value,
                               &reason) != ANYP_SUCCESS)
            return false;
    }
    return true;
}

/* Returns the first candidate with this text; -1: none. */
static int find_text(const anypi_candidates *candidates, const char *text)
{
    for (int c = 0; c < candidates->count; c++)
        if (!strcmp(anypi_candidate_text(&candidates->list[c]).text, text))
            return c;
    return -1;
}

int anypi_candidates_find(anypi_candidates *candidates, const char *text)
{
    char word[sizeof(anypi_text)];
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
    const size_t prefix = strlen(anypi_form_prefix());
    if (!strncmp(word, anypi_form_prefix(), prefix))
        candidate->algorithm = anyp_algorithm_find(word + prefix);
    snprintf(word, sizeof word, "%s", text + length);
    const bool good = candidate->algorithm ? set_parameters(candidate, word)
        : !strcmp(text, "auto");
    /* the same candidate may have another text: a parameter with its default may be omitted */
    const int first = good
        ? find_text(candidates, anypi_candidate_text(candidate).text) : -1;
    if (first != candidates->count - 1)
        candidates->count--;
    return first;
}

/* Adds the algorithms of AnyP that the library contains; the plug-in contains all. */
static anyp_status add_anyp(anypi_candidates *candidates, anyp_collective collective,
                            const anypi_cvars *cvars, const char *variable, bool reference)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < count && status == ANYP_SUCCESS; i++) {
        char name[ANYPI_NAME_SIZE];
        snprintf(name, sizeof name, "%s%s", anypi_form_prefix(), algorithms[i].name);
        const int value = cvars ? anypi_cvars_find(cvars, variable, name, -1) : 0;
        const bool asked = reference || !(algorithms[i].properties & ANYP_REFERENCE);
        if (algorithms[i].collectives & ANYP_IN_SET(collective) && value >= 0 && asked)
            status = add_algorithm(candidates, &algorithms[i], name, value);
    }
    return status;
}

anyp_status anypi_candidates_make(anypi_candidates *candidates, anyp_collective collective,
                                  const anypi_cvars *cvars, bool reference)
{
    char variable[ANYPI_NAME_SIZE];
    anypi_algorithm_variable(collective, variable, sizeof variable);
    candidates->count = 0;
    const int automatic = cvars ? anypi_cvars_find(cvars, variable, "auto", 0) : 0;
    const anyp_status status = add_algorithm(candidates, NULL, "auto", automatic);
    return status == ANYP_SUCCESS ? add_anyp(candidates, collective, cvars, variable, reference)
        : status;
}
