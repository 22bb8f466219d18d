"""On which line of a TOML or JSON text each key stands, for messages about it.

The parsers of the standard library don't tell. This is a light scan of a text that one of them has read without an
error, so it needn't know what is valid; nothing else may be built on it.
"""

from __future__ import annotations

import json
import re
from typing import Union

Path = tuple[Union[str, int], ...]
"""Where a value stands: the keys that lead to it, with numbers for places in lists."""

_TOKEN = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"{3,5}'  # strings of several lines, which may end in quotes of their own
    r"|'''(?:[^']|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\s\"'#\[\]{}=:,.]+"
    r"|[\[\]{}=:,.\n]",
    re.DOTALL,
)


def lines(text: str, *, toml: bool) -> dict[Path, int]:
    """The line, counted from 1, of each key and list element of a valid text."""
    scan = _Scan(text)
    if toml:
        scan.document()
    else:
        scan.value((), ":")
    return scan.found


class _Scan:
    """The tokens of a text, and how far they were read."""

    def __init__(self, text: str) -> None:
        self.found: dict[Path, int] = {}
        self.tokens: list[tuple[str, int]] = []
        self.at = 0
        line, end = 1, 0
        for token in _TOKEN.finditer(text):
            line += text.count("\n", end, token.start())
            end = token.start()
            if not token.group().startswith("#"):
                self.tokens.append((token.group(), line))

    def document(self) -> None:
        """A whole TOML text: tables with headers, and lines that begin with a key."""
        table: Path = ()
        count: dict[Path, int] = {}
        while self.at < len(self.tokens):
            token, line = self.tokens[self.at]
            if token == "\n":
                self.at += 1
            elif token != "[":
                self._pair(table, "=")
            else:
                self.at += 1
                many = self._peek() == "["
                self.at += many
                table = ()
                for key in self._keys("]"):
                    # A header that goes through an array of tables means its latest table.
                    table = (*table, count[table] - 1, key) if table in count else (*table, key)
                    self.found.setdefault(table, line)
                self.at += many
                if many:
                    count[table] = count.get(table, 0) + 1
                    table = (*table, count[table] - 1)
                    self.found[table] = line

    def value(self, path: Path, equals: str) -> None:
        """One value, and what stands in it; ``equals`` is what stands between a key and its value."""
        opening = self._peek(skip=True)
        if opening not in ("{", "["):
            while self.at < len(self.tokens) and self._peek() not in (",", "]", "}", "\n"):
                self.at += 1
            return
        self.at += 1
        place = 0
        while (token := self._peek(skip=True)) not in ("}", "]", ""):
            if token == ",":
                self.at += 1
            elif opening == "{":
                self._pair(path, equals)
            else:
                element: Path = (*path, place)
                self.found[element] = self.tokens[self.at][1]
                self.value(element, equals)
                place += 1
        self.at += 1

    def _pair(self, table: Path, equals: str) -> None:
        line = self.tokens[self.at][1]
        path = table
        for key in self._keys(equals):
            path = (*path, key)
            self.found.setdefault(path, line)
        self.value(path, equals)

    def _keys(self, stop: str) -> list[str]:
        """The keys up to a token, which is passed over."""
        keys = []
        while (token := self._peek(skip=True)) not in (stop, ""):
            if token != ".":
                keys.append(_key(token))
            self.at += 1
        self.at += 1
        return keys

    def _peek(self, *, skip: bool = False) -> str:
        """The next token, after line ends if they are to be skipped; empty at the end."""
        while skip and self.at < len(self.tokens) and self.tokens[self.at][0] == "\n":
            self.at += 1
        return self.tokens[self.at][0] if self.at < len(self.tokens) else ""


def _key(token: str) -> str:
    if token.startswith('"'):
        try:
            return str(json.loads(token))
        except ValueError:  # an escape that only TOML has
            return token
    return token[1:-1] if token.startswith("'") else token
