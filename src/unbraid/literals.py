"""Literals as regular expressions: from ``"\\n<function={name}>\\n"`` to what a scanner can look for.

A marker is found in a stream in two ways: as a whole, or as a tail of what has arrived that may still become one.
Both patterns are built here from the same units, so that they can't disagree. Nothing here knows states or channels.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import Formatter
from typing import Literal, NamedTuple

from .format import FormatError, Spelling, canonical, nearest, spellings

LAYOUT_LIMIT = 32
"""At most so many white-space characters inside a marker are layout. Bounds what has to be held back."""
HOLE_LIMIT = 256
"""At most so many characters fill a hole. A longer name or key isn't one."""
MARK = "\udc00"
"""Stands before a special token that was really generated, where ids say so (``tokens.marked``). It is in no text."""
USED = frozenset({"name", "id", "key", "type"})
"""Holes whose filling is looked at. The others are passed over."""

_SPACE = re.compile(r"\s+")
_NOT_IN_NAMES = r"\s<>\"'{}()\[\],"


class Unit(NamedTuple):
    """One step of a marker: a character, white space, or a hole."""

    pattern: str
    longest: int
    hole: str | None = None


Units = tuple[Unit, ...]

Ended = Literal["", "stop", "cut"]
"""Whether the output is over: not yet, by the model's own stop, or cut off in the middle."""

ANY_LAYOUT: Unit = Unit(rf"\s{{0,{LAYOUT_LIMIT}}}", LAYOUT_LIMIT)
"""White space of any kind, perhaps none."""


@dataclass(frozen=True)
class Marker:
    """One spelling of a marker."""

    core: Units
    """Everything between the soft edges."""
    leads: tuple[str, ...] = ()
    """White space before the core that belongs to the marker when it is there, longest first."""
    trails: tuple[str, ...] = ()
    """White space after the core that belongs to the marker when it is there."""
    any_lead: bool = False
    """Whether any white space before the core belongs to it."""
    follow: tuple[Units, ...] = ()
    """If not empty, the core counts only when one of these comes next, after any white space."""
    or_end: bool = False
    """Whether it also counts where the output stops before that is known. Where the output is cut off, any does."""

    @property
    def longest(self) -> int:
        """The most characters that may have to be held back before it is known whether this is the marker."""
        lead = LAYOUT_LIMIT if self.any_lead else max((len(lead) for lead in self.leads), default=0)
        follow = max((length(units) + LAYOUT_LIMIT for units in self.follow), default=0)
        return lead + length(self.core) + follow


def length(units: Units) -> int:
    """The most characters that these units match."""
    return sum(unit.longest for unit in units)


def text_units(text: str, before: str = "", after: str = "") -> Units:
    """Units of plain text, white space inside soft in length; ``before`` and ``after`` are what stands beside it."""
    units: list[Unit] = []
    at = 0
    for space in _SPACE.finditer(text):
        units.extend(Unit(re.escape(c), 1) for c in text[at : space.start()])
        left = text[: space.start()] or before
        right = text[space.end() :] or after
        between_words = all(side and (side.isalnum() or side == "_") for side in (left[-1:], right[:1]))
        units.append(Unit(rf"\s{{{int(between_words)},{LAYOUT_LIMIT}}}", LAYOUT_LIMIT))
        at = space.end()
    units.extend(Unit(re.escape(c), 1) for c in text[at:])
    return tuple(units)


_HOLES: dict[str, str] = {
    "key": rf"[^\n<%s]{{1,{HOLE_LIMIT}}}",
    "name": rf"[^{_NOT_IN_NAMES}%s]{{1,{HOLE_LIMIT}}}",
    "id": rf"[^{_NOT_IN_NAMES}%s]{{1,{HOLE_LIMIT}}}",
    "type": r"[^\s<>\"'%s]{1,64}",
    "channel": r"[^\s<>%s]{1,64}",
    "recipient": r"[^\s<>%s]{1,64}",
    "index": r"[0-9]{1,9}",
    "suffix": r"(?::[0-9A-Za-z_.-]{0,32})?",
    "line": r"\n",
}
"""What fills a hole; ``%s`` stands for the character that comes after it."""
_LONGEST = {"key": HOLE_LIMIT, "name": HOLE_LIMIT, "id": HOLE_LIMIT, "index": 9, "line": 1, "suffix": 33}
_LOOSE = frozenset({"name", "id"})
"""Holes with white space around them that isn't part of what they hold."""


def _hole_units(hole: str, next_character: str) -> tuple[Unit, ...]:
    pattern = _HOLES[hole]
    if "%s" in pattern:
        pattern = pattern.replace("%s", re.escape(next_character) if next_character else "")
    unit = Unit(pattern, _LONGEST.get(hole, 64), hole)
    return (Unit(r"\s{0,8}", 8), unit, Unit(r"\s{0,8}", 8)) if hole in _LOOSE else (unit,)


