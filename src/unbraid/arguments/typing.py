"""What a raw value is, in formats that don't write JSON: one policy, as ordered rules, used for every format.

The tool's schema decides, never the look of the value where the schema says string. The rules:

1. The schema allows a string and nothing else: the text, verbatim.
2. The schema lists values (``enum``, ``const``): the listed value that the text spells; a listed string verbatim first.
3. The schema allows several types: the first of null, integer, number, boolean, object, array that reads the text and
   that the schema allows; else the text as a string if a string is allowed.
4. The schema says nothing about types: the format's ``untyped`` word, a string or JSON where it is JSON.
5. What no allowed type can read stays readable: as the text, a string.

``allOf``, ``anyOf``, ``oneOf``, ``$ref`` into the tool's own schema, type lists and ``nullable`` are looked through.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring
from typing import Any, Literal

ORDER = ("null", "integer", "number", "boolean", "object", "array")
"""In which order types are tried; string comes last."""

ALIASES = {
    "str": "string", "text": "string", "varchar": "string", "char": "string", "enum": "string",
    "int": "integer", "long": "integer", "short": "integer", "uint": "integer",
    "float": "number", "double": "number", "num": "number", "decimal": "number",
    "bool": "boolean", "binary": "boolean",
    "dict": "object", "map": "object",
    "list": "array", "arr": "array", "sequence": "array", "tuple": "array",
    "none": "null",
}  # fmt: skip
"""Type names that people write in schemas, and JSON schema's own."""

