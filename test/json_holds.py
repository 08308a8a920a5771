#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""json_holds.py FILE STATEMENTS - for test/lib.sh: is an expression true for the JSON in a file?

Reads Python expressions, one in each line, in which `it` is what FILE contains at that moment.
Before each expression the statements are executed, which may be empty. Answers each with a line:
"yes", or what is wrong.
"""
import json
import sys


def answer(expression):
    names = {"json": json}
    try:
        with open(FILE, encoding="utf-8") as file:
            names["it"] = json.load(file)
    except ValueError as error:
        return "no JSON, %s" % error
    try:
        exec(STATEMENTS, names)
        return "yes" if eval("(%s)" % expression, names) else "false"
    except Exception as error:      # of any kind: it is the expression's
        return "%s, %s" % (type(error).__name__, error)


FILE, STATEMENTS = sys.argv[1:]
for line in sys.stdin:
    print(answer(line.rstrip("\n")).replace("\n", " "), flush=True)
