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
results = tap.Results()


def holds(condition, what):
    results.ok(what.splitlines()[0][:100], condition, what)


def report(folder, *more):
    return subprocess.run([sys.executable, str(HERE / "report"), "--data", str(folder), "--output",
                           str(folder), *more], capture_output=True, text=True, check=False)


def cells_of(folder, name):
    """What --cells prints."""
    return report(folder, "--cells", name).stdout


def sim_rows(ratio_of):
    """Cells of all collectives and operators. AnyP takes 10; ratio_of(collective, p, bytes) gives
    the others': (best peer, mpich selector, best single algorithm, AnyP / bound)."""
    rows = []
    for collective in targets.SIM_COLLECTIVES:
        for p, size in targets.sim_cells():
            peer, mpich, single, bound = ratio_of(collective, p, size)
            for who, time in (("anyp", 10), ("peer:mpich", 10 * mpich), ("peer:ompi", 10 * peer),
                              ("peer:mvapich2", 1000), ("single:lr", 10 * single),
                              ("single:rab", 500), ("bound", 10 / bound)):
                for operator in ["sum"] if who.startswith("single") else ["sum", "matrix"]:
                    rows.append(f"{collective},{operator},{p},{size},{who},{time:.6f},,,\n")
    return rows


def write(folder, name, rows, head=HEAD):
    """rows: collective,operator,p,bytes,who,microseconds,low,high,what"""
    lines = cells.lines(row.rstrip("\n").split(",") for row in rows)
    (folder / f"{name}.csv").write_text(head + "\n".join(lines) + "\n", encoding="utf-8")


def verdicts(output, name):
    """{text: status} as the report prints them"""
    found = re.findall(rf"^{name}: (met so far|met|missed[^:]*|not measured): (.*): [^:]*, wanted",
                       output, re.M)
    return {text: status for status, text in found}


def targets_met(folder):
    write(folder, "sim-flat", sim_rows(lambda *_: (2.6, 2.7, 1.06, 1.05)))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat")
    holds(ran.returncode == 0 and len(got) == 33, f"33 verdicts, not {len(got)}\n{ran.stderr}")
    holds(set(got.values()) == {"met"}, f"all are met: {got}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    holds("2001-02-03" in page and "make bench-netlab" in page and "**not measured**" in page,
          "RESULTS.md has the date, and what was not measured")
    holds("| 3 | 8 B | 27 | 26 | 1000 | 10 | – | 9.524 | 2.60 | 1.05 | 10.6 | lr | 1.06 |" in
          cells_of(folder, "sim-flat"), "the row of a cell")
    rows = cells_of(folder, "sim-flat")
    for cells, target in ((90, "64 KiB and more: best peer / AnyP"), (23, "8 B: best peer / AnyP"),
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
                          (42, "1 MiB and more, matrix product: AnyP / bound"),
                          (1496, "every cell: AnyP's results")):
        holds(re.search(rf"^\| .*{target}.* \| {cells} \|$", rows, re.M), f"{cells}: {target}")
    holds("- **Simulated, flat network**: " in page and "AnyP: 2.600 (≥ 1.60); " in page and
          "| **met" not in page, "targets that are met share a line")
    holds("(pictures/sim-flat-map-non-commutative.svg)" in page and
          "(pictures/sim-flat-allreduce-non-commutative.svg)" in page, "pictures of products")
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
    holds(report(folder, "--check").returncode == 0, "--check agrees with what was just written")
    (folder / "RESULTS.md").write_text(page.replace("2.60", "9.99"), encoding="utf-8")
    ran = report(folder, "--check")
    holds(ran.returncode == 1 and "RESULTS.md is not what the data give" in ran.stderr,
          "--check finds an edited number")


