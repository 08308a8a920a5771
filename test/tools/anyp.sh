#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the anyp tool: numbers from the papers, errors, exit statuses, JSON.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/anyp.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

here=${srcdir:-.}/test/tools
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$here/../lib.sh"
anyp=${ANYP:-./anyp}

# expect STATUS WORD...: runs anyp
expect() {
    wanted=$1
    shift
    begin "anyp $*"
    run "$anyp" "$@"
    [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
}

# ---- help, version, wrong commands ----
expect 0 --version
out "anyp "
expect 0 --help
for command in list schedule verify cost check select run report; do
    out "  $command "
    expect 0 "$command" --help
    line "Examples:"
    out "Exit status: "
    expect 0 help "$command"
    expect 2 "$command" --no-such-option
    err "See: anyp $command --help"
    expect 0 --help
done
expect 0 list --help
line "Exit status: 0 success; 1 the answer is no, or an error; 2 wrong command line."
expect 2
err "a command is missing"
expect 2 lits
err "did you mean list?"
expect 2 sched
err "did you mean schedule?"
expect 2 completely-different
err "unknown command"
# no control character of an argument or a file reaches a terminal, whoever writes the message
control=$(printf '\033[31mred\nline\302\233')
printf '{"%s": {}}' "$control" >"$work/control.json"
shows_control() {
    expect "$@"
    err '\x1b[31mred\x0aline\xc2\x9b'
    ! LC_ALL=C grep -q "$(printf '\033')" "$work/err" || fail "a control character"
}
shows_control 2 "$control"
shows_control 2 list "$control"
shows_control 2 list "--$control"
shows_control 2 schedule allreduce ring -p "$control"
shows_control 2 schedule allreduce ring -p 3 --param "$control=1"
shows_control 1 select "$work/control.json" allreduce -p 3 --bytes 1
shows_control 2 select "$here/good.json" "$control" -p 3 --bytes 1
shows_control 1 check "$work/$control.json"
expect 1 check "$work/control.json"
err '\x1b[31mred'
expect 2 ''

# ---- list ----
expect 0 list --all
cp "$work/out" "$work/list"
expect 0 list
head -n "$(wc -l <"$work/out")" "$work/list" | sed '/^$/,$d' >"$work/rows"
sed '/^$/,$d' "$work/out" | cmp -s - "$work/rows" || fail "its table is not that of --all"
[ "$(wc -l <"$work/out")" -lt 24 ] || fail "it does not fit a terminal"
out 'anyp list --all'
expect 0 list --json
json "it['algorithms'] and all(a['summary'] and a['source'] for a in it['algorithms'])"
"$anyp" list --json | python3 "$here/check_list.py" "$here/../../src/algorithms/algorithms.def" ||
    fail "it differs from algorithms.def"
for name in $(python3 -c "
import json, sys
for a in json.load(open(sys.argv[1]))['algorithms']:
    print(a['name'], *(p['name'] for p in a['parameters']))" "$work/out"); do
    grep -qw -e "$name" "$work/list" || fail "anyp list does not name $name"
done
# the table: one row for each algorithm, in order, and none for a single one
python3 -c "
import json, sys
for a in json.load(open(sys.argv[1]))['algorithms']:
    print('%-20s %-12s %-10s' % (a['name'], 'any' if a['canonical'] else 'commutative',
                                 'reference' if a['reference'] else 'candidate'),
          *a['collectives'])" "$work/out" >"$work/rows"
sed -n '2,/^$/p' "$work/list" | sed '/^$/d' >"$work/table"
cmp -s "$work/rows" "$work/table" || fail "anyp list: another table"
expect 0 list --json
json "all(len(one['costs']) == 2 * len(one['collectives']) for one in it['algorithms'])"
expect 0 list butterfly
line "butterfly"
[ "$(head -n 1 "$work/out")" = butterfly ] || fail "it does not begin with the algorithm"
expect 2 list elimination
err "use butterfly with the parameter odd=overlap"
expect 2 list anyp_ring
err "use ring"

# ---- schedule: the fixture of Traeff 2024, p = 22 ----
bracketing='x21 + x10 + (x15+x4) + (x18+x7+(x12+x1)) + (x19+x8+(x13+x2)+(x16+x5)) + '
bracketing="$bracketing(x20+x9+(x14+x3)+(x17+x6+(x11+x0)))"
expect 0 schedule reduce_scatter_block circulant -p 22
line "skips 11,6,3,2,1"
line "  rank 21, block 21: $bracketing"
line "rank 0: 5 rounds, scratch s0 holds indices 0..10, scratch s1 holds indices 0..4"
expect 0 schedule reduce_scatter_block circulant -p 22 --rank 21
line "skips 11,6,3,2,1"
line "  rank 21, block 21: $bracketing"
[ "$(grep -c '^rank ' "$work/out")" -eq 1 ] || fail "more than one rank"
expect 0 schedule allreduce circulant -p 22 --json
json "it['skips'] == [11, 6, 3, 2, 1, -1, -2, -3, -6, -11]"
json "len(it['ranks']) == 22 and
    [b['expression'] for b in it['bracketing'] if b['first_block'] == 21] ==
    ['${bracketing}'.replace(' ', '')]"
expect 0 schedule reduce bi_greedy -p 2 --count 1000 --param lanes=2 --param segment=512
out ", up to 2 rounds under way together"
expect 0 schedule reduce bi_greedy -p 2 --count 1000 --param lanes=2 --param segment=512 --json
json 'all(rank["overlap"] == 1 for rank in it["ranks"])'
expect 0 schedule allreduce circulant -p 7 --param skips=linear --json
json "it['skips'][:6] == [6, 5, 4, 3, 2, 1] and it['parameters'] == {'skips': 'linear'}"
expect 0 schedule allreduce butterfly -p 1
out "butterfly, p = 1"
expect 0 schedule allreduce gather_reduce -p 1000000 --rank 999999 --count 3
out "bracketing: not shown, too long"

# ---- the JSON of schedules, executed on data ----
holds "replay.py" python3 "$here/replay.py" "$anyp" 1 2 3 5 6 7 8 12 13 22 31

# ---- pictures ----
holds "check_svg.py" python3 "$here/check_svg.py" "$anyp"
expect 0 schedule allreduce butterfly -p 13 --svg "$work/picture.svg"
grep -qF '</svg>' "$work/picture.svg" || fail "no picture"
expect 0 schedule allreduce exchange --nodes 3x4 --svg "$work/nodes.svg"
[ "$(grep -c 'class="node"' "$work/nodes.svg")" -eq 3 ] || fail "not three nodes in the picture"
expect 0 schedule allreduce exchange --nodes '2x(2x(2x2))' --svg "$work/nodes.svg"
kinds=$(grep -oE 'class="(node|switch|group|border)"' "$work/nodes.svg" | sort | uniq -c | tr -d '\n ')
[ "$kinds" = '4class="border"2class="group"8class="node"4class="switch"' ] ||
    fail "other nodes and switches in the picture: $kinds"
expect 1 schedule allreduce butterfly -p 13 --svg "$work/no/such/folder.svg"
err "cannot write $work/no/such/folder.svg"
# if a picture cannot be drawn or written, the old file is kept
echo old >"$work/large.svg"
expect 1 schedule allreduce circulant --param skips=linear -p 200 --svg "$work/large.svg"
err "cannot draw more than 20000 messages"
ln -s picture.svg "$work/link.svg"
expect 0 schedule allreduce butterfly -p 3 --svg "$work/link.svg"
[ "$(cat "$work/large.svg")" = old ] || fail "the old file is lost"
[ -L "$work/link.svg" ] || fail "a link was replaced"
grep -qF 'p = 3' "$work/picture.svg" || fail "the link's file was not written"
echo other >"$work/picture.svg.new"
expect 0 schedule allreduce butterfly -p 5 --svg "$work/picture.svg"
[ "$(cat "$work/picture.svg.new")" = other ] || fail "another file is lost"
expect 1 schedule allreduce butterfly -p 5 --svg "$work"
err "cannot write $work: Is a directory"
expect 1 schedule allreduce butterfly -p 5 --svg ''
err "cannot write '': No such file"
ln -s new.svg "$work/dangling.svg"
expect 0 schedule allreduce butterfly -p 5 --svg "$work/dangling.svg"
grep -qF '</svg>' "$work/new.svg" || fail "no picture where the link points to"
if [ -w /dev/full ]; then
    expect 1 schedule allreduce butterfly -p 3 --svg /dev/full
    err "cannot write /dev/full"
    [ -c /dev/full ] || fail "a device was replaced"
fi
expect 2 schedule allreduce butterfly -p 3 --svg "$work/x.svg" --json
expect 2 schedule allreduce butterfly -p 3 --svg "$work/x.svg" --rank 1
# the pictures of the documents are up to date
begin 'maint/pictures.sh'
run "$here/../../maint/pictures.sh" --anyp "$anyp" "$work/pictures"
if [ "$got" -eq 77 ]; then          # without node, which draws parts of pages
    cp "$here/../../maint/pictures/report.svg" "$here/../../maint/pictures/record.svg" \
        "$work/pictures"
elif [ "$got" -ne 0 ]; then
    fail "exit status $got"
fi
diff -r "$work/pictures" "$here/../../maint/pictures" >"$work/out" ||
    fail "maint/pictures are out of date: make pictures"
# an element for all lines or texts of a kind
longest=$(wc -l "$work"/pictures/*.svg | sort -n | tail -n 2 | head -n 1 | awk '{ print $1 }')
[ "$longest" -le 150 ] || fail "a picture has $longest lines"
pictures=("$here"/../../*/pictures/*.svg "$here"/../../*/*/pictures/*.svg)
python3 - "${pictures[@]}" >"$work/svg" 2>"$work/not-svg" <<'END'
import sys, xml.etree.ElementTree as tree
for picture in sys.argv[1:]:
    try:
        if tree.parse(picture).getroot().tag == "{http://www.w3.org/2000/svg}svg":
            print(picture)
    except (OSError, tree.ParseError) as error:
        print(picture, error, sep=": ", file=sys.stderr)
END
for picture in "${pictures[@]}"; do
    name=${picture#"$here"/../../}
    begin "$name is SVG"
    file_has_line "$work/svg" "$picture" || fail "it is not: $(cat "$work/not-svg")"
    if command -v rsvg-convert >/dev/null; then
        holds "$name can be shown" rsvg-convert -o "$work/picture.png" "$picture"
    else
        skip "$name can be shown" "there is no rsvg-convert"
    fi
done

# ---- cost: Rabenseifner & Traeff 2004, last row of the table; units of m ----
expect 0 cost allreduce butterfly --param threshold=0 --param odd=overlap -p 13 --alpha 1
line "time            8"
line "closed form     8"
expect 0 cost allreduce butterfly --param threshold=0 --param odd=overlap -p 13 --beta 1
line "time            2.75"
expect 0 cost allreduce butterfly --param threshold=0 --param odd=overlap -p 13 --gamma 1
line "time            1.375"
expect 0 cost allreduce butterfly --param threshold=0 --param odd=overlap -p 100 --alpha 100 --beta 10 --gamma 1
line "time            1423.296875"
# a long vector, with fine blocks
expect 0 cost allreduce exchange -p 13 --beta 1 --param radix=4 --param threshold=8192
line "time            2.019230769"
line "messages        15"
expect 0 cost allreduce circulant -p 22 --alpha 1 --json
json "it['time'] == 10 and it['maximum']['rounds'] == 10 and it['per_vector']"
expect 0 cost allreduce circulant -p 22 --alpha 1 --beta 1 --bytes 2200 --json
json "it['time'] == 10 + 2 * 21 * 100 == it['closed_form'] and it['maximum']['bytes_sent'] == 4200"
json "it['total']['bytes_sent'] == 22 * 4200 and not it['per_vector']"
expect 0 cost allreduce gather_reduce --param radix=2 -p 5 --count 3 --type-size 8 --gamma 1 --overhead 1
line "time            102"
line "bytes reduced   96 = 4 m"
line "bytes copied    48 = 2 m"
# two messages at once into one port are received one after the other
expect 0 cost reduce gather_reduce --param radix=3 -p 3 -m 600 --alpha 1 --beta 0.01 --overhead 0.5 \
    --eager
line "time            14.5"
# 38 rounds of one message are exact: no messages share a port
expect 0 cost allreduce ring --param ports=1 -p 20 -m 2000 --alpha 1 --beta 1 --eager
line "time            3838"
expect 0 cost allreduce circulant -p 22 --alpha 1 --eager --skew 5 --json
json "it['eager'] and it['skew'] == 5 and it['closed_form'] is None and it['time'] >= 10"
expect 0 cost allreduce circulant -p 22 --alpha 1 --skew 5 --json
json "not it['eager'] and it['closed_form'] is None and it['time'] >= 10"
expect 2 cost allreduce circulant -p 22 --alpha 1 --skew -1
err "--skew: '-1' is not a number from 0"
expect 0 cost allreduce circulant -p 4 --bytes 0 --alpha 1
expect 0 cost allreduce circulant -p 1 --alpha 1 --beta 1 --gamma 1
line "time            0"

expect 0 cost allreduce butterfly -p 100000 --beta 1 --json
json "it['closed_form'] >= it['time'] > 2 and it['total'] is None"
expect 1 cost allreduce gather_reduce -p 1000 --bytes 4503599627370496
err "too many bytes to count"

expect 0 cost allreduce ring -p 13 --param ports=1
line "bytes scratch   80672 = 0.0769231 m"
expect 0 cost allreduce ring -p 13 --param ports=1 --json
json "it['maximum']['bytes_scratch'] == 80672"

# ---- cost --nodes: two nodes of two ranks, by hand: 2 and 8 bytes' time inside, and between ----
expect 0 cost allreduce exchange --nodes 2x2 -m 8 --alpha 100 --beta 10 --overhead 0 \
    --inside-alpha 5 --inside-beta 1 --param threshold=0
# 4 bytes inside; 2 bytes of both ranks through the card, twice; 4 bytes inside
line "time            298"
line "bytes of a node 8 = 1 m"
expect 0 cost allreduce exchange --nodes 2x2 -m 8 --alpha 100 --beta 10 --overhead 0 \
    --inside-alpha 5 --inside-beta 1 --param threshold=0 --cards 2 --json
json "it['time'] == 258 and it['node_bytes'] == 8 and it['closed_form'] is None and it['p'] == 4"
expect 0 cost allreduce exchange --nodes 2x2 -m 8 --alpha 100 --overhead 0 --param groups=ranks \
    --param threshold=8192 --param radix=4
out "threshold=8192 radix=4, m = 8"
expect 2 cost allreduce exchange --nodes 2x2 -p 5
err "--nodes 2x2: it has 4 ranks, but there are 5 processes"
expect 2 cost allreduce exchange --nodes 2x0
err "like 13x8"
expect 2 cost allreduce exchange --nodes ''
expect 2 cost allreduce exchange --nodes 2x2 --cards 0
expect 0 cost --best allreduce --nodes 3x4 -m 1M --alpha 1 --beta 8e-5 --overhead 0.2 \
    --inside-alpha 0.2 --inside-beta 1e-4 --json
json "it['best'][0]['algorithm'] == 'exchange' and it['best'][0]['parameters']['groups'] == 'nodes'"
expect 0 cost allreduce exchange --nodes 2x2:cyclic --non-commutative
expect 1 cost allreduce binomial --nodes 2x2:cyclic --non-commutative --param groups=nodes
err "needs nodes with consecutive ranks"

# ---- cost --leaf: each of two ranks receives 8 bytes from the other switch, by 2/4 of a port ----
expect 0 cost allreduce recursive_doubling -p 4 -m 8 --leaf 2 --taper 4 --alpha 100 --beta 10 \
    --overhead 0
# 8 bytes inside each group; then 16 bytes over each group's link, of half a port's rate
line "time            600"
# what is auto sends less to other switches
expect 0 cost reduce_scatter_block exchange -p 45 -m 1M --alpha 1 --beta 8e-5 --overhead 0.5 --eager
out "radix=9"
expect 0 cost reduce_scatter_block exchange -p 45 -m 1M --alpha 1 --beta 8e-5 --overhead 0.5 \
    --leaf 8 --taper 4
out "radix=5"
expect 2 cost allreduce exchange -p 4 --taper 4 --alpha 1
err "--taper needs --leaf"

# ---- cost --nodes with switches, each of two nodes of one rank, and groups of two switches ----
# ranks 4 to 7 send a byte each to rank 0, over the link of their group
expect 0 cost gather ring --nodes '2x(2x(2x1))' -m 8 --alpha 100 --beta 1 --overhead 0 \
    --above 200:1,400:10
line "time            440"
line "bytes, height 1 6 = 0.75 m"
line "bytes, height 2 4 = 0.5 m"
# each rank sends 4 bytes to each; a switch's cards have the rate 2, its link 1/2
expect 0 cost allreduce exchange --nodes '2x(2x1)' -m 4 --alpha 100 --beta 1 --overhead 0 --taper 4 \
    --param radix=4 --json
json "it['time'] == 132 and it['nodes'] == '2x(2x1)' and it['node_bytes'] == 12"
json "it['above'] == [{ 'alpha': 100, 'beta': 2, 'bytes': 16 }]"
expect 0 cost allreduce ring -p 4 --leaf 2 --taper 4 --alpha 1 --json
json "it['model']['leaf'] == 2 and it['model']['taper'] == 4 and it['model']['overhead'] == 0.5"
expect 0 cost allreduce exchange --nodes '2x(2x4),(3x4)' -m 1M --best --alpha 1 --beta 8e-5 --taper 4
expect 2 cost allreduce exchange --nodes '2x(2x1)' -m 1M --alpha 1 --beta 8e-5 --above 1:2:3
err "expected pairs of numbers of at least 0, such as 1.5:4e-5,2:1e-5"
expect 2 cost allreduce exchange --nodes '2x(2x1)' -m 1M --alpha 1 --beta 8e-5 --above 1:2,
err "the heights of switches in --nodes are 1"
expect 2 cost allreduce exchange --nodes 2x2 -m 1M --alpha 1 --beta 8e-5 --above 1:2
err "--above needs --nodes with switches"
expect 2 cost allreduce exchange --nodes '2x(2x1)' --alpha 1 --above 1:2
err "--above needs --beta"
expect 2 cost allreduce exchange --nodes '2x(2x1)' --leaf 2 --alpha 1
err "--leaf cannot be combined with --nodes"

# ---- --uneven: blocks of different sizes ----
uneven="-p 37 -m 1M --uneven half --alpha 2 --beta 8e-5"
# shellcheck disable=SC2086 # words
expect 0 cost reduce_scatter pipelines $uneven --param segment=50000
line "reduce_scatter by pipelines, p = 37, segment=50000, m = 1048576 bytes, uneven: half"
line "rounds          15"      # 10 parts, 6 skips
grep -q '^closed form' "$work/out" && fail "a closed form of equal blocks"
# shellcheck disable=SC2086 # words
expect 0 cost reduce_scatter circulant $uneven --json
json "it['uneven'] == 'half' and it['closed_form'] is None and it['time'] > 250"
# shellcheck disable=SC2086 # words
expect 0 cost --best reduce_scatter $uneven
out "m = 1048576 bytes, uneven: half, commutative: best parameters by closed form, then simulated"
# shellcheck disable=SC2086 # words
expect 0 cost --best reduce_scatter $uneven --json
json "it['uneven'] == 'half'"
json "[b['time'] for b in it['best']] == sorted(b['time'] for b in it['best'])"
expect 0 cost --best reduce_scatter ring -p 5 --count 100 --uneven one --beta 1 --json
json "len(it['best']) == 1 and it['best'][0]['time'] == 400"  # the large block takes four rounds
expect 0 cost --best allgatherv --nodes 2x3 -m 64K --uneven powers --alpha 1 --beta 1e-4
out "uneven: powers, commutative: best parameters, simulated"
# each rank's block, and what it is cut into
expect 0 schedule allgatherv pipelines -p 5 --count 200 --uneven half --param segment=20
line "vector: 200 elements of 1 byte in 15 blocks, uneven: half"
line "starts 0,25,50,150,175,200"
expect 0 schedule reduce_scatter ring -p 4 --count 100 --uneven powers --rank 2 --json
json "it['starts'] == [0, 50, 75, 87, 100] and it['uneven'] == 'powers' and len(it['ranks']) == 1"
expect 0 schedule reduce_scatter ring -p 4 --count 100 --uneven linear --json
json "it['starts'] == [0, 0, 16, 50, 100]"
expect 0 schedule reduce_scatter ring -p 5000 --count 1000 --uneven one --rank 7 --json
json "it['starts'] == [0] * 2501 + [1000] * 2500"
# equal after all
expect 0 schedule reduce_scatter ring -p 4 --count 0 --uneven one --json
json "it['starts'] is None"
expect 0 schedule reduce_scatter ring -p 4 --json
json "it['starts'] is None and 'uneven' not in it"
expect 0 schedule reduce_scatter pipelines -p 5 --count 200 --uneven one --svg "$work/uneven.svg"
grep -qF 'uneven: one' "$work/uneven.svg" || fail "the title does not name the shape"
expect 0 verify reduce_scatter pipelines --max-p 9 --count 1000 --uneven half
out " sets of schedules proved"
expect 0 verify allgatherv exchange --nodes 2x3 -m 4K --uneven linear
for command in cost schedule; do
    expect 2 $command reduce_scatter ring -p 5 --uneven third
    err "--uneven 'third': expected half, linear, powers, one or ramp"
    expect 2 $command reduce_scatter ring -p 5 --uneven even
    err "expected half, linear, powers, one or ramp"
    for collective in allreduce reduce_scatter_block bcast; do
        expect 2 $command $collective ring -p 5 --uneven half
        err "such as reduce_scatter or allgatherv; $collective has none"
    done
    expect 1 $command reduce_scatter circulant -p 5 --uneven half --non-commutative
    err "the operator does not commute"
done
expect 2 cost --best allreduce -p 5 -m 8 --alpha 1 --uneven half
expect 1 cost reduce_scatter ring -p 1000 --bytes 4503599627370496 --uneven one
err "too many bytes to count"
expect 2 verify allreduce ring -p 5 -m 8 --uneven half
err "allreduce has none"
expect 2 verify reduce_scatter ring -p 5 -m 8 --uneven ''
err "--uneven '': expected half"
for wrong in "--all -m 8" "reduce_scatter ring" "reduce_scatter ring -p 5"; do
    # shellcheck disable=SC2086 # words
    expect 2 verify $wrong --uneven half
    err "--uneven requires COLLECTIVE ALGORITHM and --count or --bytes"
done
expect 2 select "$here/good.json" reduce_scatter -p 5 -m 8 --uneven half
err "unknown or ambiguous option '--uneven'"

# ---- parameters that are auto: the model of the options chooses, else the constants ----
expect 0 cost allreduce exchange -p 13 -m 8 --alpha 1 --overhead 1e-3 --param radix=auto
out "threshold=never radix=13, m = 8"
expect 0 cost allreduce exchange -p 13 -m 8 --alpha 1 --overhead 1 --param radix=auto --json
json "it['parameters']['radix'] == 4 and it['time'] == 16"
expect 0 cost allreduce binomial -p 100 -m 8 --param network=1,100,12500,0
out "radix=5 network=1,100,12500,0"
expect 0 cost allreduce binomial -p 100 -m 8 --param network=1000,1,12500,0 --json
json "it['parameters']['radix'] > 5 and it['parameters']['network'] == '1000,1,12500,0'"
expect 0 schedule allreduce gather_reduce -p 5 --count 1 --param radix=auto --json
json "it['parameters']['radix'] == 5"
expect 2 cost allreduce exchange -p 6 --param network=1,2
err "--param network=1,2: it needs 4 numbers, or 7 with those inside nodes, and 2 more for each height above"
expect 2 cost allreduce exchange -p 6 --param network=1,2,0,4
err "a rate must not be 0"
expect 2 cost allreduce exchange -p 6 --param network=fast
err "--param network=fast: "
expect 2 cost allreduce exchange -p 6 --param radix=automatic
err "expected auto, or 2 to 64"

# ---- cost --best ----
expect 0 cost --best allreduce -p 100000 --alpha 1e-6 --beta 1e-10 --gamma 1e-10 -m 8 --json
json "it['p'] == 100000 and it['best'][0]['closed_form'] <= it['best'][-1]['closed_form']"
json "all(one['evaluations'] <= 16384 for one in it['best'])"
expect 0 cost --best allreduce gather_reduce -p 5 --alpha 1 -m 8
line "gather_reduce        3            radix=2"
expect 0 cost --best allreduce gather_reduce -p 5 --alpha 1 --overhead 0 -m 8
line "gather_reduce        1            radix=5"
expect 0 cost --best reduce -p 5 --root 3 --alpha 1 -m 8 --non-commutative
out "reduce, p = 5, root = 3, m = 8 bytes, any operator"
expect 1 cost --best reduce_scatter circulant -p 5 -m 40 --non-commutative --alpha 1
expect 2 cost --best allreduce -p 5 -m 8 --overhead 1
err "--best needs --alpha, --beta or --gamma beside other constants"
# a network is the same as its constants, and the default
expect 0 cost --best allreduce -p 5 -m 8
out "seconds with --network 1500,500,12500,5000,300,10000,1"
tail -n +2 "$work/out" >"$work/best"
for constants in '--network 1500,500,12500,5000,300,10000,1' \
    '--alpha 1.5e-6 --overhead 5e-7 --beta 8e-11 --gamma 2e-10'; do
    # shellcheck disable=SC2086  # several words
    expect 0 cost --best allreduce -p 5 -m 8 $constants
    tail -n +2 "$work/out" | cmp -s - "$work/best" || fail 'other times'
done
for shape in 4x3 '2x(2x4),(3x4)'; do
    expect 0 cost allreduce exchange --nodes "$shape" -m 64K \
        --network 2000,500,12500,5000,300,10000,2,2500,9000
    cp "$work/out" "$work/best"
    # shellcheck disable=SC2046  # two words, or none
    expect 0 cost allreduce exchange --nodes "$shape" -m 64K --alpha 2e-6 --overhead 5e-7 \
        --beta 8e-11 --gamma 2e-10 --inside-alpha 3e-7 --inside-beta 1e-10 --cards 2 \
        $([ "$shape" = 4x3 ] || echo --above 2.5e-6:1.1111111111111111e-10)
    cmp -s "$work/out" "$work/best" || fail 'other times'
done
expect 2 cost allreduce exchange -p 5 -m 8 --network 1,2
err "--network 1,2: expected a list such as"
expect 2 cost allreduce exchange -p 5 -m 8 --network 1500,500,12500,5000 --overhead 1
err "--overhead cannot be combined with --network"
expect 2 cost allreduce exchange -p 5 --network 1500,500,12500,5000
err "--network requires --bytes or --count"
expect 2 cost --best allreduce -p 5
err "--best needs --bytes or --count"
expect 0 cost --best allreduce -p 1000 -m 1M --alpha 1 --json
json "it['usual']['algorithm'] == 'halving_doubling' and it['usual']['closed_form'] == 21"
expect 0 cost --best scan --nodes 3x4 -m 8 --alpha 1 --json
json "it['usual']['parameters']['groups'] == 'ranks' and it['usual']['closed_form'] > 0"
expect 2 cost --best allreduce butterfly -p 5 -m 8 --param threshold=0
expect 2 cost --best allreduce -p 5 -m 8 --alpha 1 --eager
err "--eager, --skew and --leaf cannot be combined with --best"
expect 2 cost --best allreduce -p 5 -m 8 --alpha 1 --skew 1
expect 2 cost allreduce -p 5 -m 8

# ---- verify (test/tools/proofs.sh proves more) ----
expect 0 verify --all --max-p 4 --json
json "it['good'] and it['proved'] > 24"
expect 0 verify allreduce circulant -p 257
out " sets of schedules proved"
expect 0 verify allreduce butterfly -p 13 --param threshold=0 --count 100 --progress
# in place or not, times commutative or not, times values of odd=, times eight values of ring_max
line "96 sets of schedules proved"
expect 0 verify reduce exchange --nodes 3,1,2
out " sets of schedules proved"
expect 0 verify allreduce exchange --nodes 2x2:cyclic --count 100
out " sets of schedules proved"
expect 2 verify allreduce exchange --nodes 2x2 --max-p 5
expect 2 verify
expect 2 verify --all allreduce circulant
expect 2 verify allreduce
expect 2 verify --all --param skips=sqrt
expect 1 verify allreduce circulant -p 1000000
err "of memory, more than the "
expect 0 verify --all --max-p 5 --jobs 3
cp "$work/out" "$work/three"
expect 0 verify --all --max-p 5 --jobs 1
cmp -s "$work/out" "$work/three" || fail "--jobs 3 proves different schedules"
expect 2 verify --all --jobs 0
begin "anyp verify: a signal ends all its processes"
"$anyp" verify allreduce circulant --max-p 2500 --jobs 2 >"$work/out" 2>"$work/err" &
first=$!
workers=''
for _ in $(seq 100); do
    workers=$(grep -lsE "^PPid:[[:space:]]$first\$" /proc/[0-9]*/status | cut -d / -f 3)
    [ "$(echo "$workers" | wc -w)" -lt 2 ] || break
    sleep 0.1
done
kill -TERM $first
wait $first 2>/dev/null
[ $? -eq 143 ] || fail "SIGTERM does not end anyp verify"
[ "$(echo "$workers" | wc -w)" -eq 2 ] || fail "anyp verify --jobs 2: not two workers: $workers"
for pid in $workers; do
    ! kill -0 "$pid" 2>/dev/null || fail "anyp verify leaves a process behind"
done
expect 0 verify --sample 100 allreduce exchange -p 960000
line "100 of the 960000 ranks: each schedule is valid by itself"
out "not proved: "
expect 0 verify --sample 20 --nodes 10000x96 reduce exchange --root 7 --in-place -m 1M --json
json "it['good'] and it['ranks'] == 20 and it['root'] == 7 and it['in_place'] and
    it['messages'] == it['compared_messages'] > 40 and it['partners'] >= it['compared_partners']"
expect 0 verify --sample 50 -p 13 bcast binomial --gaps
line "13 of the 13 ranks: each schedule is valid by itself"
line "all their 24 partners: 24 messages have the same blocks at both ends"
expect 2 verify --sample 0 allreduce exchange -p 5
expect 2 verify --sample 10 allreduce exchange -p 1048577
expect 2 verify --sample 10 --all -p 5
expect 2 verify --sample 10 --all
err "--all cannot be combined with --sample"
expect 2 verify --sample 10 allreduce -p 5
expect 2 verify --sample 10 allreduce exchange
err "--sample needs -p or --nodes"
expect 2 verify --sample 10 allreduce exchange --max-p 5
expect 2 verify --sample 10 allreduce exchange -p 5 --root 1
expect 2 verify reduce exchange -p 5 --root 1
err "--root requires --sample"
expect 1 verify --sample 10 alltoallv ring -p 5 -m 8
err "depend on all blocks"
expect 1 verify reduce recursive_doubling
err "recursive_doubling does not serve reduce"

# ---- wrong words and numbers ----
expect 2 cost alreduce butterfly -p 3
err "did you mean allreduce?"
expect 2 cost allreduce buterfly -p 3
err "did you mean butterfly?"
expect 2 cost allreduce xyz -p 3
err "'anyp list' shows all"
expect 2 cost allreduce butterfly
err "--processes is missing"
for p in 0 -1 1.5 3x '' ' 3' 0x10 99999999999999999999 1048577; do
    expect 2 cost allreduce butterfly -p "$p"
    err "is not a whole number from 1 to 1048576"
done
for alpha in -1 x nan inf '' 1e101 1e999; do
    expect 2 cost allreduce butterfly -p 3 --alpha "$alpha"
    err "is not a number from 0 to 1e+100"
done
expect 2 cost allreduce butterfly -p 3 --param threshold
err "expected NAME=VALUE"
expect 2 cost allreduce butterfly -p 3 --param =1
err "expected NAME=VALUE"
expect 2 cost allreduce butterfly -p 3 --param treshold=1
err "did you mean threshold?"
expect 2 cost allreduce butterfly -p 3 --param threshold=2147483648
err "expected auto, or 0 to 2147483647"
expect 2 cost allreduce circulant -p 3 --param skips=Halving
err "expected halving|pow2|sqrt|linear, or a list such as 11,6,3,2,1"
expect 2 cost allreduce circulant -p 7 --param skips=3,1
err "a skip is more than twice the next one, so that contributions would be lost; expected halving"
expect 1 cost allreduce circulant -p 7 --param skips=3,2,1
err "p is more than twice the first skip of the list"
expect 0 cost allreduce circulant -p 7 --param skips=6,3,2,1 --alpha 1 --json
json "it['parameters'] == {'skips': '6,3,2,1'} and it['time'] == it['closed_form'] == 8"
expect 0 schedule reduce circulant -p 7 --root 3 --param skips=6,3,2,1
out "skips=6,3,2,1"
expect 0 verify reduce_scatter circulant --max-p 40 --param skips=17,16,8,7,6,3,2,1
out " choices refused"
expect 2 verify reduce_scatter_block ring -p 5 --count 7
err "7 elements do not divide by 5, 10 would"
expect 2 cost allreduce recursive_doubling -p 3 --param skips=sqrt
err "recursive_doubling has no parameters"
expect 2 cost allreduce butterfly -p 3 --bytes 1MiB
err ", or one followed by K, M or G"
expect 2 cost allreduce butterfly -p 3 --count 4 --bytes 4
err "not both"
expect 2 cost allreduce butterfly -p 3 --bytes 7 --type-size 2
err "not a multiple"
expect 2 cost allreduce butterfly -p 3 --count 4503599627370496 --type-size 2147483647
err "too long"
expect 2 cost reduce_scatter_block circulant -p 3 --count 4
err "do not divide by 3"
expect 0 cost reduce_scatter_block circulant -p 3 --bytes 4 --alpha 1 --json
json "it['count'] == 6"
expect 2 cost iallreduce circulant -p 3
err "iallreduce is the nonblocking form of allreduce"
expect 0 cost allreduce butterfly -p 3 --bytes 4 --param threshold=never
out "threshold=never"
expect 2 cost allreduce chain -p 3 --bytes 4 --param segment=never
# reproducible calls: one tree for each p, which some algorithms keep
expect 0 schedule allreduce exchange -p 6 --reproducible --param radix=3
out "x0 + x1 + x2 + (x3+x4+x5)"
expect 0 schedule reduce gather_reduce -p 5 --reproducible
out "x0 + x1 + x2 + (x3+x4)"
expect 1 schedule allreduce circulant -p 6 --reproducible
err "circulant does not serve this allreduce: reproducible results have another bracketing"
expect 0 cost --best allreduce -p 8 --bytes 64K --alpha 1 --beta 1 --reproducible
out "allreduce, p = 8, m = 65536 bytes, reproducible: "
out "recursive_doubling"
expect 0 verify --all --reproducible --max-p 5 --json
json "[a['proved'] for a in it['algorithms'] if a['name'] in ('binomial', 'circulant')] == [0, 0]"
expect 1 verify allreduce butterfly --reproducible -p 6
err "nothing to prove"
expect 0 list butterfly
out "reproducible results: powers of two"
expect 0 list chain
out "reproducible results: scans, any p"
expect 0 list exchange
line "    reproducible results: any p, but not scans"
expect 0 list gather_reduce
line "    reproducible results: any p"
# a barrier has no data: nothing is said about bytes
expect 0 cost barrier exchange --nodes 3x4 --alpha 1
line "messages        4"
! grep -qw bytes "$work/out" || fail "bytes of a barrier"
expect 0 cost --best barrier -p 13 --alpha 1
line "barrier, p = 13: best parameters by closed form"
for option in --in-place --gaps '--bytes 8'; do
    # shellcheck disable=SC2086  # words
    expect 2 schedule barrier exchange -p 3 $option
    err "barrier has no data"
done
expect 2 schedule allreduce butterfly -p 3 --rank 3
err "ranks are 0 to 2"
expect 2 schedule allreduce butterfly -p 3 --root 1
err "allreduce has no root"
expect 2 schedule allreduce butterfly
expect 2 schedule allreduce butterfly extra -p 3
err "unexpected argument 'extra'"
expect 2 schedule allreduce butterfly -p
err "option '-p' requires a value"
expect 2 schedule allreduce butterfly -p 3 --json=yes
err "does not take a value"
expect 2 schedule allreduce butterfly -p 3 -z
err "unknown option '-z'"
expect 2 cost allreduce butterfly -p 3 --alhpa 1
err "did you mean --alpha?"
expect 1 cost allreduce circulant -p 7 --non-commutative
err "circulant does not serve this allreduce: the operator does not commute"
expect 1 cost reduce_scatter gather_reduce -p 7
err "does not do this collective; 'anyp list' shows which algorithms do"
expect 1 cost allreduce gather_reduce -p 1000000 --exact
err "more than half of this machine's memory"
err "or omit --exact"
begin 'more than 1 GiB is announced'
run timeout 1 "$anyp" cost allreduce ring -p 2800 --exact
err "2800 processes take 1 GiB of memory, and perhaps minutes; to be faster, use fewer processes, or omit"
begin 'a million ranks: a sample of them, and the closed form'
expect 0 cost allreduce exchange -p 1000000 -m 8 --alpha 1
out "not simulated: the closed form"
out "maximum over a sample of 2000 of the 1000000 ranks (--exact takes all):"
expect 0 cost allreduce exchange --nodes 10000x96 -m 8 --alpha 1 --json
json "it['ranks'] == 2000 and it['total'] is None and not it['simulated']"
json "it['maximum']['bytes_sent'] > 0 and it['node_bytes'] > 0"
expect 0 cost allreduce exchange --nodes 10000x96 -m 8 --alpha 1 --skew 1
out "unknown: with --skew, only --exact knows it"
expect 0 cost allreduce exchange -p 1000 -m 8 --alpha 1 --json
json "it['ranks'] == 1000 and it['simulated'] and it['total']['messages'] > 0"
expect 0 cost --best allreduce --nodes 10000x96 -m 8 --alpha 1 --beta 1e-4
out "best parameters by closed forms that know nodes, times by simulation of fewer nodes"
expect 0 cost --best bcast --nodes 128x16 -m 8K
line 'chain                0.0055913    segment=90 (closed form)'
expect 0 cost --best bcast --nodes 128x16 -m 8K --json
json "[('time' in one, 'closed_form' in one) for one in it['best']][-1] == (False, True)"
json "it['best'][0]['time'] < 3e-5"
expect 1 cost alltoallv multiport -p 1000000 -m 8
err "at most 4096"
expect 1 schedule allreduce ring -p 1000000
err " TiB, more than half of this machine's memory"
err "--rank for one rank"

# ---- check ----
expect 0 check "$here/good.json"
line "$here/good.json: good"
expect 1 check "$work/missing.json"
err "$work/missing.json"
: >"$work/empty.json"
printf '{"collective=allreduce": {"comm_type=intra": {"comm_sise<=4": {}}}}\n' >"$work/bad.json"
expect 1 check "$here/good.json" "$work/bad.json" "$work/empty.json"
line "$here/good.json: good"
err "$work/bad.json"
err "comm_sise<=4"
err "$work/empty.json"
expect 1 check --json "$here/good.json" "$work/bad.json" "$work"
json "[file['good'] for file in it] == [True, False, False]"
json "it[1]['errors'] == 1 == len(it[1]['reported']) and 'comm_sise<=4' in it[1]['reported'][0]['message']"
expect 2 check

expect 0 cost allreduce exchange -p 13
line "time            unknown without --alpha, --beta, --gamma or --overhead"

# ---- select ----
select_in_file() {
    wanted=$1
    shift
    expect "$wanted" select "$here/good.json" "$@"
}
select_in_file 0 allreduce -p 13 --bytes 1M
out "rule: collective=allreduce / comm_type=intra / is_commutative=yes / avg_msg_size=any"
line "runs: MPIR_Allreduce_intra_anyp_circulant, skips=sqrt"
# as in a program, the constants of the machine come from a variable
network=30000,3000,1000,3000
for variable in ANYP_NETWORK MPIR_CVAR_ANYP_NETWORK; do
    export $variable=$network
    expect 0 select generic allreduce -p 13 --bytes 64K
    out 'anyp_exchange, threshold=3780 radix=13 '
    line "network: $network, where the rule has none ($variable)"
    export $variable=slow
    expect 2 select generic allreduce -p 13 --bytes 64K
    err "$variable=slow: "
    unset $variable
done
expect 0 select generic allreduce -p 13 --bytes 64K
out 'anyp_exchange, threshold=0 radix=8 '
select_in_file 0 allreduce -p 13 --bytes 2K
line "runs: MPIR_Allreduce_intra_anyp_gather_reduce, radix=4 (auto: radix)"
select_in_file 0 allreduce -p 8 --bytes 1M --non-commutative --json
json "it['algorithm'] == 'butterfly' and not it['hole']"
json "it['parameters'] == {'threshold': 0, 'odd': 'overlap', 'ring_max': 3, 'network': 'default'}"
json "it['automatic'] == ['odd', 'ring_max']"
select_in_file 0 allreduce -p 9 --bytes 1M --non-commutative
line "runs: hole: the MPI library's default"
select_in_file 0 bcast -p 9 --bytes 1M --json
json "it['hole'] and it['name'] is None"
printf '%s' '{"collective=allreduce": {"comm_type=intra":
    {"algorithm=MPIR_Allreduce_intra_anyp_circulant": {}}}}' >"$work/any.json"
