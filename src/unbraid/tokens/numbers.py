"""Growing lists of numbers that can be forked without being copied."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any, Optional

_Past = Optional["tuple[_Past, array[Any], int]"]


class Numbers:
    """A list of numbers that only grows. Forks share what came before them.

    Args:
        code: the type of the numbers, as the module ``array`` names it.
    """

    __slots__ = ("_past", "own")

    def __init__(self, code: str) -> None:
        self._past: _Past = None
        """What came before the last fork: the past of that, numbers, and how many there are in all."""
        self.own: array[Any] = array(code)
        """What came since. Append to it."""

    def __len__(self) -> int:
        return len(self.own) + (self._past[2] if self._past else 0)

    def extend(self, numbers: Iterable[Any]) -> None:
        """Add all of these."""
        self.own.extend(array(self.own.typecode, numbers))

    def all(self) -> array[Any]:
        """Every number, as one array. Don't change it."""
        if self._past is None:
            return self.own
        pieces: list[array[Any]] = [self.own]
        past: _Past = self._past
        while past is not None:
            pieces.append(past[1])
            past = past[0]
        whole: array[Any] = array(self.own.typecode)
        for piece in reversed(pieces):
            whole.extend(piece)
        self._past, self.own = None, whole
        return whole

    def fork(self) -> Numbers:
        """Another list that goes on from here."""
        new = Numbers(self.own.typecode)
        if self.own:
            self._past, self.own = (self._past, self.own, len(self)), array(self.own.typecode)
        new._past = self._past
        return new
