"""One way to feed a text to a parser: whole, character by character, or in given pieces.

:func:`run` feeds and gives back the merged events and the message; :func:`check` runs a hand-written example whole and
by character and compares it with what is expected, written once. White space next to markers can be compared loosely.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Any, NamedTuple

import unbraid
from unbraid import events as ev

Cut = Sequence[str]
"""A text in pieces."""


class Outcome(NamedTuple):
    """What came out."""

    events: list[Any]
    """Merged: neighbours of the same kind are one."""
    message: unbraid.Message


def parser(format: str | unbraid.Format, **options: Any) -> unbraid.Parser:
    """A parser whose made-up ids are the same in every run."""
    numbers = count()
    return unbraid.Parser(format, new_call_id=lambda: f"call_{next(numbers)}", **options)


def merged(events: Iterable[Any]) -> list[Any]:
    """Events with neighbours of the same kind joined, so that two cuts of one text compare equal."""
    found: list[Any] = []
    for event in events:
        last = found[-1] if found else None
        if type(event) is type(last):
            if isinstance(event, (ev.Reasoning, ev.Content)):
                found[-1] = type(event)(last.text + event.text)
                continue
            if isinstance(event, ev.ToolCallArguments) and event.index == last.index:
                found[-1] = ev.ToolCallArguments(event.index, last.json + event.json)
                continue
        found.append(event)
    return found


def run(format: str | unbraid.Format, pieces: Cut, finish: str = "stop", **options: Any) -> Outcome:
    """Feed the pieces, finish, and give back what came out. A string is fed character by character."""
    reading = parser(format, **options)
    events: list[Any] = []
    for piece in pieces:
        events += reading.feed(piece)
    events += reading.finish(finish)
    return Outcome(merged(events), reading.message)


class Total:
    """What the events so far add up to, added up anew by the tests."""

    def __init__(self) -> None:
        self.reasoning = ""
        self.content = ""
        self.calls: list[list[Any]] = []
        self.finished = False

    def add(self, events: Iterable[Any]) -> None:
        """Take events in, and insist that they come in an order that makes sense."""
        for event in events:
            assert not self.finished, f"{event!r} after the end"
            if isinstance(event, ev.Reasoning):
                assert event.text, "an empty event says nothing"
                self.reasoning += event.text
            elif isinstance(event, ev.Content):
                assert event.text, "an empty event says nothing"
                self.content += event.text
            elif isinstance(event, ev.ToolCallStart):
                assert event.index == len(self.calls), "indexes count up"
                assert not self.calls or self.calls[-1][4], "a call begins before the last one ended"
                self.calls.append([event.id, event.name, "", None, False])
            elif isinstance(event, ev.ToolCallArguments):
                assert event.json, "an empty event says nothing"
                assert event.index == len(self.calls) - 1 and not self.calls[-1][4]
                self.calls[-1][2] += event.json
            elif isinstance(event, ev.ToolCallEnd):
                assert event.index == len(self.calls) - 1 and not self.calls[-1][4]
                self.calls[-1][3:] = [event.complete, True]
            elif isinstance(event, ev.Finish):
                self.finished = True

    def as_said(self) -> tuple[str, str, list[tuple[str, str, str]]]:
        """Reasoning, content and calls."""
        return self.reasoning, self.content, [tuple(call[:3]) for call in self.calls]


def said_by(message: unbraid.Message) -> tuple[str, str, list[tuple[str, str, str]]]:
    """Reasoning, content and all calls of a message, in order."""
    calls = sorted((*message.tool_calls, *message.incomplete_calls), key=lambda call: call.index)
    return message.reasoning or "", message.content or "", [(c.id, c.name, c.arguments) for c in calls]


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same. In contrast to ``==``, ``True`` isn't 1."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other and (type(one) is type(other) or (_number(one) and _number(other)))


def _number(value: Any) -> bool:
    return isinstance(value, (int, float))


def check(
    format: str | unbraid.Format,
    text: str,
    *,
    reasoning: str = "",
    content: str = "",
    calls: Sequence[tuple[str, Any]] = (),
    cut: Sequence[tuple[str, str]] = (),
    finish: str = "stop",
    loose: bool = False,
    pieces: Cut | None = None,
    **options: Any,
) -> unbraid.Message:
    """Run an example whole, by character and by the given pieces, and compare each with what is expected.

    ``calls`` are names and arguments as JSON values, ``cut`` the names and the arguments' text of incomplete calls.
    ``loose``: white space at the edges of reasoning and content doesn't count.
    """
    whole = run(format, [text], finish, **options)
    for way, each in (("whole", [text]), ("by character", text), ("in pieces", pieces)):
        if each is None:
            continue
        outcome = run(format, each, finish, **options)
        message = outcome.message
        trim = str.strip if loose else str
        assert trim(message.reasoning or "") == trim(reasoning), way
        assert trim(message.content or "") == trim(content), way
        assert [call.name for call in message.tool_calls] == [name for name, _ in calls], way
        for call, (_, expected) in zip(message.tool_calls, calls, strict=True):
            assert same(json.loads(call.arguments), expected), (way, call.arguments)
        assert [(call.name, call.arguments) for call in message.incomplete_calls] == list(cut), way
        assert_tiles(text, message)
        assert outcome == whole, way
    return whole.message


def assert_tiles(text: str, message: unbraid.Message) -> None:
    """The spans cover the text exactly, in order."""
    end = 0
    for span in message.spans:
        assert span.start == end, f"gap or overlap before {span!r}"
        assert span.end > span.start, f"empty span {span!r}"
        end = span.end
    assert end == len(text), f"spans end at {end} of {len(text)}"


_TOOL = re.compile(r"([^()]+)\((.*)\)", re.DOTALL)


def tool(notation: str) -> dict[str, Any]:
    """An OpenAI tool from short notation: ``"find_trains(to:string,seats:integer)"``.

    ``string|null`` is a list of types, ``anyOf string|boolean`` is that union without a top-level type.
    """
    found = _TOOL.fullmatch(notation)
    assert found, notation
    properties: dict[str, Any] = {}
    for parameter in filter(None, (part.strip() for part in found[2].split(","))):
        key, _, kind = (part.strip() for part in parameter.partition(":"))
        union, _, types = kind.rpartition(" ")
        names = types.split("|")
        if union:
            properties[key] = {union: [{"type": name} for name in names]}
        elif kind:
            properties[key] = {"type": names if len(names) > 1 else names[0]}
        else:
            properties[key] = {}
    schema = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": found[1].strip(), "parameters": schema}}


def tools(*notations: str) -> list[dict[str, Any]]:
    """OpenAI tools from short notation."""
    return [tool(notation) for notation in notations]
