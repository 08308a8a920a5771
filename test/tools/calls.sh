#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests anyp cost --calls: the calls of a record at other numbers of processes.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/calls.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

here=${srcdir:-.}/test/tools
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$here/../lib.sh"
anyp=${ANYP:-./anyp}
record=$here/before.calls

# expect STATUS WORD...: runs anyp cost --calls
expect() {
    wanted=$1
    shift
    begin "anyp cost --calls $*"
    run "$anyp" cost --calls "$@"
    [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
}

# the kinds of calls in the output, by name
# shellcheck disable=SC2034  # for lib.sh
json_names="kinds = {one['name'].split(',')[0]: one.get('there') for one in reversed(it['kinds'])}"

# like PATTERN: a line matches
like() {
    grep -qE "$1" "$work/out" || fail "no line like $1"
}

# ---- rounds: 1000 allreduces of 60 processes in 7, with the surplus processes, and in 6 ----
flat=$work/flat.calls
sed 's/"nodes":"5",//g' "$record" >"$flat"
expect 0 "$flat" -p 60 --alpha 1
line 'record: 28 s of 80 s in collectives, at most 11.9 s of them working'
line 'closed forms for 60 processes, scaling fixed, alpha 1, beta 0, gamma 0'
like '^allreduce, sum +60 +64 B +1000 +7000 recursive doubling +6000 [a-z_]+$'
like '^allreduce, user, ordered, nonblocking, p=2 +24 +8 B +50 '
like '^neighbor_alltoall +- +32 B +10 +- +-$'
line '0.2 s of the record are left out, since their time is unknown: neighborhoods; blocks whose sizes only'
line 'their processes know.'
# the columns of both machines begin under their heads
begin 'the table has columns'
awk '/^seconds of/ { wide = length($0) } / processes/ && /^ / && length($0) != wide { exit 1 }' \
    "$work/out" || fail 'lines are of different lengths'
expect 0 "$flat" -p 60 --alpha 1 --json
json "kinds['allreduce']['usual']['seconds'] == 7000 and kinds['allreduce']['anyp']['seconds'] == 6000"
json "it['recorded']['p'] == 5 and it['recorded']['unknown'] == 0.2"
json "kinds['neighbor_alltoall'] is None and kinds['barrier']['bytes'] == 0"
json "it['usual'] == sum(one['there']['usual']['seconds'] for one in it['kinds'] if 'there' in one)"
# as recorded
expect 0 "$record" -p 5 --json
json "it['usual'] == it['recorded']['usual'] and it['anyp'] == it['recorded']['anyp']"
expect 0 "$record"
out "These constants are AnyP's defaults."
[ "$(grep -c '^ *5 processes' "$work/out")" -eq 1 ] || fail 'it repeats the line of the recorded size'
line 'simulated for 5 processes on 1 node of 5, scaling fixed, network 1500,500,12500,5000,300,10000,1'
line 'The record has 11.9 s of work, the estimate only 0.005174 s. In the rest, processes waited for others or for a'
expect 0 "$record" --json
json "it['p'] == 5 and it['usual'] == it['recorded']['usual'] and it['anyp'] == it['recorded']['anyp']"

# ---- nodes are as large as in the record; communicators inside nodes stay there ----
nodes=$work/nodes.calls
sed 's/"p":5/"p":12/g; s/"nodes":"5"/"nodes":"3x4"/g; s/"p":2,/"p":2,"nodes":"2",/' "$record" >"$nodes"
expect 0 "$nodes" -p 26
line 'simulated for 26 processes on 6x4,2, scaling fixed, network 1500,500,12500,5000,300,10000,1'
like 'nonblocking, p=2 +2 +8 B'
expect 0 "$record" -p 10
line 'simulated for 10 processes on 2x5, scaling fixed, network 1500,500,12500,5000,300,10000,1'
expect 0 "$nodes" --nodes 6x8 --network 1500,500,12500,5000,300,10000,1
! grep -q defaults "$work/out" || fail 'given constants are called defaults'
like 'nonblocking, p=2 +4 +8 B'
expect 0 "$nodes" --nodes '2x(3x8)' --alpha 1e-6 --beta 1e-9 --inside-alpha 1e-7 --above 2e-6:1e-9
like 'on 2x\(3x8\), scaling'

# ---- on nodes, the times are those of anyp cost --exact with the same constants ----
constants=(--alpha 1.5e-6 --overhead 5e-7 --beta 8e-11 --gamma 2e-10 --inside-alpha 3e-7
           --inside-beta 1e-10)
expect 0 "$record" --nodes 16x48 --json
simulated=$("$anyp" cost bcast binomial -P radix=2 -P groups=ranks --nodes 16x48 -m 80 --exact \
                "${constants[@]}" | awk '$1 == "time" { print $2 }')
json "abs(kinds['bcast']['usual']['seconds'] - 10 * $simulated) < 1e-9"
# a scatter and a ring among 768 processes have too many messages
sed '/"bcast"/s/:80/:1048576/g' "$record" >"$work/long.calls"
expect 0 "$work/long.calls" --nodes 16x48
like '^bcast +- +1 MiB +10 +- +-$'
line 'their processes know; a long bcast by scatter and ring, with too many messages to simulate.'
expect 0 "$work/long.calls" --nodes 16x48 --json
json "kinds['bcast'] is None"

# ---- calls of several phases are one kind ----
expect 0 "$record" -p 10 --json
cp "$work/out" "$work/whole"
# shellcheck disable=SC2016  # for sed
sed '/"sum"/{h; s/"calls":1000/"calls":600/; s/"mean":20/"mean":12/; s/"least":9/"least":5/; p; g
    s/"p":5/"phase":3,&/; s/"calls":1000/"calls":400/; s/"mean":20/"mean":8/; s/"least":9/"least":4/}' \
    "$record" >"$work/phases.calls"
