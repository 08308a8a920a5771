#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves all schedules for every p up to ANYP_MAX_P (130). If ANYP_SLICE is a number, also for one
# in 59 of the p above, up to 1025: ANYP_SLICE selects them; 59 consecutive values prove all.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/proofs.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${srcdir:-.}/test/lib.sh"
anyp=${ANYP:-./anyp}
maximum=${ANYP_MAX_P:-130}

# prove NAME OPTION...: runs anyp verify and prints its progress as comments
prove() {
    begin "$1"
    shift
    { "$anyp" verify --all "$@" 2>&1 >"$work/out" || : >"$work/failed"; } | sed -u 's/^/# /'
    [ ! -e "$work/failed" ] || fail "anyp verify --all $* fails"
    tap_name="$tap_name: $(tail -n 1 "$work/out")"
    tap_report
}

prove "p = 1 to $maximum" --max-p "$maximum"
p=$((maximum + 1))
while [ -n "${ANYP_SLICE:-}" ] && [ $p -le 1025 ]; do
    [ $((p % 59)) -ne $((slice % 59)) ] || prove "p = $p" -p $p
    p=$((p + 1))
done
finish
