/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rule_for_call.c - finds the rule that applies to a signature, and removes it.
 */
#include "select/rule_tree.h"

#include "schedule/shape.h"
#include "schedule/ranks.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Sets the sizes that MPICH computes for a vector of `count` elements (of all blocks together) of
 * `type_size` bytes. Where MPICH forgets the type's size, the graft repairs it
 * (maint/graft_places.py). */
static void sizes(anypi_signature *signature, int64_t count, int64_t type_size)
{
    static const char *const whole[] = {
        "allreduce", "reduce", "scan", "exscan", "bcast", NULL
    };
    static const char *const blocks[] = { "alltoall", "allgather", "reduce_scatter_block", NULL };
    const char *name = signature->collective;
    const char *base = name[0] == 'i' ? name + 1 : name;
    const int p = signature->p > 0 ? signature->p : 1;

    signature->count = count;
    signature->avg_msg_size = signature->total_msg_size = count * type_size;
    for (int i = 0; whole[i]; i++)
        if (!strcmp(base, whole[i]))
            signature->total_msg_size *= p;
    for (int i = 0; blocks[i]; i++)
        if (!strcmp(base, blocks[i])) {
            signature->count /= p;
            signature->avg_msg_size /= p;
        }
}

void anypi_signature_init(anypi_signature *signature, const char *collective, int p, int64_t count,
                          int64_t type_size)
{
    *signature = (anypi_signature) { .collective = collective, .p = p, .ppn = p, .one_node = true,
                                     .node_consecutive = true,
                                     .hierarchy = ANYPI_HIERARCHY_PARENT, .commutative = true,
                                     .builtin_op = true, .block_regular = true };
    sizes(signature, count, type_size);
}

void anypi_signature_nodes(anypi_signature *signature, const anyp_shape *nodes)
{
    signature->ppn = nodes ? anypi_shape_mean(nodes) : signature->p;
    signature->levels = anypi_shape_heights(nodes);
    signature->one_node = !nodes || nodes->count == 1;
    signature->node_consecutive = !nodes || !nodes->rank;
}

/* Does the rule test the variable? */
static bool tests(const anypi_rule *rule, int variable)
{
    return rule->key >= 0 && anypi_keys[rule->key].variable == variable &&
        anypi_keys[rule->key].form != ANYPI_ALWAYS;
}

static bool any_tests(const anypi_decision *decision, int variable)
{
    for (int i = 0; i < decision->count; i++)
        if (tests(&decision->rules[i], variable))
            return true;
    return false;
}

bool anypi_decision_asks_threads(const anypi_decision *decision)
{
    return any_tests(decision, ANYPI_OF_is_multi_threaded);
}

bool anypi_decision_asks_memory(const anypi_decision *decision)
{
    return any_tests(decision, ANYPI_OF_memory);
}

/* Sets the facts that decide every condition. */
static void set_facts(anypi_facts *facts, const anypi_signature *signature, int collective)
{
    const int p = signature->p;
    const int64_t power = INT64_C(1) << anypi_log2_floor(p > 0 ? (unsigned) p : 1);
#define NUMBER(variable, value) anypi_facts_number(facts, ANYPI_OF_##variable, value)
#define BIT(variable, value) facts->allowed[ANYPI_OF_##variable] = (value)
#define YES(variable, value) BIT(variable, (value) ? 1 : 2)
    anypi_facts_init(facts);
    BIT(collective, UINT64_C(1) << collective);
    BIT(comm_type, signature->inter ? ANYPI_INTER : ANYPI_INTRA);
    const bool other = anypi_mpich_now()->hierarchies == 2 &&
        signature->hierarchy != ANYPI_HIERARCHY_PARENT;
    BIT(comm_hierarchy, UINT64_C(1) << (other ? ANYPI_HIERARCHY_FLAT : signature->hierarchy));
    NUMBER(comm_size, p);
    NUMBER(comm_avg_ppn, signature->ppn);
    NUMBER(comm_levels, signature->levels);
    NUMBER(avg_msg_size, signature->avg_msg_size);
    NUMBER(total_msg_size, signature->total_msg_size);
    NUMBER(count, signature->count);
    YES(comm_size_node, signature->one_node);
    YES(count_pow2, signature->count < power);
    YES(is_node_consecutive, signature->node_consecutive);
    YES(is_multi_threaded, signature->multi_threaded);
    YES(is_commutative, signature->commutative);
    YES(is_op_built_in, signature->builtin_op);
    YES(is_block_regular, signature->block_regular);
    YES(is_sendbuf_inplace, signature->in_place);
    BIT(memory, signature->device ? ANYPI_DEVICE_MEMORY : ANYPI_HOST_MEMORY);
#undef NUMBER
#undef BIT
#undef YES
}

