"""What a parser has said and marked so far: events that wait to be released, spans, and notes.

Spans tile the text up to ``end``. The output knows no formats and no states; where a hypothesis is tried out, a
parser writes to a new output and either joins it to the old one or forgets it.
"""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple, Union

from .events import Event, Note, NoteKind, Span, SpanKind
from .log import Log


class Unsaid(NamedTuple):
    """An event that goes into the message but not into the stream."""

    event: Event


class Output:
    """A growing list of events, spans and notes."""

    __slots__ = ("base", "events", "keep_spans", "notes", "spans")

    def __init__(self, keep_spans: bool) -> None:
        self.keep_spans = keep_spans
        """Whether spans are wanted at all."""
        self.events: Log[Union[Event, Unsaid]] = Log()
        self.spans: Log[Span] = Log()
        """The last one is always its own, since it may become longer."""
        self.notes: Log[Note] = Log()
        self.base = 0
        """The offset of the first character of the text that is being read."""

    def say(self, event: Event) -> None:
        """Add an event."""
        self.events.own.append(event)

    def note(self, kind: NoteKind, start: int, end: int, detail: str) -> Note:
        """Add a note; offsets are those of the output."""
        note = Note(kind, start, end, detail)
        self.notes.own.append(note)
        return note

    @property
    def last(self) -> Span | None:
        """The last span."""
        return self.spans.own[-1] if self.spans.own else None

    def mark(self, kind: SpanKind, start: int, end: int, label: str = "", call: int | None = None) -> None:
        """Say what the characters from ``start`` to ``end`` of the text that is being read are."""
        start, end = max(self.base + start, 0), self.base + end
        if end <= start or not self.keep_spans:
            return
        spans = self.spans.own
        if spans:
            last = spans[-1]
            if last[3] == label and last[0] == kind and last[4] == call and last[2] == start:
                spans[-1] = Span(kind, last[1], end, label, call)
                return
        spans.append(Span(kind, start, end, label, call))

    def since(self, offset: int, first: int | None = None) -> list[Span]:
        """The spans that end after this offset, of all or of the ``first`` so many."""
        spans = self.spans
        found: list[Span] = []
        for span in spans.backwards(len(spans) if first is None else first):
            if span.end <= offset:
                break
            found.append(span)
        return found[::-1]

    def claim(self, first: int, call: int) -> None:
        """The spans from number ``first`` on belong to this call, as is known only now."""
        claimed = [span._replace(call=call) for span in self.spans.cut(first)]
        self.spans.own += claimed

    def unmark(self, count: int, at: int) -> None:
        """Forget all but the first ``count`` spans, and of those what lies behind the offset ``at``."""
        self.spans.cut(count)
        self.spans.own_last()
        last = self.last
        if last is not None and last.end > at:
            self.spans.own[-1] = last._replace(end=at)

    def fork(self) -> Output:
        """An independent output that has said the same."""
        new = Output(self.keep_spans)
        new.base = self.base
        new.events = self.events.fork()
        new.notes = self.notes.fork()
        new.spans = self.spans.fork()
        self.spans.own_last()
        new.spans.own_last()
        return new

    def branch(self) -> Output:
        """An output of its own that goes on where this one is."""
        new = Output(self.keep_spans)
        new.base = self.base
        new.spans.own = self.spans.own[-1:]
        return new

    def join(self, branch: Output) -> None:
        """Take in all that a branch has said."""
        self.events.own += branch.events
        self.notes.own += branch.notes
        if branch.last is not None:
            self.spans.own[-1:] = branch.spans
        self.base = branch.base

    def tiles(self, first: int | None = None) -> tuple[Span, ...]:
        """The spans, or the ``first`` so many of them, with equal neighbours made one."""
        merged: list[Span] = []
        for span in islice(self.spans, first):
            last = merged[-1] if merged else None
            if last is not None and last[:1] == span[:1] and last[3:] == span[3:] and last.end == span.start:
                merged[-1] = last._replace(end=span.end)
            else:
                merged.append(span)
        return tuple(merged)
