"""Chat templates: messages and tools in, the prompt out, as Hugging Face renders them.

A template comes with a model, so it is somebody else's program: it runs in Jinja's immutable sandbox and sees only what
is handed to it. What lives here: that environment, and making our messages digestible for templates that know less
than others (no tools, arguments as text). What doesn't: what any model's template means; no model has a name here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from .errors import SetupError, TemplateError

Message = dict[str, Any]

CHATML = (
    "{% for message in messages %}"
    "<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The plainest template in wide use; stands in where a model brings none."""


class ChatTemplate:
    """A compiled chat template.

    Raises:
        SetupError: it isn't valid Jinja.
    """

    def __init__(
        self, source: str, *, variables: Mapping[str, Any] | None = None, with_tools: str | None = None
    ) -> None:
        self.source = source
        self._variables = dict(variables or {})
        environment = _environment()
        self._plain = _compile(environment, source)
        self._tools = _compile(environment, with_tools) if with_tools else self._plain
        self._all = source + (with_tools or "")

    def speaks_of(self, marker: str) -> bool:
        """Whether a marker stands in the template: the sign of a model that was trained to write it."""
        marker = marker.strip()
        return bool(marker) and marker in self._all

    @property
    def takes_tools(self) -> bool:
        """Whether the template looks at ``tools`` at all."""
        return "tools" in self._all

    def render(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        variables: Mapping[str, Any] | None = None,
    ) -> str:
        """The prompt, up to where the assistant's words begin.

        Templates disagree on two things, and say so by failing: whether the arguments of earlier calls are an object or
        text, and whether no tools are ``None`` or an empty list. Each is tried in this order, because a template that
        wants text fails on an object, while one that wants an object may quote the text once more and say nothing.

        Raises:
            TemplateError: the template refuses the messages or fails on them.
        """
        template = self._tools if tools else self._plain
        readable = list(messages) if self.takes_tools else _without_tools(messages, tools)
        ways: list[list[Any] | None] = [list(tools)] if tools else [None, []]
        attempts = [(prepared, offered) for offered in ways for prepared in (_with_objects(readable), readable)]
        failure: Exception | None = None
        for prepared, offered in attempts:
            # Copies, so that a template that keeps notes in a list can't write in the request.
            given = {**self._variables, **(variables or {}), "messages": prepared, "tools": offered}
            try:
                return template.render(deepcopy({**given, "add_generation_prompt": True}))
            except jinja2.TemplateError as error:
                raise TemplateError(f"The chat template refused the messages: {error.message}") from error
            except (TypeError, ValueError, AttributeError, ArithmeticError, LookupError, RecursionError) as error:
                failure = failure or error
        raise TemplateError(f"The chat template failed on the messages ({type(failure).__name__}).") from failure


# -------------------------------------------------------------------------------------------------- environment


class _Generation(Extension):
    """``{% generation %}``: marks the assistant's words for training. Here it only has to be understood."""

    tags = {"generation"}  # noqa: RUF012  (Jinja's own way)

    def parse(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _Sandbox(ImmutableSandboxedEnvironment):
    """Jinja's sandbox. Lists may grow and shrink, as templates made for llama.cpp have them do: all are copies."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        return (type(obj) is list and attr in ("append", "pop")) or super().is_safe_attribute(obj, attr, value)


def _environment() -> ImmutableSandboxedEnvironment:
    environment = _Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols])
    environment.filters["tojson"] = _tojson
    environment.filters["from_json"] = json.loads
    environment.globals["raise_exception"] = _raise
    environment.globals["strftime_now"] = lambda form: datetime.now().strftime(form)
    return environment


def _compile(environment: ImmutableSandboxedEnvironment, source: str) -> jinja2.Template:
    try:
        return environment.from_string(source)
    except jinja2.TemplateSyntaxError as error:
        raise SetupError(f"the chat template isn't valid Jinja: line {error.lineno}: {error.message}") from None


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """JSON as a model was shown it: no HTML escapes, unlike Jinja's own filter."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def _raise(message: str) -> str:
    raise jinja2.TemplateError(message)


# ----------------------------------------------------------------------------------------------------- messages


def _mapped_calls(messages: Sequence[Message], change: Callable[[str], Any]) -> list[Message]:
    """The messages with the arguments of their calls changed."""
    changed = []
    for message in messages:
        if message.get("tool_calls"):
            calls = [
                {**call, "function": {**call["function"], "arguments": change(call["function"]["arguments"])}}
                for call in message["tool_calls"]
            ]
            message = {**message, "tool_calls": calls}
        changed.append(message)
    return changed


def _with_objects(messages: Sequence[Message]) -> list[Message]:
    """Arguments as objects, where they are one."""

    def read(arguments: str) -> Any:
        try:
            value = json.loads(arguments)
        except ValueError:
            return arguments
        return value if isinstance(value, dict) else arguments

    return _mapped_calls(messages, read)


def _without_tools(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> list[Message]:
    """For templates that know no tools: tools are told in the system message, earlier calls as plain JSON."""
    told: list[Message] = []
    for message in messages:
        content = message["content"] or ""
        if message.get("tool_calls"):
            calls = [call["function"] for call in message["tool_calls"]]
            lines = [f'{{"name": {_tojson(each["name"])}, "arguments": {each["arguments"]}}}' for each in calls]
            content = "\n".join([content, *lines] if content else lines)
        told.append({**message, "content": content})
    if not tools:
        return told
    described = "\n".join(_tojson(tool["function"]) for tool in tools)
    return with_note(told, f"You can call these functions:\n{described}")


def with_note(messages: Sequence[Message], note: str) -> list[Message]:
    """The messages with a note at the end of the system message, which is made if there is none."""
    if messages and messages[0]["role"] == "system":
        return [{**messages[0], "content": f"{messages[0]['content']}\n\n{note}"}, *messages[1:]]
    return [{"role": "system", "content": f"You are a helpful assistant.\n\n{note}"}, *messages]
