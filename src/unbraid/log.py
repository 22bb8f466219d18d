"""Lists, numbers and texts that grow, and whose forks share what they have in common.

Events, spans, the words of a message and where tokens end are kept in them, so that a parser can be forked in the
middle of a stream without copying what came before. What is in them doesn't matter here.

When one is forked, what it holds becomes a *past*, which never changes any more, so that any number of them may go on
from it; each adds to an ``own`` part of its own.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import islice
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")


class _Past(NamedTuple):
    """What stood in a list when it was forked."""

    before: _Past | None
    """What came before that."""
    elements: Any
    used: int
    """How many of the elements belong to it."""
    size: int
    """How many elements there are up to its end."""


class Log(Generic[T]):
    """A list that is forked at a cost that doesn't depend on its length. Elements count from 0, across forks."""

    __slots__ = ("_past", "own")

    def __init__(self) -> None:
        self._past: _Past | None = None
        """What this list has in common with others."""
        self.own: Any = self._empty()
        """The elements after that. They may be changed at will."""

    def _empty(self) -> Any:
        return []

    def __len__(self) -> int:
        return (self._past.size if self._past else 0) + len(self.own)

    def __iter__(self) -> Iterator[T]:
        for chunk in self._chunks():
            yield from chunk

    def _chunks(self) -> list[Any]:
        """Its elements, in several pieces."""
        chunks: list[Any] = [self.own]
        past = self._past
        while past is not None:  # not by recursion: there may be as many as there are tokens
            chunks.append(past.elements if past.used == len(past.elements) else past.elements[: past.used])
            past = past.before
        return chunks[::-1]

    def fork(self: L) -> L:
        """An independent list of the same elements. Nothing of it is :attr:`own`, and of this one neither."""
        if self.own:
            self._past = _Past(self._past, self.own, len(self.own), len(self))
            self.own = self._empty()
        new = type(self)()
        new._past = self._past
        return new

    def cut(self, size: int) -> list[T]:
        """Remove all but the first ``size`` elements; returns the removed ones."""
        chunks = [self.own]
        past = self._past
        while past is not None and past.size > size:
            chunks.append(past.elements[max(0, size - past.size + past.used) : past.used])
            kept = past.used - len(chunks[-1])
            past = past._replace(used=kept, size=size) if kept else past.before
        if past is not self._past:
            self._past, self.own = past, self._empty()
            return [element for chunk in reversed(chunks) for element in chunk]
        first = max(0, size - (past.size if past else 0))
        removed = list(self.own[first:])
        del self.own[first:]
        return removed

    def last(self, default: T) -> T:
        """The last element, or what stands for it if there is none."""
        last: T = default
        if self.own:
            last = self.own[-1]
        elif self._past is not None:
            last = self._past.elements[self._past.used - 1]
        return last

    def backwards(self, size: int) -> Iterator[T]:
        """The first ``size`` elements, the last of them first. What isn't taken costs nothing."""
        before, elements, used, total = self._past, self.own, len(self.own), len(self)
        while True:
            for place in range(min(used, size - total + used) - 1, -1, -1):
                yield elements[place]
            if before is None:
                return
            before, elements, used, total = before

    def since(self, size: int) -> list[T]:
        """The elements after the first ``size``."""
        count = len(self)
        return list(islice(self.backwards(count), max(0, count - size)))[::-1]

    def own_last(self) -> None:
        """Have the last element, if there is one, in :attr:`own`, so that it can be changed."""
        if not self.own and self._past is not None:
            last = self.cut(self._past.size - 1)
            self.own.extend(last)


L = TypeVar("L", bound=Log[Any])


class Integers(Log[int]):
    """Whole numbers, at eight bytes each."""

    __slots__ = ()

    def _empty(self) -> Any:
        return array("q")

    def whole(self) -> array[int]:
        """All of them. Don't change it."""
        if self._past is None:
            own: array[int] = self.own
            return own
        numbers = array("q")
        for chunk in self._chunks():
            numbers.extend(chunk)
        return numbers

    def bisect(self, number: int) -> int:
        """How many are less than this one, where they never become less."""
        past = self._past
        if past is None or (self.own and self.own[0] < number):
            return bisect_left(self.own, number) + (past.size if past else 0)
        while past.before is not None and past.elements[0] >= number:
            past = past.before
        return past.size - past.used + bisect_left(past.elements, number, 0, past.used)


class Floats(Log[float]):
    """Numbers, at eight bytes each."""

    __slots__ = ()

    def _empty(self) -> Any:
        return array("d")


class Text:
    """A text that is forked at a cost that doesn't depend on its length."""

    __slots__ = ("_own", "_past", "write")

    write: Callable[[str], int]
    """Adds to the text, up to the next fork; returns how many characters that were."""

    def __init__(self) -> None:
        self._past: _PastText = None
        self._begin()

    def _begin(self) -> None:
        self._own = StringIO()
        self.write = self._own.write

    def __str__(self) -> str:
        if self._past is None:
            return self._own.getvalue()
        pieces = [self._own]
        past: _PastText = self._past
        while past is not None:
            past, piece = past
            pieces.append(piece)
        return "".join(piece.getvalue() for piece in reversed(pieces))

    def fork(self) -> Text:
        """An independent text that goes on from here. What :attr:`write` was must no longer be used."""
        if self._own.tell():
            self._past = (self._past, self._own)
            self._begin()
        new = Text()
        new._past = self._past
        return new


_PastText = Any
"""``None``, or what came before and a piece that is no longer written to."""
