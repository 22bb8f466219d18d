"""A format from a chat template: what the template writes for conversations of our own says what the model writes.

What lives here: putting together what ``turns``, ``thinking`` and ``calling`` found, and making sure that the format
reads back what the template writes. A format that doesn't is refused: a wrong one is worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..format import Format, FormatError, Reasoning
from ..parser import parse
from .calling import Calling, calling
from .nodes import NotRead
from .thinking import thinking
from .turns import Bounds, bounds
from .writing import END, USER, Writer, assistant, between, called, user

_THOUGHT = "A train to Graz for two."
_NAME, _ARGUMENTS = "find_trains", {"to": "Graz", "seats": 2}


def from_chat_template(
    template: str, name: str = "derived", *, tokens: Mapping[str, str] | None = None, added: frozenset[str] = frozenset()
) -> Format:
    """The format that a chat template tells of.

    Args:
        template: Jinja's text, or a Go template as Ollama has them.
        name: what the format is to be called.
        tokens: what variables such as ``eos_token`` stand for, as far as it is known.
        added: the tokens that were added to the model's vocabulary.

    Raises:
        FormatError: the template can't be read, doesn't tell turn boundaries, or writes what a format can't say.
    """
    try:
        writer = Writer(template, tokens or {})
        found = bounds(writer)
        thought = thinking(writer, found)
        closer = str(thought.reasoning.close) if thought else ""
        calls = calling(writer, found, closer)
    except NotRead as why:
        raise FormatError(f"no format can be derived: the chat template {why}") from None
    reasoning = thought.reasoning if thought else None
    evidence = [*found.evidence]
    evidence.append(thought.evidence if thought else "it writes no thoughts")
    evidence.append(calls.evidence if calls else "it writes no calls")
    example = _example(writer, found, reasoning, calls)
    try:
        format = _format(name, found, reasoning, calls, evidence, example, added)
    except FormatError as wrong:
        said = str(wrong).removeprefix(f"{name}: ")
        raise FormatError(f"no format can be derived: what the chat template writes can't be told apart: {said}") from None
    _read_back(format, calls)
    return format


def _format(
    name: str,
    found: Bounds,
    reasoning: Reasoning | None,
    calls: Calling | None,
    evidence: list[str],
    example: str,
    added: frozenset[str],
) -> Format:
    made = Format(
        name=name,
        turns=found.turns,
        reasoning=reasoning,
        tools=calls.tools if calls else None,
        source=f"Derived from the chat template: {'; '.join(evidence)}.",
        example=example,
    )
    return made if not added else _with_special(made, added)


def _with_special(format: Format, added: frozenset[str]) -> Format:
    """The format with those of its markers that are one token."""
    from dataclasses import replace

    from ..checks import _all_markers
    from ..format import spellings

    texts = [literal.strip() for _, marker in _all_markers(format) for literal in spellings(marker)]
    special = tuple(token for token in sorted(added) if any(token in text for text in texts))
    return replace(format, special=special)


def _example(writer: Writer, found: Bounds, reasoning: Reasoning | None, calls: Calling | None) -> str:
    """A whole output, as the template writes it."""
    said = assistant("" if calls else "Hello.", _THOUGHT if reasoning else "")
    marker = str(found.turns.assistant).replace("{{", "{").replace("}}", "}").strip()
    for as_text in (False, True):
        if calls:
            call = called(_NAME, _ARGUMENTS, "callaaaaa")
            if as_text:
                call["function"]["arguments"] = json.dumps(_ARGUMENTS)
            said["tool_calls"] = [call]
        written = between(writer.write(user(), said), USER) or ""
        if "{'to':" not in written:
            break
    written = written.partition(marker)[2]
    at = max(written.rfind("Graz"), written.rfind("Hello."), 0)
    tail = written[at:]
    for end in (*found.turns.ends, END):
        tail = tail.partition(end)[0]
    written = (written[:at] + tail).strip()
    if reasoning and _THOUGHT not in written:
        open, close = str(reasoning.open), str(reasoning.close)
        empty = written.partition(close.strip())
        written = empty[2].strip() if empty[1] else written.removeprefix(open.strip()).lstrip()
        written = f"{open}{_THOUGHT}{close}{written}".strip()
    return written


def _read_back(format: Format, calls: Calling | None) -> None:
    """Make sure that the format reads its example.

    Raises:
        FormatError: it doesn't.
    """
    thinks = format.reasoning is not None
    tools = [{"name": _NAME, "parameters": {"properties": {"seats": {"type": "integer"}, "to": {"type": "string"}}}}]
    message = parse(format.example, format, tools=tools if calls else None, thinking=thinks)
    told: Any = [(each.name, json.loads(each.arguments)) for each in message.tool_calls]
    wanted = [(_NAME, _ARGUMENTS)] if calls else []
    if told != wanted or (message.reasoning or "").strip() != (_THOUGHT if thinks else ""):
        raise FormatError(
            f"no format can be derived: {format.example!r}, which the chat template writes, isn't read back"
        )
