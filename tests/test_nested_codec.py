"""Nested elements: a table, round trips of a writer of its own, any cut, garbage, and work that doesn't grow."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding import check_cuts
from test_linear import calls, copied, kept
from unbraid.arguments.decoder import Arguments
from unbraid.arguments.nested import NestedDecoder
from unbraid.arguments.typing import Policy

N = "]<]minimax[>["
STRING, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
ROOT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "to": STRING,
        "seats": INTEGER,
        "unit": {"enum": ["c", "f"]},
        "open": {"properties": {}},
        "list": {"type": "array"},
        "stops": {"type": "array", "items": STRING},
        "sizes": {"$ref": "#/$defs/sizes"},
        "pair": {"type": "array", "prefixItems": [STRING, INTEGER], "items": NUMBER},
        "who": {"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
        "people": {"type": ["array", "null"], "items": {"$ref": "#/$defs/person"}},
        "either": {"type": ["object", "array"]},
        "both": {"type": ["object", "array"], "items": STRING},
        "extra": {"type": "object", "additionalProperties": INTEGER},
        "words": {"type": ["array", "string"], "items": INTEGER},
    },
    "$defs": {
        "sizes": {"allOf": [{"type": "array"}, {"items": INTEGER}]},
        "person": {
            "type": "object",
            "properties": {"name": STRING, "age": INTEGER, "item": INTEGER, "tags": {"type": "array", "items": STRING}},
        },
    },
}


def maker(schema: Any = ROOT, policy: Policy = Policy("string")) -> Callable[[], NestedDecoder]:  # noqa: B008
    return lambda: NestedDecoder(N, "item", schema, schema or {}, policy)


def tagged(text: str) -> str:
    """The text with every ``~`` replaced by the namespace."""
    return text.replace("~", N)


TABLE: list[tuple[str, str]] = [
    ("", "{}"),
    (" \n\n", "{}"),
    # leaves
    ("~<to>Graz~</to>", '{"to": "Graz"}'),
    ("~<to>Graz~</to>\n~<seats>2~</seats>\n", '{"to": "Graz", "seats": 2}'),
    ("~<to>\n 7\n~</to>", '{"to": "\\n 7\\n"}'),
    ("~<to>~</to>", '{"to": ""}'),
    ("~<seats> 2 ~</seats>", '{"seats": 2}'),
    ("~<seats>soon~</seats>", '{"seats": "soon"}'),
    ("~<unit>c~</unit>", '{"unit": "c"}'),
    ("~<other>7~</other>", '{"other": "7"}'),
    ("~<other>~</other>", '{"other": ""}'),
    ("~<two words>x~</two words>", '{"two words": "x"}'),
    ("~ <to>Graz~\n</to >", '{"to": "Graz"}'),
    ("~<who>null~</who>", '{"who": null}'),
    ('~<list>[1, "a"]~</list>', '{"list": [1, "a"]}'),
    ('~<who>{"age": 3}~</who>', '{"who": {"age": 3}}'),
    # text that looks like tags
    ("~<to><b>x</b></to>~</to>", '{"to": "<b>x</b></to>"}'),
    ("~<to>a~b ~<c>d~</c> ~</invoke>~</to>", tagged('{"to": "a~b ~<c>d~</c> ~</invoke>"}')),
    ("~<other>a~ b~</invoke> <item>~</other>", tagged('{"other": "a~ b~</invoke> <item>"}')),
    ("~<other>~<>~</>~< a>~</other>", tagged('{"other": "~<>~</>~< a>"}')),
    ("~<other>~" + " " * 33 + "<a>~</other>", tagged('{"other": "~' + " " * 33 + '<a>"}')),
    # nothing in a container
    ("~<stops>~</stops>", '{"stops": []}'),
    ("~<stops>\n~</stops>", '{"stops": []}'),
    ("~<who>~</who>", '{"who": {}}'),
    ("~<open>~</open>", '{"open": {}}'),
    ("~<words>~</words>", '{"words": ""}'),
    # lists
    ("~<stops>~<item>Linz~</item>~<item>Wels~</item>~</stops>", '{"stops": ["Linz", "Wels"]}'),
    ("~<stops>\n~<item>Linz~</item>\n~<item>7~</item>\n~</stops>", '{"stops": ["Linz", "7"]}'),
    ("~<stops>~<stop>Linz~</stop>~<last>Wels~</last>~</stops>", '{"stops": ["Linz", "Wels"]}'),
    ("~<sizes>~<item>1~</item>~<item>2~</item>~</sizes>", '{"sizes": [1, 2]}'),
    ("~<pair>~<item>1~</item>~<item>2~</item>~<item>.5~</item>~</pair>", '{"pair": ["1", 2, 0.5]}'),
    ("~<other>~<item>1~</item>~</other>", '{"other": ["1"]}'),
    ("~<either>~<item>1~</item>~<item>2~</item>~</either>", '{"either": ["1", "2"]}'),
    ("~<either>~<item>1~</item>~<a>2~</a>~</either>", '{"either": {"item": "1", "a": "2"}}'),
    ("~<both>~<item>~<b>~</item>~</both>", tagged('{"both": ["~<b>"]}')),
    ("~<words>~<item>1~</item>~</words>", '{"words": [1]}'),
    ("~<list>~<item>~<item>a~</item>~</item>~</list>", '{"list": [["a"]]}'),
    (
        "~<people>~<item>~<name>7~</name>~</item>~<item>~<age>7~</age>~</item>~</people>",
        '{"people": [{"name": "7"}, {"age": 7}]}',
    ),
    # objects
    ("~<who>~<name>7~</name>~<age>8~</age>~</who>", '{"who": {"name": "7", "age": 8}}'),
    ("~<who>\n~<tags>\n~<item>1~</item>\n~</tags>\n~</who>", '{"who": {"tags": ["1"]}}'),
    ("~<who>~<item>7~</item>~</who>", '{"who": {"item": 7}}'),
    ("~<open>~<item>7~</item>~</open>", '{"open": {"item": "7"}}'),
    ("~<extra>~<a>1~</a>~<b>2~</b>~</extra>", '{"extra": {"a": 1, "b": 2}}'),
    ("~<other>~<a>~<b>1~</b>~</a>~</other>", '{"other": {"a": {"b": "1"}}}'),
    ("~<who>~<name>~<b>~</name>~</who>", tagged('{"who": {"name": "~<b>"}}')),
    # names that are repeated
    ("~<other>1~</other>~<other>2~</other>\n~<other>3~</other>", '{"other": ["1", "2", "3"]}'),
    ("~<stops>1~</stops>~<stops>2~</stops>~<to>x~</to>", '{"stops": ["1", "2"], "to": "x"}'),
    ("~<seats>1~</seats>~<seats>2~</seats>", '{"seats": [1, 2]}'),
    (
        "~<people>~<name>7~</name>~</people>~<people>~<age>7~</age>~</people>",
        '{"people": [{"name": "7"}, {"age": 7}]}',
    ),
    ("~<who>~<tags>1~</tags>~<age>3~</age>~<tags>2~</tags>~</who>", '{"who": {"tags": ["1", "2"], "age": 3}}'),
    ("~<who>~<age>1~</age>~<age>2~</age>~</who>", '{"who": {"age": [1, 2]}}'),
    # text between elements
    ("~<other>see ~<a>1~</a>\n this\n~<b>2~</b>~</other>", '{"other": {"a": "1", "b": "2", "$text": "see  this"}}'),
    ("~<other>x~<$text>1~</$text>~</other>", '{"other": {"$text": "1", "$$text": "x"}}'),
    ("~<other>x~<item>1~</item>~</other>", '{"other": {"item": "1", "$text": "x"}}'),
    ("~<other>  ~<a>1~</a>\t~</other>", '{"other": {"a": "1"}}'),
]


@pytest.mark.parametrize(("text", "written"), TABLE)
def test_table(text: str, written: str) -> None:
    text = tagged(text)
    for closer in ("</invoke>", "</to>", " </"):
        for seed in range(5):
            decoded = check_cuts(maker(), text + N + closer + "\nmore", seed)
            assert decoded == (written, len(text), True, False, bool(text.strip()), "")
    json.loads(written)


def test_the_policy_types_what_has_no_schema() -> None:
    text = tagged("~<a>7~</a>~<b>~<item>true~</item>~</b>~</invoke>")
    assert check_cuts(maker(None, Policy("json")), text, 1).json == '{"a": 7, "b": [true]}'
    assert check_cuts(maker(None), text, 1).json == '{"a": "7", "b": ["true"]}'


@pytest.mark.parametrize(
    ("text", "repeated"),
    [
        ("~<to>a~</to>~<to>b~</to>", '{"to": "a", "to": "b"}'),
        ("~<a>1~</a>~<b>2~</b>~<a>3~</a>~<a>4~</a>", '{"a": "1", "b": "2", "a": ["3", "4"]}'),
    ],
)
def test_a_name_that_was_said_is_said_again(text: str, repeated: str) -> None:
    decoder = maker()()
    said, _ = decoder.feed(tagged(text + "~</"), 0, len(tagged(text)) + len(N) + 2)
    assert said == repeated
    assert decoder.repeated
    assert decoder.done


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("^Graz", ""),
        ("^<to>Graz</to>", ""),
        ("^~Graz", ""),
        ("^~<to~", ""),
        ("\n~<other>1~</other>\n^~x", '{"other": "1"'),
        ("~<to>1~</to>^]<]mini ", '{"to": "1"'),
        ("~<other>" + "~<a>" * 128 + "^", ""),
    ],
)
def test_broken_notation_stops_where_it_breaks(text: str, said: str) -> None:
    text = tagged(text)
    stop = text.index("^")
    for seed in range(5):
        assert check_cuts(maker(), text.replace("^", ""), seed) == (said, stop, False, True, True, "")


def test_the_deepest_nesting_that_is_read() -> None:
    text = tagged("~<a>" * 128 + "x" + "~</a>" * 128)
    decoded = check_cuts(maker(), text + N + "</", 1)
    assert decoded.done
    assert decoded.json == '{"a": ' * 128 + '"x"' + "}" * 128


@pytest.mark.parametrize(
    ("text", "said", "undecided", "rest", "done"),
    [
        ("", "", 0, "{}", True),
        ("~<to>Graz~</to> ", '{"to": "Graz"', 0, "}", True),
        ("~<other>1~</other>", "", 0, '{"other": "1"}', True),
        ("~<other>1~</other>~<other>2~</other>", '{"other": ["1"', 0, ', "2"]}', True),
        ("~<other>1~</other>~<oth", "", len(N) + 4, '{"other": "1"', False),
        ("~<to>Graz~</to>]<]", '{"to": "Graz"', 3, "", False),
        ("~<to>Gra", '{"to": "Gra', 0, "", False),
        ("~<to>Gra]<]mini", '{"to": "Gra', 0, "]<]mini", False),
        ("~<to>Gra~</t", '{"to": "Gra', 0, "~</t", False),
        ("~<other>Gra~</t", "", 0, "", False),
        ("~<other>1~</other>~<other>2", '{"other": ["1"', 0, "", False),
    ],
)
def test_output_that_ends_early(text: str, said: str, undecided: int, rest: str, done: bool) -> None:
    text = tagged(text)
    decoded = check_cuts(maker(), text, 1)
    assert decoded[:5] == (said, len(text) - undecided, False, False, "<" in text.replace("<]", ""))
    assert decoded.rest == tagged(rest)
    decoder = maker()()
    decoder.feed(text, 0, len(text))
    decoder.finish()
    assert decoder.done is done


# -- round trips ---------------------------------------------------------------------------------------------------

PIECES = [
    "a",
    "Graz",
    " ",
    "\n",
    '"',
    "\\",
    "{",
    "[",
    "é",
    "😊",
    "\x00",
    "7",
    "null",
    "<",
    ">",
    "</to>",
    "<item>",
    "</",
]
PIECES += [N, "]", "]<]", "]<]minimax[>", "<]minimax[>[", N + "<b>", N + "</b>", N + " <", N + "</invoke>"]
TAG = re.compile(re.escape(N) + r"\s*</?[^<>/\s][^<>\n]*>")
CLOSER = re.compile(re.escape(N) + r"\s*</(?:to|item)>")
NAMES = st.text(alphabet="aZ_09.-é$ ", min_size=1, max_size=10).map(str.strip).filter(bool) | st.sampled_from(
    ["item", "$text", "to"]
)


@dataclass
class Written:
    """A value, the schema that types it, and how it is written."""

    value: Any
    schema: Any
    text: Callable[[str], str]
    """The elements of this value under a name."""


@st.composite
def values(draw: Any, depth: int = 0, repeatable: bool = True) -> Written:
    kind = draw(st.sampled_from(["string", "untyped", "number", "integer", "boolean", "null", "object", "list"]))
    gap, line = draw(st.sampled_from([("", ""), ("", "\n"), ("\n", "\n"), (" ", "")]))

    def write(name: str, inner: str) -> str:
        return f"{N}{gap}<{name}>{inner}{N}{gap}</{name}>"

    if kind in ("object", "list") and depth < 3:
        if kind == "object":
            members = draw(st.dictionaries(NAMES, values(depth=depth + 1), max_size=3))
            value: Any = {name: each.value for name, each in members.items()}
            schema: Any = {"type": "object", "properties": {name: each.schema for name, each in members.items()}}
            parts = [each.text(name) for name, each in members.items()]
        else:
            items = draw(st.lists(values(depth=depth + 1, repeatable=False), max_size=3))
            value = [each.value for each in items]
            schema = {"type": "array", "prefixItems": [each.schema if each.schema else {} for each in items]}
            name = draw(st.sampled_from(["item", "other"]))
            parts = [each.text(name) for each in items]
            flat = all(not isinstance(each.value, dict | list | str) for each in items)
            if len(items) > 1 and flat and repeatable and draw(st.booleans()):
                return Written(value, schema, lambda name: line.join(each.text(name) for each in items))
        inner = line + line.join(parts) + line if parts else ""
        return Written(value, draw(dressed(schema)), lambda name: write(name, inner))
    if kind in ("string", "untyped", "object", "list"):
        text = "".join(draw(st.lists(st.sampled_from(PIECES), max_size=6)))
        unsayable = CLOSER if kind == "string" else TAG  # what may be its own closer, or an element in it
        while unsayable.search(text):
            text = unsayable.sub("", text)
        schema = STRING if kind == "string" else None
        return Written(text, schema, lambda name: write(name, text))
    value, schema = {
        "number": (draw(st.floats(allow_nan=False, allow_infinity=False)), NUMBER),
        "integer": (draw(st.integers()), INTEGER),
        "boolean": (draw(st.booleans()), {"type": "boolean"}),
        "null": (None, {"type": ["null", "integer"]}),
    }[kind]
    return Written(value, draw(dressed(schema)), lambda name: write(name, json.dumps(value)))


def dressed(schema: Any) -> st.SearchStrategy[Any]:
    """The schema, as it is or in a coat that says the same."""
    return st.sampled_from([schema, {"anyOf": [schema]}, {"allOf": [schema]}, {"oneOf": [schema, schema]}])


@given(st.dictionaries(NAMES, values(), max_size=4), st.sampled_from(["", "\n"]), st.integers(0, 99))
def test_what_a_writer_writes_is_read_back(members: dict[str, Written], line: str, seed: int) -> None:
    value = {name: each.value for name, each in members.items()}
    schema = {"properties": {name: each.schema for name, each in members.items() if each.schema is not None}}
    text = line.join(each.text(name) for name, each in members.items())
    decoded = check_cuts(maker(schema), text + line + N + "</invoke>", seed)
    assert decoded.done
    assert decoded.stop == len(text + line)
    assert decoded.json == json.dumps(value, ensure_ascii=False)


GARBAGE = ["~<to>", "~</to>", "~<seats>", "~</seats>", "~<item>", "~</item>", "~<who>", "~</who>", "~<x>", "~</x>", "~"]
GARBAGE += ["~<", "~</", "<to>", ">", " ", "\n", "7", "x", "]<]", "]<]minimax[>", "~ ", "</x>"]


@given(st.lists(st.sampled_from(GARBAGE), max_size=24).map("".join).map(tagged), st.integers(0, 99))
def test_garbage_is_the_same_at_every_cut_and_never_raises(text: str, seed: int) -> None:
    decoded = check_cuts(maker(), tagged("~<who>") * (seed % 2) + text, seed)
    if decoded.done:
        json.loads(decoded.json)


@given(st.text(max_size=20), st.sampled_from(["", "~<to>", "~<x>", "~<x>~</x>"]), st.integers(0, 99))
def test_any_text_is_the_same_at_every_cut(text: str, before: str, seed: int) -> None:
    check_cuts(maker(), tagged(before) + text, seed)


@pytest.mark.parametrize(
    "schema",
    [None, {}, {"properties": 3}, {"properties": {"x": {"$ref": "#/properties/x"}}}, {"$ref": "#"}, {"anyOf": [3, {}]}],
)
def test_odd_schemas_are_no_schemas(schema: Any) -> None:
    text = tagged("~<x>~<item>1~</item>~</x>~</")
    assert check_cuts(maker(schema), text, 1).json == '{"x": ["1"]}'


# -- while it streams ----------------------------------------------------------------------------------------------


def test_what_is_said_when() -> None:
    """Strings while they are written; all else once the next tag shows that it isn't repeated."""
    decoder: Arguments = maker()()
    said = []
    held = ""
    for piece in (
        "~<to>Gr", "az", " ]<", "] ~</t", "o>\n", "~<x>1", "~</x>", "~<x", ">2~</x>", "~<seats>", "3~</seats>", "~</",
    ):  # fmt: skip
        held += tagged(piece)
        json_text, stop = decoder.feed(held, 0, len(held))
        said.append(json_text)
        held = held[stop:]
    assert said == [
        '{"to": "Gr', "az", " ", "]<] ", '"', "", "", "", ', "x": ["1"', ', "2"]', "", ', "seats": 3}',
    ]  # fmt: skip
    assert decoder.done
    assert held == N + "</"


class Fed:
    """A decoder behind the surface that the measures of ``test_linear`` know."""

    def __init__(self, lead: str) -> None:
        self.decoder = maker()()
        self.feed(lead)

    def feed(self, delta: str) -> str:
        said, stop = self.decoder.feed(delta, 0, len(delta))
        assert stop == len(delta)
        return said


@pytest.mark.parametrize(
    ("lead", "streams"), [("~<to>", True), ("~<x>", False), ("~<who>~<name>", False)], ids=["string", "text", "nested"]
)
def test_a_long_value_costs_the_same_in_its_middle(lead: str, streams: bool) -> None:
    """A megabyte in pieces of four characters: calls and copies at its end are those at its beginning."""
    window = ["abc\n", "d]<]", "mini", "max[", ">[</", "tag>", "<b> ", "]<]]"]
    fed = Fed(tagged(lead))
    measured = []
    for rounds in (100, 32_000):
        for _ in range(rounds):
            for delta in window:
                fed.feed(delta)
        measured.append((calls(fed.feed, window), sorted(copied(fed.feed, each) for each in window)[-2], kept(fed)))
    early, late = measured
    assert late[0] == early[0]
    assert late[1] <= early[1] + 1024
    assert not streams or late[2] <= early[2] + 256
