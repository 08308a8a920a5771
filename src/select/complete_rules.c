/* SPDX-License-Identifier: BSD-3-Clause
 *
 * complete_rules.c - makes the tree that MPICH's reader reads. It evaluates the file's rules
 * partially, for every collective and communicator kind, and fills holes with MPICH's defaults.
 *
 * The walk starts at the file's root, where the collective and the communicator kind are facts.
 * - If the facts decide a condition, it becomes no key: its branch continues in the same object, or
 *   is dropped.
 * - Every other condition becomes a key. Below the key it holds; after the key it does not.
 * - At a hole, the walk continues at the root of the defaults, with the same facts.
 * Therefore no object contains a key twice, every key can be reached, and every walk of MPICH's
 * ends at an algorithm. Only collectives are at the top, as MPICH's pruning requires.
 *
 * MPICH's selection knows nodes and nothing above them. So comm_levels is 0 or 1. Conditions on
 * nodes, in front of a rule that tests it, decide which. Nor does it know where the data are, on
 * which the ranks would have to agree: memory=host holds, as a message says (src/mpir/start.c).
 *
 * If the file does not mention a nonblocking collective, the walk follows the rules of the blocking
 * one and uses the nonblocking form of their algorithms. An algorithm without this form leaves a
 * hole. So does a condition that MPICH cannot compute for this form.
 *
 * If results must be reproducible, an algorithm of AnyP replaces MPICH's own algorithms and fills
 * the holes in the collectives that AnyP has.
 */
#include "select/rule_tree.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <stdlib.h>
#include <string.h>

/* json-c's own limit, which MPICH's reader does not raise. */
enum { deepest_json = 30 };

typedef struct completer {
    const anypi_decision *defaults;
    int collective;             /* the one that is being completed */
    int rules;                  /* the collective whose rules are walked in the file */
    anypi_decision *tree;       /* the completed rules */
    bool reproducible;
    int replacement;            /* the word that replaces MPICH's own algorithms; -1: they stay */
    bool hole;                  /* not even the defaults led to an algorithm */
    anyp_status status;         /* the first error sticks */
} completer;

/* Appends a rule to the chain below rule `up` (-1: the root's chain), whose object is at `depth`.
 * Returns the new rule's index. */
static int append(completer *to, int up, int depth, const anypi_rule *rule)
{
    const int added = depth > deepest_json ? -1 : anypi_rule_append(to->tree, up, rule);
    if (added < 0)
        to->status = depth > deepest_json ? ANYP_ERR_FILE : ANYP_ERR_MEMORY;
    return added;
}

/* As append(), for a condition that is given by its text. */
static int append_condition(completer *to, int up, int depth, const char *key, int number)
{
    const char *rest;
    const anypi_rule rule = { .key = anypi_key_find(key, &rest), .number = number, .below = -1,
                              .next = -1 };
    return append(to, up, depth, &rule);
}

/* Returns the number of the rule's algorithm for the collective. -1: it does not do the collective,
 * or a communicator with these facts cannot run it. */
static int algorithm_of(const completer *to, const anypi_rule *rule, const anypi_facts *facts)
{
    anypi_word word;
    const int number = anypi_word_in_form(rule->number, to->collective);
    return number >= 0 && anypi_word_get(number, &word) &&
        word.kind & facts->allowed[ANYPI_OF_comm_type] ? number : -1;
}

/* Appends an algorithm below rule `up`. It must be alone in its object. */
static void append_algorithm(completer *to, int up, int depth, const anypi_rule *rule)
{
    if (to->tree->rules[up].below >= 0)
        up = append_condition(to, up, depth++, "comm_size=any", 0);
    if (to->status == ANYP_SUCCESS)
        append(to, up, depth + 1, rule);        /* its parameters are keys of an object */
}

/* Returns the rule for the algorithm that replaces MPICH's own. */
static anypi_rule replacement(const completer *to, int origin)
{
    anypi_rule rule = { .key = -1, .number = to->replacement, .below = -1, .next = -1,
                        .origin = origin };
    anypi_word word;
    anypi_word_get(to->replacement, &word);
    anyp_parameters_default(word.algorithm, rule.parameters);
    return rule;
}

static bool is_own(int number)
{
    anypi_word word;
    return anypi_word_get(number, &word) && word.own;
}

