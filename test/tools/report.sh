#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests anyp report: the page of times that were measured (measured.times, of two oversubscribed
# cores) and of simulated ones (simulated.times), both thinned out; and wrong files. Pages are made
# and looked at by pages.sh. Run by `make check`; by hand: ANYP=path/to/anyp srcdir=path/to/source
# test/tools/report.sh
set -u

if [ "${1:-}" = --help ]; then
    sed -n '4,7s/^# \{0,1\}//p' "$0"
    exit 0
fi

anyp=${ANYP:-./anyp}
here=${srcdir:-.}/test/tools
# shellcheck source-path=SCRIPTDIR source=../lib.sh
. "$here/../lib.sh"

# shellcheck source-path=SCRIPTDIR source=pages.sh
. "$here/pages.sh"

# right NAME TIMES...: the page has the times, and shows them
right() {
    name=$1
    shift
    draw "$name"
    shown=''
    [ -z "$node" ] || shown=$work/$name.xml
    begin "the page $name.html is right"
    run python3 "$here/check_report.py" "$work/$name.html" "$shown" "$@"
    [ "$got" -eq 0 ] || fail 'it is not'
}

for name in measured simulated; do
    expect 0 "$anyp" report "$here/$name.times" -o "$work/$name.html"
    silent
    right "$name" "$here/$name.times"
done
expect 0 "$anyp" report --output - "$here/measured.times" "$here/simulated.times"
cp "$work/out" "$work/joined.html"
right joined "$here/measured.times" "$here/simulated.times"

# numbers of processes that the run planned, and had no time for; those that it measured are in order
sed '1s/"anyp-tune":2,/&"run":{"processes":"p=2, p=5, p=6 (2x3), p=7"},/; s/"p":6,"nodes":"2x3",/"p":4,/' \
    "$here/measured.times" >"$work/short.times"
expect 0 "$anyp" report "$work/short.times" -o "$work/short.html"
draw short
if [ -n "$node" ]; then
    missing='<th>not measured, for lack of time</th><td class="text">p=2, p=6 (2x3), p=7</td>'
    file_has "$work/short.xml" "$missing" || fail "it does not name them"
    grep -o '<summary>p=[0-9]*' "$work/short.xml" | head -n 2 >"$work/curves"
    printf '<summary>p=%s\n' 4 5 | cmp -s - "$work/curves" || fail "curves are in another order"
fi

# ---- the answer ----
winners='These speed-ups are not validated'
# a rule of the library's that neighbours share may cost 2 % of an exact time
made kinds exact '[[[1], [2]], [[1], [0.99]], [[1], [1]], [[null], [1]], [[1], [3]]]'
says kinds 'AnyP is chosen in <b>0 of 5</b> cells'
says kinds "The MPI library's choice is kept in 5: AnyP's best algorithm is significantly slower in 2 of them"
says kinds 'and not significantly different in 1.'
says kinds 'AnyP is faster in 1, but not chosen, since neighbouring sizes share'
says kinds 'In 1 there is nothing to compare with.'
says kinds '>AnyP is faster, but not chosen</text>'
quiet kinds "$winners"
made chosen measured '[[[4, 5, 6, 4, 5, 6, 4], [2, 3, 2, 3, 2, 3, 2]]]'
says chosen 'AnyP is chosen in <b>1 of 1</b> cells'
says chosen "$winners"
says chosen 'anyp-tune --validate'
made exact exact '[[[4], [2]]]'
says exact 'AnyP is chosen in <b>1 of 1</b> cells'
quiet exact "$winners"
# times that no clock can have said are damage
made beyond exact '[[[1], [2]], [[1e308], [2]], [[1], [1e-310]], [[Infinity], [2]], [[NaN], [2]],
                    [[0], [2]]]'
err '3 of 6 cells are damaged and left out'
says beyond 'AnyP is chosen in <b>0 of 3</b> cells'
quiet beyond 'NaN|Infinity|undefined|null'

