"""transformers' ResponseParser, with a response template for each format. Arguments come at their end, parsed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from transformers.utils.chat_parsing import ResponseParser, parse_response

THOUGHT = {"open": "<think>", "close": "</think>", "content": "text"}
TEMPLATES: dict[str, dict[str, Any]] = {
    "qwen3": {
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "thinking": THOUGHT,
            "tool_calls": {
                "open": "<tool_call>",
                "close": "</tool_call>",
                "repeats": True,
                "content": "json",
                "transform": {"type": "function", "function": "{content}"},
            },
            "content": {"close": ["<|im_end|>"]},
        },
    },
    "qwen3_coder": {
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "thinking": THOUGHT,
            "tool_calls": {
                "open_pattern": r"<tool_call>\s*<function=(?P<name>\w+)>\s*",
                "close": "</tool_call>",
                "repeats": True,
                "content": "xml-inline",
                "content_args": {
                    "tag_pattern": r"<parameter=(?P<key>\w+)>\n?(?P<value>.*?)\n?</parameter>",
                    "value_parser": {"name": "json", "args": {"allow_non_json": True}},
                },
                "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
            },
            "content": {"close": ["<|im_end|>"]},
        },
    },
}


def load(folder: Path) -> None:
    """It takes text."""


def version() -> str:
    """The package's version."""
    return installed("transformers")


def parser(work: dict[str, Any]) -> Any:
    """A parser of one output."""
    return ResponseParser(TEMPLATES[work["format"]], prefix=work["prompt"], tools=work["tools"])


def stream(work: dict[str, Any]) -> Callable[[], Any]:
    """One parser an output."""

    def make() -> Any:
        one = parser(work)
        feed = one.feed
        return lambda deltas: [feed(text) for text, _, _ in deltas], lambda: one.finalize()[1]

    return make


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """The message of a whole text."""
    template = TEMPLATES[work["format"]]
    return lambda: parse_response(work["text"], template, prefix=work["prompt"], tools=work["tools"])


def question(work: dict[str, Any]) -> None:
    """It takes no ids."""


def said(results: list[Any]) -> dict[str, int]:
    """How many characters of each part; arguments as they were written."""
    counts = {"reasoning": 0, "content": 0, "arguments": 0, "calls": 0}
    fields = {"thinking": "reasoning", "content": "content", "tool_calls": "arguments"}
    for event in (event for events in results for event in events):
        if event["type"] == "region_chunk":
            counts[fields[event["field"]]] += len(event["text"])
        elif event["type"] == "region_open" and event["field"] == "tool_calls":
            counts["calls"] += 1
    return counts
