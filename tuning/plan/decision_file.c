/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The choices as a decision file. Its levels: collective, intracommunicator, nodes if the plan has
 * several, number of processes, operator, size, the requirements of one of MPICH's own algorithms,
 * algorithm. All conditions are the same on all ranks.
 */
#include "plan/files.h"

#include "plan/form.h"
#include "plan/shapes.h"
#include "schedule/nodes.h"
#include "schedule/set.h"
#include "select/tree.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rules of the file; after an error nothing more is added. */
typedef struct rules {
    anypi_decision tree;
    anyp_status status;
} rules;

/* Adds a rule below rule `up` (-1: at the top); returns its index. */
static int add_rule(rules *to, int up, const anypi_rule *rule)
{
    const int added = to->status == ANYP_SUCCESS ? anypi_rule_append(&to->tree, up, rule) : 0;
    if (added < 0)
        to->status = ANYP_ERR_MEMORY;
    return added < 0 ? 0 : added;
}

/* Adds a condition: a text and the number after it; a collective is a number, too. */
static int add_condition(rules *to, int up, const char *text, int number)
{
    const char *rest;
    const anypi_rule rule = { .key = anypi_key_find(text, &rest), .number = number, .below = -1,
                              .next = -1 };
    return add_rule(to, up, &rule);
}

/* Adds conditions that exclude the calls that one of MPICH's own algorithms does not serve; such a
 * call falls into a hole. A rule above has tested whether operators commute. Returns the rule for
 * the algorithm to be added to. */
static int add_guards(rules *to, int up, const anypi_mpich_algorithm *own)
{
    int key;
    bool holds;
    for (int i = 0; own && anypi_own_need(own, i, &key, &holds); i++) {
        if (anypi_keys[key].variable == ANYPI_OF_is_commutative)
            continue;
        const int below = add_condition(to, up, anypi_keys[key].text, 0);
        up = holds ? below : add_condition(to, up, "comm_size=any", 0);
    }
    return up;
}

/* Adds an algorithm by MPICH's name: "MPIR_Reduce_scatter_intra_pairwise" */
static void add_algorithm(rules *to, int up, anyp_collective collective,
                          const anypi_candidate *candidate)
{
    char name[2 * ANYPI_NAME_SIZE + 64];
    snprintf(name, sizeof name, "MPIR_%s_intra_%s", anypi_form_name(collective),
             candidate->name);
    name[5] = (char) toupper((unsigned char) name[5]);
    anypi_rule rule = { .key = -1, .number = anypi_word_find(name), .below = -1, .next = -1 };
    const int given = candidate->algorithm ? candidate->algorithm->parameters_count
        : candidate->own ? anypi_list_count(candidate->own->parameters) : 0;
    for (int i = 0; i < ANYP_MAX_PARAMETERS; i++)
        rule.parameters[i] = i < given ? candidate->parameters[i] : ANYPI_NOT_GIVEN;
    add_rule(to, add_guards(to, up, candidate->own), &rule);
}

/* The first cell of procs[index], a collective and operator kind, and the number of its cells. */
static int cells_of(const anypi_plan *plan, int index, anyp_collective collective, bool commutative,
                    const anypi_cell **first)
{
    const anypi_cell like = { .p = plan->procs[index], .nodes = plan->nodes[index],
                              .collective = collective, .commutative = commutative };
    int count = 0;
    for (int i = 0; i < plan->cells_count; i++)
        if (anypi_cell_alike(&plan->cells[i], &like) && !count++)
            *first = &plan->cells[i];
    return count;
}

/* Between two measured sizes, or mean ranks of a node, calls follow the nearer one, by ratio. */
static int border(int64_t smaller, int64_t larger)
{
    const double middle = sqrt((double) smaller) * sqrt((double) larger);
    return middle < INT_MAX - 1 ? (int) middle : INT_MAX - 1;
}

/* Adds the chain of sizes below a rule; nothing if all is left to the library. */
static void add_sizes(rules *to, int up, const anypi_plan *plan, const anypi_cell *cells, int count)
{
    const anyp_collective collective = cells->collective;
    const bool scatters = anypi_collective_scatters(collective);
    const anypi_candidate *list = plan->candidates[collective].list;
    int first = 0;
    for (int i = 0; i < count; i++) {
        const int choice = cells[i].choice;
        const bool last = i + 1 == count;
        if (!last && cells[i + 1].choice == choice)
            continue;
        int branch = up;        /* one choice for all sizes needs no condition */
        if (last && first)
            branch = add_condition(to, up, scatters ? "total_msg_size=any" : "avg_msg_size=any", 0);
        else if (!last)
            branch = add_condition(to, up, scatters ? "total_msg_size<=" : "avg_msg_size<=",
                                   border(cells[i].bytes, cells[i + 1].bytes));
        if (choice)
            add_algorithm(to, branch, collective, &list[choice]);
        first = i + 1;
    }
}

