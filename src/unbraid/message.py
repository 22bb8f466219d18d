"""The message that a stream of events adds up to, and the builder that adds it up.

The builder is fed with the parser's own events, so a message holds nothing that wasn't said in the stream. It knows
nothing of formats.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, Literal

from .events import Note, Span, SpanKind


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool."""

    id: str
    """The model's own id where the format has them, otherwise made up (``call_`` and random letters)."""
    name: str
    arguments: str
    """The arguments as JSON text, as the model wrote them where the format is JSON."""
    complete: bool = True
    """Whether the model finished the call."""
    notes: tuple[Note, ...] = ()
    index: int = 0
    """Its place among all calls of the message, from 0."""


@dataclass(frozen=True)
class Segment:
    """A part of the message in the order in which the model wrote it, so that interleaved thinking survives."""

    kind: Literal["reasoning", "content", "tool_call"]
    text: str = ""
    """The words, for reasoning and content."""
    call: ToolCall | None = None


@dataclass(frozen=True)
class Message:
    """What the model said, split into its parts."""

    reasoning: str | None = None
    """All reasoning, joined; ``None`` when there was none."""
    content: str | None = None
    """All content, joined and verbatim; ``None`` when there was none."""
    tool_calls: tuple[ToolCall, ...] = ()
    """The calls that the model finished."""
    incomplete_calls: tuple[ToolCall, ...] = ()
    """Calls that were cut off. Don't run them: their arguments are what had arrived."""
    segments: tuple[Segment, ...] = ()
    spans: tuple[Span, ...] = ()
    """What each character of the output was. They tile the output."""
    notes: tuple[Note, ...] = ()
    """All notes, those on calls included, in order."""
    reasoning_closed: bool = True
    """Whether reasoning, if there was any, was closed."""
    finish_reason: str | None = None
    """Why the output ended; ``None`` while it goes on."""
    token_spans: tuple[Span, ...] = ()
    """What each token was, where ids were fed; ``start`` and ``end`` count tokens. They tile the ids."""
    token_logprobs: tuple[float, ...] = ()
    """The log-probabilities that were given with the ids, one a token; NaN for those that had none."""

    @property
    def tokens(self) -> int:
        """How many tokens the spans speak of."""
        return self.token_spans[-1].end if self.token_spans else 0

    @property
    def reasoning_tokens(self) -> int:
        """How many tokens of reasoning there are, its markers not counted. 0 where no ids were fed."""
        return sum(span.end - span.start for span in self.token_spans if span.kind == "reasoning")

    def token_mask(self, *kinds: SpanKind) -> array[int]:
        """For each token 1 if it is of one of these kinds, else 0: an array of bytes.

        >>> message.token_mask("reasoning", "content")  # doctest: +SKIP
        array('B', [0, 1, 1, 1, 0, 1, 1])
        """
        mask = array("B", bytes(self.tokens))
        for span in self.token_spans:
            if span.kind in kinds:
                mask[span.start : span.end] = array("B", b"\x01" * (span.end - span.start))
        return mask

    def logprobs(self, *kinds: SpanKind) -> tuple[float, ...]:
        """The log-probabilities of the tokens of these kinds, in order."""
        every = self.token_logprobs
        return tuple(each for s in self.token_spans if s.kind in kinds for each in every[s.start : s.end])

    def to_openai(self) -> dict[str, Any]:
        """The message as OpenAI's chat API gives it, with ``reasoning_content`` where there was reasoning."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content}
        if self.reasoning is not None:
            message["reasoning_content"] = self.reasoning
        if self.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": call.arguments},
                }
                for call in self.tool_calls
            ]
        return message
