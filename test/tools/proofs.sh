#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Proves all schedules for every p up to ANYP_MAX_P. Without it: for every p up to 32, one in 31 of
# those up to 130, one in 179 of those up to 300, and two of those up to 1025, which take most of the
# time. ANYP_SLICE (0) selects them; if it is set, also one in 7 of the p from 13 to 32. And for some
# shapes of nodes.
#
# If ANYP_PROVED is a folder, it keeps what was proved above 300: schedules and their proofs depend
# only on the sources that `sources` lists. While these do not change, each run proves other p.
# Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source test/tools/proofs.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,12s/^# \{0,1\}//p' "$0"
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

# sources: prints a sum of the files that decide which schedules are written, and how they are proved
sources() {
    (cd "${srcdir:-.}" && find include/anyp.h src/schedule src/algorithms src/analysis \
        -name '*.[ch]' -o -name '*.def' | LC_ALL=C sort | xargs cat | cksum | tr -c '0-9\n' -)
}

# prove_large NUMBER: proves this many of the p from 301 to 1025 that were not proved before, if
# there are any, from one that the slice selects
prove_large() {
    list=/dev/null
    if [ -n "${ANYP_PROVED:-}" ]; then
        list=$ANYP_PROVED/$(sources)
        { mkdir -p "$ANYP_PROVED" && touch "$list"; } || die "cannot write $list"
        find "$ANYP_PROVED" -type f -mtime +30 -exec rm -f {} +
    fi
    tried=0
    left=$1
    # 97 is prime to 725, the number of all: neighbouring samples are far apart
    while [ "$left" -gt 0 ] && [ $tried -lt 725 ]; do
        p=$((301 + (slice * 97 + tried * 359) % 725))
        tried=$((tried + 1))
        if ! grep -qx $p "$list"; then
            prove "p = $p" -p $p
            left=$((left - 1))
            [ -e "$work/failed" ] || echo $p >>"$list"
        fi
    done
}

maximum=${ANYP_MAX_P:-${ANYP_SLICE:+12}}
maximum=${maximum:-32}
prove "p = 1 to $maximum" --max-p "$maximum"
p=$((maximum + 1))
while [ -z "${ANYP_MAX_P:-}" ] && [ $p -le 300 ]; do
    turns=179
    [ $p -gt 130 ] || turns=31
    [ $p -gt 32 ] || turns=7
    [ $((p % turns)) -ne $((slice % turns)) ] || prove "p = $p" -p $p
    p=$((p + 1))
done
[ -n "${ANYP_MAX_P:-}" ] || prove_large 2
for shape in 3x4 5,2,7 2x3:cyclic 4,1,3 4,1,3:cyclic; do
    prove "nodes $shape" --nodes "$shape"
done
finish
