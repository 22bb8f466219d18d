"""A format compiled into states. All that the parser does with text follows from the table that is built here.

Theory of operation: the parser is always in one state. A state says where text goes (its *channel*), which markers
are listened to, and where each leads (its *edges*). Its scanner finds, in one pass, the first marker or the tail of
the text that may still become one; what stands before that is text. Nothing else decides anything.

    start ──reasoning open──▶ reasoning.start ──words──▶ reasoning ──reasoning close──▶ answer ──words──▶ content
      └───────────────────────────── words ────────────────────────────────────────────────────────────────▲

From each of them a call's opener leads into the section and call states (``section``, ``json``, ``json_call``,
``params``, ``value``, ``call.end``), and from there back to ``content``. States that a format doesn't need don't exist.

This module knows no parser and no text; and no model has a name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, NamedTuple, Optional

from .format import Call, Format, FormatError, Json, JsonCall, Params
from .literals import (
    ANY_LAYOUT,
    LAYOUT_LIMIT,
    Ended,
    Marker,
    Unit,
    Units,
    either,
    markers,
    rest_tail,
    rest_whole,
    text_units,
)

Channel = Literal["content", "reasoning", "markup", "value", "json", "json_call"]
"""Where a state's text goes. The last three hand it to the argument decoder of the open call."""

Search = Callable[[str, int], Optional["re.Match[str]"]]
Trigger = Callable[[str], object]


class Do(Enum):
    """What happens on an edge. Each also closes what it can't leave open: a new call ends the one before it."""

    NOTHING = "markup only"
    OPEN_REASONING = "open reasoning"
    CLOSE_REASONING = "close reasoning"
    LEAVE = "text begins"
    OPEN_SECTION = "open the section"
    CLOSE_SECTION = "close the section"
    OPEN_CALL = "open a call"
    OPEN_BODY = "a call's JSON begins"
    CLOSE_CALL = "close the call"
    OPEN_PARAM = "open a parameter"
    OPEN_UNCLOSED = "open the next parameter, if it is a declared one"
    CLOSE_PARAM = "close the parameter"
    TOGGLE_FENCE = "a code fence, which is text"


OPENS_CALLS = frozenset({Do.OPEN_SECTION, Do.OPEN_CALL, Do.OPEN_BODY})
"""Edges on which the model leaves its words to call a tool."""


class Edge(NamedTuple):
    """A marker that a state listens to, where it leads and what it does."""

    label: str
    """What the marker is, as people are told: ``"reasoning close"``."""
    markers: tuple[Marker, ...]
    to: str
    """The name of the state after it."""
    do: Do
    pattern: str = ""
    """A pattern of no width to listen to in place of markers, e.g. "a word begins"."""

    trails: tuple[str, ...] = ()
    """Soft white space that may follow the marker, in all its spellings."""
    leads: tuple[str, ...] = ()
    """Soft white space that may stand before it, longest first."""
    any_lead: bool = False
    """Whether any white space before it belongs to it."""

    def derived(self) -> Edge:
        """The same edge with the soft edges of its markers collected."""
        leads = {lead for marker in self.markers for lead in marker.leads}
        return self._replace(
            trails=tuple(dict.fromkeys(trail for marker in self.markers for trail in marker.trails)),
            leads=tuple(sorted(leads, key=lambda lead: (-len(lead), lead))),
            any_lead=any(marker.any_lead for marker in self.markers),
        )


@dataclass(frozen=True, eq=False)
class State:
    """One state: its channel, its edges and its compiled scanner."""

    name: str
    channel: Channel
    edges: tuple[Edge, ...]
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
            return _lead(buffer, found.start(), place, self._leads, self._any_lead), None
        edge = self._groups[index][0]
        return _lead(buffer, found.start(), place, edge.leads, edge.any_lead), found

    def _compile(self, ended: Ended) -> Search:
        """A scanner, compiled when it is first needed: most outputs never meet most states."""
        pattern = _pattern(self.edges, ended)
        if not self._groups:
            self._groups.update(_groups(pattern, self.edges))
        self._searches[ended] = pattern.search
        return pattern.search

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
            return _lead(buffer, size, place, (), True)
        if buffer.endswith(self._beginnings, place):
            for beginning in self._beginnings:
                if buffer.endswith(beginning, place):
                    return size - len(beginning)
        return size


