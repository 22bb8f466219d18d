"""The Gemma notation: a table, round trips of a writer of its own, any cut, garbage, and work that doesn't grow."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding import check_cuts
from test_linear import calls, copied, kept
from unbraid.arguments.decoder import Arguments
from unbraid.arguments.gemma import GemmaDecoder

QUOTES = ('<|"|>', "<escape>")

TABLE: list[tuple[str, str]] = [
    # objects and keys
    ("{}", "{}"),
    (" \n{ }", "{}"),
    ("{a:1}", '{"a": 1}'),
    ("{a:1,b:2}", '{"a": 1, "b": 2}'),
    ("{ a : 1 ,\n b : 2 }", '{"a": 1, "b": 2}'),
    ("{two words:1}", '{"two words": 1}'),
    ("{Q a:bQ:1}", '{" a:b": 1}'),
    ('{"a":1}', '{"a": 1}'),
    ("{a}b:1}", '{"a}b": 1}'),
    ("{:1}", '{"": 1}'),
    # strings
    ("{to:QGrazQ}", '{"to": "Graz"}'),
    ("{to:QQ}", '{"to": ""}'),
    ('{to:Qa "b" \\n {c:[d]},\nQ}', '{"to": "a \\"b\\" \\\\n {c:[d]},\\n"}'),
    ("{to:Q<tool_call|><|tool_call>Q}", '{"to": "<tool_call|><|tool_call>"}'),
    ("{to:Q Q , b : QcQ }", '{"to": " ", "b": "c"}'),
    ('{to:"Graz"}', '{"to": "Graz"}'),
    ('{to:"a\\nb \\u00e9 \\ud83d\\ude0a \\"c\\""}', '{"to": "a\\nb é 😊 \\"c\\""}'),
    ('{to:"a\nb \\d \\ud83d."}', '{"to": "a\\nb \\\\d \\ud83d."}'),
    ('{to:"<tool_call|>}",b:1}', '{"to": "<tool_call|>}", "b": 1}'),
    # numbers
    ("{a:-3}", '{"a": -3}'),
    ("{a:1e-05}", '{"a": 1e-05}'),
    ("{a:1.0}", '{"a": 1.0}'),
    ("{a:.5}", '{"a": 0.5}'),
    ("{a:-.5}", '{"a": -0.5}'),
    ("{a:1.}", '{"a": 1.0}'),
    ("{a:+3}", '{"a": 3}'),
    ("{a:007}", '{"a": 7}'),
    ("{a:123456789012345678901234567890}", '{"a": 123456789012345678901234567890}'),
    ("{a:inf,b:-inf,c:nan,d:NaN,e:Infinity}", '{"a": "inf", "b": "-inf", "c": "nan", "d": "NaN", "e": "Infinity"}'),
    ("{a:+1e999}", '{"a": "+1e999"}'),
    ("{a:1-2}", '{"a": "1-2"}'),
    # words
    ("{a:true,b:false,c:null}", '{"a": true, "b": false, "c": null}'),
    ("{a:True,b:False,c:None}", '{"a": true, "b": false, "c": null}'),
    ("{a:truely}", '{"a": "truely"}'),
    # text without quotes
    ("{to:Graz Hbf}", '{"to": "Graz Hbf"}'),
    ("{to: Graz , b:1}", '{"to": "Graz", "b": 1}'),
    ("{to:}", '{"to": ""}'),
    ("{to:,b:1}", '{"to": "", "b": 1}'),
    ("{to:[Graz,Wels]}", '{"to": ["Graz", "Wels"]}'),
    ("{x:rows[0], y:f{a,b}}", '{"x": "rows[0]", "y": "f{a,b}"}'),
    ("{x:<|b|>}", '{"x": "<|b|>"}'),
    ('{x:say "hi"}', '{"x": "say \\"hi\\""}'),
    # lists and nesting
    ("{a:[]}", '{"a": []}'),
    ("{a:[ ]}", '{"a": []}'),
    ("{a:[1, 2,3]}", '{"a": [1, 2, 3]}'),
    ("{a:[QxQ,QyQ]}", '{"a": ["x", "y"]}'),
    ("{a:[{b:1},{b:QxQ}],c:{d:{}}}", '{"a": [{"b": 1}, {"b": "x"}], "c": {"d": {}}}'),
    ("{a:[[1],[]]}", '{"a": [[1], []]}'),
    # a comma after the last item
    ("{a:1,}", '{"a": 1}'),
    ("{a:[1, ], }", '{"a": [1]}'),
]

BROKEN: list[tuple[str, str]] = [
    ("^a", ""),
    ("^[1]", ""),
    (" {a:1^]", '{"a": 1'),
    ("{a:[1^}", '{"a": [1'),
    ("{a:^]", '{"a": '),
    ("{a:QxQ ^y}", '{"a": "x"'),
    ('{a:"x" ^y}', '{"a": "x"'),
    ("{QaQ^=1}", '{"a": '),
    ("{^,a:1}", "{"),
    ("{a:1,^,b:2}", '{"a": 1'),
    ("{a:[^,1]}", '{"a": ['),
    ("{a:[1]^]", '{"a": [1]'),
    ("{" + "k" * 257 + "^k:1}", "{"),
]
"""Broken notation with a ``^`` where it breaks, and what is said of it."""


def maker(quote: str) -> Any:
    return lambda: GemmaDecoder(quote)


@pytest.mark.parametrize("quote", QUOTES)
@pytest.mark.parametrize(("text", "written"), TABLE)
def test_table(text: str, written: str, quote: str) -> None:
    text = text.replace("Q", quote)
    for after in ("", "<tool_call|>", "}"):
        for seed in range(5):
            decoded = check_cuts(maker(quote), text + after, seed)
            assert decoded == (written, len(text), True, False, True, "")
    json.loads(written)


@pytest.mark.parametrize(("text", "said"), BROKEN)
def test_broken_notation_stops_where_it_breaks(text: str, said: str) -> None:
    stop = text.replace("Q", QUOTES[0]).index("^")
    text = text.replace("Q", QUOTES[0]).replace("^", "")
    for seed in range(5):
        assert check_cuts(maker(QUOTES[0]), text, seed) == (said, stop, False, True, True, "")


@pytest.mark.parametrize(
    ("text", "said", "rest"),
    [
        ("", "", ""),
        ("  ", "", ""),
        ("{", "{", ""),
        ("{to", "{", ""),
        ("{to:QGra", '{"to": "Gra', ""),
        ('{to:QGra<|"|', '{"to": "Gra', '<|\\"|'),
        ("{seats:2", '{"seats": ', ""),
        ('{to:<|"', '{"to": ', ""),
        ("{to:Graz Hb", '{"to": ', ""),
    ],
)
def test_output_that_ends_early(text: str, said: str, rest: str) -> None:
    decoded = check_cuts(maker(QUOTES[0]), text.replace("Q", QUOTES[0]), 1)
    assert (decoded.json, decoded.done, decoded.malformed, decoded.rest) == (said, False, False, rest)
    assert decoded.begun == bool(text.strip())


# -- round trips ---------------------------------------------------------------------------------------------------

PIECES = [
    "a",
    "Graz",
    " ",
    "\n",
    '"',
    "\\",
    "\\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "é",
    "😊",
    "\x00",
    "\u2028",
    "1",
    "null",
]
PIECES += ["<|", '<|"', '<|"|', "|>", '"|>', "<", "<esc", "<escape", "escape>", "<tool_call|>", "<turn|>"]
texts = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
keys = st.text(alphabet="aZ_09 .-é日$", min_size=1, max_size=12).map(str.strip).filter(bool)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys | texts, inner, max_size=4),
    max_leaves=12,
)
objects = st.dictionaries(keys, values, max_size=4)


def sound(value: Any, quote: str) -> Any:
    """The value without the quote marker in its strings, which the notation can't say."""
    if isinstance(value, str):
        while quote in value or (value + quote).find(quote) != len(value):
            value = value.replace(quote, "").removesuffix(quote[0])
        return value
    if isinstance(value, list):
        return [sound(each, quote) for each in value]
    if isinstance(value, dict):
        return {sound(key, quote): sound(each, quote) for key, each in value.items()}
    return value


