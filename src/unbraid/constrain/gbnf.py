"""A format as a GBNF grammar, llama.cpp's dialect: the same tree that the parser is compiled from, walked
another way.

    root ::= reasoning, then content, then calls      as the request has it
    calls ::= section open, call, call ..., section close
    call ::= call open with a name, arguments by the tool's schema, call close

What the grammar accepts, the parser reads back without a complaint. It writes less than the parser reads:
markers in their canonical spelling, and no marker in any text. No model's name stands here, and nothing
here is particular to a format; JSON, regular expressions and exclusion automata have modules of their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Union

from ..format import (
    Call,
    Codec,
    Format,
    FormatError,
    Json,
    JsonCall,
    Params,
    Spelling,
    Tools,
    canonical,
    frames,
    nearest,
    shapes,
)
from ..literals import spelled
from ..tools import schemas as schemas_of
from . import charset as cs
from .anyjson import AnyJson
from .exclusion import other_than
from .markers import Marker, before_anything, fill, in_text, in_values, layout, leads, marker
from .rules import Rules, either, optional, quote, sequence
from .schema import Schemas
from .texts import Texts
from .values import RawValues

ReasoningMode = Literal["none", "optional", "required", "open"]
"""The model doesn't think first, may, must, or does already because the prompt opened it."""
ToolChoice = Union[Literal["auto", "required", "none"], Mapping[str, Any]]
"""OpenAI's: a word, or the tool that must be called."""
SchemaToGbnf = Callable[[Mapping[str, Any]], str]
"""Makes a whole grammar, with ``root``, from a JSON schema."""

