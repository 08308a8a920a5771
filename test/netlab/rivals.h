/* SPDX-License-Identifier: BSD-3-Clause
 *
 * rivals.h - MPICH's own algorithms, as they can be forced in one run: by the control variables
 * that choose the algorithm of a collective and its k.
 */
#ifndef NETLAB_RIVALS_H_INCLUDED
#define NETLAB_RIVALS_H_INCLUDED

#include "tuner/cells.h"

#include "select/mpich.h"

enum { NETLAB_MOST_RIVALS = 128 };

typedef struct netlab_rival {
    char name[2 * ANYPI_NAME_SIZE];     /* as in the data: "single:recexch k=3" */
    int value;                          /* of the variable that chooses the algorithm */
    char k_variable[2 * ANYPI_NAME_SIZE];       /* "": it has no parameter k */
    int k;
} netlab_rival;

/* Those of the collective, by the vocabulary in force, that may serve a call with such an operator;
 * with some values of k. Their other parameters are as in the library's defaults; `tree` is the
 * tree_type that the library was started with. The library itself refuses calls that do not fit.
 * Returns how many there are. */
int netlab_rivals(anyp_collective collective, bool commutative, const char *tree,
                  const anypi_cvars *names, netlab_rival list[NETLAB_MOST_RIVALS]);

/* Puts its settings in force, and stores those that they replace in their place: the next calls run
 * it, and a second swap returns the choice to the library. False: the library does not accept them.
 * On all ranks of the next call. */
bool netlab_swap(anyp_collective collective, netlab_rival *rival);

#endif
