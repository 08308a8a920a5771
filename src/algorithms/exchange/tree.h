/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tree.h - the tree in which the children of a machine group join, and their group ranks.
 *
 * In this file these children are called ranks, and a group is a run of neighbouring ones (a team
 * of machine.h). Groups of height 0 are single ranks. Level t joins children, which are groups of
 * height t, into one group of height t + 1. The group of height `levels` has all ranks. All groups
 * of one height have one of two sizes, which differ by one. The larger children of a group come
 * first.
 *
 * The vector is divided among the ranks of a group into equal intervals. Each rank of the group has
 * a group rank, and the rank with group rank j owns interval j. Group ranks are not in the order of
 * ranks: the rank with group rank i in child c of k children has group rank i*k + c. As larger
 * children come first, the group ranks of a group of s ranks are 0 .. s-1. So the middles
 * (i + 1/2)/s' of the children's intervals grow with the group rank. The interval [j/s, (j+1)/s) of
 * a rank in its group is within the interval [i/s', (i+1)/s') of the same rank in its child.
 *
 * A tree may have a limit: at most so many ranks of a group are owners, and only these have a group
 * rank. The owners in the children, ordered by the middles of their intervals, are the candidates.
 * The candidates nearest to the middles of the group's intervals become its owners.
 *
 * Reproducible results: groups are nodes of the tree in schedule/bracketing.h, and a group's
 * children are the result of a number of halvings of it. Then larger and smaller children alternate
 * from left to right. So children are numbered in another order, in which the larger come first:
 * bit i of the number says whether the child is on the right after halving i.
 */
#ifndef ANYPI_EXCHANGE_TREE_H_INCLUDED
#define ANYPI_EXCHANGE_TREE_H_INCLUDED

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

enum { ANYPI_TREE_LEVELS = 31 };        /* maximum: radix 2 and 2^31 ranks */

enum { ANYPI_NOBODY = -1 };             /* no rank, no group rank, no child */

typedef struct anypi_group {
    int first, size;            /* ranks first .. first + size - 1 */
} anypi_group;

/* How a group is divided into its children. */
typedef struct anypi_split {
    int children, larger;       /* the first `larger` children have one rank more */
    int size;                   /* ranks of the others */
    int halvings;               /* 0: children are numbered from the left */
} anypi_split;

typedef struct anypi_tree {
    int p, levels;
    int limit;                  /* maximum owners in a group; p: no limit */
    int radix[ANYPI_TREE_LEVELS];       /* number of children of a group, per level */
    int smallest[ANYPI_TREE_LEVELS + 1];   /* ranks of the smallest group, per height; 0 if there
                                         * are fewer ranks than groups */
    anypi_split splits[ANYPI_TREE_LEVELS][2];   /* of groups that a level makes: smaller, larger */
} anypi_tree;

/* Are `levels` levels of `children` children enough for s ranks? */
bool anypi_tree_enough(int s, int children, int levels);

/* Makes the tree of p ranks whose groups have at most `radix` >= 2 children, in ceil(log_radix p)
 * levels. The lowest level has the maximum number of children, the others the minimum that
 * suffices. The tree, and so the bracketing of results, depends on nothing else. If it `halves`,
 * the radix and all numbers of children are powers of two, and the bracketing depends only on p. No
 * limit. */
void anypi_tree_make(anypi_tree *tree, int p, int radix, bool halves);

/* Returns the size of the smaller (0) or the larger (1) groups of a height, if there are any. */
static inline int anypi_tree_size(const anypi_tree *tree, int height, int larger)
{
    return tree->smallest[height] + (larger && tree->smallest[height] < tree->p);
}

/* Returns how level t divides a group of this size into children. */
static inline const anypi_split *anypi_tree_split(const anypi_tree *tree, int t, int size)
{
    return &tree->splits[t][size > tree->smallest[t + 1]];
}

