"""Which part of a prompt is the turn that is being generated.

The state in which an output starts isn't guessed per model: the machine is run over what follows the last turn
boundary of the prompt, and starts where that leaves it. Finding that boundary is all that happens here.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Literal, NamedTuple

from .format import Turns, spellings
from .literals import parse, pieces, whole


class Tail(NamedTuple):
    """What follows the last turn boundary of a prompt."""

    text: str
    bounded: bool
    """Whether an assistant turn's opener stands right before it, so that words in it are the assistant's own."""
    start: int = 0
    """Where it begins in the prompt."""


class Boundary(NamedTuple):
    """A turn boundary in a prompt."""

    start: int
    end: int
    kind: Literal["assistant", "other", "end"]
    """Whether it opens an assistant turn or another one, or ends a turn (and may open another at once)."""


def last_boundary(prompt: str, turns: Turns) -> Boundary | None:
    """The last turn boundary of a prompt."""
    last = Boundary(-1, 0, "end")
    for literal in spellings(turns.assistant):
        found = _last(literal, prompt)
        if found[0] >= 0 and found >= last[:2]:
            last = Boundary(*found, "assistant")
    for literal in (*turns.others, *turns.ends):
        found = _last(literal, prompt)
        if found[0] > last.start:
            last = Boundary(*found, "end" if literal in turns.ends else "other")
    return last if last.start >= 0 else None


def tail(prompt: str, turns: Turns) -> Tail:
    """The tail of a prompt; the whole of it if it holds no turn boundary at all."""
    boundary = last_boundary(prompt, turns)
    return Tail(prompt, False) if boundary is None else _after(prompt, boundary, turns)


def last_turn(text: str, turns: Turns) -> Tail | None:
    """What follows the last assistant's opener in a prompt and the output after it, up to the first marker that ends a
    turn; a model may go on behind it, so it is no boundary here. ``None`` if there is no other turn boundary."""
    openers = replace(turns, ends=tuple(each for each in turns.ends if each in turns.others))
    boundary = last_boundary(text, openers)
    while boundary is not None and boundary.kind == "end" and not text[boundary.end :].strip():
        text = text[: boundary.start]
        boundary = last_boundary(text, openers)
    if boundary is None:
        return None
    if turns.headed and boundary.kind == "assistant":
        # Each of the assistant's messages has a header; its turn begins with the first after anybody else's.
        others = max(_last(literal, text)[0] for literal in turns.others)
        _, start = min(_first(opener, text, max(0, others)) for opener in spellings(turns.assistant))
        found = Tail(text[start:], True, start)
    else:
        found = _after(text, boundary, turns)
    return found._replace(text=found.text[: min((_first(end, found.text)[0] for end in turns.ends), default=None)])


def _after(prompt: str, boundary: Boundary, turns: Turns) -> Tail:
    if boundary.kind != "assistant":
        return Tail("", False, len(prompt))
    if turns.headed:
        return Tail(prompt[boundary.start :], True, boundary.start)
    soft = max((literal[len(literal.rstrip()) :] for literal in spellings(turns.assistant)), key=len, default="")
    text = prompt[boundary.end :]
    kept = 0
    while kept < len(soft) and text[kept : kept + 1] == soft[kept]:
        kept += 1
    return Tail(text[kept:], True, boundary.end + kept)


def _first(literal: str, text: str, start: int = 0) -> tuple[int, int]:
    """Where a marker stands for the first time from ``start`` on; twice the end of the text if it doesn't."""
    found = re.compile(whole(parse(literal).core)).search(text, start)
    return found.span() if found else (len(text), len(text))


def _last(literal: str, prompt: str) -> tuple[int, int]:
    """Where a marker stands for the last time, without its soft edges; twice -1 if it doesn't."""
    found = pieces(literal.strip())
    if all(hole is None for _, hole in found):
        core = "".join(text for text, _ in found)
        start = prompt.rfind(core)
        return start, start + len(core) if start >= 0 else -1
    last = (-1, -1)
    for match in re.finditer(whole(parse(literal).core), prompt):
        last = match.span()
    return last
