#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves all schedules for every p up to ANYP_MAX_P. Without it: for every p up to 32, one in 31 of
# those up to 130, and one in 179 of those up to 1025. ANYP_SLICE (0) selects them; if it is set,
# also one in 7 of the p from 13 to 32. 179 consecutive values prove all. And for some shapes of
# nodes.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/proofs.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,9s/^# \{0,1\}//p' "$0"
    exit 0
fi

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${srcdir:-.}/test/lib.sh"
anyp=${ANYP:-./anyp}

# prove NAME OPTION...: runs anyp verify and prints its progress as comments
prove() {
    begin "$1"
    rm -f "$work/failed"
    shift
    { "$anyp" verify --all "$@" 2>&1 >"$work/out" || : >"$work/failed"; } | sed -u 's/^/# /'
    [ ! -e "$work/failed" ] || fail "anyp verify --all $* fails"
    tap_name="$tap_name: $(tail -n 1 "$work/out")"
    tap_report
}

maximum=${ANYP_MAX_P:-${ANYP_SLICE:+12}}
maximum=${maximum:-32}
prove "p = 1 to $maximum" --max-p "$maximum"
p=$((maximum + 1))
while [ -z "${ANYP_MAX_P:-}" ] && [ $p -le 1025 ]; do
    turns=179
    [ $p -gt 130 ] || turns=31
    [ $p -gt 32 ] || turns=7
    [ $((p % turns)) -ne $((slice % turns)) ] || prove "p = $p" -p $p
    p=$((p + 1))
done
for shape in 3x4 5,2,7 2x3:cyclic 4,1,3 4,1,3:cyclic; do
    prove "nodes $shape" --nodes "$shape"
done
finish
