/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_algorithm.c - checks the leaves of decision files: algorithm=NAME and its parameters.
 */
#include "select/check_rules.h"

#include "algorithms/registry.h"
#include "schedule/collectives.h"
#include "select/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char *kind_name(anypi_kind kind)
{
    return kind == ANYPI_INTER ? "inter" : "intra";
}

/* Can a release of MPICH contain an algorithm of this name for the collective? */
static bool may_be_mpichs(const char *name, int collective)
{
    static const char *const kinds[] = { "_intra_", "_inter_", "_allcomm_" };
    const char *its = collective >= 0 ? anypi_mpich_collective(collective) : "";
    const size_t length = strlen(its);
    if (!length || strncmp(name, "MPIR_", 5) ||
        tolower((unsigned char) name[5]) != its[0] || strncmp(name + 6, its + 1, length - 1))
        return false;
    name += 5 + length;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (!strncmp(name, kinds[i], strlen(kinds[i])) && name[strlen(kinds[i])])
            return strncmp(name + strlen(kinds[i]), "anyp_", 5) &&
                strncmp(name + strlen(kinds[i]), "tsp_anyp_", 9);
    return false;
}

/* Reports an algorithm of AnyP that does not do the collective. False if AnyP has no algorithm of
 * this name. */
static bool report_other(anypi_checker *checker, const anypi_frame *frame, const char *name,
                         int collective)
{
    bool nonblocking;
    char others[512];
    const char *its = strstr(name, "anyp_");
    const anyp_algorithm *algorithm = its ? anyp_algorithm_find(its + 5) : NULL;
    const anyp_collective asked = collective < 0 ? ANYP_COLLECTIVES
        : anypi_collective_of(anypi_mpich_collective(collective), &nonblocking);
    if (!algorithm || asked == ANYP_COLLECTIVES || algorithm->collectives & ANYP_IN_SET(asked))
        return false;
    anypi_algorithms_text(asked, others, sizeof others);
    anypi_report(checker, frame, "the algorithm %s does not support %s; expected one of %s",
                 algorithm->name, anyp_collective_name(asked), others);
    return true;
}

static void report_unknown(anypi_checker *checker, const anypi_frame *frame, const char *name,
                           int collective)
{
    anypi_nearest nearest;
    anypi_word word;
    char candidate[128];
    if (report_other(checker, frame, name, collective))
        return;
    anypi_nearest_init(&nearest, name);
    for (int i = 0; anypi_is_reported(checker) && anypi_word_get(i, &word); i++)
        if (collective < 0 || word.collective == collective)
            anypi_nearest_try(&nearest, anypi_word_name(&word, candidate, sizeof candidate));
    if (may_be_mpichs(name, collective))
        anypi_report(checker, frame, "MPICH %s has no algorithm '%s'; expected %s%s%s; if the "
                     "file is for another release, name it, as in anyp check --mpich 5.0",
                     anypi_mpich_now()->release, name, nearest.text[0] ? "'" : "one that it has",
                     nearest.text, nearest.text[0] ? "'" : "");
    else if (nearest.text[0])
        anypi_report(checker, frame, "unknown algorithm '%s'; did you mean '%s'?", name,
                     nearest.text);
    else
        anypi_report(checker, frame, "unknown algorithm '%s'; expected one of MPICH %s or of "
                     "AnyP ('anyp list'), such as MPIR_Allreduce_intra_anyp_butterfly", name,
                     anypi_mpich_now()->release);
}

/* Can MPICH's own algorithm serve every call that reaches this rule? MPICH itself does not check.
 * If no condition can test a need, the check is left to MPICH, as in its defaults. */
static bool is_served(anypi_checker *checker, const anypi_frame *frame, const anypi_word *word,
                      const anypi_facts *facts)
{
    anypi_rule rule = { .number = 0 };
    bool holds;
    for (int i = 0; anypi_own_need(word->own, i, &rule.key, &holds); i++) {
        if (rule.key < 0 ||
            anypi_condition_holds(facts, &rule) == (holds ? ANYPI_TRUE : ANYPI_FALSE))
            continue;
        return anypi_report(checker, frame, holds
                            ? "this algorithm serves only calls with %s, but the rule also chooses "
                            "it for others; put it below this condition"
                            : "this algorithm does not serve calls with %s, but the rule chooses "
                            "it for them; put this condition before the rule, with other rules or "
                            "{} below", anypi_keys[rule.key].text);
    }
    return true;
}

