"""agent-tool-parser, compiled: JSON calls of whole texts. It gives no reasoning and no content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import agent_tool_parser


def load(folder: Path) -> None:
    """It takes text."""
    assert agent_tool_parser.ACCELERATED


def version() -> str:
    """The package's version."""
    return str(agent_tool_parser.__version__)


def stream(work: dict[str, Any]) -> None:
    """It doesn't stream."""


def whole(work: dict[str, Any]) -> Callable[[], object] | None:
    """The calls of a whole text; prose is none of its work."""
    if "call" not in work["name"]:
        return None

    def parse() -> object:
        return agent_tool_parser.try_parse_tool_calls(work["text"])

    return parse if parse() else None


def question(work: dict[str, Any]) -> None:
    """It takes no ids."""
