"""Formats from TOML and JSON files: the tables of a file mirror the dataclasses of ``format``, key for key.

What lives here: reading a file, building the dataclasses from it, and saying on which line something is wrong. What
doesn't: the vocabulary. The fields and types of the dataclasses say what may stand in a file, so whatever a ``Format``
can say, a file can say too. ``docs/examples/mine.toml`` shows one.

* A table is a dataclass, a list a tuple, a string one of a ``Literal``'s values or a marker.
* Where one of several dataclasses may stand, the key ``codec`` names it in lower snake case (``codec = "json_call"``).
  One that needs no more than its name may be that name alone: ``arguments = "json"``.
* A key that is left out has its default.
"""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from .format import Format, FormatError, nearest
from .lines import Path as Where
from .lines import lines

CODEC = "codec"
"""The key that says which of several dataclasses a table is."""
ENDINGS = (".toml", ".json")
"""How the names of files that describe a format end."""
_KINDS = {str: "a string", bool: "true or false", int: "a whole number", float: "a number"}


class _Wrong(Exception):
    """What is wrong, and where in the data."""

    def __init__(self, where: Where, sentence: str) -> None:
        super().__init__(sentence)
        self.where = where


def is_file(name: str) -> bool:
    """Whether a person who gives this for a format means a file: it ends in ``.toml`` or ``.json``, or is a path."""
    return name.endswith(ENDINGS) or "/" in name or os.sep in name


def load(path: str | os.PathLike[str]) -> Format:
    """The format that a TOML or JSON file describes.

    Args:
        path: the file; its name ends in ``.toml`` or ``.json``.

    Raises:
        FormatError: the file doesn't describe a format that works; the message says on which line, and what to do.
        OSError: the file can't be read.
    """
    try:
        return loads(Path(path).read_text("utf-8-sig"), os.fspath(path))
    except UnicodeDecodeError as error:
        raise FormatError(f"{os.fspath(path)} is not UTF-8 text: {error.reason} at byte {error.start}") from None


def loads(text: str, name: str) -> Format:
    """The format that a text describes.

    Args:
        text: TOML or JSON.
        name: what the text is called in messages, as a rule its file's name; its ending says which of the two it is.

    Raises:
        FormatError: as for :func:`load`.
    """
    if not name.endswith(ENDINGS):
        raise FormatError(f"{name} must end in .toml or .json to be read as a format")
    toml = name.endswith(".toml")
    text = text.removeprefix("\ufeff")
    data = _toml(text, name) if toml else _json(text, name)
    try:
        read: Format = _table(Format, data, ())
    except _Wrong as wrong:
        line = _line(text, wrong.where, toml=toml)
        raise FormatError(f"{name}, line {line}: {wrong}") from None
    except FormatError as error:
        said = str(error).removeprefix(f"{data.get('name')}: ")
        line = _line(text, _concerned(said, data), toml=toml)
        raise FormatError(f"{name}, line {line}: {said}") from None
    return read


# -- text to data ------------------------------------------------------------------------------------------------------