expect 0 select "$work/any.json" allreduce -p 5 --count 100 --type-size 8 --non-commutative
line "refused: the operator does not commute"
line "runs: exchange, threshold=never radix=5 (auto: threshold, radix)"
expect 0 select "$work/any.json" allreduce -p 5 --count 100 --non-commutative --json
json "it['refused'] and it['instead']['algorithm'] == 'exchange'"
json "it['instead']['automatic'][:2] == ['threshold', 'radix']"
printf '%s' '{"collective=barrier": {"comm_size<=8": {},
    "comm_size=any": {"algorithm=MPIR_Barrier_intra_anyp_exchange": {}}}}' >"$work/barrier.json"
expect 0 select "$work/barrier.json" barrier -p 13
line "call: barrier, p = 13"
line "runs: MPIR_Barrier_intra_anyp_exchange, threshold=never radix=4 (auto: threshold, radix)"
expect 0 select "$work/barrier.json" barrier -p 8 --json
json "it['hole']"
# the comment of a file names the rules that were not measured
cat >"$work/forms.json" <<'END'
/* Measured somewhere.
   By closed forms, not measured: allreduce (is_commutative=no), bcast. */
{"collective=allreduce": {"comm_type=intra": {
    "is_commutative=yes": {"algorithm=MPIR_Allreduce_intra_anyp_exchange": {}},
    "is_commutative=no": {"algorithm=MPIR_Allreduce_intra_anyp_exchange": {}}}},
 "collective=bcast": {"comm_type=intra": {"algorithm=MPIR_Bcast_intra_anyp_exchange": {}}},
 "collective=allgather": {"comm_type=intra":
    {"algorithm=MPIR_Allgather_intra_anyp_exchange": {}}}}
