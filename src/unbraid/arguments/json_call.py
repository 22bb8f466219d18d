"""Reads a JSON object that holds a call's name and its arguments, in either order, as it streams.

The arguments pass through byte for byte (or, when they are written as a JSON string, decoded). What comes before the
name is kept until the name is known. The decoder talks to a ``Sink``; it knows no markers and makes no events.
"""

from __future__ import annotations

from typing import Protocol

from ..format import JsonCall
from ..log import Log
from .scan import JsonScanner, StringDecoder

_SPACE = " \t\n\r"


class Sink(Protocol):
    """Who is told what was read. Offsets are places in the text of the running ``feed``."""

    def call_named(self, name: str, id: str | None, at: int) -> bool:
        """A call's name is known. ``False``: this isn't to be a call; the decoder stops."""

    def call_arguments(self, json: str) -> None:
        """A fragment of the arguments' JSON text."""

    def call_over(self, at: int) -> None:
        """One object of an array is over; more may come."""

    def mark(self, kind: str, end: int) -> None:
        """The characters up to ``end`` are of this kind: ``markup``, ``tool_name`` or ``argument``."""


class JsonCallDecoder:
    """The state of reading one body: one call object, or an array of them.

    ``done``: the body is over. ``broken``: it isn't such a body; if ``named``, a call has begun nevertheless.
    """

    __slots__ = (
        "_arguments",
        "_arguments_over",
        "_before",
        "_broken_json",
        "_codec",
        "_decoder",
        "_id",
        "_in_array",
        "_key",
        "_name",
        "_read",
        "_said",
        "_scanner",
        "_step",
        "broken",
        "done",
        "named",
    )  # fmt: skip

    def __init__(self, codec: JsonCall) -> None:
        self._codec = codec
        self.done = False
        self.broken = False
        self._broken_json = False
        self.named = False
        """Whether the object that is being read has its name."""
        self._step = "body"
        self._in_array = False
        self._scanner: JsonScanner | None = None
        self._decoder: StringDecoder | None = None
        self._reset()

    def _reset(self) -> None:
        self.named = False
        self._key = ""
        self._name: str | None = None
        self._id: str | None = None
        self._read: Log[str] = Log()
        self._before: Log[str] = Log()
        self._arguments = False
        self._arguments_over = False
        self._said = False

    def copy(self) -> JsonCallDecoder:
        """An independent decoder in the same state."""
        new = JsonCallDecoder.__new__(JsonCallDecoder)
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._read = self._read.fork()
        new._before = self._before.fork()
        new._scanner = self._scanner and self._scanner.copy()
        new._decoder = self._decoder and self._decoder.copy()
        return new

    @property
    def scanner(self) -> JsonScanner | None:
        """What walks the arguments, while they pass through; a caller may feed it in the decoder's place."""
        return self._scanner if self._step == "arguments" and self.named else None

    @property
    def malformed(self) -> bool:
        """Whether the arguments have broken JSON's grammar."""
        walking = self._step == "arguments" and self._scanner is not None
        return self._broken_json or (walking and self._scanner is not None and self._scanner.malformed)

    @property
    def arguments_over(self) -> bool:
        """Whether the arguments of the object being read are complete."""
        walked = self._step == "arguments" and self._scanner is not None and self._scanner.done
        return self.named and (self._arguments_over or walked or self._step == "after item")

    @property
    def waiting(self) -> str:
        """Arguments that came before the name and wait for it."""
        return "" if self.named else "".join(self._before)

    def feed(self, text: str, at: int, end: int, sink: Sink) -> int:
        """Read ``text[at:end]``; returns where it stopped: at the end of the body, where it broke, or at ``end``."""
        malformed = self.malformed
        while at < end and not self.done and not self.broken:
            step = self._step
            if step in ("key string", "name"):
                at = self._read_string(text, at, end, sink)
            elif step in ("arguments", "argument string", "skip"):
                at = self._read_value(text, at, end, sink)
            elif text[at] in _SPACE:
                at += 1
            else:
                at = self._structure(text[at], at, sink)
            if self.malformed and not malformed:
                break
        if not self._step.startswith("argument"):
            sink.mark("markup", at)
        return at

    # -- between values ------------------------------------------------------------------------------------------

    def _structure(self, mark: str, at: int, sink: Sink) -> int:
        step = self._step
        if step == "body" and mark == "[" and self._codec.array != "never":
            self._in_array = True
            self._step = "first item"
        elif mark == "{" and (step in ("first item", "item") or (step == "body" and self._codec.array != "always")):
            self._reset()
            self._step = "first key"
        elif step in ("first key", "key") and mark == '"' and not (self._codec.keyed and self._name):
            self._begin_string("key string")
            if self._codec.keyed:
                sink.mark("markup", at + 1)
        elif step == "colon" and mark == ":":
            self._step = "value"
        elif step == "value":
            return self._begin_value(mark, at, sink)
        elif step == "after value" and mark == ",":
            self._step = "key"
        elif step in ("after value", "first key") and mark == "}":
            return self._object_over(at, sink)
        elif step == "after item" and mark == ",":
            self._step = "item"
        elif step in ("after item", "first item") and mark == "]":
            self.done = True
        else:
            self.broken = True
            return at
        return at + 1

    def _begin_string(self, step: str) -> None:
        self._decoder = StringDecoder()
        self._read = Log()
        self._step = step

    def _begin_value(self, mark: str, at: int, sink: Sink) -> int:
        codec = self._codec
        if self._key in codec.name and mark == '"' and self._name is None:
            self._begin_string("name")
            sink.mark("markup", at + 1)
            return at + 1
        if self._key in codec.id and mark == '"':
            self._begin_string("name")
            return at + 1
        if (self._key in codec.arguments or codec.keyed) and not self._arguments:
            self._arguments = True
            sink.mark("markup", at + (mark == '"'))
            if mark == '"':
                self._decoder = StringDecoder()
                self._step = "argument string"
                self._announce(at, sink)
                return at + 1
            self._scanner = JsonScanner()
            self._step = "arguments"
            self._announce(at, sink)
            if mark != "{":
                self._broken_json = mark != "n"
                if mark == "n":
                    self._arguments = False
                    self._step = "skip"
            return at
        self._scanner = JsonScanner()
        self._step = "skip"
        return at

    def _announce(self, at: int, sink: Sink) -> None:
        """Say the call's name, once everything that must go with it is known."""
        if self._name is None or self._said:
            return
        self._said = True
        if not sink.call_named(self._name, self._id, at):
            self.broken = True
            return
        self.named = True
        for fragment in self._before:
            sink.call_arguments(fragment)
        self._before = Log()

    # -- inside strings and values -------------------------------------------------------------------------------

    def _read_string(self, text: str, at: int, end: int, sink: Sink) -> int:
        decoder = self._decoder
        assert decoder is not None
        piece, stop = decoder.feed(text, at, end)
        self._read.own.append(piece)
        keyed = self._codec.keyed and self._step == "key string"
        naming = keyed or (self._step == "name" and self._key in self._codec.name)
        inside = stop - 1 if decoder.done else stop
        if naming and inside > at:
            sink.mark("tool_name", inside)
        if not decoder.done:
            return stop
        read = "".join(self._read)
        self._read = Log()
        if self._step == "key string":
            self._key = read
            self._step = "colon"
            if keyed:
                self._name = read
                self.broken = not read
            known = (*self._codec.name, *self._codec.id, *self._codec.arguments, *(self._codec.others or ()))
            if self._codec.others is not None and read not in known:
                self.broken = not self.named
            return stop
        self._step = "after value"
        if naming:
            self._name = read
            if not read:
                self.broken = True
                return stop
        else:
            self._id = read
        if self._name is not None and (self._id is not None or not self._codec.id):
            self._announce(stop, sink)
        return stop

    def _read_value(self, text: str, at: int, end: int, sink: Sink) -> int:
        if self._step == "argument string":
            decoder = self._decoder
            assert decoder is not None
            piece, stop = decoder.feed(text, at, end)
            self._broken_json = self._broken_json or decoder.malformed
            self._pass(piece, sink)
            sink.mark("argument", stop - decoder.done)
            sink.mark("markup", stop)
            if decoder.done:
                self._arguments_over = True
                self._step = "after value"
            return stop
        scanner = self._scanner
        assert scanner is not None
        stop = scanner.scan(text, at, end)
        if self._step == "arguments":
            self._broken_json = self._broken_json or scanner.malformed
            self._pass(text[at:stop], sink)
            sink.mark("argument", stop)
        elif scanner.malformed and not self.named:
            self.broken = True
        if scanner.done:
            self._arguments_over = self._arguments_over or self._step == "arguments"
            self._step = "after value"
        return stop

    def _pass(self, fragment: str, sink: Sink) -> None:
        if not fragment:
            return
        if self.named:
            sink.call_arguments(fragment)
        else:
            self._before.own.append(fragment)

    def _object_over(self, at: int, sink: Sink) -> int:
        self._announce(at, sink)
        if not self.named:
            self.broken = True
            return at + 1
        if not self._arguments:
            sink.call_arguments("{}")
            self._arguments = True
        if self._in_array:
            sink.mark("markup", at + 1)
            self._step = "after item"
            sink.call_over(at + 1)
        else:
            self.done = True
        return at + 1
