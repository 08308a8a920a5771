# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# pages.sh - for tests of the pages of anyp report, after lib.sh: makes them, runs their scripts with
# node, and shows them in Chromium; skips, with a word, if these are not installed.
#
# shellcheck disable=SC2154  # here, anyp, work and got are of the test and of lib.sh

node=$(command -v node || command -v nodejs) || node=''
# draw NAME: runs the page's script; NAME.xml becomes what it draws. Messages of anyp are kept
draw() {
    cp "$work/err" "$work/messages"
    if [ -z "$node" ]; then
        skip "the script of $1.html draws" 'there is no node'
    else
        holds "the script of $1.html draws" "$node" "$here/render_page.js" "$work/$1.html"
        cp "$work/out" "$work/$1.xml"
    fi
    cp "$work/messages" "$work/err"
}
# made NAME EXACT CELLS: a file of allreduce whose cells have these times
made() {
    python3 - "$here/measured.times" "$work/$1.times" "$2" "$3" <<'END'
import json
import sys

cells = [
    {"collective": "allreduce", "commutative": True, "p": 5, "bytes": 64 << 2 * i,
     "times": {"auto": library, "anyp_gather_reduce radix=5": anyp}, "same": {}}
    for i, (library, anyp) in enumerate(json.loads(sys.argv[4]))]
head = {**json.loads(open(sys.argv[1]).readline()), "exact": sys.argv[3] == "exact",
        "cells": len(cells)}
with open(sys.argv[2], "w") as file:
    file.writelines(json.dumps(line) + "\n" for line in (head, *cells))
END
    expect 0 "$anyp" report "$work/$1.times" -o "$work/$1.html"
    draw "$1"
}
# says NAME TEXT: the page shows it
says() {
    [ -z "$node" ] || file_has "$work/$1.xml" "$2" || fail "the page does not say: $2"
}
# quiet NAME EXPRESSION: the page does not show it
quiet() {
    [ -z "$node" ] || ! grep -qE -e "$2" "$work/$1.xml" || fail "the page says: $2"
}
# in_browser NAME...: Chromium shows these pages, of which draw has run the scripts
in_browser() {
    local browser name shown wanted
    browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
        browser=''
    if [ -z "$browser" ]; then
        skip 'Chromium shows the page' 'there is no chromium'
    elif ! timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
        --dump-dom about:blank >/dev/null 2>&1; then
        skip 'Chromium shows the page' 'chromium cannot start here'
    else
        for name in "$@"; do
            begin "Chromium shows $name.html"
            run "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
                --enable-logging=stderr --dump-dom "file://$work/$name.html"
            [ "$got" -eq 0 ] || fail "exit status $got"
            ! grep CONSOLE "$work/err" || fail 'there are messages on the console'
            shown=$(grep -o '<svg ' "$work/out" | wc -l)
            wanted=$shown
            [ -z "$node" ] || wanted=$(grep -o '<svg ' "$work/$name.xml" | wc -l)
            if [ "$shown" -ne "$wanted" ] || [ "$wanted" -eq 0 ]; then
                fail "$shown of $wanted pictures in the document"
            fi
        done
    fi
}
