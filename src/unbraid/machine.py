"""A format compiled into states. All that the parser does with text follows from the table that is built here.

Theory of operation: the parser is always in one state. A state says where text goes (its *channel*), which markers
are listened to, and where each leads (its *edges*). Its scanner finds, in one pass, the first marker or the tail of
the text that may still become one; what stands before that is text. Nothing else decides anything.

    start ──reasoning open──▶ reasoning.start ──words──▶ reasoning ──reasoning close──▶ answer ──words──▶ content
      └───────────────────────────── words ────────────────────────────────────────────────────────────────▲

From each of them a call's opener leads into the section and call states (``section``, ``arguments``, ``body``,
``params``, ``value``, ``call.end``), and from there back to ``content``. Where calls have several shapes, those of the
second are called ``params.2`` and so on. ``answer.text`` is inside the markers of an answer, ``aside`` inside those of
text for nobody. States that a format doesn't need don't exist.

This module knows no parser and no text; and no model has a name here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Literal, NamedTuple, Optional

from .format import (
    Call,
    Codec,
    Format,
    FormatError,
    JsonCall,
    Params,
    Python,
    Spelling,
    Tools,
    frames,
    shapes,
)
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

Channel = Literal["content", "reasoning", "markup", "aside", "value", "arguments", "body"]
"""Where a state's text goes. The last three hand it to what decodes the open call: the value of a parameter, all its
arguments, or a body that holds its name as well. An aside's is dropped."""

Search = Callable[[str, int], Optional["re.Match[str]"]]
Trigger = Callable[[str], object]


class Do(Enum):
    """What happens on an edge. Each also closes what it can't leave open: a new call ends the one before it."""

    NOTHING = "markup only"
    OPEN_REASONING = "open reasoning"
    CLOSE_REASONING = "close reasoning"
    OPEN_ANSWER = "open the answer"
    CLOSE_ANSWER = "close the answer"
    OPEN_ASIDE = "open an aside"
    CLOSE_ASIDE = "close the aside"
    LEAVE = "text begins"
    OPEN_SECTION = "open the section"
    CLOSE_SECTION = "close the section"
    OPEN_CALL = "open a call"
    OPEN_BODY = "a body begins that holds a call's name"
    OPEN_JSON = "the call's arguments are JSON after all"
    CLOSE_CALL = "close the call"
    OPEN_PARAM = "open a parameter"
    OPEN_UNCLOSED = "open the next parameter, if it is a declared one"
    CLOSE_PARAM = "close the parameter"
    END_TURN = "end the turn"
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
    call: Call | None = None
    """The shape of the call that it opens."""

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
        states = {name: _state(name, row) for name, row in plan(format, variant).items()}
        bound = max(state.bound for state in states.values())
        built = format.compiled[variant] = Machine(format, variant, states, bound)
    return built


_WORDS = r"(?=\S)"


class Row(NamedTuple):
    """A line of the table before its scanner is compiled: a state's channel and its edges."""

    channel: Channel
    edges: list[Edge]
    over: str = ""
    """The state after the arguments or the body that is read here."""


