/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/tree.h"

#include "schedule/bracketing.h"
#include "schedule/ranks.h"

bool anypi_tree_enough(int s, int children, int levels)
{
    int64_t leaves = 1;
    for (int t = 0; t < levels && leaves < s; t++)
        leaves *= children;
    return leaves >= s;
}

void anypi_tree_make(anypi_tree *tree, int p, int radix, bool halves)
{
    tree->p = tree->limit = p;
    tree->levels = 0;
    while (!anypi_tree_enough(p, radix, tree->levels))
        tree->levels++;
    for (int t = 0, left = p; t < tree->levels; t++) {
        int children = t == 0 ? radix : 2;
        while (t > 0 && !anypi_tree_enough(left, children, tree->levels - t))
            children = halves ? 2 * children : children + 1;
        tree->radix[t] = children;
        left = left / children + (left % children > 0);
    }
    tree->smallest[tree->levels] = p;
    for (int t = tree->levels - 1; t >= 0; t--) {
        tree->smallest[t] = tree->smallest[t + 1] / tree->radix[t];
        for (int i = 0; i < 2; i++) {
            const int size = anypi_tree_size(tree, t + 1, i);
            const int k = tree->radix[t] < size ? tree->radix[t] : size > 0 ? size : 1;
            const int halvings =
                halves && k < size ? anypi_log2_floor((unsigned) tree->radix[t]) : 0;
            tree->splits[t][i] = (anypi_split) { k, size % k, size / k, halvings };
        }
    }
}

anypi_group anypi_tree_half(int halvings, anypi_group group, int c)
{
    for (int i = 0; i < halvings; i++) {
        const int left = anypi_bracketing_left(group.size);
        if (c >> i & 1)
            group = (anypi_group) { group.first + left, group.size - left };
        else
            group.size = left;
    }
    return group;
}

int anypi_tree_half_of(int halvings, anypi_group group, int rank)
{
    int c = 0;
    for (int i = 0; i < halvings; i++) {
        const bool right = rank - group.first >= anypi_bracketing_left(group.size);
        c |= right << i;
        group = anypi_tree_half(1, group, right);
    }
    return c;
}

int anypi_tree_join_some(const anypi_tree *tree, int t, int size, int c, int group_rank)
{
    if (group_rank == ANYPI_NOBODY)
        return ANYPI_NOBODY;
    const int candidate = group_rank * anypi_tree_children(tree, t, size) + c;
    if (size <= tree->limit)
        return candidate;
    /* the first group rank whose candidate is this one or a later one */
    const int64_t twice = 2 * (int64_t) anypi_tree_candidates(tree, t, size);
    const int64_t at = 2 * (int64_t) tree->limit * candidate - twice / 2;
    const int64_t joined = at <= 0 ? 0 : (at + twice - 1) / twice;
    return joined < tree->limit && anypi_tree_candidate(tree, t, size, (int) joined) == candidate
        ? (int) joined : ANYPI_NOBODY;
}

int anypi_tree_group_rank(const anypi_tree *tree, int height, anypi_group group, int rank)
{
    if (group.size == 1)
        return 0;
    const int t = height - 1, c = anypi_tree_child_of(tree, t, group, rank);
    const anypi_group child = anypi_tree_child(tree, t, group, c);
    return anypi_tree_join(tree, t, group.size, c, anypi_tree_group_rank(tree, t, child, rank));
}
