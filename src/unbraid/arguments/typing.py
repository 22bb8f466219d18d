"""What a raw value is, in formats that don't write JSON: one policy, as a table of rules, used for every format.

The tool's schema decides, never the look of the value where the schema says string. :data:`SCHEMA` is the policy;
what other engines do is written as tables of the same kind in ``policies``. ``docs/typing.md`` says all of it in plain
words, with examples that are run as tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Literal

from . import readers
from .readers import Reader
from .schemas import View, member, type_of, view

Look = Callable[[Any, "Mapping[str, Any]", str], View]
"""How a policy looks at a schema: the schema, the one that references point into, and the type of an untyped value."""
Member = Callable[[Any, "Mapping[str, Any]", str], Any]
"""How a policy finds the schema of a parameter: that of the arguments, the one that references point into, its name."""


@dataclass(frozen=True)
class Rule:
    """One line of a policy: a value that may be of this type is what the reader reads in the text."""

    type: str
    """The type that the schema must allow, or ``"any"``: whatever it says."""
    read: Reader


@dataclass(frozen=True)
class Rules:
    """A policy. The first rule whose reader can read the text decides; if none does, the text is a string."""

    look: Look
    member: Member
    """How it finds a parameter's schema."""
    rules: tuple[Rule, ...]

    @property
    def streams(self) -> bool:
        """Whether a value that can only be a string is its text, so that it can be said while it is written. It isn't
        where another rule is asked first."""
        return next(rule.type for rule in self.rules if rule.type in ("string", "any")) == "string"


SCHEMA = Rules(
    view,
    member,
    (
        # As templates write values. Beside a string nothing else counts, so that "007" and "none" stay strings.
        Rule("null", readers.null),
        Rule("integer", readers.integer),
        Rule("number", readers.number),
        Rule("boolean", readers.boolean),
        Rule("object", readers.mapping),
        Rule("array", readers.sequence),
        Rule("json", readers.anything),
        Rule("string", readers.text),
        # Where no string is allowed: what else can have been meant.
        Rule("null", readers.loose_null),
        Rule("integer", readers.loose_integer),
        Rule("number", readers.loose_number),
        Rule("boolean", readers.loose_boolean),
        Rule("object", readers.python_mapping),
        Rule("array", readers.python_sequence),
    ),
)
"""The policy."""


@dataclass(frozen=True)
class Policy:
    """How the values of a call are typed."""

    untyped: Literal["string", "json"] = "string"
    """The type of a value of which the schema says nothing."""
    rules: Rules = SCHEMA


def is_string(schema: Any, root: Mapping[str, Any], policy: Policy) -> bool:
    """Whether a value under this schema is a string whatever it looks like, so that it can be streamed."""
    return policy.rules.streams and policy.rules.look(schema, root, policy.untyped).is_string


def convert(raw: str, schema: Any, root: Mapping[str, Any], policy: Policy) -> str:
    """The JSON text of a raw value; ``root`` is the schema that references in ``schema`` point into.

    What can only be a string is the text; then comes a listed value that the text spells, then the policy's rules.
    """
    seen = policy.rules.look(schema, root, policy.untyped)
    if policy.rules.streams and seen.is_string:
        return encode_basestring(raw)
    found = _listed(raw, seen.listed) if seen.listed else None
    if found is not None:
        return found
    for rule in policy.rules.rules:
        if rule.type == "any" or rule.type in seen.types:
            read = rule.read(raw)
            if read is not None:
                return read
    return encode_basestring(raw)


def _listed(raw: str, values: tuple[Any, ...]) -> str | None:
    """The listed value that the text spells: a string that is the text, or else a value that the text is read as."""
    if raw in [value for value in values if isinstance(value, str)]:
        return encode_basestring(raw)
    kinds = {type_of(value) for value in values} - {"string"}
    for rule in SCHEMA.rules:
        read = rule.read(raw) if rule.type in kinds else None
        if read is None:
            continue
        try:
            value = json.loads(read)
        except ValueError:  # an integer of more digits than Python reads
            continue
        if any(type(value) is type(each) and value == each for each in values):
            return read
    return None
