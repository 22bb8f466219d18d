"""The characters of a raw value: white space around it that is layout, and XML's entities.

Both are undone while the text arrives. What is held back is white space that may be the last of the value, and the
beginning of at most one entity. No typing here (``typing``), and no markers.
"""

from __future__ import annotations

import re

from ..log import Log

SPACE = " \t\r\n"
"""White space that can be layout: XML's."""

_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));")
_BEGUN = re.compile(
    r"&(?:l(?:t)?|g(?:t)?|a(?:m(?:p)?|p(?:o(?:s)?)?)?|q(?:u(?:o(?:t)?)?)?|#(?:[0-9]{1,7}|x[0-9a-fA-F]{0,6})?)?\Z"
)
"""An entity that isn't over yet, at the end of a text."""
_LONGEST = len("&#x10ffff;")


def read(text: str, strip: bool, entities: bool) -> str:
    """The characters of a whole value."""
    reader = RawText(strip, entities)
    return reader.feed(text) + reader.finish()


def unescape(text: str) -> str:
    """The text with XML's entities replaced, each once. What is no entity, or stands for no character, stays."""
    return _ENTITY.sub(_character, text) if "&" in text else text


def _character(entity: re.Match[str]) -> str:
    name, decimal, hexadecimal = entity.groups()
    if name is not None:
        return _NAMED[name]
    code = int(decimal) if decimal is not None else int(hexadecimal, 16)
    allowed = code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or 0x10000 <= code < 0x110000
    return chr(code) if allowed else entity.group()


class RawText:
    """The state of reading one value's characters.

    What is said is never taken back, and is the same however the text is cut. White space is taken off first, so that
    an entity may stand for white space that is meant.
    """

    __slots__ = ("_begun", "_entities", "_entity", "_space", "_strip")

    def __init__(self, strip: bool, entities: bool) -> None:
        self._strip = strip
        self._entities = entities
        self._begun = False
        """Whether anything other than layout was read."""
        self._space: Log[str] = Log()
        """White space that was read and is the value's only if more follows."""
        self._entity = ""
        """The beginning of an entity."""

    def copy(self) -> RawText:
        """An independent reader in the same state."""
        new = RawText(self._strip, self._entities)
        new._begun, new._space, new._entity = self._begun, self._space.fork(), self._entity
        return new

    @property
    def holds(self) -> bool:
        """Whether something was read of which nothing was said."""
        return bool(self._space or self._entity)

    def feed(self, text: str) -> str:
        """A piece of the value as it is written; returns the characters that are certain now."""
        if self._strip:
            text = self._stripped(text)
        return self._unescaped(text) if self._entities and text else text

    def finish(self) -> str:
        """The value is over; returns the characters that this makes certain."""
        rest, self._entity = self._entity, ""
        self._space = Log()
        return rest

    def _stripped(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip(SPACE)
            self._begun = bool(text)
        words = text.rstrip(SPACE)
        if words:
            said, self._space = "".join(self._space) + words, Log()
        else:
            said = ""
        if len(words) < len(text):
            self._space.own.append(text[len(words) :])
        return said

    def _unescaped(self, text: str) -> str:
        text, self._entity = self._entity + text, ""
        begun = _BEGUN.search(text, max(0, len(text) - _LONGEST))
        if begun is not None:
            text, self._entity = text[: begun.start()], begun.group()
        return unescape(text)
