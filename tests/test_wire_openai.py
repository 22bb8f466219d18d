"""OpenAI's wire shapes: what a request may hold, and what events become. No server, no engine."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionChunk

import unbraid
from unbraid.events import Event
from unbraid.wire.fields import RequestError
from unbraid.wire.openai import ChunkWriter, Usage, completion, error_body, finish_reason
from unbraid.wire.openai_request import read_request

WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
USER = {"role": "user", "content": "Hello"}
TEXT = (
    "<think>\nA call, then.\n</think>\n\nLooking.\n"
    '<tool_call>\n{"name": "weather", "arguments": {"city": "Graz"}}\n</tool_call>'
)


def request(**fields: Any) -> dict[str, Any]:
    return {"messages": [USER], **fields}


# ---------------------------------------------------------------------------------------------------- requests


def test_a_plain_request() -> None:
    read = read_request(request(model="m"))
    assert read.messages == [USER]
    assert (read.model, read.stream, read.tools, read.tool_choice) == ("m", False, [], "auto")
    assert read.reasoning is None and read.parallel_tool_calls is None and read.stop == ()


def test_everything_that_is_honoured() -> None:
    read = read_request(
        request(
            stream=True,
            stream_options={"include_usage": True},
            max_tokens=5,
            max_completion_tokens=7,
            temperature=0,
            top_p=0.5,
            seed=11,
            stop="END",
            n=1,
            tools=[WEATHER],
            tool_choice={"type": "function", "function": {"name": "weather"}},
            parallel_tool_calls=False,
            chat_template_kwargs={"enable_thinking": True},
            unbraid={"raw": True, "format": "glm47", "typing": "vllm"},
            user="somebody",
            something_unknown=[1],
        )
    )
    assert read.include_usage and read.max_tokens == 7 and read.stop == ("END",)
    assert read.sampling == {"temperature": 0, "top_p": 0.5, "seed": 11}
    assert read.tools == [WEATHER]
    assert read.tool_choice == {"type": "function", "function": {"name": "weather"}}
    assert read.parallel_tool_calls is False
    assert read.template_variables == {"enable_thinking": True}
    assert read.extension.raw and read.extension.format == "glm47" and read.extension.typing == "vllm"


@pytest.mark.parametrize(
    ("fields", "wanted", "effort"),
    [
        ({}, None, None),
        ({"reasoning_effort": "none"}, False, None),
        ({"reasoning": {"max_tokens": 40}}, True, None),
        ({"reasoning": {"max_tokens": 0}}, False, None),
        ({"reasoning_effort": "low"}, True, "low"),
        ({"reasoning": True}, True, None),
        ({"reasoning": False}, False, None),
        ({"reasoning": {"effort": "high"}}, True, "high"),
        ({"reasoning": {"enabled": False, "effort": "high"}}, False, "high"),
        ({"reasoning_effort": "none", "reasoning": True}, True, None),
    ],
)
def test_reasoning(fields: dict[str, Any], wanted: bool | None, effort: str | None) -> None:
    read = read_request(request(**fields))
    assert read.reasoning is wanted
    assert read.template_variables.get("reasoning_effort") == effort


@pytest.mark.parametrize(
    ("wanted", "schema"),
    [
        ({"type": "text"}, None),
        ({"type": "json_object"}, {"type": "object"}),
        (
            {"type": "json_schema", "json_schema": {"name": "n", "schema": {"type": "array"}}},
            {"type": "array"},
        ),
    ],
)
def test_response_format(wanted: dict[str, Any], schema: Any) -> None:
    assert read_request(request(response_format=wanted)).schema == schema


def test_messages_are_made_ready_for_a_template() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Graz"}'}}
    messages = [
        {"role": "developer", "content": [{"type": "text", "text": "Be"}, {"type": "text", "text": "kind."}]},
        {"role": "user", "content": "Hi", "name": "Ada"},
        {"role": "assistant", "content": None, "tool_calls": [call], "reasoning_content": "Hm."},
        {"role": "tool", "tool_call_id": "c1", "content": "Sun"},
    ]
    assert read_request({"messages": messages}).messages == [
        {"role": "system", "content": "Be\nkind."},
        {"role": "user", "content": "Hi", "name": "Ada"},
        {"role": "assistant", "content": None, "reasoning_content": "Hm.", "tool_calls": [call]},
        {"role": "tool", "content": "Sun", "tool_call_id": "c1"},
    ]


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ([], None),
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": "hello"}, "messages"),
        ({"messages": ["hello"]}, "messages[0]"),
        ({"messages": [{"role": "king", "content": "x"}]}, "messages[0].role"),
        ({"messages": [USER, {"role": "user"}]}, "messages[1].content"),
        ({"messages": [{"role": "user", "content": 1}]}, "messages[0].content"),
        (
            {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
            "messages[0].content[0].type",
        ),
        ({"messages": [{"role": "assistant"}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "messages[0].tool_call_id"),
        ({"messages": [{"role": "assistant", "tool_calls": [{}]}]}, "messages[0].tool_calls[0]"),
        (request(model=3), "model"),
        (request(stream="yes"), "stream"),
        (request(stream_options={"include_usage": True}), "stream_options"),
        (request(n=2), "n"),
        (request(n=True), "n"),
        (request(logprobs=True), "logprobs"),
        (request(logit_bias={"1": 2}), "logit_bias"),
        (request(functions=[{}]), "functions"),
        (request(max_tokens=0), "max_tokens"),
        (request(max_tokens=1.5), "max_tokens"),
        (request(max_tokens=True), "max_tokens"),
        (request(temperature="hot"), "temperature"),
        (request(temperature=3), "temperature"),
        (request(temperature="1"), "temperature"),
        (request(temperature=10**400), "temperature"),
        (request(temperature=float("nan")), "temperature"),
        (request(top_p=-0.1), "top_p"),
        (request(seed="s"), "seed"),
        (request(stop=["", "x"]), "stop"),
        (request(stop=["x"] * 17), "stop"),
        (request(tools={}), "tools"),
        (request(tools=[{"type": "custom"}]), "tools[0].type"),
        (request(tools=[{"type": "function"}]), "tools[0].function"),
        (request(tools=[{"type": "function", "function": {}}]), "tools[0].function.name"),
        (request(tools=[{"type": "function", "function": {"name": "a b"}}]), "tools[0].function.name"),
        (request(tools=[WEATHER, WEATHER]), "tools[1].function.name"),
        (
            request(tools=[{"type": "function", "function": {"name": "f", "parameters": []}}]),
            "tools[0].function.parameters",
        ),
        (request(tool_choice="required"), "tool_choice"),
        (request(tools=[WEATHER], tool_choice="maybe"), "tool_choice"),
        (
            request(tools=[WEATHER], tool_choice={"type": "function", "function": {"name": "other"}}),
            "tool_choice.function.name",
        ),
        (request(response_format={"type": "xml"}), "response_format.type"),
        (request(response_format={"type": "json_schema"}), "response_format.json_schema.schema"),
        (request(reasoning_effort="huge"), "reasoning_effort"),
        (request(reasoning="yes"), "reasoning"),
        (request(chat_template_kwargs={"messages": []}), "chat_template_kwargs.messages"),
        (request(unbraid={"raw": 1}), "unbraid.raw"),
    ],
)
def test_what_is_refused_and_where(body: Any, param: str | None) -> None:
    with pytest.raises(RequestError) as refused:
        read_request(body)
    assert refused.value.param == param
    assert refused.value.status == 400
    assert refused.value.message.endswith((".", "}."))


# ------------------------------------------------------------------------------------------------------ answers


def events(text: str = TEXT, reason: Any = "stop", cut: int = 3) -> list[Event]:
    parser = unbraid.Parser("qwen3", tools=[WEATHER], new_call_id=lambda: "call_1")
    found = [event for at in range(0, len(text), cut) for event in parser.feed(text[at : at + cut])]
    return found + parser.finish(reason)


def stream(text: str = TEXT, reason: Any = "stop", **options: Any) -> list[dict[str, Any]]:
    writer = ChunkWriter(id="chatcmpl-1", created=1, model="m", **options)
    return [writer.start(), *writer.write(events(text, reason))]


def test_a_stream_of_chunks_is_openais() -> None:
    chunks = stream()
    for chunk in chunks:
        ChatCompletionChunk.model_validate(chunk, strict=True)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0] == {"role": "assistant"}
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "A call, then."
    assert "".join(delta.get("content", "") for delta in deltas) == "Looking."
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    function = {"name": "weather", "arguments": ""}
    assert calls[0] == {"index": 0, "id": "call_1", "type": "function", "function": function}
    assert all(set(call) == {"index", "function"} for call in calls[1:])
    assert "".join(call["function"]["arguments"] for call in calls) == '{"city": "Graz"}'
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert reasons == [None] * (len(chunks) - 1) + ["tool_calls"]
    assert deltas[-1] == {}


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [
        ("Hello", "stop", "stop"),
        ("Hello", "stop_string", "stop"),
        ("Hello", "length", "length"),
        (TEXT, "stop", "tool_calls"),
        (TEXT, "length", "length"),
        (TEXT[:-30], "stop", "stop"),
    ],
)
def test_finish_reasons(text: str, reason: Any, expected: str) -> None:
    assert stream(text, reason)[-1]["choices"][0]["finish_reason"] == expected
    message = unbraid.parse(text, "qwen3", tools=[WEATHER], finish=reason)
    assert finish_reason(reason, len(message.tool_calls)) == expected


def test_usage_comes_last_and_is_null_before() -> None:
    writer = ChunkWriter(id="x", created=1, model="m", include_usage=True)
    chunks = [writer.start(), *writer.write(events("Hello")), writer.usage(Usage(3, 4, 1))]
    assert all(chunk["usage"] is None for chunk in chunks[:-1])
    last = ChatCompletionChunk.model_validate(chunks[-1], strict=True)
    assert last.choices == []
    assert last.usage is not None and last.usage.total_tokens == 7
    assert "usage" not in stream()[1]


def test_a_completion_is_openais() -> None:
    message = unbraid.parse(TEXT, "qwen3", tools=[WEATHER])
    answer = completion(message, Usage(3, 4), id="x", created=1, model="m", reason="stop")
    read = ChatCompletion.model_validate(answer, strict=True)
    said = read.choices[0].message
    assert (said.content, read.choices[0].finish_reason) == ("Looking.", "tool_calls")
    assert answer["choices"][0]["message"]["reasoning_content"] == "A call, then."
    assert said.tool_calls is not None and said.tool_calls[0].type == "function"
    assert said.tool_calls[0].function.arguments == '{"city": "Graz"}'


def test_a_completion_without_calls_has_no_tool_calls_field() -> None:
    answer = completion(unbraid.parse("Hi", "qwen3"), Usage(1, 1), id="x", created=1, model="m", reason="stop")
    assert answer["choices"][0]["message"] == {"role": "assistant", "content": "Hi", "refusal": None}


def test_an_error() -> None:
    assert error_body("No.", param="n", code="c") == {
        "error": {"message": "No.", "type": "invalid_request_error", "param": "n", "code": "c"}
    }
