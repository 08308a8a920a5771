/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove.h - proves the cases of a sweep, each different set of schedules once.
 *
 * Many vectors and parameters lead to the same schedules. A proof depends only on the schedules,
 * the collective, the root, in place and the kind of operator. So a set is identified by
 * - these;
 * - the values of all parameters except those in bytes (which a few ranks may not show);
 * - a 64-bit hash of the schedules of ranks 0, p/2, p-2, p-1 and the root.
 * A known set is not proved again at the same p. For p up to 70 the identification itself is
 * checked: all sets are generated, and if these ranks have the same schedules as in another call,
 * all other ranks must also have the same.
 *
 * All kinds of a choice (see sweep.h) are proved for p up to 200. Beyond 200 they are proved if the
 * choice's sets are small. A set is large if it costs more than ANYPI_LARGE_SET units of work
 * (steps and the blocks that they name, estimated from these ranks). Then its n kinds take turns
 * over p: p proves kind (p + p/n) mod n. So n neighbouring p prove all n, and over many p each p
 * modulo n meets each kind. Values of numbers other than defaults also take turns, one in three:
 * three neighbouring p prove all. Every p, every default and every value of an enum is still
 * proved.
 */
#ifndef ANYPI_PROVE_H_INCLUDED
#define ANYPI_PROVE_H_INCLUDED

#include "analysis/sweep.h"

enum {
    ANYPI_ALL_KINDS_P = 200,
    ANYPI_LARGE_SET = 1 << 15,
    ANYPI_TURNS = 3             /* divides no number of kinds, so that all values meet all kinds */
};

typedef struct anypi_prover {
    double most_bytes;          /* of memory that a proof may use; 0: no limit */
    int64_t proved;             /* number of different sets */
    int64_t in_turn;            /* of these, with kinds that take turns */
    char reason[768];           /* the error, in one line */
    /* private */
    int p;
    void *known;                /* the sets of this p: a tree of tsearch() */
    struct anypi_verifier *verifier;    /* this and the following: memory for reuse */
    anyp_schedule *set;
    int set_capacity;
    anyp_schedule one;
} anypi_prover;

/* Proves the kinds of a choice. ANYP_SUCCESS, or another status with prover->reason:
 * ANYP_ERR_SCHEDULE if a set is wrong; ANYP_ERR_MEMORY also if most_bytes is too small. All cases
 * of one p must follow each other: a new p discards the known sets. */
anyp_status anypi_prove(anypi_prover *prover, const anypi_case *choice);

/* Frees the memory of the prover, and keeps its counts. */
void anypi_prover_free(anypi_prover *prover);

#endif
