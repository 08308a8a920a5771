#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the examples of documents: in fenced blocks, `$ anyp ...` and the output below it.

A line of three dots means any number of lines, or none. A block of JSON is a decision file,
which `anyp check` must accept. The files of links must exist.
"""
import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def blocks(text):
    """(kind, lines) of each fenced block; the kind follows the opening fence."""
    block = None
    for line in text.splitlines():
        if line.startswith("```"):
            if block is not None:
                yield kind, block
            kind = line[3:]
            block = [] if block is None else None
        elif block is not None:
            block.append(line)


def examples(text):
    """(command, lines of output) of each example."""
    for _, block in blocks(text):
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
    """Whether the lines match the wanted ones"""
    pattern = "".join("(?:.*\n)*" if line == "..." else re.escape(line) + "\n" for line in wanted)
    return re.fullmatch(pattern, "".join(line + "\n" for line in lines)) is not None


def run(command, folder):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                          text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("anyp", help="the tool")
    parser.add_argument("top", type=pathlib.Path,
                        help="folder of the documents; examples run there")
    parser.add_argument("documents", nargs="+")
    options = parser.parse_args()
    anyp = str(pathlib.Path(options.anyp).resolve())
    shown = 0
    failures = 0
    for document in options.documents:
        path = options.top / document
        text = path.read_text(encoding="utf-8")
        for command, wanted in examples(text):
            done = run([anyp, *shlex.split(command)[1:]], options.top)
            shown += 1
            if not fits(done.stdout.splitlines(), wanted):
                failures += 1
                print(f"{document}: $ {command}\nshown:", *wanted, "actual:", done.stdout, sep="\n")
        for kind, lines in blocks(text):
            if kind == "json":
                with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                    file.write("\n".join(lines))
                    file.flush()
                    is_record = any('"anyp-record"' in line for line in lines)
                    done = run([anyp, *(["report", "--output", "-"] if is_record else ["check"]),
                                file.name], options.top)
                if done.returncode:
                    failures += 1
                    print(f"{document}: {done.stdout}", *lines, sep="\n")
        for link in re.findall(r"\]\(([^)#]+)", text):
            if "://" not in link and not (path.parent / link).exists():
                failures += 1
                print(f"{document}: {link} does not exist")
    if not shown:
        print("no examples found")
    return 1 if failures or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
