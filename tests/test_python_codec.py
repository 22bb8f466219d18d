"""Calls written as Python: what is read, against Python's own parser and json module, at every cut."""

from __future__ import annotations

import ast
import gc
import json
import sys
import warnings
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid.arguments.python import PythonDecoder

Layout = Literal["list", "lines"]


class Record:
    """Keeps what a decoder tells, with offsets into the whole text."""

    def __init__(self, refused: Sequence[str] = ()) -> None:
        self.base = 0
        self.calls: list[list[Any]] = []
        self.fragments: list[str] = []
        self.spans: list[tuple[str, int]] = []
        self._refused = refused

    def call_named(self, name: str, id: str | None, at: int) -> bool:
        assert id is None
        if name in self._refused:
            return False
        self.calls.append([name, "", self.base + at, None])
        return True

    def call_arguments(self, json: str) -> None:
        assert json
        assert self.calls[-1][3] is None
        self.fragments.append(json)
        self.calls[-1][1] += json

    def call_over(self, at: int) -> None:
        assert self.marked == self.base + at, "the executor takes what was marked so far as the call's"
        assert self.calls[-1][3] is None
        self.calls[-1][3] = self.base + at

    def mark(self, kind: str, end: int) -> None:
        end += self.base
        if end <= self.marked:
            return
        if self.spans and self.spans[-1][0] == kind:
            self.spans.pop()
        self.spans.append((kind, end))

    @property
    def marked(self) -> int:
        return self.spans[-1][1] if self.spans else 0

    def simple(self) -> list[tuple[str, Any]]:
        return [(name, json.loads(arguments)) for name, arguments, _, over in self.calls if over is not None]


class Outcome:
    """All that can be seen of a reading; where two are equal, nobody can tell the cuts apart."""

    def __init__(self, decoder: PythonDecoder, record: Record, stops: list[int]) -> None:
        self.calls, self.spans, self.stops = record.calls, record.spans, stops
        self.state = (decoder.done, decoder.broken, decoder.malformed, decoder.named, decoder.arguments_over)
        self.record = record

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self._all() == other._all()

    def __repr__(self) -> str:
        return repr(self._all())

    def _all(self) -> tuple[Any, ...]:
        return self.calls, self.spans, self.stops, self.state


def read(text: str, layout: Layout = "list", cuts: Iterable[int] = (), refused: Sequence[str] = ()) -> Outcome:
    """Feed a text in pieces, each a string of its own."""
    decoder, record = PythonDecoder(layout), Record(refused)
    stops = []
    for start, end in pairwise(sorted({0, len(text), *(cut for cut in cuts if 0 < cut < len(text))})):
        piece, at = text[start:end], 0
        record.base = start
        while at < len(piece):
            before = decoder.malformed
            stop = decoder.feed(piece, at, len(piece), record)
            assert at <= stop <= len(piece)
            if stop < len(piece) or (decoder.malformed and not before):
                stops.append(start + stop)
            assert record.marked >= start + stop
            if decoder.done or decoder.broken:
                return Outcome(decoder, record, stops[-1:] or [start + stop])
            assert stop == len(piece) or (decoder.malformed and not before)
            at = stop
    return Outcome(decoder, record, stops)


def arguments(text: str) -> Any:
    """The arguments of the one call in a list, which must be sound."""
    outcome = read(f"[f({text})]")
    assert outcome.state == (True, False, False, True, True), text
    ((_, value),) = outcome.record.simple()
    return value


# ---------------------------------------------------------------------------------------------------- what is read

