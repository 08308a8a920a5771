#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# build.sh - what the build scripts of maint refuse or do before they build: packages that are
# missing, and paths with spaces. Nothing is built or installed: package tools are replaced. Writes
# TAP.
set -u
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "$0")/../lib.sh"

srcdir=${srcdir:-.}
plain=$work/checkout
spaces="$work/a checkout"
for top in "$plain" "$spaces"; do
    mkdir "$top"
    cp -r "$srcdir/maint" "$srcdir/configure.ac" "$top/"
    chmod -R u+w "$top"
done

# no package is installed
mkdir "$work/bin"
tool() {
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
tool dpkg-query 'exit 1'
tool apt-get "echo \"\$*\" >>'$work/apt'; exit 1"
# shellcheck disable=SC2016  # for the tool
tool id 'echo "$FAKE_ID"'
PATH=$work/bin:$PATH
ANYP_CACHE=$work/cache
export PATH ANYP_CACHE FAKE_ID

# lacks PACKAGE SCRIPT OPTION...: root gets the packages, others are told which
lacks() {
    package=$1
    script=$plain/maint/$2
    shift 2
    FAKE_ID=0
    rm -f "$work/apt"
    expect 1 "$script" "$@"
    err 'FAILED: install packages'
    grep -q "^update" "$work/apt" || fail 'root does not call apt-get'
    FAKE_ID=1000
    rm -f "$work/apt"
    expect 1 "$script" "$@"
    err 'ask an administrator for: apt-get install --no-install-recommends'
    err " $package"
    [ ! -e "$work/apt" ] || fail 'a user calls apt-get'
}
lacks libsimgrid-dev build-smpi --prefix "$work/prefix"
lacks libjson-c-dev build-anyp --prefix "$work/prefix" --no-mpi
lacks libtool build-mpich --prefix "$work/prefix"
lacks libtool quickstart --prefix "$work/prefix" --device ch3:nemesis

# another package manager holds a lock at the first call
tool apt-get "echo \"\$*\" >>'$work/apt'; [ -e '$work/free' ] || {
    touch '$work/free'; [ \"\$LC_ALL\" = C ] || { echo 'E: Sperre'; exit 100; }
    echo 'E: Could not get lock FILE. It is held by process 7 (x)' >&2; exit 100; }"
tool sleep ''
FAKE_ID=0
rm -f "$work/apt"
expect 0 "$plain/maint/packages" --install netlab
err 'waiting for another package manager, up to ten minutes: it is process 7 (x)'
[ "$(cut -d ' ' -f 1 "$work/apt" | tr '\n' ' ')" = 'update update install ' ] ||
    fail 'not the expected calls of apt-get'
rm "$work/bin/sleep"
tool apt-get "echo \"\$*\" >>'$work/apt'; exit 1"

# progress LINE WANTED: what a step shows of this line of its log
progress() {
    begin "progress: $2"
    printf '%s\n' "$1" 'mv -f src/.deps/x.Tpo src/.deps/x.Po' >"$work/log"
    # shellcheck source=/dev/null
    got=$(bash -c '. "$1"; last_line "$2" 80' - "$srcdir/maint/lib.sh" "$work/log")
    [ "$got" = "$2" ] || fail "it shows '$got'"
}
options='-DPACKAGE_NAME=\"anyp\" -I. -g -O2 -MD -MF src/.deps/x.Tpo'
progress "gcc $options -c -o src/x.o ../src/x.c" 'compiling src/x.o'
progress "libtool: compile:  gcc $options -c x.c -fPIC -o .libs/x.o" 'compiling .libs/x.o'
progress '/usr/bin/mpicc.mpich -g -o anyp-tune.mpich x.o libx.a -lm' 'compiling anyp-tune.mpich'
progress 'PASS: test/unit/unit 12 - access -o' 'PASS: test/unit/unit 12 - access -o'

# refuses PATH COMMAND...: before anything is made or installed
refuses() {
    path=$1
    shift
    rm -rf "$work/apt" "$work/cache"
    FAKE_ID=0
    expect 2 "$@"
    err "but not with the path '$path'"
    for file in "$work/apt" "$work/cache" "$work/a folder"; do
        [ ! -e "$file" ] || fail "$file is there"
    done
}
for script in build-mpich quickstart; do
    for option in --prefix --cache; do
        refuses "$work/a folder" "$plain/maint/$script" --device ch3:nemesis $option "$work/a folder"
    done
done
refuses "$work/a folder" "$plain/maint/build-anyp" --prefix "$work/a folder"
refuses "$spaces" "$spaces/maint/build-anyp" --prefix "$work/prefix" --no-mpi
refuses "$spaces" "$spaces/maint/build-smpi" --prefix "$work/prefix"
refuses "$spaces" "$spaces/maint/quickstart" --prefix "$work/prefix" --device ch3:nemesis

# no more than needed: these get as far as the packages
for script in 'build-anyp --no-mpi' build-smpi; do
    # shellcheck disable=SC2086  # words
    expect 1 "$plain/maint/"$script --prefix "$work/a folder" --cache "$work/a cache"
    err 'FAILED: install packages'
done
finish
