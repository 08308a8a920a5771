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

/* The bits of `memory`. */
enum { ANYPI_HOST_MEMORY = 1, ANYPI_DEVICE_MEMORY = 2 };

typedef enum anypi_scope {
    ANYPI_SCOPE_COLLECTIVE,     /* which collective it is */
    ANYPI_SCOPE_COMMUNICATOR,   /* known when a communicator is made */
    ANYPI_SCOPE_LIBRARY,        /* known when MPI is initialized */
    ANYPI_SCOPE_MESSAGE         /* known at the call */
} anypi_scope;

typedef struct anypi_variable {
    const char *name;
    anypi_scope scope;
    const char *defined;        /* the entry of mpich.def that lists collectives; "always" */
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

/* Does MPICH's reader know the key, or is it AnyP's own? True in both cases. */
bool anypi_key_known(int key);
/* Returns the row of anypi_keys for a rule's key, or -1. *rest is the rest of the key after the
 * row's text. */
int anypi_key_find(const char *key, const char **rest);
/* Returns the bits for which a row of the form ONE_OF holds. */
unsigned anypi_key_mask(int key);
/* Returns the row of anypi_keys for a need of an algorithm of MPICH, and whether it must hold. -1:
 * no condition tests it. */
int anypi_need_key(const char *need, bool *holds);
/* Returns need number i of the algorithm, as above (-1: its collective has no such condition).
 * False after the last. */
bool anypi_own_need(const anypi_mpich_algorithm *own, int i, int *key, bool *holds);

/* ---- collectives ---- */

/* Returns MPICH's name of collective number i >= 0; NULL after the last. */
const char *anypi_mpich_collective(int i);
/* Returns the number of a collective, or -1. */
int anypi_mpich_collective_find(const char *name);
/* Returns the collective of AnyP one of whose forms has this name; otherwise ANYP_COLLECTIVES. */
anyp_collective anypi_collective_of(const char *name, bool *nonblocking);
/* Can MPICH's selection compute the variable for the collective? */
bool anypi_variable_defined(int variable, int collective);
/* Does the collective have algorithms for intercommunicators? */
bool anypi_has_inter(int collective);

/* ---- algorithms ---- */

/* An algorithm as decision files name it: an algorithm of MPICH, or one of AnyP for one
 * collective. */
typedef struct anypi_word {
    int collective;
    anypi_kind kind;
    const anypi_mpich_algorithm *own;   /* MPICH's own; NULL: AnyP's */
    const anyp_algorithm *algorithm;    /* AnyP's; NULL: MPICH's own */
    bool nonblocking;           /* AnyP's, for the nonblocking form of a collective */
    const anypi_alias *alias;   /* AnyP's under another name, with a given parameter, or NULL */
} anypi_word;

/* Sets *word to algorithm number i >= 0 of all. False after the last. */
bool anypi_word_get(int i, anypi_word *word);
/* Writes the algorithm's full name into text; returns text. */
char *anypi_word_name(const anypi_word *word, char *text, size_t size);
/* Returns the number of the algorithm with this full name, or -1. */
int anypi_word_find(const char *name);
/* Returns the number of the algorithm that runs for word i: i; for an alias, its algorithm's. */
int anypi_word_meant(int i);
/* Returns the number of algorithm i in the form of `collective`. This is i if the algorithm has
 * this form. AnyP's algorithms have both forms of a collective. -1: there is no such form. */
int anypi_word_in_form(int i, int collective);
/* Writes the name of parameter i of MPICH's own algorithm into text: first those that a rule must
 * give, then the optional ones. False after the last. */
bool anypi_own_parameter(const anypi_mpich_algorithm *own, int i, char *text, size_t size);
/* Returns the index of a parameter of MPICH's own algorithm, or -1. */
int anypi_own_parameter_find(const anypi_mpich_algorithm *own, const char *name, size_t length);
/* Returns the possible values ("name|name") of a parameter of MPICH's own algorithms that is given
 * by name; rules contain their indices. NULL: the parameter is a number. */
const char *anypi_mpich_values(const char *name);
/* A parameter of MPICH's own algorithms that a rule leaves out. */
enum { ANYPI_NOT_GIVEN = INT_MIN };
/* Writes parameter i as in files, "name=value", into text. False if a rule omits it, or after the
 * last. */
bool anypi_own_setting(const anypi_mpich_algorithm *own, int i, int value, char *text, size_t size);
/* Sets the range of a parameter of MPICH's own algorithms. */
void anypi_mpich_parameter_range(const char *name, int *minimum, int *maximum);

#endif