END
for call in "allreduce --non-commutative" bcast; do
    # shellcheck disable=SC2086 # words
    expect 0 select "$work/forms.json" $call -p 5 --bytes 1K
    line "measured: no, the rule follows closed forms"
    # shellcheck disable=SC2086 # words
    expect 0 select "$work/forms.json" $call -p 5 --bytes 1K --json
    json "it['closed_forms']"
done
for call in allreduce allgather reduce; do
    expect 0 select "$work/forms.json" $call -p 5 --bytes 1K
    if grep -q '^measured: no' "$work/out"; then
        fail "it says that the rule was not measured"
    fi
    expect 0 select "$work/forms.json" $call -p 5 --bytes 1K --json
    json "not it['closed_forms']"
done
printf '%s' '{"collective=allreduce": {"comm_type=intra": {"comm_size=node_comm_size": {},
    "is_node_consecutive=yes": {"comm_avg_ppn<=4":
    {"algorithm=MPIR_Allreduce_intra_anyp_exchange": {"groups=nodes": {}, "threshold=8192": {},
    "radix=4": {}, "node_radix=8": {}, "node_lanes=0": {}, "node_segments=auto": {}}}}}}}' >"$work/nodes.json"
expect 0 select "$work/nodes.json" allreduce -p 12 --nodes 3x4 --bytes 1K
line "communicator: comm_size = 12, comm_avg_ppn = 4, comm_levels = 1, \
comm_size=node_comm_size: does not hold, is_node_consecutive=yes, comm_hierarchy=parent"
line "rule: collective=allreduce / comm_type=intra / is_node_consecutive=yes / comm_avg_ppn<=4"
line "runs: MPIR_Allreduce_intra_anyp_exchange, threshold=8192 radix=4 groups=nodes node_radix=8\
 node_lanes=0 node_segments=1 (auto: node_segments)"
