"""What ``unbraid explain`` draws: nothing of the text is lost, nothing of it reaches the terminal raw."""

from __future__ import annotations

import re
from typing import get_args

import pytest

import unbraid
from unbraid.events import Note, Span, SpanKind
from unbraid.explain import STYLES, Look, cells, explain, paint, reason, visible
from unbraid.message import Message

PLAIN, COLOUR = Look(), Look(colour=True)
ANSI = re.compile(r"\x1b\[[0-9;]*m")
NASTY = (
    "<think>\nTwo  seats\tto Graz,\n\nthen\r\n \x1b[2J\x1b]0;title\x07 \u202eback\u2028line\x00 "
    "日本語 ｗｉｄｅ e\u0301.\n</think>\n\nOn  it.\n"
)


def parsed(text: str, name: str = "qwen3") -> Message:
    return unbraid.parse(text, name, thinking=unbraid.resolve(name).reasoning is not None)


def rows(drawn: str, bar: str = "│") -> list[tuple[str, str, str]]:
    """The rows of the view as (offset, reason, text)."""
    found = re.findall(rf"^ ([ \d]{{4,}}?)  (.*?) {re.escape(bar)}(?: (.*))?$", ANSI.sub("", drawn), re.MULTILINE)
    return [(offset.strip(), why.strip(), text) for offset, why, text in found]


def texts() -> list[tuple[str, str]]:
    return [(name, each.example) for name, each in unbraid.formats().items()] + [("qwen3", NASTY)]


@pytest.mark.parametrize(("name", "text"), texts())
@pytest.mark.parametrize("look", [PLAIN, COLOUR, Look(colour=True, width=60), Look(width=40)])
def test_the_rows_hold_the_whole_text(name: str, text: str, look: Look) -> None:
    drawn = explain(text, parsed(text, name), look, name=name)
    shown = "".join(text for _, _, text in rows(drawn))
    expected = visible(text)
    for hidden in (" ", "·"):  # spaces at a row's end aren't drawn, and those of markup are symbols
        shown, expected = shown.replace(hidden, ""), expected.replace(hidden, "")
    assert shown == expected


@pytest.mark.parametrize(("name", "text"), texts())
def test_each_span_has_its_offset_and_reason(name: str, text: str) -> None:
    message = parsed(text, name)
    found = {int(at): why for at, why, _ in rows(explain(text, message, COLOUR)) if at}
    assert set(found) <= {span.start for span in message.spans}
    for before, span in zip([None, *message.spans], message.spans, strict=False):
        if span.start in found:
            assert found[span.start].startswith(reason([span]))
        else:  # a name or key inside a marker, or the rest of that marker
            assert before is not None
            assert "markup" in (before.kind, span.kind)


@pytest.mark.parametrize("width", [30, 44, 60, 80, 100, 133])
def test_no_row_is_wider_than_the_terminal(width: int) -> None:
    text = NASTY + "word " * 80 + "x" * 300 + "日本語" * 60
    drawn = explain(text, parsed(text), Look(width=width))
    gutter = next(line.index("│") for line in drawn.splitlines() if "│" in line) + 2
    body = [line for line in drawn.splitlines() if "│" in line]
    assert max(cells(line) for line in drawn.splitlines() if "│" not in line) <= max(width, 42)
    assert len(body) > 12
    assert max(cells(line) for line in body) <= max(width, gutter + 24)


def test_words_are_broken_at_spaces() -> None:
    text = "seat " * 40
    shown = [text for _, _, text in rows(explain(text, parsed(text), Look(width=50)))]
    assert len(shown) > 3
    assert all(re.fullmatch(r"(seat ?)+", line) for line in shown)


@pytest.mark.parametrize("look", [PLAIN, COLOUR, Look(ascii=True), Look(colour=True, width=50)])
def test_control_characters_of_the_text_never_come_out(look: Look) -> None:
    name = "find\x1b[31m"
    text = NASTY + f'<tool_call>\n{{"name": "{name}", "arguments": {{}}}}\n</tool_call>' + "\x9b31m"
    message = unbraid.parse(text, "qwen3")
    noted = Message(spans=message.spans, tool_calls=message.tool_calls, notes=(Note("malformed", 0, 70, "a\x1b[1m"),))
    for drawn in (explain(text, noted, look), paint(text, message.spans, look)):
        left = ANSI.sub("", drawn) if look.colour else drawn
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\u2028]", left), repr(left)
    assert "31m" in explain(text, noted, look), "what was there is shown, as symbols"


