"""Which formats there are: the shipped ones, those of installed packages, and what each is called.

What lives here: finding formats and resolving names and aliases. What doesn't: the formats themselves, which are data
(``formats``, one file each; a new file there needs nothing else), and reading a format from a file (``load``).

A package brings formats of its own with entry points in the group ``unbraid.formats``, each of which loads to a
:class:`~unbraid.format.Format` or a tuple of them::

    [project.entry-points."unbraid.formats"]
    mine = "mine.formats:FORMAT"

They are looked for the first time that a name isn't a shipped one, or that all formats are listed. One that can't be
loaded is warned of and costs nothing else; a shipped name always means the shipped format.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

# Imported here and not by need: a submodule's first import binds its name in the package, where ``formats`` is to be
# the function.
from . import formats as _folder
from .format import Format, FormatError, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "unbraid.formats"
"""The group of entry points in which packages name their formats."""


class FormatWarning(UserWarning):
    """A format of an installed package, or one of its names, isn't used. The message says whose it is and why."""


class Origin(NamedTuple):
    """Where a listed format comes from."""

    module: str
    """The module that holds it, e.g. ``"unbraid.formats.qwen3"``. Its docstring says what the format is."""
    distribution: str | None
    """The installed package with its version, e.g. ``"unbraid-mine 1.0"``; ``None`` for a shipped format."""


class _Installed(NamedTuple):
    """What installed packages bring."""

    by_name: dict[str, Format]
    """The formats by their names and aliases, without those that are taken."""
    origins: dict[str, Origin]
    """By a format's own name."""
    broken: dict[str, str]
    """By an entry point's name: why there is no format behind it."""


def formats() -> dict[str, Format]:
    """The shipped formats and those of installed packages by their own names, in alphabetical order."""
    every = {**_installed().by_name, **_shipped()}
    return {name: each for name, each in sorted(every.items()) if name == each.name}


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
        shipped: Format = import_module(f"{_folder.__name__}.{format}").FORMAT
        return shipped
    wanted = format.lower().replace("-", "_")
    found = _shipped().get(format) or _shipped().get(wanted)
    if found is not None:
        return found
    installed = _installed()
    found = installed.by_name.get(format) or installed.by_name.get(wanted)
    if found is not None:
        return found
    if format in installed.broken:
        raise FormatError(installed.broken[format])
    raise FormatError(f"there is no format {format!r}{nearest(wanted, sorted({**_shipped(), **installed.by_name}))}")


def origin(format: Format) -> Origin | None:
    """Where a listed format comes from; ``None`` for one that isn't listed."""
    if _shipped().get(format.name) is format:
        return Origin(f"{_folder.__name__}.{format.name}", None)
    installed = _installed()
    return installed.origins[format.name] if installed.by_name.get(format.name) is format else None


@lru_cache(maxsize=1)
def _names() -> tuple[str, ...]:
    """The names of the shipped formats, which are those of their files."""
    return tuple(sorted(file.stem for folder in _folder.__path__ for file in Path(folder).glob("[a-z]*.py")))


@lru_cache(maxsize=1)
def _shipped() -> dict[str, Format]:
    """Every name and alias of the shipped formats. Read once: shipped formats don't change while a process runs."""
    found: dict[str, Format] = {}
    for name in _names():
        each: Format = import_module(f"{_folder.__name__}.{name}").FORMAT
        for called in (each.name, *each.aliases):
            if called in found:
                raise FormatError(f"two formats are called {called!r}: {found[called].name} and {each.name}")
            found[called] = each
    return found


@lru_cache(maxsize=1)
def _installed() -> _Installed:
    """What installed packages bring. Read once, so that each warning is given once."""
    from importlib.metadata import entry_points  # slow to import, and most programs never need it

    found = _Installed({}, {}, {})
    try:
        points = sorted(entry_points(group=GROUP), key=lambda point: (_distribution(point), point.name))
    except Exception as error:  # the metadata of any installed package may be damaged
        _warn(f"formats of installed packages can't be looked up: {_told(error)}")
        return found
    for point in points:
        _add(point, found)
    return found


def _add(point: EntryPoint, found: _Installed) -> None:
    """Take in the formats of one entry point, whatever it does."""
    whose = _distribution(point)
    try:
        loaded = point.load()
    except Exception as error:  # it is somebody else's code: anything may go wrong in it
        found.broken[point.name] = f"the format {point.name!r} of {whose} can't be loaded: {_told(error)}"
        _warn(f"{found.broken[point.name]}; the other formats work")
        return
    every = loaded if isinstance(loaded, (tuple, list)) else (loaded,)
    for each in every:
        if not isinstance(each, Format):
            kind = type(each).__name__
            found.broken[point.name] = (
                f"the entry point {point.name!r} of {whose} must load to a Format or a tuple of them, not {kind}"
            )
            _warn(found.broken[point.name])
            continue
        taken = _taken(each.name, found)
        if taken:
            _warn(f"the format {each.name!r} of {whose} isn't used: {taken} has that name; rename it")
            continue
        found.by_name[each.name] = each
        found.origins[each.name] = Origin(point.value.split(":")[0].strip(), whose)
        for alias in each.aliases:
            taken = _taken(alias, found)
            if taken:
                _warn(f"the alias {alias!r} of {each.name!r} ({whose}) isn't used: {taken} has that name")
            else:
                found.by_name[alias] = each


def _taken(name: str, found: _Installed) -> str:
    """Whose format has a name already; empty if nobody's."""
    if name in _shipped():
        return f"the shipped format {_shipped()[name].name!r}"
    if name in found.by_name:
        other = found.by_name[name].name
        return f"the format {other!r} of {found.origins[other].distribution}"
    return ""


def _distribution(point: EntryPoint) -> str:
    dist = point.dist
    return f"{dist.name} {dist.version}" if dist is not None else "an unnamed package"


def _told(error: Exception) -> str:
    """An error in one line."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _warn(sentence: str) -> None:
    warnings.warn(f"{sentence}.", FormatWarning, stacklevel=5)
