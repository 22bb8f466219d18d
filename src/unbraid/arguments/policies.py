"""The policies that can be chosen (``typing``): ours, and what vLLM and SGLang do, for people who must match them.

Each is a table of rules as in ``typing``, with its own way to look at a schema and its own readers. What those engines
do was read from their sources; where their parsers differ by format, ``docs/typing.md`` says which one is followed.
Where an engine's own result couldn't be written as JSON (NaN, a Python set), the text stays a string.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from . import readers
from .readers import dump
from .schemas import View, type_of
from .typing import SCHEMA, Rule, Rules

_DEPTH = 32


def _json(raw: str) -> str | None:
    """Any JSON as Python reads it."""
    try:
        return dump(json.loads(raw))
    except (ValueError, RecursionError):
        return None


def _null(raw: str) -> str | None:
    """``null`` in any case, and nothing around it."""
    return "null" if raw.lower() == "null" else None


def _int(raw: str) -> str | None:
    """What Python's ``int`` takes: white space around, plus signs, zeros in front, underscores."""
    try:
        return dump(int(raw))
    except ValueError:
        return None


def _float(raw: str) -> float | None:
    try:
        return float(raw)
    except ValueError:
        return None


def _property(schema: Any, root: Mapping[str, Any], name: str) -> Any:
    """Only what ``properties`` says counts."""
    properties = schema.get("properties")
    return properties.get(name) if isinstance(properties, Mapping) else None


# -- vLLM ----------------------------------------------------------------------------------------------------------

_VLLM_WORDS = {
    "str": "string", "text": "string", "varchar": "string", "char": "string", "enum": "string",
    "int": "integer", "int32": "integer", "int64": "integer", "uint": "integer", "uint32": "integer",
    "uint64": "integer", "long": "integer", "short": "integer", "unsigned": "integer",
    "float": "number", "float32": "number", "float64": "number", "double": "number",
    "bool": "boolean", "dict": "object", "arr": "array", "list": "array", "sequence": "array",
}  # fmt: skip


def _vllm_view(schema: Any, root: Mapping[str, Any], untyped: str) -> View:
    """All types that are mentioned: by ``type``, by listed values, in any branch. References aren't followed."""
    return View(_vllm_types(schema, 0))


def _vllm_types(schema: Any, depth: int) -> frozenset[str]:
    found: set[str] = set()
    if isinstance(schema, Mapping) and depth < _DEPTH:
        declared = schema.get("type")
        for word in declared if isinstance(declared, list) else [declared]:
            if isinstance(word, str):
                word = word.strip().lower()
                found.add(_VLLM_WORDS.get(word, word))
        enum = schema.get("enum")
        found.update(map(type_of, enum if isinstance(enum, list) else ()))
        for key in ("anyOf", "oneOf", "allOf"):
            parts = schema.get(key)
            for part in parts if isinstance(parts, list) else ():
                found |= _vllm_types(part, depth + 1)
    return frozenset(found) or frozenset({"string"})


def _vllm_number(raw: str) -> str | None:
    """A finite number; without its fraction where that is zero."""
    value = _float(raw)
    if value is None or not isfinite(value):
        return None
    return dump(int(value) if value == int(value) else value)


VLLM = Rules(
    _vllm_view,
    _property,
    (
        Rule("null", _null),
        Rule("integer", _int),
        Rule("number", _vllm_number),
        Rule("boolean", readers.loose_boolean),
        Rule("object", _json),
        Rule("array", _json),
        Rule("string", readers.text),
        Rule("any", _json),
    ),
)
"""vLLM's shared conversion, as its parsers for Qwen's XML, GLM, MiniMax M2, Seed and Step use it."""


# -- SGLang --------------------------------------------------------------------------------------------------------

_SGLANG_STRINGS = ("string", "str", "text", "varchar", "char", "enum")
_SGLANG_BEGINNINGS = (
    ("int", "integer"), ("uint", "integer"), ("long", "integer"), ("short", "integer"), ("unsigned", "integer"),
    ("num", "number"), ("float", "number"), ("dict", "container"), ("list", "container"),
)  # fmt: skip
_SGLANG_WORDS = {
    "boolean": "boolean", "bool": "boolean", "binary": "boolean",
    "object": "container", "array": "container", "arr": "container",
}  # fmt: skip


def _sglang_view(schema: Any, root: Mapping[str, Any], untyped: str) -> View:
    """Nothing but the word in ``type`` counts: without it the value is a string, and a list is no word it knows."""
    if not isinstance(schema, Mapping) or "type" not in schema:
        return View(frozenset({"string"}))
    word = str(schema["type"]).strip().lower()
    if word in _SGLANG_STRINGS:
        return View(frozenset({"string"}))
    meant = next((kind for begin, kind in _SGLANG_BEGINNINGS if word.startswith(begin)), "other")
    return View(frozenset({_SGLANG_WORDS.get(word, meant)}))


def _sglang_number(raw: str) -> str | None:
    """A number; an integer if it is written without point and exponent."""
    value = _float(raw)
    if value is None or not isfinite(value):
        return None
    whole = "." not in raw and "e" not in raw.lower()
    return dump(int(value) if whole else value)


def _sglang_boolean(raw: str) -> str | None:
    """Whatever isn't ``true`` in any case is false."""
    return "true" if raw.lower() == "true" else "false"


def _python(raw: str) -> str | None:
    """A Python literal of any type."""
    value = readers.python_value(raw)
    return None if value is None and raw.strip() != "None" else dump(value)


SGLANG = Rules(
    _sglang_view,
    _property,
    (
        Rule("any", _null),
        Rule("string", readers.text),
        Rule("integer", _int),
        Rule("number", _sglang_number),
        Rule("boolean", _sglang_boolean),
        Rule("container", _json),
        Rule("container", _python),
        Rule("other", _python),
    ),
)
"""SGLang's conversion in its detector for Qwen3-Coder."""


POLICIES = {"schema": SCHEMA, "vllm": VLLM, "sglang": SGLANG}
"""By the value of the option ``typing``."""
