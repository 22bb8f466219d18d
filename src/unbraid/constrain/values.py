"""Parameters as raw text between markers: what may stand there so that the parser reads a value that fits the
schema.

The typing policy (``arguments.typing``) turns raw text into a value by the schema's types alone. So a
string is any text, a listed string that very text, anything else its JSON; and where several types are
allowed, text that another type would take must fit that one too. Where parameters stand isn't decided here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..arguments.rawtext import read
from ..arguments.typing import Policy, convert, is_string
from ..format import FormatError, Params
from . import charset as cs
from .rules import either, optional
from .schema import Schemas
from .texts import Texts

_BEGINS = {
    "integer": "+-.0123456789",
    "number": "+-.0123456789",
    "boolean": "tTfF01",
    "null": "nN",
    "object": "{(",
    "array": "[({+-.0123456789\"'",
}
"""How text begins that is read as a type, white space aside."""
_PYTHON = {True: "True", False: "False", None: "None"}


class RawValues:
    """Writes the values of one tool's parameters."""

    def __init__(
        self,
        raw: Texts,
        schemas: Schemas,
        as_json: Callable[[Mapping[str, Any]], str],
        codec: Params,
    ) -> None:
        self.raw = raw
        self.schemas = schemas
        self.as_json = as_json
        self.codec = codec

    def value(self, schema: Any, name: str) -> str:
        """The raw text of a value that fits the schema; ``name`` says whose it is.

        Raises:
            FormatError: what the parser would read can't be kept to the schema.
        """
        variants = self.schemas.variants.of(schema)
        if {} in variants:
            return self.raw.free()
        typed = [each for each in variants if "enum" not in each and each["type"] != "string"]
        listed = [value for each in variants if "enum" in each for value in each["enum"]]
        strings = [each for each in variants if each.get("type") == "string"]
        numbers = any(each["type"] in ("integer", "number") for each in typed)
        if numbers and any(isinstance(value, bool) for value in listed):
            raise FormatError(f"{name} may be one of the booleans or a number; in this format 0 and 1 are both")
        options = [self._listed(value, schema, name) for value in listed]
        options += [self._typed(each) for each in typed]
        if not strings:
            return either(options)
        layout = self.codec.strip or self.codec.entities
        begins = "".join(_BEGINS[each["type"]] for each in typed if set(each) & _LIMITS)
        begins += "".join(_BEGINS[_type(value)] for value in listed if not isinstance(value, str))
        for each in strings:
            bound = any(key in each for key in ("pattern", "minLength", "maxLength"))
            if layout and bound:
                raise FormatError(
                    f"{name} may be a string with limits; in this format a string isn't read as it is written, so "
                    "they can't be kept"
                )
            if begins and bound:
                raise FormatError(
                    f"{name} may be a string with limits or another type with limits; in this format they "
                    "can't be told apart"
                )
            if begins:
                first = cs.without(cs.EVERY, cs.union(_white_space(), cs.of(begins)))
                options.append(optional(self.raw.beginning(first)))
            else:
                options.append(self.schemas.string(each, self.raw) or '""')
        return either(options)

    def _typed(self, variant: Mapping[str, Any]) -> str:
        if self.codec.scalars == "python" and variant["type"] in ("boolean", "null"):
            return '("True" | "False")' if variant["type"] == "boolean" else '"None"'
        return self.as_json(variant)

    def _listed(self, value: Any, schema: Any, name: str) -> str:
        python = self.codec.scalars == "python" and (value is None or isinstance(value, bool))
        text = value if isinstance(value, str) else _PYTHON[value] if python else json.dumps(value)
        root, policy = self.schemas.variants.root, Policy(self.codec.untyped)
        seen = read(text, self.codec.strip, self.codec.entities)
        back = seen if is_string(schema, root, policy) else json.loads(convert(seen, schema, root, policy))
        if type(back) is not type(value) or back != value:
            raise FormatError(f"the value {value!r} of {name} would be read as {back!r} in this format")
        if isinstance(value, str) or python:
            return self.raw.literal(text, f"the value {value!r} of {name}")
        return self.as_json({"enum": [value]})


_LIMITS = {
    "properties", "required", "additionalProperties", "items", "prefixItems", "minItems", "maxItems",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minProperties", "maxProperties",
}  # fmt: skip
"""Keywords with which a type allows less than all that is read as it."""


def _type(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "object" if isinstance(value, Mapping) else "array"


@lru_cache(maxsize=1)
def _white_space() -> cs.Charset:
    return cs.of(chr(code) for code in range(0x3001) if chr(code).isspace())