static inline int anypi_tree_children(const anypi_tree *tree, int t, int size)
{
    return anypi_tree_split(tree, t, size)->children;
}

/* Return the child that is the i-th from the left of a group, and the reverse. */
static inline int anypi_tree_from_left(const anypi_tree *tree, int t, int size, int i)
{
    const int halvings = anypi_tree_split(tree, t, size)->halvings;
    int c = halvings ? 0 : i;
    for (int k = 0; k < halvings; k++)
        c |= (i >> k & 1) << (halvings - 1 - k);
    return c;
}

/* The next two functions for children that are halvings. */
anypi_group anypi_tree_half(int halvings, anypi_group group, int c);
int anypi_tree_half_of(int halvings, anypi_group group, int rank);

/* Returns child c of a group that level t makes. */
static inline anypi_group anypi_tree_child(const anypi_tree *tree, int t, anypi_group group, int c)
{
    const anypi_split *split = anypi_tree_split(tree, t, group.size);
    if (split->halvings)
        return anypi_tree_half(split->halvings, group, c);
    const int before = c < split->larger ? c : split->larger;
    return (anypi_group) { group.first + c * split->size + before,
                           split->size + (c < split->larger) };
}

/* Returns the child of such a group that contains a rank. */
static inline int anypi_tree_child_of(const anypi_tree *tree, int t, anypi_group group, int rank)
{
    const anypi_split *split = anypi_tree_split(tree, t, group.size);
    if (split->halvings)
        return anypi_tree_half_of(split->halvings, group, rank);
    const int at = rank - group.first, after = at - split->larger * (split->size + 1);
    return after < 0 ? at / (split->size + 1) : split->larger + after / split->size;
}

/* Returns how many ranks of a group of this size own a part of the vector (have a group rank). */
static inline int anypi_tree_owners(const anypi_tree *tree, int size)
{
    return size < tree->limit ? size : tree->limit;
}

/* Returns how many candidates there are for the owners of a group that level t makes. */
static inline int anypi_tree_candidates(const anypi_tree *tree, int t, int size)
{
    const anypi_split *split = anypi_tree_split(tree, t, size);
    return split->larger * anypi_tree_owners(tree, split->size + 1) +
        (split->children - split->larger) * anypi_tree_owners(tree, split->size);
}

/* Returns the candidate that receives a group rank: it has group rank candidate / k in child
 * candidate % k. */
static inline int anypi_tree_candidate(const anypi_tree *tree, int t, int size, int group_rank)
{
    if (size <= tree->limit)
        return group_rank;
    return (int) ((2 * group_rank + INT64_C(1)) * anypi_tree_candidates(tree, t, size) /
                  (2 * tree->limit));
}

/* Returns the rank with a group rank in a group of this height. */
static inline int anypi_tree_rank(const anypi_tree *tree, int height, anypi_group group,
                                  int group_rank)
{
    while (group.size > 1) {
        const int k = anypi_tree_children(tree, --height, group.size);
        const int candidate = anypi_tree_candidate(tree, height, group.size, group_rank);
        group = anypi_tree_child(tree, height, group, candidate % k);
        group_rank = candidate / k;
    }
    return group.first;
}

/* The next function for a tree with a limit. */
int anypi_tree_join_some(const anypi_tree *tree, int t, int size, int c, int group_rank);

/* Returns the group rank, in a group that level t makes, of the rank with a group rank in the
 * group's child c; ANYPI_NOBODY if it has none. */
static inline int anypi_tree_join(const anypi_tree *tree, int t, int size, int c, int group_rank)
{
    return tree->limit == tree->p ? group_rank * anypi_tree_children(tree, t, size) + c
        : anypi_tree_join_some(tree, t, size, c, group_rank);
}

/* Returns the group rank of a rank in a group of this height; ANYPI_NOBODY if it has none. */
int anypi_tree_group_rank(const anypi_tree *tree, int height, anypi_group group, int rank);

#endif
