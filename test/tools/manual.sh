#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The manual pages: they have all that --help and the tables have, and groff has nothing against
# them. Run by `make check`; by hand, in a build folder: srcdir=path/to/source test/tools/manual.sh
# shellcheck disable=SC2013  # names have no blanks
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,5s/^# \{0,1\}//p' "$0"
    exit 0
fi

anyp=${ANYP:-./anyp}
pages=${MANUALS:-man}
source=${srcdir:-.}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
tests=0
failures=0

fail() {
    failures=$((failures + 1))
    echo "FAIL: $*" >&2
}

# has PAGE TEXT WHAT: the page, read without its markup, has the text
has() {
    tests=$((tests + 1))
    grep -qF -e "$2" "$work/$1" || fail "$1 lacks $3"
}

for page in anyp.1 libanyp.7 anyp-tune.1; do
    sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\://g' -e 's/\\e/\\/g' "$pages/$page" \
        >"$work/$page" || exit 1
    tests=$((tests + 1))
    if command -v groff >/dev/null; then
        groff -ww -man -Tutf8 -z "$pages/$page" >"$work/told" 2>&1
        [ ! -s "$work/told" ] || fail "$page: groff: $(head -n 3 "$work/told")"
    fi
    tests=$((tests + 1))
    if command -v mandoc >/dev/null; then
        mandoc -Tlint -Wwarning "$pages/$page" 2>&1 | grep -v 'missing date' >"$work/told"
        [ ! -s "$work/told" ] || fail "$page: mandoc: $(head -n 3 "$work/told")"
    fi
done

# ---- anyp(1): each command's part has its options and its examples ----
"$anyp" --help >"$work/help" || exit 1
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/help"); do
    sed -n "/^\\.SS anyp $command\$/,/^\\.S[SH] /p" "$work/anyp.1" >"$work/part"
    tests=$((tests + 1))
    [ "$(wc -l <"$work/part")" -gt 5 ] || fail "anyp.1 lacks anyp $command"
    "$anyp" "$command" --help >"$work/help.$command" || exit 1
    for option in $(sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/help.$command"); do
        has part "$option" "$command $option"
    done
    sed -n '/^Examples:/,$s/^  //p' "$work/help.$command" >"$work/examples"
    while read -r example; do
        has part "$example" "the example '$example'"
    done <"$work/examples"
done

# ---- libanyp(7): variables, algorithms and their parameters ----
variables=$source/src/settings/variables.def
for variable in $(sed -n 's/^ANYP_VARIABLE(\([A-Z_]*\),.*/ANYP_\1/p
    s/^ANYP_VARIABLE_EACH(\([A-Z_]*\),.*/ANYP_<COLLECTIVE>_\1/p' "$variables"); do
    has libanyp.7 "$variable=" "$variable"
done
"$anyp" list --json >"$work/list" || exit 1
python3 - "$work/list" >"$work/names" <<'END'
import json, sys
for algorithm in json.load(open(sys.argv[1]))["algorithms"]:
    print(".SS " + algorithm["name"])
    for parameter in algorithm["parameters"]:
        print(parameter["name"].upper())
        print(parameter["help"])
END
while read -r name; do
    has libanyp.7 "$name" "$name"
done <"$work/names"

# ---- anyp-tune(1) ----
for option in $(sed -n "s/^    { '.', \"\\([a-z]*\\)\",.*/\\1/p" "$source/tuning/options.c"); do
    has anyp-tune.1 "--$option" "--$option"
done

echo "$((tests - failures)) passed, $failures failed"
[ "$failures" -eq 0 ]
