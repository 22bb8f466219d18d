"""A format against a chat template: do its markers occur there, and are the template's turn boundaries known?

The template is searched as text, not run: it may need arguments and variables that nobody has at hand. So what it puts
together from pieces may look as if it didn't occur, and nothing here is an error.
"""

from __future__ import annotations

import json
import re

from ..format import Format
from .finding import Finding, texts
from .structure import plain

_BOUNDARY = re.compile(
    r"<[|｜][\w▁][\w▁-]*[|｜]?>|<[a-z][\w▁-]*[|｜]?>|\[\|/?\w+\|\]|\[/?[A-Z][A-Z_]+\]|〈\|\w+\|〉",
)
"""What looks like a token of a template's own. Of ``<x>`` and ``</x>`` one suffices: a turn is bounded by either."""
_TURN_WORDS = frozenset(
    [
        *("user", "system", "assistant", "human", "developer", "observation", "environment"),
        *("turn", "role", "header", "message", "inst", "bos", "eos"),
    ]
)
"""Words that tell the markers of turns from others."""
_ROLE_BEHIND = re.compile(r"""['"]?\s*[+~}]*\s*\{*\s*(?:message|m|msg)?[.\[]?['"]?(?:role|system|user|assistant)\b""")
"""A template that goes on with a message's role, or with a variable that holds it."""
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\'": "'", "\\t": "\t"}
_END_VARIABLE, _START_VARIABLE = "eos_token", "bos_token"
"""The variables from which many templates take the marker that ends a turn, and that which begins a text."""
_BEGINNING = re.compile(r"begin|bos|startoftext", re.IGNORECASE)


def template_text(text: str, name: str) -> str:
    """The chat templates in a file: the file itself, or what a ``tokenizer_config.json`` holds.

    Args:
        text: what stands in the file.
        name: its name, whose ending says which of the two it is.

    Raises:
        ValueError: it is JSON and holds no chat template.
    """
    if not name.endswith(".json"):
        return text
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it isn't valid JSON: {error}") from None
    held = data.get("chat_template") if isinstance(data, dict) else None
    if isinstance(held, list):
        held = "\n".join(str(each.get("template", "")) for each in held if isinstance(each, dict))
    if not isinstance(held, str) or not held:
        raise ValueError("it holds no chat_template; give the file with the template itself")
    return held


def against_template(format: Format, template: str) -> list[Finding]:
    """What doesn't fit a chat template."""
    for written, meant in _ESCAPES.items():
        template = template.replace(written, meant)
    return [*_inert(format, template), *_undeclared(format, template)]


def _inert(format: Format, template: str) -> list[Finding]:
    """Markers none of whose spellings occurs."""
    specials = [part for token in format.special for part in plain(token)]
    by_field: dict[str, list[tuple[str, ...]]] = {}
    for where, pieces in texts(format):
        by_field.setdefault(where, []).append(pieces)
    found = []
    toolless = format.tools and "tool" not in template
    if toolless:
        said = "the template offers no tools, so the markers of calls weren't compared with it"
        found.append(Finding("note", "no-tools", "tools", said))
    reasoning = [spelled for where, spelled in by_field.items() if where.startswith("reasoning.")]
    thoughtless = not any(_occurs(pieces, specials, template) for spelled in reasoning for pieces in spelled)
    if reasoning and thoughtless:
        said = "the template writes no reasoning, so the markers of reasoning weren't compared with it"
        found.append(Finding("note", "no-reasoning", "reasoning", said))
    for where, spelled in by_field.items():
        if thoughtless and where.startswith("reasoning."):
            continue
        if toolless and not where.startswith(("turns.", "reasoning.", "answer.")):
            continue
        if where == "turns.ends" and _END_VARIABLE in template:
            continue
        if not any(_occurs(pieces, specials, template) for pieces in spelled):
            said = (
                f"{' … '.join(spelled[0])!r} doesn't occur in the template; correct it unless only the model writes it"
            )
            found.append(Finding("warning", "inert", where, said))
        elif where == "turns.others":
            for pieces in spelled:
                given = _START_VARIABLE in template and _BEGINNING.search("".join(pieces))
                if not given and not _occurs(pieces, specials, template):
                    said = f"{' … '.join(pieces)!r} doesn't occur in the template, other markers here do"
                    found.append(Finding("note", "inert", where, said))
    return found


def _occurs(pieces: tuple[str, ...], specials: list[str], template: str) -> bool:
    """Whether a marker occurs, if need be in parts: special tokens, and what stands between them."""
    if all(piece in template for piece in pieces):
        return True
    if not specials:
        return False
    cut = re.compile("|".join(re.escape(token) for token in sorted(specials, key=len, reverse=True)))
    parts: list[str] = []
    for piece in pieces:
        parts += [*cut.findall(piece), *filter(None, cut.split(piece))]
    return all(part in template for part in parts)


def _undeclared(format: Format, template: str) -> list[Finding]:
    """Markers that the template writes around turns, and of which the format knows nothing."""
    known = {piece for _, pieces in texts(format) for piece in pieces} | set(format.special)
    found: dict[str, Finding] = {}
    for match in _BOUNDARY.finditer(template):
        text = match.group()
        words = set(re.findall(r"[a-z]+", text.lower()))
        if text in found or not (words & _TURN_WORDS or _ROLE_BEHIND.match(template, match.end())):
            continue
        other_end = f"{text[:1]}/{text[1:]}"
        if "call" in words or any(text in each or other_end in each for each in known):
            continue
        said = f"the template writes {text!r}, of which the format knows nothing; add it if it begins or ends a turn"
        found[text] = Finding("note", "undeclared-boundary", "turns", said)
    return list(found.values())
