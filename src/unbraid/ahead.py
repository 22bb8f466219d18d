"""Where a call ends reasoning at once: its opener's first special token announces it.

Which call it is, and whether it is one at all, takes more text to know. Engines that constrain what a model writes
can't wait for that, so where a request wants calls to end reasoning and ids say that the token is real, the token
alone does. It isn't consumed: the state after it reads the opener as any other.
"""

from __future__ import annotations

from .literals import MARK, Marker, Units, parse
from .table import OPENS_CALLS, Do, Edge


def announced(edges: list[Edge], special: tuple[str, ...]) -> list[Edge]:
    """The edges of a state, with one that announces calls in the place of the openers that begin with a real special
    token.

    Args:
        edges: those of a state before or in reasoning.
        special: the format's special tokens; the real ones are marked (``tokens.marked``).
    """
    tokens = [parse(token).core for token in special if token.startswith(MARK)]
    others = [marker.core for edge in edges if edge.do not in OPENS_CALLS for marker in edge.markers]
    kept: list[Edge] = []
    announcing: dict[Marker, None] = {}
    for edge in edges:
        if edge.do not in OPENS_CALLS or edge.pattern:
            kept.append(edge)
            continue
        unsure = []
        for marker in edge.markers:
            begins = _through_special(marker.core, tokens)
            if begins and not any(core[: len(begins)] == begins for core in others):
                announcing[Marker(begins, marker.leads, (), marker.any_lead)] = None
            else:
                unsure.append(marker)
        if unsure:
            kept.append(edge._replace(markers=tuple(unsure)))
    if announcing:
        kept.append(Edge("call ahead", (*announcing,), "answer", Do.END_BY_CALL))
    return kept


def _through_special(core: Units, tokens: list[Units]) -> Units:
    """The beginning of a marker with its first real special token; empty if there is none, or a hole before it."""
    for at, unit in enumerate(core):
        if unit.hole:
            break
        if unit.pattern == MARK:
            fitting = [len(token) for token in tokens if core[at : at + len(token)] == token]
            return core[: at + max(fitting)] if fitting else ()
    return ()
