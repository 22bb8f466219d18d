"""A format from a chat template: what the template writes for conversations of our own says what the model writes.

What lives here: putting together what ``turns``, ``thinking`` and ``calling`` found, and making sure that the format
reads back what the template writes. A format that doesn't is refused: a wrong one is worse than none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..format import Answer, Format, FormatError, Reasoning
from ..parser import parse
from .calling import Calling, calling
from .nodes import NotRead
from .thinking import thinking
from .turns import Bounds, bounds
from .writing import END, USER, Writer, assistant, between, called, user

_ANSWER = "Hello."
_THOUGHT = "A train to Graz for two."
_NAME, _ARGUMENTS = "find_trains", {"to": "Graz", "seats": 2}


def from_chat_template(
    template: str,
    name: str = "derived",
    *,
    tokens: Mapping[str, str] | None = None,
    added: frozenset[str] = frozenset(),
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
        answer = _answer(found, thought.reasoning if thought else None)
    except NotRead as why:
        raise FormatError(f"no format can be derived: the chat template {why}") from None
    reasoning = thought.reasoning if thought else None
    evidence = [*found.evidence]
    evidence.append(thought.evidence if thought else "no thoughts")
    evidence.append(calls.evidence if calls else "no calls")
    example = _example(writer, found, reasoning, calls)
    try:
        if calls and calls.ends:
            found = found._replace(turns=replace(found.turns, ends=(*found.turns.ends, *calls.ends)))
        format = _format(name, found, reasoning, answer, calls, evidence, example, added)
    except FormatError as wrong:
        said = str(wrong).removeprefix(f"{name}: ")
        raise FormatError(
            f"no format can be derived: what the chat template writes can't be told apart: {said}"
        ) from None
    _read_back(format, calls, _example(writer, found, reasoning, None))
    return format


def _format(
    name: str,
    found: Bounds,
    reasoning: Reasoning | None,
    answer: Answer | None,
    calls: Calling | None,
    evidence: list[str],
    example: str,
    added: frozenset[str],
) -> Format:
    made = Format(
        name=name,
        turns=found.turns
        if answer is None
        else replace(found.turns, ends=tuple(end for end in found.turns.ends if end != answer.close)),
        reasoning=reasoning,
        answer=answer,
        tools=calls.tools if calls else None,
        source=f"Derived from the chat template, which writes {'; '.join(evidence)}.",
        example=example,
    )
    return made if not added else _with_special(made, added)


def _answer(found: Bounds, reasoning: Reasoning | None) -> Answer | None:
    """What is written around an answer, if anything is.

    Raises:
        NotRead: it is opened and not closed.
    """
    lead = found.lead
    if reasoning is not None:
        for marker in (reasoning.open, reasoning.close):
            lead = lead.replace(str(marker).strip(), "")
    if not lead.strip():
        return None
    if len(found.turns.ends) < 2:
        raise NotRead(f"writes {lead.strip()!r} before an answer, but nothing after it, which a format can't say")
    return Answer(lead, found.turns.ends[0])


def _with_special(format: Format, added: frozenset[str]) -> Format:
    """The format with those of its markers that are one token."""
    from ..checks import all_markers
    from ..format import spellings

    texts = [literal.strip() for _, marker in all_markers(format) for literal in spellings(marker)]
    special = tuple(token for token in sorted(added) if any(token in text for text in texts))
    return replace(format, special=special)


def _example(writer: Writer, found: Bounds, reasoning: Reasoning | None, calls: Calling | None) -> str:
    """A whole output, as the template writes it."""
    said = assistant("" if calls else _ANSWER, _THOUGHT if reasoning else "")
    marker = str(found.turns.assistant).replace("{{", "{").replace("}}", "}").strip()
    for as_text in (False, True):
        if calls:
            call = called(_NAME, _ARGUMENTS, "callaaaaa")
            if as_text:
                call["function"]["arguments"] = json.dumps(_ARGUMENTS)
            said["tool_calls"] = [call]
        written = between(writer.write(user(), said), USER) or ""
        if "Graz" in written and "{'to':" not in written:
            break
    written = written.partition(marker)[2]
    at = max(written.rfind("Graz"), written.rfind(_ANSWER), 0)
    tail = written[at:]
    for end in (*found.turns.ends, END, marker):
        tail = tail.partition(end)[0]
    written = (written[:at] + tail).strip()
    if reasoning and _THOUGHT not in written:
        open, close = str(reasoning.open), str(reasoning.close)
        empty = written.partition(close.strip())
        written = empty[2].strip() if empty[1] else written.removeprefix(open.strip()).lstrip()
        written = f"{open}{_THOUGHT}{close}{written}".strip()
    return written


def _read_back(format: Format, calls: Calling | None, answer: str) -> None:
    """Make sure that the format reads its example and an answer.

    Raises:
        FormatError: it doesn't.
    """
    thinks = format.reasoning is not None
    tools = [{"name": _NAME, "parameters": {"properties": {"seats": {"type": "integer"}, "to": {"type": "string"}}}}]
    for text in (format.example, answer):
        message = parse(text, format, tools=tools if calls else None, thinking=thinks)
        told = [(each.name, _texts(json.loads(each.arguments))) for each in message.tool_calls]
        wanted = [(_NAME, _texts(_ARGUMENTS))] if calls and text is not answer else []
        said = (message.content or "").strip() == (_ANSWER if text is answer or not calls else "")
        if told != wanted or not said or (message.reasoning or "").strip() != (_THOUGHT if thinks else ""):
            raise FormatError(f"no format can be derived: the chat template writes {text!r}, which isn't read back")


def _texts(arguments: dict[str, Any]) -> dict[str, str]:
    """Arguments without their types: Python's notation may quote a number, and then it is a string."""
    return {key: str(value) for key, value in arguments.items()}
