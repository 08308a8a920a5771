#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests anyp-tune-job without MPI and without a scheduler: what it reads from Slurm and PBS, its
# commands, and what it does if these fail or it is stopped. Run by `make check`; by hand:
# srcdir=path/to/source test/tools/job.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

source=$(cd "${srcdir:-.}" && pwd) || exit 1
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$source/test/lib.sh"
unset_variables '(SLURM|PBS)_.*'

# What the job calls, as stubs. Of anyp-tune: a run that saves leaves FILE; one that $work/slow asks
# for takes long, and does after a signal what $work/caught says; one that finds $work/status ends
# with that, and leaves no FILE. A validation prints $work/summary, and mends if there is
# $work/slower; it takes long if there is $work/long.
stubs=$work/bin
job=$stubs/anyp-tune-job
mkdir "$stubs"
cp "$source/tuning/anyp-tune-job" "$job"
stub() {
    { echo '#!/bin/bash'; echo "work=$work"; cat; } >"$stubs/$1"
    chmod +x "$stubs/$1"
}
stub mpiexec <<'END'
case $1 in --version) cat "$work/version"; exit ;; esac
while [[ $1 != *anyp-tune* ]]; do shift; done
exec "$@"
END
stub anyp-tune.mpich <<'END'
echo "$*" >>"$work/calls"
all=$* save='' output='' validates=''
while [ $# -gt 0 ]; do
    case $1 in
        --save) save=$2; [ ! -e "$save" ] || exit 1 ;;
        --resume) save=$2; [ -e "$save" ] || exit 1 ;;
        --output) output=$2 ;;
        --validate) validates=$2 ;;
    esac
    shift
done
# takes long
wait_for_signal() {
    trap 'kill $!; . "$work/caught"' TERM
    sleep 60 &
    wait
}
if [ -n "$validates" ]; then
    [ ! -e "$work/long" ] || wait_for_signal
    [ ! -e "$work/slower" ] || echo mended >>"$validates"
    [ ! -e "$work/summary" ] || cat "$work/summary"
    exit "$(cat "$work/validated" 2>/dev/null || echo 0)"
fi
if [ -n "$save" ] && [ -e "$work/slow" ]; then
    echo '{"run":{}}' >"$save"
    wait_for_signal
fi
if [ -n "$save" ] && [ -e "$work/status" ]; then
    exit "$(cat "$work/status")"
fi
[ -z "$save" ] || echo '{"run":{"complete":"yes"}}' >"$save"
[ -z "$output" ] || echo "rules of $all" >"$output"
END
ln -s anyp-tune.mpich "$stubs/anyp-tune.openmpi"
stub anyp <<'END'
echo "anyp $*" >>"$work/calls"
[ "$1" != report ] || echo page >"$3"
END
stub squeue <<'END'
cat "$work/left"
END
stub qstat <<'END'
echo '    Resource_List.walltime = 00:30:00'
END
export PATH=$stubs:$PATH
echo 'HYDRA build details' >"$work/version"

usual=(--nodes 3 --full 4 --seconds 1000 --dir "$work/results")
expect 0 "$job" --help
out 'Usage: anyp-tune-job'
for wrong in '--nonsense' '--seconds 1h' '--nodes 0' '--shapes 5' '--shapes 1,,x' '--shapes ,' \
    '--launcher mpiexec' '--tuner none' '--dir'; do
    # shellcheck disable=SC2086  # two words
    expect 2 "$job" "${usual[@]}" $wrong
    err "${wrong%% *}"
done
expect 2 "$job"
err 'no scheduler sets it'
expect 2 "$job" --nodes 1 --full 4 --seconds 9 --shapes 1
err 'one process alone'

# ---- what Slurm and PBS say ----
slurm=(env SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=3 SLURM_NTASKS_PER_NODE=4 SLURM_JOB_NODELIST=x)
while read -r left seconds; do
    echo "$left" >"$work/left"
    expect 0 "${slurm[@]}" "$job" --dry-run
    out "3 nodes; processes per node: 4; $seconds s; "
done <<'END'
58:00 3480
1:00:00 3600
2-03:04:05 183845
45 45
END
echo UNLIMITED >"$work/left"
expect 2 "${slurm[@]}" "$job" --dry-run
err '--seconds is missing'
mv "$stubs/squeue" "$work/squeue"
if ! command -v squeue >/dev/null; then
    expect 2 "${slurm[@]}" "$job" --dry-run
    err 'squeue is not in PATH, so the remaining time of job 1 is unknown: set --seconds'
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail 'more than one message'
fi
mv "$work/squeue" "$stubs/squeue"
printf '%s\n' n1 n1 n2 n2 n3 n3 >"$work/nodefile"
pbs=(env PBS_JOBID=1 PBS_NODEFILE="$work/nodefile")
expect 0 "${pbs[@]}" "$job" --dry-run
out '3 nodes; processes per node: 2; 1800 s; '
expect 0 "${pbs[@]}" PBS_WALLTIME=600 "$job" --dry-run --shapes 1,half,full
out '3 nodes; processes per node: 1 2; 600 s; '
for text in '' '\n'; do
    # shellcheck disable=SC2059  # a format
    printf "$text" >"$work/empty"
    expect 2 env PBS_JOBID=1 PBS_NODEFILE="$work/empty" "$job" --dry-run
    err "PBS_NODEFILE names no node: '$work/empty'"
    err '--nodes is missing'
    [ "$(wc -l <"$work/err")" -eq 2 ] || fail 'more than two messages'
