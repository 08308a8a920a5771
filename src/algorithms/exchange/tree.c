/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/tree.h"

#include <stdbool.h>

/* Are so many levels of so many children enough for s? */
static bool enough(int s, int children, int levels)
{
    int most = 1;
    for (int t = 0; t < levels && most < s; t++)
        most = most > s / children ? s : most * children;
    return most >= s;
}

anypi_tree anypi_tree_of(int p, int radix)
{
    anypi_tree tree = { .p = p };
    while (!enough(p, radix, tree.levels))
        tree.levels++;
    for (int t = 0, left = p; t < tree.levels; t++) {
        int children = t == 0 ? radix : 2;
        while (t > 0 && !enough(left, children, tree.levels - t))
            children++;
        tree.radix[t] = children;
        left = left / children + (left % children > 0);
    }
    tree.least[tree.levels] = p;
    for (int t = tree.levels; t > 0; t--)
        tree.least[t - 1] = tree.least[t] / tree.radix[t - 1];
    return tree;
}
