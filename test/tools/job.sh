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

# What the job calls, as stubs. Of anyp-tune: a run that saves leaves FILE, and one that $work/slow
# asks for takes long, and leaves FILE.part after a signal.
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
save='' output=''
while [ $# -gt 0 ]; do
    case $1 in --save | --resume) save=$2 ;; --output) output=$2 ;; --validate) output=$2 ;; esac
    shift
done
if [ -n "$save" ] && [ -e "$work/slow" ]; then
    echo '{"of": "x", "at": 12.5, "clock": 1}' >"$save.part"
    trap 'exit 143' TERM
    sleep 60 &
    wait
fi
[ ! -e "$work/broken" ] || exit 1
[ -z "$save" ] || { rm -f "$save.part"; echo times >"$save"; }
[ -z "$output" ] || echo rules >"$output"
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
err 'no scheduler says it'
expect 2 "$job" --nodes 1 --full 4 --seconds 9 --shapes 1
err 'one process alone'

# ---- what Slurm and PBS say ----
slurm=(env SLURM_JOB_ID=1 SLURM_JOB_NUM_NODES=3 SLURM_NTASKS_PER_NODE=4 SLURM_JOB_NODELIST=x)
while read -r left seconds; do
    echo "$left" >"$work/left"
    expect 0 "${slurm[@]}" "$job" --dry-run
    out "3 nodes; processes of each: 4; $seconds s; "
done <<'END'
58:00 3480
1:00:00 3600
2-03:04:05 183845
45 45
END
echo UNLIMITED >"$work/left"
expect 2 "${slurm[@]}" "$job" --dry-run
err '--seconds is missing'
printf '%s\n' n1 n1 n2 n2 n3 n3 >"$work/nodefile"
pbs=(env PBS_JOBID=1 PBS_NODEFILE="$work/nodefile")
expect 0 "${pbs[@]}" "$job" --dry-run
out '3 nodes; processes of each: 2; 1800 s; '
expect 0 "${pbs[@]}" PBS_WALLTIME=600 "$job" --dry-run --shapes 1,half,full
out '3 nodes; processes of each: 1 2; 600 s; '

# ---- launchers ----
expect 0 "$job" "${usual[@]}" --dry-run
out '+ mpiexec -n 12 -ppn 4 '
out 'anyp-tune.mpich'
[ ! -e "$work/calls" ] || fail 'it has called something'
[ ! -e "$work/results" ] || fail 'it has made a folder'
echo 'mpiexec (OpenRTE) 4.1.4' >"$work/version"
expect 0 "$job" "${usual[@]}" --dry-run --shapes half
out '+ mpiexec -n 6 --map-by ppr:2:node '
out 'anyp-tune.openmpi'
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
expect 0 "$job" "${usual[@]}" --sizes 16
out "install -m 644 $work/results/tuned.json "
[ "$(cd "$work/results" && echo *)" = '3x4.json 3x4.times joined.json report.html tuned.json validation.txt' ] ||
    fail "left: $(ls "$work/results")"
begin 'its commands'
calls
line '--budget N --save 3x4.times --output 3x4.json --sizes 16'
line '--join --output joined.json 3x4.times'
line 'anyp report -o report.html 3x4.times'
line '--validate joined.json.new --mend --budget N'
line 'anyp check joined.json.new'
# with shapes that cannot be joined; what is measured is not measured again
expect 0 "$job" "${usual[@]}" --shapes 1,half,full
out 'measured already'
begin 'its commands, with several shapes'
calls
line '--join --output 1-joined.json 3x1.times'
line '--join --output joined.json 3x2.times 3x4.times'
[ "$(grep -c -e --save "$work/out")" -eq 2 ] || fail 'not the new shapes alone'
[ "$(grep -c -e --validate "$work/out")" -eq 3 ] || fail 'not validated in each shape'
# with other nodes: all times are joined
expect 0 "$job" "${usual[@]}" --nodes 5
begin 'its commands, with other nodes'
calls
line '--join --output joined.json 3x4.times 5x4.times'

# ---- stopped, killed, failed ----
rm -rf "$work/results"
: >"$work/slow"
for signal in KILL TERM; do
    rm -f "$work/calls"
    "${pbs[@]}" PBS_WALLTIME=1000 setsid "$job" --dir "$work/results" >"$work/log" 2>&1 &
    pid=$!
    for ((i = 0; i < 600; i++)); do
        [ ! -e "$work/calls" ] || [ ! -e "$work/results/3x2.times.part" ] || break
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
    [ -e "$work/results/3x2.times.part" ] || fail 'no 3x2.times.part'
done
begin 'the second one went on'
grep -q -e "--resume $work/results/3x2.times" "$work/calls" || fail 'no --resume'
rm "$work/slow" "$work/calls"
# 1000 - 10 % for the end, of that 3/4, and what the jobs before used
expect 0 "${pbs[@]}" PBS_WALLTIME=1000 "$job" --dir "$work/results"
begin 'the time of jobs before counts'
grep -qE -e '--budget 68[67] --resume' "$work/calls" || fail "$(cat "$work/calls")"
# other nodes: it goes on all the same
rm "$work/calls"
: >"$work/results/3x2.times.part"
sed -i s/n3/n4/ "$work/nodefile"
expect 0 "${pbs[@]}" PBS_WALLTIME=1000 "$job" --dir "$work/results"
grep -q -e "--resume $work/results/3x2.times" "$work/calls" || fail 'no --resume on other nodes'
rm -rf "$work/results"
: >"$work/broken"
expect 1 "$job" "${usual[@]}"
err 'this failed: anyp-tune with shape 3x4'
[ ! -e "$work/results/tuned.json" ] || fail 'there is a tuned.json'
finish
