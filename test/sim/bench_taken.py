# SPDX-License-Identifier: BSD-3-Clause
"""bench_taken - takes times of peers and of SMPI's single algorithms from earlier data.

The times are exact, and measuring them takes hours. Earlier times are used under two conditions:
- the head of the data contains the same settings;
- a sample, all cells with the minimum number of processes in the data, is measured again with
  exactly the same times.
"""
import dataclasses
import pathlib
import re

import cells

# Lines of the head that must be the same
SETTINGS = ["network", "overhead", "times", "reduce", "root", "blocks", "scans", "pairs", "peers"]
KINDS = ("peer:", "single:")
# The note of a single algorithm that the data do not have, since another one was faster
SLOWER = "slower"


class Differs(Exception):
    """Nothing is taken; the message says why."""


def value(line, key):
    """The text after a word in a line; None if the word is missing"""
    found = re.search(rf"\b{key} ([^;]*)", line or "")
    return found and found[1]


def read(source, head):
    """{(collective, operator, p, bytes): cell}"""
    try:
        data = cells.read(pathlib.Path(source))
    except (cells.DataError, OSError, UnicodeDecodeError) as error:
        raise Differs(error) from None
    if not data:
        raise Differs("there is no such file")
    now = dict(line.split(": ", 1) for line in head)
    for key in SETTINGS:
        if data.value(key) != now.get(key, ""):
            raise Differs(f"its line '{key}' says '{data.value(key)}', not '{now.get(key, '')}'")
    old, new = value(data.value("versions"), "SimGrid"), value(now["versions"], "SimGrid")
    if old != new or new in (None, "unknown"):
        raise Differs(f"it is of SimGrid {old}, but this is {new}")
    return {(cell.collective, cell.operator, cell.p, cell.bytes): cell for cell in data.cells}


def known(run, data):
    """{(WHAT, bytes): (microseconds or None, note)} of a run's cells in the data, without those
    that other limits have left out."""
    found = {}
    limits = [f"more than {run.limit} s of", f"more than {run.maximum_memory >> 20} MiB for"]
    for what, size in run.cells:
        who = run.who[what] if what in run.who else ""
        cell = data.get((what, run.operator, run.p, size))
        if not cell or not who.startswith(KINDS):
            continue
        why, reason = cell.lost.get(who, ("", ""))
        if who in cell.times:
            found[what, size] = cell.time(who), cell.times[who].what
        elif who.startswith("single:") and not why and cell.best("single"):
            found[what, size] = None, SLOWER
        elif why in ("wrong", "crashed") or any(reason.startswith(limit) for limit in limits):
            found[what, size] = None, f"{why}: {reason}" if reason else why
    return found


def compare(run, found):
    """Raises Differs if the measured times are not those of the data. (A single algorithm that
    corrupts memory may crash in one run, and give wrong results in another.)"""
    for cell, (time, note) in found.items():
        now, now_note = run.results[cell]
        what, size = cell
        if note == SLOWER:
            continue
        if not (f"{time:.4f}" == f"{now:.4f}" if time and now else
                note == now_note or run.who[what].startswith("single:")):
            raise Differs(f"{run.who[what]} {what} {run.operator} p={run.p} {size} bytes: it says "
                          f"{time or note}, but now it is {now or now_note}")


def measure_and_take(wanted, measure, source, head):
    """Returns the wanted runs with their results; measure(runs) executes runs. Raises Differs if
    nothing can be taken."""
    data = read(source, head)
    found = [(run, known(run, data)) for run in wanted]
    minimum_p = min((run.p for run, old in found if old), default=None)
    sample = [(dataclasses.replace(run, optional=False), old) for run, old in found
              if run.p == minimum_p and old]
    again = measure([run for run, _ in sample])
    for run, old in sample:
        compare(run, old)
    taken, rest = [], []
    for run, old in found:
        if run.p == minimum_p and old:
            continue
        if old:
            taken.append(dataclasses.replace(run, cells=list(old), results=old))
        missing = [cell for cell in run.cells if cell not in old]
        if missing:
            rest.append(dataclasses.replace(run, cells=missing, results={}))
    number = sum(len(run.cells) for run in taken)
    print(f"bench: {number} times are taken from {source}", flush=True)
    return again + taken + measure(rest)
