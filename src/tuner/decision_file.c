/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the choices as a decision file. Its levels are: collective, intracommunicator, equal
 * blocks, nodes if the plan has several, operator, number of processes, size, algorithm. Each
 * condition has the same value on all ranks.
 */
#include "tuner/decision_file.h"

#include "tuner/candidates.h"
#include "tuner/node_shapes.h"
#include "options/text_file.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"
#include "select/rule_tree.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rules of the file; after an error nothing is added any more. */
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

/* Adds a condition: a text and the number that follows it; a collective is also a number. */
static int add_condition(rules *to, int up, const char *text, int number)
{
    const char *rest;
    const anypi_rule rule = { .key = anypi_key_find(text, &rest), .number = number, .below = -1,
                              .next = -1 };
    return add_rule(to, up, &rule);
}

/* Adds the constants of the machine to a rule, if they are known and the rule has none. */
static void give_network(rules *to, const anypi_region *region, const anyp_algorithm *algorithm,
                         anypi_rule *rule)
{
    const char *network =
        region->plan->networks[anypi_nodes_kind(region->nodes)][!region->commutative];
    const char *reason;
    if (*network && anyp_parameter_set(algorithm, rule->parameters, "network", network, &reason) !=
        ANYP_SUCCESS)
        to->status = ANYP_ERR_MEMORY;
}

/* Finds an algorithm by the name that MPICH uses: "MPIR_Reduce_scatter_intra_pairwise". */
static int find_name(anyp_collective collective, const char *algorithm)
{
    char name[2 * ANYPI_NAME_SIZE + 64];
    snprintf(name, sizeof name, "MPIR_%s_intra_%s", anypi_form_name(collective), algorithm);
    name[5] = (char) toupper((unsigned char) name[5]);
    return anypi_word_find(name);
}

/* May closed forms replace the algorithm in calls of uneven blocks? They need the constants. */
static bool adapts(anyp_collective collective, const anyp_algorithm *algorithm)
{
    const anyp_call call = { .collective = collective };
    return anypi_has_counts(&call) &&
        anypi_parameter_find(algorithm, "network", strlen("network")) >= 0;
}

/* Adds an algorithm. If its parameters are "auto", also adds the constants of the machine. */
static void add_algorithm(rules *to, int up, const anypi_region *region,
                          const anypi_candidate *candidate)
{
    const anyp_algorithm *algorithm = candidate->algorithm;
    anypi_rule rule = { .key = -1, .number = find_name(region->collective, candidate->name),
                        .below = -1, .next = -1 };
    for (int i = 0; i < ANYP_MAX_PARAMETERS; i++)
        rule.parameters[i] = i < algorithm->parameters_count ? candidate->parameters[i]
            : ANYPI_NOT_GIVEN;
    if (anypi_candidate_automatic(candidate) || adapts(region->collective, algorithm))
        give_network(to, region, algorithm, &rule);
    add_rule(to, up, &rule);
}

/* Returns the number, limited to an int for a condition. */
static int limited(int64_t number)
{
    return number < INT_MAX - 1 ? (int) number : INT_MAX - 1;
}

/* Adds the chain of sizes below a rule; nothing if all sizes are left to the MPI library. */
static void add_sizes(rules *to, int up, const anypi_region *region)
{
    const bool blocks = anypi_has_blocks(region->collective);
    const anypi_candidate *list = region->plan->candidates[region->collective].list;
    for (int i = 0; i < region->count; i++) {
        const bool last = i + 1 == region->count;
        int branch = up;        /* one choice for all sizes needs no condition */
        if (last && i)
            branch = add_condition(to, up, blocks ? "total_msg_size=any" : "avg_msg_size=any", 0);
        else if (!last)
            branch = add_condition(to, up, blocks ? "total_msg_size<=" : "avg_msg_size<=",
                                   limited(region->steps[i].bytes));
        if (region->steps[i].choice)
            add_algorithm(to, branch, region, &list[region->steps[i].choice]);
    }
}

/* Do the regions choose anything but the MPI library's choice? */
static bool choose(const anypi_region *list, int count)
{
    for (const anypi_region *one = list; one < list + count; one++)
        for (int i = 0; i < one->count; i++)
            if (one->steps[i].choice)
                return true;
    return false;
}