Plan = dict[str, Row]
"""The table, by the states' names."""


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
        self.frames = frames(format) if variant.calls else ()
        self.framed = format.answer is not None and format.answer.anywhere
        """Whether all words stand between markers, so that there is only layout after a call."""
        self.after = "answer" if self.framed else "content"
        """The state after calls."""
        self.plan: Plan = {}

    def build(self) -> Plan:
        self._text_states()
        nth = 0
        for frame in self.frames:
            section = _nth("section", nth)
            for call in shapes(frame):
                self._call_states(frame, call, nth, section)
                nth += 1
            if frame.open is not None:
                self._section_states(frame, section)
        for name, row in self.plan.items():
            _refuse_collisions(self.format, name, row.edges)
        return self.plan

    # -- words ---------------------------------------------------------------------------------------------------

    def _text_states(self) -> None:
        reasoning = self.format.reasoning
        calls = self._openers()
        asides = self._asides()
        answers = self._answers()
        anywhere = answers if self.framed else []
        words = Edge("words", (), "content", Do.LEAVE, _WORDS)
        # Before the first word, white space ahead of a marker is layout.
        at_once = [*self._at_once([*answers, *calls, *asides]), *self._bare()]
        opens: list[Edge] = []
        reopen: list[Edge] = []
        stray: list[Edge] = []
        if reasoning is not None:
            opened = Edge("reasoning open", markers(reasoning.open), "reasoning.start", Do.OPEN_REASONING)
            opens = self._at_once([opened])
            reopen = [opened] if reasoning.reopens else []
            closes = Edge("reasoning close", markers(reasoning.close), "answer", Do.CLOSE_REASONING)
            stray = self._at_once([closes._replace(label="stray reasoning closer")])
        self._add("start", "content", [*opens, *stray, *at_once, *self._turn_ends("start"), words])
        if reasoning is not None or self.format.answer is not None or self.format.asides:
            again = self._at_once(reopen)
            self._add("answer", "content", [*stray, *again, *at_once, *self._turn_ends("answer"), words])
        content = [*calls, *self._turn_ends("content"), *reopen, *anywhere, *asides]
        self._add("content", "content", content)
        self._fences(content)
        if reasoning is not None:
            self._reasoning_states(opened, closes, [*calls, *asides], answers)
        if self.format.answer is not None:
            ends = Edge("answer close", markers(self.format.answer.close), "answer", Do.CLOSE_ANSWER)
            inside = [*calls, *self._turn_ends("answer"), *reopen, *anywhere, *asides]
            self._add("answer.text", "content", [ends, *inside])
        for place, aside in enumerate(self.format.asides):
            ends = Edge("aside close", markers(aside.close), "answer", Do.CLOSE_ASIDE)
            beside = [*calls, *reopen, *anywhere] if self.framed else []
            self._add(_nth("aside", place), "aside", [ends, *self._turn_ends("answer"), *beside])

    def _reasoning_states(self, opens: Edge, closes: Edge, others: list[Edge], answers: list[Edge]) -> None:
        """Inside reasoning. A call's opener counts there only if the request says so; an answer's ends reasoning."""
        inside = [*(others if self.variant.calls_in_reasoning else []), *answers]
        words = Edge("words", (), "reasoning", Do.LEAVE, _WORDS)
        echoed = opens._replace(label="reasoning opener repeated", do=Do.NOTHING, markers=_any_lead(opens))
        first = [echoed, closes, *inside, *self._turn_ends("reasoning.start"), words]
        self._add("reasoning.start", "reasoning", first)
        self._add("reasoning", "reasoning", [closes, *inside, *self._turn_ends("reasoning")])
        self._add("draft", "reasoning", [closes])

    def _answers(self) -> list[Edge]:
        answer = self.format.answer
        return [] if answer is None else [Edge("answer open", markers(answer.open), "answer.text", Do.OPEN_ANSWER)]

    def _asides(self) -> list[Edge]:
        return [
            Edge("aside open", markers(aside.open), _nth("aside", place), Do.OPEN_ASIDE)
            for place, aside in enumerate(self.format.asides)
        ]

    def _at_once(self, edges: list[Edge]) -> list[Edge]:
        return [edge._replace(markers=_any_lead(edge)) for edge in edges]

    def _fences(self, content: list[Edge]) -> None:
        """Code fences, where the request wants calls in them to be text."""
        if not self.frames or self.variant.calls_in_fences:
            return
        fence = Edge("code fence", (Marker(text_units("```")),), "content.fence", Do.TOGGLE_FENCE)
        self._add("content", "content", [*content, fence])
        self._add("content.fence", "content", [fence._replace(to="content")])

    def _turn_ends(self, stay: str) -> list[Edge]:
        ends = tuple(marker for literal in self.format.turns.ends for marker in markers(literal))
        return [Edge("end of turn", ends, stay, Do.END_TURN)] if ends else []

    # -- calls ---------------------------------------------------------------------------------------------------

    def _openers(self) -> list[Edge]:
        """What leads from words into a call."""
        edges: list[Edge] = []
        nth = 0
        for frame in self.frames:
            calls = self._call_opens(frame, nth)
            if frame.open is not None:
                follow: tuple[Units, ...] = ()
                if frame.between == "layout":
                    cores = [m for edge in calls for m in edge.markers]
                    follow = tuple(m.core for m in (*cores, *markers(frame.close)))
                section = tuple(replace(m, follow=follow) for m in markers(frame.open))
                edges.append(Edge("section open", section, _nth("section", nth), Do.OPEN_SECTION, call=_unnamed(frame)))
            if frame.open is None or frame.optional:
                edges += calls
            nth += len(shapes(frame))
        return edges

    def _call_opens(self, frame: Tools, nth: int) -> list[Edge]:
        """The openers of a frame's calls, the ``nth`` shape being its first."""
        return [_call_open(call, nth + place) for place, call in enumerate(shapes(frame)) if call.open is not None]

    def _bare(self) -> list[Edge]:
        """Calls without a marker, which only the first word of an answer can begin."""
        edges = []
        nth = 0
        for frame in self.frames:
            for call in shapes(frame):
                if call.open is None:
                    begins = f"(?={_begins(call.arguments)})"
                    edges.append(Edge("bare call", (), _nth("body", nth), Do.OPEN_BODY, begins, call))
                nth += 1
        return edges

    def _section_states(self, frame: Tools, section: str) -> None:
        """Between the calls of a section."""
        first = self._first_of(frame)
        opened = markers(frame.open)
        words = [Edge("words", (), self.after, Do.LEAVE, _WORDS)] if frame.between == "layout" else []
        again = Edge("section open", opened, section, Do.OPEN_SECTION, call=_unnamed(frame))
        ends = [*self._section_close(frame), *self._turn_ends(self.after)]
        self._add(section, "markup", [*self._call_opens(frame, first), again, *ends, *words])

    def _first_of(self, frame: Tools) -> int:
        nth = 0
        for each in self.frames:
            if each is frame:
                break
            nth += len(shapes(each))
        return nth

    def _call_states(self, frame: Tools, call: Call, nth: int, section: str) -> None:
        home = section if frame.open is not None else self.after
        closes = [Edge("call close", markers(call.close), home, Do.CLOSE_CALL)] if call.close is not None else []
        again = self._call_opens(frame, self._first_of(frame))
        ends: list[Edge] = [*self._section_close(frame), *self._turn_ends(self.after)]
        leave = Edge("words", (), home, Do.LEAVE, _WORDS)
        codec = call.arguments
        reading, end = _nth(_reading(codec), nth), _nth("call.end", nth)
        more: list[Edge] = []
        if isinstance(codec, JsonCall) and (call.close is not None or call.separator is not None):
            more = [Edge("another call", (), reading, Do.OPEN_BODY, r"(?=[{\[])", call)]
        if call.separator is not None:
            begins: tuple[Units, ...] = ((Unit(_begins(codec), 1),),)
            separators = tuple(replace(m, follow=begins) for m in markers(call.separator))
            more = [Edge("call separator", separators, reading, Do.OPEN_BODY, call=call)]
        if isinstance(codec, Params):
            self._param_states(frame, call, codec, nth, closes, again, ends)
            self._add(end, "markup", [*closes, *again, *ends, leave])
            return
        broken = [*closes, *ends] if closes else [*again, *ends]
        over = home if call.close is None and call.separator is None else end
        self._add(reading, _channel(codec), broken, over)
        if over == end:
            lenient = [_after_brackets(edge) for edge in closes]
            self._add(end, "markup", [*lenient, *again, *ends, *more, leave])

    def _param_states(
        self,
        frame: Tools,
        call: Call,
        codec: Params,
        nth: int,
        closed: list[Edge],
        again: list[Edge],
        ends: list[Edge],
    ) -> None:
        params, value_state, arguments = _nth("params", nth), _nth("value", nth), _nth("arguments", nth)
        opens = Edge("parameter open", markers(codec.open), value_state, Do.OPEN_PARAM)
        stray = Edge("parameter close", markers(codec.close), params, Do.NOTHING)
        body = Edge("JSON arguments", (), arguments, Do.OPEN_JSON, r"(?=\{)")
        self._add(params, "markup", [opens, *closed, stray, *again, *ends, body])
        self._add(arguments, "arguments", [*closed, *ends], _nth("call.end", nth))
        # A closing marker ends a value only if what follows fits the format; otherwise the value holds it as text.
        param_open = _cores([opens])
        call_close = _cores(closed)
        section_close = tuple(m.core for m in markers(frame.close))
        turn_end = _cores(self._turn_ends(""))
        call_open = _cores(again)
        next_section = _chains(tuple(m.core for m in markers(frame.open)), call_open)
        after_call = (*section_close, *call_open, *next_section, *turn_end)
        call_end = _chains(call_close, after_call) if section_close else call_close
        fits = (*param_open, *call_end, *section_close, *turn_end)
        param_close = tuple(m.core for m in markers(codec.close))
        repeated = _chains(param_close, (*param_open, *call_close))
        follow = (*fits, *repeated)
        value = [Edge("parameter close", _followed(codec.close, follow), params, Do.CLOSE_PARAM)]
        leads = tuple(dict.fromkeys(lead for m in markers(codec.close) for lead in m.leads))
        if codec.unclosed:
            unclosed = tuple(replace(m, leads=leads or m.leads) for m in opens.markers)
            value.append(opens._replace(label="parameter open", markers=unclosed, do=Do.OPEN_UNCLOSED))
        for edge in closed:
            ended = tuple(replace(m, leads=leads or m.leads, follow=after_call, or_end=True) for m in edge.markers)
            value.append(edge._replace(markers=ended))
        self._add(value_state, "value", value)

    def _section_close(self, frame: Tools) -> list[Edge]:
        if frame.close is None:
            return []
        return [Edge("section close", markers(frame.close), self.after, Do.CLOSE_SECTION)]

    def _add(self, name: str, channel: Channel, edges: list[Edge], over: str = "") -> None:
        # What ends a turn may also end a part of it, which is the nearer meaning.
        others = {m.core for edge in edges if edge.do is not Do.END_TURN for m in edge.markers if not m.follow}
        kept = []
        for edge in edges:
            if edge.do is Do.END_TURN:
                edge = edge._replace(markers=tuple(m for m in edge.markers if m.core not in others))
            kept.append(edge)
        self.plan[name] = Row(channel, kept, over)