expect 0 "$work/phases.calls" -p 10 --json
cmp -s "$work/out" "$work/whole" || fail 'not the output of the record without phases'
sed '/"bcast"/s/"p":5/"phase":3,&/' "$record" >"$work/phases.calls"
expect 0 "$work/phases.calls" -p 10 --json
cmp -s "$work/out" "$work/whole" || fail 'not the output of the record without phases'

# ---- bytes ----
for scaling in fixed:64:1320 strong:8:120 weak:64:15600; do
    IFS=: read -r how allreduce allgather <<EOF
$scaling
EOF
    expect 0 "$record" -p 60 --scaling "$how" --json
    json "kinds['allreduce']['bytes'] == $allreduce and kinds['allgather']['bytes'] == $allgather"
done

# ---- errors ----
expect 2 "$record" -p 60 allreduce
err "unexpected argument 'allreduce': --calls estimates all calls of one record; estimate further records one by one"
expect 2 "$record" --calls "$flat"
err "--calls $record --calls $flat: estimate records one by one"
for option in '--bytes 8' --best '--leaf 4' '--param radix=2' --eager; do
    # shellcheck disable=SC2086 # words
    expect 2 "$record" -p 60 $option
    err "${option%% *} cannot be combined with --calls"
done
expect 2 "$record" -p 60 --scaling odd
err '--scaling odd: expected fixed, strong or weak'
expect 2 "$record" -p 60 --network 1,2
err '--network 1,2: expected a list such as 1500,500,12500,5000,300,10000,1'
expect 2 "$record" -p 60 --network 1500,500,12500,5000 --alpha 1
err 'give either --network or --alpha, --beta and --gamma, not both'
expect 1 "$work/none.calls" -p 60
err 'none.calls'
expect 1 "$here/measured.times" -p 60
err 'measured.times: '
sed '/collective/d' "$record" >"$work/empty.calls"
expect 1 "$work/empty.calls" -p 60
err 'empty.calls: the record has no collective'
# without MESSAGE WORD...: anyp cost refuses this
without() {
    message=$1
    shift
    begin "anyp cost $*"
    run "$anyp" cost "$@"
    [ "$got" -eq 2 ] || fail "exit status $got"
    err "$message"
}
without '--scaling requires --calls' allreduce ring -p 5 --scaling weak
without 'missing argument: COLLECTIVE' --best -p 10 -m 8 --alpha 1

finish
