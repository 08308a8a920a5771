#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests anyp run without any MPI: its libraries and programs are tiny and only have the right names.
# Run by `make check`; by hand: ANYP=path/to/anyp CC=cc test/tools/run.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,5s/^# \{0,1\}//p' "$0"
    exit 0
fi

# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "${srcdir:-.}/test/lib.sh"
anyp=$(realpath "${ANYP:-./anyp}") || exit 1
good=$(realpath "${srcdir:-.}/test/tools/good.json") || exit 1
read -ra cc <<<"${CC:-cc}"        # perhaps ccache gcc
unset LD_PRELOAD LD_LIBRARY_PATH OMPI_MCA_mca_base_env_list
unset PMI_RANK PMIX_RANK OMPI_COMM_WORLD_RANK SLURM_PROCID
unset_variables 'ANYP_[A-Z_]*'

# expect STATUS WORD...: runs anyp run in $work
expect() {
    wanted=$1
    shift
    begin "anyp run $*"
    run env -C "$work" "$anyp" run "$@"
    [ "$got" -eq "$wanted" ] || fail "exit status $got, expected $wanted"
}

# with NAME=VALUE COMMAND...: calls the function with a variable in the environment
with() {
    setting=$1
    shift
    export "${setting?}"
    "$@"
    unset "${setting%%=*}"
}

# ---- libraries and programs ----
mkdir "$work/lib" "$work/far" "$work/bin" "$work/other" || exit 1
echo 'int anyp_test_library;' >"$work/library.c"
echo 'int main(void) { return 0; }' >"$work/program.c"
echo 'void _start(void) { for (;;) continue; }' >"$work/start.c"

# library FOLDER SONAME [NEEDED-FILE...]: makes a library
library() {
    where=$work/$1/$2
    name=$2
    shift 2
    "${cc[@]}" -shared -fPIC -nostdlib -Wl,--no-as-needed -Wl,-soname,"$name" -o "$where" \
        "$work/library.c" "$@" || exit 1
}
# program NAME [NEEDED-FILE or option...]: makes a program
program() {
    name=$1
    shift
    "${cc[@]}" -Wl,--no-as-needed -o "$work/$name" "$work/program.c" "$@" || exit 1
}

for name in libmpich.so.12 libmpi.so.12 libmpi_gnu_91.so.12 libmpi_ilp64.so.4 libmpi.so.40 \
    libmpi.so.20 libmpi_abi.so.0 libmpi_abi.so.1 libmpi_abi.so.12; do
    library lib $name
    program "${name#lib}" "$work/lib/$name"
done
library lib libmpichfort.so.12 "$work/lib/libmpich.so.12"
library lib libmpi_mpifh.so.40
library lib libmpi_mpifh.so.20
for name in libmpichfort.so.12 libmpi_mpifh.so.40 libmpi_mpifh.so.20; do
    program "${name#lib}" "$work/lib/$name" -Wl,--allow-shlib-undefined \
        "-Wl,-rpath-link,$work/lib"
done
# programs that need an MPI through other libraries
library far libfar.so.1 "$work/lib/libmpi.so.40"
# shellcheck disable=SC2016  # the loader's
library far libnear.so.1 "$work/far/libfar.so.1" '-Wl,-rpath,$ORIGIN'
for name in runpath:--enable-new-dtags rpath:--disable-new-dtags; do
    # shellcheck disable=SC2016  # the loader's
    program "${name%%:*}" "$work/far/libnear.so.1" "-Wl,${name#*:}" '-Wl,-rpath,$ORIGIN/far' \
        -Wl,--allow-shlib-undefined
done
# a program's RPATH also applies to its libraries, its RUNPATH does not
library far libbare.so.1 "$work/far/libfar.so.1"
for name in heir:--disable-new-dtags none:--enable-new-dtags; do
    # shellcheck disable=SC2016  # the loader's
    program "${name%%:*}" "$work/far/libbare.so.1" "-Wl,${name#*:}" '-Wl,-rpath,$ORIGIN/far' \
        -Wl,--allow-shlib-undefined
