# SPDX-License-Identifier: BSD-3-Clause
"""suite - MPICH's own tests of the collectives: the list of tests, and their programs.

Only the programs of test/mpi/coll that call one of AnyP's collectives in a form that it serves are
built, out of tree.
"""
import pathlib
import re
import shlex
import shutil
import subprocess

from graft_places import BLOCKING, COLLECTIVES   # nonblocking ones are also the persistent ones

FUNCTIONS = {"MPI_" + name.capitalize() + suffix: name
             for name in COLLECTIVES for suffix in ("", "_c")}
FUNCTIONS.update({"MPI_" + name.capitalize() + "_init" + suffix: "i" + name
                  for name in BLOCKING for suffix in ("", "_c")})
CALLS = re.compile(r"\b(?:MPI|MTest)_(?:%s)(?:_init)?(?:_c)?\s*\("
                   % "|".join(name.capitalize() for name in COLLECTIVES))


class Refused(Exception):
    """The tests cannot be run; the message says what to do."""


class Test:
    """A test of MPICH's list, for all numbers of processes: program, arguments, environment."""

    def __init__(self, name, arguments, variables, limit):
        self.name, self.arguments, self.variables = name, arguments, variables
        self.limit = limit
        self.listed = []
        self.collectives = ()           # those that it calls and AnyP serves
        self.intercommunicators = False

    def text(self):
        return " ".join([self.name] + self.arguments)


def read_list(file):
    """MPICH's test list: lines "NAME PROCESSES [KEY=VALUE...]"."""
    tests = {}
    for line in file.read_text().splitlines():
        words = shlex.split(line, comments=True)
        if len(words) < 2 or not words[1].isdigit():
            continue
        arguments, variables, limit = [], {}, None
        for key, _, value in (word.partition("=") for word in words[2:]):
            if key == "arg":
                arguments.append(value)
            elif key == "env":
                name, _, content = value.partition("=")
                variables[name] = content
            elif key == "timeLimit":
                limit = int(value)
        key = (words[0], tuple(arguments), tuple(sorted(variables.items())))
        test = tests.setdefault(key, Test(words[0], arguments, variables, limit))
        test.listed.append(int(words[1]))
    return list(tests.values())


class Programs:
    """test/mpi of MPICH's source, configured and compiled in a folder of ours."""

    def __init__(self, source, library, work, jobs):
        self.suite = source / "test" / "mpi"
        self.library, self.work, self.jobs = library, work, jobs
        self.folder = work / "coll"
        self.missing = []               # programs that do not compile

    def step(self, what, command, folder):
        log = self.work / (what.split()[0] + ".log")
        print("%s ..." % what, flush=True)
        with log.open("w") as output:
            status = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=subprocess.STDOUT, check=False).returncode
        return status, log

    def configure(self):
        stamp = self.work / "configured-for"
        wanted = "%s %s\n" % (self.suite, self.library.text)
        if stamp.exists() and stamp.read_text() == wanted:
            return
        if self.work.exists() and any(self.work.iterdir()) and not stamp.exists():
            raise Refused("%s is not empty and not a folder of this script; choose another --work"
                          % self.work)
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        stamp.write_text("")
        dash = pathlib.Path("/bin/dash")        # its scripts run faster than in bash
        shell = ["CONFIG_SHELL=%s" % dash, "SHELL=%s" % dash] if dash.exists() else []
        status, log = self.step(
            "configure MPICH's tests",
            ["env"] + shell + [str(self.suite / "configure"), "-q"] + self.library.configure +
            ["--disable-fortran", "--disable-cxx", "--disable-romio", "--disable-spawn",
             "--disable-rma", "--disable-dtpools"], self.work)
        if status:
            raise Refused("MPICH's tests cannot be configured; see %s" % log)
        stamp.write_text(wanted)

    def build(self, tests):
        """Compiles the programs that may call one of them; finds the calls in their objects."""
        names = sorted({test.name for test in tests})
        likely = [name for name in names
                  if (self.suite / "coll" / (name + ".c")).exists() and
                  CALLS.search((self.suite / "coll" / (name + ".c")).read_text(errors="replace"))]
        status, log = self.step("build %d of MPICH's programs" % len(likely),
                                ["make", "-s", "-k", "-j%d" % self.jobs] + likely, self.folder)
        self.missing = [name for name in likely if not (self.folder / name).exists()]
        if self.missing == likely or (self.missing or status) and \
                not self.library.may_miss_programs:
            raise Refused("these were not built: %s; see %s" % (" ".join(self.missing), log))
        called = {name: self.called(name) for name in likely if name not in self.missing}
        for test in tests:
            words = called.get(test.name, ())
            used = {FUNCTIONS[word] for word in words if word in FUNCTIONS}
            test.collectives = tuple(one for one in self.library.collectives if one in used)
            test.intercommunicators = "MTestGetIntercomm" in words

    def called(self, name):
        """The functions that a program's own object file calls."""
        done = subprocess.run(["nm", "-u", name + ".o"], cwd=self.folder, stdout=subprocess.PIPE,
                              check=True, universal_newlines=True)
        return done.stdout.split()
