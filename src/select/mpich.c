/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich.c - mpich.def as data, and which vocabulary is in force.
 */
#include "select/mpich.h"

#include <stdio.h>
#include <string.h>

/* Collectives are numbered by their rows. */
enum {
#define MPICH_COLLECTIVE(name) collective_##name,
#include "select/mpich.def"
    collectives_count
};

static const char *const collectives[] = {
#define MPICH_COLLECTIVE(name) #name,
#include "select/mpich.def"
};

static const char *const conditions[] = {
#define MPICH_CONDITION(text) text,
#include "select/mpich.def"
};

static const anypi_mpich_pair defined[] = {
#define MPICH_DEFINED(what, collective) { #what, #collective },
#include "select/mpich.def"
};

/* There may be none: the last row ends the list. */
static const anypi_mpich_pair values[] = {
#define MPICH_VALUES(name, values) { #name, values },
#include "select/mpich.def"
    { NULL, NULL }
};

enum { kind_intra = ANYPI_INTRA, kind_inter = ANYPI_INTER, kind_allcomm = ANYPI_ALLCOMM };

static const anypi_mpich_algorithm algorithms[] = {
#define MPICH_ALGORITHM(collective, kind, name, parameters, optional, variables, needs, unusable) \
    { collective_##collective, (anypi_kind) kind_##kind, #name, parameters, optional, variables, \
      needs, unusable },
#include "select/mpich.def"
};

#define COUNT(array) ((int) (sizeof (array) / sizeof (array)[0]))

#define BUILT_IN(takes_any)                                                                        \
    {                                                                                              \
        .release = release, .any = takes_any, .hierarchies = hierarchies,                          \
        .collectives_count = collectives_count, .conditions_count = COUNT(conditions),             \
        .defined_count = COUNT(defined), .values_count = COUNT(values) - 1,                        \
        .algorithms_count = COUNT(algorithms), .collectives = collectives,                         \
        .conditions = conditions, .defined = defined, .values = values,                            \
        .algorithms = algorithms,                                                                  \
    }

#define MPICH_RELEASE(version) static const char release[] = version;
#define MPICH_HIERARCHIES(count) enum { hierarchies = count };
#include "select/mpich.def"

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

/* The length of "5.0" in "5.0.1". */
static size_t series(const char *text)
{
    const size_t major = strcspn(text, ".");
    return text[major] ? major + 1 + strspn(text + major + 1, "0123456789") : major;
}

bool anypi_mpich_same_series(const char *one, const char *other)
{
    return series(one) == series(other) && !strncmp(one, other, series(one));
}

int anypi_list_find(const char *list, const char *name, size_t length)
{
    for (int i = 0; *list; i++) {
        const size_t width = strcspn(list, "|");
        if (width == length && !strncmp(list, name, length))
            return i;
        list += width + (list[width] == '|');
    }
    return -1;
}

int anypi_list_count(const char *list)
{
    int count = *list != '\0';
    while ((list = strchr(list, '|')))
        count += *list++ == '|';
    return count;
}

bool anypi_list_get(const char *list, int i, char *text, size_t size)
{
    for (; *list && i > 0; i--) {
        const size_t width = strcspn(list, "|");
        list += width + (list[width] == '|');
    }
    const size_t width = strcspn(list, "|");
    return *list && snprintf(text, size, "%.*s", (int) width, list) < (int) size;
}
