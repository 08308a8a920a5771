/* SPDX-License-Identifier: BSD-3-Clause
 *
 * write.c - the choices as a decision file: collective, intracommunicator, number of processes,
 * operator, size, what one of MPICH's own algorithms needs, algorithm. Only what is the same on all
 * ranks is asked.
 */
#include "tune.h"

#include "select/jsonc.h"
#include "select/vocabulary.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct json_object *add_object(struct json_object *parent, const char *key)
{
    struct json_object *child = json_object_new_object();
    if (child)
        json_object_object_add(parent, key, child);
    return child;
}

/* Conditions that keep calls from one of MPICH's own algorithms that it does not serve; such a call
 * falls into a hole. What is asked above is not asked again: whether operators commute. Returns where
 * the algorithm belongs. */
static struct json_object *add_guards(struct json_object *parent, const anypi_mpich_algorithm *own)
{
    int key;
    bool holds;
    for (int i = 0; own && anypi_own_need(own, i, &key, &holds); i++) {
        if (anypi_keys[key].variable == ANYPI_OF_is_commutative)
            continue;
        struct json_object *below = add_object(parent, anypi_keys[key].text);
        parent = holds ? below : add_object(parent, "comm_size=any");
    }
    return parent;
}

/* MPICH's name: "MPIR_Reduce_scatter_intra_pairwise" */
static void add_algorithm(struct json_object *parent, anyp_collective collective,
                          const anypi_candidate *candidate)
{
    char key[ANYPI_NAME_SIZE + ANYP_VALUE_SIZE], name[ANYPI_NAME_SIZE];
    snprintf(name, sizeof name, "%s", anyp_collective_name(collective));
    name[0] = (char) toupper((unsigned char) name[0]);
    snprintf(key, sizeof key, "algorithm=MPIR_%s_intra_%s", name, candidate->name);
    struct json_object *parameters = add_object(add_guards(parent, candidate->own), key);
    for (int i = 0; anypi_candidate_parameter(candidate, i, key, sizeof key); i++)
        add_object(parameters, key);
}

/* The cells of one p, collective and operator kind. */
static int cells_of(const anypi_plan *plan, int p, anyp_collective collective, bool commutative,
                    const anypi_cell **first)
{
    int count = 0;
    for (int i = 0; i < plan->cells_count; i++) {
        const anypi_cell *cell = &plan->cells[i];
        if (cell->p != p || cell->collective != collective || cell->commutative != commutative)
            continue;
        if (!count++)
            *first = cell;
    }
    return count;
}

/* Sizes between two that were measured follow the nearer one by ratio. */
static int size_border(int64_t smaller, int64_t larger)
{
    const double middle = sqrt((double) smaller) * sqrt((double) larger);
    return middle < INT_MAX - 1 ? (int) middle : INT_MAX - 1;
}

/* The chain of sizes. Nothing is added if all is left to the library. */
static void add_sizes(struct json_object *parent, const anypi_plan *plan, const anypi_cell *cells,
                      int count)
{
    const anyp_collective collective = cells->collective;
    const bool scatters = collective == ANYP_REDUCE_SCATTER ||
        collective == ANYP_REDUCE_SCATTER_BLOCK;
    const char *const quantity = scatters ? "total_msg_size" : "avg_msg_size";
    const anypi_candidate *list = plan->candidates[collective].list;
    int first = 0;
    for (int i = 0; i < count; i++) {
        if (i + 1 < count && cells[i + 1].choice == cells[i].choice)
            continue;
        char key[64];
        if (i + 1 == count)
            snprintf(key, sizeof key, "%s=any", quantity);
        else
            snprintf(key, sizeof key, "%s<=%d", quantity,
                     size_border(cells[i].bytes, cells[i + 1].bytes));
        const int choice = cells[i].choice;
        if (!first && i + 1 == count) {         /* one choice for all sizes */
            if (choice)
                add_algorithm(parent, collective, &list[choice]);
            return;
        }
        struct json_object *branch = add_object(parent, key);
        if (choice)
            add_algorithm(branch, collective, &list[choice]);
        first = i + 1;
    }
}

/* The rules of one collective and p. Always both operator kinds, unless all is left to the
 * library. */
static struct json_object *rules_of(const anypi_plan *plan, int p, anyp_collective collective)
{
    struct json_object *rules = json_object_new_object();
    bool any = false;
    for (int i = 0; i < 2; i++) {
        const anypi_cell *cells = NULL;
        const int count = cells_of(plan, p, collective, !i, &cells);
        struct json_object *branch =
            add_object(rules, i ? "is_commutative=no" : "is_commutative=yes");
        if (count)
            add_sizes(branch, plan, cells, count);
        any = any || json_object_object_length(branch);
    }
    if (any)
        return rules;
    json_object_put(rules);
    return json_object_new_object();
}

static bool equal_rules(struct json_object *one, struct json_object *other)
{
    return !strcmp(json_object_to_json_string(one), json_object_to_json_string(other));
}

/* The chain of numbers of processes below `parent`. */
static void add_procs(struct json_object *parent, const anypi_plan *plan,
                      anyp_collective collective)
{
    struct json_object *pending = NULL;
    int last = 0;               /* the p that the pending rules were measured at */
    char key[64];
    for (int i = 0; i <= plan->procs_count; i++) {
        const bool end = i == plan->procs_count;
        if (!end && !plan->complete[i])
            continue;
        struct json_object *rules = end ? NULL : rules_of(plan, plan->procs[i], collective);
        if (!last && !end && plan->procs[i] > 3) {
            snprintf(key, sizeof key, "comm_size<=%d", (plan->procs[i] - 1) / 2);
            add_object(parent, key);
        }
        if (pending && rules && equal_rules(pending, rules)) {
            json_object_put(rules);
        } else {
            snprintf(key, sizeof key, "comm_size<=%d",
                     end ? last : last + (plan->procs[i] - last) / 2);
            if (pending)
                json_object_object_add(parent, key, pending);
            pending = rules;
        }
        if (!end)
            last = plan->procs[i];
    }
}

/* The comment must end where it is meant to. */
static void put_comment(FILE *file, const char *origin)
{
    fputs("/* ", file);
    for (const char *c = origin; *c; c++) {
        if (*c == '\n')
            fputs("\n   ", file);
        else if (c[0] == '*' && c[1] == '/')
            fputc('+', file);
        else
            fputc(isprint((unsigned char) *c) ? *c : isspace((unsigned char) *c) ? ' ' : '?', file);
    }
    fputs(" */\n", file);
}

char *anypi_write_decision(const anypi_plan *plan, const char *origin)
{
    char *text = NULL;
    size_t size = 0;
    struct json_object *root = json_object_new_object();
    FILE *file = open_memstream(&text, &size);
    if (root && file) {
        for (int i = 0; i < ANYP_COLLECTIVES; i++) {
            if (!plan->wanted[i])
                continue;
            char key[64];
            snprintf(key, sizeof key, "collective=%s", anyp_collective_name((anyp_collective) i));
            add_procs(add_object(add_object(root, key), "comm_type=intra"), plan,
                      (anyp_collective) i);
        }
        put_comment(file, origin);
        fputs(json_object_to_json_string_ext(root, JSON_C_TO_STRING_PRETTY |
                                             JSON_C_TO_STRING_NOSLASHESCAPE), file);
        fputc('\n', file);
    }
    if (root)
        json_object_put(root);
    if (file && (ferror(file) | fclose(file))) {
        free(text);
        return NULL;
    }
    return root ? text : NULL;
}
