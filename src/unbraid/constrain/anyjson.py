"""JSON of no particular shape as rules: any value, any object, and what stands between the parts of both.

JSON is written on one line, with a space or none after colons and commas: white space that a model may choose is
white space that it may get lost in. Schemas aren't known here.
"""

from __future__ import annotations

from .numbers import number
from .rules import Rules, sequence
from .texts import Texts


class AnyJson:
    """The rules of JSON in one place of a grammar, where ``texts`` says what its strings may hold."""

    def __init__(self, rules: Rules, texts: Texts) -> None:
        self.rules = rules
        self.texts = texts
        self.colon = sequence('":"', rules.add("space", '" "?'))
        self.comma = sequence('","', rules.add("space", '" "?'))
        self._value = ""
        self._object = ""

    def value(self) -> str:
        """Any value."""
        if not self._value:
            self._value = self.rules.reserve(f"{self.texts.name}-value")
            array = self.rules.add(f"{self.texts.name}-array", self._several('"["', self._value, '"]"'))
            plain = ["true", "false", "null"]
            options = [self.object(), array, self.string(), number(self.rules, None, None, False, False)]
            self.rules.set(self._value, " | ".join([*options, *(f'"{word}"' for word in plain)]))
        return self._value

    def object(self) -> str:
        """Any object."""
        if not self._object:
            self._object = self.rules.reserve(f"{self.texts.name}-object")
            member = self.rules.add(f"{self.texts.name}-member", sequence(self.string(), self.colon, self.value()))
            self.rules.set(self._object, self._several('"{"', member, '"}"'))
        return self._object

    def string(self) -> str:
        """Any string, quotes included."""
        return self.rules.add(f"{self.texts.name}-string", sequence(r'"\""', self.texts.free(), r'"\""'))

    def _several(self, opener: str, item: str, closer: str) -> str:
        return sequence(opener, f"({item} ({sequence(self.comma, item)})*)?", closer)
