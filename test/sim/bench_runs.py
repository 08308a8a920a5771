# SPDX-License-Identifier: BSD-3-Clause
"""bench_runs - runs simulations of test/sim/time.c, several at a time, and keeps their results.

A run measures cells, (WHAT, bytes), one after the other. If the program ends before it has printed
all results, it is started again with the first missing cell. If it had begun with that cell before,
the cell is noted as crashed. If it exceeds the limit of computing time or memory, the cell and all
larger ones of that WHAT are left out.
"""
import dataclasses
import hashlib
import json
import os
import re
import signal
import subprocess
import threading
import time

OUT_OF_TIME = 128 + signal.SIGXCPU
KILLED = 128 + signal.SIGKILL       # by the system, if memory runs out
NO_MEMORY = re.compile("no memory|bad_alloc|cannot allocate|could not allocate|out of memory", re.I)


class Error(Exception):
    """What keeps the bench from going on, and what to do next."""


@dataclasses.dataclass
class Run:
    """Cells of one program with the same settings; their names in the data; their results."""
    p: int                  # cells.Procs, if there are nodes
    operator: str           # "none" of what moves data: this moves what is summed
    late: int               # maximum delay of a rank, in microseconds
    who: dict               # collective: its name in the data
    cells: list             # (WHAT, bytes), the sizes of a WHAT ascending
    command: list           # without the program's arguments
    environment: dict
    limit: int              # seconds of computing for a cell
    memory: int             # estimated bytes
    maximum_memory: int     # bytes; the program is ended if it needs more
    key: str                # hash of everything else on which the times depend
    optional: bool          # left out when time is up
    results: dict = dataclasses.field(default_factory=dict)
    # results: (WHAT, bytes): (microseconds or None, algorithm that ran or reason for None)

    def weight(self):
        """An estimate of the duration, relative to other runs."""
        return 20 + self.p ** 1.5 * len(self.cells) / 20

    def name(self):
        """The name of the file with its results."""
        settings = [word for word in self.command if word.startswith("--cfg=")]
        parts = json.dumps([str(self.p), self.operator, self.late, self.cells, settings, self.limit,
                            self.maximum_memory, self.key, sorted(self.who.items())])
        return f"{int(self.p)}-{hashlib.sha256(parts.encode()).hexdigest()[:16]}.json"


class Runner:
    """Executes runs in threads, within a limit of memory."""

    def __init__(self, work, memory):
        self.work, self.memory = work, memory
        self.free = threading.Condition()
        self.processes = set()
        self.stopped = False

    def load(self, run):
        """Reads the results of an earlier execution; False if there is none."""
        try:
            with open(os.path.join(self.work, run.name()), encoding="utf-8") as file:
                for what, size, microseconds, note in json.load(file):
                    run.results[what, size] = microseconds, note
        except (OSError, ValueError):
            run.results.clear()
            return False
        return True

    def save(self, run):
        path = os.path.join(self.work, run.name())
        with open(path + ".new", "w", encoding="utf-8") as file:
            json.dump([[*cell, *result] for cell, result in run.results.items()], file)
        os.replace(path + ".new", path)

    def start(self, run, cells):
        """Measures cells; returns the exit status, the output and the errors."""
        groups = {}
        for what, size in cells:
            groups.setdefault(what, []).append(str(size))
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("ANYP_")}
        environment.update(run.environment)
        with self.free:
            if self.stopped:
                raise Error("interrupted")
            process = subprocess.Popen(
                run.command
                + [str(run.limit), str(run.maximum_memory),
                   "sum" if run.operator == "none" else run.operator, str(run.late)]
                + [f"{what}:{','.join(sizes)}" for what, sizes in groups.items()],
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                start_new_session=True)
            self.processes.add(process)
        out, err = process.communicate()
        with self.free:
            self.processes.discard(process)
            if self.stopped:
                raise Error("interrupted")
        return process.returncode, out, err

    def measure(self, run):
        """Measures all cells of a run."""
        rest = list(run.cells)
        while rest:
            status, out, err = self.start(run, rest)
            if status == 2 or not run.results and re.search("^anyp: rank 0: ", err, re.MULTILINE):
                raise Error(f"{' '.join(run.command)} is refused:\n{err}{out}")
            measured = read(run, rest, out, err)
            fresh = rest[0] not in measured
            rest = [cell for cell in rest if cell not in measured]
            if not rest:
                break
            what, size = rest[0]
            larger = [cell for cell in rest if cell[0] == what and cell[1] >= size]
            if status == OUT_OF_TIME:
                gone = larger
                note = f"left out: more than {run.limit} s of computing for the first of them"
            elif fresh and (status == KILLED or NO_MEMORY.search(err)):
                gone = larger
                note = f"left out: more than {run.maximum_memory >> 20} MiB for the first of them"
            elif fresh:
                gone, note = rest[:1], "crashed"
            else:               # an earlier cell may be the cause
                continue
            for cell in gone:
                run.results[cell] = None, note
            rest = [cell for cell in rest if cell not in gone]
        self.save(run)

    def stop(self):
        """Ends the running programs and their children."""
        with self.free:
            self.stopped = True
            for process in self.processes:
                try:
                    os.killpg(process.pid, signal.SIGTERM)
                except ProcessLookupError:
                    pass
            self.free.notify_all()