/* The end of a walk through the rules. */
typedef struct end {
    int leaf;                   /* the rule of the algorithm; -1: a hole */
    int up;                     /* the rule above it; -1: none */
    int depth;                  /* number of conditions above it */
    bool by_memory;             /* the walk tested memory */
} end;

/* Walks along the conditions that hold, and writes them into path. `facts` are those for
 * `collective`. Sets *known (NULL: not wanted) to the facts that all calls that arrive at this end
 * share. */
static end walk(const anypi_decision *decision, const anypi_facts *facts, int collective,
                char *path, size_t size, anypi_facts *known)
{
    size_t length = 0;
    end at = { .leaf = -1, .up = -1 };
    *path = '\0';
    for (int i = anypi_root(decision); i >= 0;) {
        const anypi_rule *rule = &decision->rules[i];
        if (rule->key < 0) {
            at.leaf = i;
            break;
        }
        if (!anypi_rule_defined(rule, collective))
            break;
        at.by_memory |= tests(rule, ANYPI_OF_memory);
        const bool holds = anypi_condition_holds(facts, rule) == ANYPI_TRUE;
        if (known && anypi_condition_holds(known, rule) == ANYPI_UNKNOWN)
            anypi_assume(known, rule, holds);
        if (!holds) {
            i = rule->next;
            continue;
        }
        char text[64];
        snprintf(path + length, size - length, "%s%s", length ? " / " : "",
                 anypi_rule_text(rule, text, sizeof text));
        length += strlen(path + length);
        at.up = i;
        at.depth++;
        i = rule->below;
    }
    return at;
}

anyp_status anypi_decision_select(const anypi_decision *decision, const anypi_signature *signature,
                                  anypi_choice *choice)
{
    anypi_facts facts;
    memset(choice, 0, sizeof *choice);
    choice->hole = true;
    const int collective = anypi_mpich_collective_find(signature->collective);
    if (collective < 0)
        return ANYP_ERR_ARGUMENT;
    const int rules = anypi_rules_for(decision, collective);
    set_facts(&facts, signature, rules);
    const end at = walk(decision, &facts, collective, choice->path, sizeof choice->path, NULL);
    choice->by_memory = at.by_memory;
    if (at.leaf < 0)
        return ANYP_SUCCESS;
    const anypi_rule *rule = &decision->rules[at.leaf];
    anypi_word word = { .kind = ANYPI_ALLCOMM };
    const int number = anypi_word_in_form(rule->number, collective);
    const bool known = number >= 0 && anypi_word_get(number, &word);
    if ((!known && rules != collective) ||      /* the algorithm has no such form */
        !(word.kind & (signature->inter ? ANYPI_INTER : ANYPI_INTRA)))
        return ANYP_SUCCESS;
    choice->hole = false;
    choice->algorithm = word.algorithm;
    if (known)
        anypi_word_name(&word, choice->name, sizeof choice->name);
    else
        snprintf(choice->name, sizeof choice->name, "the MPI library's own");
    memcpy(choice->parameters, rule->parameters, sizeof choice->parameters);
    return ANYP_SUCCESS;
}

/* Adds the conditions above rule `leaf` to path, if the rule is in the chain that begins with rule
 * `first` or below it. */
static bool find_path(const anypi_decision *decision, int first, int leaf, char *path, size_t size)
{
    const size_t length = strlen(path);
    for (int i = first; i >= 0; i = decision->rules[i].next) {
        char text[64];
        if (i == leaf)
            return true;
        if (decision->rules[i].key < 0)
            continue;
        snprintf(path + length, size - length, "%s%s", length ? " / " : "",
                 anypi_rule_text(&decision->rules[i], text, sizeof text));
        if (find_path(decision, decision->rules[i].below, leaf, path, size))
            return true;
    }
    path[length] = '\0';
    return false;
}

void anypi_decision_rule(const anypi_decision *decision, int n, anypi_choice *choice)
{
    anypi_word word;
    memset(choice, 0, sizeof *choice);
    choice->hole = n <= ANYPI_RULE_OF_DEFAULTS || !decision ||
        !find_path(decision, anypi_root(decision), n, choice->path, sizeof choice->path);
    const int number = choice->hole ? ANYPI_RULE_OF_DEFAULTS - 1 - n : decision->rules[n].number;
    if (number >= 0 && anypi_word_get(number, &word))
        anypi_word_name(&word, choice->name, sizeof choice->name);
}