LITERALS: list[tuple[str, str]] = [
    ("1", "1"),
    ("-1", "-1"),
    ("+1", "1"),
    ("- 1", "-1"),
    ("-0", "0"),
    ("07", "7"),
    ("-007.50", "-7.50"),
    ("1_000", "1000"),
    ("0x_fF", "255"),
    ("-0b101", "-5"),
    ("0o17", "15"),
    ("9" * 5000, "9" * 5000),
    ("1.", "1.0"),
    (".5", "0.5"),
    ("-.5", "-0.5"),
    ("1e5", "1e5"),
    ("1.E+5", "1.0E+5"),
    ("1_0.0_1e1_0", "10.01e10"),
    ("True", "true"),
    ("false", "false"),
    ("None", "null"),
    ("null", "null"),
    ("''", '""'),
    ('""', '""'),
    ('""""""', '""'),
    ("'it\"s'", r'"it\"s"'),
    (r"'it\'s'", '"it\'s"'),
    ('"""a "quoted" \'\'\' ""b"""', r""""a \"quoted\" """ + """''' """ + r'''\"\"b"'''),
    ("'''a\nb'''", r'"a\nb"'),
    ("'a\nb\x00'", r'"a\nb\u0000"'),
    (r"'\n\t\\\a\v'", r'"\n\t\\\u0007\u000b"'),
    (r"'\x41\u00e9\U0001F60A\101\0'", r'"Aé😊A\u0000"'),
    (r"'\18'", r'"\u00018"'),
    (r"'\1234'", '"S4"'),
    ("'a\\\nb\\\r\nc\\\rd'", '"abcd"'),
    (r"'\d\.\8'", r'"\\d\\.\\8"'),
    (r"'C:\users\New\x'", r'"C:\\users\\New\\x"'),
    (r"'\ud83d\ude0a'", r'"\ud83d\ude0a"'),
    (r"r'\d\'\n\\'", r'"\\d\\' + "'" + r'\\n\\\\"'),
    (r"b'\u0041\xe9'", r'"\\u0041é"'),
    (r"Rb'\x41' u'b'", r'"\\x41b"'),
    ("'a' \"b\"\n'''c'''", '"abc"'),
    ("'' ''", '""'),
    ("[]", "[]"),
    ("[1, [2, ], ]", "[1, [2]]"),
    ("()", "[]"),
    ("(1)", "1"),
    ("(1,)", "[1]"),
    ("(1, 2)", "[1, 2]"),
    ("('a' 'b')", '"ab"'),
    ("((1), ((2),))", "[1, [2]]"),
    ("([(1, 2)])", "[[1, 2]]"),
    ("{}", "{}"),
    ("{ }", "{}"),
    ("{1}", "[1]"),
    ("{'a', 'b', }", '["a", "b"]'),
    ("{'a': 1, \"b\" 'c': [2], }", '{"a": 1, "bc": [2]}'),
    ("{1: 'a', 2.5: {}, None: 1, True: 0, -0x1: 2}", '{"1": "a", "2.5": {}, "null": 1, "true": 0, "-1": 2}'),
    ("{'a': {'b': {1, 2}}}", '{"a": {"b": [1, 2]}}'),
    ("{(1, 2), {'a': 1}['b']}", ""),
    ("{(1, 2), (3,)}", "[[1, 2], [3]]"),
]


@pytest.mark.parametrize(("literal", "expected"), LITERALS)
def test_a_literal_becomes_json(literal: str, expected: str) -> None:
    text = f"[f(a={literal}, z=[{literal}])]"
    outcome = read(text)
    if not expected:
        assert outcome.state[2]
        return
    assert outcome.record.calls[0][1] == f'{{"a": {expected}, "z": [{expected}]}}'
    assert outcome.state == (True, False, False, True, True)
    assert read(text, cuts=range(len(text))) == outcome


def test_two_surrogates_are_one_character() -> None:
    assert arguments(r"a='\ud83d\ude0a', b='\ud83d' '\ude0a', c='\ud83d.'") == {"a": "😊", "b": "😊", "c": "\ud83d."}


