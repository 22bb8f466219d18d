"""The writers themselves: every listed format has one, and they write what the models' templates print."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

import unbraid
from strategies import Sample, samples
from writers import (
    RAW_VALUES,
    WRITERS,
    Call,
    Said,
    glm45,
    glm47,
    qwen3,
    qwen3_array,
    qwen3_coder_python,
    qwen3_string,
    qwen3_turned,
)

TRAINS = {"to": "Graz", "seats": 2}
TWO_CALLS = Said(
    "Trains.",
    "Let me see.",
    (Call("find_trains", TRAINS, json.dumps(TRAINS)), Call("clock", {}, "{}")),
)

CANONICAL = {
    "qwen3": "<think>\nTrains.\n</think>\n\nLet me see.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
    "qwen3_coder": "Trains.\n</think>\n\nLet me see.\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n<parameter=seats>\n2\n</parameter>\n"
    "</function>\n</tool_call>\n<tool_call>\n<function=clock>\n</function>\n</tool_call>",
    "deepseek_v31": "Trains.</think>Let me see.<｜tool▁calls▁begin｜>"
    '<｜tool▁call▁begin｜>find_trains<｜tool▁sep｜>{"to": "Graz", "seats": 2}<｜tool▁call▁end｜>'
    "<｜tool▁call▁begin｜>clock<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "kimi_k2": "Trains.</think>Let me see.<|tool_calls_section_begin|>"
    '<|tool_call_begin|>functions.find_trains:0<|tool_call_argument_begin|>{"to": "Graz", "seats": 2}<|tool_call_end|>'
    "<|tool_call_begin|>functions.clock:1<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    "glm47": "Trains.</think>Let me see.<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></tool_call><tool_call>clock</tool_call>",
}
"""What each format's first writer writes, copied by hand from the templates' own output."""


def test_every_listed_format_has_a_writer_and_an_example() -> None:
    listed = set(unbraid.formats())
    assert listed == set(WRITERS), "write a writer for the new format in tests/writers.py"
    assert listed == set(CANONICAL)
    assert listed >= RAW_VALUES


@pytest.mark.parametrize("name", sorted(CANONICAL))
def test_the_first_writer_writes_the_templates_layout(name: str) -> None:
    assert WRITERS[name][0].write(TWO_CALLS).text == CANONICAL[name]


@pytest.mark.parametrize(
    ("write", "text"),
    [
        (
            glm45,
            "\n<think>so</think>\nhm\n<tool_call>f\n<arg_key>to</arg_key>\n<arg_value>Graz</arg_value>\n"
            "<arg_key>direct</arg_key>\n<arg_value>true</arg_value>\n</tool_call>",
        ),
        (
            glm47,
            "so</think>hm<tool_call>f<arg_key>to</arg_key><arg_value>Graz</arg_value>"
            "<arg_key>direct</arg_key><arg_value>true</arg_value></tool_call>",
        ),
        (
            qwen3,
            "<think>\nso\n</think>\n\nhm\n<tool_call>\n"
            '{"name": "f", "arguments": {"to": "Graz", "direct": true}}\n</tool_call>',
        ),
        (
            qwen3_turned,
            "<think>\nso\n</think>\n\nhm\n<tool_call>\n"
            '{"arguments": {"to": "Graz", "direct": true}, "name": "f"}\n</tool_call>',
        ),
        (
            qwen3_string,
            "<think>\nso\n</think>\n\nhm\n<tool_call>\n"
            '{"name": "f", "arguments": "{\\"to\\": \\"Graz\\", \\"direct\\": true}"}\n</tool_call>',
        ),
        (
            qwen3_array,
            "<think>\nso\n</think>\n\nhm\n<tool_call>\n"
            '[{"name": "f", "arguments": {"to": "Graz", "direct": true}}]\n</tool_call>',
        ),
        (
            qwen3_coder_python,
            "so\n</think>\n\nhm\n\n<tool_call>\n<function=f>\n<parameter=to>\nGraz\n</parameter>\n"
            "<parameter=direct>\nTrue\n</parameter>\n</function>\n</tool_call>",
        ),
    ],
)
def test_other_layouts(write: object, text: str) -> None:
    arguments = {"to": "Graz", "direct": True}
    said = Said("so", "hm", (Call("f", arguments, json.dumps(arguments)),))
    assert callable(write)
    assert write(said).text == text


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_few_messages_are_unspeakable(name: str) -> None:
    """An exclusion that is too wide would make the round trip prove nothing; one that never holds isn't needed."""
    seen: list[str | None] = []

    @settings(max_examples=500)
    @given(samples(name, speakable=False))
    def collect(sample: Sample) -> None:
        seen.append(WRITERS[name][0].unspeakable(sample.said))

    collect()
    assert seen.count(None) > 0.6 * len(seen)
    reasons = {each.reason for writer in WRITERS[name] for each in writer.excluded}
    assert set(seen) - {None} <= reasons


def _is_plain(name: str, said: Said) -> bool:
    return all(writer.unspeakable(said) is None for writer in WRITERS[name])


@pytest.mark.parametrize("name", sorted(WRITERS))
def test_look_alikes_are_speakable(name: str) -> None:
    """Markers in strings, in reasoning and, in parts, in content are no reason to leave a message out."""
    value = "</arg_value>, </parameter>, <｜tool▁call▁end｜> or <|tool_call_end|>"
    call = Call("f", {"q": value}, json.dumps({"q": value}), frozenset({"q"}))
    assert _is_plain(name, Said("a <tool_call> in thought", "</tool_call, <thi and <|tool", (call,)))
    assert not _is_plain(name, Said("it ends </think> here", ""))
