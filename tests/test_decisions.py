"""The decisions of ``docs/design.md``, section 4, one test or more per row, each example whole and by character.

``SHAPES`` holds one hand-written call per format, ``find_trains(to="Graz", seats=2)``, as its models write it; most
rows hold for all formats and are tried on each. (Rows on token ids are tested where ids are.)
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

import unbraid
from helpers import check, merged, parser, run, tools
from unbraid import events as ev
from unbraid.format import Call, Params, Reasoning, Tools, Turns


class Shape(NamedTuple):
    """What one call looks like, and where thinking is open."""

    call: str
    """The whole call, with the section around it."""
    closing: str
    """What is missing when the model stops right after the arguments."""
    end: str
    """A marker that ends a turn."""
    thinking: str
    """The end of a prompt that leaves thinking open."""


SHAPES = {
    "qwen3": Shape(
        '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}\n</tool_call>',
        "\n</tool_call>",
        "<|im_end|>",
        "<|im_start|>assistant\n<think>\n",
    ),
    "qwen3_coder": Shape(
        "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n<parameter=seats>\n2\n</parameter>\n"
        "</function>\n</tool_call>",
        "</function>\n</tool_call>",
        "<|im_end|>",
        "<|im_start|>assistant\n<think>\n",
    ),
    "deepseek_v31": Shape(
        '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find_trains<｜tool▁sep｜>{"to": "Graz", "seats": 2}'
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "<｜end▁of▁sentence｜>",
        "<｜Assistant｜><think>",
    ),
    "kimi_k2": Shape(
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.find_trains:0<|tool_call_argument_begin|>"
        '{"to": "Graz", "seats": 2}<|tool_call_end|><|tool_calls_section_end|>',
        "<|tool_call_end|><|tool_calls_section_end|>",
        "<|im_end|>",
        "<|im_assistant|>assistant<|im_middle|><think>",
    ),
    "glm47": Shape(
        "<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value>"
        "<arg_key>seats</arg_key><arg_value>2</arg_value></tool_call>",
        "</tool_call>",
        "<|observation|>",
        "<|assistant|><think>",
    ),
}
TRAINS = tools("find_trains(to:string,seats:integer)")
ARGUMENTS = {"to": "Graz", "seats": 2}
CALL = ("find_trains", ARGUMENTS)

every_shape = pytest.mark.parametrize("name", list(SHAPES))
raw_values = pytest.mark.parametrize("name", ["qwen3_coder", "glm47"])
json_values = pytest.mark.parametrize("name", ["qwen3", "deepseek_v31", "kimi_k2"])


def answer(name: str, text: str, **expected: Any) -> unbraid.Message:
    """Check a text that starts outside thinking, with the trains tool on offer unless told otherwise."""
    return check(name, text, **{"thinking": False, "tools": TRAINS, **expected})


def thought(name: str, text: str, **expected: Any) -> unbraid.Message:
    """Check a text that starts inside thinking."""
    return check(name, text, **{"prompt": SHAPES[name].thinking, "tools": TRAINS, **expected})


def kinds(notes: tuple[unbraid.Note, ...]) -> list[str]:
    """What the notes say, without where."""
    return [note.kind for note in notes]


def one_parameter(name: str, value: str) -> str:
    """A call ``f(v=value)`` in a format with raw values."""
    if name == "qwen3_coder":
        return f"<tool_call>\n<function=f>\n<parameter=v>\n{value}\n</parameter>\n</function>\n</tool_call>"
    return f"<tool_call>f<arg_key>v</arg_key><arg_value>{value}</arg_value></tool_call>"


def one_object(name: str, arguments: str) -> str:
    """A call of ``find_trains`` with these arguments in a format that carries JSON."""
    return SHAPES[name].call.replace('{"to": "Graz", "seats": 2}', arguments)


# --- a call that was cut off ----------------------------------------------------------------------------------------


def cut_inside(name: str) -> str:
    """The call, cut off in the middle of its first value."""
    call = SHAPES[name].call
    return call[: call.index("Gra") + 3]


@every_shape
def test_a_cut_call_stays_apart(name: str) -> None:
    text = "Hm:" + cut_inside(name)
    message = answer(name, text, content="Hm:", cut=[("find_trains", '{"to": "Gra')], finish="length")
    [call] = message.incomplete_calls
    assert not call.complete
    assert kinds(call.notes) == kinds(message.notes) == ["incomplete"]
    [note] = message.notes
    assert 3 <= note.start < note.end <= len(text)


@every_shape
def test_a_cut_call_is_streamed_as_it_came_and_then_closed(name: str) -> None:
    events = run(name, cut_inside(name), "length", tools=TRAINS, thinking=False).events
    assert [event.type for event in events] == ["tool_call_start", "tool_call_arguments", "tool_call_end", "finish"]
    assert events[1].json == '{"to": "Gra'
    assert events[2].complete is False


@every_shape
def test_a_cut_call_can_be_kept(name: str) -> None:
    for pieces in ([cut_inside(name)], cut_inside(name)):
        message = run(name, pieces, "length", cut_calls="keep", tools=TRAINS, thinking=False).message
        assert [(c.name, c.arguments, c.complete) for c in message.tool_calls] == [
            ("find_trains", '{"to": "Gra', False)
        ]
        assert not message.incomplete_calls


@every_shape
def test_a_cut_call_can_be_dropped(name: str) -> None:
    answer(name, "Hm:" + cut_inside(name), content="Hm:", finish="length", cut_calls="drop")


@every_shape
def test_a_cut_call_can_be_text(name: str) -> None:
    text = "Hm:" + cut_inside(name)
    answer(name, text, content=text, finish="length", cut_calls="text")


@every_shape
def test_a_complete_call_before_a_cut_one_is_kept(name: str) -> None:
    text = SHAPES[name].call + "\n" + cut_inside(name)
    answer(name, text, calls=[CALL], cut=[("find_trains", '{"to": "Gra')], finish="length", loose=True)


@every_shape
def test_calls_can_be_streamed_whole(name: str) -> None:
    """Nothing is said of a call before it is complete; then all at once."""
    reading = parser(name, stream_calls="whole", tools=TRAINS, thinking=False)
    call, closing = SHAPES[name].call, SHAPES[name].closing
    before = [event for character in call[: -len(closing)] for event in reading.feed(character)]
    assert not before
    after = [event for character in closing for event in reading.feed(character)]
    assert [event.type for event in merged(after)] == ["tool_call_start", "tool_call_arguments", "tool_call_end"]
    answer(name, call, calls=[CALL], stream_calls="whole")


@every_shape
def test_a_cut_call_is_no_event_when_calls_are_streamed_whole(name: str) -> None:
    events = run(name, cut_inside(name), "length", stream_calls="whole", tools=TRAINS, thinking=False).events
    assert [event.type for event in events] == ["finish"]


# --- the closing marker is missing ----------------------------------------------------------------------------------


def unclosed(name: str) -> str:
    """The call without anything after its arguments."""
    return SHAPES[name].call.removesuffix(SHAPES[name].closing)


@every_shape
@pytest.mark.parametrize("finish", ["stop", "stop_string"])
def test_a_missing_closing_marker_is_repaired(name: str, finish: str) -> None:
    message = answer(name, unclosed(name), calls=[CALL], finish=finish)
    assert kinds(message.tool_calls[0].notes) == kinds(message.notes) == ["repaired"]


@every_shape
@pytest.mark.parametrize("finish", ["length", "error"])
def test_a_missing_closing_marker_was_cut_off_at_a_limit(name: str, finish: str) -> None:
    outcome = run(name, unclosed(name), finish, tools=TRAINS, thinking=False)
    assert not outcome.message.tool_calls
    assert [call.name for call in outcome.message.incomplete_calls] == ["find_trains"]
    assert kinds(outcome.message.notes) == ["incomplete"]


@every_shape
def test_repairing_can_be_turned_off(name: str) -> None:
    message = run(name, unclosed(name), repair=False, tools=TRAINS, thinking=False).message
    assert not message.tool_calls
    assert [call.name for call in message.incomplete_calls] == ["find_trains"]


@every_shape
def test_incomplete_arguments_are_not_repaired(name: str) -> None:
    answer(name, cut_inside(name), cut=[("find_trains", '{"to": "Gra')], finish="stop")


# --- tools not given, and none offered ------------------------------------------------------------------------------


@json_values
def test_unknown_tools_are_called_all_the_same(name: str) -> None:
    message = answer(name, SHAPES[name].call, calls=[CALL], tools=None)
    assert not message.notes


@raw_values
def test_unknown_tools_have_untyped_values(name: str) -> None:
    answer(name, SHAPES[name].call, calls=[("find_trains", {"to": "Graz", "seats": "2"})], tools=None)


@every_shape
def test_without_tools_markup_is_text(name: str) -> None:
    text = "See:" + SHAPES[name].call + " there."
    answer(name, text, content=text, tools=[])
    reasoning = "Or " + SHAPES[name].call
    thought(name, reasoning, reasoning=reasoning, tools=[])


# --- turns ----------------------------------------------------------------------------------------------------------


@every_shape
def test_turn_ends_are_never_content(name: str) -> None:
    answer(name, "Hello." + SHAPES[name].end, content="Hello.")
    answer(name, SHAPES[name].call + SHAPES[name].end, calls=[CALL])


@every_shape
def test_parsing_goes_on_after_a_turn_end(name: str) -> None:
    shape = SHAPES[name]
    message = answer(name, "Hello." + shape.end + "More." + shape.call, content="Hello.More.", calls=[CALL])
    assert [span.kind for span in message.spans][:3] == ["content", "markup", "content"]


# --- a call while reasoning is open ---------------------------------------------------------------------------------


@every_shape
def test_a_call_in_reasoning_that_is_closed_later_was_a_draft(name: str) -> None:
    draft = "I could write " + SHAPES[name].call + " but no."
    thought(name, draft + "</think>Hello.", reasoning=draft, content="Hello.")


@every_shape
def test_a_call_after_a_draft_is_a_call(name: str) -> None:
    call = SHAPES[name].call
    thought(name, f"Like {call}?</think>{call}", reasoning=f"Like {call}?", calls=[CALL])


@every_shape
def test_a_call_in_reasoning_that_never_closes_is_a_call(name: str) -> None:
    message = thought(name, "Trains." + SHAPES[name].call, reasoning="Trains.", calls=[CALL])
    assert not message.incomplete_calls


@every_shape
def test_what_is_undecided_is_held(name: str) -> None:
    reading = parser(name, prompt=SHAPES[name].thinking, tools=TRAINS)
    said = [event for character in "Trains." + SHAPES[name].call for event in reading.feed(character)]
    assert merged(said) == [ev.Reasoning("Trains.")]
    assert reading.held == SHAPES[name].call
    assert reading.waiting == "decision"


@every_shape
def test_the_first_marker_can_win(name: str) -> None:
    """``"end"``: a call streams at once, and nothing is held for a closer that may come."""
    reading = parser(name, prompt=SHAPES[name].thinking, tools=TRAINS, calls_in_reasoning="end")
    said = [event for character in "Trains." + SHAPES[name].call for event in reading.feed(character)]
    assert [event.type for event in merged(said)] == [
        "reasoning", "reasoning_end", "tool_call_start", "tool_call_arguments", "tool_call_end",
    ]  # fmt: skip
    thought(name, "Trains." + SHAPES[name].call, reasoning="Trains.", calls=[CALL], calls_in_reasoning="end")


@every_shape
def test_calls_in_reasoning_can_be_text(name: str) -> None:
    text = "Trains." + SHAPES[name].call
    message = thought(name, text, reasoning=text, calls_in_reasoning="text")
    assert not message.reasoning_closed
    thought(name, text + "</think>Hm.", reasoning=text, content="Hm.", calls_in_reasoning="text")


# --- reasoning that never closes ------------------------------------------------------------------------------------


@every_shape
def test_unclosed_reasoning_stays_reasoning(name: str) -> None:
    message = thought(name, "It is Graz.", reasoning="It is Graz.")
    assert not message.reasoning_closed
    assert kinds(message.notes) == ["unclosed_reasoning"]


@every_shape
def test_closed_reasoning_is_closed(name: str) -> None:
    message = thought(name, "Hm.</think>Graz.", reasoning="Hm.", content="Graz.")
    assert message.reasoning_closed
    assert not message.notes


@every_shape
def test_unclosed_reasoning_can_be_promoted(name: str) -> None:
    message = thought(name, "It is Graz.", content="It is Graz.", promote_reasoning=True)
    assert "promoted" in kinds(message.notes)
    [_, last] = [e for e in run(name, "It is Graz.", prompt=SHAPES[name].thinking, promote_reasoning=True).events
                 if isinstance(e, (ev.Reasoning, ev.Content))]  # fmt: skip
    assert last == ev.Content("It is Graz.")


@every_shape
def test_closed_reasoning_is_not_promoted(name: str) -> None:
    thought(name, "Hm.</think>Graz.", reasoning="Hm.", content="Graz.", promote_reasoning=True)


# --- tools that weren't offered, and calls that weren't wanted ------------------------------------------------------


@every_shape
def test_an_undeclared_tool_is_called_with_a_note(name: str) -> None:
    other = tools("clock()")
    message = run(name, [SHAPES[name].call], thinking=False, tools=other).message
    [call] = message.tool_calls
    assert (call.name, call.complete) == ("find_trains", True)
    assert kinds(call.notes) == ["undeclared"]
    assert run(name, SHAPES[name].call, thinking=False, tools=other).message == message


@every_shape
def test_an_undeclared_tool_can_be_text(name: str) -> None:
    text = "See:" + SHAPES[name].call + " there."
    answer(name, text, content=text, tools=tools("clock()"), undeclared="text")
    twice = SHAPES[name].call + SHAPES[name].call
    answer(name, twice, content=twice, tools=tools("clock()"), undeclared="text")
    answer(name, SHAPES[name].call, calls=[CALL], undeclared="text")


@every_shape
def test_a_forbidden_call_is_text(name: str) -> None:
    text = "See:" + SHAPES[name].call + " there."
    answer(name, text, content=text, tool_choice="none")


@every_shape
def test_a_forbidden_call_can_be_dropped(name: str) -> None:
    text = "See:" + SHAPES[name].call + " there."
    answer(name, text, content="See: there.", tool_choice="none", forbidden_calls="drop")


# --- text around calls ----------------------------------------------------------------------------------------------


@every_shape
def test_text_around_calls_is_kept_in_order(name: str) -> None:
    call = SHAPES[name].call
    message = answer(name, f"One.{call}Two.{call}Three.", content="One.Two.Three.", calls=[CALL, CALL])
    assert [part.text if part.call is None else part.call.index for part in message.segments] == [
        "One.", 0, "Two.", 1, "Three.",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "between"),
    [("qwen3", "\n"), ("qwen3_coder", "\n"), ("deepseek_v31", ""), ("kimi_k2", ""), ("glm47", "\n"), ("glm47", "")],
)
def test_layout_between_calls_is_no_content(name: str, between: str) -> None:
    call = SHAPES[name].call
    message = answer(name, call + between + call, calls=[CALL, CALL])
    assert message.content is None


def test_noise_in_a_section_is_no_content() -> None:
    """Kimi K2 says so; its section may also be empty."""
    call = SHAPES["kimi_k2"].call
    noisy = call.replace("<|tool_call_begin|>", "a<|tool_call_begin|>").replace(
        "<|tool_call_end|>", "<|tool_call_end|>b"
    )
    assert len(noisy) == len(call) + 2
    answer("kimi_k2", "So." + noisy + "Yes.", content="So.Yes.", calls=[CALL])
    answer("kimi_k2", "So.<|tool_calls_section_begin|><|tool_calls_section_end|>", content="So.")


def test_words_in_a_section_without_noise_are_content() -> None:
    call = SHAPES["deepseek_v31"].call
    answer("deepseek_v31", call.replace("<｜tool▁calls▁end｜>", "words"), content="words", calls=[CALL])


# --- values ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "value"),
    [("a", "a"), ("", ""), ("\n", "\n"), ("\n a \n", "\n a \n"), ("  ", "  "), ("a\r\n", "a\r\n"), ("\ta", "\ta")],
)
@raw_values
def test_white_space_of_values_is_data(name: str, written: str, value: str) -> None:
    """In Qwen's layout one line end on each side belongs to the markup, in GLM's none."""
    answer(name, one_parameter(name, written), calls=[("f", {"v": value})], tools=tools("f(v:string)"))


def test_glm_line_ends_in_values_are_data() -> None:
    text = "\n<tool_call>f\n<arg_key>v</arg_key>\n<arg_value>\na\n</arg_value>\n</tool_call>"
    answer("glm47", text, calls=[("f", {"v": "\na\n"})], tools=tools("f(v:string)"))


TYPED = [
    ("string", "3", "3"), ("string", "true", "true"), ("string", "null", "null"), ("string", "[1]", "[1]"),
    ("string", '{"a":1}', '{"a":1}'), ("string", '"quoted"', '"quoted"'), ("string", "\\n", "\\n"),
    ("integer", "3", 3), ("integer", "-7", -7), ("integer", "1.0", 1), ("integer", "1" + 30 * "0", 10**30),
    ("integer", "many", "many"), ("number", "5.0", 5.0), ("number", "1e3", 1000.0), ("number", "2", 2),
    ("boolean", "true", True), ("boolean", "False", False), ("boolean", "TRUE", True), ("boolean", "yes", "yes"),
    ("null", "null", None), ("null", "None", None),
    ("object", '{"a": [1, null]}', {"a": [1, None]}), ("object", "{}", {}), ("object", "{'a': True}", {"a": True}),
    ("object", "{broken", "{broken"), ("array", "[1, 2]", [1, 2]), ("array", "[]", []),
    ("string|null", "null", None), ("string|null", "Graz", "Graz"), ("integer|string", "5", 5),
    ("integer|string", "five", "five"), ("anyOf string|boolean", "hello world", "hello world"),
    ("anyOf string|boolean", "true", True), ("oneOf integer|array", "[1]", [1]), ("allOf integer", "4", 4),
    ("", "3", "3"), ("", "null", "null"), ("", "[1]", "[1]"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "written", "value"), TYPED)
@raw_values
def test_the_schema_types_values(name: str, kind: str, written: str, value: object) -> None:
    answer(name, one_parameter(name, written), calls=[("f", {"v": value})], tools=tools(f"f(v:{kind})"))


@pytest.mark.parametrize(
    ("schema", "written", "value"),
    [
        ({"enum": ["1", "2"]}, "1", "1"),
        ({"enum": [1, 2]}, "1", 1),
        ({"type": "string", "enum": ["true"]}, "true", "true"),
        ({"const": 5}, "5", 5),
        ({"$ref": "#/$defs/n"}, "5", 5),
    ],
)
@raw_values
def test_listed_and_referred_schemas_type_values(name: str, schema: object, written: str, value: object) -> None:
    parameters = {"type": "object", "properties": {"v": schema}, "$defs": {"n": {"type": "integer"}}}
    offered = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    answer(name, one_parameter(name, written), calls=[("f", {"v": value})], tools=offered)


@raw_values
def test_an_undeclared_parameter_is_a_string(name: str) -> None:
    answer(name, one_parameter(name, "3"), calls=[("f", {"v": "3"})], tools=tools("f(w:integer)"))


@every_shape
def test_html_entities_are_literal(name: str) -> None:
    call = SHAPES[name].call.replace("Graz", "Tom &amp; Jerry &lt;3 &#39;x&#39;")
    answer(name, call, calls=[("find_trains", {"to": "Tom &amp; Jerry &lt;3 &#39;x&#39;", "seats": 2})])
    answer(name, "&lt;b&gt; &amp;", content="&lt;b&gt; &amp;")


@json_values
@pytest.mark.parametrize(
    "arguments",
    [
        '{"a": 1, "a": 2}', '{"a": NaN, "b": -Infinity}', '{"n": 123456789012345678901234567890}', '{"x": 1.50e+02}',
        '{ "a" : [ 1 , 2 ] }', '{"s": "\\u00e9\\/\\ud83d\\ude0a"}', "{}", '{\n  "a": {"b": {"c": [[], {}]}}\n}',
    ],
)  # fmt: skip
def test_json_passes_through_untouched(name: str, arguments: str) -> None:
    for pieces in ([one_object(name, arguments)], one_object(name, arguments)):
        message = run(name, pieces, thinking=False).message
        assert [call.arguments for call in message.tool_calls] == [arguments]
        assert not message.notes


@raw_values
def test_a_parameter_given_twice_is_noted(name: str) -> None:
    """Both are passed on, as the model wrote them; most readers of JSON take the last."""
    call = SHAPES[name].call.replace("seats", "to").replace("2", "Linz")
    message = run(name, [call], thinking=False, tools=TRAINS).message
    assert json.loads(message.tool_calls[0].arguments) == {"to": "Linz"}
    assert message.tool_calls[0].arguments.count('"to"') == 2
    assert kinds(message.notes) == ["malformed"]


# --- values that hold markers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["a{}b", "{}", " {} ", "{}{}x", "say {} and <tool_call>", "half: {}"])
@pytest.mark.parametrize("name", ["qwen3_coder", "glm47"])
def test_a_value_may_hold_its_own_closing_marker(name: str, value: str) -> None:
    closer = "</parameter>" if name == "qwen3_coder" else "</arg_value>"
    value = value.replace("{}", closer) + "."
    answer(name, one_parameter(name, value), calls=[("f", {"v": value})], tools=tools("f(v:string)"))


@json_values
def test_a_json_string_may_hold_any_marker(name: str) -> None:
    value = SHAPES[name].call + SHAPES[name].end + '"}' + "</think><think>\n" + SHAPES[name].closing
    arguments = json.dumps({"to": value, "seats": 2}, ensure_ascii=False)
    answer(name, one_object(name, arguments), calls=[("find_trains", {"to": value, "seats": 2})])


# --- a second opener ------------------------------------------------------------------------------------------------


@every_shape
def test_an_opener_in_the_answer_is_text(name: str) -> None:
    """None of these formats reopens thinking."""
    assert not unbraid.formats()[name].reasoning.reopens  # type: ignore[union-attr]
    thought(name, "Hm.</think>Use <think>this</think>.", reasoning="Hm.", content="Use <think>this</think>.")


@every_shape
def test_a_repeated_opener_at_the_start_is_one_opener(name: str) -> None:
    thought(name, "<think>Hm.</think>Hi.", reasoning="Hm.", content="Hi.")


# --- code fences ----------------------------------------------------------------------------------------------------


@every_shape
def test_a_call_in_a_code_fence_is_a_call(name: str) -> None:
    text = f"```{SHAPES[name].call}\n```"
    answer(name, text, content="```\n```", calls=[CALL])


@every_shape
def test_a_call_in_a_code_fence_can_be_text(name: str) -> None:
    example = f"Like this:\n```xml\n{SHAPES[name].call}\n```\n"
    answer(name, example, content=example, fenced_calls="text")
    answer(name, example + SHAPES[name].call, content=example, calls=[CALL], fenced_calls="text", loose=True)


# --- text that only looks like a call -------------------------------------------------------------------------------

OPENERS = {
    "qwen3": "<tool_call>",
    "qwen3_coder": "<tool_call>",
    "deepseek_v31": "<｜tool▁calls▁begin｜>",
    "glm47": "<tool_call>",
}


@pytest.mark.parametrize("name", list(OPENERS))
def test_a_marker_in_prose_is_prose(name: str) -> None:
    text = f"The literal token `{OPENERS[name]}` has no fixed meaning."
    answer(name, text, content=text)
    answer(name, text + " Or:" + SHAPES[name].call, content=text + " Or:", calls=[CALL])


@every_shape
def test_a_half_marker_at_the_end_is_text(name: str) -> None:
    for size in range(1, len(OPENERS.get(name, "<|tool_calls_section_begin|>"))):
        text = "1 < 2 and " + SHAPES[name].call[:size]
        answer(name, text, content=text)


# --- where the output starts ----------------------------------------------------------------------------------------

INSIDE, OUTSIDE = ("Hm.", "Hi."), ("", "Hm.</think>Hi.")


@pytest.mark.parametrize(
    ("name", "prompt", "inside"),
    [
        ("qwen3", "<|im_start|>assistant\n<think>\n", True),
        ("qwen3", "<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("qwen3_coder", "<|im_start|>assistant\n<think>\n", True),
        ("qwen3_coder", "<|im_start|>assistant\n<think>\n\n</think>\n\n", False),
        ("deepseek_v31", "<｜User｜>hi<｜Assistant｜><think>", True),
        ("deepseek_v31", "<｜User｜>hi<｜Assistant｜></think>", False),
        ("kimi_k2", "<|im_assistant|>assistant<|im_middle|><think>", True),
        ("kimi_k2", "<|im_assistant|>assistant<|im_middle|><think></think>", False),
        ("glm47", "<|user|>hi<|assistant|><think>", True),
        ("glm47", "<|user|>hi<|assistant|></think>", False),
        ("glm47", "<|user|>\nhi/nothink<|assistant|>\n<think></think>", False),
    ],
)
@pytest.mark.parametrize("thinking", [True, False, None])
def test_the_prompts_tail_says_where_the_output_starts(
    name: str, prompt: str, inside: bool, thinking: bool | None
) -> None:
    """It is stronger than the request's word: the prompt is what the model saw."""
    if inside:
        check(name, "Hm.</think>Hi.", reasoning="Hm.", content="Hi.", prompt=prompt, thinking=thinking)
    else:
        check(name, "Hi </think> there.", content="Hi </think> there.", prompt=prompt, thinking=thinking)


