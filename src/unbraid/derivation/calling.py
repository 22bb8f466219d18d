"""Calls, told from what a chat template writes for one and for two of them.

Where the body is JSON it is read as JSON, so that its keys are spelled as the template spells them. What stands around
bodies is split by comparing: what is written again between two calls is each call's own, the rest is the section's.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any, NamedTuple

from ..format import Call, Codec, Gemma, Json, JsonCall, Params, Python, Tools
from ..literals import pieces
from .nodes import NotRead
from .turns import TOKEN, Bounds
from .writing import ANSWER, ARGUMENTS, END, IDS, NAMES, USER, Message, Writer, assistant, between, user

_NOTHING_BEFORE = "writes nothing before a call that would tell it from an answer"
_INSIDE = (("<", "[", "/", "|"), (">", "]", "|"))
"""What no tag ends with, and what none begins with."""
_KEYS, _VALUES = tuple(ARGUMENTS), tuple(ARGUMENTS.values())


class Calling(NamedTuple):
    """What was found out."""

    tools: Tools
    evidence: str
    ends: tuple[str, ...] = ()
    """Markers that end a turn with calls, where they aren't those of others."""


class _Body(NamedTuple):
    """Where a call's body stands, and how it is written."""

    start: int
    end: int
    codec: Codec


def calling(writer: Writer, bounds: Bounds, closer: str) -> Calling | None:
    """How a model writes calls; ``None`` if the template writes none.

    Args:
        writer: the template.
        bounds: what bounds a turn.
        closer: what ends reasoning, which may stand before calls.

    Raises:
        NotRead: it writes them in a way that a format can't say.
    """
    one = _written(writer, bounds, closer, 1)
    if one is None:
        return None
    two = _written(writer, bounds, closer, 2)
    first = _body(one, 0)
    one, ends = _without_end(one)
    two = _without_end(two)[0] if two else None
    said = f"{_plainly(one.strip())!r} for a call"
    if two is None or NAMES[1] not in two:
        return Calling(_alone(one, first), said, ends)
    bodies = (_body(two, 0), _body(two, 1))
    if bodies[0].start == bodies[1].start:
        return Calling(_alone(one, bodies[0], one_as=first), said, ends)
    return Calling(_several(two, bodies), said, ends)


def _written(writer: Writer, bounds: Bounds, closer: str, calls: int) -> str | None:
    """What is written of so many calls in the model's turn, after its words and before its end."""
    marker = str(bounds.turns.assistant).replace("{{", "{").replace("}}", "}").strip()
    for text in (ANSWER, ""):
        for as_text in (False, True):
            said = assistant(text, calls=calls)
            if as_text:
                _as_text(said)
            written = between(writer.write(user(), said), USER)
            if written is None or NAMES[calls - 1] not in written or _VALUES[1] not in written:
                continue
            if f"'{_KEYS[0]}':" in written and f'"{_KEYS[0]}"' not in written:
                continue  # an object where the template wants JSON text
            before = written.partition(NAMES[0])[0]
            lead = _spaceless(marker + bounds.lead)
            if text and (text not in before or not _spaceless(before.partition(text)[0]).endswith(lead)):
                continue
            written = written.partition(text)[2] if text else written.partition(marker)[2]
            if not text and closer and closer.strip() in written.partition(NAMES[0])[0]:
                written = written.partition(closer.strip())[2]
            last = written.rfind(_VALUES[1])
            tail = written[last:]
            for end in (*bounds.turns.ends, END):
                tail = tail.partition(end)[0]
            return written[:last] + tail
    return None


def _plainly(text: str) -> str:
    """A call with words that people understand in the place of ours."""
    for ours, said in zip((NAMES[0], IDS[0], *_KEYS, *_VALUES), ("NAME", "ID", "K1", "K2", "V1", "V2"), strict=True):
        text = text.replace(ours, said)
    return text


def _spaceless(text: str) -> str:
    return re.sub(r"\s", "", text)


def _without_end(text: str) -> tuple[str, tuple[str, ...]]:
    """What is written of calls, and the token at its end, where that only ends the turn."""
    last = [token.group() for token in TOKEN.finditer(text)][-1:]
    if last and text.rstrip().endswith(last[0]) and re.search(r"eom|eot|end_of|im_end|response|<[|｜]calls", last[0]):
        return text.rstrip().removesuffix(last[0]), (last[0],)
    return text, ()


