# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# For the scripts that run the MPI tests: the nodes on which exchange is tested.
# shellcheck disable=SC2034  # for the scripts
node_shapes=(2x3 '3,2' 4x2:cyclic '5,1,3')

# ranks_of SHAPE: how many ranks nodes of this shape have; it may have switches
ranks_of() {
    local sum=${1%%:*}
    sum=${sum//x/*}
    echo $((${sum//,/+}))
}

# hosts_of SHAPE: the same for Hydra's -hosts
hosts_of() {
    local nodes=${1%%:*} sizes=() i
    if [[ $nodes == *x* ]]; then
        for ((i = 0; i < ${nodes%x*}; i++)); do
            sizes[i]=${nodes#*x}
        done
    else
        IFS=, read -ra sizes <<<"$nodes"
    fi
    for ((i = 0; i < ${#sizes[@]}; i++)); do
        # of a list that ends, Hydra begins again
        printf '%snode%d:%d' "${sep:-}" "$i" "$([[ $1 == *:cyclic ]] && echo 1 || echo "${sizes[i]}")"
        local sep=,
    done
    echo
}
