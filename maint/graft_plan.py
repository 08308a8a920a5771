# SPDX-License-Identifier: BSD-3-Clause
"""graft_plan.py - what a grafted MPICH tree looks like, made in memory from the tree's originals.

Nothing here writes into the tree. Refused says why a tree cannot be grafted.
"""
import glob
import json
import os
import re

import algorithms as algorithms_def
import graft_generate as generate
import graft_table as table
import mpich_names
from graft_tree import Refused

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ("schedule", "algorithms", "select", "execute", "mpir")

# Only for programs outside MPICH.
NOT_COPIED = ("select/table.c",)


def version_of(tree):
    """(text, table entry) of a tree's MPICH version; Refused if it is none that the table knows."""
    content = tree.read(table.VERSION_FILE)
    match = table.VERSION_LINE.search(content.decode("utf-8", "replace")) if content else None
    if not match:
        raise Refused("%s is no MPICH source tree: %s is missing or names no version"
                      % (tree.top, table.VERSION_FILE))
    entry = table.find_version(match.group(1))
    if not entry:
        raise Refused("MPICH %s is not supported yet: AnyP's lines are known to fit %s"
                      % (match.group(1), table.known_versions()))
    for name in entry.release_files:
        if tree.original(name) is None:
            raise Refused("%s is not an unpacked release: %s is missing; in a git checkout of "
                          "MPICH run its ./autogen.sh first" % (tree.top, name))
    return match.group(1), entry


def make_plan(tree):
    """{path: bytes} of every file that the graft writes itself. Refused if it does not fit."""
    version, entry = version_of(tree)
    try:
        algorithms = algorithms_def.read()
        names = mpich_names.vocabulary(tree.top)
    except (algorithms_def.Refused, mpich_names.Unknown) as reason:
        raise Refused(str(reason)) from None
    plan = own_files(algorithms, version, names)
    for change in entry.replacements:
        plan[change.file] = replaced(text_of(tree, plan, change.file), change).encode()
    for insertion in entry.insertions:
        text = text_of(tree, plan, insertion.file)
        plan[insertion.file] = inserted(text, insertion, algorithms).encode()
    numbers = generate.numbers(algorithms, plan[table.COLL + "cvars.txt"].decode(), names)
    plan[generate.HOME + "mpich.json"] = mpich_names.as_json({**names, "cvars": numbers}).encode()
    return plan


def text_of(tree, plan, name):
    """A file of MPICH as planned so far."""
    content = plan.get(name)
    if content is None:
        content = tree.original(name)
    if content is None:
        raise Refused("%s is missing in this tree" % name)
    if name not in plan and b"AnyP: begin" in content:
        raise Refused("%s has lines of AnyP, but the folder .anyp that records them is missing: "
                      "unpack MPICH's source again" % name)
    if b"\r\n" in content:
        raise Refused("%s has CRLF line ends: unpack MPICH's source again, without translation"
                      % name)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as reason:
        raise Refused("%s is not what MPICH's release has (%s): unpack it again"
                      % (name, reason)) from None


def part(text, insertion):
    """(begin, end) of the part of a file in which an insertion's anchor is looked for."""
    if not insertion.within:
        return 0, len(text)
    heads = list(re.finditer(insertion.within, text, re.MULTILINE))
    if len(heads) != 1:
        raise Refused("%s: expected one line like %s, found %d"
                      % (insertion.file, insertion.within, len(heads)))
    begin = heads[0].end()
    end = re.compile(r"^(\}|def )", re.MULTILINE).search(text, begin)
    return begin, end.start() if end else len(text)


def inserted(text, insertion, algorithms):
    """The text with one insertion."""
    begin, end = part(text, insertion)
    anchors = list(re.compile(insertion.anchor, re.MULTILINE).finditer(text, begin, end))
    if len(anchors) != 1:
        raise Refused("%s: expected one place like %s, found %d"
                      % (insertion.file, insertion.anchor.replace("\n", "\\n"), len(anchors)))
    lines = generate.lines_of(insertion, algorithms)
    at = anchors[0].start() if insertion.where == "before" else anchors[0].end()
    return text[:at] + generate.marked(insertion.file, lines) + text[at:]


def replaced(text, change):
    """The text with one replacement."""
    text, found = re.subn(change.old, change.new, text)
    if found != change.times:
        raise Refused("%s: expected %d places like %s, found %d"
                      % (change.file, change.times, change.old, found))
    return text


def own_files(algorithms, version, names):
    """The files below generate.HOME but mpich.json."""
    files = {"include/anyp.h": content_of(os.path.join("include", "anyp.h"))}
    for folder in COPIED:
        for ending in ("c", "h", "def"):
            found = glob.glob(os.path.join(CHECKOUT, "src", folder, "**", "*." + ending),
                              recursive=True)
            for path in sorted(found):
                name = os.path.relpath(path, os.path.join(CHECKOUT, "src"))
                if name not in NOT_COPIED:
                    files[name] = content_of(os.path.join("src", name))
    files["select/mpich.def"] = mpich_names.as_definitions(names).encode()
    files["mpir/entries.c"] = generate.entry_functions(algorithms).encode()
    files["cvars.txt"] = generate.variables(algorithms).encode()
    files["README"] = generate.readme(version).encode()
    sources = [name for name in files if name.endswith(".c")]
    headers = [name for name in files if name.endswith((".h", ".def"))]
    files["Makefile.mk"] = generate.makefile(sources, headers).encode()
    return {generate.HOME + name: content for name, content in files.items()}


def content_of(name):
    """A file of this checkout."""
    with open(os.path.join(CHECKOUT, name), "rb") as file:
        return file.read()


def check_generated(tree):
    """After the regeneration: MPICH's generators must have understood the insertions. Raises
    Refused with what is wrong."""
    algorithms = algorithms_def.read()
    header = tree.read("src/include/mpir_cvars.h").decode()
    numbers = json.loads(tree.read(generate.HOME + "mpich.json"))["cvars"]
    for name, values in numbers.items():
        if "extern const char * %s;" % name in header:
            continue
        found = re.search(r"^enum %s_choice \{\n(.*?)\};" % name.replace("MPIR_CVAR_", "", 1),
                          header, re.MULTILINE | re.DOTALL)
        words = re.findall(r"\b%s_(\w+)" % name, found.group(1)) if found else []
        if words != sorted(values, key=values.get):
            raise Refused("src/include/mpir_cvars.h numbers the values of %s otherwise: %s"
                          % (name, " ".join(words)))
    dispatch = tree.read("src/mpi/coll/mpir_coll.c").decode()
    prototypes = tree.read("src/mpi/coll/include/coll_algos.h").decode()
    for collective, one in generate.entries(algorithms):
        name = generate.function_name(collective, one)
        if dispatch.count(" %s(" % name) != 2 or prototypes.count("int %s(" % name) != 1:
            raise Refused("maint/gen_coll.py did not make the calls of %s" % name)
    rules = tree.read("Makefile.in").decode()
    for name in tree.written:
        if name.startswith(generate.HOME) and name.endswith(".c") and name not in rules:
            raise Refused("automake did not take %s into Makefile.in" % name)
