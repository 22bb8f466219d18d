"""Runs in each parser's own environment: feeds it with the works and prints what that took, a line of JSON a work.

``python drive.py PEER FOLDER --budget 20 --runs 5``. Standard library alone, but for what the peer needs. A peer is a
module ``peer_NAME`` with ``version()`` and, as far as it does such a thing, ``stream(work)``, ``whole(work)`` and
``question(work)``; each returns a function that is fed, and that gives back what the parser said.

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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

clock = time.thread_time
"""Seconds of processor time of this thread."""

_LOOK = 64
"""So many deltas are fed between two looks at the clock."""

_LEAST = 0.05
"""Seconds that a run lasts at least, of as many streams as that takes."""

Feed = Callable[[str, "list[int]", bool], object]


def deltas(work: dict[str, Any]) -> list[tuple[str, list[int], bool]]:
    """What is fed: text, ids, and whether it is the last."""
    group, ids, texts = work["group"], work["ids"], work["texts"]
    cut = range(0, len(ids), group)
    return [("".join(texts[at : at + group]), ids[at : at + group], at + group >= len(ids)) for at in cut]


def run_stream(make: Callable[[], Feed], pieces: list[tuple[str, list[int], bool]], budget: float) -> tuple[float, int]:
    """Seconds, and how many of the deltas were fed in them."""
    feed = make()
    begin = clock()
    for at in range(0, len(pieces), _LOOK):
        for text, ids, last in pieces[at : at + _LOOK]:
            feed(text, ids, last)
        if clock() - begin > budget:
            return clock() - begin, min(at + _LOOK, len(pieces))
    return clock() - begin, len(pieces)


def memory() -> tuple[int, int]:
    """Kilobytes that this process holds, and the most that it ever held since :func:`forget`."""
    fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["VmRSS"].split()[0]), int(fields["VmHWM"].split()[0])


def forget() -> None:
    """The most memory is counted from here on."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")


def measure_stream(peer: Any, work: dict[str, Any], runs: int, budget: float) -> dict[str, Any] | None:
    """Microseconds per token, the most memory, and what was said."""
    make = peer.stream(work)
    if make is None:
        return None
    pieces = deltas(work)
    tokens = len(work["ids"])
    run_stream(make, pieces, min(budget / 4, 1.0))  # warm
    forget()
    before = memory()[0]
    spent, fed = run_stream(make, pieces, budget)
    most = memory()[1] - before
    if fed < len(pieces):
        return {"values": [spent / (fed * work["group"]) * 1e6], "over": False, "memory": most, "tokens": tokens}
    values = []
    for _ in range(runs):
        spent, done = 0.0, 0
        while spent < _LEAST:
            spent += run_stream(make, pieces, budget)[0]
            done += tokens
        values.append(spent / done * 1e6)
        if spent > budget / 4:
            break
    said = peer.said([feed_result for feed_result in told(make(), pieces)]) if spent < budget / 4 else None
    return {"values": values, "over": True, "memory": most, "tokens": tokens, "said": said}


def told(feed: Feed, pieces: list[tuple[str, list[int], bool]]) -> Iterator[object]:
    """What the parser said, delta by delta."""
    for piece in pieces:
        yield feed(*piece)


def measure_whole(peer: Any, work: dict[str, Any], runs: int, budget: float) -> dict[str, Any] | None:
    """Microseconds per token of a whole text."""
    parse = peer.whole(work)
    if parse is None:
        return None
    begin = clock()
    parse()
    once = clock() - begin
    times = max(1, min(20, int(_LEAST / max(once, 1e-6))))
    forget()
    before = memory()[0]
    parse()
    most = memory()[1] - before
    values = []
    for _ in range(runs if once < budget / 4 else 1):
        begin = clock()
        for _ in range(times):
            parse()
        values.append((clock() - begin) / times / len(work["ids"]) * 1e6)
    return {"values": values, "over": True, "memory": most, "tokens": len(work["ids"])}


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
    return {"values": values, "over": True, "memory": None, "tokens": len(ids)}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("peer")
    parser.add_argument("folder", type=Path, help="where works.jsonl and the tokenizer are")
    parser.add_argument("--budget", type=float, default=20.0, help="seconds a run")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    peer = importlib.import_module(f"peer_{args.peer}")
    peer.load(args.folder)
    out = sys.stdout
    print(json.dumps({"version": peer.version()}), file=out, flush=True)
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
            if not done["over"] and work.get("codec"):
                exceeded.add(work["codec"])
            print(json.dumps({"work": work["name"]} | done), file=out, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
