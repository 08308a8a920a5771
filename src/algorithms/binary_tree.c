/* SPDX-License-Identifier: BSD-3-Clause
 *
 * binary_tree - segments flow up a binary tree: few rounds for the first, two for each further one.
 *
 * Node v of the tree, counted from the root, has the children 2v+1 (left) and 2v+2 (right). For
 * each segment, a rank first adds the sum of its left child, then that of its right child. It sends
 * a segment while it receives the next one. A left child sends while it receives from its own left
 * child; a right child sends one round later, while it receives from its own right child.
 *
 *   p = 6, root 0, segments A, B; what is received from whom:
 *
 *     round   rank 0       rank 1       rank 2
 *       1                  A from 3     A from 5
 *       2                  A from 4     B from 5, A waits for rank 0
 *       3     A from 1     B from 3
 *       4     A from 2     B from 4
 *       5     B from 1
 *       6     B from 2
 *
 * Cost with k segments of s bytes, N = ceil(log2(p+1)): (2(N+k-2) - e)(alpha + s*beta + s*gamma),
 * e = 1 if p = 2^(N-1), since then the last node has no sibling, else 0; p = 2: k rounds. Reached
 * for every p, k and root if segments are equal. Half duplex: 2(N-1) + 4(k-1) rounds, mostly fewer
 * (a rank has three messages a segment), but for k = 2 there may be one more.
 * Plain copies: none. Scratch: a vector for each child, but for the root's first.
 * Restrictions: operators that commute.
 * Source: Lowery & Langou 2013, section IV, Tables I and III (where the time for full duplex is
 * misprinted as 2(N+k-1) rounds; its own optimum and Table I imply N+k-2). There the ranks that do
 * not fit in a full tree are added first; here the last level of the tree is not full.
 */
#include "algorithms/registry.h"
#include "algorithms/shared/segments.h"

#include "schedule/ranks.h"

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, k = anypi_segment_blocks(call, parameters);
    const int depth = anypi_log2_floor((unsigned) p);
    const double rounds = 2 * depth - (p == 1 << depth) + (p > 2 ? 2 : 1) * (k - 1);
    return anypi_blocks_cost(call, k, rounds, rounds);
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int p = call->p, root = call->root, k = anypi_segment_blocks(call, parameters);
    const int node = anypi_mod(call->rank - root, p);
    const int children = 2 * node + 2 < p ? 2 : 2 * node + 1 < p ? 1 : 0;
    const int parent = node > 0 ? ((node - 1) / 2 + root) % p : -1;
    /* the child whose message shares a round with the own one: a right child's last */
    const int when = node % 2 == 0 && children == 2 ? 1 : 0;
    if (p == 1) {
        anypi_segment_alone(call, k, schedule);
        return;
    }
    for (int j = 0; j <= k; j++) {
        for (int child = 0; child < children || child == 0; child++) {
            anypi_round(schedule);
            if (child == when && j > 0 && parent >= 0)
                anypi_segment_send(call, parent, j - 1, children > 0, schedule);
            if (child < children && j < k) {
                const int from = (2 * node + 1 + child + root) % p;
                anypi_segment_recv(call, from, j, child > 0, schedule);
                anypi_segment_reduce(call, j, child > 0, schedule);
            }
        }
    }
}

const anyp_algorithm_code anypi_binary_tree_code = {
    .summary = "operators that commute, medium vectors on many ranks: a pipeline of few rounds",
    .source = "Lowery & Langou 2013, section IV",
    .blocks = anypi_segment_blocks,
    .cost = cost,
    .generate = generate,
};
