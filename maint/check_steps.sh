# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# check_steps.sh - the long steps of maint/check. Each is a function that maint/check exports to a
# shell of its own, with its output in a log. $top is the checkout. Source this file.

: "${top:?}"

# make_check BUILD JOBS: make check; prints the log of each test
make_check() {
    local status=0
    find "$1/test" -name '*.log' -delete
    make -C "$1" -j"$2" check || status=$?
    find "$1/test" -name '*.log' ! -name test-suite.log -exec cat {} +
    return "$status"
}

check_scripts() {
    cd "$top" || return 1
    local list
    list=$(grep -rlE '^#!/bin/(ba)?sh' maint test tuning debian autogen.sh .ci 2>/dev/null)
    # shellcheck disable=SC2086
    shellcheck -x $list || return 1
    for file in $(grep -rlE '^#!/usr/bin/env python3' maint test) maint/*.py \
        $(find maint/recipes -name '*.py' -o -name '*.eb'); do
        python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read(), sys.argv[1])' "$file" ||
            return 1
    done
    for file in maint/build-anyp maint/build-debian maint/build-mpich maint/build-smpi \
        maint/check maint/fetch maint/graft maint/lint maint/mpich_names.py maint/packages \
        maint/pictures.sh maint/quickstart maint/scale_table.py maint/suite \
        test/bench/forms test/bench/node test/bench/report test/netlab/collect \
        test/netlab/programs test/netlab/run test/fuzz/run test/library-faults/run \
        test/soak/run test/plugin/sanitized test/tools/release tuning/anyp-tune-job; do
        "$file" --help >/dev/null || { echo "$file --help fails"; return 1; }
    done
}

# build_fuzz FOLDER JOBS: builds the fuzzing programs with clang, which also warns
build_fuzz() {
    mkdir -p "$1" && cd "$1" || return 1
    [ -f config.status ] ||
        "$top/configure" --enable-fuzz CC=clang --enable-werror CFLAGS='-O1 -g' || return 1
    make -j"$2" fuzz-programs
}

# build_sanitized FOLDER JOBS LIST: builds AnyP, the plug-in and the tests with these sanitizers
build_sanitized() {
    mkdir -p "$1" && cd "$1" || return 1
    [ -f config.status ] ||
        "$top/configure" --enable-sanitize="$3" --enable-werror CFLAGS='-O1 -g' || return 1
    make -j"$2" plugin-tests && make -j"$2" check TESTS=
}

# check_distribution FOLDER JOBS: make distcheck in a new folder. Its tests find files that the
# tarball lacks: unit tests that read files, and all others with few processes.
check_distribution() {
    rm -rf "$1" && mkdir -p "$1" && cd "$1" && "$top/configure" &&
        ANYP_SLICE="" ANYP_MAX_P=4 ANYP_SUITES=core,decision,vocabulary make -j"$2" \
            DISTCHECK_CONFIGURE_FLAGS=CFLAGS=-O1 distcheck ||
        return 1
    cd "$top" && rm -rf "$1"
}

# check_distributed BUILD: the tarball contains every file of the git checkout, except the dot files
# and debian/, which packagers do not want in a release.
check_distributed() {
    local lost
    [ -e "$top/.git" ] || return 0
    make -C "$1" distdir || return 1
    lost=$(comm -23 \
        <(git -C "$top" -c safe.directory='*' ls-files | grep -vE '(^|/)\.|^debian/' | sort) \
        <(cd "$1" && find anyp-*/ -type f | sed 's,^[^/]*/,,' | sort))
    rm -rf "$1"/anyp-*/
    [ -z "$lost" ] || { printf 'not in the tarball:\n%s\n' "$lost"; return 1; }
}