for shape in 12 11,1 3x4:cyclic; do
    expect 0 select "$work/nodes.json" allreduce -p 12 --nodes "$shape" --bytes 1K
    line "runs: hole: the MPI library's default"
done
# levels: nodes, and switches above them
printf '%s' '{"collective=allreduce": {"comm_type=intra": {"comm_levels<=1": {}, "comm_levels<=2":
    {"algorithm=MPIR_Allreduce_intra_anyp_exchange": {}}}}}' >"$work/levels.json"
expect 0 select "$work/levels.json" allreduce --nodes "2x(3x2)" --bytes 1K
out "comm_levels = 2, "
line "rule: collective=allreduce / comm_type=intra / comm_levels<=2"
expect 0 select "$work/levels.json" allreduce --nodes 6x2 --bytes 1K
line "rule: collective=allreduce / comm_type=intra / comm_levels<=1"
expect 0 select "$work/levels.json" allreduce --nodes "2x(2x(3x2))" --bytes 1K --json
json "it['comm_levels'] == 3 and it['hole'] and it['path'].endswith('comm_type=intra')"
# --ppn and --scattered are nodes, for the algorithms as for the conditions
printf '%s' '{"collective=reduce": {"comm_type=intra":
    {"algorithm=MPIR_Reduce_intra_anyp_binomial": {"groups=nodes": {}}}}}' >"$work/groups.json"
