# SPDX-License-Identifier: BSD-3-Clause
"""Reads the data files of the benches strictly into cells. data/FORMAT.md describes the format."""
import math
import re

CELL = ["collective", "operator", "p", "bytes"]
TIME = ["who", "microseconds", "low", "high", "what"]
COLUMNS = ",".join([*CELL, ";".join(TIME)])     # the first line; a row has a TIME for each who
MOVES = ["bcast", "allgather", "alltoall", "gather", "scatter"]    # these have no operator
SCANS = ["scan", "exscan", "barrier"]
# With a shape: how blocks differ in size (src/analysis/uneven.h)
UNEVEN = [*(f"reduce_scatter@{shape}" for shape in ("one", "half", "powers", "linear")),
          "allgatherv@half"]
# With the sizes of all pairs of ranks (src/analysis/sizes.h); the bytes of a cell are their mean
PAIRS = [f"{collective}@{kind}" for collective in ("alltoallv", "gatherv", "scatterv")
         for kind in ("even", "uniform", "powers", "sparse")]
COLLECTIVES = ["allreduce", "reduce", "reduce_scatter_block", "reduce_scatter", *MOVES, *UNEVEN,
               *SCANS, *PAIRS]
OPERATORS = ["sum", "matrix"]
NONE = "none"                   # the operator of MOVES, PAIRS, allgatherv and barrier
# Keys of head lines that name cells without a time: "WHO COLLECTIVE p=P P: BYTES BYTES; p=...
# bytes: REASON"; an operator other than sum follows the collective.
LOST = ["left out", "crashed", "wrong"]
WHO = re.compile(r"bound|anyp|(peer|single|anyp):[^,]+|ratio:anyp(:[^,]+)?")


class DataError(Exception):
    """A data file that cannot be used; the text says where and why."""


class Procs(int):
    """Processes on nodes: "13x8", "12x8;3", "12x8:cyclic"; "13" becomes the int. Parentheses are
    switches: "fat-tree/2x(16x1);(13x1)" has 16, 16 and 13 nodes at three switches of a network;
    ":random" gives the nodes a random order."""

    def __new__(cls, text):
        if str(text).isdigit():
            return int(text)
        parts = re.fullmatch(r"(?:([a-z-]+)/)?([^:/]+)(?::(cyclic|random))?",
                             text.replace(";", ","))
        if not parts:
            raise ValueError
        network, flat, order = parts.groups()
        nodes = flat
        while "(" in flat:      # the innermost switches, without those around them
            flat, found = re.subn(r"(?:(\d+)x)?\(([^()]+)\)",
                                  lambda of: ",".join([of[2]] * int(of[1] or 1)), flat)
            if not found:
                raise ValueError
        if not re.fullmatch(r"\d+(x\d+)?(,\d+(x\d+)?)*", flat):
            raise ValueError
        sizes = [size for *count, size in ([int(number) for number in part.split("x")]
                                           for part in flat.split(","))
                 for _ in range(*count or [1])]
        made = super().__new__(cls, sum(sizes))
        made.text, made.network, made.random = text.replace(";", ","), network, order == "random"
        made.nodes = nodes + ":cyclic" * (order == "cyclic")    # as for test/sim/launch
        made.sizes = sizes      # of nodes
        made.count = len(sizes)
        return made

    def __str__(self):
        return self.text

    def __format__(self, how):
        return format(self.text, how)

    def key(self):
        return int(self), self.text

    def __eq__(self, other):
        return isinstance(other, Procs) and self.key() == other.key()

    def __ne__(self, other):
        return not self == other

    def __lt__(self, other):
        return self.key() < other.key() if isinstance(other, Procs) else int(self) < other

    def __hash__(self):
        return hash(self.key())


def operators_of(collective):
    """Those that the data of a collective can have; head lines leave out the first."""
    none = [*MOVES, *PAIRS, "barrier"]
    return [NONE] if collective in none or collective.startswith("allgatherv@") else OPERATORS


def ports_of(p):
    """How many ports processes have: each its own, or one for each node."""
    return p.count if isinstance(p, Procs) else p


class Time:
    """Microseconds, or a ratio; low and high are None if it is exact."""

    def __init__(self, value, low, high, what):
        self.value, self.low, self.high, self.what = value, low, high, what


