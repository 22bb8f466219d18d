"""What makes a format impossible, said in one clear sentence when it is built.

Only the structure of the description is looked at here; collisions between markers are found while the machine's
table is planned, which a check does once.
"""

from __future__ import annotations

import re
from string import Formatter

from .format import Format, FormatError, JsonCall, Params, Spelling, spellings


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
    for where, spelling in _all_markers(format):
        for literal in spellings(spelling):
            if not literal.strip():
                raise FormatError(f"{format.name}: {where} is empty; a marker needs characters to be found by")
    if format.reasoning is not None and not (spellings(format.reasoning.open) and spellings(format.reasoning.close)):
        raise FormatError(f"{format.name}: reasoning needs an opener and a closer")
    if format.tools is not None:
        _check_tools(format)
    from .machine import plan
    from .reach import refuse_dead_ends

    refuse_dead_ends(format.name, plan(format))


def _check_tools(format: Format) -> None:
    tools = format.tools
    assert tools is not None
    call = tools.call
    if (tools.open is None) != (tools.close is None):
        raise FormatError(f"{format.name}: a section needs both tools.open and tools.close, or neither")
    if not spellings(call.close):
        raise FormatError(f"{format.name}: tools.call.close is missing")
    for literal in spellings(call.open):
        found = holes(literal)
        if isinstance(call.arguments, JsonCall):
            if found:
                raise FormatError(
                    f"{format.name}: {literal!r} has a hole, but with JsonCall the name stands in the JSON"
                )
        elif not {"name", "id"} & set(found):
            raise FormatError(f"{format.name}: {literal!r} needs {{name}} or {{id}}, or the call has no name")
        if "id" in found and not call.id:
            raise FormatError(f"{format.name}: {literal!r} has {{id}}; say its shape in tools.call.id")
        ends_in_hole = bool(found) and literal.rstrip().endswith("}") and not literal.rstrip().endswith("}}")
        if ends_in_hole and not isinstance(call.arguments, Params):
            raise FormatError(f"{format.name}: the hole at the end of {literal!r} has no end")
    if isinstance(call.arguments, Params):
        for literal in spellings(call.arguments.open):
            if "key" not in holes(literal):
                raise FormatError(f"{format.name}: {literal!r} needs {{key}}, or the parameter has no name")
            if literal.rstrip().endswith("{key}"):
                raise FormatError(f"{format.name}: the hole at the end of {literal!r} has no end")


def _all_markers(format: Format) -> list[tuple[str, Spelling | None]]:
    found: list[tuple[str, Spelling | None]] = [("turns.assistant", format.turns.assistant)]
    found += [("turns.others", each) for each in format.turns.others]
    found += [("turns.ends", each) for each in format.turns.ends]
    if format.reasoning is not None:
        found += [("reasoning.open", format.reasoning.open), ("reasoning.close", format.reasoning.close)]
    if format.tools is not None:
        call = format.tools.call
        found += [("tools.open", format.tools.open), ("tools.close", format.tools.close)]
        found += [("tools.call.open", call.open), ("tools.call.close", call.close)]
        if isinstance(call.arguments, Params):
            found += [("params.open", call.arguments.open), ("params.close", call.arguments.close)]
    return found


def holes(literal: str) -> list[str]:
    """The holes of a literal, in order.

    Raises:
        FormatError: the braces don't pair.
    """
    try:
        return [hole for _, hole, _, _ in Formatter().parse(literal) if hole is not None]
    except ValueError as error:
        raise FormatError(f"{literal!r} can't be read: {error} (double a brace that is meant as text)") from None
