"""The executor: text in, events out. One machine for streams and whole texts; no I/O, no clock, no logging.

Two rules, after h11's example. All that decides where a character goes stands in the machine's table; this file only
carries out what an edge says. And every step either consumes text or changes state, and never looks at consumed text
again.

How a delta travels: where nothing is held and the text holds nothing that the state's ``trigger`` looks for, it leaves
as it came (:meth:`Parser.feed`, the fast path). Otherwise it is scanned (``_advance``), markers are crossed
(``_cross``), and events are collected, released and added to the message (``_release``).

Two things may have to wait. A *trial*: a call's opener while reasoning is open; until it is known whether reasoning
is closed later, its events wait in the trial. An *opening*: a call whose name isn't known yet; until it is, its text
may still turn out to be words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from json.encoder import encode_basestring
from os import urandom
from typing import Any, Literal, NamedTuple, Union, cast

from .arguments.json_call import JsonCallDecoder
from .arguments.params import ParamsWriter
from .arguments.scan import STRING_STOP, JsonScanner
from .builder import Cut, MessageBuilder
from .call import OpenCall, name_and_id
from .events import (
    Content,
    Event,
    Finish,
    FinishReason,
    Note,
    NoteKind,
    Reasoning,
    ReasoningEnd,
    ReasoningStart,
    Span,
    SpanKind,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from .format import Format, JsonCall, Params, nearest
from .formats import resolve
from .machine import OPENS_CALLS, Do, Edge, Machine, State, Variant, compile
from .message import Message
from .start import tail
from .tools import schemas


class OptionError(ValueError):
    """An option that doesn't exist or can't have that value. The message names the nearest valid choice."""


CHOICES: dict[str, tuple[str, ...]] = {
    "calls_in_reasoning": ("decide", "end", "text"),
    "cut_calls": ("apart", "keep", "drop", "text"),
    "stream_calls": ("progressive", "whole"),
    "undeclared": ("call", "text"),
    "forbidden_calls": ("text", "drop"),
    "fenced_calls": ("call", "text"),
}
"""The options that choose between ways, and their values, the default first."""

FINISH_REASONS: tuple[FinishReason, ...] = ("stop", "length", "stop_string", "error")

Waiting = Literal["", "marker", "name", "decision", "call", "value"]
"""For what held text waits: a marker to complete, a call's name, the end of reasoning, a call or a value to end."""

_new = tuple.__new__
_NEVER = re.compile("").search
"""A trigger that everything sets off: no fast path."""
_STRING_TRIGGER = STRING_STOP.search
_WORDS = (Reasoning, Content)
_PLAIN_STATES = {"start": "content", "answer": "content", "reasoning.start": "reasoning"}


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

    __slots__ = ("carry", "count", "events", "ids", "raw", "spans", "start")

    def __init__(self, start: int, raw: str, carry: str, events: list[Event], spans: list[Span], count: int) -> None:
        self.start = start
        self.raw = [raw]
        self.carry = carry
        """The tail of the text that may become the closing marker of reasoning."""
        self.events = events
        """The events before the trial; those of the trial wait where events are collected."""
        self.spans = spans
        self.count = count
        self.ids: list[str] = []
        """Ids that its calls were given."""


class _Unsaid(NamedTuple):
    """An event that goes into the message but not into the stream."""

    event: Event


