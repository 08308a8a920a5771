# SPDX-License-Identifier: BSD-3-Clause
"""The targets of AnyP, and whether the data meet them: PLANS are the cells that each bench should
measure, TARGETS the table of targets, and verdicts() evaluates it.

A ratio is the other's time divided by AnyP's, so that AnyP is faster above 1; only against the
bound it is AnyP's time divided by the bound's.
"""
import fnmatch
import math
import operator as compare
import random
import re

from cells import (MOVES, NONE, OPERATORS, PAIRS, SCANS, UNEVEN, Cell, Procs, is_tuna, mean,
                   operators_of)

KI, MI = 1 << 10, 1 << 20
SIM_P = [3, 5, 6, 7, 9, 12, 13, 15, 16, 20, 23, 24, 32, 36, 40, 48, 63, 64, 65, 96, 100, 127, 128,
         192, 384, 768, 1000]
SIM_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI, 8 * MI]
SIM_COLLECTIVES = ["allreduce", "reduce_scatter_block", "reduce", "reduce_scatter"]
SIM_PEERS = 3
SCENARIO_P = [7, 13, 24, 100]
MOVES_P = [p for p in SIM_P if p <= 384]
MOVES_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI]
UNEVEN_P = [7, 13, 37, 100]
UNEVEN_BYTES = [64 * KI, 256 * KI, MI, 4 * MI]
SCANS_P = [7, 13, 24, 45, 100, 200]
SCANS_BYTES = [8, KI, 8 * KI, 64 * KI, MI, 8 * MI]
SCANS_MOST = 400 * MI           # bytes of the vectors of all ranks
SCANS_NODES = [Procs(shape) for shape in ("13x8", "24x4", "13,2,7,5")]
PAIRS_P = [45, 150, 500]
PAIRS_BYTES = [8, 64, 512, 4 * KI, 32 * KI]
PAIRS_MOST = 1 << 29            # bytes of all pairs of ranks: more take too long to simulate
PAIRS_SINGLES_MOST = 64         # ranks; SMPI's algorithms are not faster than its selectors here
ALLTOALL_MOST = 128             # ranks: a direct exchange of more takes too long to simulate
LARGEST_P = 384                 # of 8 MiB: simulated ranks share one machine's memory
NODES = [Procs(shape) for shape in ("13x8", "12x24", "6x48", "20x16", "9x7", "24x4", "12x8,3",
                                    "12x8:cyclic")]
NODES_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI, 4 * MI]
# Nodes at switches of 8 or 16, with the us of allreduce of 1 MiB by a prototype that knows these;
# and nodes of very different sizes
SHAPES_PROTOTYPE = {Procs(shape): time for shape, time in {
    "dragonfly/5x(8x1),(5x1)": 221, "dragonfly/(2x(4x(8x1))),((3x(8x1),(3x1)))": 252,
    "dragonfly/5x(8x4),(5x4)": 232, "dragonfly/(8x8),(5x8)": 186,
    "dragonfly/5x(8x1),(5x1):random": 277, "fat-tree/2x(16x1),(13x1)": 194,
    "fat-tree/5x(16x1),(11x1)": 205}.items()}
SHAPES = [*SHAPES_PROTOTYPE, Procs("13,2,7,5")]
SHAPES_COLLECTIVES = ["allreduce", "reduce", "reduce_scatter_block", "bcast", "allgather"]
SHAPES_BYTES = [KI, 8 * KI, 64 * KI, MI, 3 * MI, 4 * MI]
NETLAB_P = [11, 13, 15, 21, 24]
NETLAB_MIN_P = 13               # ranks on any machine
NETLAB_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI]
NETLAB_OTHERS = [("reduce_scatter_block", 128 * KI), ("reduce", MI)]    # sums
NETLAB_MOVES_P = [13, 21]
NETLAB_NODES = [Procs("5x4,2"), Procs("6x4")]


# ---- the cells that should be measured ----

def grid(collectives, procs, sizes, among=lambda cell: True, operators=None):
    """Cells of all these, with the operators that each collective has"""
    made = [Cell(collective, operator, p, size) for collective in collectives
            for operator in operators or operators_of(collective) for p in procs for size in sizes]
    return [cell for cell in made if among(cell)]


def moves_grid(procs):
    return grid(MOVES, procs, MOVES_BYTES,
                lambda c: c.collective != "alltoall" or c.p <= ALLTOALL_MOST)