/* Adds the chain of numbers of processes of an operator kind below a rule. */
static void add_procs(rules *to, int up, const anypi_region *list, int count)
{
    for (int i = 0; i < count; i++) {
        const bool all = list[i].last == INT_MAX;
        const int branch = all && !i ? up
            : all ? add_condition(to, up, "comm_size=any", 0)
            : add_condition(to, up, "comm_size<=", list[i].last);
        add_sizes(to, branch, &list[i]);
    }
}

/* Adds the rules of nodes of one kind and mean below a rule: always both operator kinds (none where
 * data are moved), or nothing if all is left to the MPI library. */
static void add_operators(rules *to, int up, const anypi_region *list, int count)
{
    if (!choose(list, count))
        return;
    if (anypi_moves(list->collective)) {
        add_procs(to, up, list, count);
        return;
    }
    for (int operators = 0; operators < 2; operators++) {
        const int branch =
            add_condition(to, up, operators ? "is_commutative=no" : "is_commutative=yes", 0);
        int first = 0, end;
        while (first < count && list[first].commutative == operators)
            first++;
        for (end = first; end < count && list[end].commutative != operators; end++)
            continue;
        if (first < end)
            add_procs(to, branch, &list[first], end - first);
    }
}

/* Returns the border between two mean numbers of ranks of a node: calls follow the nearer one, by
 * ratio. */
static int border(int smaller, int larger)
{
    return (int) (sqrt(smaller) * sqrt(larger));
}

/* Returns the end of the regions, from `first` on, of a collective whose nodes are of the same
 * kind; if `alike`, they also have the same mean number of ranks. */
static int end_of(const anypi_regions *regions, int first, bool alike)
{
    const anypi_region *one = &regions->list[first];
    int end = first;
    while (end < regions->count &&
           anypi_nodes_kind(regions->list[end].nodes) == anypi_nodes_kind(one->nodes) &&
           !(alike && anypi_nodes_order(regions->list[end].nodes, one->nodes)))
        end++;
    return end;
}

/* Returns the regions of a collective in the order of nodes, operator kinds and p. */
static anypi_regions of_collective(const anypi_regions *all, anyp_collective collective)
{
    anypi_regions its = { .list = malloc(((size_t) all->count + 1) * sizeof *its.list) };
    for (int i = 0; its.list && i < all->count; i++)
        if (all->list[i].collective == collective)
            its.list[its.count++] = all->list[i];
    return its;
}

/* Adds the chain of mean ranks per node below a rule. A single value needs no condition. */
static void add_means(rules *to, int up, const anypi_regions *its, int first, int end)
{
    for (int i = first, next; i < end; i = next) {
        int branch = up;
        next = end_of(its, i, true);
        if (next < end)
            branch = add_condition(to, up, "comm_avg_ppn<=",
                                   border(anypi_shape_mean(its->list[i].nodes),
                                          anypi_shape_mean(its->list[next].nodes)));
        else if (i > first)
            branch = add_condition(to, up, "comm_size=any", 0);
        add_operators(to, branch, &its->list[i], next - i);
    }
}

/* Adds the branch of a kind of nodes below a rule, and sets the end of its regions. There is none
 * if all ranks are on one node, or nodes do not matter. */
static int add_kind(rules *to, int up, const anypi_regions *its, int first, int *end)
{
    const int kind = anypi_nodes_kind(its->list[first].nodes);
    *end = end_of(its, first, false);
    return !kind && *end == its->count ? up
        : add_condition(to, up, anypi_nodes_conditions[kind], 0);
}

static void add_nodes(rules *to, int up, const anypi_regions *its)
{
    for (int first = 0, end; first < its->count; first = end) {
        const int branch = add_kind(to, up, its, first, &end);
        add_means(to, branch, its, first, end);
    }
}

/* Returns the first algorithm that knows blocks of different sizes and serves every operator, or
 * NULL. */
static const anyp_algorithm *find_uneven(void)
{
    const unsigned wanted = ANYP_UNEVEN | ANYP_CANONICAL;
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        if ((all[i].properties & wanted) == wanted)
            return &all[i];
    return NULL;
}

