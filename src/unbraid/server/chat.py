"""One chat request from the checked request to its answer: prompt, constraint, engine, parser, chunks.

What lives here: the decisions that need request, model and format together. What doesn't: HTTP (``http``, ``app``),
what a request may hold (``wire.openai_request``), what a chunk looks like (``wire.openai``). Values in, dictionaries
out; an error before the first chunk is raised, one after it is the last chunk.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Union, cast

from ..constrain import ReasoningMode, ToolChoice, grammar
from ..events import FinishReason, Span
from ..format import Format, FormatError, canonical
from ..formats import resolve
from ..parser import Parser
from ..wire.openai import Chunk, ChunkWriter, Usage, completion, error_body
from ..wire.openai_request import ChatRequest, RequestError
from .engines.base import End, Engine, Job, Model, Piece
from .errors import EngineError, TemplateError
from .templates import with_note
from .thinking import EFFORTS, Budget, generate


class Chat:
    """One request to one engine. Make it, then take :meth:`whole` or :meth:`chunks`, once.

    Args:
        request: what the client wants.
        engine: who writes.
        format: the format to read the output in, unless the request names another.

    Raises:
        RequestError: the request doesn't fit the model, the template or the format.
    """

    def __init__(self, request: ChatRequest, engine: Engine, format: Format) -> None:
        model = engine.model
        if request.model is not None and request.model != model.name:
            raise RequestError(
                f"The model {request.model!r} isn't served here; {model.name!r} is.",
                param="model",
                code="model_not_found",
                status=404,
            )
        self.format = _format(request, format)
        self._request = request
        self._engine = engine
        thinking = _thinking(request, self.format, model)
        prompt = _prompt(request, self.format, model, thinking)
        self._parser = Parser(
            self.format,
            tools=request.tools,
            thinking=thinking,
            prompt=prompt,
            tool_choice=request.tool_choice,
        )
        constraint = _Constraint(request, self.format, model, thinking, self._parser)
        self._budget = constraint.budget()
        self._job = Job(
            prompt=prompt,
            max_tokens=request.max_tokens,
            stop=request.stop,
            sampling=request.sampling,
            grammar=constraint.grammar(),
            markers=self.format.special,
        )
        self._head: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "created": int(time.time()),
            "model": model.name,
        }
        self._raw: list[str] = []

    def _pieces(self) -> AsyncGenerator[Union[Piece, End], None]:
        if self._budget is None:
            return self._engine.generate(self._job)
        return generate(self._engine, self._job, self._parser, self._budget)

    async def whole(self) -> dict[str, Any]:
        """The answer as one completion.

        Raises:
            EngineError: the engine couldn't write it.
        """
        async with aclosing(self._pieces()) as pieces:
            async for piece in pieces:
                if isinstance(piece, End):
                    return self._completion(piece.reason, piece.usage)
                if self._request.extension.raw:
                    self._raw.append(piece.text)
                self._parser.feed(piece.text)
        raise EngineError("The engine stopped without finishing the answer.")

    def _completion(self, reason: FinishReason, usage: Usage) -> dict[str, Any]:
        self._parser.finish(reason)
        message = self._parser.message
        answer = completion(message, usage, reason=reason, **self._head)
        if self._request.extension.raw:
            answer["unbraid"] = {"format": self.format.name, "raw": "".join(self._raw), **self._told()}
        return answer

    async def chunks(self) -> AsyncGenerator[Chunk, None]:
        """The answer as a stream of chunks. The first comes when the engine has begun to write.

        Raises:
            EngineError: the engine failed before it wrote anything. Later failures are told in a last chunk.
        """
        writer = ChunkWriter(**self._head, include_usage=self._request.include_usage)
        raw = self._request.extension.raw
        live = _LiveSpans(self._parser)
        begun = False
        async with aclosing(self._pieces()) as pieces:
            try:
                async for piece in pieces:
                    if not begun:
                        begun = True
                        yield self._first(writer)
                    if isinstance(piece, End):
                        last = writer.write(self._parser.finish(piece.reason))
                        if raw:
                            last[-1]["unbraid"] = {"format": self.format.name, **self._told()}
                        for chunk in last:
                            yield chunk
                        if self._request.include_usage:
                            yield writer.usage(piece.usage)
                        return
                    said = writer.write(self._parser.feed(piece.text))
                    if raw:
                        said = said or [writer.aside()]
                        said[-1]["unbraid"] = {"raw": piece.text, "spans": live.news()}
                    for chunk in said:
                        yield chunk
                raise EngineError("The engine stopped without finishing the answer.")
            except EngineError as error:
                if not begun:
                    raise
                yield error_body(error.message, error.type, code=error.code)

    def _first(self, writer: ChunkWriter) -> Chunk:
        first = writer.start()
        if self._request.extension.raw:
            first["unbraid"] = {"format": self.format.name}
        return first

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


# ---------------------------------------------------------------------------------------------------- decisions


def _format(request: ChatRequest, default: Format) -> Format:
    if request.extension.format is None:
        return default
    try:
        return resolve(request.extension.format)
    except FormatError as error:
        raise RequestError(str(error), param="unbraid.format", code="invalid_value") from None


def _opener(format: Format) -> str:
    """How a call's first marker begins; empty for a format without tools."""
    tools = format.tools
    return "" if tools is None else canonical(tools.open or tools.call.open).split("{")[0]


