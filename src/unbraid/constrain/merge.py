"""Two JSON schemas as one: what fits both, for ``allOf`` and for keywords beside ``anyOf`` or a reference.

Also whether alternatives exclude each other, which ``oneOf`` needs. Nothing here writes grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

Complain = Callable[[str], Exception]

_HIGHEST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LOWEST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
_SAYS_NOTHING = (
    "title", "description", "default", "examples", "example", "format", "deprecated", "readOnly", "writeOnly",
    "$schema", "$id", "$comment", "$defs", "definitions", "discriminator", "nullable",
)  # fmt: skip


def merge(first: Mapping[str, Any], second: Mapping[str, Any], complain: Complain) -> Mapping[str, Any]:
    """A schema that fits what both fit; ``complain`` makes the error for two that can't be put together."""
    if not first or not second:
        return first or second
    _refuse_closed(first, second, complain)
    _refuse_closed(second, first, complain)
    merged = dict(first)
    for key, value in second.items():
        if key not in merged or same(merged[key], value):
            merged[key] = value
        elif key in _SAYS_NOTHING:
            continue
        elif key in ("properties", "patternProperties"):
            both = dict(merged[key])
            for name, each in value.items():
                both[name] = {"allOf": [both[name], each]} if name in both and not same(both[name], each) else each
            merged[key] = both
        elif key == "required":
            merged[key] = list(dict.fromkeys([*merged[key], *value]))
        elif key == "type":
            merged[key] = _types(_list(merged[key]), _list(value), complain)
        elif key == "enum":
            merged[key] = [each for each in merged[key] if among(each, value)]
        elif key in _HIGHEST:
            merged[key] = max(merged[key], value)
        elif key in _LOWEST:
            merged[key] = min(merged[key], value)
        elif key == "additionalProperties":
            merged[key] = False if False in (merged[key], value) else {"allOf": [merged[key], value]}
        elif key in ("items", "anyOf", "oneOf") and not isinstance(value, list):
            merged[key] = {"allOf": [merged[key], value]}
        elif key in ("anyOf", "oneOf", "allOf"):
            merged.setdefault("allOf", [])
            merged["allOf"] = [*merged["allOf"], *(value if key == "allOf" else [{key: value}])]
        else:
            raise complain(f"{key!r} twice, in parts that must both hold; a grammar can't express that")
    return merged


def same(a: Any, b: Any) -> bool:
    """Whether two JSON values are the same. In JSON ``true`` isn't 1."""
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b)


def among(value: Any, values: Sequence[Any]) -> bool:
    """Whether a JSON value is one of these."""
    return any(same(value, each) for each in values)


def disjoint(variants: Sequence[Mapping[str, Any]]) -> bool:
    """Whether no value that the grammar writes for one of these plain schemas fits another."""
    return all(_apart(a, b) for a, b in combinations(variants, 2))


def _apart(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    if "enum" in a or "enum" in b:
        listed, other = (a, b) if "enum" in a else (b, a)
        if "enum" in other:
            return not any(among(value, other["enum"]) for value in listed["enum"])
        return "type" in other and not any(_kind(value) in _widened(other["type"]) for value in listed["enum"])
    if "type" not in a or "type" not in b:
        return False
    if a["type"] != "object" or b["type"] != "object":
        return not _widened(a["type"]) & _widened(b["type"])
    if _told_apart(a, b):
        return True
    return _lacks(a, b) and _lacks(b, a)


def _told_apart(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether both require a property whose listed values differ."""
    for key in set(a.get("required", [])) & set(b.get("required", [])):
        first, second = _values(a.get("properties", {}).get(key)), _values(b.get("properties", {}).get(key))
        if first is not None and second is not None and not any(among(value, second) for value in first):
            return True
    return False


def _lacks(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether what is written for ``a`` never has something that ``b`` requires."""
    if a.get("additionalProperties", not a.get("properties")) is not False:
        return False
    written = {*a.get("properties", {}), *a.get("required", [])}
    return any(key not in written for key in b.get("required", []))


def _refuse_closed(closed: Mapping[str, Any], other: Mapping[str, Any], complain: Complain) -> None:
    others = set(other.get("properties", {})) - set(closed.get("properties", {}))
    if others and closed.get("additionalProperties", True) not in (True, {}):
        raise complain(
            "'additionalProperties' in one of several parts that must all hold; a grammar can't express that"
        )


def _types(first: list[str], second: list[str], complain: Complain) -> list[str]:
    both = [each for each in first if each in second or (each == "integer" and "number" in second)]
    both += [each for each in second if each == "integer" and "number" in first and each not in both]
    if not both:
        raise complain(f"the types {first} and {second} at once, which nothing fits")
    return both


def _widened(kind: str) -> set[str]:
    return {"integer", "number"} if kind in ("integer", "number") else {kind}


def _kind(value: Any) -> str:
    for kind, name in (
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "string"),
        (dict, "object"),
    ):
        if isinstance(value, kind):
            return name
    return "null" if value is None else "array"


def _values(schema: Any) -> list[Any] | None:
    if not isinstance(schema, Mapping):
        return None
    return list(schema["enum"]) if "enum" in schema else [schema["const"]] if "const" in schema else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