class Parser:
    """Separates one output while it streams.

    Args:
        format: a name, an alias, or a :class:`Format`.
        tools: the tools of the request (OpenAI's shape, bare functions or Anthropic's). ``None``: not known, calls
            are recognised and values untyped. ``[]``: none were offered, so call markup is text.
        thinking: whether the request asked for reasoning; ``None`` leaves it to the format.
        prompt: the rendered prompt or its tail. Where it says in which part the output starts, it is believed.
        tool_choice: the request's; only ``"none"`` matters here.
        calls_in_reasoning: what a call marker means while reasoning is open: ``"decide"``, ``"end"`` or ``"text"``.
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
        "_advance_base", "_body_spans", "_builder", "_call", "_calls_in_reasoning", "_count", "_crossed", "_cut_calls", "_decoder", "_drop",
        "_edges", "_end", "_events", "_finished", "_format", "_held", "_index", "_kind", "_machine", "_new_call_id", "_noise", "_notes",
        "_opening", "_promote", "_reasoning_open", "_repair", "_scanner", "_schemas", "_soft", "_span_kind", "_spans", "_spare_ids", "_state",
        "_streaming", "_tools", "_trial", "_trigger", "_undeclared", "_whole", "_write",
    )  # fmt: skip

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
        chosen = {
            "calls_in_reasoning": calls_in_reasoning,
            "cut_calls": cut_calls,
            "stream_calls": stream_calls,
            "undeclared": undeclared,
            "forbidden_calls": forbidden_calls,
            "fenced_calls": fenced_calls,
        }
        for option, value in chosen.items():
            if value not in CHOICES[option]:
                raise OptionError(f"{option} can't be {value!r}{nearest(str(value), [*CHOICES[option]])}")
        self._tools = tools = None if tools is None else list(tools)
        self._schemas: dict[str, Mapping[str, Any] | None] | None = None
        forbidden = tool_choice == "none"
        offered = tools is None or bool(tools)
        self._drop = forbidden and forbidden_calls == "drop"
        calls = offered and (not forbidden or self._drop)
        self._machine: Machine = compile(
            format, Variant(calls, calls and calls_in_reasoning != "text", fenced_calls == "call")
        )
        self._calls_in_reasoning = calls_in_reasoning
        self._cut_calls = cast(Cut, cut_calls)
        self._whole = stream_calls == "whole" or cut_calls == "text"
        self._repair = repair
        self._promote = promote_reasoning
        self._undeclared = undeclared
        self._new_call_id = new_call_id or _random_id
        self._builder = MessageBuilder(self._cut_calls) if build_message or promote_reasoning else None
        self._held = ""
        self._end = 0
        """How much of the output has been consumed, in characters."""
        self._soft: tuple[str, ...] = ()
        """White space that still belongs to the marker just crossed, in its possible spellings."""
        self._spans: list[Span] = []
        self._events: list[Event] = []
        self._notes: list[Note] = []
        self._call: OpenCall | None = None
        self._decoder: JsonCallDecoder | None = None
        self._opening: _Opening | None = None
        self._trial: _Trial | None = None
        self._count = 0
        self._finished = False
        self._reasoning_open = False
        self._noise: Note | None = None
        self._body_spans = 0
        self._spare_ids: list[str] = []
        """Ids that were made for calls that turned out to be drafts."""
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
                return [_new(self._kind, (text,))]  # type: ignore[call-overload]
            return [_new(ToolCallArguments, (self._index, text))]  # type: ignore[list-item]
        return self._feed(text)

    def finish(self, reason: FinishReason = "stop") -> list[Event]:
        """The output is over; returns what was still held and a :class:`Finish`, and repeats nothing.

        Args:
            reason: ``"stop"``, ``"length"`` (cut off), ``"stop_string"`` or ``"error"``.

        Raises:
            OptionError: there is no such reason.
            RuntimeError: the output was already finished.
        """
        if reason not in FINISH_REASONS:
            raise OptionError(f"a finish reason can't be {reason!r}{nearest(str(reason), [*FINISH_REASONS])}")
        self._check_open()
        self._catch_up()
        self._advance("", at_end=True)
        if self._opening is not None and self._call is None:
            self._reject("", 0)
        self._finish_call(reason)
        self._accept_trial()
        self._finish_reasoning()
        self._finished = True
        self._events.append(Finish(reason, tuple(self._notes)))
        return self._release()

    @property
    def message(self) -> Message:
        """What the events so far add up to.

        Raises:
            RuntimeError: the parser was told not to build it.
        """
        if self._builder is None:
            raise RuntimeError("this parser was made with build_message=False, so it has no message")
        spans = list(self._spans if self._trial is None else self._trial.spans)
        said = spans[-1].end if spans else 0
        if self._trial is None and self._opening is None and said < self._end:
            spans.append(Span(self._span_kind, said, self._end, "", self._index))
        return self._builder.message(_merged(spans), tuple(self._notes))

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
        if self._opening is not None and self._call is None:
            return "name"
        call = self._call
        if call is not None and self._whole:
            return "call"
        if call is not None and call.params is not None and call.params.inside and not call.params.streams:
            return "value"
        return "marker" if self._held else ""

    # -- where it starts -----------------------------------------------------------------------------------------

    def _begin(self, prompt: str | None, thinking: bool | None) -> None:
        reasoning = self._format.reasoning
        known = False
        if prompt is not None:
            turn = tail(prompt, self._format.turns)
            if turn.text:
                known = self._run_prompt(turn.text, turn.bounded)
        if known or reasoning is None:
            return
        if (reasoning.default if thinking is None else thinking) and reasoning.opened_by == "prompt":
            self._state = self._machine["reasoning.start"]
            self._reasoning_open = True
            if self._builder is not None:
                self._builder.reasoning_begun()

    def _run_prompt(self, text: str, bounded: bool) -> bool:
        """Run the machine over the prompt's tail; whether that said where the output starts."""
        builder, self._builder = self._builder, None
        decide, self._calls_in_reasoning = self._calls_in_reasoning, "end"
        self._span_kind: SpanKind = "content"
        self._index: int | None = None
        self._advance(text)
        self._calls_in_reasoning = decide
        call = self._call
        in_call = self._state.channel not in ("content", "reasoning")
        begun = bool(self._held.strip())
        known = self._crossed or in_call or begun or (bounded and self._state.name != "start")
        self._builder = builder
        self._spans = []
        self._notes = []
        # A marker may have begun in the prompt: its characters have offsets below 0 and are never said.
        self._held = self._held if begun else ""
        self._end = -len(self._held)
        self._opening = None
        said = [each for each in self._events if call is not None and getattr(each, "index", None) == call.index]
        self._events = []
        self._count = 0
        if not known:
            self._state = self._machine["start" if self._format.reasoning else "content"]
            self._soft = ()
            return False
        if in_call and call is None and self._decoder is not None:
            self._opening = _Opening(self._machine["content"], 0, 0)
        if call is not None:
            # The prompt begins a call that the model goes on with: the client hears of it with the first event.
            call.start = 0
            self._count = 1
            self._events = [_with_index(each, 0) for each in said]
            call.index = 0
        if self._reasoning_open and builder is not None:
            builder.reasoning_begun()
        return True

    # -- one step ------------------------------------------------------------------------------------------------

    def _check_open(self) -> None:
        if self._finished:
            raise RuntimeError("the output is finished; make a new Parser for the next one")

    def _feed(self, text: str) -> list[Event]:
        self._check_open()
        if not text:
            return self._release() if self._events else []
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
        scanner = self._scanner
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
            return [_new(self._kind, (said,))], rest  # type: ignore[call-overload]
        return [ToolCallArguments(self._index, said)], rest

    def _catch_up(self) -> None:
        """Account for the text that took the fast path."""
        said = self._spans[-1].end if self._spans else 0
        if said < self._end and self._builder is not None:
            self._mark(self._span_kind, said, self._end)

    def _release(self) -> list[Event]:
        """The events that may leave, added to the message."""
        trial = self._trial
        if trial is None:
            released, self._events = self._events, []
        else:
            released, trial.events = trial.events, []
        builder = self._builder
        if builder is not None:
            for event in released:
                builder.add(event.event if isinstance(event, _Unsaid) else event)
        self._arm()
        return [event for event in released if not isinstance(event, _Unsaid)] if self._whole else released

    def _arm(self) -> None:
        """Set up the fast path for the state that has been reached."""
        self._trigger: Callable[[str], object] = _NEVER
        self._edges: frozenset[str] = frozenset()
        self._index = None
        self._span_kind = "content"
        self._write: Callable[[str], int] = len
        self._kind: type[Event] = Content
        self._streaming = False
        self._scanner: JsonScanner | None = None
        state = self._state
        if (
            self._soft or self._end < 0 or self._events or self._finished
            or self._trial is not None or self._opening is not None
        ):  # fmt: skip
            return
        channel = state.channel
        builder = self._builder
        if channel == "content" or channel == "reasoning":
            self._span_kind = channel
            self._kind = Content if channel == "content" else Reasoning
            self._trigger = _NEVER if self._held else state.trigger
            self._edges = state.soft_edges
            self._streaming = True
            if builder is not None:
                self._write = builder.writer(channel)
            return
        call = self._call
        if call is None or self._whole or self._drop:
            return
        if channel == "value":
            if call.params is None or not call.params.streams:
                return
            self._trigger = _NEVER if self._held else state.escapes
            self._edges = state.soft_edges
        else:
            scanner: JsonScanner | None = None
            if self._held:
                return
            if channel == "json":
                scanner = call.scanner
            elif channel == "json_call" and self._decoder is not None:
                scanner = self._decoder.scanner
            if scanner is None or not scanner.begun or scanner.malformed or scanner.done:
                return
            self._trigger = _STRING_TRIGGER if scanner.plain else _NEVER
            self._scanner = scanner
        self._streaming = True
        self._span_kind = "argument"
        self._index = call.index
        if builder is not None:
            self._write = builder.arguments_writer(call.index)

    def _advance(self, text: str, at_end: bool = False) -> None:
        """Consume what has arrived as far as it is clear; keep the rest."""
        buffer = self._held + text
        base = self._end
        self._advance_base = base
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
            if edge.do in OPENS_CALLS and self._reasoning_open and self._calls_in_reasoning == "decide":
                if not at_end and self._trial is None:
                    draft = self._machine["draft"]
                    if no_closer is None:
                        no_closer, closer = draft.find(buffer, place, False)
                        if closer is not None:
                            self._state = draft
                            continue
                    self._begin_trial(buffer, place, buffer[max(place, no_closer) :])
            place = self._cross(edge, found, buffer, place)
        self._held = buffer[place:]
        self._end = base + place
        opening = self._opening
        if opening is not None and place > opening.seen - base:
            opening.raw.append(buffer[opening.seen - base : place])
            opening.seen = base + place

    def _skip_soft(self, buffer: str, place: int) -> int:
        """White space that belongs to the marker just crossed."""
        start = place
        soft = self._soft
        while place < len(buffer) and soft:
            character = buffer[place]
            soft = tuple(each[1:] for each in soft if each and each[0] == character)
            if not soft:
                break
            place += 1
            soft = tuple(each for each in soft if each)
        self._soft = soft if place == len(buffer) else ()
        if place > start:
            base = self._advance_base
            last = self._spans[-1] if self._spans else None
            self._mark("markup", base + start, base + place, last.label if last else "", last.call if last else None)
        return place

    # -- text ----------------------------------------------------------------------------------------------------

    def _text(self, buffer: str, start: int, end: int) -> None:
        """Characters that are no marker: they go where the state says."""
        base = self._advance_base
        channel = self._state.channel
        start = max(start, -base)
        if start >= end:
            return
        text = buffer[start:end]
        if channel == "content":
            self._events.append(Content(text))
            self._mark("content", base + start, base + end)
        elif channel == "reasoning":
            self._events.append(Reasoning(text))
            self._mark("reasoning", base + start, base + end)
        elif channel == "value":
            assert self._call is not None and self._call.params is not None
            self._say_arguments(self._call.params.text(text))
            self._mark("argument", base + start, base + end, "", self._call.index)
        else:
            call = self._call
            self._mark("markup", base + start, base + end, "", call.index if call else None)
            if call is not None and not text.isspace():
                self._note_noise(base + end - len(text.lstrip()), base + start + len(text.rstrip()))

    def _note_noise(self, start: int, end: int) -> None:
        """Note words between a call's markers: once, however many pieces they come in."""
        call = self._call
        assert call is not None
        if self._noise is not None:
            last, start = self._noise, self._noise.start
            call.notes.remove(last)
            self._notes.remove(last)
        self._noise = self._note_call("malformed", start, end, "text that is no part of the call")

    def _mark(self, kind: SpanKind, start: int, end: int, label: str = "", call: int | None = None) -> None:
        start = max(start, 0)
        if end <= start or self._builder is None:
            return
        if self._drop and call is not None and kind != "markup":
            kind = "dropped"
        spans = self._spans
        if kind == "argument" and call is None:
            call = self._index if self._call is None else self._call.index
        if spans:
            last = spans[-1]
            if last.kind == kind and last.label == label and last.call == call and last.end == start:
                spans[-1] = Span(kind, last.start, end, label, call)
                return
        spans.append(Span(kind, start, end, label, call))

    # -- markers -------------------------------------------------------------------------------------------------

    def _cross(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """Carry out what an edge says, for a marker that begins at ``start``; returns where to go on."""
        end = found.end()
        base = self._advance_base
        do = edge.do
        self._noise = None
        if self._state.channel == "json_call" and self._call is None and self._opening is not None:
            return self._reject(buffer, end)
        if do is Do.OPEN_UNCLOSED and not self._is_next_parameter(found):
            self._text(buffer, start, end)
            return end
        if do is Do.TOGGLE_FENCE:
            self._text(buffer, start, end)
            self._state = self._machine[edge.to]
            return end
        if do in OPENS_CALLS and self._opening is None and self._call is None and self._must_wait():
            self._opening = _Opening(self._state, base + start, len(self._spans))
        if do is Do.OPEN_CALL:
            return self._open_call(edge, found, buffer, start)
        if do is Do.OPEN_BODY:
            self._open_body(edge, base + start)
        elif do is Do.OPEN_REASONING:
            self._crossed = self._reasoning_open = True
            self._events.append(ReasoningStart())
        elif do is Do.CLOSE_REASONING:
            self._crossed = True
            self._close_reasoning()
        elif do is Do.OPEN_SECTION:
            if self._opening is None:
                self._close_reasoning()
            self._end_call("repaired", base + start)
        elif do is Do.CLOSE_PARAM or do is Do.OPEN_UNCLOSED or do is Do.OPEN_PARAM:
            self._close_param()
        elif do is Do.CLOSE_CALL:
            self._close_param()
            self._end_call("", base + end)
        elif do is Do.CLOSE_SECTION or do is Do.LEAVE:
            self._end_call("repaired", base + start)
        index = self._call.index if self._call else self._count - 1 if do is Do.CLOSE_CALL else None
        if do is Do.OPEN_PARAM or do is Do.OPEN_UNCLOSED:
            self._open_param(edge, found, buffer, start)
        else:
            self._mark("markup", base + start, base + end, edge.label, index)
        if edge.to == "content" and self._opening is not None and self._call is None:
            if do is Do.LEAVE:
                return self._reject(buffer, end)
            self._opening = None
            self._close_reasoning()
        self._state = self._machine[edge.to]
        self._soft = edge.trails
        return end

    def _must_wait(self) -> bool:
        """Whether a call's opener may still turn out to be words."""
        tools = self._format.tools
        assert tools is not None
        unnamed = isinstance(tools.call.arguments, JsonCall)
        return unnamed or self._cut_calls == "text" or (self._undeclared == "text" and self._tools is not None)

    def _close_reasoning(self) -> None:
        if self._reasoning_open:
            self._reasoning_open = False
            self._events.append(ReasoningEnd())

    def _is_next_parameter(self, found: re.Match[str]) -> bool:
        """Whether an opener inside a value is the tool's next parameter, so that the value's closer is missing."""
        params = self._call.params if self._call else None
        assert params is not None
        key_start, key_end = self._state.holes(found)["key"]
        key = found.string[key_start:key_end].strip()
        return params.declares(key) and key not in params.given

    # -- calls ---------------------------------------------------------------------------------------------------

    def _open_call(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> int:
        """A call whose opener names it."""
        base = self._advance_base
        end = found.end()
        holes = self._state.holes(found)
        hole, (name_start, name_end) = next(iter(holes.items()))
        written = buffer[name_start:name_end]
        name, wire_id = written, None
        if hole == "id":
            assert self._format.tools is not None
            name, wire_id = name_and_id(written, self._format.tools.call.id)
        self._end_call("repaired", base + start)
        before = len(self._spans)
        if self._opening is None and self._must_wait():
            self._opening = _Opening(self._state, base + start, before)
        if not self._begin_call(name, wire_id, base + start):
            return self._reject(buffer, end)
        index = self._count - 1
        within = written.find(name)
        self._mark("markup", base + start, base + name_start + within, edge.label, index)
        name_ends = name_start + within + len(name)
        self._mark("tool_name", base + name_start + within, base + name_ends, "", index)
        self._mark("markup", base + name_ends, base + end, edge.label, index)
        call = self._call
        assert call is not None and self._format.tools is not None
        codec = self._format.tools.call.arguments
        if isinstance(codec, Params):
            call.params = ParamsWriter(self._schema(name), codec.untyped)
        else:
            call.scanner = JsonScanner()
        self._state = self._machine[edge.to]
        self._soft = edge.trails
        return end

    def _open_body(self, edge: Edge, at: int) -> None:
        """JSON begins: a body that holds calls, or the arguments of the open one."""
        if edge.to == "json":
            assert self._call is not None
            self._call.scanner = JsonScanner()
            return
        assert self._format.tools is not None and isinstance(self._format.tools.call.arguments, JsonCall)
        self._end_call("", at)
        if self._opening is None:
            self._opening = _Opening(self._state, at, len(self._spans))
        self._body_spans = len(self._spans)
        self._decoder = JsonCallDecoder(self._format.tools.call.arguments)

    def _begin_call(self, name: str, wire_id: str | None, start: int) -> bool:
        """A call is known. ``False``: the request wants calls of tools that weren't offered to stay text."""
        declared = self._tools is None or name in self._known()
        if not declared and self._undeclared == "text":
            return False
        if self._opening is not None:
            start = self._opening.start
            if self._cut_calls != "text":
                self._opening = None
        self._close_reasoning()
        if self._decoder is not None:
            for place in range(self._body_spans, len(self._spans)):
                self._spans[place] = self._spans[place]._replace(call=self._count)
        self._call = call = OpenCall(self._count, self._id(wire_id), name, start)
        self._count += 1
        self._say(ToolCallStart(call.index, call.id, call.name))
        if not declared:
            self._note_call("undeclared", start, start, f"no tool {name!r} was offered")
        return True

    def _id(self, wire_id: str | None) -> str:
        """The call's id: the one on the wire, or one that is made up."""
        if wire_id is not None:
            return wire_id
        id = self._spare_ids.pop(0) if self._spare_ids else self._new_call_id()
        if self._trial is not None:
            self._trial.ids.append(id)
        return id

    def _known(self) -> dict[str, Mapping[str, Any] | None]:
        if self._schemas is None:
            self._schemas = schemas(self._tools or ())
        return self._schemas

    def _schema(self, name: str) -> Mapping[str, Any] | None:
        return self._known().get(name)

    def _open_param(self, edge: Edge, found: re.Match[str], buffer: str, start: int) -> None:
        base = self._advance_base
        end = found.end()
        call = self._call
        assert call is not None and call.params is not None
        key_start, key_end = self._state.holes(found)["key"]
        key = buffer[key_start:key_end].strip()
        if key in call.params.given:
            self._note_call("malformed", base + start, base + end, f"parameter {key!r} is given twice")
        self._mark("markup", base + start, base + key_start, edge.label, call.index)
        self._mark("argument", base + key_start, base + key_end, "key", call.index)
        self._mark("markup", base + key_end, base + end, edge.label, call.index)
        self._say_arguments(call.params.open(key))

    def _close_param(self) -> None:
        params = self._call.params if self._call else None
        if params is not None and params.inside:
            self._say_arguments(params.close())

    def _end_call(self, note: Literal["", "repaired"], at: int) -> None:
        """The open call, if there is one, is over; ``note`` says that its closing marker is missing."""
        call = self._call
        if call is None:
            return
        complete = self._arguments_complete(call)
        if not complete:
            self._note_call("malformed", call.start, at, "the arguments are not complete")
        elif note and not self._repair:
            complete = False
            self._note_call("incomplete", call.start, at, "the closing marker is missing")
        elif note:
            self._note_call("repaired", call.start, at, "the closing marker was missing")
        self._close_call(complete)

    def _arguments_complete(self, call: OpenCall) -> bool:
        if call.params is not None and (call.scanner is None or call.params.count):
            return not call.params.inside
        if call.scanner is not None:
            call.scanner.finish()
            return call.scanner.done
        return self._decoder is None or self._decoder.done or self._decoder.arguments_over

    def _close_call(self, complete: bool) -> None:
        call = self._call
        assert call is not None
        if complete and call.params is not None and (call.params.count or call.scanner is None):
            self._say_arguments(call.params.end())
        malformed = self._decoder.malformed if self._decoder else call.scanner is not None and call.scanner.malformed
        if malformed and not any(note.kind == "malformed" for note in call.notes):
            self._note_call("malformed", call.start, call.start, "the arguments are not valid JSON")
        self._say(ToolCallEnd(call.index, complete, tuple(call.notes)))
        if self._whole and (complete or self._cut_calls in ("keep", "apart")) and not self._drop:
            self._release_call(call, complete)
        self._call = None
        self._opening = None if complete else self._opening

    def _release_call(self, call: OpenCall, complete: bool) -> None:
        """A call that waited to be complete leaves; one that never was stays out of the stream."""
        if complete or self._cut_calls == "keep":
            self._events.extend(call.queue)
        else:
            self._events.extend(_Unsaid(event) for event in call.queue)

    def _note_call(self, kind: NoteKind, start: int, end: int, detail: str) -> Note:
        note = Note(kind, start, end, detail)
        if self._call is not None:
            self._call.notes.append(note)
        self._notes.append(note)
        return note

    def _say(self, event: Event) -> None:
        """An event of the open call."""
        assert self._call is not None
        if self._drop:
            return
        (self._call.queue if self._whole else self._events).append(event)

    def _say_arguments(self, json: str) -> None:
        if json and self._call is not None:
            self._say(ToolCallArguments(self._call.index, json))

    # -- JSON ----------------------------------------------------------------------------------------------------

    def _read_json(self, buffer: str, place: int, at_end: bool) -> tuple[int, bool]:
        """JSON decides itself where it ends; only when it is broken does a closing marker decide.

        Returns where to go on, and whether the rest has to wait.
        """
        call = self._call
        decoder = self._decoder if self._state.channel == "json_call" else None
        scanner = None if decoder is not None else call.scanner if call else None
        malformed = decoder.malformed if decoder else scanner is not None and scanner.malformed
        limit, found = len(buffer), None
        if malformed:
            limit, found = self._state.find(buffer, place, at_end)
        stop = self._read_call(decoder, buffer, place, limit) if decoder else self._read_arguments(buffer, place, limit)
        if decoder is not None and decoder.broken:
            return self._broken(decoder, buffer, stop), False
        if (decoder.done if decoder else scanner is not None and scanner.done) and self._state.channel != "markup":
            self._state = self._machine["call.end"]
            return stop, False
        if stop < limit:
            return stop, False
        if found is None:
            return stop, True
        return self._cross(self._state.edge(found), found, buffer, stop), False

    def _read_arguments(self, buffer: str, place: int, limit: int) -> int:
        """Arguments that are a JSON object of their own."""
        call = self._call
        assert call is not None and call.scanner is not None
        base = self._advance_base
        scanner = call.scanner
        if not scanner.begun:
            begins = place
            while begins < limit and buffer[begins] in " \t\r\n":
                begins += 1
            self._mark("markup", base + place, base + begins, "", call.index)
            if begins == limit:
                return limit
            if buffer[begins] != "{" and not scanner.malformed:
                scanner.malformed = True
                return begins
            place = begins
        stop = scanner.scan(buffer, place, limit)
        self._say_arguments(buffer[place:stop])
        self._mark("argument", base + place, base + stop, "", call.index)
        return stop

    def _read_call(self, decoder: JsonCallDecoder, buffer: str, place: int, limit: int) -> int:
        """A JSON object that holds the call."""
        sink = _Sink(self, place)
        stop = decoder.feed(buffer, place, limit, sink)
        sink.mark("markup", stop)
        return stop

    def _broken(self, decoder: JsonCallDecoder, buffer: str, stop: int) -> int:
        """The body isn't a call, or no longer one."""
        if self._call is None and self._opening is not None:
            return self._reject(buffer, stop)
        self._state = self._machine["call.end"]
        return stop

    # -- openings that were words --------------------------------------------------------------------------------

    def _reject(self, buffer: str, place: int) -> int:
        """No call can come of it: all since the opener is text of the state before it."""
        opening = self._opening
        assert opening is not None
        base = self._advance_base
        text = "".join(opening.raw) + buffer[max(0, opening.seen - base) : place]
        text = text[max(0, -opening.start) :]
        self._opening = None
        self._decoder = None
        self._call = None
        self._soft = ()
        del self._spans[opening.spans :]
        parent = opening.parent.name
        name = _PLAIN_STATES.get(parent, parent)
        fits = name == "content.fence" or (name == "reasoning" and self._reasoning_open)
        self._state = self._machine[name if fits else "content"]
        start = self._spans[-1].end if self._spans else opening.start
        kind: SpanKind = "reasoning" if name == "reasoning" and self._reasoning_open else "content"
        if text:
            self._events.append(Reasoning(text) if kind == "reasoning" else Content(text))
            self._mark(kind, start, max(start, opening.start, 0) + len(text))
        if self._trial is not None and kind == "reasoning":
            self._accept_trial()
        return place

    # -- calls in open reasoning ---------------------------------------------------------------------------------

    def _begin_trial(self, buffer: str, place: int, carry: str) -> None:
        self._trial = _Trial(
            self._advance_base + place, buffer[place:], carry, self._events, self._spans, self._count
        )
        self._events = []
        self._spans = list(self._spans[-1:])

    def _is_draft(self, trial: _Trial, text: str) -> bool:
        """Whether reasoning is closed after all."""
        draft = self._machine["draft"]
        watched = trial.carry + text
        start, found = draft.find(watched, 0, False)
        if found is not None:
            return True
        trial.carry = watched[start:]
        trial.raw.append(text)
        return False

    def _back_to_reasoning(self, trial: _Trial, text: str) -> str:
        """It was a draft: undo the trial; returns the text to read again, as reasoning."""
        self._trial = None
        self._events = trial.events
        self._spans = trial.spans
        self._count = trial.count
        self._spare_ids[:0] = trial.ids
        self._state = self._machine["draft"]
        self._reasoning_open = True
        self._call = None
        self._decoder = None
        self._opening = None
        self._soft = ()
        self._held = ""
        self._end = trial.start
        self._notes = [note for note in self._notes if note.start < trial.start]
        return "".join([*trial.raw, text])

    def _accept_trial(self) -> None:
        """What was on trial stands."""
        trial = self._trial
        if trial is None:
            return
        self._trial = None
        self._events = [*trial.events, *self._events]
        before = trial.spans
        after = self._spans if not before else self._spans[1:]
        if before:
            before[-1] = self._spans[0]
        self._spans = before + after

    # -- the end -------------------------------------------------------------------------------------------------

    def _finish_call(self, reason: FinishReason) -> None:
        call = self._call
        if call is None:
            return
        if reason in ("stop", "stop_string") and self._arguments_complete(call) and self._repair:
            self._end_call("repaired", self._end)
            return
        if self._cut_calls == "text" and self._opening is not None:
            self._notes = [note for note in self._notes if note not in call.notes]
            self._count -= 1
            self._reject("", 0)
            return
        self._note_call("incomplete", call.start, self._end, "the output ended inside the call")
        self._close_call(False)

    def _finish_reasoning(self) -> None:
        if not self._reasoning_open:
            return
        self._notes.append(Note("unclosed_reasoning", self._end, self._end, "the output ended inside reasoning"))
        builder = self._builder
        if not self._promote or builder is None:
            return
        unsaid = {kind: "".join(each.text for each in self._events if isinstance(each, kind)) for kind in _WORDS}
        reasoning = builder.text("reasoning") + unsaid[Reasoning]
        content = builder.text("content") + unsaid[Content]
        if reasoning and not content.strip():
            builder.promoted = True
            self._notes.append(Note("promoted", 0, self._end, "reasoning was moved to content"))
            self._events.append(Content(reasoning))


class _Sink:
    """What a call body's decoder tells the parser, with offsets into the text of one feed."""

    __slots__ = ("at", "parser")

    def __init__(self, parser: Parser, at: int) -> None:
        self.parser = parser
        self.at = at

    def call_named(self, name: str, id: str | None, at: int) -> bool:
        return self.parser._begin_call(name, id, self.parser._advance_base + at)

    def call_arguments(self, json: str) -> None:
        self.parser._say_arguments(json)

    def call_over(self, at: int) -> None:
        parser = self.parser
        parser._end_call("", parser._advance_base + at)
        parser._body_spans = len(parser._spans)

    def mark(self, kind: str, end: int) -> None:
        if end > self.at:
            parser = self.parser
            base = parser._advance_base
            index = parser._call.index if parser._call else None
            parser._mark(cast(SpanKind, kind), base + self.at, base + end, "", index)
            self.at = end


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


def _with_index(event: Event, index: int) -> Event:
    return cast(Event, _new(type(event), (index, *tuple(event)[1:])))


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    """Spans with equal neighbours made one."""
    merged: list[Span] = []
    for span in spans:
        last = merged[-1] if merged else None
        if last is not None and last[:1] == span[:1] and last[3:] == span[3:] and last.end == span.start:
            merged[-1] = last._replace(end=span.end)
        else:
            merged.append(span)
    return tuple(merged)

