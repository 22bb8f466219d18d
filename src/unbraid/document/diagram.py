"""A format's table of states as a picture.

The layout is that of a wiring plan. The states of words stand in the left column, those of calls in the right one, each
in the order in which an output comes by them. A state's box lists what it listens to, one row a marker. From each row
a wire leads to the lane of the state after it, in the middle between the columns, and the lane into that state's head.
What stays in its state has a loop in its box instead. So nothing but wires ever crosses, whatever the format. Lanes
whose ways don't overlap share a column.

The same table always gives the same picture, to the byte. The colours follow the reader's light or dark theme.
"""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from ..explain import cells
from ..reach import ENTRANCES
from ..table import Plan, Row
from .words import markers, shortened

_HUES = {
    "content": ("#1a7f37", "#3fb950"),
    "reasoning": ("#8250df", "#bc8cff"),
    "markup": ("#57606a", "#9da7b3"),
    "aside": ("#9a6700", "#d29922"),
    "value": ("#0969da", "#58a6ff"),
    "arguments": ("#0550ae", "#79c0ff"),
    "body": ("#bc4c00", "#f0883e"),
}
"""A colour per channel, on light and on dark ground."""
_TOLD = {
    "content": "text is content",
    "reasoning": "text is reasoning",
    "markup": "only layout",
    "aside": "text is dropped",
    "value": "a parameter's value",
    "arguments": "a call's arguments",
    "body": "a call's name and arguments",
}
_LEFT = ("content", "reasoning", "aside")
_BAR, _HEAD, _ROW, _GAP, _PAD, _LANE, _TOP = 30, 34, 20, 18, 12, 14, 20
_MARKER_WIDTH, _LABEL_WIDTH = 6.7, 6.1
_MOST = 52
"""Characters of a marker that are shown in its row. All of it is in the row's tooltip."""


class Line(NamedTuple):
    """One row of a box: an edge, or what happens where arguments end."""

    shown: str
    label: str
    to: str
    every: tuple[str, ...]


class Box(NamedTuple):
    """A state in the picture."""

    name: str
    row: Row
    lines: list[Line]
    x: float
    y: float
    right: bool

    @property
    def height(self) -> float:
        """How tall it is."""
        return _HEAD + _ROW * len(self.lines) + 8

    def port(self, at: int) -> float:
        """Where the wire of a row leaves."""
        return self.y + _HEAD + _ROW * at + 8

    @property
    def entry(self) -> float:
        """Where the lane comes in."""
        return self.y + 16


def draw(name: str, plan: Plan) -> str:
    """The picture of a table, as SVG.

    Args:
        name: what the format is called, for the picture's title.
        plan: its table.
    """
    lines = {state: _lines(row) for state, row in plan.items()}
    every = [line for each in lines.values() for line in each]
    marker_width = max((cells(line.shown) for line in every), default=0) * _MARKER_WIDTH
    width = max(marker_width + max((len(line.label) for line in every), default=0) * _LABEL_WIDTH + 58, 270)
    order = _order(plan)
    left = _column(plan, lines, [each for each in order if plan[each].channel in _LEFT], _PAD, right=False)
    tracks = _tracks(left, _column(plan, lines, [each for each in order if each not in left], 0, right=True))
    middle = (max(tracks.values(), default=0) + 1) * _LANE + 2 * _LANE
    begins = _PAD + width
    right = _column(plan, lines, [each for each in order if each not in left], begins + middle, right=True)
    boxes = {**left, **right}
    total_width = begins + middle + width + _PAD if right else begins + middle + _PAD
    height = max(box.y + box.height for box in boxes.values()) + _TOP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total_width:.0f} {height:.0f}" '
            f'width="{total_width:.0f}" height="{height:.0f}" role="img">',
            f"<title>{escape(f'The states of {name}')}</title>",
            _style(),
            f'<rect class="ground" width="{total_width:.0f}" height="{height:.0f}" rx="10"/>',
            *_wires(boxes, tracks, begins, width),
            *(part for box in boxes.values() for part in _box(box, width, marker_width)),
            "</svg>",
            "",
        ]
    )


