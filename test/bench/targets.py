# SPDX-License-Identifier: BSD-3-Clause
"""The targets of AnyP, and whether the data meet them.

A ratio is the other's time divided by AnyP's, so that AnyP is faster above 1; only against the
bound it is AnyP's time divided by the bound's. A target is for the geometric mean of a group of
cells, or for each of them.
"""
import math
import random

from cells import (MOVES, NONE, OPERATORS, SCANS, UNEVEN, Procs, is_tuna, mean, operators_of,
                   size_text)

KI, MI = 1 << 10, 1 << 20
SIM_P = [3, 5, 6, 7, 9, 12, 13, 15, 16, 20, 23, 24, 32, 36, 40, 48, 63, 64, 65, 96, 100, 127, 128,
         192, 384, 768, 1000]
SIM_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI, 8 * MI]
SIM_COLLECTIVES = ["allreduce", "reduce_scatter_block", "reduce", "reduce_scatter"]
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
KINDS = {"sum": "sum", "matrix": "matrix product"}
LARGEST_TUNED_P = 100
LARGEST_P = 384                 # of 8 MiB: simulated ranks share one machine's memory
NODES = [Procs(shape) for shape in ("13x8", "12x24", "6x48", "20x16", "9x7", "24x4", "12x8,3",
                                    "12x8:cyclic")]
NODES_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI, 4 * MI]
# Nodes at switches of 8 or 16, with the us of allreduce of 1 MiB by a prototype that knows these;
# and nodes of very different sizes
SHAPES_PROTOTYPE = {Procs(shape): time for shape, time in {
    "dragonfly/5x(8x1),(5x1)": 221, "dragonfly/(2x(4x(8x1))),(3x(8x1),(3x1))": 252,
    "dragonfly/5x(8x4),(5x4)": 232, "dragonfly/(8x8),(5x8)": 186,
    "dragonfly/5x(8x1),(5x1):random": 277, "fat-tree/2x(16x1),(13x1)": 194,
    "fat-tree/5x(16x1),(11x1)": 205}.items()}
SHAPES = [*SHAPES_PROTOTYPE, Procs("13,2,7,5")]
SHAPES_COLLECTIVES = ["allreduce", "reduce", "reduce_scatter_block", "bcast", "allgather"]
SHAPES_BYTES = [KI, 8 * KI, 64 * KI, MI, 3 * MI, 4 * MI]
BETWEEN_MOST, BETWEEN_MEAN = 1.15, 1.03     # times of the best, at sizes that were not tuned
NETLAB_P = [11, 13, 15, 21, 24]
NETLAB_MIN_P = [11, 13]         # on any machine
NETLAB_BYTES = [8, KI, 8 * KI, 64 * KI, 256 * KI, MI]
NETLAB_OTHERS = [("reduce_scatter_block", "sum", 128 * KI), ("reduce", "sum", MI)]
NETLAB_OTHERS_P = [13, 15, 24]
NETLAB_MOVES = [(collective, NONE, size) for collective in ("bcast", "allgather")
                for size in (64 * KI, 256 * KI, MI)]
NETLAB_MOVES_P = [13, 21]
NETLAB_NODES = [Procs("5x4,2"), Procs("6x4")]
NETLAB_FORMS_P = [12, 13, 24]
PAIR_FORMS_SIZES = 10       # 8 B to 1 MiB
PAIR_COLLECTIVES = ["allreduce", "reduce", "reduce_scatter_block"]
PAIR_CELLS = 38                 # 13 sizes; the smallest has too few elements for blocks

SIM_PEERS = 3

# Some of the cells can miss a target, but only all can meet it
MET, SO_FAR, MISSED, UNKNOWN = "met", "met so far", "missed", "not measured"


class Verdict:
    """Of one target. text: the group; wanted and measured: text; worst: the worst cell with its
    ratio; cells: how many were measured, of how many."""

    def __init__(self, text, wanted, status, measured="", worst="", cells=""):
        self.text, self.wanted, self.status = text, wanted, status
        self.measured, self.worst, self.cells = measured, worst, cells


def missed_by(reached, wanted):
    """By how many percent"""
    return f"{abs(reached / wanted - 1) * 100:.1f} %"


def judge_mean(text, pairs, wanted, expected=None, maximum=False):
    """pairs: [(ratio or None, cell)]; `wanted` is the minimum of the mean, or the `maximum`."""
    known = [(ratio, cell) for ratio, cell in pairs if ratio is not None]
    sign = "≤" if maximum else "≥"
    if not known:
        return Verdict(text, f"{sign} {wanted:.2f}", UNKNOWN)
    reached = mean([ratio for ratio, _ in known])
    worst = (max if maximum else min)(known, key=lambda pair: pair[0])
    good = reached <= wanted if maximum else reached >= wanted
    expected = expected or len(pairs)
    return Verdict(text, f"{sign} {wanted:.2f}",
                   met(len(known), expected) if good
                   else f"{MISSED} by {missed_by(reached, wanted)}", f"{reached:.3f}",
                   f"{worst[0]:.3f}: {worst[1]}", of(len(known), expected))


