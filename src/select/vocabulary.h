/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vocabulary.h - the words of decision files: conditions (conditions.def), MPICH's collectives and
 * algorithms (mpich.h), AnyP's algorithms (the registry).
 */
#ifndef ANYPI_VOCABULARY_H_INCLUDED
#define ANYPI_VOCABULARY_H_INCLUDED

#include "algorithms/registry.h"
#include "anyp.h"
#include "select/mpich.h"

#include <limits.h>

/* ---- conditions ---- */

/* What conditions test: ANYPI_OF_comm_size, ... */
enum {
#define ANYPI_VARIABLE(name, scope, defined, minimum) ANYPI_OF_##name,
#include "select/conditions.def"
    ANYPI_VARIABLES
};

typedef enum anypi_scope {
    ANYPI_SCOPE_COLLECTIVE,     /* which collective it is */
    ANYPI_SCOPE_COMMUNICATOR,   /* known when a communicator is made */
    ANYPI_SCOPE_LIBRARY,        /* known when MPI is initialized */
    ANYPI_SCOPE_MESSAGE         /* known at the call */
} anypi_scope;

typedef struct anypi_variable {
    const char *name;
    anypi_scope scope;
    const char *defined;        /* what mpich.def lists collectives for; "always" */
    int minimum;                /* of a number */
} anypi_variable;

extern const anypi_variable anypi_variables[ANYPI_VARIABLES];

typedef enum anypi_form {
    ANYPI_NAME,                 /* text + a collective's name */
    ANYPI_AT_MOST,              /* text + a number */
    ANYPI_LESS,                 /* text + a number */
    ANYPI_ONE_OF,               /* the variable is a bit of the mask */
    ANYPI_ALWAYS
} anypi_form;

typedef struct anypi_key {
    int variable;
    anypi_form form;
    const char *text;
    unsigned mask;
} anypi_key;

extern const anypi_key anypi_keys[];
extern const int anypi_keys_count;

/* Does MPICH's reader know the key, or is it AnyP's own? */
bool anypi_key_known(int key);
/* The row of anypi_keys for a rule's key, or -1; *rest is what follows the row's text. */
int anypi_key_find(const char *key, const char **rest);
/* The bits for which a row of the form ONE_OF holds. */
unsigned anypi_key_mask(int key);
/* What an algorithm of MPICH's own needs: the row of anypi_keys, and whether it must hold. -1: no
 * condition asks for it. */
int anypi_need_key(const char *need, bool *holds);
/* What it needs i-th, as above (-1: its collective has no such condition). False after the last. */
bool anypi_own_need(const anypi_mpich_algorithm *own, int i, int *key, bool *holds);

/* ---- collectives ---- */

/* MPICH's name of collective number i >= 0; NULL after the last. */
const char *anypi_mpich_collective(int i);
/* The number of a collective, or -1. */
int anypi_mpich_collective_find(const char *name);
/* The collective of AnyP's that has this name in one of its forms; ANYP_COLLECTIVES: none has. */
anyp_collective anypi_collective_of(const char *name, bool *nonblocking);
/* Can MPICH's selection compute the variable for the collective? */
bool anypi_variable_defined(int variable, int collective);
/* Are there algorithms for intercommunicators? */
bool anypi_has_inter(int collective);

/* ---- algorithms ---- */

/* An algorithm as decision files name it: MPICH's own, or AnyP's for one collective. */
typedef struct anypi_word {
    int collective;
    anypi_kind kind;
    const anypi_mpich_algorithm *own;   /* MPICH's own; NULL: AnyP's */
    const anyp_algorithm *algorithm;    /* AnyP's; NULL: MPICH's own */
    bool nonblocking;           /* AnyP's, for the nonblocking form of a collective */
    const anypi_alias *alias;   /* AnyP's by another name, with a parameter given; NULL: its own */
} anypi_word;

/* Algorithm number i >= 0 of all; false after the last. */
bool anypi_word_get(int i, anypi_word *word);
/* The algorithm's full name into text; returns text. */
char *anypi_word_name(const anypi_word *word, char *text, size_t size);
/* The number of the algorithm of that full name, or -1. */
int anypi_word_find(const char *name);
/* The number of the algorithm that runs for that word: i, or for an alias that of its algorithm. */
int anypi_word_meant(int i);
/* The number of algorithm i in the form that `collective` has: i if it is the algorithm's own;
 * AnyP's algorithms have both forms of a collective; -1: it has no such form. */
int anypi_word_in_form(int i, int collective);
/* The name of parameter i of MPICH's own algorithm into text: those that a rule must give, then the
 * optional ones; false after the last. */
bool anypi_own_parameter(const anypi_mpich_algorithm *own, int i, char *text, size_t size);
/* The index of a parameter of MPICH's own algorithm, or -1. */
int anypi_own_parameter_find(const anypi_mpich_algorithm *own, const char *name, size_t length);
/* The values of a parameter of MPICH's own algorithms that is given by name ("name|name"), which
 * rules keep as indices; NULL: it is a number. */
const char *anypi_mpich_values(const char *name);
/* A parameter of MPICH's own algorithms that a rule leaves out. */
enum { ANYPI_NOT_GIVEN = INT_MIN };
/* The value of parameter i as files have it: "name=value" into text; false if a rule leaves it
 * out, or after the last. */
bool anypi_own_setting(const anypi_mpich_algorithm *own, int i, int value, char *text, size_t size);
/* The range of a parameter of MPICH's own algorithms. */
void anypi_mpich_parameter_range(const char *name, int *minimum, int *maximum);

#endif
