/* SPDX-License-Identifier: BSD-3-Clause
 *
 * complete.c - the tree that MPICH's reader gets: the file's rules, partially evaluated for every
 * collective and communicator kind, with MPICH's defaults wherever they lead nowhere.
 *
 * With collective and communicator kind as known facts the walk starts at the file's root. A
 * condition that the facts decide leaves no key: its branch continues in the same object, or
 * vanishes. All others become keys, below which they hold, and behind which they do not. At a hole
 * the walk goes on at the root of the defaults with the same facts. Hence no object holds a key
 * twice or one that cannot be reached, every walk of MPICH's ends at an algorithm, and only
 * collectives stand at the top, which is what MPICH's pruning wants.
 */
#include "select/tree.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* json-c's own limit, which MPICH's reader does not raise. */
enum { deepest_json = 30 };

typedef struct writer {
    const anypi_decision *defaults;
    char *text;
    size_t length, capacity;
    int depth;
    bool hole;                  /* not even the defaults led to an algorithm */
    anyp_status status;         /* the first error sticks */
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

/* Begins a key and its object. */
static void open_key(writer *out, const char *key)
{
    if (out->length && out->text[out->length - 1] != '{')
        put(out, ",");
    put(out, "\"");
    put(out, key);
    put(out, "\":{");
    if (++out->depth > deepest_json)
        out->status = ANYP_ERR_FILE;
}

static void close_key(writer *out)
{
    put(out, "}");
    out->depth--;
}

static void write_parameters(writer *out, const anypi_word *word, const anypi_rule *rule)
{
    char key[ANYP_VALUE_SIZE + 64], value[ANYP_VALUE_SIZE];
    if (word->algorithm) {
        for (int i = 0; i < word->algorithm->parameters_count; i++) {
            const anyp_parameter *parameter = &word->algorithm->parameters[i];
            snprintf(key, sizeof key, "%s=%s", parameter->name,
                     anyp_parameter_text(parameter, rule->parameters[i], value, sizeof value));
            open_key(out, key);
            close_key(out);
        }
        return;
    }
    char name[64];
    for (int i = 0; anypi_own_parameter(word->own, i, name, sizeof name); i++) {
        const char *values = anypi_mpich_values(name);
        if (rule->parameters[i] == ANYPI_NOT_GIVEN)
            continue;
        if (!values || !anypi_list_get(values, rule->parameters[i], value, sizeof value))
            snprintf(value, sizeof value, "%d", rule->parameters[i]);
        snprintf(key, sizeof key, "%s=%s", name, value);
        open_key(out, key);
        close_key(out);
    }
}

/* Can the communicator of these facts run the algorithm of a rule? */
static bool runs(const anypi_rule *rule, const anypi_facts *facts, anypi_word *word)
{
    anypi_word_get(rule->number, word);
    return (word->kind & facts->allowed[ANYPI_OF_comm_type]) != 0;
}

/* Does any walk through the chain reach an algorithm? */
static bool leads_somewhere(const anypi_decision *tree, int first, const anypi_facts *facts)
{
    anypi_word word;
    for (int i = first; i >= 0; i = tree->rules[i].next) {
        const anypi_rule *rule = &tree->rules[i];
        if (rule->key < 0)
            return runs(rule, facts, &word);
        const anypi_verdict verdict = anypi_decide(facts, rule);
        if (verdict != ANYPI_FALSE && leads_somewhere(tree, rule->below, facts))
            return true;
        if (verdict == ANYPI_TRUE)
            return false;
    }
    return false;
}

/* Continues the object that is open with a chain. `begun`: it has keys already. */
static void write_chain(writer *out, const anypi_decision *tree, int first, anypi_facts facts,
                        bool begun)
{
    int i = leads_somewhere(tree, first, &facts) ? first : -1;
    while (i >= 0 && out->status == ANYP_SUCCESS) {
        const anypi_rule *rule = &tree->rules[i];
        anypi_word word;
        char text[128];
        if (rule->key < 0) {
            if (!runs(rule, &facts, &word))
                break;
            if (begun)          /* an algorithm must be alone in its object */
                open_key(out, "comm_size=any");
            snprintf(text, sizeof text, "algorithm=");
            anypi_word_name(&word, text + strlen(text), sizeof text - strlen(text));
            open_key(out, text);
            write_parameters(out, &word, rule);
            close_key(out);
            if (begun)
                close_key(out);
            return;
        }
        const anypi_verdict verdict = anypi_decide(&facts, rule);
        if (verdict == ANYPI_UNKNOWN) {
            anypi_rule exact = *rule;
            if (anypi_keys[rule->key].form == ANYPI_LESS) {     /* MPICH misreads some of these */
                exact.key--;
                exact.number--;
            }
            anypi_facts below = facts;
            anypi_assume(&below, rule, true);
            anypi_assume(&facts, rule, false);
            open_key(out, anypi_rule_text(&exact, text, sizeof text));
            write_chain(out, tree, rule->below, below, false);
            close_key(out);
            begun = true;
        }
        i = verdict == ANYPI_TRUE ? rule->below : rule->next;
    }
    if (tree != out->defaults && out->status == ANYP_SUCCESS)
        write_chain(out, out->defaults, anypi_root(out->defaults), facts, begun);
    else
        out->hole = true;
}

/* Does the tree speak of the collective? */
static bool mentions(const anypi_decision *tree, int collective)
{
    for (int i = 0; i < tree->count; i++)
        if (tree->rules[i].key >= 0 && anypi_keys[tree->rules[i].key].form == ANYPI_NAME &&
            tree->rules[i].number == collective)
            return true;
    return false;
}

/* Writes the branch of one communicator kind, or nothing where there is none to write: scan has no
 * intercommunicators, and MPICH's defaults need not know all collectives. */
static void write_kind(writer *out, const anypi_decision *tree, int collective, anypi_kind kind)
{
    const size_t length = out->length;
    const int depth = out->depth;
    anypi_facts facts;
    anypi_facts_init(&facts);
    anypi_facts_bit(&facts, ANYPI_OF_collective, UINT64_C(1) << collective);
    anypi_facts_bit(&facts, ANYPI_OF_comm_type, kind);
    out->hole = false;
    open_key(out, kind == ANYPI_INTRA ? "comm_type=intra" : "comm_type=inter");
    write_chain(out, tree, anypi_root(tree), facts, false);
    close_key(out);
    if (!out->hole || out->status != ANYP_SUCCESS)
        return;
    if ((kind == ANYPI_INTER && !anypi_has_inter(collective)) ||
        (!mentions(tree, collective) && !mentions(out->defaults, collective))) {
        out->length = length;
        out->depth = depth;
        out->text[length] = '\0';
    } else {
        out->status = ANYP_ERR_FILE;
    }
}

anyp_status anypi_decision_complete(const anypi_decision *decision, const char *defaults,
                                    char **text)
{
    anypi_decision *fallback = NULL;
    writer out = { .status = anypi_defaults_parse(defaults, &fallback) };
    out.defaults = fallback;
    put(&out, "{");
    for (int i = 0; anypi_mpich_collective(i) && out.status == ANYP_SUCCESS; i++) {
        const size_t length = out.length;
        const int depth = out.depth;
        char key[64];
        snprintf(key, sizeof key, "collective=%s", anypi_mpich_collective(i));
        open_key(&out, key);
        const size_t empty = out.length;
        write_kind(&out, decision, i, ANYPI_INTRA);
        if (out.status == ANYP_SUCCESS)
            write_kind(&out, decision, i, ANYPI_INTER);
        if (out.length > empty) {
            close_key(&out);
        } else if (out.text) {
            out.length = length;
            out.depth = depth;
            out.text[length] = '\0';
        }
    }
    put(&out, "}");
    anypi_decision_free(fallback);
    if (out.status == ANYP_SUCCESS)
        *text = out.text;
    else
        anypi_free(out.text);
    return out.status;
}
