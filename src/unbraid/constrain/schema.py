"""JSON schemas as GBNF: the built-in converter, used where no other is given.

Everything that it writes fits the schema. It writes less than the schema allows where that keeps a model on course:
properties in the schema's order, no undeclared ones unless ``additionalProperties`` is written out, no white space but
a space after colons and commas, numbers of limited length. What a schema says, and what of it is refused, is decided in
``variants``. Formats and tools aren't known here.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from ..format import FormatError
from . import charset as cs
from .anyjson import AnyJson
from .exclusion import other_than
from .numbers import bound, integer, number
from .pattern import pattern
from .rules import either, optional, quote, sequence
from .texts import PLAIN, Texts
from .variants import COMPOUND, DEPTH, Variants, asserts


class Schemas:
    """Writes the values of schemas that share one root, into which their references point."""

    def __init__(self, json: AnyJson, root: Mapping[str, Any], name: str) -> None:
        self.json = json
        self.rules = json.rules
        self.texts = json.texts
        self.variants = Variants(root, name)
        self.name = name
        self._known: dict[int, tuple[str, Mapping[str, Any]]] = {}
        """The rules of compound schemas, by identity: a schema that holds itself is one rule."""
        self._open: tuple[int, ...] = ()
        """Compound schemas being written of which nothing is written yet."""
        self._depth = 0

    # -- values --------------------------------------------------------------------------------------------

    def value(self, schema: Any) -> str:
        """The JSON text of a value that fits the schema."""
        if not isinstance(schema, Mapping) or not any(key in schema for key in COMPOUND):
            return self._value(schema)
        known = self._known.get(id(schema))
        if known is not None:
            if id(schema) in self._open:
                raise self.variants.error("a reference that leads back to itself")
            return known[0]
        name = self.rules.reserve(self.name)
        self._known[id(schema)] = name, schema
        before, self._open = self._open, (*self._open, id(schema))
        self._depth += 1
        try:
            if self._depth > DEPTH:
                raise self.variants.error("too many schemas inside one another")
            return self.rules.set(name, self._value(schema))
        finally:
            self._open = before
            self._depth -= 1

    def objects(self) -> list[Mapping[str, Any]]:
        """The root's variants, all of them objects, as a tool's parameters must be.

        Raises:
            FormatError: one isn't.
        """
        found = [each if each else {"type": "object"} for each in self.variants.of(self.variants.root)]
        if any(each.get("type") != "object" for each in found):
            raise self.variants.error("something else than an object; a tool's arguments are one")
        return found

    def _value(self, schema: Any) -> str:
        if isinstance(schema, Mapping):
            if "$ref" in schema and not asserts(schema, "$ref"):
                return self.value(self.variants.resolve(schema["$ref"]))
            for keyword in ("anyOf", "allOf"):
                branches = schema.get(keyword)
                if not isinstance(branches, list) or not branches or asserts(schema, keyword):
                    continue
                if keyword == "anyOf" or len(branches) == 1:
                    return either(self.value(branch) for branch in branches)
        return either(self.plain(each) for each in self.variants.of(schema))

    def plain(self, variant: Mapping[str, Any]) -> str:
        """The JSON text of a value of one of the schema's ``variants``."""
        if "enum" in variant:
            return either(self._listed(value) for value in variant["enum"])
        kind = variant.get("type")
        if kind == "object":
            return self._inside(lambda: self.object(variant))
        if kind == "array":
            return self._inside(lambda: self._array(variant))
        if kind == "string":
            return sequence(r'"\""', self.string(variant), r'"\""')
        if kind in ("integer", "number"):
            return self._number(variant)
        if kind == "boolean":
            return '("true" | "false")'
        return '"null"' if kind == "null" else self.json.value()

    def string(self, variant: Mapping[str, Any], texts: Texts | None = None) -> str:
        """The characters of a string, without quotes; ``texts`` where they aren't written in JSON."""
        texts = texts or self.texts
        least, most = self._count(variant, "minLength") or 0, self._count(variant, "maxLength")
        if most is not None and most < least:
            raise self.variants.error("more 'minLength' than 'maxLength'")
        if "pattern" not in variant:
            return texts.sized(least, most)
        if least or most is not None:
            raise self.variants.error("'pattern' together with a length; a grammar can't express both")
        return pattern(texts, variant["pattern"])

    def _inside(self, write: Callable[[], str]) -> str:
        """Writes what stands behind a bracket, where a reference may lead back."""
        before, self._open = self._open, ()
        try:
            return write()
        finally:
            self._open = before

    def _listed(self, value: Any) -> str:
        try:
            written = json.dumps(value, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError):
            raise self.variants.error(f"the value {value!r}, which isn't JSON") from None
        self.texts.refuse(written, f"the value {written} of {self.name}")
        return quote(written)

    def _number(self, variant: Mapping[str, Any]) -> str:
        whole = variant["type"] == "integer"
        step = variant.get("multipleOf", 1)
        if not (whole and step == 1) and "multipleOf" in variant:
            raise self.variants.error("'multipleOf', which a grammar can't express")
        low = high = None
        open_low = open_high = False
        for keyword in ("minimum", "exclusiveMinimum"):
            if keyword in variant:
                least = bound(variant[keyword], keyword)
                if low is None or least >= low:
                    low, open_low = least, keyword == "exclusiveMinimum"
        for keyword in ("maximum", "exclusiveMaximum"):
            if keyword in variant:
                most = bound(variant[keyword], keyword)
                if high is None or most <= high:
                    high, open_high = most, keyword == "exclusiveMaximum"
        try:
            if not whole:
                return number(self.rules, low, high, open_low, open_high)
            return integer(
                self.rules,
                None if low is None else math.floor(low) + 1 if open_low else math.ceil(low),
                None if high is None else math.ceil(high) - 1 if open_high else math.floor(high),
            )
        except FormatError as error:
            raise self.variants.error(str(error)) from None

    # -- arrays and objects --------------------------------------------------------------------------------

    def _array(self, variant: Mapping[str, Any]) -> str:
        least, most = self._count(variant, "minItems") or 0, self._count(variant, "maxItems")
        if variant.get("uniqueItems") is True and (most is None or most > 1):
            raise self.variants.error("'uniqueItems', which a grammar can't express")
        if most is not None and most < least:
            raise self.variants.error("more 'minItems' than 'maxItems'")
        given = variant.get("items", True)
        first = variant.get("prefixItems", given if isinstance(given, list) else [])
        more = variant.get("additionalItems", False) if isinstance(given, list) else variant.get("items", not first)
        first = list(first) if most is None else list(first)[:most]
        items = [sequence(self.value(each)) for each in first]
        start = [part for place, item in enumerate(items) for part in ([self.json.comma, item] if place else [item])]
        most_more = 0 if more is False else None if most is None else most - len(first)
        least_more = max(least - len(first), 0)
        if most_more == 0:
            if least_more:
                raise self.variants.error("'minItems' without a schema for so many items")
            return sequence('"["', *start, '"]"')
        item = self.rules.add(f"{self.name}-item", sequence(self.value(more)))
        next_item = self.rules.add(f"{self.name}-next", sequence(self.json.comma, item))
        if first:
            return sequence('"["', *start, self._repeat(next_item, least_more, most_more), '"]"')
        rest = self._repeat(next_item, max(least_more - 1, 0), None if most_more is None else most_more - 1)
        body = sequence(item, rest)
        return sequence('"["', body if least_more else optional(body), '"]"')

    def _repeat(self, item: str, least: int, most: int | None) -> str:
        return self.rules.repeat(self.name, item, least, most)

    def object(self, variant: Mapping[str, Any]) -> str:
        """The JSON text of an object with these properties, in the schema's order."""
        properties, required, extra = self.properties(variant)
        least, most = self._count(variant, "minProperties") or 0, self._count(variant, "maxProperties")
        if not properties and extra is not None:
            return self._map(extra, least, most)
        if least > max(len(required), 1) or (most is not None and (most < len(properties) or extra is not None)):
            raise self.variants.error(
                "a number of properties ('minProperties', 'maxProperties') that a grammar can't count"
            )
        members = [
            self.rules.add(f"{self.name}-{key}", sequence(self._key(key), self.json.colon, self._of(key, each)))
            for key, each in properties.items()
        ]
        tail = ""
        if extra is not None:
            other = self._other(set(properties), extra)
            tail = f"({self.json.comma} {other})*"
        starts: list[str] = []
        if extra is not None and not required:
            starts.append(sequence(other, tail))
        first_needed = next((place for place, key in enumerate(properties) if key in required), len(members))
        for place, key in reversed(list(enumerate(properties))):
            if place <= first_needed:
                starts.append(sequence(members[place], tail))
            if place:
                step = sequence(self.json.comma, members[place])
                body = sequence(step if key in required else optional(step), tail)
                tail = self.rules.add(f"{self.name}-rest", body)
        if least and not starts:
            raise self.variants.error("'minProperties' without any property")
        inside = either(reversed(starts)) if starts else ""
        if not required and not least:
            inside = optional(inside)
        return sequence('"{"', inside, '"}"')

    def properties(self, variant: Mapping[str, Any]) -> tuple[dict[str, Any], set[str], Any]:
        """An object's properties, which are required, and the schema of others (``None``: there are none)."""
        declared = variant.get("properties", {})
        required = variant.get("required", [])
        if not isinstance(declared, Mapping) or not isinstance(required, list):
            raise self.variants.error("'properties' or 'required' of the wrong kind")
        properties = dict(declared)
        extra: Any = variant.get("additionalProperties", None if properties or required else True)
        for key in required:
            if key not in properties:
                if extra is False:
                    raise self.variants.error(f"the required property {key!r}, which it doesn't allow")
                properties[key] = True if extra is None else extra
        for key in [key for key, each in properties.items() if each is False]:
            if key in required:
                raise self.variants.error(f"the required property {key!r}, which nothing fits")
            del properties[key]
        return properties, set(required), None if extra is False else extra

    def _of(self, key: str, schema: Any) -> str:
        """A property's value, under a name that says which one it is."""
        before, self.name = self.name, f"{self.name}-{key}"
        try:
            return self.value(schema)
        finally:
            self.name = before

    def _map(self, extra: Any, least: int, most: int | None) -> str:
        if least > 1:
            raise self.variants.error("'minProperties', since a grammar can't tell one key from another")
        if extra in (True, {}) and not least and most is None:
            return self.json.object()
        member = self._other(set(), extra)
        following = sequence(self.json.comma, member)
        rest = self._repeat(self.rules.add(f"{self.name}-next", following), 0, None if most is None else most - 1)
        inside = "" if most == 0 else sequence(member, rest)
        return sequence('"{"', inside if least else optional(inside), '"}"')

    def _other(self, taken: set[str], schema: Any) -> str:
        """A member whose key is none of the taken ones."""
        texts = self.texts
        letters = cs.without(PLAIN, texts.exclusion.firsts)
        key = other_than(self.rules, f"{self.name}-other", taken, letters)
        value = self._of("other", schema)
        member = sequence(r'"\""', key, r'"\""', self.json.colon, value)
        return self.rules.add(f"{self.name}-member", member)

    def _key(self, key: str) -> str:
        written = json.dumps(key, ensure_ascii=False)
        self.texts.refuse(written, f"the property {key!r} of {self.name}")
        return quote(written)

    def _count(self, variant: Mapping[str, Any], keyword: str) -> int | None:
        count = variant.get(keyword)
        if count is None:
            return None
        if isinstance(count, bool) or not isinstance(count, (int, float)) or count < 0 or count != int(count):
            raise self.variants.error(f"{keyword!r} of {count!r}, which isn't a count")
        return int(count)