for nodes in "-p 7 --ppn 3" "--nodes 3,3,1"; do
    # shellcheck disable=SC2086 # words
    expect 0 select "$work/groups.json" reduce $nodes --bytes 1K
    line "communicator: comm_size = 7, comm_avg_ppn = 3, comm_levels = 1, \
comm_size=node_comm_size: does not hold, is_node_consecutive=yes, comm_hierarchy=parent"
    out "runs: MPIR_Reduce_intra_anyp_binomial, "
done
for nodes in "-p 7 --ppn 3 --scattered" "--nodes 3,3,1:cyclic"; do
    # shellcheck disable=SC2086 # words
    expect 0 select "$work/groups.json" reduce $nodes --bytes 1K
    out "is_node_consecutive=no"
    line "refused: with groups=nodes, it needs nodes with consecutive ranks"
    out "runs: exchange"
done
expect 0 select "$work/groups.json" reduce -p 3 --ppn 4 --scattered --bytes 1K
out "comm_avg_ppn = 3, comm_levels = 0, comm_size=node_comm_size: holds, is_node_consecutive=yes"
for wrong in "nosuch -p 3 --bytes 1" "allreduce -p 3" "allreduce --bytes 1" \
    "allreduce -p 3 --bytes 1 --hierarchy tree" "allreduce -p 3 --bytes 1 --ppn 0" \
    "allreduce -p 3 --bytes 1 --scattered" "allreduce --nodes 3x1 --bytes 1 --ppn 1" \
    "allreduce --ppn 2 --bytes 1" "barrier -p 3 --bytes 1" \
    "allreduce -p 3 --bytes 1 --memory gpu"; do
    # shellcheck disable=SC2086 # words
    select_in_file 2 $wrong