def targets_missed(folder):
    def ratios(collective, p, size):
        if collective == "allreduce" and (p, size) == (13, 65536):
            return 0.97, 2.3, 0.96, 1.05
        return {"allreduce": (1.1, 1.12, 1.06, 1.16), "reduce": (1.3, 1.45, 1.06, 1.6),
                "reduce_scatter_block": (1.31, 1.51, 1.06, 1.05),
                "reduce_scatter": (1, 1, 1.06, 1)}[collective]
    write(folder, "sim-flat", sim_rows(ratios))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat")
    missed = sorted(text for text, status in got.items() if status.startswith("missed"))
    wanted = sorted([
        f"{group}, {kind}: best peer / AnyP" for group, kinds in (
            ("allreduce, p no power of two, 1 to 8 KiB", ("sum", "matrix product")),
            ("allreduce, p no power of two, 64 KiB", ("sum", "matrix product")),
            ("allreduce, p no power of two, 256 KiB and more", ("sum", "matrix product")),
            ("reduce, p no power of two, 64 KiB and more", ("matrix product",)),
            ("reduce_scatter_block, p no power of two, 64 KiB and more", ("matrix product",)),
            ("allreduce, p no power of two", ("sum", "matrix product")),
            ("allreduce, powers of two from 16 on, 1 to 8 KiB", ("sum", "matrix product")),
            ("allreduce, p = 1000, 1 KiB and 8 KiB", ("sum", "matrix product")))
        for kind in kinds] + [
        "allreduce, p no power of two up to 384, 1 MiB and more, matrix product: AnyP / bound",
        "allreduce, p no power of two, 64 KiB and more: best peer / AnyP",
        "allreduce, p no power of two, 64 KiB and more: mpich selector / AnyP",
        "allreduce, p no power of two, 64 KiB and more, p ≤ 100: AnyP / bound, 1 MiB and more",
        "allreduce, p no power of two, 8 B: best peer / AnyP",
        "allreduce, p no power of two, 8 B: mpich selector / AnyP",
        "reduce: AnyP / bound, 1 MiB and more",
        "every cell: best peer / AnyP",
        "every cell: best single algorithm, with hindsight / AnyP"])
    holds(missed == wanted, f"missed are {missed}, wanted {wanted}")
    holds("0.970: allreduce p=13 64 KiB" in (folder / "RESULTS.md").read_text(encoding="utf-8"),
          "the worst cell is named")
    holds(got.get("reduce: AnyP / bound, 1 MiB and more") == "missed by 6.7 %", "by how much")


def means(folder):
    """The mean of 0.8 and 3.2 is 1.6, of which the target is met by a hair."""
    write(folder, "sim-flat", [
        f"allreduce,sum,{p},65536,{who},{time},,,\n" for p, peer in ((13, 8.001), (24, 32.001))
        for who, time in (("anyp", 10), ("peer:mpich", peer), ("peer:ompi", 500),
                          ("peer:mvapich2", 501))])
    got = verdicts(report(folder).stdout, "sim-flat")
    holds(got["allreduce, p no power of two, 64 KiB and more: best peer / AnyP"] == "met so far",
          "a mean")
    holds(got["allreduce, p no power of two, 64 KiB and more: mpich selector / AnyP"] ==
          "missed by 27.3 %", "a mean that misses")


def some_cells(folder):
    """A part of the cells: what is missing is said."""
    write(folder, "sim-flat", [row for row in sim_rows(lambda *_: (2, 3, 1.1, 1.01))
                               if not row.startswith("reduce,") and ",1000," not in row])
    holds(report(folder).returncode == 0, "some cells are enough")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    lost = len(targets.sim_cells())
    holds(re.search(rf"Not measured .*: {lost} of .* of reduce, sum; reduce, matrix product\.",
                    page), "reduce is missing")
    holds("| ≥ 1.20 | – | not measured |" in page, "no verdict on reduce")
    holds(" of " in page.split("64 KiB and more: best peer")[1].split("\n")[0],
          "how many cells a verdict is about")


def lost_times(folder):
    """What was left out could have been the best; what was wrong is no rival, unless AnyP's."""
    rows = sim_rows(lambda *_: (2.6, 2.7, 1.06, 1.05))
    hindsight = "every cell: best single algorithm, with hindsight / AnyP"
    note = " reduce p=768 1000: 8 1024; p=100: 8 bytes, for some reason\n"
    for line, text, status in (
            ("# left out: single:rab" + note, hindsight, "met so far"),
            ("# crashed: single:rab" + note, hindsight, "met"),
            ("# wrong: anyp" + note, "every cell: AnyP's results", "missed in 5 cells")):
        write(folder, "sim-flat", rows, HEAD + line)
        got = verdicts(report(folder).stdout, "sim-flat")
        holds(got[text] == status, f"{line}: {got[text]}")
    write(folder, "sim-flat", [row for row in rows if not row.startswith(
        "reduce,sum,768,8,peer:mvapich2")])
    got = verdicts(report(folder).stdout, "sim-flat")
    holds(got["every cell: best peer / AnyP"] == "met so far", "a peer that has no time")
    some = [row for row in rows if not row.startswith("allreduce,matrix,13,8,peer:mvapich2")]
    text = "allreduce, p no power of two, matrix product: best peer / AnyP"
    for why, status in (("wrong", "met"), ("crashed", "met"), ("left out", "met so far")):
        note = "peer:mvapich2 allreduce matrix p=13: 8 bytes: a reason"
        write(folder, "sim-flat", some, f"{HEAD}# {why}: {note}\n")
        got = verdicts(report(folder).stdout, "sim-flat")
        holds(got[text] == status, f"a peer is {why}: {got[text]}")
        holds((f"\n- {why}: {note.removeprefix('peer:')}\n" in cells_of(folder, "sim-flat")) ==
              (why != "left out"), f"--cells says that a peer is {why}")


