"""Strings as the grammar writes them: raw between markers, or inside the quotes of JSON.

Both are texts that may not hold certain words; they differ in what a character looks like. ``Texts`` hides
the difference from the schema and from regular expressions. It knows neither.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from ..format import FormatError
from . import charset as cs
from .charset import Charset
from .exclusion import Exclusion
from .rules import Rules, either, quote

_UNIT = r"[0-9a-cA-CefEF] [0-9a-fA-F]{3} | [dD] [0-7] [0-9a-fA-F]{2}"
_PAIR = r'[dD] [89abAB] [0-9a-fA-F]{2} "\\u" [dD] [c-fC-F] [0-9a-fA-F]{2}'
ESCAPE = rf'"\\" (["\\/bfnrt] | "u" ({_UNIT} | {_PAIR}))'
"""One escaped character of a JSON string, surrogates in pairs only."""
PLAIN: Charset = cs.without(cs.EVERY, cs.charset([(0, 0x1F), (0x22, 0x22), (0x5C, 0x5C), (0x7F, 0x7F)]))
"""The characters that a JSON string holds as they are."""
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


class Texts:
    """How strings are written in one place of a grammar."""

    def __init__(
        self, rules: Rules, name: str, excluded: Iterable[str] = (), *, raw: bool, before: Sequence[str] = ()
    ) -> None:
        self.rules = rules
        self.name = name
        self.raw = raw
        self.exclusion = Exclusion(excluded)
        self._before = before if raw else ('"',)
        self._names: list[str] = []

    def free(self) -> str:
        """Any text."""
        return self._automaton()[0]

    def beginning(self, first: Charset) -> str:
        """Raw text that isn't empty and begins with one of these characters."""
        return self.exclusion.begun(self.rules, f"{self.name}-begun", self._automaton(), first)

    def _automaton(self) -> list[str]:
        if self._names:
            return self._names
        if self.raw:
            self._names = self.exclusion.write(self.rules, self.name, before=self._before)
            return self._names
        # An escape ends in a letter or digit. Where a word could begin with that, there are no escapes.
        clear = not any(word[0].isalnum() or word[0] in '/\\"' for word in self.exclusion.words)
        self._names = self.exclusion.write(
            self.rules,
            f"{self.name}-characters",
            characters=PLAIN,
            escape=self.rules.add("json-escape", ESCAPE) if clear else "",
            before=self._before,
        )
        return self._names

    def sized(self, least: int, most: int | None) -> str:
        """Any text of so many characters. Those that begin an excluded word are left out or escaped."""
        if least == 0 and most is None:
            return self.free()
        if self.raw or self.exclusion.words:
            item = self.rules.add(f"{self.name}-character", self.one(cs.EVERY))
        else:
            escape = self.rules.add("json-escape", ESCAPE)
            item = self.rules.add(f"{self.name}-character", f"{cs.write(PLAIN)} | {escape}")
        return self.rules.repeat(self.name, item, least, most)

    def one(self, characters: Charset) -> str:
        """One character of a set, in as few spellings as cover it.

        Raises:
            FormatError: none of them can be written here.
        """
        firsts = self.exclusion.firsts
        if self.raw:
            left = cs.without(characters, firsts)
            if not left:
                raise FormatError("every character that may stand here could begin a marker")
            return cs.write(left)
        left = cs.common(cs.without(characters, firsts), PLAIN)
        options = [cs.write(left)] if left else []
        options += [quote(short) for each, short in _SHORT.items() if cs.has(characters, each)]
        options += [
            quote(f"\\u{code:04x}")
            for low, high in cs.common(cs.common(characters, firsts), PLAIN)
            for code in range(low, high + 1)
        ]
        if not options:
            raise FormatError("no character that may stand here can be written in a JSON string")
        return either(options)

    def literal(self, text: str, what: str) -> str:
        """Just this text, which ``what`` names for the reader of an error.

        Raises:
            FormatError: it holds an excluded word.
        """
        written = text if self.raw else json.dumps(text, ensure_ascii=False)[1:-1]
        self.refuse(written, what)
        return quote(written)

    def refuse(self, written: str, what: str) -> None:
        """Refuses a text that holds an excluded word."""
        word = self.exclusion.holds(written)
        if word is not None:
            raise FormatError(f"{what} holds {word!r}, a marker of the format; it can't be told from the marker")
