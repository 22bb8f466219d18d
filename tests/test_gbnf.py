"""The constraint grammar: it accepts what a model should write, refuses the rest, and the parser reads it all back.

Grammars are judged by ``gbnf_judge``; ``server/test_gbnf_llama`` shows that llama.cpp takes them and a model writes by
them.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import jsonschema
import pytest

import unbraid
from gbnf_judge import GrammarError, Judge
from unbraid.constrain import charset as cs
from unbraid.constrain import grammar
from unbraid.constrain.anyjson import AnyJson
from unbraid.constrain.exclusion import Exclusion, other_than
from unbraid.constrain.gbnf import unwritable
from unbraid.constrain.markers import in_text, in_values
from unbraid.constrain.numbers import integer, number
from unbraid.constrain.rules import Rules
from unbraid.constrain.schema import Schemas
from unbraid.constrain.texts import Texts
from unbraid.format import (
    Call,
    Format,
    FormatError,
    Json,
    JsonCall,
    Params,
    Reasoning,
    Tools,
    Turns,
    canonical,
    frames,
    shapes,
)

FORMATS = [format for format in unbraid.formats().values() if format.tools is not None and not unwritable(format)]
WALKS = 80 if os.environ.get("UNBRAID_PROFILE") == "long" else 5
"""Random texts per kind of request."""


def tool(name: str, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
    """A tool in OpenAI's shape."""
    function = {"name": name} if parameters is None else {"name": name, "parameters": parameters}
    return {"type": "function", "function": function}


TRAINS = tool(
    "find_trains",
    {
        "type": "object",
        "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
        "required": ["to"],
    },
)
WEATHER = tool("get_weather", {"type": "object", "properties": {"city": {"type": "string"}}})
NOW = tool("now", None)
BOOK = tool(
    "book",
    {
        "type": "object",
        "$defs": {
            "stop": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/stop"}},
                "required": ["name"],
            }
        },
        "properties": {
            "class": {"type": "string", "enum": ["first", "second", 'a "quiet" one\n', ""]},
            "price": {"type": "number", "minimum": -0.5, "exclusiveMaximum": 99.5},
            "seats": {"type": "integer", "minimum": 1, "maximum": 120},
            "flags": {"type": "array", "items": {"type": "string", "maxLength": 3}, "maxItems": 3},
            "note": {"type": ["string", "null"]},
            "when": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "string"}]},
            "window": {"type": "boolean"},
            "route": {"$ref": "#/$defs/stop"},
            "extras": {"type": "object", "additionalProperties": {"type": "integer"}},
            "code": {"type": "string", "pattern": "^[A-Z]{2}-\\d+$"},
            "mood": {"enum": ["happy", 3, None, True]},
            "rest": {},
            "short": {"type": "string", "minLength": 1, "maxLength": 4},
        },
        "required": ["class", "seats", "window"],
    },
)
FREE = tool("anything", {"type": "object"})
TOOLS = [TRAINS, WEATHER, NOW, BOOK, FREE]
PARAMETERS = {each["function"]["name"]: each["function"].get("parameters", {}) for each in TOOLS}

PARALLEL = {
    "qwen3": "Two calls.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
    "qwen3_coder": "Two calls.\n\n<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n"
    "</function>\n</tool_call>\n<tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n</function>\n</tool_call>",
    "deepseek_v31": "Two calls.<｜tool▁calls▁begin｜>"
    '<｜tool▁call▁begin｜>find_trains<｜tool▁sep｜>{"to": "Graz"}<｜tool▁call▁end｜>'
    '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Graz"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    "kimi_k2": "Two calls.<|tool_calls_section_begin|>"
    '<|tool_call_begin|>functions.find_trains:0<|tool_call_argument_begin|>{"to": "Graz"}<|tool_call_end|>'
    '<|tool_call_begin|>functions.get_weather:1<|tool_call_argument_begin|>{"city": "Graz"}<|tool_call_end|>'
    "<|tool_calls_section_end|>",
    "glm47": "Two calls."
    "<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value></tool_call>"
    "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Graz</arg_value></tool_call>",
    "minimax_m2": "Two calls.\n<minimax:tool_call>\n"
    '<invoke name="find_trains">\n<parameter name="to">Graz</parameter>\n</invoke>\n'
    '<invoke name="get_weather">\n<parameter name="city">Graz</parameter>\n</invoke>\n</minimax:tool_call>',
    "deepseek_v3": "Two calls.<｜tool▁calls▁begin｜>"
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>find_trains\n```json\n{"to": "Graz"}\n```<｜tool▁call▁end｜>\n'
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n```json\n{"city": "Graz"}\n```<｜tool▁call▁end｜>'
    "<｜tool▁calls▁end｜>",
    "seed_oss": "Two calls.\n\n<seed:tool_call>\n<function=find_trains>\n<parameter=to>Graz</parameter>\n</function>\n"
    "</seed:tool_call>\n<seed:tool_call>\n<function=get_weather>\n<parameter=city>Graz</parameter>\n</function>\n"
    "</seed:tool_call>",
    "granite4": "Two calls.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
    "longcat": "Two calls.\n"
    '<longcat_tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz"}}\n</longcat_tool_call>\n'
    '<longcat_tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</longcat_tool_call>',
    "jamba": 'Two calls.<tool_calls>[{"name": "find_trains", "arguments": {"to": "Graz"}}, '
    '{"name": "get_weather", "arguments": {"city": "Graz"}}]</tool_calls>',
    "mimo": "Two calls.\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>Graz</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=get_weather>\n<parameter=city>Graz</parameter>\n</function>\n</tool_call>",
    "internlm": "Two calls."
    '<|action_start|> <|plugin|>\n{"name": "find_trains", "parameters": {"to": "Graz"}}<|action_end|>'
    '<|action_start|> <|plugin|>\n{"name": "get_weather", "parameters": {"city": "Graz"}}<|action_end|>',
    "step3p5": "Two calls.<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n</function>\n"
    "</tool_call><tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n</function>\n</tool_call>",
    "ling3": "Two calls.\n<tool_call>find_trains\n<arg_key>to</arg_key>\n<arg_value>Graz</arg_value>\n</tool_call>\n"
    "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>Graz</arg_value>\n</tool_call>",
    "poolside_v1": "Two calls."
    "<tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value></tool_call>"
    "<tool_call>get_weather<arg_key>city</arg_key><arg_value>Graz</arg_value></tool_call>",
    "iquest_q1": "Two calls."
    "<iquest_tool_call>find_trains<arg_key>to</arg_key><arg_value>Graz</arg_value></iquest_tool_call>"
    "<iquest_tool_call>get_weather<arg_key>city</arg_key><arg_value>Graz</arg_value></iquest_tool_call>",
    "plamo3": "Two calls.<|plamo:begin_tool_requests:plamo|>"
    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>find_trains<|plamo:end_tool_name:plamo|>"
    '<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"to": "Graz"}'
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>"
    "<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>get_weather<|plamo:end_tool_name:plamo|>"
    '<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>{"city": "Graz"}'
    "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|><|plamo:end_tool_requests:plamo|>",
    "step3": "Two calls.<｜tool_calls_begin｜>\n"
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="find_trains">\n'
    '<steptml:parameter name="to">Graz</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n'
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="get_weather">\n'
    '<steptml:parameter name="city">Graz</steptml:parameter>\n</steptml:invoke><｜tool_call_end｜>\n'
    "<｜tool_calls_end｜>",
    "nemotron_v3": "Two calls.\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n</function>\n</tool_call>\n",
    "granite_thinking": "Two calls.\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n</function>\n</tool_call>\n",
    "minicpmv": "Two calls.\n\n"
    "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n</function>\n</tool_call>\n"
    "<tool_call>\n<function=get_weather>\n<parameter=city>\nGraz\n</parameter>\n</function>\n</tool_call>",
    "holo2": "Two calls.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
    "trinity": "Two calls.\n"
    '<tool_call>\n{"name": "find_trains", "arguments": {"to": "Graz"}}\n</tool_call>\n'
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Graz"}}\n</tool_call>',
    "spark25": "Two calls.\n<tool_call>find_trains\n<arg_key>to</arg_key><arg_value>Graz</arg_value>\n</tool_call>\n"
    "<tool_call>get_weather\n<arg_key>city</arg_key><arg_value>Graz</arg_value>\n</tool_call>",
    "k2_horizon": "Two calls.\n<ifm|tool_calls>\n<ifm|tool_call>find_trains\n<ifm|arg_key>to</ifm|arg_key>\n"
    "<ifm|arg_value>Graz</ifm|arg_value>\n</ifm|tool_call>\n<ifm|tool_call>get_weather\n<ifm|arg_key>city</ifm|arg_key>\n"
    "<ifm|arg_value>Graz</ifm|arg_value>\n</ifm|tool_call>\n</ifm|tool_calls>",
    "dots": "Two calls.<dots_function_call>\n"
    '<invoke name="find_trains">\n<parameter name="to">\nGraz\n</parameter>\n</invoke>\n'
    '<invoke name="get_weather">\n<parameter name="city">\nGraz\n</parameter>\n</invoke>\n</dots_function_call>',
    "minicpm5": "Two calls.\n"
    '<function name="find_trains"><param name="to">Graz</param></function>\n'
    '<function name="get_weather"><param name="city">Graz</param></function>',
}
"""Two calls after a sentence, written by hand as the family's chat template writes them (but JSON on one line)."""

