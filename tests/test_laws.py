"""The laws of ``docs/design.md``, each over every listed format.

A format that is added to the package is under test here at once. Messages are written by the independent writers,
other texts are built from the format's own markers or are messages with damage. Nothing here knows a format by name.

Each law is a function that asserts it of one example; the three tests at the end make the examples, and hold several
laws against each of them, because making an example costs more than parsing it. Which law is broken stands in the
traceback.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

import unbraid
from helpers import Total, assert_tiles, parser, run, said_by, same
from strategies import Choices, Sample, cuts, mutated, noise, pieces, samples
from unbraid.format import Nested, frames, shapes
from unbraid.literals import written
from writers import RAW_VALUES, SELF_TYPED

FORMATS = unbraid.formats()
THINKING = (True, False, None)
each_format = pytest.mark.parametrize("name", list(FORMATS))
LEADING = frozenset(
    {
        "apertus", "cohere_command4", "deepseek_v31", "deepseek_v4", "gemma4", "glm47", "gpt_oss", "kimi_k2", "lfm2",
        "llama3_json", "minimax_m3", "mistral", "qwen3", "qwen3_coder",
    }
)  # fmt: skip
"""Formats that between them use every word of the vocabulary. The others differ from them in their markers."""

NESTED = {
    name for name, each in FORMATS.items() for tools in frames(each) if isinstance(shapes(tools)[0].arguments, Nested)
}
"""Formats in which an element in a value says that it is a container."""


def examples(name: str) -> settings:
    """How many examples a law is held against, where the time is short."""
    short = os.environ.get("UNBRAID_PROFILE", "normal") == "normal" and name not in LEADING
    return settings(max_examples=80) if short else settings()


class Output(NamedTuple):
    """A text, and the options of a request for it."""

    text: str
    options: dict[str, Any]


def outputs(name: str) -> SearchStrategy[Output]:
    """Messages as they should be, with the prompt's end and the tools, and any other text."""
    written = samples(name).map(
        lambda sample: Output(sample.written.text, {"prompt": sample.written.prompt, "tools": sample.openai_tools()})
    )
    other = st.builds(
        lambda text, thinking: Output(text, {"thinking": thinking}), noise(FORMATS[name]), st.sampled_from(THINKING)
    )
    return st.one_of(written, other)


# --- 1. tiling ------------------------------------------------------------------------------------------------------


def strand(text: str, message: unbraid.Message, kind: str) -> str:
    """The characters of all spans of a kind."""
    return "".join(text[span.start : span.end] for span in message.spans if span.kind == kind)


def assert_spans_agree(text: str, message: unbraid.Message) -> None:
    """Every character is in one span, and the spans hold what the message says."""
    assert_tiles(text, message)
    reasoning, content = strand(text, message, "reasoning"), strand(text, message, "content")
    if any(each.kind == "promoted" for each in message.notes):
        reasoning, content = "", content + reasoning
    assert reasoning == (message.reasoning or "")
    assert content == (message.content or "")
    for call in (*message.tool_calls, *message.incomplete_calls):
        named = [s for s in message.spans if s.kind == "tool_name" and s.call == call.index]
        written = "".join(text[s.start : s.end] for s in named)
        assert written == call.name or json.loads(f'"{written}"', strict=False) == call.name


# --- 2. cut invariance ----------------------------------------------------------------------------------------------


def assert_same_at_every_cut(name: str, text: str, where: bytes, **options: Any) -> None:
    """Whole, by character and in pieces, the events and the message are the same."""
    whole = run(name, [text], **options)
    assert_spans_agree(text, whole.message)
    assert run(name, text, **options) == whole
    assert run(name, pieces(text, where), **options) == whole


# --- 3. append only -------------------------------------------------------------------------------------------------


def strips(spans: tuple[unbraid.Span, ...]) -> list[tuple[str, int, int]]:
    """Kinds of text and where they stand. To which call they belong may become known later: in a JSON array of calls,
    the markup of a call comes before its name."""
    found: list[tuple[str, int, int]] = []
    for span in spans:
        if found and found[-1][0] == span.kind:
            found[-1] = (span.kind, found[-1][1], span.end)
        else:
            found.append((span.kind, span.start, span.end))
    return found


def assert_grown(before: tuple[unbraid.Span, ...], now: tuple[unbraid.Span, ...]) -> None:
    """What was told of a character stays; only the last strip may have become longer."""
    if before:
        old, new = strips(before), strips(now)
        last = len(old) - 1
        assert new[:last] == old[:last]
        assert new[last][:2] == old[last][:2]
        assert new[last][2] >= old[last][2]


