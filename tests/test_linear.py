"""Work per token doesn't grow with what came before: counted, not timed, so a busy machine can't fail it.

A parser that is fed one token can do too much in four ways. Each has its measure here, and below each has a
toy parser that is quadratic in just that way, so that the measures are tested too.

* It runs more Python: ``calls``, the calls of Python and C functions during one delta, counted by
  ``sys.setprofile``.
* It reads again in C (one ``re.search`` or ``json.loads`` over all that came before is one call, however long
  the text). What isn't kept can't be read again: ``kept``, the size of everything that can be reached from
  the parser when it doesn't build the message.
* It copies what came before, as a builder does that joins its parts each time: ``copied``, the memory that
  was in use during one delta beyond what was in use before it. The two deltas of a window with the most are
  let off: a list or buffer that grows by a share of its size moves now and then, and that is linear.
* It holds text back: ``held``, by the parser's own word.

The text is one period, over and over, and a window of whole periods is measured early and late. The deltas of
the two windows are the same, so the counts must be the same: not nearly, but exactly, where Python counts.
"""

from __future__ import annotations

import gc
import json
import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import pytest

import unbraid
from unbraid.cli import pieces
from unbraid.format import Format, Json, JsonCall, Python, frames, shapes
from unbraid.literals import written

SHARED = ("unbraid.machine", "unbraid.table", "unbraid.literals")
"""Modules whose objects belong to the format and not to a parser."""
EARLY, LATE = 4 * 1024, 64 * 1024
WINDOW = 4
"""Periods in a window."""

TOOLS = [
    {
        "name": "find_trains",
        "parameters": {"type": "object", "properties": {"to": {"type": "string"}, "seats": {"type": "integer"}}},
    }
]

CODE = (
    'def run(value):\n    """Say <b>it</b>, "twice"."""\n'
    '    if value < 3 and path != "a\\\\b":\n        print(value)\n\n'
)
PROSE = "Two seats to Graz are 48 euros; the train at 9:14 is < 3 hours, isn't it?\n\nI'd take that one, then. "


# ------------------------------------------------------------ the measures


@dataclass(frozen=True)
class Work:
    """What one window of deltas cost."""

    calls: int
    kept: int
    copied: int
    held: int