ODD = Format(
    name="odd",
    turns=Turns("<|bot|>", ends=("<|end|>",)),
    reasoning=Reasoning("[[", "]]\n"),
    tools=Tools(Call("<go:{id}>\n", "\n</go>\n", Json(), id="{name}#{index}"), open="\n<all>", close="</all>\n"),
)
"""White space where no shipped format has it, and a section around calls with ids of another shape."""
ARRAY = Format(
    name="array_of_calls",
    turns=Turns("<bot>", ends=("</bot>",)),
    tools=Tools(Call("[TOOLS]", "[/TOOLS]", JsonCall(array="always", id=("id",)))),
)
"""All calls in one JSON array."""
PYTHONIC = Format(
    name="python_scalars",
    turns=Turns("<bot>", ends=("</bot>",)),
    tools=Tools(Call("<use {name}>", "</use>", Params("<set {key}>", "</set>", scalars="python"))),
)
"""Parameters whose booleans and null are spelled as Python spells them."""


def by_name(format: Format) -> str:
    """The name of a format, for the names of tests."""
    return format.name


every_format = pytest.mark.parametrize("format", FORMATS, ids=by_name)


_JUDGES: dict[str, Judge] = {}


def judge(format: Format, tools: Any = (TRAINS, WEATHER), **options: Any) -> Judge:
    """The grammar of a format, ready to judge."""
    text = grammar(format, tools, **options)
    if text not in _JUDGES:
        _JUDGES[text] = Judge(text)
    return _JUDGES[text]


def read(format: Format, text: str, reasoning: str = "none", tools: Any = TOOLS) -> unbraid.Message:
    """What the parser makes of a text that was written under a grammar."""
    prompt = canonical(format.turns.assistant)
    if reasoning == "open":
        assert format.reasoning is not None
        prompt += canonical(format.reasoning.open)
    open = reasoning == "open"
    return unbraid.parse(text, format, tools=tools, prompt=prompt, thinking=open, promote_reasoning=False)


def read_clean(format: Format, text: str, reasoning: str = "none", tools: Any = TOOLS) -> unbraid.Message:
    """The same, with nothing to complain about and arguments that fit."""
    message = read(format, text, reasoning, tools)
    assert message.notes == (), (text, message.notes)
    assert message.incomplete_calls == (), text
    offered = {each["function"]["name"]: each["function"].get("parameters", {}) for each in tools}
    for call in message.tool_calls:
        jsonschema.validate(json.loads(call.arguments), offered[call.name])
    return message


def opened_by_model(format: Format) -> bool:
    """Whether the example has the reasoning's opener in it."""
    return format.reasoning is not None and canonical(format.reasoning.open).strip() in format.example


def example_mode(format: Format) -> str:
    """The reasoning mode under which the format's example is written."""
    if format.reasoning is None:
        return "none"
    return "optional" if opened_by_model(format) else "open"


# -- what is accepted and what isn't -----------------------------------------------------------------------------------


@every_format
@pytest.mark.parametrize("choice", ["auto", "required", {"type": "function", "function": {"name": "find_trains"}}])
def test_the_example_is_accepted(format: Format, choice: Any) -> None:
    judged = judge(format, tool_choice=choice, reasoning=example_mode(format))
    assert judged.refused_at(format.example) is None
    assert judged.accepts(format.example)
    assert read_clean(format, format.example, example_mode(format)).tool_calls[0].name == "find_trains"


