"""The writers themselves: every listed format has one, and they write what the models' templates print."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings

import unbraid
from families import FAMILIES
from strategies import Sample, samples
from writers import (
    CLOSERS,
    RAW_VALUES,
    SELF_TYPED,
    SILENT,
    TOOLLESS,
    WRITERS,
    glm45,
    glm47,
    qwen3,
    qwen3_array,
    qwen3_coder_python,
    qwen3_string,
    qwen3_turned,
)
from writing import Call, Said

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
    "minimax_m2": "Trains.\n</think>\n\nLet me see.\n<minimax:tool_call>\n"
    '<invoke name="find_trains">\n<parameter name="to">Graz</parameter>\n<parameter name="seats">2</parameter>\n'
    '</invoke>\n<invoke name="clock">\n</invoke>\n</minimax:tool_call>',
    "deepseek_v3": "Trains.\n</think>\n\nLet me see.<｜tool▁calls▁begin｜>"
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>find_trains\n```json\n"
    '{"to": "Graz", "seats": 2}\n```<｜tool▁call▁end｜>\n'
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>clock\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "seed_oss": "<seed:think>Trains.</seed:think>\nLet me see.\n\n"
    "<seed:tool_call>\n<function=find_trains>\n<parameter=to>Graz</parameter>\n<parameter=seats>2</parameter>\n"
    "</function>\n</seed:tool_call>\n<seed:tool_call>\n<function=clock>\n</function>\n</seed:tool_call>",
    "granite4": "Let me see.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>\n'
    '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>',
    "longcat": "<longcat_think>\nTrains.\n</longcat_think>\n\nLet me see.\n<longcat_tool_call>\n"
    '{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</longcat_tool_call>\n'
    '<longcat_tool_call>\n{"name": "clock", "arguments": {}}\n</longcat_tool_call>',
    "jamba": 'Let me see.<tool_calls>[\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}},\n'
    '{"name": "clock", "arguments": {}}\n]</tool_calls>',
    "mimo": "<think>\nTrains.\n</think>\n\nLet me see.\n<tool_call>\n<function=find_trains>\n"
    "<parameter=to>Graz</parameter>\n<parameter=seats>2</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=clock>\n</function>\n</tool_call>",
    "internlm": "<think>\nTrains.\n</think>\n\nLet me see.<|action_start|> <|plugin|>\n"
    '{"name": "find_trains", "parameters": {"to": "Graz", "seats": 2}}<|action_end|>'
    '<|action_start|> <|plugin|>\n{"name": "clock", "parameters": {}}<|action_end|>',
    "step3p5": "Trains.\n</think>\nLet me see.<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "<parameter=seats>\n2\n</parameter>\n</function>\n</tool_call>"
    "<tool_call>\n<function=clock>\n</function>\n</tool_call>",
    "ling3": "<think>\nTrains.\n</think>\n\nLet me see.\n<tool_call>find_trains\n<arg_key>to</arg_key>\n"
    "<arg_value>Graz</arg_value>\n<arg_key>seats</arg_key>\n<arg_value>2</arg_value>\n</tool_call>\n"
    "<tool_call>clock\n</tool_call>",
    "poolside_v1": "Trains.</think>Let me see.<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></tool_call><tool_call>clock</tool_call>",
    "iquest_q1": "Trains.</think>Let me see."
    "<iquest_tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
    "<arg_key>seats</arg_key><arg_value>2</arg_value></iquest_tool_call><iquest_tool_call>clock</iquest_tool_call>",
    "plamo3": "Trains.<|plamo:end_think:plamo|>Let me see.<|plamo:begin_tool_requests:plamo|>"
    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>find_trains<|plamo:end_tool_name:plamo|>"
    '<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"to": "Graz", "seats": 2}'
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>clock<|plamo:end_tool_name:plamo|>"
    "<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{}"
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    "step3": "Trains.\n</think>\n\nLet me see.<｜tool_calls_begin｜>\n"
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="find_trains">\n'
    '<steptml:parameter name="to">Graz</steptml:parameter>\n<steptml:parameter name="seats">2</steptml:parameter>\n'
    "</steptml:invoke><｜tool_call_end｜>\n"
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="clock">\n</steptml:invoke><｜tool_call_end｜>\n'
    "<｜tool_calls_end｜>",
    **{name: family.canonical for name, family in FAMILIES.items()},
}
"""What each format's first writer writes, copied by hand from the templates' own output."""


def test_every_listed_format_has_a_writer_and_an_example() -> None:
    listed = set(unbraid.formats())
    assert listed == set(WRITERS), "write a writer for the new format in tests/writers.py"
    assert listed == set(CANONICAL)
    assert listed >= RAW_VALUES | SELF_TYPED | SILENT
    assert {name for name, each in unbraid.formats().items() if each.reasoning is None} == SILENT
    assert {name for name, each in unbraid.formats().items() if each.tools is None} == TOOLLESS


@pytest.mark.parametrize("name", sorted(CANONICAL))
def test_the_first_writer_writes_the_templates_layout(name: str) -> None:
    said = dataclasses.replace(TWO_CALLS, calls=()) if name in TOOLLESS else TWO_CALLS
    assert WRITERS[name][0].write(said).text == CANONICAL[name]


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
    closer = CLOSERS.get(name, "</think>")
    assert _is_plain(name, Said(f"it ends {closer} here", "")) is (name in SILENT)
