"""A real model behind ``serve``, asked with the official client: it writes each format, and each comes apart right.

The model is small and says little of sense; what is tested is the way from its tokens to the client.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, NamedTuple

import httpx
import pytest
from jsonschema import Draft202012Validator
from openai import BadRequestError, OpenAI

import unbraid
from running import serving, wait_for
from unbraid.server.engines.llama import default_model

pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(importlib.util.find_spec("xllamacpp") is None, reason="llama.cpp isn't installed"),
]

FORMATS = ("deepseek_v31", "glm47", "kimi_k2", "minimax_m2", "qwen3", "qwen3_coder")
"""One format of each shape that a grammar writes; the model takes its time, and all formats are read elsewhere."""
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 20, "maxLength": 60},
        "stars": {"type": "integer", "minimum": 1, "maximum": 5},
        "kind": {"type": "string", "enum": ["fact", "story"]},
    },
    "required": ["text", "stars", "kind"],
    "additionalProperties": False,
}
NOTE = {
    "type": "function",
    "function": {"name": "write_note", "description": "Write a note for the user.", "parameters": SCHEMA},
}
BELL: Any = {"type": "function", "function": {"name": "ring_bell"}}
SKY = [{"role": "user", "content": "Why is the sky blue? Write a note about it."}]
PARIS = [{"role": "user", "content": "What is the capital of France?"}]
STEADY: dict[str, Any] = {"temperature": 0, "seed": 7, "frequency_penalty": 0.3}
"""The same answer each time."""


class Answer(NamedTuple):
    """An answer, put together from a stream or taken whole."""

    reasoning: str
    content: str
    calls: list[tuple[str, str]]
    reason: str
    pieces: dict[str, int]
    """How many chunks each part came in."""
    usage: Any
    raw: str


class Server:
    """The running server and the official client."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.openai = OpenAI(base_url=f"{url}/v1", api_key="unused", max_retries=0, timeout=120)
        self.model = next(iter(self.openai.models.list())).id

    def active(self) -> int:
        return int(httpx.get(f"{self.url}/health", timeout=20).json()["active"])

    def stream(self, messages: Any, format: str = "qwen3", *, extra: Any = None, **fields: Any) -> Answer:
        pieces = {"reasoning": 0, "content": 0, "arguments": 0}
        reasoning, content, raw, reason, usage = "", "", "", "", None
        calls: dict[int, tuple[str, str]] = {}
        options = {"extra_body": {"unbraid": {"raw": True, "format": format}, **(extra or {})}, **fields}
        create: Any = self.openai.chat.completions.create
        told = create(
            model=self.model, messages=messages, stream=True, stream_options={"include_usage": True}, **options
        )
        for chunk in told:
            raw += chunk.model_extra.get("unbraid", {}).get("raw", "")
            usage = chunk.usage or usage
            for choice in chunk.choices:
                reason = choice.finish_reason or reason
                thought = (choice.delta.model_extra or {}).get("reasoning_content")
                if thought:
                    reasoning, pieces["reasoning"] = reasoning + thought, pieces["reasoning"] + 1
                if choice.delta.content:
                    content, pieces["content"] = content + choice.delta.content, pieces["content"] + 1
                for call in choice.delta.tool_calls or []:
                    name, arguments = calls.get(call.index, (call.function.name, ""))
                    calls[call.index] = (name, arguments + (call.function.arguments or ""))
                    pieces["arguments"] += bool(call.function.arguments)
        return Answer(reasoning, content, [calls[index] for index in sorted(calls)], reason, pieces, usage, raw)

    def whole(self, messages: Any, format: str = "qwen3", *, extra: Any = None, **fields: Any) -> Answer:
        options = {"extra_body": {"unbraid": {"raw": True, "format": format}, **(extra or {})}, **fields}
        create: Any = self.openai.chat.completions.create
        told = create(model=self.model, messages=messages, **options)
        message = told.choices[0].message
        calls = [(call.function.name, call.function.arguments) for call in message.tool_calls or []]
        reasoning = (message.model_extra or {}).get("reasoning_content") or ""
        raw = told.model_extra["unbraid"]["raw"]
        return Answer(reasoning, message.content or "", calls, told.choices[0].finish_reason, {}, told.usage, raw)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    default_model()  # without the model this fails with a sentence that says how to get it
    with serving() as url:
        yield Server(url)


