"""Reads what a GGUF file says of itself: the key-value pairs at its head. The weights aren't touched.

Lists are skipped but for the ones that are asked for, so that a vocabulary of a quarter of a million tokens costs a
fraction of a second. The layout is that of GGUF versions 2 and 3, little-endian.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Collection
from pathlib import Path
from typing import Any

from .errors import SetupError

_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9


def read_metadata(path: Path, lists: Collection[str] = ()) -> dict[str, Any]:
    """The metadata of a GGUF file. Of the values that are lists, only those named in ``lists``.

    Raises:
        SetupError: there is no such file, or it isn't GGUF.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(data).metadata(lists)
    except OSError as error:
        raise SetupError(f"the model file {str(path)!r} can't be read: {error.strerror or error}") from None
    except (struct.error, ValueError, KeyError, IndexError, OverflowError) as error:
        if isinstance(error, SetupError):
            raise
        raise SetupError(f"{str(path)!r} isn't a GGUF file that can be read") from None


class _Reader:
    """A place in the file, moving forward."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 0

    def metadata(self, lists: Collection[str]) -> dict[str, Any]:
        if self._data[:4] != b"GGUF":
            raise SetupError("the model file isn't GGUF: it doesn't begin with those four letters")
        self._at = 4
        version = self._scalar("<I")
        if version not in (2, 3):
            raise SetupError(f"GGUF version {version} isn't known here; 2 and 3 are")
        self._scalar("<Q")  # tensors
        found = {}
        for _ in range(self._scalar("<Q")):
            key = self._string()
            value = self._value(self._scalar("<I"), keep=key in lists)
            if value is not None:
                found[key] = value
        return found

    def _scalar(self, form: str) -> Any:
        value = struct.unpack_from(form, self._data, self._at)[0]
        self._at += struct.calcsize(form)
        return value

    def _string(self) -> str:
        size = self._scalar("<Q")
        if self._at + size > len(self._data):
            raise ValueError("a string that is longer than the file")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8", "replace")

    def _value(self, kind: int, keep: bool) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._list(keep)
        return self._scalar(_SCALARS[kind])

    def _list(self, keep: bool) -> list[Any] | None:
        kind, count = self._scalar("<I"), self._scalar("<Q")
        if keep:
            return [self._value(kind, keep=True) for _ in range(count)]
        if kind == _STRING:
            sizes, data, at = struct.Struct("<Q"), self._data, self._at
            for _ in range(count):
                at += 8 + sizes.unpack_from(data, at)[0]
            self._at = at
        elif kind == _ARRAY:
            for _ in range(count):
                self._list(keep=False)
        else:
            self._at += struct.calcsize(_SCALARS[kind]) * count
        return None
