/* SPDX-License-Identifier: BSD-3-Clause
 *
 * vocabulary.c - conditions.def and mpich.def as data, and look-ups in them and in the registry.
 */
#include "select/vocabulary.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

const anypi_variable anypi_variables[ANYPI_VARIABLES] = {
#define ANYPI_VARIABLE(name, scope, defined, least) \
    { #name, ANYPI_SCOPE_##scope, #defined, least },
#define ANYPI_KEY(...)
#define ANYPI_MPICH_PARAMETER(...)
#include "select/conditions.def"
#undef ANYPI_VARIABLE
#undef ANYPI_KEY
#undef ANYPI_MPICH_PARAMETER
};

const anypi_key anypi_keys[] = {
#define ANYPI_VARIABLE(...)
#define ANYPI_KEY(variable, form, text, mask) { ANYPI_OF_##variable, ANYPI_##form, text, mask },
#define ANYPI_MPICH_PARAMETER(...)
#include "select/conditions.def"
#undef ANYPI_VARIABLE
#undef ANYPI_KEY
#undef ANYPI_MPICH_PARAMETER
};
const int anypi_keys_count = sizeof anypi_keys / sizeof anypi_keys[0];

static const struct {
    const char *name;
    int least, most;
} parameters[] = {
#define ANYPI_VARIABLE(...)
#define ANYPI_KEY(...)
#define ANYPI_MPICH_PARAMETER(name, least, most) { #name, least, most },
#include "select/conditions.def"
#undef ANYPI_VARIABLE
#undef ANYPI_KEY
#undef ANYPI_MPICH_PARAMETER
};

/* Collectives are numbered by their rows. */
enum {
#define MPICH_RELEASE(version)
#define MPICH_COLLECTIVE(name) collective_##name,
#define MPICH_ALGORITHM(...)
#define MPICH_DEFINED(...)
#include "select/mpich.def"
#undef MPICH_COLLECTIVE
    collectives_count
};

static const char *const collectives[] = {
#define MPICH_COLLECTIVE(name) #name,
#include "select/mpich.def"
#undef MPICH_COLLECTIVE
};
#define MPICH_COLLECTIVE(name)
#undef MPICH_RELEASE

const char *const anypi_mpich_release =
#define MPICH_RELEASE(version) version
#include "select/mpich.def"
    ;
#undef MPICH_RELEASE
#define MPICH_RELEASE(version)
#undef MPICH_ALGORITHM

enum { kind_intra = ANYPI_INTRA, kind_inter = ANYPI_INTER, kind_allcomm = ANYPI_ALLCOMM };

static const struct {
    int collective;
    anypi_kind kind;
    const char *name, *parameters;
    bool readable;
} algorithms[] = {
#define MPICH_ALGORITHM(collective, kind, name, list, readable) \
    { collective_##collective, (anypi_kind) kind_##kind, #name, list, readable },
#include "select/mpich.def"
#undef MPICH_ALGORITHM
};
#define MPICH_ALGORITHM(...)
#undef MPICH_DEFINED
static const int algorithms_count = sizeof algorithms / sizeof algorithms[0];

static const struct {
    const char *what;
    int collective;
} definitions[] = {
#define MPICH_DEFINED(what, collective) { #what, collective_##collective },
#include "select/mpich.def"
#undef MPICH_DEFINED
};
#undef MPICH_RELEASE
#undef MPICH_COLLECTIVE
#undef MPICH_ALGORITHM

const char *anypi_mpich_collective(int i)
{
    return i < collectives_count ? collectives[i] : NULL;
}

int anypi_mpich_collective_find(const char *name)
{
    for (int i = 0; i < collectives_count; i++)
        if (!strcmp(collectives[i], name))
            return i;
    return -1;
}

bool anypi_variable_defined(int variable, int collective)
{
    const char *what = anypi_variables[variable].defined;
    if (!strcmp(what, "always"))
        return true;
    for (size_t i = 0; i < sizeof definitions / sizeof definitions[0]; i++)
        if (definitions[i].collective == collective && !strcmp(definitions[i].what, what))
            return true;
    return false;
}

bool anypi_has_inter(int collective)
{
    for (int i = 0; i < algorithms_count; i++)
        if (algorithms[i].collective == collective && algorithms[i].kind == ANYPI_INTER)
            return true;
    return false;
}

/* The words of one of AnyP's algorithms, a collective each; *i counts down to the one wanted. */
static bool word_of(const anyp_algorithm *algorithm, const anypi_alias *alias, int *i,
                    anypi_word *word)
{
    for (int c = 0; c < ANYP_COLLECTIVES; c++)
        if (algorithm->collectives & ANYP_IN_SET(c) && (*i)-- == 0) {
            const char *name = anyp_collective_name((anyp_collective) c);
            *word = (anypi_word) { .collective = anypi_mpich_collective_find(name),
                                   .kind = ANYPI_INTRA, .readable = true,
                                   .algorithm = algorithm, .alias = alias };
            return true;
        }
    return false;
}

/* AnyP's words are numbered behind MPICH's, aliases last. */
bool anypi_word_get(int i, anypi_word *word)
{
    if (i < algorithms_count) {
        *word = (anypi_word) { algorithms[i].collective, algorithms[i].kind, algorithms[i].name,
                               algorithms[i].parameters, algorithms[i].readable, NULL, NULL };
        return true;
    }
    i -= algorithms_count;
    int count;
    const anyp_algorithm *all = anyp_algorithms(&count);
    for (int a = 0; a < count; a++)
        if (word_of(&all[a], NULL, &i, word))
            return true;
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        if (word_of(&all[alias->algorithm], alias, &i, word))
            return true;
    return false;
}

char *anypi_word_name(const anypi_word *word, char *text, size_t size)
{
    if (word->name)
        snprintf(text, size, "%s", word->name);
    else {
        const char *name = collectives[word->collective];
        snprintf(text, size, "MPIR_%c%s_intra_anyp_%s", toupper((unsigned char) name[0]),
                 name + 1, word->alias ? word->alias->name : word->algorithm->name);
    }
    return text;
}

int anypi_word_find(const char *name)
{
    anypi_word word;
    char text[128];
    for (int i = 0; anypi_word_get(i, &word); i++)
        if (!strcmp(word.name ? word.name : anypi_word_name(&word, text, sizeof text), name))
            return i;
    return -1;
}

int anypi_word_meant(int i)
{
    anypi_word word;
    char text[128];
    if (!anypi_word_get(i, &word) || !word.alias)
        return i;
    word.alias = NULL;
    return anypi_word_find(anypi_word_name(&word, text, sizeof text));
}

void anypi_mpich_parameter_range(const char *name, int *least, int *most)
{
    *least = 0;
    *most = INT_MAX;
    for (size_t i = 0; i < sizeof parameters / sizeof parameters[0]; i++)
        if (!strcmp(parameters[i].name, name)) {
            *least = parameters[i].least;
            *most = parameters[i].most;
        }
}

/* ---- suggestions ---- */

enum { longest_word = 127 };

static int least_of(int a, int b, int c)
{
    const int least = a < b ? a : b;
    return least < c ? least : c;
}

/* Letters to insert, delete or change to get from a to b; both at most longest_word long. */
static int edit_distance(const char *a, const char *b)
{
    int row[longest_word + 1];
    const int width = (int) strlen(b);
    for (int j = 0; j <= width; j++)
        row[j] = j;
    for (int i = 0; a[i]; i++) {
        int diagonal = row[0];
        row[0] = i + 1;
        for (int j = 0; j < width; j++) {
            const int changed = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = least_of(changed, row[j] + 1, diagonal + 1);
        }
    }
    return row[width];
}

/* Near: less than a third of the letters are wrong. */
void anypi_nearest_init(anypi_nearest *nearest, const char *word)
{
    nearest->word = word;
    nearest->distance = ((int) strnlen(word, longest_word + 1) + 2) / 3 + 1;
    nearest->text[0] = '\0';
}

void anypi_nearest_try(anypi_nearest *nearest, const char *candidate)
{
    if (strnlen(nearest->word, longest_word + 1) > longest_word ||
        strnlen(candidate, longest_word + 1) > longest_word)
        return;
    const int distance = edit_distance(nearest->word, candidate);
    if (distance < nearest->distance) {
        nearest->distance = distance;
        snprintf(nearest->text, sizeof nearest->text, "%s", candidate);
    }
}