def scans_grid(procs):
    return (grid(SCANS[:2], procs, SCANS_BYTES, lambda c: c.p * c.bytes <= SCANS_MOST) +
            grid(SCANS[2:], procs, [0]))


def netlab_grid(procs, others_procs):
    return [*grid(["allreduce"], procs, NETLAB_BYTES),
            *grid(["allreduce"], procs, [128 * KI], operators=["sum"]),
            *(cell for collective, size in NETLAB_OTHERS
              for cell in grid([collective], others_procs, [size], operators=["sum"]))]


# Without a plan: those that are in the data
PLANS = {
    "sim-flat": grid(SIM_COLLECTIVES, SIM_P, SIM_BYTES,
                     lambda c: c.bytes < 8 * MI or c.p <= LARGEST_P),
    "sim-flat-eager": grid(["allreduce"], SCENARIO_P, SIM_BYTES),
    "sim-flat-late": grid(["allreduce"], SCENARIO_P, SIM_BYTES),
    "sim-nodes": grid(SIM_COLLECTIVES, NODES, NODES_BYTES),
    "sim-shapes": grid(SHAPES_COLLECTIVES, SHAPES, SHAPES_BYTES, lambda c: c.operator != "matrix"),
    "sim-flat-moves": moves_grid(MOVES_P),
    "sim-nodes-moves": moves_grid(NODES),
    "sim-flat-scans": scans_grid(SCANS_P),
    "sim-nodes-scans": scans_grid(SCANS_NODES),
    "sim-flat-uneven": grid(UNEVEN, UNEVEN_P, UNEVEN_BYTES),
    "netlab": netlab_grid(NETLAB_P, [13, 15, 24]),
    "netlab-5.0": netlab_grid(NETLAB_P, [13, 15, 24]),
    "netlab-nodes": netlab_grid(NETLAB_NODES, NETLAB_NODES[1:]),
    "netlab-moves": grid(["bcast", "allgather"], NETLAB_MOVES_P, [64 * KI, 256 * KI, MI]),
    "netlab-queues": grid(["alltoall"], [24], [24 * 16 * KI]),
    "netlab-forms": grid(["allreduce"], [12, 13, 24], [128 * KI, MI]),
    "netlab-plugin-forms": grid(["allreduce"], [13, 24], [128 * KI, MI]),
    **dict.fromkeys(("pair-forms", "plugin-mpich-forms", "plugin-openmpi-forms"),
                    grid(["allreduce"], [2], [8, 16, 64, 256,
                                              *(KI << i for i in range(0, 11, 2))]))}

# Of each collective and operator in the flat network
SIM_CELLS = len(PLANS["sim-flat"]) // len(SIM_COLLECTIVES) // len(OPERATORS)


def planned(name, data):
    """The cells that the data should have, in a real network up to the number of ranks that the
    machine had, and all others that they have"""
    plan = PLANS.get(name, [])
    if name.startswith("netlab"):
        largest = max([c.p for c in data.cells] + [NETLAB_MIN_P])
        plan = [c for c in plan if c.p <= largest]
    return list({(c.collective, c.operator, c.p, c.bytes): c
                 for c in [*plan, *data.cells]}.values())


# ---- measures ----

def over_best_peer(cell):
    """None if a peer was not measured: it could be the best. A wrong one is no rival."""
    known = {who for who, (why, _) in cell.lost.items() if why != "left out"} | set(cell.times)
    known = [who for who in known if who.startswith("peer:")]
    return cell.over_anyp("peer") if len(known) == SIM_PEERS else None


def over_best_single(cell):
    return cell.over_anyp("single") if cell.all_measured("single") else None


def over_pairs(tuna, others, who="anyp"):
    """A function of a cell: the time of the fastest of all peers and single algorithms that were
    measured, of TuNA's or the others or both, divided by AnyP's"""
    def over(c):
        known = [value for kind in ("peer", "single") for name, value in c.named(kind).items()
                 if (tuna if is_tuna(name) else others)]
        return min(known) / c.times[who].value if known and who in c.times else None
    return over


def over_prototype(cell):
    return SHAPES_PROTOTYPE[cell.p] / cell.time("anyp") if "anyp" in cell.times else None


def over(name=None):
    """The time of this peer, or of the fastest that was measured, divided by AnyP's"""
    return lambda cell: cell.over_anyp("peer", name)


def ratio(who):
    return lambda cell: cell.over_anyp_in(who)


def ratio_high(who):
    """The upper end of the interval of peer / who; None if it was not measured."""
    def high(cell):
        found = cell.times.get("ratio:" + who)
        return found.high or found.value if found else None
    return high


