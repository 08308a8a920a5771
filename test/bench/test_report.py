#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Tests test/bench/report on synthetic data with known verdicts; that no bench chooses a reference
algorithm; and that README.md has the numbers of the data."""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "maint")]
sys.dont_write_bytecode = True

import algorithms  # noqa: E402
import cells  # noqa: E402
import tap  # noqa: E402
import targets  # noqa: E402

HEAD = "# date: 2001-02-03\n# command: made up\n"
MATRIX = "allreduce, p no power of two, matrix product: best peer / AnyP"
results = tap.Results()


def holds(condition, what):
    results.ok(what.splitlines()[0][:100], condition, what)


def report(folder, *more):
    return subprocess.run([sys.executable, str(HERE / "report"), "--data", str(folder), "--output",
                           str(folder), *more], capture_output=True, text=True, check=False)


def cells_of(folder, name):
    """What --cells prints."""
    return report(folder, "--cells", name).stdout


def page_of(folder):
    return (folder / "RESULTS.md").read_text(encoding="utf-8")


def times(name, cell, ratio):
    """{who: microseconds} of a cell in which every measure gives this ratio; AnyP takes 10, or what
    gives this ratio to the prototype"""
    ours = targets.SHAPES_PROTOTYPE.get(cell.p, 10 * ratio) / ratio
    peers = ["free"] if name.endswith("-reproducible") else \
        ["tuned"] if re.search("-(untuned|between)", name) else \
        ["mpich", "ompi", "mvapich2"] if name.startswith("sim-") else ["mpich"]
    singles = ["linear", "radix=4"] if name.endswith("-pairs") else \
        [] if cell.operator == "matrix" and name.startswith("sim-") else ["lr"]
    found = {"anyp": ours, "bound": ours / ratio}
    found.update({f"peer:{peer}": ours * ratio for peer in peers})
    found.update({f"single:{single}": ours * ratio for single in singles})
    if name.endswith("-pairs"):
        found["anyp:first"] = ours
    if name.endswith("forms"):
        for form in "blocking", "nonblocking", "persistent":
            found.update({f"anyp:{form}": ours, f"peer:{form}": ours * ratio})
    if name.endswith("forms") or name.startswith("node-"):
        found.update({f"ratio:anyp{of}": ratio for of in (
            "", ":best", ":blocking", ":nonblocking", ":persistent", ":overlap",
            ":nonblocking/blocking", ":persistent/blocking", ":memory/messages")})
    return found


def plan_of(name):
    """The cells of a bench: those planned, or those that were measured"""
    return targets.PLANS.get(name) or cells.read(HERE / "data" / f"{name}.csv").cells


def rows(name, ratio, change=lambda cell, found: None):
    """Cells with the times of times(), after change(cell, times)"""
    made = []
    for cell in plan_of(name):
        found = times(name, cell, ratio)
        change(cell, found)
        key = cell.collective, cell.operator, str(cell.p).replace(",", ";"), str(cell.bytes)
        made += [(*key, who, f"{time:.6f}") for who, time in found.items()]
    return made


def write(folder, name, made, head=HEAD):
    """made: the result of rows()"""
    text = head + "\n".join(cells.lines(made)) + "\n"
    (folder / f"{name}.csv").write_text(text, encoding="utf-8")


def verdicts(folder, name):
    """{text: status} as the report prints them"""
    found = re.findall(rf"^{name}: (met so far|met|missed[^:]*|not measured): (.*): [^:]*, wanted",
                       report(folder).stdout, re.M)
    return {text: status for status, text in found}


def every_target(_):
    """Each is met or missed by a hair, in its own cells; all others are the opposite."""
    for name, table in targets.TARGETS.items():
        wrong = []
        for target in table:
            words, *_, how, wanted = target
            among = targets.belongs(words)
            for good in True, False:
                made, inside = [], 0
                for of in plan_of(name):
                    cell = cells.Cell(of.collective, of.operator, of.p, of.bytes)
                    # one bad cell is enough unless it is a mean
                    bad = not good and (not inside or how in (targets.MEAN, targets.MOST)) \
                        if among(cell) else good
                    inside += among(cell)
                    hair = 0.999 if bad != (how == targets.MOST) else 1.001
                    cell.times = {who: cells.Time(time, None, None, "") for who, time in times(
                        name, cell, (wanted or 1) * hair).items()}
                    if how == targets.RIGHT and bad:
                        cell.lost["anyp"] = "wrong", ""
                    made.append(cell)
                got = targets.judge(target, cells.Data([], made), made)
                if got.cells != f"{inside}" or got.status != (
                        targets.MET if good else "missed by 0.1 %" if how in (
                            targets.MEAN, targets.MOST) else f"missed in 1 {ONE[how]}"):
                    wrong.append((got.text, good, inside, got.status, got.cells))
        holds(not wrong, f"{name}: {len(table)} targets {wrong}")
    holds(sum(map(len, targets.TARGETS.values())) == 217, "217 targets")


# How many cells some targets are about, counted by hand
COUNTS = {
    "sim-flat": [
        (90, "64 KiB and more: best peer / AnyP"), (23, "8 B: best peer / AnyP"),
        (36, "p ≤ 100: AnyP / bound, 1 MiB and more"), (187, "reduce: best peer"),
        (8, "p > 100: AnyP / bound, 1 MiB and more"), (748, "every cell: best"),
        (159, "block, p no power of two: mpich selector / AnyP"),
        (46, "two, 1 to 8 KiB, sum: best"), (23, "64 KiB, matrix product: best"),
        (67, "256 KiB and more, matrix product: best peer / AnyP"),
        (90, "reduce, p no power of two, 64 KiB and more, matrix product: best"),
        (159, "allreduce, p no power of two, matrix product: best peer / AnyP"),
        (28, "allreduce, powers of two, matrix product: best peer / AnyP"),
        (8, "from 16 on, 1 to 8 KiB, matrix product: best peer / AnyP"),
        (2, "allreduce, p = 1000, 1 KiB and 8 KiB, matrix product: best"),
        (42, "1 MiB and more, matrix product: AnyP / bound"), (1496, "every cell: AnyP's results")],
    "sim-nodes": [(56, "every cell, ranks round robin")],
    "sim-flat-moves": [
        (63, "bcast up to 8 KiB, p"), (21, "bcast of 64 KiB, p"), (126, "scatter, p"),
        (42, "allgather of 256 KiB and more in all, p"), (738, "every cell: best peer / AnyP")],
    "sim-nodes-moves": [(24, "bcast, 64 KiB and more: best")],
    "sim-flat-scans": [
        (72, "scan and exscan, up to 8 KiB: mpich"), (12, ".* p = 100: ompi"),
        (24, ".* 1 MiB: best peer"), (16, ".* 8 MiB: best peer"),
        (8, ".* 8 MiB: best chain of segments"), (6, "barrier: best peer"),
        (142, "every cell: AnyP's results")]}
ONE = {targets.EACH: "cell", targets.RIGHT: "cells"}
# What is printed of each table and of the page, if AnyP takes 10 and all others 26
ROWS = {
    "sim-flat": "| 3 | 8 B | 26 | 26 | 26 | 10 | – | 3.846 | 2.60 | 2.60 | 26 | lr | 2.60 |",
    "sim-nodes": "| 12x8,3 | 8 B | 26 | 26 | 26 | 10 | – | 3.846 | 2.60 | 2.60 | 26 | lr |",
    "sim-flat-moves": "## bcast: 150 cells, times",
    "sim-flat-scans": "| 7 | 0 B | 26 | 26 | 26 | 10 | – | 3.846 | 2.60 | 2.60 | 26 |",
    "sim-flat-uneven": "## reduce_scatter@one, operator that does not commute: 16 cells",
    "netlab": "| 11 | 8 B | 26 | 10 | – | 3.846 | 2.60 | 2.60 | 26 | lr | 2.60 | 2.60 |",
    "netlab-nodes": "| 5x4,2 | 1 MiB | 26 |",
    "netlab-forms": "| 13 | 1 MiB |  | 26 | 10 | 2.6 | 26 | 10 | 2.6 | 2.6 |",
    "node-mpich": "| 2 | 64 B | 26 | 10 | the library's | 2.6 | – | – | 2.6 | – | 2.6 |"}
PAGE = [
    "2001-02-03", "- **Simulated, flat network**: ", "AnyP: 2.600 (≥ 1.60); ",
    "\n| dragonfly/(8x8),(5x8) | 186 / 72 / 28 |", "| 45 |" + " 2.60 / 2.60 / 1.50 |" * 7,
    "| reduce_scatter@half non-commutative | 2.60 | 2.60: p=7 64 KiB | 2.60 | 2.60: p=7 64 KiB |",
    *(f"(pictures/{name}.svg)" for name in (
        "sim-flat-map-non-commutative", "sim-flat-allreduce-non-commutative", "sim-flat-moves-map",
        "sim-nodes-moves-map", "netlab-5.0-allreduce", "node-mpich"))]


def whole_page(folder):
    """Data of all benches, in which AnyP is 2.6 times as fast"""
    good = report(folder).returncode == 0
    page = page_of(folder)
    holds(good and "`netlab-5.0` | **not measured**" in page and "make bench-netlab" in page,
          "RESULTS.md says what was not measured")
    def first_is_slower(_, found):
        if "anyp:first" in found:
            found["anyp:first"] *= 1.5
    for name in targets.TARGETS:
        write(folder, name, rows(name, 2.6, first_is_slower))
    ran = report(folder)
    page = page_of(folder)
    for words in PAGE:
        holds(words in page, f"RESULTS.md has {words}")
    holds(ran.returncode == 0 and "| **met" not in page, "targets that are met share a line")
    for name in {**COUNTS, **ROWS}:
        table = cells_of(folder, name)
        holds(ROWS.get(name, "") in table, f"{name}: {ROWS.get(name)}")
        for number, target in COUNTS.get(name, []):
            holds(re.search(rf"^\| .*{target}.* \| {number} \|$", table, re.M),
                  f"{number}: {target}")
    ran = report(folder, "--pictures", str(folder / "all"))
    drawn = {file.name for file in (folder / "all").iterdir()}
    holds(ran.returncode == 0 and "sim-flat-reduce-non-commutative.svg" in drawn and
          {file.name for file in (folder / "pictures").iterdir()} < drawn, "all pictures")
    for name in set(re.findall(r"\((pictures/[^)]*)\)", page)):
        root = ElementTree.parse(folder / name).getroot()
        width, height = map(float, root.get("viewBox").split()[2:])
        places = [(float(e.get(x)), float(e.get(y))) for e in root.iter()
                  for x, y in (("x", "y"), ("cx", "cy"), ("x2", "y2")) if e.get(x) and e.get(y)]
        holds(places and all(0 <= x <= width and 0 <= y <= height for x, y in places),
              f"{name}: everything is within the picture")
    holds(all(f">{p}<" in (folder / "pictures/sim-nodes-map.svg").read_text(encoding="utf-8")
              for p in targets.NODES), "a map of all shapes")
    holds(">hindsight<" in (folder / "pictures/netlab-allreduce.svg").read_text(encoding="utf-8"),
          "the curve with hindsight")
    holds(report(folder, "--check").returncode == 0, "--check agrees with what was just written")
    (folder / "RESULTS.md").write_text(page.replace("2.60", "9.99"), encoding="utf-8")
    ran = report(folder, "--check")
    holds(ran.returncode == 1 and "RESULTS.md is not what the data give" in ran.stderr,
          "--check finds an edited number")


def shape(_):
    """The parts of a number of processes with a network and switches"""
    p = cells.Procs("fat-tree/2x(3x(2x4),(8)),(5)")
    holds((int(p), p.count, p.network, p.nodes) == (69, 15, "fat-tree", "2x(3x(2x4),(8)),(5)"),
          f"the parts of {p}: {vars(p)}")


def means(folder):
    """The mean of 0.8 and 3.2 is 1.6, of which the target is met by a hair."""
    write(folder, "sim-flat", [
        ("allreduce", "sum", f"{p}", "65536", who, f"{time}")
        for p, peer in ((13, 8.001), (24, 32.001)) for who, time in (
            ("anyp", 10), ("peer:mpich", peer), ("peer:ompi", 500), ("peer:mvapich2", 501))])
    got = verdicts(folder, "sim-flat")
    holds(got["allreduce, p no power of two, 64 KiB and more: best peer / AnyP"] == "met so far",
          "a mean")
    holds(got["allreduce, p no power of two, 64 KiB and more: mpich selector / AnyP"] ==
          "missed by 27.3 %", "a mean that misses")


def hindsight(folder):
    """The best of MPICH's own choice and of its algorithms counts."""
    def change(cell, found):
        if (cell.operator, cell.bytes) == ("sum", 65536):
            found["single:lr"] = 9
        found["single:slow k=3"] = 999
    write(folder, "netlab", rows("netlab", 2.6, change),
          HEAD + "# wrong: single:recexch k=13 allreduce matrix p=11: 8 bytes\n")
    got = verdicts(folder, "netlab")
    text = "MPICH's best algorithm, with hindsight / AnyP"
    mean = (0.9 * 2.6 * 2.6) ** (1 / 3)
    holds(got[f"every cell: {text}"] == "missed in 5 cells" and
          got[f"allreduce, 64 KiB and more: {text}"] == f"missed by {100 - 50 * mean:.1f} %" and
          got["every cell: stock / AnyP"] == "met", f"with hindsight: {got}")
    holds("; ".join(f"0.900: allreduce p={p} 64 KiB" for p in (11, 13, 15)) + "; and 2 more" in
          page_of(folder), "the cells that miss")
    holds([c.lost for c in cells.read(folder / "netlab.csv").cells if c.lost] ==
          [{"single:recexch k=13": ("wrong", "")}], "one of its algorithms is wrong")


