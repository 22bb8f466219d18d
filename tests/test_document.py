"""The pages of docs/formats say what the formats say, and the pictures show all of their tables."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest

from unbraid.document import draw, page, pages, write
from unbraid.document.pages import shipped
from unbraid.document.words import code, core, shortened
from unbraid.format import Format, Turns
from unbraid.literals import parse
from unbraid.plan import plan

COMMITTED = Path(__file__).parent.parent / "docs/formats"
SVG = "{http://www.w3.org/2000/svg}"
FORMATS = [pytest.param(each, id=each.name) for each in shipped()]


def test_the_pages_are_up_to_date() -> None:
    there = {file.name: file.read_text("utf-8") for file in COMMITTED.iterdir()} if COMMITTED.is_dir() else {}
    wanted = pages()
    stale = sorted(name for name in {*there, *wanted} if there.get(name) != wanted.get(name))
    assert not stale, f"docs/formats is out of date ({', '.join(stale[:5])}, {len(stale)} files); run make docs"


@pytest.mark.parametrize("format", FORMATS)
def test_every_state_is_one_box_and_every_edge_is_drawn(format: Format) -> None:
    table = plan(format)
    root = ET.fromstring(draw(format.name, table))
    boxes = [each.get("data-state") for each in root.iter(f"{SVG}g")]
    assert sorted(filter(None, boxes)) == sorted(table)
    drawn = Counter(
        (each.get("data-from"), each.get("data-to"), each.get("data-label"))
        for each in root.iter(f"{SVG}path")
        if each.get("data-from")
    )
    edges = Counter((name, edge.to, edge.label) for name, row in table.items() for edge in row.edges)
    edges += Counter((name, row.over, "arguments over") for name, row in table.items() if row.over)
    assert drawn == edges


@pytest.mark.parametrize("format", FORMATS)
def test_no_two_boxes_overlap_and_all_are_in_the_picture(format: Format) -> None:
    root = ET.fromstring(draw(format.name, plan(format)))
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    rects = [
        [float(each.attrib[key]) for key in ("x", "y", "width", "height")]
        for each in root.iter(f"{SVG}rect")
        if each.attrib["class"].startswith("box")
    ]
    for at, (x, y, w, h) in enumerate(rects):
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
        assert all(x + w <= a or a + c <= x or y + h <= b or b + d <= y for a, b, c, d in rects[:at])


def test_wires_never_lie_on_each_other() -> None:
    for format in shipped():
        root = ET.fromstring(draw(format.name, plan(format)))
        heights = Counter(
            each.attrib["d"].split()[1].split("H")[0]
            for each in root.iter(f"{SVG}path")
            if each.get("data-from") and "H" in each.attrib["d"]
        )
        assert not [height for height, count in heights.items() if count > 1], format.name


def test_a_picture_is_the_same_every_time() -> None:
    format = shipped()[0]
    assert draw(format.name, plan(format)) == draw(format.name, plan(format))


def test_a_format_that_is_not_shipped_has_a_page_too() -> None:
    told = page(Format(name="mine", turns=Turns("<|a|>")))
    assert told.startswith("# mine\n")
    assert "Models of this format write no reasoning of their own." in told


def test_writing_removes_pages_of_formats_that_are_gone(tmp_path: Path) -> None:
    (tmp_path / "gone.md").write_text("old")
    (tmp_path / "kept.txt").write_text("not ours")
    written = write(tmp_path)
    assert {*written, tmp_path / "kept.txt"} == set(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("literal", "shown"),
    [("\n<a>\n", "<a>"), ("<|f={name}|>", "<|f={name}|>"), ("a\\b [c]", "a\\b [c]"), ("<a b>", "<a b>")],
)
def test_a_marker_is_shown_as_it_is_written(literal: str, shown: str) -> None:
    assert core(parse(literal).core) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("a", "`a`"), ("a`b", "``a`b``"), ("`", "`` ` ``"), (" a ", "`  a  `"), ("\n", "`⏎`"), ("", "")]
)
def test_code_holds_whatever_stands_in_it(text: str, shown: str) -> None:
    assert code(text) == shown


def test_a_long_text_keeps_its_ends() -> None:
    assert shortened("abcdefghij", 10) == "abcdefghij"
    assert shortened("abcdefghijk", 7) == "abcd…jk"
