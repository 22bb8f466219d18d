"""Runs in each parser's own environment: feeds it with the works and prints what that took, a line of JSON a work.

``python drive.py PEER FOLDER --budget 20 --runs 5``. Standard library alone, but for what the peer needs. A peer is a
module ``peer_NAME`` with ``version()`` and, as far as it does such a thing, ``stream(work)``, ``whole(work)`` and
``question(work)``; each returns what makes a parser ready for one output, or ``None`` where the peer can't do it. A
stream is two functions: one that feeds many deltas and gives back a list of what the parser said to each, so that
nothing but the parser's own call is in the loop; and one for the end.

A run that isn't over when its budget is used up is broken off; its figure is the cost per token until there, which is
less than that of the whole if the cost grows.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

clock = time.thread_time
"""Seconds of processor time of this thread."""

_LOOK = 64
"""So many deltas are fed between two looks at the clock."""

_LEAST = 0.05
"""Seconds that a run lasts at least, of as many streams as that takes."""

Delta = tuple[str, "list[int]", bool]
"""Text, its ids, and whether it is the last."""
Stream = tuple[Callable[["list[Delta]"], "list[Any]"], Callable[[], Any]]


def deltas(work: dict[str, Any]) -> list[Delta]:
    """What is fed: text, ids, and whether it is the last."""
    group, ids, texts = work["group"], work["ids"], work["texts"]
    cut = range(0, len(ids), group)
    return [("".join(texts[at : at + group]), ids[at : at + group], at + group >= len(ids)) for at in cut]


def run_stream(make: Callable[[], Stream], chunks: list[list[Delta]], budget: float) -> tuple[float, int]:
    """Seconds, and how many of the chunks were fed in them."""
    play, end = make()
    begin = clock()
    for number, chunk in enumerate(chunks, 1):
        play(chunk)
        if clock() - begin > budget:
            return clock() - begin, number
    end()
    return clock() - begin, len(chunks)


def peak(run: Callable[[], object]) -> int:
    """The most bytes in use by Python's objects during a run of its own, beyond those before it. What compiled code
    takes for itself isn't in it."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        run()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def measure_stream(peer: Any, work: dict[str, Any], runs: int, budget: float) -> dict[str, Any] | None:
    """Microseconds per token, the most memory, and how much was said of each part."""
    make = peer.stream(work)
    if make is None:
        return None
    pieces = deltas(work)
    chunks = [pieces[at : at + _LOOK] for at in range(0, len(pieces), _LOOK)]
    tokens = len(work["ids"])
    run_stream(make, chunks, min(budget / 4, 1.0))  # warm
    spent, fed = run_stream(make, chunks, budget)
    most = peak(lambda: run_stream(make, chunks, budget / 4))
    if fed < len(chunks):
        done = sum(len(ids) for chunk in chunks[:fed] for _, ids, _ in chunk)
        return {"values": [spent / done * 1e6], "share": done / tokens, "memory": most, "tokens": tokens}
    values = []
    for _ in range(runs):
        spent, done = 0.0, 0
        while spent < _LEAST:
            spent += run_stream(make, chunks, budget)[0]
            done += tokens
        values.append(spent / done * 1e6)
        if spent > budget / 4:
            break
    said = None
    if spent < budget / 4:
        play, end = make()
        results = [result for chunk in chunks for result in play(chunk)]
        said = peer.said([*results, end()])
    return {"values": values, "share": 1.0, "memory": most, "tokens": tokens, "said": said}


def measure_whole(peer: Any, work: dict[str, Any], runs: int, budget: float) -> dict[str, Any] | None:
    """Microseconds per token of a whole text."""
    parse = peer.whole(work)
    if parse is None:
        return None
    begin = clock()
    parse()
    once = clock() - begin
    times = max(1, min(20, int(_LEAST / max(once, 1e-6))))
    most = peak(parse)
    values = []
    for _ in range(runs if once < budget / 4 else 1):
        begin = clock()
        for _ in range(times):
            parse()
        values.append((clock() - begin) / times / len(work["ids"]) * 1e6)
    return {"values": values, "share": 1.0, "memory": most, "tokens": len(work["ids"])}


def measure_question(peer: Any, work: dict[str, Any], runs: int, budget: float) -> dict[str, Any] | None:
    """Microseconds per step, where all but the last 200 ids have come before."""
    make = peer.question(work)
    if make is None:
        return None
    ids = work["ids"]
    values = []
    for _ in range(runs):
        step = make(ids[:-200])
        begin = clock()
        for id in ids[-200:]:
            assert not step(id), "reasoning isn't over"
        values.append((clock() - begin) / 200 * 1e6)
    assert make(ids[:-200])(peer.closer(work)), "reasoning is over"
    return {"values": values, "share": 1.0, "memory": None, "tokens": len(ids)}


def yardstick(times: int = 200_000) -> float:
    """Microseconds for a call of an empty function, so that a slower turn of the machine shows."""

    def nothing(text: str) -> None:
        return None

    begin = clock()
    for _ in range(times):
        nothing("")
    return (clock() - begin) / times * 1e6


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("peer")
    parser.add_argument("folder", type=Path, help="where works.jsonl and the tokenizer are")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds a run")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    peer = importlib.import_module(f"peer_{args.peer}")
    peer.load(args.folder)
    print(json.dumps({"version": peer.version(), "yardstick": yardstick()}), flush=True)
    exceeded: set[str] = set()
    with (args.folder / "works.jsonl").open() as file:
        for line in file:
            work = json.loads(line)
            if work.get("codec") in exceeded:
                continue  # a shorter argument took too long already
            measure = {"stream": measure_stream, "whole": measure_whole, "question": measure_question}[work["kind"]]
            done = measure(peer, work, args.runs, args.budget)
            if done is None:
                continue
            if done["share"] < 1 and work.get("codec"):
                exceeded.add(work["codec"])
            print(json.dumps({"work": work["name"], "kind": work["kind"]} | done), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
