"""Events with their tokens and log-probabilities, for every format, compared with brute force.

Brute force knows two things: the message's own account of its tokens, and where in a part's text each token begins.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import unbraid
from idtools import Step, mixed
from strategies import samples
from unbraid import (
    Alignment,
    Content,
    Finish,
    OptionError,
    Parser,
    Reasoning,
    ToolCallArguments,
    ToolCallEnd,
    ToolCallStart,
)
from vocabularies import trained

each_format = pytest.mark.parametrize("name", unbraid.formats())


def aligned(name: str, steps: list[Step], **options: Any) -> tuple[list[unbraid.Aligned], unbraid.Message]:
    """What comes out of these steps, where the n-th id has the log-probability -n. Forked on the way."""
    stream = Alignment(Parser(name, tokenizer=trained().tokenizer, **options))
    found: list[unbraid.Aligned] = []
    count = 0
    for place, (text, ids) in enumerate(steps):
        if place % 4 == 2:
            stray, stream = stream, stream.fork()
            stray.feed("<stray", ids and ids[::-1])
        size = len(ids or ())
        found += stream.feed(text, ids, [-float(count + n) for n in range(size)])
        count += size
    return [*found, *stream.finish()], stream.parser.message


@each_format
@settings(max_examples=40)
@given(st.data())
def test_every_token_comes_with_the_event_that_says_it(name: str, data: st.DataObject) -> None:
    sample = data.draw(samples(name))
    assume("\ufffd" not in sample.written.text)  # brute force takes it for a character that isn't whole yet
    tokenizer = trained()
    ids = tokenizer.ids(sample.written.text)
    prefixes = tokenizer.prefixes(ids)
    steps = mixed(data, tokenizer, ids, prefixes)
    events, message = aligned(name, steps, prompt=sample.written.prompt, tools=sample.openai_tools())
    for each in events:
        assert each.logprobs == tuple(-float(token) for token in each.tokens)
        assert list(each.tokens) == sorted(set(each.tokens))
    late = any(ids == [] for _, ids in steps)
    at_the_end = {token for each in events if isinstance(each.event, Finish) for token in each.tokens}
    assert late or not at_the_end
    for kinds, span in (
        ((Reasoning,), "reasoning"),
        ((Content,), "content"),
        ((ToolCallStart,), "tool_name"),
        # Tokens of arguments that nothing was said of come with the call's end.
        ((ToolCallArguments, ToolCallEnd), "argument"),
    ):
        said = [token for each in events if isinstance(each.event, kinds) for token in each.tokens]
        expected = [token for token, counts in enumerate(message.token_mask(span)) if counts]
        assert sorted({*said, *at_the_end.intersection(expected)}) == expected, (span, steps, events)
        assert len(set(said)) == len(said)
    for kind, span in ((Reasoning, "reasoning"), (Content, "content")):
        assert_begins_inside(events, message, kind, span, prefixes, late)


def assert_begins_inside(
    events: list[unbraid.Aligned], message: unbraid.Message, kind: Any, span: str, prefixes: list[str], late: bool
) -> None:
    """Each token of an event begins in the event's text, and each token that begins in it is one of its tokens.

    Where text comes later than its ids, and may so end inside a token, a token may come with a later event.
    """
    places = [place for each in message.spans if each.kind == span for place in range(each.start, each.end)]
    at = 0
    open: list[int] = []
    for event, tokens, _ in events:
        if isinstance(event, kind):
            inside = set(places[at : at + len(event.text)])
            at += len(event.text)
            open += [token for token in range(len(prefixes) - 1) if len(prefixes[token]) in inside]
            assert list(tokens) == open[: len(tokens) if late else None]
            del open[: len(tokens)]
    assert late or not open


def test_ids_that_come_after_their_text_are_told_at_the_end() -> None:
    tokenizer = trained()
    ids = tokenizer.ids("two words")
    steps: list[Step] = [("two words", None), (None, ids)]
    events, _ = aligned("qwen3", steps, thinking=False)
    assert [(type(each.event), each.tokens) for each in events] == [
        (Content, ()),
        (Finish, tuple(range(len(ids)))),
    ]


def test_without_logprobs_there_are_none_and_some_may_be_missing() -> None:
    tokenizer = trained()
    word = tokenizer.ids("Graz")
    stream = Alignment(Parser("qwen3", tokenizer=tokenizer.tokenizer, thinking=False))
    assert stream.feed(ids=word)[0].logprobs == ()
    assert stream.feed(ids=word, logprobs=[-1.0] * len(word))[0].logprobs == (-1.0,) * len(word)
    assert all(map(math.isnan, stream.feed(ids=word)[0].logprobs))


def test_what_cannot_be_aligned_is_refused() -> None:
    with pytest.raises(OptionError, match="without a tokenizer"):
        Alignment(Parser("qwen3"))
    with pytest.raises(OptionError, match="build_message"):
        Alignment(Parser("qwen3", tokenizer=trained().tokenizer, build_message=False))
