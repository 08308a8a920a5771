/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich.c - the vocabulary in force; at first it is that of mpich.def.
 */
#include "select/mpich.h"

#include <stdio.h>
#include <string.h>

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

/* Returns the length of "5.0" in "5.0.1". */
static size_t series(const char *text)
{
    const size_t major = strcspn(text, ".");
    return text[major] ? major + 1 + strspn(text + major + 1, "0123456789") : major;
}

bool anypi_mpich_same_series(const char *one, const char *other)
{
    return series(one) == series(other) && !strncmp(one, other, series(one));
}
