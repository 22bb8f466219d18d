"""Whether a format's table hangs together: every state can be reached and left, and reasoning can end.

What lives here: the questions that can be asked of a table as a graph. What doesn't: building it (``plan``), and
what is made of the answers: a dead end is refused when a format is built (``checks``), the rest is told by ``lint``.
"""

from __future__ import annotations

from typing import NamedTuple

from .format import FormatError
from .table import Do, Edge, Plan

ENTRANCES = ("start", "content", "reasoning.start", "draft")
"""Where reading begins: in the first three as the prompt or the request says, in ``draft`` where reasoning goes on
after what looked like a call."""
_ENDS_REASONING = frozenset({Do.CLOSE_REASONING, Do.OPEN_ANSWER})
"""What ends reasoning for good, without a call."""


class Shadow(NamedTuple):
    """Two markers of one state that begin alike."""

    state: str
    marker: str
    """What the marker is that comes second."""
    other: str
    """What the one is that wins."""
    never: bool
    """Whether the second can never be found; else it counts where the first one doesn't fit."""


def refuse_dead_ends(name: str, plan: Plan) -> None:
    """Refuse a table in which an output could get stuck.

    Raises:
        FormatError: the message says in which state, and what to do.
    """
    for state in stuck(plan):
        raise FormatError(f"{name}: nothing leads from the state {state!r} back to the answer; say what ends it")
    for state in endless(plan):
        raise FormatError(
            f"{name}: nothing ends reasoning in the state {state!r}; give reasoning a closer of its own, or the answer "
            "an opener"
        )


def unreached(plan: Plan) -> list[str]:
    """States that nothing leads to."""
    reached = {name for name in ENTRANCES if name in plan}
    frontier = list(reached)
    while frontier:
        new = _targets(plan, frontier.pop()) - reached
        reached |= new
        frontier += new
    return [name for name in plan if name not in reached]


def stuck(plan: Plan) -> list[str]:
    """States from which no way leads to where an answer's words go, or that lead to a state that doesn't exist."""
    home = {name for name, row in plan.items() if row.channel == "content"}
    every = {name: _targets(plan, name, known=False) for name in plan}
    grown = True
    while grown:
        more = {name for name in plan if name not in home and every[name] & home}
        home |= more
        grown = bool(more)
    return [name for name in plan if name not in home or not every[name] <= set(plan)]


def endless(plan: Plan) -> list[str]:
    """States inside reasoning in which nothing closes it."""
    return [
        name
        for name, row in plan.items()
        if row.channel == "reasoning" and not any(edge.do in _ENDS_REASONING for edge in row.edges)
    ]


def shadows(plan: Plan) -> list[Shadow]:
    """Markers that begin as another one does that the same state listens to, where what follows doesn't tell them."""
    found: dict[tuple[str, str], Shadow] = {}
    for name, row in plan.items():
        for place, edge in enumerate(row.edges):
            for other in row.edges[:place]:
                shadow = _shadow(name, other, edge)
                if shadow is not None:
                    found.setdefault((edge.label, other.label), shadow)
    return list(found.values())


def _shadow(state: str, first: Edge, second: Edge) -> Shadow | None:
    for one in first.markers:
        for other in second.markers:
            if one.core == other.core:
                if first.do is Do.CLOSE_CALL and other.follow:
                    continue  # what closes a call opens one elsewhere, where a body follows: a fence is both
                covered = all(any(b[: len(a)] == a for a in one.follow) for b in other.follow)
                if not one.follow or (other.follow and covered):
                    return Shadow(state, second.label, first.label, never=True)
            elif not one.follow and not other.follow:
                if other.core[: len(one.core)] == one.core:
                    return Shadow(state, first.label, second.label, never=False)
                if one.core[: len(other.core)] == other.core:
                    return Shadow(state, second.label, first.label, never=False)
    return None


def _targets(plan: Plan, name: str, *, known: bool = True) -> set[str]:
    """The states right after a state; unless ``known``, also those that aren't there."""
    row = plan[name]
    targets = {edge.to for edge in row.edges} | ({row.over} if row.over else set())
    return {target for target in targets if target in plan or not known}
