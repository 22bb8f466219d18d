"""The shipped formats, one file each, data only. This module finds them and resolves names and aliases.

A new family is a new file here that binds ``FORMAT`` to a :class:`unbraid.format.Format`; nothing else needs to know.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from pathlib import Path

from ..format import Format, FormatError, nearest


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """The names of the shipped formats, which are those of their files."""
    files = Path(__file__).parent.glob("[a-z]*.py")
    return tuple(sorted(file.stem for file in files))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Format]:
    """Every name and alias of the shipped formats. Read once: shipped formats don't change while a process runs."""
    found: dict[str, Format] = {}
    shipped = [import_module(f"{__name__}.{name}").FORMAT for name in _names()]
    for each in shipped:
        for name in (each.name, *each.aliases):
            if name in found:
                raise FormatError(f"two formats are called {name!r}: {found[name].name} and {each.name}")
            found[name] = each
    return found


def formats() -> dict[str, Format]:
    """The shipped formats by their own names, in alphabetical order."""
    return {name: each for name, each in sorted(_by_name().items()) if name == each.name}


def resolve(format: str | Format) -> Format:
    """The format of that name or alias, or the format itself.

    Raises:
        FormatError: there is no such format; the message names the nearest one.
    """
    if isinstance(format, Format):
        return format
    if not isinstance(format, str):
        raise FormatError(f"a format is a name or a Format, not {type(format).__name__}")
    if format in _names():
        shipped: Format = import_module(f"{__name__}.{format}").FORMAT
        return shipped
    by_name = _by_name()
    wanted = format.lower().replace("-", "_")
    found = by_name.get(format) or by_name.get(wanted)
    if found is None:
        raise FormatError(f"there is no format {format!r}{nearest(wanted, sorted(by_name))}")
    return found
