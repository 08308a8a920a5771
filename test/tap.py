# SPDX-License-Identifier: BSD-3-Clause
"""Writes the results of tests in TAP, the Test Anything Protocol, for test scripts in Python."""
import threading


def plain(text):
    """Returns the text in one line, without '#', which begins a directive of TAP."""
    return " ".join(str(text).split()).replace("#", ".")


class Results:
    """Writes a line for each test as it ends; several threads may call its methods."""

    def __init__(self, planned=None):
        self.number = self.failed = 0
        self.planned, self.lock = planned, threading.Lock()
        if planned is not None:
            print("1..%d" % planned, flush=True)

    def ok(self, name, good=True, *faults):
        """Reports a test, and its faults if it has failed."""
        with self.lock:
            self.number += 1
            self.failed += not good
            print("%s %d - %s" % ("ok" if good else "not ok", self.number, plain(name)))
            for fault in faults if not good else ():
                print("\n".join("# " + line for line in str(fault).splitlines()))
            print(end="", flush=True)

    def skip(self, name, reason):
        with self.lock:
            self.number += 1
            print("ok %d - %s # SKIP %s" % (self.number, plain(name), plain(reason)), flush=True)

    def finish(self):
        """Prints the plan unless __init__ did. The exit status: 1 also if there was no test."""
        if self.planned is None:
            print("1..%d" % self.number, flush=True)
        return 0 if self.number and not self.failed else 1