def _knows_reasoning(format: Format, model: Model) -> bool:
    """Whether the model writes the format's reasoning by itself: its template speaks of the marker."""
    reasoning = format.reasoning
    return reasoning is not None and model.template.speaks_of(canonical(reasoning.close))


def _thinking(request: ChatRequest, format: Format, model: Model) -> bool | None:
    """Whether there shall be reasoning; ``None`` leaves it to the format.

    The template's own switches say it most clearly, then the request's fields. A model that knows no thinking
    doesn't think unless it is asked to.
    """
    reasoning = format.reasoning
    if reasoning is None:
        return None
    for switch in reasoning.toggle:
        value = request.template_variables.get(switch)
        if isinstance(value, bool):
            return value
    if request.reasoning is not None:
        return request.reasoning
    return None if _knows_reasoning(format, model) else False


def _taught(format: Format, model: Model, thinking: bool | None) -> bool:
    """Whether the model has to be made to think, because it wasn't trained to."""
    return thinking is True and not _knows_reasoning(format, model)


def _prompt(request: ChatRequest, format: Format, model: Model, thinking: bool | None) -> str:
    variables = dict(request.template_variables)
    reasoning = format.reasoning
    if reasoning is not None and thinking is not None:
        for switch in reasoning.toggle:
            variables.setdefault(switch, thinking)
    messages = request.messages
    if reasoning is not None and _taught(format, model, thinking):
        opens, closes = canonical(reasoning.open).strip(), canonical(reasoning.close).strip()
        messages = with_note(messages, f"Write your thoughts between {opens} and {closes} first, then answer.")
    tools = [] if request.tool_choice == "none" else request.tools
    try:
        return model.template.render(messages, tools=tools, variables=variables)
    except TemplateError as error:
        raise RequestError(str(error), param="messages", code="template_error") from None


class _Constraint:
    """What the output is held to, if to anything.

    A model that was trained for the format is held to it only where the request leaves no choice: a call is
    required, or a schema is given. One that wasn't is also held to it when it shall think, and then within a budget.
    """

    def __init__(
        self, request: ChatRequest, format: Format, model: Model, thinking: bool | None, parser: Parser
    ) -> None:
        self._request = request
        self._format = format
        self._thinking = thinking
        self._taught = _taught(format, model, thinking)
        self._state = parser.state
        # A model that wasn't trained for the format doesn't know when it has called often enough.
        parallel = request.parallel_tool_calls
        self._parallel = model.template.speaks_of(_opener(format)) if parallel is None else parallel

    def grammar(self) -> str | None:
        """The grammar of the whole output."""
        if self._state.startswith("reasoning"):
            return self._written("open")
        if self._state != "start" or self._thinking is False:
            return self._written("none")
        return self._written("required" if self._thinking else "optional")

    def budget(self) -> Budget | None:
        """How much reasoning there may be."""
        reasoning = self._format.reasoning
        tokens = self._request.reasoning_tokens
        if tokens is None and self._taught:
            tokens = EFFORTS.get(self._request.effort or "medium", EFFORTS["medium"])
        if reasoning is None or self._thinking is False or not tokens:
            return None
        return Budget(tokens, canonical(reasoning.close), self._written("none"))

    def _written(self, reasoning: ReasoningMode) -> str | None:
        request = self._request
        forced = request.schema is not None or request.tool_choice not in ("auto", "none")
        if not (forced or self._taught):
            return None
        try:
            return grammar(
                self._format,
                request.tools,
                tool_choice=cast(ToolChoice, request.tool_choice),
                reasoning=reasoning,
                parallel_tool_calls=self._parallel,
                response_schema=request.schema,
            )
        except FormatError as error:
            raise RequestError(f"No grammar can be made for this request: {error}", code="invalid_value") from None