BODIES: list[tuple[Layout, str, list[tuple[str, Any]], str]] = [
    ("list", '[f(a=1, b="x"), g()]', [("f", {"a": 1, "b": "x"}), ("g", {})], ""),
    ("list", " [\nf(\na = 1 ,\n) ,\n_mcp.read-file ( ) ]", [("f", {"a": 1})], " ( ) ]"),
    ("list", "[f(), g(), ] and more", [("f", {}), ("g", {})], " and more"),
    ("list", "\n f(from=1, is_open=True)<|tool_call_end|>", [("f", {"from": 1, "is_open": True})], "<|tool_call_end|>"),
    ("list", "[f(a=[1,],), g(b=2,)]", [("f", {"a": [1]}), ("g", {"b": 2})], ""),
    ("list", "[f(a=1)]]", [("f", {"a": 1})], "]"),
    ("list", "[größe(größe=1)]", [("größe", {"größe": 1})], ""),
    (
        "lines",
        "\nf(a=1)\ng(b='x\ny')\n\n</function_calls>",
        [("f", {"a": 1}), ("g", {"b": "x\ny"})],
        "</function_calls>",
    ),
    ("lines", "f(a=1)", [("f", {"a": 1})], ""),
    ("lines", "f()g()[", [("f", {}), ("g", {})], "["),
]


@pytest.mark.parametrize(("layout", "text", "calls", "rest"), BODIES)
def test_the_calls_of_a_body(layout: Layout, text: str, calls: list[tuple[str, Any]], rest: str) -> None:
    outcome = read(text, layout)
    assert outcome.record.simple() == calls
    assert outcome.stops in ([len(text) - len(rest)], [])
    assert outcome.state[3] and outcome.state[4]
    assert read(text, layout, range(len(text))) == outcome


@pytest.mark.parametrize(
    ("layout", "text"),
    [
        ("list", "[]"),
        ("list", "[1, 2]"),
        ("list", '[{"name": "f"}]'),
        ("list", "[see (below)]"),
        ("list", "[a, b]"),
        ("list", '"f"'),
        ("list", "-f()"),
        ("list", f"[{'f' * 257}()]"),
        ("lines", "[f()]"),
        ("lines", "</function_calls>"),
        ("lines", "None of them.\n"),
        ("lines", "f+g()"),
    ],
)
def test_what_is_no_call_at_all(layout: Layout, text: str) -> None:
    outcome = read(text, layout)
    assert outcome.calls == []
    assert outcome.state == (False, True, False, False, False)
    assert read(text, layout, range(len(text))) == outcome


def test_a_body_that_breaks_after_a_call() -> None:
    for layout, text in (("list", "[f(a=1), 2]"), ("list", "[f(a=1) g()]"), ("lines", "f(a=1)\nThat is all.")):
        outcome = read(text, layout)
        assert outcome.record.simple() == [("f", {"a": 1})]
        assert outcome.state[1] and outcome.state[3]


def test_a_refused_call_breaks_the_body() -> None:
    outcome = read("[f(a=1)]", refused=["f"])
    assert outcome.calls == []
    assert outcome.state == (False, True, False, False, False)
    outcome = read("[f(), g()]", refused=["g"])
    assert outcome.record.simple() == [("f", {})]
    assert outcome.state == (False, True, False, True, True)


