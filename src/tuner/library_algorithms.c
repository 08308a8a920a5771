/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameter grids of the MPI library's algorithms. k, a number of partners or children, is 2 to
 * 13, since the best k depends on p and the network; 13 is the largest that won in an emulated
 * cluster. A parameter with few values has all of them. Pipelining begins at 8 or 64 KiB (0:
 * never). MPICH reads texts, such as the kind of trees, once in MPI_Init, so only the value in
 * force is possible. An algorithm with any other parameter is no candidate: good values are not
 * known.
 */
#include "tuner/candidates.h"

#include "schedule/ranks.h"
#include "select/rule_tree.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The maximum for one algorithm, since each point costs a call in every cell. In larger grids, k =
 * 3, 5, 7, 13 occur only with the first values of the other parameters. */
enum { MAX_POINTS = 24 };

/* In the order in which they are measured if there is little time. */
static const int partners[] = { 2, 4, 3, 8, 5, 13, 7 };
static const int chunks[] = { 0, 1 << 13, 1 << 16 };
enum { PARTNERS = sizeof partners / sizeof *partners, CHUNKS = sizeof chunks / sizeof *chunks };
enum { MAX_VALUES = 8 };

static bool is_partners(const char *parameter)
{
    const size_t length = strlen(parameter);
    return !strcmp(parameter, "k") || (length > 2 && !strcmp(parameter + length - 2, "_k"));
}

static bool is_chunk(const char *parameter)
{
    return !strcmp(parameter, "chunk_size");
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

/* Writes the values of a parameter to measure into list[]; returns their number. */
static int grid(const char *parameter, const char *variable, const anypi_cvars *cvars,
                int list[MAX_VALUES])
{
    int min, max, number, count = 0;
    const char *name;
    anypi_mpich_parameter_range(parameter, &min, &max);
    if (anypi_cvars_value(cvars, variable, 0, &number)) {
        const bool names = anypi_mpich_values(parameter);
        for (int k = 0; (name = anypi_cvars_value(cvars, variable, k, &number)); k++) {
            const int value = names ? anypi_own_value(parameter, name)
                : number >= min && number <= max ? number : -1;
            if (count < MAX_VALUES && value >= 0)
                list[count++] = value;
        }
    } else if (is_partners(parameter)) {
        memcpy(list, partners, sizeof partners);
        count = PARTNERS;
    } else if (is_chunk(parameter)) {
        memcpy(list, chunks, sizeof chunks);
        count = CHUNKS;
    } else if (!anypi_mpich_values(parameter) && max - min < MAX_VALUES) {
        for (int value = min; value <= max; value++)
            list[count++] = value;
    }
    return count;
}

int anypi_own_grid(const anypi_mpich_algorithm *own, const anypi_cvars *cvars,
                   int points[][ANYP_MAX_PARAMETERS], int room)
{
    int values[ANYP_MAX_PARAMETERS][MAX_VALUES], counts[ANYP_MAX_PARAMETERS];
    bool is_k[ANYP_MAX_PARAMETERS];
    int index[ANYP_MAX_PARAMETERS] = { 0 }, turn[ANYP_MAX_PARAMETERS];
    const int parameters = anypi_list_count(own->parameters);
    int all = parameters <= ANYP_MAX_PARAMETERS, count = 0, slow = 0, fast = parameters;
    for (int i = 0; i < parameters && all; i++) {
        char parameter[ANYPI_NAME_SIZE] = "", variable[2 * ANYPI_NAME_SIZE] = "";
        anypi_list_get(own->parameters, i, parameter, sizeof parameter);
        anypi_list_get(own->variables, i, variable, sizeof variable);
        is_k[i] = is_partners(parameter);
        turn[is_k[i] ? --fast : slow++] = i;    /* k changes fastest */
        all *= counts[i] = grid(parameter, variable, cvars, values[i]);
    }
    while (all) {
        bool first = true, few = true;
        for (int i = 0; i < parameters; i++) {
            first = first && (is_k[i] || !index[i]);
            few = few && !(is_k[i] && partners[index[i]] & (partners[index[i]] - 1));
        }
        if ((all <= MAX_POINTS || first || few) && count < room) {
            for (int i = 0; i < ANYP_MAX_PARAMETERS; i++)
                points[count][i] = i < parameters ? values[i][index[i]] : 0;
            count++;
        }
        int i = parameters - 1;
        while (i >= 0 && ++index[turn[i]] == counts[turn[i]])
            index[turn[i--]] = 0;
        if (i < 0)
            break;
    }
    return count;
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
#define YES(variable, value) anypi_facts_bit(&facts, ANYPI_OF_##variable, (value) ? 1 : 2)
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

/* With more partners than processes recursive_multiplying sends all vectors to rank 0 one after the
 * other. So k = p is left to recexch, which takes the same time and also serves fewer processes. */
bool anypi_own_worthwhile(const anypi_candidate *candidate, int p)
{
    const int k = anypi_list_find(candidate->own->parameters, "k", 1);
    return strcmp(candidate->name, "recursive_multiplying") || k < 0 ||
        candidate->parameters[k] < p;
}

/* Returns the effect of a parameter's value on a call. All numbers of partners above p have the
 * same effect; a vector that is not longer than a chunk is not split. */
static int effect(const anypi_mpich_algorithm *own, int i, int value, const anyp_call *call)
{
    char parameter[ANYPI_NAME_SIZE] = "";
    anypi_list_get(own->parameters, i, parameter, sizeof parameter);
    if (is_partners(parameter))
        return value > call->p ? call->p + 1 : value;
    return is_chunk(parameter) && value >= call->count * call->type_size ? 0 : value;
}

int anypi_own_same(const anypi_candidates *candidates, int c, const anyp_call *call)
{
    const anypi_mpich_algorithm *own = candidates->list[c].own;
    const int count = anypi_list_count(own->parameters);
    for (int other = 0; other < candidates->count; other++) {
        bool same = candidates->list[other].own == own;
        int order = 0;
        for (int i = 0; i < count && same; i++) {
            const int one = candidates->list[c].parameters[i];
            const int two = candidates->list[other].parameters[i];
            same = effect(own, i, one, call) == effect(own, i, two, call);
            order = order ? order : one - two;
        }
        c = same && order > 0 ? other : c;
    }
    return c;
}