_INTEGER = re.compile(r"[+-]?[0-9]+(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_REF_DEPTH = 16


@dataclass(frozen=True)
class Policy:
    """How values are typed where the schema leaves it open."""

    untyped: Literal["string", "json"] = "string"


def is_string(schema: Any, root: Mapping[str, Any], policy: Policy) -> bool:
    """Whether a value under this schema is a string whatever it looks like, so that it can be streamed."""
    allowed, listed = _allowed(schema, root, 0)
    if listed is not None:
        return all(isinstance(value, str) for value in listed)
    if not allowed:
        return policy.untyped == "string"
    return allowed == {"string"}


def convert(raw: str, schema: Any, root: Mapping[str, Any], policy: Policy) -> str:
    """The JSON text of a raw value."""
    allowed, listed = _allowed(schema, root, 0)
    if listed is not None:
        found = _listed(raw, listed)
        if found is not None:
            return found
        allowed = allowed or {_type_of(value) for value in listed}
    if not allowed:
        if policy.untyped == "json":
            return _as_json(raw) or encode_basestring(raw)
        return encode_basestring(raw)
    for kind in ORDER:
        if kind in allowed:
            read = _READERS[kind](raw)
            if read is not None:
                return read
    return encode_basestring(raw)


def types(schema: Any, root: Mapping[str, Any]) -> set[str]:
    """The types that a schema allows, those of listed values included; none where it doesn't say."""
    allowed, listed = _allowed(schema, root, 0)
    return allowed or {_type_of(value) for value in listed or ()}


def member(schema: Any, root: Mapping[str, Any], name: str) -> Any:
    """The schema of an object's property; ``None`` where the object's schema doesn't say."""
    branches = _branches(schema, root)
    for branch in branches:
        properties = branch.get("properties")
        if isinstance(properties, Mapping) and name in properties:
            return properties[name]
    return next((branch["additionalProperties"] for branch in branches if "additionalProperties" in branch), None)


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
            parts = branch.get(key)
            todo += parts if isinstance(parts, list) else []
    return found


def _allowed(schema: Any, root: Mapping[str, Any], depth: int) -> tuple[set[str], list[Any] | None]:
    """The types that a schema allows (none: it doesn't say), and the values that it lists, if it does."""
    if not isinstance(schema, Mapping) or depth > _REF_DEPTH:
        return set(), None
    if isinstance(schema.get("$ref"), str):
        return _allowed(_resolve(schema["$ref"], root), root, depth + 1)
    types: set[str] = set()
    declared = schema.get("type")
    for name in declared if isinstance(declared, list) else [declared]:
        if isinstance(name, str) and name != "any":
            types.add(_type_name(name))
    listed: list[Any] | None = None
    if isinstance(schema.get("enum"), list):
        listed = list(schema["enum"])
    elif "const" in schema:
        listed = [schema["const"]]
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if not isinstance(branches, list):
            continue
        open_list: list[Any] | None = []
        for branch in branches:
            branch_types, branch_listed = _allowed(branch, root, depth + 1)
            types |= branch_types or {_type_of(value) for value in branch_listed or []}
            if branch_listed is None:
                open_list = None
            elif open_list is not None:
                open_list += branch_listed
        if open_list:
            listed = open_list if listed is None else listed
    for branch in schema["allOf"] if isinstance(schema.get("allOf"), list) else []:
        branch_types, branch_listed = _allowed(branch, root, depth + 1)
        types = _both(types, branch_types)
        listed = branch_listed if listed is None else listed
    if schema.get("nullable") is True and types:
        types.add("null")
        listed = None if listed is None else [*listed, None]
    if not types and listed is None:
        types = _implied(schema)
    return types, listed


def _both(one: set[str], other: set[str]) -> set[str]:
    """The types that two schemas allow together; an empty set allows any. An integer is a number."""
    if not one or not other:
        return one | other
    common = one & other
    if "integer" in one | other and "number" in one | other:
        common = common | {"integer"}
    return common


def _type_name(name: str) -> str:
    lowered = re.split(r"[\[<(]", name.strip().lower(), maxsplit=1)[0]  # ``list[str]``, ``varchar(20)``
    if lowered in ALIASES:
        return ALIASES[lowered]
    for stem, kind in (("int", "integer"), ("uint", "integer"), ("float", "number"), ("num", "number")):
        if lowered.startswith(stem) and lowered not in ("interval",):
            return kind
    return lowered


def _implied(schema: Mapping[str, Any]) -> set[str]:
    if "properties" in schema or "additionalProperties" in schema:
        return {"object"}
    if "items" in schema or "prefixItems" in schema:
        return {"array"}
    return set()


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


def _type_of(value: Any) -> str:
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return name
    return "array" if isinstance(value, list) else "object"


def _listed(raw: str, listed: list[Any]) -> str | None:
    if raw in [value for value in listed if isinstance(value, str)]:
        return encode_basestring(raw)
    for kind in ORDER:
        read = _READERS[kind](raw)
        if read is None:
            continue
        try:
            value = json.loads(read)
        except ValueError:  # an integer of more digits than Python reads
            continue
        if any(type(value) is type(each) and value == each for each in listed):
            return read
    return None


def _null(raw: str) -> str | None:
    return "null" if raw.strip() in ("null", "None", "NULL", "Null", "none") else None


def _boolean(raw: str) -> str | None:
    word = raw.strip().lower()
    return {"true": "true", "false": "false", "1": "true", "0": "false"}.get(word)


def _integer(raw: str) -> str | None:
    text = raw.strip()
    if not _INTEGER.fullmatch(text):
        return None
    if _JSON_NUMBER.fullmatch(text) and "." not in text:
        return text
    sign = "-" if text.startswith("-") else ""
    digits = text.lstrip("+-").split(".")[0].lstrip("0") or "0"
    return sign + digits if digits != "0" else "0"


def _number(raw: str) -> str | None:
    text = raw.strip()
    if not _NUMBER.fullmatch(text):
        return None
    if _JSON_NUMBER.fullmatch(text):
        return text
    read = json.dumps(float(text))
    return read if _JSON_NUMBER.fullmatch(read) else None


def _strict(text: str) -> Any:
    """JSON as everybody reads it, without NaN and Infinity."""
    return json.loads(text, parse_constant=_refuse)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


_BRACKETS: dict[type, tuple[str, ...]] = {dict: ("{",), list: ("[", "(")}


def _container(raw: str, kind: type) -> str | None:
    text = raw.strip()
    if not text.startswith(_BRACKETS[kind]):
        return None
    try:
        if isinstance(_strict(text), kind):
            return text
    except (ValueError, RecursionError):
        pass
    try:
        value = ast.literal_eval(text)
        if isinstance(value, tuple) and kind is list:
            value = list(value)
        return json.dumps(value, ensure_ascii=False, allow_nan=False) if isinstance(value, kind) else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _object(raw: str) -> str | None:
    return _container(raw, dict)


def _array(raw: str) -> str | None:
    return _container(raw, list)


_READERS = {
    "null": _null,
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "object": _object,
    "array": _array,
}


def _as_json(raw: str) -> str | None:
    """The text itself where it is JSON; Python's True, False and None as JSON's."""
    text = raw.strip()
    try:
        _strict(text)
    except (ValueError, RecursionError):
        return {"True": "true", "False": "false", "None": "null"}.get(text)
    return text
