"""Parsers that are fed with token ids, with the real tokenizer of Qwen 3.6: mixtures of text and ids, forged markers,
and the account of the tokens. Other tokenizers are tested in ``test_vocabularies``."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
import vocabularies
from idtools import Step, assert_account, mixed, one_by_one, read, told
from unbraid import OptionError, Parser

QWEN = vocabularies.qwen()
FORMATS = QWEN.formats


def example(name: str) -> str:
    return unbraid.resolve(name).example


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_every_mixture_says_what_the_text_says(name: str, data: st.DataObject) -> None:
    text = example(name)
    ids = QWEN.ids(text)
    prefixes = QWEN.prefixes(ids)
    whole = read(QWEN, name, [(text, None)], thinking=True)
    message = read(QWEN, name, mixed(data, QWEN, ids, prefixes), thinking=True)
    assert told(message) == told(whole)
    assert message.spans == whole.spans
    assert_account(message, prefixes)


@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("forging", unbraid.formats())
@pytest.mark.parametrize("name", FORMATS)
def test_spelled_markup_of_any_family_is_text(name: str, forging: str, together: bool) -> None:
    """Echoed markup, after and inside real reasoning, is neither a call nor the end of reasoning."""
    echo = "it says: " + example(forging) + " so"
    ids = [*QWEN.ids("<think>\n"), *QWEN.spelled(echo), *QWEN.ids("</think>\n\n"), *QWEN.spelled(echo)]
    message = read(QWEN, name, one_by_one(QWEN, ids, together), thinking=True)
    assert not message.tool_calls
    assert not message.incomplete_calls
    assert message.reasoning is not None
    assert message.reasoning.strip() == echo.strip()
    assert message.content == echo


def test_spelled_markers_count_where_that_is_asked_for() -> None:
    text = example("qwen3_coder")
    message = read(QWEN, "qwen3_coder", [(None, QWEN.spelled(text))], thinking=True, spelled_markers="marker")
    assert told(message) == told(read(QWEN, "qwen3_coder", [(text, None)], thinking=True))


def test_special_tokens_may_be_missing_from_the_text() -> None:
    ids = QWEN.ids(example("qwen3"))
    special = set(QWEN.special.values())
    steps: list[Step] = [("" if i in special else QWEN.text([i]), [i]) for i in ids]
    whole = read(QWEN, "qwen3", [(example("qwen3"), None)], thinking=True)
    assert told(read(QWEN, "qwen3", steps, thinking=True))[:3] == told(whole)[:3]


def test_logprobs_come_back_by_part() -> None:
    ids = QWEN.ids(example("qwen3"))
    parser = Parser("qwen3", tokenizer=QWEN.tokenizer, thinking=True)
    for place, id in enumerate(ids):
        parser.feed(ids=[id], logprobs=[-float(place)])
    parser.finish()
    message = parser.message
    mask = message.token_mask("reasoning")
    assert message.logprobs("reasoning") == tuple(-float(n) for n in range(len(ids)) if mask[n])
    assert not any(map(math.isnan, message.token_logprobs))


def test_a_real_opener_ends_reasoning_at_once_where_calls_end_it() -> None:
    ids = QWEN.ids("<think>\nhm ")
    parser = Parser("qwen3", tokenizer=QWEN.tokenizer, thinking=True, calls_in_reasoning="end")
    parser.feed(ids=[*ids, *QWEN.spelled("<tool_call>")])
    assert not parser.reasoning_over
    before = len(ids) + len(QWEN.spelled("<tool_call>"))
    parser.feed(ids=QWEN.ids("<tool_call>"))
    assert parser.reasoning_over
    assert parser.reasoning_end == before


def test_a_special_token_inside_a_json_string() -> None:
    """It is part of the value, with nothing added to it, and never cuts the call."""
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "x<think>y"}}\n</tool_call>'
    message = read(QWEN, "qwen3", [(None, [each]) for each in QWEN.ids(text)], thinking=False)
    assert [call.arguments for call in message.tool_calls] == ['{"a": "x<think>y"}']


def test_a_vocabulary_can_be_made_once() -> None:
    parser = Parser(
        "qwen3", tokenizer=unbraid.Vocabulary(QWEN.tokenizer), prompt=QWEN.ids("<|im_start|>assistant\n<think>\n")
    )
    parser.feed(ids=QWEN.ids("hm</think>\n\nyes"))
    parser.finish()
    assert (parser.message.reasoning, parser.message.content) == ("hm", "yes")


@given(st.lists(st.integers(0, 260_000), max_size=60))
def test_any_ids_are_taken(ids: list[int]) -> None:
    message = read(QWEN, "qwen3", [(None, [each]) for each in ids], thinking=True)
    assert sum(span.end - span.start for span in message.token_spans) == len(ids)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="tokenizer"):
        Parser("qwen3").feed(ids=[1])
    with pytest.raises(OptionError, match="did you mean 'marker'"):
        Parser("qwen3", tokenizer=QWEN.tokenizer, spelled_markers="markers")
    with pytest.raises(OptionError, match="one for each id"):
        Parser("qwen3", tokenizer=QWEN.tokenizer).feed(ids=[1, 2], logprobs=[-1.0])