HIGH = ", upper end of the interval"
# {measure: (its text in a verdict, function of a cell)}
MEASURES = {
    "peer": ("best peer / AnyP", over_best_peer),
    "mpich": ("mpich selector / AnyP", over("mpich")),
    "scan mpich": ("mpich / AnyP", over("mpich")),
    "scan ompi": ("ompi / AnyP", over("ompi")),
    "chain": ("best chain of segments / AnyP", lambda c: c.over_anyp("single")),
    "single": ("best single algorithm, with hindsight / AnyP", over_best_single),
    "bound": ("AnyP / bound", lambda c: c.over_bound()),
    "bound of long": ("AnyP / bound, 1 MiB and more", lambda c: c.over_bound()),
    "bound of a card": ("AnyP / bound of a card", lambda c: c.over_bound()),
    "prototype": ("a prototype / AnyP", over_prototype),
    "free": ("AnyP free to choose / reproducible", over("free")),
    "tuned": ("AnyP with a file tuned for them / AnyP", over("tuned")),
    "stock": ("stock / AnyP", over()),
    "hindsight": ("MPICH's best algorithm, with hindsight / AnyP", lambda c: c.over_hindsight()),
    "linear": ("linear / AnyP", over_pairs(False, True)),
    "libraries": ("the fastest of the libraries / AnyP", over_pairs(False, True)),
    "with TuNA": ("the fastest of all with TuNA / AnyP", over_pairs(True, True)),
    "first": ("the fastest of the libraries / AnyP's first call",
              over_pairs(False, True, "anyp:first")),
    "all": ("the fastest of all / AnyP", over_pairs(True, True)),
    "full": ("best peer, which sends empty messages / AnyP", over()),
    "nonblocking": ("stock / AnyP", ratio("nonblocking")),
    "persistent": ("stock / AnyP", ratio("persistent")),
    "overlap": ("stock / AnyP", ratio("overlap")),
    "high nonblocking/blocking":
        ("AnyP blocking / AnyP nonblocking" + HIGH, ratio_high("anyp:nonblocking/blocking")),
    "high persistent/blocking":
        ("AnyP blocking / AnyP persistent" + HIGH, ratio_high("anyp:persistent/blocking")),
    "high persistent":
        ("stock persistent / AnyP persistent" + HIGH, ratio_high("anyp:persistent")),
    "library": ("the library / AnyP", lambda c: c.time("ratio:anyp")),
    "high library": ("the library / AnyP" + HIGH, ratio_high("anyp")),
    "memory": ("AnyP by messages / AnyP", ratio("memory/messages")),
    "high memory": ("AnyP by messages / AnyP" + HIGH, ratio_high("anyp:memory/messages")),
    "results": ("AnyP's results", None)}


# ---- the targets ----

# A target: the cells that it is about (see belongs()), their name in the verdict, the measure, and
# what is wanted of it: MEAN or EACH at least this, or MOST, the mean, at most this; RIGHT has none
MEAN, EACH, MOST, RIGHT = "mean", "each", "most", "right"
RIGHT_RESULTS = ("", "every cell", "results", RIGHT, 0)


def by_operator(cells, text, measure, how, *wanted, names=("sum", "matrix product")):
    """A target for sums, and one for products"""
    return [(f"{cells} {operator}", text.replace("OPERATOR", name), measure, how, least)
            for operator, name, least in zip(OPERATORS, names, wanted)]


def of_allreduce(cells, text, how, *wanted):
    return by_operator(f"allreduce {cells}", f"allreduce, {text}, OPERATOR", "peer", how, *wanted)


def of_barrier(least):
    return [("barrier", "barrier", "peer", MEAN, least),
            ("barrier", "barrier, every cell", "peer", EACH, 1.0), RIGHT_RESULTS]


def of_hindsight(least, *groups):
    return [("", "every cell", "hindsight", EACH, least)] + [
        target for cells, text, wanted in groups for target in by_operator(
            f"allreduce odd {cells}", f"allreduceOPERATOR, {text}", "hindsight", MEAN, *wanted,
            names=("", " non-commutative"))]