def _lines(row: Row) -> list[Line]:
    found = []
    for edge in row.edges:
        every = tuple(markers(edge))
        more = f" +{len(every) - 1}" if len(every) > 1 else ""
        found.append(Line(shortened(every[0], _MOST - len(more)) + more, edge.label, edge.to, every))
    if row.over:
        found.append(Line("their own end", "arguments over", row.over, ("their own end",)))
    return found


def _order(plan: Plan) -> list[str]:
    """The states in the order in which an output comes by them: by how far they are from the start."""
    place = list(plan)
    depth = {name: 0 for name in ENTRANCES[:1] if name in plan}
    frontier = list(depth)
    while frontier:
        state = frontier.pop(0)
        for to in [*(edge.to for edge in plan[state].edges), plan[state].over]:
            if to in plan and to not in depth:
                depth[to] = depth[state] + 1
                frontier.append(to)
    last = {"content": 97, "aside": 98, "draft": 99}
    return sorted(plan, key=lambda name: (last.get(name.split(".")[0], depth.get(name, 50)), place.index(name)))


def _column(plan: Plan, lines: dict[str, list[Line]], names: list[str], x: float, *, right: bool) -> dict[str, Box]:
    boxes = {}
    # A box and its gap are a whole number of rows tall, so half a row keeps the wires of the columns apart.
    y = _TOP + (_ROW / 2 if right else 0)
    for name in names:
        boxes[name] = Box(name, plan[name], lines[name], x, y, right)
        y += boxes[name].height + _GAP
    return boxes


def _ports(boxes: dict[str, Box]) -> dict[str, list[float]]:
    """Per state: where the wires to it leave, and last where they come in."""
    found: dict[str, list[float]] = {}
    for box in boxes.values():
        for at, line in enumerate(box.lines):
            if line.to != box.name:
                found.setdefault(line.to, []).append(box.port(at))
    return {name: [*ports, boxes[name].entry] for name, ports in found.items()}


def _tracks(left: dict[str, Box], right: dict[str, Box]) -> dict[str, int]:
    """Which column of the middle each state's lane is in."""
    spans = {name: (min(ports), max(ports)) for name, ports in _ports({**left, **right}).items()}
    taken: list[list[tuple[float, float]]] = []
    tracks = {}
    for name in sorted(spans, key=lambda name: (name in right, spans[name][1] - spans[name][0], name)):
        low, high = spans[name]
        track = next(
            (at for at, each in enumerate(taken) if all(high + _ROW < a or b + _ROW < low for a, b in each)), len(taken)
        )
        if track == len(taken):
            taken.append([])
        taken[track].append((low, high))
        tracks[name] = track
    return tracks