def interval(folder):
    """The upper end counts; algorithms and intervals are printed."""
    write(folder, "node-mpich", [
        ("allreduce", "sum", "3", size, who, *of) for size, high in (("8", "1.00"), ("64", "0.97"))
        for who, *of in (("anyp", "10", "9", "11", "ring(ports=1)"), ("peer:mpich", "9", "8", "10"),
                         ("ratio:anyp", "0.95", "0.9", high))])
    got = verdicts(folder, "node-mpich")
    holds([each for each in got.values() if each != "not measured"] == ["missed in 1 cell"],
          f"node-mpich: {got}")
    holds("| 3 | 64 B | 9 (8–10) | 10 (9–11) | ring(ports=1) | 0.95 (0.9–0.97) |" in
          cells_of(folder, "node-mpich"), "intervals")


def some_cells(folder):
    """A part of the cells: what is missing is said."""
    write(folder, "sim-flat", [row for row in rows("sim-flat", 3)
                               if row[0] != "reduce" and row[2] != "1000"])
    holds(report(folder).returncode == 0, "some cells are enough")
    page = page_of(folder)
    holds(re.search(r"Not measured .*: 187 of 187 .* of reduce, sum; reduce, matrix product\.",
                    page), "reduce is missing")
    holds("| ≥ 1.20 | – | not measured |" in page, "no verdict on reduce")
    holds(" of " in page.split("64 KiB and more: best peer")[1].split("\n")[0],
          "how many cells a verdict is about")