def met(known, expected):
    return MET if known >= expected else SO_FAR


def of(known, expected):
    return f"{known}" if known >= expected else f"{known} of {expected}"


def judge_each(text, pairs, wanted, expected=None):
    """`wanted` is the minimum of each ratio."""
    known = sorted(((ratio, str(cell)) for ratio, cell in pairs if ratio is not None))
    if not known:
        return Verdict(text, f"each ≥ {wanted:.2f}", UNKNOWN)
    low = [pair for pair in known if pair[0] < wanted]
    named = "; ".join(f"{ratio:.3f}: {cell}" for ratio, cell in (low or known)[:3])
    if len(low) > 3:
        named += f"; and {len(low) - 3} more"
    expected = expected or len(pairs)
    return Verdict(text, f"each ≥ {wanted:.2f}",
                   met(len(known), expected) if not low
                   else f"{MISSED} in {len(low)} cell{'s' * (len(low) > 1)}",
                   f"least {known[0][0]:.3f}", named, of(len(known), expected))


# ---- simulated ----

def sim_cells():
    """(p, bytes) that each collective should have"""
    return [(p, size) for p in SIM_P for size in SIM_BYTES if size < 8 * MI or p <= LARGEST_P]


def sim_groups():
    """[(text, collective, (p, bytes) belongs, against the best peer, against mpich, [(text, p
    belongs, against the bound at 1 MiB and more)])]"""
    odd = lambda p: p & (p - 1) != 0
    return [
        ("allreduce, p no power of two, 64 KiB and more", "allreduce",
         lambda p, size: odd(p) and size >= 64 * KI, 1.6, 2.2,
         [(", p ≤ 100", lambda p: p <= 100, 1.10), (", p > 100", lambda p: p > 100, 1.2)]),
        ("allreduce, p no power of two, 8 B", "allreduce",
         lambda p, size: odd(p) and size == 8, 1.12, 1.15, []),
        ("reduce_scatter_block, p no power of two", "reduce_scatter_block",
         lambda p, size: odd(p), 1.3, 1.5, [("", lambda p: True, 1.10)]),
        ("reduce", "reduce", lambda p, size: True, 1.2, 1.4, [("", lambda p: True, 1.5)]),
    ]


def sim_kind_groups():
    """[(text, collective, (p, bytes) belongs, {operator: wanted against the best peer}, how it is
    judged)]"""
    odd = lambda p: p & (p - 1) != 0
    short = lambda size: KI <= size <= 8 * KI
    return [
        ("allreduce, p no power of two, 1 to 8 KiB", "allreduce",
         lambda p, size: odd(p) and short(size), {"sum": 1.45, "matrix": 1.4}, judge_mean),
        ("allreduce, p no power of two, 64 KiB", "allreduce",
         lambda p, size: odd(p) and size == 64 * KI, {"sum": 1.75, "matrix": 1.55}, judge_mean),
        ("allreduce, p no power of two, 256 KiB and more", "allreduce",
         lambda p, size: odd(p) and size >= 256 * KI, {"sum": 1.95, "matrix": 2.5}, judge_mean),
        ("reduce, p no power of two, 64 KiB and more", "reduce",
         lambda p, size: odd(p) and size >= 64 * KI, {"matrix": 1.6}, judge_mean),
        ("reduce_scatter_block, p no power of two, 64 KiB and more", "reduce_scatter_block",
         lambda p, size: odd(p) and size >= 64 * KI, {"matrix": 2.0}, judge_mean),
        ("allreduce, p no power of two", "allreduce",
         lambda p, size: odd(p), {"sum": 1.1, "matrix": 1.1}, judge_each),
        ("allreduce, powers of two", "allreduce",
         lambda p, size: not odd(p), {"sum": 1.0, "matrix": 1.0}, judge_each),
        ("allreduce, powers of two from 16 on, 1 to 8 KiB", "allreduce",
         lambda p, size: not odd(p) and p >= 16 and short(size), {"sum": 1.2, "matrix": 1.2},
         judge_mean),
        ("allreduce, p = 1000, 1 KiB and 8 KiB", "allreduce",
         lambda p, size: p == 1000 and short(size), {"sum": 1.25, "matrix": 1.25}, judge_each),
    ]


def over_best_peer(cell):
    """None if a peer was not measured: it could be the best. A wrong one is no rival."""
    known = {who for who, (why, _) in cell.lost.items() if why != "left out"} | set(cell.times)
    known = [who for who in known if who.startswith("peer:")]
    return cell.over_anyp("peer") if len(known) == SIM_PEERS else None


def over_best_single(cell):
    return cell.over_anyp("single") if cell.all_measured("single") else None


