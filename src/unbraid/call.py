"""One call that is being read: what is known of it, and the decoder of its arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from .arguments.params import ParamsWriter
from .arguments.scan import JsonScanner
from .events import Event, Note
from .format import Spelling, spellings


class OpenCall:
    """A call between its start and its end."""

    __slots__ = ("id", "index", "name", "notes", "params", "queue", "scanner", "start")

    def __init__(self, index: int, id: str, name: str, start: int) -> None:
        self.index = index
        self.id = id
        self.name = name
        self.start = start
        """Offset of the first character of its markup."""
        self.notes: list[Note] = []
        self.params: ParamsWriter | None = None
        self.scanner: JsonScanner | None = None
        self.queue: list[Event] = []
        """Its events, where they wait until it is complete (``stream_calls="whole"``)."""


def name_and_id(written: str, shapes: Spelling | None) -> tuple[str, str]:
    """The function's name and the call's id from an ``{id}`` on the wire, e.g. ``functions.find_trains:0``."""
    for shape in _patterns(shapes):
        found = shape.fullmatch(written)
        if found is not None:
            return found["name"], written
    return written, written


@lru_cache(maxsize=64)
def _patterns(shapes: Spelling | None) -> tuple[re.Pattern[str], ...]:
    patterns = []
    for shape in spellings(shapes):
        pattern = re.escape(shape).replace(r"\{name\}", "(?P<name>.+)").replace(r"\{index\}", "[0-9]+")
        patterns.append(re.compile(pattern, re.DOTALL))
    return tuple(patterns)


