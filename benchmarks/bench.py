"""What unbraid costs: time per token, memory, whole texts, start-up. ``python benchmarks/bench.py --help``.

A stream is fed one token per delta. Tokens are cut as ``unbraid parse --cut tokens`` cuts (a word with the
space before it, about four characters), texts are made here from a fixed seed. Only the calls of ``feed`` and
``finish`` are timed, in processor time, with the garbage collector and everything else as users have it. Each
figure is the median of several runs, with the fastest and the slowest beside it; the reach is what the
project set itself. Standard library alone, but for the rows on token ids, which need ``tokenizers``.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

try:
    import unbraid
except ModuleNotFoundError:
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))
    import unbraid

import ids
from figures import HEAD, Row, clock, line, machine
from texts import TOOLS, long_call, reasoning_and_content
from unbraid.cli import pieces
from unbraid.format import Format

KB, MB = 1024, 1024 * 1024


def per_token(text: str, format: Format, group: int = 1, least: int = 6000) -> float:
    """Microseconds per token, ``group`` tokens a delta; repeated until at least ``least`` tokens went by."""
    tokens = list(pieces(text, "tokens"))
    deltas = ["".join(tokens[at : at + group]) for at in range(0, len(tokens), group)]
    spent = 0.0
    done = 0
    while done < least:
        parser = unbraid.Parser(format, tools=TOOLS, thinking=format.reasoning is not None)
        feed = parser.feed
        begin = clock()
        for delta in deltas:
            feed(delta)
        parser.finish("stop")
        spent += clock() - begin
        done += len(tokens)
    return spent / done * 1e6


def whole(text: str, format: Format) -> float:
    """Megabytes per second for the whole text at once, message and all."""
    size = len(text.encode())
    begin = clock()
    unbraid.parse(text, format, tools=TOOLS, thinking=format.reasoning is not None)
    return size / (clock() - begin) / 1e6


def creation(format: Format, tools: list[dict[str, Any]] | None, times: int = 500) -> float:
    """Microseconds to make a parser of a format that is compiled."""
    unbraid.Parser(format, tools=tools)
    begin = clock()
    for _ in range(times):
        unbraid.Parser(format, tools=tools)
    return (clock() - begin) / times * 1e6


def compilation(format: Format) -> float:
    """Milliseconds until the first parser of a new format: its states are built and its scanners compiled."""
    import re

    re.purge()
    begin = clock()
    unbraid.Parser(replace(format, name=format.name), thinking=True)
    return (clock() - begin) * 1e3


def importing(cache: str) -> float:
    """Milliseconds for ``import unbraid`` in a new interpreter, its own start aside; the best of three.

    Compiled files are kept in ``cache``, as they are beside an installed package; the first import writes
    them.
    """
    program = (
        "import sys, time; sys.path[:0] = sys.argv[1:]; begin = time.perf_counter(); import unbraid; "
        "print(time.perf_counter() - begin)"
    )
    source = str(Path(unbraid.__file__).resolve().parent.parent)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = cache
    command = [sys.executable, "-c", program, source]
    done = [subprocess.run(command, capture_output=True, check=True, env=environment) for _ in range(3)]
    return min(float(each.stdout) for each in done) * 1e3


def yardstick(times: int = 20_000) -> float:
    """Microseconds for a call of an empty function: tells a slow or busy machine from a slow parser."""

    def nothing(text: str) -> None:
        return None

    deltas = ["text"] * times
    begin = clock()
    for delta in deltas:
        nothing(delta)
    return (clock() - begin) / times * 1e6


def memory(text: str, format: Format, *, build_message: bool, parsers: int = 40) -> float:
    """Kilobytes per parser that has been fed half of the text, token by token, and is waiting for the rest.

    The deltas and the compiled format belong to nobody; what the events and the message hold is counted where
    the message is built.
    """
    tokens = list(pieces(text, "tokens"))
    half = tokens[: len(tokens) // 2]
    options: dict[str, Any] = {} if build_message else {"build_message": False}
    thinking = format.reasoning is not None
    unbraid.Parser(format, tools=TOOLS, thinking=thinking, **options).feed("".join(half))
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        kept = []
        for _ in range(parsers):
            parser = unbraid.Parser(format, tools=TOOLS, thinking=thinking, **options)
            for token in half:
                parser.feed(token)
            kept.append(parser)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    return held / len(kept) / KB


def rows(runs: int, quick: bool) -> Iterator[Row]:
    """All figures, in the order in which they are printed."""

    def measured(
        name: str, unit: str, measure: Callable[[], float], reach: float | None = None, higher: bool = False
    ) -> Row:
        measure()  # warm: formats compiled, code specialised
        return Row(name, unit, tuple(measure() for _ in range(runs)), reach, higher)

    known = unbraid.formats()
    qwen3, coder = known["qwen3"], known["qwen3_coder"]

    yield measured("yardstick: a call of an empty function", "µs", yardstick)
    spoken = reasoning_and_content(qwen3, 6000)
    yield measured("prose, 6,000 tokens", "µs/token", lambda: per_token(spoken, qwen3), 0.5)
    sizes = [(4 * KB, "4 KB"), (64 * KB, "64 KB")] + ([] if quick else [(MB, "1 MB")])
    for format, what in ((qwen3, "JSON call"), (coder, "XML call")):
        texts = {label: long_call(format, size) for size, label in sizes}
        per_token(texts["4 KB"], format)  # warm
        # Sizes in turns, so that a machine that gets slower doesn't pass for a parser that does.
        turns = [[per_token(text, format) for text in texts.values()] for _ in range(runs)]
        for at, label in enumerate(texts):
            yield Row(f"{what}, {label}", "µs/token", tuple(turn[at] for turn in turns), 1.5)
        if not quick:
            ratios = tuple(turn[-1] / turn[0] for turn in turns)
            yield Row(f"{what}, 1 MB against 4 KB", "times", ratios, 1.3)

    for format, what, text in (
        (qwen3, "prose", spoken),
        (qwen3, "JSON call, 64 KB", long_call(qwen3, 64 * KB)),
        (coder, "XML call, 64 KB", long_call(coder, 64 * KB)),
    ):
        yield measured(f"{what}, 4 tokens a delta", "µs/token", partial(per_token, text, format, group=4))

    for format in known.values():
        try:
            text = long_call(format, 64 * KB)
        except ValueError:
            continue
        yield measured(f"{format.name}, call, 64 KB", "µs/token", partial(per_token, text, format), 1.5)

    long_prose = reasoning_and_content(qwen3, 60_000 if quick else 250_000)
    yield measured("whole text, prose", "MB/s", lambda: whole(long_prose, qwen3), 50, higher=True)
    for format, what in ((qwen3, "JSON call"), (coder, "XML call")):
        text = long_call(format, MB)
        yield measured(f"whole text, {what}, 1 MB", "MB/s", partial(whole, text, format), None, higher=True)

    for text, format, where in (
        (spoken, qwen3, "in prose"),
        (long_call(qwen3, 64 * KB), qwen3, "in a JSON call"),
        (long_call(coder, 64 * KB), coder, "in an XML call"),
    ):
        count = len(list(pieces(text, "tokens"))) // 2
        for build, what, reach in (
            (False, "alone", 8.0),
            (True, f"with its message of {count:,} tokens", None),
        ):
            value = memory(text, format, build_message=build, parsers=10 if quick else 40)
            yield Row(f"a parser {where}, {what}", "KB", (value,), reach)

    yield measured("a new parser", "µs", lambda: creation(qwen3, None), 20)
    yield measured("a new parser, with 2 tools", "µs", lambda: creation(qwen3, TOOLS), 20)
    yield measured("compiling a format", "ms", lambda: compilation(qwen3))
    with tempfile.TemporaryDirectory() as cache:
        yield measured("import unbraid", "ms", lambda: importing(cache), 60)
    yield from ids.rows(runs, quick)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--quick", action="store_true", help="3 runs, no argument of 1 MB: a first look in seconds")
    parser.add_argument("--runs", type=int, metavar="N", help="runs per figure (7, with --quick 3)")
    parser.add_argument("--json", metavar="FILE", help="also write the figures as JSON")
    args = parser.parse_args()
    runs = max(1, args.runs or (3 if args.quick else 7))

    print(f"{machine()}; {runs} runs\n")
    print(HEAD)
    done = []
    for row in rows(runs, args.quick):
        print(line(row), flush=True)
        done.append(row)
    missed = [row.name for row in done if row.met is False]
    print("\n" + (f"Missed: {'; '.join(missed)}." if missed else "Every reach is met."))
    if args.json:
        figures = [asdict(row) | {"median": row.median, "met": row.met} for row in done]
        Path(args.json).write_text(json.dumps({"machine": machine(), "figures": figures}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