/* Adds the rule for uneven blocks, unless all even ones are left to the MPI library. Only even
 * blocks were measured. So the rule names find_uneven(), which closed forms adapt to the blocks of
 * the call, by the constants of each kind of nodes. */
static void add_uneven(rules *to, int up, const anypi_regions *its)
{
    const anyp_algorithm *serves = find_uneven();
    anypi_candidate candidate = { .algorithm = serves };
    if (!serves || !choose(its->list, its->count))
        return;
    snprintf(candidate.name, sizeof candidate.name, "%s%s", anypi_form_prefix(), serves->name);
    anyp_parameters_default(serves, candidate.parameters);
    const int uneven = add_condition(to, up, "is_block_regular=no", 0);
    for (int first = 0, end; first < its->count; first = end) {
        int last = 0, branch = add_kind(to, uneven, its, first, &end);
        for (int i = first; i < end; i++)
            last = its->list[i].last > last ? its->list[i].last : last;
        if (last < INT_MAX)
            branch = add_condition(to, branch, "comm_size<=", last);
        add_algorithm(to, branch, &its->list[first], &candidate);
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

/* Adds all rules of a collective. */
static void add_collective(rules *to, const anypi_regions *its, anyp_collective collective)
{
    const int number = anypi_mpich_collective_find(anypi_form_name(collective));
    const int branch = add_condition(to, -1, "collective=", number);
    const int below = add_condition(to, branch, "comm_type=intra", 0);
    const bool blocks = collective == ANYP_REDUCE_SCATTER;
    add_nodes(to, blocks ? add_condition(to, below, "is_block_regular=yes", 0) : below, its);
    if (blocks)
        add_uneven(to, below, its);
}

char *anypi_write_decision(const anypi_regions *regions, const char *origin)
{
    rules all = { .status = ANYP_SUCCESS };
    char *text = NULL;
    size_t size = 0;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        anypi_regions its = of_collective(regions, (anyp_collective) i);
        if (!its.list)
            all.status = ANYP_ERR_MEMORY;
        if (its.count)
            add_collective(&all, &its, (anyp_collective) i);
        anypi_regions_free(&its);
    }
    FILE *file = all.status == ANYP_SUCCESS ? open_memstream(&text, &size) : NULL;
    if (file) {
        put_comment(file, origin);
        anypi_decision_write(&all.tree, true, file);
        fputc('\n', file);
    }
    anypi_rules_cut(&all.tree, 0);
    return file ? anypi_text_end(file, &text) : NULL;
}

bool anypi_decision_save(const char *text, const char *name, anypi_decision **decision,
                         char *message, size_t size)
{
    anypi_diagnosis diagnosis = { .text = "no memory" };
    snprintf(message, size, "no memory");
    if (!text)
        return false;
    if (anypi_decision_parse(text, strlen(text), name, decision, &diagnosis) == ANYP_SUCCESS)
        return anypi_file_replace(name, "--output", text, message, size);
    snprintf(message, size, "internal error in the new rules, nothing was written: %s; please "
             "report this", diagnosis.text);
    return false;
}

/* ---- the choices of a file ---- */

anypi_signature anypi_cell_signature(const anypi_cell *cell, bool equal)
{
    const anyp_call call = anypi_cell_call(cell);
    anypi_signature signature;
    anypi_signature_init(&signature, anypi_form_name(cell->collective), cell->p, call.count,
                         call.type_size);
    signature.commutative = signature.builtin_op = cell->commutative;
    signature.block_regular = equal;
    anypi_signature_nodes(&signature, cell->nodes);
    return signature;
}

bool anypi_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                  anypi_choice *choice, anypi_candidate *candidate)
{
    const anypi_signature signature = anypi_cell_signature(cell, equal);
    *choice = (anypi_choice) { .hole = true };
    if (!decision || anypi_decision_select(decision, &signature, choice) != ANYP_SUCCESS ||
        !choice->algorithm)
        return false;
    *candidate = (anypi_candidate) { .algorithm = choice->algorithm };
    /* not choice->name, which an alias may be */
    snprintf(candidate->name, sizeof candidate->name, "%s%s", anypi_form_prefix(),
             choice->algorithm->name);
    memcpy(candidate->parameters, choice->parameters, sizeof candidate->parameters);
    return true;
}
