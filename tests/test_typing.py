"""The typing of raw values: one table, rule by rule."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unbraid.arguments.schemas import element, member, types
from unbraid.arguments.typing import Policy, convert, is_string

STRING = {"type": "string"}
TABLE: list[tuple[str, Any, str]] = [
    # 1. a string and nothing else: verbatim
    ("7", STRING, '"7"'),
    ("true", STRING, '"true"'),
    ('"quoted"', STRING, '"\\"quoted\\""'),
    (" padded ", STRING, '" padded "'),
    ("", STRING, '""'),
    ("x", {"type": "str"}, '"x"'),
    # 2. listed values
    ("c", {"enum": ["c", "f"]}, '"c"'),
    ("2", {"enum": [1, 2]}, "2"),
    ("2", {"enum": ["2", 2]}, '"2"'),
    ("null", {"enum": ["a", None]}, "null"),
    ("x", {"const": "x"}, '"x"'),
    # 3. other types, in order
    ("7", {"type": "integer"}, "7"),
    ("7.0", {"type": "integer"}, "7"),
    ("+7", {"type": "int"}, "7"),
    ("007", {"type": "integer"}, "7"),
    ("-0", {"type": "integer"}, "-0"),
    ("123456789012345678901234567890", {"type": "integer"}, "123456789012345678901234567890"),
    ("1e-05", {"type": "number"}, "1e-05"),
    ("5.0", {"type": "number"}, "5.0"),
    (".5", {"type": "number"}, "0.5"),
    ("True", {"type": "boolean"}, "true"),
    ("0", {"type": "boolean"}, "false"),
    ("None", {"type": ["string", "null"]}, "null"),
    ("hello", {"type": ["string", "null"]}, '"hello"'),
    ("hello", {"anyOf": [{"type": "boolean"}, STRING]}, '"hello"'),
    ("true", {"anyOf": [{"type": "boolean"}, STRING]}, "true"),
    ("12", {"oneOf": [{"type": "integer"}, {"type": "null"}]}, "12"),
    ("null", {"type": "integer", "nullable": True}, "null"),
    ('{"a": [1, 2]}', {"type": "object"}, '{"a": [1, 2]}'),
    ("{'a': True}", {"type": "object"}, '{"a": true}'),
    ("(1, 2)", {"type": "array"}, "[1, 2]"),
    ('{"a": 1}', {"properties": {"a": {}}}, '{"a": 1}'),
    ("[1]", {"items": {}}, "[1]"),
    ("3", {"$ref": "#/$defs/n"}, "3"),
    ("3", {"allOf": [{"type": "integer"}]}, "3"),
    ("3", {"allOf": [{"type": "number"}, {"type": "integer"}]}, "3"),
    ("1", {"type": ["boolean", "number"]}, "1"),
    ("1, 2", {"type": ["array", "string"]}, '"1, 2"'),
    ("[NaN]", {"type": "array"}, '"[NaN]"'),
    # 5. what no type reads stays a string
    ("soon", {"type": "integer"}, '"soon"'),
    ("{broken", {"type": "object"}, '"{broken"'),
    ("maybe", {"type": "boolean"}, '"maybe"'),
]
ROOT = {"$defs": {"n": {"type": "integer"}}}


@pytest.mark.parametrize(("raw", "schema", "written"), TABLE)
def test_table(raw: str, schema: Any, written: str) -> None:
    assert convert(raw, schema, ROOT, Policy()) == written
    json.loads(written)


@pytest.mark.parametrize(
    ("raw", "as_string", "as_json"),
    [("7", '"7"', "7"), ("True", '"True"', "true"), ("a b", '"a b"', '"a b"'), ("[1]", '"[1]"', "[1]")],
)
def test_without_a_schema_the_format_says(raw: str, as_string: str, as_json: str) -> None:
    """Rule 4."""
    assert convert(raw, None, {}, Policy("string")) == as_string
    assert convert(raw, None, {}, Policy("json")) == as_json


def test_what_streams_is_always_a_string() -> None:
    """A value that streams must come out as the string that was streamed."""
    for raw, schema, written in TABLE:
        if is_string(schema, ROOT, Policy()) and isinstance(schema, dict):
            listed = schema.get("enum", [])
            assert written == json.dumps(raw, ensure_ascii=False) or raw not in listed


@pytest.mark.parametrize("schema", [{"$ref": "#/$defs/loop"}, {"$ref": "elsewhere"}, 3, [], {"type": 3}, {"anyOf": 3}])
def test_odd_schemas_are_no_schemas(schema: Any) -> None:
    root = {"$defs": {"loop": {"$ref": "#/$defs/loop"}}}
    assert convert("7", schema, root, Policy()) == '"7"'


def test_long_values_are_typed_in_linear_time_and_never_raise() -> None:
    """With work that grows with the square of the length this takes minutes."""
    digits = "9" * 200_000
    assert convert(digits + "x", {"type": "number"}, {}, Policy()) == f'"{digits}x"'
    assert convert(digits, {"type": "integer"}, {}, Policy()) == digits
    assert convert(digits, {"enum": [1, 2]}, {}, Policy()) == digits


SCHEMA: dict[str, Any] = {
    "$ref": "#/$defs/person",
    "$defs": {
        "person": {"anyOf": [{"type": "object", "properties": {"age": {"type": "integer"}}}, {"$ref": "#/$defs/list"}]},
        "list": {"allOf": [{"type": "array"}, {"prefixItems": [{"const": 1}]}, {"items": {"$ref": "#"}}]},
    },
}


def test_schemas_of_what_is_inside() -> None:
    root = SCHEMA
    assert types(SCHEMA, root) == {"object", "array"}
    assert member(SCHEMA, root, "age") == {"type": "integer"}
    assert member(SCHEMA, root, "name") is None
    assert member({"additionalProperties": STRING}, root, "name") == STRING
    assert element({"prefixItems": [{"const": 1}], "items": STRING}, root, 0) == {"const": 1}
    assert element({"prefixItems": [{"const": 1}], "items": STRING}, root, 1) == STRING
    assert element({"items": [STRING], "additionalItems": {"const": 2}}, root, 1) == {"const": 2}
    assert element(SCHEMA, root, 0) == {"const": 1}
    assert element(SCHEMA, root, 1) == {"$ref": "#"}
    assert element({"type": "array"}, root, 0) is None
    assert types({"enum": ["a", None]}, root) == {"string", "null"}
    assert types(True, root) == set()
