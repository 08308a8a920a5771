# SPDX-License-Identifier: BSD-3-Clause
"""Pictures of measurements as SVG: curves over logarithmic axes, and maps of ratios. They follow
the reader's light or dark mode; lines differ not only by colour, but also by mark and dash."""
import math
from xml.sax.saxutils import escape

# Classes, not variables, which old viewers do not support. s-X strokes, f-X fills.
LIGHT = {"paper": "#ffffff", "ink": "#222222", "faint": "#666666", "grid": "#dddddd",
         "a": "#0b62c4", "b": "#c2410c", "c": "#15803d", "d": "#7e22ce", "e": "#666666",
         "f": "#a16207"}
DARK = {"paper": "#14181d", "ink": "#e6e6e6", "faint": "#a0a6ad", "grid": "#333a42",
        "a": "#6cb2ff", "b": "#ff9a62", "c": "#5fd38a", "d": "#cf9bff", "e": "#a0a6ad",
        "f": "#e5c04a"}
SHAPES = """text { font: 12px sans-serif }
.heading { font-size: 15px } .panel { font-size: 13px } .tick { font-size: 11px }
.line { fill: none; stroke-width: 2 } .axis { fill: none } .band { fill-opacity: 0.18 }
.cell { font-size: 10px } .cell, .middle { text-anchor: middle } .end { text-anchor: end }
.bold { font-weight: bold }
"""


def colours(of):
    return " ".join(f".s-{name} {{ stroke: {colour} }} .f-{name} {{ fill: {colour} }}"
                    for name, colour in of.items())


STYLE = f"""
{SHAPES}{colours(LIGHT)}
@media (prefers-color-scheme: dark) {{ {colours(DARK)} }}
"""
DASHES = {"e": "5 4", "f": "2 3"}
MARKS = ["circle", "square", "triangle", "diamond"]


class Series:
    """A line. points: [(x, y)], or [(x, y, low, high)] for a band; colour: of COLOURS; hollow: x
    whose marks are not filled; mark: None for a line without."""

    def __init__(self, name, points, colour, mark="circle", hollow=()):
        self.name, self.points, self.colour = name, points, colour
        self.mark, self.hollow = mark, set(hollow)


class Axis:
    """Logarithmic, from low to high; ticks: [(value, text)]; label: of a horizontal axis."""

    def __init__(self, ticks, low, high, label=""):
        self.ticks, self.low, self.high, self.label = ticks, low, high, label

    def within(self, value):
        return min(max(value, self.low), self.high)

    def position(self, value, begin, end):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return begin + share * (end - begin)


