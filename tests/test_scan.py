"""The JSON scanner and the string decoder against Python's own json module, at every cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import unbraid
from unbraid.arguments import scan
from unbraid.arguments.scan import JsonScanner, StringDecoder

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


def walk(text: str, size: int) -> tuple[JsonScanner, int]:
    """Walk a text in pieces; returns the scanner and how far it came."""
    scanner = JsonScanner()
    at = 0
    for start in range(0, len(text), size):
        end = min(start + size, len(text))
        while at < end and not scanner.done:
            at = scanner.scan(text, at, end)
    return scanner, at


@given(values.filter(lambda value: isinstance(value, dict | list | str)), st.booleans(), st.text(max_size=3))
def test_finds_the_end_of_sound_json(value: Any, escaped: bool, after: str) -> None:
    text = json.dumps(value, ensure_ascii=escaped)
    for size in (1, 3, len(text) + len(after)):
        scanner, at = walk(text + after, size)
        assert scanner.done
        assert not scanner.malformed
        assert at == len(text)


@given(st.text(alphabet='{}[]",:\\ 01-eEtruefalsn.\n\tu', max_size=24))
def test_agrees_with_json_on_what_is_sound(text: str) -> None:
    scanner, at = walk(text, 2)
    scanner.finish()
    try:
        _, end = json.JSONDecoder(strict=True).raw_decode(text.lstrip(" \t\n\r"))
    except ValueError:
        return
    end += len(text) - len(text.lstrip(" \t\n\r"))
    if scanner.done and not scanner.malformed:
        assert at >= end


@pytest.mark.parametrize(
    "text",
    [
        '{"a" 1}',
        "{a: 1}",
        "{'a': 1}",
        '{"a": nope}',
        '{"a": 01}',
        "[1,]",
        '{"a": "\n"}',
        '["\\x"]',
        '["\\u12g4"]',
        "{]}",
    ],
)
def test_broken_json_is_flagged_at_every_cut(text: str) -> None:
    stops = []
    for size in (1, 2, len(text)):
        scanner = JsonScanner()
        at = 0
        for start in range(0, len(text), size):
            while at < min(start + size, len(text)) and not scanner.malformed and not scanner.done:
                at = scanner.scan(text, at, min(start + size, len(text)))
        assert scanner.malformed
        stops.append(at)
    assert len(set(stops)) == 1


@pytest.mark.parametrize("text", ['{"a": NaN}', "[1e999]", '{"a": 1, "a": 2}', "[" + "9" * 5000 + "]", "[-Infinity]"])
def test_what_passes_through_untouched_is_sound(text: str) -> None:
    scanner, at = walk(text, 3)
    assert scanner.done
    assert not scanner.malformed
    assert at == len(text)


@given(st.text(), st.booleans(), st.integers(1, 5))
def test_decodes_strings(value: str, escaped: bool, size: int) -> None:
    text = json.dumps(value, ensure_ascii=escaped)[1:] + "rest"
    decoder = StringDecoder()
    out, at = [], 0
    for start in range(0, len(text), size):
        if not decoder.done:
            piece, at = decoder.feed(text, start, min(start + size, len(text)))
            out.append(piece)
    assert decoder.done
    assert "".join(out) == value
    assert text[at:] == "rest"


LONG = "words and more words, " * 12
ENDINGS = {
    "sound": '"}',
    "sound, with escapes": '\\" \\u00e9 \\\\"}',
    "cut off": "",
    "cut off in an escape": "\\",
    "an escape that there isn't": '\\x"}',
    "a broken number": '\\u12G4"}',
    "a raw line end": 'a\nb"}',
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_a_long_string_is_walked_alike_at_once_and_in_pieces(ending: str) -> None:
    """A long string that is whole in one text goes another way than one that comes in pieces."""
    text = '{"text": "' + LONG + ending
    pieces, far = walk(text, 1)
    whole, at = walk(text, len(text))
    assert (whole.done, whole.malformed, whole.in_string, at) == (pieces.done, pieces.malformed, pieces.in_string, far)


@pytest.mark.parametrize("period", ["x", "\\n", '\\"', "\\u00e9", "\\ud83d\\ude00", "a\\\\b"])
def test_a_string_is_walked_alike_wherever_it_is_cut(period: str) -> None:
    """Escapes are cut by the pieces that the scanner reads at a time, at each of their characters."""
    for lead in range(len(period)):
        text = '{"text": "' + "x" * lead + period * (20_000 // len(period)) + '", "more": 1}'
        scanner, at = walk(text, len(text))
        assert scanner.done
        assert not scanner.malformed
        assert at == len(text)


def test_a_long_string_that_ends_behind_the_limit_isnt_over() -> None:
    text = '{"text": "' + LONG + '"}'
    scanner = JsonScanner()
    assert scanner.scan(text, 0, len(text) - 2) == len(text) - 2
    assert scanner.in_string
    assert not scanner.done


def test_strings_that_break_cost_the_same_however_many_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of ``json`` counts the lines of all that it was given, so that has to be little, and given seldom."""
    given: list[int] = []
    original = scan.scanstring

    def counted(text: str, at: int) -> tuple[str, int]:
        given.append(len(text))
        return original(text, at)  # type: ignore[no-any-return]

    monkeypatch.setattr(scan, "scanstring", counted)
    broken = '<tool_call>\n{"name": "f", "arguments": {"x": "' + LONG + '\nz"}}\n</tool_call>\n'
    for times in (40, 400):
        given.clear()
        unbraid.parse(broken * times, "qwen3")
        assert 0 < len(given) <= 3 * times
        assert max(given) <= scan._CHUNK + 1
