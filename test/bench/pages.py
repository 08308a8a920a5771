# SPDX-License-Identifier: BSD-3-Clause
"""RESULTS.md and its pictures from the data; the tables of cells for `report --cells`."""
import math

import curves
import targets
from cells import NONE, Procs, mean, size_text
from sources import SOURCES

PEER_COLOURS = {"mpich": "b", "ompi": "c", "mvapich2": "d"}
PEER_MARKS = {"mpich": "square", "ompi": "triangle", "mvapich2": "diamond"}


def number(value, digits=4):
    """Four digits, no exponent."""
    if value is None:
        return "–"
    if value >= 1000:
        return f"{value:.0f}"
    return f"{value:.{digits}g}"


def ratio(value):
    return "–" if value is None else f"{value:.2f}" if value < 9.95 else f"{value:.1f}"


def table(heads, rows):
    """Markdown; heads that begin with '<' are flush left."""
    lines = ["| " + " | ".join(head.lstrip("<") for head in heads) + " |",
             "|" + "|".join("---" if head.startswith("<") else "---:" for head in heads) + "|"]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


# ---- tables ----

VERDICT_HEADS = ["<target", "<wanted", "<measured", "<verdict", "<worst cell", "<cells"]


def verdict_row(v):
    mark = "**" if v.status != targets.UNKNOWN else ""
    return [v.text, v.wanted, v.measured or "–", f"{mark}{v.status}{mark}", v.worst or "–",
            v.cells or "–"]


def interval(time):
    """The median, with its interval if it has one."""
    if time is None:
        return "–"
    if time.low is None:
        return number(time.value)
    return f"{number(time.value)} ({number(time.low, 3)}–{number(time.high, 3)})"


FORMS = "blocking", "nonblocking", "persistent", "overlap", "untested"


def is_forms(name):
    return name.endswith("-forms")


def is_node(name):
    return name.startswith("node-")


def forms_table(cells):
    forms = [form for form in FORMS if any("anyp:" + form in c.times for c in cells)]
    heads = ["p", "m", "<algorithm"]
    for form in forms:
        heads += [f"library, {form}", "AnyP", "library/AnyP"]
        heads += ["blocking/this"] * (form in ("nonblocking", "persistent"))
    rows = []
    for c in cells:
        row = [str(c.p), size_text(c.bytes), c.times["anyp:blocking"].what]
        for form in forms:
            get = lambda who, c=c: interval(c.times.get(who))
            row += [get("peer:" + form), get("anyp:" + form), get("ratio:anyp:" + form)]
            if form in ("nonblocking", "persistent"):
                row.append(get(f"ratio:anyp:{form}/blocking"))
        rows.append(row)
    return table(heads, rows)


def cell_table(data, cells, hindsight=False):
    """Every cell of a collective. `hindsight`: also against the best of peers' choices and of all
    single algorithms."""
    peers = [name for name in data.peers() if any(name in c.named("peer") for c in cells)]
    bound = any("bound" in c.times for c in cells)
    single, forced = (any(c.named(kind) for c in cells) for kind in ("single", "anyp"))
    heads = ["p", "m", *peers, "AnyP", "<AnyP ran"]
    heads += ["bound"] * bound + ["best peer/AnyP" if len(peers) > 1 else "peer/AnyP"]
    heads += ["AnyP/bound"] * bound + ["best single", "<which", "single/AnyP"] * single
    heads += ["hindsight/AnyP"] * hindsight
    heads += ["best forced AnyP", "<which"] * forced
    rows = []
    for c in cells:
        anyp, best = c.times.get("anyp"), c.best("single") or (None, "–")
        row = [str(c.p), size_text(c.bytes), *[interval(c.times.get("peer:" + n)) for n in peers],
               interval(anyp), (anyp.what if anyp else "") or "–"]
        row += [number(c.time("bound"))] * bound + [ratio(c.over_anyp("peer"))]
        row += [ratio(c.over_bound())] * bound
        row += [number(best[0]), best[1], ratio(c.over_anyp("single"))] * single
        row += [ratio(c.over_hindsight())] * hindsight
        best = c.best("anyp") or (None, "–")
        row += [number(best[0]), best[1]] * forced
        rows.append(row)
    return table(heads, rows)


