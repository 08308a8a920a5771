/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symbols.h - partial results as the verifier sees them.
 *
 * A symbol describes a partial result:
 * - which contributions it contains: a product of random odd numbers, one per rank, which is the
 *   same in any order;
 * - whether the contributions are those of neighbouring ranks;
 * - how they were added: a hash of the sum's tree.
 * A sum is in rank order exactly if all its partial sums are of neighbouring ranks, the lower ranks
 * on the left. If the operator commutes, an algorithm may exchange operands, and the lower ranks
 * may be on the right. Then `shape` says how the sum is bracketed: it is a hash of the tree without
 * left and right.
 */
#ifndef ANYPI_SYMBOLS_H_INCLUDED
#define ANYPI_SYMBOLS_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "anyp.h"

typedef struct anypi_symbol {
    uint64_t once;              /* odd; 0: never written */
    uint64_t bracket;           /* the tree */
    uint64_t shape;             /* the tree, ignoring exchanged operands */
    int first, end;             /* ranks first .. end-1; -1, -1: not neighbours or not in order */
    int left, right;            /* of a sum: the symbols that were added */
} anypi_symbol;

/* A recent sum: the same operands give the same symbol again. */
typedef struct anypi_recent_sum {
    int left, right, sum;
} anypi_recent_sum;

enum { ANYPI_RECENT_SUMS = 4096 };

/* Symbol 0 means "never written", symbol 1 + r is the contribution of rank r; sums follow. */
typedef struct anypi_symbols {
    anypi_symbol *all;
    int count, capacity;
    anypi_recent_sum *recent;   /* by hash of the operands */
    bool commutes;
} anypi_symbols;

/* Starts with only the contributions of p ranks; keeps memory. The first state is all zeros. */
anyp_status anypi_symbols_begin(anypi_symbols *symbols, int p, bool commutes);
void anypi_symbols_free(anypi_symbols *symbols);

/* Returns `once` of a sum of the ranks first to end - 1. */
uint64_t anypi_symbols_once(const anypi_symbols *symbols, int first, int end);

/* Returns left (+) right as another symbol; 0 if there is no memory. Neither operand is 0. */
int anypi_symbols_sum(anypi_symbols *symbols, int left, int right);

#endif
