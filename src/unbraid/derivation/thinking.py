"""Reasoning, told from what a chat template writes around a thought, or from the tags that it knows of."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..format import Reasoning
from .turns import TOKEN, Bounds
from .writing import ANSWER, THOUGHT, USER, Writer, assistant, between, user

_TAG = re.compile(r"<(/?)([\w:]*(?:think|thought|reason)[\w:]*)>", re.IGNORECASE)


class Thinking(NamedTuple):
    """What was found out."""

    reasoning: Reasoning
    evidence: str


def thinking(writer: Writer, bounds: Bounds) -> Thinking | None:
    """How a model writes its thoughts; ``None`` if nothing tells."""
    marker = bounds.turns.assistant
    assert isinstance(marker, str)
    written = between(writer.write(user(), assistant(thought=THOUGHT)), USER) or ""
    open = close = ""
    said = ""
    if THOUGHT in written and marker.strip() in _doubled(written):
        before, _, after = written.partition(THOUGHT)
        whole = _single(marker)
        open = before.rpartition(whole if whole in before else whole.strip())[2]
        close = after.partition(ANSWER)[0] if ANSWER in after else "".join(TOKEN.findall(after)[:1])
        said = f"{open!r} and {close!r} around a thought"
    if not (open.strip() and close.strip()):
        open, close, said = _told(writer, bounds)
    if not (open.strip() and close.strip()):
        return None
    prompt = bounds.prompt
    begun = open.strip() in prompt and close.strip() not in prompt
    toggles, off = _toggles(writer)
    return Thinking(
        Reasoning(
            _doubled(open.lstrip(" ") if not begun else open),
            _doubled(close),
            opened_by="prompt" if begun or (off and open.strip() in off) else "model",
            default=close.strip() not in prompt,
            toggle=toggles,
        ),
        said,
    )


def _told(writer: Writer, bounds: Bounds) -> tuple[str, str, str]:
    """Tags that stand in the template or in a prompt's end, where no thought is ever written."""
    names: dict[str, set[str]] = {}
    for slash, name in _TAG.findall(bounds.prompt + writer.text):
        names.setdefault(name, set()).add(slash)
    for name, slashes in names.items():
        if "/" in slashes:
            return f"<{name}>\n", f"\n</{name}>\n\n", f"somewhere {f'</{name}>'!r}, and no thought anywhere"
    return "", "", ""


def _toggles(writer: Writer) -> tuple[tuple[str, ...], str]:
    """Variables that change a prompt's end, and what it is where thinking is on."""
    found, on = [], ""
    for name in writer.variables:
        with_it, without = (between(writer.write(user(), prompt=True, **{name: to}), USER) for to in (True, False))
        if with_it != without:
            found.append(name)
            on = on or with_it or ""
    known = [each for each in found if not writer.is_go]
    return tuple(known), on if on.strip() else ""


def _doubled(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _single(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")
