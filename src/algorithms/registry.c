/* SPDX-License-Identifier: BSD-3-Clause
 *
 * registry.c - algorithms.def as data: algorithms, parameters, and their values as text.
 */
#include "algorithms/registry.h"

#include "algorithms/network.h"
#include "algorithms/shared/lists.h"
#include "schedule/collectives.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where an algorithm's parameters begin in all_parameters: algorithms do not advance the
 * enumeration, parameters do. */
enum {
#define ANYP_ALGORITHM(name, ...) first_of_##name, before_##name = first_of_##name - 1,
#define ANYP_PARAMETER(algorithm, name) index_of_##algorithm##_##name,
#include "algorithms/algorithms.def"
    parameters_end
};

/* The number of parameters of an algorithm: one term for each row that follows its own. */
enum {
    count_of_none = 0
#define ANYP_ALGORITHM(name, ...) , count_of_##name = 0
#define ANYP_PARAMETER(...) +1
#include "algorithms/algorithms.def"
};

#define NUMBER(algorithm, word, low, high, of_bytes, text) \
    [index_of_##algorithm##_##word] = { \
        .name = #word, .minimum = low, .maximum = high, .default_value = ANYP_AUTO, \
        .automatic = ANYP_AUTO, .bytes = of_bytes, .help = text },
#define ENUM(algorithm, word, names, example, size, usual, own_auto, text) \
    [index_of_##algorithm##_##word] = { \
        .name = #word, .values = names, .list = example, .maximum = (size) - 1, \
        .default_value = usual, .automatic = own_auto, .help = text },

/* All parameters one after the other, those of an algorithm together. */
static const anyp_parameter all_parameters[parameters_end] = {
#define ANYP_NUMBER(algorithm, name, minimum, maximum, help) \
    NUMBER(algorithm, name, minimum, maximum, false, help)
#define ANYP_BYTES(algorithm, name, minimum, maximum, help) \
    NUMBER(algorithm, name, minimum, maximum, true, help)
#define ANYP_ENUM(algorithm, name, size, values, help) \
    ENUM(algorithm, name, values, NULL, size, 0, ANYP_AUTO, help)
#define ANYP_ENUM_AUTO(algorithm, name, index, size, values, help) \
    ENUM(algorithm, name, values, NULL, size, index, index, help)
#define ANYP_ENUM_OR_LIST(algorithm, name, size, values, list, help) \
    ENUM(algorithm, name, values, list, size, 0, ANYP_AUTO, help)
#define ANYP_NETWORK(algorithm) \
    ENUM(algorithm, network, "default", ANYPI_NETWORK_DEFAULT, 1, 0, ANYP_AUTO, \
      "constants of the machine, for parameters that are auto: latency and overhead of a message " \
      "in ns, rates of a link and of a reduction in MB/s (0: no time), latency and rate inside " \
      "nodes, network cards of a node")
#define ANYP_NODES(algorithm, name) [index_of_##algorithm##_##name].of_nodes = true,
#define ANYP_LOCAL(algorithm, name) [index_of_##algorithm##_##name].of_local_sizes = true,
#include "algorithms/algorithms.def"
};

/* An enum among these parameters selects whether nodes are used. */
bool anypi_uses_nodes(const anyp_algorithm *algorithm, const int *parameters)
{
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        if (one->of_nodes && one->values && parameters[i] != one->minimum)
            return true;
    }
    return false;
}

#define ALLREDUCE ANYP_IN_SET(ANYP_ALLREDUCE)
#define REDUCE ANYP_IN_SET(ANYP_REDUCE)
#define REDUCE_SCATTER ANYP_IN_SET(ANYP_REDUCE_SCATTER)
#define REDUCE_SCATTER_BLOCK ANYP_IN_SET(ANYP_REDUCE_SCATTER_BLOCK)
#define SCAN ANYP_IN_SET(ANYP_SCAN)
#define EXSCAN ANYP_IN_SET(ANYP_EXSCAN)
#define BARRIER ANYP_IN_SET(ANYP_BARRIER)
#define GATHER ANYP_IN_SET(ANYP_GATHER)
#define ALLTOALL ANYP_IN_SET(ANYP_ALLTOALL)
#define SCATTER ANYP_IN_SET(ANYP_SCATTER)