/* Can a rule choose MPICH's own algorithm? */
static bool is_usable(anypi_checker *checker, const anypi_frame *frame, const anypi_word *word)
{
    if (!strcmp(word->own->unusable, "parameters"))
        return anypi_report(checker, frame, "MPICH %s does not read the parameters of this "
                            "algorithm (%s) from a file and would use arbitrary values; choose "
                            "another algorithm", anypi_mpich_now()->release, word->own->parameters);
    return !*word->own->unusable ||
        anypi_report(checker, frame, "with MPICH %s, calls that this algorithm does not serve "
                     "never end; choose another algorithm", anypi_mpich_now()->release);
}

static bool is_reduction(int collective)
{
    bool nonblocking;
    return !anypi_moves(anypi_collective_of(anypi_mpich_collective(collective), &nonblocking));
}

/* Is the algorithm allowed here? */
static bool fits(anypi_checker *checker, const anypi_frame *frame, const anypi_word *word,
                 int collective, const anypi_facts *facts)
{
    const uint64_t kinds = facts->allowed[ANYPI_OF_comm_type];
    if (collective == -1)
        return anypi_report(checker, frame, "no collective is named above this algorithm; put it "
                            "below collective=%s", anypi_mpich_collective(word->collective));
    if (collective >= 0 && word->collective != collective)
        return anypi_report(checker, frame, "an algorithm for %s below collective=%s; expected one "
                            "for %s", anypi_mpich_collective(word->collective),
                            anypi_mpich_collective(collective), anypi_mpich_collective(collective));
    if (!(word->kind & kinds) && anypi_has_inter(word->collective))
        return anypi_report(checker, frame, "an algorithm for %scommunicators below comm_type=%s; "
                            "expected one named ..._%s_... or ..._allcomm_...",
                            kind_name(word->kind), kind_name((anypi_kind) kinds),
                            kind_name((anypi_kind) kinds));
    if (word->algorithm && facts->allowed[ANYPI_OF_memory] == ANYPI_DEVICE_MEMORY &&
        is_reduction(word->collective))
        return anypi_report(checker, frame, "AnyP does not reduce data in device memory; expected "
                            "{} where memory=device holds, so that the MPI library chooses");
    return !word->own || anypi_mpich_now()->any || (is_usable(checker, frame, word) &&
                                                    is_served(checker, frame, word, facts));
}

static int find_parameter(const anypi_word *word, const char *name, size_t length)
{
    return word->own ? anypi_own_parameter_find(word->own, name, length)
        : anypi_parameter_find(word->algorithm, name, length);
}

/* Reports that the key sets no parameter of the algorithm. Returns false. */
static bool report_no_parameter(anypi_checker *checker, const anypi_frame *frame,
                                const anypi_word *word)
{
    char names[256] = "", name[64];
    const anyp_algorithm *algorithm = word->algorithm;
    for (int i = 0; word->own ? anypi_own_parameter(word->own, i, name, sizeof name)
                              : i < algorithm->parameters_count; i++) {
        anypi_append(names, sizeof names, i ? "|" : "");
        anypi_append(names, sizeof names, word->own ? name : algorithm->parameters[i].name);
    }
    return anypi_report(checker, frame, "'%s' does not set a parameter of the algorithm; expected "
                        "%s%s", frame->key, names[0] ? "PARAMETER=VALUE with PARAMETER one of "
                        : "{}, since it has none", names);
}

/* Reads "name=value" into *value; `index` is the index of the parameter. */
static bool read_value(anypi_checker *checker, const anypi_frame *frame, const anypi_word *word,
                       int index, const char *text, int *value)
{
    int minimum, maximum;
    if (word->algorithm && word->algorithm->parameters[index].values) {
        const anyp_parameter *parameter = &word->algorithm->parameters[index];
        int parameters[ANYP_MAX_PARAMETERS];
        char range[512];
        const char *reason;
        if (anyp_parameter_set(word->algorithm, parameters, parameter->name, text, &reason) !=
            ANYP_SUCCESS)
            return anypi_report(checker, frame, "'%s': %s; expected one of %s", text, reason,
                                anyp_parameter_range(parameter, range, sizeof range));
        *value = parameters[index];
        return true;
    }
    if (word->algorithm && !strcmp(text, "auto")) {
        *value = ANYP_AUTO;
        return true;
    }
    if (word->algorithm) {
        minimum = word->algorithm->parameters[index].minimum;
        maximum = word->algorithm->parameters[index].maximum;
    } else {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int) strcspn(frame->key, "="), frame->key);
        if (anypi_mpich_values(name)) {
            *value = anypi_list_find(anypi_mpich_values(name), text, strlen(text));
            return *value >= 0 ||
                anypi_report(checker, frame, "'%s' is not a value of %s; expected one of %s",
                             text, name, anypi_mpich_values(name));
        }
        anypi_mpich_parameter_range(name, &minimum, &maximum);
    }
    return anypi_read_number(checker, frame, text, minimum, maximum, value);
}

