/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recursive_doubling - whole vectors are exchanged with partners 1, 2, 4, ... away: tiny vectors.
 *
 * If p is no power of two, the first ranks form pairs, and one rank of each pair waits for the
 * result (see pairs.h). The other ranks are numbered without gaps. In round z, ranks whose numbers
 * differ in bit z exchange their vectors, and both reduce. So each has the sum of 2^(z+1)
 * neighbours. The left operand is always that of the lower ranks.
 *
 * p = 5, what a rank has after a round; ranks 0, 2, 3, 4 continue:
 *
 *   round   rank 0          rank 1   rank 2          rank 3          rank 4
 *     1     0+1             waits
 *     2     0+1+2                    0+1+2           3+4             3+4
 *     3     0+1+2+(3+4)              0+1+2+(3+4)     0+1+2+(3+4)     0+1+2+(3+4)
 *     4                     result
 *
 * Cost with L = floor(log2 p): L*(alpha + m*beta + m*gamma), and for other p than
 * powers of two 2*alpha + 2m*beta + m*gamma more; reached for every p.
 * Plain copies: up to m, where a rank's input is the right operand (not in place) or its sum ends
 * in scratch (in place: not for all p). Scratch: m.
 * Restrictions: none, any p and operator; all elements are bracketed alike.
 * Source: Rabenseifner 2004, section 3.4. The paper does not describe the pairs; the cost is that
 * of its formula.
 */
#include "algorithms/registry.h"
#include "algorithms/shared/accumulate.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/pairs.h"

#include "schedule/schedule.h"

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    const bool folds = (call->p & (call->p - 1)) != 0;
    const double rounds = anypi_log2_floor((unsigned) call->p);
    return anypi_blocks_cost(call, 1, rounds + 2 * folds, rounds + folds);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    (void) parameters;
    const anypi_pairs pairs = anypi_pairs_of(call->p, -1);
    const int partner = anypi_pairs_partner(&pairs, call->rank);
    const anypi_range whole = { 0, 1 };
    const anyp_slice result = anypi_part(ANYP_OUT, whole);

    if (anypi_pairs_drops_out(&pairs, call->rank)) {
        anypi_send(schedule, partner, anypi_part(call->in_place ? ANYP_OUT : ANYP_IN, whole));
        anypi_round(schedule);
        anypi_recv(schedule, partner, result);
        return;
    }

    const int number = anypi_pairs_number(&pairs, call->rank);
    anypi_move moves[32] = { { .to = -1, .from = partner, .keeps = whole, .left = true,
                               .may_exchange = call->commutative } };
    int count = 1, changes = anypi_must_change(&moves[0]);
    for (int bit = 1; bit < pairs.power; bit *= 2) {
        const int peer = anypi_pairs_rank(&pairs, number ^ bit);
        moves[count] = (anypi_move) { .to = peer, .from = peer, .gives = whole, .keeps = whole,
                                      .left = !(number & bit) };
        changes += anypi_must_change(&moves[count++]);
    }
    anypi_accumulator sum = anypi_accumulator_begin(call, changes);
    for (int i = 0; i < count; i++)
        anypi_accumulate(&sum, &moves[i], schedule);
    anypi_accumulator_end(&sum, whole, schedule);
    if (partner >= 0) {
        anypi_round(schedule);
        anypi_send(schedule, partner, result);
    }
}

const anyp_algorithm_code anypi_recursive_doubling_code = {
    .summary = "tiny vectors: the fewest rounds at powers of two, any operator",
    .source = "Rabenseifner 2004, section 3.4",
    .blocks = anypi_one_block,
    .cost = cost,
    .generate = generate,
};
