"""Reads calls written as Python, ``f(a=1, b="x")``, and says their arguments as JSON while they stream.

Nothing is evaluated and no tree is built: a stack of open brackets and the unfinished word are all that is kept.
Two things can be told only after their first item, so that item waits for it: whether ``(`` opens a tuple or just
stands around one value, and whether ``{`` opens a dict or a set. Everything else is said as soon as it was read.

What is read: keyword arguments with literals, Python's or JSON's (``true``, ``null``). Tuples and sets become arrays, a
dict's keys strings. Leading zeros (``07``) and reserved words as keywords (``from=1``) are taken; no name stands
for a value, and nothing is computed. String literals are read by ``python_string``.
"""

from __future__ import annotations

import re
from typing import Literal

from .decoder import Look
from .json_call import Sink
from .python_string import PREFIXES, PythonString
from .scan import JsonScanner

_SPACE = re.compile(r"[ \t\n\r\f\v]*")
_WORD = re.compile(r"[\w.+\-]*")
_NAME = re.compile(r"[^\W\d][\w.\-]*")
_NAME_START = re.compile(r"[^\W\d]")
_KEYWORD = re.compile(r"[\w.\-]+")
_LONGEST_NAME = 256

_QUOTES = "'\""
_CLOSERS = {"(": ")", "tuple": ")", "{": "}", "set": "}", "dict": "}", "[": "]"}
"""The end of each bracket; ``(`` and ``{`` are those of which nothing more is known yet."""

_CONSTANTS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = re.compile(rf"([+-]?)({_DIGITS})?(?:(\.)({_DIGITS})?)?([eE][+-]?{_DIGITS})?")
_RADIX = re.compile(r"[+-]?0(?:[xX](?:_?[0-9a-fA-F])+|[oO](?:_?[0-7])+|[bB](?:_?[01])+)")
_LONGEST_RADIX = 1000
"""Turning longer ones into decimal digits would take time quadratic in their length."""


