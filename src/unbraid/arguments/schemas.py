"""What a tool's schema says of a value: its types, the values that it lists, and the schemas of what is inside.

``$ref`` into the tool's own schema, ``allOf``, ``anyOf``, ``oneOf``, lists of types and ``nullable`` are looked
through. What a schema says beyond types (patterns, limits) doesn't matter here. No text is read here (``readers``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Union

TYPES = ("null", "integer", "number", "boolean", "object", "array", "string")
"""JSON schema's names of types."""

WORDS = {
    **{name: name for name in TYPES},
    "int": "integer", "bigint": "integer", "long": "integer", "short": "integer", "smallint": "integer",
    "tinyint": "integer", "uint": "integer", "unsigned": "integer",
    "float": "number", "double": "number", "num": "number", "numeric": "number", "decimal": "number", "real": "number",
    "bool": "boolean",
    "str": "string", "text": "string", "varchar": "string", "char": "string", "enum": "string",
    "dict": "object", "map": "object", "mapping": "object", "record": "object",
    "list": "array", "arr": "array", "tuple": "array", "set": "array", "sequence": "array",
    "none": "null", "nonetype": "null",
    "json": "json",
    "any": "", "mixed": "", "unknown": "",
}  # fmt: skip
"""Words that people write for types. ``"json"`` is JSON of any type, ``""`` says nothing. Any other word is a kind of
string (``"date"``, ``"uuid"``)."""

_LETTERS = re.compile(r"\s*([a-z]*)")
_DEPTH = 32
"""How deep schemas are looked into."""

Said = Union["frozenset[str]", None]
"""The types that a schema allows; ``None`` where it doesn't say."""


@dataclass(frozen=True)
class View:
    """All that typing needs to know of a value's schema."""

    types: frozenset[str]
    """The types that the value may have, by JSON schema's names and ``"json"``."""
    listed: tuple[Any, ...] = ()
    """The values that the schema lists, if it lists any."""

    @property
    def is_string(self) -> bool:
        """Whether the value is a string whatever it looks like."""
        if self.listed:
            return all(isinstance(value, str) for value in self.listed)
        return self.types == {"string"}


def view(schema: Any, root: Mapping[str, Any], untyped: str) -> View:
    """The view of a schema, in which references point into ``root``.

    ``untyped`` is the type of a value of which the schema says nothing: ``"string"`` or ``"json"``.
    """
    said, listed = _allowed(schema, root, 0)
    if said is None:
        said = frozenset(map(type_of, listed)) if listed else frozenset({untyped})
    return View(said, listed)


def types(schema: Any, root: Mapping[str, Any]) -> frozenset[str]:
    """The types that a schema allows, those of listed values included; none where it doesn't say."""
    said, listed = _allowed(schema, root, 0)
    return frozenset(map(type_of, listed)) if said is None else said


def member(schema: Any, root: Mapping[str, Any], name: str) -> Any:
    """The schema of an object's property; ``None`` where the object's schema doesn't say."""
    branches = _branches(schema, root)
    for branch in branches:
        properties = branch.get("properties")
        if isinstance(properties, Mapping) and name in properties:
            return properties[name]
    return next((branch["additionalProperties"] for branch in branches if "additionalProperties" in branch), None)


def names(schema: Any, root: Mapping[str, Any]) -> frozenset[str]:
    """The names of an object's properties, as far as its schema says them."""
    found = [branch["properties"] for branch in _branches(schema, root) if "properties" in branch]
    return frozenset(name for properties in found if isinstance(properties, Mapping) for name in properties)


def element(schema: Any, root: Mapping[str, Any], index: int) -> Any:
    """The schema of an array's item at this place; ``None`` where the array's schema doesn't say."""
    for branch in _branches(schema, root):
        first, rest = branch.get("prefixItems"), branch.get("items")
        if isinstance(rest, list):
            first, rest = rest, branch.get("additionalItems")
        if isinstance(first, list) and index < len(first):
            return first[index]
        if rest is not None:
            return rest
    return None


