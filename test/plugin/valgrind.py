#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks valgrind's findings in AnyP: wrong accesses by its code, and memory that its code lost.

MPI libraries also cause findings: a finding belongs to the innermost frame that is not in
the C library. Memory that they lose because of AnyP is in the total, which must be about the same
as without the plug-in."""
import argparse
import os.path
import re
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..', 'src'))
ALLOWED = 1000  # bytes of difference, as there are between two processes

FRAME = re.compile(r'^==\d+==    (?:at|by) 0x[0-9A-F]+: (\S+) \((.*)\)$')
SYSTEM = re.compile(r'in /usr/(lib|libexec)/.*/(libc|vgpreload|ld-)|/vg_replace|vg_replace')
LOST = re.compile(r'definitely lost: ([\d,]+) bytes')


def findings(lines):
    """(description, frames) of each finding"""
    what, frames = None, []
    for line in lines:
        frame = FRAME.match(line)
        if frame:
            frames.append(frame.groups())
            continue
        if frames:
            yield what, frames
            what, frames = None, []
        text = re.sub(r'^==\d+== ?', '', line).strip()
        if text and not line.startswith('=='):
            continue
        what = text or what
    if frames:
        yield what, frames


def is_ours(what, frames):
    if 'definitely lost' not in (what or '') and 'lost in loss record' in (what or ''):
        return False
    for function, location in frames:
        if not SYSTEM.search(location):
            path = os.path.realpath(location.split(':')[0])
            return 'libanyp-' in location or path.startswith(TOP + os.sep)
    return False


def read(name):
    with open(name, errors='replace') as log:
        return log.read().splitlines()


def lost(names):
    """The maximum that a process has lost, in bytes"""
    return max(int(text.replace(',', '')) for name in names
               for text in LOST.findall('\n'.join(read(name))) or ['0'])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('logs', nargs='+', help='logs of valgrind with --fullpath-after=')
    parser.add_argument('--without', nargs='+', required=True, help='the same without the plug-in')
    found = 0
    arguments = parser.parse_args()
    for name in arguments.logs:
        lines = read(name)
        if not any('ERROR SUMMARY' in line for line in lines):
            print(f'{name}: valgrind did not finish')
            found += 1
        for what, frames in findings(lines):
            if is_ours(what, frames):
                found += 1
                print(what)
                for function, location in frames:
                    print(f'    {function} ({location})')
    with_plugin, without = lost(arguments.logs), lost(arguments.without)
    print(f'{found} findings in AnyP; {with_plugin} bytes are lost, {without} without the plug-in')
    found += with_plugin > without + ALLOWED
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
