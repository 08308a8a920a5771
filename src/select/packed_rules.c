/* SPDX-License-Identifier: BSD-3-Clause
 *
 * packed_rules.c - rules as numbers. One process reads a decision file for all, and the others
 * receive the rules without reading text. The numbers are:
 *
 *   rules, lists, the two halves of the hash; for each rule: key, number, below, next, how many
 *   parameters it gives, these; for each list that a parameter names: its length, its numbers
 *
 * Each process numbers lists in its own way. So here a parameter names a list by its place among
 * the packed lists.
 */
#include "select/rule_tree.h"

#include "algorithms/shared/lists.h"
#include "schedule/memory.h"
#include "select/text.h"
#include "select/vocabulary.h"

#include <string.h>

uint64_t anypi_decision_format(void)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    uint64_t hash = anypi_hash_text(ANYPI_HASH, mpich->release);
    hash = anypi_hash_word(hash, (uint64_t) mpich->algorithms_count);
    hash = anypi_hash_word(hash, mpich->any);
    for (int i = 0; i < anypi_keys_count; i++)
        hash = anypi_hash_text(hash, anypi_keys[i].text);
    for (int i = 0; i < count; i++) {
        hash = anypi_hash_text(hash, all[i].name);
        hash = anypi_hash_word(hash, all[i].collectives);
        for (int k = 0; k < all[i].parameters_count; k++)
            hash = anypi_hash_text(hash, all[i].parameters[k].name);
    }
    return hash;
}

/* ---- packing ---- */

typedef struct packer {
    int32_t *numbers;           /* NULL: they are only counted */
    int count;
    int lists[ANYPI_MAXIMUM_LISTS];     /* the process's numbers of the lists packed so far */
    int lists_count;
} packer;

static void put(packer *to, int number)
{
    if (to->numbers)
        to->numbers[to->count] = number;
    to->count++;
}

static int place_of_list(packer *to, int list)
{
    int place = 0;
    while (place < to->lists_count && to->lists[place] != list)
        place++;
    if (place == to->lists_count)
        to->lists[to->lists_count++] = list;
    return place;
}

/* Is the value of parameter i a list? If so, *first is the value that means the process's list
 * 0. */
static bool is_list(const anyp_algorithm *algorithm, int i, int value, int *first)
{
    if (!algorithm || i >= algorithm->parameters_count || !algorithm->parameters[i].list)
        return false;
    *first = algorithm->parameters[i].maximum + 1;
    return value >= *first;
}

static void put_parameters(packer *to, const anypi_rule *rule)
{
    anypi_word word = { .algorithm = NULL };
    int given = ANYP_MAX_PARAMETERS, first;
    while (given > 0 && rule->parameters[given - 1] == 0)
        given--;
    if (rule->key < 0 && rule->number >= 0)
        anypi_word_get(rule->number, &word);
    put(to, given);
    for (int i = 0; i < given; i++) {
        const int value = rule->parameters[i];
        put(to, is_list(word.algorithm, i, value, &first)
            ? first + place_of_list(to, value - first) : value);
    }
}

static void put_all(packer *to, const anypi_decision *decision)
{
    put(to, decision->count);
    put(to, to->lists_count);   /* 0 while they are only counted */
    put(to, (int32_t) decision->hash);
    put(to, (int32_t) (decision->hash >> 32));
    to->lists_count = 0;
    for (int i = 0; i < decision->count; i++) {
        const anypi_rule *rule = &decision->rules[i];
        put(to, rule->key);
        put(to, rule->number);
        put(to, rule->below);
        put(to, rule->next);
        put_parameters(to, rule);
    }
    for (int i = 0; i < to->lists_count; i++) {
        int count = 0;
        const int *list = anypi_list_at(to->lists[i], &count);
        put(to, count);
        for (int k = 0; k < count; k++)
            put(to, list[k]);
    }
}

int32_t *anypi_decision_pack(anypi_decision *decision, int *count)
{
    packer *to = anypi_realloc(NULL, sizeof *to);
    int32_t *numbers = NULL;
    if (!to)
        return NULL;
    decision->hash = anypi_decision_hash(decision);
    to->numbers = NULL;
    to->count = to->lists_count = 0;
    put_all(to, decision);
    numbers = to->numbers = anypi_realloc(NULL, (size_t) to->count * sizeof *numbers);
    to->count = 0;
    if (numbers)
        put_all(to, decision);
    *count = to->count;
    anypi_free(to);
    return numbers;
}

