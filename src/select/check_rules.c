/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_rules.c - turns JSON into rules, strictly. It walks every object once, in the order of the
 * text. It reports, with its location, everything that MPICH's reader would crash on, misread or
 * drop. After an error the walk continues, to find all errors.
 *
 * On the way down, the facts (rule_tree.h) collect what is known about a call that arrives here. If
 * they already decide a condition, rules below it or after it may be unreachable.
 */
#include "select/check_rules.h"

#include "schedule/collectives.h"
#include "select/text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known at a chain of rules. */
typedef struct location {
    const anypi_frame *up;
    int depth;                  /* of the object: 1 is the root */
    int collective;             /* above the chain; -1: none yet, -2: an unknown one */
    bool searched;              /* after a condition that MPICH evaluates during the call */
    bool taken;                 /* an earlier rule of the chain always holds: */
    anypi_rule always;
    anypi_facts facts;
} location;

/* Writes a row of the table as users write the condition: "comm_size<=N". */
static void append_key(char *text, size_t size, const anypi_key *key)
{
    anypi_append(text, size, text[0] ? ", " : "");
    anypi_append(text, size, key->text);
    anypi_append(text, size, key->form == ANYPI_NAME ? "NAME" : key->form <= ANYPI_LESS ? "N" : "");
}

/* Reports a key that AnyP does not know. Returns false. */
static bool report_unknown_key(anypi_checker *checker, const anypi_frame *frame)
{
    const char *key = frame->key;
    const size_t head = strcspn(key, "<=>!");
    char forms[256] = "", name[sizeof frame->key];
    snprintf(name, sizeof name, "%.*s", (int) head, key);
    anypi_nearest nearest;
    anypi_nearest_init(&nearest, name);
    for (int i = 0; anypi_is_reported(checker) && i < anypi_keys_count; i++) {
        char candidate[64];
        if (!anypi_key_known(i))
            continue;
        snprintf(candidate, sizeof candidate, "%.*s", (int) strcspn(anypi_keys[i].text, "<="),
                 anypi_keys[i].text);
        anypi_nearest_try(&nearest, candidate);
        if (!strcmp(candidate, name))
            append_key(forms, sizeof forms, &anypi_keys[i]);
    }
    anypi_nearest_try(&nearest, "algorithm");
    if (forms[0])
        return anypi_report(checker, frame, "unknown condition '%s'; expected one of %s", key,
                            forms);
    if (nearest.text[0])
        return anypi_report(checker, frame, "unknown condition '%s'; did you mean '%s'?", name,
                            nearest.text);
    return anypi_report(checker, frame, "unknown key '%s'; expected collective=NAME, "
                        "algorithm=NAME, or a condition such as comm_size<=N", key);
}

static bool read_collective(anypi_checker *checker, const anypi_frame *frame, const location *here,
                            const char *name, int *collective)
{
    *collective = anypi_mpich_collective_find(name);
    if (*collective < 0) {
        anypi_nearest nearest;
        anypi_nearest_init(&nearest, name);
        for (int i = 0; anypi_is_reported(checker) && anypi_mpich_collective(i); i++)
            anypi_nearest_try(&nearest, anypi_mpich_collective(i));
        if (nearest.text[0])
            return anypi_report(checker, frame, "unknown collective '%s'; did you mean '%s'?", name,
                                nearest.text);
        return anypi_report(checker, frame, "unknown collective '%s'; expected the name of an MPI "
                            "collective in lower case, such as allreduce or ireduce_scatter", name);
    }
    if (here->collective != -1)
        return anypi_report(checker, frame, "a collective below another one; expected "
                            "collective=NAME only once above each algorithm");
    return true;
}

/* Reports a condition that MPICH cannot compute for the collective, or whose value can differ
 * between ranks. Returns false. */
static bool report_undefined(anypi_checker *checker, const anypi_frame *frame, int variable,
                             int collective)
{
    char others[256] = "";
    bool nonblocking;
    const char *name = anypi_mpich_collective(collective);
    const anyp_collective its = anypi_collective_of(name, &nonblocking);
    const bool local = its != ANYP_COLLECTIVES && anypi_has_local_sizes(its);
    for (int i = 0; i < ANYPI_VARIABLES; i++)
        if (anypi_variables[i].scope == ANYPI_SCOPE_MESSAGE &&
            anypi_variable_defined(i, collective) &&
            !strcmp(anypi_variables[i].name, anypi_variables[i].defined)) {
            anypi_append(others, sizeof others, others[0] ? ", " : "");
            anypi_append(others, sizeof others, anypi_variables[i].name);
        }
    return anypi_report(checker, frame, "%s is not defined for %s%s; expected %s%s",
                        anypi_variables[variable].defined, name,
                        local ? ", where each process knows only its own sizes" : "",
                        others[0] ? "one of its conditions: "
                        : "conditions on the communicator only", others);
}

/* Is the condition allowed here? */
static bool fits(anypi_checker *checker, const anypi_frame *frame, const location *here,
                 const anypi_rule *rule)
{
    const anypi_key *key = &anypi_keys[rule->key];
    const anypi_variable *variable = &anypi_variables[key->variable];
    const char *name = variable->name;
    if (variable->scope == ANYPI_SCOPE_MESSAGE && here->collective == -1)
        return anypi_report(checker, frame, "no collective is named above this condition on the "
                            "call; put it below collective=NAME");
    if (variable->scope == ANYPI_SCOPE_MESSAGE && here->collective >= 0 &&
        key->form != ANYPI_ALWAYS && !anypi_variable_defined(key->variable, here->collective))
        return report_undefined(checker, frame, key->variable, here->collective);
    if (variable->scope == ANYPI_SCOPE_COMMUNICATOR && key->form == ANYPI_LESS && here->searched)
        return anypi_report(checker, frame, "after or below a condition on the call, MPICH reads "
                            "%s<%d as %s<=%d; expected %s<=%d", name, rule->number, name,
                            rule->number, name, rule->number - 1);
    if (here->taken) {
        char always[64];
        return anypi_report(checker, frame, "this is never reached, because '%s' before it always "
                            "holds; put that one last",
                            anypi_rule_text(&here->always, always, sizeof always));
    }
    return anypi_condition_holds(&here->facts, rule) != ANYPI_FALSE ||
        anypi_report(checker, frame, "this can never hold, because of the conditions above or "
                     "before it; remove it or change their order");
}

