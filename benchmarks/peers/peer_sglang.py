"""SGLang's parsers, from ``llm-router-utils``: reasoning first, then calls, as its server chains them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from llm_router_utils import __version__
from llm_router_utils.sglang.srt.entrypoints.openai.protocol import Tool
from llm_router_utils.sglang.srt.function_call.function_call_parser import FunctionCallParser
from llm_router_utils.sglang.srt.parser.reasoning_parser import ReasoningParser

PARSERS = {"qwen3": "qwen25", "qwen3_coder": "qwen3_coder"}


def load(folder: Path) -> None:
    """It takes text."""


def version() -> str:
    """The package's version, which isn't SGLang's own."""
    return str(__version__)


def parsers(work: dict[str, Any]) -> tuple[Any, Any]:
    """One of reasoning and one of calls."""
    tools = [Tool(**tool) for tool in work["tools"]]
    return ReasoningParser("qwen3", stream_reasoning=True), FunctionCallParser(tools, PARSERS[work["format"]])


def stream(work: dict[str, Any]) -> Callable[[], Any]:
    """Two parsers an output."""

    def make() -> Any:
        thoughts, calls = parsers(work)

        def step(text: str) -> Any:
            reasoning, rest = thoughts.parse_stream_chunk(text)
            content, found = calls.parse_stream_chunk(rest) if rest else ("", [])
            return reasoning, content, found

        return lambda deltas: [step(text) for text, _, _ in deltas], lambda: ("", *calls.parse_stream_end())

    return make


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """Two parsers and their parses of a whole text."""

    def parse() -> object:
        thoughts, calls = parsers(work)
        reasoning, rest = thoughts.parse_non_stream(work["text"])
        return reasoning, calls.parse_non_stream(rest)

    return parse


def question(work: dict[str, Any]) -> None:
    """Not asked of its parsers."""


def said(results: list[Any]) -> dict[str, int]:
    """How many characters of each part."""
    counts = {"reasoning": 0, "content": 0, "arguments": 0, "calls": 0}
    for reasoning, content, calls in results:
        counts["reasoning"] += len(reasoning or "")
        counts["content"] += len(content or "")
        for call in calls:
            counts["calls"] += bool(call.name)
            counts["arguments"] += len(call.parameters or "")
    return counts