@every_shape
def test_thinking_of_earlier_turns_does_not_count(name: str) -> None:
    before = SHAPES[name].thinking + "told</think>Hello." + SHAPES[name].end
    check(name, "Hm.</think>Hi.", reasoning="Hm.", content="Hi.", prompt=before + SHAPES[name].thinking)
    assistant = SHAPES[name].thinking.replace("<think>\n", "").replace("<think>", "")
    check(name, "Hi.", content="Hi.", prompt=SHAPES[name].thinking + assistant, thinking=False)


@pytest.mark.parametrize(
    ("name", "prompt", "closer"),
    [
        (
            "gemma4",
            "<|turn>model\n<|tool_call>call:f{}<tool_call|><|tool_response>response:f{x:1}<tool_response|>"
            "<|channel>thought\n",
            "\n<channel|>",
        ),
        ("mistral", "[INST]hi[/INST][TOOL_CALLS]f[ARGS]{}</s>[TOOL_RESULTS]1[/TOOL_RESULTS][THINK]", "[/THINK]"),
    ],
)
def test_after_a_tools_result_the_turn_goes_on(name: str, prompt: str, closer: str) -> None:
    """Without a header of its own: what follows the result is the assistant's."""
    check(name, f"Hm.{closer}Hi.", reasoning="Hm.", content="Hi.", prompt=prompt)