/* Reads a condition's key into the rule. */
static bool read_condition(anypi_checker *checker, const anypi_frame *frame, const location *here,
                           anypi_rule *rule)
{
    const char *rest;
    rule->key = anypi_key_find(frame->key, &rest);
    if (rule->key < 0 && !strncmp(frame->key, "composition=", strlen("composition=")))
        return anypi_report(checker, frame, "compositions belong in the file of MPICH's device ch4 "
                            "(MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE); expected "
                            "algorithm=NAME");
    if (rule->key < 0)
        return report_unknown_key(checker, frame);
    const anypi_key *key = &anypi_keys[rule->key];
    if (key->form == ANYPI_NAME)
        return read_collective(checker, frame, here, rest, &rule->number);
    if (key->form == ANYPI_AT_MOST || key->form == ANYPI_LESS)
        return anypi_read_number(checker, frame, rest, anypi_variables[key->variable].minimum +
                                 (key->form == ANYPI_LESS), INT_MAX, &rule->number);
    return true;
}

static int walk_chain(anypi_checker *checker, struct json_object *object, location here);

/* Checks one branch and updates what is known at the next siblings. Returns its rule, or -1. */
static int walk_branch(anypi_checker *checker, const anypi_frame *frame, struct json_object *value,
                       location *siblings)
{
    anypi_rule rule = { .below = -1, .next = -1 };
    bool right = read_condition(checker, frame, siblings, &rule);
    location below = *siblings;
    below.up = frame;
    below.depth++;
    below.taken = false;
    if (rule.key >= 0) {
        const anypi_key *key = &anypi_keys[rule.key];
        if (key->form == ANYPI_NAME)
            below.collective = right ? rule.number : -2;
        right = right && (checker->lenient || fits(checker, frame, siblings, &rule));
        if (right && checker->lenient && key->form == ANYPI_LESS && siblings->searched &&
            anypi_variables[key->variable].scope == ANYPI_SCOPE_COMMUNICATOR)
            rule.number++;      /* MPICH executes these as AT_MOST */
        below.searched = key->form != ANYPI_NAME && (siblings->searched ||
            anypi_variables[key->variable].scope >= ANYPI_SCOPE_LIBRARY);
        siblings->searched = key->form == ANYPI_NAME ? siblings->searched : below.searched;
    }
    if (right) {
        const anypi_truth verdict = anypi_condition_holds(&siblings->facts, &rule);
        if (verdict == ANYPI_UNKNOWN) {
            anypi_assume(&below.facts, &rule, true);
            anypi_assume(&siblings->facts, &rule, false);
        } else if (verdict == ANYPI_TRUE && !siblings->taken) {
            siblings->taken = true;
            siblings->always = rule;
        }
    }
    const int index = right ? anypi_add_rule(checker, &rule) : -1;
    const int first = walk_chain(checker, value, below);
    if (index >= 0)
        checker->tree->rules[index].below = first;
    return index;
}

/* Checks the chain of rules in an object. Returns its first rule, or -1. */
static int walk_chain(anypi_checker *checker, struct json_object *object, location here)
{
    int first = -1, last = -1;
    bool leaf = false;
    if (!anypi_object_begin(checker, object, here.up, here.depth))
        return -1;
    if (here.depth > ANYPI_MAX_CONDITIONS + 1) {
        anypi_report(checker, here.up, "more than %d nested conditions; expected fewer, since "
                     "MPICH reads such a file in time 2^depth", ANYPI_MAX_CONDITIONS);
        anypi_skip_deeper(checker, here.depth - 1);
        return -1;
    }
    json_object_object_foreach(object, key, value) {
        anypi_frame frame;
        int rule = -1;
        if (checker->lenient && !strcmp(key, "rule"))   /* its number in a completed tree */
            checker->next_key++;
        else if (anypi_key_begin(checker, key, value, here.up, &frame)) {
            if (!strncmp(frame.key, "algorithm=", strlen("algorithm="))) {
                leaf = true;
                rule = anypi_walk_algorithm(checker, &frame, value, here.depth, here.collective,
                                            &here.facts,
                                            json_object_object_length(object));
            } else {
                rule = walk_branch(checker, &frame, value, &here);
            }
        }
        anypi_skip_deeper(checker, here.depth);
        if (rule >= 0 && last >= 0)
            checker->tree->rules[last].next = rule;
        first = first >= 0 ? first : rule;
        last = rule >= 0 ? rule : last;
    }
    if (leaf || !here.taken)
        checker->work += (leaf ? 1 : ANYPI_HOLE_WORK) << here.depth;
    return first;
}

void anypi_check(anypi_checker *checker)
{
    anypi_frame root = { .up = NULL };
    location top = { .up = &root, .depth = 1, .collective = -1 };
    anypi_facts_init(&top.facts);
    walk_chain(checker, checker->source->root, top);
    if (checker->work > ANYPI_MAX_WORK && !checker->first->errors)
        anypi_report(checker, NULL, "too many nested rules: MPICH would take too long to read "
                     "them; expected fewer rules, or fewer conditions above them");
}