done
program lost "$work/far/libnear.so.1" -Wl,--allow-shlib-undefined
program plain
library lib libanyp-mpich.so.1
program late "$work/lib/libanyp-mpich.so.1" "$work/lib/libmpi.so.40"
"${cc[@]}" -static -nostdlib -o "$work/static" "$work/start.c" || exit 1
"${cc[@]}" -static-pie -fPIE -nostdlib -o "$work/static-pie" "$work/start.c" || exit 1
for name in one/mpiexec two/mpirun; do
    mkdir "$work/${name%/*}" || exit 1
    printf '#!/bin/sh\n' >"$work/$name"
done
cp "$work/one/mpiexec" "$work/one/mpichversion"
cp "$work/one/mpiexec" "$work/two/ompi_info"
cp "$work/one/mpiexec" "$work/bin/orterun"
cp "$work/one/mpiexec" "$work/bin/mpiexec.hydra"
cp "$work/one/mpiexec" "$work/other/mpirun"
cp "$work/one/mpiexec" "$work/script"
chmod +x "$work"/*/mpi* "$work/bin/orterun" "$work/two/ompi_info" "$work/script"
ln -s orterun "$work/bin/mpirun.open"
ln -s mpiexec.hydra "$work/bin/mpiexec"
ln -s mpirun "$work/other/mpirun.openmpi"
plugin=$work/lib/libanyp-mpich.so.1

# programs with bad loaders: another program, a script, a relative path, no file, a folder, ...
printf '#!/bin/sh\ntouch %s/ran\n' "$work" >"$work/run-script"
chmod +x "$work/run-script"
printf '#include <stdio.h>\nint main(void) { return !fopen("%s/ran", "w"); }\n' "$work" \
    >"$work/touch.c"
"${cc[@]}" -o "$work/run-program" "$work/touch.c" || exit 1
for name in run-program run-script nothing lib; do
    program "by-$name" "-Wl,--dynamic-linker=$work/$name"
done
program by-relative -Wl,--dynamic-linker=./run-program
program by-other "$work/lib/libmpi.so.40" -Wl,--dynamic-linker=/lib/ld-musl.so.1

# family NAME HOW WORD...: anyp run finds this MPI, in this way
family() {
    title=$1
    how=$2
    shift 2
    expect 0 --dry-run --plugin lib/libanyp-mpich.so.1 -- "$@"
    line "# $title: $how"
}

# ---- which MPI ----
for name in libmpich.so.12 libmpi.so.12 libmpi_gnu_91.so.12 libmpichfort.so.12; do
    family MPICH "./${name#lib} needs $name" "./${name#lib}"
    line "env LD_PRELOAD=$plugin ./${name#lib}"
    silent
done
for name in libmpi.so.40 libmpi_mpifh.so.40; do
    family 'Open MPI' "./${name#lib} needs $name" "./${name#lib}"
done
# the standard ABI, for any number of its library
for name in libmpi_abi.so.0 libmpi_abi.so.1 libmpi_abi.so.12; do
    family 'the standard ABI' "./${name#lib} needs $name" "./${name#lib}"
done
family 'Open MPI' './runpath needs libmpi.so.40' ./runpath
family 'Open MPI' './rpath needs libmpi.so.40' ./rpath
family 'Open MPI' './heir needs libmpi.so.40' ./heir
for name in none far/libbare.so.1 by-run-program by-run-script by-nothing by-lib by-relative; do
    expect 1 ./$name
    err 'no MPI found'
done
family 'Open MPI' './by-other needs libmpi.so.40' ./by-other
begin 'no program was run'
[ ! -e "$work/ran" ] || fail 'a program was run to find its MPI'
family 'Open MPI' './late needs libmpi.so.40' ./late # after a library that is not found
family 'Open MPI' 'far/libfar.so.1 needs libmpi.so.40' ./plain far/libfar.so.1
export LD_LIBRARY_PATH="$work/lib"
with "LD_PRELOAD=$work/far/libfar.so.1" expect 1 ./plain # that the program needs no MPI
err 'no MPI found'
unset LD_LIBRARY_PATH
expect 1 ./lost
err 'no MPI found'
with "LD_LIBRARY_PATH=$work/far" family 'Open MPI' './lost needs libmpi.so.40' ./lost
expect 1 ./mpi_ilp64.so.4
err 'needs libmpi_ilp64.so.4, whose functions take 64-bit integers'
for name in libmpi.so.20 libmpi_mpifh.so.20; do
    expect 1 "./${name#lib}"
    err "needs $name, an MPI library that AnyP does not know"
done
expect 0 --dry-run --plugin lib/libanyp-mpich.so.1 --mpi mpich -- ./mpi.so.20
line '# MPICH: --mpi'
expect 0 --dry-run --plugin lib/libanyp-mpich.so.1 --mpi abi -- ./mpi.so.20
line '# the standard ABI: --mpi'
expect 1 --plugin lib/libanyp-mpich.so.1 --mpi mpich -- ./mpi.so.40
err '--mpi mpich: but ./mpi.so.40 needs libmpi.so.40, which is Open MPI; write --mpi openmpi, or omit'
expect 2 --mpi lam ./plain
err 'expected mpich, openmpi or abi'
expect 1 ./plain
err '--mpi mpich, --mpi openmpi or --mpi abi'
expect 1 ./script ./plain -n 3
err 'no MPI found'

# a launcher: the MPI is that of the program, else of the launcher's name, link or folder
family MPICH './mpich.so.12 needs libmpich.so.12' bin/mpiexec -n 4 ./mpich.so.12 x
line "env LD_PRELOAD=$plugin bin/mpiexec -n 4 ./mpich.so.12 x"
silent
family MPICH './mpich.so.12 needs libmpich.so.12' other/mpirun -n 4 ./mpich.so.12
family MPICH './mpich.so.12 needs libmpich.so.12' env A=b time ./mpich.so.12
family MPICH 'bin/mpiexec is its launcher' bin/mpiexec -n 4 ./script
family MPICH 'one/mpiexec is its launcher' one/mpiexec -n 4 ./script
family 'Open MPI' 'two/mpirun is its launcher' two/mpirun -n 4 ./script
family 'Open MPI' 'bin/mpirun.open is its launcher' bin/mpirun.open -n 4 ./script
family 'Open MPI' 'other/mpirun.openmpi is its launcher' other/mpirun.openmpi -n 4 ./script
expect 1 other/mpirun -n 4 ./script
err 'and the launcher is not known'
PATH=$work/bin:$work:$PATH
family MPICH 'mpich.so.12 needs libmpich.so.12' mpiexec -n 4 mpich.so.12
family MPICH 'mpiexec is its launcher' mpiexec -n 4 script
PATH=${PATH#*:*:}
expect 0 -n --plugin "$plugin" bin/orterun -n 4 ./mpich.so.12
err 'warning: ./mpich.so.12 is for MPICH, but bin/orterun is the launcher of Open MPI'
# any launcher is possible with the standard ABI
for name in bin/orterun bin/mpiexec; do
    family 'the standard ABI' './mpi_abi.so.1 needs libmpi_abi.so.1' $name -n 4 ./mpi_abi.so.1
    silent
done

# programs without preloading
for name in static static-pie; do
    expect 1 ./$name
    err "./$name is linked statically"
    err 'pkg-config --libs anyp-mpich'
done
expect 0 --dry-run --plugin "$plugin" bin/mpiexec -n 2 ./static
err 'warning: ./static is linked statically'
err 'pkg-config --libs anyp-mpich'
cp "$work/mpich.so.12" "$work/foreign"
# e_machine, two bytes at 18: no existing processor
printf '\361\361' | dd of="$work/foreign" bs=1 seek=18 conv=notrunc 2>/dev/null
expect 1 ./foreign
err './foreign is for another kind of processor'

# damaged files are refused, or their undamaged part is used
begin 'anyp run of damaged programs'
size=$(wc -c <"$work/mpich.so.12")
for position in $(seq 0 37 2500) $((size / 2)) $((size - 1)); do
    head -c "$position" "$work/mpich.so.12" >"$work/damaged"
    chmod +x "$work/damaged"
    (cd "$work" && "$anyp" run -n --plugin "$plugin" ./damaged) >"$work/out" 2>"$work/err"
    got=$?
    [ $got -le 1 ] || fail "a program cut off after $position bytes: exit status $got"
    cp "$work/mpich.so.12" "$work/damaged"
    printf '\377\377\377' | dd of="$work/damaged" bs=1 seek="$position" conv=notrunc 2>/dev/null
    (cd "$work" && "$anyp" run -n --plugin "$plugin" ./damaged) >"$work/out" 2>"$work/err"
    got=$?
    [ $got -le 1 ] || fail "a program with other bytes at $position: exit status $got"
done

# ---- the environment ----
# shellcheck disable=SC2016  # for the command
print='echo "<$LD_PRELOAD> <$ANYP_ALLREDUCE_ALGORITHM> <$ANYP_VERBOSE>"'
expect 0 --mpi mpich --plugin "$plugin" -- sh -c "$print"
line "<$plugin> <> <>"
expect 0 --mpi mpich --plugin "$plugin" sh -c "$print" # options end at the command
line "<$plugin> <> <>"
expect 7 --mpi mpich --plugin "$plugin" -- sh -c 'exit 7'
# existing preloads stay first; another plug-in of AnyP is removed
first=$work/lib/libmpi.so.20
with LD_PRELOAD="$first $work/lib/libmpi.so.12" expect 0 --mpi mpich --plugin "$plugin" sh -c "$print"
line "<$first:$work/lib/libmpi.so.12:$plugin> <> <>"
cp "$plugin" "$work/other/libanyp-openmpi.so.1"
with LD_PRELOAD="$work/other/libanyp-openmpi.so.1:$first" expect 0 --mpi mpich --plugin "$plugin" sh -c "$print"
line "<$first:$plugin> <> <>"
with "LD_PRELOAD=$plugin" expect 0 --mpi mpich --plugin "$plugin" --algorithm allreduce=ring \
    sh -c "$print"
line "<$plugin> <ring> <>"
# a warning if an existing preload has the calls; also if it is found in LD_LIBRARY_PATH
silent
tool=$work/lib/libtool.so
"${cc[@]}" -shared -fPIC -nostdlib -Wl,-soname,libtool.so -o "$tool" -x c - <<'END' || exit 1
int MPI_Allreduce(void);
int MPI_Allreduce(void) { return 0; }
END
export LD_LIBRARY_PATH="$work/lib"
for name in "$tool" libtool.so; do
    with LD_PRELOAD="$name $first" expect 0 -n --mpi mpich --plugin "$plugin" ./plain
    err "warning: $name in LD_PRELOAD also has an MPI_Allreduce"
done
library lib libuser.so "$tool" # has none itself
with LD_PRELOAD=libuser.so expect 0 -n --mpi mpich --plugin "$plugin" ./plain
silent
unset LD_LIBRARY_PATH
expect 0 --mpi mpich --plugin "$plugin" --verbose --algorithm allreduce=butterfly sh -c "$print"
line "<$plugin> <butterfly> <1>"
expect 0 --mpi mpich --plugin "$plugin" --verbose=2 --algorithm allreduce=ring sh -c "$print"
line "<$plugin> <ring> <2>"
with ANYP_VERBOSE=1 expect 0 --mpi mpich --plugin "$plugin" sh -c "$print"
line "<$plugin> <> <1>"
with ANYP_ALLREDUCE_ALGORITHM='' expect 0 -n --mpi mpich --plugin "$plugin" --reproducible -- ./plain
line "env ANYP_REPRODUCIBLE=1 LD_PRELOAD=$plugin ./plain"
expect 0 -n --mpi mpich --plugin "$plugin" --strict --tuning-file "$good" \
    --algorithm reduce_scatter_block=circulant:skips=7,4,2,1 \
    --algorithm allreduce=butterfly:threshold=0:odd=fold -- ./plain 'a b' "it's" ''
line "env ANYP_TUNING_FILE=$good ANYP_REDUCE_SCATTER_BLOCK_ALGORITHM=circulant \
ANYP_REDUCE_SCATTER_BLOCK_SKIPS=7,4,2,1 ANYP_ALLREDUCE_ALGORITHM=butterfly \
ANYP_ALLREDUCE_THRESHOLD=0 ANYP_ALLREDUCE_ODD=fold ANYP_STRICT=1 LD_PRELOAD=$plugin \
./plain 'a b' 'it'\\''s' ''"

# the file of a record: neither a folder, nor in one that is missing
expect 1 --mpi mpich --plugin "$plugin" --record "$work" ./plain
err "--record $work: Is a directory"
expect 1 --mpi mpich --plugin "$plugin" --record "$work/missing/calls.json" ./plain
err "--record $work/missing/calls.json: $work/missing/: No such file or directory"

# a warning if nothing selects an algorithm, not in a dry run, and only on the first process
nothing='anyp run: nothing chooses an algorithm'
expect 0 --mpi mpich --plugin "$plugin" --verbose ./plain
err "$nothing"
with PMI_RANK=0 expect 0 --mpi mpich --plugin "$plugin" ./plain
err "$nothing"
with PMI_RANK=1 expect 0 --mpi mpich --plugin "$plugin" ./plain
silent
expect 0 --dry-run --mpi mpich --plugin "$plugin" ./plain
silent
expect 0 --mpi mpich --plugin "$plugin" --tuning-file "$good" ./plain
silent
with "ANYP_TUNING_FILE=$good" expect 0 --mpi mpich --plugin "$plugin" ./plain
silent
with ANYP_REDUCE_ALGORITHM=chain expect 0 --mpi mpich --plugin "$plugin" ./plain
silent
# variables of an MPICH with AnyP inside
for name in "COLL_SELECTION_TUNING_JSON_FILE=$good" REDUCE_INTRA_ALGORITHM=anyp_chain; do
    with "MPIR_CVAR_$name" expect 0 -n --mpi mpich --plugin "$plugin" ./plain
    err "warning: MPIR_CVAR_$name is for an MPICH with AnyP inside"
    with "MPIR_CVAR_$name" expect 0 -n --mpi abi --plugin "$plugin" ./plain
    err "warning: MPIR_CVAR_$name is for an MPICH with AnyP inside"
    with "MPIR_CVAR_$name" expect 0 -n --mpi openmpi --plugin "$plugin" ./plain
    silent
done
with MPIR_CVAR_REDUCE_INTRA_ALGORITHM=binomial expect 0 -n --mpi mpich --plugin "$plugin" ./plain
silent
for name in mpich openmpi abi; do
    with MPIR_CVAR_ANYP_REPRODUCIBLE=1 expect 0 -n --mpi $name --plugin "$plugin" ./plain
    err "warning: MPIR_CVAR_ANYP_REPRODUCIBLE is for an MPICH with AnyP inside; use \
--reproducible"
done
with MPIR_CVAR_ANYP_REPRODUCIBLE=1 expect 0 -n --mpi mpich --plugin "$plugin" --reproducible ./plain
silent
with MPIR_CVAR_ANYP_REPRODUCIBLE=0 expect 0 -n --mpi mpich --plugin "$plugin" ./plain
silent

# Open MPI's launcher exports only named variables to other nodes: in its list, or by -x for each
# program if there is a -x
list=OMPI_MCA_mca_base_env_list
expect 0 -n --plugin "$plugin" --verbose bin/orterun -n 4 ./mpi.so.40
line "env ANYP_VERBOSE=1 LD_PRELOAD=$plugin '$list=ANYP_VERBOSE;LD_PRELOAD' bin/orterun -n 4 \
./mpi.so.40"
expect 0 -n --plugin "$plugin" bin/orterun -n 4 ./mpi_abi.so.1
line "env LD_PRELOAD=$plugin $list=LD_PRELOAD bin/orterun -n 4 ./mpi_abi.so.1"
with ANYP_STRICT=1 expect 0 -n --plugin "$plugin" bin/orterun -n 1 ./mpi.so.40 : -n 2 ./plain
line "env LD_PRELOAD=$plugin '$list=ANYP_STRICT;LD_PRELOAD' bin/orterun -n 1 ./mpi.so.40 : -n 2 \
./plain"
expect 0 -n --plugin "$plugin" --verbose bin/orterun -x A ./mpi.so.40
line "env ANYP_VERBOSE=1 LD_PRELOAD=$plugin bin/orterun -x ANYP_VERBOSE -x LD_PRELOAD -x A \
./mpi.so.40"
with ANYP_STRICT=1 expect 0 -n --plugin "$plugin" env : bin/orterun ./mpi.so.40 : -x A ./plain : ./plain
line "env LD_PRELOAD=$plugin env : bin/orterun -x ANYP_STRICT -x LD_PRELOAD ./mpi.so.40 : \
-x ANYP_STRICT -x LD_PRELOAD -x A ./plain : -x ANYP_STRICT -x LD_PRELOAD ./plain"
with $list='A;B' expect 0 -n --plugin "$plugin" bin/orterun ./mpi.so.40
line "env LD_PRELOAD=$plugin '$list=A;B;LD_PRELOAD' bin/orterun ./mpi.so.40"
expect 0 -n --plugin "$plugin" bin/orterun --mca mca_base_env_list 'A;B' ./mpi.so.40 : \
    --mca mca_base_env_list C ./plain
line "env LD_PRELOAD=$plugin $list=LD_PRELOAD bin/orterun --mca mca_base_env_list 'A;B;LD_PRELOAD' ./mpi.so.40 : \
--mca mca_base_env_list 'C;LD_PRELOAD' ./plain"
expect 0 -n --plugin "$plugin" bin/mpiexec -n 1 ./mpich.so.12 : -n 1 ./plain
line "env LD_PRELOAD=$plugin bin/mpiexec -n 1 ./mpich.so.12 : -n 1 ./plain"
expect 0 -n --plugin "$plugin" bin/mpiexec -genv LD_PRELOAD x ./mpich.so.12
expect 0 -n --plugin "$plugin" env LD_PRELOAD=x ./mpich.so.12
err 'the command sets LD_PRELOAD itself'

# ---- errors ----
expect 2
err 'missing argument: [--] COMMAND [ARGUMENT]...'
expect 127 no-such-program
expect 127 --mpi mpich --plugin "$plugin" ./no-such-program
expect 126 "$work/program.c"
expect 126 --mpi mpich --plugin "$plugin" "$work/program.c"
expect 126 "$work"
expect 2 --verbose=3 ./mpich.so.12
err 'from 1 to 2'
expect 2 --verbose 2 -- ./mpich.so.12
err '2 is no command'
err '--verbose=2'
expect 2 -v2 ./mpich.so.12
err '--verbose=2'
expect 2 --no-such-option ./mpich.so.12
for wrong in butterfly allreduce allreduce= allreduce=butterfli alreduce=butterfly \
    allreduce=chain allreduce=elimination allreduce=butterfly:treshold=1 \
    allreduce=butterfly:threshold=-1 allreduce=butterfly:threshold allreduce=ring:threshold=1 \
    bcast=gather_reduce; do
    expect 2 --algorithm "$wrong" --plugin "$plugin" ./mpich.so.12
    err "See: anyp run --help"
done
expect 2 --algorithm allreduce=ring --algorithm allreduce=butterfly ./mpich.so.12
err 'more than one algorithm for allreduce'
for wrong in bad 1,2 1,2,0,4 1,2,3,4,5,6,0; do
    expect 1 --network "$wrong" --plugin "$plugin" ./mpich.so.12
    err "ANYP_NETWORK=$wrong: "
    err "expected a list such as 1500,500,12500,5000,300,10000,1"
done
expect 1 --tuning-file no-such-file.json ./mpich.so.12
err 'no-such-file.json'
expect 1 --tuning-file '' ./mpich.so.12
err "--tuning-file ''"
echo '{"collective=allreduce": {"comm_sise<=4": {}}}' >"$work/bad.json"
expect 1 --tuning-file bad.json ./mpich.so.12
err 'comm_sise'
for wrong in ANYP_ALLREDUCE_ALGORITHM=butterfli ANYP_ALLREDUCE_ALGORITM=butterfly ANYP_VERBOSE=3 \
    ANYP_STRICT=yes; do
    with "$wrong" expect 1 --plugin "$plugin" ./mpich.so.12
    err "${wrong%%=*}"
done
with ANYP_TUNING_FILE=bad.json expect 1 --plugin "$plugin" ./mpich.so.12
err 'comm_sise'
with ANYP_ALLREDUCE_ALGORITHM=ring expect 1 --plugin "$plugin" \
    --algorithm allreduce=butterfly:threshold=0 --tuning-file bad.json ./mpich.so.12
err 'comm_sise'
expect 1 --plugin no-such-library ./mpich.so.12
err 'no-such-library: No such file'
expect 1 --plugin library.c ./mpich.so.12
err 'no shared library'
mkdir "$work/with blank"
cp "$plugin" "$work/with blank/libanyp-mpich.so.1"
expect 1 --plugin 'with blank/libanyp-mpich.so.1' ./mpich.so.12
err 'takes no path with blanks'
ln -s '../with blank/libanyp-mpich.so.1' "$work/lib/linked.so"
expect 0 -n --plugin lib/linked.so ./mpich.so.12
out "LD_PRELOAD=$work/lib/linked.so"

# ---- the location of the plug-in: in the folder of the tool in a build tree ----
mkdir -p "$work/tree/plugin/mpich" "$work/tree/plugin/abi"
cp "$anyp" "$work/tree/anyp"
cp "$plugin" "$work/tree/plugin/mpich/"
holds 'anyp run in a build tree' env -C "$work" tree/anyp run -n ./mpich.so.12
line "env LD_PRELOAD=$work/tree/plugin/mpich/libanyp-mpich.so.1 ./mpich.so.12"
cp "$plugin" "$work/tree/plugin/abi/libanyp-abi.so.1"
holds 'anyp run in a build tree, the standard ABI' env -C "$work" tree/anyp run -n ./mpi_abi.so.1
line "env LD_PRELOAD=$work/tree/plugin/abi/libanyp-abi.so.1 ./mpi_abi.so.1"
begin 'anyp run that was moved'
mkdir "$work/moved"
cp "$anyp" "$work/moved/anyp"
if (cd "$work" && moved/anyp run -n ./mpich.so.12) >"$work/out" 2>"$work/err"; then
    line '# MPICH: ./mpich.so.12 needs libmpich.so.12' # it is installed
else
    err 'MPICH_MPICC=/path/to/mpicc'
fi
if (cd "$work" && moved/anyp run -n ./mpi_abi.so.1) >"$work/out" 2>"$work/err"; then
    line '# the standard ABI: ./mpi_abi.so.1 needs libmpi_abi.so.1'
else
    err 'ABI_MPICC=/path/to/mpicc_abi'
fi

finish