@every_format
def test_the_example_is_refused_without_calls(format: Format) -> None:
    assert not judge(format, tool_choice="none", reasoning=example_mode(format)).begins(format.example)
    assert not judge(format, (), reasoning=example_mode(format)).begins(format.example)


@every_format
def test_parallel_calls(format: Format) -> None:
    assert format.name in PARALLEL, f"write two parallel calls of {format.name} by hand, here"
    text = PARALLEL[format.name]
    assert judge(format, reasoning="none").accepts(text)
    assert judge(format, reasoning="optional").accepts(text)
    assert not judge(format, reasoning="none", parallel_tool_calls=False).accepts(text)
    message = read_clean(format, text)
    assert [call.name for call in message.tool_calls] == ["find_trains", "get_weather"]
    assert message.content is not None
    assert message.content.strip() == "Two calls."


@every_format
def test_calls_alone_when_they_are_required(format: Format) -> None:
    text = PARALLEL[format.name]
    required = judge(format, tool_choice="required", reasoning="none")
    assert not required.begins(text)
    alone = text.removeprefix("Two calls.")
    assert required.accepts(alone)
    assert required.accepts(alone.lstrip())
    assert read_clean(format, alone).content is None
    assert not required.accepts("")


@every_format
def test_a_text_that_is_broken_in_one_place_is_refused(format: Format) -> None:
    judged = judge(format, reasoning=example_mode(format))
    text = format.example
    assert not judged.accepts(text[:-1])
    assert not judged.accepts(text + "x")
    call = text.index("find_trains")
    for at in range(call, len(text)):
        if text[at].isspace() or "Graz" in text[max(0, at - 3) : at + 4]:
            continue
        broken = text[:at] + ("~" if text[at] != "~" else "!") + text[at + 1 :]
        assert not judged.accepts(broken), broken
    assert not judged.accepts(text.replace("2", "two"))
    assert not judged.accepts(text.replace("seats", "chairs"))


@every_format
def test_undeclared_names_are_refused(format: Format) -> None:
    text = format.example.replace("find_trains", "find_planes")
    assert not judge(format, reasoning=example_mode(format)).accepts(text)
    assert not judge(format, [WEATHER], reasoning=example_mode(format)).accepts(format.example)


@every_format
def test_a_named_choice_allows_that_tool_only(format: Format) -> None:
    choice = {"type": "function", "function": {"name": "get_weather"}}
    named = judge(format, tool_choice=choice, reasoning=example_mode(format))
    assert not named.accepts(format.example)
    text = named.walk(random.Random(1), 0)
    assert {call.name for call in read_clean(format, text, example_mode(format)).tool_calls} == {"get_weather"}


@pytest.mark.parametrize("format", [each for each in FORMATS if each.reasoning is not None], ids=by_name)
def test_reasoning_modes(format: Format) -> None:
    assert format.reasoning is not None
    opens, closes = canonical(format.reasoning.open), canonical(format.reasoning.close)
    thought, answer = f"{opens}Hm.{closes}Yes.", "Yes."
    accepted = {
        "none": (False, True),
        "optional": (True, True),
        "required": (True, False),
        "open": (False, False),
    }
    for mode, (with_thought, without) in accepted.items():
        judged = judge(format, reasoning=mode)
        assert judged.accepts(thought) is with_thought, mode
        assert judged.accepts(answer) is without, mode
        assert judged.accepts(thought.removeprefix(opens)) is (mode == "open"), mode
    for empty in (f"{opens}{closes}Yes.", f"{opens} \n{closes}Yes."):
        assert not judge(format, reasoning="required").accepts(empty)
        assert judge(format, reasoning="optional").accepts(empty)
    message = read_clean(format, thought, "required")
    assert (message.reasoning, message.content) == ("Hm.", "Yes.")


@every_format
def test_text_may_hold_all_but_markers(format: Format) -> None:
    judged = judge(format, reasoning="none")
    for text in ("", "a < b </ c <| <<", 'He said "no"\n\n{"a": [1]}\n', "ä漢😀\t\\", "<thin", "<|im", "</thinker>"):
        assert judged.accepts(text), text
        assert (read_clean(format, text).content or "") == text
    for word in in_text(format):
        assert not judged.begins(f"so {word}") or format.tools is not None
        if word in format.turns.ends:
            assert not judged.begins(f"a{word}")


@every_format
@pytest.mark.parametrize(
    "value", ["", '"', "a < b", "x\n", "\n\nx\n\n", "</", "<par", "\\n", "</thin", "ä漢😀", "null", "007"]
)
def test_string_arguments_come_back(format: Format, value: str) -> None:
    raw = isinstance(shapes(frames(format)[0])[0].arguments, Params)
    written = value if raw else json.dumps(value)
    old = "Graz" if raw else '"Graz"'
    head, tail = format.example.split("find_trains", 1)
    text = f"{head}find_trains{tail.replace(old, written)}"
    assert judge(format, reasoning=example_mode(format)).accepts(text)
    arguments = json.loads(read_clean(format, text, example_mode(format)).tool_calls[0].arguments)
    assert arguments == {"to": value, "seats": 2}


@every_format
def test_markers_inside_arguments(format: Format) -> None:
    """Where arguments are JSON a string may hold any marker; where they are raw it may hold none."""
    codec = shapes(frames(format)[0])[0].arguments
    words = in_values(format, codec) if isinstance(codec, Params) else in_text(format)
    judged = judge(format, reasoning=example_mode(format))
    head, tail = format.example.split("find_trains", 1)
    for word in words:
        text = f"{head}find_trains{tail.replace('Graz', f'a{word}b')}"
        assert judged.accepts(text) is not isinstance(codec, Params), word
        if not isinstance(codec, Params):
            message = read_clean(format, text, example_mode(format))
            assert json.loads(message.tool_calls[0].arguments)["to"] == f"a{word}b"