/* ---- removing rules ---- */

/* Returns the size in a signature that conditions test, limited to what a rule can name. */
static int size_in(const anypi_signature *signature, bool average)
{
    const int64_t size = average ? signature->avg_msg_size : signature->total_msg_size;
    return (int) (size < INT_MAX ? size : INT_MAX);
}

/* A chain of conditions on one variable. */
typedef struct chain {
    anypi_decision *to;
    int up;                     /* the rule above it; -1: there was no memory */
    anypi_facts known;          /* of the calls that reach the next condition */
    bool closed;                /* no call reaches it */
} chain;

/* Adds a condition, and below it a copy of rule `leaf`, unless that is -1. `any` is the condition
 * that always holds; it ends the chain. Returns the chain below the condition, which is closed if
 * no call reaches it. */
static chain add(chain *its, const char *at_most, int64_t number, const char *any, int leaf)
{
    const char *rest;
    anypi_rule rule = { .key = anypi_key_find(at_most, &rest), .number = (int) number, .below = -1,
                        .next = -1 };
    chain below = { its->to, -1, its->known, true };
    const anypi_truth truth = number == INT_MAX ? ANYPI_TRUE
        : anypi_condition_holds(&its->known, &rule);
    if (its->closed || truth == ANYPI_FALSE || its->up < 0)
        return below;
    if (truth == ANYPI_TRUE) {
        rule = (anypi_rule) { .key = anypi_key_find(any, &rest), .below = -1, .next = -1 };
        its->closed = true;
    } else {
        anypi_assume(&below.known, &rule, true);
        anypi_assume(&its->known, &rule, false);
    }
    below.closed = false;
    below.up = anypi_rule_append(its->to, its->up, &rule);
    if (below.up >= 0 && leaf >= 0) {
        const anypi_rule algorithm = its->to->rules[leaf];
        if (anypi_rule_append(its->to, below.up, &algorithm) < 0)
            below.up = -1;
    }
    if (below.up < 0)
        its->up = -1;
    return below;
}

/* Keeps the algorithm `leaf`, below rule `up`, for calls like those of `keep`; between them is a
 * hole. */
static bool narrow(anypi_decision *decision, int up, int leaf, const anypi_facts *known,
                   bool average, const anypi_neighbours *keep)
{
    static const char at_most_p[] = "comm_size<=", any_p[] = "comm_size=any";
    const char *const at_most = average ? "avg_msg_size<=" : "total_msg_size<=";
    const char *const any = average ? "avg_msg_size=any" : "total_msg_size=any";
    chain procs = { decision, up, *known, false }, sizes = procs;
    decision->rules[up].below = -1;
    if (keep->fewer)
        add(&procs, at_most_p, keep->fewer->p, any_p, leaf);
    if (keep->fewer || keep->more)
        sizes = add(&procs, at_most_p, keep->more ? keep->more->p - 1 : INT_MAX, any_p, -1);
    if (!sizes.closed && keep->shorter)
        add(&sizes, at_most, size_in(keep->shorter, average), any, leaf);
    if (!sizes.closed && keep->longer) {
        add(&sizes, at_most, size_in(keep->longer, average) - 1, any, -1);
        add(&sizes, at_most, INT_MAX, any, leaf);
    }
    if (keep->more)
        add(&procs, at_most_p, INT_MAX, any_p, leaf);
    return procs.up >= 0 && (sizes.closed || sizes.up >= 0);
}

bool anypi_decision_remove(anypi_decision *decision, const anypi_signature *signature,
                           const anypi_neighbours *keep)
{
    anypi_facts facts, known;
    char path[sizeof ((anypi_choice *) NULL)->path];
    const int collective = anypi_mpich_collective_find(signature->collective);
    if (collective < 0)
        return false;
    const int rules = anypi_rules_for(decision, collective);
    set_facts(&facts, signature, rules);
    anypi_facts_init(&known);
    const end at = walk(decision, &facts, collective, path, sizeof path, &known);
    if (at.leaf < 0)
        return false;
    const bool average = anypi_variable_defined(ANYPI_OF_avg_msg_size, rules);
    const bool sizes = average || anypi_variable_defined(ANYPI_OF_total_msg_size, rules);
    if (at.up < 0)
        anypi_rules_cut(decision, 0);
    else if (keep && sizes && at.depth + 3 < ANYPI_MAX_CONDITIONS)
        return narrow(decision, at.up, at.leaf, &known, average, keep);
    else
        decision->rules[at.up].below = -1;
    return true;
}
