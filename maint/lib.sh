# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# lib.sh - shared by the scripts of this folder: messages, steps with a log and progress, and the
# place of the cache. Source it first.

program=${0##*/}                # the script's name
maint=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034  # for the scripts that source this
top=$(dirname "$maint")         # the checkout

# Where sources, builds and logs are kept between runs.
# shellcheck disable=SC2034  # for the scripts that source this
cache=${ANYP_CACHE:-${XDG_CACHE_HOME:-${HOME:-~}/.cache}/anyp}
step_pid=
beside_pid=                     # of a subshell that runs other steps at the same time

say() { printf '%s: %s\n' "$program" "$*"; }
die() { printf '%s: %s\n' "$program" "$*" >&2; exit 2; }

# When the script is interrupted, or its output pipe is closed, its current step also ends.
stop_step() {
    trap - INT TERM HUP PIPE EXIT
    [ -z "$step_pid" ] || kill -TERM -- "-$step_pid" 2>/dev/null
    [ -z "$beside_pid" ] || kill -TERM "$beside_pid" 2>/dev/null
    [ -z "${1:-}" ] || exit "$1"
}

set_traps() {
    trap 'stop_step 130' INT
    trap 'stop_step 143' TERM
    trap 'stop_step 129' HUP
    trap 'stop_step 141' PIPE
    trap stop_step EXIT
}
set_traps

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# processor_time VARIABLE: sets it to the processor time, in seconds, of all processes that this
# script has waited for, and of those that these have waited for. Unlike the elapsed time, it hardly
# depends on what else the machine does.
processor_time() {
    local fields
    read -r -a fields <"/proc/$BASHPID/stat"          # cutime and cstime, in hundredths of a second
    printf -v "$1" %d $(((fields[15] + fields[16]) / 100))
}

# Prints the last line of a log, cut to a width, without empty lines and compiler messages. Of a
# compiler's command, whose first hundreds of characters are options, it prints the output file.
last_line() {
    tail -n 50 "$1" |
        grep -vE '^ +[0-9]* *\||^ *$|:[0-9]+:[0-9]|^ *(from|In file) |: In |^mv -f |^depbase=' |
        tail -n 1 |
        sed -E 's/^(.*libtool:? .* )?[^ ]*cc[^ ]* (.* )?-o +([^ ]+).*/compiling \3/' |
        tr -cd '[:print:]' | cut -c"1-$2"
}

# step NAME LOG COMMAND...: runs a command with its output in LOG. It shows how long the command has
# been running and the log's last line: on a terminal every second, otherwise twice a minute.
# Returns the command's status. On a failure it prints step, log, and the log's last lines.
step() {
    local name=$1 log=$2 begin=$SECONDS shown=$SECONDS status=0 last elapsed before after
    shift 2
    mkdir -p "$(dirname "$log")"
    say "$name ..."
    processor_time before
    # shellcheck disable=SC2016  # for the inner shell, which also knows exported functions
    setsid bash -c '"$@"' - "$@" >"$log" 2>&1 </dev/null &
    step_pid=$!
    while kill -0 "$step_pid" 2>/dev/null; do
        sleep 1
        elapsed=$((SECONDS - begin))
        if [ -t 1 ]; then
            last=$(last_line "$log" 60)
            printf '\r\033[K  %s %s' "$(minutes $elapsed)" "$last"
        elif [ $((SECONDS - shown)) -ge 30 ]; then
            last=$(last_line "$log" 80)
            printf '  %s %s\n' "$(minutes $elapsed)" "$last"
            shown=$SECONDS
        fi
    done
    wait "$step_pid" || status=$?
    step_pid=
    [ ! -t 1 ] || printf '\r\033[K'
    elapsed=$(minutes $((SECONDS - begin)))
    processor_time after
    if [ "$status" -eq 0 ]; then
        say "$name: done in $elapsed ($((after - before)) s of processors)"
        return 0
    fi
    {
        printf '%s: FAILED: %s (status %d, after %s)\n' "$program" "$name" "$status" "$elapsed"
        printf '%s: its log: %s; the last lines:\n' "$program" "$log"
        tail -n 25 "$log" | sed 's/^/    /'
    } >&2
    return "$status"
}

# must_step: as step, but a failure ends the script with status 1.
must_step() { step "$@" || exit 1; }

# read_options VALUES SWITCHES WORD...: reads a script's options. VALUES lists the options with a
# value, SWITCHES the others. Each sets the variable of its name (--no-mpi: no_mpi), a switch to
# "yes". The switch "--" ends the options; with "..." any other word ends them. Sets `taken` to the
# number of words that were read.
read_options() {
    local values=" $1 " switches=" $2 " word name
    shift 2
    taken=$#
    while [ $# -gt 0 ]; do
        name=${1#--}
        name=${name//-/_}
        word=" ${1//[!a-z-]/?} "        # so that a word with spaces is not found in a list
        case $1 in
            --help | -h) usage; exit 0 ;;
            [!-]*) [[ $switches != *" ... "* ]] || break ;;
        esac
        if [[ $values = *"$word"* ]]; then
            [ $# -ge 2 ] || die "the option $1 requires a value; see $0 --help"
            printf -v "$name" %s "$2"
            shift
        elif [[ $switches != *"$word"* ]]; then
            die "unknown option $1; see $0 --help"
        elif [ "$1" = -- ]; then
            shift
            break
        else
            printf -v "$name" yes
        fi
        shift
    done
    taken=$((taken - $#))
}

# need_packages PURPOSE...: the Debian packages for these purposes must be installed. As root it
# installs missing ones; otherwise it names them.
need_packages() {
    "$maint/packages" --missing "$@" >/dev/null && return
    [ "$(id -u)" -eq 0 ] || { "$maint/packages" --install "$@"; exit 1; }
    must_step "install packages" "$cache/logs/packages.log" "$maint/packages" --install "$@"
}

# need_plain_paths WHAT PATH...: refuses paths with spaces or other special characters: Makefiles
# and configure scripts fail with them, some after minutes.
need_plain_paths() {
    local what=$1 path
    shift
    for path in "$@"; do
        path=$(realpath -m "$path")
        [[ $path = *([A-Za-z0-9_./+@,:=~-]) ]] ||
            die "$what, but not with the path '$path': letters, digits and _./+@,:=~- only"
    done
}

# open_cache: makes the cache folder, and its path absolute.
open_cache() {
    mkdir -p "$cache" || die "cannot create the cache $cache; choose another folder with --cache"
    cache=$(cd "$cache" && pwd)
}

# lock FOLDER [FILE]: only one run at a time uses the folder; a second one waits.
lock() {
    exec 9>"${2:-$1.lock}"
    flock -n 9 && return
    say "waiting for another run that uses $1"
    flock 9
}

# The number of jobs that make runs.
# shellcheck disable=SC2034
jobs=$(nproc 2>/dev/null || echo 2)