def test_parameters_of_several_shapes() -> None:
    """The schema's alternatives are alternatives of the parameters, and undeclared ones are typed."""
    shapes = {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}, "required": ["b"]}]}
    one = "<parameter={}>\n{}\n</parameter>\n"
    call = "<tool_call>\n<function=f>\n{}</function>\n</tool_call>"
    coder = unbraid.resolve("qwen3_coder")
    judged = judge(coder, [tool("f", shapes)], tool_choice="required", reasoning="none")
    assert judged.accepts(call.format(one.format("a", "x")))
    assert judged.accepts(call.format(one.format("b", "x")))
    assert not judged.accepts(call.format(one.format("a", "x") + one.format("b", "x")))
    assert not judged.accepts(call.format(""))
    typed = {"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "integer"}}
    judged = judge(coder, [tool("f", typed)], tool_choice="required", reasoning="none")
    assert judged.accepts(call.format(one.format("a", "x") + one.format("ab", "1") + one.format("c", "2")))
    assert not judged.accepts(call.format(one.format("c", "x")))
    assert not judged.accepts(call.format(one.format("a", "x") + one.format("a", "y")))
    for counted in ({"minProperties": 1}, {"maxProperties": 1}):
        with pytest.raises(FormatError, match="counts its properties"):
            judge(coder, [tool("f", {**typed, **counted})])
    with pytest.raises(FormatError, match=r"'12' of f\.a would be read as 12"):
        either = {"anyOf": [{"enum": ["12", "none"]}, {"type": "number"}]}
        judge(coder, [tool("f", {"type": "object", "properties": {"a": either}})])
    with pytest.raises(FormatError, match="0 and 1 are both"):
        either = {"anyOf": [{"const": False}, {"type": "number"}]}
        judge(coder, [tool("f", {"type": "object", "properties": {"a": either}})])
    with pytest.raises(FormatError, match="can't be told apart"):
        either = {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "string", "maxLength": 3}]}
        judge(coder, [tool("f", {"type": "object", "properties": {"a": either}})])


def test_values_that_arent_read_as_they_are_written() -> None:
    """Formats with layout or entities around values: what a grammar allows is what is read."""
    call = Call("<call {name}>", "</call>", Params("<p {key}>", "</p>", strip=True, entities=True))
    format = Format(name="laid_out", turns=Turns("<Assistant>"), tools=Tools(call))

    def judged(schema: Any) -> Any:
        return judge(format, [tool("f", {"type": "object", "properties": {"a": schema}, "required": ["a"]})])

    assert judged({"enum": ["x", "y"]}).accepts("<call f><p a>x</p></call>")
    assert judged({"type": "string"}).accepts("<call f><p a>x &lt; y</p></call>")
    for value in ("a &lt; b", " x"):
        with pytest.raises(FormatError, match="would be read as"):
            judged({"enum": [value]})
    with pytest.raises(FormatError, match="isn't read as it is written"):
        judged({"type": "string", "maxLength": 3})


# -- what is allowed is read back --------------------------------------------------------------------------------------


def requests(format: Format) -> Iterator[dict[str, Any]]:
    """Requests of every kind."""
    modes = ["none", "optional", "required", "open"] if format.reasoning else ["none"]
    named = {"type": "function", "function": {"name": "book"}}
    for place, (mode, choice) in enumerate(itertools.product(modes, ["auto", "required", named, "none"])):
        yield {"reasoning": mode, "tool_choice": choice, "parallel_tool_calls": place % 3 != 0}


@pytest.mark.parametrize("format", [*FORMATS, ODD, ARRAY, PYTHONIC], ids=by_name)
def test_random_walks_are_read_back(format: Format) -> None:
    long = os.environ.get("UNBRAID_PROFILE") == "long"
    choice = random.Random(None if long else f"walks under {format.name}")
    called: set[str] = set()
    for request in requests(format):
        judged = judge(format, TOOLS, **request)
        for _ in range(WALKS):
            text = judged.walk(choice, choice.choice([0, 40, 150, 400, 900]))
            message = read_clean(format, text, request["reasoning"])
            called |= {call.name for call in message.tool_calls}
            if request["reasoning"] == "none":
                assert message.reasoning is None, text
            if request["reasoning"] == "required":
                assert message.reasoning is not None and message.reasoning.strip(), text
            if request["tool_choice"] == "none":
                assert not message.tool_calls
            elif request["tool_choice"] != "auto":
                assert message.tool_calls and message.content is None, text
            if not request["parallel_tool_calls"]:
                assert len(message.tool_calls) <= 1
    assert "book" in called and len(called) > 2


@every_format
def test_a_response_schema(format: Format) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string"}, "sure": {"type": "boolean"}},
        "required": ["answer", "sure"],
    }
    alone = judge(format, (), reasoning="none", response_schema=schema)
    assert alone.accepts('{"answer": "a < b", "sure": true}')
    assert not alone.accepts('{"answer": "a < b"}')
    assert not alone.begins("Sure")
    choice = random.Random(3)
    for tools in ((), (TRAINS,)):
        judged = judge(format, tools, reasoning="optional", response_schema=schema)
        for _ in range(WALKS):
            message = read_clean(format, judged.walk(choice, choice.choice([0, 60, 200])), tools=tools)
            if message.tool_calls:
                assert tools and message.content is None
            else:
                jsonschema.validate(json.loads(message.content or ""), schema)


# -- counting, sections, arrays ----------------------------------------------------------------------------------------


def test_ids_count_from_zero() -> None:
    format = unbraid.resolve("kimi_k2")
    judged = judge(format, [NOW], reasoning="none")

    def calls(indices: Any) -> str:
        one = "<|tool_call_begin|>functions.now:{}<|tool_call_argument_begin|>{{}}<|tool_call_end|>"
        body = "".join(one.format(each) for each in indices)
        return f"<|tool_calls_section_begin|>{body}<|tool_calls_section_end|>"

    assert judged.accepts(calls(range(30)))
    assert not judged.accepts(calls([1]))
    assert not judged.accepts(calls([0, 2]))
    assert len(read_clean(format, calls(range(30)), tools=[NOW]).tool_calls) == 30


def test_an_array_holds_all_calls() -> None:
    text = (
        '[TOOLS][{"name": "now", "arguments": {}}, '
        '{"name": "get_weather", "arguments": {"city": "Wien"}, "id": "a1"}][/TOOLS]'
    )
    assert judge(ARRAY, TOOLS).accepts(text)
    assert not judge(ARRAY, TOOLS, parallel_tool_calls=False).accepts(text)
    assert not judge(ARRAY, TOOLS).accepts('[TOOLS]{"name": "now", "arguments": {}}[/TOOLS]')


