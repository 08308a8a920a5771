/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rule_tree.c - makes a tree of rules in memory, and finds what the facts at a rule tell.
 */
#include "select/rule_tree.h"

#include "schedule/memory.h"

#include <stdio.h>

int anypi_rule_add(anypi_decision *tree, const anypi_rule *rule)
{
    anypi_rule *rules = anypi_grow(tree->rules, &tree->capacity, tree->count, sizeof *rules);
    if (!rules)
        return -1;
    tree->rules = rules;
    tree->rules[tree->count] = *rule;
    return tree->count++;
}

int anypi_rule_append(anypi_decision *tree, int up, const anypi_rule *rule)
{
    int last = up < 0 ? anypi_root(tree) : tree->rules[up].below;
    while (last >= 0 && tree->rules[last].next >= 0)
        last = tree->rules[last].next;
    const int added = anypi_rule_add(tree, rule);
    if (added < 0)
        return -1;
    if (last >= 0)
        tree->rules[last].next = added;
    else if (up >= 0)           /* the root's first rule is always rule 0 */
        tree->rules[up].below = added;
    return added;
}

bool anypi_rules_mention(const anypi_decision *tree, int collective)
{
    for (int i = 0; i < tree->count; i++)
        if (tree->rules[i].key >= 0 && anypi_keys[tree->rules[i].key].form == ANYPI_NAME &&
            tree->rules[i].number == collective)
            return true;
    return false;
}

int anypi_rules_for(const anypi_decision *tree, int collective)
{
    bool nonblocking;
    const anyp_collective its =
        anypi_collective_of(anypi_mpich_collective(collective), &nonblocking);
    return !nonblocking || anypi_rules_mention(tree, collective) ? collective
        : anypi_mpich_collective_find(anyp_collective_name(its));
}

bool anypi_rule_defined(const anypi_rule *rule, int collective)
{
    return anypi_keys[rule->key].form == ANYPI_ALWAYS || anypi_mpich_now()->any ||
        anypi_variable_defined(anypi_keys[rule->key].variable, collective);
}

void anypi_rules_cut(anypi_decision *tree, int first)
{
    for (int i = 0; i < first; i++) {
        if (tree->rules[i].next == first)
            tree->rules[i].next = -1;
        if (tree->rules[i].below == first)
            tree->rules[i].below = -1;
    }
    tree->count = first;
    if (!first) {
        anypi_free(tree->rules);
        *tree = (anypi_decision) { .rules = NULL };
    }
}

/* ---- facts ---- */

void anypi_facts_init(anypi_facts *facts)
{
    for (int i = 0; i < ANYPI_VARIABLES; i++) {
        facts->low[i] = anypi_variables[i].minimum;
        facts->high[i] = INT64_MAX;
        facts->allowed[i] = 0;
    }
    /* Variables with values: every value that a mask names; if there is only one, its opposite. */
    for (int i = 0; i < anypi_keys_count; i++)
        if (anypi_keys[i].form == ANYPI_ONE_OF)
            facts->allowed[anypi_keys[i].variable] |= anypi_key_mask(i);
    for (int i = 0; i < ANYPI_VARIABLES; i++)
        if (facts->allowed[i] <= 1)
            facts->allowed[i] = facts->allowed[i] ? 3 : UINT64_MAX;
}

/* Decides whether the number of processes is a power of two, if its range does. */
static void settle_power(anypi_facts *facts)
{
    const int64_t low = facts->low[ANYPI_OF_comm_size], high = facts->high[ANYPI_OF_comm_size];
    int64_t power = 1;          /* the smallest power of two that is not below the range */
    while (power < low)
        power *= 2;
    const bool none = power > high, only = power == low && (high == low || high == 2);
    const uint64_t left = facts->allowed[ANYPI_OF_comm_size_pow2] & (none ? 2 : only ? 1 : 3);
    if (left)
        facts->allowed[ANYPI_OF_comm_size_pow2] = left;
}

void anypi_facts_number(anypi_facts *facts, int variable, int64_t value)
{
    facts->low[variable] = facts->high[variable] = value;
    if (variable == ANYPI_OF_comm_size)
        settle_power(facts);
}

/* The greatest value for which a condition on a number holds. */
static int64_t limit(const anypi_rule *rule)
{
    return anypi_keys[rule->key].form == ANYPI_LESS ? (int64_t) rule->number - 1 : rule->number;
}

static uint64_t bits(const anypi_rule *rule)
{
    const anypi_key *key = &anypi_keys[rule->key];
    return key->form == ANYPI_NAME ? UINT64_C(1) << rule->number : anypi_key_mask(rule->key);
}

anypi_truth anypi_condition_holds(const anypi_facts *facts, const anypi_rule *rule)
{
    const int variable = anypi_keys[rule->key].variable;
    switch (anypi_keys[rule->key].form) {
        case ANYPI_AT_MOST:
        case ANYPI_LESS:
            return facts->high[variable] <= limit(rule) ? ANYPI_TRUE :
                facts->low[variable] > limit(rule) ? ANYPI_FALSE : ANYPI_UNKNOWN;
        case ANYPI_NAME:
        case ANYPI_ONE_OF:
            return !(facts->allowed[variable] & ~bits(rule)) ? ANYPI_TRUE :
                !(facts->allowed[variable] & bits(rule)) ? ANYPI_FALSE : ANYPI_UNKNOWN;
        case ANYPI_ALWAYS:
            break;
    }
    return ANYPI_TRUE;
}

void anypi_assume(anypi_facts *facts, const anypi_rule *rule, bool holds)
{
    const int variable = anypi_keys[rule->key].variable;
    switch (anypi_keys[rule->key].form) {
        case ANYPI_AT_MOST:
        case ANYPI_LESS:
            if (holds)
                facts->high[variable] = limit(rule);
            else
                facts->low[variable] = limit(rule) + 1;
            if (variable == ANYPI_OF_comm_size)
                settle_power(facts);
            break;
        case ANYPI_NAME:
        case ANYPI_ONE_OF:
            facts->allowed[variable] &= holds ? bits(rule) : ~bits(rule);
            break;
        case ANYPI_ALWAYS:
            break;
    }
}

char *anypi_rule_text(const anypi_rule *rule, char *text, size_t size)
{
    const anypi_key *key = &anypi_keys[rule->key];
    if (key->form == ANYPI_AT_MOST || key->form == ANYPI_LESS)
        snprintf(text, size, "%s%d", key->text, rule->number);
    else
        snprintf(text, size, "%s%s", key->text,
                 key->form == ANYPI_NAME ? anypi_mpich_collective(rule->number) : "");
    return text;
}
