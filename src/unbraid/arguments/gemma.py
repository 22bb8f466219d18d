"""Reads the notation in which the Gemma models write arguments, as it streams, and writes JSON.

It is like JSON, but keys are bare and strings stand between two equal quote markers, with no escapes inside::

    {seats:2,to:<|"|>Graz<|"|>,via:[<|"|>Linz<|"|>,<|"|>Wels<|"|>]}

Read as well, because models write them: keys between quote markers, strings in ordinary double quotes (with JSON's
escapes), Python's ``True``, ``False`` and ``None``, a comma after the last item, and text without quotes, which is a
string up to the end of its item. No schema is needed, and none is looked at.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring

from ..log import Log
from .decoder import Look, inside, look, overlap
from .scan import StringDecoder
from .typing import Policy, convert

_SPACE = " \t\r\n"
_LAYOUT = re.compile(r"[ \t\r\n]*")
_BARE_MARK = re.compile(r"[\[\]{},]")
_DIGITS = re.compile(r"[-+]?[0-9]+")
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {"true": "true", "True": "true", "false": "false", "False": "false", "null": "null", "None": "null"}
_KEY_LIMIT = 256
"""The longest bare key, in characters. Without it a missing colon would swallow the rest of the output."""


class GemmaDecoder:
    """The state of reading one object in this notation; see :class:`decoder.Arguments`."""

    __slots__ = (
        "_bare", "_brackets", "_decoder", "_empty", "_expect", "_is_key", "_quote", "_reading", "_stack", "_tail",
        "begun", "done", "malformed",
    )  # fmt: skip

    def __init__(self, quote: str) -> None:
        """``quote`` is the marker around strings, e.g. ``<|"|>`` or ``<escape>``."""
        self._quote = quote
        self.done = False
        self.malformed = False
        self.begun = False
        self._reading = "structure"
        """What is being read: structure, quoted string, json string, bare key or bare value."""
        self._expect = "start"
        """In structure, what may come: start, key, colon, value, item or end of item."""
        self._stack: list[str] = []
        """The open containers' brackets."""
        self._empty = True
        """Whether nothing was said yet in the innermost container."""
        self._is_key = False
        """Whether the string that is being read is a key."""
        self._decoder = StringDecoder()
        self._bare: Log[str] = Log()
        self._brackets = 0
        """How many brackets are open in a bare value."""
        self._tail = ""
        """The end of what was read, where it may become a quote marker."""

    def copy(self) -> GemmaDecoder:
        """An independent decoder in the same state."""
        new = GemmaDecoder.__new__(GemmaDecoder)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._stack = self._stack.copy()
        new._bare = self._bare.fork()
        new._decoder = self._decoder.copy()
        return new

    @property
    def plain(self) -> Look | None:
        """See :attr:`decoder.Arguments.plain`."""
        middle = self._reading == "quoted string" and not self._tail and not self.malformed
        return look(self._quote[0]) if middle else None

    def feed(self, text: str, at: int, end: int) -> tuple[str, int]:
        """Read ``text[at:end]``; returns the JSON text that can be said now and where it stopped.

        It stops after the end of the object, once where the grammar is broken first, or else at ``end``.
        """
        if self.malformed:
            return "", end
        if self._reading == "quoted string" and not self._tail and text.find(self._quote[0], at, end) < 0:
            return inside(text[at:end]), end  # the common case: the middle of a string
        moved = 0
        if self._tail and at < end:
            moved = at - len(self._tail)
            text = self._tail + text[at:end]
            at, end = 0, len(text)
            self._tail = ""
        out: list[str] = []
        while at < end and not self.done and not self.malformed:
            if self._reading == "structure":
                at = self._structure(text, at, end, out)
            elif self._reading == "quoted string":
                at = self._quoted(text, at, end, out)
            elif self._reading == "json string":
                at = self._json(text, at, end, out)
            elif self._reading == "bare key":
                at = self._bare_key(text, at, end, out)
            else:
                at = self._bare_value(text, at, end, out)
        return "".join(out), at + moved

    def finish(self) -> str:
        """The output is over: what looked like the beginning of a quote marker was text of its string."""
        tail, self._tail = self._tail, ""
        return inside(tail) if self._reading == "quoted string" and not self.malformed else ""

    # -- between strings and words -------------------------------------------------------------------------------

    def _structure(self, text: str, at: int, end: int, out: list[str]) -> int:
        layout = _LAYOUT.match(text, at, end)
        assert layout is not None
        at = layout.end()
        if at == end:
            return end
        self.begun = True
        mark, expect = text[at], self._expect
        if expect in ("key", "value", "item"):
            return self._item(text, at, end, out)
        if expect == "start" and mark == "{":
            self._open(mark, out)
        elif expect == "colon" and mark == ":":
            self._expect = "value"
        elif expect == "end of item" and mark == ",":
            self._expect = "key" if self._stack[-1] == "{" else "item"
        elif expect == "end of item" and mark == ("}" if self._stack[-1] == "{" else "]"):
            self._close(mark, out)
        else:
            self.malformed = True
            return at
        return at + 1

    def _item(self, text: str, at: int, end: int, out: list[str]) -> int:
        """A key, an object's value or an item of a list begins, or its container ends before another one."""
        mark, expect = text[at], self._expect
        if mark == {"key": "}", "item": "]"}.get(expect):
            self._close(mark, out)
            return at + 1
        if mark in {"key": ",", "value": "]", "item": ",}"}[expect]:
            self.malformed = True
            return at
        quoted = text.startswith(self._quote, at, end)
        if not quoted and overlap(text, at, end, self._quote) == end - at:
            self._tail = text[at:end]
            return end
        if expect != "value":
            out.append("" if self._empty else ", ")
            self._empty = False
        self._is_key = expect == "key"
        if quoted:
            out.append('"')
            self._reading = "quoted string"
            return at + len(self._quote)
        if mark == '"':
            out.append('"')
            self._decoder = StringDecoder()
            self._reading = "json string"
            return at + 1
        if mark in "{[" and not self._is_key:
            self._open(mark, out)
            return at + 1
        self._reading = "bare key" if self._is_key else "bare value"
        return at

    def _open(self, bracket: str, out: list[str]) -> None:
        out.append(bracket)
        self._stack.append(bracket)
        self._empty = True
        self._expect = "key" if bracket == "{" else "item"

    def _close(self, bracket: str, out: list[str]) -> None:
        out.append(bracket)
        self._stack.pop()
        self._empty = False
        self._expect = "end of item"
        self.done = not self._stack

    # -- strings -------------------------------------------------------------------------------------------------

    def _quoted(self, text: str, at: int, end: int, out: list[str]) -> int:
        found = text.find(self._quote, at, end)
        if found >= 0:
            out.append(inside(text[at:found]))
            self._string_over(out)
            return found + len(self._quote)
        certain = end - overlap(text, at, end, self._quote)
        out.append(inside(text[at:certain]))
        self._tail = text[certain:end]
        return end

    def _json(self, text: str, at: int, end: int, out: list[str]) -> int:
        """A string in ordinary quotes. What JSON doesn't allow in one, like a line end, stands for itself."""
        piece, stop = self._decoder.feed(text, at, end)
        out.append(_SURROGATE.sub(_escaped, inside(piece)))
        if self._decoder.done:
            self._string_over(out)
        return stop

    def _string_over(self, out: list[str]) -> None:
        out.append('": ' if self._is_key else '"')
        self._expect = "colon" if self._is_key else "end of item"
        self._reading = "structure"

    # -- words ---------------------------------------------------------------------------------------------------

    def _bare_key(self, text: str, at: int, end: int, out: list[str]) -> int:
        read = sum(map(len, self._bare))
        limit = at + _KEY_LIMIT + 1 - read
        colon = text.find(":", at, min(end, limit))
        stop = min(end, limit) if colon < 0 else colon
        self._bare.own.append(text[at:stop])
        if colon < 0:
            self.malformed = stop == limit
            return stop
        out.append(encode_basestring(self._bare_over()) + ": ")
        self._expect = "value"
        return colon + 1

    def _bare_value(self, text: str, at: int, end: int, out: list[str]) -> int:
        """A word, a number or text without quotes: up to the comma or the bracket that isn't a part of it."""
        start = at
        while True:
            found = _BARE_MARK.search(text, at, end)
            if found is None:
                self._bare.own.append(text[start:end])
                return end
            at = found.end()
            if found.group() in "[{":
                self._brackets += 1
            elif self._brackets == 0:
                break
            elif found.group() != ",":
                self._brackets -= 1
        self._bare.own.append(text[start : at - 1])
        out.append(_scalar(self._bare_over()))
        self._expect = "end of item"
        return at - 1

    def _bare_over(self) -> str:
        word = "".join(self._bare).strip(_SPACE)
        self._bare = Log()
        self._reading = "structure"
        return word


def _scalar(word: str) -> str:
    """The JSON text of a value without quotes: a word of JSON's or Python's, a number, or else a string."""
    known = _WORDS.get(word)
    if known is not None:
        return known
    kind = "integer" if _DIGITS.fullmatch(word) else "number"
    return convert(word, {"type": kind}, {}, Policy())


def _escaped(surrogate: re.Match[str]) -> str:
    """Half a surrogate pair, which only an escape can write in text that is to be encoded."""
    return f"\\u{ord(surrogate.group()):04x}"
