/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_rules.h - the state and the functions that walk from JSON to rules. They are shared by
 * check_rules.c (conditions), check_algorithm.c (algorithms), check_keys.c and
 * decision_messages.c.
 */
#ifndef ANYPI_CHECK_RULES_H_INCLUDED
#define ANYPI_CHECK_RULES_H_INCLUDED

#include "select/rule_tree.h"

typedef struct anypi_checker {
    const anypi_source *source;
    int next_key;               /* the next key in the text */
    bool lenient;               /* MPICH's defaults: accept what MPICH accepts */
    anypi_decision *tree;
    int64_t work;               /* estimate for MPICH's reader */
    anyp_status status;         /* ANYP_ERR_MEMORY sticks */
    anypi_diagnosis *first;
    anypi_listener *listener;
    void *context;
} anypi_checker;

/* A key on the path from the root, whose key is "". */
typedef struct anypi_frame {
    const struct anypi_frame *up;
    size_t offset;              /* in the text */
    char key[256];              /* without spaces */
} anypi_frame;

/* Walks the whole source and adds its rules to checker->tree. */
void anypi_check(anypi_checker *checker);

/* Reports an error, "reason; expected ...". If `frame` is NULL, it concerns the whole file. Returns
 * false, the result of the check that has failed. */
bool anypi_report(anypi_checker *checker, const anypi_frame *frame, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Will the next error be reported? If it is only counted, it needs no suggestions. */
bool anypi_is_reported(const anypi_checker *checker);
/* Call this before the keys of an object at this depth. If keys are bad, reports it, returns
 * false. */
bool anypi_object_begin(anypi_checker *checker, struct json_object *object, const anypi_frame *up,
                        int depth);
/* Skips the next keys of the text that are deeper than `depth`. */
void anypi_skip_deeper(anypi_checker *checker, int depth);
/* Call this for each key: it opens a frame. If the value is no object, reports it, returns
 * false. */
bool anypi_key_begin(anypi_checker *checker, const char *key, struct json_object *value,
                     const anypi_frame *up, anypi_frame *frame);
/* Reads the number at the end of the frame's key. If out of range, reports it, returns false. */
bool anypi_read_number(anypi_checker *checker, const anypi_frame *frame, const char *text,
                       int minimum, int maximum, int *number);
/* Returns the new rule's index, or -1 without memory. */
int anypi_add_rule(anypi_checker *checker, const anypi_rule *rule);
/* Adds the rule of algorithm=NAME, in an object of `keys` keys. `facts`: what is known at this
 * object. Returns the rule, or -1. */
int anypi_walk_algorithm(anypi_checker *checker, const anypi_frame *frame,
                         struct json_object *value, int depth, int collective,
                         const anypi_facts *facts, int keys);

#endif
