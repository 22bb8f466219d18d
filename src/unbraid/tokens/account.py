"""Which tokens belong to which part: spans of tokens, from spans of text.

A token belongs to the span that holds its first character; one that is only part of a character, to the span of that
character. Offsets are those of what the machine read, special tokens marked (``marked``).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from ..events import Span
from .strand import Strand


def token_spans(spans: Sequence[Span], strand: Strand, finished: bool) -> tuple[Span, ...]:
    """The tokens of each span.

    Args:
        spans: those of the text; they tile what has been said.
        strand: the tokens.
        finished: whether the output is over, so that tokens without any text belong to the last span.
    """
    ends = strand.ends.whole()
    found: list[Span] = []
    for span in spans:
        # The first token that begins at an offset comes after the first that ends there, or behind it.
        first, last = (bisect_left(ends, at) + 1 if at > 0 else 0 for at in (span.start, span.end))
        _add(found, span, first, min(last, len(ends)))
    if finished:
        stop = len(ends) if strand.dropped is None else strand.dropped
        done = found[-1].end if found else 0
        _add(found, spans[-1] if spans else Span("dropped", 0, 0), done, stop)
        _add(found, Span("dropped", 0, 0, "cut off by the engine"), max(done, stop), len(ends))
    return tuple(found)


def _add(found: list[Span], span: Span, start: int, end: int) -> None:
    if end <= start:
        return
    last = found[-1] if found else None
    if last is not None and (last.kind, last.label, last.call) == (span.kind, span.label, span.call):
        found[-1] = last._replace(end=end)
    else:
        found.append(span._replace(start=start, end=end))


def text_spans(spans: Iterable[Span], strand: Strand) -> tuple[Span, ...]:
    """The spans with their offsets counted without marks."""
    return tuple(s._replace(start=strand.offset(s.start), end=strand.offset(s.end)) for s in spans)