@every_shape
def test_a_continued_answer_goes_on(name: str) -> None:
    prompt = SHAPES[name].thinking + "Hm.</think>The answer"
    check(name, " is 4.", content=" is 4.", prompt=prompt, thinking=True)
    check(name, " so.</think>4.", reasoning=" so.", content="4.", prompt=SHAPES[name].thinking + "Hm,", thinking=True)


@pytest.mark.parametrize("name", ["deepseek_v31", "kimi_k2", "glm47"])
def test_a_silent_prompt_leaves_it_to_the_request(name: str) -> None:
    check(name, "Hm.</think>Hi.", reasoning="Hm.", content="Hi.", thinking=True)
    check(name, "Hi.", content="Hi.", thinking=False)


@pytest.mark.parametrize("name", ["qwen3", "qwen3_coder"])
@pytest.mark.parametrize("thinking", [True, None])
def test_a_model_that_opens_thinking_itself_starts_in_the_answer(name: str, thinking: bool | None) -> None:
    check(name, "Hi.", content="Hi.", thinking=thinking)
    check(name, "<think>\nHm.\n</think>\n\nHi.", reasoning="Hm.", content="Hi.", thinking=thinking)


# --- what was no call ------------------------------------------------------------------------------------------------


SELF_TYPED = unbraid.Format(
    name="self_typed",
    turns=Turns("<Assistant>"),
    tools=Tools(
        Call(
            "<call {name}>",
            "</call>",
            Params(
                ('<p k="{key}" type="{type}">', '<p k="{key}">'),
                "</p>",
                untyped="json",
                types=(("text", "string"), ("any", "json"), ("open", "schema")),
                key_entities=True,
            ),
        )
    ),
)
"""A format whose parameters may say their type."""