done
expect 0 env PBS_JOBID=1 PBS_NODEFILE="$work/none" "$job" --dry-run --nodes 3 --full 2

# ---- launchers ----
expect 0 "$job" "${usual[@]}" --dry-run
out '+ mpiexec -n 12 -ppn 4 '
out "tuner: $stubs/anyp-tune.mpich; launcher: mpiexec -n {ranks} -ppn {per_node}"
out 'nothing was run'
# into a file, whose position all commands share
begin 'a dry run into a file is complete'
"$job" "${usual[@]}" --dry-run >"$work/file"
# the budgets are what is left of the time
sed -i -E 's/--budget [0-9]+/--budget N/' "$work/file" "$work/out"
cmp -s "$work/file" "$work/out" || fail 'another text'
[ ! -e "$work/calls" ] || fail 'it has called something'
[ ! -e "$work/results" ] || fail 'it has made a folder'
echo 'mpiexec (OpenRTE) 4.1.4' >"$work/version"
expect 0 "$job" "${usual[@]}" --dry-run --shapes half
out '+ mpiexec -n 6 --map-by ppr:2:node '
out "tuner: $stubs/anyp-tune.openmpi; launcher: mpiexec "
expect 2 "$job" "${usual[@]}" --launcher 'mpiexec -n 4' --tuner anyp-tune.openmpi
err "--launcher 'mpiexec -n {ranks} --map-by ppr:{per_node}:node'"
echo 'something' >"$work/version"
if ! command -v srun >/dev/null; then
    expect 2 "$job" "${usual[@]}"
    err '--launcher'
fi
stub srun </dev/null
expect 0 "$job" "${usual[@]}" --dry-run --sizes 16 -- --operators sum
out '+ srun -N 3 -n 12 --ntasks-per-node 4 '
out ' --sizes 16 --operators sum'
echo 'HYDRA build details' >"$work/version"

# ---- a whole job ----
calls() {
    sed -E "s,$work/results/,,g; s/--budget [0-9]+/--budget N/" "$work/calls" >"$work/out"
    rm "$work/calls"
}
some=("${usual[@]}" --sizes 16)
expect 0 "$job" "${some[@]}"
out "install -m 644 $work/results/tuned.json ${stubs%/bin}/share/anyp/tuned.json.new && mv "
left=$(cd "$work/results" && echo *)
[ "$left" = '3x4.json 3x4.options 3x4.times joined.json lock mended.json report.html tuned.json '\
'validation.txt' ] || fail "left: $left"
begin 'its commands'
calls
line '--budget N --save 3x4.times --output 3x4.json --sizes 16'
line '--join --output joined.json.new 3x4.times'
line 'anyp report -o report.html 3x4.times'
line '--validate mended.json --mend --budget N'
line 'anyp check mended.json'
expect 0 "$job" "${usual[@]}" --dry-run --dir "$work/a b"
out "install -m 644 $work/a\\ b/tuned.json "
# with shapes that cannot be joined; what is measured is not measured again
expect 0 "$job" "${some[@]}" --shapes 1,half,full
out 'measured already'
begin 'its commands, with several shapes'
calls
line '--join --output 1-joined.json.new 3x1.times'
line '--join --output joined.json.new 3x2.times 3x4.times'
[ "$(grep -c -e --save "$work/out")" -eq 2 ] || fail 'not the new shapes alone'
[ "$(grep -c -e --validate "$work/out")" -eq 3 ] || fail 'not validated in each shape'
# with other nodes: all times are joined
expect 0 "$job" "${some[@]}" --nodes 5
begin 'its commands, with other nodes'
calls
line '--join --output joined.json.new 3x4.times 5x4.times'
# with fewer: rules for more nodes could be slower
before=$(cat "$work/results/tuned.json")
expect 4 "$job" "${some[@]}"
out 'submit the job again with 5 nodes'
[ "$(cat "$work/results/tuned.json")" = "$before" ] || fail 'another tuned.json'
calls
! grep -q -e --validate "$work/out" || fail 'validated'
expect 0 "$job" "${some[@]}" --nodes 5
# with other options: measured again
expect 0 "$job" "${some[@]}" --nodes 5 --sizes 16,64
out 'renamed'
[ -e "$work/results/5x4.times.old" ] || fail 'the old one is lost'
calls
line '--budget N --save 5x4.times --output 5x4.json --sizes 16 --sizes 16,64'
expect 0 "$job" "${some[@]}" --nodes 5 --sizes 16,64
out 'measured already'