/* Adds the rules of one collective and procs[index] below a rule: always both operator kinds, or
 * nothing if all is left to the library. */
static void add_operators(rules *to, int up, const anypi_plan *plan, int index,
                          anyp_collective collective)
{
    int branches[2];
    bool any = false;
    for (int i = 0; i < 2; i++) {
        const anypi_cell *cells = NULL;
        const int count = cells_of(plan, index, collective, !i, &cells);
        branches[i] = add_condition(to, up, i ? "is_commutative=no" : "is_commutative=yes", 0);
        if (count)
            add_sizes(to, branches[i], plan, cells, count);
        any = any || (to->status == ANYP_SUCCESS && to->tree.rules[branches[i]].below >= 0);
    }
    if (!any && to->status == ANYP_SUCCESS)
        anypi_rules_cut(&to->tree, branches[0]);
}

/* Adds the chain of numbers of processes from procs[first] to procs[end - 1] below a rule.
 * Neighbours with equal rules share them, so the limit of a rule is known when the next one
 * differs. */
static void add_procs(rules *to, int up, const anypi_plan *plan, int first, int end,
                      anyp_collective collective)
{
    int pending = -1, last = 0;         /* last: the p that the pending rule was measured at */
    for (int i = first; i < end && to->status == ANYP_SUCCESS; i++) {
        const int p = plan->procs[i];
        if (!plan->complete[i])
            continue;
        if (!last && p > 3)
            add_condition(to, up, "comm_size<=", (p - 1) / 2);
        const int branch = add_condition(to, up, "comm_size<=", p);
        add_operators(to, branch, plan, i, collective);
        if (to->status != ANYP_SUCCESS)
            return;
        if (pending >= 0 && anypi_rules_equal(&to->tree, to->tree.rules[pending].below,
                                              to->tree.rules[branch].below)) {
            anypi_rules_cut(&to->tree, branch);
            to->tree.rules[pending].number = p;
        } else {
            if (pending >= 0)
                to->tree.rules[pending].number = last + (p - last) / 2;
            pending = branch;
        }
        last = p;
    }
}

/* The end of the procs[] from `first` on whose nodes are of the same kind, and if `alike` also have
 * the same mean ranks. */
static int end_of(const anypi_plan *plan, int first, bool alike)
{
    int end = first + 1;
    while (end < plan->procs_count &&
           anypi_nodes_kind(plan->nodes[end]) == anypi_nodes_kind(plan->nodes[first]) &&
           !(alike && anypi_nodes_order(plan->nodes[end], plan->nodes[first])))
        end++;
    return end;
}

/* Adds the chain of mean ranks of a node below a rule. One value needs no condition. */
static void add_means(rules *to, int up, const anypi_plan *plan, int first, int end,
                      anyp_collective collective)
{
    for (int i = first, next; i < end; i = next) {
        int branch = up;
        next = end_of(plan, i, true);
        if (next < end)
            branch = add_condition(to, up, "comm_avg_ppn<=",
                                   border(anypi_nodes_mean(plan->nodes[i]),
                                          anypi_nodes_mean(plan->nodes[next])));
        else if (i > first)
            branch = add_condition(to, up, "comm_size=any", 0);
        add_procs(to, branch, plan, i, next, collective);
    }
}

/* Adds a branch for each kind of nodes below a rule; none if all ranks are on one node, or nodes do
 * not matter. */
static void add_nodes(rules *to, int up, const anypi_plan *plan, anyp_collective collective)
{
    static const char *const kinds[] = { "comm_size=node_comm_size", "is_node_consecutive=yes",
                                         "is_node_consecutive=no" };
    for (int first = 0, end; first < plan->procs_count; first = end) {
        const int kind = anypi_nodes_kind(plan->nodes[first]);
        end = end_of(plan, first, false);
        if (!kind && end == plan->procs_count)
            add_procs(to, up, plan, first, end, collective);
        else if (!kind)
            add_procs(to, add_condition(to, up, kinds[kind], 0), plan, first, end, collective);
        else
            add_means(to, add_condition(to, up, kinds[kind], 0), plan, first, end, collective);
    }
}

/* Writes a comment, without the characters that would end it early. */
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
    rules all = { .status = ANYP_SUCCESS };
    char *text = NULL;
    size_t size = 0;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (plan->wanted[i]) {
            const char *name = anypi_form_name((anyp_collective) i);
            const int branch = add_condition(&all, -1, "collective=",
                                             anypi_mpich_collective_find(name));
            add_nodes(&all, add_condition(&all, branch, "comm_type=intra", 0), plan,
                      (anyp_collective) i);
        }
    FILE *file = all.status == ANYP_SUCCESS ? open_memstream(&text, &size) : NULL;
    if (file) {
        put_comment(file, origin);
        anypi_decision_write(&all.tree, true, file);
        fputc('\n', file);
    }
    anypi_rules_cut(&all.tree, 0);
    if (file && (ferror(file) | fclose(file))) {
        free(text);
        return NULL;
    }
    return text;
}