def of_node(least):
    """least: of long allreduces"""
    return [
        ("p=2", "p = 2, every cell", "library", EACH, 1.15),
        ("p=2", "p = 2, all cells", "library", MEAN, 2.0),
        ("allreduce p=2 m>=64K", "allreduce, p = 2, 64 KiB and more", "library", MEAN, least),
        ("p>2", "more processes than cores, every cell", "high library", EACH, 1.0),
        ("p=2", "p = 2, all cells", "memory", MEAN, 1.7),
        ("p=2", "p = 2, every cell", "high memory", EACH, 1.0),
        ("allreduce p=2 m=8", "allreduce of 8 B, p = 2", "memory", MEAN, 1.7)]


NODE_NONBLOCKING = [("p=2", "p = 2, all cells", "library", MEAN, 1.3),
                    ("p=2", "p = 2, every cell", "high library", EACH, 0.97)]
PLUGIN_FORMS = [("m>=1K", "1 KiB and more", "high nonblocking/blocking", EACH, 1 / 1.15)]

ODD = "p no power of two"
SCENARIO = by_operator("allreduce p=7|13|24|100", "allreduce, OPERATOR, p = 7, 13, 24, 100", "peer",
                       EACH, 1.0, 1.0)
REPRODUCIBLE = [("m>=64K", "64 KiB and more", "free", MEAN, 1 / 1.15),
                ("m<64K", "less than 64 KiB", "free", MEAN, 1 / 1.3)]
UNTUNED = [("p<=100", "p or shapes between the tuned ones", "tuned", MEAN, 0.95),
           ("p<=100", "p or shapes between the tuned ones", "tuned", EACH, 0.85)]
BETWEEN = [("", "sizes between the tuned ones", "tuned", MEAN, 1 / 1.03),
           ("", "sizes between the tuned ones", "tuned", EACH, 1 / 1.15)]
GENERIC = [("", "generic.json, all cells", "peer", MEAN, 1.4),
           ("", "generic.json, every cell", "peer", EACH, 0.97)]
ANY_PAIRS = [
    ("gatherv@*|scatterv@* !*@sparse p>=45 m<=1K", "gatherv and scatterv up to 1 KiB, p ≥ 45",
     "linear", MEAN, 1.5),
    ("alltoallv@sparse", "alltoallv, sparse", "full", MEAN, 2.0),
    ("alltoallv@sparse", "alltoallv, sparse, every cell", "all", EACH, 0.97),
    ("alltoallv@* !*@sparse m<=512", "alltoallv, 8 to 512 B a pair", "with TuNA", MEAN, 1.3),
    ("", "every cell", "first", EACH, 0.95),
    ("", "every cell", "all", EACH, 0.97), RIGHT_RESULTS]

