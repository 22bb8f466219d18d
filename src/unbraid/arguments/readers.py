"""Readers: raw text as a value of one type, as JSON text, or ``None`` where it isn't one.

A reader knows one spelling and no schema. JSON comes through as it was written, without the white space around it.
Which readers are asked, and in which order, is said in ``typing`` and ``policies``.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any, Union

Reader = Callable[[str], Union[str, None]]

_JSON_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INTEGER = re.compile(r"[+-]?[0-9]+(?:\.0+)?")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WORDS = {"True": "true", "False": "false", "None": "null"}
"""Python's spellings and JSON's."""


def text(raw: str) -> str:
    """Any text, verbatim, as a string."""
    return encode_basestring(raw)


# -- as a template writes values: JSON, and Python's words ---------------------------------------------------------


def null(raw: str) -> str | None:
    """``null`` or ``None``."""
    return "null" if raw.strip() in ("null", "None") else None


def integer(raw: str) -> str | None:
    """JSON's integers."""
    word = raw.strip()
    return word if _JSON_INTEGER.fullmatch(word) else None


def number(raw: str) -> str | None:
    """JSON's numbers."""
    word = raw.strip()
    return word if _JSON_NUMBER.fullmatch(word) else None


def boolean(raw: str) -> str | None:
    """``true`` and ``false``, ``True`` and ``False``."""
    word = raw.strip()
    return _WORDS.get(word, word) if word in ("true", "false", "True", "False") else None


def mapping(raw: str) -> str | None:
    """A JSON object."""
    return _container(raw, "{")


def sequence(raw: str) -> str | None:
    """A JSON array."""
    return _container(raw, "[")


def anything(raw: str) -> str | None:
    """JSON of any type, or one of Python's words."""
    word = raw.strip()
    return word if _is_json(word) else _WORDS.get(word)


# -- what else can only have been meant so -------------------------------------------------------------------------


def loose_null(raw: str) -> str | None:
    """``null``, ``none`` or ``nil`` in any case, or nothing."""
    return "null" if raw.strip().lower() in ("null", "none", "nil", "") else None


def loose_integer(raw: str) -> str | None:
    """Digits with a plus sign, zeros in front or a fraction of zeros."""
    word = raw.strip()
    if not _INTEGER.fullmatch(word):
        return None
    digits = word.lstrip("+-").split(".")[0].lstrip("0")
    return ("-" if word.startswith("-") else "") + digits if digits else "0"


def loose_number(raw: str) -> str | None:
    """A number as Python writes it, finite."""
    word = raw.strip()
    if not _NUMBER.fullmatch(word):
        return None
    return loose_integer(word) or dump(float(word))


def loose_boolean(raw: str) -> str | None:
    """``true`` and ``false`` in any case, ``1`` and ``0``."""
    return {"true": "true", "false": "false", "1": "true", "0": "false"}.get(raw.strip().lower())


def python_mapping(raw: str) -> str | None:
    """A dictionary as Python writes it."""
    value = python_value(raw, ("{",))
    return dump(value) if isinstance(value, dict) else None


def python_sequence(raw: str) -> str | None:
    """A list or tuple as Python writes it."""
    value = python_value(raw, ("[", "("))
    return dump(value) if isinstance(value, (list, tuple)) else None


# -- what they are made of -----------------------------------------------------------------------------------------


def python_value(raw: str, begins: tuple[str, ...] = ("",)) -> Any:
    """The value of a Python literal that begins so; ``None`` where it is none."""
    word = raw.strip()
    if not word.startswith(begins):
        return None
    try:
        if "\\" not in word:
            return ast.literal_eval(word)
        with warnings.catch_warnings():  # an escape that Python doesn't know is a warning
            warnings.simplefilter("ignore")
            return ast.literal_eval(word)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _container(raw: str, begin: str) -> str | None:
    word = raw.strip()
    return word if word.startswith(begin) and _is_json(word) else None


def _is_json(word: str) -> bool:
    """Whether a text is JSON as everybody reads it: without NaN and Infinity, numbers of any length."""
    try:
        json.loads(word, parse_constant=_refuse, parse_int=len, parse_float=len)
    except (ValueError, RecursionError):
        return False
    return True


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def dump(value: Any) -> str | None:
    """The JSON text of a Python value; ``None`` if it has none."""
    try:
        written = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (ValueError, TypeError, RecursionError):
        return None
    if any("\ud800" <= character <= "\udfff" for character in written):
        return json.dumps(value, allow_nan=False)
    return written
