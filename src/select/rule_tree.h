/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rule_tree.h - a decision file in memory, and the facts about its rules; internal to src/select.
 *
 * A chain of rules is the contents of an object of the file: branches that are tried in order, or
 * one algorithm. Facts are the values that each variable can still have at a node of the tree. They
 * tell whether a rule holds, can be reached, or is already decided.
 */
#ifndef ANYPI_RULE_TREE_H_INCLUDED
#define ANYPI_RULE_TREE_H_INCLUDED

#include "select/decision.h"
#include "select/jsonc.h"
#include "select/vocabulary.h"

/* Limits: conditions below one another, keys in one object, and the work of MPICH's reader. The
 * reader looks at a rule below n others 2^n times and recurses along the keys of an object. */
enum { ANYPI_MAX_CONDITIONS = 12, ANYPI_MAX_KEYS = 1000, ANYPI_MAX_WORK = 1 << 25 };

/* The approximate number of rules of MPICH's defaults that fill a hole. */
enum { ANYPI_HOLE_WORK = 64 };

typedef struct anypi_rule {
    int key;                    /* row of anypi_keys; -1: an algorithm */
    int number;                 /* of AT_MOST and LESS; NAME: the collective; algorithm: the word,
                                 * or -1: an algorithm of the MPI library whose name is unknown */
    int below;                  /* the first rule of the chain below; -1: a hole, or an algorithm */
    int next;                   /* the next rule of this chain; -1: none */
    int origin;                 /* of an algorithm of a completed tree: see decision.h */
    int parameters[ANYP_MAX_PARAMETERS];        /* of an algorithm; MPICH's own: ANYPI_NOT_GIVEN */
} anypi_rule;

struct anypi_decision {
    anypi_rule *rules;          /* the root's chain begins at rule 0 */
    int count, capacity;
};

/* Returns the first rule of the root's chain, or -1. */
static inline int anypi_root(const anypi_decision *tree)
{
    return tree->count ? 0 : -1;
}

/* As anypi_decision_write(), for a completed tree: the rules have numbers. */
void anypi_completed_write(const anypi_decision *tree, FILE *file);

/* Writes a condition into text as users write it ("comm_size<8"); returns text. */
char *anypi_rule_text(const anypi_rule *rule, char *text, size_t size);

/* ---- making ---- */

/* Adds a rule that is not part of a chain yet. Returns its index, or -1 without memory. */
int anypi_rule_add(anypi_decision *tree, const anypi_rule *rule);
/* Adds a rule at the end of the chain below rule `up` (-1: the root's chain). Returns its index, or
 * -1 without memory. */
int anypi_rule_append(anypi_decision *tree, int up, const anypi_rule *rule);
/* Does a rule name the collective? */
bool anypi_rules_mention(const anypi_decision *tree, int collective);
/* Returns the collective whose rules apply to calls of `collective`. This is `collective` itself,
 * except for a nonblocking form that no rule names: then it is the blocking form, and
 * anypi_word_in_form() converts the algorithms of its rules. */
int anypi_rules_for(const anypi_decision *tree, int collective);
/* Can MPICH's selection compute the condition for the collective? */
bool anypi_rule_defined(const anypi_rule *rule, int collective);
/* Removes rule `first`, the last of its chain, and all rules that were added after it. */
void anypi_rules_cut(anypi_decision *tree, int first);

/* ---- facts ---- */

typedef struct anypi_facts {
    int64_t low[ANYPI_VARIABLES], high[ANYPI_VARIABLES];        /* numbers */
    uint64_t allowed[ANYPI_VARIABLES];          /* others: bits, as in the masks of conditions */
} anypi_facts;

typedef enum anypi_truth { ANYPI_FALSE, ANYPI_TRUE, ANYPI_UNKNOWN } anypi_truth;

/* Sets the facts to "nothing is known". */
void anypi_facts_init(anypi_facts *facts);
/* Sets a number to this value. */
void anypi_facts_number(anypi_facts *facts, int variable, int64_t value);
/* Returns whether the condition holds, or ANYPI_UNKNOWN. */
anypi_truth anypi_condition_holds(const anypi_facts *facts, const anypi_rule *rule);
/* Adds the fact that the condition holds, or does not. Before, it must have been ANYPI_UNKNOWN. */
void anypi_assume(anypi_facts *facts, const anypi_rule *rule, bool holds);

/* ---- reading ---- */

/* A key in the text, in the order of the text. */
typedef struct anypi_key_position {
    size_t offset;              /* of its opening quote */
    int depth;                  /* of its object: 1 is the root */
} anypi_key_position;

/* A parsed text. json-c's tree has no positions and drops the first of two equal keys, so `keys`
 * lists the keys of the text. */
typedef struct anypi_source {
    const char *name;           /* for messages */
    char *text;                 /* ends in a NUL */
    size_t length;
    struct json_object *root;
    anypi_key_position *positions;
    int count, capacity;
} anypi_source;

/* Reads a regular file into source->text. ANYP_ERR_FILE with *reason, or ANYP_ERR_MEMORY. */
anyp_status anypi_source_read(anypi_source *source, const char *file, const char **reason);
/* Parses source->text. ANYP_ERR_FILE with *reason and *offset, or ANYP_ERR_MEMORY. */
anyp_status anypi_source_parse(anypi_source *source, const char **reason, size_t *offset);
void anypi_source_free(anypi_source *source);

#endif
