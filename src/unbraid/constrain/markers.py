"""The markers of a format as a grammar writes them: their soft edges, their holes, and what text must not
hold.

A marker is written in its canonical spelling. Between two markers the white space at the end of the first
is written; the white space at the beginning of the second only where the first has none, as chat templates
do it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..format import Format, FormatError, Params, Spelling, canonical, frames, shapes, spellings
from ..literals import parse, pieces, spelled
from .rules import either, optional, quote, sequence


@dataclass(frozen=True)
class Marker:
    """One literal, taken apart."""

    literal: str
    lead: str
    """White space before the core."""
    pieces: tuple[tuple[str, str | None], ...]
    """The core: pieces of text, each with the hole that follows it, if one does."""
    trail: str
    """White space after the core."""

    @property
    def prefix(self) -> str:
        """How every text with this marker begins: up to the first hole or white space inside.

        Raises:
            FormatError: it begins with a hole.
        """
        found = re.split(r"\s", self.pieces[0][0], maxsplit=1)[0]
        if not found:
            raise FormatError(f"the marker {self.literal!r} begins with a hole; no grammar keeps it out of text")
        return found

    def core(self) -> str:
        """The expression of the core.

        Raises:
            FormatError: it has holes; only the openers of calls and parameters are written with them (``fill``).
        """
        if any(hole for _, hole in self.pieces):
            raise FormatError(f"the marker {self.literal!r} has a hole where a grammar can't fill one")
        return quote("".join(text for text, _ in self.pieces))

    def takes(self, hole: str, filling: str) -> bool:
        """Whether the parser reads this filling back from the hole."""
        patterns = [unit.pattern for unit in parse(self.literal).core if unit.hole == hole]
        return filling == filling.strip() and all(re.fullmatch(each, filling) for each in patterns)


def marker(literal: str) -> Marker:
    """A literal, taken apart, without its optional parts."""
    literal = spelled(literal)[-1]
    core = literal.strip()
    start = literal.index(core)
    return Marker(literal, literal[:start], tuple(pieces(core)), literal[start + len(core) :])


def leads(spelling: Spelling | None) -> list[str]:
    """White space that may stand before a marker: that of each spelling that is canonical otherwise."""
    first = canonical(spelling)
    alike = [each for each in spellings(spelling) if each.lstrip() == first.lstrip()]
    return list(dict.fromkeys(marker(each).lead for each in alike))


def layout(trails: Iterable[str], before: Iterable[str]) -> str:
    """White space before a marker that has these leads, where what may come before it has these trails."""
    every = set(trails)
    if "" not in every:
        return ""
    given = [quote(lead) for lead in before if lead]
    if not given:
        return ""
    return either(given) if every == {""} and len(given) == len(list(before)) else optional(either(given))


def before_anything(spelling: Spelling | None) -> str:
    """White space before a marker that may be the first in an output."""
    given = [quote(lead) for lead in leads(spelling) if lead]
    return optional(either(given)) if given else ""


def fill(pieces: Iterable[tuple[str, str | None]], holes: Mapping[str, str]) -> str:
    """An expression of pieces whose holes are expressions themselves."""
    return sequence(*(part for text, hole in pieces for part in (quote(text), holes[hole] if hole else "")))


def in_text(format: Format) -> set[str]:
    """What reasoning and content must not hold: the beginnings of all markers that mean something there."""
    found: list[Spelling | None] = [format.turns.assistant, *format.turns.others, *format.turns.ends]
    words = set(format.special)
    if format.reasoning is not None:
        found += [format.reasoning.open, format.reasoning.close]
    if format.answer is not None:
        found += [format.answer.open, format.answer.close]
    found += [each for aside in format.asides for each in (aside.open, aside.close)]
    for tools in frames(format):
        found += [tools.open, tools.close]
        found += [each for call in shapes(tools) for each in (call.open, call.close)]
    return words | {marker(literal).prefix for spelling in found for literal in spellings(spelling)}


def in_values(format: Format, codec: Params) -> set[str]:
    """What a raw value must not hold: what text must not, and the markers of parameters."""
    own = [*spellings(codec.open), *spellings(codec.close)]
    return in_text(format) | {marker(literal).prefix for literal in own}
