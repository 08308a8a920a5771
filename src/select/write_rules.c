/* SPDX-License-Identifier: BSD-3-Clause
 *
 * write_rules.c - writes rules as MPICH's CSEL JSON, as check_rules.c and check_algorithm.c read
 * it: nested objects, with a key for each condition, algorithm and parameter. Also hashes this
 * text.
 */
#include "select/rule_tree.h"
#include "select/text.h"

#include <string.h>

typedef struct writer {
    FILE *file;                 /* NULL: only the hash is computed */
    uint64_t hash;
    bool lines;
    bool numbered;              /* a completed tree */
    bool empty;                 /* the current object has no key yet */
    int depth;
} writer;

static void put(writer *out, const char *text)
{
    if (out->file)
        fputs(text, out->file);
    else
        out->hash = anypi_hash_text(out->hash, text);
}

static void new_line(writer *out)
{
    put(out, out->lines ? "\n" : "");
    for (int i = 0; out->lines && i < out->depth; i++)
        put(out, "  ");
}

static void put_key(writer *out, const char *key)
{
    put(out, "\"");
    put(out, key);
    put(out, out->lines ? "\": {" : "\":{");
}

/* Begins a key and its object. */
static void open_key(writer *out, const char *key)
{
    put(out, out->empty ? "" : ",");
    new_line(out);
    put_key(out, key);
    out->empty = true;
    out->depth++;
}

static void close_object(writer *out)
{
    out->depth--;
    if (!out->empty)
        new_line(out);
    put(out, "}");
    out->empty = false;
}

/* Writes parameters: keys of empty objects, in one line. Parameters with default values are left
 * out. */
static void put_parameters(writer *out, const anypi_word *word, const int *parameters)
{
    char key[ANYP_VALUE_SIZE + 64], value[ANYP_VALUE_SIZE];
    const int count = word->algorithm ? word->algorithm->parameters_count : ANYP_MAX_PARAMETERS;
    const char *comma = "";
    for (int i = 0; i < count; i++) {
        const anyp_parameter *parameter = word->algorithm ? &word->algorithm->parameters[i] : NULL;
        if (parameter && parameters[i] == parameter->default_value)
            continue;
        if (parameter && out->lines && !parameter->values && parameter->of_nodes &&
            !anypi_uses_nodes(word->algorithm, parameters))
            continue;           /* numbers for nodes mean nothing without nodes */
        if (parameter)
            snprintf(key, sizeof key, "%s=%s", parameter->name,
                     anyp_parameter_text(parameter, parameters[i], value, sizeof value));
        else if (!anypi_own_setting(word->own, i, parameters[i], key, sizeof key))
            continue;
        put(out, comma);
        put_key(out, key);
        put(out, "}");
        comma = out->lines ? ", " : ",";
    }
}

static void put_algorithm(writer *out, const anypi_rule *rule)
{
    char key[160] = "algorithm=";
    const size_t head = strlen(key);
    anypi_word word;
    const bool known = rule->number >= 0 && anypi_word_get(rule->number, &word);
    if (known)
        anypi_word_name(&word, key + head, sizeof key - head);
    put_key(out, key);
    if (known)
        put_parameters(out, &word, rule->parameters);
    put(out, "}");
    if (out->numbered && rule->origin != ANYPI_RULE_OF_DEFAULTS) {
        snprintf(key, sizeof key, ",\"rule\":%d", rule->origin);
        put(out, key);
    }
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

static void put_decision(writer *out, const anypi_decision *decision)
{
    out->empty = true;
    out->depth = 1;
    put(out, "{");
    put_chain(out, decision, anypi_root(decision));
    close_object(out);
}

void anypi_decision_write(const anypi_decision *decision, bool lines, FILE *file)
{
    writer out = { .file = file, .lines = lines };
    put_decision(&out, decision);
}

void anypi_completed_write(const anypi_decision *tree, FILE *file)
{
    writer out = { .file = file, .numbered = true };
    put_decision(&out, tree);
}

uint64_t anypi_decision_hash(const anypi_decision *decision)
{
    writer out = { .hash = ANYPI_HASH };
    put_decision(&out, decision);
    return out.hash;
}
