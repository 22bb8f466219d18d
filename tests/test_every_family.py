"""Decisions that every family has to keep: calls in open reasoning, and values that hold markup.

The messages are written by the independent writers, so that a new format is tested by being listed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import unbraid
from helpers import assert_tiles, run, same
from unbraid.format import frames, shapes
from writers import CLOSERS, SILENT, WRITERS
from writing import Call, Said

FORMATS = unbraid.formats()
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {"name": "save", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}},
    }
]
REASONING = [name for name in FORMATS if name in WRITERS and name not in SILENT]
CALLING = [name for name, format in FORMATS.items() if name in WRITERS and format.tools is not None]
MARKED = {name for name in CALLING if shapes(frames(FORMATS[name])[0])[0].open is not None}
"""Formats whose usual call begins with a marker."""
THINKING_CALLS = [name for name in REASONING if name in MARKED]
HEADED = {name for name in CALLING if FORMATS[name].turns.headed}
"""Formats in which a call begins with a header, and a header also ends reasoning."""
INSIDE = {name for name in THINKING_CALLS if getattr(FORMATS[name].reasoning, "calls", "") == "inside"}


def call(text: str) -> Call:
    """A call whose one argument is this text."""
    arguments = {"text": text}
    return Call("save", arguments, json.dumps(arguments, ensure_ascii=False), frozenset({"text"}))


def written_call(name: str) -> str:
    """A call as the format writes it right after reasoning, without anything else."""
    text = WRITERS[name][0].write(Said("so", "", (call("Graz"),))).text
    alone = text.split(CLOSERS.get(name, "</think>"), 1)[1].lstrip()
    for end in FORMATS[name].turns.ends:
        alone = alone.removesuffix(end.strip())
    return alone


def outcome(name: str, text: str, **options: Any) -> unbraid.Message:
    """The message of a text, which must be the same by character and in groups of four."""
    prompt = WRITERS[name][0].write(Said("so", "x")).prompt
    cuts = ([text], text, [text[at : at + 4] for at in range(0, len(text), 4)])
    found = [run(name, cut, tools=TOOLS, prompt=prompt, **options) for cut in cuts]
    assert found[0] == found[1] == found[2]
    assert_tiles(text, found[0].message)
    return found[0].message


def thoughts(name: str, inside: str, closed: bool) -> str:
    """An output that thinks ``inside``, and then closes reasoning and answers, or doesn't."""
    text = WRITERS[name][0].write(Said("QUITE SO", "the answer")).text
    before, after = text.split("QUITE SO")
    return before + inside + (after if closed else "")


@pytest.mark.parametrize("name", THINKING_CALLS)
def test_a_call_in_reasoning_that_is_closed_later_is_a_draft(name: str) -> None:
    inside = "I could " + written_call(name) + " but no"
    if CLOSERS.get(name, "</think>") in inside:
        pytest.skip("what closes its calls also closes its reasoning")
    message = outcome(name, thoughts(name, inside, closed=True))
    if name in INSIDE:
        assert [call.name for call in message.tool_calls] == ["save"]
        assert message.reasoning is not None and message.reasoning.startswith("I could ")
        return
    assert not message.tool_calls and not message.incomplete_calls
    assert message.reasoning == inside
    assert message.content == "the answer"


@pytest.mark.parametrize("name", THINKING_CALLS)
def test_a_call_of_a_model_that_forgot_to_close_is_a_call(name: str) -> None:
    message = outcome(name, thoughts(name, "I could" + written_call(name), closed=False))
    assert [call.arguments for call in message.tool_calls] == ['{"text": "Graz"}']
    assert message.reasoning == "I could"
    assert not message.content


@pytest.mark.parametrize("name", THINKING_CALLS)
def test_the_first_marker_can_win(name: str) -> None:
    text = thoughts(name, "I could" + written_call(name), closed=True)
    message = outcome(name, text, calls_in_reasoning="end")
    assert [call.arguments for call in message.tool_calls] == ['{"text": "Graz"}']
    assert message.reasoning == "I could"


@pytest.mark.parametrize("name", [name for name in THINKING_CALLS if name not in HEADED])
def test_calls_in_reasoning_can_be_text(name: str) -> None:
    inside = "I could" + written_call(name)
    if CLOSERS.get(name, "</think>") in inside:
        pytest.skip("what closes its calls also closes its reasoning")
    message = outcome(name, thoughts(name, inside, closed=False), calls_in_reasoning="text", promote_reasoning=False)
    assert not message.tool_calls
    assert message.reasoning == inside


SOURCE = Path(unbraid.__file__).parent
XML = (
    '<?xml version="1.0"?>\n<invoice id="7">\n  <parameter name="to">Graz</parameter>\n'
    "  <item><![CDATA[a < b]]></item>\n"
    "  <function name='f'/>\n  <tool_call>no call</tool_call>\n  &lt;escaped&gt; &amp; done\n</invoice>\n"
)
HARD_VALUES = {
    "a source file": (SOURCE / "parser.py").read_text("utf-8"),
    "a file full of markers": "".join(file.read_text("utf-8") for file in sorted((SOURCE / "formats").glob("g*.py"))),
    "XML": XML,
    "a template": '{% for tool in tools %}{{ "<tool_call>" ~ tool | tojson }}{% endfor %}\n<|im_end|>\n',
    **{f"an output of {name}": format.example for name, format in FORMATS.items()},
}
"""Values that models write into files: code, markup of other programs, and outputs of every family."""


@pytest.mark.parametrize("name", CALLING)
def test_values_may_hold_markup(name: str) -> None:
    """Whatever the format can express. What it can't is listed at its writer, and is little."""
    left_out = []
    for title, value in HARD_VALUES.items():
        said = Said(None if name in SILENT else "so", "", (call(value), call("and on")))
        writer = WRITERS[name][0]
        if writer.unspeakable(said) is not None:
            left_out.append(title)
            continue
        written = writer.write(said)
        cuts = ([written.text], [written.text[at : at + 5] for at in range(0, len(written.text), 5)])
        for cut in cuts:
            message = run(name, cut, tools=TOOLS, prompt=written.prompt).message
            assert [c.name for c in message.tool_calls] == ["save", "save"], title
            read = [json.loads(c.arguments) for c in message.tool_calls]
            assert same(read, [{"text": value}, {"text": "and on"}]), title
            assert not message.content, title
    assert len(left_out) < 0.5 * len(HARD_VALUES), left_out
