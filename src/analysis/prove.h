/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove.h - proves what a sweep enumerates, each different set of schedules once.
 *
 * Many vectors and parameters lead to the same schedules, and a proof depends on nothing else but
 * on collective, root, in place and the kind of operator. So a set is known by these, by the values
 * of all parameters but those in bytes, which few ranks need not show, and by what ranks 0, p/2,
 * p-2, p-1 and the root do (a 64-bit hash of their schedules), and one that is known is not proved
 * again at this p. For p up to 70 nothing is taken for granted: all sets are generated, and if
 * those ranks do the same as for another call, so must all others.
 *
 * All kinds of a choice (see sweep.h) are proved for p up to 200, and beyond that if its sets are
 * small. Where a set takes more than ANYPI_LARGE_SET units of work (steps, and blocks that they
 * name; estimated from those ranks), its n kinds are dealt out in turn over p: p proves kind
 * (p + p/n) mod n, so that n neighbouring p prove all n, and in the long run each p modulo n
 * meets each kind. So are the values of numbers but for their defaults, one in three: three
 * neighbouring p prove all. Every p, every default and every value of an enum is still proved.
 */
#ifndef ANYPI_PROVE_H_INCLUDED
#define ANYPI_PROVE_H_INCLUDED

#include "analysis/sweep.h"

enum {
    ANYPI_ALL_KINDS_P = 200,
    ANYPI_LARGE_SET = 1 << 15,
    ANYPI_TURNS = 3             /* no divisor of any number of kinds, so that values meet kinds */
};

typedef struct anypi_prover {
    double most_bytes;          /* of memory that a proof may take; 0: no limit */
    int64_t proved;             /* different sets */
    int64_t in_turn;            /* of these, with kinds dealt out in turn */
    char reason[768];           /* what went wrong, in one line */
    /* its own */
    int p;
    struct anypi_known *known;  /* the sets of this p; an open hash table */
    size_t count, capacity;
    struct anypi_verifier *verifier;    /* this and the following: memory that is kept */
    anyp_schedule *set;
    int set_capacity;
    anyp_schedule one;
} anypi_prover;

/* Proves the kinds of a choice. ANYP_SUCCESS, or another status with prover->reason:
 * ANYP_ERR_SCHEDULE if a set is wrong, ANYP_ERR_MEMORY also if most_bytes would not do. Cases come
 * p by p: another p than before forgets the sets that are known. */
anyp_status anypi_prove(anypi_prover *prover, const anypi_case *choice);

/* Frees what the prover holds; what it has counted stays. */
void anypi_prover_free(anypi_prover *prover);

#endif
