/* SPDX-License-Identifier: BSD-3-Clause */
#include "choices.h"

enum { MOST_VALUES = 5 };

/* The values of a number that are not its default, ascending; returns how many. */
static int other_values(const anyp_parameter *parameter, int values[MOST_VALUES])
{
    const int64_t tries[MOST_VALUES] = { parameter->minimum, (int64_t) parameter->minimum + 1, 64,
                                         4096, parameter->maximum };
    int count = 0;
    for (int i = 0; i < MOST_VALUES; i++) {
        const bool known = count && tries[i] <= values[count - 1];
        if (!known && tries[i] >= parameter->minimum && tries[i] <= parameter->maximum &&
            tries[i] != parameter->default_value)
            values[count++] = (int) tries[i];
    }
    return count;
}

/* The combination number `place` of all enums, 0 the defaults', and how many there are. */
static int combine(const anyp_algorithm *algorithm, int place, int *parameters)
{
    int combinations = 1;
    for (int k = algorithm->parameters_count - 1; k >= 0; k--) {
        const anyp_parameter *parameter = &algorithm->parameters[k];
        if (!parameter->values)
            continue;
        const int values = parameter->maximum - parameter->minimum + 1;
        const int from_default =
            parameter->default_value - parameter->minimum + place / combinations;
        parameters[k] = parameter->minimum + from_default % values;
        combinations *= values;
    }
    return combinations;
}

bool choice_get(const anyp_algorithm *algorithm, int i, int *parameters)
{
    anyp_parameters_default(algorithm, parameters);
    const int combinations = combine(algorithm, i, parameters);
    int varied = i / combinations;      /* which of the numbers' values; 0: none */
    for (int k = 0; varied > 0 && k < algorithm->parameters_count; k++) {
        int values[MOST_VALUES];
        const int count = algorithm->parameters[k].values
            ? 0 : other_values(&algorithm->parameters[k], values);
        if (varied <= count)
            parameters[k] = values[varied - 1];
        varied -= count;
    }
    return varied <= 0;
}