@pytest.mark.parametrize(
    ("declared", "written", "value"),
    [
        ("text", "007", "007"),
        ("text", "true", "true"),
        ("text", ' "x"\n', ' "x"\n'),
        ("any", "5", 5),
        ("any", '{"a": [1]}', {"a": [1]}),
        ("any", " null", None),
        ("any", "not JSON", "not JSON"),
        ("integer", "5", 5),
        ("string", "5", "5"),
        ("unheard-of", "5", "5"),
    ],
)
def test_a_type_in_the_marker_decides(declared: str, written: str, value: object) -> None:
    """Whatever the schema says, and without one."""
    text = f'<call f><p k="x" type="{declared}">{written}</p></call>'
    for schema in ("string", "integer", "boolean"):
        check(SELF_TYPED, text, calls=[("f", {"x": value})], tools=tools(f"f(x:{schema})"))
    check(SELF_TYPED, text, calls=[("f", {"x": value})])


def test_a_type_in_the_marker_may_leave_it_to_the_schema() -> None:
    text = '<call f><p k="x" type="open">5</p></call>'
    check(SELF_TYPED, text, calls=[("f", {"x": "5"})], tools=tools("f(x:string)"))
    check(SELF_TYPED, text, calls=[("f", {"x": 5})], tools=tools("f(x:integer)"))


