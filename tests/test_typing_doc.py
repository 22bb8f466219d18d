"""The examples of ``docs/typing.md``, each as a whole and character by character, under each policy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import unbraid
from unbraid.arguments.policies import POLICIES
from unbraid.format import Call, Params, Tools, Turns
from unbraid.options import CHOICES

TEXT = (Path(__file__).parent.parent / "docs" / "typing.md").read_text("utf-8")
DEFS = {"seats": {"type": "integer"}, "day": {"enum": ["today", "tomorrow"]}}
FORMATS = {
    untyped: unbraid.Format(
        name=f"raw_{untyped}",
        turns=Turns("<Assistant>"),
        tools=Tools(Call("<call {name}>", "</call>", Params("<p {key}>", "</p>", untyped=untyped))),
    )
    for untyped in ("string", "json")
}


class Row(NamedTuple):
    schema: str
    raw: str
    values: dict[str, Any]


def rows() -> list[Row]:
    """The rows of the table that aren't headings."""
    lines = TEXT.split("## Examples")[1].split("| --- | --- | --- | --- | --- |\n")[1].splitlines()
    found = []
    for line in lines:
        cells = [cell[1:-1] for cell in line.strip().strip("|").split("|")]
        assert len(cells) == 5, line
        if cells[0].startswith("**"):
            continue
        schema, raw, *written = (cell.strip("`") if cell.startswith("`") else cell.strip() for cell in cells)
        ours = json.loads(written[0])
        others = [json.loads(cell) if cell else ours for cell in written[1:]]
        found.append(Row(schema, raw, dict(zip(POLICIES, [ours, *others], strict=True))))
    return found


ROWS = rows()


def test_there_are_many_and_they_differ() -> None:
    assert len(ROWS) >= 50
    for policy in ("vllm", "sglang"):
        assert sum(differ(row.values[policy], row.values["schema"]) for row in ROWS) > 10
    assert tuple(POLICIES) == CHOICES["typing"]


def differ(one: Any, other: Any) -> bool:
    return (type(one), one) != (type(other), other)


@pytest.mark.parametrize("policy", list(POLICIES))
@pytest.mark.parametrize("row", ROWS, ids=[f"{row.schema} {row.raw!r}" for row in ROWS])
def test_example(row: Row, policy: str) -> None:
    properties = {} if row.schema.startswith("nothing") else {"x": json.loads(row.schema)}
    tools = [{"name": "f", "parameters": {"type": "object", "properties": properties, "$defs": DEFS}}]
    format = FORMATS["json" if row.schema == "nothing, JSON" else "string"]
    text = f"<call f><p x>{row.raw}</p></call>"
    for pieces in ([text], list(text)):
        parser = unbraid.Parser(format, tools=tools, typing=policy)
        for piece in pieces:
            parser.feed(piece)
        parser.finish()
        (call,) = parser.message.tool_calls
        found = json.loads(call.arguments)["x"]
        assert not differ(found, row.values[policy]), f"{found!r} instead of {row.values[policy]!r}"
