"""Ids in, text out, one id at a time: what is certain is given at once, half characters wait.

A token may be part of a character, and bytes may never become one. Text that was given is never taken back: it is what
decoding all ids at once gives, with one replacement character or more for bytes that are no character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .vocabulary import Marking

REPLACEMENT = "\ufffd"
"""What decoders write for bytes that are no character, or not yet one."""

_MOST_PARTS = 12
"""So many tokens in a row that are parts of characters and never become whole aren't waited for. A character has at
most four bytes."""


class Detokenizer:
    """The state of decoding one strand of ids."""

    __slots__ = ("_given", "_marking", "_parts")

    def __init__(self, marking: Marking) -> None:
        self._marking = marking
        self._parts: list[int] = []
        """Ids that together aren't whole characters yet."""
        self._given = 0
        """How many characters of their text were given."""

    def copy(self) -> Detokenizer:
        """An independent one in the same state."""
        new = Detokenizer(self._marking)
        new._parts, new._given = self._parts.copy(), self._given
        return new

    @property
    def waits(self) -> bool:
        """Whether bytes of a character are missing."""
        return bool(self._parts)

    def feed(self, id: int) -> tuple[str, str]:
        """Take the next id; returns text that its forerunners still owed, and its own. Special tokens are marked."""
        marking = self._marking
        piece = marking.pieces.get(id)
        if piece is None:
            piece = marking.learn(id)
        if piece is not None:
            return (self.finish(), piece) if self._parts else ("", piece)
        self._parts.append(id)
        text = marking.vocabulary.piece(*self._parts)
        certain = text.rstrip(REPLACEMENT)
        if len(certain) == len(text) or len(self._parts) >= _MOST_PARTS:
            new, self._parts, self._given = text[self._given :], [], 0
            return "", new
        new, self._given = certain[self._given :], max(self._given, len(certain))
        return "", new

    def finish(self) -> str:
        """No more bytes come; returns what is still owed."""
        if not self._parts:
            return ""
        text = self._marking.vocabulary.piece(*self._parts)[self._given :]
        self._parts, self._given = [], 0
        return text
