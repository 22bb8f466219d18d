"""A chat request as OpenAI's API takes it, read into one frozen value or refused with a sentence and its place.

What lives here: which fields are honoured, what they may hold, what is refused. What doesn't: what a format or a model
makes of them (``server.chat``). Reading is strict where a wrong value would change the answer, and silent about fields
that it doesn't know, because clients send many.

Beyond OpenAI's own fields these are read:

* ``chat_template_kwargs``: variables for the chat template, among them those that switch thinking.
* ``reasoning``: ``true``, ``false`` or ``{"enabled": ..., "effort": ..., "max_tokens": ...}``; ``reasoning_effort``
  is OpenAI's own.
* ``top_k``, ``min_p``, ``repetition_penalty``: sampling, as other local servers know it.
* ``unbraid``: ``{"raw": true}`` adds the raw text and its spans to the answer, ``{"format": NAME}`` chooses the format,
  ``{"typing": POLICY}`` how values are typed where arguments aren't JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Union

from ..options import OptionError, check
from .fields import Json, RequestError, boolean, integer, mapping, number, string

ToolChoice = Union[str, "dict[str, Any]"]
"""``"auto"``, ``"none"``, ``"required"`` or ``{"type": "function", "function": {"name": ...}}``."""

_NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
_RESERVED = frozenset({"messages", "tools", "add_generation_prompt"})
_MOST_STOPS = 16
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")


@dataclass(frozen=True)
class Extension:
    """The request's own ``unbraid`` field."""

    raw: bool = False
    """Whether the answer carries the raw text and what each character was."""
    format: str | None = None
    """The format to read the model's output in, where it isn't the server's."""
    typing: str | None = None
    """The policy that types raw values, where it isn't the server's."""


@dataclass(frozen=True)
class ChatRequest:
    """What a client asked for, checked. Messages and tools are as a chat template wants them."""

    messages: list[dict[str, Any]]
    """Contents are strings or ``None``; the arguments of earlier calls are the JSON text that was sent."""
    model: str | None = None
    stream: bool = False
    include_usage: bool = False
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    sampling: Mapping[str, float] = field(default_factory=dict)
    """Only what the client gave, by OpenAI's names."""
    tools: list[dict[str, Any]] = field(default_factory=list)
    """Empty when none were offered."""
    tool_choice: ToolChoice = "auto"
    parallel_tool_calls: bool | None = None
    """``None`` when the client didn't say."""
    schema: dict[str, Any] | None = None
    """The JSON schema that the content must fit, from ``response_format``."""
    reasoning: bool | None = None
    """Whether the client wants reasoning; ``None`` when it didn't say. Template variables may say more."""
    effort: str | None = None
    reasoning_tokens: int | None = None
    """The most tokens of reasoning that the client wants."""
    template_variables: Mapping[str, Any] = field(default_factory=dict)
    extension: Extension = Extension()


def read_request(body: Json) -> ChatRequest:
    """The request in a decoded JSON body.

    Raises:
        RequestError: something in it can't be honoured; ``param`` says what.
    """
    if not isinstance(body, dict):
        raise RequestError("The body must be a JSON object.", code="invalid_type")
    _refuse_unsupported(body)
    tools = _tools(body)
    reasoning = _reasoning(body)
    stream = boolean(body, "stream") or False
    return ChatRequest(
        messages=_messages(body),
        model=string(body, "model"),
        stream=stream,
        include_usage=_include_usage(body, stream),
        max_tokens=_max_tokens(body),
        stop=_stop(body),
        sampling=_sampling(body),
        tools=tools,
        tool_choice=_tool_choice(body, tools),
        parallel_tool_calls=boolean(body, "parallel_tool_calls"),
        schema=_schema(body),
        reasoning=reasoning.wanted,
        effort=reasoning.effort,
        reasoning_tokens=reasoning.tokens,
        template_variables=_template_variables(body, reasoning.effort),
        extension=_extension(body),
    )


# ------------------------------------------------------------------------------------------------ whole request


