"""A parser's options: their values, their defaults, and a clear refusal of what they can't be.

What each option decides is written at :class:`unbraid.Parser`; why the defaults are what they are, in
``docs/design.md``, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass

from .format import nearest


class OptionError(ValueError):
    """An option that doesn't exist or can't have that value. The message names the nearest valid choice."""


CHOICES: dict[str, tuple[str, ...]] = {
    "calls_in_reasoning": ("decide", "end", "text", "inside"),
    "cut_calls": ("apart", "keep", "drop", "text"),
    "stream_calls": ("progressive", "whole"),
    "undeclared": ("call", "text"),
    "forbidden_calls": ("text", "drop"),
    "fenced_calls": ("call", "text"),
    "spelled_markers": ("text", "marker"),
    "typing": ("schema", "vllm", "sglang"),
    "finish": ("stop", "length", "stop_string", "error"),
}
"""The options that choose between ways, and their values."""


def check(option: str, value: str) -> None:
    """Refuse a value that an option can't have.

    Raises:
        OptionError: with the nearest valid choice.
    """
    if value not in CHOICES[option]:
        raise OptionError(f"{option} can't be {value!r}{nearest(str(value), [*CHOICES[option]])}")


@dataclass(frozen=True)
class CallOptions:
    """The options that decide what becomes of calls."""

    cut: str = "apart"
    whole: bool = False
    """Whether a call is said only when it is complete."""
    repair: bool = True
    undeclared: str = "call"
    drop: bool = False
    """Whether calls are read and not said at all."""
    typing: str = "schema"
    """The policy that types raw values (``arguments.policies``)."""
