"""renderers: the parse of whole outputs, by ids, which it decodes."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from renderers.qwen3 import Qwen3Renderer
from renderers.qwen35 import Qwen35Renderer
from transformers import AutoTokenizer

made: dict[str, Any] = {}


def load(folder: Path) -> None:
    """One renderer for each format, all requests'."""
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    made.update(qwen3=Qwen3Renderer(tokenizer), qwen3_coder=Qwen35Renderer(tokenizer))


def version() -> str:
    """The package's version."""
    return installed("renderers")


def stream(work: dict[str, Any]) -> None:
    """It doesn't stream."""


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """The parse of a whole output."""
    renderer = made[work["format"]]

    def parse() -> object:
        return renderer.parse_response(work["ids"], tools=work["tools"], prompt_ids=work["prompt_ids"])

    return parse


def question(work: dict[str, Any]) -> None:
    """It isn't asked."""
