# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Shared by the scripts of this folder: options, and the families that the build has.

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
build=.
families=(mpich openmpi abi)

# read_options WORD...: reads --build DIR, --family NAME and --help (which calls usage)
read_options() {
    while [ $# -gt 0 ]; do
        case $1 in
            --help | -h) usage; exit 0 ;;
            --build) [ $# -gt 1 ] || die "--build needs a folder"; build=$2; shift ;;
            --family) [ $# -gt 1 ] || die "--family needs a name"; families=("$2"); shift ;;
            *) die "unknown option $1; see $0 --help" ;;
        esac
        shift
    done
    [ -x "$build/anyp" ] || die "there is no $build/anyp; run make, or name the folder with --build"
    build=$(cd "$build" && pwd)
}

# variable NAME: prints a variable of the Makefile, as configure set it
variable() {
    sed -n "s/^$1 = //p" "$build/Makefile"
}

# collectives N: prints their names in column N of collectives.def
collectives() {
    sed -n 's/^ANYP_[A-Z]*(\([^)]*\)/\1/p' "$here/../../src/schedule/collectives.def" | tr -d ' ' |
        cut -d, -f"$1"
}

# choose_family NAME: sets family, mpicc, mpiexec (an array), and vendor (mpich or openmpi) of the
# MPI library; 1 if the build does not have this family. With the standard ABI the library is that
# of $ABI_MPIEXEC, and LD_LIBRARY_PATH must contain its folder.
choose_family() {
    family=$1
    vendor=$1
    mpicc=$(variable "${family^^}_MPICC")
    [ "$mpicc" != no ] && mpicc=$(command -v "$mpicc") || return 1
    local name=${mpicc##*/}
    name=${name/mpicc/mpiexec}
    mpiexec=("$(dirname "$mpicc")/${name/_abi/}")
    if [ "$family" = abi ] && [ -n "${ABI_MPIEXEC:-}" ]; then
        mpiexec=("$(command -v "$ABI_MPIEXEC")") || die "ABI_MPIEXEC=$ABI_MPIEXEC is no program"
    fi
    [ -x "${mpiexec[0]}" ] || die "there is no ${mpiexec[0]} beside $mpicc"
    if [ "$family" = abi ]; then
        vendor=openmpi
        [[ $("${mpiexec[0]}" --version 2>&1 </dev/null) != *HYDRA* ]] || vendor=mpich
    fi
    if [ "$vendor" = openmpi ]; then
        # as root in a container, and more processes than processors
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        export OMPI_MCA_mpi_yield_when_idle=1
        mpiexec+=(--oversubscribe)
    fi
}

# library_version: prints the name and version of the family's library
library_version() {
    "${mpiexec[0]}" --version 2>&1 </dev/null |
        sed -nE 's/ *Version: *(.*)/MPICH \1/p; s/.*\(Open MPI\) (.*)/Open MPI \1/p' | head -n 1
}

# use_family NAME: the same; 1 is reported as skipped
use_family() {
    choose_family "$1" && return
    skip "$1" "this build has no plug-in for it"
    return 1
}

# open_mpi_since N: the library is Open MPI of this major version or a later one; with the standard
# ABI it is at least 6
open_mpi_since() {
    [ "$vendor" = openmpi ] && { [ "$family" = abi ] ||
        [ "$(echo OMPI_MAJOR_VERSION | "$mpicc" -E -P -include mpi.h - | tail -n 1)" -ge "$1" ]; }
}

# can_spawn: the MPI library without AnyP can spawn processes here; 1 is reported as skipped
can_spawn() {
    timeout -k 10 60 "${mpiexec[@]}" -n 1 "$build/plugin/$family/test/spawn" >/dev/null 2>&1 &&
        return
    skip "$family: spawned processes" "the MPI library without AnyP cannot spawn here"
    return 1
}

# without_single_copy COMMAND...: Open MPI writes the whole of a truncated message if the kernel
# copies it between the processes. This disables such copies; 4.1 and later versions have different
# variables for that.
without_single_copy() {
    OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_smsc='^cma,knem,xpmem' "$@"
}

# crashed STATUS: a crash ended the command, or the command reports the crash of a process
crashed() {
    case $1 in 132 | 134 | 135 | 136 | 139) return 0 ;; esac
    grep -qiE '\bsignal:? \(?(4|6|7|8|11)\b' "$work/out" "$work/err"
}

# expect STATUS COMMAND...: as in ../lib.sh, for the family; "any" is any status but 0, in time and
# without a crash. mpiexec of MPICH 4.2.1 sometimes returns 0 though a process reports an abort.
expect() {
    wanted=$1
    shift
    begin "${family:-all}: $*"
    limit=${limit:-120} run "$@"
    if [ "$wanted" = any ]; then
        [ "$got" -ne 0 ] || ! grep -q '^Abort(' "$work/err" || got=1
        case $got in 0 | 124 | 137) fail "exit status $got, expected a failure" ;; esac
        ! crashed "$got" || fail "a crash, expected a failure with a message"
    else
        [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
    fi
}