def node_table(cells):
    heads = ["p", "m", "library", "tuned file", "<chose", "library/tuned", "best forced", "<which",
             "library/best", "best by messages", "messages/memory"]
    rows = []
    for c, get in ((c, c.times.get) for c in cells):
        tuned, best = get("anyp"), get("anyp:best")
        library = next((time for who, time in c.times.items() if who.startswith("peer:")), None)
        rows.append([
            str(c.p), size_text(c.bytes), interval(library), interval(tuned),
            tuned and tuned.what or "the library's", interval(get("ratio:anyp")),
            interval(best), best and best.what or "–", interval(get("ratio:anyp:best")),
            interval(get("anyp:messages")), interval(get("ratio:anyp:memory/messages"))])
    return table(heads, rows)


def means_table(data, hindsight=False):
    """Geometric means over p for each collective and size. `hindsight`: as in cell_table."""
    kinds = {"best peer/AnyP": lambda c: c.over_anyp("peer"),
             "AnyP/bound": lambda c: c.over_bound(),
             "best single/AnyP": lambda c: c.over_anyp("single")}
    if hindsight:
        kinds["hindsight/AnyP"] = lambda c: c.over_hindsight()
    rows = []
    for key in sorted({(c.collective, c.operator) for c in data.cells}):
        for size in sorted({c.bytes for c in data.select(*key)}):
            row = [key[0] + (" non-commutative" if key[1] == "matrix" else ""), size_text(size)]
            for belongs in (lambda c: not c.power), (lambda c: c.power):
                cells = data.select(*key, lambda c, b=belongs: c.bytes == size and b(c))
                for of in kinds.values():
                    known = [of(c) for c in cells if of(c) is not None]
                    row.append(ratio(mean(known)) if known else "–")
            rows.append(row)
    return table(["<collective", "m", *kinds, *["powers: " + kind for kind in kinds]], rows)


def weakest_table(data):
    """For each collective and operator geometric means over all p and sizes, and the weakest cell
    of each."""
    rows = []
    for key in dict.fromkeys((c.collective, c.operator) for c in data.cells):
        row = [key[0] + (" non-commutative" if key[1] == "matrix" else "")]
        for over, weakest in (targets.over_best_peer, min), (lambda c: c.over_bound(), max):
            known = [(over(c), c) for c in data.select(*key) if over(c) is not None]
            if known:
                value, cell = weakest(known, key=lambda pair: pair[0])
                row += [ratio(mean([value for value, _ in known])),
                        f"{ratio(value)}: p={cell.p} {size_text(cell.bytes)}"]
            else:
                row += ["–", "–"]
        rows.append(row)
    return table(["<collective", "best peer/AnyP", "<least", "AnyP/bound", "<most"], rows)


def shapes_table(data):
    """A row for each shape"""
    collectives = [each for each in targets.SHAPES_COLLECTIVES if data.select(each, None)]
    cells = {(c.p, c.collective): c for c in data.select(operator=None) if c.bytes == targets.MI}
    rows = []
    for p in sorted({p for p, _ in cells}, key=str):
        row = [str(p)]
        for each in collectives:
            c = cells[p, each]
            times = (c.best("peer") or [None])[0], c.time("anyp"), c.time("bound")
            row.append(" / ".join("–" if time is None else f"{time:.0f}" for time in times))
        rows.append(row)
    return table(["<shape", *collectives], rows)


def pairs_table(data):
    """For each number of processes: the fastest of the libraries / of TuNA / AnyP's first call,
    each over AnyP: means over the distributions without sparse. data: of all networks"""
    def of(p, collective, sizes):
        there = [c for c in cells if c.p == p and c.collective.startswith(collective + "@") and
                 not targets.is_sparse(c) and (sizes is None or c.bytes in sizes)]
        values = [[over(c) for c in there] for over in (
            targets.over_pairs(False, True), targets.over_pairs(True, False),
            lambda c: c.over_anyp("anyp", "first"))]
        known = [[value for value in some if value] for some in values]
        return " / ".join(ratio(mean(some)) if some else "–" for some in known)

    cells = [c for one in data for c in one.cells]
    sizes = sorted({c.bytes for c in cells})
    heads = ["<p", *[f"<alltoallv, {size_text(size)}" for size in sizes], "<gatherv up to 1 KiB",
             "<scatterv up to 1 KiB"]
    short = [size for size in sizes if size <= targets.KI]
    return table(heads, [[str(p), *[of(p, "alltoallv", [size]) for size in sizes],
                          of(p, "gatherv", short), of(p, "scatterv", short)]
                         for p in dict.fromkeys(c.p for c in cells)])


