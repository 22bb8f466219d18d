"""Reads arguments that are written as nested elements, as they stream, and writes JSON.

Every tag has the same text in front of it, the *namespace*, so that a value may hold anything else that looks like a
tag. With ``N`` for the namespace::

    N<to>GrazN</to>N<stops>N<item>LinzN</item>N<item>WelsN</item>N</stops>

An element holds text or other elements. With elements inside it is a list, if the schema says array or if all of them
have the item's name, and an object otherwise. An element without elements is text, typed by its schema (``typing``).
Elements of one name that stand next to each other at the top, or anywhere in the same object, are one list.

What is said when: a parameter that the schema calls a string is said while it is written, and nothing in it is a tag
but its own closer. Any other is converted as a whole once it is over and the next tag shows that it isn't repeated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import Any

from ..log import Log
from .decoder import Look, inside, look, overlap
from .schemas import element, member, types, view
from .typing import Policy, convert, is_string

_LAYOUT = re.compile(r"[ \t\r\n]*")
_GAP = r"[ \t\r\n]{0,32}"
_NAME = r"[^<>/\s][^<>\n]{0,255}"
_DEPTH = 128
"""How many elements may be open at once."""
_TEXT = "$text"
"""The key for text between an object's elements; with more dollar signs where an element has that name."""


class _Element:
    """An element: open while it is on the stack, and never changed after that."""

    __slots__ = ("elements", "name", "parts", "plain", "schema")

    def __init__(self, name: str, schema: Any, plain: bool) -> None:
        self.name = name
        self.schema = schema
        self.plain = plain
        """Whether the schema says string, so that it can't hold elements."""
        self.parts: Log[str | _Element] = Log()
        self.elements = 0
        """How many of the parts are elements."""

    def copy(self) -> _Element:
        new = _Element(self.name, self.schema, self.plain)
        new.parts = self.parts.fork()
        new.elements = self.elements
        return new


