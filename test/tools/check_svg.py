#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares the pictures of `anyp schedule --svg` with the same schedules in JSON.

For every algorithm and collective: the picture is well-formed, every message is an arrow between
its ranks at the time that this script computes, no element is outside the picture, every rank that
gets a result has a dot, no message of a barrier has data, and if each message has one block, there
are as many colours as blocks.

If ANYP_SLICE or ANYP_MAX_P is set, it reads one in three of the pictures, which are others in the
next slice.
"""
import json
import math
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SIZES = [1, 2, 5, 13, 15]
TURNS = 3 if {"ANYP_SLICE", "ANYP_MAX_P"} & {*os.environ} else 1
SLICE = int(os.environ.get("ANYP_SLICE") or 0)


def messages_of(ranks):
    """[(from, to, start)]: the nth round of a that sends to b matches the nth round of b that
    receives from a; a message takes one unit of time and begins when the previous rounds of both
    ranks are over."""
    ends = {"send": {}, "recv": {}}
    for rank, schedule in enumerate(ranks):
        for number, steps in enumerate(schedule["rounds"]):
            for kind, rounds in ends.items():
                for peer in {s["peer"] for s in steps if s["step"] == kind}:
                    pair = (rank, peer) if kind == "send" else (peer, rank)
                    rounds.setdefault(pair, []).append(number)
    messages = [(*pair, *rounds) for pair, sent in ends["send"].items()
                for rounds in zip(sent, ends["recv"][pair], strict=True)]
    needs = {}
    for a, b, sent, received in messages:
        for end in (a, sent), (b, received):
            needs.setdefault(end, []).append(((a, sent - 1), (b, received - 1)))
    over = {(rank, -1): 0 for rank in range(len(ranks))}
    missing = [(r, number) for r, s in enumerate(ranks) for number in range(len(s["rounds"]))]
    while missing:
        later = []
        for rank, number in missing:
            before = [(rank, number - 1)] + [e for pair in needs.get((rank, number), [])
                                             for e in pair]
            if any(e not in over for e in before):
                later.append((rank, number))
                continue
            starts = [max(over[e] for e in pair) for pair in needs.get((rank, number), [])]
            over[rank, number] = max([over[rank, number - 1]] + [start + 1 for start in starts])
        if len(later) == len(missing):
            sys.exit("the ranks deadlock")
        missing = later
    return [(a, b, max(over[a, sent - 1], over[b, received - 1]))
            for a, b, sent, received in messages]


def results_of(schedule):
    """The ranks that get a result."""
    collective = schedule["collective"]
    if collective in ("reduce", "gather", "gatherv"):
        return [schedule["root"]]
    return {"barrier": [], "exscan": list(range(1, schedule["p"]))}.get(
        collective, list(range(schedule["p"])))


def starts(path):
    """The points where the parts of a path begin."""
    return re.findall(r"M(-?[\d.]+) (-?[\d.]+)", path.get("d"))


def head(arrow):
    """The point at which an arrow ends."""
    length = float(re.match(r"M0 0H([\d.]+)", arrow.get("d"))[1])
    x, y, degrees = (float(number) for number in re.findall(r"-?[\d.]+", arrow.get("transform")))
    return (x + length * math.cos(math.radians(degrees)),
            y + length * math.sin(math.radians(degrees)))


def texts_of(root, kind):
    return [span for text in root.iter(SVG + "text") if text.get("class") == kind for span in text]


def ranks_of(root, kind):
    """The ranks at whose height the parts of a path begin."""
    heights = {int(t.get("y")) - 4: rank for rank, t in enumerate(texts_of(root, "name"))}
    path = next(path for path in root.iter(SVG + "path") if path.get("class") == kind)
    return [heights[int(y)] for x, y in starts(path)]


def check(anyp, arguments):
    call = " ".join(arguments)
    schedule = json.loads(subprocess.run([anyp, "schedule", *arguments, "--json"], check=True,
                                         capture_output=True, text=True).stdout)
    picture = subprocess.run([anyp, "schedule", *arguments, "--svg", "-"], check=True,
                             capture_output=True, text=True).stdout
    root = ElementTree.fromstring(picture)
    width, height = (float(x) for x in root.get("viewBox").split()[2:])
    wanted = sorted(messages_of(schedule["ranks"]))
    groups = [g for g in root.iter(SVG + "g") if g.get("class") == "message"]
    arrows = [path for g in groups for path in g.iter(SVG + "path")]
    titles = [re.fullmatch(r"rank (\d+) to rank (\d+), time (\d+)(: .+)?",
                           path.find(SVG + "title").text) for path in arrows]
    drawn = sorted((int(t[1]), int(t[2]), int(t[3]) - 1) for t in titles)
    height_of = [int(t.get("y")) - 4 for t in texts_of(root, "name")]
    for arrow, title in zip(arrows, titles):
        if abs(head(arrow)[1] - height_of[int(title[2])]) > 1:
            sys.exit(f"{call}: {title[0]} ends elsewhere")
    if drawn != wanted:
        sys.exit(f"{call}: arrows {drawn}\nbut messages {wanted}")
    for element in root.iter():
        points = [(element.get(x, 0), element.get(y, 0)) for x, y in
                  (("x", "y"), ("x1", "y1"), ("x2", "y2"))]
        if element in arrows:
            points = [head(element)]
        elif element.tag == SVG + "path":
            points = starts(element)
        if not all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points):
            sys.exit(f"{call}: {element.tag} {points} is outside")
    all_ranks = list(range(schedule["p"]))
    names = [t.text for t in texts_of(root, "name")]
    if names != [f"rank {r}" for r in all_ranks]:
        sys.exit(f"{call}: names {names}")
    results = ranks_of(root, "result")
    expected = results_of(schedule)
    if results != expected:
        sys.exit(f"{call}: results at {results}, not {expected}")
    marks = [e.get("class") for e in root.iter() if e.get("class") in ("blocks", "vector", "part")]
    if schedule["collective"] == "barrier" and marks:
        sys.exit(f"{call}: data in a barrier: {marks}")
    pieces = [s for r in schedule["ranks"] for steps in r["rounds"] for s in steps
              if s["step"] == "send"]
    n = schedule["blocks"]
    if n > 1 and pieces and all(s["from"]["end"] - s["from"]["first"] == 1 for s in pieces):
        colours = {g.get("stroke") for g in groups}
        blocks = {s["from"]["first"] % n for s in pieces}
        if len(colours) != len(blocks):
            sys.exit(f"{call}: {len(colours)} colours for {len(blocks)} blocks")
    return root


def main():
    if len(sys.argv) != 2 or sys.argv[1] == "--help":
        sys.exit("usage: check_svg.py ANYP")
    anyp = sys.argv[1]
    listed = json.loads(subprocess.run([anyp, "list", "--json"], check=True, capture_output=True,
                                       text=True).stdout)
    for turn, algorithm in enumerate(listed["algorithms"], SLICE):
        for collective in algorithm["collectives"]:
            for p in SIZES[turn % TURNS::TURNS]:
                root = ["--root", str(p // 2)] if collective == "reduce" else []
                check(anyp, [collective, algorithm["name"], "-p", str(p), *root])
    # the ranks that are eliminated in the paper's figure 4
    found = ranks_of(check(anyp, ["allreduce", "butterfly", "--param", "threshold=0", "--param",
                                  "odd=overlap", "-p", "15"]), "out")
    if found != [2, 5, 6, 11, 12, 13, 14]:
        sys.exit(f"p = 15: ranks {found} are dashed")


if __name__ == "__main__":
    main()
