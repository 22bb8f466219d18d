"""Adds events up to a message. It is fed with the parser's own events and knows nothing of formats."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
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
from .message import Message, Segment, ToolCall

Cut = Literal["apart", "keep", "drop", "text"]


class _Part:
    """One segment under construction."""

    __slots__ = ("buffer", "complete", "id", "index", "kind", "name", "notes")

    def __init__(self, kind: Literal["reasoning", "content", "tool_call"], index: int = -1) -> None:
        self.kind = kind
        self.index = index
        self.buffer = StringIO()
        self.id = ""
        self.name = ""
        self.complete = False
        self.notes: tuple[Note, ...] = ()

    def call(self) -> ToolCall:
        return ToolCall(self.id, self.name, self.buffer.getvalue(), self.complete, self.notes, self.index)


class MessageBuilder:
    """The message so far."""

    __slots__ = ("_calls", "_closed", "_cut", "_notes", "_parts", "_reason", "promoted")

    def __init__(self, cut_calls: Cut) -> None:
        self._parts: list[_Part] = []
        self._calls: dict[int, _Part] = {}
        self._cut = cut_calls
        self._closed = True
        self._reason: str | None = None
        self._notes: tuple[Note, ...] = ()
        self.promoted = False
        """Whether all reasoning was moved to content."""

    def writer(self, kind: Literal["reasoning", "content"]) -> Callable[[str], int]:
        """Where the next pieces of text of this kind go."""
        if not self._parts or self._parts[-1].kind != kind:
            self._parts.append(_Part(kind))
        return self._parts[-1].buffer.write

    def arguments_writer(self, index: int) -> Callable[[str], int]:
        """Where the next fragments of this call's arguments go."""
        return self._calls[index].buffer.write

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
            self._calls[event.index].buffer.write(event.json)
        elif isinstance(event, ToolCallStart):
            part = _Part("tool_call", event.index)
            part.id, part.name = event.id, event.name
            self._parts.append(part)
            self._calls[event.index] = part
        elif isinstance(event, ToolCallEnd):
            part = self._calls[event.index]
            part.complete, part.notes = event.complete, event.notes
        elif isinstance(event, ReasoningStart):
            self._closed = False
        elif isinstance(event, ReasoningEnd):
            self._closed = True
        elif isinstance(event, Finish):
            self._reason, self._notes = event.reason, event.notes

    def text(self, kind: Literal["reasoning", "content"]) -> str:
        """All text of this kind so far."""
        return "".join(part.buffer.getvalue() for part in self._parts if part.kind == kind)

    def message(self, spans: tuple[Span, ...], notes: tuple[Note, ...]) -> Message:
        """The message as it stands."""
        reasoning = None if self.promoted else self.text("reasoning") or None
        content = self.text("content") or None
        segments: list[Segment] = []
        calls: list[ToolCall] = []
        incomplete: list[ToolCall] = []
        for part in self._parts:
            if part.kind != "tool_call":
                text = part.buffer.getvalue()
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
