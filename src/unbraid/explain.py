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
    """The text with one row per span: offset, reason, and what it looks like, followed by a legend and the
    notes.

    ``message`` is the parse of ``text``; ``name`` is the format's name, for the heading.
    """
    spans = [span for span in message.spans if span.end > span.start]
    calls = len(message.tool_calls) + len(message.incomplete_calls)
    reasons = [reason(span, calls) for span in spans]
    marked = [_bracketed(span, why, look) for span, why in zip(spans, reasons, strict=True)]
    label_width = max((len(label) for label in marked), default=0)
    offset_width = max(len(str(len(text))), 4)
    bar = "|" if look.ascii else "│"
    room = None
    if look.width is not None:
        room = max(look.width - offset_width - label_width - 6, _NARROWEST)

    rows = [_heading(text, message, name, look), ""]
    for span, label in zip(spans, marked, strict=True):
        offset = f"{span.start:>{offset_width}}"
        for line in _lines(text[span.start : span.end], span.kind, room, look):
            gutter = f" {_style(offset, _FAINT, look)}  {_style(label, _label_style(span.kind), look)}"
            padding = " " * (label_width - len(label))
            drawn = "".join(_style(piece, style, look) for piece, style in line)
            rows.append(f"{gutter}{padding} {_style(bar, _label_style(span.kind), look)} {drawn}".rstrip(" "))
            offset, label = " " * offset_width, ""
    if not spans:
        rows.append(" The text is empty.")
    rows += ["", _legend(spans, look)]
    rows += _notes(text, message, look)
    return "\n".join(rows) + "\n"


def paint(text: str, spans: Sequence[Span], look: Look) -> str:
    """The text as it is, each part in its colour; without colour, the text. White space stays as it is."""
    out = []
    for span in spans:
        for line in re.split("(\n)", text[span.start : span.end]):
            if line == "\n":
                out.append(line)
            elif line:
                out.append(_style(visible(line, ascii=look.ascii), STYLES[span.kind], look))
    return "".join(out)


def reason(span: Span, calls: int = 1) -> str:
    """Why the characters of a span are what they are: a marker's own label, or the part that they belong to.

    Markup without a label is what stands around a call's name and arguments, such as the braces of a JSON
    object. Where the message has several calls, the call's number (from 0) is part of it.
    """
    what = span.kind.replace("_", " ")
    if span.kind == "markup":
        what = span.label or "call structure"
    elif span.label:
        what = f"{what} {span.label}"
    if span.call is not None and calls > 1:
        what = f"{what} #{span.call}"
    return visible(what)


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


def _lines(text: str, kind: str, room: int | None, look: Look) -> Iterator[list[Piece]]:
    """A span as rows, wrapped to ``room`` columns. Line breaks in markup don't start a row."""
    written = [text] if kind in ("markup", "dropped") else re.findall(r"[^\n]*\n|[^\n]+", text)
    for line in written:
        yield from _wrap(list(_pieces(line, kind, look)), room, words=kind in ("reasoning", "content"))


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


def _heading(text: str, message: Message, name: str, look: Look) -> str:
    dot = "-" if look.ascii else "·"
    facts = [_count(len(text), "character")]
    facts += [_count(len(message.reasoning), "character") + " of reasoning"] if message.reasoning else []
    facts += [_count(len(message.content), "character") + " of content"] if message.content else []
    for calls, what in ((message.tool_calls, "call"), (message.incomplete_calls, "incomplete call")):
        if calls:
            names = ", ".join(visible(call.name, ascii=look.ascii) for call in calls)
            facts.append(f"{_count(len(calls), what)} ({names})")
    title = _style(name, _BOLD, look) + f" {dot} " if name else ""
    return " " + title + f" {dot} ".join(facts)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _bracketed(span: Span, why: str, look: Look) -> str:
    if len(why) > _LABEL_WIDTH:
        why = why[: _LABEL_WIDTH - 3] + "..."
    if look.colour:
        return why
    return f"[{why}]" if span.kind in ("markup", "dropped") else f" {why} "


def _label_style(kind: str) -> str:
    return _FAINT if kind == "markup" else STYLES[kind].removeprefix("9;")


def _legend(spans: Sequence[Span], look: Look) -> str:
    """Each kind that occurs, in its own style, with how many characters are of it."""
    totals: dict[str, int] = {}
    for span in spans:
        totals[span.kind] = totals.get(span.kind, 0) + span.end - span.start
    shown = []
    for kind, style in STYLES.items():
        if kind in totals:
            shown.append(_style(f" {kind.replace('_', ' ')} ", style, look) + f" {totals[kind]:,}")
    symbols = "_ space  \\n newline  \\t tab" if look.ascii else "· space  ⏎ newline  → tab"
    return " " + "   ".join(shown) + ("   " if shown else "") + _style(f"({symbols})", _FAINT, look)


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
    return f"\x1b[{style}m{text}\x1b[0m" if look.colour and text else text
