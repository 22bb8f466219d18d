"""Hypothesis strategies: messages that are hard to tell apart from markup, and text that nearly is markup.

Texts are built from pieces: plain ones that break naive decoders (quotes, backslashes, line ends, control characters,
emoji), markers of all families, and parts of markers. Arguments are drawn to fit a schema of every type, so that
formats with raw values can be read back exactly.

Each example is decoded from one string of random bytes, which hypothesis draws and shrinks: every byte is a choice,
zero is the simplest one. That is several times as fast as a draw per choice, so that a thousand examples per law and
format fit into a normal run.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from unbraid.format import Format
from writers import RAW_VALUES, SILENT, TOOLLESS, WRITERS
from writing import Call, Said, Writer, Written

PLAIN = (
    "a", "Graz", "two words", "The weather is fine.", " ", "  ", "\n", "\n\n", "\t", "\r\n", " \n ", '"', "'", '""',
    "\\", "\\\\", '\\"', "\\n", "\\u00e9", "{", "}", "[", "]", "{}", "[]", ":", ",", "<", ">", "</", "|", "=", "/", "&",
    "&amp;", "&lt;b&gt;", "<b>bold</b>", "if a < b && c > d:", "1 < 2", "```", "```json\n", "`x`", "%", "$", "#",
    "true", "null", "None", "False", "0", "42", "-1.5e3", "NaN", "007", '{"a": 1}', '["x", {"y": null}]', '"quoted"',
    "é", "e\u0301", "日本語", "😊", "👩‍👩‍👧", "🇦🇹", "\U0001d518", "\u2028", "\u200b", "\ufeff", "\xa0", "\x00",
    "\x1b[31m", "\x7f", "｜", "▁", "name", "arguments", "functions.f:0",
)  # fmt: skip
"""Pieces of text that aren't markup in any family."""

MARKERS = (
    "<think>", "</think>", "<think>\n", "\n</think>\n\n", "<tool_call>", "</tool_call>", "\n<tool_call>\n",
    "\n</tool_call>", '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>',
    "<function=", "<function=f>", "\n</function>\n", "</function>", "<parameter=", "<parameter=to>\n",
    "\n</parameter>\n", "</parameter>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
    "<arg_key>to</arg_key><arg_value>",
    "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>",
    "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_section_begin|>", "<|tool_call_begin|>",
    "<|tool_call_end|>", "<|tool_call_argument_begin|>", "<|im_start|>", "<|im_end|>", "<|endoftext|>", "<|user|>",
    "<|observation|>", "<｜end▁of▁sentence｜>", "[EOS]",
    "<｜DSML｜tool_calls>", "</｜DSML｜tool_calls>", '<｜DSML｜invoke name="f">', "</｜DSML｜invoke>",
    "</｜DSML｜parameter>", '<｜DSML｜parameter name="to" string="true">', "<answer>", "</answer>", "<|function_call|>",
    "[TOOL_CALLS]", "[ARGS]", "<|channel|>final<|message|>", "<minimax:tool_call>", '<invoke name="f">', "<|tool_call>",
    "<start_function_call>", "<|python_tag|>", "◁think▷",
    "</invoke>", "<parameter name=\"to\">", "</minimax:tool_call>", "[e~[", "```<｜tool▁call▁end｜>",
    "<｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n", "<seed:think>", "</seed:think>", "<seed:tool_call>",
    "</seed:tool_call>", "<longcat_think>", "</longcat_think>", "<longcat_tool_call>", "</longcat_tool_call>",
    "<tool_calls>", "</tool_calls>", '<tool_calls>[{"name": "f"}]', "<|action_start|>", "<|plugin|>", "<|action_end|>",
    "<iquest_tool_call>", "</iquest_tool_call>", "</assistant>", "<|role_end|>", "<|end_of_text|>", "<|plamo:tag|>",
    "<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>", "<|plamo:begin_tool_requests:plamo|>",
    "<|plamo:end_tool_arguments:plamo|>", "<｜tool_calls_begin｜>", "<｜tool_call_end｜>", "</steptml:parameter>",
    "</steptml:invoke>", '<steptml:parameter name="to">',
    "<|close|>argument<|sep|>", "<|open|>response<|sep|>", "</ifm|arg_value>", "<ifm|think>", "<![CDATA[",
    "]]></param>",
)  # fmt: skip
"""Markers of the listed families and of others."""

