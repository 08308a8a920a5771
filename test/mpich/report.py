# SPDX-License-Identifier: BSD-3-Clause
"""report - the results of MPICH's tests: rows of a CSV file, and a text table."""
import collections
import csv

Row = collections.namedtuple(
    "Row", "algorithm parameters test processes result seconds ran reason")


def write(writer, row):
    writer.writerow(row._replace(ran=" ".join(row.ran), seconds="%.2f" % row.seconds))


def write_all(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(Row._fields)
        for row in rows:
            write(writer, row)


def table(rows, algorithms, tests):
    """Text: algorithm by test."""
    names = [one["name"] for one in algorithms]
    cells = collections.defaultdict(collections.Counter)
    reasons = collections.defaultdict(lambda: collections.defaultdict(set))
    for row in rows:
        cells[row.test, row.algorithm][row.result] += 1
        if row.result == "not applicable":
            reasons[row.reason, row.test][row.algorithm].add(str(row.processes))
    out = ["Runs that passed, by test and algorithm; F: how many failed; -: none applies.", ""]
    out += ["  (%d) %s" % (i + 1, name) for i, name in enumerate(names)]
    width = max(len(test.text()) for test in tests) + 2
    out += ["", " " * width + "".join("%7s" % ("(%d)" % (i + 1)) for i in range(len(names)))]
    for test in tests:
        line = test.text().ljust(width)
        for name in names:
            cell = cells[test.text(), name]
            line += "%7s" % ("%dF" % cell["failed"] if cell["failed"] else cell["passed"] or "-")
        out.append(line)
    repeated = [row for row in rows if row.result == "passed" and row.reason]
    if repeated:
        out += ["", "Passed, but:"] + ["  %s %s: %s with %s processes: %s" % (
            row.algorithm, row.parameters, row.test, row.processes, row.reason)
            for row in repeated]
    out += ["", "Not applicable:"]
    merged = collections.defaultdict(list)
    for (reason, test), by_name in sorted(reasons.items()):
        counts = sorted({int(one) for some in by_name.values() for one in some if one})
        where = " at p=" + ",".join(map(str, counts)) if counts else ""
        which = "all" if len(by_name) == len(names) else " ".join(
            one for one in names if one in by_name)
        merged[reason + where, which].append(test)
    for (reason, which), some in merged.items():
        out.append("  %s\n      tests: %s\n      algorithms: %s" % (reason, ", ".join(some), which))
    return "\n".join(out) + "\n"
