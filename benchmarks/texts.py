"""The texts that benchmarks are fed: prose, reasoning and content, a call with long arguments; and the tools for it.

All are made here from fixed seeds, so that every run measures the same.
"""

from __future__ import annotations

import json
import random
from typing import Any

from unbraid.cli import pieces
from unbraid.format import Format, Json, JsonCall, Python, frames, shapes
from unbraid.literals import written as marker

TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": "find_trains",
            "description": "Find trains.",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
                "required": ["to"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "find_trains",
            "description": "Find trains to a city.",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
                "required": ["to"],
            },
        },
    },
]

_WORDS = """
    the of and to in a is that for it as was with be by on not he this are or his from at which but have an
    they you were there one all we their has would when if so no what can more about which other into them
    some could time train station Graz seats departure schedule question answer therefore consider compare
    function parameter because however probably straightforward implementation cheapest arrival connection
    Wien Salzburg don't it's
""".split()  # noqa: SIM905


def prose(tokens: int, seed: int = 7) -> str:
    """Words, numbers, punctuation, paragraphs and now and then a ``<``, as models write them."""
    rng = random.Random(seed)
    parts: list[str] = []
    count = 0
    while count < tokens:
        words = [rng.choice(_WORDS) for _ in range(rng.randint(6, 18))]
        if rng.random() < 0.3:
            words.insert(rng.randrange(len(words)), str(rng.randint(1, 2500)))
        if rng.random() < 0.05:
            words.insert(rng.randrange(len(words)), "x < 3")
        sentence = " ".join(words).capitalize() + rng.choice((".", ".", ".", "?", ":"))
        sentence += "\n\n" if rng.random() < 0.15 else " "
        parts.append(sentence)
        count += sum(1 for _ in pieces(sentence, "tokens"))
    return "".join(parts).rstrip()


def source_code(size: int, seed: int = 11) -> str:
    """About ``size`` characters of something like Python: indentation, quotes, backslashes, comparisons."""
    rng = random.Random(seed)
    lines: list[str] = []
    length = 0
    while length < size:
        a, b = rng.choice(_WORDS).replace("'", ""), rng.choice(_WORDS).replace("'", "")
        line = rng.choice(
            (
                f"def {a}_{b}(value, *, limit={rng.randint(1, 99)}):",
                f'    """Return the {a} of the {b}."""',
                f'    if value["{a}"] <= limit and "{b}" not in seen:',
                f"        {a} = [item.{b} for item in value if item > {rng.randint(0, 9)}]",
                f'        print(f"{a}: {{value}}\\n", end="")',
                f"    return {a}.{b}(value, '{a}')",
                "",
            )
        )
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)[:size]


def reasoning_and_content(format: Format, tokens: int) -> str:
    """A third of the tokens as content, the rest as reasoning before it."""
    thinking = format.reasoning
    if thinking is None:
        return prose(tokens)
    opener = marker(thinking.open) if thinking.opened_by == "model" else ""
    return opener + prose(tokens * 2 // 3) + marker(thinking.close) + prose(tokens // 3, seed=8)


def long_call(format: Format, size: int) -> str:
    """The format's example, with ``size`` characters of source code for its string argument."""
    if format.tools is None:
        raise ValueError(f"{format.name} has no calls")
    value = source_code(size)
    codec = shapes(frames(format)[0])[0].arguments
    written = json.dumps(value, ensure_ascii=False)[1:-1] if isinstance(codec, Json | JsonCall | Python) else value
    before, _, after = format.example.rpartition("Graz")
    return before + written + after