class Cell:
    def __init__(self, collective, operator, p, size):
        self.collective, self.operator, self.p, self.bytes = collective, operator, p, size
        self.times = {}
        self.lost = {}          # who: (why it has no time, one of LOST; the reason, or "")

    @property
    def power(self):
        """p is a power of two"""
        return self.p & (self.p - 1) == 0

    def time(self, who):
        """None if it was not measured"""
        found = self.times.get(who)
        return found.value if found else None

    def named(self, kind):
        """{NAME: microseconds} of all kind:NAME"""
        return {who.split(":", 1)[1]: time.value for who, time in self.times.items()
                if who.startswith(kind + ":")}

    def best(self, kind):
        """(microseconds, NAME) of the fastest kind:NAME; None if there is none."""
        return min(((value, name) for name, value in self.named(kind).items()), default=None)

    def over_anyp(self, kind, name=None):
        """The time of the fastest kind:NAME, or of the named one, divided by AnyP's; or None."""
        value = self.named(kind).get(name) if name else (self.best(kind) or (None,))[0]
        return value / self.times["anyp"].value if value and "anyp" in self.times else None

    def over_anyp_in(self, form):
        """The ratio of a form ("persistent") of a call, of the library's own and AnyP's; or None"""
        ratio = self.times.get("ratio:anyp:" + form)
        return ratio.value if ratio else None

    def hindsight(self):
        """(microseconds, NAME) of the fastest of peers' choices and all single algorithms; None
        if one of the two kinds was not measured."""
        both = [self.best("peer"), self.best("single")]
        return None if None in both else min(both)

    def over_hindsight(self):
        """That time divided by AnyP's, or None"""
        best = self.hindsight()
        return best[0] / self.times["anyp"].value if best and "anyp" in self.times else None

    def all_measured(self, kind):
        """None of the kind was left out. (Those that crashed or were wrong are no rivals.)"""
        return not any(who.startswith(kind + ":") and why == "left out"
                       for who, (why, _) in self.lost.items())

    def over_bound(self):
        """AnyP's time divided by the bound's, or None"""
        if "anyp" in self.times and "bound" in self.times:
            return self.times["anyp"].value / self.times["bound"].value
        return None

    def __str__(self):
        operator = " non-commutative" if self.operator == "matrix" else ""
        return f"{self.collective}{operator} p={self.p} {size_text(self.bytes)}"


class Data:
    """One file. head: [(key, value)]; cells in the order p, bytes."""

    def __init__(self, head, cells):
        self.head = head
        self.cells = sorted(cells, key=lambda c: (
            COLLECTIVES.index(c.collective), [*OPERATORS, NONE].index(c.operator), c.p, c.bytes))

    def value(self, key, otherwise=""):
        return next((value for name, value in self.head if name == key), otherwise)

    def select(self, collective=None, operator="sum", test=lambda cell: True):
        return [c for c in self.cells if collective in (None, c.collective) and
                operator in (None, c.operator) and test(c)]

    def peers(self):
        """The names of the peers, in the order of the file."""
        names = {}
        for cell in self.cells:
            names.update(cell.named("peer"))
        return list(names)


def is_tuna(name):
    """Of a single algorithm: one of TuNA's, which no library has (test/sim/pair_peers.c)"""
    return name.startswith(("radix=", "layers="))


def without_slower_singles(rows):
    """Of rows (collective, operator, p, bytes, who, time, ...) those that a data file keeps: of the
    single algorithms in a cell only the fastest, and the fastest of TuNA's."""
    fastest = {}
    for row in rows:
        kind, _, name = row[4].partition(":")
        if kind == "single":
            key = *row[:4], is_tuna(name)
            if row[5] < fastest.get(key, row)[5] or key not in fastest:
                fastest[key] = row
    kept = {id(row) for row in fastest.values()}
    return [row for row in rows if not row[4].startswith("single:") or id(row) in kept]


def lines(rows):
    """The lines of a data file after its head. rows: (collective, operator, p, bytes, who, time,
    low, high, what) as text, in order; fields at the end may be left out."""
    cells = {}
    for row in rows:
        cell, time = ",".join(row[:len(CELL)]), ";".join(row[len(CELL):]).rstrip(";")
        cells[cell] = f"{cells.get(cell, cell)},{time}"
    return [COLUMNS, *cells.values()]