def lost_times(folder):
    """What was left out could have been the best; what was wrong is no rival, unless AnyP's."""
    all_rows = rows("sim-flat", 2.6)
    note = " reduce p=768 1000: 8 1024; p=100: 8 bytes, for some reason\n"
    for line, text, status in (
            ("# left out: single:rab" + note,
             "every cell: best single algorithm, with hindsight / AnyP", "met so far"),
            ("# crashed: single:rab" + note,
             "every cell: best single algorithm, with hindsight / AnyP", "met"),
            ("# wrong: anyp" + note, "every cell: AnyP's results", "missed in 5 cells")):
        write(folder, "sim-flat", all_rows, HEAD + line)
        got = verdicts(folder, "sim-flat")
        holds(got[text] == status, f"{line}: {got[text]}")
    some = [row for row in all_rows
            if row[:5] != ("allreduce", "matrix", "13", "8", "peer:mvapich2")]
    for why, status in (("", "met so far"), ("wrong", "met"), ("crashed", "met"),
                        ("left out", "met so far")):
        note = "peer:mvapich2 allreduce matrix p=13: 8 bytes: a reason"
        write(folder, "sim-flat", some, HEAD + f"# {why}: {note}\n" * bool(why))
        got = verdicts(folder, "sim-flat")
        holds(got[MATRIX] == status, f"a peer is {why}: {got[MATRIX]}")
        holds((f"\n- {why}: {note.removeprefix('peer:')}\n" in cells_of(folder, "sim-flat")) ==
              (why in ("wrong", "crashed")), f"--cells says that a peer is {why}")
    # shapes of nodes in such a line
    gone = {("13x8", "8"), ("12x8:cyclic", "8"), ("12x8;3", "8"), ("12x8;3", "1024")}
    write(folder, "sim-nodes", [row for row in rows("sim-nodes", 9) if not (
        row[:2] == ("allreduce", "sum") and row[2:4] in gone and row[4] == "peer:mpich")],
        HEAD + "# wrong: peer:mpich allreduce p=13x8 12x8:cyclic: 8; p=12x8;3: 8 1024 bytes\n")
    got = verdicts(folder, "sim-nodes")
    missed = [text for text, status in got.items() if status != "met" and "bound" not in text]
    holds(not missed, f"a peer is wrong on nodes: {missed}")
    lost = "# crashed: peer:mpich allreduce p=13;2;7;5 dragonfly/5x(8x1);(5x1):random: 1024 bytes\n"
    write(folder, "sim-shapes", [row for row in rows("sim-shapes", 9) if not (
        row[0] == "allreduce" and row[2] in ("13;2;7;5", "dragonfly/5x(8x1);(5x1):random") and
        row[3:5] == ("1024", "peer:mpich"))], HEAD + lost)
    got = verdicts(folder, "sim-shapes")
    missed = [text for text, status in got.items() if status != "met" and "bound" not in text]
    holds(got and not missed, f"a peer crashes on shapes: {missed}")