CLASSES = {"8 B": (0, 8), "up to 32 KiB": (9, 32 << 10), "64 KiB and more": (64 << 10, math.inf)}


def means_of_all(sources):
    """For each data with rivals, a row for each collective; those with the same means share one.
    """
    heads = ["<where", "<collective", *[f"best peer/AnyP, {name}" for name in CLASSES],
             "AnyP/bound, 64 KiB and more", "best single/AnyP", "best peer/AnyP, powers of two"]
    names = {}          # {(data, means): [collective]}
    for name, data in sources.items():
        # AnyP is the peer; or there is a table of their own
        if data.peers() in (["tuned"], ["free"]) or name in ("sim-flat-uneven", "sim-shapes") or \
                name.endswith("-pairs"):
            continue
        # these are much like those of the flat network and of nodes
        if name.endswith("-generic") and name not in ("sim-flat-generic", "sim-nodes-generic"):
            continue
        for key in sorted({(c.collective, c.operator) for c in data.cells}):
            cells = data.select(*key)
            odd = [c for c in cells if not c.power]
            of_class = lambda low, high, some: [c for c in some if low <= c.bytes <= high]
            groups = [(lambda c: c.over_anyp("peer"), of_class(*ends, odd))
                      for ends in CLASSES.values()]
            groups += [(lambda c: c.over_bound(), of_class(64 << 10, math.inf, cells)),
                       (lambda c: c.over_anyp("single"), odd),
                       (lambda c: c.over_anyp("peer"), [c for c in cells if c.power])]
            known = [[of(c) for c in some if of(c) is not None] for of, some in groups]
            means = [ratio(mean(values)) if values else "–" for values in known]
            names.setdefault((SOURCES[name].title, *means), []).append(
                key[0] + (" non-commutative" * (key[1] == "matrix")))
    return table(heads, [[title, ", ".join(collectives), *means]
                         for (title, *means), collectives in names.items()])


# ---- pictures ----

def chosen_p(cells, wanted):
    """Two numbers of processes that were measured, if there are two"""
    there = sorted({c.p for c in cells})
    found = [p for p in wanted if p in there]
    return sorted((found + [p for p in reversed(there) if p not in found])[:2])


def time_series(cells, peers, hindsight):
    series = [curves.Series("AnyP", [(c.bytes, c.time("anyp")) for c in cells if c.time("anyp")],
                            "a")]
    for name in peers:
        who = "peer:" + name
        series.append(curves.Series(name, [(c.bytes, c.time(who)) for c in cells if c.time(who)],
                                    PEER_COLOURS.get(name, "f"), PEER_MARKS.get(name, "square")))
    if hindsight:
        series.append(curves.Series("hindsight", [(c.bytes, c.hindsight()[0]) for c in cells
                                                  if c.hindsight()], "f", "triangle"))
    series.append(curves.Series("bound", [(c.bytes, c.time("bound")) for c in cells
                                          if c.time("bound")], "e", None))
    return [one for one in series if one.points]


def is_netlab(name):
    return name.startswith("netlab")


def times_picture(data, name, collective, operator, wanted_p, title):
    """{file: SVG}; empty if there is nothing to draw."""
    cells = [c for c in data.select(collective, operator) if "anyp" in c.times]
    panels = [(f"p = {p}", time_series([c for c in cells if c.p == p], data.peers(),
                                       is_netlab(name)))
              for p in chosen_p(cells, wanted_p)]
    if not cells:
        return {}
    described = f"Time over bytes of the vector, both logarithmic, of {title}; lower is faster."
    file = f"{name}-{collective}{suffix(operator)}.svg"
    return {file: curves.time_curves(title, described, panels)}