def judge_results(cells, expected):
    """AnyP did not crash and was not wrong in any cell"""
    failed = [c for c in cells if c.lost.get("anyp", ("",))[0] in ("crashed", "wrong")]
    known = len([c for c in cells if "anyp" in c.times])
    named = "; ".join(f"{c.lost['anyp'][0]}: {c}" for c in failed[:3])
    status = f"{MISSED} in {len(failed)} cells" if failed else met(known, expected)
    return Verdict("every cell: AnyP's results", "right", status if cells else UNKNOWN, "", named,
                   of(known, expected))


def sim_verdicts(data):
    verdicts = []
    for text, collective, belongs, peer, mpich, bounds in sim_groups():
        cells = data.select(collective, test=lambda c: belongs(c.p, c.bytes))
        expected = [pair for pair in sim_cells() if belongs(*pair)]
        verdicts.append(judge_mean(f"{text}: best peer / AnyP",
                                   [(over_best_peer(c), c) for c in cells], peer, len(expected)))
        verdicts.append(judge_mean(f"{text}: mpich selector / AnyP",
                                   [(c.over_anyp("peer", "mpich"), c) for c in cells], mpich,
                                   len(expected)))
        for more, among, bound in bounds:
            large = [c for c in cells if c.bytes >= MI and among(c.p)]
            verdicts.append(judge_mean(
                f"{text}{more}: AnyP / bound, 1 MiB and more", [(c.over_bound(), c) for c in large],
                bound, len([1 for p, size in expected if size >= MI and among(p)]), maximum=True))
    for text, collective, belongs, wanted, judge in sim_kind_groups():
        expected = len([1 for pair in sim_cells() if belongs(*pair)])
        for operator, minimum in wanted.items():
            cells = data.select(collective, operator, lambda c: belongs(c.p, c.bytes))
            verdicts.append(judge(f"{text}, {KINDS[operator]}: best peer / AnyP",
                                  [(over_best_peer(c), c) for c in cells], minimum, expected))
    large = lambda p, size: p & (p - 1) != 0 and p <= LARGEST_P and size >= MI
    cells = data.select("allreduce", "matrix", lambda c: large(c.p, c.bytes))
    verdicts.append(judge_mean(
        f"allreduce, p no power of two up to {LARGEST_P}, 1 MiB and more, matrix product: "
        "AnyP / bound",
        [(c.over_bound(), c) for c in cells], 1.15,
        len([1 for pair in sim_cells() if large(*pair)]), maximum=True))
    cells = data.select()
    expected = len(SIM_COLLECTIVES) * len(sim_cells())
    singles = [(over_best_single(c), c) for c in cells]
    verdicts.append(judge_results(data.select(operator=None), expected * len(OPERATORS)))
    verdicts.append(judge_each("every cell: best peer / AnyP",
                               [(over_best_peer(c), c) for c in cells], 0.98, expected))
    verdicts.append(judge_mean("all cells: best single algorithm, with hindsight / AnyP", singles,
                               1.05, expected))
    verdicts.append(judge_each("every cell: best single algorithm, with hindsight / AnyP", singles,
                               0.97, expected))
    return verdicts


def moves_groups():
    """[(text, collective, (p, bytes) belongs, wanted against the best peer)]; all cells are of p
    that are no powers of two."""
    groups = []
    for collective, wanted in ("bcast", (1.10, 1.75, 1.8)), ("allgather", (1.3, 1.35, 1.4)):
        all_blocks = " in all" * (collective == "allgather")
        groups += [(f"{collective} {text}{all_blocks}, p no power of two", collective, belongs,
                    minimum) for minimum, (text, belongs) in zip(wanted, (
                        ("up to 8 KiB", lambda p, size: size <= 8 * KI),
                        ("of 64 KiB", lambda p, size: size == 64 * KI),
                        ("of 256 KiB and more", lambda p, size: size >= 256 * KI)))]
    return groups + [
        ("alltoall up to 1 KiB for each rank, p no power of two", "alltoall",
         lambda p, size: size <= KI * p, 1.05),
        *[(f"{collective}, p no power of two", collective, lambda p, size: True, 1.0)
          for collective in ("gather", "scatter")]]


def moves_cells(collective, procs):
    """[(p, bytes)] that are measured"""
    return [(p, size) for p in procs if collective != "alltoall" or p <= ALLTOALL_MOST
            for size in MOVES_BYTES]


def moves_verdicts(data):
    verdicts = []
    number = sum(len(moves_cells(each, MOVES_P)) for each in MOVES)
    for text, collective, belongs, wanted in moves_groups():
        among = lambda p, size, belongs=belongs: p & (p - 1) != 0 and belongs(p, size)
        cells = data.select(collective, NONE, lambda c: among(c.p, c.bytes))
        verdicts.append(judge_mean(f"{text}: best peer / AnyP",
                                   [(over_best_peer(c), c) for c in cells], wanted,
                                   len([1 for pair in moves_cells(collective, MOVES_P)
                                        if among(*pair)])))
    cells = data.select(operator=NONE)
    return verdicts + [
        judge_results(cells, number),
        judge_each("every cell: best peer / AnyP", [(over_best_peer(c), c) for c in cells], 0.99,
                   number)]


