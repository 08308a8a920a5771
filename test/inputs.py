#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tables of test inputs: many small files in one that an editor can show.

Usage: test/inputs.py TABLE FOLDER [PREFIX]     writes the inputs into files of FOLDER
       test/inputs.py --add TABLE NAME FILE     adds the content of FILE to TABLE

With PREFIX, only inputs whose names begin with PREFIX/ are written, without it.

A line of a name begins an input. Behind the name there may be the releases of MPICH that it is
for: from-4.2, or before-5.0. In the lines below,

    > text      is a line of the input
    $ text      is a part of the input without an end of line; \\xHH in it is a byte
    = text      is the message that is expected

Empty lines and lines that begin with # are comments.
"""
import pathlib
import re
import sys


class Input:
    def __init__(self, name, releases=""):
        self.name, self.releases, self.data, self.message = name, releases, b"", ""


def is_for(releases, release):
    """Is this release of MPICH one of from-4.2 or before-5.0? All are if there is no such word."""
    if releases.startswith("from-"):
        return numbers(release) >= numbers(releases)
    return not releases or numbers(release) < numbers(releases)


def numbers(text):
    """(5, 0) from the name of a release, or of a range of releases."""
    return tuple(int(number) for number in re.findall(r"[0-9]+", text)[:2])


def read(table):
    """The inputs of a table."""
    inputs = []
    for line in pathlib.Path(table).read_text(encoding="utf-8").split("\n"):
        kind, text = line[:2], line[2:]
        if kind == "> ":
            inputs[-1].data += text.encode() + b"\n"
        elif kind == "$ ":
            inputs[-1].data += re.sub(rb"\\x(..)", lambda byte: bytes.fromhex(byte[1].decode()),
                                      text.encode())
        elif kind == "= ":
            inputs[-1].message = text
        elif line and not line.startswith("#"):
            inputs.append(Input(*line.split()))
    return inputs


def write(inputs, folder):
    """Writes each input into a file; returns the files."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for one in inputs:
        (folder / one.name).write_bytes(one.data)
    return [folder / one.name for one in inputs]


def lines_of(data):
    """The lines of a table for an input."""
    lines = []
    for line in data.splitlines(keepends=True):
        if re.fullmatch(rb"([ -~]*[!-~])?\n", line):
            lines.append("> " + line[:-1].decode())
            continue
        part = ""
        for byte in line:
            part += chr(byte) if 32 <= byte < 127 and byte != 92 else f"\\x{byte:02x}"
            if len(part) > 92 and byte != 32:
                lines.append("$ " + part)
                part = ""
        if part:
            lines.append("$ " + re.sub(" $", r"\\x20", part))
    return lines


def add(table, name, file):
    if not re.fullmatch(r"[\w./-]+", name) or any(one.name == name for one in read(table)):
        sys.exit(f"inputs.py: {table} already has {name}, or this is no name; give another one")
    data = pathlib.Path(file).read_bytes()
    with open(table, "a", encoding="utf-8") as out:
        out.write("\n".join(["", name, *lines_of(data), ""]))


def main(arguments):
    if arguments[:1] == ["--add"] and len(arguments) == 4:
        add(*arguments[1:])
    elif len(arguments) in (2, 3) and not arguments[0].startswith("-"):
        inputs = read(arguments[0])
        if len(arguments) == 3:
            prefix = arguments[2] + "/"
            inputs = [one for one in inputs if one.name.startswith(prefix)]
            for one in inputs:
                one.name = one.name[len(prefix):]
        write(inputs, arguments[1])
    else:
        print(__doc__.strip())
        sys.exit(0 if arguments == ["--help"] else 2)


if __name__ == "__main__":
    main(sys.argv[1:])
