"""What a table of states is made of: markers that lead from state to state, and what each of them does.

Only the words are here. What they say of a format is in ``plan``, what makes a table fast in ``scanner`` and
``machine``, and what the parser does on an edge in ``executor``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from .format import Call
from .literals import Marker

Channel = Literal["content", "reasoning", "markup", "aside", "value", "arguments", "body"]
"""Where a state's text goes. The last three hand it to what decodes the open call: the value of a parameter, all its
arguments, or a body that holds its name as well. An aside's is dropped."""


class Do(Enum):
    """What happens on an edge. Each also closes what it can't leave open: a new call ends the one before it."""

    NOTHING = "markup only"
    OPEN_REASONING = "open reasoning"
    CLOSE_REASONING = "close reasoning"
    OPEN_ANSWER = "open the answer"
    CLOSE_ANSWER = "close the answer"
    OPEN_ASIDE = "open an aside"
    CLOSE_ASIDE = "close the aside"
    LEAVE = "text begins"
    END_BY_CALL = "a call is about to begin, which ends reasoning"
    OPEN_SECTION = "open the section"
    CLOSE_SECTION = "close the section"
    OPEN_CALL = "open a call"
    OPEN_BODY = "a body begins that holds a call's name"
    OPEN_JSON = "the call's arguments are JSON after all"
    CLOSE_CALL = "close the call"
    OPEN_PARAM = "open a parameter"
    OPEN_UNCLOSED = "open the next parameter, if it is a declared one"
    CLOSE_PARAM = "close the parameter"
    END_TURN = "end the turn"
    TOGGLE_FENCE = "a code fence, which is text"


OPENS_CALLS = frozenset({Do.OPEN_SECTION, Do.OPEN_CALL, Do.OPEN_BODY})
"""Edges on which the model leaves its words to call a tool."""


class Edge(NamedTuple):
    """A marker that a state listens to, where it leads and what it does."""

    label: str
    """What the marker is, as people are told: ``"reasoning close"``."""
    markers: tuple[Marker, ...]
    to: str
    """The name of the state after it."""
    do: Do
    pattern: str = ""
    """A pattern of no width to listen to in place of markers, e.g. "a word begins"."""
    call: Call | None = None
    """The shape of the call that it opens."""

    trails: tuple[str, ...] = ()
    """Soft white space that may follow the marker."""
    leads: tuple[str, ...] = ()
    """Soft white space that may stand before it, longest first."""
    any_lead: bool = False
    """Whether any white space before it belongs to it."""

    def by_layout(self) -> list[Edge]:
        """The same edge once for each kind of soft white space that its markers have, which belongs to those alone."""
        kinds: dict[tuple[tuple[str, ...], tuple[str, ...], bool], list[Marker]] = {}
        for marker in self.markers:
            kinds.setdefault((marker.leads, marker.trails, marker.any_lead), []).append(marker)
        return [
            self._replace(markers=tuple(found), leads=leads, trails=trails, any_lead=any_lead)
            for (leads, trails, any_lead), found in kinds.items()
        ] or [self]


class Row(NamedTuple):
    """A line of the table before its scanner is compiled: a state's channel and its edges."""

    channel: Channel
    edges: list[Edge]
    over: str = ""
    """The state after the arguments or the body that is read here."""


Plan = dict[str, Row]
"""The table, by the states' names."""


@dataclass(frozen=True)
class Variant:
    """What a request changes in the table itself."""

    calls: bool = True
    """Whether calls are recognised at all."""
    calls_in_reasoning: bool = True
    """Whether a call's opener is listened to while reasoning is open."""
    calls_in_fences: bool = True
    """Whether a call's opener is listened to inside a Markdown code fence."""
    calls_end_reasoning: bool = False
    """Whether the special token of a call's opener ends reasoning at once, whatever comes after it."""


ALL = Variant()
"""The usual one: all calls are recognised."""