def test_entities_in_a_key_stand_for_their_characters_once() -> None:
    text = '<call f><p k="&lt;a&gt; &amp; &quot;b&quot; &amp;lt; &nbsp;" type="text">&amp;</p></call>'
    check(SELF_TYPED, text, calls=[("f", {'<a> & "b" &lt; &nbsp;': "&amp;"})])


def test_without_a_type_in_the_marker_the_schema_decides() -> None:
    text = '<call f><p k="y" type="text">1</p><p k="x">5</p></call>'
    check(SELF_TYPED, text, calls=[("f", {"y": "1", "x": "5"})], tools=tools("f(x:string)"))
    check(SELF_TYPED, text, calls=[("f", {"y": "1", "x": 5})], tools=tools("f(x:integer)"))
    check(SELF_TYPED, text, calls=[("f", {"y": "1", "x": 5})])


SUFFIXED = unbraid.Format(
    name="suffixed",
    turns=Turns("<Assistant{suffix}>", others=("<User{suffix}>",)),
    reasoning=Reasoning("<think{suffix}>", "</think{suffix}>final:"),
    special=("<Assistant{suffix}>", "<User{suffix}>", "<think{suffix}>", "</think{suffix}>"),
)
"""A format whose tags have what the checkpoint's vocabulary puts on them."""


