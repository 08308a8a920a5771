# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# lib.sh - what the test scripts share: results in TAP, the Test Anything Protocol, and what a
# command said. For sh and bash. Source it, call the functions below, and call finish at the end.
#
# A test begins with `begin`, `expect` or `holds`, and ends where the next one begins. What is
# checked in between (line, out, err, fail) belongs to it. $work is a folder that is removed at the
# end (or the caller's $tap_work); $work/out and $work/err have what the last command said.

program=${0##*/}
work=${tap_work:-}
if [ -z "$work" ]; then
    work=$(mktemp -d) && work=$(cd "$work" && pwd -P) || exit 2
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi
: >"$work/out"
: >"$work/err"
slice=${ANYP_SLICE:-0}          # which sample is tested (maint/check --help)
tap_number=0                    # of the last test that has been told
tap_failures=0
tap_name=''                     # of the test that runs, and what it has found
tap_faults=''

# die TEXT...: the script cannot go on. There is no plan then, so that it counts as failed.
die() {
    echo "$program: $*" >&2
    exit 2
}

# tap_text TEXT: in a line, short, and without what TAP takes for a directive
tap_text() {
    printf '%s' "$1" | tr '\n#' ' .' | sed "s,$work/,,g" | cut -c1-160
}

# tap_tell: ends the test that runs
tap_tell() {
    [ -n "$tap_name" ] || return 0
    tap_number=$((tap_number + 1))
    if [ -z "$tap_faults" ]; then
        printf 'ok %d - %s\n' "$tap_number" "$tap_name"
    else
        tap_failures=$((tap_failures + 1))
        printf 'not ok %d - %s\n' "$tap_number" "$tap_name"
        printf '%s' "$tap_faults" | sed '/^$/d; s/^/# /'
    fi
    tap_name=''
    tap_faults=''
}

# begin NAME...: a test
begin() {
    tap_tell
    tap_name=$(tap_text "$*")
}

# fail TEXT...: the test fails; with what the command said
fail() {
    tap_faults="$tap_faults$*
$(sed 's/^/  out: /' "$work/out" | head -n 40)
$(sed 's/^/  err: /' "$work/err" | head -n 40)
"
}

# skip NAME REASON...: a test that cannot run here
skip() {
    tap_tell
    tap_number=$((tap_number + 1))
    tap_skipped=$(tap_text "$1")
    shift
    printf 'ok %d - %s # SKIP %s\n' "$tap_number" "$tap_skipped" "$(tap_text "$*")"
}

# run COMMAND...: in time ($limit seconds, 300 if it is not set); its status is in $got
run() {
    got=0
    timeout -k 10 "${limit:-300}" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
}

# expect STATUS COMMAND...: a test: the command ends with this status
expect() {
    wanted=$1
    shift
    begin "$*"
    run "$@"
    [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
}

# item NAME COMMAND...: a test that takes long: the command succeeds, and the last line that it says
# is told
item() {
    begin "$1"
    shift
    tap_begin=$(date +%s)
    run "$@"
    if [ "$got" -eq 0 ]; then
        tap_name="$tap_name: $(tap_text "$(tail -n 1 "$work/out")") ($(($(date +%s) - tap_begin)) s)"
    elif [ "$got" -eq 124 ] || [ "$got" -eq 137 ]; then
        fail "no end within ${limit:-300} s"
    else
        fail "exit status $got"
    fi
    tap_tell
}

# holds NAME COMMAND...: a test: the command, which may be a function, succeeds
holds() {
    begin "$1"
    shift
    "$@" >"$work/out" 2>"$work/err" || fail "status $?: $*"
}

# line TEXT: a whole line of the output; like EXPRESSION: the same; out, err TEXT: a part of the
# output, of the complaint
line() {
    grep -qxF -e "$1" "$work/out" || fail "no line '$1'"
}
like() {
    grep -qxE -e "$1" "$work/out" || fail "no line like '$1'"
}
out() {
    grep -qF -e "$1" "$work/out" || fail "'$1' is not in the output"
}
err() {
    grep -qF -e "$1" "$work/err" || fail "'$1' is not in the complaint"
}

# silent: no complaint
silent() {
    [ ! -s "$work/err" ] || fail 'it complains'
}

# unset_variables EXPRESSION: those whose names match, so that only what a test sets decides
unset_variables() {
    for tap_variable in $(env | sed -nE "s/^($1)=.*/\\1/p"); do
        unset "$tap_variable"
    done
}

# in_turn WORD...: one of the words, another one in each slice
in_turn() {
    shift $((slice % $#))
    echo "$1"
}

# finish: the number of tests; its status is to be the script's. No test is no success.
finish() {
    tap_tell
    echo "1..$tap_number"
    [ "$tap_failures" -eq 0 ] && [ "$tap_number" -gt 0 ]
}