COUNTED = 16
"""Ids with an index count so many calls; from there on the index is any number of two digits or more."""
_NO_PARAMETERS: Mapping[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
_KEY_LETTERS = cs.charset([(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
_WHITE_SPACE = cs.of(" \t\n\r\f\v")


def grammar(
    format: Format,
    tools: Sequence[Mapping[str, Any]] = (),
    *,
    tool_choice: ToolChoice = "auto",
    reasoning: ReasoningMode = "optional",
    parallel_tool_calls: bool = True,
    response_schema: Mapping[str, Any] | None = None,
    schema_to_gbnf: SchemaToGbnf | None = None,
) -> str:
    """A grammar under which a model can only write what this format and this request allow.

    Args:
        format: the format to be written.
        tools: the tools that are offered, in OpenAI's shape, bare, or in Anthropic's. A tool without a schema
            takes no arguments.
        tool_choice: ``"auto"``: content, then calls, both optional; ``"required"``: calls and nothing else;
            ``"none"``: content; or one tool by name, which must be called.
        reasoning: ``"optional"`` and ``"required"`` have the model open it; with ``"open"`` the prompt did.
            Required reasoning begins with a character that isn't white space.
        parallel_tool_calls: whether there may be more than one call.
        response_schema: if given, content is JSON that fits this schema.
        schema_to_gbnf: converts JSON schemas in place of the built-in converter. Its strings can't be kept
            free of markers, which matters where JSON stands in content or between parameter markers.

    Raises:
        FormatError: the request asks for what a grammar of this format can't express. The message names it.
    """
    reason = unwritable(format)
    if reason:
        raise FormatError(f"{format.name} has no GBNF grammar yet: {reason}; leave the choice to the model")
    return _Writer(format, schema_to_gbnf).grammar(
        schemas_of(tools), tool_choice, reasoning, parallel_tool_calls, response_schema
    )


def unwritable(format: Format) -> str:
    """Why there is no grammar for a format; empty where there is one."""
    if format.turns.headed or format.answer is not None:
        return "its words stand between markers"
    for tools in frames(format)[:1]:
        call = shapes(tools)[0]
        if call.open is None or call.close is None:
            return "its calls have no marker of their own"
        if not isinstance(call.arguments, Json | JsonCall | Params) or getattr(call.arguments, "keyed", False):
            return f"its arguments are in {type(call.arguments).__name__}'s notation"
        written = [canonical(each) for each in (tools.open, call.open, call.close)]
        if isinstance(call.arguments, Params):
            written.append(canonical(call.arguments.open))
        for hole in ("{type}", "{index}", "{recipient}", "{channel}", "{suffix}"):
            if any(hole in spelled(literal)[-1] for literal in written):
                return f"its markers hold a {hole}"
    return ""


class _Writer:
    """Builds one grammar."""

    def __init__(self, format: Format, schema_to_gbnf: SchemaToGbnf | None) -> None:
        self.format = format
        self.rules = Rules()
        self.convert = schema_to_gbnf
        self.words = in_text(format)
        self.parallel = True
        self._json: dict[str, AnyJson] = {}
        self._raw: dict[frozenset[int], Texts] = {}
        self._value: Texts | None = None

    # -- the whole -----------------------------------------------------------------------------------------

    def grammar(
        self,
        schemas: Mapping[str, Mapping[str, Any] | None],
        tool_choice: ToolChoice,
        reasoning: str,
        parallel: bool,
        response_schema: Mapping[str, Any] | None,
    ) -> str:
        """The text of the grammar."""
        self.parallel = parallel
        offered, must = self._choice(schemas, tool_choice)
        before = self._reasoning(reasoning)
        if must:
            return self.rules.text(sequence(before, self._first(), self._calls(offered)))
        if response_schema is None:
            calls = optional(self._calls(offered)) if offered else ""
            text = self._text([self._opener().prefix] if offered else [])
            return self.rules.text(sequence(before, text.free(), calls))
        answer = self._by_schema(response_schema, "response", self._any_json("content-json", self.words))
        if offered:
            answer = either([answer, sequence(self._first(), self._calls(offered))])
        return self.rules.text(sequence(before, answer))

    def _choice(
        self, schemas: Mapping[str, Mapping[str, Any] | None], choice: ToolChoice
    ) -> tuple[dict[str, Mapping[str, Any]], bool]:
        """The tools that may be called, and whether one must."""
        offered = {name: _NO_PARAMETERS if each is None else each for name, each in schemas.items()}
        if isinstance(choice, Mapping):
            function = choice.get("function", choice)
            name = function.get("name") if isinstance(function, Mapping) else None
            if name not in offered:
                asked = f"tool_choice names the tool {name!r}, which wasn't offered"
                raise FormatError(asked + (nearest(str(name), list(offered)) if offered else ""))
            offered, must = {name: offered[name]}, True
        elif choice == "none":
            return {}, False
        elif choice in ("auto", "required"):
            must = choice == "required"
        else:
            raise FormatError(f"there is no tool_choice {choice!r}{nearest(choice, ['auto', 'required', 'none'])}")
        if must and not offered:
            raise FormatError("tool_choice asks for a call, but no tools were offered")
        if offered and self.format.tools is None:
            raise FormatError(f"{self.format.name} has no tool calls")
        return offered, must

    def _reasoning(self, asked: str) -> str:
        if asked not in ("none", "optional", "required", "open"):
            known = ["none", "optional", "required", "open"]
            raise FormatError(f"there is no reasoning {asked!r}{nearest(asked, known)}")
        pair = self.format.reasoning
        if asked == "none" or (pair is None and asked == "optional"):
            return ""
        if pair is None:
            raise FormatError(f"{self.format.name} has no reasoning")
        opens, closes = marker(canonical(pair.open)), marker(canonical(pair.close))
        text = self._text([closes.lead + closes.prefix])
        words = text.free() if asked != "required" else text.beginning(cs.negated(_WHITE_SPACE))
        end = sequence(words, quote(closes.lead), closes.core(), quote(closes.trail))
        if asked == "open":
            return end
        whole = self.rules.add("reasoning", sequence(opens.core(), quote(opens.trail), end))
        return optional(whole) if asked == "optional" else whole

    def _text(self, before: Sequence[str]) -> Texts:
        """Reasoning or content, before one of these; one set of rules where that makes no difference."""
        text = Texts(self.rules, "text", self.words, raw=True, before=before)
        return self._raw.setdefault(text.exclusion.cuts(before), text)

    # -- calls ---------------------------------------------------------------------------------------------

    @property
    def tools(self) -> Tools:
        """The format's tools, where it is known to have them."""
        return frames(self.format)[0]

    @property
    def call(self) -> Call:
        """The shape of calls that is written."""
        return shapes(self.tools)[0]

    def _opener(self) -> Marker:
        """The first marker of a call."""
        return marker(canonical(self.tools.open or self.call.open))

    def _first(self) -> str:
        """White space before the first call where nothing stands before it."""
        return before_anything(self.tools.open or self.call.open)

    def _calls(self, offered: Mapping[str, Mapping[str, Any]]) -> str:
        """One or more calls, sections included, without white space at the start."""
        tools = self.tools
        one = self._call(offered)
        if tools.open is None or tools.close is None:
            chain = self._chain(one, self.call.open, self.call.close)
            return self.rules.add("calls", sequence(chain, _at_end(self.call.close)))
        opens, closes = marker(canonical(tools.open)), marker(canonical(tools.close))
        call_closes = marker(canonical(self.call.close))
        start = sequence(opens.core(), quote(opens.trail), layout([opens.trail], leads(self.call.open)))
        end = sequence(layout([call_closes.trail], leads(tools.close)), closes.core())
        if tools.section == "shared":
            inside = sequence(self._chain(one, self.call.open, self.call.close), quote(call_closes.trail))
            return self.rules.add("calls", sequence(start, inside, end, _at_end(tools.close)))

        def in_section(index: str) -> str:
            return sequence(start, one(index), quote(call_closes.trail), end)

        return self.rules.add("calls", sequence(self._chain(in_section, tools.open, tools.close), _at_end(tools.close)))

    def _chain(self, one: Callable[[str], str], opens: Spelling | None, closes: Spelling | None) -> str:
        """One call after the other, where they are written apart."""
        codec = self.call.arguments
        if not self.parallel or (isinstance(codec, JsonCall) and codec.array == "always"):
            return one('"0"')
        trail = marker(canonical(closes)).trail
        between = sequence(quote(trail), layout([trail], leads(opens)))
        if not self._indexed():
            call = self.rules.add("call", one(""))
            return sequence(call, f"({sequence(between, call)})*")
        index = self.rules.add("index", "[1-9] [0-9]{1,3}")
        more = f"({sequence(between, self.rules.add('call', one(index)))})*"
        for number in reversed(range(COUNTED)):
            call = self.rules.add(f"call-{number}", one(f'"{number}"'))
            if number:
                more = optional(self.rules.add(f"more-{number}", sequence(between, call, more)))
        return sequence(call, more)

    def _indexed(self) -> bool:
        return "{index}" in canonical(self.call.id)

    def _call(self, offered: Mapping[str, Mapping[str, Any]]) -> Callable[[str], str]:
        """A call as an expression, for the index that its id has."""
        call = self.call
        codec = call.arguments
        closes = marker(canonical(call.close))
        if isinstance(codec, JsonCall):
            body = self._json_calls(codec, offered)
            return lambda index: sequence(*_around(call), body, quote(closes.lead), closes.core())
        bodies = {name: self._body(codec, name, schema) for name, schema in offered.items()}
        opens = marker(canonical(call.open))
        head, *rest = opens.pieces
        shape = canonical(call.id)

        def one(index: str) -> str:
            options = []
            for name, body in bodies.items():
                pieces = [("", head[1]), *rest]
                holes = {"name": quote(name)}
                if any(hole == "id" for _, hole in pieces):
                    self._refuse_name(opens, "id", shape.replace("{name}", name).replace("{index}", "0"), name)
                    holes["id"] = fill(marker(shape).pieces, {"name": quote(name), "index": index})
                if any(hole == "name" for _, hole in pieces):
                    self._refuse_name(opens, "name", name, name)
                options.append(sequence(fill(pieces, holes), body))
            return sequence(quote(head[0]), either(options), closes.core())

        return one

    def _refuse_name(self, opens: Marker, hole: str, filling: str, name: str) -> None:
        if not opens.takes(hole, filling):
            raise FormatError(f"the tool name {name!r} can't be read back from the marker {opens.literal!r}")

    def _body(self, codec: Codec, name: str, schema: Mapping[str, Any]) -> str:
        """All between the core of a call's opener and that of its closer, as a rule of the tool."""
        call = self.call
        trail, lead = marker(canonical(call.open)).trail, marker(canonical(call.close)).lead
        if isinstance(codec, Params):
            arguments = self._parameters(codec, name, schema)
            return self.rules.add(f"{name}-parameters", sequence(quote(trail), arguments))
        arguments = self._arguments(name, schema)
        return self.rules.add(f"{name}-body", sequence(quote(trail), arguments, quote(lead)))

    # -- arguments -----------------------------------------------------------------------------------------

    def _any_json(self, name: str, excluded: set[str]) -> AnyJson:
        known = self._json.get(name)
        if known is None:
            texts = Texts(self.rules, name, excluded, raw=False)
            known = self._json[name] = AnyJson(self.rules, texts)
        return known

    def _by_schema(self, schema: Mapping[str, Any], name: str, parts: AnyJson) -> str:
        """JSON by a schema that is a root of its own."""
        if self.convert is not None:
            return self._converted(schema, name)
        return Schemas(parts, schema, name).value(schema)

    def _arguments(self, name: str, schema: Mapping[str, Any]) -> str:
        """A call's arguments as a JSON object. Its strings may hold markers: the parser knows strings."""
        if self.convert is not None:
            return self._converted(schema, name)
        schemas = Schemas(self._any_json("json", set()), schema, name)
        return self.rules.add(f"{name}-arguments", either(schemas.plain(each) for each in schemas.objects()))

    def _converted(self, schema: Mapping[str, Any], name: str) -> str:
        assert self.convert is not None
        try:
            text = self.convert(schema)
        except FormatError:
            raise
        except Exception as error:
            raise FormatError(f"schema_to_gbnf refused the schema of {name}: {error}") from error
        return self.rules.embed(name, text)

    def _json_calls(self, codec: JsonCall, offered: Mapping[str, Mapping[str, Any]]) -> str:
        """The JSON of a call that holds the name and the arguments, or an array of such."""
        parts = self._any_json("json", set())
        name_key = sequence(_json_text(codec.name[0]), parts.colon)
        options = []
        for name, schema in offered.items():
            before = sequence(_json_text(name), parts.comma, _json_text(codec.arguments[0]), parts.colon)
            options.append(self.rules.add(f"{name}-call", sequence(before, self._arguments(name, schema))))
        id = ""
        if codec.id:
            id = sequence(parts.comma, _json_text(codec.id[0]), parts.colon, r'"\"" [0-9A-Za-z_-]{1,64} "\""')
        one = self.rules.add("call-object", sequence('"{"', name_key, either(options), optional(id), '"}"'))
        if codec.array != "always":
            return one
        more = sequence(parts.comma, one)
        return sequence('"["', one, f"({more})*" if self.parallel else "", '"]"')

    def _parameters(self, codec: Params, name: str, schema: Mapping[str, Any]) -> str:
        """A tool's parameters in the schema's order and what stands between them, up to the call's closer."""
        excluded = in_values(self.format, codec)
        closes = marker(canonical(codec.close))
        if self._value is None:
            before = [closes.lead + closes.prefix]
            self._value = Texts(self.rules, "value", excluded, raw=True, before=before)
        schemas = Schemas(self._any_json("value-json", excluded), schema, name)

        def as_json(variant: Mapping[str, Any]) -> str:
            if self.convert is None:
                return schemas.plain(variant)
            shared = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
            return self._converted({**shared, **variant}, name)

        values = RawValues(self._value, schemas, as_json, codec)
        trails = [marker(canonical(self.call.open)).trail, closes.trail]
        options = []
        for variant in schemas.objects():
            properties, required, extra = schemas.properties(variant)
            if variant.get("minProperties", 0) > len(required) or "maxProperties" in variant:
                raise FormatError(f"the schema of {name} counts its properties, which a grammar can't do")
            parts = []
            for key, each in properties.items():
                one = self._parameter(codec, name, key, values.value(each, f"{name}.{key}"))
                one = self.rules.add(f"{name}-{key}", sequence(layout(trails, leads(codec.open)), one))
                parts.append(one if key in required else optional(one))
            if extra is not None:
                key = other_than(self.rules, f"{name}-other", set(properties), _KEY_LETTERS, least=1)
                one = self._between(codec, key, values.value(extra, f"{name}.*"))
                parts.append(f"({sequence(layout(trails, leads(codec.open)), one)})*")
            options.append(sequence(*parts))
        return sequence(either(options), layout(trails, leads(self.call.close)))

    def _parameter(self, codec: Params, name: str, key: str, value: str) -> str:
        opens = marker(canonical(codec.open))
        if not opens.takes("key", key):
            raise FormatError(f"the parameter {key!r} of {name} can't be read back from the marker {opens.literal!r}")
        return self._between(codec, quote(key), value)

    def _between(self, codec: Params, key: str, value: str) -> str:
        """One parameter, from the core of its opener to the white space after its closer."""
        opens, closes = marker(canonical(codec.open)), marker(canonical(codec.close))
        opener = sequence(fill(opens.pieces, {"key": key}), quote(opens.trail))
        return sequence(opener, value, quote(closes.lead), closes.core(), quote(closes.trail))


def _around(call: Call) -> tuple[str, str]:
    """The opener of a call without holes, with its white space."""
    opens = marker(canonical(call.open))
    return opens.core(), quote(opens.trail)


def _at_end(spelling: Spelling | None) -> str:
    """The white space after the last marker of an output."""
    return optional(quote(marker(canonical(spelling)).trail))


def _json_text(text: str) -> str:
    return quote(json.dumps(text, ensure_ascii=False))
