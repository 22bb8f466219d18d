"""One chat request answered: the engine writes, the parser separates, and what comes out is OpenAI's.

What lives here: running a plan, as one completion or as a stream of chunks. What doesn't: what is asked of the engine
(``plan``), what a chunk looks like (``wire.openai``), HTTP (``http``, ``app``). Values in, dictionaries out; an error
before the first chunk is raised, a later one is the last chunk.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Union

from ..events import Span
from ..format import Format
from ..parser import Parser
from ..wire.openai import Chunk, ChunkWriter, completion, error_body
from ..wire.openai_request import ChatRequest
from .engines.base import End, Engine, Piece
from .errors import EngineError
from .plan import plan
from .thinking import generate

UNFINISHED = "The engine stopped without finishing the answer."


class Chat:
    """One request to one engine. Make it, then take :meth:`whole` or :meth:`chunks`, once.

    Args:
        request: what the client wants.
        engine: who writes.
        format: the format to read the output in, unless the request names another.
        typing: the policy that types raw values, unless the request names another.

    Raises:
        RequestError: the request doesn't fit the model, the template or the format.
    """

    def __init__(self, request: ChatRequest, engine: Engine, format: Format, typing: str = "schema") -> None:
        self._plan = plan(request, engine.model, format, typing)
        self._engine = engine
        self._parser = self._plan.parser
        self._include_usage = request.include_usage
        self._raw = request.extension.raw
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(time.time()),
            "model": engine.model.name,
        }

    def _pieces(self) -> AsyncGenerator[Union[Piece, End], None]:
        job, budget = self._plan.job, self._plan.budget
        if budget is None:
            return self._engine.generate(job)
        return generate(self._engine, job, self._parser, budget)

    async def whole(self) -> dict[str, Any]:
        """The answer as one completion.

        Raises:
            EngineError: the engine couldn't write it.
        """
        raw: list[str] = []
        async with aclosing(self._pieces()) as pieces:
            async for piece in pieces:
                if isinstance(piece, End):
                    self._parser.finish(piece.reason)
                    message = self._parser.message
                    answer = completion(message, piece.usage, reason=piece.reason, **self._head)
                    if self._raw:
                        answer["unbraid"] = {"format": self._parser.format.name, "raw": "".join(raw), **self._told()}
                    return answer
                if self._raw:
                    raw.append(piece.text)
                self._parser.feed(piece.text)
        raise EngineError(UNFINISHED)

    async def chunks(self) -> AsyncGenerator[Chunk, None]:
        """The answer as a stream of chunks. The first comes when the engine has begun to write.

        Raises:
            EngineError: the engine failed before it wrote anything. Later failures are told in a last chunk.
        """
        writer = ChunkWriter(**self._head, include_usage=self._include_usage)
        live = _LiveSpans(self._parser)
        begun = False
        async with aclosing(self._pieces()) as pieces:
            try:
                async for piece in pieces:
                    if not begun:
                        begun = True
                        yield self._first(writer)
                    if isinstance(piece, End):
                        for chunk in self._last(writer, piece):
                            yield chunk
                        return
                    said = writer.write(self._parser.feed(piece.text))
                    if self._raw:
                        said = said or [writer.aside()]
                        said[-1]["unbraid"] = {"raw": piece.text, "spans": live.news()}
                    for chunk in said:
                        yield chunk
                raise EngineError(UNFINISHED)
            except EngineError as error:
                if not begun:
                    raise
                *held, _ = writer.write(self._parser.finish("error"))
                for chunk in held:
                    yield chunk
                yield error_body(error.message, error.type, code=error.code)

    def _first(self, writer: ChunkWriter) -> Chunk:
        first = writer.start()
        if self._raw:
            first["unbraid"] = {"format": self._parser.format.name}
        return first

    def _last(self, writer: ChunkWriter, end: End) -> list[Chunk]:
        last = writer.write(self._parser.finish(end.reason))
        if self._raw:
            last[-1]["unbraid"] = {"format": self._parser.format.name, **self._told()}
        return [*last, writer.usage(end.usage)] if self._include_usage else last

    def _told(self) -> dict[str, Any]:
        """What the extension says at the end: every span, and every note."""
        message = self._parser.message
        return {
            "spans": [_span(span) for span in message.spans],
            "notes": [note._asdict() for note in message.notes],
        }


class _LiveSpans:
    """The spans of a growing output, told as they change."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._told = 0

    def news(self) -> list[list[Any]]:
        """Spans that are new or have grown. One that begins where an earlier one did takes its place."""
        spans = self._parser.message.spans
        news = [_span(span) for span in spans[max(self._told - 1, 0) :]]
        self._told = len(spans)
        return news


def _span(span: Span) -> list[Any]:
    return [span.kind, span.start, span.end, span.label, span.call]
