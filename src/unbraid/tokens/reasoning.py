"""The questions on token ids: is reasoning over, and at which token?

They are asked of the same machine that parses: each is what a parser says that is fed with these ids, so that they
can't disagree with it, or with each other. One thing is answered earlier than a parser answers it: a call that begins
while reasoning is open ends it at once here, since who asks has to go on. (A parser may wait to see whether it was a
draft; one that is made with ``calls_in_reasoning="end"`` doesn't.)

What lives here: the questions on a whole list of ids, and :class:`ReasoningTracker`, which answers them step by step.
No format is known here and no marker.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple, Union

from ..format import Format
from ..options import OptionError, check
from ..parser import Parser
from ..registry import resolve
from ..start import last_turn
from .strand import Strand
from .vocabulary import WINDOWS, Vocabulary

Prompt = Union[str, Sequence[int], None]
"""A rendered prompt or its tail, as text or as ids."""

_STEP = 64
"""So many ids are read between two states to which a tracker can go back at once."""


class _Saved(NamedTuple):
    """A state to go back to."""

    at: int
    """How many ids had been read."""
    parser: Parser


class ReasoningTracker:
    """Follows one output, a few ids at a time, and says at which of them reasoning is over.

    An engine asks it at each step, drafts included, and takes drafts that were rejected back. What a step costs doesn't
    depend on what came before it.

    Args:
        format: a name, an alias, or a :class:`Format`.
        tokenizer: as for :class:`Parser`.
        prompt: the rendered prompt or its tail, as text or as ids.
        thinking: whether the request asked for reasoning; ``None`` leaves it to the format.
        spelled_markers: as for :class:`Parser`.

    Raises:
        FormatError: there is no such format, or the tokenizer can't decode ids.
        OptionError: there is no such way to take spelled markers.

    >>> tracker = ReasoningTracker("qwen3", tokenizer, prompt=prompt_ids)  # doctest: +SKIP
    >>> tracker.advance([9707, 248069, 271])  # the second of these ends reasoning  # doctest: +SKIP
    2
    """

    __slots__ = ("_ids", "_parser", "_saved", "_step", "count")

    def __init__(
        self,
        format: str | Format,
        tokenizer: Any,
        *,
        prompt: Prompt = None,
        thinking: bool | None = None,
        spelled_markers: str | None = None,
    ) -> None:
        self._parser = _parser(format, tokenizer, prompt, thinking, spelled_markers)
        self._ids = array("q")
        """The ids that were read: all, or those up to where reasoning was over for good."""
        self._saved: list[_Saved] = [_Saved(0, self._parser.fork())]
        """States to go back to, the first of them the beginning; the farther back, the fewer."""
        self._step: _Saved | None = None
        """The state before the last step of several ids, some of which may be taken back soon."""
        self.count = 0
        """How many ids have come."""

    @property
    def over(self) -> bool:
        """Whether reasoning is over, or none is to come."""
        return self._parser.reasoning_over

    @property
    def end(self) -> int | None:
        """The place among all ids of the first one after reasoning; ``None`` while more of it may come."""
        return self._parser.reasoning_end

    def advance(self, ids: Sequence[int]) -> int | None:
        """Take the next ids; says at which of them the answer begins.

        Args:
            ids: those that were generated in this step, or drafts of them.

        Returns:
            The place in ``ids`` of the first one after reasoning: ``len(ids)`` if the last of them closed it, 0 if
            reasoning was over before. ``None`` while more of it may come. It is below 0 where the answer or the call
            that ended reasoning began with ids of an earlier step, whose meaning is clear only now.
        """
        before, was_over = self.count, self._parser.reasoning_over
        self.count += len(ids)
        if self._parser.reasoning_final:
            return 0
        if len(ids) > 1:
            self._step = _Saved(before, self._parser.fork())
        self._ids.extend(ids)
        self._parser.feed(ids=ids)
        if len(self._ids) - self._saved[-1].at >= _STEP:
            self._save()
        end = self._parser.reasoning_end
        if end is None:
            return None
        return 0 if was_over and end <= before else end - before

    def rollback(self, count: int) -> None:
        """Take the last so many ids back, as if they had never come. It costs no more than to read a few again.

        Raises:
            OptionError: fewer ids have come.
        """
        if not 0 <= count <= self.count:
            raise OptionError(f"{count} ids can't be taken back: {self.count} have come")
        self.count -= count
        if self.count >= len(self._ids):
            return  # they weren't read
        del self._ids[self.count :]
        while self._saved[-1].at > self.count:
            self._saved.pop()
        step, self._step = self._step, None
        if step is not None and self._saved[-1].at <= step.at <= self.count:
            at, self._parser = step
        else:
            at, self._parser = self._saved[-1].at, self._saved[-1].parser.fork()
        self._parser.feed(ids=self._ids[at:])

    def fork(self) -> ReasoningTracker:
        """An independent tracker in the same state. It costs a copy of the ids up to the end of reasoning."""
        new = ReasoningTracker.__new__(ReasoningTracker)
        new._parser = self._parser.fork()
        new._ids, new._saved, new._step, new.count = self._ids[:], self._saved.copy(), None, self.count
        return new

    def _save(self) -> None:
        """Keep this state. Of two old ones that are closer to each other than to now, one is enough."""
        now = len(self._ids)
        kept: list[_Saved] = self._saved[:1]
        for each, later in pairwise(self._saved[1:]):
            if later.at - kept[-1].at > now - later.at:
                kept.append(each)
        self._saved = [*kept, *self._saved[1:][-1:], _Saved(now, self._parser.fork())]


class ReasoningQuestions:
    """What can be asked of a list of ids. Every method is a pure function of its arguments; an engine that asks at each
    step wants a :class:`ReasoningTracker`.

    ``ids`` are the output, where its ``prompt`` is given. Without one they are prompt and output together, or an output
    whose prompt is silent. Only the last turn counts then, and it is read as a prompt is: words that stand right after
    the assistant's opener are an answer that goes on. Where a model thinks without any marker that begins it, give the
    prompt.

    Args:
        format: a name, an alias, or a :class:`Format`.
        tokenizer: as for :class:`Parser`.
        thinking: whether the request asked for reasoning; ``None`` leaves it to the format.
        spelled_markers: as for :class:`Parser`.

    Raises:
        FormatError: there is no such format, or the tokenizer can't decode ids.
        OptionError: there is no such way to take spelled markers.

    >>> questions = ReasoningQuestions("qwen3", tokenizer)  # doctest: +SKIP
    >>> questions.content_ids(ids)  # doctest: +SKIP
    [271, 9707]
    """

    __slots__ = ("_format", "_spelled_markers", "_thinking", "_vocabulary")

    def __init__(
        self,
        format: str | Format,
        tokenizer: Any,
        *,
        thinking: bool | None = None,
        spelled_markers: str | None = None,
    ) -> None:
        self._format = resolve(format)
        self._vocabulary = Vocabulary.of(tokenizer)
        self._thinking = thinking
        if spelled_markers is None:
            spelled_markers = "marker" if self._format.spelled else "text"
        check("spelled_markers", spelled_markers)
        self._spelled_markers = spelled_markers

    def is_reasoning_end(self, ids: Sequence[int], prompt: Prompt = None) -> bool:
        """Whether reasoning is over, or none is to come."""
        return self.find_reasoning_end(ids, prompt) is not None

    def find_reasoning_end(self, ids: Sequence[int], prompt: Prompt = None) -> int | None:
        """The place of the first id after reasoning and the marker that closed it; ``None`` while more may come.

        Where the answer or a call ended reasoning, it is the place of that; where the prompt ends in the answer,
        or reasoning isn't asked for, the first one of the turn. It is ``len(ids)`` where none came yet.
        """
        begins, parser = self._read(ids, prompt)
        end = parser.reasoning_end
        return None if end is None else begins + end

    def content_ids(self, ids: Sequence[int], prompt: Prompt = None) -> list[int]:
        """The ids after reasoning, those of calls and their markers included; none while more reasoning may come. They
        begin where :meth:`find_reasoning_end` says."""
        end = self.find_reasoning_end(ids, prompt)
        return [] if end is None else list(ids[end:])

    def reasoning_tokens(self, ids: Sequence[int], prompt: Prompt = None) -> int:
        """How many of the ids are reasoning, its markers not counted. If the output ends in reasoning, all of that.

        It is a parser's ``message.reasoning_tokens``, but where that one found that a call in reasoning was a draft.
        """
        _, parser = self._read(ids, prompt, build_message=True)
        parser.finish()
        return parser.message.reasoning_tokens

    def _read(self, ids: Sequence[int], prompt: Prompt, build_message: bool = False) -> tuple[int, Parser]:
        """Where the turn begins that is asked about, and a parser that has read it."""
        if prompt is not None:
            begins, parser = 0, self._parser(prompt, self._thinking, build_message)
        else:
            begins, ends = self._last_turn(ids)
            # Words and markers that stand in the turn already say more than what the request asked for.
            spoken = begins > 0 and self._parser(ids[:ends], self._thinking).prompted
            prompt = ids[:begins] if begins else None
            parser = self._parser(prompt, False if spoken else self._thinking, build_message)
            if spoken:
                parser.expect_reasoning()
        parser.feed(ids=ids[begins:])
        return begins, parser

    def _parser(self, prompt: Prompt, thinking: bool | None, build_message: bool = False) -> Parser:
        return _parser(self._format, self._vocabulary, prompt, thinking, self._spelled_markers, build_message)

    def _last_turn(self, ids: Sequence[int]) -> tuple[int, int]:
        """Where the last turn begins, 0 if there is no turn boundary, and where a marker ends it for the first time."""
        marking = self._vocabulary.marking(self._format, spelled=self._spelled_markers == "marker")
        turns = marking.format.turns
        for size in (*(WINDOWS if not turns.headed else ()), len(ids)):
            window = ids[-size:]
            strand = Strand(marking)
            turn = last_turn(strand.take(None, window) + strand.finish("stop"), turns)
            if turn is not None and (turn.bounded or len(window) == len(ids)):
                before = len(ids) - len(window)
                begins, ends = (
                    before + min(strand.first_token(at), len(window))
                    for at in (turn.start, turn.start + len(turn.text))
                )
                return begins, ends
        return 0, len(ids)


def _parser(
    format: str | Format,
    tokenizer: Any,
    prompt: Prompt,
    thinking: bool | None,
    spelled_markers: str | None,
    build_message: bool = False,
) -> Parser:
    """A parser that answers at once."""
    found = resolve(format)
    calls = found.reasoning.calls if found.reasoning is not None else "end"
    return Parser(
        found,
        tokenizer=tokenizer,
        prompt=prompt,
        thinking=thinking,
        spelled_markers=spelled_markers,
        calls_in_reasoning="end" if calls == "decide" else calls,
        build_message=build_message,
    )
