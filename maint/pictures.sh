#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Draws the pictures that README.md and HACKING.md show; `make pictures` runs it.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

usage() {
    cat <<'END'
Usage: maint/pictures.sh [--anyp ANYP] FOLDER

Draws schedules, and parts of pages of anyp report (with node), as SVG into FOLDER. ANYP is the
built tool (default: anyp of the path).
END
}

anyp=anyp
read_options --anyp ... "$@"
shift "$taken"
[ $# -eq 1 ] || { usage >&2; exit 2; }
folder=$1
command -v "$anyp" >/dev/null || die "there is no $anyp; run make pictures, or add --anyp ./anyp"
mkdir -p "$folder" || exit 1

# draw NAME COLLECTIVE ALGORITHM OPTION...
draw() {
    name=$1
    shift
    "$anyp" schedule "$@" --svg "$folder/$name.svg" || exit 1
    echo "$folder/$name.svg"
}

draw exchange-13 allreduce exchange -p 13 --param radix=4 --param threshold=0 --non-commutative
draw exchange-3x4 allreduce exchange --nodes 3x4 --param groups=nodes --param threshold=0 \
    --param radix=4 --param node_radix=8 --param node_lanes=0 --param node_segments=1
draw exscan-7 exscan exchange -p 7 --count 7 --param radix=2 --param threshold=0 --non-commutative
draw butterfly-15 allreduce butterfly -p 15 --param threshold=0 --param odd=overlap
draw uni_greedy-15-5 reduce uni_greedy -p 15 --count 5 --param segment=1
draw bi_greedy-16-5 reduce bi_greedy -p 16 --count 5 --param segment=1 --param lanes=1

# parts of pages: the map of allreduces whose operators do not commute, on one node; and the bars of
# a record of HPCC 1.5.0
tools=$top/test/tools
node=$(command -v node || command -v nodejs) ||
    { echo "pictures.sh: there is no node, which draws report.svg and record.svg" >&2; exit 77; }
page=$(mktemp) || exit 1
trap 'rm -f "$page"' EXIT
# part NAME FILE ID
part() {
    "$anyp" report "$tools/$2" -o - >"$page" &&
        "$node" "$tools/render_page.js" "$page" "$3" >"$folder/$1.svg" || exit 1
    echo "$folder/$1.svg"
}
part report simulated.times map-3
part record hpcc.calls bars