def nodes_moves_verdicts(data):
    verdicts = []
    for collective in "bcast", "allgather":
        cells = data.select(collective, NONE, lambda c: c.bytes >= 64 * KI)
        verdicts.append(judge_mean(
            f"{collective}, 64 KiB and more: best peer / AnyP",
            [(over_best_peer(c), c) for c in cells], 1.5,
            len(NODES) * len([1 for size in MOVES_BYTES if size >= 64 * KI])))
    pairs = {each: [(over_best_peer(c), c) for c in data.select(each, NONE)]
             for each in ("alltoall", "gather", "scatter")}
    verdicts.append(judge_mean("alltoall: best peer / AnyP", pairs["alltoall"], 1.15))
    verdicts += [judge_each(f"{each}, every cell: best peer / AnyP", some, 0.97)
                 for each, some in pairs.items()]
    return verdicts + [judge_results(data.select(operator=NONE),
                                     sum(len(moves_cells(each, NODES)) for each in MOVES))]


def uneven_groups():
    """[(text, collective without its shape, operator, p or None, wanted against the best peer and
    against the bound, or None)]"""
    return [("reduce_scatter, sum", "reduce_scatter", "sum", None, 3.5, 1.6),
            ("reduce_scatter, operator that does not commute", "reduce_scatter", "matrix", None,
             1.5, None),
            ("allgatherv, half at one rank, p = 13", "allgatherv", NONE, 13, 1.7, None),
            ("allgatherv, half at one rank, p = 100", "allgatherv", NONE, 100, 5.0, None),
            ("allgatherv, half at one rank", "allgatherv", NONE, None, None, 1.6)]


def uneven_verdicts(data):
    verdicts = []
    shapes = lambda collective: [each for each in UNEVEN if each.split("@")[0] == collective]
    for text, collective, operator, p, peer, bound in uneven_groups():
        cells = [c for each in shapes(collective) for c in data.select(each, operator)
                 if p in (None, c.p)]
        number = len(shapes(collective)) * len(UNEVEN_BYTES) * (1 if p else len(UNEVEN_P))
        if peer:
            verdicts.append(judge_mean(f"{text}: best peer / AnyP",
                                       [(over_best_peer(c), c) for c in cells], peer, number))
        if bound:
            verdicts.append(judge_mean(f"{text}: AnyP / bound",
                                       [(c.over_bound(), c) for c in cells], bound, number,
                                       maximum=True))
    cells = data.select(operator=None)
    number = len(UNEVEN_P) * len(UNEVEN_BYTES) * sum(len(operators_of(each)) for each in UNEVEN)
    return verdicts + [
        judge_results(cells, number),
        judge_each("every cell: best peer / AnyP", [(over_best_peer(c), c) for c in cells], 1.0,
                   number)]


def scans_cells(procs):
    """[(p, bytes)] that are measured of each scan and operator"""
    return [(p, size) for p in procs for size in SCANS_BYTES if p * size <= SCANS_MOST]


def judge_scans(data, procs, text, over, wanted, belongs, operators=OPERATORS, judge=judge_mean):
    """Of both scans; belongs(p, bytes)"""
    cells = [c for each in SCANS[:2] for operator in operators
             for c in data.select(each, operator, lambda c: belongs(c.p, c.bytes))]
    return judge(f"scan and exscan, {text} / AnyP", [(over(c), c) for c in cells], wanted,
                 2 * len(operators) * len([1 for pair in scans_cells(procs) if belongs(*pair)]))


def barrier_verdicts(data, procs, wanted):
    pairs = [(over_best_peer(c), c) for c in data.select("barrier", NONE)]
    return [judge_mean("barrier: best peer / AnyP", pairs, wanted, len(procs)),
            judge_each("barrier, every cell: best peer / AnyP", pairs, 1.0, len(procs)),
            judge_results(data.select(operator=None),
                          4 * len(scans_cells(procs)) + len(procs))]


def scans_verdicts(data):
    def scans(*more, **options):
        return judge_scans(data, SCANS_P, *more, **options)

    mpich, ompi = (lambda c, name=name: c.over_anyp("peer", name) for name in ("mpich", "ompi"))
    chain = lambda c: c.over_anyp("single")
    return [
        scans("up to 8 KiB: mpich", mpich, 1.3, lambda p, size: size <= 8 * KI),
        *[scans(f"up to 8 KiB, p = {some}: ompi", ompi, wanted,
                lambda p, size, some=some: size <= 8 * KI and p == some)
          for some, wanted in ((13, 2.0), (100, 15.0))],
        *[scans(f"{size_text(some)}: best peer", over_best_peer, wanted,
                lambda p, size, some=some: size == some)
          for some, wanted in ((64 * KI, 1.5), (MI, 2.2), (8 * MI, 2.2))],
        scans("8 MiB: best chain of segments", chain, 1 / 1.05, lambda p, size: size == 8 * MI,
              operators=["sum"], judge=judge_each),
        *barrier_verdicts(data, SCANS_P, 1.2)]


