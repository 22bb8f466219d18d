"""A format compiled: the states of its table (``plan``), each with its scanner, and kept with the format.

The parser is always in one state. A state says where text goes (its *channel*), which markers are listened to, and
where each leads (its *edges*). Its scanner finds, in one pass, the first marker or the tail of the text that may still
become one; what stands before that is text. Nothing else decides anything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from .format import Format
from .literals import MARK, Ended, parse, whole
from .plan import plan
from .scanner import Search, Trigger, first_character, groups, lead_start, pattern, trigger
from .table import ALL, Channel, Do, Edge, Row, Variant


@dataclass(frozen=True, eq=False)
class State:
    """One state: its channel, its edges and its compiled scanner."""

    name: str
    channel: Channel
    edges: tuple[Edge, ...]
    over: str
    """The state after the arguments or the body that is read here; empty where nothing is."""
    bound: int
    """The most characters that the state may have to hold back."""
    trigger: Trigger
    """Whether a text holds the first character of a marker: ``None`` if it doesn't."""
    first: str
    """That character, where all markers share it, so that ``in`` can look for it; else empty."""
    escapes: Trigger
    """The trigger with what JSON escapes added: for values that are written into a JSON string as they come."""
    soft_edges: frozenset[str]
    """White space that a marker to come may own. Text that neither sets off the trigger nor ends in one of these
    changes nothing."""
    _searches: dict[Ended, Search]
    """One for each way in which the output goes on or is over; their groups are numbered alike."""
    _groups: dict[int, tuple[Edge, tuple[tuple[str, int], ...]]]
    _leads: tuple[str, ...]
    _beginnings: tuple[str, ...]
    _any_lead: bool

    def find(self, buffer: str, place: int, ended: Ended = "") -> tuple[int, re.Match[str] | None]:
        """Where the text from ``place`` on ends, and the marker there.

        Without a match the rest of the buffer may become a marker, or there is no rest. When the output is ``ended``,
        nothing can become a marker any more.
        """
        search = self._searches.get(ended) or self._compile(ended)
        found = search(buffer, place)
        if found is None:
            return (len(buffer), None) if ended else (self.layout(buffer, place), None)
        index = found.lastindex
        if index is None:
            return lead_start(buffer, found.start(), place, self._leads, self._any_lead), None
        edge = self._groups[index][0]
        return lead_start(buffer, found.start(), place, edge.leads, edge.any_lead), found

    def _compile(self, ended: Ended) -> Search:
        """A scanner, compiled when it is first needed: most outputs never meet most states."""
        compiled = pattern(self.edges, ended)
        if not self._groups:
            self._groups.update(groups(compiled, self.edges))
        self._searches[ended] = compiled.search
        return compiled.search

    def edge(self, found: re.Match[str]) -> Edge:
        """The edge whose marker was found."""
        assert found.lastindex is not None
        return self._groups[found.lastindex][0]

    def holes(self, found: re.Match[str]) -> dict[str, tuple[int, int]]:
        """Where the holes of the found marker were filled: (start, end) by hole."""
        assert found.lastindex is not None
        groups = self._groups[found.lastindex][1]
        return {hole: found.span(group) for hole, group in groups if found.start(group) >= 0}

    def layout(self, buffer: str, place: int) -> int:
        """Where white space at the end of the buffer begins that a marker to come may own."""
        size = len(buffer)
        if self._any_lead:
            return lead_start(buffer, size, place, (), True)
        if buffer.endswith(self._beginnings, place):
            for beginning in self._beginnings:
                if buffer.endswith(beginning, place):
                    return size - len(beginning)
        return size


@dataclass(frozen=True, eq=False)
class Machine:
    """The states of a format, by name."""

    format: Format
    variant: Variant
    states: dict[str, State]
    bound: int
    """The most characters held back in any state, the two declared waits aside (``Parser.held``)."""

    def __getitem__(self, name: str) -> State:
        return self.states[name]

    @property
    def framed(self) -> bool:
        """Whether all words stand between markers, so that after one part reasoning may come as well as the answer."""
        return self.format.answer is not None and self.format.answer.anywhere

    @cached_property
    def reasoning_ahead(self) -> frozenset[str]:
        """The states from which one can be reached in which reasoning begins, while none is open."""
        found: set[str] = set()
        while True:
            more = {
                name
                for name, state in self.states.items()
                if state.over in found or any(e.do is Do.OPEN_REASONING or e.to in found for e in state.edges)
            }
            if more <= found:
                return frozenset(found)
            found |= more

    @cached_property
    def special(self) -> re.Pattern[str]:
        """What begins with a special token matches. Compiled when it is first needed: few outputs are cut off."""
        return re.compile("|".join(whole(parse(token).core) for token in self.format.special) or r"(?!)")


def compile(format: Format, variant: Variant = ALL) -> Machine:
    """The machine of a format; built once for each variant and kept with the format.

    Raises:
        FormatError: the format can't work; the message says what is wrong and where.
    """
    built: Machine | None = format.compiled.get(variant)
    if built is None:
        # A marked token needs a look wherever it stands, if only for its mark to be taken off.
        mark = MARK if any(token.startswith(MARK) for token in format.special) else ""
        states = {name: _state(name, row, mark) for name, row in plan(format, variant).items()}
        bound = max(state.bound for state in states.values())
        built = format.compiled[variant] = Machine(format, variant, states, bound)
    return built


def _state(name: str, row: Row, mark: str) -> State:
    edges = tuple(each for edge in row.edges for each in edge.by_layout())
    leads = {lead for edge in edges for lead in edge.leads}
    beginnings = {lead[:end] for lead in leads for end in range(1, len(lead) + 1)}
    return State(
        name=name,
        channel=row.channel,
        edges=edges,
        over=row.over,
        bound=max((marker.longest for edge in edges for marker in edge.markers), default=0),
        trigger=trigger(edges, mark),
        first=first_character(edges, mark),
        escapes=trigger(edges, r'"\\\x00-\x1f' + mark),
        soft_edges=frozenset("".join(beginnings)),
        _searches={},
        _groups={},
        _leads=_longest_first(leads),
        _beginnings=_longest_first(beginnings),
        _any_lead=any(edge.any_lead for edge in edges),
    )


def _longest_first(texts: set[str]) -> tuple[str, ...]:
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))
