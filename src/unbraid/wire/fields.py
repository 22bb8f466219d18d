"""Single values of a request: each is read as the type that it must have, or refused with its place.

For every protocol alike. ``null`` and a missing key are the same. What the values mean isn't known here.
"""

from __future__ import annotations

import math
from typing import Any

Json = Any
"""A value as ``json.loads`` gives it, not yet looked at."""


class RequestError(ValueError):
    """A request that can't be answered as it is. The message is for whoever wrote it."""

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None, status: int = 400) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        """The field that it is about, as a path: ``"messages[0].content"``."""
        self.code = code
        self.status = status
        """The HTTP status that OpenAI's API gives to it."""


def _wrong(value: Json, key: str, path: str, wanted: str) -> RequestError:
    kinds = {bool: "a boolean", str: "a string", list: "a list", dict: "an object"}
    got = next((word for kind, word in kinds.items() if isinstance(value, kind)), "a number")
    return RequestError(f"'{path}{key}' must be {wanted}, but {got} was given.", param=path + key, code="invalid_type")


def string(body: dict[str, Json], key: str, path: str = "") -> str | None:
    """The string at ``key``, if there is one."""
    value = body.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _wrong(value, key, path, "a string")


def boolean(body: dict[str, Json], key: str, path: str = "") -> bool | None:
    """The boolean at ``key``, if there is one."""
    value = body.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise _wrong(value, key, path, "a boolean")


def mapping(body: dict[str, Json], key: str, path: str = "") -> dict[str, Json] | None:
    """The object at ``key``, if there is one."""
    value = body.get(key)
    if value is None or isinstance(value, dict):
        return value
    raise _wrong(value, key, path, "an object")


def number(body: dict[str, Json], key: str, path: str = "") -> float | None:
    """The finite number at ``key``, if there is one."""
    value = body.get(key)
    if value is None:
        return None
    try:
        found = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, OverflowError):
        found = math.nan
    if not math.isfinite(found):
        raise _wrong(value, key, path, "a number")
    return found


def integer(body: dict[str, Json], key: str, path: str = "") -> int | None:
    """The whole number at ``key``, if there is one; ``3.0`` is one too."""
    value = body.get(key)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise _wrong(value, key, path, "a whole number")
