"""unbraid, as it is installed in the environment: text with its ids, ids at once, and the tracker of reasoning."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import peer_unbraid
from peer_unbraid import said, version
from tokenizers import Tokenizer

import unbraid

__all__ = ["closer", "load", "question", "said", "stream", "version", "whole"]

vocabulary: Any = None


def load(folder: Path) -> None:
    """The vocabulary, which all parsers share."""
    global vocabulary
    vocabulary = unbraid.Vocabulary(Tokenizer.from_file(str(folder / "tokenizer.json")))


def options(work: dict[str, Any]) -> dict[str, Any]:
    """Those of every parser."""
    return peer_unbraid.options(work) | {"tokenizer": vocabulary, "prompt": work["prompt_ids"]}


def stream(work: dict[str, Any]) -> Callable[[], Any]:
    """One parser an output."""

    def make() -> Any:
        parser = unbraid.Parser(work["format"], **options(work))
        feed = parser.feed
        return lambda deltas: [feed(text, ids) for text, ids, _ in deltas], parser.finish

    return make


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """The message of the ids at once, decoded here."""

    def parse() -> object:
        parser = unbraid.Parser(work["format"], **options(work))
        parser.feed(ids=work["ids"])
        parser.finish("stop")
        return parser.message

    return parse


def question(work: dict[str, Any]) -> Callable[[list[int]], Callable[[int], bool]]:
    """Whether reasoning is over after one more id."""

    def make(before: list[int]) -> Callable[[int], bool]:
        tracker = unbraid.ReasoningTracker(work["format"], vocabulary, prompt=work["prompt_ids"], thinking=True)
        tracker.advance(before)
        advance = tracker.advance
        return lambda id: advance([id]) is not None

    return make


def closer(work: dict[str, Any]) -> int:
    """The id that closes reasoning."""
    return int(vocabulary.id_of("</think>"))
