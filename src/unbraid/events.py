"""What comes out of a parser: events, and the parts of the message that they add up to.

Events are small immutable tuples with a ``type`` and named fields. Don't subclass them. Spans and notes are the other
half of the answer: every character of the output belongs to exactly one span, and whatever isn't as the format says
is told in a note.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, ClassVar, Literal, NamedTuple, Union

FinishReason = Literal["stop", "length", "stop_string", "error"]
"""Why the output ended, as an engine knows it."""

SpanKind = Literal["reasoning", "content", "tool_name", "argument", "markup", "dropped"]
"""What a run of characters is. ``markup``: markers and their layout. ``dropped``: text that nobody is shown."""

NoteKind = Literal["incomplete", "repaired", "undeclared", "malformed", "promoted", "unclosed_reasoning"]
"""What can be said of a call or a message; :class:`Note` says what each means."""


class Span(NamedTuple):
    """A run of characters of the output and what it is. The spans of a parse tile the output."""

    kind: SpanKind
    start: int
    """Offset of its first character."""
    end: int
    """Offset after its last character."""
    label: str = ""
    """For markup, which marker it is and what it did, e.g. ``"reasoning close"``."""
    call: int | None = None
    """The index of the call that it belongs to."""


class Note(NamedTuple):
    """Something about a call or the message that a reader should know. Nothing is only in a log.

    * ``incomplete``: the output ended inside the call.
    * ``repaired``: a closing marker was missing, but the arguments were complete.
    * ``undeclared``: no tool of that name was offered.
    * ``malformed``: the text breaks the format or its JSON; it was passed on as it is.
    * ``promoted``: reasoning was moved to content at the end (``promote_reasoning``).
    * ``unclosed_reasoning``: the output ended inside reasoning.
    """

    kind: NoteKind
    start: int
    """Offset of the first character that it speaks of."""
    end: int
    detail: str = ""
    """One short sentence."""


class _Event(tuple):  # type: ignore[type-arg]
    """What all events share: equality by type and fields, a readable form, a dictionary for JSON."""

    __slots__ = ()
    type: ClassVar[str]
    _fields: ClassVar[tuple[str, ...]] = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and tuple.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self).__name__, tuple(self)))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({inside})"

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), tuple(self))

    def as_dict(self) -> dict[str, Any]:
        """The event as a dictionary of plain values, ``type`` first."""
        return {"type": self.type, **{k: _plain(v) for k, v in zip(self._fields, self, strict=True)}}


def _rebuild(kind: type[_Event], values: tuple[Any, ...]) -> _Event:
    return tuple.__new__(kind, values)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return value._asdict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


class Reasoning(_Event):
    """A piece of reasoning."""

    __slots__ = ()
    type = "reasoning"
    _fields = ("text",)

    def __new__(cls, text: str) -> Reasoning:
        return tuple.__new__(cls, (text,))

    text: str = property(itemgetter(0))  # type: ignore[assignment]


class Content(_Event):
    """A piece of content: words for the reader."""

    __slots__ = ()
    type = "content"
    _fields = ("text",)

    def __new__(cls, text: str) -> Content:
        return tuple.__new__(cls, (text,))

    text: str = property(itemgetter(0))  # type: ignore[assignment]


class ReasoningStart(_Event):
    """Reasoning begins. Not sent when the output starts inside reasoning that the prompt opened."""

    __slots__ = ()
    type = "reasoning_start"

    def __new__(cls) -> ReasoningStart:
        return tuple.__new__(cls)


class ReasoningEnd(_Event):
    """Reasoning is over."""

    __slots__ = ()
    type = "reasoning_end"

    def __new__(cls) -> ReasoningEnd:
        return tuple.__new__(cls)


class ToolCallStart(_Event):
    """A call begins; its name is known."""

    __slots__ = ()
    type = "tool_call_start"
    _fields = ("index", "id", "name")

    def __new__(cls, index: int, id: str, name: str) -> ToolCallStart:
        return tuple.__new__(cls, (index, id, name))

    index: int = property(itemgetter(0))  # type: ignore[assignment]
    id: str = property(itemgetter(1))  # type: ignore[assignment]
    name: str = property(itemgetter(2))  # type: ignore[assignment]


class ToolCallArguments(_Event):
    """A fragment of a call's arguments. The fragments of one call, joined, are a JSON text."""

    __slots__ = ()
    type = "tool_call_arguments"
    _fields = ("index", "json")

    def __new__(cls, index: int, json: str) -> ToolCallArguments:
        return tuple.__new__(cls, (index, json))

    index: int = property(itemgetter(0))  # type: ignore[assignment]
    json: str = property(itemgetter(1))  # type: ignore[assignment]


class ToolCallEnd(_Event):
    """A call is over; ``complete`` says whether the model finished it."""

    __slots__ = ()
    type = "tool_call_end"
    _fields = ("index", "complete", "notes")

    def __new__(cls, index: int, complete: bool, notes: tuple[Note, ...] = ()) -> ToolCallEnd:
        return tuple.__new__(cls, (index, complete, notes))

    index: int = property(itemgetter(0))  # type: ignore[assignment]
    complete: bool = property(itemgetter(1))  # type: ignore[assignment]
    notes: tuple[Note, ...] = property(itemgetter(2))  # type: ignore[assignment]


class Finish(_Event):
    """The output is over. ``reason`` is what the engine said."""

    __slots__ = ()
    type = "finish"
    _fields = ("reason", "notes")

    def __new__(cls, reason: FinishReason, notes: tuple[Note, ...] = ()) -> Finish:
        return tuple.__new__(cls, (reason, notes))

    reason: FinishReason = property(itemgetter(0))  # type: ignore[assignment]
    notes: tuple[Note, ...] = property(itemgetter(1))  # type: ignore[assignment]


Event = Union[
    ReasoningStart,
    Reasoning,
    ReasoningEnd,
    Content,
    ToolCallStart,
    ToolCallArguments,
    ToolCallEnd,
    Finish,
]
"""Everything that :meth:`unbraid.Parser.feed` and :meth:`unbraid.Parser.finish` return."""