def _nth(name: str, place: int) -> str:
    return name if place == 0 else f"{name}.{place + 1}"


def _unnamed(frame: Tools) -> Call:
    """The shape in a section of which least is known when the section opens: one whose opener doesn't name the call."""
    calls = shapes(frame)
    return next((call for call in calls if _channel(call.arguments) == "body"), calls[0])


def _channel(codec: Codec) -> Channel:
    return "body" if isinstance(codec, JsonCall | Python) else "arguments"


def _reading(codec: Codec) -> str:
    """The name of the state that reads what comes after a call's opener."""
    return "params" if isinstance(codec, Params) else _channel(codec)


def _begins(codec: Codec) -> str:
    """How a body or arguments begin, as a pattern of one character."""
    if isinstance(codec, JsonCall):
        return {"never": r"\{", "allowed": r"[{\[]", "always": r"\["}[codec.array]
    if isinstance(codec, Python):
        return r"[\[A-Za-z_]" if codec.layout == "list" else r"[A-Za-z_]"
    return r"\{"


def _call_open(call: Call, nth: int) -> Edge:
    """The opener of a call of the ``nth`` shape."""
    found = markers(call.open)
    codec = call.arguments
    to = _nth(_reading(codec), nth)
    if isinstance(codec, JsonCall | Python):
        found = tuple(replace(m, follow=_body_follows(codec)) for m in found)
        return Edge("call open", found, to, Do.OPEN_BODY, call=call)
    after: tuple[Units, ...] = ((Unit(_begins(codec), 1),),)
    if isinstance(codec, Params):
        after = (*(m.core for m in markers(codec.open)), *(m.core for m in markers(call.close)))
    # A hole at the end has no end of its own.
    found = tuple(replace(m, follow=after) if any(unit.hole for unit in m.core[-2:]) else m for m in found)
    return Edge("call open", found, to, Do.OPEN_CALL, call=call)


