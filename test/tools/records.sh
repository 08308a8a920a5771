#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests anyp report with records of programs: their table, their sentences, and their page, alone,
# with timing files, and compared with other records. Run by `make check`; by hand:
# ANYP=path/to/anyp srcdir=path/to/source test/tools/records.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

anyp=${ANYP:-./anyp}
here=${srcdir:-.}/test/tools
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$here/../lib.sh"
# shellcheck source-path=SCRIPTDIR source=pages.sh
. "$here/pages.sh"

expect 0 "$anyp" report "$here/before.calls" -o "$work/record.html"
silent
line "page: $work/record.html"
line 'The average of 5 processes spends 28 s of 80 s (35.0 %) in collectives.'
line 'At least 15.9 s of these are waiting for late processes. So a faster algorithm can save at most 11.9 s (14.9 % of the run), unless the collectives themselves make processes late. This includes 2.8 s in calls whose work is unknown: they may be waiting.'
like 'allreduce, sum +64 B +1000 +20 +8 +12'
like 'allgather +1 KiB to 1.5 KiB +100 +4 +1\* +3\*'
like 'bcast +80 B +10 +2 +\? +\?'
like 'allreduce, user, ordered, nonblocking, p=2 +8 B +50 +0.8 +\? +\?'
like 'barrier +- +10 +1 +0.1~ +0.9~'
line '~ fewer than 5 calls were sampled'
line 'AnyP does not predict the collectives of neighborhoods.'
line '* the rank with the least time gives the bound, not samples'
sed 's/"seconds":80,/"seconds":80000,/' "$here/before.calls" >"$work/long.calls"
expect 0 "$anyp" report "$work/long.calls" -o "$work/long.html"
line 'The average of 5 processes spends 28 s of 8e+04 s (less than 0.1 %) in collectives.'
draw record
says record "./solver &lt;&amp;&quot;'&gt; 2"
says record '<th>nodes</th><td class="text">1 node of 5</td>'
made calls exact '[[[4], [2]]]'
expect 0 "$anyp" report "$here/before.calls" "$here/after.calls" "$work/calls.times" -o "$work/runs.html"
like 'allreduce, sum +64 B +1000 +20 +8 +12 +4 +15 +4'
like '^ {67}first run {46}second run$'
like 'allgather .* - +4 +1\*'
line '- as gain: such calls were not measured'
line 'By the timing files, AnyP saves 4 s (5.0 % of the run), between 4 s and 4 s, in 1 measured kind of calls. If processes come late, it saves less: measure this with anyp-tune --calls.'
line 'AnyP was expected to save 4 s in 1 measured kind of calls that both runs made. These calls took 5 s less in the second run, with 4 s less work. To tell this from noise, give several records: before... -- after...'
line 'The second run took 75 s instead of 80 s. An average process spent 23 s instead of 28 s in collectives. At most 7.9 s instead of 11.9 s of this were work.'
# calls in a row take longer than the recorded work
sed 's/"times"/"stake": 8, &/' "$work/calls.times" >"$work/row.times"
expect 0 "$anyp" report "$here/before.calls" "$work/row.times" -o "$work/row.html"
like 'allreduce, sum +64 B +1000 +20 +8 +12 +8='
line '= limited to the work; by the timing files alone it is more'
draw row
says row '<td>8=</td>'
# sizes between a rule and a size that the file leaves to the library: so is the call
made between exact '[[[4], [2]], [[4], [8]]]'
sed 's/"bytes": 64/"bytes": 32/' "$work/between.times" >"$work/left.times"
expect 0 "$anyp" report "$here/before.calls" "$work/left.times" -o "$work/left.html"
like 'allreduce, sum +64 B +1000 +20 +8 +12 +0\^'
out 'By the timing files, the decision file leaves the calls to the MPI library, in 1 '
# rare calls, which save less than the set-up in the first one; the tuner knows this with --calls
made rare measured '[[[4, 4, 4, 4, 4, 4, 4], [2, 2, 2, 2, 2, 2, 2]]]'
sed '/"sum"/{s/"least":9,"mean":20,"largest":25/"least":9e-6,"mean":2e-5,"largest":2.5e-5/
    s/"seconds":0.008/"seconds":8e-9/}' "$here/before.calls" >"$work/rare.calls"