/* Does any walk through the chain reach an algorithm? */
static bool leads_somewhere(const completer *to, const anypi_decision *tree, int first,
                            const anypi_facts *facts)
{
    for (int i = first; i >= 0; i = tree->rules[i].next) {
        const anypi_rule *rule = &tree->rules[i];
        if (rule->key < 0)
            return algorithm_of(to, rule, facts) >= 0;
        if (!anypi_rule_defined(rule, to->collective))
            return false;
        const anypi_truth verdict = anypi_condition_holds(facts, rule);
        if (verdict != ANYPI_FALSE && leads_somewhere(to, tree, rule->below, facts))
            return true;
        if (verdict == ANYPI_TRUE)
            return false;
    }
    return false;
}

static void complete_chain(completer *to, const anypi_decision *tree, int first, anypi_facts facts,
                           int up, int depth);

/* Completes the chain for communicators without levels (all on one node, or one rank on each node),
 * in branches below rule `up`. All others have one level, which becomes a fact. */
static void settle_levels(completer *to, const anypi_decision *tree, int first, anypi_facts *facts,
                          int up, int depth)
{
    static const char *const without[] = { "comm_size=node_comm_size", "comm_avg_ppn<=" };
    int64_t levels = 1;
    for (int i = 0; i < 2 && levels && to->status == ANYP_SUCCESS; i++) {
        const char *rest;
        const anypi_rule rule = { .key = anypi_key_find(without[i], &rest), .number = 1 };
        const anypi_truth verdict = anypi_condition_holds(facts, &rule);
        if (verdict == ANYPI_UNKNOWN) {
            anypi_facts below = *facts;
            anypi_assume(&below, &rule, true);
            anypi_assume(facts, &rule, false);
            anypi_facts_number(&below, ANYPI_OF_comm_levels, 0);
            const int branch = append_condition(to, up, depth, without[i], rule.number);
            if (branch >= 0)
                complete_chain(to, tree, first, below, branch, depth + 1);
        }
        levels = verdict != ANYPI_TRUE;
    }
    anypi_facts_number(facts, ANYPI_OF_comm_levels, levels);
}

/* Turns VARIABLE<N into VARIABLE<=N-1. In conditions.def, LESS follows AT_MOST. */
static void make_at_most(anypi_rule *rule)
{
    rule->key--;
    rule->number--;
}

/* Completes the chain below rule `up`, whose object is at `depth`. */
static void complete_chain(completer *to, const anypi_decision *tree, int first, anypi_facts facts,
                           int up, int depth)
{
    int i = leads_somewhere(to, tree, first, &facts) ? first : -1;
    while (i >= 0 && to->status == ANYP_SUCCESS) {
        const anypi_rule *rule = &tree->rules[i];
        anypi_rule copy = *rule;
        copy.below = copy.next = -1;
        if (rule->key < 0) {
            copy.number = algorithm_of(to, rule, &facts);
            if (copy.number < 0)
                break;
            copy.origin = tree != to->defaults ? i : ANYPI_RULE_OF_DEFAULTS;
            if (to->replacement >= 0 && is_own(copy.number))
                copy = replacement(to, tree != to->defaults ? i
                                   : ANYPI_RULE_OF_DEFAULTS - 1 - copy.number);
            append_algorithm(to, up, depth, &copy);
            return;
        }
        if (!anypi_rule_defined(rule, to->collective))
            break;
        anypi_truth verdict = anypi_condition_holds(&facts, rule);
        if (verdict == ANYPI_UNKNOWN && anypi_keys[rule->key].variable == ANYPI_OF_comm_levels) {
            settle_levels(to, tree, i, &facts, up, depth);
            verdict = anypi_condition_holds(&facts, rule);
        }
        if (verdict == ANYPI_UNKNOWN) {
            if (anypi_keys[rule->key].form == ANYPI_LESS)       /* MPICH misreads some of these */
                make_at_most(&copy);
            anypi_facts below = facts;
            anypi_assume(&below, rule, true);
            anypi_assume(&facts, rule, false);
            const int branch = append(to, up, depth, &copy);
            if (branch >= 0)
                complete_chain(to, tree, rule->below, below, branch, depth + 1);
        }
        i = verdict == ANYPI_TRUE ? rule->below : rule->next;
    }
    if (to->status == ANYP_SUCCESS && tree != to->defaults) {
        facts.allowed[ANYPI_OF_collective] = UINT64_C(1) << to->collective;
        complete_chain(to, to->defaults, anypi_root(to->defaults), facts, up, depth);
    } else if (to->status == ANYP_SUCCESS && to->replacement >= 0) {
        const anypi_rule rule = replacement(to, ANYPI_RULE_OF_DEFAULTS);
        append_algorithm(to, up, depth, &rule);
    } else {
        to->hole = true;
    }
}

