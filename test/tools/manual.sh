#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests the manual pages: they must contain everything that --help and the tables contain, refer to
# each other, and be correct for groff and mandoc. Run by `make check`; by hand, in a build folder:
# srcdir=path/to/source test/tools/manual.sh
# shellcheck disable=SC2013  # names have no blanks
set -u

if [ "${1:-}" = --help ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0"
    exit 0
fi

anyp=${ANYP:-./anyp}
pages=${MANUALS:-man}
maker=${MANUAL:-maint/manual/manual}        # missing in a cross build
source=${srcdir:-.}
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$source/test/lib.sh"

# has PAGE TEXT WHAT: the page without its markup has the text, which WHAT describes
has() {
    begin "$1 has $3"
    file_has "$work/$1" "$2" || fail "$1 lacks $3"
}

all=$(cd "$source/maint/manual" && echo *.md | sed 's/\.md//g') || exit 1
for page in $all; do
    sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\://g' -e 's/\\e/\\/g' "$pages/$page" \
        >"$work/$page" || exit 1
    if command -v groff >/dev/null; then
        # but for lines that cannot be broken: the folders of the installation may be long
        begin "$page: groff"
        groff -ww -W break -k -t -man -Tutf8 -z "$pages/$page" >"$work/out" 2>&1
        [ ! -s "$work/out" ] || fail "groff reports this"
    fi
    if command -v mandoc >/dev/null; then
        begin "$page: mandoc"
        mandoc -Tlint -Wwarning "$pages/$page" 2>&1 | grep -v 'missing date' >"$work/out"
        [ ! -s "$work/out" ] || fail "mandoc reports this"
    fi
    if [ -x "$maker" ]; then
        # otherwise whoever reads the text on the web sees old lists
        begin "$page.md has the lists of the programs (make lists)"
        "$maker" --markdown <"$source/maint/manual/$page.md" >"$work/new" 2>&1
        diff "$source/maint/manual/$page.md" "$work/new" >"$work/out" || fail "it differs so"
    fi
    # no Markdown, and no variable that the build substitutes, is left
    begin "$page: all is converted"
    ! grep -nE '\\\(ga|\]\(|^#+ |<!--|@[a-z]+@' "$pages/$page" >"$work/out" || fail "this is left"
    sed -n '/^\.SH SEE ALSO/,$p' "$work/$page" >"$work/see"
    for other in $all; do
        [ "$other" = "$page" ] || has see "${other%.*}(${other##*.})" "SEE ALSO $other in $page"
    done
done
for tool in groff mandoc; do
    command -v $tool >/dev/null || skip "$tool" "it is not installed"
done

# ---- anyp(1): the section of each command has its options and examples ----
"$anyp" --help >"$work/help" || exit 1
has anyp.1 "$(sed -n 1p "$work/help")" "what anyp is"
has anyp.1 "$(sed -n 's/^Exit status: //p' "$work/help")" "the exit statuses"
for command in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/help"); do
    sed -n "/^\\.SS anyp $command\$/,/^\\.S[SH] /p" "$work/anyp.1" >"$work/part"
    begin "anyp.1 has anyp $command"
    [ "$(wc -l <"$work/part")" -gt 5 ] || fail "the section is missing or too short"
    "$anyp" "$command" --help >"$work/help.$command" || exit 1
    for option in $(sed -n 's/^  *\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' "$work/help.$command"); do
        has part "$option" "$command $option"
    done
    sed -n '/^Examples:/,$s/^  //p' "$work/help.$command" >"$work/examples"
    while read -r example; do
        has part "$example" "the example '$example'"
    done <"$work/examples"
done

# ---- anyp-variables(7): those of the plug-in, and of MPICH with AnyP inside ----
variables=$source/src/settings/variables.def
for variable in $(sed -n 's/^ANYP_VARIABLE(\([A-Z_]*\),.*/ANYP_\1/p
    s/^ANYP_VARIABLE_EACH(\([A-Z_]*\),.*/ANYP_<COLLECTIVE>_\1/p' "$variables"); do
    has anyp-variables.7 "$variable=" "$variable"
done
for variable in $(sed -n 's/.*variable_row("\([A-Z_]*\)".*/\1/p' "$source/maint/graft_texts.py"); do
    has anyp-variables.7 "$variable=" "$variable"
done

# ---- anyp-decision-file(5): conditions ----
for condition in $(sed -n 's/^ANYPI_KEY(.*"\(.*\)".*/\1/p' "$source/src/select/conditions.def"); do
    has anyp-decision-file.5 "$condition" "the condition $condition"
done

# ---- anyp-algorithms(7): algorithms, their parameters and other names ----
"$anyp" list --json >"$work/list" || exit 1
python3 - "$work/list" >"$work/names" <<'END'
import json, sys
for algorithm in json.load(open(sys.argv[1]))["algorithms"]:
    print(".SS " + algorithm["name"])
    for parameter in algorithm["parameters"]:
        print(parameter["name"])
        print(parameter["help"])
    print("Source: " + algorithm["source"])
    for other in algorithm["aliases"]:
        print("%s is %s with %s=%s" % (other["name"], algorithm["name"], other["parameter"],
                                       other["value"]))
END
while read -r name; do
    has anyp-algorithms.7 "$name" "$name"
done <"$work/names"

# ---- anyp-tune(1), anyp-bench(1), anyp-tune-job(1): options ----
# options FILE: prints the options of a table
options() { sed -n 's/^    \[[A-Z_]*\] = { "\([a-z-]*\)",.*/--\1/p' "$source/src/tuner/$1"; }
options tuner_options.c >"$work/options.anyp-tune"
options bench_options.c >"$work/options.anyp-bench"
"$source/tuning/anyp-tune-job" --help >"$work/help.job" || exit 1
sed -n 's/^  \(--[a-z-]*\).*/\1/p' "$work/help.job" >"$work/options.anyp-tune-job"
for program in anyp-tune anyp-bench anyp-tune-job; do
    begin "the options of $program"
    grep -qxe --help "$work/options.$program" || fail "they are not found"
    while read -r option; do
        has "$program.1" "$option" "$option"
    done <"$work/options.$program"
done
for heading in OPTIONS FILES 'EXIT STATUS'; do
    for program in anyp-bench anyp-tune-job; do
        has "$program.1" ".SH $heading" "$heading"
    done
done

finish
