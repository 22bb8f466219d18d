"""The ``canitoolcall`` corpus: raw outputs that we didn't write, with the parse that a correct engine returns.

Every fixture, strictly (no excuse for white space), whole, by character and at every chunking strategy of the corpus.
Its strategies group tokens; the units grouped here are the format's special tokens, words, and single characters.
The corpus wants no call at all from an output that was cut off inside one; our ``tool_calls`` hold none, whatever the
stream showed of it, and the stream's last word on it is ``complete=False``.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from canitoolcall.chunking import DEFAULT_STRATEGIES, ChunkStrategy, group_sizes, split_text
from canitoolcall.fixtures import Fixture, load_fixtures

import unbraid

FAMILIES = (
    ("qwen3-hermes", None, "qwen3"),
    ("qwen3-xml", None, "qwen3_coder"),
    ("glm", None, "glm47"),
    ("kimi", "x-kimi-k2", "kimi_k2"),
    ("deepseek", "x-deepseek-v3", "deepseek_v3"),
    ("deepseek", "x-deepseek-v31", "deepseek_v31"),
    ("deepseek", "x-deepseek-v32", "deepseek_v32"),
    ("deepseek", "x-deepseek-v41", "deepseek_v41"),
    ("deepseek", "x-deepseek-v4", "deepseek_v4"),
    ("gemma4", None, "gemma4"),
    ("gpt-oss", None, "gpt_oss"),
    ("kimi", "x-kimi-k3", "kimi_k3"),
    ("llama", "x-llama-json", "llama3_json"),
    ("llama", "x-llama-pythonic", "pythonic"),
    ("mistral", None, "mistral"),
)
"""The corpus's families that we read: the tag of the variant where a family has several, and our format."""

CUTS = [*DEFAULT_STRATEGIES, *(ChunkStrategy("char", seed=seed) for seed in range(3))]
CONTRADICTED = {"gemma4/vllm-text-before-call"}
"""Fixtures that another fixture contradicts, each with its reason in ``docs/decisions.md``."""


def pieces_of(text: str, name: str, strategy: ChunkStrategy) -> list[str]:
    """The text as a chunking strategy cuts it."""
    if strategy.kind == "char":
        return list(split_text(text, strategy))
    special = unbraid.resolve(name).special
    units = re.findall("|".join([*map(re.escape, special), r"\w+", r"[\s\S]"]), text)
    pieces = []
    at = 0
    for size in group_sizes(len(units), strategy, [unit in special for unit in units]):
        pieces.append("".join(units[at : at + size]))
        at += size
    return pieces


def format_of(fixture: Fixture) -> str | None:
    """Our format for a fixture; ``None`` if we don't read its family."""
    for family, tag, name in FAMILIES:
        if fixture.family == family and (tag is None or tag in fixture.tags):
            return name
    return None


FIXTURES = load_fixtures()


def parsed(fixture: Fixture, cut: ChunkStrategy, stream_calls: str) -> unbraid.Message:
    parser = unbraid.Parser(
        format_of(fixture) or "",
        tools=fixture.tools,
        prompt=fixture.generation_prompt,
        thinking=fixture.thinking,
        stream_calls=stream_calls,
        new_call_id=lambda: "call",
    )
    for piece in pieces_of(fixture.raw_output, parser.format.name, cut):
        parser.feed(piece)
    parser.finish("length" if fixture.truncated else "stop")
    return parser.message


def as_json(message: unbraid.Message) -> dict[str, Any]:
    return {
        "content": message.content,
        "reasoning_content": message.reasoning,
        "tool_calls": [{"name": c.name, "arguments": json.loads(c.arguments)} for c in message.tool_calls],
    }


def test_the_corpus_is_there() -> None:
    """469 fixtures in version 0.1.1, and a format for each."""
    assert len(FIXTURES) >= 469
    assert not [fixture.id for fixture in FIXTURES if format_of(fixture) is None]
    assert {fixture.id for fixture in FIXTURES} >= CONTRADICTED


@pytest.mark.parametrize("stream_calls", ["whole", "progressive"])
@pytest.mark.parametrize("fixture", FIXTURES, ids=[fixture.id for fixture in FIXTURES])
def test_a_fixture_is_strictly_right_at_every_cut(fixture: Fixture, stream_calls: str) -> None:
    messages = [parsed(fixture, cut, stream_calls) for cut in CUTS]
    assert all(message == messages[0] for message in messages)
    got = as_json(messages[0])
    if fixture.expected is None:
        # The output was cut off in a call; those that were written whole before it count.
        assert messages[0].incomplete_calls or not got["tool_calls"]
        assert all(not call.complete for call in messages[0].incomplete_calls)
        return
    wanted = {
        "content": fixture.expected.content or None,
        "reasoning_content": fixture.expected.reasoning_content or None,
        "tool_calls": [{"name": c.name, "arguments": c.arguments} for c in fixture.expected.tool_calls],
    }
    # As JSON text, because True == 1 in Python.
    right = json.dumps(got, sort_keys=True) == json.dumps(wanted, sort_keys=True)
    assert right is (fixture.id not in CONTRADICTED), (got, wanted)
