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
    Marker,
    Unit,
    Units,
    length,
    marker_tail,
    marker_whole,
    markers,
    text_units,
)

Channel = Literal["content", "reasoning", "markup", "value", "json", "json_call"]
"""Where a state's text goes. The last three hand it to the argument decoder of the open call."""

Search = Callable[[str, int], Optional["re.Match[str]"]]


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

    @property
    def trails(self) -> tuple[str, ...]:
        """Soft white space that may follow the marker, in all its spellings."""
        return tuple(dict.fromkeys(trail for marker in self.markers for trail in marker.trails))


@dataclass(frozen=True, eq=False)
class State:
    """One state: its channel, its edges and its compiled scanners."""

    name: str
    channel: Channel
    edges: tuple[Edge, ...]
    search: Search
    """Finds the first marker, or the tail that may become one; see :meth:`edge`."""
    search_at_end: Search
    """The same when the output is over: nothing can become a marker any more."""
    trigger: Search
    """Whether a text holds anything that the scanner has to look at: ``None`` for plain text."""
    groups: dict[int, tuple[Edge, tuple[tuple[str, int], ...]]]
    bound: int
    """The most characters that the state may have to hold back."""

    def edge(self, match: re.Match[str]) -> Edge | None:
        """The edge that was found, or ``None`` for a tail that may become one."""
        found = match.lastindex
        return None if found is None else self.groups[found][0]

    def holes(self, match: re.Match[str]) -> dict[str, tuple[int, int]]:
        """Where the holes of the found marker were filled: (start, end) by hole."""
        assert match.lastindex is not None
        return {
            hole: match.span(group)
            for hole, group in self.groups[match.lastindex][1]
            if match.start(group) >= 0
        }


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
        built = format.compiled[variant] = _Builder(format, variant).build()
    return built


_WORDS = r"(?=\S)"


class _Builder:
    """Derives the table from the format, state by state."""

    def __init__(self, format: Format, variant: Variant) -> None:
        self.format = format
        self.variant = variant
        self.tools = format.tools if variant.calls else None
        self.plan: dict[str, tuple[Channel, list[Edge]]] = {}

    def build(self) -> Machine:
        self._text_states()
        if self.tools is not None:
            self._call_states(self.tools.call)
        states = {
            name: _state(self.format, name, channel, edges) for name, (channel, edges) in self.plan.items()
        }
        for state in states.values():
            for edge in state.edges:
                if edge.to not in states:
                    raise FormatError(
                        f"{self.format.name}: {edge.label!r} leads from {state.name!r} to {edge.to!r}, "
                        "which isn't a state"
                    )
        bound = max(state.bound for state in states.values())
        return Machine(self.format, self.variant, states, bound)

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
        self._add("start", "content", [first, stray, *calls, *self._turn_ends("start"), words])
        self._add("answer", "content", [stray, *reopen, *calls, *self._turn_ends("answer"), words])
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
            if any(m.core[-1].hole or m.core[-2:-1] and m.core[-2].hole for m in found):
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
        brackets = replace(
            closes.markers[0], core=(Unit(r"[\s}\]]{0,16}", 16), *closes.markers[0].core), leads=()
        )
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
        section_open = tuple(m.core for m in markers(self.tools.open))
        after_call = (*section_close, *call_open, *section_open, *turn_end)
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
        ended = tuple(replace(m, leads=leads or m.leads, follow=after_call) for m in closes.markers)
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
    return tuple(replace(marker, follow=follow) for marker in markers(spelling))


def _chains(first: tuple[Units, ...], second: tuple[Units, ...]) -> tuple[Units, ...]:
    return tuple((*a, ANY_LAYOUT, *b) for a in first for b in second)


# -- scanners ------------------------------------------------------------------------------------------------------


def _state(format: Format, name: str, channel: Channel, edges: list[Edge]) -> State:
    _refuse_collisions(format, name, edges)
    streaming: list[str] = []
    at_end: list[str] = []
    tails: list[str] = []
    words: list[str] = []
    for place, edge in enumerate(edges):
        if edge.pattern:
            words.append(f"(?P<e{place}>{edge.pattern})")
            continue
        for last, into in ((False, streaming), (True, at_end)):
            each = [marker_whole(m, f"e{place}_{n}_", last) for n, m in enumerate(edge.markers)]
            into.append(f"(?P<e{place}>{'|'.join(each)})")
        tails.extend(pattern for marker in edge.markers for pattern in marker_tail(marker))
    ahead = [rf"(?:{'|'.join(tails)})\Z"] if tails else []
    search = re.compile("|".join([*streaming, *ahead, *words]) or r"(?!)")
    search_at_end = re.compile("|".join([*at_end, *words]) or r"(?!)")
    if {**search.groupindex} != {**search_at_end.groupindex}:
        raise AssertionError("the two scanners of a state must number their groups alike")
    groups = {}
    for place, edge in enumerate(edges):
        outer = search.groupindex[f"e{place}"]
        prefix = f"e{place}_"
        holes = tuple(
            (group.rsplit("_", 1)[1], number)
            for group, number in search.groupindex.items()
            if group.startswith(prefix)
        )
        groups[outer] = (edge, holes)
    bound = max((marker.longest for edge in edges for marker in edge.markers), default=0)
    trigger = _trigger(channel, edges)
    return State(name, channel, tuple(edges), search.search, search_at_end.search, trigger, groups, bound)


def _trigger(channel: Channel, edges: list[Edge]) -> Search:
    """A cheap look at a text: does it hold the first character of a marker, or end in a marker's soft edge?

    A value's text is written as a JSON string, so whatever must be escaped there counts too.
    """
    firsts: set[str] = set()
    leads: set[str] = set()
    for edge in edges:
        if edge.pattern:
            return re.compile("").search
        for marker in edge.markers:
            if marker.any_lead or marker.core[0].longest > 1:
                return re.compile("").search
            firsts.add(marker.core[0].pattern)
            leads.update(character for lead in marker.leads for character in lead)
    if channel == "value":
        firsts.add(r'"\\\x00-\x1f')
    found = ["[" + "".join(sorted(firsts)) + "]"] if firsts else ["(?!)"]
    if leads:
        found.append("[" + "".join(re.escape(c) for c in sorted(leads)) + r"]\Z")
    return re.compile("|".join(found)).search


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


__all__ = ["Channel", "Do", "Edge", "Machine", "OPENS_CALLS", "State", "Variant", "compile", "length"]
