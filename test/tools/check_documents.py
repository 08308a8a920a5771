#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs what documents show: in fenced blocks, `$ anyp ...` and the output below it.

A line of three dots stands for any number of lines, none included.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys


def blocks(text):
    """The lines of each fenced block."""
    block = None
    for line in text.splitlines():
        if line.startswith("```"):
            if block is not None:
                yield block
            block = [] if block is None else None
        elif block is not None:
            block.append(line)


def examples(text):
    """(command, lines of output) of each example."""
    for block in blocks(text):
        command = None
        for line in block + ["$ "]:
            if line.startswith("$ "):
                if command and command.startswith("anyp "):
                    yield command, output
                command = line[2:]
                output = []
            elif command is not None:
                output.append(line)


def fits(lines, wanted):
    """Do the lines match the wanted ones?"""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("anyp", help="the tool")
    parser.add_argument("top", type=pathlib.Path,
                        help="where the documents lie; examples run there")
    parser.add_argument("documents", nargs="+")
    options = parser.parse_args()
    anyp = str(pathlib.Path(options.anyp).resolve())
    shown = 0
    failures = 0
    for document in options.documents:
        text = (options.top / document).read_text(encoding="utf-8")
        for command, wanted in examples(text):
            done = subprocess.run([anyp, *shlex.split(command)[1:]], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, cwd=options.top, text=True, check=False)
            shown += 1
            if not fits(done.stdout.splitlines(), wanted):
                failures += 1
                print(f"{document}: $ {command}\nshown:", *wanted, "real:", done.stdout, sep="\n")
    if not shown:
        print("no examples found")
    return 1 if failures or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
