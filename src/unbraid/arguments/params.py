"""Writes the JSON object of a call whose parameters are raw text, while they arrive.

A value that the schema calls a string streams as it comes; any other waits for its end and is typed then (``typing``).
Where the marker says a type, that is how the model wrote the value: under every policy, and the schema isn't asked.
Layout around a value and XML's entities are undone on the way, in formats that have them (``rawtext``).
The writer knows no markers: it is told where parameters begin and end.
"""

from __future__ import annotations

from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any

from ..format import Params
from ..log import Log
from .rawtext import RawText
from .schemas import names
from .typing import SCHEMA, Policy, Rules, convert, is_string


class ParamsWriter:
    """The state of writing one call's arguments."""

    __slots__ = (
        "_codec", "_names", "_policy", "_raw", "_root", "_rules", "_schema", "_streams", "_value", "count", "given",
        "inside",
    )  # fmt: skip

    def __init__(self, schema: Mapping[str, Any] | None, codec: Params, rules: Rules = SCHEMA) -> None:
        """``schema``: that of the arguments, an object. ``rules``: how values without a type of their own are typed."""
        self._root: Mapping[str, Any] = schema or {}
        self._names = names(schema, self._root)
        self._codec = codec
        self._rules = rules
        self._policy = Policy(codec.untyped, rules)
        self._schema: Any = None
        self._streams = False
        self._value: Log[str] = Log()
        self._raw: RawText | None = None
        """What reads the open value's characters, where they don't stand for themselves."""
        self.count = 0
        """How many parameters have begun."""
        self.given: set[str] = set()
        """Their names."""
        self.inside = False
        """Whether a value is open."""

    def copy(self) -> ParamsWriter:
        """An independent writer in the same state."""
        new = ParamsWriter.__new__(ParamsWriter)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._value = self._value.fork()
        new._raw = None if self._raw is None else self._raw.copy()
        new.given = self.given.copy()
        return new

    @property
    def verbatim(self) -> bool:
        """Whether the open value is a string and its text stands for itself, so that it can go out as it comes."""
        return self._streams and self._raw is None

    @property
    def waits(self) -> bool:
        """Whether some of the open value was read and not said."""
        return self.inside and (not self._streams or (self._raw is not None and self._raw.holds))

    def key(self, written: str) -> str:
        """A parameter's key, of what stands for it in its marker."""
        if not self._codec.key_entities:
            return written
        raw = RawText(strip=False, entities=True)
        return raw.feed(written) + raw.finish()

    def declares(self, key: str) -> bool:
        """Whether the tool's schema names such a parameter."""
        return key in self._names

    def open(self, key: str, declared: str | None = None) -> str:
        """A parameter begins, ``declared`` is the type that its marker says; returns the JSON text up to its value."""
        codec = self._codec
        kind = "schema" if declared is None else dict(codec.types).get(declared, declared)
        if kind == "schema":
            self._policy = Policy(codec.untyped, self._rules)
            self._schema = self._rules.member(self._root, self._root, key)
        else:
            self._policy = Policy(codec.untyped)
            self._schema = {"type": kind}
        self._streams = is_string(self._schema, self._root, self._policy)
        self._raw = RawText(codec.strip, codec.entities) if codec.strip or codec.entities else None
        self.inside = True
        self.given.add(key)
        before = ", " if self.count else "{"
        self.count += 1
        return f"{before}{encode_basestring(key)}: " + ('"' if self._streams else "")

    def text(self, text: str) -> str:
        """A piece of the value; returns the JSON text that can be said now."""
        if self._raw is not None:
            text = self._raw.feed(text)
        if self._streams:
            return encode_basestring(text)[1:-1]
        self._value.own.append(text)
        return ""

    def close(self) -> str:
        """The value is over; returns the rest of its JSON text."""
        self.inside = False
        rest = "" if self._raw is None else self._raw.finish()
        if self._streams:
            return encode_basestring(rest)[1:]
        raw = "".join(self._value) + rest
        self._value = Log()
        return convert(raw, self._schema, self._root, self._policy)

    def end(self) -> str:
        """The call is over; returns the JSON text that closes the object."""
        return "}" if self.count else "{}"
