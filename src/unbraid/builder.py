"""Adds events up to a message. It is fed with the parser's own events and knows nothing of formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from .events import (
    Content,
    Event,
    Finish,
    Note,
    Reasoning,
    ReasoningEnd,
    ReasoningStart,
    Span,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from .log import Log, Text
from .message import Message, Segment, ToolCall

Cut = Literal["apart", "keep", "drop", "text"]


class _Part:
    """One segment under construction."""

    __slots__ = ("complete", "id", "index", "kind", "name", "notes", "text")

    def __init__(self, kind: Literal["reasoning", "content", "tool_call"], index: int = -1) -> None:
        self.kind = kind
        self.index = index
        self.text = Text()
        self.id = ""
        self.name = ""
        self.complete = False
        self.notes: tuple[Note, ...] = ()

    def call(self) -> ToolCall:
        return ToolCall(self.id, self.name, str(self.text), self.complete, self.notes, self.index)

    def fork(self) -> _Part:
        new = _Part(self.kind, self.index)
        new.id, new.name, new.complete, new.notes = self.id, self.name, self.complete, self.notes
        new.text = self.text.fork()
        return new


class MessageBuilder:
    """The message so far."""

    __slots__ = ("_closed", "_cut", "_notes", "_parts", "_reason", "promoted")

    def __init__(self, cut_calls: Cut) -> None:
        self._parts: Log[_Part] = Log()
        """Only the last one still changes, and is always its own."""
        self._cut = cut_calls
        self._closed = True
        self._reason: str | None = None
        self._notes: tuple[Note, ...] = ()
        self.promoted = False
        """Whether all reasoning was moved to content."""

    def writer(self, kind: Literal["reasoning", "content"]) -> Callable[[str], int]:
        """Where the next pieces of text of this kind go."""
        parts: list[_Part] = self._parts.own
        if not parts or parts[-1].kind != kind:
            parts.append(_Part(kind))
        return parts[-1].text.write

    def arguments_writer(self) -> Callable[[str], int]:
        """Where the next fragments of the open call's arguments go."""
        return self._last.text.write

    @property
    def _last(self) -> _Part:
        last: _Part = self._parts.own[-1]
        return last

    def fork(self) -> MessageBuilder:
        """An independent builder that was told the same."""
        new = MessageBuilder(self._cut)
        new._closed, new._reason, new._notes, new.promoted = self._closed, self._reason, self._notes, self.promoted
        new._parts = self._parts.fork()
        for each in (self._parts, new._parts):
            each.own_last()
        if new._parts.own:
            new._parts.own[-1] = self._last.fork()
        return new

    def reasoning_begun(self) -> None:
        """The output starts inside reasoning."""
        self._closed = False

    def add(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, Content):
            self.writer("content")(event.text)
        elif isinstance(event, Reasoning):
            self.writer("reasoning")(event.text)
        elif isinstance(event, ToolCallArguments):
            self._last.text.write(event.json)
        elif isinstance(event, ToolCallStart):
            part = _Part("tool_call", event.index)
            part.id, part.name = event.id, event.name
            self._parts.own.append(part)
        elif isinstance(event, ToolCallEnd):
            part = self._last
            part.complete, part.notes = event.complete, event.notes
        elif isinstance(event, ReasoningStart):
            self._closed = False
        elif isinstance(event, ReasoningEnd):
            self._closed = True
        elif isinstance(event, Finish):
            self._reason, self._notes = event.reason, event.notes

    def text(self, kind: Literal["reasoning", "content"]) -> str:
        """All text of this kind so far."""
        return "".join(str(part.text) for part in self._parts if part.kind == kind)

    def message(self, spans: tuple[Span, ...], notes: tuple[Note, ...]) -> Message:
        """The message as it stands."""
        reasoning = None if self.promoted else self.text("reasoning") or None
        content = self.text("content") or None
        segments: list[Segment] = []
        calls: list[ToolCall] = []
        incomplete: list[ToolCall] = []
        for part in self._parts:
            if part.kind != "tool_call":
                text = str(part.text)
                if text and not (self.promoted and part.kind == "reasoning"):
                    if segments and segments[-1].kind == part.kind:  # a part between them was empty
                        text = segments.pop().text + text
                    segments.append(Segment(part.kind, text))
                continue
            call = part.call()
            segments.append(Segment("tool_call", call=call))
            if call.complete or self._cut == "keep":
                calls.append(call)
            elif self._cut != "drop":
                incomplete.append(call)
        return Message(
            reasoning=reasoning,
            content=content,
            tool_calls=tuple(calls),
            incomplete_calls=tuple(incomplete),
            segments=tuple(segments),
            spans=spans,
            notes=notes,
            reasoning_closed=self._closed,
            finish_reason=self._reason,
        )
