"""What a JSON schema says, taken apart: references followed, combinations resolved, one type at a time.

The outcome is a list of plain schemas, any of which a value may fit. What asserts something that no grammar
expresses is refused here by name; keywords that annotate (``title``, ``format``, ``default`` and any unknown
one) are ignored, as the standard has it. How values are written isn't known here.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from ..arguments.schemas import WORDS
from ..format import FormatError
from .merge import disjoint, merge, same

TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
DEPTH = 64
"""So many schemas inside one another, or references to references, are one that leads back to itself."""
_UNSUPPORTED = (
    "not", "if", "dependentRequired", "dependentSchemas", "dependencies", "patternProperties",
    "propertyNames", "contains", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef",
)  # fmt: skip
_KEYWORDS = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
COMPOUND = (
    "$ref", "allOf", "anyOf", "oneOf", "properties", "required", "additionalProperties", "items",
    "prefixItems",
)  # fmt: skip
"""Keywords with which a schema holds others."""
_COUNTS = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_BOUNDS: dict[str, Callable[[Any, Any], bool]] = {
    "minimum": operator.ge, "exclusiveMinimum": operator.gt, "maximum": operator.le, "exclusiveMaximum": operator.lt,
}  # fmt: skip
_BY_TYPE = {keyword for keywords in _KEYWORDS.values() for keyword in keywords}
_ASSERTING = {*_UNSUPPORTED, *COMPOUND, *_BY_TYPE, "type", "enum", "const"}


class Variants:
    """Schemas that share one root, into which their references point."""

    def __init__(self, root: Mapping[str, Any], name: str) -> None:
        self.root = root
        self.name = name

    def of(self, schema: Any, depth: int = 0) -> list[Mapping[str, Any]]:
        """The schema as alternatives of one type (or of listed values), without references or combinations.

        Raises:
            FormatError: it asserts something that a grammar can't express, or allows nothing.
        """
        if schema is True:
            return [{}]
        if not isinstance(schema, Mapping):
            raise self.error("false, which nothing fits" if schema is False else f"{schema!r}, not a schema")
        if depth > DEPTH:
            raise self.error("a reference that leads back to itself")
        for keyword in _UNSUPPORTED:
            if keyword in schema and schema[keyword] not in ({}, []):
                raise self.error(f"{keyword!r}, which a grammar can't express")
        if "$ref" in schema:
            rest = {key: value for key, value in schema.items() if key != "$ref"}
            return self.of(merge(self.resolve(schema["$ref"]), rest, self.error), depth + 1)
        if "allOf" in schema:
            merged: Mapping[str, Any] = {key: value for key, value in schema.items() if key != "allOf"}
            for each in schema["allOf"]:
                merged = merge(merged, self._inlined(each, depth), self.error)
            return self.of(merged, depth + 1)
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                rest = {key: value for key, value in schema.items() if key != keyword}
                branches = [
                    variant
                    for branch in schema[keyword]
                    for variant in self.of(merge(self._inlined(branch, depth), rest, self.error), depth + 1)
                ]
                if keyword == "oneOf" and not disjoint(branches):
                    raise self.error("'oneOf' whose alternatives may overlap; write 'anyOf'")
                return branches
        return self._single(schema)

    def resolve(self, reference: Any) -> Mapping[str, Any]:
        """The schema that a reference means.

        Raises:
            FormatError: there is none inside the root.
        """
        found: Any = self.root
        if not isinstance(reference, str) or not reference.startswith("#"):
            raise self.error(f"the reference {reference!r}; only those into the schema itself (#/...) can be followed")
        for part in reference[1:].strip("/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            if not key:
                continue
            if isinstance(found, list) and key.isdigit() and int(key) < len(found):
                found = found[int(key)]
            elif isinstance(found, Mapping) and key in found:
                found = found[key]
            else:
                raise self.error(f"the reference {reference!r}, which leads nowhere")
        if found is True:
            return {}
        if not isinstance(found, Mapping):
            raise self.error(f"the reference {reference!r}, which isn't to a schema")
        return found

    def _inlined(self, schema: Any, depth: int) -> Mapping[str, Any]:
        """A schema with its own reference followed, so that it can be merged with another."""
        if schema is True:
            return {}
        if not isinstance(schema, Mapping):
            raise self.error("false, which nothing fits")
        if "$ref" not in schema:
            return schema
        if depth > DEPTH:
            raise self.error("a reference that leads back to itself")
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        return merge(self._inlined(self.resolve(schema["$ref"]), depth + 1), rest, self.error)

    def _single(self, schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
        types = self._types(schema)
        if "enum" in schema or "const" in schema:
            values = list(schema["enum"]) if "enum" in schema else [schema["const"]]
            if "enum" in schema and "const" in schema:
                values = [value for value in values if same(value, schema["const"])]
            values = [value for value in values if not types or any(_is(value, each) for each in types)]
            values = [value for value in values if self._within(value, schema)]
            if not values:
                raise self.error("a list of values none of which fits")
            return [{"enum": values}]
        if not types:
            implied = [kind for kind, keywords in _KEYWORDS.items() if any(each in schema for each in keywords)]
            return [{**schema, "type": kind} for kind in implied] or [{}]
        return [{**schema, "type": each} for each in types]

    def _within(self, value: Any, schema: Mapping[str, Any]) -> bool:
        """Whether a listed value keeps to what the schema says of its type."""
        if isinstance(value, bool) or value is None:
            return True
        if isinstance(value, (int, float)):
            if "multipleOf" in schema and schema["multipleOf"] != 1:
                raise self.error("'multipleOf', which a grammar can't express")
            return all(holds(value, schema[key]) for key, holds in _BOUNDS.items() if key in schema)
        kind = "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
        least, most = _COUNTS[kind]
        inside = [key for key in _KEYWORDS[kind] if key in schema and key not in (least, most)]
        if inside:
            raise self.error(f"listed values together with {inside[0]!r}; leave the one that says less out")
        return bool(schema.get(least, 0) <= len(value) <= schema.get(most, len(value)))

    def _types(self, schema: Mapping[str, Any]) -> list[str]:
        declared = schema.get("type", [])
        types = []
        for each in declared if isinstance(declared, list) else [declared]:
            kind = WORDS.get(str(each).lower(), str(each).lower())
            if kind not in TYPES:
                raise self.error(f"the type {each!r}; there are {', '.join(TYPES)}")
            types.append(kind)
        return list(dict.fromkeys(types))

    def error(self, what: str) -> FormatError:
        """The error that the schema has this."""
        return FormatError(f"the schema of {self.name} has {what}")


def asserts(schema: Mapping[str, Any], beside: str) -> bool:
    """Whether a schema says anything of its own beside this keyword."""
    return any(key in _ASSERTING and key != beside for key in schema)


def _is(value: Any, kind: str) -> bool:
    if kind == "number":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "integer":
        return not isinstance(value, bool) and (
            isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        )
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    return isinstance(value, kinds[kind])