def _refuse_unsupported(body: dict[str, Json]) -> None:
    """Fields that would change the answer and that nothing here can do."""
    n = body.get("n")
    if n is not None and (n != 1 or isinstance(n, bool)):
        raise RequestError("'n' must be 1: one answer is written per request.", param="n", code="invalid_value")
    if body.get("logprobs") or body.get("top_logprobs"):
        raise RequestError("Log-probabilities aren't available here.", param="logprobs", code="unsupported_parameter")
    if body.get("logit_bias"):
        raise RequestError("'logit_bias' isn't supported.", param="logit_bias", code="unsupported_parameter")
    for old, new in (("functions", "tools"), ("function_call", "tool_choice")):
        if body.get(old):
            raise RequestError(f"'{old}' isn't supported; use '{new}'.", param=old, code="unsupported_parameter")
    if body.get("modalities") not in (None, ["text"]):
        raise RequestError("Only text is written here.", param="modalities", code="unsupported_parameter")


def _include_usage(body: dict[str, Json], stream: bool) -> bool:
    options = mapping(body, "stream_options")
    if options is None:
        return False
    if not stream:
        raise RequestError(
            "'stream_options' may only be given when 'stream' is true.",
            param="stream_options",
            code="invalid_value",
        )
    return boolean(options, "include_usage", "stream_options.") or False


def _max_tokens(body: dict[str, Json]) -> int | None:
    for key in ("max_completion_tokens", "max_tokens"):
        value = integer(body, key)
        if value is not None:
            if value < 1:
                raise RequestError(f"'{key}' must be at least 1.", param=key, code="invalid_value")
            return value
    return None


def _stop(body: dict[str, Json]) -> tuple[str, ...]:
    value = body.get("stop")
    if value is None:
        return ()
    every = [value] if isinstance(value, str) else value
    if not isinstance(every, list) or not all(isinstance(each, str) and each for each in every):
        raise RequestError(
            "'stop' must be a string or a list of strings, none of them empty.",
            param="stop",
            code="invalid_type",
        )
    if len(every) > _MOST_STOPS:
        raise RequestError(f"'stop' may hold at most {_MOST_STOPS} strings.", param="stop", code="invalid_value")
    return tuple(every)


def _sampling(body: dict[str, Json]) -> dict[str, float]:
    ranges = {
        "temperature": (0.0, 2.0),
        "top_p": (0.0, 1.0),
        "min_p": (0.0, 1.0),
        "frequency_penalty": (-2.0, 2.0),
        "presence_penalty": (-2.0, 2.0),
        "repetition_penalty": (0.0, 10.0),
    }
    found: dict[str, float] = {}
    for key, (low, high) in ranges.items():
        value = number(body, key)
        if value is not None:
            if not low <= value <= high:
                raise RequestError(f"'{key}' must be between {low:g} and {high:g}.", param=key, code="invalid_value")
            found[key] = value
    for key in ("seed", "top_k"):
        whole = integer(body, key)
        if whole is not None:
            found[key] = whole
    return found


def _schema(body: dict[str, Json]) -> dict[str, Any] | None:
    wanted = mapping(body, "response_format")
    if wanted is None or wanted.get("type") == "text":
        return None
    if wanted.get("type") == "json_object":
        return {"type": "object"}
    if wanted.get("type") == "json_schema":
        inner = mapping(wanted, "json_schema", "response_format.")
        schema = inner.get("schema") if inner is not None else None
        if isinstance(schema, dict):
            return schema
        raise RequestError(
            "'response_format.json_schema.schema' must be a JSON schema.",
            param="response_format.json_schema.schema",
            code="invalid_type",
        )
    raise RequestError(
        "'response_format.type' must be 'text', 'json_object' or 'json_schema'.",
        param="response_format.type",
        code="invalid_value",
    )


class _Reasoning(NamedTuple):
    wanted: bool | None
    effort: str | None
    tokens: int | None


def _reasoning(body: dict[str, Json]) -> _Reasoning:
    """What the request says of reasoning. The clearest word wins."""
    effort = _effort(body, "reasoning_effort", "")
    wanted = None if effort is None else effort != "none"
    tokens = None
    asked = body.get("reasoning")
    if isinstance(asked, dict):
        inner = _effort(asked, "effort", "reasoning.")
        if inner is not None:
            effort, wanted = inner, inner != "none"
        tokens = integer(asked, "max_tokens", "reasoning.")
        if tokens is not None:
            wanted = tokens > 0
        enabled = boolean(asked, "enabled", "reasoning.")
        wanted = wanted if enabled is None else enabled
    elif asked is not None:
        wanted = boolean(body, "reasoning")
    return _Reasoning(wanted, effort, tokens)