@pytest.mark.parametrize(
    ("inside", "sound"),
    [
        ("1", ""),
        ("'x'", ""),
        ("**kw", ""),
        ("*kw", ""),
        ("a", ""),
        ("a b=1", ""),
        ("a==1", "a="),
        ("a:=1", "a"),
        ("a=", "a="),
        ("a=,", "a="),
        (",", ""),
        ("a=1,,", "a=1,"),
        ("a=1 b=2", "a=1 "),
        ("a=x", "a=x"),
        ("a=inf", "a=inf"),
        ("a=-nan", "a=-nan"),
        ("a=g()", "a=g"),
        ("a=1+2", "a=1+2"),
        ("a=1 + 2", "a=1 "),
        ("a='x' + 'y'", "a='x' +"),
        ("a='x' if y else 'z'", "a='x' if"),
        ("a='x' % y", "a='x' "),
        ("a='x'.upper()", "a='x'.upper"),
        ("a=f'{x}'", "a=f"),
        ("a='x' f'{x}'", "a='x' f"),
        (r"a='\N{BULLET}'", r"a='\N"),
        (r"a='\U00110000'", r"a='\U00110000"),
        ("a=1j", "a=1j"),
        ("a=1__0", "a=1__0"),
        ("a=0x", "a=0x"),
        ("a=0b12", "a=0b12"),
        ("a=0x" + "f" * 5000, "a=0x" + "f" * 5000),
        ("a=...", "a=..."),
        ("a=--1", "a=--1"),
        ("a=- True", "a=- True"),
        ("a=[,]", "a=["),
        ("a=[1 2]", "a=[1 "),
        ("a=[1}", "a=[1"),
        ("a=(1]", "a=(1"),
        ("a={1:2, 3}", "a={1:2, 3"),
        ("a={1, 2:3}", "a={1, 2"),
        ("a={'x':}", "a={'x':"),
        ("a={'x' 1}", "a={'x' 1"),
        ("a={(1, 2): 3}", "a={(1, 2)"),
        ("a={'x': 1, [2]: 3}", "a={'x': 1, "),
        ("a={**x}", "a={"),
        ("a=[x for x in y]", "a=[x"),
        ("a=1 # comment", "a=1 "),
        ("a=<|tool_call_end|>", "a="),
        ("a=1<|tool_call_end|>", "a=1"),
        ("b" * 257 + "=1", "b" * 256),
    ],
)
def test_what_is_no_literal_is_malformed(inside: str, sound: str) -> None:
    text = f"[f({inside})]<|tool_call_end|>"
    outcome = read(text)
    assert outcome.state == (False, False, True, True, False)
    (stop,) = outcome.stops
    if sound:
        assert text[3:stop] == sound
    assert outcome.spans[-1] == ("argument", len(text))
    assert read(text, cuts=range(len(text))) == outcome


def test_a_keyword_given_twice_is_passed_on() -> None:
    assert read("[f(a=1, a=2)]").calls[0][1] == '{"a": 1, "a": 2}'


def test_spans() -> None:
    text = '[f(a=1, b="x"), _g.h( )]'
    pieces, at = [], 0
    for kind, end in read(text).spans:
        pieces.append((kind, text[at:end]))
        at = end
    assert pieces == [
        ("markup", "["),
        ("tool_name", "f"),
        ("markup", "("),
        ("argument", 'a=1, b="x"'),
        ("markup", "), "),
        ("tool_name", "_g.h"),
        ("markup", "("),
        ("argument", " "),
        ("markup", ")]"),
    ]


# ------------------------------------------------------------------------------------------------------- streaming


def fragments(text: str) -> list[str]:
    """What is said after each character."""
    decoder, record = PythonDecoder("list"), Record()
    said = []
    for character in text:
        record.fragments = []
        decoder.feed(character, 0, 1, record)
        said.append("".join(record.fragments))
    return said


def test_a_string_streams_in_any_nesting() -> None:
    for lead in ("a=", "a=[", "a=[1, {'k': ", "a={'k': [(1, ", "a={1, ", "a='x' "):
        lead = "[f(" + lead + "'"
        said = fragments(lead + "some words")
        assert said[len(lead) :] == list("some words"), lead


def test_the_name_is_said_at_its_parenthesis_and_each_value_when_it_is_over() -> None:
    said = fragments("[f(a=12, b=[True],")
    assert said == ["", "", "{", "", '"a": ', "", "", "12", "", "", ', "b": ', "[", "", "", "", "", "true]", ""]