expect 0 "$anyp" report "$work/rare.calls" "$work/rare.times" -o "$work/rare.html"
out 'AnyP takes 1e-06 s more (less than 0.1 % of the run), between 1e-06 s and 1e-06 s, in 1 '
sed 's/"times"/"stake": 8e-6, &/' "$work/rare.times" >"$work/stake.times"
expect 0 "$anyp" report "$work/rare.calls" "$work/stake.times" -o "$work/rare.html"
out 'By the timing files, the decision file leaves the calls to the MPI library, in 1 '
expect 0 "$anyp" report "$here/after.calls" "$here/before.calls" "$work/calls.times" -o "$work/runs.html"
out 'These calls took 5 s more in the second run, with 4 s more work.'
# the measured size is near that of the program
sed 's/"bytes": 64/"bytes": 96/' "$work/calls.times" >"$work/near.times"
expect 0 "$anyp" report "$here/before.calls" "$here/after.calls" "$work/near.times" -o "$work/near.html"
out 'AnyP was expected to save 4 s in 1 kind of calls that both runs made (0 measured, 1 with a size near measured ones).'
like 'allreduce, sum +64 B +1000 +20 +8 +12 +4\^ +15 +4'
line '^ the gain is estimated from measured sizes near this one'
draw near
says near '<td>4^</td>'
# lines with equal names and bytes show by what they differ
sed '/"sum"/{p; s/"nodes":"5",//; s/"type size":8/"type size":4/; p; s/"derived":false/"derived":true/}
    /"allgather"/{p; s/"uneven":1/"uneven":4/}' "$here/before.calls" >"$work/similar.calls"
expect 0 "$anyp" report "$work/similar.calls" -o "$work/similar.html"
like '^allreduce, sum on 5, elements of 8 B +64 B.*'
like '^allreduce, sum, elements of 4 B +64 B.*'
like '^allreduce, sum, elements of 4 B, derived +64 B.*'
like '^allgather, uneven 4 +1 KiB.*'
like '^allgather +1 KiB.*'
like '^bcast +80 B.*'
# kinds of one run only, and times that have none of those that both made
sed '/"bcast"/d; /"sum"/s/"in place":false/"in place":true/' "$here/after.calls" >"$work/other.calls"
expect 0 "$anyp" report "$here/before.calls" "$work/other.calls" "$work/calls.times" -o "$work/kinds.html"
like 'allreduce, sum +64 B +1000 +20 +8 +12 +4 +- +-'
like 'allreduce, sum, in place +64 B +- +- +- +- +- +15 +4'
like 'bcast +80 B +10 +2 +\? +\? +- +- +-'
line 'The timing files contain none of the calls that both runs made.'
# times of another number of processes
sed 's/"p": 5/"p": 6/' "$work/calls.times" >"$work/six.times"
expect 0 "$anyp" report "$here/before.calls" "$here/after.calls" "$work/six.times" -o "$work/six.html"
line "The timing files contain none of the record's calls. The record is of p=5, the times are of p=6."
! grep -qE 'AnyP saves|expected|both runs made' "$work/out" || fail 'it knows what is saved'
# a program that was killed: all numbers are those of rank 0
for name in before after; do
    sed 's/"complete":true/"complete":false/; s/"ranks":[45]/"ranks":1/' "$here/$name.calls" >"$work/$name.rank"
