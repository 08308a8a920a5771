# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Shared by the scripts of this folder that compile programs. They set $here, the folder. $preload,
# first '', is the list of preloaded libraries.
preload='' status=0

# preload_plugin: sets $plugin, $patience and $preload for the family
preload_plugin() {
    local name
    plugin=$build/plugin/$family/libanyp-$family.so.1
    patience=''
    [ "$vendor" != mpich ] || patience=$build/plugin/$family/test/patience.so
    preload=$plugin${patience:+:$patience}
    for name in "$plugin" $patience "$build/plugin/$family/test/cut.so"; do
        [ -e "$name" ] || die "$name is missing: run 'make plugin-tests' in $build"
    done
}

# compile NAME OPTION...: compiles NAME.c of this folder to $work/NAME.FAMILY
compile() {
    local name=$1
    shift
    "$mpicc" -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -g -O1 -I"$here/../../include" -I"$here/../../src" \
        -o "$work/$name.$family" "$here/$name.c" "$@" -ldl ||
        die "$mpicc cannot compile $here/$name.c"
}

# has_descriptors: the compiler, and so the plug-in, has the header that sections() needs
has_descriptors() {
    echo '#include <ISO_Fortran_binding.h>' | "$mpicc" -E - >/dev/null 2>&1 && return
    skip "$family: sections of arrays" "the compiler has no ISO_Fortran_binding.h"
    return 1
}

# on P VARIABLE=VALUE... -- COMMAND...: runs it with the plug-in and the variables on P ranks. A
# variable R:NAME=VALUE is set on rank R only.
on() {
    local p=$1 some='' everywhere=()
    shift
    while [ "$1" != -- ]; do
        case $1 in
            [0-9]*:*) some="$some [ \$rank != ${1%%:*} ] || export '${1#*:}';" ;;
            *) everywhere+=("$1") ;;
        esac
        shift
    done
    shift
    # shellcheck disable=SC2016  # for the inner shell
    [ -z "$some" ] ||
        set -- sh -c 'rank=${PMI_RANK:-$OMPI_COMM_WORLD_RANK};'"$some"' exec "$@"' - "$@"
    expect "${status:-0}" env ${preload:+LD_PRELOAD="$preload"} "${everywhere[@]}" \
        "${mpiexec[@]}" -n "$p" "$@"
}

# has_lines N [TEXT]: the errors have N lines of AnyP, which begin with the text; mpiexec may put
# one rank's line into another's. Without TEXT, lines about the shape do not count: they are there if
# the MPI library says that the ranks are on several nodes.
has_lines() {
    local lines shapes=0
    lines=$(grep -aoF "anyp: ${2:-}" "$work/err" | wc -l)
    [ -n "${2:-}" ] ||
        shapes=$(grep -aoE 'anyp: (shape: |[0-9]+ ranks of a node share)' "$work/err" | wc -l)
    [ $((lines - shapes)) -eq "$1" ] ||
        fail "not $1 lines of AnyP${2:+ that begin with $2}"
}