def _wires(boxes: dict[str, Box], tracks: dict[str, int], begins: float, width: float) -> list[str]:
    parts = []
    for name, ports in sorted(_ports(boxes).items(), key=lambda item: -tracks[item[0]]):
        target = boxes[name]
        x = begins + (tracks[name] + 1.5) * _LANE
        hue = f"c-{target.row.channel}"
        edge = target.x if target.right else target.x + width
        tip = edge - 7 if target.right else edge + 7
        parts.append(
            f'<path class="lane {hue}" d="M{x:.1f} {min(ports):.1f}V{max(ports):.1f}'
            f'M{x:.1f} {ports[-1]:.1f}H{tip:.1f}"/>'
        )
        back = -8 if target.right else 8
        parts.append(f'<path class="tip f-{target.row.channel}" d="M{edge:.1f} {ports[-1]:.1f}l{back} -5v10z"/>')
        for box in boxes.values():
            for at, line in enumerate(box.lines):
                if line.to == name and box.name != name:
                    side = box.x if box.right else box.x + width
                    y = box.port(at)
                    parts.append(
                        f'<path class="edge {hue}" {_data(box.name, line)} d="M{side:.1f} {y:.1f}H{x:.1f}">'
                        f"<title>{escape(f'{box.name} → {name}: {line.label}')}</title></path>"
                    )
                    parts.append(f'<circle class="f-{target.row.channel}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
    return parts


def _box(box: Box, width: float, marker_width: float) -> list[str]:
    hue = box.row.channel
    parts = [
        f'<g class="state" data-state="{escape(box.name)}">',
        f'<rect class="box c-{hue}" x="{box.x:.1f}" y="{box.y:.1f}" width="{width:.1f}" height="{box.height:.1f}" '
        'rx="7"/>',
        f'<path class="head f-{hue}" d="M{box.x:.1f} {box.y + _BAR:.1f}v{7 - _BAR}q0 -7 7 -7h{width - 14:.1f}q7 0 7 7'
        f'v{_BAR - 7}z"/>',
        f'<text class="name" x="{box.x + 12:.1f}" y="{box.entry + 5:.1f}">'
        f"{'▶ ' if box.name in ENTRANCES else ''}{escape(box.name)}</text>",
        f'<text class="told" x="{box.x + width - 12:.1f}" y="{box.entry + 4:.1f}">{escape(_TOLD[hue])}</text>',
    ]
    for at, line in enumerate(box.lines):
        y = box.port(at) + 4
        # Rows of the right column begin at the lanes too, so that a wire ends where its label does.
        x = box.x + (34 if box.right else 12)
        parts.append(
            f'<text class="marker" x="{x:.1f}" y="{y:.1f}">{escape(line.shown)}'
            f"<title>{escape(' or '.join(line.every))}</title></text>"
        )
        parts.append(f'<text class="label" x="{x + marker_width + 12:.1f}" y="{y:.1f}">{escape(line.label)}</text>')
        turn = box.x + 16 if box.right else box.x + width - 16
        if line.to == box.name:
            parts.append(
                f'<path class="edge loop c-{hue}" {_data(box.name, line)} '
                f'd="M{turn + 4:.1f} {y - 7:.1f}a5 5 0 1 0 1 4m1.5 -6.5v4h-4"/>'
            )
        else:
            parts.append(f'<text class="arrow" x="{turn:.1f}" y="{y:.1f}">{"←" if box.right else "→"}</text>')
    parts.append("</g>")
    return parts


def _data(state: str, line: Line) -> str:
    return f'data-from="{escape(state)}" data-to="{escape(line.to)}" data-label="{escape(line.label)}"'


def _style() -> str:
    def hues(at: int) -> str:
        return "".join(
            f".c-{channel}{{stroke:{pair[at]}}}.f-{channel}{{fill:{pair[at]}}}" for channel, pair in _HUES.items()
        )

    light = ".ground{fill:#fff}.box{fill:#fff}.name,.told{fill:#fff}.marker{fill:#24292f}.label,.arrow{fill:#57606a}"
    dark = (
        ".ground{fill:#0d1117}.box{fill:#161b22}.name,.told{fill:#0d1117}.marker{fill:#e6edf3}"
        ".label,.arrow{fill:#9da7b3}"
    )
    return (
        "<style>text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
        "white-space:pre}"
        ".name{font-weight:700;font-size:13px}.label,.told{font-family:system-ui,'DejaVu Sans',sans-serif}"
        ".told{text-anchor:end}.arrow{text-anchor:middle}"
        ".lane,.edge,.box{fill:none;stroke-width:1.6}.lane{stroke-width:2.2;stroke-linejoin:round}"
        ".edge{stroke-opacity:.75}.head{stroke:none}"
        f"{light}{hues(0)}@media (prefers-color-scheme:dark){{{dark}{hues(1)}}}</style>"
    )
