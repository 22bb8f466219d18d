"""What all writers of tests share: a message, what it looks like when it is written, and what can't be written.

The writers themselves stand in ``writers`` and in ``families``, a module for each group of formats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple


@dataclass(frozen=True)
class Call:
    """A call that a model means to make."""

    name: str
    arguments: dict[str, Any]
    text: str
    """The arguments as JSON text; formats that carry JSON must hand out exactly these characters."""
    declared: frozenset[str] = frozenset()
    """The parameters that the tool's schema declares."""


@dataclass(frozen=True)
class Said:
    """What a model means to say."""

    reasoning: str | None
    """``None``: thinking was off."""
    content: str
    calls: tuple[Call, ...] = ()
    after: str = ""
    """Content after the last call (empty without calls)."""


class Written(NamedTuple):
    """What the model's output looks like."""

    text: str
    prompt: str
    """The end of the prompt before it."""
    ids: tuple[str, ...] | None = None
    """The calls' ids where the format has them on the wire."""
    typed: bool = False
    """Whether the values say what they are, in a layout of a format whose usual one leaves that to the schema."""


class Exclusion(NamedTuple):
    """A kind of message that a format can't express."""

    reason: str
    holds: Callable[[Said], bool]


@dataclass(frozen=True)
class Writer:
    """A layout of a format: how it is written and what it can't say."""

    write: Callable[[Said], Written]
    excluded: tuple[Exclusion, ...] = field(default=(), repr=False)

    def unspeakable(self, said: Said) -> str | None:
        """Why this message can't be written in this layout; ``None`` if it can."""
        return next((each.reason for each in self.excluded if each.holds(said)), None)


def spoken(said: Said) -> tuple[str, str]:
    return said.content, said.after


def content_matches(pattern: str) -> Callable[[Said], bool]:
    compiled = re.compile(pattern)
    return lambda said: any(compiled.search(text) for text in spoken(said))


def text_has(*markers: str) -> Callable[[Said], bool]:
    return lambda said: any(m in text for m in markers for text in (said.reasoning or "", *spoken(said)))


def values_as_text(call: Call, scalar: Callable[[Any], str] = json.dumps) -> dict[str, str]:
    """A call's arguments for formats that print strings raw and everything else as JSON."""
    shown: dict[str, str] = {}
    for key, value in call.arguments.items():
        if isinstance(value, str):
            shown[key] = value
        elif isinstance(value, (dict, list)):
            shown[key] = json.dumps(value, ensure_ascii=False)
        else:
            shown[key] = scalar(value)
    return shown


def thinking(opener: str, closer: str) -> tuple[Exclusion, ...]:
    """What a format with these markers around thinking can't express."""
    return (
        Exclusion(
            "reasoning that holds its own closer ends there",
            lambda said: (said.reasoning or "").find(closer) >= 0,
        ),
        Exclusion(
            "a repeated opener at the start of reasoning is one opener (models repeat what the prompt already wrote)",
            lambda said: (said.reasoning or "").lstrip().startswith(opener),
        ),
        Exclusion(
            "content that begins with a thinking marker is a thinking block, or the second half of one",
            lambda said: said.content.lstrip().startswith((opener, closer)),
        ),
    )


THINK = thinking("<think>", "</think>")
"""Holds for every format with ``<think>`` … ``</think>``."""

LAYOUT = Exclusion(
    "white space alone before a call is layout, not an answer",
    lambda said: bool(said.calls) and said.content.isspace(),
)
"""Holds for every format with calls."""


# --- What families with raw values share ----------------------------------------------------------------------------


def values_of(said: Said) -> list[tuple[Call, str]]:
    return [(call, text) for call in said.calls for text in values_as_text(call).values()]


def raw_values(opener: str, closer: str, call_end: str, after_call: str) -> tuple[Exclusion, ...]:
    """What values can't hold that stand unescaped between markers.

    Args:
        opener: a pattern of what opens a parameter, with the key as its group.
        closer: what closes it.
        call_end: what closes the call.
        after_call: a pattern of what may follow a call.
    """
    opens = re.compile(rf"(?:^|\n){opener}")
    plain = opener.replace("(", "(?:")
    closed = re.compile(rf"{re.escape(closer)}\s*(?:{re.escape(closer)}|{plain}|{re.escape(call_end)}|{after_call})")
    ended = re.compile(rf"{re.escape(call_end)}\s*(?:{after_call}|$)")

    def is_closed(said: Said) -> bool:
        for _, text in values_of(said):
            found = closed.search(text + closer)
            if found and found.start() < len(text):
                return True
        return False

    return (
        Exclusion(
            "a value with a closer, and then text that goes on as after a value (the next parameter, the call's end, "
            "or the closer once more, which models double), is over there",
            is_closed,
        ),
        Exclusion(
            "a value that ends its call, in full, is over there: models forget the parameter's closer",
            lambda said: any(ended.search(text) for _, text in values_of(said)),
        ),
        Exclusion(
            "a value with a declared parameter's opener at the start of a line is over there: models forget the closer",
            lambda said: any(
                key.strip() in call.declared for call, text in values_of(said) for key in opens.findall(text)
            ),
        ),
    )


def ends_of_turn(*markers: str) -> Exclusion:
    return Exclusion("an end-of-turn marker is markup wherever it stands", text_has(*markers))


def whole_header(pattern: str) -> Exclusion:
    return Exclusion("content with a whole call header is a call", content_matches(pattern))


LINE_BEFORE_CALL = Exclusion(
    "a line end before a call may be layout (some models write one), so content's own can't be told",
    lambda said: bool(said.calls) and said.content.endswith("\n"),
)


class Family(NamedTuple):
    """A format under test."""

    writers: tuple[Writer, ...]
    """The usual layout first."""
    canonical: str
    """What the first writer writes of ``TWO_CALLS`` (``test_writers``), copied by hand from what a template prints."""
    values: Literal["json", "schema", "itself"] = "json"
    """How arguments come: JSON text that passes through byte for byte; raw text that the tool's schema types; or a
    notation of its own, in which a value says what it is."""
    closer: str | None = "</think>"
    """What closes reasoning; ``None`` where there is none."""
    calls: bool = True
    """Whether the format has calls."""