def bad_files(folder):
    good = "allreduce,sum,3,8,anyp;10\n"
    columns = cells.COLUMNS + "\n"
    for head, row, complaint in (
            (HEAD, "allreduce,sum,3,8\n", "sim-flat.csv:4: 4 fields instead of 4 and the times"),
            (HEAD, "scam,sum,3,8,anyp;10\n", "'scam' is no collective"),
            (HEAD, "allreduce,max,3,8,anyp;10\n", "'max' is no operator of allreduce"),
            (HEAD, "allgather,sum,3,8,anyp;10\n", "'sum' is no operator of allgather"),
            (HEAD, "allreduce,none,3,8,anyp;10\n", "'none' is no operator of allreduce"),
            (HEAD, "allreduce,sum,3,8,who;10\n", "'who' is none of bound"),
            (HEAD, "allreduce,sum,3,8,\n", "'' is none of bound"),
            (HEAD, "allreduce,sum,3,8,anyp\n", "microseconds is '', which is no number"),
            (HEAD, "allreduce,sum,3x,8,anyp;10\n", "p is '3x', which is no number"),
            (HEAD, "allreduce,sum,x,8,anyp;10\n", "p is 'x', which is no number"),
            (HEAD, "allreduce,sum,3,8,anyp;0\n", "must be above 0"),
            (HEAD, "allreduce,sum,3,0,anyp;9\n", "bytes is 0, but must be above 0"),
            (HEAD, "allreduce,sum,3,8,anyp;inf\n", "must be above 0"),
            (HEAD, "allreduce,sum,3,8,anyp;10;9\n", "both or none"),
            (HEAD, "allreduce,sum,3,8,anyp;10;11;12\n", "not between low 11 and high 12"),
            (HEAD, good + good, "sim-flat.csv:5: a second row of allreduce p=3 8 B"),
            (HEAD, "allreduce,sum,3,8,anyp;10,anyp;9\n", "a second time of anyp for allreduce p"),
            (HEAD, "", "no rows; run its bench again"),
            ("# command: none\n", good, "no line '# date: YYYY-MM-DD'"),
            ("nonsense\n", good, "sim-flat.csv:1: the names of the columns must be here"),
            ("# nonsense\n", good, "not '# key: value'")):
        (folder / "sim-flat.csv").write_text(head + columns + row, encoding="utf-8")
        ran = report(folder)
        holds(ran.returncode == 1 and complaint in ran.stderr and "Traceback" not in ran.stderr,
              f"'{complaint}' is not in: {ran.stderr}")
        holds(not (folder / "RESULTS.md").exists(), "nothing is written for a bad file")