def test_markup_shows_its_white_space_and_text_keeps_its_spaces() -> None:
    drawn = explain("<think>\nTo Graz.\n</think>\n\nOn it.", parsed("<think>\nTo Graz.\n</think>\n\nOn it."), PLAIN)
    assert rows(drawn) == [
        ("0", "[reasoning open]", "<think>⏎"),
        ("8", "reasoning", "To Graz."),
        ("16", "[reasoning close]", "⏎</think>⏎⏎"),
        ("27", "content", "On it."),
    ]


def test_colour_is_the_only_difference_that_colour_makes() -> None:
    text = unbraid.resolve("qwen3_coder").example
    message = parsed(text, "qwen3_coder")
    coloured, plain = explain(text, message, COLOUR), explain(text, message, PLAIN)
    assert "\x1b" not in plain
    assert [row[::2] for row in rows(coloured)] == [row[::2] for row in rows(plain)]
    for kind in {span.kind for span in message.spans}:
        assert f"\x1b[{STYLES[kind]}m" in coloured


def test_every_span_kind_has_its_own_style() -> None:
    assert set(STYLES) == set(get_args(SpanKind))
    assert len(set(STYLES.values())) == len(STYLES)


def test_the_ascii_look_is_ascii() -> None:
    drawn = explain("<think>\nA  b\t.\n</think>\n\n", parsed("<think>\nA  b\t.\n</think>\n\n"), Look(ascii=True))
    assert drawn.isascii()
    assert ("0", "[reasoning open]", "<think>\\n") in rows(drawn, "|")


def test_heading_legend_and_notes_tell_the_result() -> None:
    text = '<think>\nA b.\n</think>\n\n<tool_call>\n{"name": "find_trains", "arguments": {"to": "Gr'
    message = unbraid.parse(text, "qwen3", finish="length")
    drawn = explain(text, message, PLAIN, name="qwen3")
    heading, *_ = drawn.splitlines()
    assert heading.startswith(" qwen3 · ")
    assert "4 characters of reasoning" in heading
    assert "1 incomplete call (find_trains)" in heading
    (note,) = message.notes
    assert f"! incomplete at {note.start} to {note.end}" in drawn
    assert note.detail in drawn
    legend = next(line for line in drawn.splitlines() if "⏎ newline" in line)
    assert re.search(r"reasoning  4\b", legend)
    assert "content" not in legend, "only what occurs"


def test_a_reason_names_the_call_where_there_are_several() -> None:
    assert reason([Span("argument", 0, 1, "", 1)], calls=2) == "argument #1"
    assert reason([Span("argument", 0, 1, "", 0)], calls=1) == "argument"
    assert reason([Span("markup", 0, 1, "call close", 0)]) == "call close"
    assert reason([Span("markup", 0, 1, "", 0)]) == "call structure"


def test_a_marker_and_the_name_in_it_are_one_row() -> None:
    text = unbraid.resolve("qwen3_coder").example
    found = {why: shown for _, why, shown in rows(explain(text, parsed(text, "qwen3_coder"), PLAIN))}
    assert found["[call open, name]"] == "<function=find_trains>⏎"
    assert found["[parameter open, key]"] == "<parameter=seats>⏎"


def test_an_empty_text_is_said_to_be_empty() -> None:
    assert "The text is empty." in explain("", parsed(""), PLAIN)


@pytest.mark.parametrize(("name", "text"), texts())
def test_painted_text_is_the_text(name: str, text: str) -> None:
    spans = parsed(text, name).spans
    assert ANSI.sub("", paint(text, spans, COLOUR)).replace("\n", "⏎") == visible(text)
    assert "\x1b" not in paint(text, spans, PLAIN)
    narrow = paint(text, spans, Look(width=40), indent=4).split("\n")
    assert max(cells(line) for line in narrow) <= 40
    assert "".join(line[4:] for line in narrow) == visible(text).replace("⏎", "")


def test_cells_are_terminal_columns() -> None:
    assert cells("abc") == 3
    assert cells("日本") == 4
    assert cells("e\u0301") == 1