done
# the memory of the data, as the plug-in finds it
for memory in host device; do
    expect 0 select "$here/memory.json" allgather -p 13 --bytes 1M --memory $memory
    out "rule: collective=allgather / comm_type=intra / memory=$memory"
    expect 0 select "$here/memory.json" iallgather -p 13 --bytes 1M --memory $memory
    out "asks for: MPIR_Iallgather_intra_tsp_anyp_"
    line "refused: a nonblocking call cannot test memory"
    line "runs: an algorithm of MPICH's own"
    expect 0 select "$here/memory.json" allgather -p 13 --bytes 1K --memory $memory --json
    json "it['memory'] == '$memory' and it['hole'] == ('$memory' == 'device')"
done
expect 0 select "$here/memory.json" allgather -p 13 --bytes 1M
out "rule: collective=allgather / comm_type=intra / memory=host"
select_in_file 0 allreduce -p 13 --bytes 1M --memory device
out "commutative built-in operator, in device memory, avg_msg_size"
line "refused: the input is in device memory"
# nonblocking and persistent forms
expect 0 select "$here/forms.json" allreduce -p 13 --bytes 1M
line "rule: collective=allreduce / comm_type=intra"
expect 0 select "$here/forms.json" iallreduce -p 13 --bytes 1M
line "runs: MPIR_Iallreduce_intra_tsp_anyp_circulant, skips=halving"
expect 0 check "$here/forms.json" "$here/memory.json"
expect 1 select "$work/bad.json" allreduce -p 3 --bytes 1
err "comm_sise<=4"

