# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For the scripts that run the MPI tests: jobs of killed.c end. Source it after ../lib.sh.

# Only something that hangs needs as long as this.
killed_limit=60

# job_ends NAME WHERE COMMAND...: the command is a job that notes in $work/killed where it kills a
# rank; it ends in time and with an error
job_ends() {
    local name=$1 where=$2 start=$SECONDS noted=''
    shift 2
    rm -f "$work/killed"
    begin "$name"
    limit=$killed_limit run "$@"
    [ ! -e "$work/killed" ] || noted=$(cat "$work/killed")
    case $where:$noted in
        'operator:killed in an operator' | 'call:killed before a call') ;;
        *) fail "not killed as asked: '$noted'" ;;
    esac
    if [ $((SECONDS - start)) -ge "$killed_limit" ]; then
        fail "no end within $killed_limit s"
    elif [ "$got" -eq 0 ]; then
        fail 'exit status 0'
    fi
    tap_report
}