/* Returns the word of AnyP's first algorithm that makes the collective reproducible at any p. -1:
 * there is none, or none is needed, because the collective only moves data. */
static int reproducible_word(int collective)
{
    bool nonblocking;
    const anyp_collective its = anypi_collective_of(anypi_mpich_collective(collective),
                                                    &nonblocking);
    anypi_word word;
    if (its == ANYP_COLLECTIVES || anypi_moves(its))
        return -1;
    for (int i = 0; anypi_word_get(i, &word); i++)
        if (word.collective == collective && word.algorithm && !word.alias &&
            word.algorithm->properties & (anypi_is_prefix(its) ? ANYP_REPRODUCIBLE_SCANS
                                          : ANYP_REPRODUCIBLE))
            return i;
    return -1;
}

/* Adds the branch of one communicator kind below rule `up`, if there is one. Scan has no
 * intercommunicators, and MPICH's defaults may lack collectives. */
static void complete_kind(completer *to, const anypi_decision *tree, int up, anypi_kind kind)
{
    anypi_facts facts;
    anypi_facts_init(&facts);
    facts.allowed[ANYPI_OF_collective] = UINT64_C(1) << to->rules;
    facts.allowed[ANYPI_OF_comm_type] = kind;
    facts.allowed[ANYPI_OF_memory] = ANYPI_HOST_MEMORY;
    to->hole = false;
    to->replacement =
        to->reproducible && kind == ANYPI_INTRA ? reproducible_word(to->collective) : -1;
    const int branch = append_condition(to, up, 2, kind == ANYPI_INTRA ? "comm_type=intra" :
                                        "comm_type=inter", 0);
    if (to->status == ANYP_SUCCESS)
        complete_chain(to, tree, anypi_root(tree), facts, branch, 3);
    if (!to->hole || to->status != ANYP_SUCCESS)
        return;
    if ((kind == ANYPI_INTER && !anypi_has_inter(to->collective)) ||
        (!anypi_rules_mention(tree, to->collective) &&
         !anypi_rules_mention(to->defaults, to->collective)))
        anypi_rules_cut(to->tree, branch);
    else
        to->status = ANYP_ERR_FILE;
}

static void complete_collective(completer *to, const anypi_decision *tree, int collective)
{
    const int branch = append_condition(to, -1, 1, "collective=", collective);
    to->collective = collective;
    to->rules = anypi_rules_for(tree, collective);
    if (to->status == ANYP_SUCCESS)
        complete_kind(to, tree, branch, ANYPI_INTRA);
    if (to->status == ANYP_SUCCESS)
        complete_kind(to, tree, branch, ANYPI_INTER);
    if (to->status == ANYP_SUCCESS && to->tree->rules[branch].below < 0)
        anypi_rules_cut(to->tree, branch);
}

static anyp_status write_text(const anypi_decision *decision, char **text)
{
    size_t size;
    char *written = NULL;       /* allocated by the C library */
    FILE *file = open_memstream(&written, &size);
    if (!file)
        return ANYP_ERR_MEMORY;
    anypi_completed_write(decision, file);
    *text = ferror(file) | fclose(file) ? NULL : anypi_realloc(NULL, size + 1);
    if (*text)
        memcpy(*text, written, size + 1);
    free(written);
    return *text ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

anyp_status anypi_decision_complete(const anypi_decision *decision, const char *defaults,
                                    bool reproducible, char **text)
{
    const anypi_decision none = { .rules = NULL };
    anypi_decision *fallback = NULL, whole = none;
    completer to = { .tree = &whole, .reproducible = reproducible,
                     .status = anypi_defaults_parse(defaults, &fallback) };
    to.defaults = fallback;
    for (int i = 0; anypi_mpich_collective(i) && to.status == ANYP_SUCCESS; i++)
        complete_collective(&to, decision ? decision : &none, i);
    anypi_decision_free(fallback);
    if (to.status == ANYP_SUCCESS)
        to.status = write_text(&whole, text);
    anypi_rules_cut(&whole, 0);
    return to.status;
}