def _template_variables(body: dict[str, Json], effort: str | None) -> dict[str, Any]:
    variables = dict(mapping(body, "chat_template_kwargs") or {})
    for key in _RESERVED & set(variables):
        raise RequestError(
            f"'chat_template_kwargs.{key}' is set by the server.",
            param=f"chat_template_kwargs.{key}",
            code="invalid_value",
        )
    if effort is not None and effort != "none":
        variables.setdefault("reasoning_effort", effort)
    return variables


def _effort(body: dict[str, Json], key: str, path: str) -> str | None:
    effort = string(body, key, path)
    if effort is not None and effort not in _EFFORTS:
        raise RequestError(
            f"'{path}{key}' must be one of {', '.join(_EFFORTS)}.", param=path + key, code="invalid_value"
        )
    return effort


def _extension(body: dict[str, Json]) -> Extension:
    wanted = mapping(body, "unbraid") or {}
    typing = string(wanted, "typing", "unbraid.")
    if typing is not None:
        try:
            check("typing", typing)
        except OptionError as error:
            raise RequestError(f"{error}", param="unbraid.typing", code="invalid_value") from None
    return Extension(
        raw=boolean(wanted, "raw", "unbraid.") or False,
        format=string(wanted, "format", "unbraid."),
        typing=typing,
    )


# -------------------------------------------------------------------------------------------------------- tools


def _tools(body: dict[str, Json]) -> list[dict[str, Any]]:
    tools = body.get("tools")
    if tools is None:
        return []
    if not isinstance(tools, list):
        raise RequestError("'tools' must be a list.", param="tools", code="invalid_type")
    found = []
    seen: set[str] = set()
    for place, tool in enumerate(tools):
        path = f"tools[{place}]"
        if not isinstance(tool, dict) or tool.get("type", "function") != "function":
            raise RequestError(
                f"'{path}' must be an object of type 'function'.", param=f"{path}.type", code="invalid_value"
            )
        function = mapping(tool, "function", f"{path}.")
        if function is None:
            raise RequestError(
                f"'{path}.function' is missing.",
                param=f"{path}.function",
                code="missing_required_parameter",
            )
        name = _function_name(function, f"{path}.function.")
        if name in seen:
            raise RequestError(
                f"The tool '{name}' is offered twice.", param=f"{path}.function.name", code="invalid_value"
            )
        seen.add(name)
        string(function, "description", f"{path}.function.")
        mapping(function, "parameters", f"{path}.function.")
        found.append({"type": "function", "function": function})
    return found


def _function_name(function: dict[str, Json], path: str) -> str:
    name = string(function, "name", path)
    if name is None:
        raise RequestError(f"'{path}name' is missing.", param=f"{path}name", code="missing_required_parameter")
    if not _NAME.fullmatch(name):
        raise RequestError(
            f"'{path}name' may hold letters, digits and _ . : / - only, at most 128 of them.",
            param=f"{path}name",
            code="invalid_value",
        )
    return name


def _tool_choice(body: dict[str, Json], tools: list[dict[str, Any]]) -> ToolChoice:
    choice = body.get("tool_choice")
    if choice is None or choice in ("auto", "none"):
        return choice or "auto"
    if choice == "required":
        if tools:
            return "required"
        raise RequestError(
            "'tool_choice' is 'required', but no tools are offered.",
            param="tool_choice",
            code="invalid_value",
        )
    if not isinstance(choice, dict) or choice.get("type") != "function":
        raise RequestError(
            "'tool_choice' must be 'auto', 'none', 'required' or "
            '{"type": "function", "function": {"name": ...}}.',
            param="tool_choice",
            code="invalid_value",
        )
    function = mapping(choice, "function", "tool_choice.") or {}
    name = _function_name(function, "tool_choice.function.")
    if name not in {tool["function"]["name"] for tool in tools}:
        raise RequestError(
            f"'tool_choice' names '{name}', which isn't among the tools.",
            param="tool_choice.function.name",
            code="invalid_value",
        )
    return {"type": "function", "function": {"name": name}}