done
expect 0 "$anyp" report "$work/before.rank" -o "$work/rank.html"
line 'Rank 0 of 5 processes spends 28.2 s of 80 s (35.2 %) in collectives.'
out 'The record is incomplete: the program is still running, or ended before MPI_Finalize.'
like 'allreduce, sum +64 B +1000 +20 +8 +12'
like 'allgather +1 KiB to 1.5 KiB +100 +4 +\? +\?'
like 'allreduce, user, ordered, nonblocking, p=2 +8 B +50 +1 +\? +\?'
expect 0 "$anyp" report "$work/before.rank" "$work/calls.times" -o "$work/rank.html"
like 'allreduce, sum +64 B +1000 +20 +8 +12 +4'
for pair in "$work/before.rank $here/after.calls" "$here/before.calls $work/after.rank"; do
    # shellcheck disable=SC2086  # two files
    expect 0 "$anyp" report $pair "$work/calls.times" -o "$work/rank.html"
    out 'Incomplete records cannot show what was saved'
    ! grep -q 'was expected' "$work/out" || fail 'it compares rank 0 with all'
done
for name in runs kinds rank; do
    draw "$name"
    quiet "$name" 'NaN|Infinity|undefined|null'
done
expect 0 "$anyp" report "$here/before.calls" -o -
out '</html>'
! grep -q '^page: ' "$work/out" || fail 'it names a page'
# the latest rank of the longest kind, if it is late by much
sed 's/"work":{"samples":8/"gap":{"least":9,"mean":10,"largest":22,"latest":3},&/' "$here/before.calls" >"$work/late.calls"
expect 0 "$anyp" report "$work/late.calls" -o "$work/late.html"
line 'In the longest kind of calls (allreduce, sum, 64 B) rank 3 is the latest: before each call, it spends 12.0 ms more outside collectives than an average process.'
sed -i 's/"largest":22/"largest":11/' "$work/late.calls"
expect 0 "$anyp" report "$work/late.calls" -o "$work/late.html"
! grep -q 'is the latest' "$work/out" || fail 'it names a rank that is hardly late'
# places in the program: files that do not exist, one of the tool itself, and one that is unknown
python3 - "$here/before.calls" "$work/places.calls" "$(readlink -f "$anyp")" <<'END'
import json
import sys

record = json.load(open(sys.argv[1]))
files = ["/none/\033sol<ver+0x12", sys.argv[3] + "+0x1", "-e+0x3", "", "/none/a+0x4/b"]
record["sites"] = [
    {"at": at, "collective": "allreduce", "ranks": 4, "calls": 100, "bytes": 64,
     "seconds": {"least": 1, "mean": 5 - i, "largest": 6}} for i, at in enumerate(files)]
json.dump(record, open(sys.argv[2], "w"))
END
expect 0 "$anyp" report "$work/places.calls" -o "$work/places.html"
silent
line 'place in the program                             collective            bytes      calls    seconds      least       most'
like '\?sol<ver\+0x12 +allreduce +64 B +100 +4 +1 +6'
like "$(basename "$(readlink -f "$anyp")")\\+0x1 +allreduce +64 B +100 +3.2 +1 +6"
like '^-e\+0x3 +allreduce .*'
like '^other places +allreduce .*'
draw places
says places '<th>?sol&lt;ver+0x12</th>'
says places 'Seconds of processes'
quiet places 'NaN|Infinity|undefined|null'
# phases: the program marks phases 7 and 40, and more than a record has room for
phases=$work/phases.calls
sed '/"sum"/{p; s/"p":5/"phase":40,&/; s/"calls":1000/"calls":500/; s/"mean":20/"mean":6/; s/"least":9/"least":4/}
    /"bcast"/s/"p":5/"phase":7,&/; /"barrier"/s/"p":5/"phase":-1,&/' "$here/before.calls" >"$phases"