def _lead(buffer: str, core: int, place: int, leads: tuple[str, ...], any_lead: bool) -> int:
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


@dataclass(frozen=True)
class Variant:
    """What a request changes in the table itself."""

    calls: bool = True
    """Whether calls are recognised at all."""
    calls_in_reasoning: bool = True
    """Whether a call's opener is listened to while reasoning is open."""
    calls_in_fences: bool = True
    """Whether a call's opener is listened to inside a Markdown code fence."""


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


def compile(format: Format, variant: Variant = Variant()) -> Machine:
    """The machine of a format; built once for each variant and kept with the format.

    Raises:
        FormatError: the format can't work; the message says what is wrong and where.
    """
    built: Machine | None = format.compiled.get(variant)
    if built is None:
        states = {name: _state(name, channel, edges) for name, (channel, edges) in plan(format, variant).items()}
        bound = max(state.bound for state in states.values())
        built = format.compiled[variant] = Machine(format, variant, states, bound)
    return built


_WORDS = r"(?=\S)"


Plan = dict[str, tuple[Channel, list[Edge]]]
"""The table before its scanners are compiled: each state's channel and edges."""


def plan(format: Format, variant: Variant = Variant()) -> Plan:
    """The table of a format, cheap to build.

    Raises:
        FormatError: the format can't work; the message says what is wrong and where.
    """
    return _Builder(format, variant).build()