TARGETS = {
    "sim-flat": [
        ("allreduce sum odd m>=64K", f"allreduce, {ODD}, 64 KiB and more", "peer", MEAN, 1.6),
        ("allreduce sum odd m>=64K", f"allreduce, {ODD}, 64 KiB and more", "mpich", MEAN, 2.2),
        ("allreduce sum odd m>=1M p<=100", f"allreduce, {ODD}, 64 KiB and more, p ≤ 100",
         "bound of long", MOST, 1.10),
        ("allreduce sum odd m>=1M p>100", f"allreduce, {ODD}, 64 KiB and more, p > 100",
         "bound of long", MOST, 1.2),
        ("allreduce sum odd m=8", f"allreduce, {ODD}, 8 B", "peer", MEAN, 1.12),
        ("allreduce sum odd m=8", f"allreduce, {ODD}, 8 B", "mpich", MEAN, 1.15),
        ("reduce_scatter_block sum odd", f"reduce_scatter_block, {ODD}", "peer", MEAN, 1.3),
        ("reduce_scatter_block sum odd", f"reduce_scatter_block, {ODD}", "mpich", MEAN, 1.5),
        ("reduce_scatter_block sum odd m>=1M", f"reduce_scatter_block, {ODD}", "bound of long",
         MOST, 1.10),
        ("reduce sum", "reduce", "peer", MEAN, 1.2),
        ("reduce sum", "reduce", "mpich", MEAN, 1.4),
        ("reduce sum m>=1M", "reduce", "bound of long", MOST, 1.5),
        *of_allreduce("odd m>=1K m<=8K", f"{ODD}, 1 to 8 KiB", MEAN, 1.45, 1.4),
        *of_allreduce("odd m=64K", f"{ODD}, 64 KiB", MEAN, 1.75, 1.55),
        *of_allreduce("odd m>=256K", f"{ODD}, 256 KiB and more", MEAN, 1.95, 2.5),
        ("reduce matrix odd m>=64K", f"reduce, {ODD}, 64 KiB and more, matrix product", "peer",
         MEAN, 1.6),
        ("reduce_scatter_block matrix odd m>=64K",
         f"reduce_scatter_block, {ODD}, 64 KiB and more, matrix product", "peer", MEAN, 2.0),
        *of_allreduce("odd", ODD, EACH, 1.1, 1.1),
        *of_allreduce("power", "powers of two", EACH, 1.0, 1.0),
        *of_allreduce("power p>=16 m>=1K m<=8K", "powers of two from 16 on, 1 to 8 KiB", MEAN, 1.2,
                      1.2),
        *of_allreduce("p=1000 m>=1K m<=8K", "p = 1000, 1 KiB and 8 KiB", EACH, 1.25, 1.25),
        ("allreduce matrix odd p<=384 m>=1M",
         f"allreduce, {ODD} up to {LARGEST_P}, 1 MiB and more, matrix product", "bound", MOST,
         1.15),
        RIGHT_RESULTS,
        ("sum", "every cell", "peer", EACH, 0.98),
        ("sum", "all cells", "single", MEAN, 1.05),
        ("sum", "every cell", "single", EACH, 0.97)],
    "sim-flat-eager": SCENARIO,
    "sim-flat-late": SCENARIO,
    "sim-flat-reproducible": REPRODUCIBLE,
    "sim-nodes-reproducible": REPRODUCIBLE,
    "sim-nodes": [
        *of_allreduce("m>=256K", "256 KiB and more", MEAN, 2.6, 6),
        *of_allreduce("m=64K", "64 KiB", MEAN, 2.2, 4),
        *of_allreduce("m<=8K", "up to 8 KiB", MEAN, 1.4, 1.5),
        *by_operator("reduce", "reduce, OPERATOR", "peer", MEAN, 1.5, 2.0),
        *by_operator("reduce_scatter_block", "reduce_scatter_block, OPERATOR", "peer", MEAN, 1.5,
                     2.0),
        RIGHT_RESULTS,
        ("consecutive", "every cell, ranks consecutive", "peer", EACH, 1.05),
        ("cyclic", "every cell, ranks round robin", "peer", EACH, 1.0),
        ("allreduce sum m>=1M", "allreduce, 1 MiB and more, sum", "bound of a card", MOST, 1.25),
        # only ranks that are consecutive can reduce in order inside nodes
        ("allreduce matrix consecutive m>=1M",
         "allreduce, 1 MiB and more, matrix product, ranks consecutive", "bound of a card", MOST,
         1.25)],
    "sim-shapes": [
        ("allreduce switches m=1M", "allreduce of 1 MiB", "prototype", EACH, 1 / 1.05),
        *[(f"{each} switches m>=1M", f"{each}, 1 MiB and more", "peer", EACH, least)
          for each, least in (("bcast", 1.3), ("reduce", 1.3), ("allgather", 1.5),
                              ("reduce_scatter_block", 1.5))],
        ("switches m=64K", "64 KiB", "peer", MEAN, 1.4),
        ("switches m=64K", "64 KiB, every cell", "peer", EACH, 1.2),
        ("switches m<=8K", "up to 8 KiB", "peer", EACH, 1.2),
        ("p=13,2,7,5", "13,2,7,5", "peer", EACH, 1.0),
        ("switches m>=1M", "1 MiB and more", "bound of a card", MOST, 1.45),
        ("switches m=4M", "4 MiB", "bound of a card", MOST, 1.3), RIGHT_RESULTS],
    "sim-flat-moves": [
        *[(f"{each} odd {cells}", f"{each} {text}, {ODD}", "peer", MEAN, least)
          for each, cells, text, least in (
              ("bcast", "m<=8K", "up to 8 KiB", 1.10),
              ("bcast", "m=64K", "of 64 KiB", 1.75),
              ("bcast", "m>=256K", "of 256 KiB and more", 1.8),
              ("allgather", "m<=8K", "up to 8 KiB in all", 1.3),
              ("allgather", "m=64K", "of 64 KiB in all", 1.35),
              ("allgather", "m>=256K", "of 256 KiB and more in all", 1.4),
              ("alltoall", "short_blocks", "up to 1 KiB for each rank", 1.05))],
        ("gather odd", f"gather, {ODD}", "peer", MEAN, 1.0),
        ("scatter odd", f"scatter, {ODD}", "peer", MEAN, 1.0),
        RIGHT_RESULTS,
        ("", "every cell", "peer", EACH, 0.99)],
    "sim-nodes-moves": [
        ("bcast m>=64K", "bcast, 64 KiB and more", "peer", MEAN, 1.5),
        ("allgather m>=64K", "allgather, 64 KiB and more", "peer", MEAN, 1.5),
        ("alltoall", "alltoall", "peer", MEAN, 1.15),
        *[(each, f"{each}, every cell", "peer", EACH, 0.97)
          for each in ("alltoall", "gather", "scatter")], RIGHT_RESULTS],
    "sim-flat-scans": [
        *[(f"scan|exscan {cells}", f"scan and exscan, {text}", measure, how, least)
          for cells, text, measure, how, least in (
              ("m<=8K", "up to 8 KiB", "scan mpich", MEAN, 1.3),
              ("m<=8K p=13", "up to 8 KiB, p = 13", "scan ompi", MEAN, 2.0),
              ("m<=8K p=100", "up to 8 KiB, p = 100", "scan ompi", MEAN, 15.0),
              ("m=64K", "64 KiB", "peer", MEAN, 1.5),
              ("m=1M", "1 MiB", "peer", MEAN, 2.2),
              ("m=8M", "8 MiB", "peer", MEAN, 2.2),
              ("sum m=8M", "8 MiB", "chain", EACH, 1 / 1.05))],
        *of_barrier(1.2)],
    "sim-nodes-scans": [
        ("scan|exscan m>=64K", "scan and exscan, 64 KiB and more", "peer", MEAN, 2.0),
        *of_barrier(1.5)],
    "sim-flat-pairs": [
        *[(f"alltoallv@* !*@sparse m={size} p={p}", f"alltoallv, {size} B a pair, p = {p}",
           measure, MEAN, least)
          for size, minima in ((8, (2.5, 5, 8)), (512, (1.7, 3, 3)))
          for p, least in zip(PAIRS_P, minima) for measure in ("libraries", "with TuNA")],
        *ANY_PAIRS],
    "sim-nodes-pairs": [
        ("alltoallv@* !*@sparse m<=512", "alltoallv, 8 to 512 B a pair", "libraries", MEAN, 2.0),
        ("alltoallv@* !*@sparse m<=512", "alltoallv, 8 to 512 B a pair, nodes", "with TuNA", MEAN,
         1.5), *ANY_PAIRS],
    "sim-flat-uneven": [
        ("reduce_scatter@* sum", "reduce_scatter, sum", "peer", MEAN, 3.5),
        ("reduce_scatter@* sum", "reduce_scatter, sum", "bound", MOST, 1.6),
        ("reduce_scatter@* matrix", "reduce_scatter, operator that does not commute", "peer", MEAN,
         1.5),
        ("allgatherv@* p=13", "allgatherv, half at one rank, p = 13", "peer", MEAN, 1.7),
        ("allgatherv@* p=100", "allgatherv, half at one rank, p = 100", "peer", MEAN, 5.0),
        ("allgatherv@*", "allgatherv, half at one rank", "bound", MOST, 1.6),
        RIGHT_RESULTS,
        ("", "every cell", "peer", EACH, 1.0)],
    "sim-flat-untuned": [
        *UNTUNED,
        ("p>100", "p beyond 100, the largest tuned one", "tuned", MEAN, 0.93),
        ("p>100", "p beyond 100, the largest tuned one", "tuned", EACH, 0.80)],
    "sim-nodes-untuned": [("", *target[1:]) for target in UNTUNED],
    **{f"sim-{network}-between{moves}": BETWEEN for network in ("flat", "nodes")
       for moves in ("", "-moves")},
    **{f"sim-{network}-generic": GENERIC
       for network in ("flat", "flat-eager", "flat-late", "tree", "nodes", "cards")},
    "netlab": [
        ("allreduce sum odd m=8", "allreduce 8 BMEASURED", "stock", MEAN, 1.2),
        ("allreduce sum odd m=128K", "allreduce 128 KiBMEASURED", "stock", MEAN, 1.7),
        ("allreduce sum odd m=1M", "allreduce 1 MiBMEASURED", "stock", MEAN, 2.2),
        ("allreduce matrix odd m=1M", "allreduce non-commutative 1 MiBMEASURED", "stock", MEAN,
         2.8),
        ("reduce_scatter_block sum odd m=128K", "reduce_scatter_block 128 KiBMEASURED", "stock",
         MEAN, 1.7),
        ("reduce sum odd m=1M", "reduce 1 MiBMEASURED", "stock", MEAN, 2.0),
        ("", "every cell", "stock", EACH, 0.98),
        *of_hindsight(1.10, ("m=64K|256K|1M", "64 KiB and more", (2.0, 2.5)))],
    "netlab-5.0": of_hindsight(1.00, ("m=1K|8K", "1 KiB and 8 KiB", (1.15, 1.15)),
                               ("m=64K|256K|1M", "64 KiB and more", (2.0, 2.0))),
    "netlab-nodes": [
        ("allreduce sum p=6x4 m=128K", "allreduce 128 KiB, 6x4", "stock", EACH, 2.5),
        ("allreduce sum p=6x4 m=1M", "allreduce 1 MiB, 6x4", "stock", EACH, 2.5),
        ("", "every cell", "stock", EACH, 0.98),
        ("", "every cell", "hindsight", EACH, 1.00)],
    "netlab-moves": [
        (f"{each} odd m>=64K", f"{each}, 64 KiB and more", "hindsight", MEAN, 1.3)
        for each in ("bcast", "allgather")],
    "netlab-queues": [("", "alltoall of 16 KiB to each rank", "stock", EACH, 1.5)],
    "netlab-forms": [
        *[("allreduce odd m=1M", f"allreduce 1 MiB, p no power of two, {form}", form, EACH, 2.0)
          for form in ("nonblocking", "persistent", "overlap")],
        ("", "every cell", "high nonblocking/blocking", EACH, 1 / 1.1),
        ("", "every cell", "high persistent/blocking", EACH, 1 / 1.1)],
    "node-mpich": of_node(3.0),
    "node-openmpi": of_node(2.0),
    "node-openmpi-sm": of_node(2.0)[:-3],
    "node-mpich-nonblocking": NODE_NONBLOCKING,
    "node-openmpi-nonblocking": NODE_NONBLOCKING,
    "netlab-plugin-forms": [("", "every cell, nonblocking", "nonblocking", EACH, 1.5)],
    "plugin-mpich-forms": [*PLUGIN_FORMS, ("", "all cells", "persistent", MEAN, 1.5)],
    "plugin-openmpi-forms": PLUGIN_FORMS,
    "pair-forms": [("", "every cell", "high persistent/blocking", EACH, 1 / 1.05),
                   ("", "every cell", "high persistent", EACH, 1.00)]}