def type_of(value: Any) -> str:
    """JSON schema's name of a value's type."""
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return name
    return "array" if isinstance(value, list) else "object"


def type_word(word: str) -> str:
    """What a word for a type means (:data:`WORDS`). Its case, what it holds in brackets and its number of bits don't
    count: ``"int32"``, ``"List[str]"``, ``"varchar(20)"``."""
    found = _LETTERS.match(word.lower())
    assert found is not None
    return WORDS.get(found.group(1), "string")


def _branches(schema: Any, root: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The schema and all that it refers to or is put together from, each once."""
    found: list[Mapping[str, Any]] = []
    seen: set[int] = set()
    todo = [schema]
    while todo:
        branch = todo.pop(0)
        if not isinstance(branch, Mapping) or id(branch) in seen:
            continue
        seen.add(id(branch))
        found.append(branch)
        if isinstance(branch.get("$ref"), str):
            todo.append(_resolve(branch["$ref"], root))
        for key in ("anyOf", "oneOf", "allOf"):
            todo += _list(branch.get(key))
    return found


def _allowed(schema: Any, root: Mapping[str, Any], depth: int) -> tuple[Said, tuple[Any, ...]]:
    """The types that a schema allows, and the values that it lists."""
    if not isinstance(schema, Mapping) or depth > _DEPTH:
        return None, ()
    said = _declared(schema.get("type"))
    listed = tuple(_list(schema.get("enum")))
    if not listed and "const" in schema:
        listed = (schema["const"],)
    together = [_resolve(schema["$ref"], root)] if isinstance(schema.get("$ref"), str) else []
    for part in [*together, *_list(schema.get("allOf"))]:
        also, values = _allowed(part, root, depth + 1)
        said, listed = _both(said, also), listed or values
    for key in ("anyOf", "oneOf"):
        parts = [_allowed(part, root, depth + 1) for part in _list(schema.get(key))]
        if parts:
            said = _both(said, _either(parts))
            every = [values for _, values in parts]
            listed = listed or (tuple(value for values in every for value in values) if all(every) else ())
    if schema.get("nullable") is True and said is not None:
        said |= {"null"}
        listed = (*listed, None) if listed else ()
    if said is None and not listed:
        said = _implied(schema)
    return said, listed


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _declared(declared: Any) -> Said:
    """What the ``type`` keyword says: a word, or several of which any may be."""
    words = [word for word in (declared if isinstance(declared, list) else [declared]) if isinstance(word, str)]
    meant = frozenset(map(type_word, words))
    return meant if meant and "" not in meant else None


def _both(one: Said, other: Said) -> Said:
    """The types that two schemas allow together. An integer is a number. What contradicts itself allows either."""
    if one is None or other is None:
        return other if one is None else one
    common = one & other
    if ("integer" in one and "number" in other) or ("number" in one and "integer" in other):
        common |= {"integer"}
    return common or one | other


def _either(parts: list[tuple[Said, tuple[Any, ...]]]) -> Said:
    """The types that one of several schemas allows."""
    found: frozenset[str] = frozenset()
    for said, values in parts:
        if said is None and not values:
            return None
        found |= frozenset(map(type_of, values)) if said is None else said
    return found


def _implied(schema: Mapping[str, Any]) -> Said:
    if "properties" in schema or "additionalProperties" in schema:
        return frozenset({"object"})
    if "items" in schema or "prefixItems" in schema:
        return frozenset({"array"})
    return None


def _resolve(reference: str, root: Mapping[str, Any]) -> Any:
    if not reference.startswith("#"):
        return None
    found: Any = root
    for part in reference[1:].strip("/").split("/"):
        if not part:
            continue
        name = part.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, Mapping) or name not in found:
            return None
        found = found[name]
    return found