class PythonDecoder:
    """The state of reading one body: calls in a list, or one call on each line.

    ``list``: ``[f(a=1), g()]``, over after the bracket; or one call without brackets, over after its parenthesis.
    ``lines``: over before the first character that can't begin another call.

    ``done``: the body is over. ``broken``: it isn't such a body; if ``named``, a call has begun nevertheless.
    ``malformed``: an argument is no literal; from there on all is consumed and nothing is said.
    """

    __slots__ = (
        "_empty",
        "_expect",
        "_held",
        "_in_list",
        "_key",
        "_last",
        "_layout",
        "_ready",
        "_separator",
        "_stack",
        "_string",
        "_undecided",
        "_word",
        "broken",
        "done",
        "malformed",
        "named",
    )  # fmt: skip

    def __init__(self, layout: Literal["list", "lines"]) -> None:
        self.done = False
        self.broken = False
        self.malformed = False
        self.named = False
        """Whether a call has been named in this body."""
        self._layout = layout
        self._in_list = False
        self._expect = "body" if layout == "list" else "name"
        """``body``, ``name``, ``after call``; in a call ``keyword``, ``=``; ``value`` (there must be one), ``item``
        (or the bracket's end), ``key`` of a dict (or its end), ``:``, ``after string``, ``after value``."""
        self._stack: list[str] = []
        """The open brackets, the call's own (``call``) at the bottom."""
        self._empty = False
        """Whether the innermost bracket has no item yet."""
        self._separator = ""
        """What must be said before the next item."""
        self._word: list[str] = []
        self._string: PythonString | None = None
        self._key = False
        """Whether the string that is being read is a dict's key."""
        self._last = ""
        """What the last value was: ``string``, ``scalar`` or ``bracket``."""
        self._ready: list[str] = []
        self._held: list[str] = []
        self._undecided: list[int] = []
        """The places in ``_held`` that are left open for ``[`` or ``{``; the first is its beginning."""

    def copy(self) -> PythonDecoder:
        """An independent decoder in the same state."""
        new = PythonDecoder.__new__(PythonDecoder)
        for name in self.__slots__:
            value = getattr(self, name)
            setattr(new, name, value.copy() if isinstance(value, list | PythonString) else value)
        return new

    @property
    def scanner(self) -> JsonScanner | None:
        """Always ``None``: no part of the arguments passes through as it is."""
        return None

    @property
    def waiting(self) -> str:
        """The name always comes first, so no arguments wait for it."""
        return ""

    @property
    def undecided(self) -> bool:
        """Whether arguments wait until it is known what their bracket is."""
        return bool(self._undecided)

    @property
    def arguments_over(self) -> bool:
        """Whether the arguments of the last call are complete."""
        return self.named and not self._stack

    @property
    def plain(self) -> Look | None:
        """In the middle of a string, what finds a character that needs a look; see :attr:`decoder.Arguments.plain`."""
        string = self._string
        return string.plain if string is not None and not self._undecided and not self.malformed else None

    def feed(self, text: str, at: int, end: int, sink: Sink) -> int:
        """Read ``text[at:end]``; returns where it stopped: at the end of the body, where it broke, or at ``end``.

        It also stops once where ``malformed`` becomes true.
        """
        if self.malformed:
            sink.mark("argument", end)
            return end
        while at < end and not self.done and not self.broken and not self.malformed:
            if self._string is not None:
                at = self._in_string(self._string, text, at, end)
            else:
                at = self._outside(text, at, end, sink)
        self._flush(sink)
        naming = self._expect == "name" and self._word
        sink.mark("argument" if self._stack else "tool_name" if naming else "markup", at)
        return at

    def _flush(self, sink: Sink) -> None:
        if self._ready:
            sink.call_arguments("".join(self._ready))
            self._ready = []

    # -- words and single characters -----------------------------------------------------------------------------

    def _outside(self, text: str, at: int, end: int, sink: Sink) -> int:
        if self._expect in _BEFORE_WORD:
            stop = self._word_end(text, at, end)
            if stop > at and (self._word or self._may_begin_word(text[at])):
                if not self._word and self._expect == "name":
                    sink.mark("markup", at)
                self._word.append(text[at:stop])
                return stop
            if self._word:
                return self._word_over(text, at, end, sink)
        space = _SPACE.match(text, at, end)
        assert space is not None
        if space.end() > at:
            return space.end()
        if self._expect in ("body", "name", "after call"):
            return self._between_calls(text[at], at)
        if self._expect == "after string" and text[at] not in _QUOTES:
            self._say('"')
            self._value_over("string")
        return self._structure(text[at], at, sink)

    def _word_end(self, text: str, at: int, end: int) -> int:
        if self._expect in ("name", "keyword"):
            end = min(end, at + _LONGEST_NAME - sum(map(len, self._word)))
        word = _WORD.match(text, at, end)
        assert word is not None
        return word.end()

    def _may_begin_word(self, character: str) -> bool:
        return self._expect != "name" or _NAME_START.match(character) is not None

    def _word_over(self, text: str, at: int, end: int, sink: Sink) -> int:
        word = "".join(self._word)
        if self._expect == "name":
            return self._name_over(word, text[at], at, sink)
        if self._expect == "keyword":
            if _KEYWORD.fullmatch(word):
                self._expect = "="
            else:
                self.malformed = True
            return at
        if text[at] in _QUOTES and word.lower() in PREFIXES:
            return self._begin_string(word, text[at], at)
        json = None
        if self._expect != "after string":
            space = _SPACE.match(text, at, end)
            if word in ("-", "+") and space is not None and space.end() > at:
                return space.end()
            json = _literal(word)
        if json is None:
            self.malformed = True
            return at
        self._word = []
        key = self._expect == "key"
        self._begin_item()
        self._say(f'"{json}"' if key else json)
        self._key = key
        self._value_over("scalar")
        return at

    def _structure(self, mark: str, at: int, sink: Sink) -> int:
        expect, inner = self._expect, self._stack[-1]
        if expect == "=" and mark == "=":
            self._say(f'{self._separator}"{"".join(self._word)}": ')
            self._separator = ""
            self._word = []
            self._expect = "value"
        elif expect in ("value", "item", "key", "after string") and mark in _QUOTES:
            return self._begin_string("", mark, at)
        elif expect in ("value", "item") and mark in "[({":
            self._open(mark)
        elif expect == ":" and mark == ":":
            self._say(": ")
            self._expect = "value"
        elif expect == "after value" and mark == ":" and inner == "{" and self._last != "bracket":
            self._begin_dict()
        elif expect == "after value" and mark == ",":
            self._comma(inner)
        elif expect in ("after value", "keyword") and mark == ")" and inner == "call":
            return self._call_over(at, sink)
        elif expect in ("after value", "item", "key") and mark == _CLOSERS.get(inner):
            self._close()
        else:
            self.malformed = True
            return at
        return at + 1

    # -- calls ---------------------------------------------------------------------------------------------------

    def _between_calls(self, mark: str, at: int) -> int:
        expect = self._expect
        if expect == "body" and mark == "[":
            self._in_list = True
            self._expect = "name"
        elif expect == "body":
            self._expect = "name"
            return at
        elif expect == "after call" and mark == ",":
            self._expect = "name"
        elif mark == "]" and self._in_list and self.named:
            self.done = True
        elif expect == "name" and self._layout == "lines" and self.named:
            self.done = True
            return at
        else:
            self.broken = True
            return at
        return at + 1

    def _name_over(self, name: str, mark: str, at: int, sink: Sink) -> int:
        sink.mark("tool_name", at)
        if mark != "(" or not _NAME.fullmatch(name):
            self.broken = True
            return at
        sink.mark("markup", at + 1)
        if not sink.call_named(name, None, at):
            self.broken = True
            return at + 1
        self.named = True
        self._word = []
        self._stack.append("call")
        self._separator = ""
        self._say("{")
        self._expect = "keyword"
        return at + 1

    def _call_over(self, at: int, sink: Sink) -> int:
        self._say("}")
        self._flush(sink)
        self._stack.pop()
        sink.mark("argument", at)
        sink.mark("markup", at + 1)
        sink.call_over(at + 1)
        self._expect = "name" if self._layout == "lines" else "after call"
        self.done = self._layout == "list" and not self._in_list
        return at + 1

    # -- values --------------------------------------------------------------------------------------------------

    def _say(self, json: str) -> None:
        (self._held if self._undecided else self._ready).append(json)

    def _begin_item(self) -> None:
        if self._separator:
            self._say(self._separator)
            self._separator = ""
        self._empty = False

    def _value_over(self, kind: str) -> None:
        self._last = kind
        self._expect = ":" if self._key else "after value"
        self._key = False

    def _begin_string(self, prefix: str, quote: str, at: int) -> int:
        self._word = []
        if self._expect != "after string":
            self._key = self._expect == "key"
            self._begin_item()
            self._say('"')
        self._string = PythonString(prefix, quote)
        return at + 1

    def _in_string(self, string: PythonString, text: str, at: int, end: int) -> int:
        piece, stop = string.feed(text, at, end)
        if piece:
            self._say(piece)
        self.malformed = string.malformed
        if string.done:
            self._string = None
            self._expect = "after string"
        return stop

    def _open(self, mark: str) -> None:
        self._begin_item()
        self._stack.append(mark)
        self._empty = True
        self._expect = "item"
        if mark == "[":
            self._say("[")
        else:
            self._undecided.append(len(self._held))
            self._held.append("")

    def _decide(self, bracket: str) -> None:
        """It is known what the innermost bracket is."""
        self._held[self._undecided.pop()] = bracket
        if not self._undecided:
            self._ready += self._held
            self._held = []

    def _begin_dict(self) -> None:
        scalar = self._last == "scalar"
        self._say('": ' if scalar else ": ")
        self._decide('{"' if scalar else "{")
        self._stack[-1] = "dict"
        self._expect = "value"

    def _comma(self, inner: str) -> None:
        self._separator = ", "
        self._expect = {"call": "keyword", "dict": "key"}.get(inner, "item")
        if inner in ("(", "{"):
            self._decide("[")
            self._stack[-1] = "tuple" if inner == "(" else "set"

    def _close(self) -> None:
        bracket = self._stack.pop()
        end = "}" if bracket == "dict" else "]"
        if bracket == "(":
            self._decide("[" if self._empty else "")
            end = "]" if self._empty else ""
        elif bracket == "{":
            self._decide("{" if self._empty else "[")
            end = "}" if self._empty else "]"
        self._empty = False
        self._say(end)
        self._value_over("bracket")


_BEFORE_WORD = frozenset(("name", "keyword", "value", "item", "key", "after string"))


def _literal(word: str) -> str | None:
    """The JSON text of a constant or a number; ``None`` if the word is neither."""
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    radix = _RADIX.fullmatch(word)
    if radix is not None:
        return str(int(word, 0)) if len(word) <= _LONGEST_RADIX else None
    number = _NUMBER.fullmatch(word)
    if number is None or not (number[2] or number[4]):
        return None
    sign, whole, point, fraction, exponent = (part or "" for part in number.groups())
    digits = whole.replace("_", "").lstrip("0") or "0"
    sign = "-" if sign == "-" else ""
    if not point and not exponent:
        return digits if digits == "0" else sign + digits
    decimals = f".{fraction.replace('_', '') or '0'}" if point else ""
    return sign + digits + decimals + exponent.replace("_", "")