class NestedDecoder:
    """The state of reading one call's elements; see :class:`decoder.Arguments`.

    The arguments end before a closing tag that closes none of their elements: the call's own. It isn't read.
    """

    __slots__ = (
        "_closer", "_held", "_item", "_listed", "_names", "_namespace", "_policy", "_root", "_schema", "_stack", "_tag",
        "_tail", "_undecided", "_unfinished", "begun", "done", "malformed", "repeated",
    )  # fmt: skip

    def __init__(self, namespace: str, item: str, schema: Any, root: Mapping[str, Any], policy: Policy) -> None:
        """``namespace``: the text before every tag. ``item``: the name of a list's elements.

        ``schema`` is that of the arguments, an object, or ``None``; ``root`` the schema that references in it point
        into; ``policy`` says what a value is of which the schema says nothing.
        """
        self._namespace = namespace
        self._item = item
        self._schema = schema
        self._root = root
        self._policy = policy
        self._tag = re.compile(f"{re.escape(namespace)}{_GAP}<(/?)({_NAME})>")
        self._unfinished = re.compile(f"{re.escape(namespace)}{_GAP}(?:</?(?:{_NAME})?)?")
        self._closer = re.compile(f"{re.escape(namespace)}{_GAP}</")
        self.done = False
        self.malformed = False
        self.begun = False
        self.repeated = False
        """Whether a name was said twice, because its elements don't stand next to each other or are strings."""
        self._stack: list[_Element] = []
        self._held: _Element | None = None
        """The last element at the top, if it is over but may be the first of a list."""
        self._listed = 0
        """How many items of the list were said to which the held element belongs."""
        self._names: set[str] = set()
        """The names that were said."""
        self._tail = ""
        """The end of what was read inside an element, where it may become a tag."""
        self._undecided = False
        """Whether the last reading stopped before what may become a tag."""

    def copy(self) -> NestedDecoder:
        """An independent decoder in the same state."""
        new = NestedDecoder.__new__(NestedDecoder)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._stack = [each.copy() for each in self._stack]
        new._names = self._names.copy()
        return new

    @property
    def plain(self) -> Look | None:
        """See :attr:`decoder.Arguments.plain`."""
        middle = len(self._stack) == 1 and self._stack[0].plain and not self._tail and not self.malformed
        return look(self._namespace[0]) if middle else None

    def feed(self, text: str, at: int, end: int) -> tuple[str, int]:
        """Read ``text[at:end]``; returns the JSON text that can be said now and where it stopped.

        It stops before the call's closing tag, once where the grammar is broken first, before what may become a tag
        where no element is open, or else at ``end``.
        """
        if self.malformed:
            return "", end
        if self._stack and not self._tail and text.find(self._namespace[0], at, end) < 0:
            return self._text(text[at:end]), end  # the common case: the middle of a value
        moved = 0
        if self._tail and at < end:
            moved = at - len(self._tail)
            text = self._tail + text[at:end]
            at, end = 0, len(text)
            self._tail = ""
        self._undecided = False
        out: list[str] = []
        while at < end and not (self.done or self.malformed or self._undecided):
            at = self._inside(text, at, end, out) if self._stack else self._between(text, at, end, out)
        return "".join(out), at + moved

    def finish(self) -> str:
        """The output is over; returns the JSON text that this makes certain. With no element open it is ``done``."""
        out: list[str] = []
        if self.done or self.malformed:
            return ""
        if self._stack:
            out.append(self._text(self._tail))
            self._tail = ""
        else:
            self._say_held(out)
            if not self._undecided:
                self._end(out)
        return "".join(out)

    # -- tags ----------------------------------------------------------------------------------------------------

    def _between(self, text: str, at: int, end: int, out: list[str]) -> int:
        """Where no element is open: white space, an element's opener, or the call's closer."""
        layout = _LAYOUT.match(text, at, end)
        assert layout is not None
        at = layout.end()
        tag = self._tag.match(text, at, end)
        if self._closer.match(text, at, end):
            self._say_held(out)
            self._end(out)
        elif tag is not None:
            self.begun = True
            self._open(tag.group(2).rstrip(), out)
            return tag.end()
        elif self._unfinished.fullmatch(text, at, end) or overlap(text, at, end, self._namespace) == end - at:
            self._undecided = at < end
        else:
            self.begun = True
            self._say_held(out)
            self.malformed = True
        return at

    def _inside(self, text: str, at: int, end: int, out: list[str]) -> int:
        """In an element: text up to its closer, or the opener of an element in it."""
        top = self._stack[-1]
        start = text.find(self._namespace, at, end)
        while start >= 0:
            tag = self._tag.match(text, start, end)
            if tag is None:
                if self._unfinished.fullmatch(text, start, end):
                    break
            elif not tag.group(1) and not top.plain:
                out.append(self._text(text[at:start]))
                self._open(tag.group(2).rstrip(), out)
                return tag.end()
            elif tag.group(1) and tag.group(2).rstrip() == top.name:
                out.append(self._text(text[at:start]))
                self._close(out)
                return tag.end()
            start = text.find(self._namespace, start + 1, end)
        if start < 0:
            start = end - overlap(text, at, end, self._namespace)
        out.append(self._text(text[at:start]))
        self._tail = text[start:end]
        return end

    def _open(self, name: str, out: list[str]) -> None:
        if len(self._stack) == _DEPTH:
            self.malformed = True
            return
        if self._stack:
            parent = self._stack[-1]
            schema = self._schema_within(parent, name, parent.elements)
            self._stack.append(_Element(name, schema, self._is_plain(schema)))
            return
        schema = member(self._schema, self._root, name)
        plain = self._is_plain(schema)
        held = self._held
        if held is not None and held.name == name:
            self._say_item(held, out)
            self._held = None
        else:
            self._say_held(out)
        self._stack.append(_Element(name, schema, plain))
        if plain:
            out.append(self._key(name) + '"')

    def _text(self, text: str) -> str:
        """A piece of the innermost element's text; returns the JSON text that can be said now."""
        top = self._stack[-1]
        if top.plain and len(self._stack) == 1:
            return inside(text)
        if text:
            top.parts.own.append(text)
        return ""

    def _close(self, out: list[str]) -> None:
        over = self._stack.pop()
        if self._stack:
            self._stack[-1].parts.own.append(over)
            self._stack[-1].elements += 1
        elif over.plain:
            out.append('"')
        else:
            self._held = over

    # -- parameters ----------------------------------------------------------------------------------------------

    def _key(self, name: str) -> str:
        """The JSON text before a parameter's value."""
        before = ", " if self._names else "{"
        self.repeated = self.repeated or name in self._names
        self._names.add(name)
        return f"{before}{encode_basestring(name)}: "

    def _say_item(self, held: _Element, out: list[str]) -> None:
        """The held element is one of a list."""
        out.append(", " if self._listed else self._key(held.name) + "[")
        self._write(held, self._schema_of_repeated(held.schema, self._listed), out)
        self._listed += 1

    def _say_held(self, out: list[str]) -> None:
        """The held element isn't repeated, or no more."""
        held, self._held = self._held, None
        if held is None:
            return
        if self._listed:
            self._say_item(held, out)
            out.append("]")
            self._listed = 0
        else:
            out.append(self._key(held.name))
            self._write(held, held.schema, out)

    def _end(self, out: list[str]) -> None:
        out.append("}" if self._names else "{}")
        self.done = True

    # -- schemas -------------------------------------------------------------------------------------------------

    def _is_plain(self, schema: Any) -> bool:
        """Whether it can be said while it is written: the schema itself says string, not only its absence."""
        return view(schema, self._root, "json").is_string and is_string(schema, self._root, self._policy)

    def _schema_within(self, parent: _Element, name: str, index: int) -> Any:
        """The schema of an element in another one, of which it may not be known yet whether it is a list."""
        allowed = types(parent.schema, self._root)
        array = "array" in allowed
        if array and ("object" not in allowed or name == self._item):
            return element(parent.schema, self._root, index)
        return member(parent.schema, self._root, name)

    def _schema_of_repeated(self, schema: Any, index: int) -> Any:
        """The schema of one of several elements of the same name, where ``schema`` is that of the name."""
        return element(schema, self._root, index) if "array" in types(schema, self._root) else schema

    def _is_list(self, schema: Any, elements: list[_Element]) -> bool:
        allowed = types(schema, self._root)
        if ("array" in allowed) != ("object" in allowed):
            return "array" in allowed
        return all(each.name == self._item for each in elements)

    # -- writing -------------------------------------------------------------------------------------------------

    def _write(self, over: _Element, schema: Any, out: list[str]) -> None:
        """Write an element's JSON text."""
        if not over.elements:
            out.append(self._leaf("".join(part for part in over.parts if isinstance(part, str)), schema))
            return
        elements = [part for part in over.parts if isinstance(part, _Element)]
        words = _words(over.parts)
        if words or not self._is_list(schema, elements):
            self._write_object(elements, words, schema, out)
        else:
            out.append("[")
            for index, each in enumerate(elements):
                out.append(", " if index else "")
                self._write(each, element(schema, self._root, index), out)
            out.append("]")

    def _write_object(self, elements: list[_Element], words: str, schema: Any, out: list[str]) -> None:
        named: dict[str, list[_Element]] = {}
        for each in elements:
            named.setdefault(each.name, []).append(each)
        before = "{"
        for name, values in named.items():
            out.append(f"{before}{encode_basestring(name)}: ")
            before = ", "
            within = member(schema, self._root, name)
            if len(values) == 1:
                self._write(values[0], within, out)
                continue
            for index, each in enumerate(values):
                out.append(", " if index else "[")
                self._write(each, self._schema_of_repeated(within, index), out)
            out.append("]")
        if words:
            key = _TEXT
            while key in named:
                key = "$" + key
            out.append(f"{before}{encode_basestring(key)}: {encode_basestring(words)}")
        out.append("}")

    def _leaf(self, raw: str, schema: Any) -> str:
        allowed = types(schema, self._root)
        if not raw.strip() and allowed & {"array", "object"} and "string" not in allowed:
            return "[]" if "array" in allowed else "{}"
        return convert(raw, schema, self._root, self._policy)


def _words(parts: Log[str | _Element]) -> str:
    """The text between elements, without the white space and the line ends that only lay them out."""
    words: list[str] = []
    run: list[str] = []
    for part in [*parts, None]:
        if isinstance(part, str):
            run.append(part)
            continue
        text = "".join(run).strip("\r\n")
        run = []
        if text.strip():
            words.append(text)
    return "".join(words)
