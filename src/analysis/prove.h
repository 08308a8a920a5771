/* SPDX-License-Identifier: BSD-3-Clause
 *
 * prove.h - proves what a sweep enumerates, each different set of schedules once.
 *
 * Many vectors and parameters lead to the same schedules. A proof depends only on the schedules,
 * collective, root, in place and the kind of operator. So a set is identified by these, by the
 * values of all parameters except those in bytes (which a few ranks may not show), and by a 64-bit
 * hash of the schedules of ranks 0, p/2, p-2, p-1 and the root. A set that is known is not proved
 * again at this p. For p up to 70 this is checked: all sets are generated, and if those ranks have
 * the same schedules as for another call, all others must, too.
 *
 * All kinds of a choice (see sweep.h) are proved for p up to 200, and beyond that if its sets are
 * small. If a set takes more than ANYPI_LARGE_SET units of work (steps, and blocks that they name;
 * estimated from those ranks), its n kinds take turns over p: p proves kind (p + p/n) mod n, so
 * that n neighbouring p prove all n, and over many p each p modulo n meets each kind. The values of
 * numbers other than defaults take turns, too, one in three: three neighbouring p prove all. Every
 * p, every default and every value of an enum is still proved.
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
    double most_bytes;          /* of memory that a proof may take; 0: no limit */
    int64_t proved;             /* different sets */
    int64_t in_turn;            /* of these, with kinds that take turns */
    char reason[768];           /* the error, in one line */
    /* private */
    int p;
    struct anypi_known *known;  /* the sets of this p; an open hash table */
    size_t count, capacity;
    struct anypi_verifier *verifier;    /* this and the following: memory for reuse */
    anyp_schedule *set;
    int set_capacity;
    anyp_schedule one;
} anypi_prover;

/* Proves the kinds of a choice. ANYP_SUCCESS, or another status with prover->reason:
 * ANYP_ERR_SCHEDULE if a set is wrong, ANYP_ERR_MEMORY also if most_bytes is too small. Cases come
 * p by p: a new p discards the known sets. */
anyp_status anypi_prove(anypi_prover *prover, const anypi_case *choice);

/* Frees the memory of the prover, and keeps its counts. */
void anypi_prover_free(anypi_prover *prover);

#endif