class _Builder:
    """Derives the table from the format, state by state."""

    def __init__(self, format: Format, variant: Variant) -> None:
        self.format = format
        self.variant = variant
        self.tools = format.tools if variant.calls else None
        self.plan: Plan = {}

    def build(self) -> Plan:
        self._text_states()
        if self.tools is not None:
            self._call_states(self.tools.call)
        for name, (_, edges) in self.plan.items():
            _refuse_collisions(self.format, name, edges)
        return self.plan

    # -- words ---------------------------------------------------------------------------------------------------

    def _text_states(self) -> None:
        reasoning = self.format.reasoning
        calls = self._openers()
        content = [*calls, *self._turn_ends("content")]
        if reasoning is None:
            self._add("content", "content", content)
            self._fences(content)
            return
        opens = Edge("reasoning open", markers(reasoning.open), "reasoning.start", Do.OPEN_REASONING)
        closes = Edge("reasoning close", markers(reasoning.close), "answer", Do.CLOSE_REASONING)
        echoed = opens._replace(label="reasoning opener repeated", do=Do.NOTHING, markers=_any_lead(opens))
        stray = closes._replace(label="stray reasoning closer", do=Do.CLOSE_REASONING, markers=_any_lead(closes))
        words = Edge("words", (), "content", Do.LEAVE, _WORDS)
        inside = [*calls] if self.variant.calls_in_reasoning else []
        reopen = [opens] if reasoning.reopens else []
        first = opens._replace(markers=_any_lead(opens))
        # Before the first word, white space ahead of a call is layout, as it is ahead of reasoning.
        at_once = [edge._replace(markers=_any_lead(edge)) for edge in calls]
        self._add("start", "content", [first, stray, *at_once, *self._turn_ends("start"), words])
        self._add("answer", "content", [stray, *reopen, *at_once, *self._turn_ends("answer"), words])
        self._add("content", "content", [*content, *reopen])
        self._fences([*content, *reopen])
        self._add(
            "reasoning.start",
            "reasoning",
            [echoed, closes, *inside, *self._turn_ends("reasoning.start"), words._replace(to="reasoning")],
        )
        self._add("reasoning", "reasoning", [closes, *inside, *self._turn_ends("reasoning")])
        self._add("draft", "reasoning", [closes])

    def _fences(self, content: list[Edge]) -> None:
        """Code fences, where the request wants calls in them to be text."""
        if self.tools is None or self.variant.calls_in_fences:
            return
        fence = Edge("code fence", (Marker(text_units("```")),), "content.fence", Do.TOGGLE_FENCE)
        self._add("content", "content", [*content, fence])
        self._add("content.fence", "content", [fence._replace(to="content")])

    def _turn_ends(self, stay: str) -> list[Edge]:
        ends = tuple(marker for literal in self.format.turns.ends for marker in markers(literal))
        return [Edge("end of turn", ends, stay, Do.NOTHING)] if ends else []

    # -- calls ---------------------------------------------------------------------------------------------------

    def _openers(self) -> list[Edge]:
        """What leads from words into a call."""
        if self.tools is None:
            return []
        edges = []
        call = self._call_open()
        if self.tools.open is not None:
            follow: tuple[Units, ...] = ()
            if self.tools.between == "layout":
                follow = tuple(m.core for m in call.markers) + tuple(m.core for m in markers(self.tools.close))
            section = tuple(replace(m, follow=follow) for m in markers(self.tools.open))
            edges.append(Edge("section open", section, "section", Do.OPEN_SECTION))
        if self.tools.open is None or self.tools.optional:
            edges.append(call)
        return edges

    def _call_open(self) -> Edge:
        assert self.tools is not None
        call = self.tools.call
        found = markers(call.open)
        codec = call.arguments
        if isinstance(codec, JsonCall):
            begins = {"never": r"\{", "allowed": r"[{\[]", "always": r"\["}[codec.array]
            found = tuple(replace(m, follow=((Unit(begins, 1),),)) for m in found)
            return Edge("call open", found, "json_call", Do.OPEN_BODY)
        if isinstance(codec, Params):
            after = (*(m.core for m in markers(codec.open)), *(m.core for m in markers(call.close)))
            if any(any(unit.hole for unit in m.core[-2:]) for m in found):
                found = tuple(replace(m, follow=after) for m in found)
            return Edge("call open", found, "params", Do.OPEN_CALL)
        return Edge("call open", found, "json", Do.OPEN_CALL)

    def _call_states(self, call: Call) -> None:
        assert self.tools is not None
        home = "section" if self.tools.open is not None else "content"
        closes = Edge("call close", markers(call.close), home, Do.CLOSE_CALL)
        again = self._call_open()
        ends: list[Edge] = [*self._section_close(), *self._turn_ends("content")]
        leave = Edge("words", (), home, Do.LEAVE, _WORDS)
        if self.tools.open is not None:
            words = [leave._replace(to="content")] if self.tools.between == "layout" else []
            reopened = Edge("section open", markers(self.tools.open), "section", Do.OPEN_SECTION)
            self._add("section", "markup", [again, reopened, *ends, *words])
        codec = call.arguments
        if isinstance(codec, Params):
            self._param_states(codec, closes, again, ends)
            return
        self._add("json" if isinstance(codec, Json) else "json_call", _channel(codec), [closes, *ends])
        more = []
        if isinstance(codec, JsonCall):
            more = [Edge("another call", (), "json_call", Do.OPEN_BODY, r"(?=[{\[])")]
        brackets = replace(closes.markers[0], core=(Unit(r"[\s}\]]{0,16}", 16), *closes.markers[0].core), leads=())
        lenient = closes._replace(markers=(*closes.markers, brackets))
        self._add("call.end", "markup", [lenient, again, *ends, *more, leave])

    def _param_states(self, codec: Params, closes: Edge, again: Edge, ends: list[Edge]) -> None:
        assert self.tools is not None
        opens = Edge("parameter open", markers(codec.open), "value", Do.OPEN_PARAM)
        stray = Edge("parameter close", markers(codec.close), "params", Do.NOTHING)
        body = Edge("JSON arguments", (), "json", Do.OPEN_BODY, r"(?=\{)")
        self._add("params", "markup", [opens, closes, stray, again, *ends, body])
        self._add("json", "json", [closes, *ends])
        self._add("call.end", "markup", [closes, again, *ends, Edge("words", (), closes.to, Do.LEAVE, _WORDS)])
        # A closing marker ends a value only if what follows fits the format; otherwise the value holds it as text.
        param_open = tuple(m.core for m in opens.markers)
        call_close = tuple(m.core for m in closes.markers)
        section_close = tuple(m.core for m in markers(self.tools.close))
        turn_end = tuple(m.core for edge in self._turn_ends("") for m in edge.markers)
        call_open = tuple(m.core for m in again.markers)
        next_section = _chains(tuple(m.core for m in markers(self.tools.open)), call_open)
        after_call = (*section_close, *call_open, *next_section, *turn_end)
        call_end = _chains(call_close, after_call) if section_close else call_close
        fits = (*param_open, *call_end, *section_close, *turn_end)
        param_close = tuple(m.core for m in markers(codec.close))
        repeated = _chains(param_close, (*param_open, *call_close))
        value: list[Edge] = [
            Edge("parameter close", _followed(codec.close, (*fits, *repeated)), "params", Do.CLOSE_PARAM)
        ]
        leads = tuple(dict.fromkeys(lead for m in markers(codec.close) for lead in m.leads))
        if codec.unclosed:
            unclosed = tuple(replace(m, leads=leads or m.leads) for m in opens.markers)
            value.append(opens._replace(label="parameter open", markers=unclosed, do=Do.OPEN_UNCLOSED))
        ended = tuple(replace(m, leads=leads or m.leads, follow=after_call, or_end=True) for m in closes.markers)
        value.append(closes._replace(markers=ended))
        self._add("value", "value", value)

    def _section_close(self) -> list[Edge]:
        assert self.tools is not None
        if self.tools.close is None:
            return []
        return [Edge("section close", markers(self.tools.close), "content", Do.CLOSE_SECTION)]

    def _add(self, name: str, channel: Channel, edges: list[Edge]) -> None:
        self.plan[name] = (channel, edges)


