"""Reads one Python string literal as it streams, and says it as the inside of a JSON string.

Text without quotes and backslashes is found by one search and escaped by one C function, however long it is. What is
kept between two feeds is an unfinished escape or an unfinished run of quotes, ten characters at most.

More is read than Python would: a raw line end in a string that isn't triple-quoted, and an escape that Python refuses
(``"C:\\users"``), whose characters stay as they are.
"""

from __future__ import annotations

import re
from json.encoder import encode_basestring

from .decoder import Look, look

PREFIXES = frozenset(("r", "u", "b", "rb", "br"))
"""What may stand before a string's first quote, in lower case. A formatted string (``f``) is no literal."""

_STOPS = {"'": re.compile(r"['\\]"), '"': re.compile(r'["\\]')}
"""What needs a look inside a string, for each kind of quote."""

_LONGEST_ESCAPE = len(r"\U0001F60A")
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\n": "", "\r": "", "\r\n": ""}
_PLAIN.update({character: character for character in "\\'\""})

# A whole escape: a number in hex, one in octal, or plain characters. And every beginning that may go on: where an
# escape can be whole already (``\1``), it is held until the next character.
_STR_ESCAPE = re.compile(r"\\(?:(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|([0-7]{1,3})|(\r\n?|[^xuUN0-7\r]))")
_STR_BEGINNING = re.compile(r"\\(?:x[0-9a-fA-F]?|u[0-9a-fA-F]{0,3}|U[0-9a-fA-F]{0,7}|N|[0-7]{1,2}|\r)?")
_BYTES_ESCAPE = re.compile(r"\\(?:(x[0-9a-fA-F]{2})|([0-7]{1,3})|(\r\n?|[^x0-7\r]))")
_BYTES_BEGINNING = re.compile(r"\\(?:x[0-9a-fA-F]?|[0-7]{1,2}|\r)?")


class PythonString:
    """The state of reading one string literal, after its first quote.

    ``done``: the literal is over. ``malformed``: it names a character (``\\N{...}``) or gives a number that is none.
    """

    __slots__ = ("_beginning", "_escape", "_held", "_opening", "_quote", "_raw", "_triple", "done", "malformed")

    def __init__(self, prefix: str, quote: str) -> None:
        kinds = prefix.lower()
        self.done = False
        self.malformed = False
        self._quote = quote
        self._raw = "r" in kinds
        self._escape = _BYTES_ESCAPE if "b" in kinds else _STR_ESCAPE
        self._beginning = _BYTES_BEGINNING if "b" in kinds else _STR_BEGINNING
        self._opening = 1
        """How many opening quotes were read, while that decides between ``"``, ``""`` and a triple quote; else 0."""
        self._triple = False
        self._held = ""

    def copy(self) -> PythonString:
        """An independent reader in the same state."""
        new = PythonString.__new__(PythonString)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        return new

    @property
    def plain(self) -> Look | None:
        """In the middle of the literal, what finds a character that needs a look; see ``decoder.Arguments.plain``."""
        return None if self._opening or self._held or self.done or self.malformed else look(self._quote)

    def feed(self, text: str, at: int, end: int) -> tuple[str, int]:
        """Read ``text[at:end]`` up to the end of the literal, or to what breaks it.

        Returns JSON text to go between two quotes, and where it stopped.
        """
        out: list[str] = []
        while at < end and not self.done and not self.malformed:
            if self._opening:
                at = self._open(text[at], at)
            elif not self._held:
                at = self._run(text, at, end, out)
            elif self._held[0] == self._quote:
                at = self._close_triple(text[at], at, out)
            elif self._raw:
                out.append(_said(self._held + text[at]))
                self._held = ""
                at += 1
            else:
                at = self._read_escape(text, at, end, out)
        return "".join(out), at

    def _open(self, character: str, at: int) -> int:
        if character == self._quote:
            self._opening += 1
            self._triple = self._opening == 3
            if self._triple:
                self._opening = 0
            return at + 1
        self.done = self._opening == 2
        self._opening = 0
        return at

    def _run(self, text: str, at: int, end: int, out: list[str]) -> int:
        found = _STOPS[self._quote].search(text, at, end)
        stop = end if found is None else found.start()
        if stop > at:
            out.append(_said(text[at:stop]))
        if found is None:
            return end
        if found.group() == self._quote and not self._triple:
            self.done = True
        else:
            self._held = found.group()
        return stop + 1

    def _close_triple(self, character: str, at: int, out: list[str]) -> int:
        if character != self._quote:
            out.append(_said(self._held))
            self._held = ""
            return at
        self._held += character
        self.done = len(self._held) == 3
        return at + 1

    def _read_escape(self, text: str, at: int, end: int, out: list[str]) -> int:
        held = len(self._held)
        window = self._held + text[at : min(end, at + _LONGEST_ESCAPE)]
        beginning = self._beginning.match(window)
        assert beginning is not None
        if beginning.end() == len(window):
            self._held = window
            return end
        whole = self._escape.match(window)
        if whole is not None:
            said = _decoded(whole)
            self.malformed = said is None
            out.append(said or "")
        elif window.startswith("\\N{"):
            self.malformed = True
        else:
            out.append(_said(beginning.group()))
        self._held = ""
        return at + (whole or beginning).end() - held


def _said(text: str) -> str:
    """Characters as they stand inside a JSON string."""
    return encode_basestring(text)[1:-1]


def _decoded(escape: re.Match[str]) -> str | None:
    """What a whole escape stands for, as JSON; ``None`` if its number is no character's.

    A surrogate stays an escape: every JSON reader joins two of them into the character that they mean.
    """
    hexadecimal, octal, plain = escape.groups()
    if plain is not None:
        return _said(_PLAIN.get(plain, "\\" + plain))
    code = int(hexadecimal[1:], 16) if hexadecimal else int(octal, 8)
    if code > 0x10FFFF:
        return None
    return f"\\u{code:04x}" if 0xD800 <= code < 0xE000 else _said(chr(code))