# ---- their evaluation ----

WORDS = {"odd": lambda c: not c.power, "power": lambda c: c.power,
         "cyclic": lambda c: str(c.p).endswith("cyclic"),
         "consecutive": lambda c: not str(c.p).endswith("cyclic"),
         "switches": lambda c: c.p in SHAPES_PROTOTYPE,
         "short_blocks": lambda c: c.bytes <= KI * c.p}
COMPARE = {"<": compare.lt, "<=": compare.le, ">": compare.gt, ">=": compare.ge}


def size_of(text):
    return int(text.rstrip("KM")) << {"K": 10, "M": 20}.get(text[-1], 0)


def word_test(word):
    """A test of cells: one of WORDS; an operator; p or m, the bytes, compared with a number, or
    equal to one of some; names of collectives, or with ! those that it is not"""
    if word in WORDS:
        return WORDS[word]
    if word in (*OPERATORS, NONE):
        return lambda c: c.operator == word
    if found := re.fullmatch(r"([pm])(<|<=|>|>=)(\w+)", word):
        holds, limit = COMPARE[found[2]], size_of(found[3])
        return lambda c: holds(int(c.p) if found[1] == "p" else c.bytes, limit)
    values = word[2:].split("|")
    if word.startswith("p="):
        return lambda c: str(c.p) in values
    if word.startswith("m="):
        return lambda c: c.bytes in map(size_of, values)
    names = word.lstrip("!").split("|")
    return lambda c: any(fnmatch.fnmatchcase(c.collective, name) for name in names) != (
        word[0] == "!")