/* What runs forwards also runs backwards: see backwards.h. */
#define BOTH_WAYS(collectives)                                              \
    ((collectives) | ((collectives) & REDUCE ? ANYP_IN_SET(ANYP_BCAST) : 0) \
     | ((collectives) & REDUCE_SCATTER ? ANYP_IN_SET(ANYP_ALLGATHERV) : 0)  \
     | ((collectives) & GATHER ? ANYP_IN_SET(ANYP_SCATTER) : 0)             \
     | ((collectives) & REDUCE_SCATTER_BLOCK ? ANYP_IN_SET(ANYP_ALLGATHER) : 0))

/* What moves equal blocks is the route of blocks of any sizes: see route.h. */
#define ANY_SIZES(collectives)                                              \
    ((collectives) | ((collectives) & ALLTOALL                              \
                      ? ANYP_IN_SET(ANYP_ALLTOALLV) | ANYP_IN_SET(ANYP_ALLTOALLW) : 0) \
     | ((collectives) & GATHER ? ANYP_IN_SET(ANYP_GATHERV) : 0)             \
     | ((collectives) & SCATTER ? ANYP_IN_SET(ANYP_SCATTERV) : 0))

int anypi_one_block(const anyp_call *call, const int *parameters)
{
    (void) call;
    (void) parameters;
    return 1;
}

int anypi_block_per_rank(const anyp_call *call, const int *parameters)
{
    (void) parameters;
    return call->p;
}

