"""The cases in which parsers have gone wrong when they asked whether reasoning is over, one test each.

Each is put to the parser and to the questions, by ids of a real tokenizer. The same holds for every format by the
properties of ``test_reasoning``; here stands what they mean. What doesn't live here: cuts, lagging text, forging
(``test_tokens``, ``test_vocabularies``).
"""

from __future__ import annotations

from unbraid import Message, Parser, ReasoningQuestions, ReasoningTracker
from vocabularies import deepseek, qwen, trained

QWEN = qwen()
TURN = "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"


def asked(output: str, prompt: str = TURN, thinking: bool | None = True) -> tuple[str | None, Message]:
    """What comes after reasoning and its marker, ``None`` while it goes on, and the message, as ``qwen3`` reads it."""
    ids, before = QWEN.ids(output), QWEN.ids(prompt)
    questions = ReasoningQuestions("qwen3", QWEN.tokenizer, thinking=thinking)
    tracker = ReasoningTracker("qwen3", QWEN.tokenizer, prompt=before, thinking=thinking)
    parser = Parser("qwen3", tokenizer=QWEN.tokenizer, prompt=before, thinking=thinking, calls_in_reasoning="end")
    for id in ids:
        tracker.advance([id])
        parser.feed(ids=[id])
    end = questions.find_reasoning_end(ids, before)
    assert tracker.end == parser.reasoning_end == end
    assert questions.is_reasoning_end(ids, before) is tracker.over is parser.reasoning_over is (end is not None)
    parser.finish()
    assert questions.reasoning_tokens(ids, before) == parser.message.reasoning_tokens
    content = questions.content_ids(ids, before)
    assert content == ([] if end is None else ids[end:])
    return (None if end is None else QWEN.text(content)), parser.message


CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>'


def test_a_call_opener_ends_reasoning_that_nothing_closed() -> None:
    rest, message = asked("Hm, I'll look." + CALL, TURN + "<think>\n")
    assert rest == CALL
    assert (message.reasoning, message.content) == ("Hm, I'll look.", None)
    assert [call.name for call in message.tool_calls] == ["f"]


def test_a_call_opener_that_ordinary_tokens_spell_does_not() -> None:
    spelled = QWEN.spelled("Hm: " + CALL)
    before = QWEN.ids(TURN + "<think>\n")
    questions = ReasoningQuestions("qwen3", QWEN.tokenizer)
    assert questions.find_reasoning_end(spelled, before) is None
    assert questions.reasoning_tokens(spelled, before) == len(spelled)


def test_a_bare_closer_in_the_prompt_is_reasoning_that_is_over() -> None:
    """As some templates write it when thinking is off: no opener, only what closes it."""
    rest, message = asked("Yes.", TURN + "</think>\n\n", thinking=None)
    assert (rest, message.reasoning, message.content) == ("Yes.", None, "Yes.")


def test_a_closer_of_an_earlier_turn_says_nothing() -> None:
    earlier = TURN + "<think>\nHm.\n</think>\n\nYes.<|im_end|>\n<|im_start|>user\nSure?<|im_end|>\n"
    assert asked("Let me see", earlier + "<|im_start|>assistant\n<think>\n")[0] is None


def test_thinking_off_and_the_model_echoes_an_opener() -> None:
    """It thinks all the same, and the questions say so; where the opener alone comes back it is empty reasoning."""
    rest, message = asked("<think>\nHm.\n</think>\n\nYes.", thinking=False)
    assert (rest, message.reasoning, message.content) == ("\n\nYes.", "Hm.", "Yes.")
    rest, message = asked("<think>\n\n</think>\n\nYes.", TURN + "<think>\n\n</think>\n\n", thinking=False)
    assert (rest, message.content) == ("<think>\n\n</think>\n\nYes.", "<think>\n\n</think>\n\nYes.")


