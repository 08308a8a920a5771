# SPDX-License-Identifier: BSD-3-Clause
"""tune_keep.py OLD NEW - prints the decision file NEW with the rules that OLD has for other
collectives. Both are as anyp-tune or this script writes them: comments, then the rules of each
collective. A comment about some of them begins with "Rules of NAME, NAME:". For test/sim/tune.
"""
import json
import re
import sys


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


def main():
    old, new = read(sys.argv[1]), read(sys.argv[2])
    kept = {each: text for each, text in old[1].items() if each not in new[1]}
    for comments, rules in (old[0], kept), new:
        for names, comment in comments:
            names = ", ".join(each for each in names if each in rules)
            if names:
                print(f"/* Rules of {names}:\n   {comment} */")
    rules = {**kept, **new[1]}
    print("{\n" + ",\n".join(f'  "collective={each}": {rules[each]}' for each in rules) + "\n}")


if __name__ == "__main__":
    main()