def write(value: Any, quote: str, gap: str) -> str:
    if isinstance(value, str):
        return quote + value + quote
    if isinstance(value, list):
        return "[" + ("," + gap).join(write(each, quote, gap) for each in value) + "]"
    if isinstance(value, dict):
        items = (write_key(key, quote) + ":" + gap + write(each, quote, gap) for key, each in value.items())
        return "{" + ("," + gap).join(items) + "}"
    if value is None or isinstance(value, bool):
        return str(value).lower().replace("none", "null")
    return repr(value)


def write_key(key: str, quote: str) -> str:
    bare = key == key.strip() and key and not set(key) & set(':"<,}')
    return key if bare else quote + key + quote


@given(objects, st.sampled_from(QUOTES), st.sampled_from(["", " ", "\n  "]), st.integers(0, 99))
def test_what_a_writer_writes_is_read_back(value: dict[str, Any], quote: str, gap: str, seed: int) -> None:
    value = sound(value, quote)
    text = write(value, quote, gap)
    decoded = check_cuts(maker(quote), text + "<tool_call|>", seed)
    assert decoded.done
    assert decoded.stop == len(text)
    assert json.loads(decoded.json) == value
    assert decoded.json == json.dumps(value, ensure_ascii=False)


GARBAGE = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "a",
    "b:",
    "1",
    "-",
    "e5",
    "true",
    '"',
    "\\",
    "\\u",
    "d83d",
    '<|"|>',
    '<|"',
]