def _body_follows(codec: JsonCall | Python) -> tuple[Units, ...]:
    """What tells the beginning of a body from other text, and from the body of another shape of call."""
    if isinstance(codec, JsonCall):
        return ((Unit(_begins(codec), 1),),)
    name = Unit("[A-Za-z_]", 1)
    return ((Unit(r"\[", 1), ANY_LAYOUT, name), (name,)) if codec.layout == "list" else ((name,),)


def _after_brackets(edge: Edge) -> Edge:
    """A call's closer, also with stray brackets before it: models write some too many."""
    closers = tuple(replace(m, core=(Unit(r"[\s}\]]{0,16}", 16), *m.core), leads=()) for m in edge.markers[:1])
    return edge._replace(markers=(*edge.markers, *closers))


def _any_lead(edge: Edge) -> tuple[Marker, ...]:
    return tuple(replace(marker, any_lead=True) for marker in edge.markers)


def _cores(edges: list[Edge]) -> tuple[Units, ...]:
    return tuple(marker.core for edge in edges for marker in edge.markers)


def _followed(spelling: Spelling, follow: tuple[Units, ...]) -> tuple[Marker, ...]:
    return tuple(replace(marker, follow=follow, or_end=True) for marker in markers(spelling))


def _chains(first: tuple[Units, ...], second: tuple[Units, ...]) -> tuple[Units, ...]:
    return tuple((*a, ANY_LAYOUT, *b) for a in first for b in second)


