"""What a format's description says about itself: its turns, its table, its special tokens and its example."""

from __future__ import annotations

from ..format import Format
from ..parser import parse
from ..plan import plan
from ..reach import shadows, unreached
from .finding import Finding, texts


def alone(format: Format) -> list[Finding]:
    """What can be seen without a model."""
    return [*_turns(format), *_table(format), *_special(format), *_reasoning(format), *_example(format)]


def _turns(format: Format) -> list[Finding]:
    found = []
    if not format.turns.others:
        found.append(
            Finding(
                "warning",
                "turn-boundary",
                "turns.others",
                "no marker opens another turn, so an example in the system prompt may be taken for the turn that is "
                "being written; list what the chat template writes before a user's and a tool's words",
            )
        )
    if not format.turns.ends:
        found.append(
            Finding(
                "warning",
                "turn-boundary",
                "turns.ends",
                "no marker ends a turn, so an end token in the output becomes content, and the last turn of a prompt "
                "is never over; list the model's end tokens",
            )
        )
    return found


def _table(format: Format) -> list[Finding]:
    table = plan(format)
    found = [
        Finding(
            "warning",
            "unreachable",
            f"state {name}",
            f"nothing leads to the state {name!r}, so what is read there never is; remove that part of the format, or "
            "let its opener differ from the others",
        )
        for name in unreached(table)
    ]
    for shadow in shadows(table):
        where = f"state {shadow.state}"
        if shadow.never:
            said = f"{shadow.marker!r} has the marker of {shadow.other!r} and never counts; make them differ"
            found.append(Finding("warning", "shadowed", where, said))
        else:
            said = (
                f"the marker of {shadow.marker!r} is the beginning of that of {shadow.other!r}: it is held until it is "
                "clear which of them it is; nothing to do if they are meant so"
            )
            found.append(Finding("note", "prefix", where, said))
    return found


def _special(format: Format) -> list[Finding]:
    written = {piece for _, pieces in texts(format) for piece in pieces}
    return [
        Finding(
            "warning",
            "special-unused",
            f"special[{place}]",
            f"{token!r} stands in no marker; correct its spelling or leave it out",
        )
        for place, token in enumerate(format.special)
        # A token with a hole, or with white space inside, is compared piece by piece.
        if not all(any(part in piece for piece in written) for part in plain(token))
    ]


def plain(token: str) -> list[str]:
    """The pieces of a token that are plain text: all of it, but for holes and white space."""
    for hole in ("{suffix}", "{index}"):
        token = token.replace(hole, " ")
    return token.split()


def _reasoning(format: Format) -> list[Finding]:
    reasoning = format.reasoning
    if reasoning is None or reasoning.opened_by != "prompt" or reasoning.toggle:
        return []
    said = (
        "the prompt opens reasoning, but nothing says which variable of the chat template switches it; name it in "
        "toggle, or leave it out if the model always thinks"
    )
    return [Finding("note", "toggle-missing", "reasoning.toggle", said)]


def _example(format: Format) -> list[Finding]:
    if not format.example:
        parts = [name for name in ("reasoning", "tools") if getattr(format, name)]
        held = " with reasoning and a call" if len(parts) == 2 else ""
        said = f"there is no example; give a whole output{held}, as such a model writes it"
        return [Finding("warning", "example-missing", "example", said)]
    found = []
    message = parse(format.example, format, thinking=format.reasoning is not None)
    if format.reasoning is not None and not message.reasoning:
        said = "no reasoning is found in it; correct the markers of reasoning or the example"
        found.append(Finding("error", "example-reasoning", "example", said))
    if format.tools and not message.tool_calls:
        said = "no complete call is found in it; correct the markers of tools or the example"
        found.append(Finding("error", "example-call", "example", said))
    for kind in dict.fromkeys(note.kind for note in message.notes):
        said = f"reading it leaves the note {kind!r}, which a clean output doesn't; correct the markers or the example"
        found.append(Finding("warning", "example-notes", "example", said))
    return found