def spelled(literal: str) -> tuple[str, ...]:
    """A literal without optional parts: with all of them, then with ever fewer, at last with none.

    Raises:
        FormatError: a part has no end.
    """
    start = _optional(literal)
    if start < 0:
        return (literal,)
    depth, at = 1, start + 2
    while depth:
        if at >= len(literal):
            raise FormatError(f"the marker {literal!r} can't be read: the part that begins with {{? has no }}")
        if literal.startswith(("{{", "}}"), at) and depth == 1:
            at += 1
        elif literal[at] in "{}":
            depth += 1 if literal[at] == "{" else -1
        at += 1
    before, part, after = literal[:start], literal[start + 2 : at - 1], literal[at:]
    return tuple(dict.fromkeys(each for middle in (part, "") for each in spelled(before + middle + after)))


def written(spelling: Spelling | None) -> str:
    """What is written of a marker: its canonical spelling, without optional parts and without a suffix."""
    return spelled(canonical(spelling))[-1].replace("{suffix}", "")


def _optional(literal: str) -> int:
    """Where the first optional part begins; -1 if there is none."""
    at = literal.find("{")
    while at >= 0:
        if literal.startswith("{{", at):
            at += 1
        elif literal.startswith("{?", at):
            return at
        at = literal.find("{", at + 1)
    return -1


def pieces(literal: str) -> list[tuple[str, str | None]]:
    """A literal without optional parts, taken apart: pieces of text, each with the hole that follows it.

    Raises:
        FormatError: the braces don't pair.
    """
    try:
        return [(text, hole) for text, hole, _, _ in Formatter().parse(literal)]
    except ValueError as error:
        raise FormatError(f"the marker {literal!r} can't be read: {error} (double a brace that is text)") from None


def parse(literal: str) -> Marker:
    """A literal without optional parts as a marker.

    Raises:
        FormatError: the literal is empty, or has a hole that there isn't, or one of them twice.
    """
    core = literal.strip()
    if not core:
        raise FormatError(f"the marker {literal!r} holds nothing but white space")
    lead = literal[: len(literal) - len(literal.lstrip())]
    trail = literal[len(literal.rstrip()) :]
    units: list[Unit] = []
    found = pieces(core)
    holes = [hole for _, hole in found if hole is not None]
    for each in holes:
        if each not in _HOLES:
            raise FormatError(f"the marker {literal!r} has an unknown hole {{{each}}}{nearest(each, [*_HOLES])}")
        if holes.count(each) > 1 and each != "suffix":
            raise FormatError(f"the marker {literal!r} has the hole {{{each}}} twice; give one another name")
    before = ""
    for place, (text, hole) in enumerate(found):
        units.extend(text_units(text, before, "x" if hole else ""))
        if hole is None:
            continue
        following = found[place + 1][0] if place + 1 < len(found) else ""
        units.extend(_hole_units(hole, following[:1]))
        before = "x"
    return Marker(
        core=tuple(units),
        leads=tuple(lead[i:] for i in range(len(lead))),
        trails=(trail,) if trail else (),
    )


def markers(spelling: Spelling | None) -> tuple[Marker, ...]:
    """All spellings of a marker; those that differ only in their soft edges become one."""
    merged: dict[Units, Marker] = {}
    for literal in (each for written in spellings(spelling) for each in spelled(written)):
        new = parse(literal)
        old = merged.get(new.core, Marker(new.core))
        leads = tuple(sorted({*old.leads, *new.leads}, key=lambda lead: (-len(lead), lead)))
        merged[new.core] = Marker(new.core, leads, tuple(dict.fromkeys((*old.trails, *new.trails))))
    return tuple(merged.values())


def whole(units: Units, group: str | None = None) -> str:
    """The pattern of all units; holes are captured as ``{group}{hole}`` where a group is given."""
    return "".join(
        f"(?P<{group}{unit.hole}>{unit.pattern})" if group and unit.hole in USED else unit.pattern for unit in units
    )


def tail(units: Units) -> str:
    """The pattern of every non-empty beginning of the units, the longest first."""
    pattern = ""
    for unit in reversed(units):
        pattern = unit.pattern + (f"(?:{pattern})?" if pattern else "")
    return pattern


def either(patterns: list[str]) -> str:
    """Any of the patterns."""
    return patterns[0] if len(patterns) == 1 else "(?:" + "|".join(patterns) + ")"


def rest_whole(marker: Marker, group: str, ended: Ended) -> str:
    """The pattern of the marker's core after its first unit.

    Args:
        marker: the marker.
        group: what the names of the groups of its holes begin with.
        ended: whether the output is over.
    """
    pattern = whole(marker.core[1:], group)
    if marker.follow:
        following = [whole(units) for units in marker.follow]
        if ended == "cut" or (ended == "stop" and marker.or_end):
            following.append(rf"(?:{either([tail(units) for units in marker.follow])})?\Z")
        pattern += f"(?={ANY_LAYOUT.pattern}{either(following)})"
    return pattern


def rest_tail(marker: Marker) -> str:
    """The pattern of what a beginning of the marker may hold after its first unit, to stand before the text's end."""
    beginning = tail(marker.core[1:])
    beginning = f"(?:{beginning})?" if beginning else ""
    if not marker.follow:
        return beginning
    following = either([tail(units) for units in marker.follow])
    return f"(?:{whole(marker.core[1:])}{ANY_LAYOUT.pattern}(?:{following})?|{beginning})"
