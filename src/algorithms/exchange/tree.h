/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tree.h - the tree of groups of `exchange`, and the places of ranks in a group.
 *
 * A group is a run of neighbouring ranks. Groups of height 0 are single ranks; level t joins the
 * children of a group, which have height t, into one group of height t + 1; the one of height
 * `levels` has all ranks. All groups of one height have one of two sizes, which differ by one, and
 * the larger children of a group come first.
 *
 * Places: if a rank has place i in child c of a group of k children, it has place i*k + c in the
 * group. As larger children come first, the places of a group of s ranks are 0 .. s-1. Ordered so,
 * the middles (i + 1/2)/s' of the children's intervals grow with the place, and the interval [j/s,
 * (j+1)/s) of place j lies in the interval [i/s', (i+1)/s') that the same rank has in its child.
 *
 * Only this file depends on the sizes of groups: another tree needs other functions only.
 */
#ifndef ANYPI_EXCHANGE_TREE_H_INCLUDED
#define ANYPI_EXCHANGE_TREE_H_INCLUDED

enum { ANYPI_TREE_LEVELS = 31 };        /* at most: radix 2 and 2^31 ranks */

typedef struct anypi_group {
    int first, size;            /* ranks first .. first + size - 1 */
} anypi_group;

/* How a group is divided into its children. */
typedef struct anypi_split {
    int children, larger;       /* the first `larger` children have one rank more */
    int size;                   /* ranks of the others */
} anypi_split;

typedef struct anypi_tree {
    int p, levels;
    int radix[ANYPI_TREE_LEVELS];       /* children of a group, per level */
    int smallest[ANYPI_TREE_LEVELS + 1];   /* ranks of the smallest group, per height; 0 if there
                                         * are fewer ranks than groups */
    anypi_split splits[ANYPI_TREE_LEVELS][2];   /* of groups that a level makes: smaller, larger */
} anypi_tree;

/* The tree of p ranks whose groups have `radix` >= 2 children at most, in ceil(log_radix p) levels.
 * The lowest level has the maximum number of children, the others the minimum that suffices. It
 * depends on nothing else, and neither does the bracketing of results. */
void anypi_tree_make(anypi_tree *tree, int p, int radix);

/* All ranks. */
static inline anypi_group anypi_tree_all(const anypi_tree *tree)
{
    return (anypi_group) { 0, tree->p };
}

/* The size of the smaller (0) or the larger (1) groups of a height, if there are any. */
static inline int anypi_tree_size(const anypi_tree *tree, int height, int larger)
{
    return tree->smallest[height] + (larger && tree->smallest[height] < tree->p);
}

/* The children that level t joins in a group of that size. */
static inline const anypi_split *anypi_tree_split(const anypi_tree *tree, int t, int size)
{
    return &tree->splits[t][size > tree->smallest[t + 1]];
}

static inline int anypi_tree_children(const anypi_tree *tree, int t, int size)
{
    return anypi_tree_split(tree, t, size)->children;
}

/* Child c of a group that level t makes. */
static inline anypi_group anypi_tree_child(const anypi_tree *tree, int t, anypi_group group, int c)
{
    const anypi_split *split = anypi_tree_split(tree, t, group.size);
    const int before = c < split->larger ? c : split->larger;
    return (anypi_group) { group.first + c * split->size + before,
                           split->size + (c < split->larger) };
}

/* The child of such a group that contains a rank. */
static inline int anypi_tree_child_of(const anypi_tree *tree, int t, anypi_group group, int rank)
{
    const anypi_split *split = anypi_tree_split(tree, t, group.size);
    const int at = rank - group.first, behind = at - split->larger * (split->size + 1);
    return behind < 0 ? at / (split->size + 1) : split->larger + behind / split->size;
}

/* The rank that has a place in a group of that height. */
static inline int anypi_tree_rank(const anypi_tree *tree, int height, anypi_group group, int place)
{
    while (group.size > 1) {
        const int k = anypi_tree_children(tree, --height, group.size);
        group = anypi_tree_child(tree, height, group, place % k);
        place /= k;
    }
    return group.first;
}

/* The place of a rank in such a group. */
static inline int anypi_tree_place(const anypi_tree *tree, int height, anypi_group group, int rank)
{
    int place = 0, step = 1;
    while (group.size > 1) {
        const int k = anypi_tree_children(tree, --height, group.size);
        const int c = anypi_tree_child_of(tree, height, group, rank);
        place += c * step;
        step *= k;
        group = anypi_tree_child(tree, height, group, c);
    }
    return place;
}

/* The ranks of all places among all ranks: ranks[place]. */
void anypi_tree_ranks(const anypi_tree *tree, int *ranks);

#endif