def test_python_scalars() -> None:
    schema = {"type": "object", "properties": {"a": {"type": ["boolean", "null"]}}, "required": ["a"]}
    judged = judge(PYTHONIC, [tool("f", schema)], tool_choice="required")
    assert judged.accepts("<use f><set a>True</set></use>")
    assert judged.accepts("<use f><set a>None</set></use>")
    assert not judged.accepts("<use f><set a>true</set></use>")


def test_a_tool_name_is_escaped_in_json() -> None:
    odd = tool('say "hi"\n', {"type": "object"})
    text = '<tool_call>\n{"name": "say \\"hi\\"\\n", "arguments": {}}\n</tool_call>'
    assert judge(unbraid.resolve("qwen3"), [odd]).accepts(text)


def test_grammars_stay_small() -> None:
    for format in FORMATS:
        many = [{**TRAINS, "function": {**TRAINS["function"], "name": f"tool_{n}"}} for n in range(50)]
        one, fifty = len(grammar(format, [TRAINS])), len(grammar(format, many))
        assert one < 20_000, format.name
        assert fifty - one < 50 * 3_000, format.name


# -- what can't be expressed is said -----------------------------------------------------------------------------------

BARE = Format(name="bare", turns=Turns("<bot>", ends=("</bot>",)))


@pytest.mark.parametrize(
    ("format", "tools", "options", "words"),
    [
        (BARE, [TRAINS], {}, "bare has no tool calls"),
        (BARE, [], {"reasoning": "required"}, "bare has no reasoning"),
        (BARE, [], {"reasoning": "open"}, "bare has no reasoning"),
        (BARE, [], {"reasoning": "sometimes"}, "no reasoning 'sometimes'"),
        (FORMATS[0], [], {"tool_choice": "required"}, "no tools were offered"),
        (FORMATS[0], [TRAINS], {"tool_choice": "always"}, "no tool_choice 'always'"),
        (
            FORMATS[0],
            [TRAINS],
            {"tool_choice": {"type": "function", "function": {"name": "find_train"}}},
            "'find_train', which wasn't offered; did you mean 'find_trains'",
        ),
    ],
)
def test_requests_that_make_no_sense(format: Format, tools: Any, options: Any, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)):
        grammar(format, tools, **options)


def test_without_reasoning_optional_means_none() -> None:
    assert Judge(grammar(BARE)).accepts("Hello.")


@pytest.mark.parametrize(
    ("name", "key", "words"),
    [("two words", "a", "tool name 'two words'"), ("f>", "a", "tool name 'f>'"), ("f", "a\nb", "parameter 'a\\nb'")],
)
def test_names_that_can_not_be_read_back(name: str, key: str, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words.replace("\\n", "\\n"))):
        grammar(unbraid.resolve("qwen3_coder"), [tool(name, {"type": "object", "properties": {key: {}}})])


@pytest.mark.parametrize(
    "value", [{"enum": ["a</parameter>"]}, {"const": ["<tool_call>"]}, {"type": "string", "pattern": "^<$"}]
)
def test_listed_values_that_hold_markers(value: Any) -> None:
    schema = {"type": "object", "properties": {"a": value}}
    with pytest.raises(FormatError, match="marker"):
        grammar(unbraid.resolve("qwen3_coder"), [tool("f", schema)])
    assert grammar(unbraid.resolve("qwen3"), [tool("f", schema)])


REFUSED: list[tuple[Any, str]] = [
    ({"not": {"type": "string"}}, "'not'"),
    ({"if": {"type": "string"}, "then": {}}, "'if'"),
    ({"type": "object", "patternProperties": {"^a": {}}}, "'patternProperties'"),
    ({"type": "array", "contains": {"const": 1}}, "'contains'"),
    ({"type": "array", "uniqueItems": True}, "'uniqueItems'"),
    ({"type": "number", "multipleOf": 0.1}, "'multipleOf'"),
    ({"type": "string", "pattern": "(?=a)b"}, "looks ahead"),
    ({"type": "string", "pattern": "(?<=a)b"}, "looks behind"),
    ({"type": "string", "pattern": "a\\b"}, "\\b"),
    ({"type": "string", "pattern": "(a)\\1"}, "\\1"),
    ({"type": "string", "pattern": "a", "minLength": 2}, "'pattern' together"),
    ({"type": "text/plain"}, "the type 'text/plain'"),
    ({"enum": []}, "none of which fits"),
    ({"type": "string", "enum": ["a"], "pattern": "b"}, "listed values together with 'pattern'"),
    ({"type": "integer", "minimum": 3, "maximum": 2}, "no integer"),
    ({"type": "number", "exclusiveMinimum": 3, "maximum": 3}, "no number"),
    ({"$ref": "https://example.org/schema"}, "the reference 'https://example.org/schema'"),
    ({"$ref": "#/$defs/none"}, "leads nowhere"),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "back to itself"),
    ({"$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {}]}}, "$ref": "#/$defs/a"}, "back to itself"),
    ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "'oneOf'"),
    ({"type": "object", "properties": {"a": {}}, "minProperties": 2}, "a number of properties"),
    ({"allOf": [{"type": "string"}, {"type": "integer"}]}, "nothing fits"),
    (
        {"allOf": [{"properties": {"a": {}}}, {"additionalProperties": {"type": "null"}}]},
        "'additionalProperties' in one of several",
    ),
    ({"allOf": [{"pattern": "a"}, {"pattern": "b"}], "type": "string"}, "'pattern' twice"),
    ({"type": "object", "properties": {"a": False}, "required": ["a"]}, "'a', which nothing fits"),
    ({"type": "array", "minItems": 3, "maxItems": 2}, "more 'minItems'"),
]


@pytest.mark.parametrize(("schema", "words"), REFUSED)
def test_schemas_that_a_grammar_can_not_express(schema: Any, words: str) -> None:
    with pytest.raises(FormatError, match=re.escape(words)) as caught:
        value_rules(schema)
    assert "the schema of thing" in str(caught.value) or "the pattern" in str(caught.value)


# -- schemas -----------------------------------------------------------------------------------------------------------


def value_rules(schema: Any, excluded: Any = ()) -> Judge:
    """The grammar of a value of one schema."""
    rules = Rules()
    parts = AnyJson(rules, Texts(rules, "json", excluded, raw=False))
    root = schema if isinstance(schema, Mapping) else {}
    return Judge(rules.text(Schemas(parts, root, "thing").value(schema)))


