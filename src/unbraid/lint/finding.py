"""What a check says, and the markers of a format as the checks look at them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from ..checks import all_markers
from ..format import Format, FormatError, Spelling, spellings
from ..literals import Units, markers

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From bad to harmless: an output will be misread; it may be, or something is superfluous; worth a look."""


@dataclass(frozen=True)
class Finding:
    """One thing that may be wrong with a format."""

    severity: Severity
    code: str
    """What kind of thing it is, e.g. ``"not-a-token"``: the same words in every release."""
    where: str
    """The field, as ``tools.call.open``."""
    message: str
    """What is wrong, and what to do."""

    def as_dict(self) -> dict[str, str]:
        """The finding as plain values."""
        return {"severity": self.severity, "code": self.code, "where": self.where, "message": self.message}


def texts(format: Format) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every spelling of every marker: its field, and its pieces of plain text, without holes and white space."""
    for where, spelling in all_markers(format):
        for pieces in _spelled(spelling):
            yield where, pieces


def _spelled(spelling: Spelling | None) -> list[tuple[str, ...]]:
    try:
        return [_pieces(marker.core) for marker in markers(spelling)]
    except FormatError:  # text that isn't a literal, such as the sign around strings
        return [tuple(each.split()) for each in spellings(spelling)]


def _pieces(core: Units) -> tuple[str, ...]:
    """The plain text of a marker, split where anything else stands."""
    # A unit of text is one escaped character; what stands for more than one is white space or a hole.
    text = "".join("\n" if unit.hole or unit.longest != 1 else unit.pattern[-1] for unit in core)
    return tuple(text.split())
