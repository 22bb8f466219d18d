"""Feeds a decoder of arguments, as the executor does: what it doesn't read yet is given again with what follows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from unbraid.arguments.decoder import Arguments


class Decoded(NamedTuple):
    """What a decoder made of a text."""

    json: str
    stop: int
    """Where it stopped for good: at the end, where the grammar was broken, or at what it didn't decide."""
    done: bool
    malformed: bool
    begun: bool
    rest: str
    """What it said when it was told that the output is over."""


def decode(decoder: Arguments, text: str, cuts: list[int] | None = None) -> Decoded:
    """Decode a text that arrives in pieces, cut at these places; by default whole."""
    said: list[str] = []
    at = 0
    for end in [*sorted(cuts or []), len(text)]:
        while at < end and not decoder.done and not decoder.malformed:
            # The executor has no more than what is held and what has just arrived.
            piece, stop = decoder.feed(text[at:end], 0, end - at)
            said.append(piece)
            if stop == 0 and not decoder.done and not decoder.malformed:
                break
            assert 0 <= stop <= end - at
            at += stop
    if decoder.malformed:
        assert decoder.feed(text + "}]<|'\"", at, len(text)) == ("", len(text))
    done, malformed, begun = decoder.done, decoder.malformed, decoder.begun
    rest = decoder.finish()
    return Decoded("".join(said), at, done, malformed, begun, rest)


def check_cuts(make: Callable[[], Arguments], text: str, seed: int) -> Decoded:
    """Decode a text whole, in single characters, at random cuts, and with a copy in the middle; all must agree."""
    whole = decode(make(), text)
    chance = random.Random(seed)
    cuts = [chance.randrange(len(text) + 1) for _ in range(chance.randrange(1, 6))]
    assert decode(make(), text, list(range(len(text)))) == whole
    assert decode(make(), text, cuts) == whole
    middle = chance.randrange(len(text) + 1)
    first = make()
    _, stop = first.feed(text, 0, middle)
    copy = first.copy()
    both = [decode(each, text[stop:]) if not each.malformed else None for each in (first, copy)]
    assert both[0] == both[1]
    return whole