ANIMALS = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
            "required": ["kind"],
        },
        {"type": "object", "properties": {"kind": {"const": "dog"}}, "required": ["kind"]},
    ]
}
TREE = {
    "type": "object",
    "properties": {"value": {"type": "integer"}, "children": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["value"],
}
SCHEMAS: list[tuple[Any, list[Any], list[Any]]] = [
    (True, [1, "a", None, [], {}, {"a": [True]}], []),
    ({}, [1, "a", None, {"a": {"b": []}}], []),
    ({"type": "object"}, [{}, {"a": 1, "b": {"c": [None]}}], [1, []]),
    ({"type": "object", "additionalProperties": False}, [{}], [{"a": 1}]),
    ({"type": "object", "properties": {"a": {"type": "string"}}}, [{}, {"a": ""}], [{"a": 1}, {"b": ""}]),
    (
        {"properties": {"a": {}, "b": {}, "c": {}}, "required": ["b"]},
        [{"b": 1}, {"a": 1, "b": 2}, {"b": 1, "c": 2}, {"a": 1, "b": 2, "c": 3}],
        [{}, {"a": 1}, {"a": 1, "c": 2}],
    ),
    (
        {"type": "object", "properties": {"to": {"type": "integer"}}, "additionalProperties": {"type": "string"}},
        [{}, {"to": 1}, {"t": "x", "tom": "y"}, {"to": 1, "other": "x"}],
        [{"to": "x"}, {"other": 1}, {"t": 1}],
    ),
    (
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 1, "maxProperties": 2},
        [{"a": 1}, {"a": 1, "b": 2}],
        [{}, {"a": 1, "b": 2, "c": 3}, {"a": "x"}],
    ),
    ({"type": "object", "required": ["a"]}, [{"a": 1}], [{}]),
    ({"type": "array"}, [[], [1, "a", []]], [{}]),
    ({"type": "array", "items": {"type": "integer"}, "minItems": 2}, [[1, 2], [1, 2, 3]], [[], [1], ["a", "b"]]),
    ({"type": "array", "items": {"type": "null"}, "maxItems": 2}, [[], [None], [None, None]], [[None] * 3]),
    ({"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": 1}, [[None]], [[], [None] * 2]),
    ({"type": "array", "maxItems": 0}, [[]], [[1]]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}]}, [[1, "a"]], [["a", 1], [1, "a", 1]]),
    (
        {"type": "array", "prefixItems": [{"type": "integer"}], "items": {"type": "string"}, "minItems": 2},
        [[1, "a"], [1, "a", "b"]],
        [[1], ["a", 1]],
    ),
    ({"type": "string"}, ["", "a\n\"\\\u2028é😀", "\u0001"], [1]),
    ({"type": "string", "minLength": 2, "maxLength": 3}, ["ab", "a\"c", "😀é\n"], ["a", "abcd"]),
    ({"type": "string", "minLength": 100, "maxLength": 300}, ["a" * 100, "a" * 217, "a" * 300], ["a" * 99, "a" * 301]),
    ({"type": "string", "minLength": 200}, ["a" * 200, "b" * 1234], ["a" * 199]),
    ({"type": "string", "maxLength": 0}, [""], ["a"]),
    ({"type": "string", "format": "date"}, ["2024-01-01"], []),
    ({"enum": ["a\"b", 1, None, [1], {"a": 1}]}, ["a\"b", 1, None, [1], {"a": 1}], ["a", 2]),
    ({"type": "string", "enum": ["a", 1]}, ["a"], [1]),
    ({"const": "x"}, ["x"], ["y"]),
    ({"enum": ["a", "bc", 3, 7, [], [1]], "minLength": 2, "minimum": 5, "maxItems": 0}, ["bc", 7, []], ["a", 3, [1]]),
    ({"type": "integer"}, [0, -1, 10, 999999999999999], [1.5, "1", True]),
    ({"type": "integer", "multipleOf": 1}, [3], [1.5]),
    ({"type": "number"}, [0, -1.5, 1e10, 2.5e-7], ["1"]),
    ({"type": "boolean"}, [True, False], [0, None]),
    ({"type": ["string", "null"]}, ["a", None], [1]),
    ({"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]}, [1, ["a"]], ["a", [1]]),
    ({"allOf": [{"type": "object", "properties": {"a": {}}}, {"required": ["a"]}]}, [{"a": 1}], [{}]),
    ({"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
     [{"a": 1}, {"b": 1}, {"a": 1, "b": 1}], [{}]),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["a", 1], [None]),
    (ANIMALS, [{"kind": "cat"}, {"kind": "cat", "lives": 9}, {"kind": "dog"}], [{"kind": "dog", "lives": 9}, {}]),
    (TREE, [{"value": 1}, {"value": 1, "children": [{"value": 2, "children": []}]}], [{"children": []}]),
    (
        {"$defs": {"n": {"type": "integer", "minimum": 1}}, "type": "array", "items": {"$ref": "#/$defs/n"}},
        [[1, 20]],
        [[0]],
    ),
    (
        {
            "definitions": {"n": {"properties": {"next": {"allOf": [{"$ref": "#/definitions/n"}], "title": "N"}}}},
            "$ref": "#/definitions/n",
        },
        [{}, {"next": {"next": {}}}],
        [{"next": 1}],
    ),
    ({"type": "string", "pattern": "^[a-c]+\\d{2,3}$"}, ["a12", "abc123"], ["a1", "d12", "a1234"]),
    ({"type": "string", "pattern": "b+"}, ["b", "abba", 'x"\nb'], ["a", ""]),
    ({"type": "string", "pattern": "^(?:yes|no)$"}, ["yes", "no"], ["maybe"]),
    ({"type": "string", "pattern": "^\\w+@\\w+\\.(com|org)$"}, ["a@b.org"], ["a@b.net", "a b@c.org"]),
    ({"type": "string", "pattern": "^[^\\s\"]*$"}, ["", "abc"], ["a b", 'a"b']),
    ({"type": "string", "pattern": "^a|b$"}, ["ax", "xb"], ["xa", "bx"]),
    ({"type": "string", "pattern": "^\\u00e9\\/\\t.$"}, ["é/\tx"], ["e/\tx"]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "fits", "fails"), SCHEMAS)
def test_schemas(schema: Any, fits: list[Any], fails: list[Any]) -> None:
    judged = value_rules(schema)
    for value in fits:
        jsonschema.validate(value, schema)
        for text in {json.dumps(value), json.dumps(value, ensure_ascii=False)}:
            plain = not re.search(r"\\ud[89a-f]", text, re.IGNORECASE)
            special = isinstance(schema, Mapping) and {"pattern", "enum"} & set(schema)
            if plain and (not special or text == json.dumps(value, ensure_ascii=False)):
                assert judged.accepts(text), text
    for value in fails:
        assert not judged.accepts(json.dumps(value)), value
    choice = random.Random(7)
    for _ in range(60):
        text = judged.walk(choice, choice.choice([0, 20, 80, 300]))
        jsonschema.validate(json.loads(text), schema)


def some_schema(choice: random.Random, depth: int = 0) -> Any:
    """A random schema of any kind, often an awkward one."""
    kind = choice.choice(["any", "string", "number", "type", "types", "enum", "const"])
    if depth < 3 and choice.random() < 0.5:
        kind = choice.choice(["object", "array", "anyOf", "oneOf", "allOf"])
    found: dict[str, Any] = {}
    if kind == "string":
        least = choice.choice([0, 0, 1, 3])
        found = {"type": "string", "minLength": least, "maxLength": least + choice.choice([0, 2, 9])}
    elif kind == "number":
        low = choice.choice([-120, -2.5, 0, 0.25, 7])
        found = {"type": choice.choice(["integer", "number"]), "minimum": low, "exclusiveMaximum": low + 12.5}
    elif kind == "type":
        found = {"type": choice.choice(["string", "integer", "number", "boolean", "null", "object", "array"])}
    elif kind == "types":
        found = {"type": choice.sample(["string", "integer", "null", "boolean", "number"], 2)}
    elif kind == "enum":
        values = ["a", "b c", "\n", 'q"', 1, 2.5, None, True, [1], {"a": 1}, "null", "12", ""]
        found = {"enum": choice.sample(values, choice.randint(1, 3))}
    elif kind == "const":
        found = {"const": choice.choice(["x", 3, False])}
    elif kind == "object":
        keys = choice.sample(["a", "b", "to", "tom", "k é"], choice.randint(0, 3))
        found = {"type": "object", "properties": {key: some_schema(choice, depth + 1) for key in keys}}
        found["required"] = [key for key in keys if choice.random() < 0.4]
        if choice.random() < 0.3:
            found["additionalProperties"] = choice.choice([False, {"type": "integer"}])
    elif kind == "array":
        found = {"type": "array", "items": some_schema(choice, depth + 1), "maxItems": choice.randint(0, 4)}
    elif kind in ("anyOf", "oneOf", "allOf"):
        found = {kind: [some_schema(choice, depth + 1) for _ in range(2)]}
    return found


def test_random_schemas() -> None:
    """Whatever the schema, the arguments fit it, or the grammar is refused."""
    choice = random.Random(2026)
    written = 0
    while written < WALKS * 60:
        properties = {key: some_schema(choice) for key in ("p", "q")}
        if "'integer'" in str(properties) and "'number'" in str(properties) and "allOf" in str(properties):
            continue
        tools = [tool("f", {"type": "object", "properties": properties, "required": ["p"]})]
        format = choice.choice(FORMATS)
        try:
            judged = judge(format, tools, tool_choice="required", reasoning="none")
        except FormatError:
            continue
        for _ in range(3):
            text = judged.walk(choice, choice.choice([0, 60, 200]))
            assert read_clean(format, text, tools=tools).tool_calls
            written += 1


def test_type_names_that_people_write() -> None:
    assert value_rules({"type": "str"}).accepts('"a"')
    assert value_rules({"type": ["int", "None"]}).accepts("null")


def test_strings_in_json_can_be_kept_free_of_words() -> None:
    words = ["</parameter>", "<tool_call>"]
    for schema in ({}, {"type": "string"}, {"type": "string", "maxLength": 30}, {"type": "string", "pattern": "^.*$"}):
        judged = value_rules(schema, words)
        assert judged.accepts(r'"\u003c/parameter>"')
        assert not judged.begins('"</parameter>')
        assert not judged.begins('"x <tool_call>')
        choice = random.Random(11)
        for _ in range(100):
            text = judged.walk(choice, 60)
            assert not any(word in text for word in words)
            json.loads(text)
    with pytest.raises(FormatError, match="the property '<tool_call>'"):
        value_rules({"properties": {"<tool_call>": {}}}, words)


@pytest.mark.parametrize(
    "bounds", [(None, None), (0, None), (None, 0), (7, None), (None, -7), (-13, 105), (3, 3), (-105, -9)]
)
def test_integer_bounds(bounds: tuple[int | None, int | None]) -> None:
    low, high = bounds
    rules = Rules()
    judged = Judge(rules.text(integer(rules, low, high)))
    for value in range(-1200, 1200):
        wanted = (low is None or value >= low) and (high is None or value <= high)
        assert judged.accepts(str(value)) is wanted, value
    assert not judged.accepts("01")
    assert not judged.accepts("")


def test_integer_bounds_of_every_width() -> None:
    for low, high in itertools.combinations([0, 1, 9, 10, 11, 19, 25, 99, 100, 101, 250, 999, 1000], 2):
        rules = Rules()
        judged = Judge(rules.text(integer(rules, low, high)))
        for value in range(1100):
            assert judged.accepts(str(value)) is (low <= value <= high), (low, high, value)


@pytest.mark.parametrize("opens", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize(
    "bounds",
    [("0", "1"), ("0.5", "0.75"), ("-1.25", "2"), ("-3", "-0.5"), ("0", None), (None, "0"), ("1.05", "1.5"),
     ("9", "10"), ("-0.01", "0.01"), (None, "-2.5"), ("2.5", None)],
)  # fmt: skip
def test_number_bounds(bounds: tuple[str | None, str | None], opens: tuple[bool, bool]) -> None:
    low, high = (None if each is None else Decimal(each) for each in bounds)
    rules = Rules()
    judged = Judge(rules.text(number(rules, low, high, *opens)))

    def wanted(value: Decimal) -> bool:
        over = low is None or (value > low if opens[0] else value >= low)
        return over and (high is None or (value < high if opens[1] else value <= high))

    for hundredths in range(-400, 1101):
        value = Decimal(hundredths) / 100
        spellings = {f"{value:.2f}", f"{value:f}", f"{value.normalize():f}"}
        for text in spellings:
            if not (text.startswith("-") and value == 0):
                assert judged.accepts(text) is wanted(value), text
    choice = random.Random(5)
    for _ in range(100):
        assert wanted(Decimal(judged.walk(choice, choice.choice([0, 3, 12]))))


# -- automata and rules ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [["ab"], ["aa"], ["aab", "ab"], ["aba", "bb"], ["abab"], ["a"], ["ab", "bca", "cc"], ["abc", "bd"]]
)
def test_exclusion_is_exact(words: list[str]) -> None:
    rules = Rules()
    judged = Judge(rules.text(Exclusion(words).write(rules, "text")[0]))
    for length in range(7):
        for letters in itertools.product("abcd"[: 3 if length > 5 else 4], repeat=length):
            text = "".join(letters)
            assert judged.accepts(text) is not any(word in text for word in words), text


def test_exclusion_before_a_marker() -> None:
    """Text may not end so that the beginning of what follows finishes another word."""
    rules = Rules()
    text = Exclusion(["ab", "bc"]).write(rules, "text", before=["bc"])[0]
    judged = Judge(rules.text(f'{text} "bc"'))
    assert judged.accepts("bbc")
    assert not judged.accepts("abc")


def test_other_than() -> None:
    words = {"to", "tom", "a", ""}
    rules = Rules()
    judged = Judge(rules.text(other_than(rules, "key", words, cs.of("abtom"))))
    for length in range(5):
        for letters in itertools.product("abtom", repeat=length):
            text = "".join(letters)
            assert judged.accepts(text) is (text not in words)


@pytest.mark.parametrize("bounds", [(0, 1), (2, 2), (0, 200), (130, 131), (64, 128), (1, 500), (300, None), (0, None)])
def test_long_repetitions_are_exact(bounds: tuple[int, int | None]) -> None:
    least, most = bounds
    rules = Rules()
    judged = Judge(rules.text(rules.repeat("x", '"x"', least, most) or '""'))
    for count in (0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 130, 131, 132, 199, 200, 201, 299, 300, 301, 499, 500, 501):
        assert judged.accepts("x" * count) is (least <= count and (most is None or count <= most)), count


def test_very_long_bounds_are_lowered() -> None:
    rules = Rules()
    judged = Judge(rules.text(rules.repeat("x", "[a-z]", 0, 10**9)))
    assert judged.accepts("x" * 5000)
    with pytest.raises(FormatError, match="repetitions"):
        Rules().repeat("x", "[a-z]", 10**9, None)


# -- a converter of one's own ------------------------------------------------------------------------------------------


def test_another_converter_is_taken_in() -> None:
    given: list[Any] = []

    def convert(schema: Mapping[str, Any]) -> str:
        given.append(schema)
        return (
            'root ::= "{" space number "}" # "root" of it\nspace ::= | " "\nnumber ::= [0-9"]{1,3} |\n  "x\\"space"\n'
        )

    for format in FORMATS:
        text = grammar(format, [TRAINS, WEATHER], tool_choice="required", schema_to_gbnf=convert)
        assert len(re.findall("^root ::=", text, re.MULTILINE)) == 1
        Judge(text)
    qwen3 = judge(unbraid.resolve("qwen3"), [TRAINS], schema_to_gbnf=convert)
    assert qwen3.accepts('<tool_call>\n{"name": "find_trains", "arguments": { 1"}}\n</tool_call>')
    assert qwen3.accepts('<tool_call>\n{"name": "find_trains", "arguments": {x"space}}\n</tool_call>')
    assert TRAINS["function"]["parameters"] in given
    coder = judge(unbraid.resolve("qwen3_coder"), [TRAINS], schema_to_gbnf=convert)
    start = "<tool_call>\n<function=find_trains>\n<parameter=to>\nGraz\n</parameter>\n<parameter=seats>\n"
    assert coder.accepts(start + "{12}\n</parameter>\n</function>\n</tool_call>")


LLAMA_CPP = r"""
char ::= [^"\\\x7F\x00-\x1F] | [\\] (["\\bfnrt] | "u" [0-9a-fA-F]{4})
integer ::= ("-"? integral-part) space
integral-part ::= [0] | [1-9] [0-9]{0,15}
root ::= "{" space to-kv ( "," space ( seats-kv ) )? "}" space
seats-kv ::= "\"seats\"" space ":" space integer
space ::= | " " | "\n"{1,2} [ \t]{0,20}
string ::= "\"" char* "\"" space
to-kv ::= "\"to\"" space ":" space string
"""
"""What llama.cpp's converter makes of the trains' parameters."""


@every_format
def test_llama_cpps_grammars_are_taken_in(format: Format) -> None:
    def convert(schema: Mapping[str, Any]) -> str:
        return 'root ::= [1-9] [0-9]* | "0"' if schema.get("type") == "integer" else LLAMA_CPP

    mode = example_mode(format)
    judged = judge(format, [TRAINS], reasoning=mode, schema_to_gbnf=convert)
    assert judged.accepts(format.example)
    assert not judged.accepts(format.example.replace("seats", "chairs"))
    named = judge(format, [TRAINS], reasoning=mode, tool_choice="required", schema_to_gbnf=convert)
    choice = random.Random(13)
    for _ in range(WALKS):
        assert read_clean(format, named.walk(choice, choice.choice([0, 200])), mode).tool_calls


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ("%llguidance {}\nstart: %json {}", "an llguidance grammar, not GBNF"),
        ("start ::= [a-z]", "without a rule called root"),
        ("root ::= other", "refers to 'other'"),
    ],
)
def test_converters_that_give_something_else(made: str, words: str) -> None:
    with pytest.raises(FormatError, match=words):
        grammar(FORMATS[0], [TRAINS], schema_to_gbnf=lambda schema: made)


def test_a_converter_that_fails() -> None:
    def convert(schema: Mapping[str, Any]) -> str:
        raise RuntimeError("no")

    with pytest.raises(FormatError, match="refused the schema of find_trains: no"):
        grammar(FORMATS[0], [TRAINS], schema_to_gbnf=convert)


def test_the_judge_judges() -> None:
    with pytest.raises(GrammarError, match="left recursion"):
        Judge('root ::= root "a" | "b"')
    with pytest.raises(GrammarError, match="undefined"):
        Judge("root ::= other")
    judged = Judge('root ::= ("a" | b)* [^c-e]{1,2}\nb ::= "b" # comment\n')
    assert judged.accepts("abx") and judged.accepts("z") and not judged.accepts("c")
