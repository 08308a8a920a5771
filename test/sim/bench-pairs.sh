# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2154
# Tests of test/sim/bench --pairs, for bench-test, which sets $here, $smpi and $work.

# Sizes of pairs: peers, and AnyP's first call, by which it learns
pairs() {
    "$here/bench" --pairs --smpi "$smpi" --work "$work/pairs" --sizes 8,512 --nodes "2x3 3,2" \
        --singles none --output "$work/pairs-nodes.csv" nodes &&
        "$here/bench" --pairs --smpi "$smpi" --work "$work/pairs" --sizes 8,512 --procs 5 \
            --output "$work/pairs.csv" &&
        ! grep -q '^# wrong' "$work/pairs.csv" "$work/pairs-nodes.csv" &&
        # four messages of two overheads
        has pairs '^alltoallv@even,none,5,8,single:linear;4.0000' &&
        has pairs '^alltoallv@powers,none,5,512,anyp:first;' &&
        has pairs '^scatterv@sparse,none,5,8,single:linear;' &&
        has pairs-nodes '^gatherv@uniform,none,3;2,512,anyp;' &&
        [ "$(peer_of_pairs radix:2 5 alltoallv@powers:100,5000)" = 0 ] &&
        [ "$(peer_of_pairs layers:3 8 --nodes 2x4 alltoallv@uniform:100,20000)" = 0 ] &&
        [ "$(peer_of_pairs linear:2 7 alltoallv@sparse:100 gatherv@powers:9)" = 0 ]
}

# peer_of_pairs PEER P [OPTION...] WHAT...: how many results of test/sim/pair_peers.c are wrong
peer_of_pairs() {
    local peer=$1 p=$2 options=()
    shift 2
    while [[ $1 == --* ]]; do
        options+=("$1" "$2")
        shift 2
    done
    PAIR_PEER=$peer "$here/launch" -n "$p" ${options[@]+"${options[@]}"} \
        "$work/pairs/time-smpi" 60 1000000000 sum 0 "$@" >"$work/pairs.out" &&
        grep -c wrong "$work/pairs.out"
}
