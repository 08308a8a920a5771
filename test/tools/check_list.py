#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares `anyp list --json` (stdin) with the rows of algorithms.def (the argument)."""
import json
import re
import sys

# What each reduction does backwards.
BACKWARDS = (("reduce", "bcast"), ("reduce_scatter_block", "allgather"),
             ("reduce_scatter", "allgatherv"), ("gather", "scatter"))
# Whose routes blocks take if only their ends know their sizes.
ROUTES = (("alltoall", "alltoallv"), ("alltoall", "alltoallw"), ("gather", "gatherv"),
          ("scatter", "scatterv"))


def rows(path):
    """Names in algorithms.def:
    {algorithm: (collectives, {parameter: (default, values or range)})}; the default of numbers is
    "auto", and ANYP_NETWORK is a parameter"""
    found = {}
    with open(path, encoding="utf-8") as file:
        text = file.read().replace('"\n    "', "")
    for match in re.finditer(r"^ANYP_(ALGORITHM|NUMBER|BYTES|ENUM|ENUM_AUTO|ENUM_OR_LIST|NETWORK)"
                             r"\((.*?)\)$", text, re.M | re.S):
        kind, inner = match.groups()
        words = [word.strip() for word in re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", inner)]
        if kind == "ALGORITHM":
            names = [name.strip().lower() for name in words[1].split("|")]
            if "ANYP_FORWARDS" not in words[2]:
                names += [backwards for forward, backwards in BACKWARDS if forward in names]
            names += [other for route, other in ROUTES if route in names]
            found[words[0]] = (sorted(names), {})
        elif kind in ("NUMBER", "BYTES"):
            limits = [int(word.replace("INT_MAX", "2147483647")) for word in words[2:4]]
            found[words[0]][1][words[1]] = ("auto", tuple(limits))
        elif kind == "ENUM_AUTO":
            values = words[4].strip('"').split("|")
            found[words[0]][1][words[1]] = (values[int(words[2])], values)
        elif kind == "NETWORK":
            found[words[0]][1]["network"] = ("default", ["default"])
        else:
            values = words[3].strip('"').split("|")
            found[words[0]][1][words[1]] = (values[0], values)
    return found


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        sys.exit("usage: anyp list --json | check_list.py ALGORITHMS.DEF")
    wanted = rows(sys.argv[1])
    listed = {}
    for algorithm in json.load(sys.stdin)["algorithms"]:
        parameters = {}
        for parameter in algorithm["parameters"]:
            values = parameter.get("values") or (
                parameter["minimum"], parameter["maximum"])
            parameters[parameter["name"]] = (parameter["default"], values)
        listed[algorithm["name"]] = (sorted(algorithm["collectives"]), parameters)
    if not wanted or listed != wanted:
        sys.exit(f"anyp list: {listed}\nalgorithms.def: {wanted}")


if __name__ == "__main__":
    main()
