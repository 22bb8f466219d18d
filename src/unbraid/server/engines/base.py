"""What the server asks of an engine, and nothing more: text pieces for a prompt, a model card, a way to stop."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, Union

from ...events import FinishReason
from ...wire.openai import Usage
from ..templates import ChatTemplate


@dataclass(frozen=True)
class Model:
    """What is known of the model behind an engine."""

    name: str
    """The name that clients ask for."""
    template: ChatTemplate
    context: int | None = None
    """The most tokens that prompt and answer may take together."""
    created: int = field(default_factory=lambda: int(time.time()))
    opens_itself: str = ""
    """Text at the start of a prompt that the engine adds on its own, so that it isn't sent twice."""


@dataclass(frozen=True)
class Job:
    """One text to write."""

    prompt: str
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    """Texts at which to stop; they aren't part of the output."""
    sampling: Mapping[str, float] = field(default_factory=dict)
    """By OpenAI's names; what isn't given is the engine's to choose."""
    grammar: str | None = None
    """A GBNF grammar that the output must fit."""
    markers: tuple[str, ...] = ()
    """Special tokens to write out as text instead of leaving them away."""


class Piece(NamedTuple):
    """A piece of text, as it was written."""

    text: str
    usage: Usage
    """The tokens so far."""


class End(NamedTuple):
    """The last thing that an engine says of a job."""

    reason: FinishReason
    usage: Usage


class Engine(Protocol):
    """Something that writes text for a prompt."""

    @property
    def model(self) -> Model:
        """The model that it runs."""

    @property
    def active(self) -> int:
        """How many jobs it is working on now."""

    def generate(self, job: Job) -> AsyncGenerator[Union[Piece, End], None]:
        """The text piece by piece as it is written, then one :class:`End`.

        Closing the generator stops the work. Failure is an :class:`~unbraid.server.errors.EngineError`, and nothing
        else.
        """

    async def close(self) -> None:
        """Stop all work and give everything back."""