def what_to_print(folder):
    """--cells of data that are unknown, or not measured; few rows of single algorithms in a cell"""
    ran = report(folder, "--cells", "sim")
    holds(ran.returncode == 2 and "sim-flat" in ran.stderr, f"--cells sim: {ran.stderr}")
    ran = report(folder, "--cells", "node-mpich")
    holds(ran.returncode == 1 and "make bench-node" in ran.stderr, f"--cells: {ran.stderr}")
    for file in sorted((HERE / "data").glob("*.csv")):
        singles = [cell.named("single") for cell in cells.read(file).cells]
        holds(all(sum(map(cells.is_tuna, names)) < 2 and
                  len(names) - sum(map(cells.is_tuna, names)) < 2 for names in singles),
              f"{file.name} has the fastest single algorithm of each cell, and of TuNA")


def no_folder(folder):
    ran = subprocess.run([sys.executable, str(HERE / "report"), "--data", str(folder / "none"),
                          "--output", str(folder)], capture_output=True, text=True, check=False)
    holds(ran.returncode == 2 and "there is no folder" in ran.stderr, f"--data none: {ran.stderr}")
    holds(not (folder / "RESULTS.md").exists(), "nothing is written without a folder")


def references(_):
    """The algorithms in AnyP's decision files, and those chosen in the data of all benches"""
    chosen = {re.match(r"(?:anyp_)?(\w+)", cell.times["anyp"].what)[1]
              for file in sorted((HERE / "data").glob("*.csv"))
              for cell in cells.read(file).cells
              if "anyp" in cell.times and cell.times["anyp"].what}
    for file in (HERE / "data").glob("*.json"):
        chosen.update(re.findall(r"algorithm=\w+_anyp_(\w+)", file.read_text(encoding="utf-8")))
    for one in algorithms.read():
        holds(one["reference"] == (one["name"] not in chosen),
              f"{one['name']} is {'a' if one['reference'] else 'no'} reference algorithm, but "
              f"{'one' if one['name'] in chosen else 'no'} bench chooses it")


