/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vocabulary.c - conditions.def as data; searches in it, in MPICH's names and in the registry.
 */
#include "select/vocabulary.h"

#include "schedule/collectives.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const anypi_variable anypi_variables[ANYPI_VARIABLES] = {
#define ANYPI_VARIABLE(name, scope, defined, minimum) \
    { #name, ANYPI_SCOPE_##scope, #defined, minimum },
#include "select/conditions.def"
};

const anypi_key anypi_keys[] = {
#define ANYPI_KEY(variable, form, text, mask) { ANYPI_OF_##variable, ANYPI_##form, text, mask },
#include "select/conditions.def"
};
const int anypi_keys_count = sizeof anypi_keys / sizeof anypi_keys[0];

static const struct {
    const char *name;
    int minimum, maximum;
} parameters[] = {
#define ANYPI_MPICH_PARAMETER(name, minimum, maximum) { #name, minimum, maximum },
#include "select/conditions.def"
};

static const struct {
    const char *name, *key;
    bool holds;
} needs[] = {
#define ANYPI_NEED(name, key, holds) { name, key, holds },
#include "select/conditions.def"
};

bool anypi_key_known(int key)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    const char *text = anypi_keys[key].text;
    return mpich->any || anypi_keys[key].variable == ANYPI_OF_comm_levels ||
        anypi_keys[key].variable == ANYPI_OF_memory ||
        anypi_list_find(mpich->conditions, text, strlen(text)) >= 0;
}

/* Is the key VARIABLE=any? */
static bool is_any(const char *key)
{
    const size_t length = strcspn(key, "=");
    for (int i = 0; i < ANYPI_VARIABLES && !strcmp(key + length, "=any"); i++)
        if (strlen(anypi_variables[i].name) == length &&
            !strncmp(anypi_variables[i].name, key, length))
            return true;
    return false;
}

int anypi_key_find(const char *key, const char **rest)
{
    for (int i = 0; i < anypi_keys_count; i++) {
        const size_t length = strlen(anypi_keys[i].text);
        const bool open = anypi_keys[i].form <= ANYPI_LESS;
        *rest = key + length;
        if (!strncmp(key, anypi_keys[i].text, length) && (open || !**rest) && anypi_key_known(i))
            return i;
    }
    /* a reader that knows "any" knows it for all variables */
    return is_any(key) ? anypi_key_find("any", rest) : -1;
}

unsigned anypi_key_mask(int key)
{
    const bool two = anypi_keys[key].variable == ANYPI_OF_comm_hierarchy &&
        anypi_mpich_now()->hierarchies == 2;
    /* such releases only distinguish the parent from the others */
    return two && anypi_keys[key].mask > 2 ? 1 : anypi_keys[key].mask;
}

int anypi_need_key(const char *need, bool *holds)
{
    const char *rest;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (!strcmp(needs[i].name, need)) {
            *holds = needs[i].holds;
            return anypi_key_find(needs[i].key, &rest);
        }
    return -1;
}

/* Returns the list of this name, or NULL. */
static const char *list_of(const anypi_mpich_pair *pair, const char *name)
{
    while (pair->name && strcmp(pair->name, name))
        pair++;
    return pair->text;
}

const char *anypi_mpich_values(const char *name)
{
    return list_of(anypi_mpich_now()->values, name);
}

const char *anypi_mpich_collective(int i)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    return i < mpich->collectives_count ? mpich->collectives[i] : NULL;
}

int anypi_mpich_collective_find(const char *name)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    for (int i = 0; i < mpich->collectives_count; i++)
        if (*mpich->collectives[i] == *name && !strcmp(mpich->collectives[i], name))
            return i;
    return -1;
}

anyp_collective anypi_collective_of(const char *name, bool *nonblocking)
{
    *nonblocking = true;
    for (int c = 0; c < ANYP_COLLECTIVES; c++)
        if (*name == 'i' && !strcmp(anypi_collectives[c].nonblocking, name))
            return (anyp_collective) c;
    *nonblocking = false;
    return anyp_collective_find(name);
}

bool anypi_variable_defined(int variable, int collective)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    const char *what = anypi_variables[variable].defined, *name = mpich->collectives[collective];
    const char *list = list_of(mpich->defined, what);
    return !strcmp(what, "always") || (list && anypi_list_find(list, name, strlen(name)) >= 0);
}

bool anypi_own_need(const anypi_mpich_algorithm *own, int i, int *key, bool *holds)
{
    char need[64];
    if (!anypi_list_get(own->needs, i, need, sizeof need))
        return false;
    *key = anypi_need_key(need, holds);
    if (*key >= 0 && !anypi_variable_defined(anypi_keys[*key].variable, own->collective))
        *key = -1;
    return true;
}

bool anypi_has_inter(int collective)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    for (int i = 0; i < mpich->algorithms_count; i++)
        if (mpich->algorithms[i].collective == collective &&
            mpich->algorithms[i].kind == ANYPI_INTER)
            return true;
    return false;
}

/* Returns the number of collectives in a set. */
static int count(unsigned set)
{
    int number = 0;
    for (; set; set &= set - 1)
        number++;
    return number;
}

/* AnyP's words are in rows: blocking ones, nonblocking ones, aliases of blocking ones. A row has
 * one word for each collective of its algorithm. Sets all of *word except the collective. False
 * after the last row. */
