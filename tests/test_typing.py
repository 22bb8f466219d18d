"""The typing of raw values: one table, rule by rule."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unbraid import OptionError, Parser, parse
from unbraid.arguments.policies import POLICIES
from unbraid.arguments.schemas import TYPES, element, member, names, type_of, types, view
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


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
WORDS = st.sampled_from([*TYPES, "int", "str", "float", "any", "json", "uuid", "list[int]"])
SCHEMAS = st.recursive(
    st.one_of(
        st.just({}),
        st.none(),
        st.builds(lambda word: {"type": word}, WORDS),
        st.builds(lambda words: {"type": words}, st.lists(WORDS, max_size=3)),
        st.builds(lambda values: {"enum": values}, st.lists(SCALARS, min_size=1, max_size=3)),
        st.builds(lambda value: {"const": value}, SCALARS),
        st.just({"$ref": "#/$defs/n"}),
    ),
    lambda inner: st.builds(
        lambda key, parts, beside: {**(beside or {}), key: parts},
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(inner, min_size=1, max_size=3),
        inner,
    ),
    max_leaves=6,
)
RAW = st.one_of(
    st.text(),
    st.sampled_from(
        ["null", "None", "TRUE", "0", "1.0", "1e999", "NaN", "-", "[1,", "{1: 2}", "{1, 2}", "b'x'", "'\\ud800'"]
    ),
    VALUES.map(json.dumps),
    VALUES.map(repr),
)
POLICY = st.builds(Policy, st.sampled_from(["string", "json"]), st.sampled_from([*POLICIES.values()]))


@given(RAW, SCHEMAS, POLICY)
@example("0", {"anyOf": [{"type": "integer"}], "const": ""}, Policy())
def test_whatever_is_written_comes_out_as_json(raw: str, schema: Any, policy: Policy) -> None:
    """And what may be passed on while it is written is the text itself."""
    written = convert(raw, schema, ROOT, policy)
    value = json.loads(written, parse_constant=pytest.fail)
    written.encode()
    if is_string(schema, ROOT, policy):
        assert value == raw


def named(value: Any) -> str:
    return "number" if isinstance(value, float) else type_of(value)


@given(VALUES, st.sets(st.sampled_from(TYPES)), st.booleans())
def test_what_a_template_writes_is_read_back(value: Any, others: set[str], python: bool) -> None:
    """Under any schema that allows the value, unless its text is also that of another value that is allowed."""
    raw = value if isinstance(value, str) else json.dumps(value)
    if python and (value is None or isinstance(value, bool)):
        raw = str(value)
    allowed = {named(value), *others}
    read = json.loads(convert(raw, {"type": sorted(allowed)}, ROOT, Policy()))
    if isinstance(value, str) and read != value:
        assert named(read) in allowed or (named(read) == "integer" and "number" in allowed)
        assert convert(raw, {}, ROOT, Policy("json")) == convert(raw, {"type": sorted(allowed)}, ROOT, Policy())
    else:
        assert read == value


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
    assert convert(f"[{digits}]", {"type": "array"}, {}, Policy()) == f"[{digits}]"
    assert convert("[" * 200_000, {"type": "array"}, {}, Policy()).startswith('"[[')
    assert convert("-" * 200_000, {"type": "object"}, {}, Policy("json", POLICIES["sglang"])).startswith('"--')


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
    assert names(SCHEMA, root) == {"age"}
    assert names({"properties": 3, "allOf": [{"properties": {"a": {}}}]}, {}) == {"a"}


@pytest.mark.parametrize(
    ("schema", "allowed"),
    [
        ({"anyOf": [STRING, {}]}, {"untyped"}),
        ({"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"object"}),
        ({"type": "object", "oneOf": [STRING]}, {"object", "string"}),
        ({"$ref": "#/$defs/n", "description": "seats", "nullable": True}, {"integer", "null"}),
        ({"$ref": "#/$defs/n", "type": ["integer", "string"]}, {"integer"}),
        ({"type": ["string", "any"]}, {"untyped"}),
        ({"type": []}, {"untyped"}),
        ({"type": "INT64"}, {"integer"}),
        ({"type": "interval"}, {"string"}),
        ({"type": "Optional[int]"}, {"string"}),
        ({"enum": [1, "a"]}, {"integer", "string"}),
        ({"anyOf": [{"const": 1}, {"type": "null"}]}, {"integer", "null"}),
    ],
)
def test_what_a_schema_allows(schema: Any, allowed: set[str]) -> None:
    assert view(schema, ROOT, "untyped").types == allowed


def test_additional_properties_are_typed() -> None:
    written = "".join(f"<parameter={name}>\n{value}\n</parameter>\n" for name, value in (("a", 1), ("b", 2)))
    text = f"<tool_call>\n<function=f>\n{written}</function>\n</tool_call>"
    schema = {"properties": {"a": STRING}, "additionalProperties": {"$ref": "#/$defs/n"}, "$defs": ROOT["$defs"]}
    (call,) = parse(text, "qwen3_coder", tools=[{"name": "f", "parameters": schema}]).tool_calls
    assert json.loads(call.arguments) == {"a": "1", "b": 2}


def test_the_option() -> None:
    with pytest.raises(OptionError, match="typing can't be 'vlm'; did you mean 'vllm'"):
        Parser("qwen3", typing="vlm")
