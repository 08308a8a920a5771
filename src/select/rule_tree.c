/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rule_tree.c - makes a tree of rules in memory.
 */
#include "select/rule_tree.h"

#include "schedule/memory.h"

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