def nodes_scans_verdicts(data):
    return [judge_scans(data, SCANS_NODES, "64 KiB and more: best peer", over_best_peer, 2.0,
                        lambda p, size: size >= 64 * KI),
            *barrier_verdicts(data, SCANS_NODES, 1.5)]


def over_pairs(tuna, others):
    """A function of a cell: the time of the fastest of all peers and single algorithms that were
    measured, of TuNA's or the others or both, divided by AnyP's"""
    def over(c):
        known = [value for kind in ("peer", "single") for name, value in c.named(kind).items()
                 if (tuna if is_tuna(name) else others)]
        return min(known) / c.times["anyp"].value if known and "anyp" in c.times else None
    return over


def judge_pairs(data, text, wanted, belongs, over, judge=judge_mean):
    """Of all rivals, unless they are named"""
    cells = data.select(operator=NONE, test=belongs)
    return judge(text, [(over(c), c) for c in cells], wanted)


def is_alltoallv(c, *sizes):
    return c.collective.startswith("alltoallv@") and not is_sparse(c) and c.bytes in sizes


def is_sparse(c):
    return c.collective.endswith("@sparse")


def any_pairs_verdicts(data):
    """Of both networks"""
    every, libraries = over_pairs(True, True), over_pairs(False, True)
    linear = lambda c: c.over_anyp("peer")
    alltoallv = lambda c: c.collective.startswith("alltoallv@")
    return [
        judge_pairs(data, "gatherv and scatterv up to 1 KiB, p ≥ 45: linear / AnyP", 1.5,
                    lambda c: not alltoallv(c) and not is_sparse(c) and c.p >= 45 and
                    c.bytes <= KI, libraries),
        judge_pairs(data, "alltoallv, sparse: best peer, which sends empty messages / AnyP", 2.0,
                    lambda c: alltoallv(c) and is_sparse(c), linear),
        judge_pairs(data, "alltoallv, sparse, every cell: the fastest of all / AnyP", 0.97,
                    lambda c: alltoallv(c) and is_sparse(c), every, judge_each),
        judge_pairs(data, "every cell: the fastest of all / AnyP", 0.97, lambda c: True, every,
                    judge_each),
        judge_results(data.select(operator=NONE), len(data.cells))]


def pairs_verdicts(data):
    verdicts = []
    for size, minima in ((8, (2.5, 5, 8)), (512, (1.7, 3, 3))):
        for p, wanted in zip(PAIRS_P, minima):
            for text, over in (("of the libraries", over_pairs(False, True)),
                               ("of all with TuNA", over_pairs(True, True))):
                verdicts.append(judge_pairs(
                    data, f"alltoallv, {size_text(size)} a pair, p = {p}: the fastest {text} / "
                    "AnyP", wanted,
                    lambda c, size=size, p=p: is_alltoallv(c, size) and c.p == p, over))
    return verdicts + any_pairs_verdicts(data)


def nodes_pairs_verdicts(data):
    return [judge_pairs(data, f"alltoallv, 8 to 512 B a pair: the fastest {text} / AnyP", 2.0,
                        lambda c: is_alltoallv(c, 8, 64, 512), over)
            for text, over in (("of the libraries", over_pairs(False, True)),
                               ("of all with TuNA", over_pairs(True, True)))] + \
        any_pairs_verdicts(data)


def scenario_verdicts(data):
    return [judge_each(f"allreduce, {KINDS[operator]}, p = {', '.join(map(str, SCENARIO_P))}: "
                       "best peer / AnyP",
                       [(over_best_peer(c), c) for c in data.select("allreduce", operator)
                        if c.p in SCENARIO_P], 1.0, len(SCENARIO_P) * len(SIM_BYTES))
            for operator in OPERATORS]


def reproducible_verdicts(data):
    """Both sizes, over all collectives and operators"""
    cells = data.select(operator=None)
    long = [c for c in cells if c.bytes >= 64 * KI]
    short = [c for c in cells if c.bytes < 64 * KI]
    return [judge_mean(f"{text}: AnyP free to choose / reproducible",
                       [(c.over_anyp("peer", "free"), c) for c in some], wanted)
            for text, some, wanted in (("64 KiB and more", long, 1 / 1.15),
                                       ("less than 64 KiB", short, 1 / 1.3))]


def untuned_verdicts(data):
    """Between the measured numbers of processes, and beyond the largest"""
    far = lambda c: not isinstance(c.p, Procs) and c.p > LARGEST_TUNED_P
    cells = data.select(operator=None)
    verdicts = []
    for text, some, mean_wanted, wanted in (
            ("p or shapes between the tuned ones", [c for c in cells if not far(c)], 0.95, 0.85),
            (f"p beyond {LARGEST_TUNED_P}, the largest tuned one", [c for c in cells if far(c)],
             0.93, 0.80)):
        pairs = [(c.over_anyp("peer", "tuned"), c) for c in some]
        if pairs:
            verdicts += [judge(f"{text}: AnyP with a file tuned for them / AnyP", pairs, limit)
                         for judge, limit in ((judge_mean, mean_wanted), (judge_each, wanted))]
    return verdicts


