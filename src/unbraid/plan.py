"""From a format to its table. All that the parser does with text follows from the table that is built here.

What a state is, and how the parser reads on in it, is said in ``machine``. The states, and how they follow each other:

    start ──reasoning open──▶ reasoning.start ──words──▶ reasoning ──reasoning close──▶ answer ──words──▶ content
      └───────────────────────────── words ────────────────────────────────────────────────────────────────▲

From each of them a call's opener leads into the section and call states (``section``, ``arguments``, ``body``,
``params``, ``value``, ``call.end``), and from there back to ``content``. Where calls have several shapes, those of the
second are called ``params.2`` and so on. ``answer.text`` is inside the markers of an answer, ``aside`` inside those of
text for nobody. States that a format doesn't need don't exist.

Nothing here knows a parser or a text, and no model has a name here.
"""

from __future__ import annotations

from dataclasses import replace

from .ahead import announced
from .format import Call, Codec, Format, FormatError, JsonCall, Params, Python, Tools, frames, shapes
from .literals import ANY_LAYOUT, Marker, Unit, Units, markers, text_units
from .table import ALL, Channel, Do, Edge, Plan, Row, Variant

_WORDS = r"(?=\S)"


def plan(format: Format, variant: Variant = ALL) -> Plan:
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
        self._add("start", "content", self._ending([*opens, *stray, *at_once, *self._turn_ends("start"), words]))
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
        self._add("reasoning.start", "reasoning", self._ending(first))
        # Where all is framed, a part may end with the next one's opener alone, and that may be reasoning again.
        again = [opens._replace(label="reasoning opener repeated", do=Do.NOTHING)] if self.framed else []
        open_ended = [closes, *again, *inside, *self._turn_ends("reasoning")]
        self._add("reasoning", "reasoning", self._ending(open_ended))
        self._add("draft", "reasoning", [closes])

    def _ending(self, edges: list[Edge]) -> list[Edge]:
        """The edges of a state before or in reasoning, which the request may want a call to end at once."""
        return announced(edges, self.format.special) if self.variant.calls_end_reasoning else edges

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
        # Models also write it double: the same one, since another spelling closes what was opened in another way.
        closers = tuple(
            replace(m, follow=(*fits, *_chains((m.core,), (*param_open, *call_close))), or_end=True)
            for m in markers(codec.close)
        )
        value = [Edge("parameter close", closers, params, Do.CLOSE_PARAM)]
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
        item = Unit(r"\{", 1)
        array = (Unit(r"\[", 1), ANY_LAYOUT, Unit(r"[{\]]", 1))
        return {"never": ((item,),), "allowed": ((item,), array), "always": (array,)}[codec.array]
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


def _chains(first: tuple[Units, ...], second: tuple[Units, ...]) -> tuple[Units, ...]:
    return tuple((*a, ANY_LAYOUT, *b) for a in first for b in second)


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
