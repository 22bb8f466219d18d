"""Jinja templates as trees of nodes.

Read as Hugging Face's tokenizers read them: the line end after a block is dropped, and so is the white space before
one at the start of a line. Only what chat templates use is understood; what isn't is undefined, which writes nothing.
"""

from __future__ import annotations

import ast
import re
from typing import NamedTuple

from .nodes import Always, Expression, For, If, Leave, Macro, Node, NotRead, Print, Set, Text

_OPEN = re.compile(r"\{[{%#]")
_CLOSE = {"{{": "}}", "{%": "%}", "{#": "#}"}
_STRING = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_TOKEN = re.compile(rf"(?P<string>{_STRING.pattern})|(?P<word>\w+)|(?P<space>\s+)|(?P<sign>.)", re.DOTALL)
_OPENERS, _CLOSERS = "([{", ")]}"


class _Tag(NamedTuple):
    kind: str
    """``text``, ``{{`` or ``{%``."""
    text: str


def read(template: str) -> tuple[Node, ...]:
    """The tree of a template.

    Raises:
        NotRead: blocks that don't end, or that end what didn't begin.
    """
    return _Reader(_tags(template.removesuffix("\n"))).body(())


def expression(text: str) -> Expression:
    """A Jinja expression as Python's syntax tree; ``None`` if it isn't understood."""
    try:
        return ast.parse(_python(text).strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


# -- tags --------------------------------------------------------------------------------------------------------------


def _tags(template: str) -> list[_Tag]:
    found: list[_Tag] = []
    at, strip, raw = 0, "", False
    while True:
        opened = _OPEN.search(template, at)
        while raw and opened and not re.match(r"\{%[-+]?\s*endraw", template[opened.start() :]):
            opened = _OPEN.search(template, opened.end())
        text = template[at : opened.start()] if opened else template[at:]
        if strip == "all":
            text = text.lstrip()
        elif strip == "line":
            text = re.sub(r"\A\r?\n", "", text, count=1)
        if opened is None:
            found.append(_Tag("text", text))
            return found
        kind = opened.group()
        end = _end(template, opened.end(), kind)
        inside = template[opened.end() : end]
        if inside.startswith("-"):
            text = text.rstrip()
        elif kind != "{{" and not inside.startswith("+"):
            line = template[template.rfind("\n", 0, opened.start()) + 1 : opened.start()]
            text = text if line.strip(" \t") else text.rstrip(" \t")
        found.append(_Tag("text", text))
        strip = "all" if inside.endswith("-") else "line" if kind != "{{" and not inside.endswith("+") else ""
        inside = re.sub(r"\A[-+]|[-+]\Z", "", inside).strip()
        if kind == "{%" and inside in ("raw", "endraw"):
            raw = inside == "raw"
        elif kind != "{#":
            found.append(_Tag(kind, inside))
        at = end + 2


def _end(template: str, at: int, kind: str) -> int:
    """Where a tag ends, strings passed over."""
    close = _CLOSE[kind]
    depth = 0
    while at < len(template):
        if kind != "{#" and (string := _STRING.match(template, at)):
            at = string.end()
            continue
        if depth == 0 and template.startswith(close, at):
            return at
        if kind == "{{":
            depth += (template[at] == "{") - (template[at] == "}" and depth > 0)
        at += 1
    raise NotRead(f"has {kind} without {close}")


# -- nodes -------------------------------------------------------------------------------------------------------------


class _Reader:
    """Goes through the tags once."""

    def __init__(self, tags: list[_Tag]) -> None:
        self._tags = tags
        self._at = 0
        self.ended = ""
        """The block tag that ended the last body."""

    def body(self, ends: tuple[str, ...]) -> tuple[Node, ...]:
        """The nodes up to one of these tags, or to the end of the template if there are none."""
        nodes: list[Node] = []
        self.ended = ""
        while self._at < len(self._tags):
            tag = self._tags[self._at]
            self._at += 1
            if tag.kind == "text":
                nodes.append(Text(tag.text))
            elif tag.kind == "{{":
                nodes.append(Print(expression(tag.text)))
            else:
                word = _word(tag.text)
                rest = tag.text[len(word) :]
                if word in ends or (word.startswith("end") or word in ("else", "elif")):
                    self.ended = tag.text
                    if word not in ends:
                        raise NotRead(f"has {{% {word} %}} where it doesn't belong")
                    return tuple(nodes)
                nodes += self._block(word, rest.strip())
        if ends:
            raise NotRead(f"ends before {{% {ends[-1]} %}}")
        return tuple(nodes)

    def _block(self, word: str, rest: str) -> list[Node]:
        if word == "if":
            return [self._if(rest)]
        if word == "for":
            return [self._for(rest)]
        if word == "set":
            return self._set(rest)
        if word == "macro":
            return self._macro(rest)
        if word in ("break", "continue"):
            return [Leave(word == "break")]
        if word in ("generation", "filter", "call", "with", "autoescape"):
            return list(self.body((f"end{word}",)))
        return []

    def _if(self, condition: str) -> If:
        branches: list[tuple[Expression | Always, tuple[Node, ...]]] = []
        known: Expression | Always = expression(condition)
        while True:
            branches.append((known, self.body(("elif", "else", "endif"))))
            if self.ended.startswith("elif"):
                known = expression(self.ended[4:])
            elif self.ended.startswith("else"):
                known = Always()
            else:
                return If(tuple(branches))

    def _for(self, rest: str) -> For:
        targets, _, items = rest.partition(" in ")
        items, condition = _cut_condition(items.removesuffix(" recursive"))
        body = self.body(("else", "endfor"))
        otherwise = self.body(("endfor",)) if self.ended.startswith("else") else ()
        names = tuple(name.strip(" ()") for name in targets.split(","))
        return For(names, expression(items), body, otherwise, expression(condition) if condition else Always())

    def _set(self, rest: str) -> list[Node]:
        target, equals, value = rest.partition("=")
        name = tuple(target.strip().split("|")[0].strip().split("."))
        if not equals:
            return [Set(name, None, self.body(("endset",)))]
        names = [each.strip() for each in target.split(",")]
        if len(names) > 1:
            split = expression(value)
            parts = split.elts if isinstance(split, ast.Tuple) else [None] * len(names)
            return [Set((each,), part) for each, part in zip(names, parts, strict=False)]
        return [Set(name, expression(value))]

    def _macro(self, rest: str) -> list[Node]:
        body = self.body(("endmacro",))
        called = expression(rest)
        if not isinstance(called, ast.Call) or not isinstance(called.func, ast.Name):
            return []
        parameters: list[tuple[str, Expression]] = [(e.id, None) for e in called.args if isinstance(e, ast.Name)]
        parameters += [(each.arg, each.value) for each in called.keywords if each.arg]
        return [Macro(called.func.id, tuple(parameters), body)]


def _word(text: str) -> str:
    """The word that a tag begins with."""
    found = re.match(r"\w+", text)
    return found.group() if found else ""


def _cut_condition(items: str) -> tuple[str, str]:
    """What stands after ``in``: the items, and the condition of ``for x in items if condition``."""
    depth = 0
    for token in _TOKEN.finditer(items):
        depth += (token.group() in _OPENERS) - (token.group() in _CLOSERS)
        if depth == 0 and token.group("word") == "if" and " else " not in items[token.end() :]:
            return items[: token.start()], items[token.end() :]
    return items, ""


# -- expressions -------------------------------------------------------------------------------------------------------


def _python(text: str) -> str:
    """A Jinja expression in Python's spelling."""
    out: list[str] = []
    open_ifs = [0]
    tokens = list(_TOKEN.finditer(text))
    for token in tokens:
        written = token.group()
        if token.group("string"):
            out.append(repr(_unescaped(written[1:-1])))
            continue
        if written in _CLOSERS or written == ",":
            out.append(" else ''" * open_ifs[-1])
            open_ifs[-1] = 0
        if written in _CLOSERS and len(open_ifs) > 1:
            open_ifs.pop()
        elif written in _OPENERS:
            open_ifs.append(0)
        open_ifs[-1] += (written == "if") - (written == "else")
        out.append({"~": "+", "|": "**", "\n": " "}.get(written, " " if token.group("space") else written))
    out.append(" else ''" * open_ifs[-1])
    return "".join(out)


def _unescaped(text: str) -> str:
    try:
        return text.encode("ascii", "backslashreplace").decode("unicode-escape")
    except UnicodeDecodeError:
        return text