@given(st.lists(st.sampled_from(GARBAGE), max_size=24).map(lambda parts: "{a:" + "".join(parts)), st.integers(0, 99))
def test_garbage_is_the_same_at_every_cut_and_never_raises(text: str, seed: int) -> None:
    decoded = check_cuts(maker(QUOTES[0]), text, seed)
    if decoded.done:
        assert not decoded.malformed
        json.loads(decoded.json)
        assert decoded.json.encode()


@given(st.text(max_size=30), st.integers(0, 99))
def test_any_text_is_the_same_at_every_cut(text: str, seed: int) -> None:
    check_cuts(maker(QUOTES[0]), text, seed)


# -- while it streams ----------------------------------------------------------------------------------------------


def test_strings_are_said_while_they_are_written() -> None:
    decoder: Arguments = GemmaDecoder(QUOTES[0])
    said = [
        decoder.feed(piece, 0, len(piece))[0]
        for piece in ('{a:[{b:<|"|>one', " two", ' <|"', '?"|>', '<|"|', '>,c:"x', "y\\", "n", '"}]}')
    ]
    assert said == ['{"a": [{"b": "one', " two", " ", '<|\\"?\\"|>', "", '", "c": "x', "y", "\\n", '"}]}']
    assert decoder.done


class Fed:
    """A decoder behind the surface that the measures of ``test_linear`` know."""

    def __init__(self, lead: str) -> None:
        self.decoder = GemmaDecoder(QUOTES[0])
        self.feed(lead)

    def feed(self, delta: str) -> str:
        return self.decoder.feed(delta, 0, len(delta))[0]


@pytest.mark.parametrize(
    ("lead", "streams"),
    [('{a:[{b:<|"|>', True), ('{a:"', True), ("{a:", False), ('{<|"|>', True)],
    ids=["string", "json string", "bare", "key"],
)
def test_a_long_value_costs_the_same_in_its_middle(lead: str, streams: bool) -> None:
    """A megabyte in pieces of four characters: calls and copies at its end are those at its beginning."""
    window = ["abc\n", 'd<|"', "|<|>", " e f", "gh\té", "<|<|"]
    fed = Fed(lead)
    measured = []
    for rounds in (100, 43_000):
        for _ in range(rounds):
            for delta in window:
                fed.feed(delta)
        measured.append((calls(fed.feed, window), sorted(copied(fed.feed, each) for each in window)[-2], kept(fed)))
    early, late = measured
    assert late[0] == early[0]
    assert late[1] <= early[1] + 1024
    assert not streams or late[2] <= early[2] + 256
