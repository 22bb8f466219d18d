"""Numbers between two bounds, as GBNF. Integers and decimals alike are compared digit by digit.

A bound is exact; what is limited is the length: so many digits before the point and so many after it.
Exponents are written only where there are no bounds.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from ..format import FormatError
from .rules import Rules, either, optional, quote, sequence

DIGITS = 15
"""At most so many digits before the point: what a double holds exactly."""
PLACES = 15
"""At most so many digits after the point."""


def integer(rules: Rules, low: int | None, high: int | None) -> str:
    """An integer between two bounds, both included; ``None`` for no bound.

    Raises:
        FormatError: there is none that can be written.
    """
    if low is None and high is None:
        return rules.add("integer", f'"-"? ("0" | [1-9] [0-9]{{0,{DIGITS - 1}}})')
    options: list[str] = []
    if high is None or high >= 0:
        options += _whole(max(low or 0, 0), high)
    if low is None or low < 0:
        least = 1 if high is None or high >= 0 else -high
        options += [sequence('"-"', each) for each in _whole(least, None if low is None else -low)]
    if not options:
        raise FormatError("there is no integer between its bounds")
    return rules.add("integer", either(options))


def number(rules: Rules, low: Decimal | None, high: Decimal | None, open_low: bool, open_high: bool) -> str:
    """A number between two bounds, which ``open_low`` and ``open_high`` leave out.

    Raises:
        FormatError: there is none that can be written.
    """
    if low is None and high is None:
        whole = f'"-"? ("0" | [1-9] [0-9]{{0,{DIGITS - 1}}})'
        return rules.add("number", f'{whole} ("." [0-9]{{1,{PLACES}}})? ([eE] [-+]? [0-9]{{1,2}})?')
    options: list[str] = []
    if high is None or high > 0 or (high == 0 and not open_high):
        least, open_least = (low, open_low) if low is not None and low >= 0 else (Decimal(0), False)
        options += _magnitudes(least, high, open_least, open_high)
    if low is None or low < 0:
        least, open_least = (-high, open_high) if high is not None and high < 0 else (Decimal(0), True)
        negative = _magnitudes(least, None if low is None else -low, open_least, open_low)
        options += [sequence('"-"', each) for each in negative]
    if not options:
        raise FormatError("there is no number between its bounds")
    return rules.add("number", either(options))


def bound(value: Any, keyword: str) -> Decimal:
    """A bound as a schema gives it.

    Raises:
        FormatError: it isn't a number.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value - value != 0:
        raise FormatError(f"{keyword} is {value!r}, which isn't a number")
    return Decimal(str(value))


def _whole(low: int, high: int | None) -> list[str]:
    """Integers from ``low`` to ``high``, neither negative, by their length."""
    last = 10**DIGITS - 1 if high is None else high
    options: list[str] = []
    for length in range(len(str(low)), len(str(last)) + 1):
        shortest = 10 ** (length - 1) if length > 1 else 0
        least, most = max(low, shortest), min(last, 10**length - 1)
        if least <= most:
            options.append(_between(str(least), str(most)))
    return options


def _between(low: str, high: str) -> str:
    """Digit strings of one length between two of them."""
    if low == high:
        return quote(low)
    same = 0
    while low[same] == high[same]:
        same += 1
    prefix, low, high = low[:same], low[same:], high[same:]
    rest = len(low) - 1
    if not rest or (set(low[1:]) == {"0"} and set(high[1:]) == {"9"}):
        return sequence(quote(prefix), _digit(low[0], high[0]), _digits(rest, rest))
    options = []
    first, last = int(low[0]), int(high[0])
    if set(low[1:]) != {"0"}:
        options.append(sequence(quote(low[0]), _between(low[1:], "9" * rest)))
        first += 1
    if set(high[1:]) != {"9"}:
        last -= 1
    if first <= last:
        options.append(sequence(_digit(str(first), str(last)), _digits(rest, rest)))
    if set(high[1:]) != {"9"}:
        options.append(sequence(quote(high[0]), _between("0" * rest, high[1:])))
    return sequence(quote(prefix), either(options))


def _magnitudes(low: Decimal, high: Decimal | None, open_low: bool, open_high: bool) -> list[str]:
    """Numbers from ``low`` to ``high``, neither negative."""
    whole_low, places_low = _split(low)
    if high is None:
        whole_high, places_high = 10**DIGITS, ""
    else:
        whole_high, places_high = _split(high)
    if whole_low > whole_high:
        return []
    if whole_low == whole_high:
        return _with_places(whole_low, places_low, places_high, open_low, open_high)
    options = _with_places(whole_low, places_low, None, open_low, False)
    if whole_low + 1 <= whole_high - 1:
        some = f'("." {_digits(1, PLACES)})?'
        options += [sequence(each, some) for each in _whole(whole_low + 1, whole_high - 1)]
    if high is not None:
        options += _with_places(whole_high, "", places_high, False, open_high)
    return options


def _with_places(whole: int, low: str, high: str | None, open_low: bool, open_high: bool) -> list[str]:
    """One integer part with every fraction between two, given as digits after the point."""
    options = []
    if not low and not open_low and (high is None or high or not open_high):
        options.append(quote(str(whole)))
    tail = _fraction(low, high, open_low, open_high, PLACES, started=False)
    if tail is not None:
        options.append(sequence(quote(f"{whole}."), tail))
    return options


def _fraction(
    low: str | None, high: str | None, open_low: bool, open_high: bool, left: int, started: bool
) -> str | None:
    """At most ``left`` more digits between the rests of two bounds; ``None`` for a bound that is met already.

    Returns ``None`` if there are no such digits.
    """
    if low == "" and not open_low:
        low = None
    if high == "" and open_high:
        return None
    if low is None and high is None:
        return _digits(0 if started else 1, left) if started or left else None
    options: list[str] = []
    if left:
        least = int(low[0]) if low else 0
        most = 9 if high is None else int(high[0]) if high else 0
        for digit in range(least, most + 1):
            rest_low = None if low is None or digit > least else low[1:]
            rest_high = None if high is None or digit < most else high[1:]
            tail = _fraction(rest_low, rest_high, open_low, open_high, left - 1, started=True)
            if tail is not None:
                options.append(sequence(quote(str(digit)), tail))
    may_stop = started and low is None
    if not options:
        return '""' if may_stop else None
    some = either(_joined(options))
    return optional(some) if may_stop else some


def _joined(options: list[str]) -> list[str]:
    """Alternatives that differ only in their first digit, as one."""
    by_rest: dict[str, list[str]] = {}
    for each in options:
        digit, _, rest = each.partition(" ")
        by_rest.setdefault(rest, []).append(digit.strip('"'))
    return [sequence(_digit(digits[0], digits[-1]), rest) for rest, digits in by_rest.items()]


def _split(value: Decimal) -> tuple[int, str]:
    """The integer part and the digits after the point, without zeros at the end."""
    whole, _, places = f"{value:f}".partition(".")
    return int(whole), places.rstrip("0")


def _digit(low: str, high: str) -> str:
    return quote(low) if low == high else f"[{low}-{high}]"


def _digits(least: int, most: int) -> str:
    if most == 0:
        return ""
    if least == most:
        return "[0-9]" if most == 1 else f"[0-9]{{{most}}}"
    return f"[0-9]{{{least},{most}}}"
