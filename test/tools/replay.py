#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Executes the output of `anyp schedule --json` on data, according to the documentation.

Every algorithm of `anyp list --json`, each of its collectives: contributions are tuples, which the
operator concatenates, so the result shows which ranks contributed, and in which order. After a
barrier every rank has heard of all ranks, directly or through others. Where blocks differ in size,
the bytes that ranks send, receive, reduce and copy are those of `anyp cost`. This shares no code
with AnyP: it checks that the JSON is complete and agrees with the documentation.

If ANYP_SLICE or ANYP_MAX_P is set, each call is executed for one in four of the numbers of
processes, which are others in the next slice.
"""
import argparse
import json
import os
import subprocess
import sys

SHAPES = ["half", "linear", "powers", "one"]    # of --uneven
REDUCTIONS = ["allreduce", "reduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"]
MOVEMENTS = ["bcast", "allgather", "allgatherv", "gather", "scatter", "alltoall"]
# What has blocks of any sizes, and whose schedule it has: with equal blocks.
ROUTES = {"alltoallv": "alltoall", "alltoallw": "alltoall", "gatherv": "gather",
          "scatterv": "scatter"}
TURNS = 4 if {"ANYP_SLICE", "ANYP_MAX_P"} & {*os.environ} else 1    # one in so many
SLICE = int(os.environ.get("ANYP_SLICE") or 0)


def ask(anyp, *words):
    """The JSON that a command of anyp prints."""
    done = subprocess.run([anyp, *words, "--json"], check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def own(answer, rank):
    """The blocks of a rank where each has its own."""
    parts = answer["blocks"] // answer["p"]
    return range(rank * parts, (rank + 1) * parts)


class Rank:
    """One rank: its memory by (buffer, block index), and its current round."""

    def __init__(self, schedule, answer):
        self.rank = schedule["rank"]
        self.transposes = answer["collective"] == "alltoall"    # block indices are places
        self.rounds = schedule["rounds"]
        self.natural = range(answer["blocks"])
        self.scratch = answer["order"] or self.natural
        self.round = 0
        self.started = False
        self.heard = {self.rank}        # the ranks that are known to have begun
        collective = answer["collective"]
        at_root = self.rank == answer.get("root", 0)
        in_place = answer["in_place"] and not collective.startswith(("scatter", "reduce_scatter"))
        in_place = in_place and (at_root or collective != "gather")
        source = "out" if in_place or collective == "bcast" else "in"
        held = self.natural
        if "gather" in collective:
            held = own(answer, self.rank)
        elif collective in ("bcast", "scatter") and not at_root:
            held = []
        self.memory = {(source, block): (self.rank, block) if self.transposes else (self.rank,)
                       for block in held}

    def block(self, buffer, i):
        """The block of the vector for a block index."""
        order = self.natural if buffer in ("in", "out") else self.scratch
        return order[i % len(order)]

    def read(self, part):
        """The blocks of a slice with their contents."""
        buffer = part["buffer"]
        return [(self.block(buffer, i), self.memory[buffer, i])
                for i in range(part["first"], part["end"])]

    def write(self, part, values):
        indices = range(part["first"], part["end"])
        if len(indices) != len(values):
            raise ValueError(f"rank {self.rank}: {len(values)} blocks do not fit {part}")
        for i, (block, value) in zip(indices, values):
            if not self.transposes and block != self.block(part["buffer"], i):
                raise ValueError(f"rank {self.rank}: block {block} at {i} of {part}")
            self.memory[part["buffer"], i] = value

    def advance(self, wires):
        """Starts or completes the round if possible; False if it waits or if all is done."""
        if self.round == len(self.rounds):
            return False
        steps = self.rounds[self.round]
        if not self.started:
            for step in steps:
                if step["step"] == "send":
                    wires.setdefault((self.rank, step["peer"]), []).append(
                        (self.read(step["from"]), frozenset(self.heard)))
            self.started = True
        receives = [step for step in steps if step["step"] == "recv"]
        for peer in {step["peer"] for step in receives}:
            wanted = sum(step["peer"] == peer for step in receives)
            if len(wires.get((peer, self.rank), [])) < wanted:
                return False
        for step in receives:
            values, heard = wires[step["peer"], self.rank].pop(0)
            self.write(step["to"], values)
            self.heard |= heard
        for step in steps:
            if step["step"] == "reduce":
                pairs = zip(self.read(step["from"]), self.read(step["to"]))
                self.write(step["to"], [(block, left + right)
                                        for (block, left), (_, right) in pairs])
            elif step["step"] == "copy":
                self.write(step["to"], self.read(step["from"]))
        self.round += 1
        self.started = False
        return True


def execute(answer):
    """Executes the schedules of all ranks to their ends; returns the ranks."""
    ranks = [Rank(schedule, answer) for schedule in answer["ranks"]]
    wires = {}
    while any([rank.advance(wires) for rank in ranks]):
        pass
    for rank in ranks:
        if rank.round < len(rank.rounds):
            raise ValueError(f"rank {rank.rank} waits forever in round {rank.round + 1}")
    if any(wires.values()):
        raise ValueError("messages were sent that nobody received")
    return ranks


def results(answer, rank):
    """The blocks that a rank must have."""
    collective, at_root = answer["collective"], rank == answer.get("root", 0)
    if collective in ("reduce", "gather"):
        return range(answer["blocks"]) if at_root else []
    if collective == "scatter":
        return [] if at_root and answer["in_place"] else own(answer, rank)
    if collective == "barrier" or (collective == "exscan" and rank == 0):
        return []
    return own(answer, rank) if collective.startswith("reduce_") else range(answer["blocks"])


def contributors(answer, rank, block):
    """The ranks whose contributions a block of a rank's result has, in rank order; of an alltoall
    the rank and the block of its input."""
    if answer["collective"] in ("bcast", "scatter"):
        return (answer["root"],)
    if answer["collective"] == "alltoall":
        return (block, rank)
    if "gather" in answer["collective"]:
        return (block * answer["p"] // answer["blocks"],)
    ends = {"scan": rank + 1, "exscan": rank}
    return tuple(range(ends.get(answer["collective"], answer["p"])))


def check(answer, canonical):
    """The number of right blocks of results, or of ranks of a barrier; ValueError for the first
    wrong one."""
    right = 0
    for rank in execute(answer):
        if answer["collective"] == "barrier":
            if rank.heard != set(range(answer["p"])):
                raise ValueError(f"rank {rank.rank} has heard of {rank.heard}")
            right += 1
        for block in results(answer, rank.rank):
            value = rank.memory["out", block]
            if not canonical and answer["collective"] != "alltoall":
                value = tuple(sorted(value))
            if value != contributors(answer, rank.rank, block):
                raise ValueError(f"rank {rank.rank}, block {block}: {value}")
            right += 1
    return right


def sizes(answer):
    """The bytes of each block."""
    starts = answer["starts"] or [0, answer["count"]]
    parts = answer["blocks"] // (len(starts) - 1)
    cuts = [first + (end - first) * part // parts
            for first, end in zip(starts, starts[1:]) for part in range(parts)] + [starts[-1]]
    return [(end - first) * answer["type_size"] for first, end in zip(cuts, cuts[1:])]


def check_bytes(answer, cost):
    """ValueError if the schedules move other bytes than the answer of `anyp cost` has."""
    block_bytes = sizes(answer)
    natural = range(answer["blocks"])
    if sum(block_bytes) != answer["count"] * answer["type_size"]:
        raise ValueError("the blocks are not the vector")
    kinds = {"send": "bytes_sent", "recv": "bytes_received", "reduce": "bytes_reduced",
             "copy": "bytes_copied"}
    moved = {kind: [0] * answer["p"] for kind in kinds}
    for schedule in answer["ranks"]:
        for step in (step for steps in schedule["rounds"] for step in steps):
            part = step["from" if step["step"] == "send" else "to"]
            order = natural if part["buffer"] in ("in", "out") else answer["order"] or natural
            moved[step["step"]][schedule["rank"]] += sum(
                block_bytes[order[i % len(order)]] for i in range(part["first"], part["end"]))
    for kind, name in kinds.items():
        if [max(moved[kind]), sum(moved[kind])] != [cost["maximum"][name], cost["total"][name]]:
            raise ValueError(f"{name}: {moved[kind]}")


def uneven_ways(algorithm, p):
    """Options for blocks of different sizes: those that anyp chooses numbers for, and a call in
    which numbers of bytes are small, so that blocks are cut."""
    ways = [["--uneven", SHAPES[p % len(SHAPES)], "--count", "1000"],
            ["--uneven", SHAPES[(p + 1) % len(SHAPES)], "--count", "999", "--type-size", "8"]]
    for parameter in algorithm["parameters"]:
        if parameter["help"].startswith("bytes"):
            ways[1] += ["--param", parameter["name"] + "=300"]
    return ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("anyp", help="the tool")
    parser.add_argument("processes", type=int, nargs="+", help="numbers of processes")
    options = parser.parse_args()
    right = 0
    for algorithm in ask(options.anyp, "list")["algorithms"]:
        for collective in algorithm["collectives"]:
            for turn, p in enumerate(options.processes, SLICE):
                call = ["schedule", collective, algorithm["name"], "-p", str(p)]
                ways = [[]]
                if collective in ("allreduce", "scan", "exscan"):
                    ways.append(["--in-place"])
                if algorithm["canonical"] and collective in REDUCTIONS:
                    ways.append(["--non-commutative"])
                if collective in MOVEMENTS:
                    short = ["--count", str(3 * p)]
                    ways += [["--gaps"], short, ["--gaps", *short]]
                if collective in MOVEMENTS and collective != "bcast":
                    ways += [["--in-place"], ["--in-place", "--gaps", *short]]
                if collective in ("reduce_scatter", "allgatherv"):
                    ways += uneven_ways(algorithm, p)
                    ways.append([*ways[-1], "--in-place"])
                for way in ways[-turn % TURNS::TURNS]:
                    # the tool promises rank order only where the operator needs it
                    ordered = "--non-commutative" in way
                    try:
                        answer = ask(options.anyp, *call, *way)
                        answer["collective"] = ROUTES.get(collective, collective)
                        right += check(answer, ordered)
                        if "--uneven" in way:
                            check_bytes(answer, ask(options.anyp, "cost", *call[1:], *way))
                    except (ValueError, KeyError) as error:
                        sys.exit(f"replay: anyp {' '.join(call + way)}: {error!r}")
    if not right:
        sys.exit("replay: no schedules")
    print(f"replay: {right} blocks of results are right")


if __name__ == "__main__":
    main()
