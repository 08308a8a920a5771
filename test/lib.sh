# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# lib.sh - shared by the test scripts: results in TAP, the Test Anything Protocol, and checks of a
# command's output. For bash. Source it, call the functions, and call finish at the end.
#
# To start a process takes longer than most tests. So the functions that are called often start none
# but the tested command and `timeout`, unless a test fails.
#
# A test begins with `begin`, `expect` or `holds`, and ends where the next one begins. The checks
# between them (line, out, err, fail) belong to it. $work is a folder that is removed at the end (or
# the caller's $tap_work). $work/out and $work/err contain the output and errors of the last
# command.

program=${0##*/}
tap_folder=${BASH_SOURCE[0]%/*}
work=${tap_work:-}
if [ -z "$work" ]; then
    work=$(mktemp -d) && work=$(cd "$work" && pwd -P) || exit 2
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
fi
: >"$work/out"
: >"$work/err"
# In each process, MPI libraries have hwloc read hundreds of files on the machine's processors, and
# load libraries of graphics cards. Tests do not need this. It takes a third of a short job's time.
export HWLOC_SYNTHETIC='node:1 pu:2' HWLOC_PLUGINS_PATH=/nonexistent
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

# tap_text VARIABLE TEXT: sets the variable to the text in one short line, without '#', which begins
# a directive of TAP
tap_text() {
    local LC_ALL=C tap_line=${2//$'\n'/ }
    tap_line=${tap_line//\#/.}
    tap_line=${tap_line//"$work/"/}
    printf -v "$1" %s "${tap_line:0:160}"
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
    tap_text tap_name "$*"
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
    local tap_skipped tap_reason
    tap_number=$((tap_number + 1))
    tap_text tap_skipped "$1"
    shift
    tap_text tap_reason "$*"
    printf 'ok %d - %s # SKIP %s\n' "$tap_number" "$tap_skipped" "$tap_reason"
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
    local tap_begin=$SECONDS tap_last
    run "$@"
    if [ "$got" -eq 0 ]; then
        tap_text tap_last "$(tail -n 1 "$work/out")"
        tap_name="$tap_name: $tap_last ($((SECONDS - tap_begin)) s)"
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

# file_has FILE TEXT: the file contains this text, which has one line
file_has() {
    local LC_ALL=C tap_content
    if [[ -n $2 && $2 != *$'\n'* ]] && read_text "$1" && [[ $tap_content == *"$2"* ]]; then
        return 0
    fi
    grep -qF -e "$2" "$1"
}

# file_has_line FILE TEXT: the file contains this line
file_has_line() {
    local LC_ALL=C tap_content
    if [[ -n $2 && $2 != *$'\n'* ]] && read_text "$1" &&
        [[ $'\n'$tap_content$'\n' == *$'\n'"$2"$'\n'* ]]; then
        return 0
    fi
    grep -qxF -e "$2" "$1"
}

# read_text FILE: sets tap_content; 1 if the file cannot be read, or is no text, but has a zero byte
read_text() {
    tap_content=''
    [ -r "$1" ] && ! IFS= read -r -d '' tap_content <"$1"
}

# line TEXT: the output must contain this line; like EXPRESSION: a line that matches;
# out, err TEXT: the output, the errors must contain this text
line() {
    file_has_line "$work/out" "$1" || fail "no line '$1'"
}
like() {
    grep -qxE -e "$1" "$work/out" || fail "no line like '$1'"
}
out() {
    file_has "$work/out" "$1" || fail "'$1' is not in the output"
}
err() {
    file_has "$work/err" "$1" || fail "'$1' is not in the errors"
}

# json EXPRESSION: the output must be JSON, and the Python expression, where it is `it`, be true.
# One Python answers for all expressions of a script; $json_names are statements for it, which
# define more names.
json() {
    local tap_answer=''
    if [ -z "${tap_python_PID:-}" ]; then
        coproc tap_python {
            exec python3 "$tap_folder/json_holds.py" "$work/out" "${json_names:-}"
        }
    fi
    echo "${1//$'\n'/ }" >&"${tap_python[1]}"
    IFS= read -r tap_answer <&"${tap_python[0]}"
    [ "$tap_answer" = yes ] || fail "${tap_answer:-no answer}: $1"
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