# ----------------------------------------------------------------------------------------------------- messages


def _messages(body: dict[str, Json]) -> list[dict[str, Any]]:
    messages = body.get("messages")
    if messages is None:
        raise RequestError("'messages' is missing.", param="messages", code="missing_required_parameter")
    if not isinstance(messages, list) or not messages:
        raise RequestError(
            "'messages' must be a list with at least one message.", param="messages", code="invalid_type"
        )
    return [_message(message, f"messages[{place}]") for place, message in enumerate(messages)]


def _message(message: Json, path: str) -> dict[str, Any]:
    if not isinstance(message, dict):
        raise RequestError(f"'{path}' must be an object.", param=path, code="invalid_type")
    role = message.get("role")
    if role not in ("system", "developer", "user", "assistant", "tool"):
        raise RequestError(
            f"'{path}.role' must be 'system', 'developer', 'user', 'assistant' or 'tool'.",
            param=f"{path}.role",
            code="invalid_value",
        )
    read: dict[str, Any] = {"role": "system" if role == "developer" else role}
    read["content"] = _content(message.get("content"), f"{path}.content", needed=role != "assistant")
    name = string(message, "name", f"{path}.")
    if name is not None:
        read["name"] = name
    if role == "tool":
        read["tool_call_id"] = string(message, "tool_call_id", f"{path}.")
        if read["tool_call_id"] is None:
            raise RequestError(
                f"'{path}.tool_call_id' is missing: it says which call this answers.",
                param=f"{path}.tool_call_id",
                code="missing_required_parameter",
            )
    if role == "assistant":
        _assistant(message, read, path)
    return read


def _assistant(message: dict[str, Json], read: dict[str, Any], path: str) -> None:
    thought = string(message, "reasoning_content", f"{path}.")
    if thought is None and isinstance(message.get("reasoning"), str):
        thought = message["reasoning"]
    if thought is not None:
        read["reasoning_content"] = thought
    calls = message.get("tool_calls")
    if calls is None or calls == []:
        if read["content"] is None:
            raise RequestError(
                f"'{path}' has neither content nor tool calls.",
                param=f"{path}.content",
                code="missing_required_parameter",
            )
        return
    if not isinstance(calls, list):
        raise RequestError(f"'{path}.tool_calls' must be a list.", param=f"{path}.tool_calls", code="invalid_type")
    read["tool_calls"] = [_call(call, f"{path}.tool_calls[{n}]") for n, call in enumerate(calls)]


def _call(call: Json, path: str) -> dict[str, Any]:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        raise RequestError(f"'{path}' must be an object with a function.", param=path, code="invalid_type")
    name = _function_name(function, f"{path}.function.")
    arguments = string(function, "arguments", f"{path}.function.")
    return {
        "id": string(call, "id", f"{path}.") or "",
        "type": "function",
        "function": {"name": name, "arguments": "{}" if arguments is None else arguments},
    }


def _content(content: Json, path: str, *, needed: bool) -> str | None:
    """The text of a message; the text parts of a list, one a line."""
    if isinstance(content, str):
        return content
    if content is None:
        if needed:
            raise RequestError(f"'{path}' is missing.", param=path, code="missing_required_parameter")
        return None
    if not isinstance(content, list):
        raise RequestError(f"'{path}' must be a string or a list of parts.", param=path, code="invalid_type")
    texts = []
    for place, part in enumerate(content):
        kind = part.get("type") if isinstance(part, dict) else None
        if kind not in ("text", "refusal"):
            raise RequestError(
                f"'{path}[{place}]' isn't text, and only text is read here.",
                param=f"{path}[{place}].type",
                code="unsupported_content",
            )
        text = part.get(kind)
        if not isinstance(text, str):
            raise RequestError(
                f"'{path}[{place}].{kind}' must be a string.",
                param=f"{path}[{place}].{kind}",
                code="invalid_type",
            )
        texts.append(text)
    return "\n".join(texts)