static const anyp_algorithm algorithms[] = {
#define ANYP_ALGORITHM(name, collectives, properties)                                  \
    { #name, ANY_SIZES((properties) & ANYP_FORWARDS ? (collectives)                    \
                       : BOTH_WAYS(collectives)),                                      \
      properties, &all_parameters[first_of_##name], count_of_##name,                   \
      &anypi_##name##_code },
#include "algorithms/algorithms.def"
};

const anypi_alias anypi_aliases[] = {
#define ANYP_ALIAS(name, algorithm, parameter, value) \
    { #name, ANYPI_##algorithm, #parameter, #value },
#include "algorithms/algorithms.def"
    { NULL, 0, NULL, NULL }
};

const anyp_algorithm *anyp_algorithms(int *count)
{
    *count = ANYPI_ALGORITHMS;
    return algorithms;
}

const anyp_algorithm *anyp_algorithm_find(const char *name)
{
    for (int i = 0; i < ANYPI_ALGORITHMS; i++)
        if (!strcmp(algorithms[i].name, name))
            return &algorithms[i];
    return NULL;
}

void anyp_parameters_default(const anyp_algorithm *algorithm, int *parameters)
{
    for (int i = 0; i < algorithm->parameters_count; i++)
        parameters[i] = algorithm->parameters[i].default_value;
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

int anypi_parameter_find(const anyp_algorithm *algorithm, const char *name, size_t length)
{
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (strlen(algorithm->parameters[i].name) == length &&
            !strncmp(algorithm->parameters[i].name, name, length))
            return i;
    return -1;
}

/* Is it the largest threshold, which no slice exceeds? People read and may write "never". */
static bool is_never(const anyp_parameter *parameter, int value)
{
    return !parameter->values && value == INT32_MAX && !strcmp(parameter->name, "threshold");
}

static anyp_status set_number(const anyp_parameter *parameter, int *target, const char *value,
                              const char **reason)
{
    char *rest;
    if (!strcmp(value, "auto")) {
        *target = ANYP_AUTO;
        return ANYP_SUCCESS;
    }
    if (!strcmp(value, "never") && is_never(parameter, parameter->maximum)) {
        *target = parameter->maximum;
        return ANYP_SUCCESS;
    }
    errno = 0;
    const long number = strtol(value, &rest, 10);
    if (rest == value || *rest) {
        *reason = "not a whole number";
        return ANYP_ERR_ARGUMENT;
    }
    if (errno || number < parameter->minimum || number > parameter->maximum) {
        *reason = "out of range";
        return ANYP_ERR_ARGUMENT;
    }
    *target = (int) number;
    return ANYP_SUCCESS;
}

static anyp_status set_enum(const anyp_algorithm *algorithm, const anyp_parameter *parameter,
                            int *target, const char *value, const char **reason)
{
    int numbers[ANYPI_MAXIMUM_LIST], count;
    const int found = anypi_list_find(parameter->values, value, strlen(value));
    if (found >= 0) {
        *target = found;
        return ANYP_SUCCESS;
    }
    *reason = "not one of its values";
    if (!parameter->list || *value < '0' || *value > '9')
        return ANYP_ERR_ARGUMENT;
    *reason = anypi_list_read(value, numbers, &count);
    if (!*reason)
        *reason = anypi_parameter_is_network(parameter) ? anypi_network_fault(numbers, count)
            : algorithm->code->list_fault(numbers, count);
    if (*reason)
        return ANYP_ERR_ARGUMENT;
    int list;
    const anyp_status status = anypi_list_add(numbers, count, &list);
    if (status == ANYP_SUCCESS)
        *target = parameter->maximum + 1 + list;
    else
        *reason = status == ANYP_ERR_MEMORY ? "no memory for the list"
            : "there are too many different lists already";
    return status;
}

anyp_status anyp_parameter_set(const anyp_algorithm *algorithm, int *parameters, const char *name,
                               const char *value, const char **reason)
{
    const int i = anypi_parameter_find(algorithm, name, strlen(name));
    if (i < 0) {
        *reason = "the algorithm has no such parameter";
        return ANYP_ERR_ARGUMENT;
    }
    const anyp_parameter *parameter = &algorithm->parameters[i];
    return parameter->values ? set_enum(algorithm, parameter, &parameters[i], value, reason)
        : set_number(parameter, &parameters[i], value, reason);
}

char *anyp_parameter_text(const anyp_parameter *parameter, int value, char *text, size_t size)
{
    if (!parameter->values && value == ANYP_AUTO)
        snprintf(text, size, "auto");
    else if (!parameter->values)
        snprintf(text, size, "%d", value);
    else if (value > parameter->maximum)
        anypi_list_text(value - parameter->maximum - 1, text, size);
    else
        anypi_list_get(parameter->values, value, text, size);
    return text;
}

void anypi_algorithms_text(anyp_collective collective, char *text, size_t size)
{
    size_t length = 0;
    *text = '\0';
    for (int i = 0; i < ANYPI_ALGORITHMS && length < size; i++)
        if (algorithms[i].collectives & ANYP_IN_SET(collective))
            length += (size_t) snprintf(text + length, size - length, "%s%s", length ? ", " : "",
                                        algorithms[i].name);
}

char *anypi_parameters_text(const anyp_algorithm *algorithm, const int *parameters,
                            const char *separator, char *text, size_t size)
{
    const bool uses_nodes = anypi_uses_nodes(algorithm, parameters);
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < algorithm->parameters_count && used < size; i++) {
        const anyp_parameter *one = &algorithm->parameters[i];
        char value[ANYP_VALUE_SIZE];
        if ((!uses_nodes && one->of_nodes) ||
            (one->of_local_sizes && parameters[i] == one->default_value) ||
            (anypi_parameter_is_network(one) && parameters[i] == one->default_value))
            continue;
        if (is_never(one, parameters[i]))
            snprintf(value, sizeof value, "never");
        else
            anyp_parameter_text(one, parameters[i], value, sizeof value);
        used += (size_t) snprintf(text + used, size - used, "%s%s=%s", used ? separator : "",
                                  one->name, value);
    }
    return text;
}

char *anyp_parameter_range(const anyp_parameter *parameter, char *text, size_t size)
{
    if (!parameter->values)
        snprintf(text, size, "auto, or %d to %d", parameter->minimum, parameter->maximum);
    else if (parameter->list)
        snprintf(text, size, "%s, or a list such as %s", parameter->values, parameter->list);
    else
        snprintf(text, size, "%s", parameter->values);
    return text;
}

bool anypi_reproduces(const anyp_algorithm *algorithm, anyp_collective collective, int p)
{
    if (anypi_is_prefix(collective))
        return algorithm->properties & ANYP_REPRODUCIBLE_SCANS;
    const bool is_pow2 = (p & (p - 1)) == 0;
    return algorithm->properties & ANYP_REPRODUCIBLE ||
        (is_pow2 && algorithm->properties & ANYP_REPRODUCIBLE_POWERS);
}
