/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/forms_mark.h"

#include "tuner/node_shapes.h"
#include "tuner/text_file.h"
#include "schedule/collectives.h"

#include <stdlib.h>
#include <string.h>

static const char begin[] = "By closed forms, not measured: ";

/* What regions a collective has: [kind of nodes][operators that do not commute][by closed forms] */
typedef struct having {
    bool any[ANYPI_NODES_KINDS][2][2];
    bool several;               /* kinds of nodes, so that there are conditions */
    bool measured, forms;       /* any of these */
} having;

static having find(const anypi_regions *regions, anyp_collective collective)
{
    having its = { .measured = false };
    for (int i = 0; i < regions->count; i++) {
        const anypi_region *one = &regions->list[i];
        const int kind = anypi_nodes_kind(one->nodes);
        if (one->collective != collective)
            continue;
        its.any[kind][!one->commutative][one->plan->forms] = true;
        its.several |= kind > 0;
        its.measured |= !one->plan->forms;
        its.forms |= one->plan->forms;
    }
    return its;
}

/* Writes the name of a collective, once for each group of regions that were not measured if others
 * were. */
static void write_collective(FILE *file, const having *its, anyp_collective collective, bool *first)
{
    for (int kind = 0; kind < ANYPI_NODES_KINDS; kind++)
        for (int operators = 0; operators < 2; operators++) {
            if (!its->any[kind][operators][true])
                continue;
            fprintf(file, "%s%s", *first ? begin : ", ", anypi_form_name(collective));
            *first = false;
            if (!its->measured)
                return;
            const char *nodes = its->several ? anypi_nodes_conditions[kind] : "";
            const char *operator = anypi_moves(collective) ? ""
                : operators ? "is_commutative=no" : "is_commutative=yes";
            fprintf(file, " (%s%s%s)", nodes, *nodes && *operator ? " and " : "", operator);
        }
}

char *anypi_forms_line(const anypi_regions *regions)
{
    char *text = NULL;
    size_t size;
    bool first = true;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const having its = find(regions, (anyp_collective) i);
        write_collective(file, &its, (anyp_collective) i, &first);
    }
    if (!first)
        fputc('.', file);
    return anypi_text_end(file, &text);
}

/* ---- reading ---- */

/* Is a condition, in text that goes on after it, one of a path? */
static bool holds(const char *path, const char *condition, size_t length)
{
    for (const char *end; *path; path = *end ? end + strlen(" / ") : end) {
        end = strstr(path, " / ");
        end = end ? end : path + strlen(path);
        if ((size_t) (end - path) == length && !strncmp(path, condition, length))
            return true;
    }
    return false;
}

/* Does an entry, "NAME" or "NAME (CONDITION and CONDITION)", mean the rule of a path? */
static bool means(const char *entry, size_t length, const char *path)
{
    static const char key[] = "collective=";
    const size_t name = strcspn(entry, " ,.");
    if (strncmp(path, key, strlen(key)) || strncmp(path + strlen(key), entry, name) ||
        strncmp(path + strlen(key) + name, " / ", 3))
        return false;
    for (size_t at = name; at < length;) {
        const char *condition = entry + at + strspn(entry + at, " (");
        const size_t its = strcspn(condition, " )");
        if (condition + its >= entry + length || !holds(path, condition, its))
            return false;
        at = (size_t) (condition - entry) + its;
        at += entry[at] == ')' ? length : strlen(" and");
    }
    return true;
}

bool anypi_forms_named(const char *text, const char *path)
{
    while ((text = strstr(text, begin))) {
        text += strlen(begin);
        for (const char *entry = text; *entry && *entry != '.' && *entry != '\n';) {
            const size_t length = strcspn(entry, ",.\n");
            if (means(entry, length, path))
                return true;
            entry += length;
            entry += strspn(entry, ", ");
        }
    }
    return false;
}