def drawn_sizes(sizes, seed):
    """A size between each two, by logarithms, a multiple of 16, the bytes of a 2x2 matrix"""
    draw = random.Random(seed)
    return [16 * round(math.exp(draw.uniform(math.log(max(low, 128)), math.log(high))) / 16)
            for low, high in zip(sizes, sizes[1:])]


def between_verdicts(data):
    pairs = [(c.over_anyp("peer", "tuned"), c) for c in data.select(operator=None)]
    text = "sizes between the tuned ones: AnyP with a file tuned for them / AnyP"
    return [judge_mean(text, pairs, 1 / BETWEEN_MEAN), judge_each(text, pairs, 1 / BETWEEN_MOST)]


def shapes_verdicts(data):
    sizes_at_switches = len(SHAPES_PROTOTYPE) * len([s for s in SHAPES_BYTES if s >= MI])
    all_cells = data.select(operator=None)
    at_switches = [c for c in all_cells if c.p in SHAPES_PROTOTYPE]

    def peers(text, judge, wanted, cells, expected):
        return judge(f"{text}: best peer / AnyP", [(over_best_peer(c), c) for c in cells], wanted,
                     expected)

    def bound(text, wanted, cells, expected):
        return judge_mean(f"{text}: AnyP / bound of a card", [(c.over_bound(), c) for c in cells],
                          wanted, expected, maximum=True)

    verdicts = [judge_each("allreduce of 1 MiB: a prototype / AnyP", [
        (SHAPES_PROTOTYPE[c.p] / c.time("anyp"), c) for c in at_switches
        if (c.collective, c.bytes) == ("allreduce", MI) and "anyp" in c.times], 1 / 1.05,
        len(SHAPES_PROTOTYPE))]
    for collectives, wanted in ((("bcast", "reduce"), 1.3),
                                (("allgather", "reduce_scatter_block"), 1.5)):
        verdicts += [peers(
            f"{each}, 1 MiB and more", judge_each, wanted,
            [c for c in at_switches if c.collective == each and c.bytes >= MI], sizes_at_switches)
            for each in collectives]
    number = len(SHAPES_COLLECTIVES)
    middle = [c for c in at_switches if c.bytes == 64 * KI]
    verdicts += [peers(text, judge, wanted, middle, number * len(SHAPES_PROTOTYPE))
                 for text, judge, wanted in (("64 KiB", judge_mean, 1.4),
                                             ("64 KiB, every cell", judge_each, 1.2))]
    return verdicts + [
        peers("up to 8 KiB", judge_each, 1.2, [c for c in at_switches if c.bytes <= 8 * KI],
              number * len(SHAPES_PROTOTYPE) * len([s for s in SHAPES_BYTES if s <= 8 * KI])),
        peers(f"{SHAPES[-1]}", judge_each, 1.0, [c for c in all_cells if c.p == SHAPES[-1]],
              number * len(SHAPES_BYTES)),
        bound("1 MiB and more", 1.45, [c for c in at_switches if c.bytes >= MI],
              number * sizes_at_switches),
        bound("4 MiB", 1.3, [c for c in at_switches if c.bytes == 4 * MI],
              number * len(SHAPES_PROTOTYPE)),
        judge_results(all_cells, number * len(SHAPES) * len(SHAPES_BYTES))]


def generic_verdicts(data):
    pairs = [(over_best_peer(c), c) for c in data.select(operator=None)]
    return [judge_mean("generic.json, all cells: best peer / AnyP", pairs, 1.4),
            judge_each("generic.json, every cell: best peer / AnyP", pairs, 0.97)]


