"""Formats: the shipped ones are data with a source and an example that runs; impossible ones are refused."""

from __future__ import annotations

import pytest

import unbraid
from unbraid.format import Answer, Call, Format, FormatError, Json, JsonCall, Params, Reasoning, Tools, Turns
from unbraid.machine import compile
from unbraid.table import Variant

FORMATS = unbraid.formats()
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_trains",
            "parameters": {
                "type": "object",
                "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}},
            },
        },
    }
]
TURNS = Turns("<|assistant|>")


@pytest.mark.parametrize("name", list(FORMATS))
def test_the_example_says_what_its_docs_show(name: str) -> None:
    """Every example is the same message: reasoning and one call, where the format has them."""
    thinks = FORMATS[name].reasoning is not None
    message = unbraid.parse(FORMATS[name].example, name, tools=TOOLS, thinking=thinks)
    assert message.reasoning == ("A train to Graz for two." if thinks else None)
    assert message.notes == ()
    if FORMATS[name].tools is None:
        assert message.content == "Two seats, then."
        return
    assert message.content is None
    (call,) = message.tool_calls
    assert (call.name, call.arguments) == ("find_trains", '{"to": "Graz", "seats": 2}')


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_format_has_a_source(name: str) -> None:
    assert len(FORMATS[name].source) > 20


@pytest.mark.parametrize("name", list(FORMATS))
def test_special_tokens_are_markers_of_the_format(name: str) -> None:
    """A token that is declared special and stands in no marker would be a slip of the pen."""
    format = FORMATS[name]
    described = "".join(map(repr, (format.turns, format.reasoning, format.answer, format.asides, format.tools)))
    for token in FORMATS[name].special:
        assert repr(token)[1:-1] in described


@pytest.mark.parametrize("alias", ["qwen25", "hermes", "qwen3_xml", "glm45", "QWEN3", "qwen3-coder"])
def test_aliases_and_spellings_of_names(alias: str) -> None:
    assert unbraid.resolve(alias).name in FORMATS


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(FormatError, match=r"there is no format 'qwen3_codr'; did you mean 'qwen3_coder'\?"):
        unbraid.resolve("qwen3_codr")
    with pytest.raises(FormatError, match="choose one of"):
        unbraid.resolve("zzzzzz")


def impossible() -> list[tuple[str, dict[str, object], str]]:
    call = Call("<c>{name}</c>", "</call>", Json())
    return [
        ("name", {"name": "Bad Name"}, "lower-case"),
        ("no turns", {"turns": Turns(())}, "turns.assistant is missing"),
        ("empty marker", {"turns": Turns("  ")}, "is empty"),
        ("no name", {"tools": Tools(Call("<c>", "</c>", Json()))}, r"needs \{name\} or \{id\}"),
        ("no id shape", {"tools": Tools(Call("<c>{id}|", "</c>", Json()))}, "say its shape"),
        ("no opener", {"tools": Tools(Call(None, None, Json()))}, "only a body that holds the name"),
        ("no closer", {"tools": Tools(Call("<c>{name}>", None, Params("<p={key}>", "</p>")))}, "don't end themselves"),
        ("hole twice", {"tools": Tools(Call("<c>{name}{name}", "</c>", Json()))}, r"the hole \{name\} twice"),
        ("part without end", {"tools": Tools(Call("<c>{?{name}", "</c>", Json()))}, "has no }"),
        ("half an answer", {"answer": Answer("<a>", ())}, "needs an opener and a closer"),
        ("key without end", {"tools": Tools(Call("<c>{name}>", "</c>", Params("<p>{key}", "</p>")))}, "has no end"),
        ("no key", {"tools": Tools(Call("<c>{name}>", "</c>", Params("<p>", "</p>")))}, r"needs \{key\}"),
        ("hole beside JSON", {"tools": Tools(Call("<c>{name}", "</c>", JsonCall()))}, "the name stands in it"),
        ("half a section", {"tools": Tools(call, open="<s>")}, "both tools.open and tools.close"),
        ("unknown hole", {"tools": Tools(Call("<c>{nmae}>", "</c>", Json()))}, r"needs \{name\}"),
        ("odd brace", {"tools": Tools(Call("<c>{name>", "</c>", Json()))}, "can't be read"),
        ("one marker twice", {"reasoning": Reasoning("<a>", "<a>")}, "is also the marker of"),
    ]


@pytest.mark.parametrize(("fields", "says"), [case[1:] for case in impossible()], ids=[c[0] for c in impossible()])
def test_a_format_that_cant_work_is_refused(fields: dict[str, object], says: str) -> None:
    with pytest.raises(FormatError, match=says):
        Format(**{"name": "mine", "turns": TURNS, **fields})  # type: ignore[arg-type]


def test_a_format_of_ones_own_is_passed_as_an_object() -> None:
    mine = Format(
        name="mine",
        turns=TURNS,
        reasoning=Reasoning("[[think]]", "[[/think]]"),
        tools=Tools(Call("[[call {name}]]", "[[/call]]", Params("[[{key}=", "]]"))),
    )
    message = unbraid.parse("[[think]]hm[[/think]]ok[[call f]][[a=1]][[b=x]][[/call]]", mine)
    assert (message.reasoning, message.content) == ("hm", "ok")
    assert message.tool_calls[0].arguments == '{"a": "1", "b": "x"}'


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_state_can_be_reached(name: str) -> None:
    """``draft`` is entered by the executor when a call in open reasoning turns out to be a draft."""
    for variant in (Variant(), Variant(calls_in_fences=False), Variant(False, False)):
        machine = compile(FORMATS[name], variant)
        reached = {"start", "draft", "reasoning.start"}
        frontier = list(reached)
        while frontier:
            state = machine.states.get(frontier.pop())
            targets = {edge.to for edge in state.edges} if state else set()
            if state and state.over:
                targets.add(state.over)
            frontier += targets - reached
            reached |= targets
        assert set(machine.states) <= reached
