# SPDX-License-Identifier: BSD-3-Clause
"""graft_plan.py - makes the files of a grafted MPICH tree in memory: from an untouched release or,
for AnyP's own folder, from a grafted tree. Nothing here writes into the tree.
"""
import hashlib
import json
import os
import re

import algorithms as algorithms_def
import graft_texts as generate
import graft_places as table
import mpich_names

CHECKOUT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COPIED = ("schedule", "algorithms", "select", "execute", "node", "mpir")

# Only for programs outside MPICH.
NOT_COPIED = ("select/mpich_table.c",)

HOME = generate.HOME
MAKEFILE = HOME + "Makefile.mk"
RECORD = HOME + "README"  # says which AnyP has grafted the tree, with which lines


class Refused(Exception):
    """The tree cannot be grafted; the text says why."""


class Spoilt(Refused):
    """The tree cannot be grafted any more: the release must be unpacked again."""


def read(top, name):
    """The bytes of a file of the tree, or None."""
    try:
        with open(os.path.join(top, name), "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def version_of(top):
    """Returns (text, table entry) of a tree's MPICH version; Refused if the table lacks it."""
    content = read(top, table.VERSION_FILE)
    match = table.VERSION_LINE.search(content.decode("utf-8", "replace")) if content else None
    if not match:
        raise Refused("%s is not an MPICH source tree: %s is missing or contains no version"
                      % (top, table.VERSION_FILE))
    entry = table.find_version(match.group(1))
    if not entry:
        raise Refused("MPICH %s is not supported yet; supported releases: %s"
                      % (match.group(1), table.known_versions()))
    for name in table.RELEASE_FILES:
        if not os.path.exists(os.path.join(top, name)):
            raise Refused("%s is not an unpacked release: %s is missing; in a git checkout of "
                          "MPICH, run its ./autogen.sh first" % (top, name))
    return match.group(1), entry


def make_plan(top):
    """Returns {path: bytes} of every file that the graft writes itself; of a grafted tree only
    AnyP's own files. Refused if the tree does not fit."""
    version, entry = version_of(top)
    try:
        algorithms = algorithms_def.read()
        names = mpich_names.vocabulary(top)
    except (algorithms_def.Refused, mpich_names.Unknown) as reason:
        raise Refused(str(reason)) from None
    own = own_files(algorithms, names)
    own["README"] = generate.readme(anyp_version(), version, digest(entry, algorithms)).encode()
    plan = {} if is_grafted(top, own["README"]) else changed_files(top, entry, algorithms)
    variables = plan.get(table.VARIABLES) or read(top, table.VARIABLES)
    numbers = generate.numbers(algorithms, variables.decode(), names)
    own["mpich.json"] = mpich_names.as_json({**names, "cvars": numbers}).encode()
    return {**plan, **{HOME + name: content for name, content in own.items()}}


def is_grafted(top, record):
    """Has this AnyP grafted the tree, with these lines? Spoilt if another AnyP has grafted it, or
    the graft is incomplete."""
    there = read(top, RECORD)
    if there is None and os.path.exists(os.path.join(top, HOME)):
        raise Spoilt("a graft of %s failed half way; unpack the release again" % top)
    if there and there != record:
        raise Spoilt("%s is already grafted by %s; unpack the release again"
                     % (top, there.decode("utf-8", "replace").partition(",")[0]))
    return there is not None


def digest(entry, algorithms):
    """Returns a short name for all that a graft changes outside of AnyP's own sources. A tree with
    the same name needs only these sources."""
    lines = [(one, generate.lines_of(one, algorithms)) for one in entry.insertions]
    everything = (lines, entry.replacements, generate.variables(algorithms),
                  generate.makefile([], []))
    return hashlib.sha256(repr(everything).encode()).hexdigest()[:16]


def changed_files(top, entry, algorithms):
    """{path: bytes} of MPICH's own files with AnyP's lines."""
    plan = {}
    for change in (*entry.replacements, *entry.insertions):
        text = plan.get(change.file) or original(top, change.file)
        plan[change.file] = (replaced(text, change) if isinstance(change, table.Replacement)
                             else inserted(text, change, algorithms))
    return {name: text.encode() for name, text in plan.items()}


def original(top, name):
    """The text of a file of the release."""
    content = read(top, name)
    if content is None:
        raise Refused("the file %s is missing in this tree; unpack the release again" % name)
    if b"AnyP: begin" in content:
        raise Spoilt("%s contains lines of AnyP, but %s is missing; unpack the release again"
                     % (name, HOME))
    if b"\r\n" in content:
        raise Refused("%s has CRLF line ends; unpack the release again, without conversion" % name)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as reason:
        raise Refused("%s differs from MPICH's release (%s); unpack the release again"
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


def own_files(algorithms, names):
    """{path below HOME: bytes} of AnyP's sources and what is generated beside them."""
    files = {"include/anyp.h": content_of("include/anyp.h")}
    for folder in COPIED:
        for name in sources_in(os.path.join(CHECKOUT, "src"), folder):
            if name not in NOT_COPIED:
                files[name] = content_of("src/" + name)
    files["select/mpich.def"] = mpich_names.as_definitions(names).encode()
    files["mpir/entries.c"] = generate.entry_functions(
        algorithms, [one["name"] for one in names["algorithms"]]).encode()
    files["cvars.txt"] = generate.variables(algorithms).encode()
    sources = [name for name in files if name.endswith(".c")]
    headers = [name for name in files if name.endswith((".h", ".def"))]
    files["Makefile.mk"] = generate.makefile(sources, headers).encode()
    return files


def sources_in(top, folder):
    """The paths below top of the sources in a folder."""
    return sorted(os.path.relpath(os.path.join(place, name), top)
                  for place, _, names in os.walk(os.path.join(top, folder))
                  for name in names if name.endswith((".c", ".h", ".def")))


def content_of(name):
    """A file of this checkout."""
    return read(CHECKOUT, name)


def anyp_version():
    return re.search(r"^AC_INIT\(\[anyp\], \[(.*?)\]", content_of("configure.ac").decode(),
                     re.MULTILINE).group(1)


def check_generated(top, plan):
    """Checks after the regeneration that MPICH's generators have understood the insertions. Raises
    Spoilt with what is wrong."""
    algorithms = algorithms_def.read()
    header = read(top, "src/include/mpir_cvars.h").decode()
    for name, values in json.loads(plan[HOME + "mpich.json"])["cvars"].items():
        if "extern const char * %s;" % name in header:
            continue
        found = re.search(r"^enum %s_choice \{\n(.*?)\};" % name.replace("MPIR_CVAR_", "", 1),
                          header, re.MULTILINE | re.DOTALL)
        words = re.findall(r"\b%s_(\w+)" % name, found.group(1)) if found else []
        if words != sorted(values, key=values.get):
            raise Spoilt("src/include/mpir_cvars.h numbers the values of %s otherwise: %s"
                         % (name, " ".join(words)))
    dispatch = read(top, "src/mpi/coll/mpir_coll.c").decode()
    prototypes = read(top, "src/mpi/coll/include/coll_algos.h").decode()
    for collective, one in generate.entries(algorithms):
        name = generate.function_name(collective, one)
        if dispatch.count(" %s(" % name) != 2 or prototypes.count("int %s(" % name) != 1:
            raise Spoilt("maint/gen_coll.py did not make the calls of %s" % name)
    if b'"**fail %s"' not in read(top, "src/mpi/errhan/defmsg.h"):
        raise Spoilt("maint/extracterrmsgs did not take the text **fail %s into defmsg.h")
    rules = read(top, "Makefile.in").decode()
    for name in plan:
        if name.startswith(HOME) and name.endswith(".c") and name not in rules:
            raise Spoilt("automake did not take %s into Makefile.in" % name)