def nodes_verdicts(data):
    verdicts = []
    expected = len(NODES) * len(NODES_BYTES)
    for text, belongs, wanted in (
            ("256 KiB and more", lambda size: size >= 256 * KI, {"sum": 2.6, "matrix": 6}),
            ("64 KiB", lambda size: size == 64 * KI, {"sum": 2.2, "matrix": 4}),
            ("up to 8 KiB", lambda size: size <= 8 * KI, {"sum": 1.4, "matrix": 1.5})):
        for operator, ratio in wanted.items():
            cells = data.select("allreduce", operator, lambda c: belongs(c.bytes))
            verdicts.append(judge_mean(
                f"allreduce, {text}, {KINDS[operator]}: best peer / AnyP",
                [(over_best_peer(c), c) for c in cells], ratio,
                len(NODES) * len([1 for size in NODES_BYTES if belongs(size)])))
    for collective in "reduce", "reduce_scatter_block":
        for operator, ratio in (("sum", 1.5), ("matrix", 2.0)):
            verdicts.append(judge_mean(
                f"{collective}, {KINDS[operator]}: best peer / AnyP",
                [(over_best_peer(c), c) for c in data.select(collective, operator)], ratio,
                expected))
    verdicts.append(judge_results(data.select(operator=None),
                                  expected * len(SIM_COLLECTIVES) * len(OPERATORS)))
    for text, cyclic, ratio in ("consecutive", False, 1.05), ("round robin", True, 1.0):
        shapes = [p for p in NODES if str(p).endswith("cyclic") == cyclic]
        cells = data.select(operator=None, test=lambda c: c.p in shapes)
        verdicts.append(judge_each(
            f"every cell, ranks {text}: best peer / AnyP",
            [(over_best_peer(c), c) for c in cells], ratio,
            len(shapes) * len(NODES_BYTES) * len(SIM_COLLECTIVES) * len(OPERATORS)))
    for operator in OPERATORS:  # only ranks that are consecutive can reduce in order inside nodes
        shapes = [p for p in NODES if operator == "sum" or not str(p).endswith("cyclic")]
        cells = data.select("allreduce", operator, lambda c: c.bytes >= MI and c.p in shapes)
        what = KINDS[operator] if operator == "sum" else f"{KINDS[operator]}, ranks consecutive"
        verdicts.append(judge_mean(f"allreduce, 1 MiB and more, {what}: AnyP / bound of a card",
                                   [(c.over_bound(), c) for c in cells], 1.25, 2 * len(shapes),
                                   maximum=True))
    return verdicts


def sim_missing(data):
    """{(p, bytes) that the measurements lack: [collective and operator]}"""
    missing = {}
    for collective in SIM_COLLECTIVES:
        for operator in OPERATORS:
            there = {(c.p, c.bytes) for c in data.select(collective, operator)
                     if "anyp" in c.times}
            lost = tuple(pair for pair in sim_cells() if pair not in there)
            if lost:
                missing.setdefault(lost, []).append(f"{collective}, {KINDS[operator]}")
    return missing


def sim_wrong(data):
    """The head lines about peers that crash or have wrong results"""
    return [f"{key}: {value.removeprefix('peer:')}" for key, value in data.head
            if key in ("wrong", "crashed") and value.startswith("peer:")]


# ---- emulated ----

def netlab_kinds():
    """(collective, operator, bytes) of allreduce"""
    return [("allreduce", operator, size) for operator in ("sum", "matrix")
            for size in NETLAB_BYTES] + [("allreduce", "sum", 128 * KI)]


def netlab_wanted(data):
    """The keys of all expected cells, up to the number of ranks that the machine had."""
    largest = max([c.p for c in data.cells] + NETLAB_MIN_P)
    return {(collective, operator, p, size) for of, numbers in (
        (netlab_kinds(), NETLAB_P), (NETLAB_OTHERS, NETLAB_OTHERS_P))
            for collective, operator, size in of for p in numbers if p <= largest}


def netlab_verdicts(data):
    rows = [("allreduce", "sum", 8, 1.2), ("allreduce", "sum", 128 * KI, 1.7),
            ("allreduce", "sum", MI, 2.2), ("allreduce", "matrix", MI, 2.8),
            ("reduce_scatter_block", "sum", 128 * KI, 1.7), ("reduce", "sum", MI, 2.0)]
    verdicts = []
    for collective, operator, size, wanted in rows:
        cells = data.select(collective, operator, lambda c: c.bytes == size and not c.power)
        name = f"{collective}{' non-commutative' if operator == 'matrix' else ''} {size_text(size)}"
        measured = f", p = {', '.join(str(c.p) for c in cells)}" if cells else ""
        verdicts.append(judge_mean(f"{name}{measured}: stock / AnyP",
                                   [(c.over_anyp("peer"), c) for c in cells], wanted,
                                   max(len(cells), len(NETLAB_MIN_P))))
    cells = data.select(operator=None)
    verdicts.append(judge_each("every cell: stock / AnyP", [
        (c.over_anyp("peer"), c) for c in cells], 0.98, netlab_expected(data, cells)))
    return verdicts + netlab_hindsight(data, 1.10, [
        ("64 KiB and more", lambda size: size >= 64 * KI, {"sum": 2.0, "matrix": 2.5})])


def netlab_moves_verdicts(data):
    return [netlab_moves(data, collective) for collective in ("bcast", "allgather")]


def netlab_moves(data, collective):
    sizes = [size for name, _, size in NETLAB_MOVES if name == collective]
    cells = data.select(collective, NONE, lambda c: c.bytes in sizes and not c.power)
    return judge_mean(
        f"{collective}, 64 KiB and more: MPICH's best algorithm, with hindsight / AnyP",
        [(c.over_hindsight(), c) for c in cells], 1.3, max(len(cells),
                                                           len(NETLAB_MOVES_P) * len(sizes)))