@pytest.mark.parametrize("suffix", ["", ":a", ":open-1.b"])
def test_a_suffix_on_tags_is_part_of_them(suffix: str) -> None:
    earlier = f"<Assistant{suffix}><think{suffix}>old<User{suffix}>hi"
    prompt = f"{earlier}<Assistant{suffix}><think{suffix}>"
    check(SUFFIXED, f"so</think{suffix}>final:done", prompt=prompt, reasoning="so", content="done")
    check(SUFFIXED, "done", prompt=f"{earlier}<Assistant{suffix}>", thinking=False, content="done")
    check(SUFFIXED, f"so</think{suffix}>fin", prompt=prompt, finish="length", reasoning="so")


def test_white_space_after_what_was_no_call_may_belong_to_a_marker() -> None:
    broken = 'aaa<tool_call>\n{""\n'
    thought("qwen3", f"{broken}</think>\n\nhi", reasoning='aaa<tool_call>\n{""', content="hi")
    answer("qwen3", broken + SHAPES["qwen3"].call, content='aaa<tool_call>\n{""', calls=[CALL])
    answer("qwen3", broken + "\n", content=broken + "\n")


def test_arguments_that_are_no_json_are_the_same_at_every_cut() -> None:
    call = SHAPES["kimi_k2"].call.replace('{"to": "Graz", "seats": 2}', '\t: "" , "to"}')
    for cut in ([call], list(call)):
        message = run("kimi_k2", cut, tools=TRAINS).message
        assert [each.arguments for each in message.tool_calls] == [': ""']
        assert [note.kind for note in message.tool_calls[0].notes] == ["repaired", "malformed"]


