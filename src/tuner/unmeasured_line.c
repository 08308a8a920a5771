/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/generic.h"

#include "tuner/node_shapes.h"
#include "options/text_file.h"
#include "schedule/collectives.h"

#include <stdlib.h>
#include <string.h>

static const char begin[] = "By closed forms, not measured: ";

static void write_entry(FILE *file, bool *first, anyp_collective collective, const char *operator,
                        const char *nodes)
{
    fprintf(file, "%s%s", *first ? begin : ", ", anypi_form_name(collective));
    *first = false;
    if (*operator || *nodes)
        fprintf(file, " (%s%s%s)", operator, *operator && *nodes ? " and " : "", nodes);
}

/* Writes the entries of a collective, with the conditions that tell them from measured rules. */
static void write_collective(FILE *file, const anypi_regions *regions, anyp_collective collective,
                             bool *first)
{
    const bool whole = !anypi_regions_have(regions, collective, false, -1, -1);
    if (whole && anypi_regions_have(regions, collective, true, -1, -1))
        write_entry(file, first, collective, "", "");
    for (int operators = 0; operators < 2 && !whole; operators++) {
        const char *its = anypi_moves(collective) ? ""
            : operators ? "is_commutative=no" : "is_commutative=yes";
        const bool all = !anypi_regions_have(regions, collective, false, operators, -1);
        if (all && anypi_regions_have(regions, collective, true, operators, -1))
            write_entry(file, first, collective, its, "");
        for (int kind = 0; kind < ANYPI_NODES_KINDS && !all; kind++)
            if (!anypi_regions_have(regions, collective, false, operators, kind) &&
                anypi_regions_have(regions, collective, true, operators, kind))
                write_entry(file, first, collective, its, anypi_nodes_conditions[kind]);
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
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        write_collective(file, regions, (anyp_collective) i, &first);
    if (!first)
        fputc('.', file);
    return anypi_text_end(file, &text);
}

/* ---- reading ---- */

/* Does a path contain the condition at the beginning of this text? */
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