# ---- check and select with the names of other releases of MPICH ----
# an installed anyp finds the tables in its prefix
tables=$here/../../src/select/mpich
mkdir -p "$work/prefix/bin" "$work/prefix/share/anyp/mpich"
cp "$anyp" "$work/prefix/bin/anyp"
cp "$tables"/*.json "$work/prefix/share/anyp/mpich/"
built=$anyp
anyp=$work/prefix/bin/anyp
printf '%s\n' '{"collective=allreduce": {"any":
    {"algorithm=MPIR_Allreduce_intra_recexch": {"k=3": {}, "single_phase_recv=0": {}}}}}' \
    >"$work/own.json"
expect 1 check "$work/own.json"
err "unknown key 'any'"
for table in "$tables"/*.json; do
    release=$(basename "$table" .json)
    expect 0 check --mpich "$release" "$here/good.json"
    expect 0 check --mpich "$release.1" "$here/good.json"
    expect 0 check --mpich "$table" "$here/good.json"
done
expect 0 check --mpich 4.0 "$here/good.json"
expect 0 check --mpich 4.2 "$work/own.json"
expect 1 check --mpich 4.1 "$work/own.json"
err "unknown key 'any'"
expect 1 check --json --mpich 4.1 "$work/own.json"
json "not it[0]['good'] and it[0]['reported'][0]['path'].endswith('any')"
printf '{"collective=allreduce": {"algorithm=nosuch": {}}}\n' >"$work/unknown.json"
expect 1 check --mpich 5.0.1 "$work/unknown.json"
err "expected one of MPICH $(sed -n 's/^ "mpich": "\(.*\)",$/\1/p' "$tables/5.0.json")"
expect 0 select --mpich 4.2 "$work/own.json" allreduce -p 5 --bytes 1K
line "runs: MPIR_Allreduce_intra_recexch, k=3 single_phase_recv=0"
expect 0 select --mpich 4.2 "$work/own.json" allreduce -p 5 --bytes 1K --json
json "it['name'] == 'MPIR_Allreduce_intra_recexch' and not it['hole'] and it['settings'][:3] == 'k=3'"
expect 1 select --mpich 4.1 "$work/own.json" allreduce -p 5 --bytes 1K
for wrong in 9.9 5 "" "$work" "$work/empty.json" "$work/own.json"; do
    case $wrong in
        *.json) reason=" is not a table" ;;
        *) reason=": unknown MPICH" ;;
    esac
    expect 2 check --mpich "$wrong" "$here/good.json"
    err "--mpich: $wrong$reason"
    expect 2 select --mpich "$wrong" "$here/good.json" allreduce -p 5 --bytes 1K
    err "--mpich: $wrong$reason"
done
expect 2 check "$here/good.json" --mpich
expect 2 cost --mpich 5.0 allreduce ring -p 5
# a grafted MPICH's table: by its prefix, and by default if it is in the prefix of anyp
cp "$tables/4.2.json" "$work/prefix/share/anyp/mpich.json"
expect 0 check "$work/own.json"
expect 1 check --mpich 4.1 "$work/own.json"
anyp=$built
expect 0 check --mpich "$work/prefix" "$work/own.json"
expect 0 select --mpich "$work/prefix" "$work/own.json" allreduce -p 5 --bytes 1K
anyp=$work/prefix/bin/anyp
: >"$work/prefix/share/anyp/mpich.json"
expect 1 check "$here/good.json"
err "share/anyp/mpich.json is not a table"
anyp=$built

# ---- examples in the documents ----
# shellcheck disable=SC2046  # names have no blanks
holds "the examples of README.md and of the manual pages are up to date" \
    python3 "$here/check_documents.py" "$anyp" "$here/../.." README.md \
    $(cd "$here/../.." && echo maint/manual/*.md)

holds "the table of anyp-simulation(7) is up to date" \
    python3 - "$anyp" "$here/../.." <<'END'
import pathlib, subprocess, sys
anyp, top = sys.argv[1:]
page = pathlib.Path(top, "maint/manual/anyp-simulation.7.md").read_text(encoding="utf-8")
for collective in ("scan", "barrier"):
    lines = subprocess.run([top + "/maint/scale_table.py", "--anyp", anyp, "--only", collective],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    assert lines.count("\n") == 3 and lines in page, lines
END

# ---- no memory ----
# is_whole: the picture is that which is drawn with all memory
is_whole() {
    local tap_content whole
    read_text "$work/whole.svg" && whole=$tap_content && read_text "$picture" &&
        [ "$tap_content" = "$whole" ]
}

# each_allocation STEP WORD...: one allocation of anyp after the other fails, STEP apart: it says that
# there is no memory, or does without
each_allocation() {
    step=$1 at=0
    shift
    begin "failing allocations: anyp $*"
    while run env NOMEM_AT=$at LD_PRELOAD="$work/nomem.so" "$anyp" "$@" &&
          file_has "$work/err" 'nomem: an allocation fails'; do
        case $got in
            0) is_whole || fail "allocation $at: part of a picture" ;;
            1 | 2)
                file_has "$work/err" memory || file_has "$work/out" memory ||
                    fail "allocation $at: no word of memory"
                ;;
            *) fail "allocation $at: exit status $got" ;;
        esac
        at=$((at + step))
    done
    [ "$at" -gt 0 ] || fail 'there was no allocation'
    [ "$got" -eq 0 ] || fail "exit status $got with all memory"
}
if ${CC:-cc} -D_GNU_SOURCE -shared -fPIC -o "$work/nomem.so" "$here/nomem.c" -ldl 2>"$work/err" &&
   LD_PRELOAD="$work/nomem.so" "$anyp" --version >"$work/out" 2>&1; then
    picture=$work/nomem.svg
    "$anyp" schedule allreduce ring -p 7 --svg "$picture"
    cp "$picture" "$work/whole.svg"
    each_allocation 1 schedule allreduce ring -p 7 --svg "$picture"
    each_allocation 5 schedule allreduce exchange --nodes 2x2 --json
    each_allocation 3 cost allreduce ring -p 3 --alpha 1
    each_allocation 11 verify allreduce circulant --max-p 4
    each_allocation 1 verify --sample 3 allreduce exchange -p 9
    # json-c itself crashes without memory
    export NOMEM_IN=anyp
    each_allocation 1 check "$here/../decision/valid/list.json"
    each_allocation 1 check --json "$here/../decision/valid/list.json"
    each_allocation 1 select "$here/../decision/valid/less.json" allreduce -p 13 --bytes 1M
    unset NOMEM_IN
else
    skip 'failing allocations' 'the library for it cannot be compiled or preloaded here'
fi

# ---- output that cannot be written ----
if [ -w /dev/full ]; then
    begin "anyp list >/dev/full"
    ! "$anyp" list >/dev/full 2>"$work/err" || fail "exit status 0"
    err "cannot write the output"
fi
begin "anyp schedule into a pipe that is closed"
mkfifo "$work/pipe"
{
    "$anyp" schedule allreduce circulant -p 200 2>"$work/err"
    echo $? >"$work/status"
} >"$work/pipe" &
head -n 1 "$work/pipe" >"$work/out"
wait $!
[ "$(cat "$work/status")" -eq 1 ] || fail "exit status $(cat "$work/status")"
silent
finish
