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

/* `blocks` of algorithms that never divide the vector: 1; of those with a block per rank: p. */
int anypi_one_block(const anyp_call *call, const int *parameters);
int anypi_block_per_rank(const anyp_call *call, const int *parameters);

/* Does the algorithm with these parameters use nodes if the call knows them? */
bool anypi_uses_nodes(const anyp_algorithm *algorithm, const int *parameters);

/* Can the algorithm bracket as reproducible results require, at this p? Its properties say so. */
bool anypi_reproduces(const anyp_algorithm *algorithm, anyp_collective collective, int p);

/* The index of each algorithm in anyp_algorithms(). */
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

/* Returns the index of the parameter that name[0 .. length-1] names, or -1. */
int anypi_parameter_find(const anyp_algorithm *algorithm, const char *name, size_t length);

/* Writes the names of all algorithms of a collective: "butterfly, circulant, ..." */
void anypi_algorithms_text(anyp_collective collective, char *text, size_t size);

/* Writes "threshold=8192 odd=overlap", with this separator, into text; "" without parameters.
 * Parameters of nodes are left out if nodes are not used. Returns text. */
char *anypi_parameters_text(const anyp_algorithm *algorithm, const int *parameters,
                            const char *separator, char *text, size_t size);

/* ---- lists of names as text, such as an enum's values: "name|name" ---- */

/* Returns the index of name[0 .. length-1], or -1. */
int anypi_list_find(const char *list, const char *name, size_t length);
/* Returns the number of names in the list. */
int anypi_list_count(const char *list);
/* Writes the i-th name into text; false after the last, or if it is too long. */
bool anypi_list_get(const char *list, int i, char *text, size_t size);

#endif
