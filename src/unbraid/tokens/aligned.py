"""Which tokens an event says, with their log-probabilities: for engines and gateways that stream them with the text.

A message knows its tokens by part (``account``); here they are handed out while the events come. A token comes with the
event that says its first character, or, where its id or the rest of its text comes later than that, with the next event
of its part. One of a call's name comes with the call's start, and one of its arguments with the event that was said
when it was read, whatever notation it was converted from. Tokens of markers come with no event.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple, Union

from ..events import (
    Content,
    Event,
    Finish,
    FinishReason,
    Reasoning,
    Span,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from ..options import OptionError
from ..parser import Parser
from .strand import Strand

_Part = Union[str, "tuple[str, int | None]"]
"""``"reasoning"``, ``"content"``, or the name or the arguments of a call: the kind of span and the call's index."""


class Aligned(NamedTuple):
    """An event and the tokens that it says."""

    event: Event
    tokens: tuple[int, ...]
    """Their places among all ids, from 0."""
    logprobs: tuple[float, ...]
    """Their log-probabilities, NaN for those that came without; empty if none were ever given."""


class Alignment:
    """Feeds a parser, and says which tokens each event says. Neighbours of one kind that come in one step are joined.

    Args:
        parser: one with a tokenizer, that nothing was fed to. Feed it through this from now on.

    Raises:
        OptionError: the parser has no tokenizer, or was told not to build a message, so that it keeps no spans.

    >>> stream = Alignment(Parser("qwen3", tokenizer=tokenizer))  # doctest: +SKIP
    >>> stream.feed(" yes", [9891], [-0.25])  # doctest: +SKIP
    [Aligned(event=Content(text=' yes'), tokens=(0,), logprobs=(-0.25,))]
    """

    __slots__ = ("_parser", "_seen", "_strand", "_unsaid", "_untold")

    def __init__(self, parser: Parser) -> None:
        if parser._strand is None:
            raise OptionError("events can't be aligned with tokens without a tokenizer; make the Parser with one")
        if not parser._run.output.keep_spans:
            raise OptionError("a parser that builds no message keeps no spans; leave build_message as it is")
        self._parser = parser
        self._strand: Strand = parser._strand
        self._seen = 0
        """Up to where spans were looked at."""
        self._unsaid: dict[_Part, deque[tuple[int, int]]] = {}
        """Text of which there are spans and no events yet, in order, by its part."""
        self._untold: dict[_Part, deque[tuple[int, int]]] = {}
        """Text that was said before its ids came."""

    @property
    def parser(self) -> Parser:
        """The parser that is fed."""
        return self._parser

    def feed(
        self, text: str | None = None, ids: Sequence[int] | None = None, logprobs: Sequence[float] | None = None
    ) -> list[Aligned]:
        """Take the next piece of the output; see :meth:`Parser.feed`."""
        return self._aligned(self._parser.feed(text, ids, logprobs))

    def finish(self, reason: FinishReason = "stop") -> list[Aligned]:
        """The output is over; see :meth:`Parser.finish`. Tokens that came after their text, when no more of their part
        was said, come with the last event."""
        return self._aligned(self._parser.finish(reason))

    def fork(self) -> Alignment:
        """An independent one in the same state."""
        new = Alignment(self._parser.fork())
        new._seen = self._seen
        for old, copy in ((self._unsaid, new._unsaid), (self._untold, new._untold)):
            copy.update({part: ranges.copy() for part, ranges in old.items()})
        return new

    def _aligned(self, events: list[Event]) -> list[Aligned]:
        if not events:
            return []
        for span in self._parser._spans_since(self._seen):
            if span.kind in ("tool_name", "argument") and span.call is None:
                break  # it isn't known yet whose it is
            self._look(span)
        return [self._align(event) for event in _joined(events)]

    def _look(self, span: Span) -> None:
        start, self._seen = max(span.start, self._seen), max(span.end, self._seen)
        if span.kind in ("tool_name", "argument"):
            self._unsaid.setdefault((span.kind, span.call), deque()).append((start, span.end))
        elif span.kind in ("reasoning", "content"):
            self._unsaid.setdefault(span.kind, deque()).append((start, span.end))

    def _align(self, event: Event) -> Aligned:
        tokens: list[int] = []
        if isinstance(event, Content | Reasoning):
            self._say(event.type, len(event.text))
            self._tell(event.type, tokens)
        elif isinstance(event, ToolCallStart):
            self._say_all(("tool_name", event.index))
            self._tell(("tool_name", event.index), tokens)
        elif isinstance(event, ToolCallArguments | ToolCallEnd):
            self._say_all(("argument", event.index))
            self._tell(("argument", event.index), tokens)
        elif isinstance(event, Finish):
            for part in sorted(self._untold, key=str):
                self._tell(part, tokens)
            tokens.sort()
        return Aligned(event, tuple(tokens), self._strand.logprobs_of(tokens))

    def _say(self, part: _Part, characters: int) -> None:
        """So many characters of a part were said."""
        offset = self._strand.offset
        unsaid = self._unsaid.get(part, deque())
        said = self._untold.setdefault(part, deque())
        while characters and unsaid:
            start, end = unsaid.popleft()
            size = offset(end) - offset(start)
            if size > characters:
                stop = start + characters
                while offset(stop) - offset(start) < characters:
                    stop += characters - (offset(stop) - offset(start))
                unsaid.appendleft((stop, end))
                end, size = stop, characters
            said.append((start, end))
            characters -= size

    def _say_all(self, part: _Part) -> None:
        self._untold.setdefault(part, deque()).extend(self._unsaid.pop(part, ()))

    def _tell(self, part: _Part, tokens: list[int]) -> None:
        """Add the tokens of what was said of a part, as far as their ids came."""
        strand = self._strand
        said = self._untold.pop(part, None) or deque()
        while said and said[0][0] < strand.counted:
            start, end = said.popleft()
            counted = min(end, strand.counted)
            tokens.extend(range(strand.first_token(start), min(strand.first_token(counted), len(strand.ends))))
            if counted < end:
                said.appendleft((counted, end))
        if said:
            self._untold[part] = said


def _joined(events: list[Event]) -> list[Event]:
    """Neighbours of one kind as one."""
    found: list[Any] = []
    for event in events:
        last = found[-1] if found else None
        if isinstance(event, Content | Reasoning) and type(last) is type(event):
            found[-1] = type(event)(last.text + event.text)
        elif isinstance(event, ToolCallArguments) and isinstance(last, ToolCallArguments):
            found[-1] = ToolCallArguments(event.index, last.json + event.json)
        else:
            found.append(event)
    return found