expect 0 "$anyp" report "$phases" -o "$work/phases.html"
line 'The average of 5 processes spends 34 s of 80 s (42.5 %) in collectives.'
like 'allreduce, sum +64 B +1000 +20 +8 +12'
like 'allreduce, sum, phase 40 +64 B +500 +6 +4 +2'
like 'barrier, further phases +- +10 +1 +0.1~ +0.9~'
line 'phase                     calls    seconds    working    waiting   % of run'
line 'phase 1 (default)          1150         25         10         15       31.2'
line 'unknown seconds of a phase count as working'
like '^phase 7 +10 +2 +2 +0 +2.5$'
like '^phase 40 +500 +6 +4 +2 +7.5$'
like '^further phases +10 +1 +0.1 +0.9 +1.2$'
draw phases
says phases '<th>phase 40</th><td>500</td><td>6</td><td>4</td><td>2</td>'
says phases '<th>further phases</th>'
says phases '<td>7.5</td></tr>'
quiet phases 'NaN|Infinity|undefined|null'
expect 0 "$anyp" report "$phases" "$here/after.calls" -o "$work/phases.html"
like '^phase 40 +500 +6 +4 +2 +7.5 +0 +0$'
draw phases
says phases 'second run</th>'
expect 0 "$anyp" report "$here/before.calls" -o "$work/none.html"
! grep -q phase "$work/out" || fail 'phases of a program that marks none'
rm -f "$work/none.html"
# damaged CHANGE TEXT: such a record is refused with a message that has the text
damaged() {
    sed "$1" "$here/before.calls" >"$work/damaged.calls"
    expect 1 "$anyp" report "$work/damaged.calls" -o "$work/none.html"
    err "damaged.calls: $2"
    [ ! -e "$work/none.html" ] || fail 'a page was written'
}
damaged 's/"anyp-record":1/"anyp-record":2/' 'this record is of version 2, and this AnyP reads version 1'
# shellcheck disable=SC2016  # for sed
damaged '$d' 'damaged: '
damaged 's/neighbor_alltoall/neighbor_all/' 'unknown collective "neighbor_all" (entry 6 of "calls")'
damaged 's/"ranks":4/"ranks":-4/' '"ranks" must be a number'
damaged 's/"ranks":4/"ranks":6/' '"ranks" must be a number from 1 to 5'
damaged '/"bcast"/s/"p":5/"phase":-2,&/' '"phase" must be a number from -1 to '
damaged '/"bcast"/s/"p":5/"phase":"solve",&/' '"phase" must be a number from -1 to 2.14748e+09 (entry 3 of "calls")'
damaged '/"bcast"/{p; s/"p":5/"phase":1,&/}' 'there is another entry of the same kind (entry 4 of "calls")'
damaged 's/"largest":1535/"largest":1023/' '"largest" must be a number from 1024 to '
damaged 's/"calls":1000/"calls":1e18/' '"calls" must be a number from 0 to '
damaged '/"bcast"/{p;}' 'there is another entry of the same kind (entry 4 of "calls")'
# shellcheck disable=SC2016  # for sed
damaged '$s/]}/],"sites":[{"collective":"bcast","ranks":9,"seconds":{}}]}/' \
    '"ranks" must be a number from 1 to 5 (entry 1 of "sites")'
# shellcheck disable=SC2016  # for sed
damaged '$s/]}/],"sites":[{"collective":"bcast","ranks":5}]}/' '"seconds" is missing (entry 1 of "sites")'
damaged 's/"p":5,"nodes":"5","seconds"/"p":5,"nodes":"2x3","seconds"/' '"nodes" of 5 processes: '
sed '/collective/d' "$here/before.calls" >"$work/empty.calls"
expect 1 "$anyp" report "$work/empty.calls"
grep -q 'empty.calls: the record has no collective: the program called none$' "$work/err" || fail 'another message'
sed -i 's/"complete":true/"complete":false/' "$work/empty.calls"
expect 1 "$anyp" report "$work/empty.calls"
err 'the program is still running, or was killed in its first minute'
sed 's/"p":5/"p":6/g; s/"nodes":"5"/"nodes":"6"/g' "$here/before.calls" >"$work/six.calls"
expect 1 "$anyp" report "$here/before.calls" "$work/six.calls"
err 'cannot compare records of 5 and 6 processes'
expect 1 "$anyp" report "$here/before.calls" "$here/before.calls" "$here/after.calls"
err "more than two records; write '--' between those before and those after a change"