def _channel(codec: Json | JsonCall) -> Channel:
    return "json" if isinstance(codec, Json) else "json_call"


def _any_lead(edge: Edge) -> tuple[Marker, ...]:
    return tuple(replace(marker, any_lead=True) for marker in edge.markers)


def _followed(spelling: str | tuple[str, ...], follow: tuple[Units, ...]) -> tuple[Marker, ...]:
    return tuple(replace(marker, follow=follow, or_end=True) for marker in markers(spelling))


def _chains(first: tuple[Units, ...], second: tuple[Units, ...]) -> tuple[Units, ...]:
    return tuple((*a, ANY_LAYOUT, *b) for a in first for b in second)


# -- scanners ------------------------------------------------------------------------------------------------------


def _state(name: str, channel: Channel, planned: list[Edge]) -> State:
    edges = tuple(edge.derived() for edge in planned)
    leads = {lead for edge in edges for lead in edge.leads}
    beginnings = {lead[:end] for lead in leads for end in range(1, len(lead) + 1)}
    return State(
        name=name,
        channel=channel,
        edges=edges,
        bound=max((marker.longest for edge in edges for marker in edge.markers), default=0),
        trigger=_trigger(edges, ""),
        first=_first(edges),
        escapes=_trigger(edges, r'"\\\x00-\x1f'),
        soft_edges=frozenset("".join(beginnings)),
        _searches={},
        _groups={},
        _leads=_longest_first(leads),
        _beginnings=_longest_first(beginnings),
        _any_lead=any(edge.any_lead for edge in edges),
    )


def _longest_first(texts: set[str]) -> tuple[str, ...]:
    return tuple(sorted(texts, key=lambda text: (-len(text), text)))


