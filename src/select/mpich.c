/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich.c - the vocabulary in force; at first it is that of mpich.def.
 */
#include "select/mpich.h"

#include <stddef.h>

#include "select/mpich.def"     /* the arrays */

#define COUNT(array) ((int) (sizeof (array) / sizeof (array)[0]))

#define BUILT_IN(takes_any)                                                                        \
    {                                                                                              \
        .release = release, .any = takes_any, .hierarchies = hierarchies,                          \
        .collectives_count = COUNT(collectives), .algorithms_count = COUNT(algorithms),            \
        .collectives = collectives, .conditions = conditions, .defined = defined,                  \
        .values = values, .algorithms = algorithms,                                                \
    }

static const anypi_mpich built_in = BUILT_IN(false), any = BUILT_IN(true);
static const anypi_mpich *now = &built_in;

const anypi_mpich *anypi_mpich_now(void)
{
    return now;
}

void anypi_mpich_use(const anypi_mpich *mpich)
{
    now = mpich ? mpich : &built_in;
}

void anypi_mpich_use_any(void)
{
    if (now != &any)            /* other threads may decide meanwhile */
        now = &any;
}
