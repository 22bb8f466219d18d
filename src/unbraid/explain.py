"""A parse made visible: which character went where, and why.

Two views live here, both plain functions from a text and its spans to a string: :func:`explain`, one row per
span with its offset and the reason, for people who look for a fault; and :func:`paint`, the text as it is
with the parts in colour, for a quick look. Nothing here parses, reads files or knows a terminal: the command
line decides on colour and width. Control characters of the text are always shown as symbols, so a model's
output can't move the cursor.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .events import Span
from .message import Message

STYLES: dict[str, str] = {
    "reasoning": "35",
    "content": "32",
    "tool_name": "1;33",
    "argument": "36",
    "markup": "38;5;252;48;5;238",
    "dropped": "9;31",
}
"""ANSI style of each span kind. The parts take the terminal's own colours, markup is a grey chip."""

_FAINT_ON_MARKUP = "38;5;110;48;5;238"
_FAINT = "38;5;245"
_BOLD = "1"
_ALARM = "1;33"

_HIDDEN = (
    r"\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\ud800-\udfff"
)
_SPLIT = re.compile(f"([{_HIDDEN}])")
_SPLIT_MARKUP = re.compile(f"([{_HIDDEN} \xa0])")

_SYMBOLS = {" ": "·", "\xa0": "⍽", "\n": "⏎", "\t": "→", "\r": "␍", "\x1b": "␛", "\x7f": "␡"}
_ASCII_SYMBOLS = {" ": "_", "\xa0": "<U+00A0>", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\x1b": "\\e"}
_LABEL_WIDTH = 28
_NARROWEST = 24


@dataclass(frozen=True)
class Look:
    """How a view is drawn."""

    colour: bool = False
    """Whether ANSI styles are written. Without them, the reasons of markers stand in brackets."""
    width: int | None = None
    """Columns to wrap at; ``None``: never."""
    ascii: bool = False
    """Whether white space and frame are drawn in ASCII, for outputs that can't show more."""


Piece = tuple[str, str]
"""A run of visible text and the style that it is drawn in."""


def explain(text: str, message: Message, look: Look, *, name: str = "") -> str:
    """The text with one row per marker and part: its offset, the reason, and what it looks like.

    ``message`` is the parse of ``text``; ``name`` is the format's name, for the heading. A legend and the
    notes follow.
    """
    calls = len(message.tool_calls) + len(message.incomplete_calls)
    groups = list(_groups(message.spans))
    reasons = [_bracketed(group[0].kind, reason(group, calls), look) for group in groups]
    label_width = max((len(label) for label in reasons), default=0)
    offset_width = max(len(str(len(text))), 4)
    bar = "|" if look.ascii else "│"
    room = None
    if look.width is not None:
        room = max(look.width - offset_width - label_width - 6, _NARROWEST)

    rows = [*_heading(text, message, name, look), ""]
    for group, label in zip(groups, reasons, strict=True):
        style = _label_style(group[0].kind)
        offset = f"{group[0].start:>{offset_width}}"
        for line in _lines(text, group, room, look):
            gutter = f" {_style(offset, _FAINT, look)}  {_style(label, style, look)}"
            padding = " " * (label_width - len(label))
            drawn = "".join(_style(piece, style, look) for piece, style in line)
            rows.append(f"{gutter}{padding} {_style(bar, style, look)} {drawn}".rstrip(" "))
            offset, label = " " * offset_width, ""
    if not groups:
        rows.append(" The text is empty.")
    rows += ["", *_legend(message.spans, look), *_notes(text, message, look)]
    return "\n".join(rows) + "\n"


def paint(text: str, spans: Sequence[Span], look: Look, *, indent: int = 0) -> str:
    """The text as it is, each part in its colour; without colour, the text. White space stays as it is."""
    lines: list[list[Piece]] = [[]]
    for span in spans:
        for at, line in enumerate(text[span.start : span.end].split("\n")):
            if at:
                lines.append([])
            if line:
                lines[-1].append((visible(line, ascii=look.ascii), STYLES[span.kind]))
    room = None if look.width is None else max(look.width - indent, _NARROWEST)
    rows = [row for line in lines for row in (_wrap(line, room, words=False) if line else [[]])]
    drawn = ("".join(_style(piece, style, look) for piece, style in row) for row in rows)
    return "\n".join(" " * indent + row if row else "" for row in drawn)


def reason(group: Sequence[Span], calls: int = 1) -> str:
    """Why the characters of one row are what they are: a marker's own label, or the part that they belong to.

    Markup without a label is what stands around a call's name and arguments, such as the braces of a JSON
    object. Where the message has several calls, the call's number (from 0) is part of it.
    """
    span = group[0]
    what = span.kind.replace("_", " ")
    if span.kind == "markup":
        what = span.label or "call structure"
    elif span.label:
        what = f"{what} {span.label}"
    for hole in group[1:]:
        if hole.kind != "markup":
            what += ", name" if hole.kind == "tool_name" else f", {hole.label or 'text'}"
    if span.call is not None and calls > 1:
        what = f"{what} #{span.call}"
    return visible(what)


def _groups(spans: Sequence[Span]) -> Iterator[list[Span]]:
    """The spans of each row: one, or a marker with a name or key in it (``<function=``, the name, ``>``)."""
    at = 0
    while at < len(spans):
        size = 1
        if spans[at].kind == "markup" and spans[at].label:
            while at + size + 1 < len(spans) and _is_hole(spans[at], *spans[at + size : at + size + 2]):
                size += 2
        yield list(spans[at : at + size])
        at += size


def _is_hole(before: Span, hole: Span, after: Span) -> bool:
    """Whether a span fills a hole of the marker around it."""
    names = hole.kind == "tool_name" or (hole.kind == "argument" and bool(hole.label))
    return names and (after.kind, after.label, after.call) == (before.kind, before.label, before.call)


def visible(text: str, *, ascii: bool = False) -> str:
    """The text with control, format and line-breaking characters replaced by symbols."""
    parts = _SPLIT.split(text)
    parts[1::2] = [_symbol(char, ascii) for char in parts[1::2]]
    return "".join(parts)


def cells(text: str) -> int:
    """How many terminal columns a visible text takes."""
    if text.isascii():
        return len(text)
    return sum(_cell(char) for char in text)


def _cell(char: str) -> int:
    if unicodedata.combining(char) or char in "\u200c\u200d\ufe0e\ufe0f":
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _symbol(char: str, ascii: bool) -> str:
    if ascii:
        return _ASCII_SYMBOLS.get(char) or f"<U+{ord(char):04X}>"
    if char in _SYMBOLS:
        return _SYMBOLS[char]
    return chr(0x2400 + ord(char)) if ord(char) < 32 else f"‹U+{ord(char):04X}›"


def _pieces(text: str, kind: str, look: Look) -> Iterator[Piece]:
    """A line of text as visible runs. In markup and dropped text, spaces are symbols too."""
    strict = kind in ("markup", "dropped")
    faint = _FAINT_ON_MARKUP if kind == "markup" else _FAINT
    for at, part in enumerate((_SPLIT_MARKUP if strict else _SPLIT).split(text)):
        if at % 2:
            yield _symbol(part, look.ascii) + ("" if strict or part != "\t" else "   "), faint
        elif part:
            yield part, STYLES[kind]


def _lines(text: str, group: Sequence[Span], room: int | None, look: Look) -> Iterator[list[Piece]]:
    """The lines of one row, wrapped to ``room`` columns. Line breaks in markup don't start a line."""
    first = group[0]
    if first.kind in ("markup", "dropped"):
        pieces = [piece for span in group for piece in _pieces(text[span.start : span.end], span.kind, look)]
        yield from _wrap(pieces, room, words=False)
        return
    for line in re.findall(r"[^\n]*\n|[^\n]+", text[first.start : first.end]):
        pieces = list(_pieces(line, first.kind, look))
        yield from _wrap(pieces, room, words=first.kind in ("reasoning", "content"))


def _wrap(pieces: list[Piece], room: int | None, *, words: bool) -> Iterator[list[Piece]]:
    """Rows of at most ``room`` columns, broken after a space where ``words`` says so and there is one."""
    if room is None or sum(cells(piece) for piece, _ in pieces) <= room:
        yield pieces
        return
    row: list[Piece] = []
    left = room
    for piece, style in pieces:
        rest = piece
        while cells(rest) > left:
            cut = _fitting(rest, left)
            space = rest.rfind(" ", 0, cut) + 1 if words else 0
            cut = space or (0 if row and words and cells(rest) <= room else cut)
            if cut:
                row.append((rest[:cut], style))
            if row:
                yield row
            elif not cut:  # a wide character in the narrowest room
                cut = 1
                yield [(rest[:1], style)]
            row, left, rest = [], room, rest[cut:]
        if rest:
            row.append((rest, style))
            left -= cells(rest)
    if row:
        yield row


def _fitting(text: str, room: int) -> int:
    """How many characters of the text fit into ``room`` columns."""
    if text.isascii():
        return room
    used = 0
    for at, char in enumerate(text):
        used += _cell(char)
        if used > room:
            return at
    return len(text)


def _heading(text: str, message: Message, name: str, look: Look) -> list[str]:
    facts = [(name, _BOLD)] if name else []
    facts.append((_count(len(text), "character"), ""))
    for part, what in ((message.reasoning, "reasoning"), (message.content, "content")):
        if part:
            facts.append((f"{_count(len(part), 'character')} of {what}", ""))
    for calls, what in ((message.tool_calls, "call"), (message.incomplete_calls, "incomplete call")):
        if calls:
            names = ", ".join(visible(call.name, ascii=look.ascii) for call in calls)
            facts.append((f"{_count(len(calls), what)} ({names})", ""))
    return _folded([[fact] for fact in facts], " - " if look.ascii else " · ", look)


def _folded(parts: list[list[Piece]], between: str, look: Look) -> list[str]:
    """Parts in as few lines as fit the width."""
    lines: list[str] = []
    used = 0
    for part in parts:
        width = sum(cells(piece) for piece, _ in part)
        drawn = "".join(_style(piece, style, look) for piece, style in part)
        if lines and (look.width is None or used + len(between) + width <= look.width):
            lines[-1] += between + drawn
            used += len(between) + width
        else:
            lines.append(" " + drawn)
            used = 1 + width
    return lines


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _bracketed(kind: str, why: str, look: Look) -> str:
    if len(why) > _LABEL_WIDTH:
        why = why[: _LABEL_WIDTH - 3] + "..."
    if look.colour:
        return why
    return f"[{why}]" if kind in ("markup", "dropped") else f" {why} "


def _label_style(kind: str) -> str:
    return _FAINT if kind == "markup" else STYLES[kind].removeprefix("9;")


def _legend(spans: Sequence[Span], look: Look) -> list[str]:
    """Each kind that occurs, in its own style, with how many characters are of it; and the symbols."""
    totals: dict[str, int] = {}
    for span in spans:
        totals[span.kind] = totals.get(span.kind, 0) + span.end - span.start
    parts = [
        [(f" {kind.replace('_', ' ')} ", style), (f" {totals[kind]:,}", "")]
        for kind, style in STYLES.items()
        if kind in totals
    ]
    symbols = "_ space  \\n newline  \\t tab" if look.ascii else "· space  ⏎ newline  → tab"
    return _folded([*parts, [(f"({symbols})", _FAINT)]], "   ", look)


def _notes(text: str, message: Message, look: Look) -> list[str]:
    if not message.notes:
        return []
    rows = ["", _style(" notes", _BOLD, look)]
    for note in message.notes:
        quoted = visible(text[note.start : note.end], ascii=look.ascii)
        quoted = quoted if len(quoted) <= 48 else quoted[:30] + " ... " + quoted[-13:]
        kind = note.kind.replace("_", " ")
        where = f"{note.start}" if note.end <= note.start else f"{note.start} to {note.end}"
        detail = f": {visible(note.detail, ascii=look.ascii)}" if note.detail else ""
        rows.append(f" {_style('!', _ALARM, look)} {_style(kind, _ALARM, look)} at {where}{detail}")
        if quoted:
            rows.append("   " + _style(quoted, _FAINT, look))
    return rows


def _style(text: str, style: str, look: Look) -> str:
    return f"\x1b[{style}m{text}\x1b[0m" if look.colour and style and text else text