# records of several runs
# runs NAME COUNT FILE [TURN]: makes NAME1.calls and so on, each 0.25 s longer than the one before
# it, and with 0.5 s more of allreduce. With TURN, 0 or 1, the runs took turns with others and became
# 10 s longer with each turn
runs() {
    python3 - "$work/$1" "$2" "$3" "${4:-}" <<'END'
import json
import sys

turn = sys.argv[4]
for i in range(int(sys.argv[2])):
    record = json.load(open(sys.argv[3]))
    record["seconds"] += 10 * i if turn else 0.25 * i
    record["calls"][0]["seconds"]["mean"] += 10 * i if turn else 0.5 * i
    if turn:
        record["begun"] = f"2026-11-27T08:0{i}:{turn}0Z"
    with open(f"{sys.argv[1]}{i + 1}.calls", "w") as file:
        json.dump(record, file)
END
}
runs before 7 "$here/before.calls"
runs after 5 "$here/after.calls"
# several OPTION_OR_FILE...: the report of all runs before, and of these after `--`
several() { expect 0 "$anyp" report -o "$work/several.html" "$work"/before?.calls -- "$@"; }
several "$work"/after?.calls "$work/calls.times"
silent
out 'Numbers are medians. Brackets contain the 95 % interval of the median. With fewer than 6 runs, they contain the least and the largest value. If'
line 'AnyP was expected to save 4 s in 1 measured kind of calls that both sides made. These calls took 16 s [15 to 17] instead of 21.5 s [20 to 23]. This is shorter: the intervals do not overlap.'
line 'The run took 75.5 s [75 to 76] instead of 80.75 s [80 to 81.5]. This is shorter: the intervals do not overlap.'
line 'Before the change, the average of 5 processes spends 29.5 s of 80.75 s (36.5 %) in collectives.'
like 'allreduce, sum +64 B +1000 +21.5 +8 +13.5 +4 +16 +4 +-25.6 %'
like 'allgather .* noise$'
line 'noise: the intervals of the seconds before and after overlap'
draw several
quiet several 'NaN|Infinity|undefined|null'
says several '<td>21.5 [20 to 23]</td>'
says several '<td>-25.6 %</td>'
says several 'The runs after the change'
# the same runs on both sides, which all began at the same time: nothing tells that they took turns
several "$work"/before?.calls
line 'The run took 80.75 s [80 to 81.5] instead of 80.75 s [80 to 81.5]. The intervals overlap, so this difference may be noise.'
# runs that took turns are compared in pairs: 5 s less in each pair, and a drift of 10 s
runs drift 6 "$here/before.calls" 0
runs turned 6 "$here/after.calls" 1
pairs() { expect 0 "$anyp" report -o "$work/pairs.html" "$work"/drift?.calls -- "$@"; }
pairs "$work"/turned?.calls
out 'Brackets contain the 95 % interval of the median. The runs took turns, so they are compared in pairs, in the order of the files.'
line 'The run took 100 s [75 to 125] instead of 105 s [80 to 130]. The difference in pairs is -5 s [-5 to -5]. This is shorter: the interval is below 0.'
like 'allreduce, sum +64 B +1000 +45 +8 +37 +40 +4 +-11.1 %$'
line 'noise: the interval of the differences in pairs contains 0'
draw pairs
says pairs '<td>-11.1 %</td>'
says pairs 'noise: the interval of their differences in pairs of runs contains 0'
# the last pair is longer by more than the others are shorter; with it, one of 6 differs
sed 's/"seconds": 125,/"seconds": 150,/' "$work/turned6.calls" >"$work/slow.calls"
pairs "$work"/turned[1-5].calls "$work/slow.calls"
line 'The run took 100 s [75 to 150] instead of 105 s [80 to 130]. The difference in pairs is -5 s [-5 to +20]. It may be noise: the interval contains 0.'
# not in turns, and not enough pairs
pairs "$work"/turned[2-6].calls "$work/turned1.calls"
line 'The run took 100 s [75 to 125] instead of 105 s [80 to 130]. The intervals overlap, so this difference may be noise.'
expect 0 "$anyp" report -o "$work/pairs.html" "$work"/drift[1-5].calls -- "$work"/turned[1-5].calls
out 'Numbers are medians. Brackets contain the least and the largest value. If the runs take turns (before1, after1, before2, ...), at least 6 on each side, pairs are compared.'
line 'The run took 95 s [75 to 115] instead of 100 s [80 to 120]. The intervals overlap, so this difference may be noise.'
# short runs, all before the change first; times of runs are in whole seconds, or missing
for change in 's/T08:0.:00Z/T08:00:00Z/; s/T08:0.:10Z/T08:00:01Z/' 's/"begun": "[^"]*",//'; do
    for file in "$work"/drift?.calls "$work"/turned?.calls; do
        sed "$change" "$file" >"$work/short-${file##*/}"
    done
    expect 0 "$anyp" report -o "$work/pairs.html" "$work"/short-drift?.calls -- "$work"/short-turned?.calls
    ! grep -q 'took turns' "$work/out" || fail 'runs took turns that did not'
