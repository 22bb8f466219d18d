"""Turn boundaries, told from what a chat template writes between the words of a conversation."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..format import Turns
from .nodes import NotRead
from .writing import (
    ANSWER,
    BEGINNING,
    END,
    NAMES,
    NEXT_ANSWER,
    NEXT_USER,
    RESULT,
    SYSTEM,
    USER,
    Writer,
    assistant,
    between,
    user,
)

TOKEN = re.compile(r"<<?[^<>\s]{1,48}>>?|\[/?[A-Z_]{2,24}\]|[^\sA-Za-z0-9.,;:'\"(){}]{1,4}\w{1,16}\[")
"""What looks like a token of its own: ``<|im_end|>``, ``[/INST]``, ``]~b[``."""


class Bounds(NamedTuple):
    """What bounds the model's turn."""

    turns: Turns
    prompt: str
    """What the template writes after the assistant's marker and before the model goes on, e.g. ``"<think>\\n"``."""
    lead: str
    """What it writes between the assistant's marker and an answer without a thought, e.g. ``"<think></think>"``."""
    end: str
    """What it writes after an answer, up to the next turn's marker."""
    evidence: tuple[str, ...]


def bounds(writer: Writer) -> Bounds:
    """The turn boundaries of a template.

    Raises:
        NotRead: they can't be found.
    """
    talk = (user(), assistant(), user(NEXT_USER), assistant(NEXT_ANSWER))
    whole = writer.write(*talk)
    before = between(whole, USER, ANSWER)
    if whole is None or before is None:
        raise NotRead("doesn't write a question and its answer, so the turn boundaries can't be found")
    prompt = between(writer.write(user(), prompt=True), USER)
    asked = between(whole, ANSWER, NEXT_USER) or ""
    tail = whole.rpartition(NEXT_ANSWER)[2]
    if before.strip() and tail.rstrip().endswith(before.strip()):
        tail = _first(asked, before)  # the template begins the next turn unasked
    end, other = _apart(asked, whole.partition(USER)[0], tail)
    marker = before
    for each in (prompt, *_switched(writer)):
        marker = _agreed(marker, each) if each and each.strip() else marker
    marker = _without_end(marker, (end, _system_end(writer, other)))
    if not marker.strip():
        raise NotRead(
            f"writes nothing but {before!r} between a question and its answer, so the turn boundaries can't be found"
        )
    begun = (prompt or "").partition(marker.rstrip())[2] if prompt and marker.rstrip() in prompt else ""
    begun = begun if begun.strip() else ""
    ends = _ends(end)
    if _plain(marker.strip()) in ends:
        raise NotRead(f"begins and ends turns with {marker.strip()!r}, so the turn boundaries can't be found")
    others = _others(writer, marker, other, ends)
    said = [f"{_shown(before)} between a question and its answer"]
    if ends:
        said.append(f"{_shown(asked)} between an answer and the next question")
    elif END in asked:
        said.append("eos_token, which tokenizer_config.json would tell, after an answer")
    if begun:
        said.append(f"{_shown((prompt or '')[-60:])} at a prompt's end")
    lead = before.partition(marker.rstrip())[2]
    return Bounds(Turns(_plain(marker), others=others, ends=ends), begun, lead, end, tuple(said))


def _switched(writer: Writer) -> list[str | None]:
    """What prompts end in where thinking is switched on, and where it is off."""
    return [
        between(writer.write(user(), prompt=True, **{name: to}), USER)
        for name in writer.variables
        for to in (True, False)
    ]


def _agreed(before: str, prompt: str) -> str:
    """What the template writes before an answer, whether there is one yet or not."""
    shared = _shared(before.rstrip(), prompt.rstrip())
    if shared in (before.rstrip(), prompt.rstrip()):
        return min(before, prompt, key=len)
    shared = _whole_tokens(before, len(shared))[0]
    return shared if shared.strip() else before


def _shared(one: str, other: str) -> str:
    """What both begin with."""
    at = 0
    while at < min(len(one), len(other)) and one[at] == other[at]:
        at += 1
    return one[:at]


def _first(asked: str, before: str) -> str:
    """The token that both begin with and another token follows: the end of any turn."""
    token = TOKEN.match(asked.lstrip())
    if token is None or not before.lstrip().startswith(token.group()):
        return ""
    end = len(asked) - len(asked.lstrip()) + token.end()
    return asked[:end] if TOKEN.match(asked[end:].lstrip()) else ""


def _apart(asked: str, head: str, tail: str) -> tuple[str, str]:
    """What stands between an answer and the next question, as the answer's end and the question's beginning."""
    end = _shared(asked, tail)
    if end.strip():
        return _whole_tokens(asked, len(end))
    shared = 0
    while shared < min(len(asked), len(head)) and asked[-shared - 1] == head[-shared - 1]:
        shared += 1
    return _whole_tokens(asked, len(asked) - shared)


def _whole_tokens(text: str, at: int) -> tuple[str, str]:
    for token in TOKEN.finditer(text):
        if token.start() < at < token.end():
            at = token.start()
    return text[:at], text[at:]


def _system_end(writer: Writer, other: str) -> str:
    written = between(writer.write({"role": "system", "content": SYSTEM}, user(), prompt=True), SYSTEM, USER) or ""
    return written.removesuffix(other) if other.strip() and written.endswith(other) else ""


def _without_end(marker: str, ends: tuple[str, ...]) -> str:
    """The assistant's marker without the end of the turn before it."""
    for end in ends:
        core = end.strip()
        if core and marker.lstrip().startswith(core) and marker.lstrip()[len(core) :].strip():
            return marker.lstrip()[len(core) :].lstrip()
    first = TOKEN.match(marker.lstrip())
    if (
        first
        and re.search(r"end|eot|eos|^.?</|^\[/", first.group(), re.IGNORECASE)
        and marker.lstrip()[first.end() :].strip()
    ):
        return marker.lstrip()[first.end() :].lstrip()
    return marker.lstrip()


def _ends(end: str) -> tuple[str, ...]:
    core = end.replace(END, "").strip()
    tokens = [token.group() for token in TOKEN.finditer(core)]
    if "".join(tokens) == re.sub(r"\s", "", core):
        return tuple(dict.fromkeys(_plain(token) for token in tokens))
    return (_plain(core),)


def _others(writer: Writer, marker: str, other: str, ends: tuple[str, ...]) -> tuple[str, ...]:
    """The markers of turns that aren't the model's; where all begin with one token, that token."""
    mine = TOKEN.match(marker.lstrip())
    found: list[str] = []
    for beginning in (other, _system(writer), _result(writer, ends)):
        core = beginning.replace(BEGINNING, "").replace(END, "").strip()
        token = TOKEN.match(core)
        if token and mine and token.group() == mine.group():
            core = token.group()
        known = core == marker.strip() or any(core.startswith(each) for each in found)
        if core and len(core) <= 80 and not known:
            found.append(core)
    return tuple(_plain(each) for each in found)


def _system(writer: Writer) -> str:
    written = writer.write({"role": "system", "content": SYSTEM}, user(), prompt=True) or ""
    head = written.partition(SYSTEM)[0] if SYSTEM in written else ""
    token = TOKEN.search(head.replace(BEGINNING, ""))
    return head.replace(BEGINNING, "")[token.start() :] if token else head


def _result(writer: Writer, ends: tuple[str, ...]) -> str:
    result = {"role": "tool", "content": RESULT, "name": NAMES[0], "tool_call_id": "zqcallaaa"}
    talk = [user(), assistant("", calls=1)]
    alone = writer.write(*talk) or ""
    written = writer.write(*talk, result, prompt=True) or ""
    if RESULT not in written:
        return ""
    head = written.partition(RESULT)[0]
    begun = head[len(_shared(alone, head)) :]
    for end in (*ends, END):
        begun = begun.rpartition(end)[2]
    token = TOKEN.search(begun)
    return begun[token.start() :] if token else ""


def _plain(text: str) -> str:
    """A text as a literal."""
    return text.replace("{", "{{").replace("}", "}}")


def _shown(text: str) -> str:
    return repr(text.replace(END, "<eos>").replace(BEGINNING, "<bos>"))
