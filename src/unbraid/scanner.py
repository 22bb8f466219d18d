"""The scanner of a state: one regular expression that finds its first marker, or what may still become one.

What lives here: putting the patterns of single markers (``literals``) together, and the cheap looks that tell whether a
text needs the scanner at all. What doesn't: states, and what happens when a marker is found.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Optional

from .literals import LAYOUT_LIMIT, Ended, Marker, either, rest_tail, rest_whole
from .table import Edge

Search = Callable[[str, int], Optional["re.Match[str]"]]
Trigger = Callable[[str], object]


def pattern(edges: tuple[Edge, ...], ended: Ended) -> re.Pattern[str]:
    """The scanner: one alternative for each first character, so that ``re`` can skip to the next candidate."""
    by_first: dict[str, list[_Found]] = {}
    words: list[str] = []
    for place, edge in enumerate(edges):
        if edge.pattern:
            words.append(f"(?P<e{place}>{edge.pattern})")
        for number, marker in enumerate(edge.markers):
            by_first.setdefault(marker.core[0].pattern, []).append((place, number, marker))
    patterns = []
    for nth, (first, found) in enumerate(by_first.items()):
        # Where one marker is the beginning of another, the other one wins: it and its tails are tried first.
        short = [each for each in found if any(_begins_with(other, each[2]) for _, _, other in found)]
        # What a marker spells out isn't what fills a hole of another, however far that one goes on.
        plain = [each for each in found if each not in short and not _has_hole(each[2])]
        holed = [each for each in found if each not in short and _has_hole(each[2])]
        rests = [_alternatives(place, nth, those, ended) for place, those in _by_place(plain).items()]
        rests += [_alternatives(place, f"{nth}h", those, ended) for place, those in _by_place(holed).items()]
        if not ended:
            rests.append(rf"{either([rest_tail(marker) for _, _, marker in found])}\Z")
        short.sort(key=lambda each: -len(each[2].core))
        rests += [_alternatives(each[0], f"{nth}x{rank}", [each], ended) for rank, each in enumerate(short)]
        patterns.append((first, either(rests)))
    if len(patterns) > 1 and all(len(first.removeprefix("\\")) == 1 for first, _ in patterns):
        firsts = "".join(first for first, _ in patterns)
        scanner = [f"[{firsts}]" + either([f"(?<={first}){rest}" for first, rest in patterns])]
    else:
        scanner = [first + rest for first, rest in patterns]
    return re.compile("|".join([*scanner, *words]) or r"(?!)")


_Found = tuple[int, int, Marker]
"""A marker of a state: its edge's place, its number there, and itself."""


def _begins_with(marker: Marker, other: Marker) -> bool:
    """Whether the other marker is a proper beginning of this one."""
    return len(other.core) < len(marker.core) and marker.core[: len(other.core)] == other.core


def _has_hole(marker: Marker) -> bool:
    return any(unit.hole for unit in marker.core)


def _by_place(found: list[_Found]) -> dict[int, list[_Found]]:
    places: dict[int, list[_Found]] = {}
    for each in found:
        places.setdefault(each[0], []).append(each)
    return places


def _alternatives(place: int, nth: int | str, found: list[_Found], ended: Ended) -> str:
    """The rests of an edge's markers as one group."""
    rests = [rest_whole(marker, f"e{place}_{number}_", ended) for _, number, marker in found]
    return f"(?P<e{place}_in{nth}>{'|'.join(rests)})"


def groups(pattern: re.Pattern[str], edges: tuple[Edge, ...]) -> dict[int, tuple[Edge, tuple[tuple[str, int], ...]]]:
    """For each outer group of the scanner, the edge that it stands for and the groups of the edge's holes."""
    found: dict[int, tuple[Edge, tuple[tuple[str, int], ...]]] = {}
    for place, edge in enumerate(edges):
        names = {name: number for name, number in pattern.groupindex.items() if name.startswith(f"e{place}_")}
        holes = tuple((name.split("_", 2)[2], number) for name, number in names.items() if name.count("_") == 2)
        for name, number in {**names, f"e{place}": pattern.groupindex.get(f"e{place}", -1)}.items():
            if name.count("_") < 2 and number >= 0:
                found[number] = (edge, holes)
    return found


def trigger(edges: tuple[Edge, ...], more: str) -> Trigger:
    """A cheap look at a text: does it hold the first character of a marker, or one ``more``?"""
    always = re.compile("").search
    if any(edge.pattern or edge.any_lead for edge in edges):
        return always
    firsts = {marker.core[0] for edge in edges for marker in edge.markers}
    if any(first.longest > 1 for first in firsts):
        return always
    characters = "".join(sorted(first.pattern for first in firsts)) + more
    return re.compile(f"[{characters}]" if characters else r"(?!)").search


def first_character(edges: tuple[Edge, ...], more: str) -> str:
    """The only character that sets the trigger off; empty if there are several."""
    firsts = {marker.core[0].pattern.removeprefix("\\") for edge in edges for marker in edge.markers}
    moving = any(edge.pattern or edge.any_lead for edge in edges)
    firsts.update(more)
    only = firsts.pop() if len(firsts) == 1 and not moving else ""
    return only if len(only) == 1 else ""


def lead_start(buffer: str, core: int, place: int, leads: tuple[str, ...], any_lead: bool) -> int:
    """Where the soft white space before a marker's core begins, not before ``place``."""
    if any_lead:
        start = core
        while start > place and core - start < LAYOUT_LIMIT and buffer[start - 1].isspace():
            start -= 1
        return start
    for lead in leads:
        start = core - len(lead)
        if start >= place and buffer.startswith(lead, start):
            return start
    return core