done
# only one run before the change made such calls
for run in 1 2 3 4 5 6; do
    [ "$run" -eq 1 ] && change='s/"mean": 4,/"mean": 1.5,/' || change='s/"allgather"/"scan"/'
    sed "$change" "$work/drift$run.calls" >"$work/rare$run.calls"
done
expect 0 "$anyp" report -o "$work/pairs.html" "$work"/rare?.calls -- "$work"/turned?.calls
like 'allgather .* more$'
# a single run, and kinds that not all runs made
python3 - "$work/before2.calls" <<'END'
import json
import sys

record = json.load(open(sys.argv[1]))
record["calls"].pop()
record["calls"][3]["operator"] = "user"
json.dump(record, open(sys.argv[1], "w"))
END
several "$work/after1.calls"
out 'To tell a difference from noise, record at least 4 runs on each side.'
line 'The run took 75 s instead of 80.75 s [80 to 81.5].'
like 'allreduce, sum +64 B +1000 +21.5 +8 +13.5 +15 +4 +\?'
line '? as change: a side has fewer than 4 runs'
like '^ +1 more kinds +0 +0$'
draw several
quiet several 'NaN|Infinity|undefined|null'
# unfit MESSAGE ARGUMENT...: refused
unfit() {
    message=$1
    shift
    refused "$message" "$work/before1.calls" "$work/before2.calls" "$@"
}
unfit 'cannot compare records of 5 and 6 processes' -- "$work/six.calls"
unfit 'before.rank is incomplete: the program is still running, or ended before MPI_Finalize; leave it out' \
    "$work/before.rank" -- "$work/after1.calls"
unfit "there is no record behind '--'" -- "$work/calls.times"
unfit "'-o' follows '--', so it is read as a file" -- "$work/after1.calls" -o page.html
sed 's,"command": "./solver,"command": "other,' "$work/before3.calls" >"$work/other.calls"
unfit "before1.calls is a record of ./solver, and $work/other.calls of other" "$work/other.calls" \
    -- "$work/after1.calls"
expect 0 "$anyp" report -o "$work/two.html" -- "$here/before.calls" "$here/after.calls"
out 'The second run took 75 s instead of 80 s.'
! grep -q Warning "$work/out" || fail 'it warns'
expect 0 "$anyp" report -o "$work/two.html" "$phases" -- "$here/after.calls" "$here/after.calls"
like 'phase \(before\) .*'
sed -i 's/"calls": 1000/"calls": 1400/' "$work/other.calls"
expect 0 "$anyp" report -o "$work/two.html" "$here/before.calls" "$work/other.calls"
line "Warning: if the runs did not do the same work, their times cannot be compared. The commands are: ./solver <&\"'> 2; other <&\"'> 2. On average, a process made 1170 collective calls in the first run, and 1570 in the second."
in_browser record runs kinds rank several pairs places
finish
