/* SPDX-License-Identifier: BSD-3-Clause
 *
 * symbols.h - partial results as the verifier sees them.
 *
 * A symbol says which contributions are in a partial result (a product of random odd numbers, one
 * per rank, that is the same in any order), whether they are those of neighbouring ranks, and how
 * they were added (a hash of the sum's tree). A sum is in rank order exactly if all its partial
 * sums are of neighbouring ranks, the lower ranks on the left. If the operator commutes, an
 * algorithm may exchange operands: then the lower ranks may be on the right, and `shape` says how a
 * sum is bracketed, as a hash of the tree without left and right.
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
    uint64_t shape;             /* the tree but for exchanged operands */
    int first, end;             /* ranks first .. end-1; -1, -1: not neighbours or not in order */
} anypi_symbol;

/* A recent sum: the same operands again give the same symbol. */
typedef struct anypi_recent_sum {
    int left, right, sum;
} anypi_recent_sum;

enum { ANYPI_RECENT_SUMS = 4096 };

/* Symbol 0 is that of what was never written, 1 + r the contribution of rank r; sums follow. */
typedef struct anypi_symbols {
    anypi_symbol *all;
    int count, capacity;
    anypi_recent_sum *recent;   /* by hash of the operands */
    bool commutes;
} anypi_symbols;

/* Starts with the contributions of p ranks only; keeps memory. The first state is all zeros. */
anyp_status anypi_symbols_begin(anypi_symbols *symbols, int p, bool commutes);
void anypi_symbols_free(anypi_symbols *symbols);

/* `once` of a sum of the ranks first to end - 1. */
uint64_t anypi_symbols_once(const anypi_symbols *symbols, int first, int end);

/* left (+) right as another symbol; 0 if there is no memory. Neither is 0. */
int anypi_symbols_sum(anypi_symbols *symbols, int left, int right);

#endif
