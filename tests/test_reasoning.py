"""The questions on ids, for every format: is reasoning over, and at which token?

They are compared with the parser's own account, with each other, and with what a person would say of a prompt. The
tokenizer is ``vocabularies.trained``, which has the special tokens of all formats; the ids are any: markers, real and
spelled, words, and prompts with everything in them that could mislead.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

import unbraid
from strategies import Choices, Sample, fragments, samples
from unbraid import Format, OptionError, Parser, ReasoningQuestions, ReasoningTracker
from unbraid.format import spellings
from unbraid.literals import written
from vocabularies import trained

FORMATS = unbraid.formats()
REASONING = [name for name, each in FORMATS.items() if each.reasoning is not None]
THINKING = (True, False, None)
each_format = pytest.mark.parametrize("name", list(FORMATS))
each_that_reasons = pytest.mark.parametrize("name", REASONING)
WORDS = ("Graz", "two words", " ", "\n", "\n\n", "{", "}", '"', "<", "</", "😊", "f(", "```\n", '{"a": 1}')


@cache
def questions(name: str, thinking: bool | None = None) -> ReasoningQuestions:
    return ReasoningQuestions(name, trained().tokenizer, thinking=thinking)


def at_once(name: str, **options: Any) -> Parser:
    """A parser that answers as the questions do."""
    reasoning = FORMATS[name].reasoning
    calls = "end" if reasoning is None or reasoning.calls == "decide" else reasoning.calls
    return Parser(name, tokenizer=trained().tokenizer, calls_in_reasoning=calls, **options)


def ids_of(name: str, choices: Choices, most: int) -> list[int]:
    """Markers of the format and words, in any order, special tokens real or spelled, and parts of them."""
    tokenizer = trained()
    literals = fragments(FORMATS[name])
    ids: list[int] = []
    for _ in range(choices.below(most + 1)):
        kind = choices.below(8)
        if kind < 3:
            ids += tokenizer.ids(choices.one(WORDS))
        elif kind < 6:
            ids += tokenizer.ids(choices.one(literals))
        elif kind == 6:
            ids += tokenizer.spelled(choices.one(literals))
        else:
            example = tokenizer.ids(FORMATS[name].example)
            at = choices.below(len(example))
            ids += example[at : at + choices.below(12)]
    return ids


def prompt_of(name: str, choices: Choices) -> list[int] | str | None:
    """No prompt, or one that ends in each of the ways in which prompts end."""
    format = FORMATS[name]
    turn = written(format.turns.assistant)
    ends = ["", "Once upon"]
    if format.reasoning is not None:
        opened, closed = written(format.reasoning.open), written(format.reasoning.close)
        ends += [opened, opened.strip(), opened + "hm", opened + closed, closed, opened + "hm" + closed + "So"]
    end = choices.one(ends)
    return (None, turn + end, trained().ids("hi" + turn + end), [])[choices.below(4)]


data = st.binary(min_size=64, max_size=64)


@each_format
@given(data, st.sampled_from(THINKING))
def test_they_agree_with_the_parser_at_every_step(name: str, data: bytes, thinking: bool | None) -> None:
    choices = Choices(data)
    prompt, ids = prompt_of(name, choices), ids_of(name, choices, 12)
    note(repr((prompt, trained().text(ids))))
    parser = at_once(name, prompt=prompt, thinking=thinking)
    tracker = ReasoningTracker(name, trained().tokenizer, prompt=prompt, thinking=thinking)
    asked = questions(name, thinking)
    given_prompt = [] if prompt is None else prompt
    place = 0
    while place < len(ids):
        group = ids[place : place + 1 + choices.below(4)]
        drafts = ids_of(name, choices, 2)
        before = tracker.over, tracker.end
        tracker.advance(drafts)
        tracker.rollback(len(drafts))
        assert (tracker.over, tracker.end) == before
        parser.feed(ids=group)
        place += len(group)
        offset = tracker.advance(group)
        end = parser.reasoning_end
        assert tracker.count == place
        assert (tracker.over, tracker.end) == (parser.reasoning_over, end)
        if end is None:
            assert offset is None
        elif end > place - len(group) or not before[0]:
            assert offset == end - (place - len(group))
        else:
            assert offset == 0
        if prompt is not None:
            assert asked.find_reasoning_end(ids[:place], given_prompt) == end
            assert asked.is_reasoning_end(ids[:place], given_prompt) is (end is not None)
            assert asked.content_ids(ids[:place], given_prompt) == ([] if end is None else ids[end:place])
    parser.finish()
    message, end = parser.message, parser.reasoning_end
    if prompt is not None:
        assert asked.reasoning_tokens(ids, given_prompt) == message.reasoning_tokens
    assert_accounts(name, message, end, ids)


def assert_accounts(name: str, message: unbraid.Message, end: int | None, ids: list[int]) -> None:
    """What the spans of a whole output say of where its reasoning ended, in a way of their own."""
    thought = [s for s in message.token_spans if s.kind == "reasoning" or s.label == "reasoning open"]
    reasoning = FORMATS[name].reasoning
    # A call that may stand inside reasoning ends none.
    calls = () if reasoning is not None and reasoning.calls == "inside" else ("tool_name", "argument")
    answered = [span for span in message.token_spans if span.kind == "content" or span.kind in calls]
    if end is None:
        last = message.token_spans[-1].kind if message.token_spans else ""
        assert last != "content" or not trained().text(ids).strip() or not message.reasoning_closed
        return
    assert not thought or thought[-1].end <= end
    first = next((span.start for span in answered if not thought or span.start >= thought[-1].end), end)
    between = trained().text(ids[first:end])
    assert not between.strip(), f"{between!r} was answered before reasoning was over"


# -- real prompts --------------------------------------------------------------------------------------------------


def history(name: str, choices: Choices) -> list[int]:
    """What stands before the last turn: a system prompt that shows an example of the format, turns, tool results. It
    ends in somebody else's turn."""
    tokenizer = trained()
    format = FORMATS[name]
    turns = format.turns
    encode = tokenizer.spelled if choices.below(3) == 2 else tokenizer.ids
    other = [tokenizer.ids(written(each)) for each in turns.others]
    end = tokenizer.ids(written(turns.ends[0]) if turns.ends else "")
    example = tokenizer.ids(format.example)
    ids = choices.one(other) + encode("Write calls like this:\n" + format.example) + end
    for _ in range(choices.below(4)):
        ids += choices.one(other) + encode(choices.one((*WORDS, format.example))) + end
        ids += tokenizer.ids(written(turns.assistant)) + choices.one((example, example[:9], encode("hi"))) + end
    return ids + choices.one(other) + encode('{"result": 1} ' * choices.one((1, 1, 400))) + end