def _toml(text: str, name: str) -> dict[str, Any]:
    reader = _toml_reader()
    if reader is None:
        raise FormatError(
            f'{name} can\'t be read: TOML needs Python 3.11 or the package tomli; run pip install "unbraid[toml]", '
            "or write the format as JSON"
        )
    try:
        data: dict[str, Any] = reader.loads(text)
    except reader.TOMLDecodeError as error:
        said = re.fullmatch(r"(.*?) \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        line = (said and said[2]) or text.count("\n") + 1
        raise FormatError(f"{name}, line {line}: this is not valid TOML: {said[1] if said else error}") from None
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply") from None
    return data


def _toml_reader() -> Any:
    """The module that reads TOML: the standard library's from Python 3.11 on, else tomli; ``None`` without either."""
    try:
        return import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    except ImportError:
        return None


def _json(text: str, name: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{name}, line {error.lineno}: this is not valid JSON: {error.msg}") from None
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply") from None
    if not isinstance(data, dict):
        raise FormatError(f"{name}, line 1: a format is a JSON object, not {_kind(data)}")
    return data


# -- data to dataclasses -----------------------------------------------------------------------------------------------


def _value(hint: Any, value: Any, where: Where) -> Any:
    """A value as the type hint of its field wants it."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    classes = tuple(kind for kind in kinds if is_dataclass(kind))
    if classes and isinstance(value, dict):
        return _table(*_choose(classes, value, where), where)
    if len(classes) > 1 and isinstance(value, str) and str not in kinds:
        return _table(_named(classes, value, where), {}, where)
    for kind in kinds:
        if get_origin(kind) is tuple and isinstance(value, list):
            return _tuple(get_args(kind), value, where)
        if kind is Any or (kind in (str, bool, int, float, NoneType) and type(value) is kind):
            return value
    options = [option for kind in kinds if get_origin(kind) is Literal for option in get_args(kind)]
    if value in options:
        return value
    if options and isinstance(value, str):
        raise _Wrong(where, f"{_shown(where)} can't be {value!r}{nearest(value, options)}")
    raise _Wrong(where, f"{_shown(where)} takes {_wanted(hint)}, not {_kind(value)}")


def _table(cls: Any, table: dict[str, Any], where: Where) -> Any:
    """A dataclass from a table whose keys are its fields."""
    known = _fields(cls)
    for key in table:
        if key not in known:
            raise _Wrong((*where, key), f"{_shown(where)} has no key {key!r}{nearest(key, list(known))}")
    given: dict[str, Any] = {}
    for key, (field, hint) in known.items():
        if key in table:
            given[key] = _value(hint, table[key], (*where, key))
        elif field.default is MISSING and field.default_factory is MISSING:
            if NoneType not in get_args(hint):
                raise _Wrong(where, f"{_shown(where)} needs the key {key!r}")
            given[key] = None  # neither TOML nor a tidy JSON file can say it
    return cls(**given)


def _tuple(kinds: tuple[Any, ...], value: list[Any], where: Where) -> tuple[Any, ...]:
    if kinds[1:] == (...,):
        kinds = (kinds[0],) * len(value)
    if len(kinds) != len(value):
        raise _Wrong(where, f"{_shown(where)} takes a list of {len(kinds)}, not of {len(value)}")
    return tuple(_value(kind, each, (*where, at)) for at, (kind, each) in enumerate(zip(kinds, value, strict=True)))


def _choose(classes: tuple[Any, ...], table: dict[str, Any], where: Where) -> tuple[Any, dict[str, Any]]:
    """Which of the dataclasses a table is, and the table without the key that says so."""
    if len(classes) == 1:
        return classes[0], table
    if CODEC not in table:
        names = ", ".join(codec_name(each) for each in classes)
        raise _Wrong(where, f"{_shown(where)} needs the key {CODEC!r}, which is one of {names}")
    if not isinstance(table[CODEC], str):
        raise _Wrong((*where, CODEC), f"{_shown((*where, CODEC))} takes a string, not {_kind(table[CODEC])}")
    rest = {key: value for key, value in table.items() if key != CODEC}
    return _named(classes, table[CODEC], (*where, CODEC)), rest


def _named(classes: tuple[Any, ...], name: str, where: Where) -> Any:
    names = {codec_name(each): each for each in classes}
    if name not in names:
        raise _Wrong(where, f"{_shown(where)} can't be {name!r}{nearest(name, list(names))}")
    return names[name]


@cache
def _fields(cls: Any) -> dict[str, tuple[Field[Any], Any]]:
    """The fields that a table may give, with their types."""
    hints = get_type_hints(cls)
    return {field.name: (field, hints[field.name]) for field in fields(cls) if field.init}


def codec_name(cls: Any) -> str:
    """What a dataclass is called in a file, where one of several may stand: ``"json_call"`` for ``JsonCall``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


# -- what messages say -------------------------------------------------------------------------------------------------


def _shown(where: Where) -> str:
    """A place in the data as people write it: ``tools.call.open``, ``turns.ends[1]``."""
    if not where:
        return "a format"
    return "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in where).removeprefix(".")


def _wanted(hint: Any) -> str:
    """What a type hint takes, in words."""
    kinds = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    words: dict[str, None] = {}
    for kind in kinds:
        if is_dataclass(kind):
            words["a table"] = None
        elif get_origin(kind) is tuple:
            item = get_args(kind)[0]
            words["a list of strings" if item is str else f"a list (each {_wanted(item)})"] = None
        elif get_origin(kind) is Literal:
            words[f"one of {', '.join(map(repr, get_args(kind)))}"] = None
        elif kind in _KINDS:
            words[_KINDS[kind]] = None
    return " or ".join(words)


def _kind(value: Any) -> str:
    """What a value is, in words."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return {str: "a string", int: "a number", float: "a number", list: "a list", dict: "a table"}.get(
        type(value), f"a {type(value).__name__}"
    )


# -- which line --------------------------------------------------------------------------------------------------------


def _line(text: str, where: Where, *, toml: bool) -> int:
    """The line of a place in the data, or of the nearest thing around it."""
    found = lines(text, toml=toml)
    while where and where not in found:
        where = where[:-1]
    return found.get(where, 1)


def _concerned(said: str, data: dict[str, Any]) -> Where:
    """Which part of the data an error is about that came up when all of it was put together.

    Such a message quotes the literal, or names the field as ``tools.call.open`` or the part as ``'reasoning close'``.
    """
    places = _places(data, ())
    quoted = [where for where, value in places.items() if isinstance(value, str) and value and repr(value) in said]
    if quoted:
        return max(quoted, key=len)
    fields = [dotted.split(".") for dotted in re.findall(r"[a-z_]+(?:\.[a-z_]+)+", said)]
    parts = [label.split() for label in re.findall(r"'([a-z]+ [a-z ]+)'", said)]
    # What is missing isn't in the data, but what it is missing from may be.
    around = [names[:size] for names in fields for size in range(len(names) - 1, 0, -1)]
    words = [[word] for word in re.findall(r"[a-z_]+", said) if word != "name"]
    for names in (*fields, *parts, *around, *words):
        for where in places:
            if names == _names(where, places)[-len(names) :]:
                return where
    return ("name",)


def _names(where: Where, places: dict[Where, Any]) -> list[str]:
    """The keys that lead to a place, those of codecs called after them: ``tools``, ``call``, ``params``, ``open``."""
    names = []
    for end, key in enumerate(where, 1):
        if isinstance(key, str):
            table = places[where[:end]]
            codec = table.get(CODEC) if isinstance(table, dict) else None
            names.append(codec if isinstance(codec, str) else key)
    return names


def _places(value: Any, where: Where) -> dict[Where, Any]:
    """Every value of the data by its place, outer ones first."""
    found: dict[Where, Any] = {where: value} if where else {}
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        found.update(_places(each, (*where, key)))
    return found