def suffix(operator):
    """Of the names of files"""
    return "-non-commutative" if operator == "matrix" else ""


def over_p_picture(data, name, collective, operator, title):
    cells = [c for c in data.select(collective, operator)
             if c.over_anyp("peer") and not isinstance(c.p, Procs)]
    ps = sorted({c.p for c in cells})
    if len(ps) < 3:
        return {}
    there = sorted({c.bytes for c in cells})
    sizes = [s for s in (8, 64 << 10, 1 << 20, 8 << 20) if s in there] or there[:4]
    series = [curves.Series(size_text(size), [(c.p, c.over_anyp("peer")) for c in cells
                                              if c.bytes == size], colour, kind,
                            [p for p in ps if p & (p - 1) == 0])
              for size, colour, kind in zip(sizes, "cabd", curves.MARKS)]
    ticks = [(p, str(p)) for p in ps if p in (3, 4, 5, 7, 9, 13, 20, 24, 36, 64, 100, 192, 384, 768,
                                              1000)]
    ticks = [t for i, t in enumerate(ticks) if not i or t[0] / ticks[i - 1][0] > 1.14]
    return {f"{name}-{collective}-p{suffix(operator)}.svg": curves.ratio_curves(
        title, f"{title} over p, for some sizes; above 1 AnyP is faster. Hollow marks: p is a "
        "power of two.", "ratio; above 1 AnyP is faster; hollow marks: powers of two",
        "p, processes", ticks, series)}


def map_picture(data, name, operator, title):
    maps = []
    for collective in targets.MOVES if operator == NONE else targets.SIM_COLLECTIVES:
        cells = [c for c in data.select(collective, operator) if c.over_anyp("peer")]
        if cells:
            maps.append((collective, [(p, str(p)) for p in sorted({c.p for c in cells})],
                         [(s, size_text(s)) for s in sorted({c.bytes for c in cells})],
                         {(c.p, c.bytes): c.over_anyp("peer") for c in cells}))
    if not maps:
        return {}
    return {f"{name}-map{suffix(operator)}.svg": curves.ratio_maps(
        title, f"{title}: a map of p and bytes for each collective; above 1 AnyP is faster.",
        "above 1 (blue) AnyP is faster, below 1 (orange) the peer; bold p: powers of two", maps)}


def node_picture(name, data):
    """A map of collectives and bytes for each number of processes"""
    title = f"{SOURCES[name].title}: the library's time / AnyP's with a tuned file"
    by_p = {p: [c for c in data.cells if c.p == p and "ratio:anyp" in c.times]
            for p in sorted({c.p for c in data.cells})}
    maps = [(f"p = {p}", [(s, size_text(s)) for s in sorted({c.bytes for c in cells})],
             [(each, each) for each in dict.fromkeys(c.collective for c in cells)],
             {(c.bytes, c.collective): c.time("ratio:anyp") for c in cells})
            for p, cells in by_p.items() if cells]
    return {f"{name}.svg": curves.ratio_maps(
        title, f"{title}: a map of bytes and collectives for each p; above 1 AnyP is faster.",
        "above 1 (blue) AnyP is faster, below 1 (orange) the library", maps, "bytes")}