def test_what_was_no_second_call_is_in_one_span() -> None:
    text = '<tool_call>[{"name": "f", "arguments": {}} {}},\n]</tool_call>'
    answer("qwen3", text, tools=None, content="{}},\n]</tool_call>", calls=[("f", {})])


def test_content_around_empty_reasoning_is_one_segment() -> None:
    text = "<|channel|>final<|message|>a<|end|><|start|>assistant<|channel|>analysis<|message|><|end|>"
    text += "<|start|>assistant<|channel|>final<|message|>b<|return|>"
    for cut in ([text], list(text)):
        segments = run("gpt_oss", cut, prompt="<|start|>assistant").message.segments
        assert [(each.kind, each.text) for each in segments] == [("content", "ab")]


# --- headers ---------------------------------------------------------------------------------------------------------

ELEMENTS = (
    '<atem:function_calls>\n<atem:invoke name="find_trains">\n<atem:parameter name="to">Graz</atem:parameter>\n'
    '<atem:parameter name="seats">2</atem:parameter>\n</atem:invoke>\n</atem:function_calls>'
)


@pytest.mark.parametrize("recipient", ["self", "user"])
def test_what_a_header_spells_out_beats_a_hole_in_a_longer_one(recipient: str) -> None:
    """A call's opener takes any recipient and goes on with the call; quoted to ``self`` or ``user`` it is none."""
    quoted = f"hi<|start|>assistant to={recipient}<|message|>{ELEMENTS}<|eom|>"
    call = f"<|start|>assistant to=find_trains<|message|>{ELEMENTS}<|eot|>"
    for cut in ([quoted + call], list(quoted + call)):
        message = run("muse_glimmer", cut, tools=TRAINS, prompt="<|start|>assistant to=user<|message|>").message
        assert message.reasoning == (ELEMENTS if recipient == "self" else None)
        assert message.content == ("hi" if recipient == "self" else "hi" + ELEMENTS)
        assert [json.loads(each.arguments) for each in message.tool_calls] == [{"to": "Graz", "seats": 2}]