PARTIAL = tuple(
    dict.fromkeys(
        part for m in MARKERS if len(m) > 3 for part in (m[: len(m) // 2], m[:-1], m[1:], m[: 1 + len(m) // 4])
    )
)
"""Beginnings and ends of markers."""

PIECES = PLAIN * 2 + MARKERS + PARTIAL
T = TypeVar("T")


class Choices:
    """Random bytes, read as a row of choices, over and over. A zero is always the first, simplest option."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._place = 0

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit - 1``, at most 65,535."""
        if limit <= 256:
            return self._byte() % limit
        return (self._byte() << 8 | self._byte()) % limit

    def _byte(self) -> int:
        lap, place = divmod(self._place, len(self._data))
        self._place += 1
        return self._data[place] * (1 + 2 * lap) & 255  # an odd factor: other choices in each lap, and zero stays zero

    def one(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self.below(len(options))]

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """Some of the options, each at most once."""
        return list(dict.fromkeys(self.one(options) for _ in range(self.below(most + 1))))

    def text(self, most: int = 7, pieces: Sequence[str] = PIECES) -> str:
        """Prose with look-alikes of markers in it. May be empty, may begin and end with white space."""
        return "".join(self._piece(pieces) for _ in range(self.below(most + 1)))

    def _piece(self, pieces: Sequence[str]) -> str:
        if self.below(12) != 11:
            return self.one(pieces)
        code = self.below(256) << 9 | self.below(512)
        return chr(code) if not 0xD800 <= code < 0xE000 else "\ufffd"

    def integer(self) -> int:
        """Small ones, and some that no float can hold."""
        return self.one((0, 1, 7, -1, 42, 1000, 2**53 + 1, -(10**30), 10**18 + self.below(256)))

    def number(self) -> int | float:
        """Integers and floats, without NaN and infinities, which JSON hasn't."""
        return self.one((self.integer(), 0.5, -0.0, 1.0, 1e300, 5e-324, 1e-7, self.below(256) / 7))

    def value(self, depth: int = 2) -> Any:
        """Any JSON value, up to ``depth`` levels inside it."""
        what = self.below(8 if depth else 5)
        if what < 2:
            return self.text(2)
        if what == 2:
            return self.number()
        if what == 3:
            return self.one((True, False))
        if what == 4:
            return None
        return self.object(depth - 1) if what < 7 else self.array(depth - 1)

    def object(self, depth: int = 1) -> dict[str, Any]:
        """An object with any keys."""
        return {self.text(2): self.value(depth) for _ in range(self.below(3))}

    def array(self, depth: int = 1) -> list[Any]:
        """An array of anything."""
        return [self.value(depth) for _ in range(self.below(3))]

    def words(self) -> str:
        """A string that nobody can take for another JSON type."""
        return "~" + self.text(3)


# --- tools and their schemas ----------------------------------------------------------------------------------------

Pick = Callable[[Choices], Any]


class Kind(NamedTuple):
    """A kind of parameter: its schema, and values that such a parameter can be written with and read back from."""

    schema: dict[str, Any] | None
    """``None``: the tool doesn't declare the parameter at all."""
    value: Pick


def _either(*picks: Pick) -> Pick:
    return lambda choices: choices.one(picks)(choices)


def _of(*options: Any) -> Pick:
    return lambda choices: choices.one(options)


_boolean = _of(True, False)
_null = _of(None)

KINDS = (
    Kind({"type": "string"}, Choices.text),
    Kind({"type": "string"}, Choices.text),
    Kind({"type": "string"}, Choices.text),
    Kind({"type": "integer"}, Choices.integer),
    Kind({"type": "number"}, Choices.number),
    Kind({"type": "boolean"}, _boolean),
    Kind({"type": "null"}, _null),
    Kind({"type": "object"}, Choices.object),
    Kind({"type": "array", "items": {}}, Choices.array),
    Kind({"type": "string", "enum": ["fast", "1", "true", ""]}, _of("fast", "1", "true", "")),
    Kind({"enum": ["red", "green", "2"]}, _of("red", "green", "2")),
    Kind({"enum": [1, 2, None, "auto"]}, _of(1, 2, None, "auto")),
    # In a union a string that reads as another member is that member, so such strings can't be written.
    Kind({"type": ["string", "null"]}, _either(_null, Choices.words)),
    Kind({"type": ["integer", "string"]}, _either(Choices.integer, Choices.words)),
    Kind({"anyOf": [{"type": "string"}, {"type": "boolean"}]}, _either(_boolean, Choices.words)),
    Kind({"oneOf": [{"type": "array"}, {"type": "string"}]}, _either(Choices.array, Choices.words)),
    Kind({"anyOf": [{"type": "number"}, {"type": "object"}]}, _either(Choices.number, Choices.object)),
    Kind({"allOf": [{"type": "integer"}, {"minimum": 0}]}, Choices.integer),
    Kind({"$ref": "#/$defs/count"}, Choices.integer),
    # Nothing is known of the type: only the characters are, so only strings come back as they were.
    Kind({"description": "anything"}, Choices.text),
    Kind(None, Choices.text),
)
"""Every kind of parameter, the usual one thrice."""

NAMES = ("f", "clock", "find_trains", "get-weather", "mcp.server.read", "name", "arguments", "f2", "Glob", "think")
KEYS = ("to", "seats", "q", "name", "arguments", "x1", "is-open", "a.b", "größe", "content")


class Tool(NamedTuple):
    """A tool that was offered."""

    name: str
    parameters: dict[str, Kind]

    def declared(self) -> frozenset[str]:
        """The parameters in its schema."""
        return frozenset(key for key, kind in self.parameters.items() if kind.schema is not None)

    def as_openai(self) -> dict[str, Any]:
        """The tool as OpenAI's API takes it."""
        properties = {key: kind.schema for key, kind in self.parameters.items() if kind.schema is not None}
        schema = {"type": "object", "properties": properties, "$defs": {"count": {"type": "integer"}}}
        return {"type": "function", "function": {"name": self.name, "parameters": schema}}


# --- messages -------------------------------------------------------------------------------------------------------

_STYLES: tuple[dict[str, Any], ...] = (
    {"ensure_ascii": False},
    {"ensure_ascii": True},
    {"ensure_ascii": False, "separators": (",", ":")},
    {"ensure_ascii": False, "indent": 1},
    {"ensure_ascii": True, "separators": (" ,  ", "\t: ")},
)


class Sample(NamedTuple):
    """A message in a format, and all that is needed to read it back."""

    said: Said
    written: Written
    tools: tuple[Tool, ...]

    def openai_tools(self) -> list[dict[str, Any]]:
        """The offered tools as OpenAI's API takes them."""
        return [tool.as_openai() for tool in self.tools]


def _tools(choices: Choices) -> tuple[Tool, ...]:
    names = choices.some(NAMES, 2) or ["f"]
    return tuple(Tool(name, {key: choices.one(KINDS) for key in choices.some(KEYS, 3)}) for name in names)


def _call(choices: Choices, tool: Tool, raw: bool) -> Call:
    """In formats that carry JSON, values are of any type, whatever the schema says."""
    arguments = {}
    for key, kind in tool.parameters.items():
        if choices.below(8) != 7:
            arguments[key] = kind.value(choices) if raw else choices.value()
    return Call(tool.name, arguments, json.dumps(arguments, **choices.one(_STYLES)), tool.declared())


def _sample(choices: Choices, format: str, speakable: bool) -> Sample:
    writer: Writer = choices.one(WRITERS[format])
    tools = _tools(choices)
    for _ in range(4):
        count = choices.one((0, 1, 1, 1, 2, 2, 3, 4)) if format not in TOOLLESS else 0
        reasoning = None if choices.below(4) == 3 or format in SILENT else choices.text()
        content = choices.text()
        calls = tuple(_call(choices, choices.one(tools), format in RAW_VALUES) for _ in range(count))
        after = choices.text(2) if calls and choices.below(3) == 2 else ""
        said = Said(reasoning, content, calls, after)
        if not speakable or writer.unspeakable(said) is None:
            return Sample(said, writer.write(said), tools)
    said = Said(None if format in SILENT else "so", "plain words", ())
    return Sample(said, writer.write(said), tools)


def _bytes(size: int) -> SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def samples(format: str, speakable: bool = True) -> SearchStrategy[Sample]:
    """Messages written in a format. ``speakable``: only those that the format can express."""
    return _bytes(128).map(lambda data: _sample(Choices(data), format, speakable))


# --- text that nearly is markup -------------------------------------------------------------------------------------

_SPLIT = re.compile(r"\{\w*\}|\s+")


@cache
def fragments(format: Format) -> tuple[str, ...]:
    """A format's own literals and their parts, found by walking its data: whole, without holes, halves."""
    literals: dict[str, None] = {}

    def walk(value: Any) -> None:
        if isinstance(value, str):
            literals[value] = None
        elif isinstance(value, tuple):
            for each in value:
                walk(each)
        elif dataclasses.is_dataclass(value):
            for each in dataclasses.fields(value):
                if each.name not in ("name", "aliases", "source", "example", "compiled", "toggle"):
                    walk(getattr(value, each.name))

    walk(format)
    found: dict[str, None] = {}
    for literal in literals:
        filled = re.sub(r"\{\w*\}", "f", literal.replace("{suffix}", ":f"))
        whole = (filled, literal, *_SPLIT.split(literal))
        found.update(
            dict.fromkeys(part for each in whole for part in (each, each[: len(each) // 2], each[:-1], each[1:]))
        )
    return tuple(part for part in found if part)


_INNER = (
    '{"name": "f", "arguments": {', '"to": "Graz"', "}}", '{"to": "x"}', "f", "\n", " ", "functions.f:1", "to", "Graz",
)  # fmt: skip


def _markup(choices: Choices, format: Format) -> str:
    own = fragments(format)
    pools = (own, own, _INNER, PIECES)
    return "".join(choices.one(choices.one(pools)) for _ in range(choices.below(15)))


def _mutated(choices: Choices, format: str) -> str:
    change = Choices(bytes(choices.below(256) for _ in range(16)))
    text = _sample(choices, format, speakable=False).written.text
    for _ in range(1 + change.below(4)):
        start = change.below(len(text) + 1)
        end = min(len(text), start + change.below(13))
        piece = text[start:end]
        what = change.below(5)
        if what == 0:
            text = text[:start]
        elif what == 1:
            text = text[:start] + text[end:]
        elif what == 2:
            text = text[:start] + piece + text[start:]
        elif what == 3:
            text = text[:start] + text[end : end + 6] + piece + text[end + 6 :]
        else:
            text = text[:start] + change.one(PIECES) + text[start:]
    return text


def markup(format: Format) -> SearchStrategy[str]:
    """Text built from a format's markers, from parts of them, and from the words between."""
    return _bytes(40).map(lambda data: _markup(Choices(data), format))


def mutated(format: str) -> SearchStrategy[str]:
    """A written message with pieces lost, doubled, swapped or put in, or with its end cut off."""
    return _bytes(144).map(lambda data: _mutated(Choices(data), format))


def noise(format: Format) -> SearchStrategy[str]:
    """Any text at all: prose, markup of this format in any order, and broken messages."""
    prose = _bytes(16).map(lambda data: Choices(data).text(10))
    return st.one_of(prose, markup(format), mutated(format.name))


def pieces(text: str, data: bytes) -> list[str]:
    """The text in up to eight pieces, some of them possibly empty; ``data`` says where it is cut."""
    choices = Choices(data)
    places = sorted(choices.below(len(text) + 1) for _ in range(choices.below(8)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


cuts: SearchStrategy[bytes] = _bytes(8)
"""Where a text is cut, for :func:`pieces`."""
