"""What token ids cost: fed beside text or alone, several per step, asked about and forked.

The tokenizer is a small byte-level BPE, trained here on texts of the same kind, so its tokens are about as long
as those of a large one. Without the package ``tokenizers`` there are no rows, and a line says so.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import unbraid
from figures import Row, clock
from texts import prose, reasoning_and_content, source_code

Step = tuple["str | None", "list[int] | None"]
"""What an engine hands over at once."""

FAR = 100_000
"""So many ids come before, to see that they add nothing."""


def trained() -> Any:
    """A tokenizer with Qwen's markers as special tokens."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)  # type: ignore[assignment]
    tokenizer.decoder = decoders.ByteLevel()  # type: ignore[assignment]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=2000, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([prose(3000, seed=3), source_code(20_000, seed=4)], trainer)
    markers = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_start|>", "<|im_end|>")
    tokenizer.add_special_tokens([AddedToken(marker, special=True) for marker in markers])
    return tokenizer


def fed(steps: list[Step], count: int, tokenizer: Any) -> float:
    """Microseconds per token for a whole stream, message and all but its reading."""
    feed = (parser := unbraid.Parser("qwen3", tokenizer=tokenizer)).feed
    begin = clock()
    for text, ids in steps:
        feed(text, ids)
    parser.finish("stop")
    return (clock() - begin) / count * 1e6


def steps_of(pieces: list[str], ids: list[int], size: int, with_text: bool) -> list[Step]:
    """The stream in steps of so many ids, with their text or without."""
    places = range(0, len(ids), size)
    return [("".join(pieces[at : at + size]) if with_text else None, ids[at : at + size]) for at in places]


def each(action: Callable[[int], object], times: int) -> float:
    """Microseconds for one of so many actions."""
    begin = clock()
    for turn in range(times):
        action(turn)
    return (clock() - begin) / times * 1e6


def advanced(tracker: unbraid.ReasoningTracker, ids: list[int]) -> float:
    """Microseconds for a step of one id."""
    tracker = tracker.fork()
    return each(lambda turn: tracker.advance(ids[turn : turn + 1]), 2000)


def drafted(tracker: unbraid.ReasoningTracker, ids: list[int]) -> float:
    """Microseconds for a step of four ids, three of which are taken back."""
    tracker = tracker.fork()

    def step(turn: int) -> None:
        tracker.advance(ids[turn : turn + 4])
        tracker.rollback(3)

    return each(step, 1000)


def rows(runs: int, quick: bool) -> Iterator[Row]:
    """All figures, in the order in which they are printed."""
    try:
        tokenizer = trained()
    except ImportError:
        print("No figures for token ids: they need the package tokenizers (pip install tokenizers).", file=sys.stderr)
        return
    vocabulary = unbraid.Vocabulary(tokenizer)
    known = unbraid.formats()["qwen3"]
    ids = tokenizer.encode(reasoning_and_content(known, 6000)).ids
    # This tokenizer never cuts these texts inside a character, so each id is a piece of text.
    pieces = [tokenizer.decode([id], skip_special_tokens=False) for id in ids]

    ways: dict[str, tuple[list[Step], Any]] = {
        "text": ([(piece, None) for piece in pieces], None),
        "text and ids": (steps_of(pieces, ids, 1, with_text=True), vocabulary),
        "ids alone": (steps_of(pieces, ids, 1, with_text=False), vocabulary),
        "text and ids, 4 a step": (steps_of(pieces, ids, 4, with_text=True), vocabulary),
        "ids alone, 4 a step": (steps_of(pieces, ids, 4, with_text=False), vocabulary),
    }
    for steps, given in ways.values():  # warm
        fed(steps, len(ids), given)
    # Ways in turns, so that a machine that gets slower doesn't pass for a way that does.
    turns = [{way: fed(steps, len(ids), given) for way, (steps, given) in ways.items()} for _ in range(runs)]
    for way in ways:
        reach = None if way == "text" else 1.0
        yield Row(f"prose, {len(ids):,} ids: {way}", "µs/token", tuple(turn[way] for turn in turns), reach)
    yield Row("text and ids against text", "times", tuple(turn["text and ids"] / turn["text"] for turn in turns), 2.0)

    far = 20_000 if quick else FAR
    thought = tokenizer.encode("<think>" + prose(far + far // 4)).ids[: far + 2100]
    trackers, parsers = {}, {}
    for before in (100, far):
        tracker = trackers[before] = unbraid.ReasoningTracker("qwen3", vocabulary)
        parser = parsers[before] = unbraid.Parser("qwen3", tokenizer=vocabulary)
        for start, stop in pairwise([*range(0, before, 64), before]):
            tracker.advance(thought[start:stop])
            parser.feed(ids=thought[start:stop])
    after = thought[far:]
    yield from compared("ReasoningTracker, a step", {n: partial(advanced, t, after) for n, t in trackers.items()}, runs)
    drafts = {n: partial(drafted, t, after) for n, t in trackers.items()}
    yield from compared("ReasoningTracker, 4 drafts, 3 taken back", drafts, runs)
    forks = {n: partial(each, lambda _, fork=p.fork: fork(), 2000) for n, p in parsers.items()}
    yield from compared("parser.fork()", forks, runs)


def compared(name: str, measures: dict[int, Callable[[], float]], runs: int) -> Iterator[Row]:
    """A row for each number of ids before, and one for how much more the most of them cost."""
    for measure in measures.values():  # warm
        measure()
    turns = [{before: measure() for before, measure in measures.items()} for _ in range(runs)]
    for before in measures:
        yield Row(f"{name}, after {before:,} ids", "µs", tuple(turn[before] for turn in turns))
    few, many = min(measures), max(measures)
    yield Row(f"{name}: {many:,} ids against {few}", "times", tuple(turn[many] / turn[few] for turn in turns), 1.3)
