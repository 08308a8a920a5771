/* SPDX-License-Identifier: BSD-3-Clause */
#include "rivals.h"

#include "measure/steer.h"

#include "select/vocabulary.h"

#include <stdio.h>
#include <string.h>

static const int grid[] = { 2, 3, 4, 5, 7, 8, 13 };
enum { GRID = sizeof grid / sizeof grid[0] };

static bool has(const char *list, const char *name)
{
    return anypi_list_find(list, name, strlen(name)) >= 0;
}

/* Each rank is a node of its own, so no communicator is a parent of others: this leaves out smp,
 * which hangs from 4.2 on instead of refusing such a call. */
static bool may_serve(const anypi_mpich_algorithm *own, bool commutative)
{
    return !has(own->needs, "parent-comm") && (commutative || !has(own->needs, "commutative")) &&
        strcmp(own->unusable, "recursion");
}

/* The algorithm's short name, as its variable accepts it; NULL if it is not of that kind. */
static const char *short_name(const anypi_mpich_algorithm *own)
{
    const char *found = own->kind == ANYPI_INTRA ? strstr(own->name, "_intra_") : NULL;
    return found ? found + strlen("_intra_") : NULL;
}

/* MPICH's trees for operators that do not commute are knomial_1 in any case. */
static void describe(netlab_rival *rival, const anypi_mpich_algorithm *own, bool commutative,
                     const char *tree)
{
    const char *type = commutative ? tree : "knomial_1";
    int length = snprintf(rival->name, sizeof rival->name, "single:%s", short_name(own));
    if (has(own->parameters, "tree_type"))
        length += snprintf(rival->name + length, sizeof rival->name - (size_t) length,
                           " tree_type=%s", type);
    if (rival->k)
        snprintf(rival->name + length, sizeof rival->name - (size_t) length, " k=%d", rival->k);
}

int netlab_rivals(anyp_collective collective, bool commutative, const char *tree,
                  const anypi_cvars *names, netlab_rival list[NETLAB_MOST_RIVALS])
{
    const anypi_mpich *mpich = anypi_mpich_now();
    const int number = anypi_mpich_collective_find(anyp_collective_name(collective));
    char variable[ANYPI_NAME_SIZE];
    int count = 0;
    anypi_algorithm_variable(collective, variable, sizeof variable);
    for (int i = 0; i < mpich->algorithms_count; i++) {
        const anypi_mpich_algorithm *own = &mpich->algorithms[i];
        const char *name = own->collective == number ? short_name(own) : NULL;
        const int value = name ? anypi_cvars_find(names, variable, name, -1) : -1;
        if (value < 0 || !may_serve(own, commutative))
            continue;
        const int place = anypi_list_find(own->parameters, "k", 1);
        for (int k = 0; k < (place < 0 ? 1 : GRID) && count < NETLAB_MOST_RIVALS; k++) {
            netlab_rival *rival = &list[count++];
            *rival = (netlab_rival) { .value = value };
            if (place >= 0) {
                rival->k = grid[k];
                anypi_list_get(own->variables, place, rival->k_variable, sizeof rival->k_variable);
            }
            describe(rival, own, commutative, tree);
        }
    }
    return count;
}

bool netlab_swap(anyp_collective collective, netlab_rival *rival)
{
    char variable[ANYPI_NAME_SIZE];
    const int value = rival->value, k = rival->k;
    anypi_algorithm_variable(collective, variable, sizeof variable);
    return anypi_steer_write(variable, value, &rival->value) &&
        (!*rival->k_variable || anypi_steer_write(rival->k_variable, k, &rival->k));
}
