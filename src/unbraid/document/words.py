"""Markers and texts as people read them on a page or in a picture. Nothing here knows a format or a file."""

from __future__ import annotations

from ..literals import LAYOUT_LIMIT, Units
from ..table import Edge

_PATTERNS = {
    "words": "any word",
    "another call": "{ or [",
    "JSON arguments": "{",
    "bare call": "a body",
}
"""What the patterns without a marker listen to, by the edge's label."""
_SHOWN = {"\n": "⏎", "\t": "→", "\r": "␍"}


def core(units: Units) -> str:
    """A marker as it is written: ``<function={name}>``. What is read beside that isn't told; ``…`` varies."""
    shown = ""
    for unit in units:
        if unit.hole is not None:
            shown += f"{{{unit.hole}}}"
        elif len(unit.pattern) == 1 or (len(unit.pattern) == 2 and unit.pattern[0] == "\\" and unit.pattern[1] != "s"):
            shown += unit.pattern[-1]
        elif unit.pattern.startswith(r"\s{") and unit.longest == LAYOUT_LIMIT:
            shown += " "
        elif not unit.pattern.startswith(r"\s{"):
            shown += "…"
    return visible(shown)


def markers(edge: Edge) -> list[str]:
    """All that an edge listens to, the usual spelling first. What the reader is lenient about isn't told."""
    told = list(dict.fromkeys(core(marker.core) for marker in edge.markers))
    plain = [each for each in told if "…" not in each]
    return plain or told or [_PATTERNS.get(edge.label, edge.label)]


def visible(text: str) -> str:
    """A text in one line, line ends and tabs as symbols."""
    return "".join(_SHOWN.get(each, each) for each in text)


def code(text: str) -> str:
    """A text as inline code, whatever stands in it."""
    shown = visible(text)
    if not shown:
        return ""
    ticks = "`"
    while ticks in shown:
        ticks += "`"
    # Markdown takes a space away on both sides if there is one on both.
    padded = "`" in (shown[0], shown[-1]) or shown[0] == shown[-1] == " "
    edge = " " if padded else ""
    return f"{ticks}{edge}{shown}{edge}{ticks}"


def fenced(text: str, language: str = "") -> str:
    """A text as a code block, whatever stands in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}\n{fence}"


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, the middle left out."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail - 1]}…{text[-tail:]}"
