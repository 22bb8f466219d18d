"""The executor: text in, events out. One machine for streams and whole texts; no I/O, no clock, no logging.

Two rules, after h11's example. All that decides where a character goes stands in the machine's table; this file only
carries out what an edge says. And every step either consumes text or changes state, and never looks at consumed text
again.

How a delta travels: where nothing is held and the text sets off no ``trigger`` of the state, it leaves as it came
(:meth:`Parser.feed`, the fast path). Where it needs a look but can't cross a marker, it is streamed (``_stream``).
Otherwise it is scanned (``_advance``) and markers are crossed (``_cross``). What a call is said to be is decided in
``calls``.

Two things may have to wait. A *trial*: a call's opener while reasoning is open; until it is known whether reasoning
is closed later, it is read as a call into an output of its own. An *opening*: a call whose name isn't known yet;
until it is, its text may still turn out to be words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from json.encoder import encode_basestring
from os import urandom
from typing import Any, Literal, cast

from .arguments.scan import STRING_STOP, JsonScanner
from .builder import Cut, MessageBuilder
from .calls import Calls, Reading
from .events import (
    Content,
    Event,
    Finish,
    FinishReason,
    Reasoning,
    ReasoningEnd,
    ReasoningStart,
    SpanKind,
    ToolCallArguments,
)
from .format import Format
from .formats import resolve
from .machine import OPENS_CALLS, Do, Edge, Machine, State, Variant, compile
from .message import Message
from .options import CallOptions, check
from .output import Output, Unsaid
from .start import tail

Waiting = Literal["", "marker", "name", "decision", "call", "value"]
"""For what held text waits: a marker to complete, a call's name, the end of reasoning, a call or a value to end."""

_new = tuple.__new__
_NEVER = re.compile("").search
"""A trigger that everything sets off: no fast path."""
_STRING_TRIGGER = STRING_STOP.search
_NO_EDGES: frozenset[str] = frozenset()
_SETTLED = {"start": "content", "answer": "content", "reasoning.start": "reasoning"}
"""The state for words, where a state is left by a first word."""


class _Opening:
    """A call's opener and what came after it, until the call is known to be one."""

    __slots__ = ("parent", "raw", "seen", "spans", "start")

    def __init__(self, parent: State, start: int, spans: int) -> None:
        self.parent = parent
        self.start = start
        self.seen = start
        """Up to where ``raw`` holds the text."""
        self.raw: list[str] = []
        self.spans = spans
        """How many spans there were before it."""


class _Trial:
    """A call's opener in open reasoning, and all since: a draft, or a call of a model that forgot to close."""

    __slots__ = ("carry", "count", "output", "raw", "start")

    def __init__(self, start: int, raw: str, carry: str, output: Output, count: int) -> None:
        self.start = start
        self.raw = [raw]
        self.carry = carry
        """The tail of the text that may become the closing marker of reasoning."""
        self.output = output
        """The output before the trial."""
        self.count = count
        """How many calls there were before it."""


