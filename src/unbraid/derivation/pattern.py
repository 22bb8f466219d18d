"""Regular expressions as literals, as far as a literal can say the same.

``<tool_call>\\s*<function=(?P<name>\\w+)>`` is ``"<tool_call>\\n<function={name}>"``: white space in a literal is soft,
a named group is a hole, what may be missing is ``{?...}``, and alternatives are several spellings.
"""

from __future__ import annotations

from itertools import product

from ..format import FormatError

_SPACES = {r"\s", r"\n", r"\t", r"\r", " "}
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_AT_END = {"$", r"\Z", r"\z"}


class NotLiteral(Exception):
    """What a literal can't say. The text is the part of the pattern that is meant."""


def literals(pattern: str, where: str) -> tuple[str, ...]:
    """The spellings that a pattern stands for; empty if it stands for nothing but the end of the text.

    Args:
        pattern: a regular expression.
        where: what it is called in an error, e.g. ``"response_template.fields.tool_calls.open_pattern"``.

    Raises:
        FormatError: it says more than literals can.
    """
    try:
        reader = _Reader(pattern)
        found = reader.alternatives()
        if reader.at < len(pattern):
            raise NotLiteral(pattern[reader.at :])
    except NotLiteral as part:
        raise FormatError(
            f"{where} has {str(part)!r}, which a format can't say; write it by hand as in docs/examples/mine.toml"
        ) from None
    return tuple(dict.fromkeys(each for each in found if each.strip()))


def groups(pattern: str, where: str) -> tuple[str, str]:
    """A pattern for one parameter, as its opener with ``{key}`` and its closer: what stands around the group ``value``.

    Raises:
        FormatError: it has no such groups, or says more than literals can.
    """
    before, found, after = pattern.partition("(?P<value>")
    if not found or "(?P<key>" not in before:
        raise FormatError(f"{where} needs the groups key and value, in this order")
    depth, at = 1, 0
    while at < len(after) and depth:
        if after[at] == "\\":
            at += 1
        else:
            depth += (after[at] == "(") - (after[at] == ")")
        at += 1
    opened, closed = literals(before, where), literals(after[at:], where)
    if not opened or not closed:
        raise FormatError(f"{where} needs text before and after its value")
    return opened[0], closed[0]


class _Reader:
    """Goes through a pattern once."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def alternatives(self) -> list[str]:
        """All spellings up to a closing parenthesis or the end."""
        found = self._sequence()
        while self._next() == "|":
            self.at += 1
            found += self._sequence()
        return found

    def _next(self) -> str:
        """The next unit: a character, or one with its escape."""
        width = 2 if self.pattern.startswith("\\", self.at) else 1
        return self.pattern[self.at : self.at + width]

    def _sequence(self) -> list[str]:
        found = [""]
        while (unit := self._next()) and unit not in ("|", ")"):
            found = ["".join(each) for each in product(found, self._item(unit))]
            if len(found) > 16:
                raise NotLiteral(self.pattern)
        return found

    def _item(self, unit: str) -> list[str]:
        start = self.at
        if unit == "(":
            items = self._group()
        elif unit in _AT_END:
            self.at += len(unit)
            return [""]
        else:
            self.at += len(unit)
            items = [self._character(unit, start)]
        many = self._quantifier()
        if many == "?":
            return [f"{{?{each}}}" if each.strip() else each for each in items]
        if many in ("*", "+") and unit in _SPACES:
            return ["\n" if unit in (r"\s", r"\n") else " "]
        if many:
            raise NotLiteral(self.pattern[start : self.at])
        return items

    def _character(self, unit: str, start: int) -> str:
        if unit == r"\s":
            return " "
        if unit[0] == "\\":
            if unit[1:].isalnum() and unit[1] not in _ESCAPED:
                raise NotLiteral(self._piece(start))
            unit = _ESCAPED.get(unit[1:], unit[1:])
        elif unit in ".[^*+?":
            raise NotLiteral(self._piece(start))
        return {"{": "{{", "}": "}}"}.get(unit, unit)

    def _piece(self, start: int) -> str:
        """The part of the pattern that isn't understood, its quantifier included."""
        end = self.pattern.find("]", start) + 1 if self.pattern[start] == "[" else start + len(self._unit(start))
        while end < len(self.pattern) and self.pattern[end] in "*+?":
            end += 1
        return self.pattern[start : end or len(self.pattern)]

    def _unit(self, at: int) -> str:
        return self.pattern[at : at + (2 if self.pattern[at] == "\\" else 1)]

    def _group(self) -> list[str]:
        start = self.at
        rest = self.pattern[start:]
        if rest.startswith("(?:"):
            self.at += 3
            items = self.alternatives()
            self._close(start)
            return items
        if rest.startswith("(?P<"):
            name = rest[4:].partition(">")[0]
            self._skip(start)
            return [f"{{{name}}}"]
        self._skip(start)
        raise NotLiteral(self.pattern[start : self.at])

    def _close(self, start: int) -> None:
        if self._next() != ")":
            raise NotLiteral(self.pattern[start:])
        self.at += 1

    def _skip(self, start: int) -> None:
        """Pass over a group, whatever stands in it: what fills a hole is the vocabulary's to say."""
        depth = 0
        inside = False
        while self.at < len(self.pattern):
            unit = self._next()
            inside = (inside or unit == "[") and unit != "]"
            depth += 0 if inside else (unit == "(") - (unit == ")")
            self.at += len(unit)
            if depth == 0:
                return
        raise NotLiteral(self.pattern[start:])

    def _quantifier(self) -> str:
        sign = self._next()
        if sign == "{":
            raise NotLiteral(self.pattern[self.at :].partition("}")[0] + "}")
        if sign not in ("*", "+", "?"):
            return ""
        self.at += 1
        if self._next() in ("?", "+"):
            self.at += 1
        return sign
