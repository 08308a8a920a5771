#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks a page of `anyp report`: check_report.py PAGE SHOWN TIMES...

The page must need no other file. Its data must be JSON without `<`, with the times of the timing
files. SHOWN is what the page shows, by render_page.js, or empty. It must have the pictures that the
times require, and no text outside of a picture. Each field of a map must show the ratio of the
cell's times.
"""
import json
import re
import sys
import xml.etree.ElementTree as ElementTree

SVG = "{http://www.w3.org/2000/svg}"
HTML = "{http://www.w3.org/1999/xhtml}"


def quartile(times):
    known = sorted(time for time in times if time)
    return known[len(known) // 4] if known else None


def read(files):
    """{(collective, commutative, p, nodes, bytes): {candidate: time}}; a later file wins."""
    cells = {}
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()[1:]
        for cell in map(json.loads, lines):
            key = tuple(cell.get(k) for k in ("collective", "commutative", "p", "nodes", "bytes"))
            times = {n: quartile(t) for n, t in cell["times"].items()}
            cells[key] = {n: t for n, t in times.items() if t}
    return cells


def seconds(text):
    number, unit = text.split()[:2]
    return float(number) * {"ns": 1e-9, "\u00b5s": 1e-6, "ms": 1e-3, "s": 1}[unit]


def check_field(field):
    """A field's number is the ratio of two times in its title: the library's and the choice's, or
    the best one's; or it says that there is no significant difference, of less than 10 % (\u2248)
    or more (?)."""
    lines = field.find(SVG + "title").text.split("\n")[1:]
    number, letter = (text.text for text in field.findall(SVG + "text"))
    library = seconds(next(line for line in lines if "MPI library's choice" in line))
    others = [line for line in lines if "MPI library's choice" not in line]
    if letter == "lib":
        others = [line for line in others if "anyp_" in line]
    chosen = [line for line in others if "(chosen)" in line]
    assert bool(chosen) == (letter != "lib"), lines
    other = seconds(chosen[0]) if chosen else min(map(seconds, others))
    if number in ("\u2248", "?"):
        assert (1 / 1.12 < library / other < 1.12) or number == "?", (number, lines)
    else:
        assert abs(library / other - float(number)) <= 0.02 * float(number), (number, lines)


def check_picture(picture):
    width, height = float(picture.get("width")), float(picture.get("height"))
    for element in picture.iter():
        for across, size, limit in (("x", "width", width), ("y", "height", height)):
            if element.get(across) and "pattern" not in element.tag:
                end = float(element.get(across)) + float(element.get(size) or 0)
                assert 0 <= end <= limit, (element.tag, element.attrib)
    for text in picture.iter(SVG + "text"):
        if not text.get("x"):
            continue
        # a letter is about 0.55 of the size of the font wide
        length = 0.55 * float(text.get("font-size") or 12) * len("".join(text.itertext()))
        left = float(text.get("x")) - length * {"middle": 0.5, "end": 1}.get(
            text.get("text-anchor"), 0)
        assert left >= -2 and left + length <= width + 2, (text.attrib, text.text)


def check_page(page):
    """Returns the data of the page."""
    head, data = page.split('<script type="application/json" id="data">\n')
    data, end = data.split("</script>")
    assert "<" not in data and end == "\n</body>\n</html>\n"
    assert head.count("<script") == 1 and head.count('"http://www.w3.org/2000/svg"') == 1
    rest = head.replace('"http://www.w3.org/2000/svg"', "").replace("url(#even-", "")
    assert not re.search(r"https?:|//\w|url\(|@import|import\(|src=|<link|<img|<iframe", rest)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document.write|eval|fetch|XMLHttp",
                         rest)
    return json.loads(data)


def shown(name):
    """A candidate's name in the page"""
    return re.sub(r" \w+=auto\b", "", name).replace("threshold=2147483647", "threshold=never")


def check_times(data, cells):
    """The data must have the times of the files."""
    found = 0
    for group in data["groups"]:
        operator = group["operator"] != "matrix product"
        for row in group["rows"]:
            nodes = re.sub(r"^p=\d+ ?\(?|\)$", "", row["at"]) or None
            for cell in row["cells"]:
                times = {shown(name): time for name, time in cells[
                    group["collective"], operator, row["p"], nodes, cell["bytes"]].items()}
                for one in cell["candidates"]:
                    name = one["name"] if one["number"] else "auto"
                    if one["rounds"]:
                        assert one["time"] == times[name], (name, one, times)
                        assert one["shortest"] <= one["time"] <= one["high"], one
                found += 1
    assert found == len(cells), (found, len(cells))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        page = file.read()
    cells = read(sys.argv[3:])
    check_times(check_page(page), cells)
    if sys.argv[2]:
        check_shown(ElementTree.parse(sys.argv[2]).getroot(), cells)


def check_shown(tree, cells):
    names = set()
    for element in tree.iter():
        if element.get("id"):
            assert element.get("id") not in names, element.get("id")
            names.add(element.get("id"))
    for element in tree.iter(HTML + "a"):
        assert element.get("href") in {"#" + name for name in names}, element.get("href")

    maps = [svg for svg in tree.iter(SVG + "svg") if svg.get("id", "").startswith("map-")]
    curves = [name for name in names if name.startswith("curve-")]
    kinds = {(c, o, 0 if not n else 2 if "cyclic" in n else 1) for c, o, _, n, _ in cells}
    assert len(maps) == len(kinds), (len(maps), kinds)
    # a barrier has no bytes, and no curves
    assert len(curves) == len({key[:4] for key in cells if key[4]}), curves
    fields = [g for svg in maps for g in svg.iter(SVG + "g")]
    assert len(fields) == len(cells), (len(fields), len(cells))
    for field in fields:
        check_field(field)
    for picture in tree.iter(SVG + "svg"):
        check_picture(picture)
    text = " ".join(tree.itertext())
    anyp = sum(field.findall(SVG + "text")[1].text not in ("lib", "own") for field in fields)
    assert f"{anyp} of {len(cells)}" in text, anyp
    assert "within a factor of 2" in text


if __name__ == "__main__":
    main()
