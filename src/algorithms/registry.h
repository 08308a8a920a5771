/* SPDX-License-Identifier: BSD-3-Clause
 *
 * registry.h - the names of what algorithms.def lists, for the files that must name them.
 */
#ifndef ANYPI_REGISTRY_H_INCLUDED
#define ANYPI_REGISTRY_H_INCLUDED

#include "anyp.h"

/* One per algorithm's file. */
#define ANYP_ALGORITHM(name, ...) extern const anyp_algorithm_code anypi_##name##_code;
#include "algorithms/algorithms.def"

/* The `blocks` of algorithms that never divide the vector: 1. */
int anypi_one_block(const anyp_call *call, const int *parameters);

/* The index of an algorithm in anyp_algorithms(). */
enum {
#define ANYP_ALGORITHM(name, ...) ANYPI_##name,
#include "algorithms/algorithms.def"
    ANYPI_ALGORITHMS
};

/* Another name for an algorithm with a value for one parameter. Only decision files accept it:
 * variables and MPICH use the algorithm's own name. */
typedef struct anypi_alias {
    const char *name;
    int algorithm;              /* index in anyp_algorithms() */
    const char *parameter, *value;
} anypi_alias;

/* All aliases; the last has no name. */
extern const anypi_alias anypi_aliases[];

#endif