def _as_text(message: Message) -> None:
    for call in message["tool_calls"]:
        call["function"]["arguments"] = json.dumps(call["function"]["arguments"])


# -- bodies ------------------------------------------------------------------------------------------------------------


def _body(text: str, which: int) -> _Body:
    """The body of the first call or of the second."""
    name = text.find(NAMES[which])
    values = [found.start() for found in re.finditer(_VALUES[1], text)]
    if len(values) <= which:
        raise NotRead("doesn't write all of a call's arguments")
    last_value = values[which]
    for start in (at for at, sign in enumerate(text[: last_value + 1]) if sign in "{["):
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except ValueError:
            continue
        if start <= name < end and end > last_value:
            return _Body(start, end, _json_call(value, which))
        if name < start and end > last_value and isinstance(value, dict) and value.keys() == ARGUMENTS.keys():
            return _Body(start, end, Json())
    return _pieces(text, name)


def _json_call(value: Any, which: int) -> JsonCall:
    """Which keys hold the name and the arguments."""
    array = isinstance(value, list)
    each = value[min(which, len(value) - 1)] if array else value
    if not isinstance(each, dict):
        raise NotRead("writes a call as a list of lists, which a format can't say")
    if NAMES[which] in each and len(each) == 1:
        return JsonCall(keyed=True, array="always" if array else "allowed")
    names = tuple(key for key, held in each.items() if held == NAMES[which])
    arguments = tuple(key for key, held in each.items() if held == ARGUMENTS or _holds(held))
    if not names or not arguments:
        nested = [key for key, held in each.items() if isinstance(held, dict) and NAMES[which] in held.values()]
        where = f", but inside {nested[0]!r}" if nested else ""
        raise NotRead(f"writes a call's name and arguments not side by side{where}, which a format can't say")
    ids = tuple(key for key, held in each.items() if held == IDS[which])
    return JsonCall(names, arguments, ids, "always" if array else "allowed")


def _holds(value: Any) -> bool:
    """Whether a value is JSON text of the arguments."""
    try:
        return isinstance(value, str) and bool(json.loads(value) == ARGUMENTS)
    except ValueError:
        return False


def _pieces(text: str, name: int) -> _Body:
    """A body that has something around each key and each value."""
    marks = [(text.find(key, name), text.find(value, name)) for key, value in ARGUMENTS.items()]
    (key_1, value_1), (key_2, value_2) = marks
    if min(name, key_1, value_1, key_2, value_2) < 0 or not name < key_1 < value_1 < key_2 < value_2:
        raise NotRead("writes a call's name, keys and values not one after the other, which a format can't say")
    before = text[name:key_1]
    middle = text[key_1 + len(_KEYS[0]) : value_1]
    between_two = text[value_1 + len(_VALUES[0]) : key_2]
    after = text[value_2 + len(_VALUES[1]) :]
    name_end = next(len(each) for each in NAMES if text.startswith(each, name))
    before = before[name_end:]
    if before.strip() == "(" and middle.strip("'\" ") == "=":
        closed = text.find(")", value_2)
        return _Body(name, closed + 1, Python())
    if before.strip() == "{" and middle.startswith(":") and between_two == middle[1:] + "," and middle[1:].strip():
        closed = text.find("}", value_2)
        return _Body(name + name_end, closed + 1, Gemma(middle[1:]))
    shared = 0
    while shared < min(len(before), len(between_two)) and before[-shared - 1] == between_two[-shared - 1]:
        shared += 1
    cut = len(between_two) - shared
    for token in TOKEN.finditer(between_two):
        cut = token.end() if token.start() < cut < token.end() else cut
    open, close = between_two[cut:], between_two[:cut]
    if not close.strip() or not open.strip() or not after.lstrip().startswith(close.strip()):
        # Both begin alike, or one of them holds what the other does: where a tag begins is the best cut.
        for token in TOKEN.finditer(between_two):
            open, close = between_two[token.end() :], between_two[: token.end()]
            if close.strip() and open.strip() and before.rstrip().endswith(open.strip()):
                break
        else:
            raise NotRead("writes nothing around a parameter that would tell where it begins and ends")
    closed = after.find(close.strip()) + len(close.strip())
    start = name + name_end + len(before) - len(open)
    params = Params(_literal(open) + "{key}" + _literal(middle), _literal(close))
    return _Body(start, value_2 + len(_VALUES[1]) + closed, params)