def netlab_5_verdicts(data):
    return netlab_hindsight(data, 1.00, [
        ("1 KiB and 8 KiB", lambda size: KI <= size <= 8 * KI, {"sum": 1.15, "matrix": 1.15}),
        ("64 KiB and more", lambda size: size >= 64 * KI, {"sum": 2.0, "matrix": 2.0})])


def netlab_nodes_verdicts(data):
    """[Verdict]. The first two say also how far MPICH's own choice is from the bound, beyond which
    no algorithm can be faster."""
    verdicts = []
    for size in 128 * KI, MI:
        cells = [c for c in data.select("allreduce") if (c.p, c.bytes) == (NETLAB_NODES[-1], size)]
        verdicts.append(judge_each(
            f"allreduce {size_text(size)}, {NETLAB_NODES[-1]}: stock / AnyP",
            [(c.over_anyp("peer"), c) for c in cells], 2.5, 1))
        for c in cells:
            if c.best("peer") and c.time("bound"):
                verdicts[-1].measured += ("; stock / bound "
                                          f"{c.best('peer')[0] / c.time('bound'):.2f}")
    expected = len(netlab_kinds()) * len(NETLAB_NODES) + len(NETLAB_OTHERS)
    cells = data.select(operator=None)
    verdicts.append(judge_each("every cell: stock / AnyP", [
        (c.over_anyp("peer"), c) for c in cells], 0.98, expected))
    verdicts.append(judge_each(
        "every cell: MPICH's best algorithm, with hindsight / AnyP",
        [(c.over_hindsight(), c) for c in cells], 1.00, expected))
    return verdicts


def netlab_expected(data, cells, belongs=lambda key: True):
    """The number of expected cells; `cells` were measured."""
    return len({(c.collective, c.operator, c.p, c.bytes) for c in cells} |
               {key for key in netlab_wanted(data) if belongs(key)})


def netlab_hindsight(data, minimum, groups):
    """Every cell, and groups of allreduce's: [(sizes as text, size belongs, {operator: wanted})]"""
    hindsight = "MPICH's best algorithm, with hindsight / AnyP"
    cells = data.select(operator=None)
    verdicts = [judge_each(f"every cell: {hindsight}", [
        (c.over_hindsight(), c) for c in cells], minimum, netlab_expected(data, cells))]
    for text, belongs, wanted in groups:
        sizes = [size for size in NETLAB_BYTES if belongs(size)]
        for operator, ratio in wanted.items():
            name = f"allreduce{' non-commutative' if operator == 'matrix' else ''}, {text}"
            cells = data.select("allreduce", operator, lambda c: c.bytes in sizes and not c.power)
            verdicts.append(judge_mean(
                f"{name}: {hindsight}", [(c.over_hindsight(), c) for c in cells], ratio,
                netlab_expected(data, cells, lambda key: key[:2] == ("allreduce", operator) and
                                key[3] in sizes)))
    return verdicts


# ---- nonblocking and persistent forms ----

def judge_ratios(text, cells, who, wanted, expected):
    """The ratio `who` of each cell, at the upper end of its interval."""
    return judge_each(f"{text}, upper end of the interval",
                      [(ratio_high(c, who), c) for c in cells], wanted, expected)


def netlab_forms_verdicts(data):
    verdicts = []
    for form in "nonblocking", "persistent", "overlap":
        for operator in "sum", "matrix":
            cells = data.select("allreduce", operator,
                                lambda c: c.bytes == MI and not c.power)
            verdicts.append(judge_each(
                f"allreduce 1 MiB, {KINDS[operator]}, {form}: stock / AnyP",
                [(c.over_anyp_in(form), c) for c in cells], 2.0,
                len(NETLAB_FORMS_P)))
    cells = data.select(operator=None)
    for form in "nonblocking", "persistent":
        verdicts.append(judge_ratios(f"every cell: AnyP blocking / AnyP {form}", cells,
                                     f"anyp:{form}/blocking", 1 / 1.1, 4 * len(NETLAB_FORMS_P)))
    return verdicts


def pair_forms_verdicts(data):
    cells = data.select(operator=None)
    expected = 2 * PAIR_FORMS_SIZES
    return [
        judge_ratios("every cell: AnyP blocking / AnyP persistent", cells,
                     "anyp:persistent/blocking", 1 / 1.05, expected),
        judge_ratios("every cell: stock persistent / AnyP persistent", cells,
                     "anyp:persistent", 1.00, expected),
    ]


# ---- two processes ----

def ratio_high(cell, who):
    """The upper end of the interval of peer / who; None if it was not measured."""
    ratio = cell.times.get("ratio:" + who)
    return ratio.high or ratio.value if ratio else None


def pair_verdicts(data):
    cells = data.select()
    return [
        judge_each("every cell: MPICH / tuned file, upper end of the interval",
                   [(ratio_high(c, "anyp"), c) for c in cells], 0.98, PAIR_CELLS),
        judge_each("every cell: MPICH / best of AnyP's, forced, upper end of the interval",
                   [(ratio_high(c, "anyp:best"), c) for c in cells], 0.97, PAIR_CELLS),
    ]