/* ---- unpacking ---- */

typedef struct unpacker {
    const int32_t *next, *end;
    bool short_of;              /* there are too few numbers, or one is out of range */
} unpacker;

/* Returns the next number, which must be between `minimum` and `maximum`. */
static int take(unpacker *from, int minimum, int maximum)
{
    if (from->next == from->end || *from->next < minimum || *from->next > maximum) {
        from->short_of = true;
        return minimum;
    }
    return *from->next++;
}

static void take_rule(unpacker *from, int rules, anypi_rule *rule)
{
    rule->key = take(from, -1, anypi_keys_count - 1);
    rule->number = take(from, INT32_MIN, INT32_MAX);
    rule->below = take(from, -1, rules - 1);
    rule->next = take(from, -1, rules - 1);
    const int given = take(from, 0, ANYP_MAX_PARAMETERS);
    memset(rule->parameters, 0, sizeof rule->parameters);
    for (int i = 0; i < given; i++)
        rule->parameters[i] = take(from, INT32_MIN, INT32_MAX);
}

/* Adds the packed lists to the lists of the process; own[i] is the process's number of list i. */
static anyp_status take_lists(unpacker *from, int lists, int *own)
{
    for (int i = 0; i < lists; i++) {
        int numbers[ANYPI_MAXIMUM_LIST];
        const int count = take(from, 0, ANYPI_MAXIMUM_LIST);
        for (int k = 0; k < count; k++)
            numbers[k] = take(from, 0, INT32_MAX);
        const anyp_status status = anypi_list_add(numbers, count, &own[i]);
        if (status != ANYP_SUCCESS)
            return status;
    }
    return ANYP_SUCCESS;
}

/* Replaces the numbers of lists in a rule's parameters by those of the process. */
static void rename_lists(anypi_rule *rule, int lists, const int *own)
{
    anypi_word word = { .algorithm = NULL };
    int first;
    if (rule->key >= 0 || rule->number < 0 || !anypi_word_get(rule->number, &word))
        return;
    for (int i = 0; i < ANYP_MAX_PARAMETERS; i++)
        if (is_list(word.algorithm, i, rule->parameters[i], &first) &&
            rule->parameters[i] - first < lists)
            rule->parameters[i] = first + own[rule->parameters[i] - first];
}

static anyp_status take_all(unpacker *from, anypi_decision *decision)
{
    anyp_status status = ANYP_SUCCESS;
    const int64_t most = from->end - from->next;
    const int rules = take(from, 0, (int) most);
    const int lists = take(from, 0, ANYPI_MAXIMUM_LISTS);
    decision->hash = (uint32_t) take(from, INT32_MIN, INT32_MAX);
    decision->hash |= (uint64_t) (uint32_t) take(from, INT32_MIN, INT32_MAX) << 32;
    int *own = anypi_realloc(NULL, (size_t) (lists + 1) * sizeof *own);
    decision->rules = anypi_realloc(NULL, (size_t) (rules + 1) * sizeof *decision->rules);
    if (!own || !decision->rules)
        status = ANYP_ERR_MEMORY;
    decision->capacity = rules + 1;
    for (int i = 0; status == ANYP_SUCCESS && i < rules; i++)
        take_rule(from, rules, &decision->rules[decision->count++]);
    if (status == ANYP_SUCCESS)
        status = take_lists(from, lists, own);
    for (int i = 0; status == ANYP_SUCCESS && lists > 0 && i < rules; i++)
        rename_lists(&decision->rules[i], lists, own);
    anypi_free(own);
    return status == ANYP_SUCCESS && (from->short_of || from->next != from->end)
        ? ANYP_ERR_ARGUMENT : status;
}

anyp_status anypi_decision_unpack(const int32_t *numbers, int count, anypi_decision **decision)
{
    unpacker from = { numbers, numbers + count, false };
    *decision = anypi_realloc(NULL, sizeof **decision);
    if (!*decision)
        return ANYP_ERR_MEMORY;
    memset(*decision, 0, sizeof **decision);
    const anyp_status status = take_all(&from, *decision);
    if (status != ANYP_SUCCESS) {
        anypi_decision_free(*decision);
        *decision = NULL;
    }
    return status;
}
