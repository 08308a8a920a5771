/* SPDX-License-Identifier: BSD-3-Clause
 *
 * condition_holds.c - whether a condition holds, given the facts at a node of a decision tree.
 */
#include "select/rule_tree.h"

#include <stdio.h>

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

void anypi_facts_bit(anypi_facts *facts, int variable, uint64_t bit)
{
    facts->allowed[variable] = bit;
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