def assert_append_only(name: str, cut: list[str], **options: Any) -> None:
    """At every step the message is the sum of the events so far, its spans end where the held text begins, and the last
    step adds only what is new. (All but for promoted reasoning, the declared exception.)"""
    reading = parser(name, promote_reasoning=False, **options)
    total = Total()
    fed = ""
    spans: tuple[unbraid.Span, ...] = ()
    for piece in cut:
        total.add(reading.feed(piece))
        fed += piece
        message = reading.message
        assert said_by(message) == total.as_said()
        assert not total.finished
        assert_tiles(fed[: len(fed) - len(reading.held)], message)
        assert_grown(spans, message.spans)
        spans = message.spans
    total.add(reading.finish("stop"))
    message = reading.message
    assert total.finished
    assert said_by(message) == total.as_said()
    assert_tiles(fed, message)
    assert_grown(spans, message.spans)
    complete = {call.index for call in message.tool_calls}
    assert complete == {index for index, call in enumerate(total.calls) if call[3]}
    assert all(call[4] for call in total.calls), "a call was left open"


# --- 4. little is held back -----------------------------------------------------------------------------------------


DECLARED_WAITS = ("decision", "name", "call", "value")
"""What may hold more than the bound: a call in open reasoning, a call whose name comes last, a call that was asked for
whole, and a value that can be typed only when it is over."""


def assert_little_is_held(name: str, text: str, **options: Any) -> None:
    """What is held is the end of what arrived, and but for the declared waits it is short."""
    reading = parser(name, **options)
    bound = reading.bound
    for place, character in enumerate(text, 1):
        reading.feed(character)
        held = reading.held
        assert text.endswith(held, 0, place)
        assert len(held) <= bound or reading.waiting in DECLARED_WAITS
        assert bool(reading.waiting) or not held


# --- 5. round trip --------------------------------------------------------------------------------------------------


def assert_reads_back(name: str, sample: Sample) -> None:
    """A message that was written in the format is read as the same message, without a note. (Reasoning that is promoted
    where an answer is nothing but white space is the declared exception.)"""
    said, written = sample.said, sample.written
    options: dict[str, Any] = {"prompt": written.prompt, "tools": sample.openai_tools(), "promote_reasoning": False}
    message = run(name, [written.text], **options).message
    assert (message.reasoning or "") == (said.reasoning or "")
    assert (message.content or "") == said.content + said.after
    assert [call.name for call in message.tool_calls] == [call.name for call in said.calls]
    for read, meant in zip(message.tool_calls, said.calls, strict=True):
        if name in RAW_VALUES or name in SELF_TYPED:
            assert same(json.loads(read.arguments), meant.arguments), read.arguments
        else:
            assert read.arguments == meant.text
    if written.ids is not None:
        assert tuple(call.id for call in message.tool_calls) == written.ids
    assert not message.incomplete_calls
    assert not message.notes
    assert [part.kind for part in message.segments] == list(kinds(sample))


def kinds(sample: Sample) -> Iterator[str]:
    """The parts of a message in the order in which they were written."""
    if sample.said.reasoning:
        yield "reasoning"
    if sample.said.content:
        yield "content"
    for _ in sample.said.calls:
        yield "tool_call"
    if sample.said.after:
        yield "content"


def assert_untyped_values_are_the_models_own(name: str, sample: Sample) -> None:
    """Without tools nothing is known of types: raw values are strings, JSON stays as it is."""
    message = run(name, [sample.written.text], prompt=sample.written.prompt).message
    assert [call.name for call in message.tool_calls] == [call.name for call in sample.said.calls]
    for read, meant in zip(message.tool_calls, sample.said.calls, strict=True):
        if name in SELF_TYPED or sample.written.typed:
            assert same(json.loads(read.arguments), meant.arguments), read.arguments
            continue
        if name not in RAW_VALUES:
            assert read.arguments == meant.text
            continue
        found = json.loads(read.arguments)
        assert list(found) == list(meant.arguments)
        for key, value in meant.arguments.items():
            # Elements say that there is a container, but not what the texts in it are.
            assert isinstance(found[key], str) or (name in NESTED and isinstance(value, dict | list))
            if isinstance(value, str):
                assert found[key] == value


# --- 6. never a crash, never a lost character -----------------------------------------------------------------------

OPTIONS: dict[str, tuple[Any, ...]] = {
    "calls_in_reasoning": ("decide", "end", "text"),
    "cut_calls": ("apart", "keep", "drop", "text"),
    "stream_calls": ("progressive", "whole"),
    "repair": (True, False),
    "undeclared": ("call", "text"),
    "fenced_calls": ("call", "text"),
    "typing": ("schema", "vllm", "sglang"),
    "tool_choice": ("auto", "none"),
    "forbidden_calls": ("text", "drop"),
    "promote_reasoning": (False, True),
    "thinking": THINKING,
    "tools": (None, [], [{"type": "function", "function": {"name": "f"}}]),
}
"""Every value of every option of the design's section 4."""
REASONS = ("stop", "length", "stop_string", "error")


