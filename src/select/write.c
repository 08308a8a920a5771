/* SPDX-License-Identifier: BSD-3-Clause
 *
 * write.c - rules as MPICH's CSEL JSON, as check.c and leaf.c read it: nested objects, a key for
 * each condition, algorithm and parameter.
 */
#include "select/tree.h"

#include "schedule/memory.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
    char *text;
    size_t length, capacity;
    bool lines;
    int depth;
    anyp_status status;
} writer;

static void put(writer *out, const char *text)
{
    const size_t more = strlen(text);
    if (out->status != ANYP_SUCCESS)
        return;
    if (out->length + more >= out->capacity) {
        const size_t capacity = 2 * out->capacity + more + 1024;
        char *larger = anypi_realloc(out->text, capacity);
        if (!larger) {
            out->status = ANYP_ERR_MEMORY;
            return;
        }
        out->text = larger;
        out->capacity = capacity;
    }
    memcpy(out->text + out->length, text, more + 1);
    out->length += more;
}

static void new_line(writer *out)
{
    for (int i = 0; out->lines && i <= out->depth; i++)
        put(out, i ? "  " : "\n");
}

/* Begins a key and its object. */
static void open_key(writer *out, const char *key)
{
    if (out->length && out->text[out->length - 1] != '{')
        put(out, ",");
    new_line(out);
    put(out, "\"");
    put(out, key);
    put(out, out->lines ? "\": {" : "\":{");
    out->depth++;
}

static void close_object(writer *out)
{
    out->depth--;
    if (out->length && out->text[out->length - 1] != '{')
        new_line(out);
    put(out, "}");
}

/* Parameters are keys of empty objects. */
static void put_parameters(writer *out, const anypi_word *word, const int *parameters)
{
    char key[ANYP_VALUE_SIZE + 64], value[ANYP_VALUE_SIZE];
    const int count = word->algorithm ? word->algorithm->parameters_count : ANYP_MAX_PARAMETERS;
    for (int i = 0; i < count; i++) {
        const anyp_parameter *parameter = word->algorithm ? &word->algorithm->parameters[i] : NULL;
        if (parameter)
            snprintf(key, sizeof key, "%s=%s", parameter->name,
                     anyp_parameter_text(parameter, parameters[i], value, sizeof value));
        else if (!anypi_own_setting(word->own, i, parameters[i], key, sizeof key))
            continue;
        open_key(out, key);
        close_object(out);
    }
}

static void put_chain(writer *out, const anypi_decision *tree, int first)
{
    char key[160] = "algorithm=";
    const size_t head = strlen(key);
    for (int i = first; i >= 0; i = tree->rules[i].next) {
        const anypi_rule *rule = &tree->rules[i];
        if (rule->key >= 0) {
            char condition[160];
            open_key(out, anypi_rule_text(rule, condition, sizeof condition));
            put_chain(out, tree, rule->below);
        } else {
            anypi_word word;
            anypi_word_get(rule->number, &word);
            anypi_word_name(&word, key + head, sizeof key - head);
            open_key(out, key);
            put_parameters(out, &word, rule->parameters);
        }
        close_object(out);
    }
}

anyp_status anypi_decision_write(const anypi_decision *decision, bool lines, char **text)
{
    writer out = { .lines = lines };
    put(&out, "{");
    out.depth = 1;
    put_chain(&out, decision, anypi_root(decision));
    close_object(&out);
    if (out.status == ANYP_SUCCESS)
        *text = out.text;
    else
        anypi_free(out.text);
    return out.status;
}
