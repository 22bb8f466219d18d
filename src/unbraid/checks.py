"""What makes a format impossible, said in one clear sentence when it is built.

Only the structure of the description is looked at here; collisions between markers are found while the machine's
table is planned, which a check does once.
"""

from __future__ import annotations

import re

from .format import (
    Call,
    Codec,
    Format,
    FormatError,
    Gemma,
    JsonCall,
    Nested,
    Params,
    Python,
    Spelling,
    Tools,
    frames,
    shapes,
    spellings,
)
from .literals import pieces, spelled


def check(format: Format) -> None:
    """Refuse a format that can't work.

    Raises:
        FormatError: with what is wrong, where, and what to do.
    """
    if not re.fullmatch(r"[a-z0-9_]+", format.name):
        raise FormatError(f"the name {format.name!r} may hold lower-case letters, digits and underscores only")
    if not spellings(format.turns.assistant):
        raise FormatError(
            f"{format.name}: turns.assistant is missing; without it a prompt's earlier turns can't be told from "
            "the one being written"
        )
    for where, spelling in all_markers(format):
        for literal in spellings(spelling):
            if not literal.strip():
                raise FormatError(f"{format.name}: {where} is empty; a marker needs characters to be found by")
    if format.reasoning is not None and not (spellings(format.reasoning.open) and spellings(format.reasoning.close)):
        raise FormatError(f"{format.name}: reasoning needs an opener and a closer")
    if format.answer is not None and not (spellings(format.answer.open) and spellings(format.answer.close)):
        raise FormatError(f"{format.name}: an answer needs an opener and a closer")
    for tools in frames(format):
        _check_tools(format.name, tools)
    for signs in format.signs:
        if not (signs.template or signs.vocabulary or signs.models):
            raise FormatError(f"{format.name}: signs are empty; they need a template, a vocabulary or models")
    from .plan import plan
    from .reach import refuse_dead_ends

    refuse_dead_ends(format.name, plan(format))


def _check_tools(name: str, tools: Tools) -> None:
    if (tools.open is None) != (tools.close is None):
        raise FormatError(f"{name}: a section needs both tools.open and tools.close, or neither")
    if not shapes(tools):
        raise FormatError(f"{name}: tools.call is empty; say what a call looks like")
    for call in shapes(tools):
        _check_call(name, call, tools.open is not None)


def _check_call(name: str, call: Call, in_section: bool) -> None:
    codec = call.arguments
    named_inside = isinstance(codec, JsonCall | Python)
    if call.open is None and (in_section or not named_inside):
        raise FormatError(f"{name}: tools.call.open is missing; only a body that holds the name can stand alone")
    if call.close is None and (isinstance(codec, Params | Nested) or _lines(codec)):
        raise FormatError(f"{name}: tools.call.close is missing, and such arguments don't end themselves")
    if call.separator is not None and not named_inside:
        raise FormatError(f"{name}: tools.call.separator is for calls whose names stand in their bodies")
    for literal in spellings(call.open):
        found = holes(literal)
        if named_inside:
            if {"name", "id"} & set(found):
                raise FormatError(f"{name}: {literal!r} has a name, but with such a body the name stands in it")
        elif not {"name", "id"} & set(found):
            raise FormatError(f"{name}: {literal!r} needs {{name}} or {{id}}, or the call has no name")
        if "id" in found and "name" not in found and not call.id:
            raise FormatError(f"{name}: {literal!r} has {{id}}; say its shape in tools.call.id")
    if isinstance(codec, Params):
        for literal in spellings(codec.open):
            if "key" not in holes(literal):
                raise FormatError(f"{name}: {literal!r} needs {{key}}, or the parameter has no name")
            if literal.rstrip().endswith(("{key}", "{type}")):
                raise FormatError(f"{name}: the hole at the end of {literal!r} has no end")


def _lines(codec: Codec) -> bool:
    return isinstance(codec, Python) and codec.layout == "lines"


def all_markers(format: Format) -> list[tuple[str, Spelling | None]]:
    """Every marker of a format, with the field in which it stands."""
    turns = format.turns
    found: list[tuple[str, Spelling | None]] = [("turns.assistant", turns.assistant)]
    found += [("turns.others", each) for each in turns.others]
    found += [("turns.ends", each) for each in turns.ends]
    if format.reasoning is not None:
        found += [("reasoning.open", format.reasoning.open), ("reasoning.close", format.reasoning.close)]
    if format.answer is not None:
        found += [("answer.open", format.answer.open), ("answer.close", format.answer.close)]
    for aside in format.asides:
        found += [("asides.open", aside.open), ("asides.close", aside.close)]
    for tools in frames(format):
        found += [("tools.open", tools.open), ("tools.close", tools.close)]
        for call in shapes(tools):
            codec = call.arguments
            found += [("tools.call.open", call.open), ("tools.call.close", call.close)]
            found += [("tools.call.separator", call.separator)]
            if isinstance(codec, Params):
                found += [("params.open", codec.open), ("params.close", codec.close)]
            elif isinstance(codec, Nested):
                found += [("nested.namespace", codec.namespace)]
            elif isinstance(codec, Gemma):
                found += [("gemma.quote", codec.quote)]
    return found


def holes(literal: str) -> list[str]:
    """The holes of a literal, in order.

    Raises:
        FormatError: the braces don't pair.
    """
    return [hole for _, hole in pieces(spelled(literal)[0]) if hole is not None]