class Parser:
    """Separates one output while it streams.

    Args:
        format: a name, an alias, or a :class:`Format`.
        tools: the tools of the request (OpenAI's shape, bare functions or Anthropic's). ``None``: not known, calls
            are recognised and values untyped. ``[]``: none were offered, so call markup is text.
        thinking: whether the request asked for reasoning; ``None`` leaves it to the format.
        prompt: the rendered prompt or its tail. Where it says in which part the output starts, it is believed.
        tool_choice: the request's; only ``"none"`` matters here.
        calls_in_reasoning: what a call marker means while reasoning is open: ``"decide"``, ``"end"`` or ``"text"``;
            ``None`` leaves it to the format.
        cut_calls: what becomes of a call that the output's end cut off: ``"apart"`` (in ``incomplete_calls``),
            ``"keep"``, ``"drop"`` or ``"text"``.
        stream_calls: ``"progressive"``, or ``"whole"`` to emit a call only when it is complete.
        repair: whether a call whose arguments are complete counts at a normal stop without its closing marker.
        promote_reasoning: move reasoning that never closed to content when there is no content at the end.
        undeclared: a call of a tool that wasn't offered: ``"call"`` or ``"text"``.
        forbidden_calls: a call although ``tool_choice`` is ``"none"``: ``"text"`` or ``"drop"``.
        fenced_calls: a call inside a Markdown code fence: ``"call"`` or ``"text"``.
        build_message: whether to add events up to :attr:`message`; without it a parser holds next to nothing.
        new_call_id: makes ids for calls that have none on the wire.

    Raises:
        FormatError: there is no such format.
        OptionError: an option can't have that value.
    """

    __slots__ = (
        "_builder", "_calls", "_crossed", "_cut_to_text", "_decide", "_edges", "_end", "_finished", "_format", "_held",
        "_index", "_kind", "_machine", "_opening", "_output", "_passing", "_promote", "_quiet", "_reasoning_open",
        "_repair", "_soft", "_span_kind", "_state", "_streaming", "_trial", "_trigger", "_write",
    )  # fmt: skip

    # The fast path, set up by ``_arm`` for each state that is reached.
    _trigger: Callable[[str], object]
    """Whether a text needs a look; everything sets it off where there is no fast path."""
    _edges: frozenset[str]
    """Last characters that need a look."""
    _write: Callable[[str], int]
    """Where the message takes the text."""
    _kind: type[Content] | type[Reasoning]
    _index: int | None
    """The open call, where the text is its arguments."""
    _span_kind: SpanKind
    _streaming: bool
    """Whether text may go out through ``_stream``."""
    _passing: JsonScanner | None
    """What walks the arguments, where they are JSON that passes through."""

    def __init__(
        self,
        format: str | Format,
        *,
        tools: Iterable[Any] | None = None,
        thinking: bool | None = None,
        prompt: str | None = None,
        tool_choice: Any = None,
        calls_in_reasoning: str | None = None,
        cut_calls: str = "apart",
        stream_calls: str = "progressive",
        repair: bool = True,
        promote_reasoning: bool = False,
        undeclared: str = "call",
        forbidden_calls: str = "text",
        fenced_calls: str = "call",
        build_message: bool = True,
        new_call_id: Callable[[], str] | None = None,
    ) -> None:
        self._format = format = resolve(format)
        reasoning = format.reasoning
        if calls_in_reasoning is None:
            calls_in_reasoning = reasoning.calls if reasoning else "end"
        check("calls_in_reasoning", calls_in_reasoning)
        check("cut_calls", cut_calls)
        check("stream_calls", stream_calls)
        check("undeclared", undeclared)
        check("forbidden_calls", forbidden_calls)
        check("fenced_calls", fenced_calls)
        tools = None if tools is None else list(tools)
        forbidden = tool_choice == "none"
        drop = forbidden and forbidden_calls == "drop"
        calls = (tools is None or bool(tools)) and (drop or not forbidden)
        variant = Variant(calls, calls and calls_in_reasoning != "text", fenced_calls == "call")
        self._machine: Machine = compile(format, variant)
        self._decide = calls_in_reasoning == "decide"
        self._cut_to_text = cut_calls == "text"
        self._repair = repair
        self._promote = promote_reasoning
        keep = build_message or promote_reasoning
        self._builder = MessageBuilder(cast(Cut, cut_calls)) if keep else None
        self._output = Output(keep)
        whole = stream_calls == "whole" or self._cut_to_text
        self._quiet = whole or drop
        """Whether a call's events don't leave as they come."""
        self._calls = Calls(
            format.tools.call if format.tools else None,
            tools,
            CallOptions(cut_calls, whole, repair, undeclared, drop),
            new_call_id or _random_id,
            self._output,
        )
        self._held = ""
        self._end = 0
        """How much of the output has been consumed, in characters."""
        self._soft: tuple[str, ...] = ()
        """White space that still belongs to the marker just crossed, in its possible spellings."""
        self._opening: _Opening | None = None
        self._trial: _Trial | None = None
        self._finished = False
        self._reasoning_open = False
        self._crossed = False
        """Whether a marker of reasoning has been met."""
        self._state = self._machine["start" if reasoning else "content"]
        self._begin(prompt, thinking)
        self._arm()

    # -- the public half -----------------------------------------------------------------------------------------

    def feed(self, text: str = "") -> list[Event]:
        """Take the next piece of the output; returns what it says, in order.

        Raises:
            RuntimeError: the output was already finished.
        """
        if text and self._trigger(text) is None and text[-1] not in self._edges:
            self._end += self._write(text)
            if self._index is None:
                return [_new(self._kind, (text,))]
            return [_new(ToolCallArguments, (self._index, text))]
        return self._feed(text)

    def finish(self, reason: FinishReason = "stop") -> list[Event]:
        """The output is over; returns what was still held and a :class:`Finish`, and repeats nothing.

        Args:
            reason: ``"stop"``, ``"length"`` (cut off), ``"stop_string"`` or ``"error"``.

        Raises:
            OptionError: there is no such reason.
            RuntimeError: the output was already finished.
        """
        check("finish", reason)
        self._check_open()
        self._catch_up()
        self._advance("", at_end=True)
        if self._opening is not None and self._calls.open is None:
            self._reject("", 0)
        self._finish_call(reason)
        self._accept_trial()
        self._finish_reasoning()
        self._finished = True
        self._output.say(Finish(reason, tuple(self._output.notes)))
        return self._release()

    @property
    def message(self) -> Message:
        """What the events so far add up to.

        Raises:
            RuntimeError: the parser was told not to build it.
        """
        if self._builder is None:
            raise RuntimeError("this parser was made with build_message=False, so it has no message")
        if self._trial is None and self._opening is None:
            self._catch_up()
        said = self._output if self._trial is None else self._trial.output
        return self._builder.message(said.tiles(), tuple(said.notes))

    @property
    def format(self) -> Format:
        """The format that is read."""
        return self._format

    @property
    def bound(self) -> int:
        """The most characters that can be held while a marker may still complete."""
        return self._machine.bound

    @property
    def state(self) -> str:
        """The name of the machine's state."""
        return self._state.name

    @property
    def held(self) -> str:
        """Text that has arrived and of which nothing has been said yet. :attr:`waiting` says what it waits for."""
        if self._trial is not None:
            return "".join(self._trial.raw)[max(0, -self._trial.start) :]
        if self._opening is not None:
            return ("".join(self._opening.raw) + self._held)[max(0, -self._opening.start) :]
        return self._held[max(0, -self._end) :]

    @property
    def waiting(self) -> Waiting:
        """What held text waits for; ``""`` when nothing is held.

        ``marker`` is bounded by :attr:`bound`. The declared waits aren't: ``decision`` (a call in open reasoning),
        ``name`` (a call whose arguments come before its name), ``call`` (``stream_calls="whole"``) and ``value`` (a
        value that can be typed only when it is over).
        """
        if self._trial is not None:
            return "decision"
        call = self._calls.open
        if call is None:
            return "name" if self._opening is not None else "marker" if self._held else ""
        if self._quiet:
            return "call"
        if call.params is not None and call.params.inside and not call.params.streams:
            return "value"
        return "marker" if self._held else ""

    # -- where it starts -----------------------------------------------------------------------------------------

    def _begin(self, prompt: str | None, thinking: bool | None) -> None:
        reasoning = self._format.reasoning
        if prompt is not None:
            turn = tail(prompt, self._format.turns)
            if turn.text and self._run_prompt(turn.text, turn.bounded):
                return
        if reasoning is None or reasoning.opened_by == "model":
            return
        if reasoning.default if thinking is None else thinking:
            self._start_inside()

    def _start_inside(self) -> None:
        self._state = self._machine["reasoning.start"]
        self._reasoning_open = True
        if self._builder is not None:
            self._builder.reasoning_begun()

    def _run_prompt(self, text: str, bounded: bool) -> bool:
        """Run the machine over the prompt's tail; whether that said where the output starts."""
        decide, self._decide = self._decide, False
        self._output = self._calls.output = Output(keep_spans=False)
        self._advance(text)
        self._decide = decide
        call = self._calls.open
        said = [] if call is None else [e for e in self._output.events if getattr(e, "index", None) == call.index]
        self._output = self._calls.output = Output(keep_spans=self._builder is not None)
        in_call = self._state.channel not in ("content", "reasoning")
        begun = bool(self._held.strip())
        # A marker may have begun in the prompt: its characters have offsets below 0 and are never said.
        self._held = self._held if begun else ""
        self._end = -len(self._held)
        self._opening = None
        self._calls.count = 0
        if not (self._crossed or in_call or begun or (bounded and self._state.name != "start")):
            self._state = self._machine["start" if self._format.reasoning else "content"]
            self._soft = ()
            return False
        if call is not None:
            # The prompt begins a call that the model goes on with: the client hears of it with the first event.
            call.start, call.index = 0, 0
            self._calls.count = 1
            self._output.events = [_new(type(event), (0, *tuple(event)[1:])) for event in said]
        elif in_call and self._calls.decoder is not None:
            self._opening = _Opening(self._machine["content"], 0, 0)
        if self._reasoning_open and self._builder is not None:
            self._builder.reasoning_begun()
        return True

    # -- one step ------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._finished:
            raise RuntimeError("the output is finished; make a new Parser for the next one")

    def _feed(self, text: str) -> list[Event]:
        self._check_open()
        if not text:
            return self._release() if self._output.events else []
        streamed: list[Event] = []
        if self._streaming:
            streamed, text = self._stream(text)
            if not text:
                return streamed
        self._catch_up()
        trial = self._trial
        if trial is not None and self._is_draft(trial, text):
            text = self._back_to_reasoning(trial, text)
        self._advance(text)
        return streamed + self._release() if streamed else self._release()

    def _stream(self, text: str) -> tuple[list[Event], str]:
        """Text that goes out as it comes although it needs a look; returns what is said, and the rest."""
        scanner = self._passing
        if scanner is not None:
            stop = scanner.scan(text, 0, len(text))
            said, rest = text[:stop], text[stop:]
            self._trigger = _STRING_TRIGGER if scanner.plain else _NEVER
        else:
            state = self._state
            buffer = self._held + text
            if state.trigger(buffer) is not None:
                return [], text
            stop = state.layout(buffer, 0)
            said, rest = buffer[:stop], ""
            self._held = buffer[stop:]
            in_value = self._index is not None
            self._trigger = _NEVER if self._held else state.escapes if in_value else state.trigger
            if in_value:
                said = encode_basestring(said)[1:-1]
        self._end += stop
        if not said:
            return [], rest
        self._write(said)
        if self._index is None:
            return [_new(self._kind, (said,))], rest
        return [ToolCallArguments(self._index, said)], rest

    def _catch_up(self) -> None:
        """Mark the text that took the fast path."""
        output = self._output
        if output.marked < self._end:
            output.base = 0
            output.mark(self._span_kind, output.marked, self._end, "", self._index)

    def _release(self) -> list[Event]:
        """The events that may leave, added to the message."""
        output = self._output if self._trial is None else self._trial.output
        waiting, output.events = output.events, []
        released: list[Event] = []
        builder = self._builder
        for event in waiting:
            if isinstance(event, Unsaid):
                event = event.event
            else:
                released.append(event)
            if builder is not None:
                builder.add(event)
        self._arm()
        return released

    def _arm(self) -> None:
        """Set up the fast path for the state that has been reached."""
        self._trigger = _NEVER
        self._edges = _NO_EDGES
        self._index = None
        self._span_kind = "content"
        self._write = len
        self._kind = Content
        self._streaming = False
        self._passing = None
        waits = self._opening is not None or self._trial is not None or self._output.events
        if waits or self._soft or self._end < 0 or self._finished:
            return
        state = self._state
        channel = state.channel
        builder = self._builder
        if channel == "content" or channel == "reasoning":
            self._span_kind = channel
            self._kind = Content if channel == "content" else Reasoning
            self._trigger = _NEVER if self._held else state.trigger
            self._edges = state.soft_edges
            if builder is not None:
                self._write = builder.writer(channel)
            self._streaming = True
            return
        call = self._calls.open
        if call is None or self._quiet or channel == "markup":
            return
        if channel == "value":
            if call.params is None or not call.params.streams:
                return
            self._trigger = _NEVER if self._held else state.escapes
            self._edges = state.soft_edges
        else:
            scanner = self._calls.passing
            if scanner is None or self._held:
                return
            self._trigger = _STRING_TRIGGER if scanner.plain else _NEVER
            self._passing = scanner
        self._span_kind = "argument"
        self._index = call.index
        if builder is not None:
            self._write = builder.arguments_writer(call.index)
        self._streaming = True

    def _advance(self, text: str, at_end: bool = False) -> None:
        """Consume what has arrived as far as it is clear; keep the rest."""
        buffer = self._held + text
        base = self._end
        self._output.base = base
        place, size = 0, len(buffer)
        no_closer: int | None = None
        while True:
            if self._soft and place < size:
                place = self._skip_soft(buffer, place)
            state = self._state
            if state.channel in ("json", "json_call"):
                if place == size:
                    break
                place, waits = self._read_json(buffer, place, at_end)
                if waits:
                    break
                continue
            start, found = state.find(buffer, place, at_end)
            if start > place:
                self._text(buffer, place, start)
            place = start
            if found is None:
                break
            edge = state.edge(found)
            if edge.do in OPENS_CALLS and self._reasoning_open and self._decide and not at_end and self._trial is None:
                if no_closer is None:
                    no_closer, closer = self._machine["draft"].find(buffer, place, False)
                    if closer is not None:
                        self._state = self._machine["draft"]
                        continue
                self._begin_trial(base + place, buffer[place:], buffer[max(place, no_closer) :])
            place = self._cross(edge, found, buffer, place)
        self._held = buffer[place:]
        self._end = base + place
        opening = self._opening
        if opening is not None and opening.seen < self._end:
            opening.raw.append(buffer[opening.seen - base : place])
            opening.seen = self._end

    def _skip_soft(self, buffer: str, place: int) -> int:
        """White space that belongs to the marker just crossed."""
        start = place
        soft = self._soft
        while place < len(buffer) and soft:
            character = buffer[place]
            soft = tuple(each[1:] for each in soft if each[0] == character)
            if not soft:
                break
            place += 1
            soft = tuple(each for each in soft if each)
        self._soft = soft if place == len(buffer) else ()
        if place > start:
            last = self._output.spans[-1] if self._output.spans else None
            self._output.mark("markup", start, place, last.label if last else "", last.call if last else None)
        return place

    def _text(self, buffer: str, start: int, end: int) -> None:
        """Characters that are no marker: they go where the state says."""
        output = self._output
        start = max(start, -output.base)
        if start >= end:
            return
        channel = self._state.channel
        text = buffer[start:end]
        if channel == "content":
            output.say(Content(text))
            output.mark("content", start, end)
        elif channel == "reasoning":
            output.say(Reasoning(text))
            output.mark("reasoning", start, end)
        elif channel == "value":
            self._calls.value(text)
            self._calls.mark("argument", start, end)
        else:
            self._calls.mark("markup", start, end)
            if self._calls.open is not None and not text.isspace():
                first, last = end - len(text.lstrip()), start + len(text.rstrip())
                self._calls.note_noise(output.base + first, output.base + last)

    # -- markers -------------------------------------------------------------------------------------------------

    def _cross(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """Carry out what an edge says, for a marker that begins at ``start``; returns where to go on."""
        end = found.end()
        base = self._output.base
        calls = self._calls
        do = edge.do
        calls.marker_met()
        if self._state.channel == "json_call" and calls.open is None and self._opening is not None:
            return self._reject(buffer, end)
        if do is Do.OPEN_UNCLOSED and not self._is_next_parameter(found, buffer):
            self._text(buffer, start, end)
            return end
        if do is Do.TOGGLE_FENCE:
            self._text(buffer, start, end)
            self._state = self._machine[edge.to]
            return end
        index = calls.index
        if do in OPENS_CALLS and edge.to != "json":
            self._open(edge, base + start)
        if do is Do.OPEN_CALL:
            return self._open_call(edge, found, buffer, start)
        if do is Do.OPEN_BODY:
            if edge.to == "json":
                calls.begin_json()
            else:
                calls.begin_body()
        elif do is Do.OPEN_REASONING:
            self._crossed = self._reasoning_open = True
            self._output.say(ReasoningStart())
        elif do is Do.CLOSE_REASONING:
            self._crossed = True
            self._close_reasoning()
        elif do is Do.CLOSE_PARAM:
            calls.close_parameter()
        elif do is Do.OPEN_PARAM or do is Do.OPEN_UNCLOSED:
            calls.close_parameter()
            self._open_parameter(edge, found, buffer, start)
            start = end
        elif do is Do.CLOSE_CALL:
            calls.close_parameter()
            self._end_call(base + end, closed=True)
            index = calls.count - 1
        elif do is Do.CLOSE_SECTION or do is Do.LEAVE:
            self._end_call(base + start, closed=False)
        self._output.mark("markup", start, end, edge.label, None if do is Do.CLOSE_SECTION else index)
        if self._opening is not None and calls.open is None and edge.to == "content":
            if do is Do.LEAVE:
                return self._reject(buffer, end)
            self._opening = None
            self._close_reasoning()
        self._state = self._machine[edge.to]
        self._soft = edge.trails
        return end

    def _open(self, edge: Edge, at: int) -> None:
        """The model leaves its words to call a tool, or seems to."""
        if self._opening is None and self._calls.open is None and self._calls.may_be_words:
            self._opening = _Opening(self._state, at, len(self._output.spans))
        self._end_call(at, closed=edge.label == "another call")
        if self._opening is None:
            if self._calls.may_be_words:
                self._opening = _Opening(self._state, at, len(self._output.spans))
            else:
                self._close_reasoning()

    def _close_reasoning(self) -> None:
        if self._reasoning_open:
            self._reasoning_open = False
            self._output.say(ReasoningEnd())

    # -- calls ---------------------------------------------------------------------------------------------------

    def _open_call(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """A call whose opener names it."""
        end = found.end()
        hole, (name_start, name_end) = next(iter(self._state.holes(found).items()))
        written = buffer[name_start:name_end]
        name = self._calls.name_in(written) if hole == "id" else written
        if not self._calls.accepts(name):
            return self._reject(buffer, end)
        at = self._call_begins(self._output.base + start)
        self._calls.begin_named(name, written if hole == "id" else None, at)
        within = name_start + written.find(name)
        self._calls.mark("markup", start, within, edge.label)
        self._calls.mark("tool_name", within, within + len(name))
        self._calls.mark("markup", within + len(name), end, edge.label)
        self._state = self._machine[edge.to]
        self._soft = edge.trails
        return end

    def _body_named(self, name: str, wire_id: str | None, at: int) -> bool:
        """The call in a JSON body is known by its name."""
        if not self._calls.accepts(name):
            return False
        self._calls.begin(name, wire_id, self._call_begins(self._output.base + at))
        return True

    def _call_begins(self, at: int) -> int:
        """It was a call indeed; returns the offset at which its markup began."""
        if self._opening is not None:
            at = max(0, self._opening.start)
            if not self._cut_to_text:
                self._opening = None
        self._close_reasoning()
        return at

    def _end_call(self, at: int, closed: bool) -> None:
        if self._calls.open is not None:
            self._calls.end(at, closed)
            self._opening = None

    def _is_next_parameter(self, found: re.Match[str], buffer: str) -> bool:
        """Whether an opener inside a value is the tool's next parameter, so that the value's closer is missing."""
        start, end = self._state.holes(found)["key"]
        return self._calls.expects(buffer[start:end].strip())

    def _open_parameter(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> None:
        base = self._output.base
        key_start, key_end = self._state.holes(found)["key"]
        self._calls.mark("markup", start, key_start, edge.label)
        self._calls.mark("argument", key_start, key_end, "key")
        self._calls.mark("markup", key_end, found.end(), edge.label)
        self._calls.open_parameter(buffer[key_start:key_end].strip(), base + start, base + found.end())

    def _read_json(self, buffer: str, place: int, at_end: bool) -> tuple[int, bool]:
        """JSON decides itself where it ends; only when it is broken does a closing marker decide.

        Returns where to go on, and whether the rest has to wait.
        """
        calls = self._calls
        limit, found = len(buffer), None
        if calls.malformed:
            limit, found = self._state.find(buffer, place, at_end)
        if calls.decoder is None or self._state.channel == "json":
            stop = calls.read_arguments(buffer, place, limit)
        else:
            reading = Reading(calls, place, self._body_named)
            stop = calls.decoder.feed(buffer, place, limit, reading)
            reading.mark("markup", stop)
            if calls.decoder.broken:
                return self._broken(buffer, stop), False
        if calls.json_done:
            self._state = self._machine["call.end"]
            return stop, False
        if stop < limit:
            return stop, False
        if found is None:
            return stop, True
        return self._cross(self._state.edge(found), found, buffer, stop), False

    def _broken(self, buffer: str, stop: int) -> int:
        """The body isn't a call, or no longer one."""
        if self._calls.open is None and self._opening is not None:
            return self._reject(buffer, stop)
        self._state = self._machine["call.end"]
        return stop

    # -- openings that were words --------------------------------------------------------------------------------

    def _reject(self, buffer: str, place: int) -> int:
        """No call can come of it: all since the opener is text of the state before it."""
        opening = self._opening
        assert opening is not None
        output = self._output
        text = "".join(opening.raw) + buffer[max(0, opening.seen - output.base) : place]
        text = text[max(0, -opening.start) :]
        self._opening = None
        self._calls.decoder = None
        self._soft = ()
        del output.spans[opening.spans :]
        name = _SETTLED.get(opening.parent.name, opening.parent.name)
        in_reasoning = name == "reasoning" and self._reasoning_open
        self._state = self._machine[name if in_reasoning or name == "content.fence" else "content"]
        if text:
            output.say(Reasoning(text) if in_reasoning else Content(text))
            start = max(0, opening.start) - output.base
            output.mark("reasoning" if in_reasoning else "content", start, start + len(text))
        if in_reasoning:
            self._accept_trial()
        return place

    # -- calls in open reasoning ---------------------------------------------------------------------------------

    def _begin_trial(self, start: int, raw: str, carry: str) -> None:
        output = self._output
        self._output = output.branch()
        self._trial = _Trial(start, raw, carry, output, self._calls.on_trial(self._output))

    def _is_draft(self, trial: _Trial, text: str) -> bool:
        """Whether reasoning is closed after all."""
        watched = trial.carry + text
        start, found = self._machine["draft"].find(watched, 0, False)
        if found is not None:
            return True
        trial.carry = watched[start:]
        trial.raw.append(text)
        return False

    def _back_to_reasoning(self, trial: _Trial, text: str) -> str:
        """It was a draft: undo the trial; returns the text to read again, as reasoning."""
        self._trial = None
        self._output = trial.output
        self._calls.forget(trial.count, trial.output)
        self._state = self._machine["draft"]
        self._reasoning_open = True
        self._opening = None
        self._soft = ()
        self._held = ""
        self._end = trial.start
        return "".join([*trial.raw, text])

    def _accept_trial(self) -> None:
        """What was on trial stands."""
        trial = self._trial
        if trial is None:
            return
        self._trial = None
        trial.output.join(self._output)
        self._output = trial.output
        self._calls.on_trial(trial.output)

    # -- the end -------------------------------------------------------------------------------------------------

    def _finish_call(self, reason: FinishReason) -> None:
        calls = self._calls
        if calls.open is None:
            return
        if reason in ("stop", "stop_string") and calls.complete and self._repair:
            self._end_call(self._end, closed=False)
        elif self._cut_to_text and self._opening is not None:
            calls.retract()
            self._reject("", 0)
        else:
            calls.cut(self._end)
            self._opening = None

    def _finish_reasoning(self) -> None:
        if not self._reasoning_open:
            return
        output = self._output
        output.note("unclosed_reasoning", self._end, self._end, "the output ended inside reasoning")
        builder = self._builder
        if not self._promote or builder is None:
            return
        said = [event for event in output.events if isinstance(event, (Content, Reasoning))]
        reasoning = builder.text("reasoning") + "".join(e.text for e in said if isinstance(e, Reasoning))
        content = builder.text("content") + "".join(e.text for e in said if isinstance(e, Content))
        if reasoning and not content.strip():
            builder.promoted = True
            output.note("promoted", 0, self._end, "reasoning was moved to content")
            output.say(Content(reasoning))


def parse(text: str, format: str | Format, *, finish: FinishReason = "stop", **options: Any) -> Message:
    """The message of a whole output: what a :class:`Parser` that is fed once comes to.

    Args:
        text: the output, without the prompt.
        format: a name, an alias, or a :class:`Format`.
        finish: why the output ended.
        options: those of :class:`Parser`.
    """
    parser = Parser(format, **options)
    parser.feed(text)
    parser.finish(finish)
    return parser.message


def _random_id() -> str:
    return f"call_{urandom(12).hex()}"