def test_a_bracket_waits_for_what_it_is() -> None:
    said = fragments("[f(a=('x', 'y'))]")
    assert said[6:12] == ["", "", "", '["x"', "", ', "']
    said = fragments("[f(a={'x': 'y'})]")
    assert said[6:13] == ["", "", "", '{"x": ', "", '"', "y"]


def test_a_closing_quote_waits_for_another_literal() -> None:
    said = fragments("[f(a='x' 'y' )]")
    assert said[6:] == ["x", "", "", "", "y", "", "", '"}', ""]


def test_a_copy_goes_its_own_way() -> None:
    text = "[f(a={1: [(2, 'xy"
    decoder, record = PythonDecoder("list"), Record()
    decoder.feed(text, 0, len(text), record)
    for tail, expected in (("z'), ]})]", "xyz"), ("'),],},)]", "xy")):
        other, heard = decoder.copy(), Record()
        heard.calls = [[*call] for call in record.calls]
        assert other.feed(tail, 0, len(tail), heard) == len(tail)
        assert heard.simple() == [("f", {"a": {"1": [[2, expected]]}})]
    assert record.simple() == []
    assert decoder.waiting == ""
    assert decoder.scanner is None


def test_what_waits_is_undecided() -> None:
    decoder = PythonDecoder("list")
    record = Record()
    for piece, undecided in (
        ("[f(a=", False),
        ("((1", True),
        ("), ", False),
        ("{'k'", True),
        (": ", False),
        ("{", True),
    ):
        decoder.feed(piece, 0, len(piece), record)
        assert decoder.undecided is undecided, piece


def _deaf() -> Record:
    record = Record()
    record.calls = [["f", "", 0, None]]
    return record


# ------------------------------------------------------------------------------------------------------------ laws

words = st.text(max_size=8) | st.text(alphabet="ab'\"\\\n\r\t n0x{}[](),:é😊\x00", max_size=8)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**40), 10**40)
scalars = words | numbers | st.booleans() | st.none()
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(words | st.integers() | st.booleans() | st.none(), inner, max_size=3)
    ),
    max_leaves=5,
)
keywords = st.sampled_from(["a", "b1", "_c", "from", "is-open", "größe"])
cuts = st.lists(st.integers(1, 80), max_size=5) | st.just(list(range(400)))


def as_json(value: Any) -> Any:
    """A value as it comes back from JSON."""
    return json.loads(json.dumps(value))


def jsonish(value: Any, quote: bool) -> str:
    """A value as models write it that were trained on JSON."""
    if isinstance(value, tuple):
        value = list(value)
    return json.dumps(value, ensure_ascii=quote)


@given(
    st.lists(
        st.tuples(st.sampled_from(["f", "_g.h", "get-it"]), st.dictionaries(keywords, values, max_size=3)), max_size=2
    ),
    st.sampled_from(["repr", "json", "ascii"]),
    st.sampled_from(["list", "lines"]),
    cuts,
)
def test_values_come_back_at_any_cut(calls: list[tuple[str, Any]], style: str, layout: Layout, cuts: list[int]) -> None:
    written = []
    for name, pairs in calls:
        values = ((key, repr(v) if style == "repr" else jsonish(v, style == "ascii")) for key, v in pairs.items())
        written.append(f"{name}({', '.join(f'{key}={value}' for key, value in values)})")
    text = f"[{', '.join(written)}]" if layout == "list" else "\n".join([*written, "</x>"])
    whole = read(text, layout)
    assert whole.record.simple() == [(name, as_json(given)) for name, given in calls]
    assert whole.state == (bool(calls), not calls, False, bool(calls), bool(calls))
    assert read(text, layout, cuts) == whole


PIECES = (
    *"abfruN01_e.+-=,:()[]{}'\"\\ \n",
    "'", '"', "(", ")", ",", "'''", '"""', "a=", "f(", "=1", "'x'", '"y"', "1, ", "True", "null", "{'k': ", "[1, ",
    "\\x4", "\\u00e", "\\N", "<|tool_call_end|>", "é", "\r", "r'", "0x1f", "1.", "7e2", ")]", ")\n",
)  # fmt: skip
garbage = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)