/* Checks one parameter, "name=value": {}, and sets its bit in *given. */
static bool walk_parameter(anypi_checker *checker, const anypi_frame *frame,
                           struct json_object *value, const anypi_word *word, int *parameters,
                           unsigned *given)
{
    const size_t length = strcspn(frame->key, "=");
    const int index = frame->key[length] ? find_parameter(word, frame->key, length) : -1;
    if (index < 0 || index >= ANYP_MAX_PARAMETERS)
        return report_no_parameter(checker, frame, word);
    if (!read_value(checker, frame, word, index, frame->key + length + 1, &parameters[index]))
        return false;
    if (*given & (1u << index))
        return anypi_report(checker, frame, "%s; remove it", word->alias
                            ? "the name of the algorithm already sets this parameter"
                            : "this parameter is already set");
    *given |= 1u << index;
    return !json_object_object_length(value) ||
        anypi_report(checker, frame, "the value of a parameter is not empty; expected {}");
}

/* Are all parameters given? The parameters of MPICH's own algorithms have no defaults: MPICH's
 * reader would leave a missing one unset. */
static bool all_given(anypi_checker *checker, const anypi_frame *frame, const anypi_word *word,
                      unsigned given)
{
    char name[64];
    for (int i = 0; word->own && anypi_list_get(word->own->parameters, i, name, sizeof name); i++)
        if (!(given & (1u << i)))
            return anypi_report(checker, frame, "the parameter %s is missing, and MPICH would use "
                                "an arbitrary value; add \"%s=%s\": {} below", name, name,
                                anypi_mpich_values(name) ? anypi_mpich_values(name) : "N");
    return true;
}

int anypi_walk_algorithm(anypi_checker *checker, const anypi_frame *frame,
                         struct json_object *value, int depth, int collective,
                         const anypi_facts *facts, int keys)
{
    const char *name = frame->key + strlen("algorithm=");
    anypi_rule rule = { .key = -1, .number = anypi_word_find(name), .below = -1, .next = -1 };
    anypi_word word;
    unsigned given = 0;
    if (keys > 1 && !checker->lenient)
        anypi_report(checker, frame, "this object has other keys, which MPICH ignores or aborts "
                     "on; expected algorithm=NAME alone");
    if (rule.number < 0 && anypi_mpich_now()->any && may_be_mpichs(name, collective))
        return anypi_add_rule(checker, &rule);
    if (rule.number < 0) {
        report_unknown(checker, frame, name, collective);
        return -1;
    }
    anypi_word_get(rule.number, &word);
    bool right = checker->lenient || fits(checker, frame, &word, collective, facts);
    if (word.own && anypi_mpich_now()->any)
        return right ? anypi_add_rule(checker, &rule) : -1;     /* parameters are not read */
    if (word.algorithm)
        anyp_parameters_default(word.algorithm, rule.parameters);
    for (int i = 0; word.own && i < ANYP_MAX_PARAMETERS; i++)
        rule.parameters[i] = ANYPI_NOT_GIVEN;
    if (word.alias) {
        const char *reason;
        anyp_parameter_set(word.algorithm, rule.parameters, word.alias->parameter,
                           word.alias->value, &reason);
        given = 1u << find_parameter(&word, word.alias->parameter, strlen(word.alias->parameter));
        rule.number = anypi_word_meant(rule.number);
    }
    if (!anypi_object_begin(checker, value, frame, depth + 1))
        return -1;
    json_object_object_foreach(value, key, below) {
        anypi_frame inner;
        right = anypi_key_begin(checker, key, below, frame, &inner) &&
            walk_parameter(checker, &inner, below, &word, rule.parameters, &given) && right;
        anypi_skip_deeper(checker, depth + 1);
    }
    right = right && all_given(checker, frame, &word, given);
    return right ? anypi_add_rule(checker, &rule) : -1;
}
