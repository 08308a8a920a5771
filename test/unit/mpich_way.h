/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich_way.h - decision trees as MPICH reads and searches them, in a few lines that do not use
 * AnyP's rules and facts: the reference for trees that AnyP has completed.
 */
#ifndef ANYPI_TEST_MPICH_WAY_H_INCLUDED
#define ANYPI_TEST_MPICH_WAY_H_INCLUDED

#include "select/decision.h"

#include <json-c/json.h>

/* The key without its blanks. */
void mpich_strip(const char *key, char *stripped, size_t size);

/* The object with the algorithm that the signature leads to, or NULL. */
struct json_object *mpich_search(struct json_object *tree, const anypi_signature *signature);

/* Fails the test if a tree is not what MPICH's reader demands, or tests a condition twice. Returns
 * how often the reader visits rules. */
double mpich_demand(struct json_object *tree);

#endif