def markers(format: str) -> list[str]:
    """What must never be seen outside the raw text."""
    described = unbraid.resolve(format)
    assert described.reasoning is not None and described.tools is not None
    found = [described.reasoning.open, described.reasoning.close, described.tools.call.open, described.tools.call.close]
    literals = [each if isinstance(each, str) else each[0] for each in found] + list(described.special)
    return [literal.split("{")[0].strip() for literal in literals]


@pytest.mark.parametrize("format", FORMATS)
def test_the_model_writes_the_format_and_it_comes_apart(server: Server, format: str) -> None:
    asked: Any = {"tools": [NOTE], "tool_choice": "required", "max_tokens": 400, **STEADY}
    extra = {"reasoning": {"effort": "minimal"}}
    streamed = server.stream(SKY, format, extra=extra, **asked)
    assert streamed.reason == "tool_calls"
    assert streamed.pieces["reasoning"] > 5 and streamed.pieces["arguments"] > 5
    assert [name for name, _ in streamed.calls] == ["write_note"]
    assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(streamed.calls[0][1]))) == []
    assert not [marker for marker in markers(format) if marker in streamed.reasoning + streamed.content]

    whole = server.whole(SKY, format, extra=extra, **asked)
    assert whole.raw == streamed.raw
    assert whole[:4] == streamed[:4]
    assert whole.usage == streamed.usage
    message = unbraid.parse(streamed.raw, format, tools=[NOTE], thinking=True)
    assert (message.reasoning, message.content) == (streamed.reasoning, streamed.content or None)
    assert [(call.name, call.arguments) for call in message.tool_calls] == streamed.calls
    assert message.notes == ()


@pytest.mark.parametrize("format", FORMATS)
def test_a_plain_question(server: Server, format: str) -> None:
    answer = server.stream(PARIS, format, max_tokens=40, temperature=0)
    assert "Paris" in answer.content and answer.pieces["content"] > 3
    assert answer.reasoning == "" and answer.calls == []
    assert answer.reason in ("stop", "length")


def test_thinking_without_tools_ends_and_content_follows(server: Server) -> None:
    answer = server.stream(PARIS, extra={"chat_template_kwargs": {"enable_thinking": True}}, max_tokens=200, **STEADY)
    assert answer.raw.startswith("<think>\n") and answer.raw.count("</think>") == 1
    assert answer.pieces["reasoning"] > 5
    assert "think>" not in answer.reasoning + answer.content


def test_reasoning_is_closed_at_the_clients_budget(server: Server) -> None:
    extra = {"reasoning": {"max_tokens": 12}}
    answer = server.stream(SKY, "glm47", extra=extra, max_tokens=60, **STEADY)
    assert 9 <= answer.pieces["reasoning"] <= 12
    assert answer.pieces["content"] > 1
    assert answer.usage.completion_tokens <= 60


def test_a_named_tool_and_one_that_takes_nothing(server: Server) -> None:
    choice = {"type": "function", "function": {"name": "ring_bell"}}
    answer = server.stream(SKY, tools=[NOTE, BELL], tool_choice=choice, max_tokens=100, **STEADY)
    assert [name for name, _ in answer.calls] == ["ring_bell"]
    assert json.loads(answer.calls[0][1]) == {}


def test_several_calls_when_asked_for(server: Server) -> None:
    answer = server.stream(
        SKY, tools=[BELL], tool_choice="required", parallel_tool_calls=True, max_tokens=120, **STEADY
    )
    assert len(answer.calls) >= 1 and {name for name, _ in answer.calls} == {"ring_bell"}