def readme(_):
    """The table and sentences of README.md, from cells in which no rival was left out"""
    text = (HERE.parents[1] / "README.md").read_text(encoding="utf-8")
    flat, moves, scans, nodes_of, old, new = (
        [c for c in cells.read(HERE / "data" / f"{name}.csv").cells
         if c.all_measured("peer") and c.over_anyp("peer")]
        for name in ("sim-flat", "sim-flat-moves", "sim-flat-scans", "sim-nodes", "netlab",
                     "netlab-5.0"))
    for name, rows, collective, operator in (
            ("allreduce", flat, "allreduce", "sum"),
            ("allreduce, not commutative", flat, "allreduce", "matrix"),
            ("allreduce, nodes with one network card", nodes_of, "allreduce", "sum"),
            ("reduce_scatter_block", flat, "reduce_scatter_block", "sum"),
            ("reduce_scatter_block, not commutative", flat, "reduce_scatter_block", "matrix"),
            ("reduce", flat, "reduce", "sum"),
            ("reduce, not commutative", flat, "reduce", "matrix"),
            ("scan", scans, "scan", "sum"), ("bcast", moves, "bcast", "none"),
            ("allgather", moves, "allgather", "none"), ("alltoall", moves, "alltoall", "none")):
        means = [cells.mean([c.over_anyp("peer") for c in rows if not c.power and (
            c.collective, c.operator) == (collective, operator) and low <= c.bytes <= high])
            for low, high in ((8, 8), (1 << 10, 8 << 10), (64 << 10, 1 << 40))]
        row = " | ".join(f"{value:.2f}" for value in means)
        holds(f"| {name} | {row} |\n" in text, f"README.md: {name}: {row}")
    stock = [c.over_anyp("peer") for c in old]
    slower = [c for c in new if c.over_hindsight() < 1]
    means = [cells.mean([c.over_hindsight() for c in new if (c.collective, c.operator) == (
        "allreduce", operator) and c.bytes in targets.NETLAB_BYTES[3:]])
        for operator in cells.OPERATORS]
    holds({c.bytes for c in slower} == {8}, "README.md: where AnyP is slower")
    said = [f"{min(stock):.2f} to {max(stock):.2f}", f"it averages {means[0]:.2f} for allreduces",
            f"and {means[1]:.2f} if the operator",
            f"in {len(slower)} of {len(new)} cases, all with 8 bytes"]
    for rows, what in ((flat, "simulated reductions"),
                       (moves, "cases of bcast, allgather, gather, scatter and alltoall")):
        behind = [c.over_anyp("peer") for c in rows if c.over_anyp("peer") < 1]
        said.append(f"in {len(behind)} of {len(rows)} {what}, by {100 * (1 - min(behind)):.1f} %")
    of_two = {name: [c.time("ratio:anyp") for c in cells.read(
        HERE / "data" / f"node-{name}.csv").cells if c.p == 2] for name in ("mpich", "openmpi")}
    said += [f"{cells.mean(of_two[name]):.2f} times as fast as {library}"
             for name, library in (("mpich", "MPICH 4.0.2"), ("openmpi", "Open MPI 4.1.4"))]
    both = sum(of_two.values(), [])
    said.append(f"in {sum(ratio < 1 for ratio in both)} of {len(both)} cases the library is faster")
    for words in said:
        holds(words in text.replace("\n", " "), f"README.md does not say: {words}")


def main():
    if len(sys.argv) > 1:
        print("usage: test/bench/test_report.py\nTests test/bench/report in some seconds; writes "
              "TAP.")
        return 0 if sys.argv[1] == "--help" else 2
    for test in (every_target, whole_page, shape, means, hindsight, interval, some_cells,
                 lost_times, bad_files, what_to_print, no_folder, references, readme):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    page = subprocess.run([str(HERE / "report"), "--check"], capture_output=True, text=True,
                          check=False)
    holds(page.returncode == 0, f"RESULTS.md is what the data give\n{page.stderr}")
    lines = (HERE / "RESULTS.md").read_text(encoding="utf-8").count("\n")
    holds(lines <= 350, f"RESULTS.md is a page that people read: {lines} lines")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
