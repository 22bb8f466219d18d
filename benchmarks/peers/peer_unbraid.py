"""unbraid, as it is installed in the environment: text alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import unbraid


def load(folder: Path) -> None:
    """Nothing to load for text."""


def version() -> str:
    """The package's version."""
    return unbraid.__version__


def options(work: dict[str, Any]) -> dict[str, Any]:
    """Those of every parser."""
    return {"tools": work["tools"], "prompt": work["prompt"], "thinking": True}


def stream(work: dict[str, Any]) -> Callable[[], Any]:
    """One parser an output."""

    def make() -> Any:
        parser = unbraid.Parser(work["format"], **options(work))
        feed = parser.feed
        return lambda deltas: [feed(text) for text, _, _ in deltas], parser.finish

    return make


def whole(work: dict[str, Any]) -> Callable[[], object]:
    """The message of a whole text."""
    return lambda: unbraid.parse(work["text"], work["format"], **options(work))


def question(work: dict[str, Any]) -> None:
    """Is asked of ids."""


def said(results: list[Any]) -> dict[str, int]:
    """How many characters of each part."""
    counts = {"reasoning": 0, "content": 0, "arguments": 0, "calls": 0}
    for event in (event for events in results for event in events):
        if isinstance(event, unbraid.Reasoning | unbraid.Content):
            counts[event.type] += len(event.text)
        elif isinstance(event, unbraid.ToolCallArguments):
            counts["arguments"] += len(event.json)
        elif isinstance(event, unbraid.ToolCallStart):
            counts["calls"] += 1
    return counts
