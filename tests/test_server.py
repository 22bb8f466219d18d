"""The server on a scripted engine, over real HTTP: what it answers, refuses, and does when a client goes away."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from openai import APIError, AuthenticationError, BadRequestError, NotFoundError, OpenAI

import unbraid
from running import running, wait_for
from unbraid.server import Options, SetupError, serve
from unbraid.server.app import create_app
from unbraid.server.engines.base import Job
from unbraid.server.engines.scripted import ScriptedEngine
from unbraid.server.errors import TemplateError
from unbraid.server.gguf import read_metadata
from unbraid.server.run import address, greeting
from unbraid.server.templates import CHATML, ChatTemplate

FORMATS = sorted(unbraid.formats())
CALLING = [name for name in FORMATS if unbraid.resolve(name).tools is not None]
TRAINS = {
    "type": "function",
    "function": {
        "name": "find_trains",
        "parameters": {
            "type": "object",
            "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
            "required": ["to", "seats"],
        },
    },
}
ASK = [{"role": "user", "content": "A train to Graz for two, please."}]
THINKS = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "<|im_start|>assistant\n{# </think> <tool_call> tools #}"
)

Start = Callable[..., "Served"]


class Served:
    """A running server with its engine and a client for it."""

    def __init__(self, url: str, engine: ScriptedEngine) -> None:
        self.url = url
        self.engine = engine
        self.openai = OpenAI(base_url=f"{url}/v1", api_key="key", max_retries=0, timeout=20)

    def post(self, body: Any, **options: Any) -> httpx.Response:
        content = body if isinstance(body, (str, bytes)) else json.dumps(body)
        return httpx.post(f"{self.url}/v1/chat/completions", content=content, timeout=20, **options)

    def chunks(self, **fields: Any) -> list[dict[str, Any]]:
        """All events of a stream but ``[DONE]``, which must be the last."""
        answer = self.post({"messages": ASK, "stream": True, **fields})
        assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/event-stream")
        lines = [line for line in answer.text.split("\n\n") if line]
        assert all(line.startswith("data: ") for line in lines)
        assert lines[-1] == "data: [DONE]"
        return [json.loads(line[6:]) for line in lines[:-1]]


@pytest.fixture
def start() -> Iterator[Start]:
    with ExitStack() as stack:

        def begin(
            script: Any = "Hello there.",
            *,
            format: Any = "qwen3",
            api_key: str | None = None,
            typing: str = "schema",
            **how: Any,
        ) -> Served:
            engine = ScriptedEngine(script, **how)
            app = create_app(engine, format, api_key=api_key, typing=typing)
            return Served(stack.enter_context(running(app)), engine)

        yield begin


def joined(chunks: list[dict[str, Any]], field: str) -> str:
    return "".join(c["choices"][0]["delta"].get(field) or "" for c in chunks if c.get("choices"))


# ------------------------------------------------------------------------------------------------------ answers


@pytest.mark.parametrize("format", CALLING)
def test_every_formats_example_streams_and_comes_whole(start: Start, format: str) -> None:
    example = unbraid.resolve(format).example
    thought = "A train to Graz for two." if unbraid.resolve(format).reasoning else None
    server = start(example, format=format)
    ask: dict[str, Any] = {
        "model": "scripted",
        "messages": ASK,
        "tools": [TRAINS],
        "extra_body": {"reasoning": True},
    }
    whole = server.openai.chat.completions.create(**ask)
    message = whole.choices[0].message
    assert whole.choices[0].finish_reason == "tool_calls"
    assert (message.model_extra or {}).get("reasoning_content") == thought
    assert message.content is None
    assert message.tool_calls is not None and message.tool_calls[0].type == "function"
    assert message.tool_calls[0].function.name == "find_trains"
    assert json.loads(message.tool_calls[0].function.arguments) == {"to": "Graz", "seats": 2}
    assert whole.usage is not None and whole.usage.completion_tokens == server.engine.written

    reasoning, arguments, names, reason = "", "", [], None
    for chunk in server.openai.chat.completions.create(**ask, stream=True):
        delta = chunk.choices[0].delta
        assert delta.content is None
        reasoning += (delta.model_extra or {}).get("reasoning_content", "")
        for call in delta.tool_calls or []:
            assert call.function is not None
            names += [call.function.name] if call.function.name else []
            arguments += call.function.arguments or ""
        reason = chunk.choices[0].finish_reason or reason
    assert (reasoning, names, reason) == (thought or "", ["find_trains"], "tool_calls")
    assert arguments == message.tool_calls[0].function.arguments


def test_the_openai_stream_helper_accumulates_our_chunks(start: Start) -> None:
    server = start(unbraid.resolve("qwen3").example)
    ask: Any = {"model": "scripted", "messages": ASK, "tools": [TRAINS]}
    with server.openai.chat.completions.stream(**ask) as stream:
        final = stream.get_final_completion()
    call = (final.choices[0].message.tool_calls or [])[0]
    assert call.function.name == "find_trains" and json.loads(call.function.arguments) == {
        "to": "Graz",
        "seats": 2,
    }


def test_a_plain_answer_streams_role_first_and_usage_last(start: Start) -> None:
    chunks = start("Hello there.").chunks(stream_options={"include_usage": True})
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant"}
    assert joined(chunks, "content") == "Hello there."
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert chunks[-1]["choices"] == [] and chunks[-1]["usage"]["completion_tokens"] == 3
    assert len({chunk["id"] for chunk in chunks}) == 1


def test_markup_is_text_when_no_tools_are_offered(start: Start) -> None:
    example = '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'
    answer = start(example).post({"messages": ASK}).json()
    assert answer["choices"][0]["message"]["content"] == example
    refused = start(example).post({"messages": ASK, "tools": [TRAINS], "tool_choice": "none"}).json()
    assert refused["choices"][0]["message"]["content"] == example


def test_length_and_stop(start: Start) -> None:
    server = start("one two three four")
    cut = server.post({"messages": ASK, "max_tokens": 2}).json()["choices"][0]
    assert (cut["message"]["content"], cut["finish_reason"]) == ("one two ", "length")
    stopped = server.post({"messages": ASK, "stop": ["three"]}).json()["choices"][0]
    assert (stopped["message"]["content"], stopped["finish_reason"]) == ("one two ", "stop")
    assert server.post({"messages": ASK, "stop": "two"}).json()["choices"][0]["message"]["content"] == "one "


def test_a_call_that_was_cut_off(start: Start) -> None:
    server = start('<tool_call>\n{"name": "find_trains", "arguments": {"to": "Gr', reason="length")
    whole = server.post({"messages": ASK, "tools": [TRAINS]}).json()["choices"][0]
    assert whole["finish_reason"] == "length" and "tool_calls" not in whole["message"]
    assert server.chunks(tools=[TRAINS])[-1]["choices"][0]["finish_reason"] == "length"


def test_the_job_holds_what_was_asked_for(start: Start) -> None:
    server = start()
    server.post({"messages": ASK, "temperature": 0, "top_p": 0.5, "seed": 3, "max_completion_tokens": 9, "stop": "x"})
    job = server.engine.jobs[0]
    assert job.prompt == f"<|im_start|>user\n{ASK[0]['content']}<|im_end|>\n<|im_start|>assistant\n"
    assert (job.max_tokens, job.stop, job.grammar) == (9, ("x",), None)
    assert job.sampling == {"temperature": 0, "top_p": 0.5, "seed": 3}


def test_the_prompt_says_that_reasoning_is_open(start: Start) -> None:
    server = start("Hm.\n</think>\n\nYes.", template=THINKS + "{% if enable_thinking %}<think>\n{% endif %}")
    for fields in ({"chat_template_kwargs": {"enable_thinking": True}}, {"reasoning_effort": "low"}):
        message = server.post({"messages": ASK, **fields}).json()["choices"][0]["message"]
        assert (message["reasoning_content"], message["content"]) == ("Hm.", "Yes.")
    assert server.engine.jobs[0].grammar is None


def test_a_request_may_choose_the_format(start: Start) -> None:
    server = start(unbraid.resolve("kimi_k2").example)
    fields = {"tools": [TRAINS], "reasoning": True, "unbraid": {"format": "kimi_k2"}}
    answer = server.post({"messages": ASK, **fields}).json()
    assert answer["choices"][0]["message"]["tool_calls"][0]["id"] == "functions.find_trains:0"
    wrong = server.post({"messages": ASK, "unbraid": {"format": "kimi_k2x"}})
    assert wrong.status_code == 400 and "kimi_k2" in wrong.json()["error"]["message"]


def test_a_request_may_choose_how_values_are_typed(start: Start) -> None:
    text = unbraid.resolve("qwen3_coder").example.replace("\n2\n", "\n2.0\n")
    server = start(text, format="qwen3_coder", typing="sglang")
    for typing, seats in ((None, "2.0"), ("schema", 2), ("vllm", 2.0)):
        fields = {"tools": [TRAINS], "unbraid": {} if typing is None else {"typing": typing}}
        answer = server.post({"messages": ASK, **fields}).json()
        (call,) = answer["choices"][0]["message"]["tool_calls"]
        found = json.loads(call["function"]["arguments"])["seats"]
        assert (type(found), found) == (type(seats), seats)
    wrong = server.post({"messages": ASK, "unbraid": {"typing": "vlm"}})
    assert wrong.status_code == 400
    error = wrong.json()["error"]
    assert error["param"] == "unbraid.typing" and "did you mean 'vllm'" in error["message"]


# --------------------------------------------------------------------------------- what a model is made to do


def test_a_model_that_was_not_taught_is_held_to_the_format_only_when_it_must_be(start: Start) -> None:
    server = start()
    for fields, held in (
        ({}, False),
        ({"tools": [TRAINS]}, False),
        ({"tools": [TRAINS], "tool_choice": "none"}, False),
        ({"tools": [TRAINS], "tool_choice": "required"}, True),
        ({"tools": [TRAINS], "tool_choice": {"type": "function", "function": {"name": "find_trains"}}}, True),
        ({"reasoning": True}, True),
        ({"reasoning": False}, False),
        ({"response_format": {"type": "json_object"}}, True),
    ):
        assert server.post({"messages": ASK, **fields}).status_code == 200
        assert (server.engine.jobs[-1].grammar is not None) == held, fields
    assert "between <think> and </think>" in server.engine.jobs[-3].prompt


def test_a_model_that_was_taught_thinks_freely(start: Start) -> None:
    server = start(template=THINKS)
    server.post({"messages": ASK, "reasoning": True, "tools": [TRAINS]})
    job = server.engine.jobs[-1]
    assert job.grammar is None and "between" not in job.prompt
    server.post({"messages": ASK, "tools": [TRAINS], "tool_choice": "required"})
    grammar = server.engine.jobs[-1].grammar or ""
    assert "reasoning?" in grammar.split("\n")[0]


def test_a_request_that_no_grammar_can_hold_is_refused(start: Start) -> None:
    odd = {"type": "function", "function": {"name": "f", "parameters": {"type": "nonsense"}}}
    answer = start().post({"messages": ASK, "tools": [odd], "tool_choice": "required"})
    assert "No grammar" in refused(answer, 400, code="invalid_value")


def test_reasoning_is_closed_when_its_budget_is_used_up(start: Start) -> None:
    def script(job: Job) -> list[str]:
        if "</think>" in job.prompt.split("assistant")[-1]:
            return ["The ", "answer."]
        return ["<think>\n", *["hm "] * 100]

    server = start(script)
    fields: dict[str, Any] = {"reasoning": {"max_tokens": 10}, "seed": 1, "max_tokens": 50, "unbraid": {"raw": True}}
    whole = server.post({"messages": ASK, **fields}).json()
    message = whole["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("hm " * 9, "The answer.")
    first, second = server.engine.jobs
    assert second.prompt == first.prompt + "<think>\n" + "hm " * 9 + "\n</think>\n\n"
    assert (first.max_tokens, second.max_tokens) == (50, 40)
    assert first.grammar != second.grammar and second.sampling == {"seed": 1}
    assert whole["usage"]["completion_tokens"] == 12
    assert whole["usage"]["prompt_tokens"] == len(first.prompt.split())
    chunks = server.chunks(**fields)
    assert joined(chunks, "reasoning_content") == "hm " * 9 and joined(chunks, "content") == "The answer."
    assert "".join(chunk.get("unbraid", {}).get("raw", "") for chunk in chunks) == whole["unbraid"]["raw"]


def test_a_budget_that_takes_all_tokens_ends_in_length(start: Start) -> None:
    server = start(["<think>\n", *["hm "] * 100])
    choice = server.post({"messages": ASK, "reasoning": {"max_tokens": 10}, "max_tokens": 10}).json()["choices"][0]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("length", None)


def test_thinking_stops_at_the_end_of_a_sentence_near_the_budget(start: Start) -> None:
    server = start(["<think>\n", *["hm "] * 80, "So. ", *["hm "] * 100])
    message = server.post({"messages": ASK, "reasoning": {"max_tokens": 100}}).json()["choices"][0]["message"]
    assert message["reasoning_content"].startswith("hm hm") and message["reasoning_content"].endswith("So. ")
    efforts = {"reasoning_effort": "minimal"}
    message = server.post({"messages": ASK, **efforts}).json()["choices"][0]["message"]
    assert message["reasoning_content"].count("hm") == 31


# ------------------------------------------------------------------------------------------------- the raw text


@pytest.mark.parametrize("format", CALLING)
def test_raw_text_and_live_spans_tile_the_output(start: Start, format: str) -> None:
    example = unbraid.resolve(format).example
    server = start(example, format=format)
    fields = {"tools": [TRAINS], "reasoning": True, "unbraid": {"raw": True}}
    told = [chunk["unbraid"] for chunk in server.chunks(**fields) if "unbraid" in chunk]
    assert told[0] == {"format": format}
    raw, live = "", []
    for each in told[1:-1]:
        raw += each["raw"]
        for span in each["spans"]:
            live = [earlier for earlier in live if earlier[1] < span[1]] + [span]
        assert all(span[2] <= len(raw) for span in live)
    assert raw == example
    final = told[-1]["spans"]
    assert [span[1] for span in final] == [0, *[span[2] for span in final[:-1]]]
    assert final[-1][2] == len(raw) and told[-1]["notes"] == []
    kinds = {index: span[0] for span in final for index in range(span[1], span[2])}
    assert all(kinds[index] == span[0] for span in live for index in range(span[1], span[2]))

    whole = server.post({"messages": ASK, **fields}).json()
    assert whole["unbraid"] == {"format": format, "raw": example, "spans": final, "notes": []}
    assert "unbraid" not in server.post({"messages": ASK}).json()


# ------------------------------------------------------------------------------------------------------- errors


def refused(answer: httpx.Response, status: int, *, code: str | None, param: str | None = None) -> str:
    assert answer.status_code == status
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["code"], error["param"]) == (code, param)
    return str(error["message"])


def test_errors_have_openais_shape_and_status(start: Start) -> None:
    server = start()
    assert "character 9" in refused(server.post('{"model":'), 400, code="invalid_json")
    refused(server.post(b"\xff"), 400, code="invalid_json")
    refused(server.post("[" * 200_000), 400, code="invalid_json")
    refused(server.post("[]"), 400, code="invalid_type")
    refused(server.post({}), 400, code="missing_required_parameter", param="messages")
    refused(server.post({"messages": ASK, "n": 2}), 400, code="invalid_value", param="n")
    refused(server.post({"messages": ASK, "model": "gpt"}), 404, code="model_not_found", param="model")
    refused(httpx.get(f"{server.url}/v1/models/gpt"), 404, code="model_not_found", param="model")
    refused(httpx.get(f"{server.url}/v2"), 404, code="unknown_url")
    refused(httpx.get(f"{server.url}/page/../app.py"), 404, code="unknown_url")
    refused(httpx.get(f"{server.url}/page/app.py"), 404, code="unknown_url")
    wrong = httpx.get(f"{server.url}/v1/chat/completions")
    assert "POST" in refused(wrong, 405, code="method_not_allowed") and wrong.headers["allow"] == "POST"
    assert server.engine.jobs == []


def test_a_body_that_is_too_large_is_refused(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unbraid.server.http.LARGEST_BODY", 100)
    refused(start().post({"messages": ASK, "user": "x" * 100}), 413, code="request_too_large")


def test_the_official_client_raises_its_own_errors(start: Start) -> None:
    server = start(api_key="right")
    with pytest.raises(AuthenticationError):
        server.openai.models.list()
    client = server.openai.with_options(api_key="right")
    assert [each.id for each in client.models.list()] == ["scripted"]
    assert client.models.retrieve("scripted").object == "model"
    with pytest.raises(NotFoundError):
        client.chat.completions.create(model="other", messages=ASK)  # type: ignore[arg-type]
    with pytest.raises(BadRequestError, match="'n' must be 1"):
        client.chat.completions.create(model="scripted", messages=ASK, n=3)  # type: ignore[arg-type]


def test_the_key(start: Start) -> None:
    server = start(api_key="right")
    for headers in (
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Basic right"},
        {"authorization": "Bearer ü".encode()},
    ):
        refused(server.post({"messages": ASK}, headers=headers), 401, code="invalid_api_key")
    assert server.post({"messages": ASK}, headers={"authorization": "bearer right"}).status_code == 200
    assert httpx.get(f"{server.url}/health").json() == {"status": "ok", "active": 0}
    assert httpx.get(server.url).status_code == 200


def test_an_engine_that_fails_at_once_gives_a_status(start: Start) -> None:
    server = start(fail_at=0)
    for stream in (False, True):
        answer = server.post({"messages": ASK, "stream": stream})
        assert refused(answer, 500, code="engine_error") == "The engine failed."
        assert answer.json()["error"]["type"] == "server_error"


def test_an_engine_that_fails_in_the_middle_tells_it_in_the_stream(start: Start) -> None:
    server = start(["Hel", "lo <", "you"], fail_at=2)
    chunks = server.chunks()
    assert joined(chunks, "content") == "Hello <"
    assert chunks[-1]["error"]["message"] == "The engine failed."
    assert server.post({"messages": ASK}).status_code == 500
    with pytest.raises(APIError, match="The engine failed"):
        list(server.openai.chat.completions.create(model="scripted", messages=ASK, stream=True))  # type: ignore[arg-type]
    assert server.engine.active == 0


def test_a_fault_of_ours_is_a_500_and_says_nothing_of_the_request(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("secret" + " words")

    server = start()
    monkeypatch.setattr("unbraid.server.plan._prompt", fail)
    refused(server.post({"messages": ASK}), 500, code="internal_error")
    assert "KeyError" in caplog.text and "secret words" not in caplog.text


def test_a_fault_in_the_middle_of_a_stream_is_told_in_it(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    fed = unbraid.Parser.feed

    def fail(self: unbraid.Parser, text: str = "") -> Any:
        if "lo" in text:
            raise KeyError("secret words")
        return fed(self, text)

    monkeypatch.setattr(unbraid.Parser, "feed", fail)
    server = start(["Hel", "lo"])
    assert server.chunks()[-1]["error"]["code"] == "internal_error"
    assert server.engine.active == 0


def test_a_template_that_refuses(start: Start) -> None:
    server = start(template="{{ raise_exception('Roles must alternate.') }}")
    answer = server.post({"messages": ASK})
    assert "Roles must alternate" in refused(answer, 400, code="template_error", param="messages")


def test_half_a_surrogate_pair_is_valid_json(start: Start) -> None:
    server = start(["a\ud83d", "b"])
    assert joined(server.chunks(), "content") == "a\ud83db"


# ------------------------------------------------------------------------------------- clients that come and go


def ask_over_a_socket(url: str, stream: bool) -> socket.socket:
    """A request whose connection we can break off at will."""
    body = json.dumps({"messages": ASK, "stream": stream}).encode()
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)), timeout=20)
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: {host}\r\ncontent-length: {len(body)}\r\n\r\n"
    connection.sendall(head.encode() + body)
    return connection


@pytest.mark.parametrize("stream", [True, False])
def test_a_client_that_goes_away_stops_the_generation(start: Start, stream: bool) -> None:
    server = start(["word "] * 100_000, delay=0.002)
    connection = ask_over_a_socket(server.url, stream)
    if stream:
        assert b"200 OK" in connection.recv(300)
    wait_for(lambda: server.engine.written > 3)
    connection.close()
    wait_for(lambda: server.engine.active == 0, 5)
    written = server.engine.written
    time.sleep(0.05)
    assert server.engine.written == written < 5000
    assert server.post({"messages": ASK, "max_tokens": 1}).status_code == 200


def test_a_client_that_leaves_before_the_first_token(start: Start) -> None:
    server = start("late", delay=30)
    connection = ask_over_a_socket(server.url, True)
    wait_for(lambda: server.engine.active == 1)
    connection.close()
    wait_for(lambda: server.engine.active == 0, 5)


def test_several_requests_at_once(start: Start) -> None:
    server = start(lambda job: [f"{job.prompt.count('x')} "] * 20, delay=0.01)
    found: dict[int, str] = {}

    def ask(number: int) -> None:
        answer = server.post({"messages": [{"role": "user", "content": "x" * number}], "stream": number % 2 == 0})
        found[number] = answer.text

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(3, 11)]
    for thread in threads:
        thread.start()
    wait_for(lambda: server.engine.active == 8, 10)
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(3, 11))
    for number, text in found.items():
        assert text.count(f"{number} ") == 20


# ------------------------------------------------------------------------------------------------ other answers


def test_models_formats_health(start: Start) -> None:
    server = start(format="glm45")
    card = httpx.get(f"{server.url}/v1/models").json()["data"][0]
    assert (card["id"], card["object"]) == ("scripted", "model")
    formats = httpx.get(f"{server.url}/v1/formats").json()
    assert formats["default"] == "glm47"
    assert [each["name"] for each in formats["data"]] == FORMATS
    assert all(each["example"] for each in formats["data"])


def test_the_page_is_served_with_a_strict_policy(start: Start) -> None:
    server = start()
    page = httpx.get(server.url)
    assert page.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in page.headers["content-security-policy"]
    for file in ("page.css", "page.js", "stream.js", "view.js"):
        assert httpx.get(f"{server.url}/page/{file}").status_code == 200
        assert "http://" not in httpx.get(f"{server.url}/page/{file}").text


# ---------------------------------------------------------------------------------------------------- templates


CALLED = [
    {"role": "user", "content": "Hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": "ü"}'}}],
    },
    {"role": "tool", "tool_call_id": "1", "content": "42"},
]


def test_a_template_gets_what_hugging_face_gives_it() -> None:
    source = (
        "{{ bos_token }}{% for m in messages %}{% if loop.index > 3 %}{% break %}{% endif %}"
        "{% generation %}{{ m.role }}{% endgeneration %};{% endfor %}\n"
        "{{ tools | tojson(indent=1) }}{{ '<&ü' | tojson }}"
        "{{ strftime_now('%Y')|length }}{{ flag }}{{ add_generation_prompt }}"
    )
    template = ChatTemplate(source, variables={"bos_token": "<s>"})
    rendered = template.render([{"role": "user", "content": "x"}], tools=[{"a": 1}], variables={"flag": 7})
    assert rendered == '<s>user;[\n {\n  "a": 1\n }\n]"<&ü"47True'
    assert template.render([{"role": "user", "content": "x"}]).startswith("<s>user;null")


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("{{ c.function.arguments | tojson }}", '{"a": "ü"}'),
        ("{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }}{% endfor %}", "a=ü"),
        ("{{ '' + c.function.arguments }}", '{"a": "ü"}'),
    ],
)
def test_arguments_of_earlier_calls_as_the_template_wants_them(how: str, expected: str) -> None:
    source = "{# tools #}{% for m in messages %}{% for c in m.tool_calls or [] %}" + how + "{% endfor %}{% endfor %}"
    assert ChatTemplate(source).render(CALLED, tools=[TRAINS]) == expected


def test_a_template_that_knows_no_tools_is_told_in_words() -> None:
    rendered = ChatTemplate(CHATML).render(CALLED, tools=[TRAINS])
    assert rendered.startswith("<|im_start|>system\n") and '"name": "find_trains"' in rendered
    assert '<|im_start|>assistant\n{"name": "f", "arguments": {"a": "ü"}}<|im_end|>' in rendered
    with_system = [{"role": "system", "content": "Be kind."}, *CALLED]
    assert ChatTemplate(CHATML).render(with_system, tools=[TRAINS]).count("system") == 1
    assert "functions" not in ChatTemplate(CHATML).render(CALLED)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.sort() }}",
        "{{ messages[0].clear() }}",
        "{{ messages[0].content.nothing.more }}",
        "{{ 1 / 0 }}",
        "{{ raise_exception('no') }}",
    ],
)
def test_what_a_template_may_not_do(source: str) -> None:
    with pytest.raises(TemplateError):
        ChatTemplate(source).render([{"role": "user", "content": "x"}])


def test_a_template_may_keep_notes_but_not_write_in_the_request() -> None:
    messages = [{"role": "user", "content": "x", "parts": []}]
    source = (
        "{% set n = namespace(l=[]) %}{% set _ = n.l.append(7) %}{% set _ = messages[0].parts.append(1) %}{{ n.l }}"
    )
    assert ChatTemplate(source).render(messages) == "[7]"
    assert messages == [{"role": "user", "content": "x", "parts": []}]


def test_no_tools_as_the_template_wants_them() -> None:
    said = [{"role": "user", "content": "x"}]
    assert ChatTemplate("{% for tool in tools %}t{% endfor %}none").render(said) == "none"
    assert ChatTemplate("{% if tools is none %}none{% endif %}").render(said) == "none"
    assert ChatTemplate("{{ ('[1]' | from_json)[0] }}").render(said) == "1"


def test_a_broken_template_is_refused_at_the_start() -> None:
    with pytest.raises(SetupError, match="line 2"):
        ChatTemplate("fine\n{% if %}")


# ---------------------------------------------------------------------------------------------------- setting up


@pytest.mark.parametrize(
    "content", [b"", b"GGUF", b"nonsense", b"GGUF\x03\0\0\0" + b"\xff" * 40, b"GGUF\x09\0\0\0" + b"\0" * 40]
)
def test_a_file_that_is_no_model(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(content)
    with pytest.raises(SetupError):
        read_metadata(path)


def test_setup_errors_say_what_is_wrong(tmp_path: Path) -> None:
    for options, words in (
        (Options(port=0, model=tmp_path / "none.gguf"), "none.gguf"),
        (Options(port=0, chat_template=tmp_path / "none.jinja"), "none.jinja"),
        (Options(port=0, parallel=0), "parallel must be at least 1"),
        (Options(port=70_000), "from 0 to 65535"),
        (Options(port=0, host="192.0.2.1"), "can't listen"),
    ):
        with pytest.raises(SetupError, match=words):
            serve(options)
    with pytest.raises(unbraid.FormatError, match="did you mean 'qwen3'"):
        serve(Options(format="qwen33"))


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SetupError, match="can't listen"):
        serve(Options(port=taken.getsockname()[1]))


def test_the_greeting_has_a_line_that_can_be_run() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = address(listener)
    lines = greeting(url, "tiny")
    assert url in lines and "curl" in lines
    assert json.loads(lines.split("-d '")[1].rstrip("'"))["model"] == "tiny"
    assert "--api-key" in greeting(url, "tiny", open_to_all=True) and "--api-key" not in lines
