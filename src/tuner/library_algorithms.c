/* SPDX-License-Identifier: BSD-3-Clause
 *
 * library_algorithms.c - the MPI library's algorithms: which of them a rule can name, which calls
 * they serve, and the values of their parameters that are measured. k, a number of partners or
 * children, is 2; vectors are not split. MPICH reads texts, such as the kind of trees, once in
 * MPI_Init, so only the value in force is possible. An algorithm with any other parameter is no
 * candidate: good values are not known.
 */
#include "tuner/candidates.h"

#include "schedule/ranks.h"
#include "select/rule_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 8 };              /* a parameter with more values needs a known good one */

static bool is_partners(const char *parameter)
{
    const size_t length = strlen(parameter);
    return !strcmp(parameter, "k") || (length > 2 && !strcmp(parameter + length - 2, "_k"));
}

int anypi_own_value(const char *parameter, const char *text)
{
    int min, max;
    char *rest;
    const char *values = anypi_mpich_values(parameter);
    if (values)
        return anypi_list_find(values, text, strlen(text));
    anypi_mpich_parameter_range(parameter, &min, &max);
    const long number = isdigit((unsigned char) *text) ? strtol(text, &rest, 10) : -1;
    return number >= min && number <= max && !*rest ? (int) number : -1;
}

/* Returns the value of a parameter to measure; -1: none is known. */
static int default_value(const char *parameter, const char *variable, const anypi_cvars *cvars)
{
    int min, max, number;
    const char *name;
    anypi_mpich_parameter_range(parameter, &min, &max);
    for (int k = 0; (name = anypi_cvars_value(cvars, variable, k, &number)); k++) {
        const int value = anypi_mpich_values(parameter) ? anypi_own_value(parameter, name)
            : number >= min && number <= max ? number : -1;
        if (value >= 0)
            return value;
    }
    return is_partners(parameter) ? 2 : !strcmp(parameter, "chunk_size") ? 0
        : !anypi_mpich_values(parameter) && max - min < FEW ? min : -1;
}

bool anypi_own_defaults(const anypi_mpich_algorithm *own, const anypi_cvars *cvars,
                        int parameters[ANYP_MAX_PARAMETERS])
{
    const int count = anypi_list_count(own->parameters);
    bool known = count <= ANYP_MAX_PARAMETERS;
    memset(parameters, 0, ANYP_MAX_PARAMETERS * sizeof *parameters);
    for (int i = 0; i < count && known; i++) {
        char parameter[ANYPI_NAME_SIZE] = "", variable[2 * ANYPI_NAME_SIZE] = "";
        anypi_list_get(own->parameters, i, parameter, sizeof parameter);
        anypi_list_get(own->variables, i, variable, sizeof variable);
        parameters[i] = default_value(parameter, variable, cvars);
        known = parameters[i] >= 0;
    }
    return known;
}

const anypi_mpich_algorithm *anypi_own_find(anyp_collective collective, const char *name)
{
    const anypi_mpich *mpich = anypi_mpich_now();
    const int number = anypi_mpich_collective_find(anypi_form_name(collective));
    for (int i = 0; i < mpich->algorithms_count; i++) {
        const anypi_mpich_algorithm *own = &mpich->algorithms[i];
        const char *rest = strstr(own->name, "_intra_");
        if (own->collective == number && own->kind == ANYPI_INTRA && rest &&
            !strcmp(rest + strlen("_intra_"), name))
            return own;
    }
    return NULL;
}

/* An algorithm that needs several nodes is no candidate, since the file is for any communicator of
 * p processes. smp must not even be called: it calls the collective again for the roots of the
 * nodes. The variable also forces smp there, where it cannot serve them. Since 4.2 one rank then
 * returns an error, while the others wait for its broadcast forever. */
bool anypi_own_nameable(const anypi_mpich_algorithm *own)
{
    int key;
    bool holds;
    for (int i = 0; anypi_own_need(own, i, &key, &holds); i++)
        if (key < 0 || anypi_keys[key].variable == ANYPI_OF_comm_hierarchy ||
            anypi_keys[key].variable == ANYPI_OF_is_node_consecutive)
            return false;
    return !*own->unusable;
}

bool anypi_own_equal(const anypi_mpich_algorithm *own)
{
    int key;
    bool holds;
    for (int i = 0; own && anypi_own_need(own, i, &key, &holds); i++)
        if (key >= 0 && anypi_keys[key].variable == ANYPI_OF_is_block_regular)
            return true;
    return false;
}

bool anypi_own_serves(const anypi_mpich_algorithm *own, const anyp_call *call, bool builtin)
{
    anypi_facts facts;
    int key;
    bool holds;
    anypi_facts_init(&facts);
    anypi_facts_number(&facts, ANYPI_OF_comm_size, call->p);
#define YES(variable, value) facts.allowed[ANYPI_OF_##variable] = (value) ? 1 : 2
    YES(is_commutative, call->commutative);
    YES(is_op_built_in, builtin);
    YES(is_block_regular, true);
    YES(is_sendbuf_inplace, false);
    YES(count_pow2, call->count < 1 << anypi_log2_floor((unsigned) call->p));
#undef YES
    for (int i = 0; anypi_own_need(own, i, &key, &holds); i++) {
        const anypi_rule rule = { .key = key };
        if (key < 0 ||
            anypi_condition_holds(&facts, &rule) != (holds ? ANYPI_TRUE : ANYPI_FALSE))
            return false;
    }
    return true;
}
