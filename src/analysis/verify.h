/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verify.h - proves that a set of schedules is correct, for any data, type and operator.
 */
#ifndef ANYPI_VERIFY_H_INCLUDED
#define ANYPI_VERIFY_H_INCLUDED

#include "analysis/symbols.h"

/* Checks the schedules set[0 .. call->p-1] against `properties`, the claims of the algorithm.
 * call->rank is ignored; call->in_place is as in anypi_set_generate().
 *
 * Each rank by itself:
 * - the order of scratch buffers is a permutation, the same on all ranks;
 * - peers exist and are other ranks;
 * - slices lie inside the buffers that anyp.h gives the rank;
 * - IN is not written and, in place, not read once its memory may have been overwritten (but rank 0
 *   of a reduce-scatter may copy its block from IN to OUT, which leaves it where it is);
 * - no RECV of a round writes what another message of the round reads or writes;
 * - the slices of a REDUCE or COPY hold the same blocks and do not overlap;
 * - a collective that moves data has no REDUCE.
 *
 * All ranks together: every message has its counterpart and holds the same blocks at both ends; no
 * rank waits forever; nothing is read before it was written; and each block of each rank's result
 * - contains every rank's contribution exactly once,
 * - in rank order if ANYP_CANONICAL is claimed or the operator does not commute (an operator that
 *   commutes may be applied in an order of nodes if the ranks of a node are not consecutive),
 * - is the same sum on all ranks, so that they all receive the same bits,
 * - has the same bracketing as all other blocks if ANYP_SAME_BRACKETING is claimed,
 * - has the bracketing of schedule/bracketing.h if the call is reproducible.
 * In a collective that moves data, each block comes from its owner: the root, or the rank with its
 * number.
 * If the operator commutes, operands may be exchanged: a + b may be b + a, on all ranks that have
 * this block.
 * Contributions are identified by 64-bit hashes: a wrong set is accepted about once in 2^60.
 *
 * ANYP_SUCCESS; ANYP_ERR_SCHEDULE with a reason that names rank, round and step (counted from 0,
 * steps through the rank's whole schedule); ANYP_ERR_MEMORY or ANYP_ERR_ARGUMENT (reason empty).
 * Time is proportional to the steps of all ranks and, for each step, to the number of different
 * partial results in its slice (and a 64th of its blocks). */
anyp_status anypi_verify(const anyp_schedule *set, const anyp_call *call, unsigned properties,
                         char *reason, size_t size);

/* Memory for many proofs, which is reused. anypi_verifier_new() returns NULL if there is none. */
typedef struct anypi_verifier anypi_verifier;
anypi_verifier *anypi_verifier_new(void);
/* As anypi_verify(). */
anyp_status anypi_verifier_check(anypi_verifier *verifier, const anyp_schedule *set,
                                 const anyp_call *call, unsigned properties, char *reason,
                                 size_t size);
/* Only replays the schedules: checks all that is listed above but results. Statuses as above. */
anyp_status anypi_verifier_replay(anypi_verifier *verifier, const anyp_schedule *set,
                                  const anyp_call *call, char *reason, size_t size);
/* After a replay: returns the symbol (symbols.h) of a block of a rank's result; and all symbols. */
int anypi_verifier_result(const anypi_verifier *verifier, int rank, int block);
const anypi_symbol *anypi_verifier_symbols(const anypi_verifier *verifier);
/* Frees a verifier; NULL is allowed. */
void anypi_verifier_free(anypi_verifier *verifier);

#endif