@given(garbage | st.text(max_size=20), st.sampled_from(["", "[f(", "f(a=", "[f(a='", "f()\n"]), cuts)
@example("", "[f(", [1])
def test_nothing_raises_and_no_cut_shows(tail: str, lead: str, cuts: list[int]) -> None:
    text = lead + tail
    for layout in ("list", "lines"):
        whole = read(text, layout)
        assert read(text, layout, cuts) == whole
        assert read(text, layout, range(len(text))) == whole
        whole.record.simple()  # what is over is JSON
        if not (whole.state[0] or whole.state[1]):
            assert whole.record.marked == len(text)


@given(garbage, garbage, st.data())
def test_nothing_is_read_beyond_the_end(before: str, after: str, data: st.DataObject) -> None:
    text = "[f(a=" + before + after
    end = data.draw(st.integers(0, len(text)))
    one, two = Record(), Record()
    first, second = PythonDecoder("list"), PythonDecoder("list")
    assert first.feed(text, 0, end, one) == second.feed(text[:end], 0, end, two)
    assert (one.calls, one.spans) == (two.calls, two.spans)


BODY_PIECES = (
    *"abx01 .,:'\"", "'", '"', "''", '""', "\\n", "\\t", "\\'", '\\"', "\\\\", "\\x41", "\\101", "\\7", "\\\n", "\\q",
    "\\u00e9", "\\U0001F60A", "é", "😊", "{}", "%s",
)  # fmt: skip
bodies = st.lists(st.sampled_from(BODY_PIECES), max_size=6).map("".join)
quotes = st.sampled_from(["'", '"', "'''", '"""'])
string_literals = st.builds(
    lambda prefix, quote, body: prefix + quote + body + quote,
    st.sampled_from(["", "", "", "r", "u", "b", "Rb", "bR"]),
    quotes,
    bodies,
)
spaces = st.sampled_from(["", "", " ", "\n", " \n\t"])
INTEGERS = ["0", "7", "-1", "+2", "00", "1_0", "12_3_4", "0x1F", "0X_a", "-0b101", "0o17"]
FLOATS = ["0.", "-.5", "1.50", "0.1_2", "1e5", "1.E+2", "-2.5e-3", "1_0.0e1_0", "00.5"]


def _joined(opener: str, closer: str, items: list[str], space: str, trailing: bool) -> str:
    comma = space + "," + space
    return opener + space + comma.join(items) + (comma if trailing and items else space) + closer


def _brackets(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.builds("{}{}:{}{}".format, keys, spaces, spaces, inner)
    return st.one_of(
        [
            st.builds(_joined, st.just(opener), st.just(closer), st.lists(items, max_size=3), spaces, st.booleans())
            for opener, closer, items in (("[", "]", inner), ("(", ")", inner), ("{", "}", inner), ("{", "}", pairs))
        ]
    )


joined_literals = st.builds("{}{}{}".format, string_literals, spaces, string_literals)
keys = string_literals | joined_literals | st.sampled_from([*INTEGERS, "True", "None", "- 1"])
atoms = keys | st.sampled_from([*FLOATS, "False"])
sources = st.recursive(atoms, _brackets, max_leaves=5)


@given(sources)
def test_agrees_with_python_where_python_reads_it(literal: str) -> None:
    text = f"[f(a={literal})]"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text, mode="eval").body
        assert isinstance(tree, ast.List)
        expected = [_call(node) for node in tree.elts]
    except (SyntaxError, ValueError):
        return
    outcome = read(text)
    assert outcome.state == (True, False, False, True, True)
    assert outcome.record.simple() == expected