def work(parser: Any, lead: str, period: str, size: int) -> Work:
    """Feed the lead and then periods up to ``size`` characters, and measure the window after that."""
    parser.feed(lead)
    deltas = list(pieces(period, "tokens"))
    for _ in range(size // len(period)):
        for delta in deltas:
            parser.feed(delta)
    window = deltas * WINDOW
    return Work(
        calls=calls(parser.feed, window),
        copied=sorted(copied(parser.feed, delta) for delta in window)[-3],
        held=held(parser, window),
        kept=kept(parser),
    )


def calls(feed: Callable[[str], object], deltas: list[str]) -> int:
    """How many functions were called, in Python and in C."""
    count = 0

    def profile(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    collecting = gc.isenabled()
    gc.disable()  # what other tests left behind may run code of its own when it is collected
    sys.setprofile(profile)
    try:
        for delta in deltas:
            feed(delta)
    finally:
        sys.setprofile(before)
        if collecting:
            gc.enable()
    return count


def copied(feed: Callable[[str], object], delta: str) -> int:
    """The most bytes in use while a delta is fed, beyond those before it."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        feed(delta)
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def held(parser: Any, deltas: list[str]) -> int:
    """How many characters were held back, over all deltas."""
    total = 0
    for delta in deltas:
        parser.feed(delta)
        total += len(parser.held)
    return total


def kept(parser: object) -> int:
    """The bytes of everything that can be reached from the parser, formats and their machines aside."""
    seen: set[int] = set()
    total = 0
    todo: list[object] = [parser]
    shared = (type, ModuleType, FunctionType, BuiltinFunctionType, Format, re.Pattern)
    while todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, shared) or type(each).__module__ in SHARED:
            continue
        seen.add(id(each))
        total += sys.getsizeof(each)
        todo += [each.__self__] if isinstance(each, MethodType) else gc.get_referents(each)
    return total


# ------------------------------------------------------------ what is measured


def opening(format: Format) -> tuple[str, str]:
    """The format's example up to the middle of a call's string argument, without reasoning and an empty answer; and
    that argument's period."""
    thinking = format.reasoning is not None
    before, found, _ = format.example.rpartition("Graz")
    assert found
    spans = [span for span in unbraid.parse(format.example, format, thinking=thinking).spans if span.end <= len(before)]
    said = [span.end for span in spans if span.label in ("reasoning close", "answer close")]
    before = before[said[-1] if said else 0 :]
    codec = shapes(frames(format)[0])[0].arguments
    return before, json.dumps(CODE)[1:-1] if isinstance(codec, Json | JsonCall | Python) else CODE


CALLING = [name for name, each in unbraid.formats().items() if each.tools is not None]
THINKING = [name for name, each in unbraid.formats().items() if each.reasoning is not None]


def thinking_open(name: str) -> str:
    reasoning = unbraid.resolve(name).reasoning
    assert reasoning is not None
    return written(reasoning.open) if reasoning.opened_by == "model" else ""


def new(name: str, **options: Any) -> unbraid.Parser:
    return unbraid.Parser(name, tools=TOOLS, **options)


def twice(make: Callable[[], Any], lead: str, period: str, late: int = LATE) -> tuple[Work, Work]:
    work(make(), lead, period, EARLY)  # warm: what Python and the machine build once is built
    return work(make(), lead, period, EARLY), work(make(), lead, period, late)


def growth(early: Work, late: Work) -> Iterator[str]:
    """Which measures grew, as sentences. What is allowed is less than any text that is kept or copied."""
    if late.calls != early.calls:
        yield f"calls grew from {early.calls} to {late.calls}"
    if late.kept > early.kept + 1024:
        yield f"kept grew from {early.kept} to {late.kept} bytes"
    if late.copied > early.copied + 4096:
        yield f"copied grew from {early.copied} to {late.copied} bytes"
    if late.held != early.held:
        yield f"held grew from {early.held} to {late.held} characters"


# ------------------------------------------------------------ the tests


@pytest.mark.parametrize("name", CALLING)
def test_an_argument_costs_the_same_however_long_it_is(name: str) -> None:
    lead, period = opening(unbraid.resolve(name))
    early, late = twice(lambda: new(name, thinking=False, build_message=False), lead, period)
    assert list(growth(early, late)) == []


@pytest.mark.parametrize("name", THINKING)
def test_reasoning_costs_the_same_however_long_it_is(name: str) -> None:
    early, late = twice(lambda: new(name, thinking=True, build_message=False), thinking_open(name), PROSE)
    assert list(growth(early, late)) == []


@pytest.mark.parametrize("name", unbraid.formats())
def test_content_costs_the_same_however_long_it_is(name: str) -> None:
    early, late = twice(lambda: new(name, thinking=False, build_message=False), "", PROSE)
    assert list(growth(early, late)) == []


@pytest.mark.parametrize("name", CALLING)
def test_building_the_message_copies_nothing(name: str) -> None:
    lead, period = opening(unbraid.resolve(name))
    early, late = twice(lambda: new(name, thinking=False), lead, period)
    grown = [sentence for sentence in growth(early, late) if not sentence.startswith("kept")]
    assert grown == [], "the message keeps its parts, but nothing is done with them in each step"


MARKED = {name for name in CALLING if shapes(frames(unbraid.resolve(name))[0])[0].open is not None}
"""Formats whose usual call begins with a marker. Without one, only an answer's first word can begin a call."""


INSIDE = {name for name in THINKING if getattr(unbraid.resolve(name).reasoning, "calls", "") == "inside"}
"""Formats whose calls may stand in reasoning, so that nothing has to be decided."""


@pytest.mark.parametrize("name", sorted(MARKED & set(THINKING) - INSIDE))
def test_a_call_that_is_held_in_open_reasoning_isnt_read_again(name: str) -> None:
    """It is held until it is known what it was (a declared wait), so it is kept. It isn't read again."""
    lead, period = opening(unbraid.resolve(name))
    lead = thinking_open(name) + "Two seats, then.\n" + lead
    early, late = twice(lambda: new(name, thinking=True, build_message=False), lead, period)
    assert late.held > early.held, "this is about text that is held"
    grown = [sentence for sentence in growth(early, late) if not sentence.startswith(("kept", "held"))]
    assert grown == []


@pytest.mark.parametrize("name", CALLING)
def test_a_fork_costs_the_same_however_much_was_parsed(name: str) -> None:
    """In the middle of an argument, with reasoning, content and an open call behind it; by calls and by memory."""
    costs = []
    for size in (EARLY, EARLY, 4 * EARLY):  # the first one only warms up
        parser = new(name, thinking=False)
        lead, period = opening(unbraid.resolve(name))
        work(parser, PROSE * (size // len(PROSE)) + lead, period, size)

        def fork(_: str, parser: unbraid.Parser = parser) -> object:
            return parser.fork()

        costs.append((calls(fork, [""]), copied(fork, "")))
    _, (early, small), (late, large) = costs
    assert late == early
    assert large <= small + 1024


# ------------------------------------------------------------ the measures catch what they should


class Toy:
    """Finds ``<end>`` and passes on all text before it; linear."""

    marker = "<end>"

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> list[str]:
        text = self.held + text
        tail = next(n for n in range(len(self.marker) - 1, -1, -1) if text.endswith(self.marker[:n]))
        self.held = text[len(text) - tail :]
        return [text[: len(text) - tail]]


class SearchesAgain(Toy):
    """Keeps the text and searches it from its start in each step: one call in C, longer each time."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = ""

    def feed(self, text: str) -> list[str]:
        self.seen += text
        self.seen.find(self.marker)
        return super().feed(text)


class WalksAgain(Toy):
    """Goes through all that came before in Python."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths: list[int] = []

    def feed(self, text: str) -> list[str]:
        self.lengths.append(len(text))
        sum(abs(length) for length in self.lengths)
        return super().feed(text)


class JoinsAgain(Toy):
    """Joins all parts in each step, as a builder does that keeps the message ready."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def feed(self, text: str) -> list[str]:
        self.parts.append(text)
        "".join(self.parts)
        return super().feed(text)


class HoldsAll(Toy):
    """Waits for the end and says so."""

    def feed(self, text: str) -> list[str]:
        self.held += text
        return []


def test_a_linear_toy_passes() -> None:
    assert list(growth(*twice(Toy, "", CODE, late=4 * EARLY))) == []


@pytest.mark.parametrize(
    ("toy", "caught"),
    [(SearchesAgain, "kept"), (WalksAgain, "calls"), (JoinsAgain, "copied"), (HoldsAll, "held")],
)
def test_each_quadratic_toy_is_caught(toy: type[Toy], caught: str) -> None:
    grown = list(growth(*twice(toy, "", CODE, late=4 * EARLY)))
    assert any(sentence.startswith(caught) for sentence in grown), grown
