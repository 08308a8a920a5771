/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check.h - the walk from JSON to rules, shared by check.c (conditions), leaf.c (algorithms),
 * objects.c and messages.c.
 */
#ifndef ANYPI_CHECK_H_INCLUDED
#define ANYPI_CHECK_H_INCLUDED

#include "select/tree.h"

typedef struct anypi_checker {
    const anypi_source *source;
    int place;                  /* the next key in the text */
    bool lenient;               /* MPICH's defaults: take what MPICH takes */
    anypi_decision *tree;
    int64_t work;               /* of MPICH's reader, about */
    anyp_status status;         /* ANYP_ERR_MEMORY sticks */
    anypi_diagnosis *first;
    anypi_listener *listener;
    void *context;
} anypi_checker;

/* A key on the way from the root; the root itself has the key "". */
typedef struct anypi_frame {
    const struct anypi_frame *up;
    size_t offset;              /* in the text */
    char key[256];              /* without spaces */
} anypi_frame;

/* Walks the whole source; rules into checker->tree. */
void anypi_check(anypi_checker *checker);

/* An error: "reason; expected ...". Frame NULL: of the file as a whole. */
void anypi_tell(anypi_checker *checker, const anypi_frame *frame, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends to text, always in one line; "..." marks what does not fit. */
void anypi_append(char *text, size_t size, const char *more);
/* Will the next error be told, or only counted? Spares the search for suggestions. */
bool anypi_is_told(const anypi_checker *checker);
/* Before the keys of an object, whose depth this is: can they be walked? Tells if not. */
bool anypi_object_begin(anypi_checker *checker, struct json_object *object, const anypi_frame *up,
                        int depth);
/* Skips the keys of the text that lie deeper than that. */
void anypi_skip_deeper(anypi_checker *checker, int depth);
/* Before each key: opens its frame; is its value an object? Tells if not. */
bool anypi_key_begin(anypi_checker *checker, const char *key, struct json_object *value,
                     const anypi_frame *up, anypi_frame *frame);
/* A number at the end of the frame's key; tells and returns false if it is none in the range. */
bool anypi_read_number(anypi_checker *checker, const anypi_frame *frame, const char *text,
                       int least, int most, int *number);
/* The new rule's index, or -1 without memory. */
int anypi_add_rule(anypi_checker *checker, const anypi_rule *rule);
/* The rule of algorithm=NAME in an object of `keys` keys; `facts`: what is known there. Returns the
 * rule, or -1. */
int anypi_walk_algorithm(anypi_checker *checker, const anypi_frame *frame,
                         struct json_object *value, int depth, int collective,
                         const anypi_facts *facts, int keys);

#endif
