"""What a decoder of arguments is, whatever their notation, and what several decoders need.

``gemma`` and ``nested`` hold such decoders. A decoder is given the text of one call from where its arguments begin and
writes one JSON object; it knows no call markers, and its caller need not know the notation.
"""

from __future__ import annotations

from json.encoder import encode_basestring
from typing import Protocol


class Arguments(Protocol):
    """The state of reading one call's arguments and writing them as JSON.

    What was said is never taken back, and the pieces of JSON text put together are the same however the text is cut.
    Strings are said while they are written, where the notation allows that.
    """

    @property
    def done(self) -> bool:
        """Whether the arguments are over, so that the JSON object is complete."""

    @property
    def malformed(self) -> bool:
        """Whether the arguments have broken the notation's grammar."""

    @property
    def begun(self) -> bool:
        """Whether anything other than white space was read."""

    def feed(self, text: str, at: int, end: int) -> tuple[str, int]:
        """Read ``text[at:end]``; returns the JSON text that can be said now, and the place where the reading stopped.

        That place is one of these:

        * ``done``: the end of the arguments.
        * Once, when they become ``malformed``: where the grammar was broken. After that everything up to ``end`` is
          read and nothing said, so that the caller can look for the call's closing marker.
        * ``end``.
        * Before ``end`` and neither done nor malformed: what stands there may or may not be part of the arguments. The
          caller keeps it, never more than one tag, and gives it again with what follows.
        """

    def finish(self) -> str:
        """The output is over; returns the JSON text that this makes certain. The arguments may be ``done`` by it."""

    def copy(self) -> Arguments:
        """An independent decoder in the same state."""


def inside(text: str) -> str:
    """The inside of a JSON string that holds this text, or a piece of it."""
    return encode_basestring(text)[1:-1]


def overlap(text: str, at: int, end: int, marker: str) -> int:
    """How many of the last characters of ``text[at:end]`` may be the beginning of a marker that isn't over yet."""
    start = text.find(marker[0], max(at, end - len(marker) + 1), end)
    while start >= 0 and not text.startswith(marker[: end - start], start):
        start = text.find(marker[0], start + 1, end)
    return end - start if start >= 0 else 0
