"""What is asked of the engine, and how its output will be read: request, model and format put together.

What lives here: the decisions that need all three of them. What doesn't: what a request may hold
(``wire.openai_request``), how a template is rendered (``templates``), what a grammar looks like (``constrain``), and
carrying the plan out (``chat``). Nothing here waits, and nothing is kept between requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from ..constrain import ReasoningMode, ToolChoice, grammar, unwritable
from ..format import Format, FormatError, frames, shapes
from ..literals import written
from ..parser import Parser
from ..registry import resolve
from ..wire.fields import RequestError
from ..wire.openai_request import ChatRequest
from .engines.base import Job, Model
from .errors import TemplateError
from .templates import with_note
from .thinking import EFFORTS, Budget


@dataclass(frozen=True)
class Plan:
    """A request made ready."""

    job: Job
    parser: Parser
    """New, and used for this request only."""
    budget: Budget | None
    """How much reasoning there may be, where that is limited."""


def plan(request: ChatRequest, model: Model, format: Format, typing: str = "schema") -> Plan:
    """The plan for a request to this model, to be read in this format and typed by this policy, unless it names others.

    Raises:
        RequestError: the request doesn't fit the model, the template or the format.
    """
    if request.model is not None and request.model != model.name:
        raise RequestError(
            f"The model {request.model!r} isn't served here; {model.name!r} is.",
            param="model",
            code="model_not_found",
            status=404,
        )
    format = _format(request, format)
    thinking = _thinking(request, format, model)
    prompt = _prompt(request, format, model, thinking)
    parser = Parser(
        format,
        tools=request.tools,
        thinking=thinking,
        prompt=prompt,
        tool_choice=request.tool_choice,
        typing=request.extension.typing or typing,
    )
    constraint = _Constraint(request, format, model, thinking, parser.state)
    job = Job(
        prompt=prompt,
        max_tokens=request.max_tokens,
        stop=request.stop,
        sampling=request.sampling,
        grammar=constraint.grammar(),
        markers=format.special,
    )
    return Plan(job, parser, constraint.budget())


def _format(request: ChatRequest, default: Format) -> Format:
    if request.extension.format is None:
        return default
    try:
        return resolve(request.extension.format)
    except FormatError as error:
        raise RequestError(str(error), param="unbraid.format", code="invalid_value") from None


def _opener(format: Format) -> str:
    """How a call's first marker begins; empty for a format without tools."""
    for tools in frames(format):
        return written(tools.open or shapes(tools)[0].open).split("{")[0]
    return ""


def _knows_reasoning(format: Format, model: Model) -> bool:
    """Whether the model writes the format's reasoning by itself: its template speaks of the marker."""
    reasoning = format.reasoning
    return reasoning is not None and model.template.speaks_of(written(reasoning.close))


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


def _made_to_think(format: Format, model: Model, thinking: bool | None) -> bool:
    """Whether the model shall think though it wasn't trained to."""
    return thinking is True and not _knows_reasoning(format, model)


def _prompt(request: ChatRequest, format: Format, model: Model, thinking: bool | None) -> str:
    variables = dict(request.template_variables)
    reasoning = format.reasoning
    if reasoning is not None and thinking is not None:
        for switch in reasoning.toggle:
            variables.setdefault(switch, thinking)
    messages = request.messages
    if reasoning is not None and _made_to_think(format, model, thinking) and not unwritable(format):
        opens, closes = written(reasoning.open).strip(), written(reasoning.close).strip()
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

    def __init__(self, request: ChatRequest, format: Format, model: Model, thinking: bool | None, state: str) -> None:
        self._request = request
        self._format = format
        self._thinking = thinking
        self._made = _made_to_think(format, model, thinking)
        self._state = state
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
        if tokens is None and self._made:
            tokens = EFFORTS.get(self._request.effort or "medium", EFFORTS["medium"])
        if reasoning is None or self._thinking is False or not tokens:
            return None
        return Budget(tokens, written(reasoning.close), self._written("none"))

    def _written(self, reasoning: ReasoningMode) -> str | None:
        request = self._request
        forced = request.schema is not None or request.tool_choice not in ("auto", "none")
        if not forced and (not self._made or unwritable(self._format)):
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
