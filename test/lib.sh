# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
#
# lib.sh - shared by the test scripts: results in TAP, the Test Anything Protocol, and checks of a
# command's output. For sh and bash. Source it, call the functions, and call finish at the end.
#
# A test begins with `begin`, `expect` or `holds`, and ends where the next one begins. The checks
# between them (line, out, err, fail) belong to it. $work is a folder that is removed at the end (or
# the caller's $tap_work). $work/out and $work/err contain the output and errors of the last
# command.

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
tap_number=0                    # of the last reported test
tap_failures=0
tap_name=''                     # of the current test, and its faults
tap_faults=''

# die TEXT...: ends the script without printing a plan, so that it counts as failed.
die() {
    echo "$program: $*" >&2
    exit 2
}

# tap_text TEXT: prints the text in one short line, without '#', which begins a directive of TAP
tap_text() {
    printf '%s' "$1" | tr '\n#' ' .' | sed "s,$work/,,g" | cut -c1-160
}

# tap_report: ends the current test and prints its result
tap_report() {
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

# begin NAME...: begins a test
begin() {
    tap_report
    tap_name=$(tap_text "$*")
}

# fail TEXT...: the test fails; adds the command's output and errors
fail() {
    tap_faults="$tap_faults$*
$(sed 's/^/  out: /' "$work/out" | head -n 40)
$(sed 's/^/  err: /' "$work/err" | head -n 40)
"
}

# skip NAME REASON...: reports a test that cannot run here
skip() {
    tap_report
    tap_number=$((tap_number + 1))
    tap_skipped=$(tap_text "$1")
    shift
    printf 'ok %d - %s # SKIP %s\n' "$tap_number" "$tap_skipped" "$(tap_text "$*")"
}

# run COMMAND...: runs it for at most $limit seconds (default: 300) and sets $got to its status
run() {
    got=0
    timeout -k 10 "${limit:-300}" "$@" >"$work/out" 2>"$work/err" </dev/null || got=$?
}

# expect STATUS COMMAND...: begins a test: the command must end with this status
expect() {
    wanted=$1
    shift
    begin "$*"
    run "$@"
    [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
}

# item NAME COMMAND...: a long test: the command must succeed; the result shows the last line of its
# output and its time
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
    tap_report
}

# holds NAME COMMAND...: begins a test: the command, which may be a function, must succeed
holds() {
    begin "$1"
    shift
    "$@" >"$work/out" 2>"$work/err" || fail "status $?: $*"
}

# line TEXT: the output must contain this line; like EXPRESSION: a line that matches;
# out, err TEXT: the output, the errors must contain this text
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
    grep -qF -e "$1" "$work/err" || fail "'$1' is not in the errors"
}

# silent: there must be no errors
silent() {
    [ ! -s "$work/err" ] || fail 'it writes errors'
}

# unset_variables EXPRESSION: unsets the variables whose names match, so that only the test's count
unset_variables() {
    for tap_variable in $(env | sed -nE "s/^($1)=.*/\\1/p"); do
        unset "$tap_variable"
    done
}

# in_turn WORD...: prints one of the words, another one in each slice
in_turn() {
    shift $((slice % $#))
    echo "$1"
}

# finish: prints the plan; the script must end with its status, which is 1 also without any test
finish() {
    tap_report
    echo "1..$tap_number"
    [ "$tap_failures" -eq 0 ] && [ "$tap_number" -gt 0 ]
}
