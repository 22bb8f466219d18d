"""A format whose special tokens can't be spelled.

With token ids it is known which ``<think>`` is the special token and which is six ordinary ones that happen to read
the same. The machine reads text, so the difference is put into the text: a special token that was really generated
stands there with :data:`MARK` before it, and the format's markers are rewritten so that each special token in them
needs that character too. Nothing else in the machine has to know about ids: letters that ordinary tokens spell simply
aren't the marker. On the way out the character is removed (:func:`unmark`), and offsets are counted without it.

``MARK`` is a lone surrogate, which no sequence of bytes decodes to, so that no model and no user can write one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from ..events import Event, Note
from ..format import (
    Aside,
    Call,
    Codec,
    Format,
    Gemma,
    Nested,
    Params,
    Tools,
    frames,
    shapes,
)
from ..literals import MARK

Rewrite = Callable[[str], str]


def unmark(text: str) -> str:
    """The text as the model wrote it."""
    return text.replace(MARK, "")


class Speller:
    """Marks special tokens in text of which no ids are known, so that their letters count.

    Args:
        tokens: the special tokens.
    """

    __slots__ = ("_beginnings", "_held", "_longest", "_pattern")

    def __init__(self, tokens: Iterable[str]) -> None:
        every = sorted(tokens, key=lambda token: -len(token))
        self._pattern = re.compile("|".join(map(re.escape, every)) or r"(?!)")
        self._beginnings = frozenset(token[:end] for token in every for end in range(1, len(token)))
        self._longest = max(map(len, every), default=0)

    def mark(self, text: str) -> str:
        """A text that is whole."""
        return self._pattern.sub(_mark_found, text)

    def split(self, text: str) -> tuple[str, str]:
        """A text that goes on: what is clear of it, marked, and its end if a token may begin there."""
        end = len(text)
        last = 0
        for found in self._pattern.finditer(text):
            last = found.end()
        for start in range(max(last, end - self._longest + 1), end):
            if text[start:] in self._beginnings:
                return self.mark(text[:start]), text[start:]
        return self.mark(text), ""


def _mark_found(found: re.Match[str]) -> str:
    return MARK + found.group()


def unmarked(event: Event, offset: Callable[[int], int]) -> Event:
    """The event as people see it: without marks, and with the notes' offsets counted without them.

    Args:
        event: an event of the machine.
        offset: from an offset in what the machine read to one in the output.
    """
    values = tuple(_plain(value, offset) for value in event)
    return event if values == tuple(event) else tuple.__new__(type(event), values)


def _plain(value: Any, offset: Callable[[int], int]) -> Any:
    if isinstance(value, str):
        return unmark(value)
    if isinstance(value, tuple):
        return tuple(unmarked_note(note, offset) for note in value)
    return value


def unmarked_note(note: Note, offset: Callable[[int], int]) -> Note:
    """The note with its offsets counted without marks."""
    return Note(note.kind, offset(note.start), offset(note.end), unmark(note.detail))


# -- formats -----------------------------------------------------------------------------------------------------


def marked(format: Format, tokens: Iterable[str]) -> Format:
    """The format with a mark before each of these tokens wherever its markers hold them.

    Args:
        format: any format.
        tokens: special tokens, as text.
    """
    every = sorted((_as_literal(token) for token in tokens), key=lambda token: -len(token))
    if not every:
        return format
    pattern = re.compile("|".join(map(re.escape, every)))

    def rewrite(literal: str) -> str:
        return pattern.sub(_mark_found, literal)

    reasoning, answer, turns = format.reasoning, format.answer, format.turns
    if reasoning is not None:
        reasoning = replace(reasoning, **_pair(reasoning, rewrite))
    if answer is not None:
        answer = replace(answer, **_pair(answer, rewrite))
    return replace(
        format,
        turns=replace(
            turns,
            assistant=_spelling(turns.assistant, rewrite),
            others=_every(turns.others, rewrite),
            ends=_every(turns.ends, rewrite),
        ),
        reasoning=reasoning,
        answer=answer,
        asides=tuple(Aside(**_pair(aside, rewrite)) for aside in format.asides),
        tools=tuple(_tools(each, rewrite) for each in frames(format)) or None,
        special=tuple(dict.fromkeys((*_every(format.special, rewrite), *_every((*every,), rewrite)))),
    )


def _as_literal(token: str) -> str:
    return token.replace("{", "{{").replace("}", "}}")


def _spelling(value: Any, rewrite: Rewrite) -> Any:
    """A marker in all its spellings; ``None`` stays."""
    if value is None:
        return None
    return rewrite(value) if isinstance(value, str) else _every(value, rewrite)


def _every(values: tuple[str, ...], rewrite: Rewrite) -> tuple[str, ...]:
    return tuple(map(rewrite, values))


def _pair(part: Any, rewrite: Rewrite) -> dict[str, Any]:
    """The opener and the closer of a part."""
    return {"open": _spelling(part.open, rewrite), "close": _spelling(part.close, rewrite)}


def _tools(tools: Tools, rewrite: Rewrite) -> Tools:
    calls = tuple(_call(call, rewrite) for call in shapes(tools))
    pair = _pair(tools, rewrite)
    # A call that may stand without its section's special token could be spelled by anyone.
    spelled = pair["open"] != tools.open and any(
        call.open == old.open for call, old in zip(calls, shapes(tools), strict=True)
    )
    return replace(tools, **pair, call=calls, optional=tools.optional and not spelled)


def _call(call: Call, rewrite: Rewrite) -> Call:
    arguments = _codec(call.arguments, rewrite)
    return replace(call, **_pair(call, rewrite), separator=_spelling(call.separator, rewrite), arguments=arguments)


def _codec(codec: Codec, rewrite: Rewrite) -> Codec:
    if isinstance(codec, Params):
        return replace(codec, **_pair(codec, rewrite))
    if isinstance(codec, Nested):
        return replace(codec, namespace=rewrite(codec.namespace))
    if isinstance(codec, Gemma):
        return replace(codec, quote=rewrite(codec.quote))
    return codec
