"""Which part of a prompt is the turn that is being generated.

The state in which an output starts isn't guessed per model: the machine is run over what follows the last turn
boundary of the prompt, and starts where that leaves it. Finding that boundary is all that happens here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .format import Turns, spellings
from .literals import parse, pieces, whole


class Tail(NamedTuple):
    """What follows the last turn boundary of a prompt."""

    text: str
    bounded: bool
    """Whether an assistant turn's opener stands right before it, so that words in it are the assistant's own."""


class Boundary(NamedTuple):
    """A turn boundary in a prompt."""

    start: int
    end: int
    assistant: bool
    """Whether it opens an assistant turn."""


def last_boundary(prompt: str, turns: Turns) -> Boundary | None:
    """The last turn boundary of a prompt."""
    last, after, assistant = -1, 0, False
    for literal in spellings(turns.assistant):
        found, end = _last(literal, prompt)
        if found >= 0 and (found, end) >= (last, after):
            last, after, assistant = found, end, True
    for literal in (*turns.others, *turns.ends):
        found, end = _last(literal, prompt)
        if found > last:
            last, after, assistant = found, end, False
    return Boundary(last, after, assistant) if last >= 0 else None


def tail(prompt: str, turns: Turns) -> Tail:
    """The tail of a prompt; the whole of it if it holds no turn boundary at all."""
    boundary = last_boundary(prompt, turns)
    if boundary is None:
        return Tail(prompt, False)
    last, after, assistant = boundary
    if not assistant:
        return Tail("", False)
    soft = max((literal[len(literal.rstrip()) :] for literal in spellings(turns.assistant)), key=len, default="")
    if turns.headed:
        return Tail(prompt[last:], True)
    text = prompt[after:]
    kept = 0
    while kept < len(soft) and text[kept : kept + 1] == soft[kept]:
        kept += 1
    return Tail(text[kept:], True)


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
