"""Formats from what Transformers calls a response template: fields with openers and closers in tokenizer_config.json.

The keys are those of the Transformers documentation, "Response parsing", version 1: ``start_anchor`` and
``start_anchor_pattern``; per field ``open``, ``open_pattern``, ``close``, ``close_pattern``, ``content``,
``content_args``, ``transform`` and ``transform_each``. How often a field may stand, whether it must, and what it is
joined with changes nothing about what a model writes. What a format can't say is refused, and the key is named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..format import (
    Answer,
    Aside,
    Call,
    Codec,
    Format,
    FormatError,
    Gemma,
    Json,
    JsonCall,
    Params,
    Python,
    Reasoning,
    Spelling,
    Tools,
    Turns,
    nearest,
)
from .nodes import NotRead
from .pattern import groups, literals
from .turns import bounds
from .writing import Writer

KEY = "response_template"
_TOP = ("version", "defaults", "fields", "start_anchor", "start_anchor_pattern")
_FIELD = (
    *("open", "open_pattern", "close", "close_pattern", "content", "content_args"),
    *("repeats", "join", "optional", "transform", "transform_each"),
)
_REASONING = ("thinking", "reasoning_content", "reasoning")
_NAME_TAG = re.compile(r"<([\w:-]+)[^<>]*\{name\}[^<>]*>\s*\Z")
_HOLE = re.compile(r"\{(\w+(?:\.\w+)*)\}\Z")


def from_response_template(
    config: Mapping[str, Any], chat_template: str | None = None, name: str = "derived"
) -> Format:
    """The format that a response template tells of.

    Args:
        config: what ``tokenizer_config.json`` holds, or the response template alone.
        chat_template: the model's chat template; it tells the markers of other turns, which a response template
            doesn't, and whether the prompt opens reasoning.
        name: what the format is to be called.

    Raises:
        FormatError: it has what a format can't say; the message names the key.
    """
    template = config.get(KEY, config)
    _check(template, _TOP, KEY)
    if template.get("version", 1) != 1:
        raise FormatError(f"{KEY}.version is {template['version']!r}; only version 1 is known")
    fields = template.get("fields")
    if not isinstance(fields, Mapping) or not fields:
        raise FormatError(f"{KEY} needs the key 'fields' with at least one field")
    anchor = _marker(template, "start_anchor", "start_anchor_pattern", KEY)
    if not anchor:
        raise FormatError(
            f"{KEY} needs start_anchor, what the chat template writes before the model's words, or the turn boundaries "
            "can't be told"
        )
    reasoning: Reasoning | None = None
    answer: Answer | None = None
    tools: Tools | None = None
    asides: tuple[Aside, ...] = ()
    ends: tuple[str, ...] = ()
    for field, said in fields.items():
        where = f"{KEY}.fields.{field}"
        _check(said, _FIELD, where)
        open, close = _around(said, where)
        if field == "tool_calls":
            tools = _tools(said, open, close, where)
        elif field in _REASONING:
            _words(said, where)
            reasoning = Reasoning(_needed(open, where, "open"), _needed(close, where, "close"))
        elif field == "content":
            _words(said, where)
            if open and close:
                answer = Answer(_spelling(open), _spelling(close))
            elif open:
                raise FormatError(f"{where} has an opener and no close, which a format can't say")
            else:
                ends = close
        else:
            raise FormatError(
                f"{where} is a field that a format doesn't know{nearest(field, [*_REASONING, 'content'])}"
            )
    turns = Turns(_spelling(anchor), ends=ends)
    evidence = [f"fields {', '.join(fields)} and the start anchor of the {KEY} in tokenizer_config.json"]
    if chat_template is not None:
        turns, reasoning = _completed(turns, reasoning, chat_template, evidence)
    try:
        return Format(
            name=name,
            turns=turns,
            reasoning=reasoning,
            tools=tools,
            answer=answer,
            asides=asides,
            source=f"Derived from {'; '.join(evidence)}.",
        )
    except FormatError as wrong:
        said = str(wrong).removeprefix(f"{name}: ")
        raise FormatError(f"what the {KEY} says can't be told apart: {said}") from None


def _completed(
    turns: Turns, reasoning: Reasoning | None, chat_template: str, evidence: list[str]
) -> tuple[Turns, Reasoning | None]:
    """What only the chat template tells, where it can be read."""
    try:
        found = bounds(Writer(chat_template, {}))
    except NotRead:
        return turns, reasoning
    evidence.append(f"the chat template, which writes {found.evidence[0]}")
    others = tuple(each for each in found.turns.others if each not in turns.assistant)
    ends = tuple(dict.fromkeys((*turns.ends, *found.turns.ends)))
    if reasoning is not None:
        begun = str(reasoning.open).strip() in found.prompt and str(reasoning.close).strip() not in found.prompt
        reasoning = replace(reasoning, opened_by="prompt" if begun else "model")
    return replace(turns, others=others, ends=ends), reasoning


# -- fields ------------------------------------------------------------------------------------------------------------


def _check(table: Any, known: tuple[str, ...], where: str) -> None:
    if not isinstance(table, Mapping):
        raise FormatError(f"{where} must be an object, not {type(table).__name__}")
    for key in table:
        if key not in known:
            raise FormatError(f"{where} has the key {key!r}, which isn't known{nearest(str(key), list(known))}")


def _around(field: Mapping[str, Any], where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return _marker(field, "open", "open_pattern", where), _marker(field, "close", "close_pattern", where)


def _marker(table: Mapping[str, Any], literal: str, pattern: str, where: str) -> tuple[str, ...]:
    """A marker's spellings, from a text, several, or a pattern; empty if there is none."""
    if literal in table and pattern in table:
        raise FormatError(f"{where} has both {literal} and {pattern}; give one of them")
    if pattern in table:
        if not isinstance(table[pattern], str):
            raise FormatError(f"{where}.{pattern} must be a string")
        return literals(table[pattern], f"{where}.{pattern}")
    given = table.get(literal)
    texts = [given] if isinstance(given, str) else given if given is not None else []
    if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
        raise FormatError(f"{where}.{literal} must be a text, or a list of texts, that aren't empty")
    return tuple(text.replace("{", "{{").replace("}", "}}") for text in texts)