# ---- validated ----
rm -rf "$work/results"
: >"$work/slower"
expect 0 "$job" "${some[@]}"
rm "$work/slower"
expect 0 "$job" "${some[@]}"
begin 'what was taken out stays out, as long as the times are the same'
grep -q mended "$work/results/tuned.json" || fail 'it is in again'
expect 0 "$job" "${some[@]}" --shapes half,full
! grep -q mended "$work/results/tuned.json" || fail 'new times, and no new validation'
summary() { printf '%s\n' '12 points have a rule, 3 are left' "$1" >"$work/summary"; }
summary 'no time 5, faster 4, unclear 1, suspect 2'
echo 4 >"$work/validated"
expect 0 "$job" "${some[@]}"
out 'tuned.json; 5 of 12 points had no time'
out '2 points seemed slower'
rm "$work/results/tuned.json"
summary 'no time 12'
expect 4 "$job" "${some[@]}"
[ ! -e "$work/results/tuned.json" ] || fail 'validated, without one point'
echo 1 >"$work/validated"
expect 1 "$job" "${some[@]}"
err 'failed: to validate, exit status 1'
rm "$work/validated" "$work/summary"

# ---- two at once ----
if command -v flock >/dev/null; then
    exec 8>"$work/results/lock"
    flock 8
    expect 1 "$job" "${some[@]}"
    err 'another job uses'
    exec 8>&-
else
    skip 'two jobs at once' 'it needs flock, of util-linux'
fi

# ---- stopped, killed, failed ----
rm -rf "$work/results"
: >"$work/slow"
echo exit 143 >"$work/caught"
for signal in KILL TERM; do
    rm -f "$work/calls"
    "${pbs[@]}" PBS_WALLTIME=1000 setsid "$job" --dir "$work/results" >"$work/log" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -s "$work/calls" ] || [ ! -e "$work/results/3x2.times" ] || break
        sleep 0.1
    done
    if [ $signal = KILL ]; then
        kill -KILL -- -$pid
    else
        kill -TERM $pid
    fi
    wait $pid 2>/dev/null
    got=$?
    begin "stopped by SIG$signal"
    cp "$work/log" "$work/out"
    if [ $signal = TERM ]; then
        [ $got -eq 143 ] || fail "exit status $got, expected 143"
        out 'submit the job again'
    fi
    [ -e "$work/results/3x2.times" ] || fail 'no 3x2.times'
done
begin 'the second one went on'
grep -q -e "--resume $work/results/3x2.times" "$work/calls" || fail 'no --resume'
# shellcheck disable=SC2016  # for the job
echo 'unset BASH_ENV; kill() { builtin kill "$@" && sleep 0.5; }' >"$work/environment"
# stopped NAME COMMAND WORD: a test: the job is stopped when it has called anyp-tune with the word,
# which then does the command
stopped() {
    begin "$1"
    echo "$2" >"$work/caught"
    rm -f "$work/calls"
    BASH_ENV=$work/environment "${pbs[@]}" PBS_WALLTIME=1000 "$job" --dir "$work/results" \
        >"$work/log" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        ! grep -q -e "$3" "$work/calls" 2>/dev/null || break
        sleep 0.1
    done
    sleep 0.2                   # until anyp-tune heeds the signal
    kill -TERM $pid
    wait $pid 2>/dev/null
}
stopped 'mpiexec ends with 0 all the same' 'exit 0' --resume
[ ! -e "$work/results/3x2.options" ] || fail 'counted as measured'
# shellcheck disable=SC2016  # for the stub
stopped 'the measurement ends well, which the job sees late' \
    'echo "{\"complete\":\"yes\"}" >"$save"; exit 0' --resume
[ -e "$work/results/3x2.options" ] || fail "not counted as measured: $(cat "$work/log")"
mv "$work/slow" "$work/long"
stopped 'mpiexec ends with 0 when the validation is stopped' 'exit 0' --validate
[ ! -e "$work/results/tuned.json" ] || fail 'validated'
rm "$work/long" "$work/results"/3x2.*
echo '{"run":{}}' >"$work/results/3x2.times"
rm "$work/calls"
# 1000 - 10 % for the end, of that 3/4
expect 0 "${pbs[@]}" PBS_WALLTIME=1000 "$job" --dir "$work/results"
begin 'the budget is the time of this job'
grep -qE -e '--budget 67[345] --resume' "$work/calls" || fail "$(cat "$work/calls")"
# other nodes: it goes on all the same
rm "$work/calls"
: >"$work/results/3x2.times"
sed -i s/n3/n4/ "$work/nodefile"
expect 0 "${pbs[@]}" PBS_WALLTIME=1000 "$job" --dir "$work/results"
grep -q -e "--resume $work/results/3x2.times" "$work/calls" || fail 'no --resume on other nodes'
rm -rf "$work/results"
echo 4 >"$work/status"
expect 4 "$job" "${usual[@]}"
out 'submit the job again'
# it cannot go on, or something else is wrong
for status in 1 139; do
    echo $status >"$work/status"
    expect 1 "$job" "${usual[@]}"
    err "failed: anyp-tune with shape 3x4, exit status $status"
    err 'move'
    [ ! -e "$work/results/tuned.json" ] || fail 'there is a tuned.json'
done
finish
