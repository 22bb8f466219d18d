"""Walks one JSON value as it streams, without building it: where does it end, and is it JSON?

Text passes through untouched, so there is nothing to emit here; callers forward the characters themselves. A value
that breaks JSON's grammar is still followed by its brackets and strings, and flagged ``malformed``.
"""

from __future__ import annotations

import re
from json.decoder import scanstring  # type: ignore[attr-defined]

STRING_STOP = re.compile(r'["\\\x00-\x1f]')
"""What needs a look inside a JSON string. Text without it passes through and changes nothing."""

_INSIDE = r'[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)'
_STRING_RUN = re.compile(_INSIDE + "{0,1000}")

_TOKEN = re.compile(r'[ \t\n\r]*(?:([{}\[\],:"])|([-+.0-9A-Za-z]+)|(.))?', re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null|NaN|-?Infinity")
_SCALAR_CHARACTER = re.compile(r"[-+.0-9A-Za-z]")
_ESCAPES = frozenset('"\\/bfnrt')
_HEX = frozenset("0123456789abcdefABCDEF")
_SCALAR_KEPT = 400
_LONG = 128
"""From so many characters on, asking ``json``'s own scanner, which is written in C, is worth a call."""
_CHUNK = 8192
"""So many characters it is given at a time, so that what it reads in vain, and its error, cost the same in any text."""


class JsonScanner:
    """The state of a walk through one JSON value.

    ``done``: the value is over. ``malformed``: it has broken JSON's grammar somewhere.
    """

    __slots__ = ("_escape", "_expect", "_key", "_scalar", "_stack", "done", "in_string", "malformed")

    def __init__(self) -> None:
        self.done = False
        self.malformed = False
        self.in_string = False
        self._stack: list[str] = []
        self._expect = "value"
        self._key = False
        self._escape = 0
        self._scalar = ""

    @property
    def begun(self) -> bool:
        """Whether anything of the value has been read."""
        return bool(self._stack) or self.done or self.in_string or bool(self._scalar) or self._expect != "value"

    def copy(self) -> JsonScanner:
        """An independent scanner in the same state."""
        new = JsonScanner.__new__(JsonScanner)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._stack = self._stack.copy()
        return new

    @property
    def plain(self) -> bool:
        """Whether text without a :data:`STRING_STOP` can't change anything now."""
        return self.in_string and not self._escape

    def scan(self, text: str, start: int, end: int) -> int:
        """Walk ``text[start:end]``; returns where the walk stopped.

        It stops at the end of the value, at the end of the text, and once where the value first breaks the grammar,
        so that a caller can listen to closing markers from there on.
        """
        sane = not self.malformed
        at = start
        while at < end and not self.done:
            at = self._in_string(text, at, end) if self.in_string else self._outside(text, at, end)
            if sane and self.malformed:
                break
        return at

    def _in_string(self, text: str, at: int, end: int) -> int:
        if self._escape:
            return self._in_escape(text, at)
        if end - at > _LONG and not self.malformed:
            cut = min(end, at + _CHUNK)
            escape = text.rfind("\\", at, cut)  # the last one may be cut
            chunk = text[at : escape if escape > at else cut]
            try:
                # With a quote after it, a chunk that is sound to its end reads as a whole string.
                stop: int = scanstring(chunk + '"', 0)[1]
            except ValueError:
                pass  # an escape that is broken, or cut after all
            else:
                if stop <= len(chunk):
                    self._string_over()
                return at + min(stop, len(chunk))
        run = _STRING_RUN.match(text, at, end)
        if run is not None and run.end() > at:
            return run.end()
        found = text[at]
        if found == '"':
            self._string_over()
        elif found == "\\":
            self._escape = 1
        else:
            self.malformed = True
        return at + 1

    def _string_over(self) -> None:
        self.in_string = False
        if self._key:
            self._expect = ":"
        else:
            self._value_over()

    def _in_escape(self, text: str, at: int) -> int:
        character = text[at]
        if self._escape == 1:
            if character == "u":
                self._escape = 5
                return at + 1
            if character not in _ESCAPES:
                self.malformed = True
            self._escape = 0
        elif character in _HEX:
            self._escape = self._escape - 1 if self._escape > 2 else 0
        else:
            self.malformed = True
            self._escape = 0
            return at
        return at + 1

    def _outside(self, text: str, at: int, end: int) -> int:
        if self._scalar and not _SCALAR_CHARACTER.match(text[at]):
            self._scalar_over()
            if self.done:
                return at
        token = _TOKEN.match(text, at, end)
        assert token is not None
        mark = token.group(1)
        if mark is not None:
            self._mark(mark)
        elif token.group(2) is not None:
            if not self._scalar and self._expect not in ("value", "value or ]"):
                self.malformed = True
            if len(self._scalar) < _SCALAR_KEPT:
                self._scalar += token.group(2)
        elif token.group(3) is not None and not self.malformed:
            self.malformed = True
            return token.start(3)
        return token.end()

    def _scalar_over(self) -> None:
        scalar, self._scalar = self._scalar, ""
        if len(scalar) < _SCALAR_KEPT and not _SCALAR.fullmatch(scalar):
            self.malformed = True
        self._value_over()

    def finish(self) -> None:
        """The output is over: a number at the top level is complete now."""
        if self._scalar and not self.done:
            self._scalar_over()

    def _value_over(self) -> None:
        if self._stack:
            self._expect = ", or end"
        else:
            self.done = True

    def _mark(self, mark: str) -> None:
        expect = self._expect
        if mark == '"':
            self._key = expect in ("key", "key or }")
            if not self._key and expect not in ("value", "value or ]"):
                self.malformed = True
            self.in_string = True
        elif mark == "{" or mark == "[":
            if expect not in ("value", "value or ]"):
                self.malformed = True
            self._stack.append(mark)
            self._expect = "key or }" if mark == "{" else "value or ]"
        elif mark == "}" or mark == "]":
            opened = self._stack.pop() if self._stack else ""
            fits = expect == ", or end" or expect == ("key or }" if mark == "}" else "value or ]")
            if not fits or opened != ("{" if mark == "}" else "["):
                self.malformed = True
            self._value_over()
        elif mark == ",":
            if expect != ", or end":
                self.malformed = True
            self._expect = "key" if self._stack and self._stack[-1] == "{" else "value"
        else:
            if expect != ":":
                self.malformed = True
            self._expect = "value"


class StringDecoder:
    """Decodes the inside of one JSON string as it streams: escapes become characters."""

    __slots__ = ("_escape", "_high", "done", "malformed")

    def __init__(self) -> None:
        self.done = False
        self.malformed = False
        self._escape = ""
        self._high = ""

    def copy(self) -> StringDecoder:
        """An independent decoder in the same state."""
        new = StringDecoder()
        new.done, new.malformed, new._escape, new._high = self.done, self.malformed, self._escape, self._high
        return new

    def feed(self, text: str, at: int, end: int) -> tuple[str, int]:
        """Decode ``text[at:end]`` up to the closing quote; returns the characters and where it stopped.

        It also stops once where the string first breaks JSON's grammar, as :meth:`JsonScanner.scan` does.
        """
        out: list[str] = []
        sane = not self.malformed
        while at < end and not self.done and not (sane and self.malformed):
            if self._escape:
                self._escape += text[at]
                at += 1
                self._try_escape(out)
                continue
            stop = STRING_STOP.search(text, at, end)
            here = end if stop is None else stop.start()
            if here > at:
                self._flush_high(out)
                out.append(text[at:here])
            if stop is None:
                return "".join(out), end
            at = here + 1
            found = stop.group()
            if found == "\\":
                self._escape = "\\"
                continue
            self._flush_high(out)
            if found == '"':
                self.done = True
            else:
                self.malformed = True
                out.append(found)
        return "".join(out), at

    def _flush_high(self, out: list[str]) -> None:
        if self._high:
            out.append(self._high)
            self._high = ""

    def _try_escape(self, out: list[str]) -> None:
        escape = self._escape
        if escape[1] != "u":
            self._flush_high(out)
            plain = _DECODED.get(escape[1])
            if plain is None:
                self.malformed = True
                plain = escape
            out.append(plain)
            self._escape = ""
            return
        if len(escape) > 2 and escape[-1] not in _HEX:
            self.malformed = True
            self._flush_high(out)
            out.append(escape)
            self._escape = ""
            return
        if len(escape) < 6:
            return
        self._escape = ""
        unit = chr(int(escape[2:], 16))
        if self._high and "\udc00" <= unit <= "\udfff":
            pair = 0x10000 + (ord(self._high) - 0xD800) * 0x400 + (ord(unit) - 0xDC00)
            out.append(chr(pair))
            self._high = ""
            return
        self._flush_high(out)
        if "\ud800" <= unit <= "\udbff":
            self._high = unit
        else:
            out.append(unit)


_DECODED = {
    '"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
}  # fmt: skip