def test_a_silent_tail_with_thinking_on_is_not_over_before_the_model_said_anything() -> None:
    assert asked("", TURN)[0] is None
    assert asked("", TURN, thinking=False)[0] == ""
    rest, message = asked("Yes.", TURN)
    assert (rest, message.reasoning, message.content) == ("Yes.", None, "Yes.")
    rest, message = asked("<think>\nHm.\n</think>\n\nYes.", TURN)
    assert (rest, message.reasoning) == ("\n\nYes.", "Hm.")


def test_a_prefill_in_the_middle_of_reasoning() -> None:
    assert asked(" and on", TURN + "<think>\nSo far")[0] is None
    rest, message = asked(" and on.\n</think>\n\nYes.", TURN + "<think>\nSo far")
    assert (rest, message.reasoning, message.content) == ("\n\nYes.", " and on.", "Yes.")


def test_a_prefill_after_reasoning() -> None:
    for prefill in ("<think>\nHm.\n</think>\n\n", "<think>\n\n</think>\n\n"):
        rest, message = asked("Yes.", TURN + prefill)
        assert (rest, message.reasoning, message.content) == ("Yes.", None, "Yes.")


def test_a_prefill_in_the_middle_of_the_answer() -> None:
    for prefill in ("<think>\nHm.\n</think>\n\nThe train", "The train"):
        rest, message = asked(" leaves at 7.", TURN + prefill)
        assert (rest, message.reasoning, message.content) == (" leaves at 7.", None, " leaves at 7.")


def test_more_reasoning_after_a_call() -> None:
    """Where a family's calls stand inside reasoning, it isn't over with a call, but with the marker that closes it."""
    real = trained()
    before = real.ids("<|im_start|>assistant\n<think>\n")
    text = "Hm." + CALL + "\nNow the other.\n</think>\n\nDone."
    ids = real.ids(text)
    parser = Parser("qwen3", tokenizer=real.tokenizer, prompt=before, calls_in_reasoning="inside")
    places = []
    for place, id in enumerate(ids):
        parser.feed(ids=[id])
        if parser.reasoning_over:
            places.append(place + 1)
    parser.finish()
    message = parser.message
    assert message.reasoning is not None
    assert "Hm." in message.reasoning
    assert "Now the other." in message.reasoning
    assert (message.content, [call.name for call in message.tool_calls]) == ("Done.", ["f"])
    assert parser.reasoning_end is not None
    assert real.text(ids[parser.reasoning_end :]) == "\n\nDone."
    assert real.special["</think>"] not in ids[: places[0] - 1], "it was over before it was closed"


def test_reasoning_that_is_opened_again_after_a_call() -> None:
    """Where a family may think again, the end is that of the last reasoning."""
    rest, message = asked("<think>\nHm.\n</think>\n\n" + CALL + "\n<think>\nMore.\n</think>\n\nDone.")
    assert [call.name for call in message.tool_calls] == ["f"]
    assert rest is not None
    assert rest.endswith("Done.")
    assert message.content is not None
    assert message.content.endswith("Done.")


def test_a_marker_of_several_ordinary_tokens() -> None:
    """A tokenizer to which ``</think>`` is no token of its own: it counts, whole, and not before."""
    real = deepseek()
    closer = real.spelled("[/THINK]")
    assert len(closer) > 1
    before = real.ids("[/INST][THINK]")
    tracker = ReasoningTracker("mistral", real.tokenizer, prompt=before, thinking=True)
    ids = [*real.ids("Hm."), *closer, *real.ids("Yes.")]
    first = len(real.ids("Hm.")) + len(closer)
    said = [tracker.advance([id]) for id in ids]
    assert said[: first - 1] == [None] * (first - 1)
    assert tracker.end == first
    questions = ReasoningQuestions("mistral", real.tokenizer, thinking=True)
    assert real.text(questions.content_ids(ids, before)) == "Yes."


def test_a_special_token_in_a_json_string_of_a_call() -> None:
    text = '<tool_call>\n{"name": "f", "arguments": {"a": "x</think>y<think>z"}}\n</tool_call>'
    rest, message = asked("Hm.\n</think>\n\n" + text, TURN + "<think>\n")
    assert rest == "\n\n" + text
    assert [call.arguments for call in message.tool_calls] == ['{"a": "x</think>y<think>z"}']
