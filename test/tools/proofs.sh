#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# All schedules are proved: for every p up to ANYP_MAX_P (130), and for one p in 59 of those above, up to
# 1025, if ANYP_SLICE is a number: it says which, and counting it up by one 59 times proves all.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/proofs.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${srcdir:-.}/test/lib.sh"
anyp=${ANYP:-./anyp}
most=${ANYP_MAX_P:-130}

# proved NAME OPTION...: what anyp verify tells of its progress is told, too
proved() {
    begin "$1"
    shift
    { "$anyp" verify --all "$@" 2>&1 >"$work/out" || : >"$work/failed"; } | sed -u 's/^/# /'
    [ ! -e "$work/failed" ] || fail "anyp verify --all $* fails"
    tap_name="$tap_name: $(tail -n 1 "$work/out")"
    tap_tell
}

proved "p = 1 to $most" --max-p "$most"
p=$((most + 1))
while [ -n "${ANYP_SLICE:-}" ] && [ $p -le 1025 ]; do
    [ $((p % 59)) -ne $((slice % 59)) ] || proved "p = $p" -p $p
    p=$((p + 1))
done
finish