static bool row_get(int row, anypi_word *word)
{
    int algorithms;
    const anyp_algorithm *all = anyp_algorithms(&algorithms);
    const bool plain = row < 2 * algorithms;
    *word = (anypi_word) { .kind = ANYPI_INTRA, .nonblocking = plain && row >= algorithms };
    if (plain) {
        word->algorithm = &all[row - (word->nonblocking ? algorithms : 0)];
        return true;
    }
    word->alias = &anypi_aliases[row - 2 * algorithms];
    word->algorithm = word->alias->name ? &all[word->alias->algorithm] : NULL;
    return word->algorithm;
}

static void set_collective(anypi_word *word, int collective)
{
    word->collective = anypi_mpich_collective_find(
        word->nonblocking ? anypi_collectives[collective].nonblocking
        : anyp_collective_name((anyp_collective) collective));
}

/* AnyP's words are numbered after MPICH's. */
bool anypi_word_get(int i, anypi_word *word)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    if (i < mpich->algorithms_count) {
        const anypi_mpich_algorithm *own = &mpich->algorithms[i];
        *word = (anypi_word) { .collective = own->collective, .kind = own->kind, .own = own };
        return true;
    }
    i -= mpich->algorithms_count;
    for (int row = 0; row_get(row, word); row++) {
        const int words = count(word->algorithm->collectives);
        for (int c = 0; i < words; c++)
            if (word->algorithm->collectives & ANYP_IN_SET(c) && i-- == 0) {
                set_collective(word, c);
                return true;
            }
        i -= words;
    }
    return false;
}

char *anypi_word_name(const anypi_word *word, char *text, size_t size)
{
    if (word->own)
        snprintf(text, size, "%s", word->own->name);
    else {
        const char *name = anypi_mpich_collective(word->collective);
        snprintf(text, size, "MPIR_%c%s_intra_%sanyp_%s", toupper((unsigned char) name[0]),
                 name + 1, word->nonblocking ? "tsp_" : "",
                 word->alias ? word->alias->name : word->algorithm->name);
    }
    return text;
}

/* Returns the number of the word of the same row for a collective; -1: there is none. */
static int number_of(const anypi_word *word, anyp_collective collective)
{
    anypi_word its;
    int row = 0, number = anypi_mpich_now()->algorithms_count;
    if (!(word->algorithm->collectives & ANYP_IN_SET(collective)))
        return -1;
    for (; row_get(row, &its) && (its.algorithm != word->algorithm || its.alias != word->alias ||
                                  its.nonblocking != word->nonblocking); row++)
        number += count(its.algorithm->collectives);
    return number + count(word->algorithm->collectives & (ANYP_IN_SET(collective) - 1));
}

int anypi_word_find(const char *name)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    const char *end = strstr(name, "anyp_");    /* MPIR_Allreduce_intra_anyp_ring */
    anypi_word word;
    char text[128];
    for (int i = 0; i < mpich->algorithms_count; i++)
        if (!strcmp(mpich->algorithms[i].name, name))
            return i;
    for (int row = 0; end && row_get(row, &word); row++) {
        const char *its = word.alias ? word.alias->name : word.algorithm->name;
        for (int c = 0; c < ANYP_COLLECTIVES && !strcmp(its, end + 5); c++) {
            set_collective(&word, c);
            if (!strcmp(anypi_word_name(&word, text, sizeof text), name))
                return number_of(&word, (anyp_collective) c);
        }
    }
    return -1;
}

/* Returns the number of a word of AnyP in the form of `collective`. */
static int in_form(const anypi_word *word, int collective, bool nonblocking)
{
    bool its;
    const anyp_collective found = anypi_collective_of(anypi_mpich_collective(collective), &its);
    const anypi_word plain = { .algorithm = word->algorithm, .nonblocking = nonblocking };
    return found == ANYP_COLLECTIVES || its != nonblocking ? -1 : number_of(&plain, found);
}

int anypi_word_meant(int i)
{
    anypi_word word;
    return anypi_word_get(i, &word) && word.alias
        ? in_form(&word, word.collective, word.nonblocking) : i;
}

int anypi_word_in_form(int i, int collective)
{
    anypi_word word;
    if (i < 0 || !anypi_word_get(i, &word))
        return -1;
    if (word.collective == collective)
        return i;
    return word.algorithm ? in_form(&word, collective, !word.nonblocking) : -1;
}

bool anypi_own_parameter(const anypi_mpich_algorithm *own, int i, char *text, size_t size)
{
    const int required = anypi_list_count(own->parameters);
    return i < required ? anypi_list_get(own->parameters, i, text, size)
                        : anypi_list_get(own->optional, i - required, text, size);
}

int anypi_own_parameter_find(const anypi_mpich_algorithm *own, const char *name, size_t length)
{
    const int i = anypi_list_find(own->parameters, name, length);
    const int optional = i < 0 ? anypi_list_find(own->optional, name, length) : -1;
    return optional < 0 ? i : anypi_list_count(own->parameters) + optional;
}

bool anypi_own_setting(const anypi_mpich_algorithm *own, int i, int value, char *text, size_t size)
{
    char name[64], word[64];
    if (!anypi_own_parameter(own, i, name, sizeof name) || value == ANYPI_NOT_GIVEN)
        return false;
    const char *values = anypi_mpich_values(name);
    if (values && anypi_list_get(values, value, word, sizeof word))
        snprintf(text, size, "%s=%s", name, word);
    else
        snprintf(text, size, "%s=%d", name, value);
    return true;
}

void anypi_mpich_parameter_range(const char *name, int *minimum, int *maximum)
{
    *minimum = 0;
    *maximum = INT_MAX;
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (!strcmp(parameters[i].name, name)) {
            *minimum = parameters[i].minimum;
            *maximum = parameters[i].maximum;
        }
}