def _spelling(texts: tuple[str, ...]) -> Spelling:
    return texts[0] if len(texts) == 1 else texts


def _needed(texts: tuple[str, ...], where: str, key: str) -> Spelling:
    if not texts:
        raise FormatError(f"{where} needs {key}: a format's reasoning has an opener and a closer")
    # White space beside a tag is layout, as the field's text is stripped.
    return _spelling(tuple(f"{each.rstrip()}\n" if key == "open" else f"\n{each.strip()}\n\n" for each in texts))


def _words(field: Mapping[str, Any], where: str) -> None:
    if field.get("content", "text") != "text":
        raise FormatError(f"{where}.content is {field['content']!r}; here a format can only say 'text'")
    if field.get("transform") not in (None, "{content}"):
        raise FormatError(f"{where}.transform changes words, which a format can't say")


def _tools(field: Mapping[str, Any], open: tuple[str, ...], close: tuple[str, ...], where: str) -> Tools:
    named = bool(open) and all("{name}" in each for each in open)
    codec = _codec(field, named, where)
    if not open and not isinstance(codec, JsonCall | Python):
        raise FormatError(f"{where} needs open: nothing else would tell a call from an answer")
    if isinstance(codec, Params) and not close:
        raise FormatError(f"{where} needs close: parameters don't end themselves")
    if isinstance(codec, Params):
        close = _with_inner(open[0], close)
    return Tools(Call(_spelling(open) if open else None, _spelling(close) if close else None, codec))


def _with_inner(open: str, close: tuple[str, ...]) -> tuple[str, ...]:
    """A call's closers, and those with the end of the tag that holds its name, which this notation passes over."""
    inner = _NAME_TAG.search(open)
    if inner is None or any(f"</{inner[1]}>" in each for each in close):
        return close
    return (*(f"\n</{inner[1]}>\n{each}" for each in close), *close)


def _codec(field: Mapping[str, Any], named: bool, where: str) -> Codec:
    kind = field.get("content", "text")
    args = field.get("content_args") or {}
    name, arguments = _keys(field, named, where)
    if kind == "python-call-list":
        return Python()
    if kind == "xml-inline":
        _known_args(args, ("tag_pattern", "value_parser", "merge_duplicates"), where)
        open, close = groups(str(args.get("tag_pattern", "")), f"{where}.content_args.tag_pattern")
        parser = args.get("value_parser") or {}
        if parser.get("name", "text") not in ("text", "json"):
            raise FormatError(f"{where}.content_args.value_parser is {parser['name']!r}, which a format can't say")
        if not named:
            raise FormatError(f"{where}.open_pattern needs the group name, or the call has no name")
        untyped = "json" if parser.get("name") == "json" else "string"
        strip = untyped == "json" or (parser.get("args") or {}).get("strip", False)
        return Params(open, close, untyped="json" if untyped == "json" else "string", strip=bool(strip))
    if kind != "json":
        raise FormatError(
            f"{where}.content is {kind!r}, which a format can't say; it can say json, xml-inline and python-call-list"
        )
    _known_args(args, ("unquoted_keys", "string_delims", "allow_non_json"), where)
    quotes = args.get("string_delims") or []
    if quotes or args.get("unquoted_keys"):
        if len(quotes) == 1 and quotes[0][0] == quotes[0][-1] and named:
            return Gemma(quotes[0][0].replace("{", "{{").replace("}", "}}"))
        raise FormatError(
            f"{where}.content_args has {'string_delims' if quotes else 'unquoted_keys'}, which a format can only say "
            "where strings stand between two equal marks and the opener names the function"
        )
    if named:
        return Json()
    keys = (arguments,) if arguments else ("arguments", "parameters")
    return JsonCall((name,), keys, array="always" if field.get("transform_each") else "allowed")


def _known_args(args: Any, known: tuple[str, ...], where: str) -> None:
    _check(args, known, f"{where}.content_args")


def _keys(field: Mapping[str, Any], named: bool, where: str) -> tuple[str, str]:
    """Which keys of the body hold the name and the arguments, as the transform tells."""
    transform = field.get("transform")
    if isinstance(transform, Mapping):
        transform = transform.get("function", transform)
    if transform is None or transform == "{content}":
        return "name", ""
    where = f"{where}.transform"
    if not isinstance(transform, Mapping) or not {"name", "arguments"} <= transform.keys():
        raise FormatError(f"{where} must give function.name and function.arguments, or a format can't say it")
    name, arguments = (_HOLE.match(str(transform[key])) or "" for key in ("name", "arguments"))
    if not name or not arguments:
        raise FormatError(f"{where} gives a fixed text for a call's name or arguments, which a format can't say")
    name, arguments = name[1], arguments[1]
    if named and (name, arguments) == ("name", "content"):
        return "name", ""
    keys = [each.removeprefix("content.") for each in (name, arguments)]
    if named or "content" in keys or any("." in key for key in keys):
        raise FormatError(
            f"{where} takes a call's name from {name!r} and its arguments from {arguments!r}, which a format can't say"
        )
    return keys[0], keys[1]
