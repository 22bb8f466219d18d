"""What a chat template is made of, Jinja's or Go's: a small tree that ``run`` writes a conversation with.

Expressions are Python's syntax tree: both languages are translated to it (``jinja``, ``go``), with ``value ** filter``
for a filter, since that binds as a filter does. Nothing here or in ``run`` ever gives one to Python to evaluate.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Union

Expression = Union[ast.expr, None]
"""An expression; ``None`` for one that wasn't understood, which is undefined."""


@dataclass(frozen=True)
class Text:
    """Text that is written as it stands."""

    text: str


@dataclass(frozen=True)
class Print:
    """The value of an expression is written."""

    value: Expression


@dataclass(frozen=True)
class Set:
    """A variable, or a namespace's attribute, gets a value, or the text that the body writes."""

    target: tuple[str, ...]
    value: Expression
    body: tuple[Node, ...] | None = None
    outer: bool = False
    """Whether a variable of that name outside is meant, as with Go's ``=``."""


@dataclass(frozen=True)
class If:
    """The first branch whose condition holds; ``Always`` for ``else``."""

    branches: tuple[tuple[Expression | Always, tuple[Node, ...]], ...]


@dataclass(frozen=True)
class Always:
    """A condition that holds."""


@dataclass(frozen=True)
class For:
    """The body, once for each item."""

    targets: tuple[str, ...]
    items: Expression
    body: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()
    condition: Expression | Always = field(default_factory=Always)


@dataclass(frozen=True)
class Macro:
    """A body with a name and parameters."""

    name: str
    parameters: tuple[tuple[str, Expression], ...]
    body: tuple[Node, ...]


@dataclass(frozen=True)
class Leave:
    """The loop ends, or goes on with its next item."""

    ends: bool


Node = Union[Text, Print, Set, If, For, Macro, Leave]


class NotRead(Exception):
    """The template can't be read or run. The text says why, in words that go on after 'the chat template'."""
