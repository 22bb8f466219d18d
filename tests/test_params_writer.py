"""The writer of parameters that are raw text: types in markers, layout around values, XML's entities, at every cut."""

from __future__ import annotations

import html
import json
import tracemalloc
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from helpers import check, tools
from unbraid import Format
from unbraid.arguments.params import ParamsWriter
from unbraid.arguments.rawtext import RawText, unescape
from unbraid.format import Call, Params, Tools, Turns

OPEN, CLOSE = "<p {key}>", "</p>"
SCHEMA = {
    "properties": {
        "s": {"type": "string"},
        "i": {"type": "integer"},
        "o": {"type": "object"},
        "u": {"anyOf": [{"type": "number"}, {"type": "string"}]},
        "e": {"enum": ["a<b", 3]},
    }
}


def write(codec: Params, key: str, pieces: list[str], declared: str | None = None) -> tuple[str, str]:
    """The value's JSON text, and what of it was said before the value was over."""
    writer = ParamsWriter(SCHEMA, codec)
    said = writer.open(key, declared)
    for piece in pieces:
        said += writer.text(piece)
        writer = writer.copy()
    whole = said + writer.close() + writer.end()
    lead = len(f'{{"{key}": ')
    return whole[lead:-1], said[lead:]


PLAIN, STRIP = Params(OPEN, CLOSE), Params(OPEN, CLOSE, strip=True)
ENTITIES, BOTH = Params(OPEN, CLOSE, entities=True), Params(OPEN, CLOSE, strip=True, entities=True)
TYPED = Params(OPEN, CLOSE, untyped="json", types=(("text", "string"), ("raw", "json")))

TABLE: list[tuple[Params, str, str | None, str, Any]] = [
    (PLAIN, "s", None, " &lt; ", " &lt; "),
    (STRIP, "s", None, "\n  a b\n ", "a b"),
    (STRIP, "s", None, "\n \t\r\n", ""),
    (STRIP, "s", None, "\u00a0x\u00a0", "\u00a0x\u00a0"),
    (STRIP, "i", None, "\n7\n", 7),
    (STRIP, "new", None, " 7 ", "7"),
    (ENTITIES, "s", None, "1 &lt; 2 &amp;&amp; &#65;&#x42; &quot;x&apos;", "1 < 2 && AB \"x'"),
    (ENTITIES, "s", None, "&amp;lt;", "&lt;"),
    (ENTITIES, "s", None, "R&D & a&b; &nbsp; &lt &#; &#x; &;", "R&D & a&b; &nbsp; &lt &#; &#x; &;"),
    (ENTITIES, "s", None, "&#0;&#xD800;&#x110000;&#9999999;", "&#0;&#xD800;&#x110000;&#9999999;"),
    (ENTITIES, "s", None, "&#x10ffff;&#10;", "\U0010ffff\n"),
    (ENTITIES, "s", None, "cut &am", "cut &am"),
    (ENTITIES, "s", None, "&&lt;&", "&<&"),
    (ENTITIES, "o", None, "{&quot;a&quot;: &quot;&lt;&quot;}", {"a": "<"}),
    (ENTITIES, "e", None, "a&lt;b", "a<b"),
    (BOTH, "s", None, " &#32;x&#10;\n", " x\n"),
    (BOTH, "s", None, "\n&lt;b&gt; \n", "<b>"),
    (BOTH, "s", None, " & ", "&"),
    (TYPED, "i", "text", "7", "7"),
    (TYPED, "s", "raw", "7", 7),
    (TYPED, "s", "raw", "[1, null]", [1, None]),
    (TYPED, "i", "raw", "no JSON", "no JSON"),
    (TYPED, "s", "integer", "7", 7),
    (TYPED, "s", "any", "7", 7),
    (TYPED, "s", "list[int]", "[7]", [7]),
    (TYPED, "i", "string", "7", "7"),
    (TYPED, "i", "varchar(20)", "7", "7"),
    (TYPED, "i", None, "7", 7),
    (TYPED, "new", None, "7", 7),
]


@pytest.mark.parametrize(("codec", "key", "declared", "raw", "value"), TABLE)
def test_table(codec: Params, key: str, declared: str | None, raw: str, value: Any) -> None:
    for pieces in ([raw], list(raw), [raw[i : i + 3] for i in range(0, len(raw), 3)], [""]):
        if pieces != [""]:
            found = json.loads(write(codec, key, pieces, declared)[0])
            assert (type(found), found) == (type(value), value)


RAW = st.lists(
    st.sampled_from(["&", "l", "t;", "&lt;", "&amp;", "&#6", "5;", "&#x4", "a;", " ", "\n", "é", '"', "\\", "7", "x"]),
    max_size=24,
).map("".join)


@given(RAW, st.lists(st.integers(0, 60), max_size=8), st.sampled_from("siou"), st.sampled_from([STRIP, ENTITIES, BOTH]))
@example("\n &am", [3, 4], "s", BOTH)
@example("&lt", [1, 2], "s", ENTITIES)
def test_the_same_at_every_cut(raw: str, places: list[int], key: str, codec: Params) -> None:
    """And what is said while the value is written is the beginning of what is said in the end."""
    stops = [0, *sorted(min(place, len(raw)) for place in places), len(raw)]
    cut = [raw[start:end] for start, end in pairwise(stops)]
    whole, _ = write(codec, key, [raw])
    assert write(codec, key, list(raw))[0] == whole
    pieced, said = write(codec, key, cut)
    assert pieced == whole
    assert whole.startswith(said)
    json.loads(whole)


@given(RAW)
def test_at_most_an_entity_is_held(raw: str) -> None:
    """And white space, where that may be the last."""
    writer = ParamsWriter(SCHEMA, ENTITIES)
    said = writer.open("s")
    for place, character in enumerate(raw):
        said += writer.text(character)
        certain = json.loads(said[len('{"s": ') :] + '"')
        assert unescape(raw[: place + 1]).startswith(certain)
        assert len(unescape(raw[: place + 1])) - len(certain) < len("&#x10ffff;")


@given(st.text(alphabet=st.characters(blacklist_categories=("Cs", "Cc"), max_codepoint=0xFFFD)))
def test_what_is_escaped_comes_back(text: str) -> None:
    assert unescape(html.escape(text)) == text
    reader = RawText(False, True)
    assert "".join(map(reader.feed, html.escape(text))) + reader.finish() == text


@pytest.mark.parametrize("period", ["&lt;", "&", " x", "&am "])
def test_a_long_value_keeps_nothing(period: str) -> None:
    """What is kept in the middle of a value doesn't grow with it."""
    reader = RawText(True, True)

    def used(count: int) -> int:
        tracemalloc.start()
        try:
            for _ in range(count):
                reader.feed(period)
            return tracemalloc.get_traced_memory()[0]
        finally:
            tracemalloc.stop()

    assert used(2_000) < 4_096


FORMAT = Format(
    name="laid_out",
    turns=Turns("<Assistant>"),
    tools=Tools(Call("<call {name}>", "</call>", Params("<p {key}>", "</p>", strip=True, entities=True))),
)


def test_in_a_whole_output() -> None:
    """The fast path, which says text as it comes, isn't taken for such values."""
    text = 'Hi <call f><p to>\n  "Graz" &amp; Linz &#x3c;3  \n</p><p seats>\n 2 </p></call>'
    want = [("f", {"to": '"Graz" & Linz <3', "seats": 2})]
    check(FORMAT, text, content="Hi ", calls=want, tools=tools("f(to:string, seats:integer)"))
    check(FORMAT, text, content="Hi ", calls=[("f", {"to": '"Graz" & Linz <3', "seats": "2"})])
