#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Prints the table of anyp-simulation(7) about very many processes: for collectives and sizes,
messages, bytes and scratch memory of a rank, and times of AnyP's choice and others: by closed
forms, on nodes by simulation of fewer nodes.

To renew it, run maint/scale_table.py --anyp ./anyp in a build folder, and put the output in the
page. It takes minutes, since some algorithms have a message for each process.
"""
import argparse
import json
import subprocess
import sys

# An ordinary cluster, which is the default of ANYP_NETWORK, in seconds.
NETWORK = ["--alpha", "1.5e-6", "--overhead", "5e-7", "--beta", "8e-11", "--gamma", "2e-10"]
INSIDE = ["--inside-alpha", "3e-7", "--inside-beta", "1e-10"]
PROCESSES = [512, 4096, 65536, 131072, 960000]
NODES = "10000x96"

KIB = 1024
DOUBLING, RABENSEIFNER, RING = "recursive_doubling", "halving_doubling", "ring"
# Collective, bytes, whether these are for each rank, and algorithms besides AnyP's and the usual.
CASES = [
    ("allreduce", 8, False, []),
    ("allreduce", 64 * KIB, False, [DOUBLING, RABENSEIFNER, RING]),
    ("allreduce", KIB * KIB, False, [DOUBLING, RABENSEIFNER, RING]),
    ("bcast", KIB * KIB, False, [RABENSEIFNER]),
    ("allgather", 64, True, [RABENSEIFNER]),
    ("reduce_scatter_block", 64, True, [RABENSEIFNER]),
    ("alltoall", 8, True, [RING]),
    ("scan", 8, False, []),
    ("barrier", 0, False, []),
]


def text_of_bytes(number):
    """ "960", "1.46K", "915M" """
    for unit in ("", "K", "M", "G", "T"):
        if number < 1000 or unit == "T":
            break
        number /= KIB
    return f"{number:.3g}{unit}"


def text_of_time(seconds):
    """ "47.6us" """
    for unit, factor in (("us", 1e6), ("ms", 1e3), ("s", 1)):
        if seconds * factor < 1000 or unit == "s":
            break
    return f"{float(f'{seconds * factor:.3g}'):g}{unit}"


class Tool:
    """The tool; its answers are JSON."""

    def __init__(self, path):
        self.path = path

    def ask(self, *words):
        command = [self.path, *words, "--json"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        if done.returncode:
            sys.exit(f"scale_table: {' '.join(command)} fails")
        return json.loads(done.stdout)

    def reference_algorithms(self):
        """Those that AnyP never chooses by itself."""
        return {one["name"] for one in self.ask("list")["algorithms"] if one["reference"]}

    def best(self, collective, size, machine, algorithm=None):
        words = [algorithm] if algorithm else []
        return self.ask("cost", "--best", collective, *words, *size, *machine, *NETWORK)

    def cost(self, collective, size, p, algorithm, parameters):
        """The parameter -1 is "auto"."""
        settings = [word for name, value in parameters.items() if value != -1
                    for word in ("--param", f"{name}={value}")]
        return self.ask("cost", collective, algorithm, *settings, *size, "-p", str(p), *NETWORK)


def row(tool, collective, size_at, label, choices, nodes_time):
    """choices are one for each p; the last one is counted."""
    last = choices[-1]
    counts = last.get("maximum") or tool.cost(collective, size_at(PROCESSES[-1]), PROCESSES[-1],
                                              last["algorithm"], last["parameters"])["maximum"]
    times = [text_of_time(one["closed_form"]) for one in choices]
    name = last.get("name", last["algorithm"]) if label in ("AnyP", "usual") else ""
    return (f"  {label:<20}{counts['messages']:>8}{text_of_bytes(counts['bytes_sent']):>7}"
            f"{text_of_bytes(counts['bytes_scratch']):>7}" +
            "".join(f"{time:>7}" for time in times) + f"{nodes_time:>9}  {name}").rstrip()


def group(tool, case, references):
    """Yields the lines of a collective with a size."""
    collective, size, each, others = case

    def size_at(p):
        return ["--bytes", str(size * p if each else size)] if size else []

    yield collective + (f", {text_of_bytes(size)}{'B' if size < KIB else ''}"
                        f"{' for each rank' if each else ''}" if size else "")
    answers = [tool.best(collective, size_at(p), ["-p", str(p)]) for p in PROCESSES]
    there = tool.best(collective, size_at(PROCESSES[-1]), ["--nodes", NODES, *INSIDE])
    own = [[one for one in answer["best"] if one["algorithm"] not in references]
           for answer in answers + [there]]
    yield row(tool, collective, size_at, "AnyP", [one[0] for one in own[:-1]],
              text_of_time(own[-1][0].get("time") or own[-1][0]["closed_form"]))
    usual = [answer["usual"] for answer in answers]
    yield row(tool, collective, size_at, "usual", usual, "-")
    shown = {one["algorithm"] for one in usual}
    for algorithm in others:
        if shown == {algorithm}:
            continue            # the same row again
        fixed = {}
        if algorithm == RING:   # by default it sends many messages at the same time
            fixed["ports"] = 1
        choices = [tool.cost(collective, size_at(p), p, algorithm, fixed) for p in PROCESSES]
        yield row(tool, collective, size_at, "Rabenseifner" if algorithm == RABENSEIFNER and
                  collective == "allreduce" else algorithm, choices, "-")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--anyp", default="./anyp", help="the tool (default: ./anyp)")
    parser.add_argument("--only", metavar="COLLECTIVE", help="only the lines of this collective")
    options = parser.parse_args()
    tool = Tool(options.anyp)
    references = tool.reference_algorithms()
    if not options.only:
        print(f"{'':22}{'messages':>8}{'sent':>7}{'memory':>7}" +
              "".join(f"{p:>7}" for p in PROCESSES) + f"{NODES:>9}")
    for case in CASES:
        if options.only in (None, case[0]):
            for line in group(tool, case, references):
                print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