def belongs(words):
    """A test of cells, which all words fulfil"""
    tests = [word_test(word) for word in words.split()]
    return lambda c: all(test(c) for test in tests)


# Some of the cells can miss a target, but only all can meet it
MET, SO_FAR, MISSED, UNKNOWN = "met", "met so far", "missed", "not measured"


class Verdict:
    """Of one target. text: the group; wanted and measured: text; worst: the worst cell with its
    ratio; cells: how many were measured, of how many."""

    def __init__(self, text, wanted):
        self.text, self.wanted, self.status = text, wanted, UNKNOWN
        self.measured = self.worst = self.cells = ""

    def finish(self, missed, known, expected):
        """missed: how, or nothing"""
        self.status = f"{MISSED} {missed}" if missed else MET if known >= expected else SO_FAR
        self.cells = f"{known}" if known >= expected else f"{known} of {expected}"


def named(failed):
    return f"in {len(failed)} cell{'s' * (len(failed) > 1)}" if failed else ""


def judge(target, data, plan):
    """The verdict on a row of the table"""
    words, text, measure, how, wanted = target
    among = belongs(words)
    cells = [c for c in data.cells if among(c)]
    expected = len([c for c in plan if among(c)])
    label, of = MEASURES[measure]
    procs = f", p = {', '.join(str(c.p) for c in cells)}" if cells else ""
    verdict = Verdict(f"{text.replace('MEASURED', procs)}: {label}", {
        MEAN: f"≥ {wanted:.2f}", EACH: f"each ≥ {wanted:.2f}", MOST: f"≤ {wanted:.2f}",
        RIGHT: "right"}[how])
    if how == RIGHT:            # AnyP did not crash and was not wrong in any cell
        failed = [c for c in cells if c.lost.get("anyp", ("",))[0] in ("crashed", "wrong")]
        if cells:
            verdict.worst = "; ".join(f"{c.lost['anyp'][0]}: {c}" for c in failed[:3])
            verdict.finish(f"in {len(failed)} cells" * bool(failed),
                           len([c for c in cells if "anyp" in c.times]), expected)
        return verdict
    known = [(of(c), c) for c in cells]
    known = [pair for pair in known if pair[0] is not None]
    if not known:
        return verdict
    if how == EACH:
        known = sorted((value, str(cell)) for value, cell in known)
        low = [pair for pair in known if pair[0] < wanted]
        verdict.measured = f"least {known[0][0]:.3f}"
        verdict.worst = "; ".join(f"{value:.3f}: {cell}" for value, cell in (low or known)[:3])
        verdict.worst += f"; and {len(low) - 3} more" * (len(low) > 3)
        verdict.finish(named(low), len(known), expected)
        return verdict
    reached = mean([value for value, _ in known])
    worst = (max if how == MOST else min)(known, key=lambda pair: pair[0])
    good = reached <= wanted if how == MOST else reached >= wanted
    verdict.measured, verdict.worst = f"{reached:.3f}", f"{worst[0]:.3f}: {worst[1]}"
    verdict.finish("" if good else f"by {abs(reached / wanted - 1) * 100:.1f} %", len(known),
                   expected)
    return verdict


