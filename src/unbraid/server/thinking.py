"""Thinking within a budget: when it is used up, the closing marker is written for the model, which then goes on.

A model that was trained to think mostly knows when to stop. One that only thinks because a grammar holds it to it
doesn't, so it always gets a budget. The parser says whether reasoning is still open; nothing is guessed from the text.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Union

from ..parser import Parser
from ..wire.openai import Usage
from .engines.base import End, Engine, Job, Piece

EFFORTS = {"minimal": 32, "low": 64, "medium": 128, "high": 256, "xhigh": 512}
"""Tokens for a model that doesn't know when to stop, by the request's effort."""

_EARLIEST = 0.75
"""From this part of the budget on, the end of a sentence is taken as a good place to stop."""


@dataclass(frozen=True)
class Budget:
    """How much thinking there may be, and how the answer goes on when it is used up."""

    tokens: int
    closer: str
    """The marker that closes reasoning."""
    grammar: str | None
    """What the rest of the output is held to."""


async def generate(engine: Engine, job: Job, parser: Parser, budget: Budget) -> AsyncGenerator[Union[Piece, End], None]:
    """What ``engine.generate(job)`` gives, with reasoning closed where the budget ends.

    The caller feeds each piece to ``parser`` before it takes the next one.
    """
    written = []
    spent = None
    async with aclosing(engine.generate(job)) as pieces:
        async for piece in pieces:
            yield piece
            if isinstance(piece, End):
                return
            written.append(piece.text)
            if parser.state.startswith("reasoning") and _used_up(piece, budget.tokens):
                spent = piece.usage
                break
    if spent is None:
        return
    yield Piece(budget.closer, spent)
    left = None if job.max_tokens is None else job.max_tokens - spent.completion_tokens
    if left is not None and left < 1:
        yield End("length", spent)
        return
    prompt = "".join([job.prompt, *written, budget.closer])
    rest = replace(job, prompt=prompt, max_tokens=left, grammar=budget.grammar)
    async with aclosing(engine.generate(rest)) as pieces:
        async for piece in pieces:
            yield piece._replace(usage=_sum(spent, piece.usage))


def _used_up(piece: Piece, tokens: int) -> bool:
    used = piece.usage.completion_tokens
    return used >= tokens or (used >= tokens * _EARLIEST and piece.text.rstrip(" ").endswith((".", "!", "?", "\n")))


def _sum(first: Usage, second: Usage) -> Usage:
    """The usage of both, as if it had been one answer to one prompt."""
    return replace(first, completion_tokens=first.completion_tokens + second.completion_tokens)
