"""Events and messages as OpenAI's chat API writes them: chunks of a stream, whole completions, errors.

What lives here: the shapes of what goes *out*. What doesn't: the request (``openai_request``), the text of a stream
(``server.http`` frames chunks as server-sent events), and any opinion on where one part of the output ends, which is
the parser's.

Reasoning goes to ``reasoning_content``, the field that vLLM, SGLang, llama.cpp and DeepSeek use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..events import (
    Content,
    Event,
    Finish,
    FinishReason,
    Reasoning,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from ..message import Message

Chunk = dict[str, Any]
"""One ``chat.completion.chunk``."""


@dataclass(frozen=True)
class Usage:
    """How many tokens a request took, as the engine counted them."""

    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int = 0
    """Tokens of the prompt that the engine had already worked on."""

    def as_dict(self) -> dict[str, Any]:
        """The ``usage`` object of a completion."""
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "total_tokens": self.prompt_tokens + self.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": self.cached_tokens},
        }


def finish_reason(reason: FinishReason | str | None, complete_calls: int) -> str:
    """OpenAI's ``finish_reason``: ``"length"`` if the output was cut, else whether finished calls are waiting."""
    if reason == "length":
        return "length"
    return "tool_calls" if complete_calls else "stop"


class ChunkWriter:
    """Writes one answer as a stream of chunks: :meth:`start` once, then :meth:`write` for each list of events.

    The chunk with ``finish_reason`` is written when the events hold the ``finish`` event.
    """

    def __init__(self, *, id: str, created: int, model: str, include_usage: bool = False) -> None:
        self._head = {"id": id, "object": "chat.completion.chunk", "created": created, "model": model}
        self._include_usage = include_usage
        self._complete_calls = 0

    def start(self) -> Chunk:
        """The first chunk, which says who speaks."""
        return self._chunk({"role": "assistant"})

    def write(self, events: Iterable[Event]) -> list[Chunk]:
        """The chunks of some events, in order, one for each event that says something."""
        chunks = []
        for event in events:
            if isinstance(event, Finish):
                chunks.append(self._chunk({}, finish_reason(event.reason, self._complete_calls)))
                continue
            if isinstance(event, ToolCallEnd):
                self._complete_calls += event.complete
                continue
            delta = _delta(event)
            if delta is not None:
                chunks.append(self._chunk(delta))
        return chunks

    def usage(self, usage: Usage) -> Chunk:
        """The last chunk of a stream whose client asked for ``stream_options.include_usage``."""
        return {**self._head, "choices": [], "usage": usage.as_dict()}

    def aside(self) -> Chunk:
        """A chunk that says nothing in OpenAI's terms; something to hang an extension on."""
        return self._usage_null({**self._head, "choices": []})

    def _chunk(self, delta: dict[str, Any], reason: str | None = None) -> Chunk:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return self._usage_null({**self._head, "choices": [choice]})

    def _usage_null(self, chunk: Chunk) -> Chunk:
        return {**chunk, "usage": None} if self._include_usage else chunk


def _delta(event: Event) -> dict[str, Any] | None:
    """What an event adds to the message; ``None`` for events that OpenAI's chunks have no word for."""
    if isinstance(event, Content):
        return {"content": event.text}
    if isinstance(event, Reasoning):
        return {"reasoning_content": event.text}
    if isinstance(event, ToolCallStart):
        function = {"name": event.name, "arguments": ""}
        return {"tool_calls": [{"index": event.index, "id": event.id, "type": "function", "function": function}]}
    if isinstance(event, ToolCallArguments):
        return {"tool_calls": [{"index": event.index, "function": {"arguments": event.json}}]}
    return None


def completion(
    message: Message, usage: Usage, *, id: str, created: int, model: str, reason: FinishReason
) -> dict[str, Any]:
    """A whole answer as one ``chat.completion``."""
    choice = {
        "index": 0,
        "message": {**message.to_openai(), "refusal": None},
        "logprobs": None,
        "finish_reason": finish_reason(reason, len(message.tool_calls)),
    }
    return {
        "id": id,
        "object": "chat.completion",
        "created": created,
        "model": model,
        "choices": [choice],
        "usage": usage.as_dict(),
    }


def error_body(
    message: str, type: str = "invalid_request_error", *, param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """The body of an error, and the event that tells of one in the middle of a stream."""
    return {"error": {"message": message, "type": type, "param": param, "code": code}}
