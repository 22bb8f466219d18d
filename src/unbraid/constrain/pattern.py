"""The ``pattern`` of a string schema as GBNF: the part of ECMA regular expressions that is in common use.

Sequences, alternatives, groups, classes, quantifiers, and anchors at the two ends. An expression that isn't
anchored may stand anywhere in the text. Anything else (look-around, back-references, word boundaries) is
refused by name.
"""

from __future__ import annotations

from ..format import FormatError
from . import charset as cs
from .charset import Charset
from .rules import either, sequence
from .texts import Texts

_DIGIT = cs.charset([(0x30, 0x39)])
_WORD = cs.charset([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_SPACE = cs.of(" \t\n\r\f\v")
_CLASSES = {
    "d": _DIGIT, "D": cs.negated(_DIGIT), "w": _WORD, "W": cs.negated(_WORD),
    "s": _SPACE, "S": cs.negated(_SPACE),
}  # fmt: skip
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_ANY = cs.negated(cs.of("\n\r\u2028\u2029"))


def pattern(texts: Texts, expression: str) -> str:
    """Texts that a regular expression finds.

    Raises:
        FormatError: it uses what a grammar can't express, or isn't an expression.
    """
    return _Reader(texts, expression).read()


class _Reader:
    """Reads one expression from left to right."""

    def __init__(self, texts: Texts, expression: str) -> None:
        self.texts = texts
        self.expression = expression
        self.at = 0

    def read(self) -> str:
        body = self._alternatives(0)
        if self.at < len(self.expression):
            raise self._error("has an unbalanced parenthesis")
        return body

    def _alternatives(self, depth: int) -> str:
        options = [self._sequence(depth)]
        while self._next("|"):
            options.append(self._sequence(depth))
        return either(options)

    def _sequence(self, depth: int) -> str:
        parts: list[str] = []
        anchored = self._next("^")
        if anchored and depth:
            raise self._error("has an anchor inside a group")
        closed = False
        while self.at < len(self.expression) and self.expression[self.at] not in "|)":
            if closed:
                raise self._error("has something after $")
            if self._next("$"):
                closed = True
                if depth:
                    raise self._error("has an anchor inside a group")
                continue
            parts.append(self._quantified(self._atom(depth)))
        if not depth and not anchored:
            parts.insert(0, self._anything())
        if not depth and not closed:
            parts.append(self._anything())
        return sequence(*parts)

    def _anything(self) -> str:
        return self.texts.rules.repeat(self.texts.name, self.texts.one(cs.EVERY), 0, None)

    def _atom(self, depth: int) -> str:
        character = self.expression[self.at]
        self.at += 1
        if character == "(":
            if self._next("?"):
                if self._next("<"):
                    if self.expression[self.at : self.at + 1] in ("=", "!"):
                        raise self._error("looks behind")
                    self.at = self.expression.find(">", self.at) + 1
                    if not self.at:
                        raise self._error("has a group name without an end")
                elif not self._next(":"):
                    raise self._error("looks ahead or sets flags")
            inner = self._alternatives(depth + 1)
            if not self._next(")"):
                raise self._error("has an unbalanced parenthesis")
            return inner
        if character == "[":
            return self._one(self._class())
        if character == ".":
            return self._one(_ANY)
        if character == "\\":
            return self._one(self._escape())
        if character in "*+?{^":
            raise self._error(f"has {character!r} where a character should stand")
        return self._one(cs.of(character))

    def _one(self, characters: Charset) -> str:
        try:
            return self.texts.one(characters)
        except FormatError as error:
            raise self._error(f"can't be written: {error}") from None

    def _quantified(self, item: str) -> str:
        least: int
        most: int | None
        if self._next("*"):
            least, most = 0, None
        elif self._next("+"):
            least, most = 1, None
        elif self._next("?"):
            least, most = 0, 1
        elif self._next("{"):
            end = self.expression.find("}", self.at)
            low, comma, high = self.expression[self.at : max(end, self.at)].partition(",")
            if not low.isdigit() or (high and not high.isdigit()):
                raise self._error("has braces that aren't a repetition")
            self.at = end + 1
            least = int(low)
            most = int(high) if high else None if comma else least
            if most is not None and most < least:
                raise self._error("has a repetition whose bounds are the wrong way round")
        else:
            return item
        self._next("?")
        return self.texts.rules.repeat(self.texts.name, item, least, most)

    def _class(self) -> Charset:
        inverted = self._next("^")
        found: list[Charset] = []
        while not self._next("]"):
            low = self._member()
            if self.expression[self.at : self.at + 1] == "-" and self.expression[self.at + 1 : self.at + 2] not in (
                "]",
                "",
            ):
                self.at += 1
                high = self._member()
                if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
                    raise self._error("has a range between classes")
                if low[0][0] > high[0][0]:
                    raise self._error("has a range whose ends are the wrong way round")
                found.append(cs.charset([(low[0][0], high[0][0])]))
            else:
                found.append(low)
        whole = cs.union(*found)
        return cs.negated(whole) if inverted else whole

    def _member(self) -> Charset:
        if self.at >= len(self.expression):
            raise self._error("has a class without an end")
        character = self.expression[self.at]
        self.at += 1
        if character != "\\":
            return cs.of(character)
        if self._next("b"):
            return cs.of("\b")
        return self._escape()

    def _escape(self) -> Charset:
        letter = self.expression[self.at : self.at + 1]
        self.at += 1
        if letter in _CLASSES:
            return _CLASSES[letter]
        if letter in _CONTROLS:
            return cs.of(_CONTROLS[letter])
        if letter in ("x", "u"):
            size = 2 if letter == "x" else 4
            digits = self.expression[self.at : self.at + size]
            try:
                code = int(digits, 16)
            except ValueError:
                code = -1
            if len(digits) == size and code >= 0:
                self.at += size
                return cs.charset([(code, code)])
        if not letter or letter.isalnum():
            raise self._error(f"uses \\{letter}")
        return cs.of(letter)

    def _next(self, character: str) -> bool:
        if self.expression[self.at : self.at + 1] == character:
            self.at += 1
            return True
        return False

    def _error(self, what: str) -> FormatError:
        return FormatError(f"the pattern {self.expression!r} {what}; a grammar can't express it")