def test_content_that_fits_a_schema(server: Server) -> None:
    schema = {
        "type": "object",
        "properties": {"colour": {"type": "string", "maxLength": 12}, "bright": {"type": "boolean"}},
        "required": ["colour", "bright"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "colour", "schema": schema}}
    question = [{"role": "user", "content": "Name a colour."}]
    answer = server.stream(question, response_format=wanted, max_tokens=80, **STEADY)
    assert answer.reason == "stop"
    assert list(Draft202012Validator(schema).iter_errors(json.loads(answer.content))) == []


def test_length_stop_and_usage(server: Server) -> None:
    cut = server.whole(PARIS, max_tokens=3, **STEADY)
    assert (cut.reason, cut.usage.completion_tokens) == ("length", 3)
    assert cut.usage.total_tokens == cut.usage.prompt_tokens + 3
    stopped = server.stream(PARIS, stop=["France"], max_tokens=40, **STEADY)
    assert (stopped.reason, stopped.content) == ("stop", "The capital of ")


def test_a_call_that_is_cut_off_is_length_and_not_a_finished_call(server: Server) -> None:
    asked: Any = {"tools": [NOTE], "tool_choice": "required", "max_tokens": 20, **STEADY}
    assert server.stream(SKY, **asked).reason == "length"
    whole = server.whole(SKY, **asked)
    assert (whole.reason, whole.calls) == ("length", [])


def test_a_conversation_with_a_tool_goes_on(server: Server) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "ring_bell", "arguments": "{}"}}
    history = [
        {"role": "system", "content": [{"type": "text", "text": "You are a helpful assistant."}]},
        {"role": "user", "content": "Ring the bell, then tell me the capital of France."},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "The bell rang."},
        *PARIS,
    ]
    assert server.stream(history, tools=[BELL], tool_choice="none", max_tokens=30, **STEADY).content


def test_a_prompt_that_is_too_long_is_the_clients_error(server: Server) -> None:
    with pytest.raises(BadRequestError) as refused:
        server.whole([{"role": "user", "content": "hello world " * 8000}])
    assert refused.value.code == "context_length_exceeded"


def test_a_client_that_goes_away_frees_the_engine(server: Server) -> None:
    create: Any = server.openai.chat.completions.create
    endless = create(
        model=server.model,
        messages=[{"role": "user", "content": "Tell me a very long story."}],
        stream=True,
        max_tokens=4000,
        extra_body={"reasoning": {"max_tokens": 4000}},
    )
    next(iter(endless))
    assert server.active() == 1
    endless.close()
    wait_for(lambda: server.active() == 0, 20)


def test_four_at_once(server: Server) -> None:
    alone = {format: server.stream(PARIS, format, max_tokens=30, temperature=0) for format in FORMATS[:1]}
    found: dict[int, Answer] = {}

    def ask(number: int) -> None:
        format = FORMATS[number % len(FORMATS)]
        asked: Any = {"tools": [NOTE], "tool_choice": "required"} if number % 2 else {}
        found[number] = server.stream(SKY if asked else PARIS, format, max_tokens=200, temperature=0, **asked)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 1, 2, 3]
    for number, answer in found.items():
        if number % 2:
            assert list(Draft202012Validator(SCHEMA).iter_errors(json.loads(answer.calls[0][1]))) == []
        else:
            assert "Paris" in answer.content
    assert "Paris" in alone[FORMATS[0]].content
    assert server.active() == 0


def test_a_server_that_is_stopped_says_so_in_open_streams(server: Server) -> None:
    body = {"messages": [{"role": "user", "content": "Tell me a long story."}], "stream": True}
    with ExitStack() as stack:
        url = stack.enter_context(serving())
        fields = {**body, "reasoning": {"max_tokens": 4000}}
        with httpx.stream("POST", f"{url}/v1/chat/completions", json=fields, timeout=60) as told:
            lines = (line for line in told.iter_lines() if line)
            assert "assistant" in next(lines)
            stopping = threading.Thread(target=stack.close)
            stopping.start()
            *_, last, done = list(lines)
            stopping.join()
    assert "error" in json.loads(last.removeprefix("data: ")) and done == "data: [DONE]"