def verdicts(name, data):
    """[Verdict] on the data"""
    plan = planned(name, data)
    found = [judge(target, data, plan) for target in TARGETS.get(name, [])]
    if name == "netlab-nodes":
        # the first two also say how far MPICH's own choice is from the bound, beyond which no
        # algorithm can be faster
        for verdict, target in zip(found, TARGETS[name][:2]):
            for c in filter(belongs(target[0]), data.cells):
                if c.best("peer") and c.time("bound"):
                    verdict.measured += ("; stock / bound "
                                         f"{c.best('peer')[0] / c.time('bound'):.2f}")
    return found


# ---- others ----

def drawn_sizes(sizes, seed):
    """A size between each two, by logarithms, a multiple of 16, the bytes of a 2x2 matrix"""
    draw = random.Random(seed)
    return [16 * round(math.exp(draw.uniform(math.log(max(low, 128)), math.log(high))) / 16)
            for low, high in zip(sizes, sizes[1:])]


def is_sparse(c):
    return c.collective.endswith("@sparse")


def sim_missing(data):
    """{[(p, bytes) that the measurements of the flat network lack]: [collective and operator]}"""
    there = {(c.collective, c.operator, c.p, c.bytes) for c in data.cells if "anyp" in c.times}
    lost, missing = {}, {}
    for c in PLANS["sim-flat"]:
        if (c.collective, c.operator, c.p, c.bytes) not in there:
            kind = "sum" if c.operator == "sum" else "matrix product"
            lost.setdefault(f"{c.collective}, {kind}", []).append((c.p, c.bytes))
    for name, pairs in lost.items():
        missing.setdefault(tuple(pairs), []).append(name)
    return missing


def sim_wrong(data):
    """The head lines about peers that crash or have wrong results"""
    return [f"{key}: {value.removeprefix('peer:')}" for key, value in data.head
            if key in ("wrong", "crashed") and value.startswith("peer:")]