@each_format
@given(data, st.sampled_from(THINKING))
def test_what_came_before_the_last_turn_misleads_nobody(name: str, data: bytes, thinking: bool | None) -> None:
    choices = Choices(data)
    before = history(name, choices)
    turn = trained().ids(written(FORMATS[name].turns.assistant)) + ids_of(name, choices, 6)
    note(repr((trained().text(before), trained().text(turn))))
    asked = questions(name, thinking)
    end = asked.find_reasoning_end(turn)
    assert asked.find_reasoning_end(before + turn) == (None if end is None else end + len(before))
    assert asked.reasoning_tokens(before + turn) == asked.reasoning_tokens(turn)
    assert asked.content_ids(before + turn) == asked.content_ids(turn)


def tails(format: Format) -> list[tuple[str, str | None]]:
    """Ends of prompts after the assistant's opener, with what stands there after reasoning; ``None``: more may come."""
    reasoning = format.reasoning
    assert reasoning is not None
    opened, closed = written(reasoning.open), written(reasoning.close)
    # In a framed format each message has a header, and a word of it may need a space.
    between = " " if format.turns.headed and opened[0].isalpha() else ""
    again = written(format.turns.assistant) + between if format.turns.headed else ""
    opened = between + opened
    found: list[tuple[str, str | None]] = [(opened, None), (opened + "Hm", None), (opened + "Hm, so ", None)]
    if format.answer is not None and format.answer.anywhere:
        answer = written(format.answer.open)
        found += [
            (opened + "Hm" + closed + again + answer + "The answer", "The answer"),
            (between + answer + "The", "The"),
        ]
        return found
    found += [(opened + closed + tail, tail) for tail in ("", "The answer")]
    found += [(opened + "Hm" + closed + tail, tail) for tail in ("", "The answer")]
    if format.answer is None:
        found += [("The answer", "The answer")]
        if format.reasoning.opened_by == "prompt":
            found += [(closed, ""), (closed + "The answer", "The answer")]
    return found