def size_text(size):
    """8 B, 64 KiB, ..."""
    for unit, name in (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"):
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def mean(ratios):
    """geometric"""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def parse_number(text, what, kind=float):
    try:
        number = kind(text)
    except ValueError:
        raise DataError(f"{what} is '{text}', which is no number") from None
    if not (number > 0 and math.isfinite(number)):
        raise DataError(f"{what} is {text}, but must be above 0")
    return number


def parse_bytes(text, collective):
    """A barrier has none."""
    if collective == "barrier" and text == "0":
        return 0
    return parse_number(text, "bytes", int)


def parse_row(line, cells):
    """Reads a cell and its times"""
    fields = line.split(",")
    if len(fields) <= len(CELL):
        raise DataError(f"{len(fields)} fields instead of {len(CELL)} and the times")
    collective, operator, p, size, *times = fields
    if collective not in COLLECTIVES:
        raise DataError(f"'{collective}' is no collective; there are {', '.join(COLLECTIVES)}")
    there = operators_of(collective)
    if operator not in there:
        raise DataError(f"'{operator}' is no operator of {collective}; there are "
                        + ", ".join(there))
    key = collective, operator, parse_number(p, "p", Procs), parse_bytes(size, collective)
    if key in cells:
        raise DataError(f"a second row of {cells[key]}")
    cells[key] = Cell(*key)
    for time in times:
        parse_time(time, cells[key])


def parse_time(text, cell):
    who, *rest = text.split(";", len(TIME) - 1)
    value, low, high, ran = rest + [""] * (len(TIME) - 1 - len(rest))
    if not WHO.fullmatch(who):
        raise DataError(f"'{who}' is none of bound, anyp, peer:NAME, single:NAME, anyp:NAME, "
                        "ratio:WHO")
    if who in cell.times:
        raise DataError(f"a second time of {who} for {cell}")
    if (low == "") != (high == ""):
        raise DataError("low and high: both or none")
    value = parse_number(value, "microseconds")
    ends = [parse_number(end, what) if end else None
            for end, what in ((low, "low"), (high, "high"))]
    if low and not ends[0] <= value <= ends[1]:
        raise DataError(f"{value} is not between low {low} and high {high}")
    cell.times[who] = Time(value, *ends, ran)


def mark_lost(head, cells):
    """Reads the head lines of cells without a time"""
    for why, value in head:
        found = re.match(r"(.+?) ([\w@]+)(?: (\w+))? (p=.*?) bytes:? ?(.*)", value) \
            if why in LOST else None
        if not found or found[2] not in COLLECTIVES or \
                found[3] not in (None, *operators_of(found[2])):
            continue
        for procs, sizes in re.findall(r"p=((?:[\w;()/-]+(?::[a-z]+)? ?)+): ([\d ]+)", found[4]):
            for p in procs.split():
                for size in sizes.split():
                    key = found[2], found[3] or operators_of(found[2])[0], \
                        parse_number(p, "p", Procs), int(size)
                    cells.setdefault(key, Cell(*key)).lost[found[1]] = why, found[5]


def parse(text, name):
    """Data; DataError names the line."""
    head, cells, columns = [], {}, False
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("#") and not columns:
                key, colon, value = line[1:].partition(":")
                if not colon:
                    raise DataError("not '# key: value'")
                head.append((key.strip(), value.strip()))
            elif not columns:
                if line != COLUMNS:
                    raise DataError("the names of the columns must be here: " + COLUMNS)
                columns = True
            else:
                parse_row(line, cells)
        except DataError as error:
            raise DataError(f"{name}:{number}: {error}") from None
    if not cells:
        raise DataError(f"{name}: no rows; run its bench again")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", dict(head).get("date", "")):
        raise DataError(f"{name}: no line '# date: YYYY-MM-DD'")
    mark_lost(head, cells)
    return Data(head, cells.values())


def read(path):
    """None if there is no such file."""
    if not path.exists():
        return None
    return parse(path.read_text(encoding="utf-8"), path.name)