# ---- what the join says: files of other machines, and what is left out ----
python3 - "$here/measured.times" "$work" <<'END'
import json
import sys

head, *cells = open(sys.argv[1])
for name, machine in (("a", "P"), ("b", "Q")):
    run = {"MPI": "M", "AnyP": "1", "processor": machine, "cores": "2", "binding": "none"}
    with open(f"{sys.argv[2]}/{name}.times", "w") as file:
        file.writelines((json.dumps({"run": run, **json.loads(head)}) + "\n", *cells))
END
expect 1 "$anyp" report -o "$work/mixed.html" "$work/a.times" "$work/b.times"
err 'processor is "P" and "Q"'
expect 0 "$anyp" report -o "$work/mixed.html" "$work/a.times" "$here/measured.times"
err 'does not say on which machine it was measured'
draw mixed
says mixed 'does not say on which machine it was measured'
expect 0 "$anyp" report --mixed -o "$work/mixed.html" "$work/a.times" "$work/b.times"
err 'processor is "P" and "Q"'
draw mixed
says mixed 'processor is &quot;P&quot; and &quot;Q&quot;'
# a damaged line of the cells, and one that is missing
sed '2d; 4s/^\(.\{50\}\).*/\1/' "$here/measured.times" >"$work/left.times"
expect 0 "$anyp" report "$work/left.times" -o "$work/left.html"
draw left
for text in "1 of $(($(grep -c '"times"' "$here/measured.times") - 1)) cells are damaged" \
    'is cut off: 1 of its'; do
    err "$text"
    says left "$text"
done

# texts of files are escaped
python3 - "$here/measured.times" "$work/texts.times" <<'END'
import json
import sys

head, *cells = open(sys.argv[1])
head = {"run": {"<b>key": "&value;", "hosts": 3}, **json.loads(head),
        "measured": "<script>alert('1')</script> <!-- & \"\u0001\u0085\ufffe"}
with open(sys.argv[2], "wb") as file:
    file.write(json.dumps(head).encode().replace(b"&value;", b"&value; \xff\xc0") + b"\n")
    file.write("".join(cells).encode())
END
expect 0 "$anyp" report "$work/texts.times" -o "$work/texts.html"
right texts "$work/texts.times"
says texts '&lt;script&gt;alert('"'1'"')&lt;/script&gt; &lt;!-- &amp; '
says texts '<th>&lt;b&gt;key</th><td class="text">&amp;value;'
says texts '<th>hosts</th><td class="text">3</td>'

# ---- what cannot be shown ----
echo old >"$work/old.html"
# refused MESSAGE FILE...: the page is not made, and the old one stays
refused() {
    message=$1
    shift
    expect 1 "$anyp" report -o "$work/old.html" "$@"
    err "$message"
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail 'not one message'
    [ "$(cat "$work/old.html")" = old ] || fail 'the old page is lost'
}
refused "cannot read $work/none.times: No such file" "$work/none.times"
head -c 100 "$here/measured.times" >"$work/half.times"
refused "$work/half.times is not what anyp-tune --save writes" "$work/half.times"
refused "$work/half.times is not what anyp-tune --save writes" "$here/measured.times" \
    "$work/half.times"
: >"$work/none"
head -c 300 /dev/zero | tr '\0' 'x' >"$work/random"
head -c 10 "$here/before.calls" >"$work/short"
for name in none random short; do
    refused "$work/$name: expected a record of anyp run --record or a timing file of anyp-tune --save" \
        "$here/measured.times" "$work/$name"
done
head -n 1 "$here/measured.times" >"$work/empty.times"
refused "$work/empty.times has no times" "$work/empty.times"
expect 1 "$anyp" report "$here/measured.times" -o "$work/nowhere/page.html"
err "cannot write $work/nowhere/page.html"
expect 2 "$anyp" report
err 'missing argument: FILE...'
expect 2 "$anyp" report --mpich 99 "$here/measured.times"
err '--mpich'

in_browser measured simulated texts kinds
finish