def scenarios(folder):
    """Each scenario has its own data, and each cell counts."""
    def rows(odd):
        return [f"allreduce,{operator},{p},{size},{who},{time},,,\n"
                for operator in ("sum", "matrix") for p in targets.SCENARIO_P
                for size in targets.SIM_BYTES for who, time in (
                    ("anyp", 10), ("peer:mpich", odd if (operator, p, size) == ("matrix", 24, 8)
                                   else 10), ("peer:ompi", 11), ("peer:mvapich2", 12))]
    write(folder, "sim-flat-eager", rows(10))
    write(folder, "sim-flat-late", rows(9.99))
    ran = report(folder)
    holds(list(verdicts(ran.stdout, "sim-flat-eager").values()) == ["met", "met"], ran.stdout)
    holds(list(verdicts(ran.stdout, "sim-flat-late").values()) == ["met", "missed in 1 cell"],
          ran.stdout)
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    holds("0.999: allreduce non-commutative p=24 8 B" in page, "the cell that misses")


def nodes(folder):
    """Shapes instead of numbers of processes; a target for ranks that are dealt of their own."""
    def rows(dealt):
        return [f"{collective},{operator},{str(p).replace(',', ';')},{size},{who},{time},,,\n"
                for collective in targets.SIM_COLLECTIVES for operator in ("sum", "matrix")
                for p in targets.NODES for size in targets.NODES_BYTES for who, time in (
                    ("anyp", 10), ("bound", 9), ("peer:ompi", 90), ("peer:mvapich2", 95),
                    ("peer:mpich", dealt if str(p).endswith("cyclic") else 85))]
    write(folder, "sim-nodes", rows(85))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-nodes")
    holds(ran.returncode == 0 and len(got) == 15 and set(got.values()) == {"met"},
          f"targets of nodes: {got}\n{ran.stderr}")
    page = cells_of(folder, "sim-nodes")
    holds("\n| 12x8,3 | 8 B | 90 | 95 | 85 | 10 |" in page, "the row of a shape")
    holds(re.search(r"^\| .*round robin.* \| 56 \|$", page, re.M), "cells of a shape that is dealt")
    holds(all(f">{p}<" in (folder / "pictures/sim-nodes-map.svg").read_text(encoding="utf-8")
              for p in targets.NODES), "a map of all shapes")
    lost = "# wrong: peer:mpich allreduce p=13x8 12x8:cyclic: 8; p=12x8;3: 8 1024 bytes\n"
    write(folder, "sim-nodes", [row for row in rows(9.9) if not (
        row.startswith(("allreduce,sum,13x8,8,peer:mpich", "allreduce,sum,12x8:cyclic,8,peer:mpich",
                        "allreduce,sum,12x8;3,8,peer:mpich",
                        "allreduce,sum,12x8;3,1024,peer:mpich")))], HEAD + lost)
    got = verdicts(report(folder).stdout, "sim-nodes")
    missed = {text: status for text, status in got.items() if status != "met"}
    holds(missed == {"every cell, ranks round robin: best peer / AnyP": "missed in 55 cells"},
          f"{missed}")


def shapes(folder):
    """Networks and switches beside the numbers of processes."""
    def rows(ours):
        return [f"{collective},{cells.operators_of(collective)[0]},{str(p).replace(',', ';')},"
                f"{size},{who},{time},,,\n"
                for collective in targets.SHAPES_COLLECTIVES
                for p in targets.SHAPES for size in targets.SHAPES_BYTES for who, time in (
                    ("anyp", ours), ("bound", 9), ("peer:ompi", 16), ("peer:mvapich2", 95),
                    ("peer:mpich", 85))]
    p = cells.Procs("fat-tree/2x(3x(2x4),(8)),(5)")
    holds((int(p), p.count, p.network, p.nodes) == (69, 15, "fat-tree", "2x(3x(2x4),(8)),(5)"),
          f"the parts of {p}: {vars(p)}")
    lost = "# crashed: peer:mpich allreduce p=13;2;7;5 dragonfly/5x(8x1);(5x1):random: 1024 bytes\n"
    write(folder, "sim-shapes", [row for row in rows(10) if not re.match(
        "allreduce,sum,(13|dragonfly/5x.8x1.*random).*,1024,peer:mpich", row)], HEAD + lost)
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-shapes")
    holds(ran.returncode == 0 and len(got) == 12 and set(got.values()) == {"met"},
          f"targets of shapes: {got}\n{ran.stderr}")
    holds("\n| dragonfly/(8x8),(5x8) | 16 / 10 / 9 |" in
          (folder / "RESULTS.md").read_text(encoding="utf-8"), "the row of a shape with switches")
    write(folder, "sim-shapes", rows(200))
    got = verdicts(report(folder).stdout, "sim-shapes")
    met = [text for text, status in got.items() if status == "met"]
    holds(got["allreduce of 1 MiB: a prototype / AnyP"] == "missed in 1 cell" and
          met == ["every cell: AnyP's results"], f"what misses: {got}")