# -- around bodies -----------------------------------------------------------------------------------------------------


def _alone(text: str, body: _Body, one_as: _Body | None = None) -> Tools:
    """Calls of which one is written at a time, or all in one body."""
    body = one_as._replace(codec=body.codec) if one_as else body
    head, tail = text[: body.start], text[body.end :]
    if isinstance(body.codec, Python):
        head, tail = head.rstrip().removesuffix("["), tail.lstrip().removeprefix("]")
    return Tools(_call(head, tail, body.codec))


def _several(text: str, bodies: tuple[_Body, _Body]) -> Tools:
    """Calls with something around each, and perhaps a section around all."""
    first, second = bodies
    head, middle, tail = text[: first.start], text[first.end : second.start], text[second.end :]
    codec = first.codec
    if isinstance(codec, Python):
        return _python(head, middle, tail)
    named = not isinstance(codec, JsonCall)
    head, middle = _holed(head, 0), _holed(middle, 1)
    if named and not any(text.strip() for text, _ in pieces(head)):
        raise NotRead(_NOTHING_BEFORE)
    own = _cuts(head, middle, tail, named)
    if not own and named:
        head, middle = (re.sub(r"(?<=\W)\d(?=\W)", "{index}", each, count=1) for each in (head, middle))
        own = _cuts(head, middle, tail, named)
    if own:
        open, close = middle[own[0] :], middle[: own[0]]
        before = head.rstrip()[: len(head.rstrip()) - len(open.strip())]
        after = tail.lstrip()[len(close.strip()) :]
        call = Call(open, close if close.strip() else None, codec, id=_id_shape(open))
        if not before.strip() and not after.strip():
            lead = head[: len(head) - len(head.lstrip())]
            return Tools(replace(call, open=_either(lead + open.strip() + _trail(open), open)))
        if before.strip() and after.strip():
            return Tools(call, open=before, close=after)
        if before.strip():
            return Tools(replace(call, open=_either(before + open, open)))
        raise NotRead(f"closes calls with {after.strip()!r}, but doesn't open them, which a format can't say")
    if named:
        raise NotRead("writes something else around a second call than around the first, which a format can't say")
    separator = _literal(middle) if middle.strip() else None
    call = _call(head, tail, codec)
    return Tools(replace(call, separator=separator))


def _cuts(head: str, middle: str, tail: str, named: bool) -> list[int]:
    """Where what stands between two bodies may be cut in the first call's end and the second's beginning."""
    cuts = [
        at
        for at in range(len(middle) + 1)
        if head.rstrip().endswith(middle[at:].strip())
        and tail.lstrip().startswith(middle[:at].strip())
        and middle[at:].strip()
        and (not named or "{name}" in middle[at:] or "{id}" in middle[at:])
    ]
    tokens = [token.span() for token in TOKEN.finditer(middle)]

    def inside(at: int) -> bool:
        left, right = middle[:at].rstrip()[-1:], middle[at:].lstrip()[:1]
        return any(start < at < end for start, end in tokens) or left in _INSIDE[0] or right in _INSIDE[1]

    return sorted(cuts, key=inside)  # rather between two tags than inside one


def _python(head: str, middle: str, tail: str) -> Tools:
    if "\n" in middle and "," not in middle:
        return Tools(_call(head, tail, Python("lines")))
    return Tools(_call(head.rstrip().removesuffix("["), tail.lstrip().removeprefix("]"), Python()))


def _call(head: str, tail: str, codec: Codec) -> Call:
    open = _holed(head, 0)
    if not open.strip():
        if not isinstance(codec, JsonCall | Python):
            raise NotRead(_NOTHING_BEFORE)
        return Call(None, None, codec)
    return Call(open, _literal(tail) if tail.strip() else None, codec, id=_id_shape(open))


def _holed(text: str, which: int) -> str:
    """What stands before a body, as a literal with a hole for the name."""
    written = _literal(text).replace(NAMES[which], "{name}", 1)
    return written.replace(IDS[which], "{id}", 1)


def _id_shape(open: str) -> str | None:
    if "{id}" in open and "{name}" not in open:
        raise NotRead("writes a call's id and not its name, which a format can't say")
    return None


def _either(*texts: str) -> str | tuple[str, ...]:
    different = tuple(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else different


def _trail(text: str) -> str:
    return text[len(text.rstrip()) :]


def _literal(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
