"""A figure of a benchmark, and the table that figures are printed in.

What lives here: :class:`Row`, the clock, a line about the machine. No text and no measurement.
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

clock = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-6 else time.perf_counter
"""Seconds of processor time of this thread, so that the turns of other programs don't count; else of the wall."""


@dataclass(frozen=True)
class Row:
    """One figure."""

    name: str
    unit: str
    values: tuple[float, ...]
    """One a run."""
    reach: float | None = None
    """What it should be, where the project set itself something."""
    higher_is_better: bool = False

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def met(self) -> bool | None:
        if self.reach is None:
            return None
        return self.median >= self.reach if self.higher_is_better else self.median <= self.reach


def machine() -> str:
    """The processor and the interpreter, in one line."""
    processor = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{python} on {processor}, {os.cpu_count()} cores, {platform.system()}"


def shown(value: float) -> str:
    """Three digits that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


HEAD = f"{'':<52} {'median':>8} {'':<9} {'min .. max':>18}  {'reach':<8} met"
"""What stands above the lines."""


def line(row: Row) -> str:
    """One row of the table."""
    low, high = min(row.values), max(row.values)
    spread = f"{shown(low)} .. {shown(high)}" if len(row.values) > 1 else ""
    reach = ""
    if row.reach is not None:
        reach = f"{'>=' if row.higher_is_better else '<='} {row.reach:g}"
    met = {None: "", True: "yes", False: "NO"}[row.met]
    return f"{row.name:<52} {shown(row.median):>8} {row.unit:<9} {spread:>18}  {reach:<8} {met}".rstrip()