def test_in_a_framed_format_reasoning_may_be_followed_by_reasoning() -> None:
    """Its closer is missing; the next opener says that it goes on."""
    thinking = "<|content_thinking|>a<|message_model|><|content_thinking|>b<|end_message|>"
    answer = "<|message_model|><|content_text|>c<|end_message|>"
    check("inkling", thinking + answer, reasoning="ab", content="c", prompt="<|message_model|>")


def test_a_fence_opens_a_call_and_closes_it() -> None:
    fenced = '```\n[{"name": "find_trains", "arguments": {"to": "Graz", "seats": 2}}]\n```'
    answer("xlam", f"So:\n{fenced}\nand", content="So:\nand", calls=[CALL])
    answer("xlam", "```\n[1, 2]\n```", content="```\n[1, 2]\n```")


@pytest.mark.parametrize("space", ["", " ", "\n"])
def test_two_shapes_with_one_opener_are_told_apart_by_what_follows(space: str) -> None:
    """A bracket may begin a list of Python calls or a JSON array; which it is, the next character says."""
    python = f'<|tool_call_start|>[{space}find_trains(to="Graz", seats=2)]<|tool_call_end|>'
    array = f'<|tool_call_start|>[{space}{{"name": "clock", "arguments": {{}}}}]<|tool_call_end|>'
    message = check("lfm2", python + array, calls=[("find_trains", {"to": "Graz", "seats": 2}), ("clock", {})])
    assert not message.notes


# --- elements --------------------------------------------------------------------------------------------------------

ASSISTANT = '<|open|>message role="assistant"<|sep|>'


@pytest.mark.parametrize(
    ("prompt", "text", "reasoning", "content"),
    [
        ("response", "<|open|>think<|sep|>Hm.<|close|>think<|sep|><|open|>response<|sep|>Hi.", "Hm.", "Hi."),
        ("response", "<|close|>response<|sep|><|open|>think<|sep|>Hm.<|close|>think<|sep|>", "Hm.", ""),
        ("think", "<|open|>think<|sep|>Hm.<|close|>think<|sep|>", "Hm.", ""),
        ("think", "<|open|>response<|sep|>Hi.<|close|>response<|sep|>", "", "Hi."),
        ("think", "Hm.<|open|>response<|sep|>Hi.<|close|>response<|sep|><|close|>message<|sep|>", "Hm.", "Hi."),
        ("think", "Hi.<|close|>response<|sep|><|close|>message<|sep|><|end_of_msg|>", "Hi.", ""),
    ],
)
def test_an_element_is_what_its_opener_says(prompt: str, text: str, reasoning: str, content: str) -> None:
    """Whatever the prompt opened. Without an opener it's what the prompt opened, whatever closes it."""
    prompt = f"{ASSISTANT}<|open|>{prompt}<|sep|>"
    check("kimi_k3", text, reasoning=reasoning, content=content, prompt=prompt)


@pytest.mark.parametrize("opener", ["think", "think_fast", "think_faster"])
@pytest.mark.parametrize("closer", ["think", "think_fast", "think_faster"])
def test_any_tag_of_several_pairs_closes_thinking(opener: str, closer: str) -> None:
    prompt = f"<|ifm|im_start|>assistant\n<ifm|{opener}>\n"
    check("k2_horizon", f"Hm.\n</ifm|{closer}>\nHi.", reasoning="Hm.", content="Hi.", prompt=prompt)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("<![CDATA[a < b &amp; c\n]]>", "a < b &amp; c\n"),
        ("\n<![CDATA[</param>]]>\n", "</param>"),
        ("<![CDATA[]]>", ""),
        ("a ]]> b", "a ]]> b"),
        ("1 &lt; 2", "1 &lt; 2"),
    ],
)
def test_the_markers_of_a_cdata_section_are_no_part_of_the_value(written: str, value: str) -> None:
    text = f'<function name="f"><param name="x">{written}</param></function>'
    answer("minicpm5", text, calls=[("f", {"x": value})], tools=tools("f(x:string)"))


@pytest.mark.parametrize("quote", ['"', "'"])
def test_elements_of_a_small_model_come_in_several_spellings(quote: str) -> None:
    pairs = [f"<param name={quote}to{quote}>Graz</param>", f"<param name={quote}seats{quote}>2</param>"]
    plain = f"<function name={quote}find_trains{quote}>" + "\n".join(pairs) + "</function>"
    wrapped = f'<function name="find_trains">\n<arguments>\n{"".join(pairs)}\n</arguments>\n</function>'
    joined = '<functionname="find_trains"><paramname="to">Graz</param><paramname="seats">2</param></function>'
    for text in (plain, wrapped, joined):
        message = answer("minicpm5", text, calls=[CALL])
        assert not message.notes, text


def test_a_template_may_print_containers_as_python() -> None:
    values = "{'a': True, 'b': [None, 'it\\'s']}", "['x', 1.5]"
    text = '<function name="f"><param name="o">{}</param><param name="l">{}</param></function>'.format(*values)
    arguments = {"o": {"a": True, "b": [None, "it's"]}, "l": ["x", 1.5]}
    answer("minicpm5", text, calls=[("f", arguments)], tools=tools("f(o:object,l:array)"))