def pictures(name, data):
    """{file: SVG} of one data file, in the order of the page."""
    if is_forms(name) or name.endswith(
            ("-shapes", "-reproducible", "-uneven", "-untuned", "-generic", "-between",
             "-between-moves", "-scans", "-pairs")):
        return {}
    if is_node(name):
        return node_picture(name, data)
    drawn = {}
    if name.startswith("sim"):
        network = SOURCES[name].title.removeprefix("Simulated, ")
        moves = name.endswith("-moves")
        for operator, what in [(NONE, "")] if moves else [("sum", ""),
                                                          ("matrix", ", matrix product")]:
            drawn.update(map_picture(data, name, operator,
                                     f"Best peer's time / AnyP's{what}, {network}"))
            for collective in targets.MOVES if moves else ["allreduce"]:
                drawn.update(over_p_picture(
                    data, name, collective, operator,
                    f"{collective}{what}, {network}: best peer's time / AnyP's"))
            shown = [Procs("13x8"), Procs("12x24")] if name.startswith(("sim-nodes", "sim-cards")) \
                else [13, 100]
            for collective in targets.MOVES if moves else targets.SIM_COLLECTIVES:
                drawn.update(times_picture(data, name, collective, operator, shown,
                                           f"{collective}{what}, {network}"))
        return drawn
    network = "emulated cluster"
    if name != "netlab":
        network += SOURCES[name].title.removeprefix("Emulated cluster")
    shown = {"netlab-nodes": targets.NETLAB_NODES, "netlab-moves": targets.NETLAB_MOVES_P}.get(
        name, [13, 24])
    for collective, operator in (("allreduce", "sum"), ("allreduce", "matrix"),
                                 ("reduce_scatter_block", "sum"), ("reduce", "sum"),
                                 *[(each, targets.NONE) for each in targets.MOVES]):
        kind = "" if operator != "matrix" else ", operator that does not commute"
        drawn.update(times_picture(data, name, collective, operator, shown,
                                   f"{collective}{kind}, {network}"))
    return drawn


# ---- the page ----

# The pictures that the page shows
SHOWN = ["sim-flat-map.svg", "sim-flat-map-non-commutative.svg", "sim-flat-allreduce-p.svg",
         "sim-flat-allreduce.svg", "sim-flat-allreduce-non-commutative.svg", "sim-nodes-map.svg",
         "sim-nodes-allreduce.svg", "sim-flat-moves-map.svg", "sim-nodes-moves-map.svg",
         "netlab-allreduce.svg", "netlab-5.0-allreduce.svg", "node-mpich.svg",
         "node-openmpi.svg"]


def title_of(svg):
    return svg.split('<title id="title">')[1].split("<")[0]


def show(name, svg):
    return [f"![{title_of(svg)}](pictures/{name})", ""]


def summary(sources, drawn):
    lines = ["# Results", "",
             "<!-- Written by test/bench/report from test/bench/data/*.csv; do not edit. -->",
             "AnyP against MPICH, Open MPI and MVAPICH on the same networks in the same runs. In "
             "simulations these are SMPI's selectors of the three, whose choices were made for "
             "other machines; AnyP's decision files were tuned in the same networks for these p "
             "and sizes. A peer whose result is wrong is no rival in that cell. "
             "Times of a call are until the last rank is done; those on one node are means "
             "of calls in a row. Ratios above 1: AnyP is faster; "
             "only *AnyP/bound*, the distance from what the network allows, is better the smaller "
             "it is. `test/bench/report --cells NAME` prints the table of every cell of the data "
             "NAME, and its settings; `--pictures DIR` draws all pictures.", "",
             "## What was measured", ""]
    rows = [[SOURCES[name].title, f"`{name}`",
             data.value("date") if data else "**not measured**",
             f"{len(data.cells)}" if data else "–", f"`{SOURCES[name].command}`",
             SOURCES[name].what]
            for name, data in sources.items()]
    lines += table(["<where", "<NAME", "<date", "cells", "<command", "<how"], rows)
    lines += ["", "## Targets", "", *all_targets(sources), "", "## Means", "",
              "Geometric means over all p and sizes of a class. Best peer/AnyP and best "
              "single/AnyP are for p that are no powers of two; a single algorithm is the fastest "
              "of the peers', with hindsight. With generic.json only two networks are listed.", "",
              *means_of_all({name: data for name, data in sources.items()
                             if data and not is_node(name) and not is_forms(name)}),
              "", "## Pictures", ""]
    for name in SHOWN:
        if name in drawn:
            lines += show(name, drawn[name])
    return lines