def read(run, cells, out, err):
    """Reads the results that the program has printed; returns the cells that have one."""
    chosen = {}
    for collective, size, what in re.findall(
            r"^anyp: (\w+) p=\d+ bytes=(\d+)(?: op=\S+)? -> (.*)$", err, re.MULTILINE):
        ours = re.match(r"anyp_(\w+(\([^)]*\))?)", what)
        chosen[collective, int(size)] = ours[1].replace(",", ";") if ours else "smpi"
    measured = set()
    for what, size, result, note in re.findall(r"^(\S+) (\d+) (wrong|[0-9.]+) ?(.*)$", out,
                                               re.MULTILINE):
        cell = what, int(size)
        if cell not in cells:
            continue
        measured.add(cell)
        if note.startswith("not served"):   # an algorithm that was forced
            run.results[cell] = None, "left out: it does not serve the call"
        elif result == "wrong":
            run.results[cell] = None, "wrong: " + re.sub(r" on rank \d+$", "", note)
        else:
            run.results[cell] = float(result), chosen.get(
                (what.partition("@")[0], rounded(run.p, *cell)), "")
    return measured


def rounded(p, what, size):
    """The bytes of time.c's vector for a size: where blocks are equal, they are whole."""
    count = (size + 7) // 8
    whole = "@" in what or what.split("/")[0] in (
        "allreduce", "reduce", "bcast", "scan", "exscan", "barrier")
    return 8 * (count if whole else (count + p - 1) // p * p)


def execute_all(runs, work, jobs, memory, seconds):
    """Executes all runs and returns them with their results; those of earlier calls are read from
    the folder `work`. After that many seconds no optional run is begun."""
    runner = Runner(work, memory)
    todo = [run for run in runs if not runner.load(run)]
    if len(todo) < len(runs):
        print(f"bench: {len(runs) - len(todo)} of {len(runs)} runs are kept from before",
              flush=True)
    total = sum(run.weight() for run in todo)
    state = {"memory": memory, "weight": 0.0, "error": None, "running": 0, "reported": time.time()}
    begin = time.time()

    def next_run():
        """The first run that fits into memory; any run if no other is running."""
        with runner.free:
            while todo and not runner.stopped:
                if time.time() - begin > seconds:
                    for run in [run for run in todo if run.optional]:
                        todo.remove(run)
                        state["weight"] += run.weight()
                        run.results = {cell: (None, "left out: no time") for cell in run.cells}
                    if not todo:
                        break
                for run in todo:
                    if run.memory <= state["memory"] or state["running"] == 0:
                        todo.remove(run)
                        state["memory"] -= run.memory
                        state["running"] += 1
                        return run
                runner.free.wait()
            return None

    def worker():
        while (run := next_run()) is not None:
            try:
                runner.measure(run)
            except BaseException as error:      # raised again by the main thread
                state["error"] = state["error"] or error
                runner.stop()
            with runner.free:
                state["memory"] += run.memory
                state["running"] -= 1
                state["weight"] += run.weight()
                runner.free.notify_all()
                elapsed = time.time() - begin
                if not runner.stopped and (time.time() - state["reported"] > 10 or not todo):
                    state["reported"] = time.time()
                    rest = elapsed * (total / state["weight"] - 1)
                    who = " ".join(sorted(set(run.who.values())))
                    print(f"bench: {clock(elapsed)}: p={run.p} {who}; "
                          f"{state['weight'] / total:.0%}, about {clock(rest)} to go", flush=True)

    # an interruption ends the simulations, too
    previous = {each: signal.signal(each, lambda number, frame: interrupted(number))
                for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    threads = [threading.Thread(target=worker) for _ in range(jobs)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    except BaseException:
        runner.stop()
        for thread in threads:
            thread.join()
        raise
    finally:
        for each, handler in previous.items():
            signal.signal(each, handler)
    if state["error"]:
        raise state["error"]
    return runs


def interrupted(number):
    raise SystemExit(128 + number)


def clock(seconds):
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
