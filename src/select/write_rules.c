/* SPDX-License-Identifier: BSD-3-Clause
 *
 * write_rules.c - rules as MPICH's CSEL JSON, as check_rules.c and rule_algorithm.c read it:
 * nested objects, a key for each condition, algorithm and parameter.
 */
#include "select/rule_tree.h"

#include <string.h>

typedef struct writer {
    FILE *file;
    bool lines;
    bool empty;                 /* the present object has no key yet */
    int depth;
} writer;

static void new_line(const writer *out)
{
    if (out->lines)
        fprintf(out->file, "\n%*s", 2 * out->depth, "");
}

/* Begins a key and its object. */
static void open_key(writer *out, const char *key)
{
    if (!out->empty)
        fputc(',', out->file);
    new_line(out);
    fprintf(out->file, out->lines ? "\"%s\": {" : "\"%s\":{", key);
    out->empty = true;
    out->depth++;
}

static void close_object(writer *out)
{
    out->depth--;
    if (!out->empty)
        new_line(out);
    fputc('}', out->file);
    out->empty = false;
}

/* Parameters are keys of empty objects, in one line; those that have their defaults are left out.
 * */
static void put_parameters(writer *out, const anypi_word *word, const int *parameters)
{
    char key[ANYP_VALUE_SIZE + 64], value[ANYP_VALUE_SIZE];
    const int count = word->algorithm ? word->algorithm->parameters_count : ANYP_MAX_PARAMETERS;
    bool empty = true;
    for (int i = 0; i < count; i++) {
        const anyp_parameter *parameter = word->algorithm ? &word->algorithm->parameters[i] : NULL;
        if (parameter && parameters[i] == parameter->default_value)
            continue;
        if (parameter && out->lines && !parameter->values && anypi_parameter_of_nodes(parameter) &&
            !anypi_uses_nodes(word->algorithm, parameters))
            continue;           /* numbers for nodes mean nothing without nodes */
        if (parameter)
            snprintf(key, sizeof key, "%s=%s", parameter->name,
                     anyp_parameter_text(parameter, parameters[i], value, sizeof value));
        else if (!anypi_own_setting(word->own, i, parameters[i], key, sizeof key))
            continue;
        fprintf(out->file, out->lines ? "%s\"%s\": {}" : "%s\"%s\":{}",
                empty ? "" : out->lines ? ", " : ",", key);
        empty = false;
    }
}

static void put_algorithm(writer *out, const anypi_rule *rule)
{
    char key[160] = "algorithm=";
    const size_t head = strlen(key);
    anypi_word word;
    anypi_word_get(rule->number, &word);
    anypi_word_name(&word, key + head, sizeof key - head);
    fprintf(out->file, out->lines ? "\"%s\": {" : "\"%s\":{", key);
    put_parameters(out, &word, rule->parameters);
    fputc('}', out->file);
}

/* An algorithm follows its condition in the same line. */
static void put_chain(writer *out, const anypi_decision *tree, int first)
{
    for (int i = first; i >= 0; i = tree->rules[i].next) {
        const anypi_rule *rule = &tree->rules[i];
        char condition[160];
        if (rule->key < 0) {
            put_algorithm(out, rule);
            continue;
        }
        open_key(out, anypi_rule_text(rule, condition, sizeof condition));
        put_chain(out, tree, rule->below);
        close_object(out);
    }
}

void anypi_decision_write(const anypi_decision *decision, bool lines, FILE *file)
{
    writer out = { .file = file, .lines = lines, .empty = true, .depth = 1 };
    fputc('{', file);
    put_chain(&out, decision, anypi_root(decision));
    close_object(&out);
}