def _pattern(edges: tuple[Edge, ...], ended: Ended) -> re.Pattern[str]:
    """The scanner: one alternative for each first character, so that ``re`` can skip to the next candidate."""
    by_first: dict[str, list[tuple[int, int, Marker]]] = {}
    words: list[str] = []
    for place, edge in enumerate(edges):
        if edge.pattern:
            words.append(f"(?P<e{place}>{edge.pattern})")
        for number, marker in enumerate(edge.markers):
            by_first.setdefault(marker.core[0].pattern, []).append((place, number, marker))
    patterns = []
    for nth, (first, found) in enumerate(by_first.items()):
        wholes: dict[int, list[str]] = {}
        for place, number, marker in found:
            wholes.setdefault(place, []).append(rest_whole(marker, f"e{place}_{number}_", ended))
        rests = [f"(?P<e{place}_in{nth}>{'|'.join(each)})" for place, each in wholes.items()]
        if not ended:
            rests.append(rf"{either([rest_tail(marker) for _, _, marker in found])}\Z")
        patterns.append((first, either(rests)))
    if len(patterns) > 1 and all(len(first.removeprefix("\\")) == 1 for first, _ in patterns):
        firsts = "".join(first for first, _ in patterns)
        scanner = [f"[{firsts}]" + either([f"(?<={first}){rest}" for first, rest in patterns])]
    else:
        scanner = [first + rest for first, rest in patterns]
    return re.compile("|".join([*scanner, *words]) or r"(?!)")


def _groups(pattern: re.Pattern[str], edges: tuple[Edge, ...]) -> dict[int, tuple[Edge, tuple[tuple[str, int], ...]]]:
    """For each outer group of the scanner, the edge that it stands for and the groups of the edge's holes."""
    found: dict[int, tuple[Edge, tuple[tuple[str, int], ...]]] = {}
    for place, edge in enumerate(edges):
        names = {name: number for name, number in pattern.groupindex.items() if name.startswith(f"e{place}_")}
        holes = tuple((name.split("_", 2)[2], number) for name, number in names.items() if name.count("_") == 2)
        for name, number in {**names, f"e{place}": pattern.groupindex.get(f"e{place}", -1)}.items():
            if name.count("_") < 2 and number >= 0:
                found[number] = (edge, holes)
    return found


def _trigger(edges: tuple[Edge, ...], escapes: str) -> Trigger:
    """A cheap look at a text: does it hold the first character of a marker?"""
    always = re.compile("").search
    if any(edge.pattern or edge.any_lead for edge in edges):
        return always
    firsts = {marker.core[0] for edge in edges for marker in edge.markers}
    if any(first.longest > 1 for first in firsts):
        return always
    characters = "".join(sorted(first.pattern for first in firsts)) + escapes
    return re.compile(f"[{characters}]" if characters else r"(?!)").search


def _first(edges: tuple[Edge, ...]) -> str:
    firsts = {marker.core[0].pattern.removeprefix("\\") for edge in edges for marker in edge.markers}
    moving = any(edge.pattern or edge.any_lead for edge in edges)
    only = firsts.pop() if len(firsts) == 1 and not moving else ""
    return only if len(only) == 1 else ""


def _refuse_collisions(format: Format, name: str, edges: list[Edge]) -> None:
    """No marker may be the beginning of another edge's marker: which one was meant would depend on the cut."""
    seen: list[tuple[Edge, Marker]] = [(edge, marker) for edge in edges for marker in edge.markers]
    for edge, marker in seen:
        for other_edge, other in seen:
            if edge is other_edge or marker.follow or other.follow:
                continue
            if other.core[: len(marker.core)] == marker.core:
                raise FormatError(
                    f"{format.name}: in state {name!r} the marker of {edge.label!r} is also the beginning of "
                    f"{other_edge.label!r}; make them differ, or say what must follow"
                )
