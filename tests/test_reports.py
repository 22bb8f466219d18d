"""Cases rebuilt from users' bug reports, each run whole, by character and by the cut that broke an engine.

``data/reports.jsonl`` holds one case a line; ``format`` ``"*"`` means every listed format, each with its own markers in
place of ``<think>`` and ``</think>``. White space next to markers compares loosely, arguments as JSON values.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unbraid
from helpers import check, tools
from unbraid.literals import written

CASES = [json.loads(line) for line in (Path(__file__).parent / "data" / "reports.jsonl").open(encoding="utf-8")]


def cases() -> list[Any]:
    found = []
    for case in CASES:
        everywhere = case["format"] == "*"
        for name in unbraid.formats() if everywhere else [case["format"]]:
            reasoning = unbraid.formats()[name].reasoning
            quotes = everywhere and "<think>" in case["expected"]["content"]
            if quotes and (reasoning is None or reasoning.reopens):
                continue
            found.append(pytest.param(case, name, id=f"{case['id']}-{name}"))
    return found


def in_markers_of(text: str, name: str) -> str:
    """The text with a format's own thinking markers."""
    reasoning = unbraid.formats()[name].reasoning
    if reasoning is None:
        return text
    opener, closer = (written(each).strip() for each in (reasoning.open, reasoning.close))
    return text.replace("</think>", closer).replace("<think>", opener)


def prompt_of(request: dict[str, Any], name: str) -> str | None:
    """The end of the prompt: as given, or the assistant's turn with the opener that a template prefills."""
    if "prompt_tail" in request:
        return str(request["prompt_tail"])
    if request.get("prefilled_think"):
        format = unbraid.formats()[name]
        assert format.reasoning is not None
        return written(format.turns.assistant) + written(format.reasoning.open)
    return None


@pytest.mark.parametrize(("case", "name"), cases())
def test_report(case: dict[str, Any], name: str) -> None:
    request, expected = case["request"], case["expected"]
    offered = request.get("tools")
    chunks = request.get("chunks")
    text, content = case["raw_output"], expected["content"]
    if case["format"] == "*":
        text, content = in_markers_of(text, name), in_markers_of(content, name)
    check(
        name,
        text,
        reasoning=expected["reasoning"],
        content=content,
        calls=[(call["name"], call["arguments"]) for call in expected["tool_calls"]],
        pieces=chunks if isinstance(chunks, list) else None,
        loose=True,
        tools=None if offered is None else tools(*offered),
        thinking=request.get("thinking"),
        prompt=prompt_of(request, name),
    )


def test_every_given_cut_is_a_cut_of_its_text() -> None:
    for case in CASES:
        chunks = case["request"].get("chunks")
        if isinstance(chunks, list):
            assert "".join(chunks) == case["raw_output"], case["id"]
