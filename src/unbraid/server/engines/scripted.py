"""An engine that writes what it was told to: for tests, and for looking at the page without a model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass
from typing import Union

from ...events import FinishReason
from ...wire.openai import Usage
from ..errors import EngineError
from ..templates import CHATML, ChatTemplate
from .base import End, Job, Model, Piece

Script = Union[str, Iterable[str], Callable[[Job], Iterable[str]]]
"""A text, its pieces, or a function from the job to pieces. A text is written in pieces of a few characters."""

_PIECE = 4


@dataclass
class ScriptedEngine:
    """Writes ``script`` for every job. Counts one token per piece."""

    script: Script
    reason: FinishReason = "stop"
    delay: float = 0.0
    """Seconds before each piece."""
    fail_at: int | None = None
    """The piece before which it fails."""
    name: str = "scripted"
    template: str = CHATML

    def __post_init__(self) -> None:
        self._model = Model(self.name, ChatTemplate(self.template))
        self.jobs: list[Job] = []
        """Every job that it was given."""
        self.written = 0
        """Pieces written, over all jobs."""
        self._active = 0

    @property
    def model(self) -> Model:
        """The model card of a model that isn't there."""
        return self._model

    @property
    def active(self) -> int:
        """How many jobs are being written."""
        return self._active

    async def generate(self, job: Job) -> AsyncGenerator[Union[Piece, End], None]:
        """The script's pieces, as far as the job's ``max_tokens`` and ``stop`` let them."""
        self.jobs.append(job)
        self._active += 1
        try:
            text, sent, reason, used, prompt = "", 0, self.reason, 0, len(job.prompt.split())
            longest = max((len(each) for each in job.stop), default=1) - 1
            for piece in self._pieces(job):
                if used == self.fail_at:
                    raise EngineError("The engine failed.")
                if used == job.max_tokens:
                    reason = "length"
                    break
                await asyncio.sleep(self.delay)
                used += 1
                self.written += 1
                text += piece
                found = [at for at in (text.find(each) for each in job.stop) if at >= 0]
                if found:
                    text, reason = text[: min(found)], "stop_string"
                    break
                if len(text) - longest > sent:
                    yield Piece(text[sent : len(text) - longest], Usage(prompt, used))
                    sent = len(text) - longest
            if used == self.fail_at:
                raise EngineError("The engine failed.")
            if len(text) > sent:
                yield Piece(text[sent:], Usage(prompt, used))
            yield End(reason, Usage(prompt, used))
        finally:
            self._active -= 1

    def _pieces(self, job: Job) -> Iterable[str]:
        script = self.script(job) if callable(self.script) else self.script
        if isinstance(script, str):
            return [script[at : at + _PIECE] for at in range(0, len(script), _PIECE)]
        return script

    async def close(self) -> None:
        """Nothing to give back."""