def moves_rows(procs, ratio_of):
    """All cells of what moves data; ratio_of(collective, p, bytes) is the best peer / AnyP."""
    return [f"{collective},none,{str(p).replace(',', ';')},{size},{who},{time:.6f},,,\n"
            for collective in targets.MOVES for p, size in targets.moves_cells(collective, procs)
            for who, time in (("anyp", 10), ("bound", 9), ("single:bruck", 12),
                              ("peer:ompi", 10 * ratio_of(collective, p, size)),
                              ("peer:mpich", 95), ("peer:mvapich2", 99))]


def moves(folder):
    """What moves data has no operator, and data and targets of its own."""
    write(folder, "sim-flat-moves", moves_rows(targets.MOVES_P, lambda *_: 1.81))
    write(folder, "sim-nodes-moves", moves_rows(targets.NODES, lambda *_: 1.51))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat-moves")
    holds(ran.returncode == 0 and len(got) == 11 and set(got.values()) == {"met"},
          f"targets of moves: {got}\n{ran.stderr}")
    got = verdicts(ran.stdout, "sim-nodes-moves")
    holds(len(got) == 7 and set(got.values()) == {"met"}, f"targets of moves on nodes: {got}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    table = cells_of(folder, "sim-flat-moves")
    for cells_, target in ((63, "bcast up to 8 KiB, p"), (21, "bcast of 64 KiB, p"),
                           (42, "allgather of 256 KiB and more in all, p"), (126, "scatter, p"),
                           (738, "every cell: best peer / AnyP")):
        holds(re.search(rf"^\| {target}.* \| {cells_} \|$", table, re.M), f"{cells_}: {target}")
    holds(re.search(r"^\| bcast, 64 KiB and more: best.* \| 24 \|$",
                    cells_of(folder, "sim-nodes-moves"), re.M), "cells of nodes")
    holds("(pictures/sim-flat-moves-map.svg)" in page and "(pictures/sim-nodes-moves-map.svg)" in
          page and report(folder, "--check").returncode == 0, "their maps")
    holds("## bcast: 150 cells, times" in table and
          "| 3 | 8 B | 18.1 | 95 | 99 | 10 | – | 9 | 1.81 | 1.11 | 12 | bruck | 1.20 |" in table,
          "their cells")
    slow = {"bcast": 1.09, "allgather": 1.31, "alltoall": 1.04, "gather": 0.995, "scatter": 1.0}
    rows = moves_rows(targets.MOVES_P, lambda collective, p, size: 0.98 if (
        collective, p, size) == ("scatter", 64, 8) else slow[collective])
    lost = "# wrong: peer:ompi alltoall p=13: 8 bytes: a wrong result\n"
    write(folder, "sim-flat-moves", [row for row in rows if not row.startswith(
        "alltoall,none,13,8,peer:ompi")], HEAD + lost)
    got = verdicts(report(folder).stdout, "sim-flat-moves")
    met = {text.partition(" /")[0] for text, status in got.items() if status == "met"}
    holds(met == {"allgather up to 8 KiB in all, p no power of two: best peer",
                  "alltoall up to 1 KiB for each rank, p no power of two: best peer",
                  "scatter, p no power of two: best peer", "every cell: AnyP's results"} and
          got["every cell: best peer / AnyP"] == "missed in 1 cell", f"moves: {got}")
    rows = [row for row in moves_rows(targets.MOVES_P, lambda *_: 2)
            if row.startswith(("bcast", "allgather"))]
    write(folder, "sim-flat-moves", rows)
    got = verdicts(report(folder).stdout, "sim-flat-moves")
    holds(got["gather, p no power of two: best peer / AnyP"] == "not measured" and
          got["every cell: best peer / AnyP"] == "met so far", f"some are not measured: {got}")


def uneven(folder):
    """Blocks of different sizes: a shape belongs to the collective's name."""
    def rows(ratio_of):
        return [f"{collective},{operator},{p},{size},{who},{time},,,\n"
                for collective in cells.UNEVEN for operator in cells.operators_of(collective)
                for p in targets.UNEVEN_P for size in targets.UNEVEN_BYTES
                for who, time in (("anyp", 10), ("bound", 8), ("peer:mpich", 99),
                                  ("peer:ompi", 10 * ratio_of(collective, operator, p, size)),
                                  ("peer:mvapich2", 98))]
    write(folder, "sim-flat-uneven", rows(lambda *_: 5.1))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat-uneven")
    holds(ran.returncode == 0 and len(got) == 8 and set(got.values()) == {"met"},
          f"targets of uneven blocks: {got}\n{ran.stderr}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    row = "5.10 | 5.10: p=7 64 KiB | 1.25 | 1.25: p=7 64 KiB |\n"
    holds(all(f"\n| {name} | {row}" in page for name in (
        "reduce_scatter@half", "reduce_scatter@half non-commutative", "allgatherv@half")) and
          report(folder, "--check").returncode == 0, "the table of shapes")
    holds("## reduce_scatter@one, operator that does not commute: 16 cells" in
          cells_of(folder, "sim-flat-uneven"), "their cells")
    # a wrong peer is no rival; one cell is slower than the peers
    lost = "# wrong: peer:ompi reduce_scatter@one matrix p=7 13: 65536 bytes: a wrong result\n"
    slow = {("reduce_scatter@one", "matrix", 7, 65536): 0.5,
            ("reduce_scatter@one", "matrix", 13, 65536): 0.5,
            ("allgatherv@half", "none", 7, 65536): 0.9}
    some = [row for row in rows(lambda *key: slow.get(key, 5.5))
            if not row.startswith(("reduce_scatter@one,matrix,7,65536,peer:ompi",
                                   "reduce_scatter@one,matrix,13,65536,peer:ompi"))]
    write(folder, "sim-flat-uneven", some, HEAD + lost)
    got = verdicts(report(folder).stdout, "sim-flat-uneven")
    missed = {text: status for text, status in got.items() if status != "met"}
    holds(missed == {"every cell: best peer / AnyP": "missed in 1 cell"}, f"{missed}")
    holds("| allgatherv@half | 4.91 | 0.90: p=7 64 KiB |" in
          (folder / "RESULTS.md").read_text(encoding="utf-8"), "the weakest cell")


def scans(folder):
    """Scans and the barrier, which has no bytes."""
    def rows(procs, ratio_of):
        made = [(collective, operator, p, size) for collective in ("scan", "exscan")
                for operator in ("sum", "matrix") for p, size in targets.scans_cells(procs)]
        made += [("barrier", "none", p, 0) for p in procs]
        return [f"{collective},{operator},{str(p).replace(',', ';')},{size},{who},{time:.6f},,,\n"
                for collective, operator, p, size in made for who, time in (
                    ("anyp", 10), ("bound", 9), ("single:chain segment=8192", 9.6),
                    ("peer:mpich", 10 * ratio_of(collective, p, size)), ("peer:mvapich2", 99),
                    ("peer:ompi", 160))
                if (operator, who) != ("matrix", "single:chain segment=8192")]
    write(folder, "sim-flat-scans", rows(targets.SCANS_P, lambda *_: 2.2))
    write(folder, "sim-nodes-scans", rows(targets.SCANS_NODES, lambda *_: 2.01))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat-scans")
    holds(ran.returncode == 0 and len(got) == 10 and set(got.values()) == {"met"},
          f"targets of scans: {got}\n{ran.stderr}")
    got = verdicts(ran.stdout, "sim-nodes-scans")
    holds(len(got) == 4 and set(got.values()) == {"met"}, f"targets of scans on nodes: {got}")
    table = cells_of(folder, "sim-flat-scans")
    for number, target in ((72, "scan and exscan, up to 8 KiB: mpich"), (12, ".* p = 100: ompi"),
                           (24, ".* 1 MiB: best peer"), (16, ".* 8 MiB: best peer"),
                           (8, ".* 8 MiB: best chain of segments"), (6, "barrier: best peer"),
                           (142, "every cell: AnyP's results")):
        holds(re.search(rf"^\| {target}.* \| {number} \|$", table, re.M), f"{number}: {target}")
    holds("\n| 7 | 0 B | 22 | 99 | 160 | 10 | – | 9 | 2.20 | 1.11 | 9.6 |" in table,
          "the row of a barrier")
    slow = {("scan", 13, 65536): 0.001, ("barrier", 13, 0): 0.9}
    write(folder, "sim-flat-scans", [row.replace(",9.600000,", ",9.500000,") for row in rows(
        targets.SCANS_P, lambda *key: slow.get(key, 1.3 if key[2] <= 8192 else 2.2))])
    got = verdicts(report(folder).stdout, "sim-flat-scans")
    missed = {text.partition(" /")[0]: status for text, status in got.items() if status != "met"}
    holds(missed == {"scan and exscan, 64 KiB: best peer": "missed by 22.8 %",
                     "scan and exscan, 8 MiB: best chain of segments": "missed in 8 cells",
                     "barrier, every cell: best peer": "missed in 1 cell"}, f"{missed}")


def pairs(folder):
    """Sizes that only the two ends of a block know"""
    def rows(procs, ours):
        return [f"{collective},none,{str(p).replace(',', ';')},{size},{who},{time:.6f},,,\n"
                for collective in cells.PAIRS for p in procs for size in targets.PAIRS_BYTES
                for who, time in (("anyp", ours), ("anyp:first", 15), ("peer:mpich", 99),
                                  ("single:linear", 85), ("single:radix=4", 82))]
    write(folder, "sim-flat-pairs", rows(targets.PAIRS_P, 10))
    write(folder, "sim-nodes-pairs", rows(targets.SCANS_NODES, 20))
    ran = report(folder)
    got = verdicts(ran.stdout, "sim-flat-pairs")
    missed = [text for text, status in got.items() if status != "met"]
    holds(len(got) == 17 and not missed, f"targets of pairs: {missed}\n{ran.stderr}")
    got = verdicts(ran.stdout, "sim-nodes-pairs")
    holds(len(got) == 7 and set(got.values()) == {"met"}, f"targets of pairs on nodes: {got}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    holds("| 500 |" + " 8.50 / 8.20 / 1.50 |" * 7 in page and
          "| 13x8 | 4.25 / 4.10 / 0.75 |" in page,
          "the table of pairs")
    write(folder, "sim-flat-pairs", rows(targets.PAIRS_P, 85))
    got = verdicts(report(folder).stdout, "sim-flat-pairs")
    holds(got["every cell: the fastest of all / AnyP"] == "missed in 180 cells" and
          got["alltoallv, 8 B a pair, p = 45: the fastest of all with TuNA / AnyP"] ==
          "missed by 61.4 %", f"missed targets of pairs: {got}")


def moves_emulated(folder):
    """Broadcasts and allgathers of the emulated cluster, with hindsight."""
    def rows(single):
        return [f"{collective},none,{p},{size},{who},{time},,,\n"
                for collective, _, size in targets.NETLAB_MOVES for p in (13, 21)
                for who, time in (("anyp", 100), ("peer:mpich", 140),
                                  ("single:ring", single if size == 65536 else 300))]
    text = "64 KiB and more: MPICH's best algorithm, with hindsight / AnyP"
    for single, status in ((200, "met"), (90, "missed by 7.1 %")):
        write(folder, "netlab-moves", rows(single))
        got = verdicts(report(folder).stdout, "netlab-moves")
        holds([got[f"{collective}, {text}"] for collective in ("bcast", "allgather")] ==
              [status] * 2, f"moves with hindsight: {got}")


def netlab_rows(own, single):
    """All cells. AnyP takes 100; own and single: the ratios {(collective, operator, bytes): ...} of
    MPICH's own choice and of one of its algorithms, another of which takes 999."""
    rows = []
    for p in (11, 13):
        for (collective, operator, size), ratio in own.items():
            key = f"{collective},{operator},{p},{size}"
            other = 100 * single.get((collective, operator, size), ratio)
            rows += [f"{key},anyp,100,99,101,ring(ports=1)\n",
                     f"{key},peer:mpich,{100 * ratio},{99 * ratio},{101 * ratio},\n",
                     f"{key},single:lr,{other},,,\n", f"{key},single:slow,999,,,\n"]
    return rows


def netlab_ratios():
    """MPICH's own choice / AnyP, for netlab_rows()"""
    ratios = {("allreduce", operator, size): 2.6 for operator in ("sum", "matrix")
              for size in targets.NETLAB_BYTES}
    return {**ratios, **{key: 2.1 for key in [("allreduce", "sum", 1 << 17),
                                              *targets.NETLAB_OTHERS]}}


def hindsight(folder):
    """The best of MPICH's own choice and of its algorithms counts: 64 KiB and more of sums are met
    with the first alone, and missed with both."""
    text = "MPICH's best algorithm, with hindsight / AnyP"
    own = netlab_ratios()
    single = {("allreduce", "sum", 65536): 0.9, ("allreduce", "sum", 1 << 20): 3.0}
    write(folder, "netlab", netlab_rows(own, single))
    got = verdicts(report(folder).stdout, "netlab")
    mean = (0.9 * 2.6 * 2.6) ** (1 / 3)
    wanted = {f"every cell: {text}": "missed in 2 cells",
              f"allreduce, 64 KiB and more: {text}": f"missed by {100 - 50 * mean:.1f} %",
              f"allreduce non-commutative, 64 KiB and more: {text}": "met"}
    holds({key: got.get(key) for key in wanted} == wanted, f"with hindsight: {got}")
    holds(got["every cell: stock / AnyP"] == "met", "every cell is there")
    page = cells_of(folder, "netlab")
    holds("| 2.60 | 90 | lr | 0.90 | 0.90 |" in page and
          "| 2.60 | 300 | lr | 3.00 | 2.60 |" in page, "the column of a cell")
    holds(">hindsight<" in (folder / "pictures/netlab-allreduce.svg").read_text(encoding="utf-8"),
          "the curve with hindsight")
    write(folder, "netlab", netlab_rows(own, {})[4:])
    got = verdicts(report(folder).stdout, "netlab")
    holds([got[key] for key in wanted] == ["met so far", "met", "met"], f"a cell is missing: {got}")


def newer_mpich(folder):
    """MPICH 5.0 has its own data: the algorithms' names have parameters, and other targets hold.
    Without the data the page says so."""
    holds(report(folder).returncode == 0 and "`netlab-5.0` | **not measured**" in (
        folder / "RESULTS.md").read_text(encoding="utf-8"), "MPICH 5.0 is not measured")
    text = "MPICH's best algorithm, with hindsight / AnyP"
    own = netlab_ratios()
    single = {("allreduce", "sum", 1 << 10): 1.14, ("allreduce", "sum", 8 << 10): 1.17,
              ("allreduce", "matrix", 1 << 10): 1.14, ("allreduce", "matrix", 8 << 10): 1.15,
              ("allreduce", "sum", 1 << 16): 1.2, ("allreduce", "matrix", 1 << 16): 1.1,
              ("allreduce", "matrix", 8): 0.99}
    wrong = "# wrong: single:recexch k=13 allreduce matrix p=11: 8 bytes\n"
    rows = [row.replace("single:lr", "single:recexch k=3") for row in netlab_rows(own, single)]
    write(folder, "netlab-5.0", rows, HEAD + wrong)
    got = verdicts(report(folder).stdout, "netlab-5.0")
    mean = (1.1 * 2.6 * 2.6) ** (1 / 3)
    wanted = {f"every cell: {text}": "missed in 2 cells",
              f"allreduce, 1 KiB and 8 KiB: {text}": "met",
              f"allreduce non-commutative, 1 KiB and 8 KiB: {text}":
                  f"missed by {100 - 100 * (1.14 * 1.15) ** 0.5 / 1.15:.1f} %",
              f"allreduce, 64 KiB and more: {text}": "met",
              f"allreduce non-commutative, 64 KiB and more: {text}":
                  f"missed by {100 - 50 * mean:.1f} %"}
    holds(got == wanted, f"MPICH 5.0: {got}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    holds("| 99 | recexch k=3 | 0.99 | 0.99 |" in cells_of(folder, "netlab-5.0") and
          "0.990: allreduce non-commutative p=11 8 B" in page, "its algorithms have parameters")
    holds("(pictures/netlab-5.0-allreduce.svg)" in page and
          report(folder, "--check").returncode == 0, "its pictures")
    data = cells.read(folder / "netlab-5.0.csv")
    holds([c.lost for c in data.cells if c.lost] == [{"single:recexch k=13": ("wrong", "")}],
          "one of its algorithms is wrong")


def emulated_nodes(folder):
    """Nodes of an emulated cluster: a size that is slower than wanted, and a cell that is lost."""
    rows = []
    for procs in "5x4;2", "6x4":
        for collective, operator, size in [*targets.netlab_kinds(), *targets.NETLAB_OTHERS]:
            if collective != "allreduce" and procs != "6x4":
                continue
            key = f"{collective},{operator},{procs},{size}"
            peer = {1 << 17: 2.4, 1 << 10: 0.9}.get(size, 3.0)
            rows += [f"{key},anyp,100,99,101,exchange(groups=nodes)\n",
                     f"{key},peer:mpich,{100 * peer},,,\n", f"{key},single:smp,250,,,\n"]
    write(folder, "netlab-nodes", rows)
    got = verdicts(report(folder).stdout, "netlab-nodes")
    wanted = {"allreduce 128 KiB, 6x4: stock / AnyP": "missed in 1 cell",
              "allreduce 1 MiB, 6x4: stock / AnyP": "met",
              "every cell: stock / AnyP": "missed in 4 cells",
              "every cell: MPICH's best algorithm, with hindsight / AnyP": "missed in 4 cells"}
    holds(got == wanted, f"nodes: {got}")
    page = (folder / "RESULTS.md").read_text(encoding="utf-8")
    holds("| 5x4,2 | 1 MiB | 300 |" in cells_of(folder, "netlab-nodes") and
          report(folder, "--check").returncode == 0, "its cells")
    write(folder, "netlab-nodes", [row for row in rows if "6x4,1048576" not in row])
    got = verdicts(report(folder).stdout, "netlab-nodes")
    holds(got["allreduce 1 MiB, 6x4: stock / AnyP"] == "not measured", f"a cell is lost: {got}")


def forms(folder):
    """Nonblocking and persistent forms: one that is too slow, a cell whose interval is enough."""
    rows = []
    for p in targets.NETLAB_FORMS_P:
        for operator in "sum", "matrix":
            for size in 1 << 17, 1 << 20:
                key = f"allreduce,{operator},{p},{size}"
                for form in "blocking", "nonblocking", "persistent", "overlap":
                    stock = 1.5 if (form, operator, p) == ("overlap", "matrix", 13) else 2.5
                    rows += [f"{key},peer:{form},{100 * stock},,,\n",
                             f"{key},anyp:{form},100,99,101,circulant\n",
                             f"{key},ratio:anyp:{form},{stock},,,circulant\n"]
                    if form in ("nonblocking", "persistent"):
                        low = form == "persistent" and p == 24
                        rows.append(f"{key},ratio:anyp:{form}/blocking,"
                                    f"{'0.85,0.80,0.90' if low else '0.85,0.80,0.92'},circulant\n")
    write(folder, "netlab-forms", rows)
    got = verdicts(report(folder).stdout, "netlab-forms")
    interval = ", upper end of the interval"
    wanted = {f"allreduce 1 MiB, {kind}, {form}: stock / AnyP":
              "missed in 1 cell" if (kind, form) == ("matrix product", "overlap") else "met"
              for kind in ("sum", "matrix product")
              for form in ("nonblocking", "persistent", "overlap")}
    wanted[f"every cell: AnyP blocking / AnyP nonblocking{interval}"] = "met"
    wanted[f"every cell: AnyP blocking / AnyP persistent{interval}"] = "missed in 4 cells"
    holds(got == wanted, f"forms: {got}")
    holds("| 13 | 1 MiB | circulant | 250 | 100 (99–101) | 2.5 |" in
          cells_of(folder, "netlab-forms") and report(folder, "--check").returncode == 0,
          "the table of forms")
    write(folder, "pair-forms", [row.replace(",12,", ",2,") for row in rows if ",12," in row])
    got = verdicts(report(folder).stdout, "pair-forms")
    holds(got == {f"every cell: AnyP blocking / AnyP persistent{interval}": "missed in 4 cells",
                  f"every cell: stock persistent / AnyP persistent{interval}": "met so far"},
          f"two processes: {got}")


def real_times(folder):
    rows = []
    for p in (12, 13):
        for collective, operator, size, wanted in (
                ("allreduce", "sum", 8, 1.3), ("allreduce", "sum", 131072, 1.6),
                ("allreduce", "sum", 1 << 20, 2.3), ("allreduce", "matrix", 1 << 20, 2.9),
                ("reduce_scatter_block", "sum", 131072, 1.8), ("reduce", "sum", 1 << 20, 1.9)):
            key = f"{collective},{operator},{p},{size}"
            rows += [f"{key},anyp,100,99,101,ring(ports=1)\n",
                     f"{key},peer:mpich,{100 * wanted},{99 * wanted},{101 * wanted},\n"]
    write(folder, "netlab", rows)
    key = "allreduce,sum,2,"
    rows = []
    for size, tuned, best in ((8, (0.95, 0.93, 0.97), (1, 0.99, 1.01)),
                              (64, (0.97, 0.95, 0.981), (0.9, 0.88, 0.975))):
        rows += [f"{key}{size},peer:mpich,10,9,11,\n", f"{key}{size},anyp,10,9,11,\n"]
        for who, of in ("anyp", tuned), ("anyp:best", best):
            rows.append(f"{key}{size},ratio:{who},{of[0]},{of[1]},{of[2]},\n")
    write(folder, "pair", rows)
    ran = report(folder)
    got = verdicts(ran.stdout, "netlab")
    missed = {text for text, status in got.items() if status.startswith("missed")}
    unknown = {text for text, status in got.items() if status == "not measured"}
    holds(len(got) == 10 and missed == {"allreduce 128 KiB, p = 12, 13: stock / AnyP",
                                        "reduce 1 MiB, p = 12, 13: stock / AnyP"} and
          got["every cell: stock / AnyP"] == "met so far", f"netlab: {got}")
    holds(len(unknown) == 3 and all("hindsight" in text for text in unknown),
          f"no hindsight without single algorithms: {unknown}")
    got = verdicts(ran.stdout, "pair")
    holds(list(got.values()) == ["missed in 1 cell", "met so far"], f"pair: {got}")


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
    ran = report(folder, "--cells", "pair")
    holds(ran.returncode == 1 and "make bench-pair" in ran.stderr, f"--cells pair: {ran.stderr}")
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
    for words in said:
        holds(words in text.replace("\n", " "), f"README.md does not say: {words}")


def main():
    if len(sys.argv) > 1:
        print("usage: test/bench/test_report.py\nTests test/bench/report in some seconds; writes "
              "TAP.")
        return 0 if sys.argv[1] == "--help" else 2
    for test in (targets_met, targets_missed, means, some_cells, lost_times, scenarios, nodes,
                 shapes, moves, moves_emulated, uneven, scans, pairs, hindsight, newer_mpich,
                 emulated_nodes, forms, real_times, bad_files, what_to_print, no_folder,
                 references, readme):
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    page = subprocess.run([str(HERE / "report"), "--check"], capture_output=True, text=True,
                          check=False)
    holds(page.returncode == 0, f"RESULTS.md is what the data give\n{page.stderr}")
    lines = (HERE / "RESULTS.md").read_text(encoding="utf-8").count("\n")
    holds(lines <= 320, f"RESULTS.md is a page that people read: {lines} lines")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())
