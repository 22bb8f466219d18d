"""The request's tools, however they are written: OpenAI's shape, bare functions, or Anthropic's.

Looked at only when a call is made, so that a parser costs nothing for tools that nobody calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def schemas(tools: Iterable[Any]) -> dict[str, Mapping[str, Any] | None]:
    """The parameters' JSON schema of each tool, by name; ``None`` where a tool declares none."""
    found: dict[str, Mapping[str, Any] | None] = {}
    for tool in tools:
        if not isinstance(tool, Mapping):
            continue
        function = tool.get("function")
        described = function if isinstance(function, Mapping) else tool
        name = described.get("name")
        if not isinstance(name, str):
            continue
        schema = described.get("parameters", described.get("input_schema"))
        found[name] = schema if isinstance(schema, Mapping) else None
    return found