@each_that_reasons
@pytest.mark.parametrize("thinking", THINKING)
def test_an_assistant_prefill_says_where_it_starts(name: str, thinking: bool | None) -> None:
    """Continued reasoning, a closed block, empty or not, a continued answer; and a silent tail, where the flag says."""
    format = FORMATS[name]
    tokenizer = trained()
    asked = questions(name, thinking)
    before = history(name, Choices(bytes(range(7, 71)))) + tokenizer.ids(written(format.turns.assistant))
    for tail, answer in tails(format):
        ids = before + tokenizer.ids(tail)
        assert asked.is_reasoning_end(ids) is (answer is not None), tail
        assert at_once(name, prompt=ids, thinking=thinking).reasoning_over is (answer is not None), tail
        if answer is not None:
            assert tokenizer.text(asked.content_ids(ids)).strip() == answer, tail
    reasoning = format.reasoning
    assert reasoning is not None
    wanted = reasoning.default if thinking is None else thinking
    assert asked.is_reasoning_end(before) is not wanted
    assert asked.content_ids(before) == []


@each_format
@given(st.data())
def test_prompt_and_output_may_come_together(name: str, data: st.DataObject) -> None:
    """Messages as they should be, after their prompts."""
    sample: Sample = data.draw(samples(name))
    tokenizer = trained()
    prompt, output = tokenizer.ids(sample.written.prompt), tokenizer.ids(sample.written.text)
    turns = FORMATS[name].turns
    quoted = (*turns.others, *(() if turns.headed else spellings(turns.assistant)))
    # A boundary that the message quotes is one to the questions, where the ids say that it is real.
    assume(not any(written(each).strip() in sample.written.text for each in quoted))
    starting = at_once(name, prompt=prompt)
    # A model that thinks, or answers, without a marker: the questions say that they need the prompt then.
    assume(starting.prompted or not starting.state.startswith("reasoning"))
    note(repr((sample.written.prompt, sample.written.text)))
    asked = questions(name)
    apart, together = asked.find_reasoning_end(output, prompt), asked.find_reasoning_end(prompt + output)
    if apart is None or together is None:
        assert apart is together
    else:
        early, late = sorted((max(0, together - len(prompt)), apart))
        assert not tokenizer.text(output[early:late]).strip(), "only layout may be the opener's or the answer's"
    thought = asked.reasoning_tokens(prompt) + asked.reasoning_tokens(output, prompt)
    assert asked.reasoning_tokens(prompt + output) == thought


def test_a_bare_call_that_nothing_tells_from_an_answer_yet() -> None:
    """Found by the property: a format without reasoning, whose call may begin without a marker."""
    tokenizer = trained()
    prompt = tokenizer.ids("<|bom|><|user|> hi<|eom|><|bom|><|assistant|>")
    for output in ("", "[", "[]", "[]a"):
        ids = tokenizer.ids(output)
        assert at_once("jamba", prompt=prompt).reasoning_over
        assert questions("jamba").find_reasoning_end(ids, prompt) == 0
        assert questions("jamba").is_reasoning_end(prompt + ids)


# -- the tracker ---------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), max_size=12), st.integers(0, 900))
def test_a_tracker_goes_back_as_far_as_one_likes(steps: list[tuple[int, int]], closes: int) -> None:
    tokenizer = trained()
    close = tokenizer.special["</think>"]
    word = tokenizer.ids("Graz")[:1]
    tracker = ReasoningTracker("qwen3", tokenizer.tokenizer, thinking=True)
    ids: list[int] = []
    for more, fewer in steps:
        new = [close if len(ids) + n == closes else word[0] for n in range(more)]
        tracker.advance(new)
        ids += new
        fewer = min(fewer, len(ids))
        tracker.rollback(fewer)
        ids = ids[: len(ids) - fewer]
        assert tracker.count == len(ids)
        fresh = ReasoningTracker("qwen3", tokenizer.tokenizer, thinking=True)
        fresh.advance(ids)
        assert (tracker.over, tracker.end) == (fresh.over, fresh.end)
        assert tracker.fork().end == tracker.end


def test_what_cannot_be_is_refused() -> None:
    tracker = ReasoningTracker("qwen3", trained().tokenizer)
    tracker.advance([1, 2])
    with pytest.raises(OptionError, match="2 have come"):
        tracker.rollback(3)
    with pytest.raises(OptionError, match="did you mean 'marker'"):
        ReasoningQuestions("qwen3", trained().tokenizer, spelled_markers="markers")