def text(x, y, content, classes="", colour="ink"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{classes} f-{colour}">{escape(content)}</text>'


def tick(x, y, content, classes):
    return text(x, y, content, "tick " + classes, "faint")


def line(x1, y1, x2, y2, classes):
    return f'<line class="{classes}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def mark(kind, x, y, colour, hollow):
    paint = f'class="s-{colour} f-{"paper" if hollow else colour}" stroke-width="1.5"'
    r = 3.2
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" {paint}/>'
    corners = {"square": [(-1, -1), (1, -1), (1, 1), (-1, 1)], "triangle": [(0, -1.3), (1.2, 1),
               (-1.2, 1)], "diamond": [(0, -1.4), (1.4, 0), (0, 1.4), (-1.4, 0)]}[kind]
    points = " ".join(f"{x + r * dx:.1f},{y + r * dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" {paint}/>'


def spread(wanted, low, high, gap=13):
    """Positions close to those wanted, but at least `gap` apart, between low and high."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    positions = [0.0] * len(wanted)
    for i in order:
        positions[i] = low = max(wanted[i], low)
        low += gap
    for i in reversed(order):
        positions[i] = high = min(positions[i], high)
        high -= gap
    return positions


def apart(axis, begin, end):
    """The ticks whose names do not overlap, with the last one."""
    kept = []
    for value, name in reversed(axis.ticks):
        x = axis.position(value, begin, end)
        if not kept or kept[-1][2] - x > 4 + 3.2 * (len(name) + len(kept[-1][1])):
            kept.append((value, name, x))
    return [(value, name) for value, name, _ in kept]


def panel(title, series, across, up, box, zero=None):
    """Curves with axes in box = (left, top, right, bottom). `zero`: a line at this height."""
    left, top, right, bottom = box
    parts = [text(left, top - 8, title, "panel")]
    for value, name in up.ticks:
        y = up.position(value, bottom, top)
        parts += [line(left, y, right, y, "s-grid"), tick(left - 6, y + 4, name, "end")]
    for value, name in across.ticks:
        x = across.position(value, left, right)
        parts.append(line(x, top, x, bottom, "s-grid"))
    parts += [tick(across.position(value, left, right), bottom + 15, name, "middle")
              for value, name in apart(across, left, right)]
    parts.append(f'<path class="axis s-faint" d="M{left} {top}V{bottom}H{right}"/>')
    if zero:
        y = up.position(zero, bottom, top)
        parts.append(line(left, y, right, y, "s-faint"))
    parts.append(text((left + right) / 2, bottom + 33, across.label, "middle", colour="faint"))
    ends = []
    for one in series:
        points = [(across.position(p[0], left, right), up.position(p[1], bottom, top))
                  for p in one.points]
        if one.points and len(one.points[0]) == 4:
            upper, lower = ([f"{x:.1f},{up.position(up.within(p[end]), bottom, top):.1f}"
                             for (x, _), p in zip(points, one.points)] for end in (3, 2))
            parts.append(f'<polygon class="band f-{one.colour}" '
                         f'points="{" ".join(upper + lower[::-1])}"/>')
        dash = f' stroke-dasharray="{DASHES[one.colour]}"' if one.colour in DASHES else ""
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path class="line s-{one.colour}"{dash} d="M{path}"/>')
        if one.mark:
            parts += [mark(one.mark, x, y, one.colour, p[0] in one.hollow)
                      for (x, y), p in zip(points, one.points)]
        ends.append(points[-1])
    heights = spread([y for _, y in ends], top + 6, bottom - 2)
    for one, (x, y), height in zip(series, ends, heights):
        parts.append(f'<path class="axis s-faint" stroke-width="0.6" d="M{x + 5:.1f} {y:.1f}'
                     f'L{right + 8} {height:.1f}"/>')
        parts.append(text(right + 11, height + 4, one.name, colour=one.colour))
    return "\n".join(parts)


def document(title, description, width, height, parts):
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" \
width="{width}" height="{height}" role="img" aria-labelledby="title desc">
<title id="title">{escape(title)}</title>
<desc id="desc">{escape(description)}</desc>
<style>{STYLE}</style>
<rect class="f-paper" width="{width}" height="{height}"/>
{text(14, 24, title, "heading")}
{chr(10).join(parts)}
</svg>
"""


def size_ticks(sizes):
    """A tick at each size, in bytes."""
    def name(size):
        for shift, unit in (20, " Mi"), (10, " Ki"):
            if size >> shift << shift == size and size:
                return f"{size >> shift}{unit}"
        return str(size)
    return [(size, name(size)) for size in sizes]


def decades(minimum, maximum):
    """Ticks 1 µs, 10 µs, 100 µs, ... for a range of microseconds, and the ends of the axis."""
    low, high = math.floor(math.log10(minimum)), math.ceil(math.log10(maximum))
    high = max(high, low + 1)
    units = {-1: "ns", 0: "µs", 1: "ms", 2: "s"}
    names = [f"{10 ** (k % 3)} {units[k // 3]}" for k in range(low, high + 1)]
    ticks = [(10.0 ** k, name) for k, name in zip(range(low, high + 1), names)]
    return ticks, 10.0 ** low, 10.0 ** high


def time_curves(title, description, panels):
    """Times over sizes side by side. panels: [(title, [Series])]"""
    width, height, each = 14 + 420 * len(panels), 390, 420
    values = [p[1] for _, series in panels for one in series for p in one.points]
    sizes = sorted({p[0] for _, series in panels for one in series for p in one.points})
    ticks, low, high = decades(min(values), max(values))
    parts = [text(14, 44, "time of a call", colour="faint")]
    for number, (name, series) in enumerate(panels):
        left = 62 + each * number
        across = Axis(size_ticks(sizes), sizes[0] / 1.3, sizes[-1] * 1.3, "bytes of the vector")
        up = Axis(ticks, low, high)
        parts.append(panel(name, series, across, up, (left, 76, left + 284, height - 46)))
    return document(title, description, width, height, parts)


def ratio_ticks(axis, height):
    """The most useful ticks between the ends of an axis that do not overlap."""
    kept = []
    for step in (1, 2, 0.5, 4, 0.25, 1.5, 0.8, 8, 16, 32, 64, 3, 6, 1.25, 0.9, 1.1, 0.7, 0.1, 12):
        y = axis.position(step, 0, height)
        if 0 <= y <= height and all(abs(y - other) >= 16 for other, _ in kept):
            kept.append((y, step))
    return sorted((step, f"{step:g}") for _, step in kept)


def ratio_curves(title, description, label, across_label, across_ticks, series):
    """Ratios over p or bytes, in one panel."""
    width, height = 880, 400
    values = [p[1] for one in series for p in one.points]
    sizes = [p[0] for one in series for p in one.points]
    low, high = min([0.9] + values) / 1.15, max([1.25] + values) * 1.15
    across = Axis(across_ticks, min(sizes) / 1.1, max(sizes) * 1.1, across_label)
    up = Axis([], low, high)
    up.ticks = ratio_ticks(up, height - 122)
    parts = [text(14, 44, label, colour="faint"),
             panel("", series, across, up, (62, 76, 720, height - 46), zero=1)]
    return document(title, description, width, height, parts)


def shade(ratio):
    """(colour, opacity) of a ratio: nothing at 1, full at 2.5."""
    if ratio is None:
        return "paper", 0
    share = min(1, abs(math.log(ratio)) / math.log(2.5))
    return ("a" if ratio >= 1 else "b"), 0.08 + 0.62 * share


def ratio_maps(title, description, label, maps, across="p"):
    """Maps below each other. maps: [(title, columns, rows, {(column, row): ratio})]; columns and
    rows: [(value, text)]; across: the name of the columns."""
    longest = max(len(text) for _, columns, _, _ in maps for _, text in columns)
    left = max(84, 12 + 6 * max(len(text) for _, _, rows, _ in maps for _, text in rows))
    step, high = max(34, 7 * longest), 20
    width = max(600, left + 6 + step * max(len(columns) for _, columns, _, _ in maps) + 20)
    parts, top = [text(14, 44, label, colour="faint")], 76
    for name, columns, rows, ratios in maps:
        parts.append(text(left, top - 6, name, "panel"))
        for i, (row, row_name) in enumerate(rows):
            y = top + high * i
            drawn = [tick(left - 6, y + 14, row_name, "end")]   # a row is a line of the file
            for k, (column, _) in enumerate(columns):
                ratio = ratios.get((column, row))
                colour, opacity = shade(ratio)
                x = left + step * k
                drawn.append(f'<rect x="{x}" y="{y}" width="{step - 1}" height="{high - 1}" '
                             f'class="f-{colour}" fill-opacity="{opacity:.2f}"/>')
                if ratio is not None:
                    number = f"{ratio:.2f}" if ratio < 9.95 else f"{ratio:.1f}"
                    drawn.append(text(x + step / 2 - 0.5, y + 14, number, "cell"))
            parts.append("".join(drawn))
        below = top + high * len(rows) + 14
        for k, (column, column_name) in enumerate(columns):
            bold = " bold" if column_name.isdigit() and column & (column - 1) == 0 else ""
            parts.append(tick(left + step * k + step / 2, below, column_name, "middle" + bold))
        parts.append(tick(left - 6, below, across, "end"))
        top = below + 40
    return document(title, description, width, top - 20, parts)