# -- scanners ------------------------------------------------------------------------------------------------------


def _state(name: str, row: Row) -> State:
    edges = tuple(edge.derived() for edge in row.edges)
    leads = {lead for edge in edges for lead in edge.leads}
    beginnings = {lead[:end] for lead in leads for end in range(1, len(lead) + 1)}
    return State(
        name=name,
        channel=row.channel,
        edges=edges,
        over=row.over,
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
        rests = [_alternatives(place, nth, those, ended) for place, those in _by_place(found, without=short).items()]
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


def _by_place(found: list[_Found], without: list[_Found]) -> dict[int, list[_Found]]:
    places: dict[int, list[_Found]] = {}
    for each in found:
        if each not in without:
            places.setdefault(each[0], []).append(each)
    return places


def _alternatives(place: int, nth: int | str, found: list[_Found], ended: Ended) -> str:
    """The rests of an edge's markers as one group."""
    rests = [rest_whole(marker, f"e{place}_{number}_", ended) for _, number, marker in found]
    return f"(?P<e{place}_in{nth}>{'|'.join(rests)})"


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
    """No two edges of a state may have the same marker: which one was meant couldn't be known."""
    seen: dict[Units, Edge] = {}
    for edge in edges:
        for marker in edge.markers:
            other = seen.get(marker.core)
            if marker.follow or other is edge:
                continue
            if other is not None:
                raise FormatError(
                    f"{format.name}: in state {name!r} the marker of {other.label!r} is also the marker of "
                    f"{edge.label!r}; make them differ, or say what must follow"
                )
            seen[marker.core] = edge
