# SPDX-License-Identifier: BSD-3-Clause
"""choices - which values of an algorithm's parameters the scripts run inside MPICH; as choices.h.

From 'anyp list --json': the defaults, every combination of enums, and with each of these one number
varied at a time: 0, 1, 3, 64 and the most.
"""
NUMBERS = (0, 1, 3, 64)


def values_of(parameter):
    """The values of a parameter that are tried, the default first."""
    found = [parameter["default"]]
    if parameter["type"] == "enum":
        candidates = parameter["values"]
    else:
        candidates = [number for number in NUMBERS + (parameter["most"],)
                      if parameter["least"] <= number <= parameter["most"]]
    return found + [value for value in candidates if value not in found]


def choices_of(algorithm):
    """Dicts of values by name, the defaults first."""
    parameters = algorithm["parameters"]
    combinations = [{one["name"]: one["default"] for one in parameters}]
    for one in parameters:
        if one["type"] == "enum":
            combinations = [dict(given, **{one["name"]: value}) for given in combinations
                            for value in values_of(one)]
    found = list(combinations)
    for one in parameters:
        if one["type"] != "enum":
            found += [dict(given, **{one["name"]: value}) for given in combinations
                      for value in values_of(one)[1:]]
    return found
