"""A format as the text of a TOML file, the counterpart of ``load``.

What lives here: writing. What may stand in a file, and under which key, is said by the dataclasses of ``format``, as
it is for reading: whatever a ``Format`` can say is written, and what has its default is left out. The law is that
``loads(dumps(format), "x.toml")`` has the same fields as ``format``.
"""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_args

from .format import Codec, Format
from .load import CODEC, codec_name

_WIDTH = 110
"""A list that is longer than this is written one element a line."""
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
"""What TOML doesn't take in a comment."""
_LONG = 60
"""A text of several lines that is longer than this is written as such, a shorter one with escapes."""
_CODECS = get_args(Codec)


def dumps(format: Format, *, comment: str = "") -> str:
    """The format as TOML that :func:`unbraid.load` reads.

    Args:
        format: any format.
        comment: what to say at the top; each of its lines becomes a comment.
    """
    head = [f"# {_CONTROL.sub('?', line)}".rstrip() for line in comment.splitlines()]
    body = "\n".join(_table(format, ())).strip("\n")
    return "\n".join([*head, *([""] if head else []), body, ""])


def _table(value: Any, where: tuple[str, ...]) -> list[str]:
    """The lines of one table: its plain keys first, as TOML wants it, then the tables in it."""
    plain: list[str] = [f"{CODEC} = {_string(codec_name(type(value)))}"] if isinstance(value, _CODECS) else []
    inner: list[str] = []
    for name, each in _told(value):
        path = (*where, name)
        if _is_table(each):
            if isinstance(each, _CODECS) and not _told(each):
                plain.append(f"{name} = {_string(codec_name(type(each)))}")
            else:
                inner += ["", f"[{'.'.join(path)}]", *_table(each, path)]
        elif isinstance(each, tuple) and each and all(map(_is_table, each)):
            for one in each:
                inner += ["", f"[[{'.'.join(path)}]]", *_table(one, path)]
        else:
            plain.append(f"{name} = {_value(each)}")
    return [*plain, *inner]


def _told(value: Any) -> list[tuple[str, Any]]:
    """The fields of a dataclass that have to be written: those that haven't their default."""
    found = []
    for field in fields(value):
        held = getattr(value, field.name)
        # ``None`` can't be written and needn't be: what is left out without a default is None.
        if field.init and held is not None and (field.default is MISSING or held != field.default):
            found.append((field.name, held))
    return found


def _is_table(value: Any) -> bool:
    return is_dataclass(value) and not isinstance(value, type)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        items = [_value(each) for each in value]
        line = f"[{', '.join(items)}]"
        return line if len(line) <= _WIDTH else "[\n" + "".join(f"    {item},\n" for item in items) + "]"
    return _text(value) if "\n" in value and len(value) > _LONG else _string(value)


def _string(value: str) -> str:
    """A string in one line; between single quotes, which take all as it is, where that spares escapes."""
    escaped = _escaped(value)
    if escaped == value and '"' in value and "'" not in value:
        return f"'{value}'"
    return '"' + escaped.replace('"', '\\"') + '"'


def _text(value: str) -> str:
    """A string of several lines, as people would write it."""
    text = "\n".join(_escaped(line) for line in value.split("\n")).replace('"""', '""\\"')
    return '"""\n' + (text[:-1] + '\\"' if text.endswith('"') else text) + '"""'


def _escaped(value: str) -> str:
    """A string with all but its double quotes escaped. JSON's escapes are TOML's too, which wants DEL escaped."""
    written = '"'.join(json.dumps(part, ensure_ascii=False)[1:-1] for part in value.split('"'))
    return written.replace("\x7f", "\\u007f")