def _call(node: ast.expr) -> tuple[str, Any]:
    if not isinstance(node, ast.Call) or node.args or not isinstance(node.func, ast.Name):
        raise ValueError("no call")
    return node.func.id, {keyword.arg: _value(keyword.value) for keyword in node.keywords}


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=bytes() as value):
            return value.decode("latin-1")
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if value is not True:
            return -value
        case ast.List() | ast.Tuple() | ast.Set():
            return [_value(each) for each in node.elts]
        case ast.Dict():
            keys = [_value(key) if isinstance(key, ast.Constant | ast.UnaryOp) else _refuse() for key in node.keys]
            return {_key(key): _value(value) for key, value in zip(keys, node.values, strict=True)}
    return _refuse()


def _key(key: Any) -> str:
    return next(iter(as_json({key: 0})))


def _refuse() -> Any:
    raise ValueError("no literal")


# ----------------------------------------------------------------------------------------------------- linear time


def count(text: str, size: int) -> int:
    """How many functions, in Python and in C, are called while a text is fed in pieces."""
    calls = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    decoder, record = PythonDecoder("list"), _deaf()
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    before = sys.getprofile()
    gc.disable()
    sys.setprofile(profile)
    try:
        for piece in pieces:
            decoder.feed(piece, 0, len(piece), record)
            record.base += len(piece)
    finally:
        sys.setprofile(before)
        gc.enable()
    assert not decoder.malformed
    return calls


GROWING = {
    "string": ("[f(a='", 'words "and" more. '),
    "escapes": ("[f(a='", r"\n\x41\101\u00e9\'\d"),
    "triple": ("[f(a='''", "it''s, it's: "),
    "held string": ("[f(a=('", "words and more. "),
    "literals": ("[f(a=", "'one' \"two\" "),
    "number": ("[f(a=", "12_345"),
    "list": ("[f(a=[", "1, 'x', None, "),
    "dict": ("[f(a={", "'k': {}, 'l': (1), "),
    "nesting": ("[f(a=[", "[(({1: "),
    "keywords": ("[f(", "k=1, "),
    "calls": ("[f(a=1), ", "g(b=2), "),
}


@pytest.mark.parametrize("kind", GROWING)
@pytest.mark.parametrize("size", [4, 4096])
def test_twice_the_text_is_twice_the_work(kind: str, size: int) -> None:
    lead, period = GROWING[kind]
    period *= 512
    once, twice = count(lead + period, size), count(lead + period * 2, size)
    assert twice <= 2.05 * once + 50


def test_a_long_string_costs_the_same_at_its_end_and_keeps_nothing() -> None:
    lead, period = "[f(a=[{'k': '", "words and more. "
    decoder, record = PythonDecoder("list"), Record()
    decoder.feed(lead, 0, len(lead), record)
    total = 0
    for _ in range(2**20 // len(period)):
        for at in range(0, len(period), 4):
            decoder.feed(period, at, at + 4, record)
            assert record.fragments.pop() == period[at : at + 4]
            record.calls[0][1] = ""
            record.fragments.clear()
            total += 4
    assert total == 2**20
    assert kept(decoder) < 100


@pytest.mark.parametrize("kind", ["string", "escapes", "triple", "literals", "list", "keywords", "calls"])
def test_what_was_said_is_not_kept(kind: str) -> None:
    lead, period = GROWING[kind]
    decoder = PythonDecoder("list")
    text = lead + period * 1000
    for at in range(0, len(text), 3):
        decoder.feed(text, at, min(at + 3, len(text)), _deaf())
        assert kept(decoder) < 100


def kept(decoder: PythonDecoder) -> int:
    """The characters that a decoder keeps."""
    slots = [getattr(decoder, name) for name in decoder.__slots__]
    if decoder._string is not None:
        slots += [getattr(decoder._string, name) for name in decoder._string.__slots__]
    flat = [each for slot in slots for each in (slot if isinstance(slot, list) else [slot])]
    return sum(len(each) if isinstance(each, str) else 1 for each in flat)
