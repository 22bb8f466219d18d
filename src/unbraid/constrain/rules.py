"""Writing GBNF: quoting, and a set of named rules that adds up to a grammar text.

Expressions are plain strings that may stand in a sequence as they are: whoever writes alternatives puts
them in parentheses (``either``). Nothing here knows formats or schemas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..format import FormatError

BLOCK = 64
"""Longer repetitions are written as blocks of so many: llama.cpp lifts or refuses bounds above 2,000."""
MOST = BLOCK * 1000
"""The highest upper bound of a repetition. A higher one is lowered to it."""

_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}

_LITERAL = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_ATOM = re.compile(r"[A-Za-z0-9-]+|\[(?:\\.|[^\]\\])*\]", re.DOTALL)
_FOREIGN = re.compile(
    r"""(?P<kept>"(?:\\.|[^"\\])*" | \[(?:\\.|[^\]\\])*\] | \#[^\n]* | !?<[^>\s]*> | \{[^}]*\})
      | (?P<name>[A-Za-z0-9][A-Za-z0-9_-]*)(?P<defined>\s*::=)?""",
    re.VERBOSE | re.DOTALL,
)


def quote(text: str) -> str:
    """A text as a GBNF literal; ``""`` in quotes for an empty one.

    Raises:
        FormatError: the text holds half of a surrogate pair, which no model can write.
    """
    written = []
    for character in text:
        code = ord(character)
        if 0xD800 <= code <= 0xDFFF:
            raise FormatError(f"a grammar can't write {text!r}: it holds half of a surrogate pair")
        escaped = _ESCAPES.get(character)
        if escaped is None:
            escaped = f"\\x{code:02X}" if code < 0x20 or code == 0x7F else character
        written.append(escaped)
    return '"' + "".join(written) + '"'


def sequence(*parts: str) -> str:
    """Expressions one after the other; empty ones are left out and neighbouring literals become one."""
    kept: list[str] = []
    for part in parts:
        if not part or part == '""':
            continue
        if kept and _LITERAL.fullmatch(part) and _LITERAL.fullmatch(kept[-1]):
            kept[-1] = kept[-1][:-1] + part[1:]
        else:
            kept.append(part)
    return " ".join(kept) or '""'


def either(options: Iterable[str]) -> str:
    """One of several expressions, in parentheses unless there is just one. The same one twice counts once."""
    every = list(dict.fromkeys(options))
    if not every:
        raise ValueError("nothing to choose from")
    return every[0] if len(every) == 1 else "(" + " | ".join(every) + ")"


def optional(expression: str) -> str:
    """The expression or nothing."""
    if expression in ("", '""'):
        return ""
    return f"{expression}?" if _ATOM.fullmatch(expression) else f"({expression})?"


class Rules:
    """Named rules. A body that was added before keeps its first name, so that a grammar stays small."""

    def __init__(self) -> None:
        self._bodies: dict[str, str] = {"root": ""}
        self._names: dict[str, str] = {}
        self._embedded: dict[str, str] = {}
        self._taken: dict[str, int] = {}

    def reserve(self, name: str) -> str:
        """A free name like this one, for a rule that refers to itself."""
        base = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "rule"
        free = base
        while free in self._bodies:
            self._taken[base] = number = self._taken.get(base, 1) + 1
            free = f"{base}-{number}"
        self._bodies[free] = ""
        return free

    def set(self, name: str, body: str) -> str:
        """Gives a reserved rule its body; returns the name."""
        self._bodies[name] = body
        return name

    def add(self, name: str, body: str) -> str:
        """A rule with this body; returns its name, which an equal body may have had before."""
        known = self._names.get(body)
        if known is None:
            known = self._names[body] = self.set(self.reserve(name), body)
        return known

    def repeat(self, name: str, item: str, least: int, most: int | None) -> str:
        """An item between ``least`` and ``most`` times; ``most`` is ``None`` for any number."""
        if most is not None:
            most = max(min(most, MOST), least)
        if most == 0:
            return ""
        if least > MOST:
            raise FormatError(f"a grammar can't ask for {least} repetitions; the most is {MOST}")
        if (least, most) == (0, None):
            return f"{self._atom(name, item)}*"
        if (least, most) == (1, None):
            return f"{self._atom(name, item)}+"
        if (least, most) == (0, 1):
            return optional(item)
        if (least, most) == (1, 1):
            return item
        atom = self._atom(name, item)
        if max(least, most or 0) <= 2 * BLOCK:
            return f"{atom}{{{least},{'' if most is None else most}}}" if most != least else f"{atom}{{{least}}}"
        block = self.add(f"{name}-block", f"{atom}{{{BLOCK}}}")
        needed = [f"{block}{{{least // BLOCK}}}"] if least >= BLOCK else []
        needed += [f"{atom}{{{least % BLOCK}}}"] if least % BLOCK else []
        if most is None:
            return sequence(*needed, f"{atom}*")
        blocks, rest = divmod(most - least, BLOCK)
        more = [f"{block}{{0,{blocks - 1}}}"] if blocks > 1 else []
        last = rest + BLOCK if blocks else rest
        return sequence(*needed, *more, f"{atom}{{0,{last}}}" if last else "")

    def embed(self, name: str, grammar: str) -> str:
        """Takes in a whole grammar, its rules renamed; returns what its ``root`` is called now.

        Raises:
            FormatError: it isn't GBNF with a ``root``, or refers to a rule that it doesn't define.
        """
        known = self._embedded.get(grammar)
        if known is not None:
            return known
        if grammar.lstrip().startswith("%llguidance"):
            raise FormatError(
                "schema_to_gbnf gave an llguidance grammar, not GBNF (llama.cpp built with llguidance does); "
                "leave schema_to_gbnf out to use the built-in converter"
            )
        found = list(_FOREIGN.finditer(grammar))
        defined = {match["name"] for match in found if match["defined"]}
        if "root" not in defined:
            raise FormatError("schema_to_gbnf gave a grammar without a rule called root")
        renamed = {each: self.reserve(f"{name}-{each}") for each in sorted(defined)}
        starts = [match for match in found if match["defined"]]
        for place, match in enumerate(starts):
            end = starts[place + 1].start() if place + 1 < len(starts) else len(grammar)
            body = grammar[match.end() : end].strip()
            self.set(renamed[match["name"]], _FOREIGN.sub(lambda each: _rename(each, renamed), body))
        self._embedded[grammar] = renamed["root"]
        return renamed["root"]

    def text(self, root: str) -> str:
        """The grammar as text, ``root`` first, without rules that it never reaches."""
        self._bodies["root"] = root
        order, reached = ["root"], {"root"}
        for name in order:
            for match in _FOREIGN.finditer(self._bodies[name]):
                other = match["name"]
                if other and other not in reached:
                    reached.add(other)
                    order.append(other)
        return "".join(f"{name} ::= {self._bodies[name]}\n" for name in order)

    def _atom(self, name: str, item: str) -> str:
        """The item in a form to which a repetition can be attached at no cost."""
        if _ATOM.fullmatch(item):
            return item
        return self.add(f"{name}-item", item)


def _rename(match: re.Match[str], renamed: dict[str, str]) -> str:
    name = match["name"]
    if name is None:
        return "" if match[0].startswith("#") else match[0]
    if name not in renamed:
        raise FormatError(f"schema_to_gbnf gave a grammar that refers to {name!r} but doesn't define it")
    return renamed[name]
