/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sweep.h - the calls and the parameter values that are tried for an algorithm at a p. For the unit
 * tests and for `anyp verify`.
 *
 * A choice is a collective, a vector, a value for each parameter, and whether the result must be
 * reproducible:
 * - collectives: all that the algorithm claims, without those with local sizes, whose routes belong
 *   to other collectives (route.h); or only those with local sizes;
 * - vectors: 0, 1, p-1, p, p+1 and 65537 elements of 8 bytes, and p+1 elements of 0 bytes (rounded
 *   up to multiples of p where all blocks are equal);
 * - vectors of collectives whose blocks have counts: also 65537 (beyond p = 64: 4097) elements in
 *   blocks of two shapes of uneven.h (all in one, and another one), and p-1 elements in blocks of
 *   one or none; without settings that cut them into more than 12288 parts;
 * - enums: all values;
 * - numbers that are bytes (the parameter's help begins with "bytes"): "auto" and the maximum;
 *   for vectors of more than p+1 elements, their bytes divided by 1, 2, 4, ... p' (rounded up), so
 *   that every possible number of rounds halves the vector, and for several numbers of segments;
 *   for vectors of up to p elements the minimum, which gives the maximum number of segments;
 * - other numbers: the three smallest, p-1, "auto" and the maximum; if they are bounded, also 7, 8
 *   and one of 5 to 16, which changes with p;
 * - several parameters: all combinations; beyond p = 64, only one number at a time differs from its
 *   default.
 * The function receives cases in which "auto" is replaced by numbers.
 *
 * The kinds of a choice are all ways to call it: with roots 0, 1, p/2, p-1 and e (only reduce); in
 * place or not; with an operator that commutes or, if the algorithm claims order, one that does not
 * (not for reproducible results, which exchange no operands).
 * e is a rank that drops out early. Where neighbours join as far as p = 2^n * odd allows, the
 * number of groups of 2^n ranks is then odd. Three groups become two, and the third group from the
 * left drops out; e = 2 * 2^n is its first rank. (Rank 1 is among those that drop out where the
 * first 2r ranks pair up; p-1 is among those outside the largest power of two.)
 */
#ifndef ANYPI_SWEEP_H_INCLUDED
#define ANYPI_SWEEP_H_INCLUDED

#include "anyp.h"

#include "analysis/uneven.h"

/* The values of a parameter that are tried. */
typedef struct anypi_values {
    int list[256];
    int count;
} anypi_values;

/* Adds a value if it is new, is in range or "auto", and fits. */
void anypi_values_add(anypi_values *values, const anyp_parameter *parameter, int64_t value);

/* An algorithm, a call (its rank means nothing), parameters. */
typedef struct anypi_case {
    const anyp_algorithm *algorithm;
    anyp_call call;
    int parameters[ANYP_MAX_PARAMETERS];
    int turn;                   /* the sum, over the numbers, of the index of the value among those
                                 * that are tried; 0: all are defaults */
} anypi_case;

/* Any status but ANYP_SUCCESS ends the sweep and is returned. */
typedef anyp_status (*anypi_case_function)(const anypi_case *one, void *state);

/* What is tried; { .collectives = ~0u } for everything. */
typedef struct anypi_sweep {
    unsigned collectives;               /* only these, if the algorithm claims them */
    bool fixed[ANYP_MAX_PARAMETERS];    /* parameters that have only the value below */
    int parameters[ANYP_MAX_PARAMETERS];
    const anyp_shape *nodes;            /* of the calls; NULL: unknown */
    bool reproducible;                  /* only calls whose results must be reproducible */
    bool local_sizes;                   /* only collectives with local sizes, without vectors */
    bool one_vector;                    /* only this vector */
    int64_t count, type_size;
    anypi_uneven shape;                 /* of its blocks, if they have counts */
    int64_t refused;                    /* counts the cases that the algorithm refuses */
} anypi_sweep;

/* Calls the function for all choices of the parameters that are not fixed, as far as the algorithm
 * serves this call with them. */
anyp_status anypi_sweep_parameters(anypi_sweep *sweep, const anyp_algorithm *algorithm,
                                   const anyp_call *call, anypi_case_function function,
                                   void *state);

/* Calls the function for all choices at p, each as its kind 0. */
anyp_status anypi_sweep_choices(anypi_sweep *sweep, const anyp_algorithm *algorithm, int p,
                                anypi_case_function function, void *state);

/* Returns the number of kinds of a call. */
int anypi_kinds(const anyp_algorithm *algorithm, const anyp_call *call);

/* Sets root, in_place and commutative to kind 0 .. anypi_kinds()-1. Kind 0 has root 0, is not in
 * place, and is commutative unless reproducible. */
void anypi_set_kind(const anyp_algorithm *algorithm, anyp_call *call, int kind);

/* Writes "butterfly allreduce p=13 root=0 count=1000 in place, threshold=8192" into text, and
 * returns text. */
char *anypi_case_text(const anypi_case *one, char *text, size_t size);

#endif