def prompts(format: unbraid.Format) -> tuple[str | None, ...]:
    """Ends of prompts: silent, in reasoning, after it, in the middle of an answer, in a call, in another turn."""
    turn = written(format.turns.assistant)
    found: list[str | None] = [None, "", turn, turn + "Once upon a time", "hi" + turn + "\n", turn + "x" + turn]
    if format.reasoning is not None:
        opened, closed = written(format.reasoning.open), written(format.reasoning.close)
        found += [opened, turn + opened, turn + opened + "half a thou", turn + opened + closed, turn + closed]
        found += [turn + opened + "so" + closed + "The answer is", closed + "told" + turn, turn + opened.strip()]
    example = format.example
    found += [turn + example, turn + example[: len(example) // 2], turn + example[: -len(example) // 4]]
    found += [turn + end for end in format.turns.ends]
    return tuple(found)


def options(name: str, data: bytes) -> dict[str, Any]:
    """A choice of options, half of them left at their default."""
    choices = Choices(data)
    chosen = {key: choices.one(values) for key, values in OPTIONS.items() if choices.below(2)}
    return {**chosen, "prompt": choices.one(prompts(FORMATS[name]))}


def assert_nothing_is_lost(name: str, text: str, cut: Sequence[str], reason: str, **chosen: Any) -> None:
    """Whatever the text, the options and the reason of the end: no exception, all of it in spans, the same at a cut."""
    whole = run(name, [text], reason, **chosen)
    assert_tiles(text, whole.message)
    assert run(name, cut, reason, **chosen) == whole


def assert_markup_is_text_without_tools(name: str, cut: Sequence[str]) -> None:
    """``tools=[]``: nobody offered any, so calls are words, byte for byte."""
    message = run(name, cut, tools=[]).message
    assert not message.tool_calls and not message.incomplete_calls
    assert not {span.kind for span in message.spans} & {"tool_name", "argument"}


# --- forks --------------------------------------------------------------------------------------------------------


def assert_forks_go_on(name: str, cut: Sequence[str], where: bytes, reason: str, **chosen: Any) -> None:
    """A parser that is forked, and whose forks read other things, says what one says that never was."""
    whole, reading = (unbraid.Parser(name, new_call_id=lambda: "call", **chosen) for _ in range(2))
    expected = [event for piece in cut for event in whole.feed(piece)] + whole.finish(reason)
    events = []
    for place, piece in enumerate(cut):
        chance = where[place % len(where)] if where else 0
        if chance & 1:
            stray, reading = (reading, reading.fork()) if chance & 2 else (reading.fork(), reading)
            for other in (piece[::-1], "".join(cut)):
                stray.feed(other)
            stray.finish(reason)
        events += reading.feed(piece)
    twin = reading.fork()
    assert [*events, *reading.finish(reason)] == [*events, *twin.finish(reason)] == expected
    assert twin.message == reading.message == whole.message


# --- the examples ---------------------------------------------------------------------------------------------------


@each_format
def test_any_output_keeps_the_laws(name: str) -> None:
    """Tiling, cut invariance, append only, and little held back."""

    @examples(name)
    @given(outputs(name), cuts)
    def laws(output: Output, where: bytes) -> None:
        text, options = output
        note(repr(pieces(text, where)))
        assert_same_at_every_cut(name, text, where, **options)
        assert_append_only(name, pieces(text, where), **options)
        assert_little_is_held(name, text, **options)
        assert_forks_go_on(name, pieces(text, where), where, "stop", **options)

    laws()


@each_format
def test_a_written_message_reads_back(name: str) -> None:
    """Round trip, with and without tools; and cut off anywhere it loses nothing."""

    @examples(name)
    @given(samples(name), st.integers(0, 10_000), st.sampled_from(REASONS), st.binary(min_size=16, max_size=16))
    def laws(sample: Sample, place: int, reason: str, data: bytes) -> None:
        text = sample.written.text
        note(repr(text))
        assert_reads_back(name, sample)
        assert_untyped_values_are_the_models_own(name, sample)
        part = text[: place % (len(text) + 1)]
        chosen = {**options(name, data), "prompt": sample.written.prompt}
        note(repr((part, reason, chosen)))
        assert_nothing_is_lost(name, part, part, reason, **chosen)

    laws()


@each_format
def test_no_text_and_no_option_breaks_it(name: str) -> None:
    """Any text, any option, any prompt, any end."""
    texts = st.one_of(noise(FORMATS[name]), mutated(name))

    @examples(name)
    @given(texts, st.binary(min_size=16, max_size=16), cuts, st.sampled_from(REASONS))
    def laws(text: str, data: bytes, where: bytes, reason: str) -> None:
        chosen = options(name, data)
        note(repr((pieces(text, where), reason, chosen)))
        cut = pieces(text, where) if where[0] & 1 else text
        assert_nothing_is_lost(name, text, cut, reason, **chosen)
        assert_markup_is_text_without_tools(name, cut)
        assert_forks_go_on(name, pieces(text, where), where, reason, **chosen)

    laws()
