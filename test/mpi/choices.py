# SPDX-License-Identifier: BSD-3-Clause
"""choices - the values of an algorithm's parameters that the scripts test inside MPICH, from
'anyp list --json': the same as those of choices.h, which documents them.
"""
import itertools


def values_of(parameter):
    """The values of a parameter that are tested, the default first."""
    found = [parameter["default"]]
    if parameter["type"] == "enum":
        candidates = parameter["values"]
    else:
        minimum, maximum = parameter["minimum"], parameter["maximum"]
        candidates = sorted({number for number in (minimum, minimum + 1, 64, 4096, maximum)
                             if minimum <= number <= maximum})
    return found + [value for value in candidates if value not in found]


def choices_of(algorithm):
    """Dicts of values by name, the defaults first."""
    parameters = algorithm["parameters"]
    combinations = [dict(zip([one["name"] for one in parameters], values))
                    for values in itertools.product(*(
                        values_of(one) if one["type"] == "enum" else [one["default"]]
                        for one in parameters))]
    return combinations + [dict(given, **{one["name"]: value})
                           for one in parameters if one["type"] != "enum"
                           for value in values_of(one)[1:] for given in combinations]