def all_targets(sources):
    """Rows of those that are not met in every cell; one line of each data for the others."""
    every = [(SOURCES[name].title, verdict) for name, data in sources.items() if data
             for verdict in targets.verdicts(name, data)]
    measured = [v for _, v in every if v.status != targets.UNKNOWN]
    met = [(title, v) for title, v in every if v.status == targets.MET]
    part = sum(v.status == targets.SO_FAR for v in measured)
    lines = [f"Of {len(measured)} that were measured, **{len(met)} are met**" +
             (f", and {part} in those of their cells that were measured" if part else "") + ".", ""]
    rows = [[title, *verdict_row(v)] for title, v in every if v.status != targets.MET]
    if rows:
        lines += ["These are missed, or some of their cells are not measured:", "",
                  *table(["<where", *VERDICT_HEADS], rows), ""]
    if met:
        lines += ["These are met in every cell, with the value that was measured and the wanted "
                  "one; `--cells` prints their worst cells:", ""]
    for title in dict.fromkeys(title for title, _ in met):
        lines += [f"- **{title}**: " + "; ".join(
            f"{v.text}: " + (f"{v.measured} ({v.wanted})" if v.measured else v.wanted)
            for of, v in met if of == title) + "."]
    return lines


def remarks(sources):
    """What else is to be known of the data, and which cells are missing."""
    lines = ["## Remarks", ""]
    lines += [f"- **{SOURCES[name].title}**: {SOURCES[name].more}" for name, data in sources.items()
              if data and SOURCES[name].more]
    if sources["sim-flat"]:
        for lost, names in targets.sim_missing(sources["sim-flat"]).items():
            some = ", ".join(f"p={p} {size_text(size)}" for p, size in lost[:6])
            lines += [f"- Not measured in the flat network: {len(lost)} of "
                      f"{targets.SIM_CELLS} cells ({some}{', …' if len(lost) > 6 else ''}) "
                      f"of {'; '.join(names)}."]
    if sources["sim-shapes"]:
        lines += ["", "Shapes of machines, 1 MiB: microseconds of the best peer / AnyP / the "
                  "bound:", "", *shapes_table(sources["sim-shapes"])]
    pairs = [sources[name] for name in ("sim-flat-pairs", "sim-nodes-pairs") if sources[name]]
    if pairs:
        lines += ["", "Sizes of pairs, even, uniform and powers: times of the fastest of the "
                  "libraries / of TuNA / of AnyP's first call, each divided by AnyP's:", "",
                  *pairs_table(pairs)]
    if sources["sim-flat-uneven"]:
        lines += ["", "Uneven blocks: geometric means over all p and sizes, and the weakest cells:",
                  "", *weakest_table(sources["sim-flat-uneven"])]
    return lines


def all_cells(name, data):
    """Markdown: the settings, targets, means and cells of the data."""
    lines = [f"# {SOURCES[name].title}", "", *table(["<setting", "<value"], [
        [key, value.replace("|", "\\|")] for key, value in data.head]), ""]
    if verdicts := targets.verdicts(name, data):
        lines += ["Targets:", "", *table(VERDICT_HEADS, map(verdict_row, verdicts)), ""]
    wrong = targets.sim_wrong(data)
    if wrong:
        lines += ["Peers that are no rivals in some cells, since their results are wrong there:",
                  "", *[f"- {each}" for each in wrong], ""]
    if not is_node(name) and not is_forms(name):
        lines += ["Geometric means over p, first of those that are no powers of two:", "",
                  *means_table(data, is_netlab(name)), ""]
    for key in dict.fromkeys((c.collective, c.operator) for c in data.cells):
        cells = data.select(*key)
        matrix = ", operator that does not commute" if key[1] == "matrix" else ""
        rows = (forms_table(cells) if is_forms(name) else node_table(cells) if is_node(name) else
                cell_table(data, cells, is_netlab(name)))
        lines += [f"## {key[0]}{matrix}: {len(cells)} cells, times in microseconds", "", *rows, ""]
    return "\n".join(lines).rstrip() + "\n"


def all_pictures(sources):
    """{file: SVG} of all data. sources: {name: Data or None}."""
    return {file: svg for name, data in sources.items() if data
            for file, svg in pictures(name, data).items()}


def make(sources):
    """{relative path: text} of the page and its pictures. sources: {name: Data or None}."""
    drawn = all_pictures(sources)
    page = "\n".join(summary(sources, drawn) + remarks(sources))
    return {"RESULTS.md": page.rstrip() + "\n",
            **{f"pictures/{file}": drawn[file] for file in SHOWN if file in drawn}}
