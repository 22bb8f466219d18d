"""Sets of characters as ranges of code points, and how GBNF writes them.

A set is a sorted tuple of ranges that neither overlap nor touch. Nothing here knows what the characters are
for.
"""

from __future__ import annotations

from collections.abc import Iterable

Charset = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included."""

LAST = 0x10FFFF
EVERY: Charset = ((0, LAST),)
"""Every code point."""


def charset(ranges: Iterable[tuple[int, int]]) -> Charset:
    """The set of these ranges, in any order and overlapping at will."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(each for each in ranges if each[0] <= each[1]):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def of(characters: Iterable[str]) -> Charset:
    """The set of these characters."""
    return charset((ord(character), ord(character)) for character in characters)


def union(*sets: Charset) -> Charset:
    """What is in any of the sets."""
    return charset(each for one in sets for each in one)


def without(base: Charset, removed: Charset) -> Charset:
    """What is in the first set and not in the second."""
    left: list[tuple[int, int]] = []
    for low, high in base:
        for cut_low, cut_high in removed:
            if cut_high < low or cut_low > high:
                continue
            if cut_low > low:
                left.append((low, cut_low - 1))
            low = cut_high + 1
        if low <= high:
            left.append((low, high))
    return tuple(left)


def negated(base: Charset) -> Charset:
    """Every character that isn't in the set."""
    return without(EVERY, base)


def common(first: Charset, second: Charset) -> Charset:
    """What is in both sets."""
    return without(first, negated(second))


def has(base: Charset, character: str) -> bool:
    """Whether the character is in the set."""
    return any(low <= ord(character) <= high for low, high in base)


def write(base: Charset) -> str:
    """The set as a GBNF character class; a set that goes to the end of Unicode as what isn't in it."""
    if not base:
        raise ValueError("an empty set of characters can't be written")
    if base[-1][1] == LAST:
        rest = negated(base)
        return f"[^{_ranges(rest)}]" if rest else "[^\\x00]"
    return f"[{_ranges(base)}]"


def _ranges(base: Charset) -> str:
    written = []
    for low, high in base:
        between = "-" if high > low + 1 else ""
        written.append(_code(low) + (between + _code(high) if high > low else ""))
    return "".join(written)


def _code(code: int) -> str:
    """A character inside a class. Whatever means something there is written as a number."""
    named = {0x0A: "\\n", 0x0D: "\\r", 0x09: "\\t", 0x5C: "\\\\"}.get(code)
    if named is not None:
        return named
    if code < 0x20 or code == 0x7F or chr(code) in '[]^-"':
        return f"\\x{code:02X}"
    if 0x20 < code < 0x7F:
        return chr(code)
    return f"\\x{code:02X}" if code <= 0xFF else f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
