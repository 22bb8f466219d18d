"""Go templates, as Ollama's models ship with, as trees of nodes.

Prefix calls become Python's operators: ``and (eq .Role "user") $last`` is ``((dot.Role == 'user') and v_last)``. The
dot is the variable ``dot``, ``$`` is ``root``, and ``$x`` is ``v_x``.
"""

from __future__ import annotations

import ast
import re

from .nodes import Always, Expression, For, If, Leave, Node, NotRead, Print, Set, Text

_ACTION = re.compile(r"\{\{(-(?=\s))?((?:\"(?:\\.|[^\"\\])*\"|`[^`]*`|/\*.*?\*/|.)*?)((?<=\s)-)?\}\}", re.DOTALL)
_TOKEN = re.compile(
    r"\s*(?:(?P<string>\"(?:\\.|[^\"\\])*\"|`[^`]*`)|(?P<sign>:=|[()|=,])|(?P<word>[^\s()|,=:]+))", re.DOTALL
)
_OPERATORS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def is_go(template: str) -> bool:
    """Whether a template is Go's and not Jinja's."""
    return "{%" not in template and bool(re.search(r"\{\{-?\s*(?:[.$]|if |range |with |or |and )", template))


def read(template: str) -> tuple[Node, ...]:
    """The tree of a template.

    Raises:
        NotRead: blocks that don't end, or that end what didn't begin.
    """
    return _Reader(template).body(top=True)


class _Reader:
    """Goes through the actions once."""

    def __init__(self, template: str) -> None:
        self._parts: list[tuple[str, str]] = []
        self._at = 0
        self.ended = ""
        end, trim = 0, False
        for action in _ACTION.finditer(template):
            text = template[end : action.start()]
            text = text.lstrip() if trim else text
            self._parts.append(("text", text.rstrip() if action[1] else text))
            self._parts.append(("action", action[2].strip()))
            end, trim = action.end(), bool(action[3])
        self._parts.append(("text", template[end:].lstrip() if trim else template[end:]))

    def body(self, *, top: bool = False) -> tuple[Node, ...]:
        """The nodes up to ``end`` or ``else``, or to the end of the template at its top."""
        nodes: list[Node] = []
        while self._at < len(self._parts):
            kind, text = self._parts[self._at]
            self._at += 1
            word = text.split(None, 1)[0] if text.split() else ""
            if kind == "text":
                nodes.append(Text(text))
            elif word in ("end", "else"):
                if top:
                    raise NotRead(f"has {{{{ {word} }}}} where nothing is open")
                self.ended = text
                return tuple(nodes)
            else:
                nodes += self._action(word, text)
        if not top:
            raise NotRead("ends before {{ end }}")
        return tuple(nodes)

    def _action(self, word: str, text: str) -> list[Node]:
        if word == "if":
            return [self._if(text[2:])]
        if word == "range":
            return [self._range(text[5:])]
        if word == "with":
            value = expression(text[4:])
            inner = self._rest()
            return [If(((value, (For(("dot",), _list_of(value), inner),)),))]
        if word in ("define", "block"):
            self._rest()
            return []
        if word in ("break", "continue"):
            return [Leave(word == "break")]
        if word == "template" or text.startswith("/*"):
            return []
        assigned = re.match(r"\$(\w+)\s*(:?=)\s*", text)
        if assigned:
            return [Set((f"v_{assigned[1]}",), expression(text[assigned.end() :]), None, assigned[2] == "=")]
        return [Print(expression(text))]

    def _rest(self) -> tuple[Node, ...]:
        """A body up to its ``end``; what stands after ``else`` isn't kept."""
        inner = self.body()
        while self.ended.startswith("else"):
            self.body()
        return inner

    def _if(self, condition: str) -> If:
        branches: list[tuple[Expression | Always, tuple[Node, ...]]] = []
        known: Expression | Always = expression(condition)
        while True:
            branches.append((known, self.body()))
            if self.ended.startswith("else if"):
                known = expression(self.ended[7:])
            elif self.ended.startswith("else"):
                known = Always()
            else:
                return If(tuple(branches))

    def _range(self, rest: str) -> For:
        named = re.match(r"\s*\$(\w+)\s*(?:,\s*\$(\w+)\s*)?:=", rest)
        body: list[Node] = []
        if named:
            dot = expression(".")
            body.append(Set((f"v_{named[2] or named[1]}",), dot))
            if named[2]:
                body.append(Set((f"v_{named[1]}",), ast.Name("range_key")))
            rest = rest[named.end() :]
        items = expression(rest)
        body += self.body()
        otherwise = self.body() if self.ended.startswith("else") else ()
        pairs = None if items is None else ast.BinOp(items, ast.Pow(), ast.Name("pairs"))
        return For(("range_key", "dot"), pairs, tuple(body), otherwise)


def expression(text: str) -> Expression:
    """A Go pipeline as Python's syntax tree; ``None`` if it isn't understood."""
    tokens = [(token.lastgroup or "", token.group().strip()) for token in _TOKEN.finditer(text)]
    try:
        written, rest = _pipeline(tokens)
        return None if rest else ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, IndexError, MemoryError, RecursionError):
        return None


def _list_of(value: Expression) -> Expression:
    return None if value is None else ast.List([value])


_Tokens = list[tuple[str, str]]


def _pipeline(tokens: _Tokens) -> tuple[str, _Tokens]:
    before: list[str] = []
    while True:
        values: list[str] = []
        while tokens and tokens[0][1] not in ("|", ")"):
            value, tokens = _operand(tokens)
            values.append(value)
        written = _call([*values, *before])
        if not tokens or tokens[0][1] == ")":
            return written, tokens
        before, tokens = [written], tokens[1:]


def _operand(tokens: _Tokens) -> tuple[str, _Tokens]:
    kind, text = tokens[0]
    if text == "(":
        inner, rest = _pipeline(tokens[1:])
        rest = rest[1:]
        if rest and rest[0][1].startswith(".") and rest[0][1] != ".":
            return f"({inner}){rest[0][1]}", rest[1:]
        return f"({inner})", rest
    if kind == "string":
        value = (
            text[1:-1] if text[0] == "`" else text[1:-1].encode("ascii", "backslashreplace").decode("unicode-escape")
        )
        return repr(value), tokens[1:]
    if text == ".":
        return "dot", tokens[1:]
    if text.startswith("."):
        return f"dot{text}", tokens[1:]
    if text == "$" or text.startswith("$."):
        return f"root{text[1:]}", tokens[1:]
    if text.startswith("$"):
        return f"v_{text[1:]}", tokens[1:]
    return text, tokens[1:]


def _call(words: list[str]) -> str:
    """A function's name and its arguments, or a value alone."""
    name, arguments = words[0], words[1:]
    if not arguments:
        return name
    if name in ("and", "or"):
        return "(" + f" {name} ".join(arguments) + ")"
    if name == "not":
        return f"(not {arguments[0]})"
    if name in _OPERATORS:
        compared = [f"{arguments[0]} {_OPERATORS[name]} {each}" for each in arguments[1:]]
        return "(" + " or ".join(compared) + ")"
    if name == "len":
        return f"({arguments[0]} ** length)"
    if name == "json":
        return f"({arguments[0]} ** tojson)"
    if name == "slice":
        return f"{arguments[0]}[{':'.join(arguments[1:])}{':' if len(arguments) == 2 else ''}]"
    if name == "index":
        return arguments[0] + "".join(f"[{each}]" for each in arguments[1:])
    return f"{name}({', '.join(arguments)})"
