# SPDX-License-Identifier: BSD-3-Clause
"""tune_keep.py OLD NEW - prints the decision file NEW with the rules that OLD has for collectives
that NEW has not measured. Both are as anyp-tune or this script writes them: comments, then the
rules of each collective. A comment about some of them begins with "Rules of NAME, NAME:"; a line in
it names what was not measured but follows closed forms (src/tuner/unmeasured_line.c). For
test/sim/tune.
"""
import json
import re
import sys

FORMS = re.compile(r"\n\s*By closed forms, not measured: ([^.\n]*)\.")


def read(name):
    """([(names of collectives, text of a comment)], {name: rules as text})"""
    with open(name, encoding="utf-8") as file:
        text = file.read()
    parts = re.fullmatch(r'((?:/\*.*?\*/\n)+)(\{\n(  "collective=.*\n  \})\n\}\n)', text, re.DOTALL)
    found = re.split(r'^  "collective=(\w+)": ', parts[3], flags=re.MULTILINE) if parts else []
    rules = {each: value.rstrip("\n,") for each, value in zip(found[1::2], found[2::2])}
    if not rules or list(json.loads(parts[2])) != ["collective=" + each for each in rules]:
        sys.exit(f"{name} is not as anyp-tune writes it")
    comments = []
    for comment in re.findall(r"/\* (.*?) ?\*/", parts[1], re.DOTALL):
        of = re.match(r"Rules of ([a-z_, ]+):\s+", comment)
        comments.append((of[1].split(", ") if of else list(rules), comment[of.end() if of else 0:]))
    return comments, rules


def by_forms(comment):
    """The entries of a comment's line about closed forms: "NAME" or "NAME (CONDITIONS)"."""
    line = FORMS.search(comment)
    return line[1].split(", ") if line else []


def measured(file):
    """The collectives of which a file has rules that were measured."""
    comments, rules = file
    return set(rules) - {entry for _, comment in comments for entry in by_forms(comment)}


def only(comment, names):
    """A comment whose line about closed forms names only these collectives."""
    left = ", ".join(each for each in by_forms(comment) if each.split(" ")[0] in names)
    return FORMS.sub(f"\n   By closed forms, not measured: {left}." if left else "", comment)


def main():
    old, new = read(sys.argv[1]), read(sys.argv[2])
    kept = set(old[1]) - set(new[1]) | measured(old) - measured(new)
    for (comments, _), taken in (old, kept), (new, set(new[1]) - kept):
        for names, comment in comments:
            names = [each for each in names if each in taken]
            if names:
                print(f"/* Rules of {', '.join(names)}:\n   {only(comment, names)} */")
    rules = {**old[1], **new[1], **{each: old[1][each] for each in kept}}
    print("{\n" + ",\n".join(f'  "collective={each}": {rules[each]}' for each in rules) + "\n}")


if __name__ == "__main__":
    main()
